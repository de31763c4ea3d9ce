-- SPDX-License-Identifier: MIT
-- Several arrays in one schedule: fields of collectives, and blocks that lie in own arrays, which are one mechanism.
-- What arrives where is tested on real ranks (tests/mpi/fields.c).
local support = require "support"
local cost = require "cartgen.cost"
local emit = require "cartgen.emit"
local expr = require "cartgen.expr"
local kernel_forms = require "cartgen.kernel_forms"
local pipeline = require "cartgen.pipeline"
local plan_module = require "cartgen.plan"
local registry = require "cartgen.registry"
local simulate = require "cartgen.simulate"
local util = require "cartgen.util"

util.root "." -- where the templates are

local deep = support.deep

local function problem_of(fields, algorithm)
  local text = 'local n, m = param("n", "m")\nschedule "s" { ' .. fields .. " }"
  if not fields:find "%f[%w]m%f[%W]" then text = text:gsub('local n, m = param%("n", "m"%)', 'local n = param "n"') end
  if not fields:find "%f[%w]n%f[%W]" then text = text:gsub("^[^\n]*\n", "") end
  return pipeline.problems({ file = "s.lua", text = text, algorithm = algorithm })[1]
end

local function schedule_of(fields, algorithm) return pipeline.schedules(problem_of(fields, algorithm))[1] end

local function plan_text(fields, algorithm) return plan_module.text(pipeline.plan(problem_of(fields, algorithm))) end

local function names_of(blocks)
  local out = {}
  for i, block in ipairs(blocks) do out[i] = block.base end
  return table.concat(out, " ")
end

local FIVE = "collective = fields { e = halo { array = array(char, { n + 2, n + 2 }), width = 1 }, "
  .. "d = alltoall { block = contiguous(n, int) }, c = allgather { block = float_complex }, "
  .. "b = alltoallv { type = int, counts = function(i) return i end }, "
  .. "a = alltoall { block = struct { { int, at('x') }, { int, at('y') } } } }"

describe("messages of fields", function()
  it("are those of one", function()
    for _, stencil in ipairs { "moore(2, 1)", "box(2, -1, 2)" } do
      local s = schedule_of("topology = torus(2), stencil = " .. stencil .. ", " .. FIVE, "direct")
      local t = stencil == "moore(2, 1)" and 8 or 15
      assert.equal(t, cost.stats(s).messages)
      -- e only goes where there are ghosts, a is two blocks.
      assert.equal(8 + 5 * t, cost.stats(s).blocks_sent)
    end
  end)

  it("combine as those of one", function()
    for _, algorithm in ipairs { "combining", "partial:{1}{0}" } do
      assert.equal(4, cost.stats(schedule_of("topology = torus(2), stencil = moore(2, 1), " .. FIVE, algorithm)).messages)
    end
  end)

  it("carry the sum of the bytes", function()
    local function bytes(collective)
      return cost.stats(schedule_of("topology = torus(2), stencil = moore(2, 1), collective = " .. collective, "combining")).bytes_sent
    end
    local list = { "alltoall { block = contiguous(n, int) }", "allgather { block = double }", "alltoall { block = short }" }
    local sum = expr.of(0)
    for _, collective in ipairs(list) do sum = expr.add(sum, bytes(collective)) end
    assert.equal(expr.text(sum), expr.text(bytes(("fields { a = %s, b = %s, c = %s }"):format(list[1], list[2], list[3]))))
  end)
end)

describe("blocks of fields", function()
  it("are in the order of names, each in its array", function()
    local p = problem_of("topology = torus(1), stencil = offsets { { 1 }, { 2 } }, collective = fields { b = alltoall { block = int }, "
      .. "a = allgather { block = int }, c = alltoall { block = int } }")
    assert.equal("a b b c c", names_of(p.send))
    assert.equal("a a b b c c", names_of(p.recv))
    assert.same({ send = { "a", "b", "c" }, recv = { "a", "b", "c" } }, p.arrays)
    local rows = {}
    for i, t in ipairs(p.transfers) do rows[i] = ("%d %d>%d"):format(t.offset[1], t.send, t.recv) end
    assert.equal("1 0>0, 2 0>1, 1 1>2, 2 2>3, 1 3>4, 2 4>5", table.concat(rows, ", "))
  end)

  it("of one field are those of its collective", function()
    local head = "topology = mesh(2), stencil = moore(2, 1), collective = "
    for _, collective in ipairs { "alltoall { block = contiguous(n, int) }", "allgather { block = contiguous(n, int) }",
      "halo { array = array(int, { n + 2, n + 2 }), width = 1 }" } do
      for _, algorithm in ipairs { "direct", "combining" } do
        local alone, field = plan_text(head .. collective, algorithm), plan_text(head .. "fields { u = " .. collective .. " }", algorithm)
        assert.truthy(field:find "recv%.u" or field:find "by lists")
        assert.equal(alone, (field:gsub("(%l+)%.u", "%1")))
      end
    end
  end)

  it("keep the order of MPI's Cartesian blocks", function()
    local p = problem_of("topology = torus(1), stencil = cartesian(1), order = 'cartesian', collective = fields { "
      .. "a = allgather { block = int }, b = alltoall { block = int } }")
    local rows = {}
    for i, t in ipairs(p.transfers) do rows[i] = ("%d %d>%d"):format(t.offset[1], t.send, t.recv) end
    assert.equal("1 0>0, -1 0>1, -1 1>3, 1 2>2", table.concat(rows, ", "))
  end)
end)

