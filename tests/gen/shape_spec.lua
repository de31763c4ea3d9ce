-- SPDX-License-Identifier: MIT
-- Shapes and their canonical form against lists of bytes.
local expr = require "cartgen.expr"
local fold = require "cartgen.fold"
local shape = require "cartgen.shape"
local support = require "support"

-- A tree is what a shape is made from: {"run", at, bytes}, {"loop", at, count, stride, tree}, {"seq", at, trees}.
local function random_tree(depth)
  local kind = depth == 0 and 1 or math.random(1, 3)
  local at = math.random(-6, 12)
  if kind == 1 then return { "run", at, math.random(0, 5) } end
  if kind == 2 then return { "loop", at, math.random(0, 4), math.random(-3, 12), random_tree(depth - 1) } end
  local items = {}
  for i = 1, math.random(0, 3) do items[i] = random_tree(depth - 1) end
  return { "seq", at, items }
end

-- The bytes of a tree in order, by definition.
local function bytes_of(tree, origin, out)
  local at = origin + tree[2]
  if tree[1] == "run" then
    for i = 0, tree[3] - 1 do out[#out + 1] = at + i end
  elseif tree[1] == "loop" then
    for i = 0, tree[3] - 1 do bytes_of(tree[5], at + i * tree[4], out) end
  else
    for _, item in ipairs(tree[3]) do bytes_of(item, at, out) end
  end
  return out
end

local function made(tree)
  local s
  if tree[1] == "run" then
    s = shape.run(tree[3])
  elseif tree[1] == "loop" then
    s = shape.loop(tree[3], tree[4], made(tree[5]))
  else
    local items = {}
    for i, item in ipairs(tree[3]) do items[i] = made(item) end
    s = shape.seq(items)
  end
  return shape.shift(s, tree[2])
end

-- The same bytes written otherwise: loops unrolled or cut in two, runs cut, items wrapped.
local function rewritten(tree)
  local kind, at = tree[1], tree[2]
  local choice = math.random(1, 4)
  if kind == "run" then
    if choice == 1 and tree[3] > 1 then
      local cut = math.random(1, tree[3] - 1)
      return { "seq", at, { { "run", 0, cut }, { "run", cut, tree[3] - cut } } }
    elseif choice == 2 then
      return { "loop", at, tree[3], 1, { "run", 0, 1 } }
    elseif choice == 3 then
      return { "loop", at - 2, 1, 77, { "run", 2, tree[3] } }
    end
    return tree
  elseif kind == "seq" then
    local items = {}
    for i, item in ipairs(tree[3]) do items[i] = rewritten(item) end
    if choice == 1 then return { "seq", at + 3, { { "seq", -3, items }, { "run", 9, 0 } } } end
    return { "seq", at, items }
  end
  local count, stride, body = tree[3], tree[4], rewritten(tree[5])
  if choice == 1 then
    local items = {}
    for i = 0, count - 1 do items[i + 1] = { "seq", i * stride, { body } } end
    return { "seq", at, items }
  elseif choice == 2 and count > 1 then
    local cut = math.random(1, count - 1)
    return { "seq", at, { { "loop", 0, cut, stride, body }, { "loop", cut * stride, count - cut, stride, body } } }
  elseif choice == 3 and count % 2 == 0 then
    return { "loop", at, count / 2, 2 * stride, { "loop", 0, 2, stride, body } }
  end
  return { "loop", at, count, stride, body }
end

local function listed(s)
  local out = {}
  shape.each_run(s, 0, function(at, bytes)
    for i = 0, bytes - 1 do out[#out + 1] = ("%.0f"):format(at + i) end
  end)
  return table.concat(out, " ")
end

local function text_of(tree)
  if tree[1] == "run" then return ("run(%d, %d)"):format(tree[2], tree[3]) end
  if tree[1] == "loop" then
    return ("loop(%d, %d, %d, %s)"):format(tree[2], tree[3], tree[4], text_of(tree[5]))
  end
  local items = {}
  for i, item in ipairs(tree[3]) do items[i] = text_of(item) end
  return ("seq(%d, {%s})"):format(tree[2], table.concat(items, ", "))
end

local function same(a, b)
  return a.key == b.key and (a.kind == "empty" or expr.equal(a.at, b.at))
end

-- Bytes of one base are no less than low and less than high, and both are touched.
local function check_bounds(s, bytes, what)
  local low, high = math.huge, -math.huge
  for _, at in ipairs(bytes) do low, high = math.min(low, at), math.max(high, at + 1) end
  if #bytes == 0 then low, high = 0, 0 end
  local from, to = shape.bounds(s)
  assert.equal(low, expr.value(from), what)
  assert.equal(high, expr.value(to), what)
end

describe("random shapes", function()
  it("name the bytes of their definition, in order, before and after folding", function()
    support.seed "shape"
    for _ = 1, 3000 do
      local tree = random_tree(4)
      local bytes = bytes_of(tree, 0, {})
      local expected, s = table.concat(bytes, " "), made(tree)
      local folded = fold.canonical(s)
      assert.equal(expected, listed(s), text_of(tree))
      assert.equal(expected, listed(folded), text_of(tree))
      assert.equal(#bytes, expr.value(s.size))
      assert.equal(#bytes, expr.value(folded.size))
      check_bounds(s, bytes, text_of(tree))
      check_bounds(folded, bytes, text_of(tree))
    end
  end)

  it("have one canonical form, however they are written", function()
    support.seed "shape forms"
    for _ = 1, 2000 do
      local tree = random_tree(3)
      local other = rewritten(rewritten(tree))
      assert.equal(table.concat(bytes_of(tree, 0, {}), " "), table.concat(bytes_of(other, 0, {}), " "))
      local a, b = fold.canonical(made(tree)), fold.canonical(made(other))
      assert.is_true(same(a, b), ("%s\n%s\n%s\n%s"):format(text_of(tree), text_of(other), a.key, b.key))
      assert.is_true(same(a, fold.canonical(a)), text_of(tree))
    end
  end)

  it("that name other bytes have another form", function()
    support.seed "shape others"
    local differ = 0
    for _ = 1, 2000 do
      local one, two = random_tree(2), random_tree(2)
      local a, b = fold.canonical(made(one)), fold.canonical(made(two))
      local equal = table.concat(bytes_of(one, 0, {}), " ") == table.concat(bytes_of(two, 0, {}), " ")
      assert.equal(equal, same(a, b), text_of(one) .. "\n" .. text_of(two))
      differ = differ + (equal and 0 or 1)
    end
    assert.is_true(differ > 100)
  end)
end)

describe("shapes of parameters", function()
  local n, m = expr.param "n", expr.param "m"

  it("merge what touches", function()
    local rows = shape.loop(n, 8 * m, shape.loop(m, 8, shape.run(8)))
    assert.equal("8*m*n", fold.canonical(rows).key)
    local two = shape.seq { shape.run(8 * m), shape.shift(shape.run(8 * n), 8 * m) }
    assert.equal("8*m + 8*n", two.key)
    assert.equal("4*n x 16 (8)", shape.loop(n, 64, shape.loop(4, 16, shape.run(8))).key)
  end)

  it("fold lists that repeat", function()
    local items = {}
    for i = 0, 9 do items[i + 1] = shape.shift(shape.run(8 * m), n * i) end
    assert.equal("10 x n (8*m)", fold.canonical(shape.seq(items)).key)
  end)

  it("have bounds for both signs of a stride", function()
    local function text(s)
      local low, high = shape.bounds(s)
      return expr.text(low) .. " .. " .. expr.text(high)
    end
    assert.equal("0 .. m*n - m + 8", text(shape.loop(n, m, shape.run(8))))
    assert.equal("-m*n + m .. 8", text(shape.loop(n, -m, shape.run(8))))
    local mixed = shape.loop(n, m - 40, shape.run(8))
    for _, v in ipairs { { n = 5, m = 100 }, { n = 5, m = 3 }, { n = 1, m = 40 } } do
      local low, high = shape.bounds(mixed)
      local last = (v.n - 1) * (v.m - 40)
      assert.equal(math.min(0, last), expr.eval(low, v))
      assert.equal(8 + math.max(0, last), expr.eval(high, v))
    end
  end)

  it("keep arrays apart", function()
    local a, b = shape.run(8, "x"), shape.shift(shape.run(8, "y"), 8)
    assert.equal("seq", shape.seq({ a, b }).kind)
    assert.equal("16 of x", shape.seq({ a, shape.shift(shape.run(8, "x"), 8) }).key)
  end)

  it("above the limit of runs are still equal when they are nests of the same loops", function()
    local long = shape.loop(100, 1000000, shape.loop(100, 16, shape.run(8)))
    local other = shape.loop(100, 1000000, shape.loop(50, 32, shape.loop(2, 16, shape.run(8))))
    assert.is_true(shape.runs(long) > fold.most_runs)
    assert.is_true(same(fold.canonical(long), fold.canonical(other)))
  end)
end)
