-- SPDX-License-Identifier: MIT
-- Integer polynomials in parameters, in canonical form, so that equality is exact.
--
-- An Expr is immutable: mono maps a monomial's key to its coefficient; constants hold mono[""].
-- A factor of a monomial is a parameter, an element of a parameter list, or a call: of Exprs (min, max, choose,
-- lowest, highest, round_up), or over whole parameter lists (total, low, high).
local calls = require "cartgen.calls"
local util = require "cartgen.util"

local expr = {}

local Expr = {}
Expr.__index = Expr

-- Coefficients are floats also under Lua 5.4, whose integers wrap around; up to this a sum or product
-- that passes it is seen after rounding.
local LIMIT = 2 ^ 53 - 1
local facts = { [""] = { factors = {}, degree = 0 } } -- key -> parsed monomial, interned

local function checked(n)
  if n ~= n or n > LIMIT or n < -LIMIT then error("a coefficient passes 2^53 - 1", 0) end
  return n
end

local function raw(mono) return setmetatable({ mono = mono }, Expr) end

local constants = {}

--- Is v an Expr?
function expr.is(v) return getmetatable(v) == Expr end

--- Expr of a Lua integer (integral number) or Expr; anything else is an error.
function expr.of(x)
  if expr.is(x) then return x end
  if type(x) ~= "number" or x ~= x or x % 1 ~= 0 then
    error(("expected an integer or an expression of parameters, got %s"):format(
      type(x) == "number" and tostring(x) or type(x) == "string" and ("%q"):format(x) or type(x)), 0)
  end
  checked(x)
  if not constants[x] then
    local made = raw(x == 0 and {} or { [""] = x + 0.0 })
    if x < -1024 or x > 1048576 then return made end
    constants[x] = made
  end
  return constants[x]
end

local function factor_text(name, index) return index and ("%s[%d]"):format(name, index) or name end

local function variable(name, index)
  local key = factor_text(name, index)
  if not facts[key] then
    facts[key] = { factors = { { name = name, index = index, power = 1, text = key } }, degree = 1 }
  end
  return raw { [key] = 1.0 }
end

function expr.param(name) return variable(name) end

--- Value `index` (0-based) of the array parameter `name`.
function expr.element(name, index) return variable(name, index) end

-- Longest text of a call: nested calls repeat each other, so that a longer one stands as a digest of itself.
local LONGEST = 160