describe("own arrays", function()
  local HEAD = "topology = torus(2), stencil = offsets { { 0, 1 }, { 1, -1 } }, collective = "

  it("and fields are one mechanism", function()
    local own = HEAD .. "alltoall { block = struct { { contiguous(n, int), at('u') }, { contiguous(n, float), at('v') } } }"
    local several = HEAD .. "fields { u = alltoall { block = contiguous(n, int) }, v = alltoall { block = contiguous(n, float) } }"
    for _, algorithm in ipairs { "direct", "combining" } do assert.equal(plan_text(several, algorithm), plan_text(own, algorithm)) end
    local halos = "topology = %s, collective = fields { u = halo { array = array(int, { n + 2, n + 3 }), width = { 1, { 1, 2 } } }, "
      .. "v = halo { array = array(float, { n + 2, n + 3 }), width = { 1, { 1, 2 } } } }"
    local both = "topology = %s, collective = halo { array = array(struct { { int, at('u') }, { float, at('v') } }, { n + 2, n + 3 }), "
      .. "width = { 1, { 1, 2 } } }"
    for _, kind in ipairs { "torus(2)", "mesh(2)" } do
      for _, algorithm in ipairs { "direct", "combining", "dimensionwise" } do
        assert.equal(plan_text(halos:format(kind), algorithm), plan_text(both:format(kind), algorithm))
      end
    end
  end)

  it("are divided where both ends divide them alike", function()
    local p = problem_of(HEAD .. "alltoallw { blocks = { { type = struct { { contiguous(n, int), at('x') }, { int, at('y', 4), 2 } } }, "
      .. "{ type = struct { { int, at('y', 40) } } } }, recv_blocks = { { type = struct { { vector(n, 1, 2, int), at('q') }, "
      .. "{ int, at('p', 8) }, { int, at('p') } }, displ = 100 }, { type = struct { { int, at('x') } } } } }")
    assert.same({ send = { "x", "y" }, recv = { "q", "p", "x" } }, p.arrays)
    assert.equal("x y y", names_of(p.send))
    assert.equal("q p x", names_of(p.recv))
    local rows = {}
    for i, t in ipairs(p.transfers) do rows[i] = ("%d>%d"):format(t.send, t.recv) end
    assert.equal("0>0 1>1 2>2", table.concat(rows, " "))
    assert.equal("100", expr.text(p.recv[1].displ))
  end)

  it("may hold nothing, or be the same in several fields", function()
    local p = problem_of(HEAD .. "alltoall { block = struct { { int, at('x') }, { contiguous(0, int), at('y') } } }")
    assert.same({ "x", "y" }, p.arrays.send)
    assert.equal("x x", names_of(p.send))
    p = problem_of(HEAD .. "alltoall { block = contiguous(0, struct { { int, at('x') } }) }")
    assert.equal("x x", names_of(p.send))
    p = problem_of("topology = torus(2), stencil = offsets {}, collective = allgather { block = struct { { int, at('x') } } }")
    assert.same({ send = { "x" }, recv = { "x" } }, p.arrays)
    p = problem_of(HEAD .. "fields { a = alltoall { block = struct { { int, at('x') } } }, "
      .. "b = alltoall { block = struct { { double, at('y') }, { int, at('x', 40) } } } }")
    assert.same({ "x", "y" }, p.arrays.send)
    assert.equal("x x y y x x", names_of(p.send))
  end)

  it("have pointers that no parameter takes the name of", function()
    local text = 'local send_u, recv_v = param("send_u", "recv_v")\nschedule "s" { topology = torus(1), stencil = offsets { { 1 } }, '
      .. "algorithm = 'direct', collective = fields { u = alltoall { block = contiguous(send_u, int) }, "
      .. "v = alltoall { block = contiguous(recv_v, int) } } }"
    local source = pipeline.generate({ file = "s.lua", text = text, command = "c" }).source
    assert.truthy(source:find("const int64_t send_u_ = params->send_u;", 1, true))
    assert.truthy(source:find("const char *send_u = view->send_arrays[0];", 1, true))
  end)
end)

