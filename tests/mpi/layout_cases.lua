-- SPDX-License-Identifier: MIT
-- Blocks whose types are known only at run time: lists, strides of either sign, structs, slices.
local n, s = param("n", "s")
local length, from, to = param_list("length", n), param_list("from", n), param_list("to", n)
local grid = array(double, { { "y", n + 2 }, { "x", s + 1 } })

local function layouts(name, algorithm)
  schedule(name) {
    topology   = torus(1),
    stencil    = offsets { { 1 }, { -1 }, { 2 }, { 0 } },
    collective = alltoallw {
      blocks = {
        { type = indexed(length, from, int), displ = 200 },
        { type = vector(n, 2, -s, int), displ = 1000 },
        { type = struct { { int, 0 }, { short, 6, 2 }, { int, 12, n } }, displ = 1500 },
        { type = grid:slice { x = 1, y = { 1, n } }, displ = 2000 },
      },
      recv_blocks = {
        { type = indexed(length, to, int), displ = 100 },
        { type = hvector(n, 2, 4 * s, int), displ = 600 },
        { type = struct { { int, 4 }, { short, 0, 2 }, { resized(-4, 8, int), 8, n } }, displ = 1500 },
        { type = contiguous(n, double), displ = 2000 },
      },
    },
    algorithm  = algorithm,
  }
end

layouts("layouts_direct", "direct")
layouts("layouts_combining", "combining")

schedule "lists_of_two_lengths" {
  topology   = torus(1),
  stencil    = offsets { { 1 } },
  collective = alltoallw { blocks = { { type = indexed({ 1, 2, 3 }, from, int) } },
    recv_blocks = { { type = contiguous(6, int) } } },
  algorithm  = "direct",
}

-- What is received may overlap itself, as parameters decide.
local m, t = param("m", "t")

local function received(name, sent, type)
  schedule(name) {
    topology   = torus(1),
    stencil    = offsets { { 1 } },
    collective = alltoallw { blocks = { { type = sent } }, recv_blocks = { { type = type } } },
    algorithm  = "direct",
  }
  layout(name .. "_type") { type = sent, to = type }
end

received("loops", contiguous(n * m, int), contiguous(n, resized(0, s - 40, hvector(m, 1, t - 40, int))))
received("steps", contiguous(2 * n, int), hvector(n, 2, s - 40, int))
received("entries", indexed(length, to, int), indexed(length, from, int))
received("spread_entries", contiguous(2 * n, int), indexed_block(1, from, vector(2, 1, 2, int)))
