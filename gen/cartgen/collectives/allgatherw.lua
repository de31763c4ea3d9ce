-- SPDX-License-Identifier: MIT
-- allgatherw { block = T, recv_blocks }: one block, an own type and byte displacement where it arrives.
local blocks = require "cartgen.collectives.blocks"
local datatype = require "cartgen.datatype"

local allgatherw = { name = "allgatherw", shared = true }

function allgatherw.build(args, offsets)
  blocks.check_fields("allgatherw", args, { "block", "recv_blocks" }, { "block", "recv_blocks" })
  local send = datatype.need(args.block, "the block of allgatherw")
  return blocks.equal(send, 1), blocks.typed("allgatherw recv_blocks", args.recv_blocks, offsets)
end

return allgatherw
