-- SPDX-License-Identifier: MIT
-- The halo of an array in place, dimension by dimension: whole faces, the second with the ghosts of the first.
local ny, nx = param("ny", "nx")
schedule "faces2d" {
  topology   = torus(2),
  collective = halo { array = array(double, { ny + 2, nx + 3 }), width = { 1, { 1, 2 } }, in_place = true },
  algorithm  = "dimensionwise",
}
