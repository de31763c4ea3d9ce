-- SPDX-License-Identifier: MIT
-- combining: one round per dimension; blocks that go the same way share a message and are forwarded.
-- The volume of an alltoall does not depend on the order of dimensions; an allgather takes the
-- order with the least volume.
local cost = require "cartgen.cost"
local route = require "cartgen.algorithms.route"

local combining = { name = "combining" }

-- Volume only: the number of messages is the same in every order.
local VOLUME = { latency = 0, per_byte = 0, per_copy = 1 }

-- Where no two transfers share a send block nothing is sent once for several: each block makes as many
-- steps as its offset has dimensions, in any order.
local function any_shared(problem)
  local seen = {}
  for _, transfer in ipairs(problem.transfers) do
    if seen[transfer.send] then return true end
    seen[transfer.send] = true
  end
  return false
end

--- The order of dimensions with the fewest blocks sent; the natural order if it is one of those.
function combining.groups(problem)
  local ndims = problem.topology.ndims
  local natural = cost.singletons(ndims)
  if not any_shared(problem) then return natural end
  local sizes = cost.sizes(problem, 1)
  local round = cost.rounds(problem, sizes)
  local groups, least = cost.best_partition(problem, round, VOLUME, { singles = true })
  if cost.of_partition(problem, round, VOLUME, natural) <= least then return natural end
  return groups
end

function combining.schedules(problem)
  return { route.schedule(problem, combining.groups(problem), "combining") }
end

return combining
