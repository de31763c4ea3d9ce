-- SPDX-License-Identifier: MIT
-- Halos: exact numbers of messages and bytes, which programs auto keeps, faults in dimensionwise that the gate must see.
-- What arrives where is tested on real ranks (tests/halo).
local support = require "support"
local cost = require "cartgen.cost"
local expr = require "cartgen.expr"
local pipeline = require "cartgen.pipeline"
local simulate = require "cartgen.simulate"

local deep = support.deep

local function problem_of(fields, algorithm)
  local head = fields:find "%f[%w]n%f[%W]" and 'local n = param "n"\n' or ""
  local text = head .. 'schedule "h" { ' .. fields .. " }"
  return pipeline.problems({ file = "h.lua", text = text, algorithm = algorithm })[1]
end

local function programs(fields, algorithm) return pipeline.schedules(problem_of(fields, algorithm)) end

local function stats(fields, algorithm) return cost.stats(programs(fields, algorithm)[1]) end

local function names(list)
  local out = {}
  for i, s in ipairs(list) do out[i] = s.algorithm end
  return table.concat(out, ", ")
end

-- A d-dimensional halo of width 1 around n^d doubles.
local function cube(d, kind, more)
  local dims = {}
  for j = 1, d do dims[j] = "n + 2" end
  return ("topology = %s(%d), collective = halo { array = array(double, { %s }), width = 1%s }"):format(kind, d,
    table.concat(dims, ", "), more or "")
end

