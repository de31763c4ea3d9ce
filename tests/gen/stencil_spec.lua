-- SPDX-License-Identifier: MIT
-- Stencils against direct enumeration and the literature's counts.
local stencil = require "cartgen.stencil"
local support = require "support"
local util = require "cartgen.util"

-- Members of {from .. to}^d that `keep` wants: by counting in base (to - from + 1), which is the
-- lexicographic order with the last coordinate fastest.
local function enumerated(from, to, keep)
  local total, out = 1, {}
  for j = 1, #from do total = total * (to[j] - from[j] + 1) end
  for number = 0, total - 1 do
    local v, rest = {}, number
    for j = #from, 1, -1 do
      local n = to[j] - from[j] + 1
      v[j] = from[j] + rest % n
      rest = math.floor(rest / n)
    end
    if not keep or keep(v) then out[#out + 1] = v end
  end
  return out
end

local function cube(d, r, keep)
  local from, to = {}, {}
  for j = 1, d do from[j], to[j] = -r, r end
  return enumerated(from, to, keep)
end

local function taxi(v)
  local sum = 0
  for _, x in ipairs(v) do sum = sum + math.abs(x) end
  return sum
end

local function nonzero(v) return taxi(v) > 0 end

-- Points of the integer lattice with |x1| + ... + |xd| <= r (Delannoy numbers).
local function delannoy(d, r)
  if d == 0 or r == 0 then return 1 end
  return delannoy(d - 1, r) + delannoy(d, r - 1) + delannoy(d - 1, r - 1)
end

describe("moore", function()
  it("has every offset but zero, lexicographic", function()
    for d = 1, 4 do
      for r = 0, d > 2 and 2 or 4 do
        local s = stencil.moore(d, r)
        assert.equal(d, s.ndims)
        assert.equal((2 * r + 1) ^ d - 1, #s.offsets)
        assert.same(cube(d, r, nonzero), s.offsets)
      end
    end
    assert.equal(3 ^ 8 - 1, #stencil.moore(8).offsets)
  end)

  it("has radius 1 by default", function()
    assert.same(stencil.moore(3, 1).offsets, stencil.moore(3).offsets)
  end)
end)

describe("von_neumann", function()
  it("has those of a taxicab ball", function()
    for d = 1, 5 do
      for r = 0, d > 3 and 2 or 4 do
        local s = stencil.von_neumann(d, r)
        assert.equal(delannoy(d, r) - 1, #s.offsets)
        assert.same(cube(d, r, function(v) return nonzero(v) and taxi(v) <= r end), s.offsets)
      end
    end
    assert.same({ { -1, 0 }, { 0, -1 }, { 0, 1 }, { 1, 0 } }, stencil.von_neumann(2).offsets)
  end)
end)

describe("box", function()
  it("has everything between, zero included", function()
    support.seed "box"
    for _ = 1, 300 do
      local d, from, to = math.random(1, 4), {}, {}
      for j = 1, d do
        from[j] = math.random(-3, 3)
        to[j] = from[j] + math.random(0, 2)
      end
      assert.same(enumerated(from, to), stencil.box { from = from, to = to }.offsets)
    end
  end)

  it("of one range is the family {-1 .. n-2}^d", function()
    for d = 1, 4 do
      for n = 2, 4 do
        assert.equal(n ^ d, #stencil.box(d, -1, n - 2).offsets)
        assert.same(support.box(d, -1, n - 2), stencil.box(d, -1, n - 2).offsets)
      end
    end
  end)

  it("is empty where from is beyond to", function()
    assert.same({}, stencil.box(2, 1, 0).offsets)
    assert.same({}, stencil.box { from = { 0, 3 }, to = { 9, 2 } }.offsets)
  end)
end)

describe("lattices", function()
  -- name, dimensions, velocities with 1, 2 and 3 coordinates that are not zero
  local MODELS = {
    { "D2Q9", 2, 4, 4, 0 }, { "D3Q15", 3, 6, 0, 8 }, { "D3Q19", 3, 6, 12, 0 },
    { "D3Q27", 3, 6, 12, 8 },
  }
  for _, row in ipairs(MODELS) do
    it(row[1], function()
      local offsets, classes = stencil.lattice(row[1]).offsets, { 0, 0, 0 }
      assert.equal(tonumber(row[1]:match "Q(%d+)") - 1, #offsets)
      for _, v in ipairs(offsets) do
        assert.equal(row[2], #v)
        classes[taxi(v)] = classes[taxi(v)] + 1
      end
      assert.same({ row[3], row[4], row[5] }, classes)
      local wanted = { row[3] > 0, row[4] > 0, row[5] > 0 }
      assert.same(cube(row[2], 1, function(v) return wanted[taxi(v)] end), offsets)
    end)
  end
end)

describe("cartesian", function()
  it("has MPI's order of a Cartesian communicator's neighbours", function()
    assert.same({ { -1 }, { 1 } }, stencil.cartesian(1).offsets)
    local star = { { -1, 0, 0 }, { 1, 0, 0 }, { 0, -1, 0 }, { 0, 1, 0 }, { 0, 0, -1 }, { 0, 0, 1 } }
    assert.same(star, stencil.cartesian(3).offsets)
    for d = 1, 8 do
      local offsets = stencil.cartesian(d).offsets
      assert.equal(2 * d, #offsets)
      for s = 0, 2 * d - 1 do -- the opposite of s is s^1
        local other = offsets[s + (s % 2 == 0 and 1 or -1) + 1]
        for j = 1, d do assert.equal(-other[j], offsets[s + 1][j] + 0) end
        assert.equal(s % 2 == 0 and -1 or 1, offsets[s + 1][math.floor(s / 2) + 1])
      end
    end
  end)
end)

describe("offsets", function()
  it("stay as they stand", function()
    support.seed "offsets"
    for _ = 1, 100 do
      local given = support.random_case(12)
      local before = {}
      for i, v in ipairs(given) do before[i] = { util.unpack(v) } end
      local s = stencil.offsets(given)
      assert.same(before, s.offsets)
      assert.same(before, given)
      assert.equal(#given > 0 and #given[1] or 0, s.ndims)
    end
  end)

  it("are copies", function()
    local given = { { 1, 0 } }
    local s = stencil.offsets(given)
    given[1][1] = 7
    given[2] = { 0, 1 }
    assert.same({ { 1, 0 } }, s.offsets)
  end)
end)
