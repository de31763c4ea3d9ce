-- SPDX-License-Identifier: MIT
-- A full 3-d neighbourhood of m ints a block, on a torus.
local m = param "m"

schedule "moore3d" {
  topology   = torus(3),
  stencil    = moore(3, 1),
  collective = alltoall { block = contiguous(m, int) },
}
