-- SPDX-License-Identifier: MIT
-- Four faces of an array with a rim of one, sent from and received into the same array.
local ny, nx = param("ny", "nx")

local function part(rows, columns, y, x)
  return { type = subarray { sizes = { ny + 2, nx + 2 }, subsizes = { rows, columns }, starts = { y, x }, type = double } }
end

schedule "faces" {
  topology   = cart { periods = { false, true } },
  stencil    = cartesian(2),
  collective = alltoallw {
    blocks      = { part(1, nx, 1, 1), part(1, nx, ny, 1), part(ny, 1, 1, 1), part(ny, 1, 1, nx) },
    recv_blocks = { part(1, nx, ny + 1, 1), part(1, nx, 0, 1), part(ny, 1, 1, nx + 1), part(ny, 1, 1, 0) },
  },
  algorithm  = "direct",
}
