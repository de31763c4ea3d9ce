-- SPDX-License-Identifier: MIT
-- allgather { block = T, recv_block = T? }: one block to every neighbour.
local blocks = require "cartgen.collectives.blocks"
local datatype = require "cartgen.datatype"

local allgather = { name = "allgather", shared = true }

function allgather.build(args, offsets)
  blocks.check_fields("allgather", args, { "block", "recv_block" }, { "block" })
  local send = datatype.need(args.block, "the block of allgather")
  local recv = args.recv_block == nil and send or datatype.need(args.recv_block, "the recv_block of allgather")
  return blocks.equal(send, 1), blocks.equal(recv, #offsets)
end

return allgather
