-- SPDX-License-Identifier: MIT
-- Datatypes against MPI's definition: a type is its list of bytes, in the order they travel, and its
-- two bounds. The lists here are made byte by byte, by no code of the generator.
local contiguous = require("cartgen.datatypes.contiguous").words.contiguous
local subarray = require("cartgen.datatypes.subarray").words.subarray
local vector = require("cartgen.datatypes.vector").words.vector
local basics = require("cartgen.datatypes.basic").words
local expr = require "cartgen.expr"
local support = require "support"

-- --- the definition: {bytes, lb, ub} ---

local function basic_map(size)
  local bytes = {}
  for k = 1, size do bytes[k] = k - 1 end
  return { bytes = bytes, lb = 0, ub = size }
end

-- Copies of `inner` at displacements, one behind the other; its bounds move along.
local function copies(inner, displacements)
  local out = { bytes = {}, lb = 0, ub = 0 }
  for k, at in ipairs(displacements) do
    for _, byte in ipairs(inner.bytes) do out.bytes[#out.bytes + 1] = at + byte end
    out.lb = k == 1 and at + inner.lb or math.min(out.lb, at + inner.lb)
    out.ub = k == 1 and at + inner.ub or math.max(out.ub, at + inner.ub)
  end
  return out
end

local function contiguous_map(count, inner)
  local at = {}
  for k = 0, count - 1 do at[#at + 1] = k * (inner.ub - inner.lb) end
  return copies(inner, at)
end

local function vector_map(count, length, stride, inner)
  local at = {}
  for k = 0, count - 1 do
    for i = 0, length - 1 do at[#at + 1] = (k * stride + i) * (inner.ub - inner.lb) end
  end
  return copies(inner, at)
end

-- Every element of the whole array in memory order; those inside the part are in the type.
local function subarray_map(sizes, subsizes, starts, order, inner)
  local total = 1
  for _, n in ipairs(sizes) do total = total * n end
  local extent, at = inner.ub - inner.lb, {}
  for number = 0, total - 1 do
    local rest, inside = number, true
    for k = 1, #sizes do
      local j = order == "C" and #sizes + 1 - k or k
      local x = rest % sizes[j]
      rest = math.floor(rest / sizes[j])
      inside = inside and x >= starts[j] and x < starts[j] + subsizes[j]
    end
    if inside then at[#at + 1] = number * extent end
  end
  return { bytes = copies(inner, at).bytes, lb = 0, ub = total * extent }
end

-- --- random types: what was made, its map, a text ---

local NAMES = { "a", "b", "c", "d", "e", "f", "g", "h" }

-- A number, or a parameter that stands for it in `case.values`.
local function number(case, n)
  if not case.symbolic or #case.names == #NAMES or math.random() < 0.5 then return n end
  local name = NAMES[#case.names + 1]
  case.names[#case.names + 1] = name
  case.values[name] = n
  return expr.param(name)
end

local function numbers(case, list)
  local out = {}
  for i, n in ipairs(list) do out[i] = number(case, n) end
  return out
end

local KINDS = {}

function KINDS.contiguous(case, inner)
  local n = math.random(case.least, 3)
  return { type = contiguous(number(case, n), inner.type), map = contiguous_map(n, inner.map),
    text = ("contiguous(%d, %s)"):format(n, inner.text) }
end

function KINDS.vector(case, inner)
  local n, length = math.random(case.least, 3), math.random(case.least, 3)
  local stride = length + math.random(0, 2)
  if math.random() < 0.1 then stride = math.random(0, 2) end -- may send a byte twice
  return { type = vector(number(case, n), number(case, length), number(case, stride), inner.type),
    map = vector_map(n, length, stride, inner.map),
    text = ("vector(%d, %d, %d, %s)"):format(n, length, stride, inner.text) }
end

function KINDS.subarray(case, inner)
  local sizes, subsizes, starts = {}, {}, {}
  for j = 1, math.random(1, 3) do
    sizes[j] = math.random(1, 3)
    subsizes[j] = math.random(case.least, sizes[j])
    starts[j] = math.random(0, sizes[j] - subsizes[j])
  end
  local order = math.random() < 0.5 and "C" or "Fortran"
  return { type = subarray { sizes = numbers(case, sizes), subsizes = numbers(case, subsizes),
      starts = numbers(case, starts), type = inner.type, order = order },
    map = subarray_map(sizes, subsizes, starts, order, inner.map),
    text = ("subarray{ {%s}, {%s}, {%s}, %s, %s}"):format(table.concat(sizes, ","),
      table.concat(subsizes, ","), table.concat(starts, ","), order, inner.text) }
end

local BASICS = { { "char", 1 }, { "short", 2 }, { "int", 4 }, { "double", 8 } }
local WORDS = { "contiguous", "vector", "subarray" }

local function random_type(case, depth)
  if depth == 0 then
    local row = BASICS[math.random(1, #BASICS)]
    return { type = basics[row[1]], map = basic_map(row[2]), text = row[1] }
  end
  return KINDS[WORDS[math.random(1, #WORDS)]](case, random_type(case, depth - 1))
end

-- --- what the generator made of it ---

local function bytes_of(segment, values)
  local out = {}
  local function fill(j, at)
    if j > #segment.counts then
      for k = 0, expr.eval(segment.elem, values) - 1 do out[#out + 1] = at + k end
      return
    end
    local stride = expr.eval(segment.strides[j], values)
    for k = 0, expr.eval(segment.counts[j], values) - 1 do fill(j + 1, at + k * stride) end
  end
  fill(1, expr.eval(segment.start, values))
  return out
end

local function check(made, values)
  local function worth(e) return expr.eval(e, values) end
  local t, map = made.type, made.map
  assert.equal(#map.bytes, worth(t.size), made.text)
  local got = bytes_of(t.segment, values)
  assert.equal(table.concat(map.bytes, " "), (table.concat(got, " "):gsub("%.0", "")), made.text)
  if #map.bytes == 0 then return end -- bounds of what is empty move nothing
  assert.equal(map.lb, worth(t.lb), made.text)
  assert.equal(map.ub - map.lb, worth(t.extent), made.text)
  local least, most = math.huge, -math.huge
  for _, byte in ipairs(map.bytes) do
    least, most = math.min(least, byte), math.max(most, byte)
  end
  assert.equal(least, worth(t.true_lb), made.text)
  assert.equal(most + 1 - least, worth(t.true_extent), made.text)
end

describe("datatypes are their list of bytes", function()
  for _, kind in ipairs { "of constants", "of parameters" } do
    it(kind, function()
      support.seed("datatype " .. kind)
      for round = 1, 1500 do
        local case = { symbolic = kind == "of parameters", names = {}, values = {},
          least = round % 5 == 0 and 0 or 1 }
        check(random_type(case, math.random(0, 3)), case.values)
      end
    end)
  end

  it("equal lists of constants are equal segments", function()
    support.seed "datatype canonical"
    local by_bytes, met = {}, 0
    for _ = 1, 3000 do
      local made = random_type({ least = 1, names = {}, values = {} }, math.random(0, 2))
      local key, seen = table.concat(made.map.bytes, " "), {}
      local once = true
      for _, byte in ipairs(made.map.bytes) do
        once = once and not seen[byte]
        seen[byte] = true
      end
      local s = made.type.segment
      local text = {}
      for j, count in ipairs(s.counts) do text[j] = expr.text(count) .. " by " .. expr.text(s.strides[j]) end
      text = table.concat(text, ", ") .. " of " .. expr.text(s.elem) .. " at " .. expr.text(s.start)
      if once then
        met = met + (by_bytes[key] and 1 or 0)
        by_bytes[key] = by_bytes[key] or { text = text, made = made.text }
        assert.equal(by_bytes[key].text, text, made.text .. " and " .. by_bytes[key].made)
      end
    end
    assert.is_true(met > 300)
  end)

  it("nothing is nothing, whatever it is made of", function()
    local int = basics.int
    for _, t in ipairs { contiguous(0, int), vector(0, 2, 3, int), vector(2, 0, 3, int),
        subarray { sizes = { 3, 3 }, subsizes = { 0, 2 }, starts = { 1, 1 }, type = int },
        contiguous(3, vector(0, 1, 1, int)) } do
      assert.equal("0", expr.text(t.size))
      assert.same({}, t.segment.counts)
      assert.equal("0", expr.text(t.segment.elem))
      assert.equal("0", expr.text(t.true_extent))
    end
    for _, t in ipairs { contiguous(0, int), vector(0, 2, 3, int), vector(2, 0, 3, int) } do
      assert.equal("0", expr.text(t.extent))
    end
  end)
end)
