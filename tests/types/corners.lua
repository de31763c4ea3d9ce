-- SPDX-License-Identifier: MIT
-- Cases that every run has: each basic type with all its reductions, and what random trees meet seldom.
local kinds = require "kinds"
local measure = require "measure"
local tree = require "tree"

local num, basic = tree.num, tree.basic
local unpack = rawget(_G, "unpack") or rawget(table, "unpack")

local function list(...)
  local out = {}
  for i, x in ipairs { ... } do out[i] = type(x) == "table" and x or num(x) end
  return out
end

local function n(x) return type(x) == "table" and x or num(x) end

local function p(name, m, k) return { k = k or 0, m = m or 1, p = name } end

local function contiguous(count, type) return { kind = "contiguous", count = n(count), type = type } end

local function vector(count, bl, stride, type, kind)
  return { kind = kind or "vector", count = n(count), bl = n(bl), stride = n(stride), type = type }
end

local function hvector(count, bl, stride, type) return vector(count, bl, stride, type, "hvector") end

local function indexed_block(bl, displs, type, kind)
  return { kind = kind or "indexed_block", bl = n(bl), displs = displs, type = type }
end

local function indexed(bls, displs, type, kind) return { kind = kind or "indexed", bls = bls, displs = displs, type = type } end

local function resized(lb, extent, type) return { kind = "resized", lb = n(lb), extent = n(extent), type = type } end

local function subarray(order, sizes, subsizes, starts, type)
  return { kind = "subarray", order = order, sizes = list(unpack(sizes)), subsizes = list(unpack(subsizes)),
    starts = list(unpack(starts)), type = type }
end

local function struct(...)
  local items = {}
  for i, item in ipairs { ... } do items[i] = { type = item[1], displ = n(item[2]), bl = n(item[3]), base = item.at } end
  return { kind = "struct", items = items }
end

local double, int, short, char, float = basic "double", basic "int", basic "short", basic "char", basic "float"
local particle = struct({ double, 0, 3 }, { int, 24, 1 }, { char, 28, 1 })

-- Three columns of bytes, equally shaped and not at equal steps: kernels make each a part.
local scattered = indexed_block(5, list(0, 8, 1), vector(1, 1, 5, resized(0, 5, char)), "hindexed_block")
local wide = indexed_block(5, list(0, 40, 9), resized(0, 8, char), "hindexed_block")

