-- SPDX-License-Identifier: MIT
-- partial: dimensions in groups, one round each; the groups given, or the best ones by the model.
local cost = require "cartgen.cost"
local route = require "cartgen.algorithms.route"
local schedule = require "cartgen.schedule"

local partial = { name = "partial" }

-- Parameters whose value is not known when the schedule is chosen count as this.
partial.assumed = 16

function partial.schedules(problem)
  local groups = problem.algorithm.groups
  if not groups then
    local round = cost.rounds(problem, (cost.sizes(problem, partial.assumed)))
    groups = cost.best_partition(problem, round, problem.algorithm.model or cost.default_model)
  end
  return { route.schedule(problem, groups, "partial " .. schedule.partition_text(groups)) }
end

return partial
