-- SPDX-License-Identifier: MIT
-- Layouts: a description `layout "NAME" { type, to, reduce }` validated and resolved. Moves within a process, no transport.
local basics = require "cartgen.basics"
local datatype = require "cartgen.datatype"
local diag = require "cartgen.diag"
local expr = require "cartgen.expr"
local identifiers = require "cartgen.identifiers"
local params = require "cartgen.params"
local record = require "cartgen.record"
local shape = require "cartgen.shape"
local util = require "cartgen.util"

local layout = {}

--- type is packed and read by copies; to is unpacked into, written by copies, reduced into. reduce: operations. arrays:
--- names of the own arrays of both types, in order of appearance; params: {name, length?} that both need.
layout.make = record.define("Layout", { name = "required", where = "required", type = "required", to = "required",
  reduce = "required", arrays = "required", params = "required" })

local FIELDS = { "type", "to", "reduce" }

-- Operations, and those that a class of basic types has.
layout.operations = { "sum", "min", "max", "prod", "and", "or", "xor" }

local function set(words)
  local out = {}
  for word in words:gmatch "%S+" do out[word] = true end
  return out
end

local CLASSES = {
  integer = set "sum min max prod and or xor", logical = set "and or xor", real = set "sum min max prod", complex = set "sum prod",
}

local function class_of(elem)
  if elem == "bool" then return "logical" end
  if elem:find "complex" then return "complex" end
  if elem == "float" or elem == "double" or elem == "long_double" then return "real" end
  return "integer"
end

local function each_run(s, visit)
  shape.map_runs(s, function(run)
    visit(run)
    return run
  end)
end

local function check_reduce(list, to, where)
  if type(list) ~= "table" or record.type(list) then
    diag.fail(where, "reduce is %s, expected a list of operations: { \"sum\", ... }", util.show(list))
  end
  local seen = {}
  for i, op in ipairs(list) do
    local known = false
    for _, name in ipairs(layout.operations) do known = known or name == op end
    if not known then
      diag.fail(where, "reduce[%d] is %s%s", i - 1, util.show(op), util.hint(tostring(op), layout.operations))
    end
    if seen[op] then diag.fail(where, "reduce names '%s' twice", op) end
    seen[op] = true
    each_run(to.shape, function(run)
      if not CLASSES[class_of(run.elem)][op] then
        diag.fail(where, "reduce: %s has no operation '%s'", run.elem, op)
      end
    end)
  end
  local count = 0
  for _ in pairs(list) do count = count + 1 end
  if count ~= #list then diag.fail(where, "reduce is not a list of operations") end
end

local function params_of(all, types)
  local used = {}
  for _, t in ipairs(types) do
    datatype.note(used, t)
    for _, e in ipairs { t.lb, t.extent, t.true_lb, t.true_extent } do expr.note(used, e) end
  end
  return params.used(all, used)
end

local function check_fields(fields, where)
  for _, key in ipairs(util.sorted_keys(fields)) do
    local known = false
    for _, field in ipairs(FIELDS) do known = known or field == key end
    if not known then diag.fail(where, "a layout has no field '%s'%s", key, util.hint(key, FIELDS)) end
  end
  if fields.type == nil then diag.fail(where, "the layout lacks the field 'type'") end
end

-- Sizes and signatures must agree. Where parameters decide, NAME_init compares the sizes.
local function check_signatures(from, to, where)
  local difference = expr.sub(from.size, to.size)
  if expr.is_const(difference) and expr.value(difference) ~= 0 then
    diag.fail(where, "type has %s bytes, to has %s", expr.text(from.size), expr.text(to.size))
  end
  if not (shape.runs(from.signature) and shape.runs(to.signature)) then return end
  local sent, received = datatype.signatures_differ(from, to)
  if sent then diag.fail(where, "type is of %s, to is of %s", sent, received) end
end

-- Most runs of bytes that are looked at for overlaps.
local MOST_RUNS = 1000000

-- What is written into may not overlap itself, as far as its places are constant.
local function check_overlap(to, where)
  local count = shape.runs(to.moves)
  if not count or count > MOST_RUNS then return end
  local runs = {}
  shape.each_run(to.moves, 0, function(at, bytes, base)
    local key = base or ""
    runs[key] = runs[key] or {}
    table.insert(runs[key], { at = at, bytes = bytes })
  end)
  for _, key in ipairs(util.sorted_keys(runs)) do
    local list = runs[key]
    table.sort(list, function(a, b) return a.at < b.at end)
    for i = 2, #list do
      if list[i - 1].at + list[i - 1].bytes > list[i].at then
        diag.fail(where, "the field 'to' overlaps itself at byte %s", util.int(list[i].at))
      end
    end
  end
end

--- Layout from a description {name, fields, where}; all: the parameters of the file.
function layout.resolve(description, all)
  local fields, where = description.fields, description.where
  identifiers.check_name(description.name, "layout", where)
  check_fields(fields, where)
  local from = datatype.need(fields.type, "the type of the layout")
  local to = fields.to == nil and from or datatype.need(fields.to, "the field 'to' of the layout")
  check_signatures(from, to, where)
  if fields.to ~= nil then check_overlap(to, where) end
  local reduce = fields.reduce == nil and {} or fields.reduce
  check_reduce(reduce, to, where)
  local arrays, plain = datatype.arrays_of { from, to }
  if #arrays > 0 and plain then
    diag.fail(where, "some items lie in own arrays, at(\"%s\", ...), and some do not", arrays[1])
  end
  return layout.make { name = description.name, where = where, type = from, to = to, reduce = reduce, arrays = arrays,
    params = params_of(all, { from, to }) }
end

--- Bytes of basic types, as reductions need them.
function layout.element_sizes()
  local out = {}
  for name, basic in pairs(basics.of) do out[name] = basic.bytes end
  return out
end

--- Stable text form.
function layout.text(l)
  local out = { ("layout %s"):format(l.name) }
  for _, param in ipairs(l.params) do
    out[#out + 1] = "  parameter " .. param.name .. (param.length and "[" .. expr.text(param.length) .. "]" or "")
  end
  out[#out + 1] = "  type: " .. datatype.text(l.type)
  if l.to ~= l.type then out[#out + 1] = "  to: " .. datatype.text(l.to) end
  if #l.reduce > 0 then out[#out + 1] = "  reduce: " .. table.concat(l.reduce, ", ") end
  return table.concat(out, "\n") .. "\n"
end

return layout
