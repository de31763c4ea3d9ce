-- SPDX-License-Identifier: MIT
-- MPI's order: receive block j comes from the neighbour at offset j.
local m = param "m"

schedule "turned" {
  topology   = torus(2),
  stencil    = cartesian(2),
  collective = allgatherw {
    block = contiguous(m, int),
    recv_blocks = function(i) return { type = vector(m, 1, 2, int), displ = 8 * m * i } end,
  },
  order      = "cartesian",
  algorithm  = "direct",
}
