-- SPDX-License-Identifier: MIT
-- What the report measures: launches (library, processes, transport, d) and the functions in each.
local matrix = {}

matrix.configurations = {
  { library = "openmpi", np = 2, transport = "shm" },
  { library = "mpich", np = 2, transport = "shm" },
  { library = "openmpi", np = 2, transport = "tcp" },
  { library = "openmpi", np = 4, transport = "shm" },
  { library = "openmpi", np = 4, transport = "tcp" },
  { library = "openmpi", np = 8, transport = "shm" },
  { library = "openmpi", np = 8, transport = "tcp" },
}

-- Functions by collective. The first group is compared; what is written by hand and the floor
-- are there to judge by.
local OURS = { "Cart_neighbor_%s", "Cart_neighbor_%s:persistent" }
local LIBRARY = { "MPI_Neighbor_%s", "MPI_Ineighbor_%s", "MPI_Neighbor_%s_init" }
local HAND = { "Isend_Irecv_%s", "Packed_Isend_Irecv_%s", "Memcpy_%s" }

local function functions(collective, d)
  local list = {}
  local function add(patterns)
    for _, pattern in ipairs(patterns) do list[#list + 1] = pattern:format(collective) end
  end
  add(OURS)
  add { "Cart_neighbor_%s:direct", "Cart_neighbor_%s:combining" }
  if d > 2 then add { "Cart_neighbor_%s:partial" } end
  add(LIBRARY)
  add(HAND)
  return list
end

local function join(a, b)
  for _, x in ipairs(b) do a[#a + 1] = x end
  return a
end

-- One launch of bench_cartesians.
local function launch(configuration, d, n, m, list, group)
  return { library = configuration.library, np = configuration.np,
    transport = configuration.transport, d = d, n = n, m = m, functions = list, group = group }
end

--- Launches, each to be repeated. options: quick, np2 (only two processes).
function matrix.launches(options)
  local out = {}
  local dims = options.quick and { 2, 3 } or { 2, 3, 4, 5 }
  local ns, ms = options.quick and "3" or "3,5", options.quick and "1,100" or "1,10,100,1000"
  for _, c in ipairs(matrix.configurations) do
    local wanted = c.np == 2 or not options.np2
    if options.quick and (c.np == 4 or (c.np == 2 and c.transport == "tcp")) then wanted = false end
    for _, d in ipairs(wanted and dims or {}) do
      local list = join(functions("alltoall", d), functions("allgather", d))
      out[#out + 1] = launch(c, d, ns, ms, list, "plain")
      if c.np == 2 and c.transport == "shm" then
        local others = {}
        for _, form in ipairs { "alltoallv", "alltoallw", "allgatherv", "allgatherw" } do
          join(others, functions(form, d))
        end
        out[#out + 1] = launch(c, d, "3", ms, others, "forms")
      end
    end
  end
  return out
end

-- Targets of one collective at np = 2: cells of n = 3 and m <= 10 by d, and d = 5, n = 5, m = 1.
local function two_processes(collective, by_d, largest)
  local out = {}
  for d = 3, 5 do
    out[#out + 1] = { text = ("%s, np = 2, d = %d, n = 3, m <= 10"):format(collective, d),
      collective = collective, np = 2, d = { d }, n = 3, m = 10, least = by_d[d] }
  end
  out[#out + 1] = { text = collective .. ", np = 2, d = 5, n = 5, m = 1", collective = collective,
    np = 2, d = { 5 }, n = 5, m = 1, least = largest }
  return out
end

local function eight_processes(collective)
  return { text = collective .. ", np = 8 over TCP, d >= 3, n = 3, m <= 10",
    collective = collective, np = 8, transport = "tcp", d = { 3, 4, 5 }, n = 3, m = 10, least = 3 }
end

--- What must be reached: the ratio of auto to the best MPI call of the cell. Each row is a set of
--- cells; `least` holds for every one of them.
matrix.targets = {
  { text = "alltoall, np = 2, everywhere", collective = "alltoall", np = 2, least = 0.95 },
}
join(matrix.targets, two_processes("alltoall", { [3] = 2.5, [4] = 6, [5] = 12 }, 80))
join(matrix.targets, two_processes("allgather", { [3] = 2.5, [4] = 6, [5] = 12 }, 100))
join(matrix.targets, { eight_processes "alltoall", eight_processes "allgather" })

return matrix
