-- SPDX-License-Identifier: MIT
-- Checks at init of what is written into: does a shape, for these parameters, touch a byte twice? What is looked at are
-- loops, each with the loop around it, and the entries of each list; only what is certain is refused.
local c = require "cartgen.ctree"
local expr = require "cartgen.expr"
local kernel = require "cartgen.kernel"

local overlap = {}

local ZERO, ONE = expr.of(0), expr.of(1)

-- What is 0 where s has no copies of its body.
local function present(s)
  return expr.support(s.lengths and expr.total(s.lengths, s.count) or s.count)
end

-- A run in s: its bytes, and what is 0 where it is not there; nil: all lie at places of lists.
local function run_in(s)
  if s.kind == "run" then return s.bytes, ONE end
  if s.kind == "loop" then
    local bytes, guard = run_in(s.body)
    return bytes, bytes and expr.mul(guard, present(s))
  end
  local best, best_guard
  for _, item in ipairs(s.kind == "seq" and s.items or {}) do
    local bytes, guard = run_in(item)
    if bytes and (not best or expr.is_const(bytes) and expr.is_const(best) and expr.value(bytes) > expr.value(best)) then
      best, best_guard = bytes, guard
    end
  end
  return best, best_guard
end

local function never_negative(e)
  local sign = expr.sign(e)
  return sign == 0 or sign == 1
end

-- Is |step| certainly `bytes` or more?
local function steps_over(step, bytes)
  return never_negative(expr.sub(step, bytes)) or never_negative(expr.sub(expr.neg(step), bytes))
end

-- Does a step certainly pass all that a loop {count, stride} of runs of `bytes` touches?
local function passes(step, inner, bytes)
  local reach = expr.mul(expr.sub(inner.count, ONE), inner.stride)
  if never_negative(inner.stride) then return steps_over(step, expr.add(bytes, reach)) end
  return never_negative(expr.neg(inner.stride)) and steps_over(step, expr.sub(bytes, reach))
end

-- Calls visit(s, guard) for every loop and list in s; guard: what is 0 where it is not there.
local function each_repeat(s, guard, visit)
  if s.kind == "seq" then
    for _, item in ipairs(s.items) do each_repeat(item, guard, visit) end
  elseif s.kind == "loop" or s.kind == "list" then
    visit(s, guard)
    each_repeat(s.body, expr.mul(guard, present(s)), visit)
  end
end

local ALONE = { count = ONE, stride = ZERO }

-- Test of a loop, with the loop right in it where there is one; nil: its copies are apart for sure, or that is not known.
local function test_of(s, guard)
  local inner = s.body.kind == "loop" and s.body or ALONE
  local bytes, there = run_in(inner.body or s.body)
  if not bytes or passes(s.stride, inner, bytes) or inner ~= ALONE and passes(inner.stride, s, bytes) then return nil end
  return c.macro("cartgen_loops_meet", { s.count, s.stride, inner.count, inner.stride,
    expr.choose(expr.mul(guard, there), bytes, ZERO) })
end

--- Tests of the loops of a shape: values of C that are not 0 where they meet.
function overlap.tests(s)
  local out, tested = {}, {}
  each_repeat(s, ONE, function(loop, guard)
    if loop.kind ~= "loop" or tested[loop] then return end
    local test = test_of(loop, guard)
    out[#out + 1] = test
    -- The innermost loop of two is part of their test.
    tested[loop.body] = test ~= nil and loop.body.kind == "loop" and loop.body.body.kind ~= "loop"
  end)
  return out
end

local function has_calls(e)
  local found = false
  expr.each_call(e, function() found = true end)
  return found
end

--- Calls visit(number, bytes, guard) for the lists of a shape, by their numbers in a context, whose entries may not be
--- nearer to each other than `bytes` where `guard` is above 0 (Exprs without calls: others are not looked at).
function overlap.each_list(context, s, visit)
  each_repeat(s, ONE, function(list, guard)
    local bytes, there = run_in(list.body)
    if list.kind ~= "list" or not bytes then return end
    guard = expr.mul(guard, there)
    if not has_calls(bytes) and not has_calls(guard) then visit(kernel.list_of(context, list), bytes, guard) end
  end)
end

return overlap
