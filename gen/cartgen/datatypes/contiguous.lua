-- SPDX-License-Identifier: MIT
-- contiguous(count, type): MPI_Type_contiguous.
local datatype = require "cartgen.datatype"
local expr = require "cartgen.expr"

local function contiguous(count, type)
  datatype.need(type, "the type of contiguous")
  count = datatype.count(count, "the count of contiguous", 0)
  return datatype.strided("contiguous", type, expr.of(0), { count }, { type.extent }, expr.mul(count, type.extent))
end

return { words = { contiguous = contiguous } }
