-- SPDX-License-Identifier: MIT
-- The committed reference schedules: what each is generated from. generated/regenerate.lua writes
-- them, or with --check says which are not what the generator prints now.
return {
  { name = "moore3d", description = "tests/descriptions/moore3d.lua", options = "" },
  { name = "moore3d_direct", description = "tests/descriptions/moore3d.lua", options = "--algorithm direct" },
  { name = "moore3d_combining", description = "tests/descriptions/moore3d.lua", options = "--algorithm combining" },
  { name = "moore3d_partial", description = "tests/descriptions/moore3d.lua", options = "--algorithm 'partial:{0,1}{2}'" },
  { name = "moore3d_m4", description = "tests/descriptions/moore3d.lua", options = "--algorithm combining --set m=4" },
  { name = "moore3d_persistent", description = "tests/descriptions/moore3d.lua",
    options = "--algorithm direct --transport mpi:persistent" },
  { name = "halo2d", description = "docs/examples/halo2d.lua", options = "" },
  { name = "d3q19", description = "docs/examples/d3q19.lua", options = "" },
  { name = "d3q15_gather", description = "tests/descriptions/d3q15_gather.lua", options = "" },
  { name = "cartesian2d", description = "tests/descriptions/cartesian2d.lua", options = "" },
  { name = "faces", description = "tests/descriptions/faces.lua", options = "" },
  { name = "fluid2d", description = "docs/examples/fluid2d.lua", options = "--algorithm direct" },
  { name = "small_torus", description = "tests/descriptions/small_torus.lua", options = "" },
}
