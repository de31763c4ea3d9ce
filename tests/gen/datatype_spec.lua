-- SPDX-License-Identifier: MIT
-- Datatypes against MPI's definition, element by element: random trees and their typemaps are those of tests/types
-- (trees.lua, measure.lua), which share no code with the generator.
package.path = "tests/types/?.lua;" .. package.path
local expr = require "cartgen.expr"
local datatype = require "cartgen.datatype"
local fold = require "cartgen.fold"
local params = require "cartgen.params"
local registry = require "cartgen.registry"
local shape = require "cartgen.shape"
local groups = require "groups"
local kinds = require "kinds"
local measure = require "measure"
local support = require "support"
local tree = require "tree"
local trees = require "trees"

-- Types whose extent libraries disagree about are judged here: the definition is clear.
function measure.disputed() return false end

local CASES = 300

-- --- a description's text as a datatype ---

local basic_words = {}
for _, module in ipairs(registry.datatypes) do
  for name, word in pairs(module.words) do basic_words[name] = word end
end

local function evaluated(text, names)
  local env = setmetatable(names, { __index = basic_words })
  local set_environment = rawget(_G, "setfenv")
  if not set_environment then return assert(load("return " .. text, text, "t", env))() end
  return set_environment(assert(rawget(_G, "loadstring")("return " .. text)), env)()
end

local function number(num)
  if not num.p then return expr.of(num.k) end
  return expr.add(expr.mul(expr.mul(expr.param(num.p), num.m), num.q and expr.param(num.q) or 1), num.k)
end

-- The parameters of a case as a description declares them; constant: their values.
local function names_of(case, constant)
  local names = {}
  for _, p in ipairs(case.params) do
    if constant then
      names[p.name] = constant[p.name]
    else
      names[p.name] = p.list and params.list(p.name, number(p.n)) or expr.param(p.name)
    end
  end
  return names
end

-- --- what a shape names for given values ---

local function each_run(s, origin, values, visit)
  if s.kind == "empty" then return end
  local function worth(e) return expr.eval(e, values) end
  local at = origin + worth(s.at)
  if s.kind == "run" then
    visit(at, worth(s.bytes), s.base, s.elem)
  elseif s.kind == "seq" then
    for _, item in ipairs(s.items) do each_run(item, at, values, visit) end
  elseif s.kind == "loop" then
    for i = 0, worth(s.count) - 1 do each_run(s.body, at + i * worth(s.stride), values, visit) end
  else
    for i = 1, worth(s.count) do
      local first = at + values[s.index][i] * worth(s.scale)
      for j = 0, (s.lengths and values[s.lengths][i] or 1) - 1 do
        each_run(s.body, first + j * (s.stride and worth(s.stride) or 0), values, visit)
      end
    end
  end
end

local function element_text(base, displ, elem) return ("%s %.0f %s"):format(base, displ, elem) end

local function elements_of_map(map)
  local out = {}
  for i = 1, #map.displ do out[i] = element_text(map.base[i], map.displ[i], map.basic[i]) end
  return table.concat(out, "\n")
end

