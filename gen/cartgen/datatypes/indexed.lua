-- SPDX-License-Identifier: MIT
-- indexed({block lengths}, {displacements}, type), hindexed: MPI_Type_indexed, displacements in extents of the type;
-- MPI_Type_create_hindexed, in bytes. Lists are Lua lists or lists of parameters.
local datatype = require "cartgen.datatype"
local expr = require "cartgen.expr"

local function constructor(name, by_extent)
  return function(blocklengths, displacements, type)
    datatype.need(type, "the type of " .. name)
    return datatype.of(name, datatype.blocks(name, type,
      datatype.list(blocklengths, "the block lengths of " .. name, 0),
      datatype.list(displacements, "the displacements of " .. name), by_extent and type.extent or expr.of(1)))
  end
end

return { words = { indexed = constructor("indexed", true), hindexed = constructor("hindexed", false) } }
