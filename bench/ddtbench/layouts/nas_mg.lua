-- SPDX-License-Identifier: MIT
-- NAS MG: faces of a[k][j][i] of doubles without their rims, to the ghost plane on the other side.
local n1, n2, n3 = param("n1", "n2", "n3")

local function face(subsizes, starts)
  return subarray { sizes = { n3, n2, n1 }, subsizes = subsizes, starts = starts, order = "C", type = double }
end

layout "nas_mg_x_send" { type = face({ n3 - 2, n2 - 2, 1 }, { 1, 1, n1 - 2 }) }
layout "nas_mg_x_recv" { type = face({ n3 - 2, n2 - 2, 1 }, { 1, 1, n1 - 1 }) }
layout "nas_mg_y_send" { type = face({ n3 - 2, 1, n1 - 2 }, { 1, n2 - 2, 1 }) }
layout "nas_mg_y_recv" { type = face({ n3 - 2, 1, n1 - 2 }, { 1, n2 - 1, 1 }) }
layout "nas_mg_z_send" { type = face({ 1, n2 - 2, n1 - 2 }, { 1, 1, 1 }) }
layout "nas_mg_z_recv" { type = face({ 1, n2 - 2, n1 - 2 }, { 0, 1, 1 }) }
