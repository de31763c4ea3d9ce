-- SPDX-License-Identifier: MIT
-- equal.lua [--generator CMD --work DIR]
--
-- Groups of types that lie equally in memory, each written with several constructors, and pairs that do not. Without
-- --generator the typemaps are compared at several values of the parameters: the lists below are right. With it
-- (CMD FILE.lua -o FILE.c --header FILE.h) the texts of the generated functions that move data must be equal in a
-- group, and differ in a pair.
local here = arg[0]:match "^(.*)/[^/]*$" or "."
package.path = here .. "/?.lua;" .. package.path
local groups = require "groups"
local kinds = require "kinds"
local measure = require "measure"
local tree = require "tree"

local GROUPS, PAIRS, VALUES = groups.equal, groups.different, groups.values

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
  for head, body in ("\n" .. c):gmatch "\n([%a_][^;{}]*)(%b{})" do
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
