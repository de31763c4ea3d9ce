-- SPDX-License-Identifier: MIT
-- Fixed extents: offsets that are equal modulo 2 x 3 share a message, 3 instead of 8.
schedule "small_torus" {
  topology   = torus { 2, 3 },
  stencil    = box(2, -1, 3),
  collective = alltoall { block = contiguous(2, int) },
  algorithm  = "combining",
}