describe("messages of a halo", function()
  for d = 1, 4 do
    it(("in %d dimensions"):format(d), function()
      local direct, combined = stats(cube(d, "torus"), "direct"), stats(cube(d, "torus"), "combining")
      assert.same({ 3 ^ d - 1, 3 ^ d - 1, 1 }, { direct.messages, direct.blocks_sent, direct.rounds })
      assert.same({ 2 * d, d }, { combined.messages, combined.rounds })
      for _, kind in ipairs { "torus", "mesh" } do
        for _, more in ipairs { "", ", in_place = true" } do
          local faces = stats(cube(d, kind, more), "dimensionwise")
          assert.same({ 2 * d, d, 0 }, { faces.messages, faces.rounds, expr.value(faces.temp_bytes) })
          -- Every cell travels once, as in direct.
          assert.equal(expr.text(direct.bytes_sent), expr.text(faces.bytes_sent))
        end
      end
      assert.equal(2 * d, stats(cube(d, "torus", ", in_place = true"), "dimensionwise").blocks_sent)
    end)
  end

  it("two arrays share them", function()
    local two = "topology = torus(2), collective = halo { width = 1, arrays = { { array = array(int, { n + 2, n + 2 }) }, "
      .. "{ array = array(double, { n + 2, n + 2 }), displ = 8 * (n + 2) * (n + 2) } } }"
    assert.equal(8, stats(two, "direct").messages)
    assert.equal(16, stats(two, "direct").blocks_sent)
    assert.equal(4, stats(two, "dimensionwise").messages)
  end)

  it("faces alone are direct", function()
    local s = programs(cube(3, "torus", ", corners = false"), "dimensionwise")[1]
    assert.equal(1, #s.rounds)
    assert.same({ 6, 6 }, { cost.stats(s).messages, cost.stats(s).blocks_sent })
    assert.equal("direct", names(programs(cube(3, "torus", ", corners = false"), "auto")))
  end)

  it("sides without ghosts are not sent to", function()
    local function messages(width)
      return stats(("topology = torus(2), collective = halo { array = array(int, { n + 9, n + 9 }), width = %s }"):format(width),
        "dimensionwise").messages
    end
    assert.equal(4, messages "{ { 1, 2 }, 3 }")
    assert.equal(3, messages "{ { 1, 2 }, { 0, 3 } }")
    assert.equal(2, messages "{ 0, 4 }")
    assert.equal(0, messages "0")
  end)
end)

describe("auto for a halo", function()
  it("keeps direct and dimensionwise", function()
    assert.equal("direct, dimensionwise", names(programs(cube(3, "torus"), "auto")))
    assert.equal("direct, dimensionwise", names(programs(cube(2, "mesh"), "auto")))
    assert.equal("direct", names(programs(cube(1, "torus"), "auto")))
  end)

  it("decides when everything is constant", function()
    local text = "topology = mesh { 4, 4, 4 }, collective = halo { array = array(byte, { 6, 6, 6 }), width = 1 }, algorithm = "
    assert.equal("dimensionwise", names(programs(text .. "auto()")))
    -- On a mesh faces come in as many pieces as direct has blocks: without latency nothing is gained.
    assert.equal("direct", names(programs(text .. "auto { latency = 0 }")))
  end)

  it("goes back to partitions where dimensionwise has no way", function()
    local gap = "topology = torus(2), stencil = offsets { {1, 1}, {1, -1}, {-1, 0} }, "
      .. "collective = halo { array = array(int, { n + 2, n + 2 }), width = 1 }"
    assert.is_nil(names(programs(gap, "auto")):find "dimensionwise")
  end)
end)

describe("dimensionwise", function()
  it("takes an order of dimensions in which there is a way", function()
    local s = programs("topology = torus(2), stencil = offsets { {1, 1}, {0, 1} }, "
      .. "collective = halo { array = array(int, { n + 2, n + 2 }), width = 1 }", "dimensionwise")[1]
    assert.same({ { 1 }, { 0 } }, s.groups)
  end)

  it("is proved on grids whose extents are known", function()
    for _, dims in ipairs { "1, 1", "1, 2", "2, 2", "3, 1", "2, 5" } do
      for _, kind in ipairs { "torus", "mesh" } do
        local s = programs(cube(2, kind):gsub("%(2%)", "{ " .. dims .. " }", 1), "dimensionwise")
        assert.equal("dimensionwise", names(s))
      end
    end
  end)
end)

-- Faults planted into a schedule of dimensionwise (records are plain tables underneath).
local function planted(plant, fields)
  local s = programs(fields, "dimensionwise")[1]
  local broken = { problem = s.problem, algorithm = s.algorithm, groups = s.groups, locals = {}, temps = {},
    areas = deep(s.areas), rounds = {} }
  for k, round in ipairs(s.rounds) do
    broken.rounds[k] = { messages = {}, copies = {} }
    for i, message in ipairs(round.messages) do broken.rounds[k].messages[i] = deep(message) end
  end
  assert.is_true(simulate.proved(broken))
  plant(broken)
  return simulate.proved(broken)
end

-- The first area of a message of a round that is `side`.
local function area(s, round, side)
  for _, message in ipairs(s.rounds[round].messages) do
    for _, ref in ipairs(message[side]) do
      if ref.buffer == "area" then return s.areas[ref.block + 1], ref, message end
    end
  end
  error "no area"
end

local function change(ranges, from, to)
  for j, range in ipairs(ranges) do
    if range == from then
      ranges[j] = to
      return
    end
  end
  error("no range " .. from)
end

local FAULTS = {
  ["a message dropped"] = function(s) table.remove(s.rounds[2].messages, 1) end,
  ["the last message dropped"] = function(s) table.remove(s.rounds[3].messages) end,
  ["a round dropped"] = function(s) table.remove(s.rounds, 1) end,
  ["dimensions exchanged: corners read before they arrive"] = function(s)
    s.rounds[1], s.rounds[2] = s.rounds[2], s.rounds[1]
  end,
  ["dimensions in one round"] = function(s)
    for _, message in ipairs(table.remove(s.rounds, 3).messages) do table.insert(s.rounds[2].messages, message) end
  end,
  ["the other side sent"] = function(s)
    local from = area(s, 3, "send")
    for j, range in ipairs(from.ranges) do from.ranges[j] = range == "last" and "first" or range == "first" and "last" or range end
  end,
  ["the other side received"] = function(s)
    local message = s.rounds[2].messages[1]
    message.recv[1], s.rounds[2].messages[2].recv[1] = s.rounds[2].messages[2].recv[1], message.recv[1]
  end,
  ["direction reversed"] = function(s)
    local message = s.rounds[2].messages[1]
    message.to, message.from = message.from, message.to
  end,
  ["a cell of the interior sent for a ghost"] = function(s) change((area(s, 2, "send")).ranges, "first", "inner") end,
  ["another form received"] = function(s)
    local from, ref, message = area(s, 2, "send")
    local copy = deep(from)
    for j, range in ipairs(copy.ranges) do
      if range == "all" or range == "low" or range == "high" then copy.ranges[j] = "inner" break end
    end
    s.areas[#s.areas + 1] = copy
    message.send[1] = { buffer = "area", block = #s.areas - 1, need = ref.need }
  end,
  ["an area of another array"] = function(s) (area(s, 2, "send")).array = 1 end,
  ["a part received twice"] = function(s)
    local message = s.rounds[3].messages[1]
    message.send[#message.send + 1], message.recv[#message.recv + 1] = message.send[1], message.recv[1]
  end,
  ["into the interior"] = function(s)
    local _, ref, message = area(s, 2, "send")
    for p, other in ipairs(message.send) do
      if other == ref then message.recv[p] = { buffer = "area", block = ref.block, need = message.recv[p].need } end
    end
  end,
}

describe("faults in dimensionwise are caught", function()
  for name, plant in pairs(FAULTS) do
    for _, kind in ipairs { "torus", "mesh" } do
      for _, more in ipairs { "", ", in_place = true" } do
        it(("%s (%s%s)"):format(name, kind, more), function() assert.is_false((planted(plant, cube(3, kind, more)))) end)
      end
    end
  end

  it("corners left out: the ghosts on the way are not taken along", function()
    local ok, message = planted(function(s)
      for _, a in ipairs(s.areas) do
        if a.ranges[1] == "all" and a.ranges[3] ~= "inner" then a.ranges[1] = "inner" end
      end
    end, cube(3, "torus", ", in_place = true"))
    assert.is_false(ok)
    assert.truthy(message:find "never arrives")
  end)

  it("cells of the interior taken from a receive buffer that may be another one", function()
    local ok, message = planted(function(s)
      s.problem = setmetatable({ in_place = false }, { __index = s.problem })
    end, cube(2, "torus", ", in_place = true"))
    assert.is_false(ok)
    assert.truthy(message:find "interior")
  end)

  it("needs lost or merged on a mesh", function()
    assert.is_false((planted(function(s)
      local _, ref = area(s, 2, "send")
      ref.need = {}
    end, cube(2, "mesh"))))
    -- The ghosts of both sides as one piece: on the rim those of one side came from nowhere.
    assert.is_false((planted(function(s)
      for _, message in ipairs(s.rounds[2].messages) do
        local need = message.send[1].need
        local place = message.to[2] == 1 and { "last", "low" } or { "first", "high" }
        s.areas[#s.areas + 1] = { array = 0, ranges = { "all", place[1] } }
        s.areas[#s.areas + 1] = { array = 0, ranges = { "all", place[2] } }
        message.send = { { buffer = "area", block = #s.areas - 2, need = { { 0, need[1][2] } } } }
        message.recv = { { buffer = "area", block = #s.areas - 1, need = { { 0, -need[1][2] } } } }
      end
    end, cube(2, "mesh", ", in_place = true"))))
  end)

  it("direct and combining of a halo pass the gate too", function()
    for _, name in ipairs { "direct", "combining", "partial" } do
      for _, kind in ipairs { "torus", "mesh" } do assert.equal(1, #programs(cube(3, kind), name)) end
    end
  end)
end)
