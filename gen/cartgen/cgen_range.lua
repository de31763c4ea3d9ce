-- SPDX-License-Identifier: MIT
-- Kernels of a range of bytes: pack or unpack `bytes` bytes from byte `first` of the stream on. What is whole in the
-- middle goes through the same code as whole layouts, level by level; only the ends are cut.
local c = require "cartgen.ctree"
local cgen = require "cartgen.cgen_kernel"
local expr = require "cartgen.expr"
local forms = require "cartgen.kernel_forms"

local append, plus = cgen.append, cgen.plus
local id = c.id

local FIRST, BYTES, PART, I, SKIP, SIZE = id "first", id "bytes", id "part", id "i", id "skip", id "size"

-- The stream's pointer goes on by `count`.
local function go_on(p, count) return { c.update(id(p.name), "+=", count), c.update(BYTES, "-=", count) } end

local add, range_of

-- Bytes first .. of kernel k whose origin is at p (of the range, not of k) and l.
function range_of(self, k, p, l, first, bytes)
  l = plus(l, { k.at.l })
  if k.kind == "move" then
    return { self:move(p, first and plus(l, { first }) or l, k.base, bytes, k.elem) }
  end
  local inner = k.kind == "part" and self.context.parts[k.part + 1] or k
  local name
  if k.kind == "part" then
    name = ("%s_part%d_%s_range"):format(self.name, k.part, self.verb_name)
  else
    self.range_names[self.verb_name] = self.range_names[self.verb_name] or {}
    name = self.range_names[self.verb_name][k]
    if not name then
      self.ranges = self.ranges + 1
      name = ("%s_%s_range%d"):format(self.name, self.verb_name, self.ranges)
      self.range_names[self.verb_name][k] = name
    end
  end
  if not self.done[name] then
    self.done[name] = true
    add(self, inner, name)
  end
  return { c.call(name, self:arguments(inner, p, l, k.base, { first or 0, bytes })) }
end

