-- SPDX-License-Identifier: MIT
-- Two arrays, one of them in Fortran's order and without ghosts on one side, partly open: faces in pieces.
local n = param "n"
schedule "rims" {
  topology   = cart { periods = { true, false } },
  collective = halo {
    width  = 1,
    arrays = {
      { array = array(int, { n + 2, n + 2 }) },
      { array = array(byte, { 6, 5 }), width = { 1, { 2, 0 } }, displ = 4 * (n + 2) * (n + 2), order = "Fortran" },
    },
  },
  algorithm  = "dimensionwise",
}
