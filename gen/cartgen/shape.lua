-- SPDX-License-Identifier: MIT
-- Shapes: which bytes of memory a datatype names, in their order, as loops around runs.
--
-- A Shape is immutable and one of
--   empty
--   run  {at, bytes, base, elem}     bytes side by side
--   loop {at, count, stride, body}   body `count` times, `stride` bytes apart
--   list {at, count, index, scale, body, lengths, stride}
--                                    body at index[i] * scale for i < count, `index` a parameter list known at run
--                                    time; with the list `lengths`: lengths[i] bodies there, `stride` bytes apart
--   seq  {at, items}                 items one after the other
-- `at` is where it begins, from the origin of the shape around it; body and the first item begin at 0. `base` names the
-- array (nil: the one the caller passes), `elem` the basic type of the bytes (nil: of no matter). All lengths are bytes,
-- Exprs. The constructors merge what touches: a loop around a run that fills its stride is a run, loops that continue
-- each other are one loop, runs side by side are one; runs of different elements are apart, until `untyped`.
local record = require "cartgen.record"
local expr = require "cartgen.expr"

local shape = {}

local FIELDS = {
  empty = {}, run = { bytes = "required", base = "optional", elem = "optional" },
  loop = { count = "required", stride = "required", body = "required" }, seq = { items = "required" },
  list = { count = "required", index = "required", scale = "required", body = "required", lengths = "optional",
    stride = "optional" },
}

local make = {}
for kind, fields in pairs(FIELDS) do
  fields.kind, fields.at, fields.key, fields.size = "required", "required", "required", "required"
  make[kind] = record.define("Shape", fields)
end

local ZERO, ONE = expr.of(0), expr.of(1)
local EMPTY = make.empty { kind = "empty", at = ZERO, key = "empty", size = ZERO }

local function is_number(e, n) return expr.is_const(e) and expr.value(e) == n end

--- Is v a shape?
function shape.is(v) return record.type(v) == "Shape" end

--- The same shape `by` bytes further on.
function shape.shift(s, by)
  if s.kind == "empty" or is_number(expr.of(by), 0) then return s end
  local values = {}
  for key, value in pairs(s) do values[key] = value end
  values.at = expr.add(s.at, by)
  return make[s.kind](values)
end

--- `bytes` side by side at 0 of array `base`, of basic type `elem`.
function shape.run(bytes, base, elem)
  bytes = expr.of(bytes)
  if is_number(bytes, 0) then return EMPTY end
  local key = expr.key(bytes) .. (elem and " " .. elem or "") .. (base and " of " .. base or "")
  return make.run { kind = "run", at = ZERO, bytes = bytes, base = base, elem = elem, size = bytes, key = key }
end

--- body `count` times, `stride` bytes apart. Counts that are parameters are 0 or more.
function shape.loop(count, stride, body)
  count, stride = expr.of(count), expr.of(stride)
  if is_number(count, 0) or body.kind == "empty" then return EMPTY end
  if is_number(count, 1) then return body end
  local at = body.at
  body = shape.shift(body, expr.neg(at))
  local made
  if body.kind == "run" and expr.equal(stride, body.bytes) then
    made = shape.run(expr.mul(count, stride), body.base, body.elem)
  elseif body.kind == "loop" and expr.equal(stride, expr.mul(body.count, body.stride)) then
    made = shape.loop(expr.mul(count, body.count), body.stride, body.body)
  else
    made = make.loop { kind = "loop", at = ZERO, count = count, stride = stride, body = body,
      size = expr.mul(count, body.size),
      key = ("%s x %s (%s)"):format(expr.key(count), expr.key(stride), body.key) }
  end
  return shape.shift(made, at)
end

--- body at places that a parameter list gives. args: count, index (name), scale (bytes), body, and lengths (name), stride.
function shape.list(args)
  local count, body = expr.of(args.count), args.body
  if is_number(count, 0) or body.kind == "empty" then return EMPTY end
  local at, scale = body.at, expr.of(args.scale)
  local stride = args.lengths and expr.of(args.stride) or nil
  body = shape.shift(body, expr.neg(at))
  local copies = args.lengths and ("; %s x %s"):format(args.lengths, expr.key(stride)) or ""
  local times = args.lengths and expr.total(args.lengths, count) or count
  return shape.shift(make.list { kind = "list", at = ZERO, count = count, index = args.index, scale = scale, body = body,
    lengths = args.lengths, stride = stride, size = expr.mul(times, body.size),
    key = ("%s at %s x %s%s (%s)"):format(expr.key(count), args.index, expr.key(scale), copies, body.key) }, at)
