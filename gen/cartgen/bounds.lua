-- SPDX-License-Identifier: MIT
-- Bounds of what may be there: a list of spans, each with the condition under which there is one.
--
-- A span is {guard, low, high, align}: Exprs in bytes; it is there when guard, a product of counts, is above 0. What
-- has no span is empty, and its bounds are 0. align (nil: of no matter): alignment of the elements in it.
local expr = require "cartgen.expr"

local bounds = {}

local ZERO, ONE = expr.of(0), expr.of(1)

local function larger(a, b) return a and b and math.max(a, b) or a or b end

-- Spans of one guard are one; those that are never there vanish.
local function grouped(spans)
  if #spans < 2 then return spans end
  local out, at = {}, {}
  for _, span in ipairs(spans) do
    local key = expr.key(span.guard)
    local known = at[key] and out[at[key]]
    if known then
      out[at[key]] = { guard = span.guard, low = expr.min(known.low, span.low), high = expr.max(known.high, span.high),
        align = larger(known.align, span.align) }
    else
      out[#out + 1] = span
      at[key] = #out
    end
  end
  return out
end

--- One span that is always there.
function bounds.span(low, high, align) return { { guard = ONE, low = low, high = high, align = align } } end

-- change(span) -> low, high, for those that `times` (a count) leaves.
local function each(spans, times, change)
  local out = {}
  for _, span in ipairs(spans) do
    local guard = expr.support(expr.mul(times, span.guard))
    if not expr.equal(guard, ZERO) then
      local low, high = change(span)
      out[#out + 1] = { guard = guard, low = low, high = high, align = span.align }
    end
  end
  return grouped(out)
end

--- All of them `by` bytes further on.
function bounds.shift(spans, by)
  if expr.equal(by, ZERO) then return spans end
  return each(spans, ONE, function(span) return expr.add(span.low, by), expr.add(span.high, by) end)
end

--- `count` times, `stride` bytes apart.
function bounds.loop(count, stride, spans)
  local last = expr.mul(expr.sub(count, ONE), stride)
  -- A loop that runs at all has a count of 1 or more: the sign of the last step is that of the stride.
  local sign = expr.is_const(count) and expr.is_const(stride) and expr.sign(last) or expr.sign(stride)
  local down = sign == -1 and last or sign == nil and expr.min(ZERO, last) or ZERO
  local up = (sign == 1 or sign == 0) and last or sign == nil and expr.max(ZERO, last) or ZERO
  return each(spans, count, function(span) return expr.add(span.low, down), expr.add(span.high, up) end)
end

--- At the places of a list: index, lengths (names), count, scale, stride as in shape.list.
function bounds.list(args, spans)
  local times = args.lengths and expr.total(args.lengths, args.count) or args.count
  local function place(op, at)
    return expr.list_place(op, args.index, args.lengths, args.count, args.scale, args.stride or ZERO, at)
  end
  return each(spans, times, function(span) return place("low", span.low), place("high", span.high) end)
end

--- The spans of several lists.
function bounds.join(lists)
  local out = {}
  for _, spans in ipairs(lists) do
    for _, span in ipairs(spans) do out[#out + 1] = span end
  end
  return grouped(out)
end

--- The spans of a shape. align(elem): alignment of a basic type, or nil.
function bounds.of_shape(s, align)
  if s.kind == "empty" then return {} end
  local spans
  if s.kind == "run" then
    spans = { { guard = expr.support(s.bytes), low = ZERO, high = s.bytes, align = align and align(s.elem) } }
  elseif s.kind == "loop" then
    spans = bounds.loop(s.count, s.stride, bounds.of_shape(s.body, align))
  elseif s.kind == "list" then
    spans = bounds.list(s, bounds.of_shape(s.body, align))
  else
    local lists = {}
    for i, item in ipairs(s.items) do lists[i] = bounds.of_shape(item, align) end
    spans = bounds.join(lists)
  end
  return bounds.shift(spans, s.at)
end

-- field -> the call, and the sign of (other - best).
local EXTREMES = { low = { "lowest", 1 }, high = { "highest", -1 }, align = { "highest", -1 } }

-- Is b's value never better than a's where b is there?
local function covers(a, b, field, sign)
  if not expr.divide(b.guard, a.guard) then return false end
  local s = expr.sign(expr.sub(b[field], a[field]))
  return s == sign or s == 0
end

--- The extreme of a field ("low", "high", "align") over the spans that are there; 0 without any.
function bounds.extreme(spans, field)
  local op, sign = EXTREMES[field][1], EXTREMES[field][2]
  local list, dropped = {}, {}
  for i, span in ipairs(spans) do
    for j, other in ipairs(spans) do
      if i ~= j and not dropped[j] and covers(other, span, field, sign) then dropped[i] = true end
    end
    if not dropped[i] then
      list[#list + 1] = span.guard
      list[#list + 1] = span[field]
    end
  end
  if #list == 0 then return ZERO end
  if #list == 2 then return expr.choose(list[1], list[2], ZERO) end
  return expr.present(op, list)
end

--- Lowest bound and length, and both without regard to what is not there: right only where something is.
function bounds.reach(spans)
  if #spans == 0 then return { low = ZERO, length = ZERO, raw_low = ZERO, raw_length = ZERO } end
  if #spans == 1 then
    local span = spans[1]
    local length = expr.sub(span.high, span.low)
    return { low = expr.choose(span.guard, span.low, ZERO), length = expr.choose(span.guard, length, ZERO),
      raw_low = span.low, raw_length = length, guard = span.guard }
  end
  local low = bounds.extreme(spans, "low")
  local length = expr.sub(bounds.extreme(spans, "high"), low)
  return { low = low, length = length, raw_low = low, raw_length = length }
end

--- Above 0 exactly where a span is there.
function bounds.presence(spans)
  local guards = {}
  for i, span in ipairs(spans) do guards[i] = span.guard end
  return expr.support(expr.sum(guards))
end

--- Is something of `spans` there only where something of `others` is?
function bounds.implied(spans, others)
  for _, span in ipairs(spans) do
    local found = false
    for _, other in ipairs(others) do found = found or expr.divide(span.guard, other.guard) ~= nil end
    if not found then return false end
  end
  return true
end

return bounds
