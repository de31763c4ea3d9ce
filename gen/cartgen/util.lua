-- SPDX-License-Identifier: MIT
-- Small things every stage uses: numbers as text, sorted keys, names and the nearest of them.
local util = {}

--- Text of an integral number, the same in every interpreter ("3", never "3.0").
function util.int(n)
  if type(n) ~= "number" or n ~= n or n % 1 ~= 0 or n > 2 ^ 53 or n < -2 ^ 53 then
    error("not an exact integer: " .. tostring(n))
  end
  return ("%.0f"):format(n == 0 and 0 or n)
end

--- Is n an integer that every interpreter holds exactly?
function util.is_int(n)
  return type(n) == "number" and n == n and n % 1 == 0 and n < 2 ^ 53 and n > -2 ^ 53
end

--- Keys of a table as a sorted list of strings.
function util.sorted_keys(t)
  local keys = {}
  for key in pairs(t) do keys[#keys + 1] = tostring(key) end
  table.sort(keys)
  return keys
end

-- Edits between two words: insertions, deletions, exchanges (Levenshtein).
local function distance(a, b)
  local row = {}
  for j = 0, #b do row[j] = j end
  for i = 1, #a do
    local before = row[0]
    row[0] = i
    for j = 1, #b do
      local cost = a:byte(i) == b:byte(j) and 0 or 1
      before, row[j] = row[j], math.min(row[j] + 1, row[j - 1] + 1, before + cost)
    end
  end
  return row[#b]
end

--- The nearest of `names` to `word`, or nil when none is near: up to a third of its letters differ.
function util.nearest(word, names)
  local best, least
  for _, name in ipairs(names) do
    local d = distance(word:sub(1, 64), name)
    local near = d <= math.max(1, math.floor((#word + 1) / 3)) and d < #word and (d == 1 or 2 * d <= #name)
    if near and (not least or d < least) then best, least = name, d end
  end
  return best
end

--- "; did you mean 'x'?" or, with nothing near, "; expected a, b or c".
function util.hint(word, names)
  local near = util.nearest(tostring(word), names)
  if near then return ("; did you mean '%s'?"):format(near) end
  return "; expected " .. util.any_of(names)
end

function util.any_of(names)
  if #names < 2 then return names[1] or "nothing" end
  return table.concat(names, ", ", 1, #names - 1) .. " or " .. names[#names]
end

--- Short text of any value, for messages.
function util.show(value)
  if type(value) == "string" then
    local text = #value > 40 and value:sub(1, 37) .. "..." or value
    return "'" .. text:gsub("[%c]", "?") .. "'"
  end
  if util.is_int(value) then return util.int(value) end
  if type(value) == "table" then
    local meta = getmetatable(value)
    if meta == nil then return "a table" end
    return type(meta.type) == "string" and "a " .. meta.type:lower() or tostring(value)
  end
  if type(value) == "function" then return "a function" end
  return tostring(value)
end

--- 64 bits of hash as two independent remainders of the text; plain numbers, so that both
--- interpreters agree.
function util.digest(text)
  local a, b = 2166136261, 5381
  for i = 1, #text - 1, 2 do -- two steps of a * 257 + byte and b * 131 + byte + 7 at once, below 2^53
    local x, y = text:byte(i, i + 1)
    a = (a * 66049 + x * 257 + y) % 4294967291
    b = (b * 17161 + (x + 7) * 131 + y + 7) % 4294967279
  end
  if #text % 2 == 1 then
    local x = text:byte(#text)
    a = (a * 257 + x) % 4294967291
    b = (b * 131 + x + 7) % 4294967279
  end
  local function hex(x)
    return ("%04x%04x"):format(math.floor(x / 65536), x % 65536)
  end
  return "0x" .. hex(a) .. hex(b)
end

local WORDS = [[alignas alignof and and_eq asm auto bitand bitor bool break case catch char char8_t char16_t char32_t
class compl concept const consteval constexpr constinit const_cast continue co_await co_return co_yield decltype default
delete do double dynamic_cast else enum explicit export extern false float for friend goto if inline int long mutable
namespace new noexcept not not_eq nullptr operator or or_eq private protected public register reinterpret_cast requires
restrict return short signed sizeof static static_assert static_cast struct switch template this thread_local throw true
try typedef typeid typename typeof union unsigned using virtual void volatile wchar_t while xor xor_eq main NULL
int8_t int16_t int32_t int64_t uint8_t uint16_t uint32_t uint64_t size_t memcpy errno unix linux]]

local reserved = {}
for word in WORDS:gmatch "%S+" do reserved[word] = true end

--- Why `name` cannot be a C and C++ identifier of its user's, or nil.
function util.bad_identifier(name)
  if type(name) ~= "string" then return "is not a string" end
  if not name:match "^[A-Za-z_][A-Za-z0-9_]*$" then return "is not a C identifier" end
  if reserved[name] then return "is a word of C or C++" end
  if name:match "^_" or name:find "__" then return "is reserved by C (leading or double underscore)" end
  if #name > 48 then return "is longer than 48 characters" end
  return nil
end

--- table.unpack under every interpreter.
util.unpack = rawget(table, "unpack") or rawget(_G, "unpack")

local root

--- Folder that holds templates/; set once by the program.
function util.root(path)
  if path then root = path end
  return root
end

return util
