-- SPDX-License-Identifier: MIT
-- struct { { type, displacement in bytes, block length }, ... }: MPI_Type_create_struct; the last two default to 0 and
-- 1. A displacement at("x", bytes) is one in an own array x, from its pointer.
local datatype = require "cartgen.datatype"
local diag = require "cartgen.diag"
local record = require "cartgen.record"
local util = require "cartgen.util"

local place = record.define("Place in an own array", { name = "required", bytes = "required" })

local function at(name, bytes)
  local bad = util.bad_identifier(name)
  if bad then diag.fail(nil, "the name of an own array %s %s", util.show(name), bad) end
  return place { name = name, bytes = datatype.count(bytes == nil and 0 or bytes, "the displacement of at") }
end

local function item_part(item, i)
  local what = ("item %d of struct"):format(i - 1)
  if type(item) ~= "table" or getmetatable(item) ~= nil then
    diag.fail(nil, "%s is %s, expected { type, displacement, block length }", what, util.show(item))
  end
  for key in pairs(item) do
    if not (key == 1 or key == 2 or key == 3) then
      diag.fail(nil, "%s has the key %s, expected { type, displacement, block length }", what, util.show(key))
    end
  end
  local inner = datatype.need(item[1], "the type of " .. what)
  local displ, base = item[2] == nil and 0 or item[2], nil
  if record.type(displ) == "Place in an own array" then displ, base = displ.bytes, displ.name end
  displ = datatype.count(displ, "the displacement of " .. what)
  local length = datatype.count(item[3] == nil and 1 or item[3], "the block length of " .. what, 0)
  local part = datatype.shifted(datatype.repeated(inner, length, inner.extent), displ)
  return base and datatype.in_array(part, base) or part
end

local function struct(items)
  if type(items) ~= "table" or getmetatable(items) ~= nil then
    diag.fail(nil, "struct got %s, expected { { type, displacement, block length }, ... }", util.show(items))
  end
  for key in pairs(items) do
    if not util.is_int(key) or key < 1 or key > #items then
      diag.fail(nil, "struct has the key %s, expected a list of items", util.show(key))
    end
  end
  local parts = {}
  for i, item in ipairs(items) do parts[i] = item_part(item, i) end
  return datatype.of("struct", datatype.joined(parts))
end

return { words = { struct = struct, at = at } }
