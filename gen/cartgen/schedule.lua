-- SPDX-License-Identifier: MIT
-- Schedules: rounds of messages over relative offsets, before any byte or transport is known.
local record = require "cartgen.record"
local util = require "cartgen.util"

local schedule = {}

-- Where a block is. `need` lists offsets of which at least one must lead from the rank that holds
-- the reference to an existing rank (non-periodic dimensions); {} means always.
schedule.ref = record.define("Ref", { buffer = "required", block = "required", need = "required" })
-- A box of an array in the receive buffer: for every dimension a range, "low" | "inner" | "high" | "all" | "first" |
-- "last": the ghosts on a side, the interior, all of them, the cells of the interior that go to the low (high) neighbour.
-- A Ref with buffer "area" has the 0-based index in the schedule's areas as its block.
schedule.area = record.define("Area", { array = "required", ranges = "required" })
schedule.message = record.define("Message",
  { to = "required", from = "required", send = "required", recv = "required" })
schedule.copy = record.define("Copy", { from = "required", to = "required" })
schedule.round = record.define("Round", { messages = "required", copies = "required" })
-- groups: the ordered partition of the dimensions; temps[j + 1]: the send block that temp block j
-- is a copy of; locals: copies from send to recv blocks.
schedule.schedule = record.define("Schedule",
  { problem = "required", algorithm = "required", groups = "required", locals = "required",
    rounds = "required", temps = "required", areas = "optional" })

--- Text of a partition: {{0}, {1, 2}} -> "{0}{1,2}".
function schedule.partition_text(groups)
  local out = {}
  for i, group in ipairs(groups) do
    local dims = {}
    for j, dim in ipairs(group) do dims[j] = util.int(dim) end
    out[i] = "{" .. table.concat(dims, ",") .. "}"
  end
  return table.concat(out)
end

--- Text of an offset: (1, 0, -1).
function schedule.vector_text(vector)
  local out = {}
  for i, x in ipairs(vector) do out[i] = util.int(x) end
  return "(" .. table.concat(out, ", ") .. ")"
end

--- Text of an area: array 0 [last inner all].
function schedule.area_text(area)
  return ("array %s [%s]"):format(util.int(area.array), table.concat(area.ranges, " "))
end

local function ref_text(ref, areas)
  local text = ref.buffer == "area" and schedule.area_text(areas[ref.block + 1])
    or ref.buffer .. " " .. util.int(ref.block)
  if #ref.need == 0 then return text end
  local need = {}
  for i, vector in ipairs(ref.need) do need[i] = schedule.vector_text(vector) end
  return text .. " if " .. table.concat(need, " or ")
end

--- Stable text form, a line a block.
function schedule.text(s)
  local out = { ("schedule %s: %s, %s"):format(s.problem.name, s.problem.collective, s.algorithm) }
  local function line(...) out[#out + 1] = (...):format(select(2, ...)) end
  for _, copy in ipairs(s.locals) do
    line("  local %s -> %s", ref_text(copy.from), ref_text(copy.to))
  end
  for k, round in ipairs(s.rounds) do
    line("  round %s", util.int(k - 1))
    for _, message in ipairs(round.messages) do
      line("    message to %s: %s blocks", schedule.vector_text(message.to), util.int(#message.send))
      for p, ref in ipairs(message.send) do
        line("      %s -> %s", ref_text(ref, s.areas), ref_text(message.recv[p], s.areas))
      end
    end
    for _, copy in ipairs(round.copies) do
      line("    copy %s -> %s", ref_text(copy.from), ref_text(copy.to))
    end
  end
  return table.concat(out, "\n") .. "\n"
end

return schedule
