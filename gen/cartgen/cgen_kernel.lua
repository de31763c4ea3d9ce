-- SPDX-License-Identifier: MIT
-- Kernels -> C functions: pack, unpack, copy and reduce of whole layouts, and of a range of bytes (cgen_range).
local c = require "cartgen.ctree"
local expr = require "cartgen.expr"
local forms = require "cartgen.kernel_forms"
local util = require "cartgen.util"

local cgen = {}

local id = c.id

local Emitter = {}
Emitter.__index = Emitter

--- An emitter of the functions of one layout. args: name, context (kernel.context), options (kernel_forms),
--- state {declare: "const NAME_state *layout", name: "layout"}, head(used) (declarations of what is used of it).
function cgen.emitter(args)
  return setmetatable({ name = args.name, context = args.context, options = args.options, state = args.state, head = args.head,
    items = {}, tables = {}, done = {}, ranges = 0, pasts = 0, range_names = {}, rests = {}, verb = nil, used = nil }, Emitter)
end

local VERBS = {
  pack = { to = "p", from = "l" }, unpack = { to = "l", from = "p" }, copy = { to = "l", from = "p" },
}
local REDUCE = { to = "l", from = "p", reduces = true }

--- verb: "pack", "unpack", "copy", or "reduce_OP".
local function verb_of(name) return VERBS[name] or REDUCE end

-- ---------------------------------------------------------------- places

-- A place: a pointer (name; nil: that of the base) and terms to add.
local function place(name, terms) return { name = name, terms = terms or {} } end