-- One of several random collectives; shared: allgather.
local function random_field(offsets)
  if math.random() < 0.4 then return "allgather { block = int }" end
  if math.random() < 0.3 then return "alltoall { block = struct { { int, at('p'), 1 } } }", "p" end
  return ("alltoallv { type = int, counts = { %s } }"):format(("2, "):rep(#offsets))
end

describe("random fields", function()
  it("are proved, and right on every rank of concrete grids", function()
    local seed = support.seed "arrays"
    for case = 1, 60 do
      local offsets, periods = support.random_case(8)
      local list, rows, own = {}, {}, false
      for i, v in ipairs(offsets) do rows[i] = "{ " .. table.concat(v, ", ") .. " }" end
      for k = 1, math.random(1, 4) do
        local text, array = random_field(offsets)
        if array and own then text = "allgather { block = int }" end
        own = own or array ~= nil
        list[k] = ("f%d = %s"):format(k, text)
      end
      local flags = {}
      for j, periodic in ipairs(periods) do flags[j] = tostring(periodic) end
      local text = ("topology = cart { periods = { %s } }, stencil = offsets { %s }, collective = fields { %s }"):format(
        table.concat(flags, ", "), table.concat(rows, ", "), table.concat(list, ", "))
      local dims = {}
      for j = 1, #periods do dims[j] = math.random(1, 3) end
      for _, algorithm in ipairs { "direct", "combining", "partial", "auto" } do
        for _, s in ipairs(pipeline.schedules(problem_of(text, algorithm))) do
          local faults = support.concrete(s, dims)
          assert.equal(0, #faults, ("seed %s, case %d, %s: %s: %s"):format(tostring(seed), case, algorithm, text, tostring(faults[1])))
        end
      end
    end
  end)
end)

describe("halos among fields", function()
  local A = "array = array(int, { n + 2, n + 2 }), width = 1"

  it("need no stencil, and take their part of one", function()
    local function transfers(stencil, list)
      return #problem_of(("topology = torus(2), %scollective = fields { %s }"):format(stencil, list)).transfers
    end
    local two = "a = halo { " .. A .. " }, b = halo { corners = false, " .. A .. " }"
    assert.equal(8 + 4, transfers("", two))
    assert.equal(2 + 1, transfers("stencil = offsets { { 1, 1 }, { 0, 1 } }, ", two))
    assert.equal(2 + 4, transfers("stencil = offsets { { 1, 1 }, { 0, 1 }, { 2, 0 }, { 0, 1 } }, ",
      "a = halo { " .. A .. " }, b = alltoall { block = int }"))
  end)

  it("own parameters, limits and in place", function()
    local rim = "halo { in_place = true, " .. A .. " }"
    local p = problem_of("topology = torus(2), collective = fields { u = " .. rim .. ", v = " .. rim .. " }")
    assert.is_true(p.in_place)
    assert.is_true(p.own_params)
    assert.equal("v: the width of the array in dimension 1", p.limits[4].what)
    local head = "topology = torus(2), stencil = moore(2, 1), collective = fields { v = alltoall { block = int }"
    p = problem_of(head .. ", u = halo { " .. A .. " } }")
    assert.is_true(p.own_params)
    assert.is_nil(p.regions)
    assert.is_falsy(p.in_place)
    assert.is_nil(problem_of(head .. " }").own_params)
  end)

  it("go dimension by dimension, proved; faults are seen", function()
    local faults = {
      ["an area of another field"] = function(s) s.areas[1].array = 1 end,
      ["a block of another field"] = function(s)
        local message = s.rounds[1].messages[1]
        message.send[1], message.send[2] = message.send[2], message.send[1]
      end,
      ["a field left out"] = function(s)
        for _, message in ipairs(s.rounds[1].messages) do
          table.remove(message.send)
          table.remove(message.recv)
        end
      end,
    }
    local text = "topology = %s(2), collective = fields { u = halo { %s }, v = halo { %s } }"
    for _, kind in ipairs { "torus", "mesh" } do
      local p = problem_of(text:format(kind, A, A), "dimensionwise")
      for name, plant in pairs(faults) do
        local s = registry.find(registry.algorithms, "dimensionwise").schedule(p)
        local broken = { problem = s.problem, algorithm = s.algorithm, groups = s.groups, locals = {}, temps = {},
          areas = deep(s.areas), rounds = deep(s.rounds) }
        assert.is_true(simulate.proved(broken))
        plant(broken)
        assert.is_false((simulate.proved(broken)), name)
      end
    end
  end)
end)

describe("the descriptor", function()
  it("names the arrays of each side", function()
    local p = problem_of("topology = torus(1), stencil = offsets { { 1 } }, collective = alltoall { "
      .. "block = struct { { int, at('x') }, { int, at('y') } }, recv_block = struct { { int, at('p') }, { int, at('q') } } }", "direct")
    local unit = emit.units({ pipeline.plan(p) }, {}, kernel_forms.parse(nil, "s.lua"))[1]
    assert.truthy(unit.body:find 's_send_arrays%[2%] = {%s*"x",?%s*"y",?%s*};')
    assert.truthy(unit.body:find 's_recv_arrays%[2%] = {%s*"p",?%s*"q",?%s*};')
    assert.truthy(unit.declarations:find("typedef struct s_send {\n    const void *x;\n    const void *y;\n} s_send;", 1, true))
    assert.truthy(unit.declarations:find("typedef struct s_recv {\n    void *p;\n    void *q;\n} s_recv;", 1, true))
  end)
end)
