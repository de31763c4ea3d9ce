-- SPDX-License-Identifier: MIT
-- Two schedules in a file; auto keeps several programs of the first, one of the second.
local m = param "m"

schedule "pair_full" {
  topology   = torus(2),
  stencil    = box(2, 0, 1),
  collective = allgather { block = contiguous(m, int) },
}
schedule "pair_line" {
  topology   = torus(1),
  stencil    = cartesian(1),
  collective = alltoall { block = contiguous(m, int) },
}
