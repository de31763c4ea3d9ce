-- SPDX-License-Identifier: MIT
-- equal.lua [--generator CMD --work DIR]
--
-- Groups of types that lie equally in memory, each written with several constructors, and pairs that do not. Without
-- --generator the typemaps are compared at several values of the parameters: the lists below are right. With it
-- (CMD FILE.lua -o FILE.c --header FILE.h) the texts of the generated functions that move data must be equal in a
-- group, and differ in a pair.
local here = arg[0]:match "^(.*)/[^/]*$" or "."
package.path = here .. "/?.lua;" .. package.path
local kinds = require "kinds"
local measure = require "measure"
local tree = require "tree"

-- to: where what is written may not overlap. Parameters are n, m, s (integers) and i6, j3 (lists of 6 and 3).
local GROUPS = {
  { "one element", "int", "contiguous(1, int)", "vector(1, 1, 9, int)", "hindexed({ 1 }, { 0 }, int)",
    "struct { { int, 0, 1 } }",
    "resized(0, 64, int)", "resized(-4, 4, int)" },
  { "one run", "contiguous(12, double)", "contiguous(3, contiguous(4, double))", "vector(3, 4, 4, double)",
    "vector(12, 1, 1, double)",
    "hvector(4, 3, 24, double)", "indexed({ 12 }, { 0 }, double)", "indexed({ 5, 7 }, { 0, 5 }, double)",
    "array(double, { 3, 4 })", "array(double, { 12 })" },
  { "one run in pieces", "indexed({ 3, 4, 5 }, { 2, 5, 9 }, int)", "hindexed({ 12 }, { 8 }, int)",
    "indexed_block(4, { 2, 6, 10 }, int)",
    "struct { { contiguous(7, int), 8, 1 }, { int, 36, 5 } }" },
  { "run of run-time length", "contiguous(n, double)", "vector(n, 1, 1, double)", "vector(1, n, 7, double)",
    "hvector(n, 1, 8, double)",
    "contiguous(1, contiguous(n, double))", "array(double, { n })",
    "subarray { sizes = { n }, subsizes = { n }, starts = { 0 }, type = double }" },
  { "run of two run-time lengths", "contiguous(n, contiguous(m, int))", "contiguous(n * m, int)",
    "vector(n, m, m, int)",
    "array(int, { n, m })", "hvector(n, m, 4 * m, int)" },
  { "blocks", "vector(4, 2, 5, int)", "hvector(4, 2, 20, int)", "indexed_block(2, { 0, 5, 10, 15 }, int)",
    "hindexed_block(2, { 0, 20, 40, 60 }, int)", "indexed({ 2, 2, 2, 2 }, { 0, 5, 10, 15 }, int)",
    "contiguous(4, resized(0, 20, contiguous(2, int)))",
    "hindexed({ 2, 2, 2, 2 }, { 0, 20, 40, 60 }, int)" },
  { "blocks from an offset", "indexed_block(3, { 1, 9, 17 }, double)",
    "hindexed({ 1 }, { 8 }, vector(3, 3, 8, double))",
    "subarray { sizes = { 3, 8 }, subsizes = { 3, 3 }, starts = { 0, 1 }, type = double }",
    "struct { { vector(3, 3, 8, double), 8, 1 } }" },
  { "blocks of run-time size", "vector(n, m, s, double)", "hvector(n, m, 8 * s, double)",
    "hvector(n, 1, 8 * s, contiguous(m, double))",
    "contiguous(n, resized(0, 8 * s, contiguous(m, double)))",
    "vector(n, 1, 1, resized(0, 8 * s, contiguous(m, double)))" },
  { "one column", "vector(7, 1, 10, double)",
    "subarray { sizes = { 7, 10 }, subsizes = { 7, 1 }, starts = { 0, 0 }, type = double }",
    'subarray { sizes = { 10, 7 }, subsizes = { 1, 7 }, starts = { 0, 0 }, order = "Fortran", type = double }',
    "contiguous(7, resized(0, 80, double))", "indexed_block(1, { 0, 10, 20, 30, 40, 50, 60 }, double)" },
  { "orders of a subarray",
    'subarray { sizes = { 6, 5, 4 }, subsizes = { 3, 2, 2 }, starts = { 1, 2, 1 }, order = "C", type = int }',
    'subarray { sizes = { 4, 5, 6 }, subsizes = { 2, 2, 3 }, starts = { 1, 2, 1 }, order = "Fortran", type = int }',
    "hindexed({ 1 }, { 116 }, hvector(3, 1, 80, vector(2, 2, 4, int)))" },
  { "orders with run-time sizes",
    'subarray { sizes = { n + 2, m + 2 }, subsizes = { n, m }, starts = { 1, 1 }, type = double }',
    'subarray { sizes = { m + 2, n + 2 }, subsizes = { m, n }, starts = { 1, 1 }, order = "Fortran", type = double }',
    "hindexed({ 1 }, { 8 * m + 24 }, vector(n, m, m + 2, double))" },
  { "whole array as a subarray", "contiguous(60, float)",
    'subarray { sizes = { 3, 4, 5 }, subsizes = { 3, 4, 5 }, starts = { 0, 0, 0 }, type = float }',
    'subarray { sizes = { 5, 4, 3 }, subsizes = { 5, 4, 3 }, starts = { 0, 0, 0 }, order = "Fortran", type = float }' },
  { "whole rows", 'subarray { sizes = { 9, 4, 5 }, subsizes = { 3, 4, 5 }, starts = { 2, 0, 0 }, type = float }',
    "hindexed({ 60 }, { 160 }, float)", "hindexed({ 1 }, { 160 }, contiguous(60, float))" },
  { "whole planes of a subarray",
    'subarray { sizes = { 5, 6, 7 }, subsizes = { 5, 2, 7 }, starts = { 0, 3, 0 }, type = int }',
    "hindexed({ 1 }, { 84 }, vector(5, 14, 42, int))", "hindexed_block(14, { 84, 252, 420, 588, 756 }, int)" },
  { "unit dimensions", "vector(4, 2, 5, int)", "contiguous(1, vector(4, 2, 5, int))",
    "vector(1, 1, 3, vector(4, 2, 5, int))",
    'subarray { sizes = { 1, 4, 1, 5 }, subsizes = { 1, 4, 1, 2 }, starts = { 0, 0, 0, 0 }, type = int }' },
  { "two levels", "vector(3, 1, 2, vector(2, 1, 3, double))", "hvector(3, 1, 64, hvector(2, 1, 24, double))",
    "contiguous(3, resized(0, 64, contiguous(2, resized(0, 24, double))))",
    "indexed_block(1, { 0, 2, 4 }, vector(2, 1, 3, double))" },
  { "levels that touch", "hvector(3, 1, 24, vector(2, 1, 3, int))", "vector(6, 1, 3, int)",
    "contiguous(3, resized(0, 24, vector(2, 1, 3, int)))",
    "contiguous(6, resized(0, 12, int))" },
  { "levels that touch, run-time", "hvector(n, 1, 4 * s * m, vector(m, 1, s, int))", "vector(n * m, 1, s, int)" },
  { "negative stride", "vector(4, 1, -3, int)", "hvector(4, 1, -12, int)", "indexed_block(1, { 0, -3, -6, -9 }, int)",
    "hindexed({ 1, 1, 1, 1 }, { 0, -12, -24, -36 }, int)" },
  { "negative run-time stride", "vector(n, 1, -s, double)", "hvector(n, 1, -8 * s, double)" },
  { "reversed elements", "vector(5, 1, -1, double)", "hvector(5, 1, -8, double)",
    "indexed_block(1, { 0, -1, -2, -3, -4 }, double)" },
  { "broadcast", "vector(4, 2, 0, int)", "hvector(4, 2, 0, int)",
    "indexed_block(2, { 0, 0, 0, 0 }, int)", to = "contiguous(8, int)" },
  { "overlapping windows", "vector(4, 3, 1, int)", "hvector(4, 3, 4, int)", "indexed_block(3, { 0, 1, 2, 3 }, int)",
    "contiguous(4, resized(0, 4, contiguous(3, int)))", to = "contiguous(12, int)" },
  { "nothing", "contiguous(0, int)", "vector(0, 3, 7, int)", "vector(3, 0, 7, int)",
    "indexed({ 0, 0 }, { 4, 9 }, int)",
    "struct { { int, 8, 0 } }", "contiguous(4, vector(0, 1, 1, double))" },
  { "empty blocks vanish", "indexed({ 2, 0, 3 }, { 0, 7, 9 }, int)", "indexed({ 2, 3 }, { 0, 9 }, int)",
    "indexed({ 0, 2, 3 }, { 1, 0, 9 }, int)",
    "struct { { int, 0, 2 }, { double, 4, 0 }, { int, 36, 3 } }" },
  { "irregular blocks", "indexed({ 1, 3, 2 }, { 0, 4, 11 }, double)", "hindexed({ 1, 3, 2 }, { 0, 32, 88 }, double)",
    "struct { { double, 0, 1 }, { double, 32, 3 }, { double, 88, 2 } }",
    "indexed({ 1, 2, 1, 1, 1 }, { 0, 4, 6, 11, 12 }, double)" },
  { "equal blocks, irregular places", "indexed_block(2, { 0, 5, 7, 20 }, int)",
    "hindexed_block(2, { 0, 20, 28, 80 }, int)",
    "indexed({ 2, 2, 2, 2 }, { 0, 5, 7, 20 }, int)", "indexed({ 2, 4, 2 }, { 0, 5, 20 }, int)" },
  { "unordered blocks", "indexed_block(1, { 7, 2, 9, 0 }, double)",
    "hindexed({ 1, 1, 1, 1 }, { 56, 16, 72, 0 }, double)",
    "hindexed_block(1, { 56, 16, 72, 0 }, double)" },
  { "unaligned stride", "hvector(5, 3, 13, char)", "hindexed_block(3, { 0, 13, 26, 39, 52 }, char)",
    "contiguous(5, resized(0, 13, contiguous(3, char)))",
    "vector(5, 3, 13, char)" },
  { "unaligned ints", "hvector(4, 1, 7, int)", "hindexed_block(1, { 0, 7, 14, 21 }, int)",
    "contiguous(4, resized(0, 7, int))" },
  { "struct without gaps", "struct { { double, 0, 2 }, { double, 16, 1 } }", "contiguous(3, double)" },
  { "struct of one item", "struct { { contiguous(3, int), 12, 2 } }", "hindexed({ 6 }, { 12 }, int)",
    "struct { { int, 12, 6 } }" },
  { "struct in a struct", "struct { { int, 0, 1 }, { double, 8, 2 }, { int, 32, 1 } }",
    "struct { { int, 0, 1 }, { struct { { double, 0, 2 }, { int, 24, 1 } }, 8, 1 } }",
    "struct { { struct { { int, 0, 1 }, { double, 8, 2 } }, 0, 1 }, { int, 32, 1 } }" },
  { "array of structs", "contiguous(5, struct { { double, 0, 1 }, { int, 8, 1 } })",
    "vector(5, 1, 1, struct { { double, 0, 1 }, { int, 8, 1 } })",
    "hvector(5, 1, 16, struct { { double, 0, 1 }, { int, 8, 1 } })",
    "contiguous(5, resized(0, 16, struct { { double, 0, 1 }, { int, 8, 1 } }))" },
  { "one field of many structs", "contiguous(n, resized(0, 32, struct { { double, 8, 1 } }))",
    "hindexed({ 1 }, { 8 }, hvector(n, 1, 32, double))",
    "struct { { vector(n, 1, 4, double), 8, 1 } }" },
  { "markers do not matter to moves", "vector(4, 1, 3, double)", "resized(-16, 400, vector(4, 1, 3, double))",
    "resized(0, 8, vector(4, 1, 3, double))", "resized(8, 0, resized(0, 1, vector(4, 1, 3, double)))" },
  { "extent smaller than the span", "contiguous(4, resized(0, 8, vector(3, 1, 4, double)))",
    "hvector(4, 1, 8, vector(3, 1, 4, double))",
    "vector(4, 1, 1, resized(0, 8, vector(3, 1, 4, double)))" },
  { "run-time list of places", "indexed_block(1, i6, double)", "hvector(1, 1, 0, indexed_block(1, i6, double))",
    "resized(0, 8, indexed_block(1, i6, double))", "contiguous(1, indexed_block(1, i6, double))" },
  { "run-time list, blocks", "indexed_block(3, j3, int)", "indexed_block(1, j3, resized(0, 4, contiguous(3, int)))" },
  { "run-time list in bytes", "hindexed_block(2, j3, double)", "hindexed_block(1, j3, contiguous(2, double))" },
  { "four levels", "vector(2, 1, 2, vector(2, 1, 2, vector(2, 1, 2, vector(2, 1, 2, int))))",
    "hvector(2, 1, 216, hvector(2, 1, 72, hvector(2, 1, 24, hvector(2, 1, 8, int))))" },
  { "faces of a cube",
    'subarray { sizes = { n, n, n }, subsizes = { n, n, 1 }, starts = { 0, 0, 0 }, type = double }',
    "vector(n * n, 1, n, double)",
    'subarray { sizes = { n, n, n }, subsizes = { 1, n, n }, starts = { 0, 0, 0 }, order = "Fortran", type = double }',
    "hvector(n, 1, 8 * n * n, vector(n, 1, n, double))" },
  { "slab of a cube",
    'subarray { sizes = { n, n, n }, subsizes = { 1, n, n }, starts = { 0, 0, 0 }, type = double }',
    "contiguous(n * n, double)",
    "array(double, { n, n })" },
  { "complex columns", "vector(6, 1, 9, double_complex)", "hvector(6, 1, 144, double_complex)",
    "contiguous(6, resized(0, 144, double_complex))" },
}

