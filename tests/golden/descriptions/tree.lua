-- SPDX-License-Identifier: MIT
-- An allgather: offsets with a common beginning share a message; (2, 1) is reached without (2, 0)
-- being a neighbour.
local n = param "n"

schedule "tree" {
  topology   = torus(2),
  stencil    = offsets { { 1, 0 }, { 1, 1 }, { 1, -1 }, { 2, 1 }, { 0, 1 } },
  collective = allgather { block = contiguous(n, float) },
  algorithm  = "combining",
}
