-- SPDX-License-Identifier: MIT
-- One exchange after the other.
local m = param "m"

schedule "blocking" {
  topology   = mesh(1),
  stencil    = offsets { { 1 }, { -1 } },
  collective = alltoall { block = contiguous(m, char) },
  algorithm  = "direct",
  transport  = mpi { mode = "blocking" },
}