-- Equal items of `size` bytes, item i at `at` (a term) of the layout. middle: statements for the whole ones, if they are
-- more than one after the other.
local function items(self, body, p, l, size, at, middle)
  self:note(size)
  local here = plus(l, at)
  if not middle then
    local whole = append(self:statements(body, p, here, 0), go_on(p, SIZE))
    whole[#whole + 1] = c.update(I, "+=", 1)
    middle = { c.while_(c.binary(BYTES, ">=", SIZE), whole) }
  end
  local head = { c.declare("const int64_t", "part", c.macro("cartgen_least", { BYTES, c.binary(SIZE, "-", FIRST) })) }
  append(head, range_of(self, body, p, here, FIRST, PART))
  append(head, go_on(p, PART))
  head[#head + 1] = c.update(I, "+=", 1)
  local out = {
    c.declare("const int64_t", "size", size),
    c.declare("int64_t", "i", c.binary(FIRST, "/", SIZE)),
    c.blank(),
    c.update(FIRST, "%=", SIZE),
    c.when(c.binary(FIRST, ">", 0), head),
  }
  append(out, middle)
  out[#out + 1] = c.when(c.binary(BYTES, ">", 0), range_of(self, body, p, here, nil, BYTES))
  return out
end

-- Runs of different lengths: row(i) = {at, from, to} in the stream, from i = `start` on.
local function pieces(self, k, p, l, start, row)
  local function part(from, to)
    return c.macro("cartgen_least", { BYTES, c.binary(to, "-", FIRST) }), c.binary(FIRST, "-", from)
  end
  local bytes, skip = part(row.from, row.to)
  local inside = {
    c.declare("const int64_t", "part", bytes),
    self:move(p, plus(l, { row.at }, { c.group(skip) }), k.base, PART, k.elem),
  }
  append(inside, go_on(p, PART))
  append(inside, { c.update(FIRST, "+=", PART), c.update(I, "+=", 1) })
  return { c.declare("int64_t", "i", start), c.blank(), c.while_(c.binary(BYTES, ">", 0), inside) }
end

local range = {}

-- The whole items of a loop, `whole` of them from `l` on: a loop of their own in the form of whole layouts. Tiles, which are
-- many lines, in a function.
local function whole_items(self, k, p, l)
  local loop = { kind = "loop", at = { p = expr.of(0), l = expr.of(0) }, count = id "whole", step = k.step, body = k.body }
  if not forms.tiled(self.options, loop, self.copies) then return self:statements(loop, p, l, 0) end
  self.ranges = self.ranges + 1
  local name = ("%s_%s_whole%d"):format(self.name, self.verb_name, self.ranges)
  self:func(name, self:parameters(k, "int64_t whole"), k, function(to, from) return self:statements(loop, to, from, 0) end)
  return { c.call(name, self:arguments(k, p, l, nil, { id "whole" })) }
end

function range.loop(self, k, p, l)
  local middle = { c.declare("const int64_t", "whole", c.binary(BYTES, "/", SIZE)) }
  append(middle, whole_items(self, k, p, plus(l, { I, k.step.l })))
  append(middle, go_on(p, c.binary(id "whole", "*", SIZE)))
  middle[#middle + 1] = c.update(I, "+=", id "whole")
  return items(self, k.body, p, l, k.body.size, { I, k.step.l }, middle)
end

function range.places(self, k, p, l) return items(self, k.body, p, l, k.body.size, { c.index(self:places(k), I) }) end

function range.pieces(self, k, p, l)
  local table_id = self:pieces(k)
  local row = c.index(table_id, I)
  local from, bytes = c.member(row, "from"), c.member(row, "bytes")
  return pieces(self, k, p, l, c.macro("cartgen_piece_find", { table_id, #k.pieces, FIRST }),
    { at = c.member(row, "at"), from = from, to = c.group(c.binary(from, "+", bytes)) })
end

function range.list(self, k, p, l)
  local list, entry = self:list(k.list), self.context.lists[k.list + 1]
  local function equal() return items(self, k.body, p, l, k.body.size, { c.macro("cartgen_list_item", { list, I }) }) end
  if not entry.run then return equal() end
  local function sum(i) return c.index(c.field(list, "sum"), i) end
  local cut = pieces(self, { base = k.body.base, elem = k.body.elem }, p, plus(l, { k.body.at.l }),
    c.macro("cartgen_list_find", { list, FIRST }),
    { at = c.index(c.field(list, "at"), I), from = sum(I), to = sum(c.sum { { I }, { 1 } }) })
  if entry.shape.lengths then return cut end
  return { c.either(c.present(c.field(list, "sum")), cut, equal()) }
end

-- Items of a seq that one function cuts; the rest is the next one's.
local MOST_CUT = 4

local function rest_of(k)
  local rest = { kind = "seq", at = { l = expr.of(0) }, items = {} }
  for i = MOST_CUT + 1, #k.items do rest.items[#rest.items + 1] = k.items[i] end
  return rest
end

function range.seq(self, k, p, l)
  local out = { c.declare("int64_t", "skip"), c.declare("int64_t", "part"), c.blank() }
  for i = 1, math.min(MOST_CUT, #k.items) do
    local item = k.items[i]
    self:note(item.size)
    out[#out + 1] = c.assign(PART, c.macro("cartgen_share", { c.address(FIRST), c.address(BYTES), item.size, c.address(SKIP) }))
    out[#out + 1] = c.when(c.binary(PART, ">", 0), range_of(self, item, p, l, SKIP, PART))
    if i < #k.items then out[#out + 1] = c.update(id(p.name), "+=", PART) end
  end
  if #k.items > MOST_CUT then
    self.rests[k] = self.rests[k] or rest_of(k)
    out[#out + 1] = c.when(c.binary(BYTES, ">", 0), range_of(self, self.rests[k], p, l, FIRST, BYTES))
  end
  return out
end

function range.move(self, k, p, l) return { self:move(p, plus(l, { FIRST }), k.base, BYTES, k.elem) } end

function range.part(self, k, p, l) return range_of(self, k, p, l, FIRST, BYTES) end

-- Each walks a kernel whose origin is at l, its own `at` included.
--- Adds the function `name`: bytes `first` .. `first + bytes - 1` of kernel k, all of them in its stream.
function add(self, k, name)
  self:func(name, self:parameters(k, "int64_t first, int64_t bytes"), k, function(p, l)
    return range[k.kind](self, k, p, l)
  end)
end

return { add = add }
