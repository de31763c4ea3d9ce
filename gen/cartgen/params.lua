-- SPDX-License-Identifier: MIT
-- Lists of parameters: a Lua list of their elements where the length is constant, and more than that: as a whole
-- they are the array that is given at run time.
local diag = require "cartgen.diag"
local expr = require "cartgen.expr"
local record = require "cartgen.record"

local params = {}

local TYPE = "List of parameters"

--- The list `name` of `length` (Expr) values, entries from 1 as in Lua.
function params.list(name, length)
  local out, elements = {}, {}
  local meta = { type = TYPE, name = name, length = length, elements = elements }
  if expr.is_const(length) then
    for i = 1, expr.value(length) do
      elements[i] = expr.element(name, i - 1)
      out[i] = elements[i]
    end
  else
    function meta.__index()
      diag.fail(nil, "the length of '%s' is known only at run time: it has no single values here", name)
    end
  end
  return setmetatable(out, meta)
end

--- {name, length} of a list of parameters that no entry was changed of; else nil.
function params.whole(v)
  if record.type(v) ~= TYPE then return nil end
  local meta = getmetatable(v)
  for i, e in ipairs(meta.elements) do
    if rawget(v, i) ~= e then return nil end
  end
  if rawget(v, #meta.elements + 1) ~= nil then return nil end
  return { name = meta.name, length = meta.length }
end

--- Has v entries that a description can name? Lua lists, and lists of parameters of constant length.
function params.is_list(v)
  if type(v) ~= "table" or expr.is(v) then return false end
  return record.type(v) == nil or record.type(v) == TYPE and expr.is_const(getmetatable(v).length)
end

--- Those of the parameters {name, length?} of a file whose names are in the set `used`, and those their lengths need.
function params.used(all, used)
  for _, param in ipairs(all) do
    if used[param.name] and param.length then expr.note(used, param.length) end
  end
  local out = {}
  for _, param in ipairs(all) do
    if used[param.name] then out[#out + 1] = { name = param.name, length = param.length } end
  end
  return out
end

return params
