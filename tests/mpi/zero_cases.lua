-- SPDX-License-Identifier: MIT
-- For zero_copy.c: planes of two arrays, which ranks may share out in rows of other lengths, in one message.
local ny, nx = param("ny", "nx")

local function planes(type, displ)
  return { array = array(type, { 4, ny, nx + 2 }), width = { 1, 0, 1 }, displ = displ }
end

schedule "slabs" {
  topology   = torus(3),
  stencil    = offsets { { 1, 0, 0 }, { -1, 0, 0 } },
  collective = halo { arrays = { planes(int, 64), planes(int, 128 + 16 * ny * (nx + 2)) } },
  algorithm  = "direct",
}

schedule "slab" {
  topology   = torus(3),
  stencil    = offsets { { 1, 0, 0 }, { -1, 0, 0 } },
  collective = halo { arrays = { planes(int, 64) } },
  algorithm  = "direct",
  transport  = mpi { zero_copy = "always" },
}
