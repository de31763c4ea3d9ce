-- SPDX-License-Identifier: MIT
local support = require "support"
local cost = require "cartgen.cost"
local order = require "cartgen.passes.order"
local route = require "cartgen.algorithms.route"
local simulate = require "cartgen.simulate"

local algorithms = {}
for _, name in ipairs { "direct", "combining", "partial", "auto" } do
  algorithms[name] = require("cartgen.algorithms." .. name)
end

local function stats(name, problem)
  local s = order.apply(algorithms[name].schedules(problem)[1])
  simulate.prove(s)
  return cost.stats(s)
end

-- d, n: t C V of the family {-1 .. n-2}^d
local FAMILY = {
  { 2, 3, 8, 4, 12 }, { 2, 4, 15, 6, 24 }, { 2, 5, 24, 8, 40 },
  { 3, 3, 26, 6, 54 }, { 3, 4, 63, 9, 144 }, { 3, 5, 124, 12, 300 },
  { 4, 3, 80, 8, 216 }, { 4, 4, 255, 12, 768 }, { 4, 5, 624, 16, 2000 },
  { 5, 3, 242, 10, 810 }, { 5, 4, 1023, 15, 3840 }, { 5, 5, 3124, 20, 12500 },
}

describe("counts of the theory", function()
  for _, row in ipairs(FAMILY) do
    local d, n, t, c, v = row[1], row[2], row[3], row[4], row[5]
    it(("family d=%d n=%d"):format(d, n), function()
      local offsets = support.box(d, -1, n - 2)
      local alltoall = support.problem("alltoall", offsets, support.torus(d))
      local allgather = support.problem("allgather", offsets, support.torus(d))
      local combined, tree = stats("combining", alltoall), stats("combining", allgather)
      assert.equal(c, combined.messages)
      assert.equal(v, combined.blocks_sent)
      assert.equal(c, tree.messages)
      assert.equal(t, tree.blocks_sent)
      for _, problem in ipairs { alltoall, allgather } do
        local direct = stats("direct", problem)
        assert.equal(t, direct.messages)
        assert.equal(t, direct.blocks_sent)
        assert.equal(1, direct.rounds)
      end
    end)
  end

  local function partitions_of(d, groups)
    local problem = support.problem("alltoall", support.box(d, -1, 1), support.torus(d))
    local s = route.schedule(problem, groups, "partial")
    simulate.prove(s)
    local counts = cost.stats(s)
    return { counts.messages, counts.blocks_sent }
  end

  it("partial combining lies between", function()
    assert.same({ 26, 26 }, partitions_of(3, { { 0, 1, 2 } }))
    assert.same({ 10, 42 }, partitions_of(3, { { 0, 1 }, { 2 } }))
    assert.same({ 6, 54 }, partitions_of(3, { { 0 }, { 1 }, { 2 } }))
    assert.same({ 80, 80 }, partitions_of(4, { { 0, 1, 2, 3 } }))
    assert.same({ 28, 132 }, partitions_of(4, { { 0, 1, 2 }, { 3 } }))
    assert.same({ 16, 144 }, partitions_of(4, { { 0, 1 }, { 2, 3 } }))
    assert.same({ 12, 180 }, partitions_of(4, { { 0, 1 }, { 2 }, { 3 } }))
    assert.same({ 8, 216 }, partitions_of(4, { { 0 }, { 1 }, { 2 }, { 3 } }))
  end)

  it("allgather trees take the best order of dimensions", function()
    local function volume(offsets, groups)
      local problem = support.problem("allgather", offsets, support.torus(3))
      if not groups then return stats("combining", problem).blocks_sent end
      return cost.stats(route.schedule(problem, groups, "order")).blocks_sent
    end
    local first = { { 2, 2, 2 }, { 1, -2, 0 }, { -2, 2, 0 } }
    assert.equal(6, volume(first))
    assert.equal(7, volume(first, { { 2 }, { 1 }, { 0 } }))
    local second = { { -2, 1, 1 }, { -1, 1, 1 }, { 1, 1, 1 }, { 2, 1, 1 } }
    assert.equal(6, volume(second))
    assert.equal(12, volume(second, { { 0 }, { 1 }, { 2 } }))
  end)

  it("a star has nothing to combine", function()
    local star = { { -1, 0, 0 }, { 1, 0, 0 }, { 0, -1, 0 }, { 0, 1, 0 }, { 0, 0, -1 }, { 0, 0, 1 } }
    local s = stats("combining", support.problem("alltoall", star, support.torus(3)))
    assert.equal(6, s.messages)
    assert.equal(6, s.blocks_sent)
  end)

  it("repeated offsets travel once in allgather, and are two blocks in alltoall", function()
    local twice = { { 1, 0 }, { 1, 0 }, { 1, 1 }, { 1, 1 } }
    for name, blocks in pairs { direct = 2, combining = 2 } do
      assert.equal(blocks, stats(name, support.problem("allgather", twice, support.torus(2))).blocks_sent)
    end
    assert.equal(4, stats("direct", support.problem("alltoall", twice, support.torus(2))).blocks_sent)
  end)
end)

describe("auto", function()
  it("is never worse than direct by its model, for any sizes and machine", function()
    support.seed "auto"
    for _ = 1, 200 do
      local offsets, periods = support.random_case(14)
      local model = { latency = 10 ^ -math.random(4, 8), per_byte = 10 ^ -math.random(7, 11), per_copy = 1e-9 * math.random(0, 9) }
      for _, collective in ipairs { "alltoall", "allgather" } do
        local problem = support.problem(collective, offsets, periods, { name = "auto", model = model })
        local bytes = 4 ^ math.random(0, 9)
        local sizes = {}
        for i = 1, #problem.send do sizes[i] = bytes end
        local round = cost.rounds(problem, sizes)
        local groups, seconds = cost.best_partition(problem, round, model)
        local direct = cost.of_partition(problem, round, model, cost.whole(#periods))
        assert.is_true(seconds <= direct * (1 + 1e-9), support.describe(offsets, periods))
        local again = cost.of_partition(problem, round, model, groups)
        assert.is_true(math.abs(again - seconds) <= 1e-9 * seconds)
        -- The counts behind the model are those of the schedule.
        local counts = cost.stats(route.schedule(problem, groups, "best"))
        local _, messages, blocks = cost.of_partition(problem, round, model, groups)
        assert.equal(messages, counts.messages, support.describe(offsets, periods))
        assert.equal(blocks, counts.blocks_sent, support.describe(offsets, periods))
      end
    end
  end)

  it("keeps direct first, and one program where nothing can win", function()
    local star = { { -1, 0 }, { 1, 0 }, { 0, -1 }, { 0, 1 } }
    local schedules = algorithms.auto.schedules(support.problem("alltoall", star, support.torus(2), { name = "auto" }))
    assert.equal(1, #schedules)
    local full = algorithms.auto.schedules(support.problem("alltoall", support.box(3, -1, 1), support.torus(3), { name = "auto" }))
    assert.equal("direct", full[1].algorithm)
    assert.is_true(#full >= 2)
  end)
end)
