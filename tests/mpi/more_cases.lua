-- SPDX-License-Identifier: MIT
-- Named schedules for the tests of states, errors and memory, and for special forms.
local m = param "m"

schedule "gather19" {
  topology   = mesh(3),
  stencil    = lattice "D3Q19",
  collective = allgather { block = contiguous(m, int) },
  algorithm  = "combining",
}
schedule "ring" {
  topology   = torus(1),
  stencil    = offsets { { 1 }, { -1 }, { 2 } },
  collective = alltoall { block = contiguous(m, int) },
  algorithm  = "direct",
}
schedule "ring_other" {
  topology   = torus(1),
  stencil    = offsets { { -1 }, { 1 }, { 2 } },
  collective = alltoall { block = contiguous(m, int) },
  algorithm  = "direct",
}
schedule "ring_combined" {
  topology   = torus(1),
  stencil    = offsets { { 1 }, { -1 }, { 2 } },
  collective = alltoall { block = contiguous(m, int) },
  algorithm  = "combining",
}
schedule "square" {
  topology   = torus(2),
  stencil    = moore(2, 1),
  collective = alltoall { block = contiguous(m, int) },
  algorithm  = "combining",
}
schedule "crossed_torus" {
  topology   = torus(2),
  stencil    = cartesian(2),
  collective = alltoall { block = contiguous(m, int) },
  order      = "cartesian",
  algorithm  = "combining",
}
schedule "crossed_mesh" {
  topology   = mesh(2),
  stencil    = cartesian(2),
  collective = alltoall { block = contiguous(m, int) },
  order      = "cartesian",
  algorithm  = "combining",
}

-- Ghost cells in place: a box with a rim of width w, all 26 neighbours, the same array both ways.
local w, n = param "w", { param("nz", "ny", "nx") }

local function region(offset, start_of)
  local sizes, subsizes, starts = {}, {}, {}
  for j = 1, 3 do
    sizes[j] = n[j] + 2 * w
    subsizes[j] = offset[j] == 0 and n[j] or w
    starts[j] = start_of(offset[j], n[j])
  end
  return { type = subarray { sizes = sizes, subsizes = subsizes, starts = starts, type = int } }
end

local function inner(o, extent) return o > 0 and extent or w end

local function outer(o, extent) return o > 0 and 0 * w or o < 0 and extent + w or w end

local directions, inners, outers = {}, {}, {}
for z = -1, 1 do
  for y = -1, 1 do
    for x = -1, 1 do
      if z ~= 0 or y ~= 0 or x ~= 0 then
        local i = #directions + 1
        directions[i] = { z, y, x }
        inners[i], outers[i] = region(directions[i], inner), region(directions[i], outer)
      end
    end
  end
end

for _, algorithm in ipairs { "direct", "combining" } do
  schedule("rim_" .. algorithm) {
    topology   = cart { periods = { false, true, true } },
    stencil    = offsets(directions),
    collective = alltoallw { blocks = inners, recv_blocks = outers },
    algorithm  = algorithm,
  }
end
