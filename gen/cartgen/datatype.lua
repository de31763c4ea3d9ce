-- SPDX-License-Identifier: MIT
-- Datatypes as MPI defines them (MPI 4.0, 4.1.1 to 4.1.7): which bytes in which order, and bounds.
--
-- A Datatype is made of parts: {shape, marks, counts}.
--   shape   its bytes, every run with the basic type of its elements
--   marks   spans (module bounds) of the explicit bounds that resized and subarray set; they win over those of the
--           bytes wherever one is there
--   counts  what is checked at run time: Exprs that may not be negative, lists {list, count} whose values may not be,
--           lengths of lists {length, wanted} that must agree; and names of own
--           arrays {array}
-- Everything else is computed from these when it is asked for:
--   size, lb, extent, true_lb, true_extent   Exprs, bytes; right for counts of 0 too
--   low, span   lowest byte touched and true extent, right only where the size is not 0 (simpler forms)
--   align       integer, of all its basic types
--   moves       canonical untyped shape: what a kernel is made for
--   signature   canonical typed shape of the packed stream: alike for types of equal signatures
local basics = require "cartgen.basics"
local bounds = require "cartgen.bounds"
local diag = require "cartgen.diag"
local expr = require "cartgen.expr"
local fold = require "cartgen.fold"
local params = require "cartgen.params"
local record = require "cartgen.record"
local shape = require "cartgen.shape"
local util = require "cartgen.util"
local words = require "cartgen.words"

local datatype = {}

local ZERO = expr.of(0)

local function align_of(elem) return basics.of[elem].align end

local derived = {}

function derived.size(t) return t.shape.size end
function derived.spans(t) return bounds.of_shape(t.shape, align_of) end
function derived.reach(t) return bounds.reach(t.spans) end
function derived.true_lb(t) return t.reach.low end
function derived.true_extent(t) return t.reach.length end
function derived.low(t) return t.reach.raw_low end
function derived.span(t) return t.reach.raw_length end
function derived.moves(t) return fold.canonical(shape.untyped(t.shape)) end
function derived.signature(t) return fold.canonical(shape.packed(t.shape)) end

function derived.align(t)
  local most = 1
  for _, span in ipairs(t.spans) do most = math.max(most, span.align) end
  return most
end

-- {low, length} without explicit bounds: the extent is rounded up to the alignment of what is there.
local function natural_bounds(t)
  local reach = t.reach
  if #t.spans == 0 then return { low = ZERO, length = ZERO } end
  if reach.guard then
    return { low = reach.low, length = expr.choose(reach.guard, expr.round_up(reach.raw_length, t.align), ZERO) }
  end
  return { low = reach.low, length = expr.round_up(reach.length, bounds.extreme(t.spans, "align")) }
end

-- {low, length} as MPI_Type_get_extent gives them.
function derived.bounds(t)
  if #t.marks == 0 then return natural_bounds(t) end
  local marked = bounds.reach(t.marks)
  local presence = bounds.presence(t.marks)
  local natural = bounds.implied(t.spans, t.marks) and { low = ZERO, length = ZERO } or natural_bounds(t)
  return { low = expr.choose(presence, marked.raw_low, natural.low),
    length = expr.choose(presence, marked.raw_length, natural.length) }
end

function derived.lb(t) return t.bounds.low end
function derived.extent(t) return t.bounds.length end

local make = record.define("Datatype", { kind = "required", shape = "required", marks = "required", counts = "required",
  type = "optional", dims = "optional" }, derived)

--- Gives all datatypes a method of the description language: f(datatype, ...).
function datatype.method(name, f)
  f = words.exact(name, f, 1)
  derived[name] = function() return f end
end

--- Is v a datatype?
function datatype.is(v) return record.type(v) == "Datatype" end

--- v, or an error that says what it should have been.
function datatype.need(v, what)
  if not datatype.is(v) then diag.fail(nil, "%s is %s, expected a datatype (int, contiguous(n, double), ...)", what, util.show(v)) end
  return v
