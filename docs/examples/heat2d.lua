-- SPDX-License-Identifier: MIT
-- The ghosts of a 2-d array of doubles: ny x nx cells of each rank's own, a rim of one cell, edges and corners.
local ny, nx = param("ny", "nx")

schedule "heat2d" {
  topology   = torus(2),
  collective = halo { array = array(double, { ny + 2, nx + 2 }), width = 1, in_place = true },
}
