-- SPDX-License-Identifier: MIT
-- string and table as a description sees them: one call does a bounded amount of work, for what runs
-- in C is not seen by the watch over the description's steps.
local diag = require "cartgen.diag"
local util = require "cartgen.util"

local strings = {}

local MOST = 1000000 -- characters
local MOST_STEPS = 2e8 -- of a pattern

local function results_of(name, ok, ...)
  if ok then return ... end
  local e = ...
  if type(e) == "string" then e = e:gsub("to '[^']*'", "to '" .. name .. "'", 1) end
  error(e, 0)
end

-- The results of a library function; its errors become the description's.
local function call(name, f, ...) return results_of(name, pcall(f, ...)) end

local function bound(name, length)
  if length > MOST then diag.fail(nil, "%s would make more than %d characters", name, MOST) end
end

local function length_of(v) return (type(v) == "string" or type(v) == "number") and #tostring(v) or 0 end

-- Ways a matcher may try: every place to begin times every way to divide n characters over the
-- repeated items of the pattern.
local function check_pattern(name, text, pattern, plain)
  if type(text) ~= "string" or type(pattern) ~= "string" then return end
  if #text > MOST then diag.fail(nil, "%s got %d characters, expected at most %d", name, #text, MOST) end
  local items = 0
  if not plain then
    local bare = string.gsub(string.gsub(pattern, "%%.", "x"), "%[%^?%]?[^%]]*%]", "x")
    items = select(2, string.gsub(bare, "[*+?-]", ""))
  end
  local ways = 1
  for k = 1, items do ways = ways * (#text + k) / k end
  local starts = string.sub(pattern, 1, 1) == "^" and 1 or #text + 1
  if starts * (ways + #pattern) > MOST_STEPS then
    diag.fail(nil, "%s: the pattern %s may take too many steps on %d characters", name, util.show(pattern), #text)
  end
end

-- Characters of a replacement by text: matches do not overlap, so a capture adds the subject once.
local function check_replacement(text, replacement)
  if type(text) ~= "string" or length_of(replacement) == 0 then return end
  local by = tostring(replacement)
  local captures = select(2, string.gsub(by, "%%%d", ""))
  bound("string.gsub", #text + (#text + 1) * (#by - 2 * captures) + captures * #text)
end

--- The string library.
function strings.string()
  local out = {}
  for _, name in ipairs { "byte", "char", "len", "lower", "reverse", "sub", "upper" } do out[name] = string[name] end
  for _, name in ipairs { "find", "gmatch", "match" } do
    out[name] = function(text, pattern, ...)
      check_pattern("string." .. name, text, pattern, name == "find" and select(2, ...))
      return call("string." .. name, string[name], text, pattern, ...)
    end
  end
  function out.gsub(text, pattern, replacement, ...)
    check_pattern("string.gsub", text, pattern)
    check_replacement(text, replacement)
    local by, kind, total = replacement, type(replacement), 0
    if kind == "table" or kind == "function" then
      by = function(...)
        local piece
        if kind == "table" then piece = replacement[...] else piece = replacement(...) end
        total = total + length_of(piece)
        bound("string.gsub", total)
        return piece
      end
    end
    return call("string.gsub", string.gsub, text, pattern, by, ...)
  end
  function out.format(...)
    local total = 0
    for i = 1, select("#", ...) do total = total + length_of((select(i, ...))) end
    bound("string.format", total)
    return call("string.format", string.format, ...)
  end
  function out.rep(text, n, separator)
    if type(n) == "number" then
      if not util.is_int(n) then diag.fail(nil, "bad argument #2 to 'string.rep' (number has no integer representation)") end
      bound("string.rep", (length_of(text) + length_of(separator)) * n)
    end
    return call("string.rep", string.rep, text, n, separator)
  end
  return out
end

--- The table library.
function strings.table()
  local out = {}
  for name, value in pairs(table) do out[name] = value end
  function out.concat(list, separator, from, to)
    local total = 0
    if type(list) == "table" then
      for i = tonumber(from) or 1, tonumber(to) or #list do
        total = total + length_of(list[i]) + length_of(separator)
        bound("table.concat", total)
      end
    end
    return call("table.concat", table.concat, list, separator, from, to)
  end
  out.move = nil -- moves as many entries as it is told to, there or not
  return out
end

return strings
