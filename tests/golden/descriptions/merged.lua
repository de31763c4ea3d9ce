-- SPDX-License-Identifier: MIT
-- Extents 2 x 3: offsets that are equal modulo the extents are one.
schedule "merged" {
  topology   = torus { 2, 3 },
  stencil    = box(2, -1, 1),
  collective = alltoall { block = uint8 },
  algorithm  = "direct",
}
