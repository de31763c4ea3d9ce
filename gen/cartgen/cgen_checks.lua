-- SPDX-License-Identifier: MIT
-- Checks of parameters in generated C: values that would pass int64_t, negative counts, lists that do not agree.
local c = require "cartgen.ctree"
local datatype = require "cartgen.datatype"
local expr = require "cartgen.expr"

local checks = {}

-- Limit for sizes and displacements, below 2^63 by more than the error of the sum in double.
local LIMIT = "9.0e18"

--- What is said of a check that failed.
checks.messages = {
  beyond = "a size or displacement passes 2^63 bytes for these parameters",
  lists = "a length in a list is negative",
  lengths = "a list of lengths and its list of places differ in length",
}

--- Key of a product of parameters.
function checks.monomial_key(factors)
  local out = {}
  for i, f in ipairs(factors) do out[i] = f.text .. "^" .. f.power end
  return table.concat(out, "*")
end

-- Largest absolute coefficient of every product over all rows: a bound for any of their values.
local function bound_of(list)
  local terms, at = {}, {}
  for _, e in ipairs(list) do
    for _, term in ipairs(expr.terms(e)) do
      local key = checks.monomial_key(term.factors)
      if not at[key] then
        terms[#terms + 1] = { coef = 0, factors = term.factors, key = key }
        at[key] = terms[#terms]
      end
      at[key].coef = math.max(at[key].coef, math.abs(term.coef))
    end
  end
  table.sort(terms, function(a, b) return a.key < b.key end)
  return terms
end

-- How deep calls are nested in a product: what their arguments are must be checked before they are computed.
local function depth_of(factors)
  local depth = 0
  for _, f in ipairs(factors) do depth = math.max(depth, f.depth or 0) end
  return depth
end

-- Expressions and the arguments of their calls.
local function with_arguments(all)
  local out, seen, calls = {}, {}, {}
  local function add(e)
    local key = expr.key(e)
    if not seen[key] then out[#out + 1] = e end
    seen[key] = true
  end
  for _, e in ipairs(all) do
    add(e)
    expr.each_call(e, function(f)
      for _, arg in ipairs(f.args) do add(arg) end
    end, calls)
  end
  return out
end

-- depth -> statements that compute the calls of that depth.
local function calls_of(all)
  local out, seen = {}, {}
  for _, e in ipairs(all) do
    expr.each_call(e, function(f)
      out[f.depth] = out[f.depth] or {}
      table.insert(out[f.depth], c.compute(f))
    end, seen)
  end
  return out
end

-- Is a negative count seen as a negative size of some block?
local function is_seen(count, sizes)
  for _, size in ipairs(sizes) do
    local times = expr.divide(size, count)
    if times and expr.is_const(times) and expr.value(times) > 0 then return true end
  end
  return false
end

-- Is e 0 or more wherever the counts in `known` (by their keys) are?
local function follows(e, known)
  local own = expr.key(e)
  for _, term in ipairs(expr.terms(e)) do
    if term.coef < 0 then return false end
    for _, f in ipairs(term.factors) do
      if not known[f.text] or f.text == own then return false end
    end
  end
  return true
end

-- Counts without those that follow from others.
local function needed(counts, sizes)
  local known, out = {}, {}
  for _, e in ipairs(counts) do known[expr.key(e)] = true end
  for _, e in ipairs(counts) do
    if not is_seen(e, sizes) and not follows(e, known) then out[#out + 1] = e end
  end
  return out
end

-- What is checked besides sizes: counts that may not be negative, tests of lists, lengths that must agree; each once.
local function checks_of(types, sizes)
  local out, seen = { counts = {}, lists = {}, lengths = {} }, {}
  local function once(list, key, value)
    if not seen[key] then list[#list + 1] = value end
    seen[key] = true
  end
  local visit = {
    count = function(e) once(out.counts, expr.key(e), e) end,
    list = function(name, count)
      once(out.lists, "list " .. name, c.macro("cartgen_list_negative", { c.param(name), count }))
    end,
    same = function(length, wanted)
      local difference = expr.sub(length, wanted)
      once(out.lengths, "length " .. expr.key(difference), c.unequal(length, wanted))
    end,
  }
  for _, t in ipairs(types) do datatype.each_count(t, visit) end
  out.counts = needed(out.counts, sizes)
  return out
end

--- Statements that refuse values beyond int64_t (of the Exprs in `all`), negative counts and lists of types, and lists
--- whose lengths do not agree, and that compute the calls in `all`. sizes: Exprs that the caller itself refuses where
--- they are negative. refuse(what): statements, nil: no such check; what: "beyond", "counts", "lists", "lengths".
--- refuse_count(e) (optional): those for one count.
function checks.statements(all, types, sizes, refuse, refuse_count)
  local by_depth, deepest = {}, 0
  for _, term in ipairs(bound_of(with_arguments(all))) do
    local depth = depth_of(term.factors)
    deepest = math.max(deepest, depth)
    by_depth[depth] = by_depth[depth] or {}
    if #term.factors > 0 then table.insert(by_depth[depth], term) end
  end
  local found, calls = checks_of(types, sizes), calls_of(all)
  local out = {}
  local function add(test, refusal)
    if refusal then out[#out + 1] = c.when(test, refusal) end
  end
  local function add_counts()
    if not refuse_count then
      if #found.counts > 0 then add(c.negative(found.counts), refuse "counts") end
      return
    end
    for _, e in ipairs(found.counts) do add(c.negative { e }, refuse_count(e)) end
  end
  if #found.lengths > 0 then add(c.anything(found.lengths), refuse "lengths") end
  for depth = 0, deepest do
    local terms = by_depth[depth] or {}
    if #terms > 0 then add(c.beyond(terms, LIMIT), refuse "beyond") end
    if depth == 0 then add_counts() end
    if depth == 0 and #found.lists > 0 then add(c.anything(found.lists), refuse "lists") end
    for _, statement in ipairs(calls[depth + 1] or {}) do out[#out + 1] = statement end
  end
  return out
end

return checks
