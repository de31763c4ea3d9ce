-- SPDX-License-Identifier: MIT
-- subarray { sizes, subsizes, starts, type, order = "C" | "Fortran" }: MPI_Type_create_subarray.
local datatype = require "cartgen.datatype"
local diag = require "cartgen.diag"
local expr = require "cartgen.expr"
local params = require "cartgen.params"
local util = require "cartgen.util"

local FIELDS = { "sizes", "subsizes", "starts", "type", "order" }

local function check_fields(arg)
  if type(arg) ~= "table" or getmetatable(arg) ~= nil then
    diag.fail(nil, "subarray got %s, expected { sizes, subsizes, starts, type }", util.show(arg))
  end
  for _, key in ipairs(util.sorted_keys(arg)) do
    local known = false
    for _, field in ipairs(FIELDS) do known = known or field == key end
    if not known then diag.fail(nil, "subarray has no field '%s'%s", key, util.hint(key, FIELDS)) end
  end
  for _, key in ipairs { "sizes", "subsizes", "starts" } do
    if not params.is_list(arg[key]) then diag.fail(nil, "subarray needs %s, a list with one entry a dimension", key) end
    if #arg[key] ~= #arg.sizes or #arg.sizes == 0 then
      diag.fail(nil, "subarray has %d sizes and %d %s", #arg.sizes, #arg[key], key)
    end
  end
end

-- A constant subarray must lie inside its array.
local function check_inside(j, size, subsize, start)
  local room = expr.sub(expr.sub(size, subsize), start)
  if expr.is_const(room) and expr.value(room) < 0 then
    diag.fail(nil, "subarray leaves its array in dimension %d: start %s, subsize %s, size %s", j - 1, expr.text(start),
      expr.text(subsize), expr.text(size))
  end
end

local function subarray(arg)
  check_fields(arg)
  local inner = datatype.need(arg.type, "the type of subarray")
  local order = arg.order == nil and "C" or arg.order
  if order ~= "C" and order ~= "Fortran" then diag.fail(nil, "the order of subarray is %s, expected 'C' or 'Fortran'", util.show(order)) end
  local n, dims = #arg.sizes, {}
  for j = 1, n do
    local size = datatype.count(arg.sizes[j], ("sizes[%d] of subarray"):format(j - 1), 1)
    local subsize = datatype.count(arg.subsizes[j], ("subsizes[%d] of subarray"):format(j - 1), 0)
    local first = datatype.count(arg.starts[j], ("starts[%d] of subarray"):format(j - 1), 0)
    check_inside(j, size, subsize, first)
    dims[order == "C" and j or n + 1 - j] = { size = size, first = first, count = subsize }
  end
  local part, bytes = datatype.cells(inner, dims)
  return datatype.of("subarray", datatype.bounded(part, expr.of(0), bytes))
end

return { words = { subarray = subarray } }
