-- SPDX-License-Identifier: MIT
-- NAS LU: a[k][j][5] of doubles with a ghost layer on each side; a plane or a row of every plane.
local n = param "n"

local function part(subsizes, starts)
  return subarray { sizes = { n + 2, n + 2, 5 }, subsizes = subsizes, starts = starts, order = "C", type = double }
end

layout "nas_lu_x_send" { type = part({ 1, n, 5 }, { n, 1, 0 }) }
layout "nas_lu_x_recv" { type = part({ 1, n, 5 }, { 0, 1, 0 }) }
layout "nas_lu_y_send" { type = part({ n, 1, 5 }, { 1, n, 0 }) }
layout "nas_lu_y_recv" { type = part({ n, 1, 5 }, { 1, 0, 0 }) }
