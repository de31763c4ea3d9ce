-- SPDX-License-Identifier: MIT
-- Blocks of nothing, of a list's values and of a constant, with a gap between them.
local c = param_list("c", 2)

schedule "zeros" {
  topology   = torus(2),
  stencil    = offsets { { 1, 0 }, { 1, 1 }, { 0, 1 }, { 0, -1 } },
  collective = alltoallv {
    counts = { c[1], 0, 3, c[2] }, displs = { 0, c[1], c[1] + 1, c[1] + 5 }, type = short,
  },
  algorithm  = "combining",
}