end

-- Two runs of one array, the second where the first ends: the run that both are.
local function joined(a, b)
  if not a or a.kind ~= "run" or b.kind ~= "run" or a.base ~= b.base or a.elem ~= b.elem then return nil end
  if not expr.equal(b.at, expr.add(a.at, a.bytes)) then return nil end
  return shape.shift(shape.run(expr.add(a.bytes, b.bytes), a.base, a.elem), a.at)
end

local function append(out, s)
  if s.kind == "seq" then
    for _, item in ipairs(s.items) do append(out, shape.shift(item, s.at)) end
  elseif s.kind ~= "empty" then
    local run = joined(out[#out], s)
    if run then out[#out] = run else out[#out + 1] = s end
  end
end

--- Items one after the other; each begins at its own `at`.
function shape.seq(items)
  local flat = {}
  for _, item in ipairs(items) do append(flat, item) end
  if #flat == 0 then return EMPTY end
  if #flat == 1 then return flat[1] end
  local at = flat[1].at
  local keys = {}
  for i, item in ipairs(flat) do
    flat[i] = shape.shift(item, expr.neg(at))
    keys[i] = ("%s @ %s"):format(item.key, expr.key(flat[i].at))
  end
  local sizes = {}
  for i, item in ipairs(flat) do sizes[i] = item.size end
  return make.seq { kind = "seq", at = at, items = flat, size = expr.sum(sizes), key = table.concat(keys, ", ") }
end

--- Equal but for where they begin?
function shape.alike(a, b) return a.key == b.key end

-- First byte and one past the last byte of s from its origin, for arrays of one base.
local function reach(s)
  if s.kind == "run" then return ZERO, s.bytes end
  if s.kind == "loop" then
    local low, high = reach(s.body)
    local last = expr.mul(expr.sub(s.count, ONE), s.stride)
    -- The sign of the last step is that of the stride: a loop that runs at all has a count of 1 or more.
    local sign = expr.sign(s.stride)
    if sign == 1 or sign == 0 then return low, expr.add(high, last) end
    if sign == -1 then return expr.add(low, last), high end
    return expr.add(low, expr.min(ZERO, last)), expr.add(high, expr.max(ZERO, last))
  end
  if s.kind == "list" then
    local low, high = reach(s.body)
    local stride = s.stride or ZERO
    return expr.list_place("low", s.index, s.lengths, s.count, s.scale, stride, low),
      expr.list_place("high", s.index, s.lengths, s.count, s.scale, stride, high)
  end
  local low, high
  for _, item in ipairs(s.items) do
    local from, to = shape.bounds(item)
    low, high = low and expr.min(low, from) or from, high and expr.max(high, to) or to
  end
  return low, high
end

--- First byte touched and one past the last one, from the origin; 0, 0 for the empty shape.
function shape.bounds(s)
  if s.kind == "empty" then return ZERO, ZERO end
  local low, high = reach(s)
  return expr.add(s.at, low), expr.add(s.at, high)
end

--- The same places in the same order with every run made anew by make_run(run), through the constructors, so that
--- what touches then is merged.
function shape.map_runs(s, make_run)
  if s.kind == "empty" then return s end
  local made
  if s.kind == "run" then
    made = make_run(s)
  elseif s.kind == "loop" then
    made = shape.loop(s.count, s.stride, shape.map_runs(s.body, make_run))
  elseif s.kind == "list" then
    made = shape.list { count = s.count, index = s.index, scale = s.scale, lengths = s.lengths, stride = s.stride,
      body = shape.map_runs(s.body, make_run) }
  else
    local items = {}
    for i, item in ipairs(s.items) do items[i] = shape.map_runs(item, make_run) end
    made = shape.seq(items)
  end
  return shape.shift(made, s.at)
end

--- Without the types of elements.
function shape.untyped(s)
  return shape.map_runs(s, function(run) return shape.run(run.bytes, run.base) end)
end

--- Of array `base`, wherever its runs were.
function shape.rebase(s, base)
  return shape.map_runs(s, function(run) return shape.run(run.bytes, base, run.elem) end)
end

--- The packed stream: every run at its place in it, in order, types kept.
function shape.packed(s)
  if s.kind == "empty" then return s end
  if s.kind == "run" then return shape.run(s.bytes, nil, s.elem) end
  if s.kind == "loop" then return shape.loop(s.count, s.body.size, shape.packed(s.body)) end
  if s.kind == "list" then
    local times = s.lengths and expr.total(s.lengths, s.count) or s.count
    return shape.loop(times, s.body.size, shape.packed(s.body))
  end
  local items, at = {}, ZERO
  for i, item in ipairs(s.items) do
    items[i] = shape.shift(shape.packed(item), at)
    at = expr.add(at, item.size)
  end
  return shape.seq(items)
end

--- Calls visit(expression) for all that decide where the bytes are, and visit_list(name, count) for the lists.
function shape.each_expr(s, visit, visit_list)
  if s.kind == "empty" then return end
  visit(s.at)
  if s.kind == "run" then
    visit(s.bytes)
  elseif s.kind == "seq" then
    for _, item in ipairs(s.items) do shape.each_expr(item, visit, visit_list) end
  else
    visit(s.count)
    if s.stride then visit(s.stride) end
    if s.kind == "list" then
      visit(s.scale)
      visit_list(s.index, s.count)
      if s.lengths then visit_list(s.lengths, s.count) end
    end
    shape.each_expr(s.body, visit, visit_list)
  end
end

--- Adds the names of the parameters of a shape to a set.
function shape.note(set, s)
  shape.each_expr(s, function(e) expr.note(set, e) end, function(name) set[name] = true end)
end

local function body_text(s)
  if s.kind == "run" then
    return expr.text(s.bytes) .. " bytes" .. (s.elem and " of " .. s.elem or "") .. (s.base and " in " .. s.base or "")
  elseif s.kind == "loop" then
    return ("%s step %s of %s"):format(expr.text(s.count), expr.text(s.stride), body_text(s.body))
  elseif s.kind == "list" then
    local copies = s.lengths and ("%s step %s of "):format(s.lengths, expr.text(s.stride)) or ""
    return ("%s at %s step %s of %s%s"):format(expr.text(s.count), s.index, expr.text(s.scale), copies, body_text(s.body))
  end
  local out = {}
  for i, item in ipairs(s.items) do out[i] = shape.text(item) end
  return "(" .. table.concat(out, "; ") .. ")"
end

--- Stable text, different for shapes that differ; origin (nil: the shape's own): where it begins.
function shape.text(s, origin)
  if s.kind == "empty" then return "0 bytes at 0" end
  return body_text(s) .. " at " .. expr.text(origin or s.at)
end

--- Calls visit(at, bytes, base, elem) for every run of a constant shape, in order, `at` from `origin` (numbers).
function shape.each_run(s, origin, visit)
  if s.kind == "empty" then return end
  local at = origin + expr.value(s.at)
  if s.kind == "run" then
    visit(at, expr.value(s.bytes), s.base, s.elem)
  elseif s.kind == "seq" then
    for _, item in ipairs(s.items) do shape.each_run(item, at, visit) end
  else
    local stride = expr.value(s.stride)
    for i = 0, expr.value(s.count) - 1 do shape.each_run(s.body, at + i * stride, visit) end
  end
end

--- Number of runs of a constant shape; nil when a parameter decides.
function shape.runs(s)
  if s.kind == "empty" then return 0 end
  if not expr.is_const(s.at) then return nil end
  if s.kind == "run" then return expr.is_const(s.bytes) and 1 or nil end
  if s.kind == "list" then return nil end
  if s.kind == "loop" then
    local inner = shape.runs(s.body)
    if not (inner and expr.is_const(s.count) and expr.is_const(s.stride)) then return nil end
    return inner * expr.value(s.count)
  end
  local total = 0
  for _, item in ipairs(s.items) do
    local n = shape.runs(item)
    if not n then return nil end
    total = total + n
  end
  return total
end

return shape