local function elements_of_shape(s, values)
  local out = {}
  each_run(s, 0, values, function(at, bytes, base, elem)
    local size = kinds.basic[elem].bytes
    for i = 0, bytes / size - 1 do out[#out + 1] = element_text(base or "", at + i * size, elem) end
  end)
  return table.concat(out, "\n")
end

-- Runs {base, from, to}, joined where they touch, as a text.
local function joined()
  local out = {}
  return out, function(at, bytes, base)
    local last = out[#out]
    if bytes == 0 then return end
    if last and last.base == base and last.to == at then
      last.to = at + bytes
    else
      out[#out + 1] = { base = base, from = at, to = at + bytes }
    end
  end
end

local function runs_text(runs)
  local out = {}
  for i, run in ipairs(runs) do out[i] = ("%s %.0f-%.0f"):format(run.base, run.from, run.to) end
  return table.concat(out, "\n")
end

local function runs_of_map(map)
  local runs, add = joined()
  for i = 1, #map.displ do add(map.displ[i], kinds.basic[map.basic[i]].bytes, map.base[i]) end
  return runs_text(runs)
end

local function runs_of_moves(moves, values)
  local runs, add = joined()
  each_run(moves, 0, values, function(at, bytes, base) add(at, bytes, base or "") end)
  return runs_text(runs)
end

-- The stream of a signature: element types in order, each where the one before it ends.
local function stream_of_map(map)
  local out, at = {}, 0
  for i = 1, #map.basic do
    out[i] = element_text("", at, map.basic[i])
    at = at + kinds.basic[map.basic[i]].bytes
  end
  return table.concat(out, "\n")
end

local function check(t, node, values, what)
  local function worth(e) return expr.eval(e, values) end
  local map = measure.map(node, values)
  local expected, size = measure.bounds(map), 0
  for i = 1, #map.basic do size = size + kinds.basic[map.basic[i]].bytes end
  assert.equal(size, worth(t.size), what .. ": size")
  assert.equal(elements_of_map(map), elements_of_shape(t.shape, values), what)
  assert.equal(runs_of_map(map), runs_of_moves(t.moves, values), what)
  assert.equal(stream_of_map(map), elements_of_shape(t.signature, values), what)
  for _, name in ipairs { "lb", "extent", "true_lb", "true_extent" } do
    assert.equal(expected[name], worth(t[name]), what .. ": " .. name .. " = " .. expr.text(t[name]))
  end
  if size > 0 then
    assert.equal(expected.true_lb, worth(t.low), what)
    assert.equal(expected.true_extent, worth(t.span), what)
  end
  return size
end

local function values_text(values)
  local out = {}
  for name, v in pairs(values) do
    out[#out + 1] = name .. " = " .. (type(v) == "table" and "{" .. table.concat(v, ", ") .. "}" or tostring(v))
  end
  table.sort(out)
  return table.concat(out, ", ")
end

local function without_params() return trees.with { "params", "lists", "list_elements", "list_length" } end

describe("random types", function()
  it("of constants are their typemap", function()
    local seed = support.seed "datatype of constants"
    for i = 1, CASES do
      local case = trees.case(seed, i, without_params())
      local text = tree.text(case.type)
      check(evaluated(text, {}), case.type, {}, text)
    end
  end)

  it("of parameters are their typemap, with counts of 0 too", function()
    local seed = support.seed "datatype of parameters"
    local sets, empty, with_params = 0, 0, 0
    for i = 1, 2 * CASES do
      local case = trees.case(seed, i, trees.with())
      local text = tree.text(case.type)
      local t = evaluated(text, names_of(case))
      with_params = with_params + (#case.params > 0 and 1 or 0)
      for _, values in ipairs(case.sets) do
        local what = text .. " where " .. values_text(values)
        local size = check(t, case.type, values, what)
        check(evaluated(text, names_of(case, values)), case.type, values, what .. ", as constants")
        sets = sets + 1
        if size == 0 then empty = empty + 1 end
      end
    end
    assert.is_true(with_params > CASES / 4, with_params .. " with parameters")
    assert.is_true(sets > 2 * CASES and empty > 2, sets .. " sets, " .. empty .. " of nothing")
  end)

  it("of one signature have like signatures, others have not", function()
    local seed = support.seed "datatype signatures"
    local same, differ = 0, 0
    for i = 1, CASES do
      local case = trees.case(seed, i, without_params())
      local other = case.to or trees.case(seed, i + CASES, without_params()).type
      local a, b = evaluated(tree.text(case.type), {}), evaluated(tree.text(other), {})
      local equal = stream_of_map(measure.map(case.type, {})) == stream_of_map(measure.map(other, {}))
      local what = tree.text(case.type) .. " and " .. tree.text(other)
      assert.equal(equal, shape.alike(a.signature, b.signature), what)
      assert.equal(equal, datatype.signatures_differ(a, b) == nil, what)
      if equal then same = same + 1 else differ = differ + 1 end
    end
    assert.is_true(same > 20 and differ > 20)
  end)
end)

describe("one canonical form", function()
  local function form(text)
    local names = { n = expr.param "n", m = expr.param "m", s = expr.param "s", i6 = params.list("i6", expr.of(6)),
      j3 = params.list("j3", expr.of(3)) }
    local moves = evaluated(text, names).moves
    return moves.key .. " at " .. (moves.kind == "empty" and "" or expr.text(moves.at))
  end

  for _, group in ipairs(groups.equal) do
    it("for " .. group[1], function()
      for i = 3, #group do assert.equal(form(group[2]), form(group[i]), group[i]) end
    end)
  end

  it("others for types that lie otherwise", function()
    for _, pair in ipairs(groups.different) do assert.not_equal(form(pair[1]), form(pair[2])) end
  end)
end)

describe("bounds of parameters", function()
  local n, s = expr.param "n", expr.param "s"
  local w = basic_words

  local function text(t)
    local out = {}
    for i, name in ipairs { "lb", "extent", "true_lb", "true_extent" } do out[i] = expr.text(t[name]) end
    return table.concat(out, " ")
  end

  it("are plain where counts of 0 make no difference", function()
    assert.equal("0 8*n 0 8*n", text(w.contiguous(n, w.double)))
    assert.equal("0 8*n*s 0 8*n*s", text(w.contiguous(n, w.array(w.double, { s }))))
    assert.equal("0 16*n 0 choose(n, 16*n - 8, 0)", text(w.contiguous(n, w.resized(0, 16, w.double))))
  end)

  it("round up to the alignment of what is there", function()
    local t = w.struct { { w.char, 0, 3 }, { w.double, 8, n } }
    assert.equal(3, expr.eval(t.extent, { n = 0 }))
    assert.equal(16, expr.eval(t.extent, { n = 1 }))
    assert.equal("4*n + 4", expr.text(w.contiguous(n + 1, w.int).extent))
    assert.equal("round_up(n + 5, 4)", expr.text(w.struct { { w.int }, { w.char, n + 4 } }.extent))
  end)

  it("follow explicit bounds that may not be there", function()
    local t = w.struct { { w.resized(-16, 64, w.int), 0, n }, { w.double, 8 } }
    assert.equal("8 8", ("%.0f %.0f"):format(expr.eval(t.lb, { n = 0 }), expr.eval(t.extent, { n = 0 })))
    assert.equal("-16 128", ("%.0f %.0f"):format(expr.eval(t.lb, { n = 2 }), expr.eval(t.extent, { n = 2 })))
  end)

  it("take huge sizes", function()
    local t = w.vector(3, 1, 2 ^ 40, w.double)
    assert.equal(2 ^ 44 + 8, expr.value(t.extent))
    assert.equal(fold.canonical(t.moves).key, t.moves.key)
  end)
end)

describe("slices of an array", function()
  local w = basic_words
  local a = w.array(w.double, { { "z", 4 }, { "y", 5 }, { "x", 6 } })

  local function as_subarray(subsizes, starts)
    return w.subarray { sizes = { 4, 5, 6 }, subsizes = subsizes, starts = starts, type = w.double }
  end

  it("are subarrays", function()
    for _, case in ipairs {
      { a:slice { z = 1 }, as_subarray({ 1, 5, 6 }, { 1, 0, 0 }) },
      { a:slice { x = 5, y = { 1, 3 } }, as_subarray({ 4, 3, 1 }, { 0, 1, 5 }) },
      { a:slice { { 2, 2 }, 0, { 1, 4 } }, as_subarray({ 2, 1, 4 }, { 2, 0, 1 }) },
      { a:slice {}, as_subarray({ 4, 5, 6 }, { 0, 0, 0 }) },
    } do
      assert.equal(datatype.text(case[2]), datatype.text(case[1]))
      assert.equal(expr.text(case[2].extent), expr.text(case[1].extent))
    end
  end)
end)

describe("nothing", function()
  local w = basic_words
  it("is nothing, whatever it is made of", function()
    for _, t in ipairs { w.contiguous(0, w.int), w.vector(0, 2, 3, w.int), w.vector(2, 0, 3, w.int), w.indexed({}, {}, w.int),
        w.struct {}, w.struct { { w.int, 8, 0 } }, w.contiguous(3, w.vector(0, 1, 1, w.int)) } do
      assert.equal("empty", t.moves.kind)
      for _, name in ipairs { "size", "lb", "extent", "true_lb", "true_extent" } do assert.equal("0", expr.text(t[name])) end
    end
    local marked = w.contiguous(3, w.resized(-8, 16, w.contiguous(0, w.int)))
    assert.equal("-8 48", expr.text(marked.lb) .. " " .. expr.text(marked.extent))
  end)
end)
