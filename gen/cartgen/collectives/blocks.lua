-- SPDX-License-Identifier: MIT
-- What the six collectives share: their arguments become blocks, one function of each.
local datatype = require "cartgen.datatype"
local diag = require "cartgen.diag"
local exchange = require "cartgen.exchange"
local expr = require "cartgen.expr"
local params = require "cartgen.params"
local record = require "cartgen.record"
local util = require "cartgen.util"

local blocks = {}

blocks.block = exchange.block

--- Only the fields named may be there; those in `required` must.
function blocks.check_fields(what, args, fields, required)
  if type(args) ~= "table" or record.type(args) then
    diag.fail(nil, "%s got %s, expected { %s = ... }", what, util.show(args), fields[1])
  end
  for _, key in ipairs(util.sorted_keys(args)) do
    local known = false
    for _, field in ipairs(fields) do known = known or field == key end
    if not known then diag.fail(nil, "%s has no field '%s'%s", what, key, util.hint(key, fields)) end
  end
  for _, key in ipairs(required) do
    if args[key] == nil then diag.fail(nil, "%s lacks the field '%s'", what, key) end
  end
end

--- Entry for every offset from a list (one each) or a function(i, offset), i from 0.
function blocks.each(what, given, offsets)
  local out = {}
  if type(given) == "function" then
    for i, offset in ipairs(offsets) do
      local copy = {}
      for j, x in ipairs(offset) do copy[j] = x end
      out[i] = given(i - 1, copy)
      if out[i] == nil then diag.fail(nil, "%s: the function returned nothing for offset %d", what, i - 1) end
    end
    return out
  end
  if not params.is_list(given) then
    diag.fail(nil, "%s is %s, expected a list or a function(i, offset)", what, util.show(given))
  end
  if #given ~= #offsets then
    diag.fail(nil, "%s has %d %s, the stencil has %d %s", what, #given, #given == 1 and "entry" or "entries", #offsets,
      #offsets == 1 and "offset" or "offsets")
  end
  for i = 1, #offsets do out[i] = given[i] end
  return out
end

--- n equal blocks, block i at i extents.
function blocks.equal(type, n)
  local out = {}
  for i = 1, n do out[i] = blocks.block { type = type, displ = expr.mul(type.extent, i - 1) } end
  return out
end

--- Blocks of counts[i] elements at displs[i] elements; displs nil: one behind the other.
function blocks.counted(what, counts, displs, type, offsets)
  local out, at = {}, expr.of(0)
  counts = blocks.each(what .. " counts", counts, offsets)
  displs = displs ~= nil and blocks.each(what .. " displs", displs, offsets) or nil
  for i, count in ipairs(counts) do
    count = datatype.count(count, ("%s counts[%d]"):format(what, i - 1), 0)
    local displ = at
    if displs then
      displ = expr.mul(datatype.count(displs[i], ("%s displs[%d]"):format(what, i - 1)), type.extent)
    end
    out[i] = blocks.block { type = datatype.contiguous(count, type), displ = displ }
    at = expr.add(at, expr.mul(count, type.extent))
  end
  return out
end

--- Blocks from entries { type = T, displ = bytes }.
function blocks.typed(what, given, offsets)
  local out = {}
  for i, entry in ipairs(blocks.each(what, given, offsets)) do
    local name = ("%s[%d]"):format(what, i - 1)
    blocks.check_fields(name, entry, { "type", "displ" }, { "type" })
    out[i] = blocks.block { type = datatype.need(entry.type, "the type of " .. name),
      displ = datatype.count(entry.displ == nil and 0 or entry.displ, "the displ of " .. name) }
  end
  return out
end

return blocks
