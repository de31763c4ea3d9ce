-- SPDX-License-Identifier: MIT
-- auto: the cheapest schedule by the model. What is known when the code is generated decides then;
-- what is known only at init (sizes, extents) decides there, between the few schedules that can win.
local cost = require "cartgen.cost"
local combining = require "cartgen.algorithms.combining"
local dimensionwise = require "cartgen.algorithms.dimensionwise"
local route = require "cartgen.algorithms.route"
local schedule = require "cartgen.schedule"

local auto = { name = "auto" }

-- Most programs in one generated schedule.
auto.most = 3

local function name_of(groups, ndims)
  if #groups == 1 then return "direct" end
  if #groups == ndims then return "combining" end
  return "partial " .. schedule.partition_text(groups)
end

-- The partitions that are cheapest for some block size between 1 byte and 16 MiB per unit, from
-- many small messages dear to volume dear, with how often each won.
local function winners(problem, round, model)
  local list, by_name = {}, {}
  for k = -8, 32 do
    local scaled = { latency = model.latency, per_byte = model.per_byte * 2 ^ (k / 1.25), per_copy = model.per_copy }
    local groups = cost.best_partition(problem, round, scaled)
    local name = schedule.partition_text(groups)
    if not by_name[name] then
      by_name[name] = { groups = groups, wins = 0, first = #list }
      list[#list + 1] = by_name[name]
    end
    by_name[name].wins = by_name[name].wins + 1
  end
  return list
end

local function keep_most(list, most)
  table.sort(list, function(a, b)
    if a.wins ~= b.wins then return a.wins > b.wins end
    return a.first < b.first
  end)
  while #list > most do list[#list] = nil end
  table.sort(list, function(a, b) return a.first < b.first end)
  return list
end

--- The partitions a schedule keeps: direct first, then those that can win.
function auto.partitions(problem)
  local ndims = problem.topology.ndims
  local model = problem.algorithm.model or cost.default_model
  local sizes, constant = cost.sizes(problem, 1)
  local round = cost.rounds(problem, sizes)
  local direct = cost.whole(ndims)
  if constant then
    local groups = cost.best_partition(problem, round, model)
    if problem.topology.dims then return { groups } end
    if #groups == 1 then return { direct } end
    return { direct, groups }
  end
  local list = {}
  for _, entry in ipairs(winners(problem, round, model)) do
    if #entry.groups == ndims and ndims > 1 then entry.groups = combining.groups(problem) end
    if #entry.groups > 1 then list[#list + 1] = entry end
  end
  local partitions = { direct }
  for _, entry in ipairs(keep_most(list, auto.most - 1)) do partitions[#partitions + 1] = entry.groups end
  return partitions
end

-- Where faces can be taken from the array, no partition wins: dimensionwise has the messages of combining and the volume
-- of direct, the least of either.
local function faces(problem)
  local faceted = dimensionwise.schedule(problem)
  if not faceted then return nil end
  local direct = route.schedule(problem, cost.whole(problem.topology.ndims), "direct")
  if #faceted.rounds < 2 then return { direct } end
  local _, constant = cost.sizes(problem, 1)
  if constant and problem.topology.dims then
    local model = problem.algorithm.model or cost.default_model
    return { cost.of_schedule(faceted, model) < cost.of_schedule(direct, model) and faceted or direct }
  end
  return { direct, faceted }
end

function auto.schedules(problem)
  local out = faces(problem)
  if out then return out end
  out = {}
  for i, groups in ipairs(auto.partitions(problem)) do
    out[i] = route.schedule(problem, groups, name_of(groups, problem.topology.ndims))
  end
  return out
end

return auto
