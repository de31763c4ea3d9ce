-- SPDX-License-Identifier: MIT
-- array(type, { extents }): an array in C's order, the last dimension varying fastest. An extent may have a name:
-- { { "y", ny }, { "x", nx } }. a:slice { x = 0, y = { first, count } } is a part of it, bounds those of the array:
-- an integer takes one index; dimensions that are not named are taken whole; places instead of names: a:slice { 0 }.
local datatype = require "cartgen.datatype"
local diag = require "cartgen.diag"
local expr = require "cartgen.expr"
local params = require "cartgen.params"
local util = require "cartgen.util"

local function dim_of(entry, j, seen)
  local what = ("extent %d of array"):format(j - 1)
  if not params.is_list(entry) then return { size = datatype.count(entry, what, 0) } end
  if #entry ~= 2 or type(entry[1]) ~= "string" then
    diag.fail(nil, "%s is %s, expected an integer, an expression of parameters or { name, extent }", what, util.show(entry))
  end
  if seen[entry[1]] then diag.fail(nil, "array has two dimensions '%s'", entry[1]) end
  seen[entry[1]] = true
  return { name = entry[1], size = datatype.count(entry[2], what, 0) }
end

local function array(inner, extents)
  datatype.need(inner, "the type of array")
  if not params.is_list(extents) or #extents == 0 then
    diag.fail(nil, "the dimensions of array are %s, expected a list of extents", util.show(extents))
  end
  local dims, cells, seen = {}, {}, {}
  for j = 1, #extents do
    dims[j] = dim_of(extents[j], j, seen)
    cells[j] = { size = dims[j].size, first = expr.of(0), count = dims[j].size }
  end
  return datatype.of("array", (datatype.cells(inner, cells)), { type = inner, dims = dims })
end

local function range(dim, v, what)
  if v == nil then return expr.of(0), dim.size end
  local first, count = v, expr.of(1)
  if params.is_list(v) then
    if #v ~= 2 then diag.fail(nil, "%s has %d entries, expected { first, count }", what, #v) end
    first, count = v[1], datatype.count(v[2], "the count of " .. what, 0)
  end
  first = datatype.count(first, "the first index of " .. what, 0)
  local room = expr.sub(expr.sub(dim.size, first), count)
  if expr.is_const(room) and expr.value(room) < 0 then
    diag.fail(nil, "%s leaves the array: %s from %s of %s", what, expr.text(count), expr.text(first), expr.text(dim.size))
  end
  return first, count
end

-- Ranges by dimension number from ranges by number or name.
local function ranges_of(a, ranges)
  local numbers, names, out = {}, {}, {}
  for j, dim in ipairs(a.dims) do
    numbers[j] = j
    if dim.name then
      numbers[dim.name] = j
      names[#names + 1] = dim.name
    end
  end
  for _, key in ipairs(util.sorted_keys(ranges)) do
    local word = tonumber(key) or key
    local j = numbers[word]
    if not j then
      diag.fail(nil, "slice: the array has no dimension %s%s", util.show(type(word) == "number" and word - 1 or word),
        #names > 0 and util.hint(key, names) or "")
    end
    if out[j] ~= nil then diag.fail(nil, "slice names dimension %s twice", util.show(a.dims[j].name)) end
    out[j] = ranges[word]
  end
  return out
end

local function slice(a, ranges)
  if not datatype.is(a) or a.kind ~= "array" then
    diag.fail(nil, "slice is for arrays: a:slice { ... } with a = array(type, { extents })")
  end
  if type(ranges) ~= "table" or getmetatable(ranges) ~= nil then
    diag.fail(nil, "slice got %s, expected { name = index, name = { first, count } }", util.show(ranges))
  end
  local given, cells = ranges_of(a, ranges), {}
  for j, dim in ipairs(a.dims) do
    local what = "slice " .. (dim.name or ("of dimension %d"):format(j - 1))
    local first, count = range(dim, given[j], what)
    cells[j] = { size = dim.size, first = first, count = count }
  end
  local part, bytes = datatype.cells(a.type, cells)
  return datatype.of("slice", datatype.bounded(part, expr.of(0), bytes))
end

datatype.method("slice", slice)

return { words = { array = array } }
