-- SPDX-License-Identifier: MIT
-- Bad input, through the command line: one line that names file and line, the exit status, nothing
-- on stdout, bounded time and memory, no half-written file.
local command = require "command"

local jit = rawget(_G, "jit") ~= nil
local KILOBYTES = 1000000 -- of address space; the sandbox allows 256 MiB

local GOOD = [[
schedule "s" { topology = torus(2), stencil = moore(2), collective = alltoall { block = int } }
]]
local BAD = GOOD:gsub("moore", "moor")

local folder
setup(function() folder = command.folder() end)
teardown(function() command.remove(folder) end)

-- Runs cartgen on `text` as in.lua; {status, out, err}.
local function run(text, args)
  local words = {}
  for i, word in ipairs(args or {}) do words[i] = word end
  if text then
    command.write(folder .. "/in.lua", text)
    words[#words + 1] = folder .. "/in.lua"
  end
  return command.run(words, { kilobytes = KILOBYTES })
end

local function beginning(row)
  if row.good then return "" end
  if row.status == 2 then return "cartgen: " .. row[4] end
  local line = row[3] and (":%d"):format(row[3]) or ""
  return ("%s%s: error: %s"):format(row.file or "in.lua", line, jit and row.luajit or row[4])
end

describe("bad input", function()
  for _, row in ipairs(require "bad_input") do
    it(row[1], function()
      local result, expected = run(row[2], row.args), beginning(row)
      assert.equal(expected, result.err:sub(1, math.max(1, #expected)))
      assert.equal(row.good and 0 or row.status or 1, result.status)
      if row.good then return end
      assert.equal("", result.out)
      assert.equal(1, select(2, result.err:gsub("\n", "\n")), result.err)
      assert.equal("\n", result.err:sub(-1))
    end)
  end
end)

describe("files", function()
  local C, H = "/s.c", "/s.h"
  local function both() return { "-o", folder .. C, "--header", folder .. H } end

  before_each(function() command.shell(("cd '%s' && rm -rf s.c s.h in.lua"):format(folder)) end)

  it("an output that cannot be written leaves nothing", function()
    for _, option in ipairs { "-o", "--header" } do
      local result = run(GOOD, { option, folder .. "/none/s.c" })
      assert.equal(1, result.status)
      assert.equal("", result.out)
      assert.equal(folder .. "/none/s.c: error: cannot write: No such file or directory\n",
        result.err)
      assert.equal("in.lua", command.names(folder))
    end
  end)

  it("a header that cannot be written leaves no source, and the other way round", function()
    for _, names in ipairs { { "/s.c", "/none/s.h" }, { "/none/s.c", "/s.h" } } do
      local result = run(GOOD, { "-o", folder .. names[1], "--header", folder .. names[2] })
      assert.equal(1, result.status)
      assert.equal("in.lua", command.names(folder))
    end
  end)

  it("a folder in a file's place stays, and nothing beside it", function()
    command.shell(("mkdir '%s/s.c'"):format(folder))
    local result = run(GOOD, { "-o", folder .. C })
    assert.equal(1, result.status)
    assert.equal("in.lua s.c", command.names(folder))
  end)

  it("files that are there stay as they are when the description is wrong", function()
    command.write(folder .. C, "before\n")
    command.write(folder .. H, "before too\n")
    local result = run(BAD, both())
    assert.equal(1, result.status)
    assert.equal("before\n", command.read(folder .. C))
    assert.equal("before too\n", command.read(folder .. H))
    assert.equal("in.lua s.c s.h", command.names(folder))
  end)

  it("no file appears when the description is wrong", function()
    assert.equal(1, run(BAD, both()).status)
    assert.equal("in.lua", command.names(folder))
  end)

  it("files are replaced when it is right, and nothing is printed", function()
    command.write(folder .. C, "before\n")
    local result = run(GOOD, both())
    assert.same({ status = 0, out = "", err = "" }, result)
    assert.truthy(command.read(folder .. C):find('#include "s.h"', 1, true))
    assert.truthy(command.read(folder .. H):find("s_init", 1, true))
    assert.equal("in.lua s.c s.h", command.names(folder))
  end)
end)

describe("good input", function()
  it("is silent but for its output", function()
    local result = run(GOOD)
    assert.equal(0, result.status, result.err)
    assert.equal("", result.err)
    assert.truthy(result.out:find "s_init")
  end)

  it("may come from standard input", function()
    local result = command.run({ "--list", "-" }, { input = GOOD })
    local listed = "s: alltoall, 8 transfers on a 2-d torus\n"
    assert.same({ status = 0, out = listed, err = "" }, result)
    result = command.run({ "-" }, { input = BAD })
    assert.equal(1, result.status)
    assert.equal("stdin:1: error: unknown name 'moor'; did you mean 'moore'?\n", result.err)
  end)
end)
