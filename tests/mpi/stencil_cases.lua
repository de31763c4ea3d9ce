-- SPDX-License-Identifier: MIT
-- case_TOPOLOGY_KIND_VARIANT: random stencils on every kind of grid. grid.c makes the same offsets
-- and the same places of elements for itself.
local m = param "m"

local function random_offsets(seed, d)
  local x = seed
  local list = {}
  for i = 1, 9 do
    local v = {}
    for j = 1, d do
      x = (x * 1103 + 12345) % 65536
      v[j] = math.floor(x / 16) % 5 - 2
    end
    list[i] = v
  end
  local zero, long = {}, {}
  for j = 1, d do
    zero[j] = 0
    long[j] = 0
  end
  long[d] = -9
  list[10] = zero
  list[11] = list[1]
  list[12] = long
  return list
end

local t = 12
local topologies = { { true, true }, { false, false }, { true, false }, { false, true },
  { true, true, true }, { false, false, false }, { true, false, true }, { false } }

local function places(place, datatype)
  local list = {}
  for i = 0, t - 1 do
    list[i + 1] = { type = datatype, displ = place(i) * 4 }
  end
  return list
end

local kinds = {
  function() return alltoall { block = contiguous(m, int) } end,
  function()
    return alltoallv {
      counts = function(i) return m * (i % 3) end,
      displs = function(i) return (2 * m + 1) * i + 5 end,
      recv_displs = function(i) return (2 * m + 3) * (t - 1 - i) + 2 end,
      type = int,
    }
  end,
  function()
    return alltoallw {
      blocks = places(function(i) return (3 * m + 4) * i end, vector(m, 2, 3, int)),
      recv_blocks = places(function(i) return (4 * m + 3) * (t - 1 - i) end,
        vector(2 * m, 1, 2, int)),
    }
  end,
  function()
    return allgather { block = vector(m, 2, 3, int), recv_block = contiguous(2 * m, int) }
  end,
  function()
    return allgatherw {
      block = contiguous(2 * m, int),
      recv_blocks = places(function(i) return (3 * m + 5) * i + 1 end, vector(m, 2, 3, int)),
    }
  end,
}

for g, periods in ipairs(topologies) do
  local d = #periods
  local last = {}
  for j = 1, d - 1 do last[j] = j end
  local grouped = d == 1 and partial { { 0 } } or partial { { 0 }, last }
  local others = { "direct", grouped, "auto" }
  for k, kind in ipairs(kinds) do
    for variant = 0, 1 do
      schedule("case_" .. g - 1 .. "_" .. k - 1 .. "_" .. variant) {
        topology   = cart { periods = periods },
        stencil    = offsets(random_offsets(g - 1, d)),
        collective = kind(),
        algorithm  = variant == 0 and "combining" or others[(g + k) % 3 + 1],
      }
    end
  end
end
