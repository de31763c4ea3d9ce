-- SPDX-License-Identifier: MIT
-- direct: one message per neighbour, every dimension in one round (the literature's "trivial").
local cost = require "cartgen.cost"
local route = require "cartgen.algorithms.route"

local direct = { name = "direct" }

function direct.schedules(problem)
  return { route.schedule(problem, cost.whole(problem.topology.ndims), "direct") }
end

return direct
