-- SPDX-License-Identifier: MIT
-- trees.lua FILE: the descriptions trees.c printed against what MPI does with the types; then the same
-- with faults planted into the texts, each of which must be caught.
local evaluate = require "evaluate"

local COUNT = 2 -- as in trees.c
local cases = {}

-- The file is read case by case: Lua limits the constants of one chunk.
local function load_cases(path)
  local lines = {}
  local env = { case = function(number, wild, text, facts)
    cases[#cases + 1] = { number = number, wild = wild, text = text, facts = facts }
  end }
  local function flush()
    if #lines == 0 then return end
    local chunk = table.concat(lines, "\n")
    if _VERSION == "Lua 5.1" then
      local f = assert(loadstring(chunk)) -- luacheck: ignore
      setfenv(f, env)() -- luacheck: ignore
    else
      assert(load(chunk, "cases", "t", env))()
    end
    lines = {}
  end
  for line in io.lines(path) do
    if line:match("^case%(") then flush() end
    lines[#lines + 1] = line
  end
  flush()
end

-- The source bytes of COUNT of the type, as runs { first, length, ... }.
local function runs(t)
  local list = {}
  for i = 0, COUNT - 1 do
    for _, e in ipairs(evaluate.elements(t)) do
      local at, bytes, n = e.at + i * t.extent, evaluate.bytes(e.name), #list
      if n > 0 and list[n - 1] + list[n] == at then list[n] = list[n] + bytes
      else list[n + 1], list[n + 2] = at, bytes end
    end
  end
  return list
end

local function same_list(a, b)
  if #a ~= #b then return false end
  for i = 1, #a do
    if a[i] ~= b[i] then return false end
  end
  return true
end

-- What differs ("packed", "extent", ...), or nil.
local function difference(case, text)
  local ok, layouts = pcall(evaluate.text, text)
  if not ok then return "text", layouts end
  local t = layouts.random
  if not t then return "name" end
  local f, names = case.facts, {}
  for i, e in ipairs(evaluate.elements(t)) do names[i] = e.name end
  if not same_list(names, f.names) then return "names" end
  for _, key in ipairs { "size", "lb", "extent" } do
    if t[key] ~= f[key] then return key, t[key], f[key] end
  end
  if f.packed and not same_list(runs(t), f.packed) then return "packed" end
  for _, key in ipairs { "true_lb", "true_extent" } do
    if t[key] ~= f[key] then return key, t[key], f[key] end
  end
end

-- The libraries' own faults: MPI_Pack with overlapping blocks (Open MPI), true bounds of types with
-- empty parts or nested subarrays (both). Anything else that differs is ours.
local THEIRS = { packed = true, true_lb = true, true_extent = true }

local function check_all()
  local theirs, ours, stopped = 0, 0, 0
  for _, case in ipairs(cases) do
    local what, got, expected = difference(case, case.text)
    case.good = what == nil and case.facts.packed
    stopped = stopped + (case.facts.packed and 0 or 1)
    if what then
      if THEIRS[what] then theirs = theirs + 1 else ours = ours + 1 end
      print(("type %d: %s is %s, MPI says %s\n%s"):format(case.number, what, tostring(got), tostring(expected), case.text))
    end
  end
  print(("%d types: %d differ, %d more in packing or true bounds (at most 1 %%), the library stopped in %d (at most 2 %%)")
    :format(#cases, ours, theirs, stopped))
  return ours == 0 and theirs <= #cases / 100 and stopped <= #cases / 50
end

local function plus_one(n) return ("%d"):format(tonumber(n) + 1) end

-- name, pattern, replacement: of the first place where the pattern matches.
local FAULTS = {
  { "count", "(contiguous%()(%d+)", function(a, n) return a .. plus_one(n) end },
  { "vector count", "(vector%()(%d+)", function(a, n) return a .. plus_one(n) end },
  { "vector blocklength", "(vector%(%d+, )(%d+)", function(a, n) return a .. plus_one(n) end },
  { "stride", "(vector%(%d+, %d+, )(%-?%d+)", function(a, n) return a .. plus_one(n) end },
  { "stride in bytes", "([^h])vector", "%1hvector" },
  { "stride in extents", "hvector", "vector" },
  { "blocklength", "(indexed%({ )(%d+)", function(a, n) return a .. plus_one(n) end },
  { "displacement of a list", "(indexed[_block]*%([{%d, }]-, { )(%-?%d+)", function(a, n) return a .. plus_one(n) end },
  { "list in bytes", "([^h])indexed", "%1hindexed" },
  { "list in extents", "hindexed", "indexed" },
  { "block of a list", "(indexed_block%()(%d+)", function(a, n) return a .. plus_one(n) end },
  { "struct displacement", "(, )(%-?%d+)(, %d+ },\n)", function(a, n, b) return a .. plus_one(n) .. b end },
  { "struct blocklength", "(, %-?%d+, )(%d+)( },\n)", function(a, n, b) return a .. plus_one(n) .. b end },
  { "struct item", "\n *{ [%w_]+, %-?%d+, [1-9]%d* },\n", "\n" },
  { "order C", '"C"', '"Fortran"' },
  { "order Fortran", '"Fortran"', '"C"' },
  { "sizes", "([^b]sizes = { )(%d+)", function(a, n) return a .. plus_one(n) end },
  { "subsizes", "(subsizes = { )(%d+)", function(a, n) return a .. plus_one(n) end },
  { "starts", "(starts = { )(%d+)", function(a, n) return a .. plus_one(n) end },
  { "lb", "(resized%()(%-?%d+)", function(a, n) return a .. plus_one(n) end },
  { "extent", "(resized%(%-?%d+, )(%-?%d+)", function(a, n) return a .. plus_one(n) end },
  { "bounds left out", "resized%(%-?%d+, %-?%d+,", "contiguous(1," },
  { "signedness", "int([,)])", "unsigned%1" },
  { "kind", "double([,)])", "long%1" },
  { "size", "short([,)])", "int%1" },
}

-- Some texts mean the same with a fault (the stride of one block, the order of one dimension): a tenth
-- must not.
local function check_faults()
  local ok = true
  for _, fault in ipairs(FAULTS) do
    local caught, planted = 0, 0
    for _, case in ipairs(cases) do
      local text, n = case.text:gsub(fault[2], fault[3], 1)
      if case.good and n > 0 and text ~= case.text then
        planted = planted + 1
        if difference(case, text) then caught = caught + 1 end
      end
    end
    local enough = planted > 0 and caught * 10 >= planted
    print(("%s%s: caught in %d of %d types"):format(enough and "" or "FAILED: ", fault[1], caught, planted))
    ok = ok and enough
  end
  return ok
end

load_cases(arg[1])
assert(#cases >= 500, "too few types")
local agree = check_all()
os.exit(check_faults() and agree)
