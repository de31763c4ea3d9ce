-- SPDX-License-Identifier: MIT
-- The gate against a second opinion (all ranks of concrete grids), and against planted faults.
local support = require "support"
local order = require "cartgen.passes.order"
local route = require "cartgen.algorithms.route"
local simulate = require "cartgen.simulate"

local algorithms = {}
for _, name in ipairs { "direct", "combining", "partial", "auto" } do
  algorithms[name] = require("cartgen.algorithms." .. name)
end

local function schedules(collective, offsets, periods)
  local out = {}
  for _, name in ipairs { "direct", "combining", "partial", "auto" } do
    local problem = support.problem(collective, offsets, periods, { name = name })
    for _, s in ipairs(algorithms[name].schedules(problem)) do
      out[#out + 1] = s
      out[#out + 1] = order.apply(s)
    end
  end
  return out
end

local function random_dims(d)
  local dims = {}
  for j = 1, d do dims[j] = math.random(1, d > 3 and 2 or 4) end
  return dims
end

describe("random stencils", function()
  it("are proved, and right on every rank of concrete grids", function()
    local seed = support.seed "simulate"
    for case = 1, 120 do
      local offsets, periods = support.random_case(10)
      local dims = random_dims(#periods)
      for _, collective in ipairs { "alltoall", "allgather" } do
        local function faults_of(list)
          for _, s in ipairs(schedules(collective, list, periods)) do
            local ok, message = simulate.proved(s)
            if not ok then return s.algorithm .. ": " .. message end
            local faults = support.concrete(s, dims)
            if #faults > 0 then return s.algorithm .. ": " .. faults[1] end
          end
        end
        local fault = faults_of(offsets)
        if fault then
          local least = support.shrink(offsets, function(list) return faults_of(list) ~= nil end)
          error(("seed %d case %d: %s on %s\n%s, dims %s"):format(seed, case, faults_of(least), collective,
            support.describe(least, periods), table.concat(dims, "x")))
        end
      end
    end
  end)

  it("sparse ones that break naive trees", function()
    local d3q15 = {}
    for _, v in ipairs(support.box(3, -1, 1)) do
      local norm = math.abs(v[1]) + math.abs(v[2]) + math.abs(v[3])
      if norm == 1 or norm == 3 then d3q15[#d3q15 + 1] = v end
    end
    assert.equal(14, #d3q15)
    local pair = { { -1, -1, -1 }, { -1, 0, 0 } }
    for _, offsets in ipairs { d3q15, pair } do
      for bits = 0, 7 do
        local periods = { bits % 2 == 1, math.floor(bits / 2) % 2 == 1, bits > 3 }
        for _, collective in ipairs { "alltoall", "allgather" } do
          for _, s in ipairs(schedules(collective, offsets, periods)) do
            assert.is_true(simulate.proved(s))
            assert.same({}, support.concrete(s, { 3, 2, 4 }))
          end
        end
      end
    end
  end)
end)

-- Faults planted into a schedule (records are plain tables underneath): each must be caught.
local deep = support.deep

local function planted(plant, collective, periods, groups)
  local problem = support.problem(collective or "alltoall", support.box(3, -1, 1), periods or support.torus(3))
  local s = route.schedule(problem, groups or { { 0 }, { 1 }, { 2 } }, "planted")
  assert.is_true(simulate.proved(s))
  -- needs and refs are shared between entries: each gets its own before one is broken.
  local broken = { problem = problem, algorithm = s.algorithm, groups = s.groups, temps = deep(s.temps),
    locals = deep(s.locals), rounds = {} }
  for k, round in ipairs(s.rounds) do
    broken.rounds[k] = { messages = {}, copies = deep(round.copies) }
    for i, message in ipairs(round.messages) do broken.rounds[k].messages[i] = deep(message) end
  end
  plant(broken)
  return simulate.proved(broken)
end

local FAULTS = {
  ["a message dropped"] = function(s) table.remove(s.rounds[2].messages, 1) end,
  ["a round dropped"] = function(s) table.remove(s.rounds, 1) end,
  ["rounds exchanged"] = function(s) s.rounds[1], s.rounds[3] = s.rounds[3], s.rounds[1] end,
  ["parity swapped"] = function(s)
    for _, ref in ipairs(s.rounds[2].messages[1].recv) do
      if ref.buffer == "temp" then ref.buffer = "recv" elseif ref.buffer == "recv" then ref.buffer = "temp" end
    end
  end,
  ["two blocks exchanged"] = function(s)
    local recv = s.rounds[3].messages[1].recv
    recv[1], recv[2] = recv[2], recv[1]
  end,
  ["two send blocks exchanged"] = function(s)
    local send = s.rounds[1].messages[1].send
    send[1], send[2] = send[2], send[1]
  end,
  ["a block sent twice"] = function(s)
    local message = s.rounds[3].messages[1]
    message.send[2], message.recv[2] = message.send[1], message.recv[1]
  end,
  ["direction reversed"] = function(s)
    local message = s.rounds[1].messages[1]
    message.to, message.from = message.from, message.to
  end,
  ["receive from the wrong side"] = function(s)
    local message = s.rounds[1].messages[1]
    message.from = message.to
  end,
  ["a receive block missing"] = function(s) table.remove(s.rounds[3].messages[1].recv) end,
  ["a local copy dropped"] = function(s) s.locals = {} end,
  ["one message twice"] = function(s) s.rounds[1].messages[2] = s.rounds[1].messages[1] end,
}

describe("planted faults are caught", function()
  for name, plant in pairs(FAULTS) do
    it(name, function() assert.is_false((planted(plant))) end)
  end

  it("the same schedule without a fault passes", function()
    assert.is_true((planted(function() end)))
    assert.is_true((planted(function() end, "allgather", { false, true, false })))
  end)

  local MASKS = {
    ["always"] = function(ref) ref.need = {} end,
    ["of another block"] = function(ref) ref.need = { { 1, 1, 1 } } end,
    ["in one dimension too few"] = function(ref)
      for _, v in ipairs(ref.need) do v[3] = 0 end
    end,
    ["reversed"] = function(ref)
      for _, v in ipairs(ref.need) do v[1] = -v[1] end
    end,
  }
  for name, break_mask in pairs(MASKS) do
    for _, side in ipairs { "send", "recv" } do
      it(("mesh mask %s (%s)"):format(name, side), function()
        local ok = planted(function(s)
          local message = s.rounds[1].messages[1]
          for _, ref in ipairs(message[side]) do
            if #ref.need > 0 and ref.need[1][1] ~= 0 and ref.need[1][3] ~= 0 then
              break_mask(ref)
              return
            end
          end
          error "nothing to break"
        end, "alltoall", { false, false, false })
        assert.is_false(ok)
      end)
    end
  end

  it("both masks broken alike: blocks stay away from ranks that have a source", function()
    local ok = planted(function(s)
      local message = s.rounds[1].messages[1]
      for _, refs in ipairs { message.send, message.recv } do
        for _, v in ipairs(refs[1].need) do v[2] = v[2] == 0 and 1 or 2 * v[2] end
      end
    end, "alltoall", { false, false, false })
    assert.is_false(ok)
  end)
end)
