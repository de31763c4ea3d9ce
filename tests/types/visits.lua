-- SPDX-License-Identifier: MIT
-- visits.lua SEED COUNT FOLDER: random types as blocks of schedules, FOLDER/cases.lua, and what visits.c needs to know of
-- them, FOLDER/cases.inc.
local here = arg[0]:match "^(.*)/[^/]*$" or "."
package.path = here .. "/?.lua;" .. package.path
local corners = require "corners"
local emit = require "emit"
local measure = require "measure"
local tree = require "tree"
local trees = require "trees"

local seed, count, folder = tonumber(arg[1]), tonumber(arg[2]), arg[3]
local features = trees.with { "bases", "reduce", "to" } -- a schedule copies only, and one type a block is enough here
trees.places_only = true -- parameters of bounds alone are numbers: a schedule uses none of them

-- Does what is received into overlap itself? A schedule refuses that.
local function overlaps(case)
  for _, values in ipairs(case.sets) do
    if measure.overlaps(measure.map(case.type, values)) then return true end
  end
  return false
end

local cases = {}
for _, case in ipairs(corners.cases(features)) do
  trees.settle(case)
  if not overlaps(case) then cases[#cases + 1] = case end
end
for i = 1, count do cases[#cases + 1] = trees.case(seed, i, features) end
for i, case in ipairs(cases) do case.name = "t" .. i end

local function schedule(case)
  return ([[
do
%s  schedule "%s" {
    topology = torus(1), stencil = offsets { { 1 } }, algorithm = "direct",
    collective = alltoallw { blocks = { { type = %s } } },
  }
end
]]):format(emit.declarations(case), case.name, tree.text(case.type))
end

local functions, rows, texts = {}, {}, {}
for i, case in ipairs(cases) do
  texts[i] = schedule(case)
  local members = emit.members(case)
  functions[i] = members and ("static void set_%s(void *state, const int64_t *v)\n{\n    const %s_params p = {%s};\n"
    .. "    memcpy(state, &p, sizeof p);\n}\n"):format(case.name, case.name, members) or ""
  for _, values in ipairs(case.sets) do
    local flat = emit.values(case, values)
    rows[#rows + 1] = ("    {&%s_schedule, %s, (const int64_t[]){%s}},"):format(case.name, members and "set_" .. case.name or "NULL",
      #flat > 0 and table.concat(flat, ", ") or "0")
  end
end

local function write(name, text)
  local file = assert(io.open(folder .. "/" .. name, "wb"))
  file:write(text)
  file:close()
end

write("cases.lua", table.concat(texts, "\n"))
write("cases.inc", table.concat(functions) .. "static const visit_case cases[] = {\n" .. table.concat(rows, "\n") .. "\n};\n")
