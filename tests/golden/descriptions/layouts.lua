-- SPDX-License-Identifier: MIT
-- A face of a box, a list of points, a transpose.
local n, m = param("n", "m")
local places = param_list("places", n)

layout "face" { type = array(double, { n, 4, m }):slice { {0, n}, 3, {0, m} }, reduce = { "sum" } }
layout "points" { type = indexed_block(1, places, contiguous(3, float)) }
layout "turned" { type = contiguous(1600, double), to = contiguous(40, resized(0, 8, vector(40, 1, 40, double))) }
