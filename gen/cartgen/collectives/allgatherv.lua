-- SPDX-License-Identifier: MIT
-- allgatherv { count, type, displs? }: `count` elements to every neighbour, received at displs[i]
-- elements. Every rank sends the same count, so receive counts are that count.
local blocks = require "cartgen.collectives.blocks"
local datatype = require "cartgen.datatype"

local allgatherv = { name = "allgatherv", shared = true }

function allgatherv.build(args, offsets)
  blocks.check_fields("allgatherv", args, { "count", "type", "displs" }, { "count", "type" })
  local type = datatype.need(args.type, "the type of allgatherv")
  local counts = {}
  for i = 1, #offsets do counts[i] = args.count end
  local send = blocks.counted("allgatherv", { args.count }, nil, type, { {} })
  return send, blocks.counted("allgatherv receive", counts, args.displs, type, offsets)
end

return allgatherv