-- { needs: features that must be on, type, to, values: list of sets }
local special = {
  { {}, contiguous(1, int) },
  { { "params" }, contiguous(p "n", double), nil, { { n = 5 }, { n = 0 }, { n = 1 }, { n = 300 } } },
  { { "params" }, vector(p "c", p "b", p "s", float), nil,
    { { c = 3, b = 2, s = 5 }, { c = 0, b = 2, s = 5 }, { c = 3, b = 0, s = 5 }, { c = 4, b = 3, s = 3 }, { c = 1, b = 3, s = 0 } } },
  { { "params", "negative" }, vector(4, 1, p("s", -1), int), nil, { { s = 1 }, { s = 3 } } },
  { { "negative", "unaligned" }, hvector(5, 3, -17, int) },
  { { "overlap", "to" }, vector(4, 3, 1, int), contiguous(4, vector(1, 3, 3, int)) },
  { { "overlap", "to" }, hvector(6, 1, 0, double), contiguous(6, double) },
  { { "resized" }, contiguous(5, resized(0, 4, vector(2, 1, 8, char))) },
  { { "resized", "negative" }, contiguous(3, resized(-8, 40, hvector(3, 1, 12, int))) },
  { { "struct" }, contiguous(7, particle) },
  { { "struct", "to" }, contiguous(4, particle), vector(2, 2, 5, particle) },
  { { "zero" }, indexed(list(0, 3, 0, 2), list(9, 1, 2, 12), int) },
  { { "zero" }, contiguous(0, double) },
  { { "zero", "struct" }, struct({ contiguous(0, int), 4, 2 }, { char, 9, 0 }, { int, 12, 1 }) },
  -- no data: the lists and e matter to the bounds alone
  { { "params", "lists", "zero", "resized" },
    indexed({ list = "b", n = num(3) }, { list = "d", n = num(3) }, resized(-4, p "e", contiguous(0, int)), "hindexed"), nil,
    { { b = { 2, 1, 3 }, d = { 8, 40, 100 }, e = 12 } } },
  -- a byte down at a time: stride -1 is no stride to Open MPI
  { { "negative" }, indexed_block(1, list(-5, -6, -7, -8), char) },
  { { "negative" }, indexed_block(1, list(0, -1, -2), vector(2, 1, 4, char), "hindexed_block") },
  { { "negative", "params" }, vector(4, 1, p("s", -1), char), nil, { { s = 1 }, { s = 3 } } },
  -- rows to columns and back: both sides of a transpose
  { { "to" }, contiguous(23, contiguous(17, double)), contiguous(23, resized(0, 8, vector(17, 1, 23, double))) },
  { { "to" }, contiguous(19, resized(0, 4, vector(21, 1, 19, float))), contiguous(19, vector(21, 1, 1, float)) },
  { { "to", "struct" }, contiguous(20, particle),
    contiguous(20, resized(0, 32, struct({ double, 8, 3 }, { int, 4, 1 }, { char, 0, 1 }))) },
  { { "subarray" }, subarray("Fortran", { 7, 5, 4 }, { 3, 2, 3 }, { 2, 1, 1 }, double) },
  { { "subarray", "params" }, subarray("C", { p("n", 1, 2), p "m", 6 }, { p "n", 2, 4 }, { 1, p("m", 1, -2), 2 }, float), nil,
    { { n = 3, m = 4 }, { n = 1, m = 2 }, { n = 8, m = 9 } } },
  -- long runs, and runs of every length up to 40 at odd places
  { {}, vector(3, 1100, 1300, int) },
  { {}, contiguous(4000, char) },
  { { "unaligned" }, (function()
    local bls, displs, at = {}, {}, 1
    for k = 1, 40 do bls[k], displs[k], at = num(k), num(at), at + k + k % 3 + 1 end
    return indexed(bls, displs, char, "hindexed")
  end)() },
  -- gigabytes apart: products beyond 32 bits
  { {}, vector(3, 2, 400000000, double) },
  { { "params" }, vector(p "n", 1, p "s", double), nil, { { n = 4, s = 300000000 }, { n = 2, s = 2000000000 } } },
  { { "negative" }, hvector(3, 1, -3000000004, int) },
  { { "params", "lists" }, indexed_block(2, { list = "far", n = num(3) }, double), nil, { { far = { 900000000, 0, 1800000000 } } } },
  { { "subarray", "params" }, subarray("C", { 3, p "n", p "n" }, { 2, 2, 1 }, { 1, 3, p("n", 1, -1) }, double), nil, { { n = 20000 } } },
  { { "subarray" }, subarray("Fortran", { 60000, 60000 }, { 2, 2 }, { 59000, 59000 }, int) },
  { { "params", "lists", "negative" }, indexed({ list = "b", n = num(4) }, { list = "d", n = num(4) }, int), nil,
    { { b = { 2, 0, 3, 1 }, d = { 1200000000, 5, -700000000, -900000000 } } } },
  { { "params", "lists", "negative", "unaligned" },
    indexed_block(2, { list = "f", n = num(3) }, vector(2, 1, 2, short), "hindexed_block"), nil,
    { { f = { 5000000001, -4294967299, 77 } }, { f = { 4294967296, 2147483648, 0 } }, { f = { 0, 13, -8000000000 } } } },
  { { "negative" }, indexed_block(1, list(2147483647, 0, 4294967296, 77, -2147483649, 9, 6000000000, 5000000001, 1234, -6000000000),
    int, "hindexed_block") },
  { { "negative" }, indexed(list(1, 2, 1, 3, 1, 1, 2, 1, 1), list(600000000, 0, 1100000000, 7, -600000000, 90, 70, 80, -1100000000), int) },
  { { "params", "resized" }, contiguous(p "n", resized(0, p "e", contiguous(3, short))), nil,
    { { n = 3, e = 5000000006 }, { n = 2, e = 2147483648 }, { n = 5, e = 4294967295 } } },
  { { "params", "struct", "negative" }, struct({ int, p("d", -1), 2 }, { double, p "d", 1 }, { char, -4294967400, 3 }), nil,
    { { d = 4294967296 }, { d = 3000000000 } } },
  { { "params", "to" }, hvector(p "n", 2, p "s", int), hvector(p "n", 2, p("s", -1, 4), int),
    { { n = 4, s = 2147483644 }, { n = 3, s = 4294967300 } } },
  { { "lists" }, indexed_block(1, { list = "idx", n = num(6) }, double), nil,
    { { idx = { 4, 9, 2, 0, 7, 12 } }, { idx = { 0, 1, 2, 3, 4, 5 } }, { idx = { 10, 8, 6, 4, 2, 0 } },
      { idx = { 3, 4, 5, 9, 10, 20 } } } },
  { { "lists", "list_length" }, indexed({ list = "b", n = p "n" }, { list = "d", n = p "n" }, int), nil,
    { { n = 3, b = { 1, 2, 3 }, d = { 9, 0, 4 } } } },
  { { "lists", "to" }, indexed_block(2, { list = "i", n = num(4) }, int), indexed_block(2, { list = "j", n = num(4) }, int),
    { { i = { 6, 0, 2, 4 }, j = { 0, 2, 4, 6 } }, { i = { 0, 2, 4, 6 }, j = { 9, 3, 0, 6 } } } },
  { { "bases", "struct" }, struct({ contiguous(4, double), 0, 1, at = "a0" }, { vector(3, 1, 2, int), 8, 1, at = "a1" },
    { int, 40, 2, at = "a0" }) },
  { { "bases", "struct", "params" }, struct({ vector(p "n", 1, p("n", 1, 2), float), p("n", 4), 2, at = "a0" }, { char, 1, 3, at = "a1" }),
    nil, { { n = 2 }, { n = 5 }, { n = 0 } } },
  -- Transposes: of whole lines and not, from and to a stream, to and from each other.
  { { "to" }, contiguous(40 * 37, double), contiguous(40, resized(0, 8, vector(37, 1, 40, double))) },
  { { "to" }, contiguous(40, resized(0, 16, hvector(37, 1, 640, contiguous(2, double)))), contiguous(40 * 37 * 2, double) },
  { { "to" }, contiguous(40 * 33 * 2, double), contiguous(40, resized(0, 16, hvector(33, 1, 640, contiguous(2, double)))) },
  { { "to", "params" }, contiguous(p("n", 8), contiguous(p "m", double)),
    contiguous(p("n", 8), resized(0, 8, hvector(p "m", 1, p("n", 64), double))),
    { { n = 5, m = 40 }, { n = 1, m = 1 }, { n = 0, m = 3 }, { n = 9, m = 3 } } },
  -- Loops of several loops, parts of their kernels: of one array, of two, of other arrays on the other side.
  { { "bases", "struct" }, struct({ scattered, 2, 2, at = "a0" }) },
  { { "bases", "struct" }, contiguous(3, struct({ scattered, 2, 1, at = "a0" }, { scattered, 5, 2, at = "a1" })) },
  { { "bases", "struct", "to" }, struct({ scattered, 2, 2, at = "a0" }, { scattered, 5, 2, at = "a1" }),
    struct({ wide, 1, 2, at = "a1" }, { wide, 3, 2, at = "a0" }) },
}

local corners = {}

local function has_all(features, needs)
  for _, name in ipairs(needs) do if not features[name] then return false end end
  return true
end

local function ops_of(class)
  local out = {}
  for _, op in ipairs(kinds.ops) do if kinds.class_ops[class][op] then out[#out + 1] = op end end
  return out
end

--- The cases, those left out whose features are off.
function corners.cases(features)
  local out = {}
  for _, b in ipairs(kinds.basics) do
    out[#out + 1] = { type = vector(3, 2, 3, basic(b[1])), params = {}, sets = { {} },
      ops = features.reduce and ops_of(b[4]) or {} }
    if features.reduce and features.unaligned then
      local type = hvector(5, 3, 3 * b[2] + 1, basic(b[1]))
      out[#out + 1] = { type = measure.settled(type, {}), params = {}, sets = { {} }, ops = ops_of(b[4]) }
    end
  end
  for _, s in ipairs(special) do
    if has_all(features, s[1]) then
      out[#out + 1] = { type = tree.copy(s[2]), to = tree.copy(s[3]), params = tree.params(s[2], s[3]), sets = s[4] or { {} },
        ops = {} }
    end
  end
  return out
end

return corners
