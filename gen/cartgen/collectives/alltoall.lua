-- SPDX-License-Identifier: MIT
-- alltoall { block = T, recv_block = T? }: a block of one type to every neighbour.
local blocks = require "cartgen.collectives.blocks"
local datatype = require "cartgen.datatype"

local alltoall = { name = "alltoall", shared = false }

function alltoall.build(args, offsets)
  blocks.check_fields("alltoall", args, { "block", "recv_block" }, { "block" })
  local send = datatype.need(args.block, "the block of alltoall")
  local recv = args.recv_block == nil and send or datatype.need(args.recv_block, "the recv_block of alltoall")
  return blocks.equal(send, #offsets), blocks.equal(recv, #offsets)
end

return alltoall
