-- SPDX-License-Identifier: MIT
-- The function that tells a visitor where the bytes of a shape lie (cartgen_visitor in cartgen.h).
local c = require "cartgen.ctree"
local expr = require "cartgen.expr"
local shape = require "cartgen.shape"

local visits = {}

local id = c.id

-- Most items of a seq that are written out; more of them, if constant, are rows of a table.
local MOST_ITEMS = 8

local function call(what, ...)
  return c.call("visitor->" .. what, { id "visitor->state", ... })
end

-- {at, times, stride, bytes} of a constant run or loop around one run, `at` from the origin of the seq; else nil.
local function row_of(s)
  local run, times, stride = s, expr.of(1), expr.of(0)
  if s.kind == "loop" then run, times, stride = s.body, s.count, s.stride end
  if run.kind ~= "run" then return nil end
  local row = { s.at, times, stride, run.bytes }
  for _, e in ipairs(row) do
    if not expr.is_const(e) then return nil end
  end
  return row
end

-- Rows of all items of a seq, or nil.
local function rows_of(s)
  local rows = {}
  for i, item in ipairs(s.items) do
    rows[i] = row_of(item)
    if not rows[i] then return nil end
  end
  return rows
end

local Maker = {}
Maker.__index = Maker

function Maker:add(s, origin)
  local at = expr.add(origin, s.at)
  local out = self.body
  if s.kind == "run" then
    out[#out + 1] = call("run", at, s.bytes)
  elseif s.kind == "seq" then
    local rows = #s.items > MOST_ITEMS and rows_of(s)
    if rows then
      local here = expr.equal(at, 0)
      if not here then out[#out + 1] = call("loop", at, 1, 0) end
      local name = ("%s_rows%d"):format(self.name, #self.tables)
      self.tables[#self.tables + 1] = c.table("cartgen_row", name, "[" .. #rows .. "]", rows)
      out[#out + 1] = c.call("cartgen_visit_rows", { id "visitor", id(name), #rows })
      if not here then out[#out + 1] = call "end" end
      return
    end
    for _, item in ipairs(s.items) do self:add(item, at) end
  else
    if s.kind == "loop" then
      out[#out + 1] = call("loop", at, s.count, s.stride)
    else
      out[#out + 1] = call("list", at, s.count, c.param(s.index), s.scale, s.lengths and c.param(s.lengths) or id "NULL",
        s.stride or 0)
    end
    self:add(s.body, expr.of(0))
    out[#out + 1] = call "end"
  end
end

--- Calls that tell a visitor where the bytes of shape s lie, and their tables, named after `name`.
function visits.calls(name, s)
  local self = setmetatable({ name = name, body = {}, tables = {} }, Maker)
  if s.kind ~= "empty" then self:add(s, expr.of(0)) end
  return self.body, self.tables
end

--- Top-level items: the function `name`_visit of shape s, which begins at its own origin, and its tables. locals(used):
--- declarations of what is used of the parameters; note(used, expr) adds to it.
function visits.items(name, s, locals, note)
  local used = {}
  s = shape.shift(s, expr.neg(s.at))
  local calls, items = visits.calls(name, s)
  shape.each_expr(s, function(e) note(used, e) end, function(list) used[list] = true end)
  local body = locals(used)
  if #body == 0 then body[1] = c.call("(void)", { id "untyped" }) end
  body[#body + 1] = c.blank()
  for _, statement in ipairs(calls) do body[#body + 1] = statement end
  items[#items + 1] = c.func(name .. "_visit", "const cartgen_visitor *visitor, const void *untyped", body)
  return items
end

return visits
