-- SPDX-License-Identifier: MIT
-- Prints a C tree. The only module that writes C punctuation.
local expr = require "cartgen.expr"
local util = require "cartgen.util"

local cprint = {}

local WIDTH = 96
local INDENT = "    "

local value

local expr_text

-- A call: its arguments, or for those of any number an array of pairs; then its lists.
local CALLS = {
  min = { "cartgen_min" }, max = { "cartgen_max" }, choose = { "cartgen_choose" }, round_up = { "cartgen_round_up" },
  lowest = { "cartgen_lowest", pairs = true }, highest = { "cartgen_highest", pairs = true },
  total = { "cartgen_list_total" }, low = { "cartgen_list_low" }, high = { "cartgen_list_high" },
}

local function call_text(factor, names)
  local call, args, out = CALLS[factor.op], {}, {}
  for i, arg in ipairs(factor.args) do args[i] = expr_text(arg, names) end
  if call.pairs then
    return ("%s(%d, (const int64_t[]){%s})"):format(call[1], #args / 2, table.concat(args, ", "))
  end
  for i, name in ipairs(factor.lists) do out[i] = name and names[name] or "NULL" end
  for _, text in ipairs(args) do out[#out + 1] = text end
  return ("%s(%s)"):format(call[1], table.concat(out, ", "))
end

-- A product as C. `names` maps parameters, and calls that were computed before, to C expressions; real: its size, in
-- double.
local function factors_text(coef, factors, names, real)
  local parts = {}
  if coef ~= 1 or #factors == 0 then parts[1] = real and util.int(coef) .. ".0" or cprint.integer(coef) end
  for _, factor in ipairs(factors) do
    local text = factor.op and (names[factor.text] or call_text(factor, names)) or names[factor.name]
    if factor.index then text = text .. "[" .. util.int(factor.index) .. "]" end
    if real then text = "cartgen_magnitude(" .. text .. ")" end
    for _ = 1, factor.power do parts[#parts + 1] = text end
  end
  return table.concat(parts, " * ")
end

--- An integer literal of type int64_t where it needs to be.
function cprint.integer(n)
  if n > 2147483647 or n < -2147483647 then return "INT64_C(" .. util.int(n) .. ")" end
  return util.int(n)
end

-- A polynomial as C: 4 * m + 8.
function expr_text(e, names, grouped)
  local terms = expr.terms(e)
  if #terms == 0 then return "0" end
  local out = {}
  for i, term in ipairs(terms) do
    local coef = term.coef
    local sign = coef < 0 and (i == 1 and "-" or " - ") or (i == 1 and "" or " + ")
    out[#out + 1] = sign .. factors_text(math.abs(coef), term.factors, names)
  end
  local text = table.concat(out)
  if grouped and (#terms > 1 or terms[1].coef < 0 or #terms[1].factors > 0) then return "(" .. text .. ")" end
  return text
end

local printers = {}

function value(v, names)
  if type(v) == "number" then return cprint.integer(v) end
  if v.kind and printers[v.kind] then return printers[v.kind](v, names) end
  return expr_text(v, names)
end

local function list(values, names)
  local out = {}
  for i, v in ipairs(values) do out[i] = value(v, names) end
  return table.concat(out, ", ")
end

function printers.id(v) return v.name end
function printers.param(v, names) return names[v.name] end
function printers.index(v, names) return value(v.base, names) .. "[" .. value(v.at, names) .. "]" end
function printers.field(v, names) return value(v.base, names) .. "->" .. v.name end
function printers.address(v, names) return "&" .. value(v.of, names) end
function printers.cast(v, names) return "(" .. v.type .. ")" .. value(v.value, names) end
function printers.member(v, names) return value(v.base, names) .. "." .. v.name end

function printers.group(v, names) return "(" .. value(v.value, names) .. ")" end

-- An operand of a binary operator: what binds less is put in parentheses.
local function operand(v, names)
  local text = value(v, names)
  if (type(v) == "table" and (v.kind == "binary" or v.kind == "sum")) or (expr.is(v) and #expr.terms(v) > 1) then
    return "(" .. text .. ")"
  end
  return text
end

function printers.binary(v, names) return operand(v.left, names) .. " " .. v.op .. " " .. operand(v.right, names) end
function printers.macro(v, names) return v.name .. "(" .. list(v.args, names) .. ")" end

function printers.offset(v, names)
  local base = value(v.base, names)
  if type(v.bytes) ~= "number" and not v.bytes.kind then
    local terms = expr.terms(v.bytes)
    if #terms == 0 then return base end
    if terms[1].coef < 0 then return base .. " + (" .. expr_text(v.bytes, names) .. ")" end
  end
  return base .. " + " .. value(v.bytes, names)
end

function printers.size(v, names)
  if expr.is_const(v.bytes) then return value(v.bytes, names) end
  return "(size_t)" .. expr_text(v.bytes, names, true)
end

-- A factor of a product: sums in parentheses.
local function factor_value(v, names, in_product)
  local text = value(v, names)
  if in_product and expr.is(v) and #expr.terms(v) > 1 then return "(" .. text .. ")" end
  return text
end

function printers.sum(v, names)
  local out = {}
  for i, term in ipairs(v.terms) do
    local parts = {}
    for j, factor in ipairs(term) do parts[j] = factor_value(factor, names, #term > 1) end
    out[i] = table.concat(parts, " * ")
  end
  return #out == 0 and "0" or table.concat(out, " + ")
end

function printers.present(v, names) return value(v.value, names) .. " != NULL" end

function printers.negative(v, names)
  local out = {}
  for i, x in ipairs(v.values) do out[i] = expr_text(x, names) .. " < 0" end
  return table.concat(out, " || ")
end

function printers.unequal(v, names) return value(v.one, names) .. " != " .. value(v.other, names) end

function printers.anything(v, names)
  local out = {}
  for i, x in ipairs(v.values) do out[i] = value(x, names) end
  return table.concat(out, " || ")
end

function printers.beyond(v, names)
  local out = {}
  for i, term in ipairs(v.terms) do out[i] = factors_text(term.coef, term.factors, names, true) end
  return "!(" .. table.concat(out, " + ") .. " < " .. v.limit .. ")"
end

local statements = {}

-- Breaks a long line after commas and before operators at the outermost possible place.
local function emit(out, indent, text)
  local line = indent .. text
  while #line > 100 do
    local cut
    for at = 98, #indent + 20, -1 do
      local two = line:sub(at, at + 1)
      local in_string = select(2, line:sub(1, at):gsub('"', "")) % 2 == 1
      if in_string then
        cut = nil
      elseif two == ", " or two == " +" or two == "||" or two == " *" then
        cut = at + (two == ", " and 0 or -1)
        break
      end
    end
    if not cut then break end
    out[#out + 1] = line:sub(1, cut)
    line = indent .. INDENT .. line:sub(cut + 1):gsub("^ +", "")
  end
  out[#out + 1] = line
end

local function body(out, indent, list_of, names)
  for _, s in ipairs(list_of) do statements[s.kind](s, out, indent, names) end
end

function statements.comment(s, out, indent) emit(out, indent, "/* " .. s.text .. " */") end
function statements.blank(_, out) out[#out + 1] = "" end
function statements.leave(_, out, indent) out[#out + 1] = indent .. "return;" end
function statements.result(s, out, indent, names) emit(out, indent, "return " .. value(s.value, names) .. ";") end
function statements.call(s, out, indent, names) emit(out, indent, s.name .. "(" .. list(s.args, names) .. ");") end

function statements.declare(s, out, indent, names)
  local star = s.type:sub(-1) == "*" and "" or " "
  emit(out, indent, s.type .. star .. s.name .. (s.value and " = " .. value(s.value, names) or "") .. ";")
end

function statements.compute(s, out, indent, names)
  emit(out, indent, "const int64_t " .. names[s.factor.text] .. " = " .. call_text(s.factor, names) .. ";")
end

function statements.assign(s, out, indent, names)
  emit(out, indent, value(s.to, names) .. " = " .. value(s.value, names) .. ";")
end

function statements.update(s, out, indent, names)
  emit(out, indent, value(s.to, names) .. " " .. s.op .. " " .. value(s.value, names) .. ";")
end

function statements.when(s, out, indent, names)
  emit(out, indent, "if (" .. value(s.test, names) .. ") {")
  body(out, indent .. INDENT, s.body, names)
  out[#out + 1] = indent .. "}"
end

function statements.loop(s, out, indent, names)
  emit(out, indent, ("%sfor (int64_t %s = 0; %s < %s; %s++) {"):format(s.unrolled and "CARTGEN_UNROLL " or "", s.var, s.var,
    value(s.count, names), s.var))
  body(out, indent .. INDENT, s.body, names)
  out[#out + 1] = indent .. "}"
end

function statements.range(s, out, indent, names)
  local from = s.from and ("int64_t %s = %s"):format(s.var, value(s.from, names)) or ""
  local reach = s.step == 1 and s.var or ("%s + %s"):format(s.var, util.int(s.step - 1))
  local step = s.step == 1 and s.var .. "++" or ("%s += %s"):format(s.var, util.int(s.step))
  emit(out, indent, ("for (%s; %s < %s; %s) {"):format(from, reach, value(s.limit, names), step))
  body(out, indent .. INDENT, s.body, names)
  out[#out + 1] = indent .. "}"
end

function statements.tiles(s, out, indent, names)
  emit(out, indent, ("for (int64_t %s = %s; %s < %s; %s += %s) {"):format(s.var, s.from and value(s.from, names) or "0", s.var,
    value(s.count, names), s.var, util.int(s.size)))
  body(out, indent .. INDENT, s.body, names)
  out[#out + 1] = indent .. "}"
end

function statements.while_(s, out, indent, names)
  emit(out, indent, "while (" .. value(s.test, names) .. ") {")
  body(out, indent .. INDENT, s.body, names)
  out[#out + 1] = indent .. "}"
end

function statements.either(s, out, indent, names)
  emit(out, indent, "if (" .. value(s.test, names) .. ") {")
  body(out, indent .. INDENT, s.body, names)
  while #s.other == 1 and s.other[1].kind == "either" do
    s = s.other[1]
    emit(out, indent, "} else if (" .. value(s.test, names) .. ") {")
    body(out, indent .. INDENT, s.body, names)
  end
  if #s.other > 0 then
    out[#out + 1] = indent .. "} else {"
    body(out, indent .. INDENT, s.other, names)
  end
  out[#out + 1] = indent .. "}"
end

function statements.section(s, out) out[#out + 1] = "\n/* --- " .. s.text .. " --- */" end

function statements.func(s, out, _, names)
  out[#out + 1] = ""
  emit(out, "", (s.public and "" or "static ") .. (s.type or "void") .. " " .. s.name .. "(" .. s.params .. ")")
  out[#out + 1] = "{"
  body(out, INDENT, s.body, names)
  out[#out + 1] = "}"
end

function statements.struct(s, out)
  out[#out + 1] = ("\ntypedef struct %s {"):format(s.name)
  for _, member in ipairs(s.members) do out[#out + 1] = ("%s%s %s;"):format(INDENT, member[1], member[2]) end
  out[#out + 1] = ("} %s;"):format(s.name)
end

-- A row is a value or a list of values; rows fill lines.
function statements.table(s, out, _, names)
  out[#out + 1] = ""
  out[#out + 1] = ("static const %s%s%s%s = {"):format(s.type, s.type:sub(-1) == "*" and "" or " ", s.name, s.shape)
  local line = INDENT
  for _, row in ipairs(s.rows) do
    local text
    if type(row) == "table" and not row.kind then
      text = "{" .. list(row, names) .. "},"
    else
      text = value(row, names) .. ","
    end
    if #line + 1 + #text > WIDTH and line ~= INDENT then
      out[#out + 1] = line
      line = INDENT
    end
    line = line .. (line == INDENT and "" or " ") .. text
  end
  if line ~= INDENT then out[#out + 1] = line end
  out[#out + 1] = "};"
end

--- Text of a list of top-level items; names maps parameters to C identifiers.
function cprint.text(items, names)
  local out = {}
  for _, item in ipairs(items) do statements[item.kind](item, out, "", names) end
  return table.concat(out, "\n") .. "\n"
end

--- An Expr as C text.
function cprint.expression(e, names) return expr_text(e, names) end

return cprint