local PAIRS = {
  { "vector(4, 2, 5, int)", "vector(4, 2, 6, int)" },
  { "vector(4, 2, 5, int)", "vector(5, 2, 5, int)" },
  { "vector(4, 1, 3, int)", "vector(4, 1, -3, int)" },
  { "indexed_block(1, { 0, 5 }, int)", "indexed_block(1, { 5, 0 }, int)" },
  { 'subarray { sizes = { 6, 5 }, subsizes = { 2, 2 }, starts = { 1, 1 }, order = "C", type = int }',
    'subarray { sizes = { 6, 5 }, subsizes = { 2, 2 }, starts = { 1, 1 }, order = "Fortran", type = int }' },
  { "contiguous(n, double)", "contiguous(n, int)" },
  { "vector(n, m, s, double)", "vector(m, n, s, double)" },
  { "vector(3, 1, 2, vector(2, 1, 3, double))", "vector(2, 1, 3, vector(3, 1, 2, double))" },
  { "contiguous(3, resized(0, 16, int))", "contiguous(3, int)" },
  { "indexed_block(1, i6, double)", "hindexed_block(1, i6, double)" },
  { "struct { { int, 0, 1 }, { double, 8, 1 } }", "struct { { double, 8, 1 }, { int, 0, 1 } }" },
}

