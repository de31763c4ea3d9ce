-- SPDX-License-Identifier: MIT
-- MILC, su3 vectors, z-down: a[t][z][y][x] of 6 floats; all t, two planes z, half of the rows. In place.
local half = param "half"     -- sites of half a plane: lx * ly / 2
local depth = param "depth"   -- lz / 2
local times = param "times"   -- lt, even; lt / 2 of it is `halftimes`
local halftimes = param "halftimes"

local site = contiguous(6, float)
local strided = vector(times, half, 2 * half * depth, site)

layout "milc_su3_zd" { type = hvector(2, 1, 24 * 4 * half * depth * halftimes, strided) }
