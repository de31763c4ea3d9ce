-- SPDX-License-Identifier: MIT
-- vector(count, blocklength, stride, type): MPI_Type_vector; stride in extents of the type.
local datatype = require "cartgen.datatype"
local diag = require "cartgen.diag"
local expr = require "cartgen.expr"
local util = require "cartgen.util"

local function vector(count, blocklength, stride, type)
  datatype.need(type, "the type of vector")
  count = datatype.count(count, "the count of vector", 0)
  blocklength = datatype.count(blocklength, "the block length of vector", 0)
  stride = datatype.count(stride, "the stride of vector")
  if expr.is_const(stride) and expr.value(stride) < 0 then
    diag.fail(nil, "the stride of vector is %s; negative strides are not supported yet", util.int(expr.value(stride)))
  end
  local ub = expr.mul(expr.add(expr.mul(expr.sub(count, 1), stride), blocklength), type.extent)
  for _, n in ipairs { count, blocklength } do
    if expr.is_const(n) and expr.value(n) == 0 then ub = expr.of(0) end
  end
  return datatype.strided("vector", type, expr.of(0), { count, blocklength },
    { expr.mul(stride, type.extent), type.extent }, ub)
end

return { words = { vector = vector } }
