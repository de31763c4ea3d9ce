-- SPDX-License-Identifier: MIT
-- Lattice Boltzmann: one packed block per velocity, the size known at run time; open in z.
local n = param "n"

schedule "d3q19" {
  topology   = cart { periods = { true, true, false } },
  stencil    = lattice "D3Q19",
  collective = alltoall { block = contiguous(n, double) },
  algorithm  = partial "best",
}
