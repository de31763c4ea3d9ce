-- SPDX-License-Identifier: MIT
-- The one place that names plug-ins: a new one is its file and a line here.
local registry = {}

local function load_all(folder, names)
  local out = {}
  for i, name in ipairs(names) do out[i] = require("cartgen." .. folder .. "." .. name) end
  return out
end

registry.datatypes = load_all("datatypes", { "basic", "contiguous", "vector", "indexed", "indexed_block", "struct",
  "subarray", "resized", "array" })
registry.collectives = load_all("collectives",
  { "alltoall", "alltoallv", "alltoallw", "allgather", "allgatherv", "allgatherw", "halo" })
registry.algorithms = load_all("algorithms", { "auto", "combining", "dimensionwise", "direct", "partial" })
registry.passes = load_all("passes", { "order" })
registry.transports = load_all("transports", { "mpi" })

--- Names of a list of plug-ins.
function registry.names(list)
  local out = {}
  for i, module in ipairs(list) do out[i] = module.name end
  return out
end

--- The plug-in of that name in a list.
function registry.find(list, name)
  for _, module in ipairs(list) do
    if module.name == name then return module end
  end
end

return registry
