-- SPDX-License-Identifier: MIT
-- The full 2-d neighbourhood of a lattice code: n doubles to each of 8 neighbours.
local n = param "n"

schedule "halo2d" {
  topology   = torus(2),
  stencil    = moore(2, 1),
  collective = alltoall { block = contiguous(n, double) },
}
