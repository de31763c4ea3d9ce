-- SPDX-License-Identifier: MIT
-- MILC, su3 vectors, z-down: a[t][z][y][x] of 6 floats; all t, two planes z, half of the rows. In place.
local half = param "half"     -- sites of half a plane: lx * ly / 2
local depth = param "depth"   -- lz / 2
local times = param "times"   -- lt

local site = contiguous(6, float)
local strided = vector(times, half, 2 * half * depth, site)

layout "milc_su3_zd" { type = hvector(2, 1, 48 * half * depth * times, strided) }
