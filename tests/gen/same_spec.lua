-- SPDX-License-Identifier: MIT
-- The same bytes from both interpreters and from every run: each run has its own hash seed, so an
-- order taken from `pairs` shows sooner or later.
local command = require "command"

-- Both interpreters, the one that runs this spec first.
local function interpreters()
  local jit = rawget(_G, "jit") ~= nil
  local folder = command.lua:match "^(.*/)[^/]*$" or ""
  local other = folder .. (jit and "lua5.4" or "luajit")
  local found = command.read(other) and other or (jit and "lua5.4" or "luajit")
  return { command.lua, found }
end

local LUAS = interpreters()

local function generated(args, lua)
  local result = command.run(args, { lua = lua })
  assert.same({ status = 0, err = "" }, { status = result.status, err = result.err })
  return result.out
end

local function first_difference(a, b)
  if a == b then return nil end
  local at, line = 1, 1
  while a:byte(at) == b:byte(at) do
    if a:sub(at, at) == "\n" then line = line + 1 end
    at = at + 1
  end
  return ("line %d: ...%q\n against ...%q"):format(line, a:sub(at, at + 60), b:sub(at, at + 60))
end

local function check(args, runs)
  local first = generated(args, LUAS[1])
  assert.is_true(#first > 0)
  for _ = 2, runs do assert.is_nil(first_difference(first, generated(args, LUAS[1]))) end
  assert.is_nil(first_difference(first, generated(args, LUAS[2])))
end

local function descriptions(folder)
  local out = {}
  for name in command.names(folder):gmatch "%S+" do
    if name:find "%.lua$" then out[#out + 1] = folder .. "/" .. name end
  end
  assert(#out > 0, "no description in " .. folder)
  return out
end

describe("the same text", function()
  for _, folder in ipairs { "tests/golden/descriptions", "docs/examples" } do
    for _, name in ipairs(descriptions(folder)) do
      for _, form in ipairs { "c", "plan" } do
        it(("%s, %s"):format(name, form), function() check({ "--emit", form, name }, 2) end)
      end
    end
  end

  it("of many schedules", function()
    check({ "--set", "d=3", "--set", "n=3", "--set", "more=2", "bench/cartesians.lua" }, 2)
  end)

  it("of statistics as JSON", function()
    check({ "--emit", "json", "--set", "d=3", "--set", "n=3", "--set", "more=1",
      "bench/cartesians.lua" }, 2)
  end)

  it("finds a difference", function()
    assert.is_nil(first_difference("a\nb", "a\nb"))
    assert.equal('line 2: ..."b"\n against ..."c"', first_difference("a\nb", "a\nc"))
  end)
end)
