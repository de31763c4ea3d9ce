-- SPDX-License-Identifier: MIT
-- What is generated for layouts: short kernels, one for equal shapes, forms that can be forced.
local command = require "command"

local MOST_LINES = 40

-- Functions of a C text: {name, lines}, braces included.
local function functions_of(c)
  local out = {}
  for head, body in ("\n" .. c):gmatch "\n([%a_][^;{}=]*)\n(%b{})" do
    out[#out + 1] = { name = head:match "([%w_]+)%(", lines = select(2, body:gsub("\n", "")) + 1, body = body }
  end
  return out
end

local function generate(text, arguments)
  local folder = command.folder()
  command.write(folder .. "/a.lua", text)
  local out = command.shell(("%s gen/cartgen.lua %s %s/a.lua 2>&1"):format(command.lua, arguments or "", folder))
  command.shell("rm -r " .. command.quote(folder))
  return out
end

local function is_kernel(name) return not (name:match "_init$" or name:match "_free$") end

describe("layouts", function()
  it("have kernels of at most 40 lines", function()
    local seen = 0
    for file in command.shell("ls bench/ddtbench/layouts/*.lua tests/descriptions/layouts.lua"):gmatch "%S+" do
      local c = command.shell(("%s gen/cartgen.lua %s"):format(command.lua, file))
      for _, f in ipairs(functions_of(c)) do
        if is_kernel(f.name) then
          seen = seen + 1
          assert(f.lines <= MOST_LINES, ("%s: %s has %d lines"):format(file, f.name, f.lines))
        end
      end
    end
    assert(seen > 200, "only " .. seen .. " functions were seen")
  end)

  it("of many different items stay short too", function()
    local items = {}
    for i = 1, 200 do items[i] = ("{ vector(n + %d, 1, %d, int), %d * n }"):format(i, 2 + i % 7, 1000 * i) end
    local c = generate(('local n = param "n"\nlayout "many" { type = struct { %s } }'):format(table.concat(items, ", ")))
    for _, f in ipairs(functions_of(c)) do
      if is_kernel(f.name) then assert(f.lines <= MOST_LINES, f.name .. " has " .. f.lines .. " lines") end
    end
    assert(c:find "many_part%d+_pack", c:sub(1, 400))
  end)

  it("are copied within a rank by short kernels, where blocks may stay there", function()
    local text = [[
local n = param "n"
local items = {}
for i = 1, 8 do items[i] = { vector(n, 1, 2, vector(n + i, 1, 3, vector(5 + i, 1, 7, double))), 100000 * i * n * n } end
schedule "many" { topology = %s, stencil = von_neumann(1, 1), collective = alltoall { block = struct(items) } }
]]
    local seen = 0
    for _, f in ipairs(functions_of(generate(text:format "torus(1)"))) do
      if f.name:find "_to_shape" then
        seen = seen + 1
        assert(f.lines <= MOST_LINES, f.name .. " has " .. f.lines .. " lines")
      end
    end
    assert.equal(9, seen) -- one for each item, one that calls them
    for _, topology in ipairs { "mesh(1)", "torus { 3 }" } do
      local c = generate(text:format(topology))
      assert(c:find "many_shape0_pack" and not c:find "_to_shape", topology)
    end
    assert(generate(text:format "torus { 1 }"):find "_to_shape")
  end)

  it("share one kernel for equal shapes", function()
    local items = {}
    for i = 0, 8 do items[i + 1] = ('{ vector(n, 2, 5, double), at("x%d", 0) }'):format(i) end
    local c = generate(('local n = param "n"\nlayout "same" { type = struct { %s } }'):format(table.concat(items, ", ")))
    local packs = 0
    for _, f in ipairs(functions_of(c)) do
      if f.name:match "^same_part%d+_pack$" then packs = packs + 1 end
    end
    assert.are.equal(1, packs)
  end)

  it("take the form that --kernel asks for", function()
    local text = 'local n = param "n"\nlayout "t" { type = contiguous(64, resized(0, 8, vector(64, 1, n, double))) }'
    assert(generate(text):find("_tile", 1, true))
    assert(not generate(text, "--kernel tile=0"):find("_tile", 1, true))
    assert(generate(text, "--kernel tile=0,ahead=8"):find("cartgen_will_write", 1, true))
    assert(not generate(text, "--kernel plain"):find("cartgen_will_", 1, true))
  end)

  it("are copied in tiles where one side runs across the other", function()
    local across, along = "contiguous(n, resized(0, 8, vector(m, 1, n, double)))", "contiguous(n * m, double)"
    local function copy(from, to)
      local params = (from .. to):find "m," and 'local n, m = param("n", "m")' or ""
      local c = generate(('%s\nlayout "t" { type = %s, to = %s }'):format(params, from, to))
      for _, f in ipairs(functions_of(c)) do
        if f.name == "t_copy_all" then return f.body end
      end
      error "no copy"
    end
    assert(copy(across, along):find("_tile", 1, true))
    assert(copy(along, across):find("_tile", 1, true))
    assert(not copy(across, across):find("_tile", 1, true))
    local function square(size)
      return ("contiguous(%d, resized(0, 8, vector(%d, 1, %d, double)))"):format(size, size, size)
    end
    assert(copy("contiguous(1600, double)", square(40)):find("_tile", 1, true))
    assert(not copy("contiguous(1024, double)", square(32)):find("_tile", 1, true)) -- one tile
  end)

  it("say whether their bytes are one run, and where", function()
    local function expect(verb, text, at)
      local c = generate((text:find "%f[%w]n%f[%W]" and 'local n = param "n"\n' or "") .. 'layout "t" { ' .. text .. " }")
      for _, f in ipairs(functions_of(c)) do
        if f.name == "t_" .. verb .. "_contiguous" then
          assert.are.equal(at ~= nil, f.body:find("return 1;", 1, true) ~= nil, text)
          assert.are.equal(at ~= nil, f.body:find("*at_p = ", 1, true) ~= nil, text)
          if at then assert.are.equal(at, f.body:match "%*at_p = ([^;]*);") end
          return
        end
      end
      error("no " .. verb .. "_contiguous: " .. c:sub(1, 400))
    end
    expect("pack", "type = contiguous(n, double)", "0")
    expect("unpack", "type = contiguous(n, double)", "0")
    expect("pack", "type = vector(3, 4, 4, int)", "0")
    expect("pack", "type = struct { { contiguous(2, int), -8 }, { contiguous(n, double), 0 } }", "-8")
    expect("pack", "type = struct { { contiguous(n, int), 8 * n } }", "8 * n")
    expect("pack", "type = contiguous(0, int)", "0")
    expect("pack", "type = vector(3, 4, 5, int)")
    expect("pack", "type = vector(n, 1, 2, int), to = contiguous(n, int)")
    expect("unpack", "type = vector(n, 1, 2, int), to = contiguous(n, int)", "0")
    expect("pack", 'type = struct { { contiguous(n, int), at("x", 0) } }')
  end)
end)
