-- SPDX-License-Identifier: MIT
-- Layout -> C tree: its kernels, and the functions that users call.
local c = require "cartgen.ctree"
local checks = require "cartgen.cgen_checks"
local emitters = require "cartgen.cgen_kernel"
local expr = require "cartgen.expr"
local fold = require "cartgen.fold"
local kernel = require "cartgen.kernel"
local layout_module = require "cartgen.layout"
local lists = require "cartgen.cgen_lists"
local names = require "cartgen.cgen_names"
local overlap = require "cartgen.cgen_overlap"
local range = require "cartgen.cgen_range"
local shape = require "cartgen.shape"
local util = require "cartgen.util"
local visits = require "cartgen.cgen_visit"

local data = {}

local id = c.id
local append = emitters.append

-- What the C of a layout is made from: its state and its kernels.
local Maker = {}
Maker.__index = Maker

-- Declarations of what a function uses of the state: parameters, lists, values computed at init.
function Maker:head(used)
  local out = {}
  for _, param in ipairs(self.layout.params) do
    if used[param.name] then
      if param.length then self.kept[param.name] = true end
      out[#out + 1] = c.declare(param.length and "const int64_t *const" or "const int64_t",
        names.param(self.layout, param.name), c.member(c.field(id "layout", "params"), param.name))
    end
  end
  append(out, lists.locals(self.context, used, id "layout"))
  for _, f in ipairs(self.calls) do
    local name = self.names[f.text]
    if used[f.text] then
      self.kept_calls[name] = true
      out[#out + 1] = c.declare("const int64_t", name, c.field(id "layout", name))
    end
  end
  return out
end

function Maker:emitter()
  return emitters.emitter { name = self.layout.name, context = self.context, options = self.options,
    state = { declare = ("const %s_layout *layout"):format(self.layout.name), name = "layout", size = c.field(id "layout", "size") },
    head = function(used) return self:head(used) end }
end

-- A function that users call. args: its parameters behind the layout, as text; exprs: what its statements use.
-- result: its type, void without.
function Maker:public(name, args, statements, exprs, result)
  local used = {}
  for _, e in ipairs(exprs) do emitters.note(used, e) end
  local body = self:head(used)
  if #body > 0 then body[#body + 1] = c.blank() end
  self.items[#self.items + 1] = c.func(("%s_%s"):format(self.layout.name, name),
    ("const %s_layout *layout, "):format(self.layout.name) .. args, append(body, statements), result, true)
end

-- Argument of the users' functions for memory, and what it becomes for a kernel: address or arrays and offset.
function Maker:memory(word, at)
  local writes = word == "to"
  if #self.layout.arrays > 0 then
    return ("const %s_arrays *%s"):format(self.layout.name, word), { id(word), at }
  end
  return (writes and "void *" or "const void *") .. word, { c.offset(c.cast(writes and "char *" or "const char *", id(word)), at) }
end

local function packed_of(word) return c.cast(word == "to" and "const char *" or "char *", id "packed") end

local function nothing(list)
  local out = {}
  for _, word in ipairs(list) do out[#out + 1] = c.call("(void)", { id(word) }) end
  return out
end

-- Do the packed bytes lie side by side in memory, and from which byte on? Not asked of several arrays.
function Maker:contiguous(verb, s)
  local statements = nothing { "layout", "at_p" }
  local side_by_side = #self.layout.arrays == 0 and (s.kind == "run" or s.kind == "empty")
  if side_by_side then statements = { c.call("(void)", { id "layout" }), c.assign(id "*at_p", s.at) } end
  statements[#statements + 1] = c.result(side_by_side and 1 or 0)
  self:public(verb .. "_contiguous", "int64_t *at_p", statements, side_by_side and { s.at } or {}, "int")
end

-- Most calls of a visitor.
local MOST_VISITS = 30

-- Tells a visitor where the bytes lie. Not of several arrays; nor of run-time lists, of which no copy is kept; nor of what
-- has too many parts.
-- as_pack: the same as NAME_pack_visit.
function Maker:visit(verb, s, as_pack)
  local exprs, has_lists = {}, false
  shape.each_expr(s, function(e) exprs[#exprs + 1] = e end, function() has_lists = true end)
  local calls, tables = visits.calls(("%s_%s"):format(self.layout.name, verb), s)
  if has_lists or #self.layout.arrays > 0 or #calls > MOST_VISITS then
    local statements = nothing { "layout", "visitor" }
    statements[#statements + 1] = c.result(0)
    return self:public(verb .. "_visit", "const cartgen_visitor *visitor", statements, {}, "int")
  end
  if as_pack then
    return self:public(verb .. "_visit", "const cartgen_visitor *visitor",
      { c.result(c.macro(self.layout.name .. "_pack_visit", { id "layout", id "visitor" })) }, {}, "int")
  end
  append(self.items, tables)
  local inside = append(calls, { c.result(1) })
  local used = {}
  for _, e in ipairs(exprs) do emitters.note(used, e) end
  local unused = append(next(used) == nil and nothing { "layout" } or {}, s.kind == "empty" and nothing { "visitor" } or {})
  inside = append(unused, inside)
  self:public(verb .. "_visit", "const cartgen_visitor *visitor", inside, exprs, "int")
end

-- pack and unpack, whole and of a range. word: "from" or "to".
function Maker:packing(verb, word, s, k)
  local text, memory = self:memory(word, s.at)
  local packed_text = (verb == "pack" and "void *" or "const void *") .. "packed"
  local emitter = self.kernels
  emitter:choose(verb)
  local name = ("%s_%s"):format(self.layout.name, verb)
  local function args(more)
    local list = verb == "pack" and append({ packed_of(word) }, memory) or append(append({}, memory), { packed_of(word) })
    append(list, more)
    list[#list + 1] = id "layout"
    return list
  end
  local order = verb == "pack" and packed_text .. ", " .. text or text .. ", " .. packed_text
  local empty = s.kind == "empty"
  if not empty then
    emitter:whole(k, name .. "_all")
    range.add(emitter, k, name .. "_part")
  end
  self:public(verb, order, empty and nothing { "layout", "packed", word } or { c.call(name .. "_all", args {}) }, { s.at })
  self:public(verb .. "_range", order .. ", int64_t first, int64_t bytes",
    empty and nothing { "layout", "packed", word, "first", "bytes" } or {
      c.when(c.macro("cartgen_range_clip", { id "first", c.address(id "bytes"), c.field(id "layout", "size") }),
        { c.call(name .. "_part", args { id "first", id "bytes" }) }) }, { s.at })
end

-- Bytes of the buffer between two layouts that do not divide each other.
local BUFFER = 4096

function Maker:copy(to, from)
  local to_text, to_memory = self:memory("to", to.at)
  local from_text, from_memory = self:memory("from", from.at)
  local name = self.layout.name .. "_copy"
  local body
  local k = to.kind ~= "empty" and kernel.copy(self.context, to, from)
  if to.kind == "empty" then
    body = nothing { "layout", "to", "from" }
  elseif k then
    self.kernels:choose "copy"
    self.kernels:whole(k, name .. "_all")
    body = { c.call(name .. "_all", append(append(append({}, to_memory), from_memory), { id "layout" })) }
  else
    local first, bytes = id "first", id "bytes"
    body = {
      c.declare("char", ("buffer[%d]"):format(BUFFER)), c.blank(),
      c.tiles("first", c.field(id "layout", "size"), BUFFER, {
        c.declare("const int64_t", "bytes", c.macro("cartgen_least", { c.binary(c.field(id "layout", "size"), "-", first), BUFFER })),
        c.blank(),
        c.call(self.layout.name .. "_pack_part", append(append({ id "buffer" }, from_memory), { first, bytes, id "layout" })),
        c.call(self.layout.name .. "_unpack_part", append(append({}, to_memory), { id "buffer", first, bytes, id "layout" })),
      }) }
  end
  self:public("copy", to_text .. ", " .. from_text, body, { to.at, from.at })
end

function Maker:reduce(op, s, k)
  local text, memory = self:memory("to", s.at)
  local name = ("%s_reduce_%s"):format(self.layout.name, op)
  local body
  if s.kind == "empty" then
    body = nothing { "layout", "to", "packed" }
  else
    self.kernels:choose("reduce_" .. op, layout_module.element_sizes())
    self.kernels:whole(k, name .. "_all")
    body = { c.call(name .. "_all", append(append({}, memory), { packed_of "to", id "layout" })) }
  end
  self:public("reduce_" .. op, text .. ", const void *packed", body, { s.at })
end

-- ---------------------------------------------------------------- init and free

local BOUNDS = { "size", "lb", "extent", "true_lb", "true_extent" }

local function quoted(text) return id('"' .. text .. '"') end

function Maker:refusal(what, status)
  return { c.result(c.macro("cartgen_refuse", { quoted("layout " .. self.layout.name), id(status), quoted(what) })) }
end

-- The calls in Exprs, those inside first.
local function calls_in(exprs)
  local out, seen = {}, {}
  for _, e in ipairs(exprs) do expr.each_call(e, function(f) out[#out + 1] = f end, seen) end
  return out
end

-- Exprs that are computed somewhere, for the check that none passes int64_t.
local function all_exprs(types)
  local out = {}
  for _, t in ipairs(types) do
    for _, field in ipairs(BOUNDS) do out[#out + 1] = t[field] end
    shape.each_expr(t.shape, function(e) out[#out + 1] = e end, function() end)
  end
  return out
end

function Maker:init_items(types)
  local l = self.layout
  local status = id "status"
  local lines = { c.call("memset", { id "layout", 0, id "sizeof *layout" }) }
  if #l.params == 0 then
    lines[#lines + 1] = c.call("(void)", { id "params" })
  else
    lines[#lines + 1] = c.when(c.binary(id "params", "==", id "NULL"),
      self:refusal("params is NULL", "CARTGEN_ERR_ARGUMENT"))
  end
  local scalars, arrays = {}, {}
  for _, param in ipairs(l.params) do
    local name = names.param(l, param.name)
    scalars[#scalars + 1] = c.declare(param.length and "const int64_t *const" or "const int64_t", name, c.field(id "params", param.name))
    if param.length then
      arrays[#arrays + 1] = c.when(c.binary(c.binary(id(name), "==", id "NULL"), "&&", c.binary(param.length, ">", 0)),
        self:refusal("params->" .. param.name .. " is NULL", "CARTGEN_ERR_ARGUMENT"))
    end
  end
  append(lines, scalars)
  lines[#lines + 1] = c.declare("cartgen_status", "status", id "CARTGEN_OK")
  lines[#lines + 1] = c.blank()
  append(lines, arrays)
  append(lines, checks.statements(all_exprs(types), types, {}, function(what)
    return self:refusal(checks.messages[what], what == "lengths" and "CARTGEN_ERR_ARGUMENT" or "CARTGEN_ERR_SIZE")
  end, function(e)
    return { c.result(c.macro("cartgen_layout_negative", { quoted(l.name), quoted(expr.text(e)), e })) }
  end))
  if not expr.equal(types[1].size, types[2].size) then
    lines[#lines + 1] = c.when(c.unequal(types[1].size, types[2].size),
      self:refusal("type and to differ in size for these parameters", "CARTGEN_ERR_ARGUMENT"))
  end
  local tests = l.to ~= l.type and overlap.tests(l.to.moves) or {}
  if #tests > 0 then
    lines[#lines + 1] = c.when(c.anything(tests), self:refusal("to overlaps itself for these parameters", "CARTGEN_ERR_OVERLAP"))
  end
  if #l.params > 0 then lines[#lines + 1] = c.assign(c.field(id "layout", "params"), id "*params") end
  for _, param in ipairs(l.params) do
    if param.length then
      lines[#lines + 1] = c.assign(c.member(c.field(id "layout", "params"), param.name), id "NULL")
    end
  end
  append(lines, lists.make(self.context, id "layout", "layout " .. l.name))
  if l.to ~= l.type then
    append(lines, lists.keep_apart(self.context, { l.to.moves }, id "layout", "layout " .. l.name, function() end))
  end
  for _, param in ipairs(l.params) do
    if self.kept[param.name] and param.length then
      lines[#lines + 1] = lists.unless_failed(c.assign(status, c.macro("cartgen_values_copy", {
        c.address(c.member(c.field(id "layout", "params"), param.name)), quoted(l.name), param.length,
        id(names.param(l, param.name)) })))
    end
  end
  for _, field in ipairs(BOUNDS) do
    lines[#lines + 1] = c.assign(c.field(id "layout", field), types[1][field])
  end
  for _, name in ipairs(util.sorted_keys(self.kept_calls)) do
    lines[#lines + 1] = c.assign(c.field(id "layout", name), id(name))
  end
  lines[#lines + 1] = c.when(c.binary(status, "!=", id "CARTGEN_OK"), { c.call(l.name .. "_free", { id "layout" }) })
  lines[#lines + 1] = c.result(status)
  self.items[#self.items + 1] = c.func(l.name .. "_init", ("%s_layout *layout, const %s_params *params"):format(l.name, l.name), lines,
    "cartgen_status", true)
end

function Maker:free_items()
  local lines = lists.free(self.context, id "layout")
  for _, param in ipairs(self.layout.params) do
    if self.kept[param.name] and param.length then
      lines[#lines + 1] = c.call("cartgen_values_free", { c.address(c.member(c.field(id "layout", "params"), param.name)) })
    end
  end
  lines[#lines + 1] = c.call("memset", { id "layout", 0, id "sizeof *layout" })
  self.items[#self.items + 1] = c.func(self.layout.name .. "_free", self.layout.name .. "_layout *layout", lines, nil, true)
end

function Maker:bounds()
  for _, field in ipairs(BOUNDS) do
    self.items[#self.items + 1] = c.func(("%s_%s"):format(self.layout.name, field), ("const %s_layout *layout"):format(self.layout.name),
      { c.result(c.field(id "layout", field)) }, "int64_t", true)
  end
end

--- Map of parameters and of what is known of lists to C, for cprint.
function data.names(l, count) return lists.map_names(names.map_with(l, all_exprs { l.type, l.to }), count) end

--- Top-level items of a layout's C, and what its state holds: {items, lists (number of run-time lists), calls (names of
--- values that are computed once)}.
function data.make(l, options)
  local self = setmetatable({ layout = l, options = options, context = kernel.context(), items = {}, kept = {},
    kept_calls = {}, calls = calls_in(all_exprs { l.type, l.to }) }, Maker)
  self.names = data.names(l, 0)
  self.kernels = self:emitter()
  local from, to = l.type.moves, l.to.moves
  local typed = #l.reduce > 0 and fold.canonical(l.to.shape)
  local from_kernel = kernel.packed(self.context, from)
  local to_kernel = shape.alike(from, to) and from_kernel or kernel.packed(self.context, to)
  local typed_kernel = typed and kernel.packed(self.context, typed)
  self:packing("pack", "from", from, from_kernel)
  self:packing("unpack", "to", to, to_kernel)
  self:contiguous("pack", from)
  self:contiguous("unpack", to)
  self:visit("pack", from)
  self:visit("unpack", to, shape.alike(from, to) and expr.equal(from.at, to.at))
  self:copy(to, from)
  for _, op in ipairs(l.reduce) do self:reduce(op, typed, typed_kernel) end
  self:bounds()
  self:free_items()
  self:init_items({ l.type, l.to })
  local items = append({}, self.kernels.items)
  append(items, self.items)
  return { items = items, lists = #self.context.lists, calls = util.sorted_keys(self.kept_calls) }
end

return data
