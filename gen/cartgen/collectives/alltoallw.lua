-- SPDX-License-Identifier: MIT
-- alltoallw { blocks, recv_blocks? }: an own datatype and byte displacement for every block.
local blocks = require "cartgen.collectives.blocks"

local alltoallw = { name = "alltoallw", shared = false }

function alltoallw.build(args, offsets)
  blocks.check_fields("alltoallw", args, { "blocks", "recv_blocks" }, { "blocks" })
  local recv = args.recv_blocks == nil and args.blocks or args.recv_blocks
  return blocks.typed("alltoallw blocks", args.blocks, offsets), blocks.typed("alltoallw recv_blocks", recv, offsets)
end

return alltoallw
