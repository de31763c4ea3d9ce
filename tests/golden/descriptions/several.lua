-- SPDX-License-Identifier: MIT
-- Three fields in one message: a halo, an alltoall of another type, and blocks that lie in two arrays.
local n = param "n"

schedule "several" {
  topology   = torus(2),
  stencil    = offsets { { 0, 1 }, { 1, 0 } },
  collective = fields {
    u    = halo { array = array(double, { n + 2, n + 2 }), width = 1 },
    flag = alltoall { block = contiguous(3, char) },
    pair = alltoallw { blocks = function(i)
      return { type = struct { { contiguous(n, int), at("x") }, { double, at("y", 8) } }, displ = 8 * n * i }
    end },
  },
  algorithm  = "direct",
}
