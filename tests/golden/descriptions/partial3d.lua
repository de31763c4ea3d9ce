-- SPDX-License-Identifier: MIT
-- Dimensions 0 and 1 in one round, 2 in another.
local m = param "m"

schedule "partial3d" {
  topology   = torus(3),
  stencil    = offsets { { 1, 0, 0 }, { 1, 1, 0 }, { 1, 1, 1 }, { 1, 0, 1 }, { 0, 0, 1 } },
  collective = alltoall { block = contiguous(m, int) },
  algorithm  = partial { { 0, 1 }, { 2 } },
}
