-- SPDX-License-Identifier: MIT
-- Kernels before any C: loops around moves that walk two sides at once.
--
-- A Kernel is one of
--   move   {bytes, base, elem}      a run
--   loop   {count, step, body}
--   list   {list, body}             body at places known at run time: number `list` of the context's lists
--   places {places, body}           body (a move) at constant places, numbers
--   pieces {pieces}                 runs of different lengths at constant places {at, bytes}, numbers
--   seq    {items}
--   part   {part, base}             another kernel of the context, as a function of its own
-- `at`, `step` and `base` hold a value for each side: l is where the layout lies, p the packed stream (or, for copies,
-- the layout that is read); at is from the origin of the kernel around, in bytes (Exprs). size is in bytes of the stream.
local record = require "cartgen.record"
local expr = require "cartgen.expr"
local fold = require "cartgen.fold"
local shape = require "cartgen.shape"

local kernel = {}

local node = record.define("Kernel", { kind = "required", at = "required", size = "required",
  bytes = "optional", base = "optional", elem = "optional", count = "optional", step = "optional", body = "optional",
  list = "optional", places = "optional", pieces = "optional", items = "optional", part = "optional" })

local ZERO = expr.of(0)

-- Most items of a seq that are written out, one after the other; most loops among them; most that are gathered in
-- one function.
local MOST_ITEMS, MOST_LOOPS, MOST_CALLS = 8, 2, 10

--- A context: what the kernels of one layout share. lists: {shape, run} of run-time lists, those of context `other`
--- where one is given; parts: kernels.
function kernel.context(other)
  return { lists = other and other.lists or {}, list_ids = other and other.list_ids or {}, parts = {}, part_ids = {} }
end

--- Pseudo parameters: what is known of list k once it was made (field: "bytes", "count").
function kernel.list_field(k, field) return ("list%d.%s"):format(k, field) end

local function with_at(n, p, l)
  local values = {}
  for key, value in pairs(n) do values[key] = value end
  values.at = { p = p, l = l }
  return node(values)
end

