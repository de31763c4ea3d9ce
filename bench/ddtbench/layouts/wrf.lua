-- SPDX-License-Identifier: MIT
-- WRF: a region of four 2-d, three 3-d and two 4-d arrays of floats, a2[j][i], a3[j][k][i],
-- a4[l][j][k][i]; of the 4-d ones the last slice l. Received in place. The rim is 3 wide, in x or in y.
local ni, nj = param("ni", "nj")     -- extents in memory
local is, js = param("is", "js")     -- start of the region
local wide = param "wide"            -- length of the region along the rim
local levels, species, width = 65, 2, 3

local function over_arrays(t2, t3, t4)
  local items = {}
  for a = 0, 8 do
    items[a + 1] = { a < 4 and t2.type or a < 7 and t3.type or t4.type,
                     at("a" .. a, (a < 4 and t2 or a < 7 and t3 or t4).start), 1 }
  end
  return struct(items)
end

-- Nested vectors from the region's first element.
local function vectors(wi, wj)
  local boxes = hvector(wj, 1, 4 * ni * levels, vector(levels, wi, ni, float))
  local first = 4 * (js * levels * ni + is)
  return over_arrays({ type = vector(wj, wi, ni, float), start = 4 * (js * ni + is) }, { type = boxes, start = first },
    { type = hvector(1, 1, 4 * ni * levels * nj, boxes), start = first + 4 * ni * levels * nj * (species - 1) })
end

-- The same as subarrays.
local function subarrays(wi, wj)
  local function part(sizes, subsizes, starts)
    return { type = subarray { sizes = sizes, subsizes = subsizes, starts = starts, order = "C", type = float }, start = 0 }
  end
  return over_arrays(part({ nj, ni }, { wj, wi }, { js, is }),
    part({ nj, levels, ni }, { wj, levels, wi }, { js, 0, is }),
    part({ species, nj, levels, ni }, { 1, wj, levels, wi }, { species - 1, js, 0, is }))
end

layout "wrf_x_vec" { type = vectors(width, wide) }
layout "wrf_y_vec" { type = vectors(wide, width) }
layout "wrf_x_sa" { type = subarrays(width, wide) }
layout "wrf_y_sa" { type = subarrays(wide, width) }
