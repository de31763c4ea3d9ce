-- SPDX-License-Identifier: MIT
-- The layout function: where every block lies, for the parameters given at init.
local c = require "cartgen.ctree"
local expr = require "cartgen.expr"

local layout = {}

local id = c.id

-- Past this many runs of regular blocks a table of coefficients is printed instead of statements.
local MOST_RUNS = 24
-- Past this many different products of parameters statements are printed again.
local MOST_MONOMIALS = 12
-- Limit for sizes and displacements, below 2^63 by more than the error of the sum in double.
local LIMIT = "9.0e18"

-- Per block of a side: start, bytes, span (Exprs) and shape.
local function rows_of(plan, side)
  local rows = {}
  for i, block in ipairs(plan.problem[side]) do
    local t = block.type
    rows[i] = { expr.add(block.displ, t.segment.start), t.size, t.true_extent, plan.block_shapes[side][i] }
  end
  return rows
end

-- Runs of blocks of one size and shape with a regular step: {first, count, step}.
local function runs_of(rows)
  local runs = {}
  for i, row in ipairs(rows) do
    local run = runs[#runs]
    local joins = false
    if run then
      local last = rows[i - 1]
      local step = expr.sub(row[1], last[1])
      joins = expr.equal(row[2], last[2]) and expr.equal(row[3], last[3]) and row[4] == last[4]
        and (run.count == 1 or expr.equal(step, run.step))
      if joins then run.count, run.step = run.count + 1, step end
    end
    if not joins then runs[#runs + 1] = { first = i - 1, count = 1, step = expr.of(0) } end
  end
  return runs
end

local function element(side, at) return c.address(c.index(id(side), at)) end

local function statements_of(side, rows, runs)
  local out = {}
  for _, run in ipairs(runs) do
    local row = rows[run.first + 1]
    if run.count < 3 then
      for i = run.first, run.first + run.count - 1 do
        local r = rows[i + 1]
        out[#out + 1] = c.call("cartgen_block_set", { element(side, i), r[1], r[2], r[3], r[4] })
      end
    else
      local at = run.first == 0 and id "i" or c.offset(id "i", run.first)
      local displ = c.sum { { row[1] }, { id "i", run.step } }
      if expr.equal(row[1], expr.of(0)) then table.remove(displ.terms, 1) end
      out[#out + 1] = c.loop("i", run.count,
        { c.call("cartgen_block_set", { element(side, at), displ, row[2], row[3], row[4] }) })
    end
  end
  return out
end

local function monomial_key(factors)
  local out = {}
  for i, f in ipairs(factors) do out[i] = f.name .. "/" .. tostring(f.index or "") .. "^" .. f.power end
  return table.concat(out, "*")
end

-- Columns (field, monomial) that occur in the rows, in a stable order.
local function columns_of(rows)
  local columns, at = {}, {}
  for field = 1, 3 do
    for _, row in ipairs(rows) do
      for _, term in ipairs(expr.terms(row[field])) do
        local key = field .. ":" .. monomial_key(term.factors)
        if not at[key] then
          columns[#columns + 1] = { field = field, factors = term.factors, key = key }
          at[key] = #columns
          if #columns > 3 * MOST_MONOMIALS then return nil end
        end
      end
    end
  end
  table.sort(columns, function(a, b)
    if a.field ~= b.field then return a.field < b.field end
    return a.key < b.key
  end)
  for i, column in ipairs(columns) do at[column.key] = i end
  return columns, at
end

local function monomial(factors)
  local out = expr.of(1)
  for _, f in ipairs(factors) do
    local x = f.index and expr.element(f.name, f.index) or expr.param(f.name)
    for _ = 1, f.power do out = expr.mul(out, x) end
  end
  return out
end

local function matrix_of(plan, side, rows, columns, at)
  local name = ("%s_%s_layout"):format(plan.problem.name, side)
  local lines = {}
  for i, row in ipairs(rows) do
    local line = {}
    for k = 1, #columns do line[k] = 0 end
    for field = 1, 3 do
      for _, term in ipairs(expr.terms(row[field])) do line[at[field .. ":" .. monomial_key(term.factors)]] = term.coef end
    end
    line[#columns + 1] = row[4]
    lines[i] = line
  end
  local sums = { c.sum {}, c.sum {}, c.sum {} }
  for k, column in ipairs(columns) do
    local term = { c.index(c.index(id(name), id "i"), k - 1) }
    if #column.factors > 0 then term[2] = monomial(column.factors) end
    table.insert(sums[column.field].terms, term)
  end
  local shape = c.cast("int32_t", c.index(c.index(id(name), id "i"), #columns))
  local item = c.table("int64_t", name, ("[%d][%d]"):format(#rows, #columns + 1), lines)
  local loop = c.loop("i", #rows, { c.call("cartgen_block_set",
    { element(side, id "i"), sums[1], sums[2], sums[3], shape }) })
  return item, { loop }
end

-- Largest absolute coefficient of every product over all rows: a bound for any of their values.
local function bound_of(list)
  local terms, at = {}, {}
  for _, e in ipairs(list) do
    for _, term in ipairs(expr.terms(e)) do
      local key = monomial_key(term.factors)
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

-- Refuses values beyond int64_t and negative counts.
local function refusals(plan, all)
  local terms = {}
  for _, term in ipairs(bound_of(all)) do
    if #term.factors > 0 then terms[#terms + 1] = term end
  end
  local counts, seen = {}, {}
  for _, shape in ipairs(plan.shapes) do
    for _, count in ipairs(shape.counts) do
      local key = expr.key(count)
      if not expr.is_const(count) and not seen[key] then
        seen[key] = true
        counts[#counts + 1] = count
      end
    end
  end
  local refuse = {
    c.call("cartgen_blocks_refuse", { id "send", #plan.problem.send }),
    c.call("cartgen_blocks_refuse", { id "recv", #plan.problem.recv }),
    c.leave(),
  }
  local out = {}
  if #terms > 0 then out[#out + 1] = c.when(c.beyond(terms, LIMIT), refuse) end
  if #counts > 0 then out[#out + 1] = c.when(c.negative(counts), refuse) end
  return out
end

local function side_of(plan, side, items)
  local rows = rows_of(plan, side)
  local runs = runs_of(rows)
  if #runs > MOST_RUNS then
    local columns, at = columns_of(rows)
    if columns then
      local item, statements = matrix_of(plan, side, rows, columns, at)
      items[#items + 1] = item
      return rows, statements
    end
  end
  return rows, statements_of(side, rows, runs)
end

--- Items of the layout function NAME_layout.
function layout.items(plan, param_locals, note_params)
  local items, used, all, statements = {}, {}, {}, {}
  for _, side in ipairs { "send", "recv" } do
    local rows, list = side_of(plan, side, items)
    for _, row in ipairs(rows) do
      for field = 1, 3 do
        all[#all + 1] = row[field]
        note_params(used, row[field])
      end
    end
    if #rows == 0 then list = { c.call("(void)", { id(side) }) } end
    for _, s in ipairs(list) do statements[#statements + 1] = s end
  end
  for _, shape in ipairs(plan.shapes) do
    for j, count in ipairs(shape.counts) do
      note_params(used, count)
      all[#all + 1] = count
      all[#all + 1] = shape.strides[j]
    end
  end
  local body = param_locals(plan.problem, used, id "untyped")
  if #body == 0 then body[1] = c.call("(void)", { id "untyped" }) end
  body[#body + 1] = c.blank()
  for _, s in ipairs(refusals(plan, all)) do body[#body + 1] = s end
  for _, s in ipairs(statements) do body[#body + 1] = s end
  items[#items + 1] = c.func(plan.problem.name .. "_layout",
    "const void *untyped, cartgen_block *send, cartgen_block *recv", body)
  return items
end

return layout
