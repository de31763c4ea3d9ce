-- SPDX-License-Identifier: MIT
-- The one table of variants. bench/registry.lua makes from it the list of generator runs (one per d
-- and n) and the C array that the programs, the checks and the tests walk through.
local variants = {}

variants.dims = { 1, 2, 3, 4, 5 }
variants.neighbours = { 2, 3, 4, 5 }
variants.collectives = {
  "alltoall", "alltoallv", "alltoallw", "allgather", "allgatherv", "allgatherw",
}

-- Beside auto, which every collective has: what the report compares, for these collectives and n.
-- `from`: least d for which the algorithm is one of its own.
variants.algorithms = {
  { name = "direct", from = 2 },
  { name = "combining", from = 2 },
  { name = "partial", from = 3 },
}
variants.compared = { alltoall = true, allgather = true }
variants.compared_neighbours = { [3] = true, [5] = true }

--- Are there schedules beside auto for these d and n?
function variants.has_more(d, n) return d > 1 and variants.compared_neighbours[n] == true end

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
    local more = variants.has_more(d, n) and variants.compared[collective]
    for _, algorithm in ipairs(more and variants.algorithms or {}) do
      if d >= algorithm.from then add(collective, algorithm.name) end
    end
  end
  return list
end

return variants
