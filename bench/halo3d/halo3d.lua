-- SPDX-License-Identifier: MIT
-- The schedules of halo3d: the rim of m^3 doubles in an array of (m + 2)^3, in place.
local m = param "m"

local function emit(name, algorithm)
  schedule(name) {
    topology = torus(3),
    collective = halo {
      array = array(double, { m + 2, m + 2, m + 2 }), width = 1, in_place = true,
    },
    algorithm = algorithm,
  }
end

emit("halo3d_auto", "auto")
emit("halo3d_direct", "direct")
emit("halo3d_dimensionwise", "dimensionwise")
