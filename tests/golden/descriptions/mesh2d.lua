-- SPDX-License-Identifier: MIT
-- Open dimensions: a block travels only where it arrives somewhere.
schedule "mesh2d" {
  topology   = mesh(2),
  stencil    = offsets { { 1, 0 }, { 1, 1 }, { -1, 1 } },
  collective = alltoall { block = int },
  algorithm  = "combining",
}