-- A place further on; what is an Expr alone is added up, and stands last.
local function plus(at, ...)
  local terms, sum = {}, expr.of(0)
  for _, list in ipairs { at.terms, { ... } } do
    for _, term in ipairs(list) do
      if #term == 1 and expr.is(term[1]) then sum = expr.add(sum, term[1]) else terms[#terms + 1] = term end
    end
  end
  if not expr.equal(sum, 0) then terms[#terms + 1] = { sum } end
  return place(at.name, terms)
end

-- Names of the arrays a kernel touches on a side, as a set; true for the argument itself.
local function bases_of(k, context, side, out)
  out = out or {}
  if k.kind == "part" then
    if k.base[side] then out[k.base[side]] = true else bases_of(context.parts[k.part + 1], context, side, out) end
  elseif k.kind == "move" or k.kind == "pieces" then
    out[k.base[side] or true] = true
  elseif k.items then
    for _, item in ipairs(k.items) do bases_of(item, context, side, out) end
  else
    bases_of(k.body, context, side, out)
  end
  return out
end

local function names_in(bases)
  local out = {}
  for name in pairs(bases) do
    if name ~= true then out[#out + 1] = name end
  end
  table.sort(out)
  return out
end

--- Does a kernel touch named arrays (on side "l" or "p")?
function cgen.over_arrays(k, context, side) return #names_in(bases_of(k, context, side)) > 0 end

--- Adds the names of the parameters of an Expr and the texts of its calls (not of what is in them) to a set.
function cgen.note(used, e)
  for _, term in ipairs(expr.terms(e)) do
    for _, f in ipairs(term.factors) do used[f.op and f.text or f.name] = true end
  end
end

function Emitter:note(e)
  if expr.is(e) then cgen.note(self.used, e) end
  return e
end

-- The pointer to a named array on a side.
function Emitter:array(side, base) return base .. (self.verb.to == side and "_to" or "_from") end

--- Address of a place on side "p" or "l", in array `base` where the place has no pointer.
function Emitter:value(side, at, base)
  for _, term in ipairs(at.terms) do
    for _, factor in ipairs(term) do self:note(factor) end
  end
  local name = at.name or self:array(side, base)
  self.used[name] = true
  return #at.terms == 0 and id(name) or c.offset(id(name), c.sum(at.terms))
end

function Emitter:list(number)
  self.used["list" .. number] = true
  return id("list" .. number)
end

-- ---------------------------------------------------------------- moves

-- to and from of side places, as values.
function Emitter:ends(p, l, base)
  local values = { p = self:value("p", p, base.p), l = self:value("l", l, base.l) }
  return values[self.verb.to], values[self.verb.from]
end

local function elements(bytes, size)
  return assert(expr.divide(bytes, size), "a run that is not a whole number of elements")
end

-- bytes: an Expr, or a node (an int64_t of C). looped: in a loop of such moves.
function Emitter:move(p, l, base, bytes, elem, looped)
  local to, from = self:ends(p, l, base)
  self:note(bytes)
  if self.verb.reduces then
    local size = self.sizes[elem]
    local count = expr.is(bytes) and elements(bytes, size) or c.binary(bytes, "/", size)
    return c.call(("cartgen_%s_%s"):format(self.op, elem), { to, from, count })
  end
  if expr.is(bytes) and expr.is_const(bytes) then
    local value = expr.value(bytes)
    local name = looped and forms.in_words(self.options, value) and "cartgen_copy_words"
      or value <= self.options.inline and "memcpy" or "cartgen_copy_long"
    return c.call(name, { to, from, bytes })
  end
  if expr.is(bytes) then return c.call("cartgen_copy", { to, from, c.size(bytes) }) end
  return c.call("cartgen_copy_part", { to, from, bytes })
end

-- A prefetch of the layout's side, `terms` further on.
function Emitter:prefetch(l, base, terms)
  local writes = self.verb.to == "l"
  for _, term in ipairs(terms) do
    for _, factor in ipairs(term) do self:note(factor) end
  end
  return c.call(writes and "cartgen_will_write" or "cartgen_will_read", { self:value("l", l, base), c.sum(terms) })
end

local function append(to, list)
  for _, x in ipairs(list) do to[#to + 1] = x end
  return to
end

local emit = {}

-- Statements of a kernel whose origin is at p and l; depth: loops around it; looped: the body of a loop of moves.
function Emitter:statements(k, p, l, depth, looped)
  return emit[k.kind](self, k, plus(p, { k.at.p }), plus(l, { k.at.l }), depth, looped)
end

function emit.move(self, k, p, l, _, looped) return { self:move(p, l, k.base, k.bytes, k.elem, looped) } end

function emit.seq(self, k, p, l, depth)
  local out = {}
  for _, item in ipairs(k.items) do append(out, self:statements(item, p, l, depth)) end
  return out
end

-- Pointers of their own for the body of a loop, where it is more than one statement.
function Emitter:pointers(k, p, l, depth)
  local out = {}
  local function pointer(side, at)
    local bases = bases_of(k, self.context, side)
    local names = names_in(bases)
    if side == "l" or self.copies then
      if #names > 1 or (#names == 1 and bases[true]) then return at end
    end
    local writes = self.verb.to == side
    local name = (writes and "dst" or "src") .. depth
    out[#out + 1] = c.declare(writes and "char *" or "const char *", name, self:value(side, at, names[1]))
    return place(name)
  end
  p, l = pointer("p", p), pointer("l", l)
  return out, p, l
end

local tiled, widened

-- A loop over the statements `inside` of kernel k: compilers unroll those of short moves.
function Emitter:loop(var, count, inside, k)
  local short = k.kind == "move" and forms.short(self.options, k.bytes) and not self.verb.reduces
  return c.loop(var, count, inside, short)
end

function emit.loop(self, k, p, l, depth)
  self:note(k.count)
  local body = k.body
  if forms.unrolled(self.options, k) then
    local out = {}
    for i = 0, expr.value(k.count) - 1 do
      append(out, self:statements(body, plus(p, { expr.mul(k.step.p, i) }), plus(l, { expr.mul(k.step.l, i) }), depth))
    end
    return out
  end
  if forms.tiled(self.options, k, self.copies) then return tiled(self, k, p, l, depth) end
  local var = "i" .. depth
  local at_p, at_l = plus(p, { id(var), k.step.p }), plus(l, { id(var), k.step.l })
  local inside = {}
  if body.kind == "move" and self.verb_name == "pack" and forms.widened(self.options, k) then
    return widened(self, k, p, l, var)
  elseif body.kind == "move" then
    local ahead = not self.copies and forms.prefetched(self.options, k)
    if ahead then
      inside[1] = self:prefetch(plus(l, { body.at.l }), body.base.l, { { c.group(c.sum { { id(var) }, { ahead } }), k.step.l } })
    end
    append(inside, self:statements(body, at_p, at_l, depth + 1, true))
  else
    local inner_p, inner_l
    inside, inner_p, inner_l = self:pointers(body, at_p, at_l, depth)
    append(inside, self:statements(body, inner_p, inner_l, depth + 1))
  end
  return { self:loop(var, k.count, inside, body) }
end

-- A loop of runs that are packed by wider moves: each writes over what the one before it wrote too much.
function widened(self, k, p, l, var)
  local bytes, least = forms.widened(self.options, k)
  local last = c.binary(k.count, "-", 1)
  local function move(i, size)
    return self:move(plus(p, { i, k.step.p }), plus(l, { k.body.at.l }, { i, k.step.l }), k.body.base, size, k.body.elem)
  end
  local exact = move(c.group(last), k.body.bytes)
  local out = { self:loop(var, last, { move(id(var), expr.of(bytes)) }, k.body),
    expr.is(k.count) and expr.is_const(k.count) and exact or c.when(c.binary(k.count, ">", 0), { exact }) }
  if not least then return out end
  return { c.either(c.binary(k.step.l, ">=", least), out, { c.loop(var, k.count, { move(id(var), k.body.bytes) }) }) }
end

-- Two loops across each other, in tiles: `line` neighbours of the layout are moved together. past: they are whole lines that
-- go past the caches; what is before the first one is moved by itself.
local function walk_tiles(self, k, p, l, depth, past)
  local inner = k.body
  local move = inner.body
  local line = forms.tiled(self.options, k, self.copies)
  local size = math.max(self.options.tile, line)
  local near, far = "i" .. depth, "i" .. (depth + 1)
  local at_p = plus(p, { inner.at.p }, { move.at.p }, { id(near), k.step.p }, { id(far), inner.step.p })
  local at_l = plus(l, { inner.at.l }, { move.at.l }, { id(near), k.step.l }, { id(far), inner.step.l })
  self:note(inner.count)
  local pointers, line_p, line_l = self:pointers(move, at_p, at_l, depth)
  local together = pointers
  for j = 0, line - 1 do
    local to_p, to_l = plus(line_p, { expr.mul(k.step.p, j) }), plus(line_l, { expr.mul(k.step.l, j) })
    if past then
      local to, from = self:ends(to_p, to_l, {})
      together[#together + 1] = c.call("cartgen_copy_past", { to, from, move.bytes })
    else
      together[#together + 1] = self:move(to_p, to_l, {}, move.bytes, move.elem)
    end
  end
  local near_end, far_end = near .. "_end", far .. "_end"
  local function least(from, count) return c.macro("cartgen_least", { c.sum { { id(from) }, { size } }, count }) end
  local function walk_far(body) return c.range(far, id(far .. "_tile"), id(far_end), 1, body) end
  local function single() return self:move(at_p, at_l, move.base, move.bytes, move.elem) end
  local tile = {
    c.declare("const int64_t", far_end, least(far .. "_tile", inner.count)),
    c.declare("int64_t", near, id(near .. "_tile")),
    c.range(near, nil, id(near_end), line, { walk_far(together) }),
    c.range(near, nil, id(near_end), 1, { walk_far { single() } }),
  }
  local first = past and id(near .. "_first") or nil
  local walk = c.tiles(near .. "_tile", k.count, size, {
    c.declare("const int64_t", near_end, least(near .. "_tile", k.count)),
    c.tiles(far .. "_tile", inner.count, size, tile) }, first)
  if not past then return { walk } end
  local origin = self:value("l", plus(l, { inner.at.l }, { move.at.l }), move.base.l)
  return {
    c.declare("const int64_t", first.name, c.macro("cartgen_least", {
      c.macro("cartgen_before_line", { origin, move.bytes }), k.count })),
    c.loop(near, first, { c.loop(far, inner.count, { single() }) }),
    walk,
    c.call("cartgen_past_end", {}),
  }
end

-- Tiles; of many bytes in whole lines by a function of their own.
function tiled(self, k, p, l, depth)
  local plain = walk_tiles(self, k, p, l, depth)
  local inner = k.body
  if self.verb.reduces or self.verb.to ~= "l" or not forms.past(self.options, k, "l", forms.tiled(self.options, k, self.copies)) then
    return plain
  end
  self.pasts = self.pasts + 1
  local name = ("%s_%s_past%d"):format(self.name, self.verb_name, self.pasts)
  local counted = expr.is(k.count)
  self:func(name, self:parameters(k, not counted and "int64_t " .. k.count.name or nil), k, function(to_p, to_l)
    self:note(k.count)
    return walk_tiles(self, k, to_p, to_l, 0, true)
  end)
  local origin = self:value("l", plus(l, { inner.at.l }, { inner.body.at.l }), inner.body.base.l)
  local bytes = self.state.size or expr.mul(k.count, inner.size)
  self:note(bytes)
  self:note(inner.step.l)
  return { c.either(c.macro("cartgen_is_past", { origin, inner.step.l, bytes, self.options.past }),
    { c.call(name, self:arguments(k, p, l, nil, not counted and { k.count } or nil)) }, plain) }
end

-- ---------------------------------------------------------------- lists and tables

-- bodies at list->at, one of the stream's `size` after the other.
local function at_places(self, k, p, l, depth)
  local list, var = self:list(k.list), id("i" .. depth)
  local inside, inner_p, inner_l = self:pointers(k.body, plus(p, { var, k.body.size }),
    plus(l, { c.index(c.field(list, "at"), var) }), depth)
  append(inside, self:statements(k.body, inner_p, inner_l, depth + 1))
  return { c.loop(var.name, c.field(list, "count"), inside) }
end

function emit.list(self, k, p, l, depth)
  local entry = self.context.lists[k.list + 1]
  if not entry.run then return at_places(self, k, p, l, depth) end
  local list, var, body = self:list(k.list), id("i" .. depth), k.body
  local function loop(...) return self:loop(var.name, c.field(list, "count"), { ... }, body) end
  local function sum(i) return c.index(c.field(list, "sum"), i) end
  local piece = self:move(plus(p, { sum(var) }), plus(l, { body.at.l }, { c.index(c.field(list, "at"), var) }), body.base,
    c.binary(sum(c.sum { { var }, { 1 } }), "-", sum(var)), body.elem)
  local pieces = c.loop(var.name, c.field(list, "count"), { piece })
  if entry.shape.lengths then return { pieces } end
  local function item(...)
    return self:move(plus(p, { var, body.size }), plus(l, { body.at.l }, ...), body.base, body.bytes, body.elem, true)
  end
  local function indexed(at) return { c.cast("int64_t", c.index(c.field(list, "index"), at)), entry.shape.scale } end
  local by_index = {}
  local bytes = expr.is_const(body.size) and expr.value(body.size)
  if self.options.ahead > 0 and bytes and bytes <= self.options.line and not self.copies then
    by_index[1] = self:prefetch(plus(l, { body.at.l }), body.base.l, { indexed(c.sum { { var }, { self.options.ahead } }) })
  end
  by_index[#by_index + 1] = item(indexed(var))
  return { c.either(c.binary(c.field(list, "step"), "!=", 0),
    { loop(item({ c.field(list, "first") }, { var, c.field(list, "step") })) },
    { c.either(c.present(c.field(list, "index")), { loop(util.unpack(by_index)) }, { pieces }) }) }
end

-- Name of a constant table, printed once.
function Emitter:table(word, type, rows, key)
  if not self.tables[key] then
    self.tables.count = (self.tables.count or 0) + 1
    self.tables[key] = ("%s_%s%d"):format(self.name, word, self.tables.count - 1)
    self.items[#self.items + 1] = c.table(type, self.tables[key], "[" .. #rows .. "]", rows)
  end
  return id(self.tables[key])
end

function Emitter:places(k)
  local type, text = "int32_t", {}
  for i, x in ipairs(k.places) do
    if x > 2147483647 or x < -2147483647 then type = "int64_t" end
    text[i] = ("%.0f"):format(x)
  end
  return self:table("places", type, k.places, table.concat(text, ","))
end

function emit.places(self, k, p, l, depth)
  local var = id("i" .. depth)
  local at = plus(l, { c.index(self:places(k), var) })
  return { self:loop(var.name, #k.places, self:statements(k.body, plus(p, { var, k.body.size }), at, depth + 1, true), k.body) }
end

function Emitter:pieces(k)
  local rows, text, from = {}, {}, 0
  for i, piece in ipairs(k.pieces) do
    rows[i] = { piece.at, from, piece.bytes }
    text[i] = ("%.0f:%.0f"):format(piece.at, piece.bytes)
    from = from + piece.bytes
  end
  return self:table("pieces", "cartgen_piece", rows, table.concat(text, ","))
end

function emit.pieces(self, k, p, l, depth)
  local var = id("i" .. depth)
  local row = c.index(self:pieces(k), var)
  return { c.loop(var.name, #k.pieces, { self:move(plus(p, { c.member(row, "from") }), plus(l, { c.member(row, "at") }), k.base,
    c.member(row, "bytes"), k.elem) }) }
end

-- ---------------------------------------------------------------- functions

function Emitter:side_argument(k, side)
  local writes = self.verb.to == side
  if (side == "l" or self.copies) and cgen.over_arrays(k, self.context, side) then
    return ("const %s_arrays *%s, int64_t %s_at"):format(self.name, writes and "to" or "from", writes and "to" or "from"), true
  end
  return writes and "char *CARTGEN_RESTRICT dst" or "const char *CARTGEN_RESTRICT src", false
end

--- Parameters of the function of a kernel: to, from, `more` (text or nil), state.
function Emitter:parameters(k, more)
  local to, from = self:side_argument(k, self.verb.to), self:side_argument(k, self.verb.from)
  return table.concat({ to, from }, ", ") .. (more and ", " .. more or "") .. ", " .. self.state.declare
end

-- Declarations of named arrays {name, declaration}, and the places of both sides at the beginning of a function.
function Emitter:origins(k)
  local arrays_of, places = {}, {}
  for _, side in ipairs { "p", "l" } do
    local writes = self.verb.to == side
    local word, type = writes and "to" or "from", writes and "char *" or "const char *"
    local _, arrays = self:side_argument(k, side)
    places[side] = place(not arrays and (writes and "dst" or "src") or nil)
    if arrays then
      for _, base in ipairs(names_in(bases_of(k, self.context, side))) do
        local name = self:array(side, base)
        arrays_of[#arrays_of + 1] = { name = name, declaration = c.declare(type .. "CARTGEN_RESTRICT", name, c.offset(
          c.cast(type, c.field(id(word), base)), id(word .. "_at"))) }
      end
    end
  end
  return arrays_of, places.p, places.l
end

-- Adds a function; body() makes its statements.
function Emitter:func(name, params, k, body)
  local outer = self.used
  self.used = {}
  local arrays, p, l = self:origins(k)
  local inside = body(p, l)
  local head = self.head(self.used)
  if #head == 0 then head = { c.call("(void)", { id(self.state.name) }) } end
  for _, array in ipairs(arrays) do
    if self.used[array.name] then head[#head + 1] = array.declaration end
  end
  self.used = outer
  self.items[#self.items + 1] = c.func(name, params, append(append(head, { c.blank() }), inside))
end

-- Arguments of the function of kernel `inner` for places p and l.
function Emitter:arguments(inner, p, l, base, more)
  local values = {}
  for side, at in pairs { p = p, l = l } do
    local _, arrays = self:side_argument(inner, side)
    if arrays then
      assert(not at.name, "a pointer for a function that takes arrays")
      for _, term in ipairs(at.terms) do
        for _, factor in ipairs(term) do self:note(factor) end
      end
      values[side] = { id(self.verb.to == side and "to" or "from"),
        c.sum(append({ { id(self.verb.to == side and "to_at" or "from_at") } }, at.terms)) }
    else
      values[side] = { self:value(side, at, base and base[side]) }
    end
  end
  local out = append(append({}, values[self.verb.to]), values[self.verb.from])
  append(out, more or {})
  out[#out + 1] = id(self.state.name)
  return out
end

function emit.part(self, k, p, l)
  local inner = self.context.parts[k.part + 1]
  local name = ("%s_part%d_%s"):format(self.name, k.part, self.verb_name)
  if not self.done[name] then
    self.done[name] = true
    self:whole(inner, name)
  end
  return { c.call(name, self:arguments(inner, p, l, k.base)) }
end

--- Adds the function `name` of kernel k.
function Emitter:whole(k, name)
  self:func(name, self:parameters(k), k, function(p, l) return self:statements(k, p, l, 0) end)
end

--- Adds the function `name` of kernel k, a loop (kernel_forms.by_turns), for two blocks by turns: the second lies `to`
--- and `from` bytes on.
function Emitter:twice(k, name)
  self:func(name, self:parameters(k, "int64_t to, int64_t from"), k, function(p, l)
    self:note(k.count)
    local inside, var = {}, id "i0"
    for i = 0, 1 do
      local at_p = plus(p, { k.at.p }, { var, k.step.p }, i == 1 and { id "from" } or nil)
      local at_l = plus(l, { k.at.l }, { var, k.step.l }, i == 1 and { id "to" } or nil)
      if k.body.kind == "loop" then
        local pointers, inner_p, inner_l = self:pointers(k.body, at_p, at_l, i)
        append(inside, pointers)
        append(inside, self:statements(k.body, inner_p, inner_l, 1))
      else
        append(inside, self:statements(k.body, at_p, at_l, 1))
      end
    end
    return { c.loop(var.name, k.count, inside) }
  end)
end

--- Chooses the verb of the functions that follow. sizes: bytes of basic types, for reductions.
function Emitter:choose(verb_name, sizes)
  self.verb_name, self.verb = verb_name, verb_of(verb_name)
  self.op, self.sizes = verb_name:match "^reduce_(.*)$", sizes
  self.copies = verb_name == "copy"
end

cgen.append, cgen.plus = append, plus
return cgen
