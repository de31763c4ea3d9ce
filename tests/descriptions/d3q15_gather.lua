-- SPDX-License-Identifier: MIT
-- A sparse allgather: the naive prefix tree goes wrong on it.
local n = param "n"

schedule "d3q15_gather" {
  topology   = mesh(3),
  stencil    = lattice "D3Q15",
  collective = allgather { block = contiguous(n, float) },
  algorithm  = "combining",
}
