-- SPDX-License-Identifier: MIT
-- Bad input, through the command line: one line that names file and line, the exit status, nothing on
-- stdout, no half-written file.
local interpreter = rawget(_G, "jit") and "luajit" or "lua5.4"

local function read(name)
  local file = io.open(name, "rb")
  local text = file and file:read "*a" or ""
  if file then file:close() end
  return text
end

-- Runs cartgen on a description; status, stdout, stderr.
local function run(text, options)
  local name = os.tmpname()
  local file = assert(io.open(name, "wb"))
  file:write(text)
  file:close()
  local command = ("%s gen/cartgen.lua %s %s >%s.out 2>%s.err; echo $? >%s.rc"):format(interpreter, options or "", name,
    name, name, name)
  os.execute(command)
  local status, out, err = tonumber(read(name .. ".rc")), read(name .. ".out"), read(name .. ".err")
  for _, ending in ipairs { "", ".out", ".err", ".rc" } do os.remove(name .. ending) end
  return status, out, (err:gsub(name:match "[^/]*$", "in.lua"))
end

local function schedule(fields, head)
  local all = { topology = "torus(2)", stencil = "moore(2, 1)", collective = "alltoall { block = int }" }
  for key, value in pairs(fields) do all[key] = value or nil end
  local out = { head or "", 'schedule "s" {' }
  for _, key in ipairs { "topology", "stencil", "collective", "algorithm", "transport", "order", "extra" } do
    if all[key] then out[#out + 1] = ("  %s = %s,"):format(key, all[key]) end
  end
  out[#out + 1] = "}"
  return table.concat(out, "\n") .. "\n"
end

-- name -> { text, options, message }
local CASES = {
  { "coordinates", schedule { stencil = "offsets { {1, 0}, {0, 1}, {1, 0, 1} }" }, nil,
    "in.lua:2: error: offset 2 has 3 coordinates, but the topology has 2 dimensions" },
  { "unknown word", schedule { stencil = "moor(2, 1)" }, nil, "in.lua:4: error: unknown name 'moor'; did you mean 'moore'?" },
  { "unknown field", schedule { extra = "1" }, nil,
    "in.lua:2: error: a schedule has no field 'extra'; expected topology" },
  { "unknown field of a collective", schedule { collective = "alltoall { blocks = int }" }, nil,
    "in.lua:2: error: alltoall has no field 'blocks'; did you mean 'block'?" },
  { "missing field", schedule { stencil = false }, nil, "in.lua:2: error: the schedule lacks the field 'stencil'" },
  { "missing block", schedule { collective = "alltoall {}" }, nil, "in.lua:2: error: alltoall lacks the field 'block'" },
  { "not an integer", schedule { stencil = "offsets { {1.5, 0} }" }, nil,
    "in.lua:4: error: coordinate 0 of offset 0 is 1.5, expected an integer below 2^31 in size" },
  { "negative count", schedule { collective = "alltoall { block = contiguous(-1, int) }" }, nil,
    "in.lua:5: error: the count of contiguous is -1, expected 0 or more" },
  { "syntax", "schedule {\n  = 3\n}\n", nil, "in.lua:2: error: " },
  { "endless loop", "local i = 0\nwhile true do i = i + 1 end\n", nil, "in.lua:2: error: the description runs too long" },
  { "os.execute", "os.execute 'true'\n", nil, "in.lua:1: error: unknown name 'os'" },
  { "io", "\nio.open 'x'\n", nil, "in.lua:2: error: unknown name 'io'" },
  { "require", "require 'os'\n", nil, "in.lua:1: error: unknown name 'require'" },
  { "string bomb", "local s = 'x'\nfor i = 1, 60 do s = s .. s end\n", nil, "in.lua:2: error: " },
  { "rep bomb", "local s = ('x'):rep(1e9)\n", nil, "in.lua:1: error: string.rep would make more than" },
  { "recursion", "local function f() return 1 + f() end\nf()\n",
    nil, "in.lua:1: error: stack overflow: the description calls itself without end" },
  { "bytecode", "\27Lua", nil, "in.lua:1: error: this is compiled Lua, expected text" },
  { "unused parameter", schedule({}, 'local m = param "m"'), nil, "in.lua:1: error: parameter 'm' is never used" },
  { "unknown --set", schedule {}, "--set q=1", "in.lua: error: --set q: the description has no parameter of that name" },
  { "schedule's name", (schedule {}):gsub('"s"', '"2s"'), nil, "in.lua:2: error: the schedule's name '2s' is not a C identifier" },
  { "keyword", (schedule {}):gsub('"s"', '"while"'), nil, "in.lua:2: error: the schedule's name 'while' is a word of C or C++" },
  { "same name twice", schedule {} .. schedule {}, nil, "in.lua:8: error: a second schedule 's' (the first is on line 2)" },
  { "clash", schedule {} .. (schedule {}):gsub('"s"', '"s_init"'), nil, "in.lua:8: error: schedule 's_init' clashes in C" },
  { "no schedule", "local x = 1\n", nil, "in.lua: error: no schedule in the description" },
  { "algorithm", schedule { algorithm = '"combinin"' }, nil,
    "in.lua:2: error: unknown algorithm 'combinin'; did you mean 'combining'?" },
  { "groups", schedule { algorithm = "partial { {0}, {0, 1} }" }, nil, "in.lua:2: error: partial names dimension 0 twice" },
  { "mode", schedule { transport = "mpi { mode = 'blockin' }" }, nil,
    "in.lua:6: error: unknown mode 'blockin'; did you mean 'blocking'?" },
  { "transport", schedule {}, "--transport tpc", "in.lua:2: error: unknown transport 'tpc'" },
  { "lattice", schedule { stencil = 'lattice "D3Q18"' }, nil, "in.lua:4: error: unknown lattice 'D3Q18'; did you mean 'D3Q15'?" },
  { "list length", schedule { collective = "alltoallv { counts = {1, 2}, type = int }" }, nil,
    "in.lua:2: error: alltoallv counts has 2 entries, the stencil has 8 offsets" },
  { "overlap", schedule { collective =
      "alltoallv { counts = function() return 2 end, displs = function(i) return i end, type = int }" }, nil,
    "in.lua:2: error: receive blocks 0 and 1 overlap at byte 4 of the receive buffer" },
  { "signature", schedule { collective = "alltoall { block = int, recv_block = float }" }, nil,
    "in.lua:2: error: send block 0 is of int, its receive block 0 of float" },
  { "order", schedule { order = '"cartesian"', stencil = "offsets { {1, 0} }" }, nil,
    "in.lua:2: error: order = \"cartesian\" needs a symmetric stencil" },
  { "dimensions", schedule { topology = "torus(9)" }, nil, "in.lua:3: error: torus got 9, expected a number of dimensions from 1 to 8" },
  { "comparison", schedule({ collective = "alltoall { block = contiguous(m, int) }" },
    'local m = param "m" if m < m then return end'), nil, "in.lua:1: error: parameters are known only at run time: no comparison" },
  { "function fails", schedule { collective = "alltoallv { counts = function(i) return nil + i end, type = int }" }, nil,
    "in.lua:5: error: " },
}

describe("bad input", function()
  for _, case in ipairs(CASES) do
    local name, text, options, message = case[1], case[2], case[3], case[4]
    it(name, function()
      local status, out, err = run(text, options)
      assert.equal(message, err:sub(1, #message))
      assert.equal(1, status, err)
      assert.equal("", out)
      assert.equal(1, select(2, err:gsub("\n", "\n")), err)
    end)
  end

  it("wrong usage is status 2", function()
    for _, options in ipairs { "--nonsense", "--emit nonsense", "--set m", "--set m=x", "--header h.h --emit plan" } do
      local status, out = run(schedule {}, options)
      assert.equal(2, status, options)
      assert.equal("", out)
    end
  end)

  it("an output that cannot be written leaves nothing", function()
    local status, out, err = run(schedule {}, "-o /nonexistent/s.c")
    assert.equal(1, status)
    assert.equal("", out)
    assert.truthy(err:find("/nonexistent/s.c: error: cannot write: No such file or directory", 1, true), err)
  end)

  it("a good description gives status 0 and nothing on stderr", function()
    local status, out, err = run(schedule {})
    assert.equal(0, status, err)
    assert.equal("", err)
    assert.truthy(out:find "s_init")
  end)
end)
