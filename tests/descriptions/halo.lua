-- SPDX-License-Identifier: MIT
-- Halos: whole faces in place, two arrays of unlike orders on a mesh.
local nz, ny, nx, w = param("nz", "ny", "nx", "w")

schedule "halo_torus" {
  topology   = torus(3),
  collective = halo { array = array(double, { nz + 2, ny + 2, nx + 2 }), width = 1, in_place = true },
}
schedule "halo_mesh" {
  topology   = mesh(3),
  collective = halo {
    width  = { w, { 1, 2 }, { 0, 1 } },
    arrays = {
      { array = array(float, { nz + 2 * w, ny + 3, nx + 1 }), order = "Fortran" },
      { array = array(contiguous(3, short), { nz + 2 * w, 8, 6 }), displ = 4 * (nz + 2 * w) * (ny + 3) * (nx + 1) },
    },
  },
}
schedule "halo_faces" {
  topology   = torus(3),
  collective = halo { array = array(int, { nz + 2, ny + 2, nx + 2 }), width = 1, corners = false },
  algorithm  = "dimensionwise",
}