local function call_key(op, args, lists)
  local words = {}
  for _, name in ipairs(lists) do words[#words + 1] = name or "none" end
  for _, arg in ipairs(args) do words[#words + 1] = expr.text(arg) end
  local full = ("%s(%s)"):format(op, table.concat(words, ", "))
  return #full > LONGEST and ("%s(%s)"):format(op, util.digest(full)) or full, full
end

-- How deep calls are nested in e.
local function depth_of(e)
  local depth = 0
  for key in pairs(e.mono) do
    for _, f in ipairs(facts[key].factors) do depth = math.max(depth, f.depth or 0) end
  end
  return depth
end

-- A call as a factor; lists: names (false: none).
local function called(op, args, lists)
  local key, full = call_key(op, args, lists)
  if not facts[key] then
    local depth = 0
    for _, arg in ipairs(args) do depth = math.max(depth, depth_of(arg)) end
    facts[key] = { factors = { { op = op, args = args, lists = lists, power = 1, text = key, depth = depth + 1 } },
      degree = 1, full = full }
  elseif facts[key].full ~= full then
    error("two expressions of one digest: " .. key)
  end
  return raw { [key] = 1.0 }
end

-- min(a, b) and max(a, b) of Exprs whose difference is not known.
local function called_in_order(op, a, b)
  if expr.text(b) < expr.text(a) then a, b = b, a end
  return called(op, { a, b }, {})
end

--- Sum of the first `count` values of the parameter list `name`, which are 0 or more.
function expr.total(name, count) return called("total", { expr.of(count) }, { name }) end

--- Least ("low") or greatest ("high") of index[i] * scale + place over the items i < count, and of the same
--- (lengths[i] - 1) * stride further on; lengths nil: 1 each. Items of length 0 do not count; without any: 0.
function expr.list_place(op, index, lengths, count, scale, stride, place)
  return called(op, { expr.of(count), expr.of(scale), expr.of(stride), expr.of(place) }, { index, lengths or false })
end

function expr.add(a, b)
  a, b = expr.of(a), expr.of(b)
  if next(a.mono) == nil then return b end
  if next(b.mono) == nil then return a end
  local mono = {}
  for key, coef in pairs(a.mono) do mono[key] = coef end
  for key, coef in pairs(b.mono) do
    local n = checked((mono[key] or 0) + coef)
    mono[key] = n ~= 0 and n or nil
  end
  return raw(mono)
end

local function scaled(a, factor)
  if factor == 1 then return a end
  local mono = {}
  if factor ~= 0 then
    for key, coef in pairs(a.mono) do mono[key] = checked(coef * factor) end
  end
  return raw(mono)
end

function expr.neg(a) return scaled(expr.of(a), -1) end
function expr.sub(a, b) return expr.add(a, expr.neg(b)) end

local function product_key(ka, kb)
  if ka == "" then return kb end
  if kb == "" then return ka end
  local powers, list, degree = {}, {}, 0
  for _, key in ipairs { ka, kb } do
    for _, f in ipairs(facts[key].factors) do
      if not powers[f.text] then
        powers[f.text] = { name = f.name, index = f.index, op = f.op, args = f.args, lists = f.lists, depth = f.depth,
          power = 0, text = f.text }
        list[#list + 1] = powers[f.text]
      end
      powers[f.text].power = powers[f.text].power + f.power
      degree = degree + f.power
    end
  end
  table.sort(list, function(x, y) return x.text < y.text end)
  local parts = {}
  for _, f in ipairs(list) do
    for _ = 1, f.power do parts[#parts + 1] = f.text end
  end
  local key = table.concat(parts, "*")
  if not facts[key] then facts[key] = { factors = list, degree = degree } end
  return key
end

local function constant_of(a)
  local key, coef = next(a.mono)
  if key == nil then return 0 end
  if key == "" and next(a.mono, key) == nil then return coef end
  return nil
end

function expr.mul(a, b)
  a, b = expr.of(a), expr.of(b)
  local ca, cb = constant_of(a), constant_of(b)
  if cb then return ca and expr.of(checked(ca * cb)) or scaled(a, cb) end
  if ca then return scaled(b, ca) end
  local mono = {}
  for ka, x in pairs(a.mono) do
    for kb, y in pairs(b.mono) do
      local key = product_key(ka, kb)
      local n = checked((mono[key] or 0) + checked(x * y))
      mono[key] = n ~= 0 and n or nil
    end
  end
  return raw(mono)
end

--- Sum of a list.
function expr.sum(list)
  local mono = {}
  for _, e in ipairs(list) do
    for key, coef in pairs(expr.of(e).mono) do mono[key] = checked((mono[key] or 0) + coef) end
  end
  for key, coef in pairs(mono) do
    if coef == 0 then mono[key] = nil end
  end
  return raw(mono)
end

function expr.is_const(a) return constant_of(expr.of(a)) ~= nil end

--- Value of a constant.
function expr.value(a) return (assert(constant_of(expr.of(a)), "not a constant")) end

function expr.equal(a, b)
  a, b = expr.of(a), expr.of(b)
  if a == b then return true end
  for key, coef in pairs(a.mono) do
    if b.mono[key] ~= coef then return false end
  end
  for key in pairs(b.mono) do
    if a.mono[key] == nil then return false end
  end
  return true
end

local function sorted_keys(e)
  local keys = {}
  for key in pairs(e.mono) do keys[#keys + 1] = key end
  if #keys > 1 then
    table.sort(keys, function(x, y)
      if facts[x].degree ~= facts[y].degree then return facts[x].degree > facts[y].degree end
      return x < y
    end)
  end
  return keys
end

--- Terms {coef, factors}: highest degree first, then by names. A factor is {name, index?, power} or, for a call,
--- {op, args, lists, depth, power}: args are Exprs, lists names (false: none), depth 1 or more: how deep calls nest.
function expr.terms(e)
  e = expr.of(e)
  local out = {}
  for i, key in ipairs(sorted_keys(e)) do out[i] = { coef = e.mono[key], factors = facts[key].factors } end
  return out
end

--- "4*m*n + 8".
function expr.text(e)
  local out = {}
  for i, term in ipairs(expr.terms(e)) do
    local parts, coef = {}, math.abs(term.coef)
    if coef ~= 1 or #term.factors == 0 then parts[1] = ("%.0f"):format(coef) end
    for _, f in ipairs(term.factors) do
      for _ = 1, f.power do parts[#parts + 1] = f.text end
    end
    local sign = term.coef < 0 and (i == 1 and "-" or " - ") or (i == 1 and "" or " + ")
    out[i] = sign .. table.concat(parts, "*")
  end
  return #out == 0 and "0" or table.concat(out)
end

--- String that is equal for equal expressions only.
expr.key = expr.text

local evaluated

-- known: values of calls by their texts.
local function call_value(f, values, known)
  if not known[f.text] then
    local args = {}
    for i, arg in ipairs(f.args) do args[i] = evaluated(arg, values, known) end
    known[f.text] = calls[f.op](args, values[f.lists[1]], values[f.lists[2]])
  end
  return known[f.text]
end

function evaluated(e, values, known)
  local total = 0
  for _, term in ipairs(expr.terms(e)) do
    local x = term.coef
    for _, f in ipairs(term.factors) do
      local v
      if f.op then
        v = call_value(f, values, known)
      else
        v = assert(values[f.name], "no value for parameter " .. f.name)
        if f.index then v = v[f.index + 1] end
      end
      x = x * v ^ f.power
    end
    total = total + x
  end
  return total
end

--- Value for given parameters: values[name] is a number, or a 1-based list.
function expr.eval(e, values) return evaluated(e, values, {}) end

--- 0, 1 or -1: the value is zero, never negative, never positive for parameters that are not negative; nil:
--- not known.
function expr.sign(e)
  local low, high = true, true
  for _, term in ipairs(expr.terms(e)) do
    for _, f in ipairs(term.factors) do
      if f.op and f.op ~= "total" then return nil end
    end
    if term.coef < 0 then low = false else high = false end
  end
  if low and high then return 0 end
  return low and 1 or high and -1 or nil
end

local function extreme(op, wanted)
  return function(a, b)
    a, b = expr.of(a), expr.of(b)
    local sign = expr.sign(expr.sub(a, b))
    if sign == nil then return called_in_order(op, a, b) end
    return sign == wanted and a or sign == 0 and a or b
  end
end

--- The smaller, the larger of two.
expr.min, expr.max = extreme("min", -1), extreme("max", 1)

-- Is e zero wherever g is? By the form: every term has every factor of the monomial g.
local function vanishes_with(e, g)
  local key, coef = next(g.mono)
  if key == nil or key == "" or next(g.mono, key) ~= nil or coef == 0 then return false end
  for term in pairs(e.mono) do
    for _, wanted in ipairs(facts[key].factors) do
      local found = false
      for _, f in ipairs(facts[term].factors) do found = found or f.text == wanted.text end
      if not found then return false end
    end
  end
  return true
end

--- `a` where g, which is 0 or more, is above 0, else `b`.
function expr.choose(g, a, b)
  g, a, b = expr.of(g), expr.of(a), expr.of(b)
  if expr.is_const(g) then return expr.value(g) > 0 and a or b end
  if expr.equal(a, b) or next(b.mono) == nil and vanishes_with(a, g) then return a end
  return called("choose", { g, a, b }, {})
end

--- Least ("lowest") or greatest ("highest") of list[2], list[4], ... whose list[1], list[3], ... is above 0; 0 where
--- none is.
function expr.present(op, list)
  local args = {}
  for i, e in ipairs(list) do args[i] = expr.of(e) end
  return called(op, args, {})
end

--- e rounded up to a multiple of `align`; 0 counts as 1.
function expr.round_up(e, align)
  e, align = expr.of(e), expr.of(align)
  if expr.is_const(align) then
    if expr.is_const(e) then return expr.of(expr.value(e) + (-expr.value(e)) % expr.value(align)) end
    if expr.divide(e, align) then return e end
  end
  return called("round_up", { e, align }, {})
end

--- Calls visit(f) once for every call in e and in the arguments of calls, those inside first. seen (optional): the
--- texts of calls that were visited before.
function expr.each_call(e, visit, seen)
  seen = seen or {}
  for _, term in ipairs(expr.terms(e)) do
    for _, f in ipairs(term.factors) do
      if f.op and not seen[f.text] then
        seen[f.text] = true
        for _, arg in ipairs(f.args) do expr.each_call(arg, visit, seen) end
        visit(f)
      end
    end
  end
end

local function note_plain(set, e)
  for _, term in ipairs(expr.terms(e)) do
    for _, f in ipairs(term.factors) do
      if not f.op then set[f.name] = true end
    end
  end
end

--- Adds the names of the parameters in e to a set.
function expr.note(set, e)
  note_plain(set, e)
  expr.each_call(e, function(f)
    for _, arg in ipairs(f.args) do note_plain(set, arg) end
    for _, name in ipairs(f.lists) do
      if name then set[name] = true end
    end
  end)
end

--- The product of a term's factors, without its coefficient.
function expr.product(factors)
  local out = expr.of(1)
  for _, f in ipairs(factors) do
    for _ = 1, f.power do out = expr.mul(out, raw { [f.text] = 1.0 }) end
  end
  return out
end

--- A product that is zero exactly where e, which is 0 or more, is: e without coefficient and powers where it is a
--- single term, 1 where a constant term keeps it above 0.
function expr.support(e)
  e = expr.of(e)
  local key = next(e.mono)
  if key == nil then return expr.of(0) end
  if expr.is_const(e) then return expr.of(expr.value(e) > 0 and 1 or 0) end
  if next(e.mono, key) ~= nil then return e.mono[""] and expr.sign(e) == 1 and expr.of(1) or e end
  local factors = {}
  for i, f in ipairs(facts[key].factors) do factors[i] = { text = f.text, power = 1 } end
  return expr.product(factors)
end

--- a / b when that is a whole number for all values (b a constant or a single monomial), else nil.
function expr.divide(a, b)
  a, b = expr.of(a), expr.of(b)
  local key, coef = next(b.mono)
  if key == nil or next(b.mono, key) ~= nil then return nil end
  local out = {}
  for _, term in ipairs(expr.terms(a)) do
    local rest = expr.of(1)
    local powers = {}
    for _, f in ipairs(facts[key].factors) do powers[f.text] = f.power end
    for _, f in ipairs(term.factors) do
      local power = f.power - (powers[f.text] or 0)
      powers[f.text] = nil
      if power < 0 then return nil end
      for _ = 1, power do rest = expr.mul(rest, raw { [f.text] = 1.0 }) end
    end
    if next(powers) or term.coef % coef ~= 0 then return nil end
    out[#out + 1] = expr.mul(rest, term.coef / coef)
  end
  return expr.sum(out)
end

Expr.__add, Expr.__sub, Expr.__mul, Expr.__unm, Expr.__tostring = expr.add, expr.sub, expr.mul, expr.neg, expr.text

local function refuses(what)
  return function() error(("parameters are known only at run time: no %s here (use +, - and *, or --set)"):format(what), 0) end
end
Expr.__div, Expr.__mod, Expr.__pow, Expr.__idiv = refuses "division", refuses "remainder", refuses "power", refuses "division"
Expr.__lt, Expr.__le, Expr.__concat, Expr.__len = refuses "comparison", refuses "comparison", refuses "text", refuses "length"

return expr
