-- SPDX-License-Identifier: MIT
-- Descriptions and command lines that are wrong, and what cartgen says.
--
-- Rows: what, text (nil: none given), line (nil: none), the beginning of the message after
-- "error: "; luajit: the same where Lua's own words differ; args: more arguments; file: the one
-- named when it is not the description; status (1); good: nothing is wrong.
-- @T, @S, @C in a text: a good topology, stencil, collective, so that a row shows what is wrong.
local PARTS = { T = "topology = torus(2)", S = "stencil = moore(2)",
  C = "collective = alltoall { block = int }" }

local function one(fields) return 'schedule "a" { ' .. fields .. ' }' end

local rows = {}

for _, name in ipairs { "bad_fields", "bad_types", "bad_layouts", "bad_halo", "bad_arrays", "bad_lua", "bad_usage" } do
  for _, row in ipairs(require(name)(one, one "@T, @S, @C")) do
    if row[2] then row[2] = row[2]:gsub("@(%u)", PARTS) end
    rows[#rows + 1] = row
  end
end

return rows
