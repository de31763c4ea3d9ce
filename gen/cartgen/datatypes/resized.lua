-- SPDX-License-Identifier: MIT
-- resized(lb, extent, type): MPI_Type_create_resized, in bytes.
local datatype = require "cartgen.datatype"

local function resized(lb, extent, type)
  datatype.need(type, "the type of resized")
  return datatype.of("resized", datatype.bounded(type, datatype.count(lb, "the lower bound of resized"),
    datatype.count(extent, "the extent of resized")))
end

return { words = { resized = resized } }
