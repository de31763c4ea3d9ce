-- SPDX-License-Identifier: MIT
-- The text of every stage for small cases: tests/golden/descriptions/NAME.lua gives
-- tests/golden/NAME.FORM. CARTGEN_GOLDEN_UPDATE=1 writes the texts anew; read what changed.
local command = require "command"

local FOLDER = "tests/golden/"
local update = (os.getenv "CARTGEN_GOLDEN_UPDATE" or "") ~= ""

-- name, forms, more arguments. A form "header" is a source and a header that are written to files.
local CASES = {
  { "direct2d", "problem schedule plan stats c" },
  { "combining2d", "problem schedule plan c" },
  { "tree", "problem schedule plan c" },
  { "partial3d", "schedule plan stats" },
  { "zeros", "problem schedule plan c" },
  { "types", "problem schedule plan c" },
  { "mesh2d", "problem schedule plan c" },
  { "mixed", "problem schedule plan" },
  { "merged", "problem schedule plan" },
  { "persistent", "problem plan c" },
  { "blocking", "c", { "--set", "m=3" } },
  { "pair", "schedule stats json header" },
  { "turned", "problem schedule plan" },
  { "layouts", "problem c" },
  { "faces2d", "problem schedule plan c" },
  { "rims", "problem schedule plan" },
  { "lists", "plan c" },
  { "several", "problem schedule plan header" },
}

local ENDING = { problem = ".problem.txt", schedule = ".schedule.txt", plan = ".plan.txt",
  stats = ".stats.txt", json = ".json", c = ".c" }

local function lines_of(text)
  local out = {}
  for line in (text .. "\n"):gmatch "([^\n]*)\n" do out[#out + 1] = line end
  return out
end

-- Where two texts part, or nil.
local function difference(name, expected, got)
  if expected == got then return nil end
  if not expected then return name .. " is not there; CARTGEN_GOLDEN_UPDATE=1 writes it" end
  local before, now = lines_of(expected), lines_of(got)
  local at = 1
  while before[at] == now[at] and before[at] do at = at + 1 end
  return ("%s:%d:\n  expected: %s\n  got:      %s"):format(name, at, before[at] or "(end)",
    now[at] or "(end)")
end

local function check(name, got)
  if update then
    command.write(FOLDER .. name, got)
    return
  end
  local found = difference(FOLDER .. name, command.read(FOLDER .. name), got)
  if found then error(found, 0) end
end

local function generated(case, args)
  local words = {}
  for _, list in ipairs { args, case[3] or {} } do
    for _, word in ipairs(list) do words[#words + 1] = word end
  end
  words[#words + 1] = FOLDER .. "descriptions/" .. case[1] .. ".lua"
  local result = command.run(words)
  assert.same({ status = 0, err = "" }, { status = result.status, err = result.err })
  return result.out
end

describe("golden text", function()
  for _, case in ipairs(CASES) do
    for form in case[2]:gmatch "%S+" do
      it(case[1] .. " " .. form, function()
        if form ~= "header" then
          check(case[1] .. ENDING[form], generated(case, { "--emit", form }))
          return
        end
        local folder = command.folder()
        local source, header = folder .. "/" .. case[1] .. ".c", folder .. "/" .. case[1] .. ".h"
        assert.equal("", generated(case, { "-o", source, "--header", header }))
        local texts = { command.read(source), command.read(header) }
        command.remove(folder)
        check(case[1] .. ".c", texts[1])
        check(case[1] .. ".h", texts[2])
      end)
    end
  end

  it("has no text that no case writes", function()
    local known = { descriptions = true }
    for _, case in ipairs(CASES) do
      for form in case[2]:gmatch "%S+" do
        if form == "header" then known[case[1] .. ".c"], known[case[1] .. ".h"] = true, true
        else known[case[1] .. ENDING[form]] = true end
      end
    end
    for name in command.names(FOLDER):gmatch "%S+" do
      assert.is_true(known[name], name .. " is nobody's")
    end
    for name in command.names(FOLDER .. "descriptions"):gmatch "(%S+)%.lua" do
      local used = false
      for _, case in ipairs(CASES) do used = used or case[1] == name end
      assert.is_true(used, name .. ".lua is in no case")
    end
  end)

  it("a difference is shown by its first line", function()
    assert.is_nil(difference("x", "a\nb\n", "a\nb\n"))
    assert.equal("x:2:\n  expected: b\n  got:      c", difference("x", "a\nb\n", "a\nc\n"))
    assert.equal("x:3:\n  expected: \n  got:      c", difference("x", "a\nb\n", "a\nb\nc\n"))
    assert.equal("x:2:\n  expected: \n  got:      (end)", difference("x", "a\n", "a"))
  end)
end)
