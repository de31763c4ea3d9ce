-- SPDX-License-Identifier: MIT
-- Plans: schedules lowered to bytes. What the printer needs, and nothing about how it is printed.
local record = require "cartgen.record"
local expr = require "cartgen.expr"
local schedule = require "cartgen.schedule"
local shape = require "cartgen.shape"
local util = require "cartgen.util"

local plan = {}

-- An address: a base ("send", "recv", or {"out" | "in", message}), the array of that side (nil: it is one buffer), and
-- bytes (Expr).
plan.place = record.define("Place", { base = "required", array = "optional", message = "optional", bytes = "required" })
-- One copy: shape 0 is a contiguous run of `bytes`; else `verb` ("pack", "unpack") by kernel shape.
-- from_shape > 0 and to_shape > 0 is a copy between two laid-out blocks.
plan.move = record.define("Move", { from = "required", to = "required", bytes = "required",
  from_shape = "required", to_shape = "required" })
plan.message = record.define("PlanMessage", { id = "required", message = "required", first_ref = "required",
  pack = "optional", unpack = "optional" })
plan.round = record.define("PlanRound", { messages = "required", copies = "required", first_copy = "required",
  moves = "optional" })
-- straight: moves are there and are printed as straight-line code; else the runtime makes lists.
plan.program = record.define("Program", { schedule = "required", stats = "required", straight = "required",
  rounds = "required", locals = "optional", nrefs = "required", ncopies = "required", first_area = "required" })
-- blocks: {send, recv}: those of the problem, and behind the receive blocks the areas of each program's schedule, from
-- block first_area on.
-- shapes: canonical shapes that are not one run, each printed as one kernel; block_shapes.send[i + 1]
-- is the shape of send block i (0: a run), block_bases.send[i + 1] the number of its array (0 where there is one buffer).
-- pairs: {from, to, kernel, context}, sorted: shapes, numbered like these, between which blocks may move within a rank, each
-- printed as one kernel.
plan.plan = record.define("Plan", { problem = "required", programs = "required", blocks = "required", vectors = "required",
  needs = "required", offsets = "required", shapes = "required", pairs = "required", block_shapes = "required",
  block_bases = "required", vector_ids = "required", need_ids = "required" })

local function place_text(place)
  local base = place.base .. (place.array and "." .. place.array or "")
  if place.message then base = base .. "[" .. util.int(place.message) .. "]" end
  return base .. " + " .. expr.text(place.bytes)
end

local function moves_text(out, moves, indent)
  for _, move in ipairs(moves or {}) do
    out[#out + 1] = ("%s%s <- %s, %s bytes"):format(indent, place_text(move.to), place_text(move.from),
      expr.text(move.bytes))
    if move.from_shape > 0 or move.to_shape > 0 then
      out[#out] = out[#out] .. (", shapes %d -> %d"):format(move.from_shape, move.to_shape)
    end
  end
end

--- Stable text form.
function plan.text(p)
  local out = { "plan " .. p.problem.name }
  for i, s in ipairs(p.shapes) do out[#out + 1] = ("  shape %d: %s"):format(i, shape.text(s, 0)) end
  for _, pair in ipairs(p.pairs) do
    out[#out + 1] = ("  copy of shape %d -> %d"):format(pair.from - 1, pair.to - 1)
  end
  for _, program in ipairs(p.programs) do
    out[#out + 1] = ("  program %s%s"):format(program.schedule.algorithm,
      program.straight and "" or ", by lists made at init")
    moves_text(out, program.locals, "    local ")
    for k, round in ipairs(program.rounds) do
      out[#out + 1] = ("    round %d"):format(k - 1)
      for _, message in ipairs(round.messages) do
        out[#out + 1] = ("      message %d to %s, %d blocks"):format(message.id,
          schedule.vector_text(message.message.to), #message.message.send)
        moves_text(out, message.pack, "        pack   ")
        moves_text(out, message.unpack, "        unpack ")
      end
      moves_text(out, round.moves, "      copy ")
    end
  end
  return table.concat(out, "\n") .. "\n"
end

return plan