end

--- A count or displacement: integer or expression; constants may not be less than `low`.
function datatype.count(v, what, low)
  if not (expr.is(v) or util.is_int(v)) then
    diag.fail(nil, "%s is %s, expected an integer or an expression of parameters", what, util.show(v))
  end
  if low and expr.is_const(v) and expr.value(v) < low then
    diag.fail(nil, "%s is %s, expected %d or more", what, util.int(expr.value(v)), low)
  end
  return expr.of(v)
end

--- Entries of a list of counts or displacements as Exprs, or, for a whole list of parameters, {name, length}.
function datatype.list(v, what, low)
  local whole = params.whole(v)
  if whole then return whole end
  if not params.is_list(v) then diag.fail(nil, "%s is %s, expected a list", what, util.show(v)) end
  for key in pairs(v) do
    if not util.is_int(key) or key < 1 or key > #v then
      diag.fail(nil, "%s is not a list: it has the key %s", what, util.show(key))
    end
  end
  local out = {}
  for i = 1, #v do out[i] = datatype.count(v[i], ("%s[%d]"):format(what, i - 1), low) end
  return out
end

-- ---------------------------------------------------------------- parts

-- counts with more of them: Exprs, {list, count} or nested lists of these.
local function with_counts(counts, more)
  local out
  for _, e in ipairs(more) do
    if not (expr.is(e) and expr.is_const(e)) then
      if not out then
        out = {}
        for i, known in ipairs(counts) do out[i] = known end
      end
      out[#out + 1] = e
    end
  end
  return out or counts
end

--- The part with more values that may not be negative.
function datatype.counted(part, more)
  return { shape = part.shape, marks = part.marks, counts = with_counts(part.counts, more) }
end

--- `count` of a part, `stride` bytes apart. Where the sign of a stride of parameters is taken from its form, it is
--- checked at run time: bounds depend on it.
function datatype.repeated(part, count, stride)
  local sign = not expr.is_const(stride) and not expr.equal(count, 1) and expr.sign(stride)
  if sign then part = datatype.counted(part, { sign == 1 and stride or expr.neg(stride) }) end
  return { shape = shape.loop(count, stride, part.shape), marks = bounds.loop(count, stride, part.marks),
    counts = with_counts(part.counts, { count }) }
end

function datatype.shifted(part, by)
  return { shape = shape.shift(part.shape, by), marks = bounds.shift(part.marks, by), counts = part.counts }
end

--- A part at the places of a list of parameters; args as for shape.list.
function datatype.listed(part, args)
  local lengths = args.lengths and { { list = args.lengths, count = args.count } } or {}
  return { shape = shape.list { count = args.count, index = args.index, scale = args.scale, lengths = args.lengths,
      stride = args.stride, body = part.shape },
    marks = bounds.list(args, part.marks), counts = with_counts(with_counts(part.counts, { args.count }), lengths) }
end

--- Parts one after the other, each where it is.
function datatype.joined(parts)
  local shapes, marks, counts = {}, {}, {}
  for i, part in ipairs(parts) do
    shapes[i] = part.shape
    if #part.marks > 0 then marks[#marks + 1] = part.marks end
    for _, e in ipairs(part.counts) do counts[#counts + 1] = e end
  end
  return { shape = shape.seq(shapes), marks = bounds.join(marks), counts = counts }
end

--- The part with explicit bounds, whatever it had.
function datatype.bounded(part, lb, extent)
  return { shape = part.shape, marks = bounds.span(lb, expr.add(lb, extent)), counts = part.counts }
end

--- The part in array `base`.
function datatype.in_array(part, base)
  return { shape = shape.rebase(part.shape, base), marks = part.marks, counts = with_counts(part.counts, { { array = base } }) }
end

--- Datatype of a part.
function datatype.of(kind, part, more)
  return make { kind = kind, shape = part.shape, marks = part.marks, counts = part.counts, type = more and more.type,
    dims = more and more.dims }
end

--- The basic type of a name.
function datatype.basic(name)
  return make { kind = "basic", shape = shape.run(basics.of[name].bytes, nil, name), marks = {}, counts = {} }
end

--- `count` (Expr) elements of a type.
function datatype.contiguous(count, type)
  return datatype.of("contiguous", datatype.repeated(type, count, type.extent))
end

-- The entries of a list of n values; those of a list of parameters are its elements.
local function entries_of(list, n)
  if not list.name then return list end
  local out = {}
  for i = 1, n do out[i] = expr.element(list.name, i - 1) end
  return out
end

local function length_of(list) return list.name and list.length or expr.of(#list) end

-- The one value of a list, or nil.
local function same_value(list)
  for i = 2, #list do
    if not expr.equal(list[i], list[1]) then return nil end
  end
  return list[1]
end

--- Blocks of a type at displs (a list as datatype.list gives) times `unit` bytes. lengths: an Expr, or a list.
function datatype.blocks(what, type, lengths, displs, unit)
  local is_list = not expr.is(lengths)
  local n, agree = length_of(displs), {}
  if is_list and not expr.equal(length_of(lengths), n) then
    local other = length_of(lengths)
    if expr.is_const(expr.sub(other, n)) then
      diag.fail(nil, "%s has %s block lengths and %s displacements", what, expr.text(other), expr.text(n))
    end
    agree[1] = { length = other, wanted = n }
    n = expr.is_const(other) and other or n
  end
  local length = is_list and not lengths.name and same_value(lengths) or not is_list and lengths or nil
  if displs.name and length then
    return datatype.counted(datatype.listed(datatype.repeated(type, length, type.extent),
      { count = n, index = displs.name, scale = unit }), agree)
  elseif displs.name and is_list and lengths.name then
    return datatype.counted(datatype.listed(type, { count = n, index = displs.name, scale = unit, lengths = lengths.name,
      stride = type.extent }), agree)
  end
  local each = is_list and entries_of(lengths, expr.value(n))
  local parts = {}
  for i, displ in ipairs(entries_of(displs, expr.value(n))) do
    parts[i] = datatype.shifted(datatype.repeated(type, each and each[i] or lengths, type.extent), expr.mul(displ, unit))
  end
  return datatype.counted(datatype.joined(parts), agree)
end

--- Blocks of a type in the cells of an array: per dimension, slowest first, {size, first, count}. The place of the
--- whole array in bytes is its second result.
function datatype.cells(type, dims)
  local part, at, stride = type, ZERO, type.extent
  for j = #dims, 1, -1 do
    local dim = dims[j]
    part = datatype.repeated(part, dim.count, stride)
    part = datatype.counted(part, { dim.first, expr.sub(expr.sub(dim.size, dim.count), dim.first) })
    at = expr.add(at, expr.mul(dim.first, stride))
    stride = expr.mul(stride, dim.size)
  end
  return datatype.shifted(part, at), stride
end

-- ---------------------------------------------------------------- what is asked of types

--- What is checked of a type at run time; visit: {count(e), list(name, count), same(length, wanted)}.
function datatype.each_count(t, visit)
  for _, entry in ipairs(t.counts) do
    if expr.is(entry) then
      visit.count(entry)
    elseif entry.array then -- luacheck: ignore 542 (see datatype.arrays)
    elseif entry.list then
      visit.list(entry.list, entry.count)
    else
      visit.same(entry.length, entry.wanted)
    end
  end
end

--- Adds the names of the parameters that a type needs at run time to a set.
function datatype.note(set, t)
  for _, e in ipairs { t.size, t.low, t.span } do expr.note(set, e) end
  shape.note(set, t.moves)
  local function note(e) expr.note(set, e) end
  datatype.each_count(t, { count = note, list = function(name, count)
    set[name] = true
    note(count)
  end, same = function(length, wanted)
    note(length)
    note(wanted)
  end })
end

-- Most runs of two signatures that are compared one by one.
local MOST_RUNS = 1000000

-- The constant signature as {bytes, elem} in order, neighbours of one type joined; nil where it is too long.
local function elements_of(signature)
  local count = shape.runs(signature)
  if not count or count > MOST_RUNS then return nil end
  local out = {}
  shape.each_run(signature, 0, function(_, bytes, _, elem)
    local last = out[#out]
    if last and last.elem == elem then last.bytes = last.bytes + bytes
    else out[#out + 1] = { bytes = bytes, elem = elem } end
  end)
  return out
end

local function signature_text(t)
  local s = t.signature
  local text = s.kind == "empty" and "nothing" or s.kind == "run" and s.elem or shape.text(s)
  return #text > 100 and text:sub(1, 97) .. "..." or text
end

--- What tells two signatures of one size apart, as two texts; nil: they are the same.
function datatype.signatures_differ(a, b)
  if shape.alike(a.signature, b.signature) then return nil end
  local one, two = elements_of(a.signature), elements_of(b.signature)
  if one and two and (#one > 1 or #two > 1) then
    local at = 0
    for i = 1, math.max(#one, #two) do
      local x, y = one[i], two[i]
      if not (x and y) then break end
      if x.elem ~= y.elem then
        local text = "%s at byte %s of its data"
        return text:format(x.elem, util.int(at)), text:format(y.elem, util.int(at))
      end
      at = at + math.min(x.bytes, y.bytes)
      if x.bytes ~= y.bytes then
        local text = "%s at byte %s of its data"
        local function elem_at(list, longer) return longer and list[i].elem or list[i + 1] and list[i + 1].elem end
        local first, second = elem_at(one, x.bytes > y.bytes), elem_at(two, y.bytes > x.bytes)
        if not (first and second) then break end
        return text:format(first, util.int(at)), text:format(second, util.int(at))
      end
    end
    if expr.equal(a.size, b.size) then return nil end
  end
  return signature_text(a), signature_text(b)
end

--- Names of the own arrays of a type, also of those that no byte lies in, in order of appearance.
function datatype.arrays(t)
  local out, seen = {}, {}
  for _, entry in ipairs(t.counts) do
    local name = not expr.is(entry) and entry.array
    if name and not seen[name] then
      seen[name] = true
      out[#out + 1] = name
    end
  end
  return out
end

--- Names of the own arrays of all types, in order of appearance, and whether some bytes are in none.
function datatype.arrays_of(types)
  local out, seen, plain = {}, {}, false
  for _, t in ipairs(types) do
    for _, name in ipairs(datatype.arrays(t)) do
      if not seen[name] then out[#out + 1] = name end
      seen[name] = true
    end
    shape.map_runs(t.shape, function(run)
      plain = plain or run.base == nil
      return run
    end)
  end
  return out, plain
end

--- Names of the own arrays that bytes of the type lie in, in the order of its packed stream.
function datatype.bases(t)
  local out, seen = {}, {}
  shape.map_runs(t.shape, function(run)
    if run.base and not seen[run.base] then out[#out + 1] = run.base end
    seen[run.base or ""] = true
    return run
  end)
  return out
end

--- What of the type lies in its own array `base`, from that array's pointer.
function datatype.part_in(t, base)
  local counts = {}
  for _, entry in ipairs(t.counts) do
    if expr.is(entry) or not entry.array then counts[#counts + 1] = entry end
  end
  local s = shape.map_runs(t.shape, function(run) return shape.run(run.base == base and run.bytes or 0, nil, run.elem) end)
  return datatype.of("part", { shape = s, marks = {}, counts = counts })
end

--- Stable text: size, elements and layout.
function datatype.text(t)
  local s = t.signature
  local elems = s.kind == "empty" and "nothing" or s.kind == "run" and s.elem or shape.text(s)
  return ("%s bytes of %s: %s"):format(expr.text(t.size), elems, shape.text(t.moves))
end

return datatype
