-- SPDX-License-Identifier: MIT
-- Several arrays in one schedule: halos of five, halo and other collectives, blocks in own arrays. tests/mpi/fields.c has
-- the same once more, written as places of elements.
local ny, nx, m = param("ny", "nx", "m")

local function rims(in_place)
  local function rim(type, more)
    more.array = array(type, more.dims)
    more.dims, more.in_place = nil, in_place
    return halo(more)
  end
  return fields {
    flag     = rim(char, { dims = { ny + 2, nx + 2 }, width = 1, corners = false }),
    mass     = rim(int, { dims = { ny + 3, nx + 1 }, width = { { 1, 2 }, { 0, 1 } } }),
    pressure = rim(double, { dims = { ny + 2, nx + 2 }, width = 1 }),
    velocity = rim(contiguous(3, double), { dims = { ny + 2, nx + 2 }, width = 1, order = "Fortran" }),
    wave     = rim(float_complex, { dims = { ny + 4, nx + 2 }, width = { 2, 1 } }),
  }
end

-- f(kind, topology, name, algorithm) for every pair of both lists.
local function each(kinds, algorithms, f)
  for _, kind in ipairs(kinds) do
    for _, algorithm in ipairs(algorithms) do f(kind[1], kind[2], algorithm[1], algorithm[2]) end
  end
end

local torus2, mesh2, mixed2 = { "torus", torus(2) }, { "mesh", mesh(2) }, { "mixed", cart { periods = { true, false } } }
local direct, combining = { "direct", "direct" }, { "combining", "combining" }
local faces, place = { "faces", "dimensionwise" }, { "place", "dimensionwise" }

each({ torus2, mesh2, mixed2 }, { direct, combining, faces, { "auto", auto() }, place }, function(kind, topology, name, algorithm)
  schedule("five_" .. kind .. "_" .. name) { topology = topology, collective = rims(name == "place"), algorithm = algorithm }
end)

-- A halo, and what is no halo over more offsets: zero, far ones, one twice.
local stencil_of_mix = offsets { { 0, 1 }, { -1, 0 }, { 1, 1 }, { 0, 0 }, { 2, 0 }, { 0, 1 }, { -1, -2 }, { 1, 0 } }

each({ torus2, mesh2 }, { direct, combining, { "turned", partial { { 1 }, { 0 } } } }, function(kind, topology, name, algorithm)
  schedule("mix_" .. kind .. "_" .. name) {
    topology   = topology,
    stencil    = stencil_of_mix,
    collective = fields {
      all    = alltoall { block = contiguous(m, int) },
      count  = alltoallv { counts = function(i) return m + i % 3 end, type = char,
        recv_counts = function(i) return m + i % 3 end, recv_displs = function(i) return (m + 3) * (7 - i) end },
      gather = allgather { block = contiguous(m, float_complex), recv_block = vector(m, 1, 2, float_complex) },
      rim    = halo { array = array(double, { ny + 2, nx + 2 }), width = 1 },
    },
    algorithm  = algorithm,
  }
end)

-- Blocks that lie in several arrays: x and y are sent, p and q received into; another field has a part of x as well.
local function own(name, topology, algorithm)
  local send = struct { { contiguous(m, int), at("x", 4) }, { double, at("y", 16), 2 } }
  local recv = struct { { vector(m, 1, 3, int), at("p", 8) }, { double, at("q", -8) }, { double, at("q", 24) } }
  local ways = offsets { { 0, 1 }, { 1, -1 }, { 0, 0 }, { -2, 1 } }
  schedule(name) {
    topology   = topology,
    stencil    = ways,
    collective = fields {
      first  = alltoallw {
        blocks = function(i) return { type = send, displ = i * (4 * m + 16) } end,
        recv_blocks = function(i) return { type = recv, displ = (3 - i) * (12 * m + 48) } end,
      },
      second = alltoall { block = struct { { contiguous(m, int), at("x", 2000) } }, recv_block = struct { { contiguous(m, int), at("r", 0) } } },
      third  = allgatherw { block = struct { { short, at("s", 2), 2 }, { char, at("y", 1000), 8 }, { short, at("s", 10) } },
        recv_blocks = function(i)
          return { type = struct { { short, at("a", 0), 2 }, { char, at("b", 3), 8 }, { short, at("a", 4) } }, displ = 100 * i }
        end },
    },
    algorithm  = algorithm,
  }
end

own("own_direct", torus(2), "direct")
own("own_combining", torus(2), "combining")
own("own_mesh", mesh(2), "combining")

-- Past the bound of straight-line code, with places that no loop makes.
each({ torus2 }, { direct, combining }, function(_, topology, name, algorithm)
  schedule("many_" .. name) {
    topology   = topology,
    stencil    = box(2, -4, 4),
    collective = fields {
      a = alltoallw { blocks = function(i) return { type = contiguous(m, int), displ = 4 * m * ((i * 7) % 81) } end,
        recv_blocks = function(i) return { type = contiguous(m, int), displ = 4 * m * ((i * 11) % 81) } end },
      b = alltoall { block = contiguous(m, double) },
      c = allgather { block = contiguous(m, char) },
      d = alltoallw { blocks = function(i) return { type = vector(m, 1, 2, short), displ = 4 * m * ((i * 5) % 81) } end,
        recv_blocks = function(i) return { type = contiguous(m, short), displ = 2 * m * ((i * 2) % 81) } end },
    },
    algorithm  = algorithm,
  }
end)

-- Two plain fields, for what start refuses.
schedule "pair" {
  topology   = torus(2),
  stencil    = offsets { { 0, 1 }, { 1, 0 } },
  collective = fields { u = alltoall { block = contiguous(m, double) }, v = alltoall { block = contiguous(m, int) } },
  algorithm  = "direct",
}
