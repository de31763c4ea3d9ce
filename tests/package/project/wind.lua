-- SPDX-License-Identifier: MIT
-- Upwind stencil, two cells to one side: no symmetry that would hide a swapped sign.
local m = param "m"

schedule "wind" {
  topology   = torus(2),
  stencil    = offsets { {-2, 0}, {-1, 0}, {0, 0}, {1, 0}, {0, -1}, {0, 1}, {1, 1} },
  collective = alltoall { block = contiguous(m, int) },
}
