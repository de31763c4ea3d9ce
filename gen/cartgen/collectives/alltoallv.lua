-- SPDX-License-Identifier: MIT
-- alltoallv { counts, displs?, type, recv_counts?, recv_displs? }: counts and displacements in elements.
local blocks = require "cartgen.collectives.blocks"
local datatype = require "cartgen.datatype"

local alltoallv = { name = "alltoallv", shared = false }

function alltoallv.build(args, offsets)
  blocks.check_fields("alltoallv", args, { "counts", "displs", "type", "recv_counts", "recv_displs" }, { "counts", "type" })
  local type = datatype.need(args.type, "the type of alltoallv")
  local recv_counts = args.recv_counts == nil and args.counts or args.recv_counts
  local recv_displs = args.recv_displs
  if recv_displs == nil and args.recv_counts == nil then recv_displs = args.displs end
  return blocks.counted("alltoallv", args.counts, args.displs, type, offsets),
    blocks.counted("alltoallv receive", recv_counts, recv_displs, type, offsets)
end

return alltoallv
