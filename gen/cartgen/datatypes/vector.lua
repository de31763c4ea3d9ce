-- SPDX-License-Identifier: MIT
-- vector(count, blocklength, stride, type), hvector: MPI_Type_vector, stride in extents of the type;
-- MPI_Type_create_hvector, stride in bytes.
local datatype = require "cartgen.datatype"
local expr = require "cartgen.expr"

local function constructor(name, by_extent)
  return function(count, blocklength, stride, type)
    datatype.need(type, "the type of " .. name)
    count = datatype.count(count, "the count of " .. name, 0)
    blocklength = datatype.count(blocklength, "the block length of " .. name, 0)
    stride = datatype.count(stride, "the stride of " .. name)
    if by_extent then stride = expr.mul(stride, type.extent) end
    return datatype.of(name, datatype.repeated(datatype.repeated(type, blocklength, type.extent), count, stride))
  end
end

return { words = { vector = constructor("vector", true), hvector = constructor("hvector", false) } }
