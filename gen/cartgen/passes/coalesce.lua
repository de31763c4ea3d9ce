-- SPDX-License-Identifier: MIT
-- Pass on Plan: neighbouring moves of contiguous runs become one; moves of nothing vanish.
local expr = require "cartgen.expr"
local plan = require "cartgen.plan"

local coalesce = { name = "coalesce" }

local function follows(a, b, bytes)
  return a.base == b.base and a.array == b.array and a.message == b.message and expr.equal(expr.add(a.bytes, bytes), b.bytes)
end

--- List of moves with adjacent ones joined; shapes are left alone.
function coalesce.apply(moves)
  local out = {}
  for _, move in ipairs(moves) do
    local last = out[#out]
    local empty = expr.is_const(move.bytes) and expr.value(move.bytes) == 0
    if not empty and last and last.from_shape + last.to_shape + move.from_shape + move.to_shape == 0
      and follows(last.from, move.from, last.bytes) and follows(last.to, move.to, last.bytes) then
      out[#out] = plan.move { from = last.from, to = last.to, bytes = expr.add(last.bytes, move.bytes),
        from_shape = 0, to_shape = 0 }
    elseif not empty then
      out[#out + 1] = move
    end
  end
  return out
end

return coalesce
