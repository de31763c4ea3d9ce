-- SPDX-License-Identifier: MIT
-- Four corners through two rounds: blocks wait in between.
local m = param "m"

schedule "combining2d" {
  topology   = torus(2),
  stencil    = offsets { { -1, -1 }, { -1, 1 }, { 1, -1 }, { 1, 1 }, { 0, 0 } },
  collective = alltoall { block = contiguous(m, double) },
  algorithm  = "combining",
}
