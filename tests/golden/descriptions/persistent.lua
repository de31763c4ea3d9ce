-- SPDX-License-Identifier: MIT
-- Requests made once.
local m = param "m"

schedule "persistent" {
  topology   = torus(1),
  stencil    = offsets { { 1 } },
  collective = alltoall { block = contiguous(m, char) },
  algorithm  = "direct",
  transport  = mpi { mode = "persistent" },
}
