-- SPDX-License-Identifier: MIT
-- Expressions against plain integers: whatever is built is worth what its parts are worth.
local expr = require "cartgen.expr"
local support = require "support"

local NAMES = { "m", "n", "k" }
local LIST = "c" -- a list of 3 values

local function values()
  local out = { [LIST] = {} }
  for _, name in ipairs(NAMES) do out[name] = math.random(-9, 9) end
  for i = 1, 3 do out[LIST][i] = math.random(-9, 9) end
  return out
end

-- A random expression: {made, worth(values), text for a failure}.
local function leaf()
  local kind = math.random(1, 3)
  if kind == 1 then
    local x = math.random(-6, 6)
    return { made = math.random() < 0.5 and x or expr.of(x), worth = function() return x end,
      text = tostring(x) }
  elseif kind == 2 then
    local name = NAMES[math.random(1, #NAMES)]
    return { made = expr.param(name), worth = function(v) return v[name] end, text = name }
  end
  local i = math.random(0, 2)
  return { made = expr.element(LIST, i), worth = function(v) return v[LIST][i + 1] end,
    text = ("%s[%d]"):format(LIST, i) }
end

local OPS = {
  { "+", expr.add, function(a, b) return a + b end },
  { "-", expr.sub, function(a, b) return a - b end },
  { "*", expr.mul, function(a, b) return a * b end },
}

local function random(depth)
  if depth == 0 or math.random() < 0.2 then return leaf() end
  if math.random() < 0.1 then
    local a = random(depth - 1)
    return { made = expr.neg(a.made), worth = function(v) return -a.worth(v) end,
      text = "-(" .. a.text .. ")" }
  end
  local op = OPS[math.random(1, #OPS)]
  local a, b = random(depth - 1), random(depth - 1)
  -- Half of the time by the operators, as a description writes them.
  local made
  if math.random() < 0.5 and (expr.is(a.made) or expr.is(b.made)) then
    made = op[3](a.made, b.made)
  else
    made = op[2](a.made, b.made)
  end
  return { made = made, worth = function(v) return op[3](a.worth(v), b.worth(v)) end,
    text = ("(%s %s %s)"):format(a.text, op[1], b.text) }
end

-- The text of an expression read as Lua: written apart from expr.eval.
local function worth_of_text(text, v)
  local list = {}
  for i, x in ipairs(v[LIST]) do list[i - 1] = x end
  local env = setmetatable({ [LIST] = list }, { __index = v })
  local source = "return " .. text
  local set_environment = rawget(_G, "setfenv")
  if not set_environment then return assert(load(source, "=text", "t", env))() end
  return set_environment(assert(rawget(_G, "loadstring")(source)), env)()
end

describe("random expressions", function()
  it("are worth what integers are", function()
    support.seed "expr"
    for _ = 1, 3000 do
      local e, v = random(3), values()
      local expected = e.worth(v)
      assert.equal(expected, expr.eval(e.made, v), e.text)
      assert.equal(expected, worth_of_text(expr.text(e.made), v), e.text)
    end
  end)

  it("are equal when they are the same polynomial, by any way of making it", function()
    support.seed "expr equal"
    for _ = 1, 1000 do
      local a, b, c = random(2), random(2), random(1)
      local pairs_of = {
        { expr.add(a.made, b.made), expr.add(b.made, a.made) },
        { expr.mul(a.made, b.made), expr.mul(b.made, a.made) },
        { expr.mul(a.made, expr.add(b.made, c.made)),
          expr.add(expr.mul(a.made, b.made), expr.mul(a.made, c.made)) },
        { expr.sub(expr.add(a.made, b.made), b.made), expr.of(a.made) },
        { expr.neg(expr.sub(a.made, b.made)), expr.sub(b.made, a.made) },
        { expr.sum { a.made, b.made, c.made }, expr.add(a.made, expr.add(b.made, c.made)) },
      }
      for i, pair in ipairs(pairs_of) do
        local what = ("%d: %s, %s, %s"):format(i, a.text, b.text, c.text)
        assert.is_true(expr.equal(pair[1], pair[2]), what)
        assert.equal(expr.key(pair[1]), expr.key(pair[2]), what)
      end
      assert.is_false(expr.equal(expr.add(a.made, 1), a.made), a.text)
    end
  end)

  it("that differ somewhere are not equal, those that are equal nowhere differ", function()
    support.seed "expr differ"
    for _ = 1, 1000 do
      local a, b = random(2), random(2)
      local differ = false
      for _ = 1, 12 do
        local v = values()
        differ = differ or a.worth(v) ~= b.worth(v)
      end
      if differ then
        assert.is_false(expr.equal(a.made, b.made), a.text .. " = " .. b.text)
        assert.are_not.equal(expr.key(a.made), expr.key(b.made))
      end
    end
  end)

  it("never change when they are used", function()
    support.seed "expr constant"
    for _ = 1, 300 do
      local a, b = random(2), random(2)
      local before = { expr.text(a.made), expr.text(b.made) }
      for _, op in ipairs(OPS) do op[2](a.made, b.made) end
      expr.sum { a.made, b.made }
      expr.neg(a.made)
      assert.same(before, { expr.text(a.made), expr.text(b.made) })
    end
  end)
end)

describe("text", function()
  local m, n = expr.param "m", expr.param "n"

  it("has the highest degree first, then names", function()
    assert.equal("0", expr.text(0))
    assert.equal("-m", expr.text(-m))
    assert.equal("4*m*n + 8", expr.text(8 + 4 * m * n))
    assert.equal("m*m*n - m*n - 2*n + 1", expr.text(1 - 2 * n - n * m + n * m * m))
    assert.equal("3*c[0] - c[10] - c[2]",
      expr.text(3 * expr.element("c", 0) - expr.element("c", 2) - expr.element("c", 10)))
  end)

  it("of constants is exact below 2^53", function()
    assert.equal("9007199254740991", expr.text(2 ^ 53 - 1))
    assert.equal("-9007199254740991", expr.text(-(2 ^ 53 - 1)))
    assert.equal("0", expr.text(expr.mul(-0.0, m)))
    assert.equal("0", expr.text(-0.0))
  end)
end)

describe("what is no integer polynomial", function()
  local m = expr.param "m"

  it("is refused", function()
    for _, x in ipairs { 0.5, 1 / 0, -1 / 0, 0 / 0, "1", true, {} } do
      assert.has_error(function() expr.of(x) end)
      assert.has_error(function() return m + x end)
    end
    assert.has_error(function() return m / 2 end)
    assert.has_error(function() return m % 2 end)
    assert.has_error(function() return m ^ 2 end)
    assert.has_error(function() return m < m * 2 end)
    assert.has_error(function() return m <= m * 2 end)
    assert.has_error(function() return "a" .. m end)
    -- LuaJIT takes the length of a table without asking it.
    if not rawget(_G, "jit") then assert.has_error(function() return #m end) end
  end)

  it("and coefficients of 2^53 and more too, whatever a float makes of them", function()
    local big = (2 ^ 53 - 1) * m
    local huge = 1099511627776 -- 2^40, an integer under Lua 5.4
    for i, f in ipairs {
      function() return big + m end,
      function() return big + m * m + m end,
      function() return big * 2 end,
      function() return big * big end,
      function() return (2 ^ 27 + 1) * m * ((2 ^ 26 + 1) * m) end,
      function() return (m + huge) * (m + huge) end,
      function() return expr.mul(huge, huge) end,
      function() return (huge * m) * (huge * m) end,
      function() return (big + 1) * (m + 3) - 2 * m end,
      function() return expr.sum { big, big } end,
      function() return expr.of(2 ^ 53) end,
      function() return expr.mul(2 ^ 30, 2 ^ 30) end,
    } do
      local ok, message = pcall(f)
      assert.is_false(ok, "function " .. i)
      assert.equal("a coefficient passes 2^53 - 1", message)
    end
    assert.equal("0", expr.text(big - big))
  end)
end)

describe("smaller and larger", function()
  it("are worth what math.min and math.max are, known or not", function()
    support.seed "expr extremes"
    for _ = 1, 1000 do
      local a, b, c = random(2), random(2), random(1)
      local low, high = expr.min(a.made, b.made), expr.max(a.made, b.made)
      local mixed = expr.add(expr.mul(low, c.made), high)
      for _ = 1, 4 do
        local v = values()
        for name, x in pairs(v) do v[name] = type(x) == "number" and math.abs(x) or x end
        for i, x in ipairs(v[LIST]) do v[LIST][i] = math.abs(x) end
        local x, y = a.worth(v), b.worth(v)
        assert.equal(math.min(x, y), expr.eval(low, v), a.text .. "; " .. b.text)
        assert.equal(math.max(x, y), expr.eval(high, v), a.text .. "; " .. b.text)
        assert.equal(math.min(x, y) * c.worth(v) + math.max(x, y), expr.eval(mixed, v), a.text .. "; " .. b.text)
      end
      assert.is_true(expr.equal(low, expr.min(b.made, a.made)) or expr.sign(expr.sub(a.made, b.made)) == 0)
    end
  end)

  it("divide exactly or not at all", function()
    support.seed "expr divide"
    local m, n = expr.param "m", expr.param "n"
    for _ = 1, 1000 do
      local a = random(2).made
      local b = math.random(1, 5) * ({ expr.of(1), m, n, m * n })[math.random(1, 4)]
      local back = expr.divide(expr.mul(a, b), b)
      assert.is_true(back ~= nil and expr.equal(back, a))
    end
    assert.is_nil(expr.divide(m, n))
    assert.is_nil(expr.divide(3 * m, 2))
    assert.is_nil(expr.divide(m, m + 1))
  end)
end)
