-- SPDX-License-Identifier: MIT
-- One message a neighbour.
local m = param "m"

schedule "direct2d" {
  topology   = torus(2),
  stencil    = offsets { { 1, 0 }, { 0, -1 }, { 1, 1 } },
  collective = alltoall { block = contiguous(m, int) },
  algorithm  = "direct",
}