local VALUES = {
  { n = 4, m = 3, s = 5, i6 = { 3, 0, 7, 1, 12, 5 }, j3 = { 0, 24, 16 } },
  { n = 2, m = 5, s = 9, i6 = { 0, 1, 2, 3, 4, 5 }, j3 = { 40, 0, 80 } },
  { n = 1, m = 1, s = 2, i6 = { 10, 8, 6, 4, 2, 0 }, j3 = { 16, 32, 64 } },
}

-- ---------------------------------------------------------------- typemaps

local function numbers(list)
  local out = {}
  for i, x in ipairs(list) do out[i] = tree.num(x) end
  return out
end

local AS_FIELD = {
  num = tree.num, count = tree.num, nums = numbers, counts = numbers, row = numbers,
  type = function(x) return x end, word = function(x) return x end,
  items = function(items)
    local out = {}
    for i, item in ipairs(items) do out[i] = { type = item[1], displ = tree.num(item[2]), bl = tree.num(item[3]) } end
    return out
  end,
}

-- The words, as makers of trees; parameters are their values.
local function words_for(values)
  local words = {}
  for key, v in pairs(values) do words[key] = v end
  for _, b in ipairs(kinds.basics) do words[b[1]] = tree.basic(b[1]) end
  for _, kind in ipairs(kinds.list) do
    words[kind.name] = function(...)
      local node, args = { kind = kind.name }, { ... }
      for i, field in ipairs(kind) do
        local v = args[i]
        if kind.style == "named" then v = args[1][field[1]] end
        if kind.style == "table" then v = args[1] end
        if field[1] == "order" and v == nil then v = "C" end
        node[field[1]] = AS_FIELD[field[2]](v)
      end
      return node
    end
  end
  return words
