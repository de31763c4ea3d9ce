-- SPDX-License-Identifier: MIT
-- contiguous(count, type): MPI_Type_contiguous.
local datatype = require "cartgen.datatype"

local function contiguous(count, type)
  datatype.need(type, "the type of contiguous")
  return datatype.contiguous(datatype.count(count, "the count of contiguous", 0), type)
end

return { words = { contiguous = contiguous } }