--- Number of the run-time list of a shape of kind list in a context.
function kernel.list_of(context, s)
  local run = s.body.kind == "run" and (not s.stride or expr.equal(s.stride, s.body.bytes)) and s.body.bytes or nil
  local key = table.concat({ s.index, expr.key(s.count), expr.key(s.scale), s.lengths or "", s.stride and expr.key(s.stride) or "",
    run and expr.key(run) or "" }, ";")
  if not context.list_ids[key] then
    context.lists[#context.lists + 1] = { shape = s, run = run }
    context.list_ids[key] = #context.lists
  end
  return context.list_ids[key] - 1
end

-- The one base of all runs of a shape: true and its name (nil: the argument), or false.
local function only_base(s)
  local first, base, same = true, nil, true
  shape.map_runs(s, function(run)
    if first then first, base = false, run.base end
    same = same and run.base == base
    return run
  end)
  return same, base
end

local build

-- s without its one base, from its first byte on; that base (nil: the argument, or several).
local function from_zero(s)
  local same, base = only_base(s)
  local inner = same and base and shape.rebase(s, nil) or s
  return shape.shift(inner, expr.neg(inner.at)), same and base or nil
end

-- The kernel of s in a function of its own, shared by equal shapes.
local function part_of(context, s)
  local inner, base = from_zero(s)
  if not context.part_ids[inner.key] then
    local k = build(context, inner)
    context.parts[#context.parts + 1] = k
    context.part_ids[inner.key] = #context.parts
  end
  local id = context.part_ids[inner.key]
  local k = context.parts[id]
  return node { kind = "part", at = { p = ZERO, l = s.at }, size = k.size, part = id - 1,
    base = { l = base } }
end

local function table_of(s)
  local pieces, equal = {}, true
  shape.each_run(s, 0, function(at, bytes)
    pieces[#pieces + 1] = { at = at, bytes = bytes }
    equal = equal and bytes == pieces[1].bytes
  end)
  local _, base = only_base(s)
  local elem
  shape.each_run(s, 0, function(_, _, _, e) elem = e end)
  if not equal then
    return node { kind = "pieces", at = { p = ZERO, l = ZERO }, size = s.size, pieces = pieces,
      base = { l = base }, elem = elem }
  end
  local places = {}
  for i, piece in ipairs(pieces) do places[i] = piece.at end
  local bytes = expr.of(pieces[1].bytes)
  return node { kind = "places", at = { p = ZERO, l = ZERO }, size = s.size, places = places,
    body = node { kind = "move", at = { p = ZERO, l = ZERO }, size = bytes, bytes = bytes, base = { l = base },
      elem = elem } }
end

local function one_type(s)
  local first, elem, same = true, nil, true
  shape.map_runs(s, function(run)
    if first then first, elem = false, run.elem end
    same = same and run.elem == elem
    return run
  end)
  return same
end

local function loops_in(items)
  local n = 0
  for _, item in ipairs(items) do
    if item.kind ~= "run" then n = n + 1 end
  end
  return n
end

local function group(items, first, last)
  local out = {}
  for i = first, last do out[#out + 1] = items[i] end
  return shape.seq(out)
end

local function seq_of(context, s)
  local items = s.items
  local runs = shape.runs(s)
  local same = only_base(s)
  if #items > MOST_ITEMS and runs and runs <= fold.most_runs and same and one_type(s) then return table_of(s) end
  local as_parts = loops_in(items) > MOST_LOOPS
  if #items > MOST_CALLS then -- several levels of functions
    local groups, per = {}, math.max(MOST_CALLS, math.ceil(#items / MOST_CALLS))
    for first = 1, #items, per do groups[#groups + 1] = group(items, first, math.min(first + per - 1, #items)) end
    items, as_parts = groups, true
  end
  local out, at = {}, ZERO
  for i, item in ipairs(items) do
    local k = (as_parts and item.kind ~= "run") and part_of(context, item) or build(context, item)
    out[i] = with_at(k, at, item.at)
    at = expr.add(at, k.size)
  end
  return node { kind = "seq", at = { p = ZERO, l = ZERO }, size = at, items = out }
end

function build(context, s)
  local origin = { p = ZERO, l = s.at }
  if s.kind == "run" then
    return node { kind = "move", at = origin, size = s.bytes, bytes = s.bytes, base = { l = s.base }, elem = s.elem }
  elseif s.kind == "loop" then
    local body = build(context, s.body)
    return node { kind = "loop", at = origin, size = expr.mul(s.count, body.size), count = s.count,
      step = { p = body.size, l = s.stride }, body = body }
  elseif s.kind == "list" then
    local id = kernel.list_of(context, s)
    local body = build(context, s.body)
    local size = expr.mul(s.count, body.size)
    if s.lengths then
      size = context.lists[id + 1].run and expr.param(kernel.list_field(id, "bytes"))
        or expr.mul(expr.param(kernel.list_field(id, "count")), body.size)
    end
    return node { kind = "list", at = origin, size = size, list = id, body = body }
  elseif s.kind == "empty" then
    return node { kind = "seq", at = origin, size = ZERO, items = {} }
  end
  local k = seq_of(context, s)
  return with_at(k, ZERO, expr.add(s.at, k.at.l))
end

--- The kernel that walks a shape and its packed stream. Its own at.l is 0: the caller adds the shape's.
function kernel.packed(context, s)
  return build(context, shape.shift(s, expr.neg(s.at)))
end

-- ---------------------------------------------------------------- copies: two layouts at once

local zip

-- run as a loop of `count` runs.
local function cut(run, count, bytes)
  return { count = count, stride = bytes, body = shape.run(bytes, run.base, run.elem) }
end

-- s (a loop) as a loop of `count` items: outer * inner = s.count, or nil.
local function regrouped(s, count)
  local inner = expr.divide(s.count, count)
  if not inner then return nil end
  return { count = count, stride = expr.mul(inner, s.stride), body = shape.loop(inner, s.stride, s.body) }
end

local function pair(context, count, a, b)
  local body = zip(context, a.body, b.body)
  return body and node { kind = "loop", at = { l = ZERO, p = ZERO }, size = expr.mul(count, body.size), count = count,
    step = { l = a.stride, p = b.stride }, body = body }
end

local function zip_loops(context, a, b)
  if a.kind == "run" and b.kind == "run" then
    return expr.equal(a.bytes, b.bytes) and node { kind = "move", at = { l = ZERO, p = ZERO }, size = a.bytes, bytes = a.bytes,
      base = { l = a.base, p = b.base } }
  elseif a.kind == "run" then
    return pair(context, b.count, cut(a, b.count, b.body.size), b)
  elseif b.kind == "run" then
    return pair(context, a.count, a, cut(b, a.count, a.body.size))
  elseif expr.equal(a.count, b.count) then
    return pair(context, a.count, a, b)
  end
  local finer = regrouped(b, a.count)
  if finer then return pair(context, a.count, a, finer) end
  finer = regrouped(a, b.count)
  return finer and pair(context, b.count, finer, b)
end

-- The kernel of a and b from their first bytes on, in a function of its own, shared by equal pairs; or nil.
local function pair_part(context, a, b)
  local to, to_base = from_zero(a)
  local from, from_base = from_zero(b)
  local key = to.key .. " <- " .. from.key
  if not context.part_ids[key] then
    local k = zip(context, to, from)
    if not k then return nil end
    context.parts[#context.parts + 1] = k
    context.part_ids[key] = #context.parts
  end
  local id = context.part_ids[key]
  local k = context.parts[id]
  return node { kind = "part", at = k.at, size = k.size, part = id - 1, base = { l = to_base, p = from_base } }
end

local function zip_items(context, a, b)
  local items, as_parts = {}, loops_in(a.items) > MOST_LOOPS
  for i, item in ipairs(a.items) do
    local other = b.items[i]
    local k
    if as_parts and item.kind ~= "run" then
      k = pair_part(context, item, other)
    else
      k = zip(context, shape.shift(item, expr.neg(item.at)), shape.shift(other, expr.neg(other.at)))
    end
    if not k then return nil end
    items[i] = with_at(k, other.at, item.at)
  end
  return node { kind = "seq", at = { l = ZERO, p = ZERO }, size = a.size, items = items }
end

local SIMPLE = { run = true, loop = true }

-- Kernel of both from their first bytes on, or nil where they do not divide each other.
function zip(context, a, b)
  local k
  if not expr.equal(a.size, b.size) then return nil end
  if SIMPLE[a.kind] and SIMPLE[b.kind] then
    k = zip_loops(context, shape.shift(a, expr.neg(a.at)), shape.shift(b, expr.neg(b.at)))
  elseif a.kind == "seq" and b.kind == "seq" and #a.items == #b.items and #a.items <= MOST_ITEMS then
    k = zip_items(context, a, b)
  end
  return k and with_at(k, b.at, a.at)
end

--- The kernel that copies from layout `from` to layout `to`, or nil where it takes a buffer. at is 0 on both sides: the
--- caller adds the shapes'.
function kernel.copy(context, to, from)
  return zip(context, shape.shift(to, expr.neg(to.at)), shape.shift(from, expr.neg(from.at)))
end

return kernel
