-- SPDX-License-Identifier: MIT
-- The layout function: where every block lies, for the parameters given at init.
local checks = require "cartgen.cgen_checks"
local c = require "cartgen.ctree"
local datatype = require "cartgen.datatype"
local expr = require "cartgen.expr"
local overlap = require "cartgen.cgen_overlap"
local shape = require "cartgen.shape"

local layout = {}

local id = c.id

-- Past this many runs of regular blocks a table of coefficients is printed instead of statements.
local MOST_RUNS = 24
-- Past this many different products of parameters statements are printed again.
local MOST_MONOMIALS = 12
-- Fields of a row that are Exprs.
local START, BYTES, SPAN, LOW = 1, 2, 3, 4

-- Per block of a side: start, bytes, span, low (Exprs), shape, and base, the number of its array.
local function rows_of(plan, side)
  local rows = {}
  for i, block in ipairs(plan.blocks[side]) do
    local t = block.type
    rows[i] = { expr.add(block.displ, t.moves.at), t.size, t.span, expr.sub(t.low, t.moves.at),
      shape = plan.block_shapes[side][i], base = plan.block_bases[side][i] }
  end
  return rows
end

local function same_rows(a, b)
  return expr.equal(a[BYTES], b[BYTES]) and expr.equal(a[SPAN], b[SPAN]) and expr.equal(a[LOW], b[LOW])
    and a.shape == b.shape and a.base == b.base
end

