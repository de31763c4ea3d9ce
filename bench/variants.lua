-- SPDX-License-Identifier: MIT
-- The one table of variants. bench/registry.lua makes from it the list of generator runs (one per d
-- and n) and the C array that the programs, the checks and the tests walk through.
local variants = {}

variants.dims = { 1, 2, 3, 4, 5 }
variants.neighbours = { 2, 3, 4, 5 }
variants.collectives = {
  "alltoall", "alltoallv", "alltoallw", "allgather", "allgatherv", "allgatherw",
}

-- Beside auto, which every collective has. `from`: least d for which the algorithm is one of its own.
variants.algorithms = {
  { name = "direct", from = 2 },
  { name = "combining", from = 2 },
  { name = "partial", from = 3 },
}

-- For which collectives: with n = 3 for all, so that every program is checked whatever auto would
-- take; with n = 5 for those that the report compares.
variants.compared = { alltoall = true, allgather = true }

--- Schedules beside auto: 0 none, 1 of the compared collectives, 2 of all (`more` in
--- bench/cartesians.lua).
function variants.more(d, n)
  if d == 1 then return 0 end
  return n == 3 and 2 or n == 5 and 1 or 0
end

--- Name of a schedule in bench/cartesians.lua.
function variants.name(collective, d, n, algorithm)
  local name = ("%s_d%d_n%d"):format(collective, d, n)
  return algorithm == "auto" and name or name .. "_" .. algorithm
end

--- All schedules for d and n: list of { collective, algorithm, name }.
function variants.schedules(d, n)
  local list = {}
  local function add(collective, algorithm)
    list[#list + 1] = { collective = collective, algorithm = algorithm,
      name = variants.name(collective, d, n, algorithm) }
  end
  for _, collective in ipairs(variants.collectives) do
    add(collective, "auto")
    local more = variants.more(d, n)
    local all = more == 2 or (more == 1 and variants.compared[collective])
    for _, algorithm in ipairs(all and variants.algorithms or {}) do
      if d >= algorithm.from then add(collective, algorithm.name) end
    end
  end
  return list
end

return variants
