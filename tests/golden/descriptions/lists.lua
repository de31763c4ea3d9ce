-- SPDX-License-Identifier: MIT
-- One list in three shapes: two of them walk it in the same form, which is made once; a block of lists of blocks.
local n = param "n"
local places, lengths = param_list("places", n), param_list("lengths", n)
local points = indexed_block(1, places, double)

schedule "lists" {
  topology   = torus(1),
  stencil    = offsets { { 1 }, { -1 }, { 2 } },
  collective = alltoallw {
    blocks = { { type = points }, { type = struct { { points, 0 }, { int, 800 } } },
      { type = contiguous(2, indexed(lengths, places, vector(2, 1, 2, int))) } },
    recv_blocks = { { type = contiguous(n, double), displ = 0 }, { type = struct { { double, 8 * n, n }, { int, 16 * n } } },
      { type = contiguous(2, indexed(lengths, places, contiguous(2, int))), displ = 16 * n + 4 } },
  },
  algorithm  = "combining",
}
