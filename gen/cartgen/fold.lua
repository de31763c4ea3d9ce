-- SPDX-License-Identifier: MIT
-- The canonical form of a shape: the same bytes in the same order, however they were written, give the same shape.
--
-- A constant shape is written out as runs, those that touch are merged, and what repeats is folded into loops again:
-- first what repeats from end to end, with the shortest period, then the longest repetitions inside. This decides
-- equality for all shapes up to `fold.most_runs` runs. Larger ones and those with parameters are folded as they were
-- written: equal nests of loops are equal, and so are lists that repeat. (Normal forms of derived datatypes: Ganian,
-- Kalany, Szeider, Traff, Polynomial-time construction of optimal MPI derived datatype trees, IPDPS 2016.)
local expr = require "cartgen.expr"
local shape = require "cartgen.shape"

local fold = {}

--- Up to this many runs a constant shape is written out.
fold.most_runs = 4096

-- Longest period that is looked for inside a list, and fewest repetitions that are folded there.
local LONGEST_PERIOD = 16
local FEWEST = 3

local function step_between(items, i, j)
  if not shape.alike(items[i], items[j]) then return nil end
  return expr.sub(items[j].at, items[i].at)
end

-- How often items[first .. first + period - 1] repeat with one step, and the step.
local function repeats(items, first, period, last)
  local step
  local count = 1
  while first + (count + 1) * period - 1 <= last do
    for i = first + (count - 1) * period, first + count * period - 1 do
      local here = step_between(items, i, i + period)
      if not here or (step and not expr.equal(here, step)) then return count, step end
      step = step or here
    end
    count = count + 1
  end
  return count, step
end

local function slice(items, first, last)
  local out = {}
  for i = first, last do out[#out + 1] = items[i] end
  return out
end

local fold_items

local function loop_of(items, first, period, count, step)
  return shape.loop(count, step, fold_items(slice(items, first, first + period - 1)))
end

-- The longest repetition that begins at item i.
local function best_at(items, i)
  local best
  for period = 1, math.min(LONGEST_PERIOD, math.floor((#items - i + 1) / FEWEST)) do
    local count, step = repeats(items, i, period, #items)
    if count >= FEWEST and (not best or count * period > best.count * best.period) then
      best = { period = period, count = count, step = step }
    end
  end
  return best
end

local function fold_inside(items)
  local out, i, folded = {}, 1, false
  while i <= #items do
    local best = best_at(items, i)
    if best then
      out[#out + 1] = loop_of(items, i, best.period, best.count, best.step)
      i, folded = i + best.period * best.count, true
    else
      out[#out + 1] = items[i]
      i = i + 1
    end
  end
  return out, folded
end

function fold_items(items)
  local n = #items
  if n == 1 then return items[1] end
  for period = 1, math.floor(n / 2) do
    if n % period == 0 then
      local count, step = repeats(items, 1, period, n)
      if count * period == n then return loop_of(items, 1, period, count, step) end
    end
  end
  local out, folded = fold_inside(items)
  if folded then return fold_items(out) end
  return shape.seq(out)
end

local function written_out(s)
  local runs = {}
  shape.each_run(s, 0, function(at, bytes, base, elem)
    local last = runs[#runs]
    if last and last.base == base and last.elem == elem and last.at + last.bytes == at then
      last.bytes = last.bytes + bytes
    else
      runs[#runs + 1] = { at = at, bytes = bytes, base = base, elem = elem }
    end
  end)
  local items = {}
  for i, run in ipairs(runs) do items[i] = shape.shift(shape.run(run.bytes, run.base, run.elem), run.at) end
  return items
end

--- The canonical form of a shape.
function fold.canonical(s)
  local count = shape.runs(s)
  if count == 0 then return s end
  if count and count <= fold.most_runs then return fold_items(written_out(s)) end
  if s.kind == "loop" then return shape.shift(shape.loop(s.count, s.stride, fold.canonical(s.body)), s.at) end
  if s.kind == "list" then
    return shape.shift(shape.list { count = s.count, index = s.index, scale = s.scale, lengths = s.lengths,
      stride = s.stride, body = fold.canonical(s.body) }, s.at)
  end
  if s.kind ~= "seq" then return s end
  local items = {}
  for i, item in ipairs(s.items) do items[i] = fold.canonical(item) end
  local flat = shape.seq(items)
  if flat.kind ~= "seq" then return shape.shift(flat, s.at) end
  return shape.shift(fold_items(flat.items), expr.add(s.at, flat.at))
end

return fold