end

local function tree_of(text, values)
  local source = "return " .. text
  local chunk
  if rawget(_G, "setfenv") then
    chunk = assert(rawget(_G, "loadstring")(source))
    rawget(_G, "setfenv")(chunk, words_for(values))
  else
    chunk = assert(load(source, text, "t", words_for(values)))
  end
  return chunk()
end

-- The bytes of a type in order, as runs.
local function runs_of(text, values)
  local map = measure.map(tree_of(text, values), values)
  local out, first, last = {}, nil, nil
  for i = 1, #map.displ do
    local bytes = kinds.basic[map.basic[i]].bytes
    if map.displ[i] ~= last then
      if first then out[#out + 1] = ("%.0f-%.0f"):format(first, last) end
      first = map.displ[i]
    end
    last = map.displ[i] + bytes
  end
  if first then out[#out + 1] = ("%.0f-%.0f"):format(first, last) end
  return table.concat(out, " ")
end

local function layout_text(text)
  local out = {}
  for i, values in ipairs(VALUES) do out[i] = runs_of(text, values) end
  return table.concat(out, "\n")
end

-- ---------------------------------------------------------------- generated text

local options = {}
for i = 1, #arg, 2 do options[arg[i]:gsub("^%-%-", "")] = arg[i + 1] end

local function read(name)
  local file = assert(io.open(name))
  local text = file:read "*a"
  file:close()
  return text
end

-- Only the parameters a type names are declared: each must be used.
local function description(text, to)
  local out = {}
  for _, name in ipairs { "n", "m", "s" } do
    if text:find("%f[%w_]" .. name .. "%f[^%w_]") then out[#out + 1] = ('local %s = param "%s"\n'):format(name, name) end
  end
  for _, list in ipairs { { "i6", 6 }, { "j3", 3 } } do
    if text:find(list[1], 1, true) then out[#out + 1] = ('local %s = param_list("%s", %d)\n'):format(list[1], list[1], list[2]) end
  end
  return table.concat(out) .. ('layout "same" { type = %s%s }\n'):format(text, to and ", to = " .. to or "")
end

local BOUNDS = { "size", "lb", "extent", "true_lb", "true_extent", "init", "free" }

local function is_bound(head)
  for _, name in ipairs(BOUNDS) do if head:find("same_" .. name .. "%f[^%w_]") then return true end end
  return false
end

-- Functions and tables of a C text whose names are not those of bounds, comments taken out.
local function kernels(c)
  c = c:gsub("/%*.-%*/", ""):gsub("//[^\n]*", "")
  local out = {}
  for head, body in ("\n" .. c):gmatch "\n([%a_][^\n;]*[^\n;{]?)%s*\n?(%b{})" do
    if not is_bound(head) and not head:find "^extern" then out[#out + 1] = head .. "\n" .. body end
  end
  return table.concat(out, "\n")
end

local function kernel_text(text, to)
  local stem = options.work .. "/same"
  local file = assert(io.open(stem .. ".lua", "w"))
  file:write(description(text, to))
  file:close()
  local a, _, c = os.execute(("%s '%s.lua' -o '%s.c' --header '%s.h'"):format(options.generator, stem, stem, stem))
  if not (a == 0 or (a == true and (c or 0) == 0)) then return nil end
  local out = kernels(read(stem .. ".c"))
  assert(#out > 0, "no functions found in what was generated for " .. text)
  return out
end

-- ---------------------------------------------------------------- comparison

local text_of = layout_text
if options.generator then
  options.work = options.work or "types.work"
  os.execute(("mkdir -p '%s'"):format(options.work))
  text_of = kernel_text
end

local faults, types = 0, 0

local function fault(format, ...)
  faults = faults + 1
  print(format:format(...))
end

for _, group in ipairs(GROUPS) do
  local first
  for i = 2, #group do
    types = types + 1
    local text = text_of(group[i], group.to)
    if not text then
      fault("%s: not generated: %s", group[1], group[i])
    else
      first = first or text
      if text ~= first then fault("%s: not like the first of its group: %s", group[1], group[i]) end
    end
  end
end
for _, pair in ipairs(PAIRS) do
  if text_of(pair[1]) == text_of(pair[2]) then fault("equal, but should differ: %s and %s", pair[1], pair[2]) end
end
print(("%d groups of %d types, %d pairs, %d faults"):format(#GROUPS, types, #PAIRS, faults))
os.exit(faults == 0 and 0 or 1)
