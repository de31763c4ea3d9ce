-- SPDX-License-Identifier: MIT
-- A column of a matrix goes into a row, an inner rectangle into an outer one.
local n = param "n"

local function part(starts)
  return subarray { sizes = { n, n }, subsizes = { 2, 3 }, starts = starts, type = double }
end

schedule "types" {
  topology   = torus(2),
  stencil    = offsets { { 0, 1 }, { 1, 0 } },
  collective = alltoallw {
    blocks = { { type = vector(n, 1, n, double), displ = 8 }, { type = part { 1, 1 } } },
    recv_blocks = { { type = contiguous(n, double) }, { type = part { 1, 0 } } },
  },
  algorithm  = "direct",
}
