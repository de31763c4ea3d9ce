-- SPDX-License-Identifier: MIT
-- Halos for halos.c and memory.c: sizes that fit or not, numbers of messages, start in place.
local ny, nx, m = param("ny", "nx", "m")

local function plane(name, algorithm, more)
  local fields = { array = array(int, { ny + 2, nx + 3 }), width = { 1, { 2, 1 } } }
  for key, value in pairs(more or {}) do fields[key] = value end
  schedule(name) { topology = torus(2), collective = halo(fields), algorithm = algorithm }
end

plane("plane", "auto")
plane("plane_direct", "direct")
plane("plane_combining", "combining")
plane("plane_faces", "dimensionwise")
plane("plane_in_place", "dimensionwise", { in_place = true })

schedule "frame" {
  topology   = torus(2),
  collective = halo { array = array(int, { m + 2, m + 2 }), width = 1 },
}

schedule "sheet" {
  topology   = torus(2),
  collective = halo { array = array(int, { ny + 2, nx + 2 }), width = 1 },
}

schedule "plain" {
  topology   = torus(2),
  stencil    = moore(2, 1),
  collective = alltoall { block = contiguous(m, int) },
}

local w = param "w"
schedule "wide" {
  topology   = torus(1),
  collective = halo { array = array(int, { nx + 2 * w }), width = w },
}
