-- SPDX-License-Identifier: MIT
-- indexed_block(block length, {displacements}, type), hindexed_block: MPI_Type_create_indexed_block, displacements in
-- extents of the type; MPI_Type_create_hindexed_block, in bytes.
local datatype = require "cartgen.datatype"
local expr = require "cartgen.expr"

local function constructor(name, by_extent)
  return function(blocklength, displacements, type)
    datatype.need(type, "the type of " .. name)
    return datatype.of(name, datatype.blocks(name, type,
      datatype.count(blocklength, "the block length of " .. name, 0),
      datatype.list(displacements, "the displacements of " .. name), by_extent and type.extent or expr.of(1)))
  end
end

return { words = { indexed_block = constructor("indexed_block", true),
  hindexed_block = constructor("hindexed_block", false) } }