-- Runs of blocks of one size and shape with a regular step: {first, count, step}.
local function runs_of(rows)
  local runs = {}
  for i, row in ipairs(rows) do
    local run = runs[#runs]
    local joins = false
    if run then
      local last = rows[i - 1]
      local step = expr.sub(row[START], last[START])
      joins = same_rows(row, last) and (run.count == 1 or expr.equal(step, run.step))
      if joins then run.count, run.step = run.count + 1, step end
    end
    if not joins then runs[#runs + 1] = { first = i - 1, count = 1, step = expr.of(0) } end
  end
  return runs
end

local function element(side, at) return c.address(c.index(id(side), at)) end

local function is_zero(e) return expr.equal(e, expr.of(0)) end

-- Sets one block; what reaches below its start says so, and what lies in another array than the first.
local function set_statements(at, start, row)
  local out = { c.call("cartgen_block_set", { at, start, row[BYTES], row[SPAN], row.shape }) }
  if not is_zero(row[LOW]) then out[2] = c.call("cartgen_block_set_low", { at, row[LOW] }) end
  if row.base > 0 then out[#out + 1] = c.call("cartgen_block_set_base", { at, row.base }) end
  return out
end

local function statements_of(side, rows, runs)
  local out = {}
  local function add(list)
    for _, s in ipairs(list) do out[#out + 1] = s end
  end
  for _, run in ipairs(runs) do
    local row = rows[run.first + 1]
    if run.count < 3 then
      for i = run.first, run.first + run.count - 1 do add(set_statements(element(side, i), rows[i + 1][START], rows[i + 1])) end
    else
      local at = run.first == 0 and id "i" or c.offset(id "i", run.first)
      local displ = c.sum { { row[START] }, { id "i", run.step } }
      if is_zero(row[START]) then table.remove(displ.terms, 1) end
      add { c.loop("i", run.count, set_statements(element(side, at), displ, row)) }
    end
  end
  return out
end

-- Columns (field, monomial) that occur in the rows, in a stable order.
local function columns_of(rows)
  local columns, at = {}, {}
  for field = START, LOW do
    for _, row in ipairs(rows) do
      for _, term in ipairs(expr.terms(row[field])) do
        local key = field .. ":" .. checks.monomial_key(term.factors)
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

local function matrix_of(plan, side, rows, columns, at)
  local name = ("%s_%s_layout"):format(plan.problem.name, side)
  local lines, arrays = {}, false
  for _, row in ipairs(rows) do arrays = arrays or row.base > 0 end
  for i, row in ipairs(rows) do
    local line = {}
    for k = 1, #columns do line[k] = 0 end
    for field = START, LOW do
      for _, term in ipairs(expr.terms(row[field])) do line[at[field .. ":" .. checks.monomial_key(term.factors)]] = term.coef end
    end
    line[#columns + 1] = row.shape
    if arrays then line[#columns + 2] = row.base end
    lines[i] = line
  end
  local sums = { c.sum {}, c.sum {}, c.sum {}, c.sum {} }
  for k, column in ipairs(columns) do
    local term = { c.index(c.index(id(name), id "i"), k - 1) }
    if #column.factors > 0 then term[2] = expr.product(column.factors) end
    table.insert(sums[column.field].terms, term)
  end
  local function small(k) return c.cast("int32_t", c.index(c.index(id(name), id "i"), k)) end
  local item = c.table("int64_t", name, ("[%d][%d]"):format(#rows, #lines[1]), lines)
  local body = { c.call("cartgen_block_set", { element(side, id "i"), sums[START], sums[BYTES], sums[SPAN], small(#columns) }) }
  if #sums[LOW].terms > 0 then body[2] = c.call("cartgen_block_set_low", { element(side, id "i"), sums[LOW] }) end
  if arrays then body[#body + 1] = c.call("cartgen_block_set_base", { element(side, id "i"), small(#columns + 1) }) end
  return item, { c.loop("i", #rows, body) }
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

-- Statements that mark receive blocks that overlap themselves, one of each shape.
local function overlap_statements(plan)
  local out, seen = {}, {}
  for i, block in ipairs(plan.problem.recv) do
    local number = plan.block_shapes.recv[i]
    local tests = number > 0 and not seen[number] and overlap.tests(block.type.moves) or {}
    seen[number] = true
    if #tests > 0 then
      out[#out + 1] = c.when(c.anything(tests), { c.call("cartgen_block_set_overlap", { element("recv", i - 1) }) })
    end
  end
  return out
end

--- Items of the layout function NAME_layout.
function layout.items(plan, param_locals)
  local items, used, all, statements, every = {}, {}, {}, {}, {}
  for _, side in ipairs { "send", "recv" } do
    local rows, list = side_of(plan, side, items)
    for _, row in ipairs(rows) do
      every[#every + 1] = row
      for field = START, LOW do all[#all + 1] = row[field] end
    end
    if #rows == 0 then list = { c.call("(void)", { id(side) }) } end
    for _, s in ipairs(list) do statements[#statements + 1] = s end
    for _, block in ipairs(plan.blocks[side]) do
      datatype.each_count(block.type, { count = function(e) all[#all + 1] = e end,
        list = function(name, count)
          used[name] = true
          all[#all + 1] = count
        end,
        same = function(length, wanted)
          expr.note(used, length)
          expr.note(used, wanted)
        end })
    end
  end
  for _, s in ipairs(plan.shapes) do
    shape.each_expr(s, function(e) all[#all + 1] = e end, function() end)
  end
  for _, e in ipairs(all) do expr.note(used, e) end
  local body = param_locals(plan.problem, used, id "untyped")
  if #body == 0 then body[1] = c.call("(void)", { id "untyped" }) end
  body[#body + 1] = c.blank()
  local types, sizes = {}, {}
  for _, side in ipairs { "send", "recv" } do
    for _, block in ipairs(plan.blocks[side]) do types[#types + 1] = block.type end
  end
  for i, row in ipairs(every) do sizes[i] = row[BYTES] end
  local refuse = {
    c.call("cartgen_blocks_refuse", { id "send", #plan.blocks.send }),
    c.call("cartgen_blocks_refuse", { id "recv", #plan.blocks.recv }),
    c.leave(),
  }
  for _, s in ipairs(checks.statements(all, types, sizes, function() return refuse end)) do body[#body + 1] = s end
  for _, s in ipairs(statements) do body[#body + 1] = s end
  for _, s in ipairs(overlap_statements(plan)) do body[#body + 1] = s end
  items[#items + 1] = c.func(plan.problem.name .. "_layout",
    "const void *untyped, cartgen_block *send, cartgen_block *recv", body)
  return items
end

--- Items of the limits: their names, and the function NAME_limits that computes value and bound of each. Where one would
--- pass int64_t it sets nothing: the layout refuses that.
function layout.limits(plan, param_locals)
  local limits, used, all, rows, statements = plan.problem.limits or {}, {}, {}, {}, {}
  if #limits == 0 then return {} end
  for k, limit in ipairs(limits) do
    rows[k] = { id('"' .. limit.what .. '"'), id('"' .. limit.bound_what .. '"') }
    for i, e in ipairs { limit.value, limit.bound } do
      all[#all + 1] = e
      expr.note(used, e)
      statements[#statements + 1] = c.assign(c.index(id "values", 2 * k + i - 3), e)
    end
  end
  local body = param_locals(plan.problem, used, id "untyped")
  body[#body + 1] = c.blank()
  for _, s in ipairs(checks.statements(all, {}, {}, function() return { c.leave() } end)) do body[#body + 1] = s end
  for _, s in ipairs(statements) do body[#body + 1] = s end
  return { c.table("cartgen_limit", plan.problem.name .. "_limit_names", ("[%d]"):format(#rows), rows),
    c.func(plan.problem.name .. "_limits", "const void *untyped, int64_t *values", body) }
end

return layout
