-- SPDX-License-Identifier: MIT
-- Descriptions of types by the definition (MPI 4.0, 5.1), element by element: a type is the list of its
-- entries { byte offset, basic type } in order, with "lb" and "ub" entries where bounds are explicit.
-- Nothing of the generator is used.
local BASIC = {
  char = 1, signed_char = 1, unsigned_char = 1, byte = 1, bool = 1, short = 2, unsigned_short = 2, int = 4, unsigned = 4,
  long = 8, unsigned_long = 8, long_long = 8, unsigned_long_long = 8, float = 4, double = 8, long_double = 16,
  int8 = 1, int16 = 2, int32 = 4, int64 = 8, uint8 = 1, uint16 = 2, uint32 = 4, uint64 = 8,
  float_complex = 8, double_complex = 16,
}
local ALIGN = { float_complex = 4, double_complex = 8 }

local words = {}

-- lb, extent, true_lb, true_extent and size of a list of entries.
local function close(list)
  local lb, ub, low, high, align, size = nil, nil, nil, nil, 1, 0
  for _, e in ipairs(list) do
    if e.name == "lb" then lb = math.min(lb or e.at, e.at)
    elseif e.name == "ub" then ub = math.max(ub or e.at, e.at)
    else
      local bytes = BASIC[e.name]
      low, high = math.min(low or e.at, e.at), math.max(high or e.at + bytes, e.at + bytes)
      align, size = math.max(align, ALIGN[e.name] or bytes), size + bytes
    end
  end
  local t = { list = list, lb = lb or low or 0, true_lb = low or 0, true_extent = low and high - low or 0, size = size }
  t.extent = (ub or high or 0) - t.lb
  if not ub then t.extent = math.ceil(t.extent / align) * align end
  return t
end

local function copy(into, t, at)
  for _, e in ipairs(t.list) do into[#into + 1] = { at = e.at + at, name = e.name } end
end

-- Blocks { byte, length } of t.
local function blocks(t, list)
  assert(type(t) == "table" and t.list, "a type is missing")
  local into = {}
  for _, b in ipairs(list) do
    assert(b[1] and b[2] and b[2] >= 0, "a block needs a place and a length")
    for j = 0, b[2] - 1 do copy(into, b[3] or t, b[1] + j * (b[3] or t).extent) end
  end
  return close(into)
end

for name in pairs(BASIC) do words[name] = close { { at = 0, name = name } } end

function words.contiguous(n, t) return blocks(t, { { 0, n } }) end

function words.hvector(n, length, bytes, t)
  local list = {}
  for i = 0, n - 1 do list[#list + 1] = { i * bytes, length } end
  return blocks(t, list)
end

function words.vector(n, length, stride, t) return words.hvector(n, length, stride * t.extent, t) end

function words.hindexed(lengths, bytes, t)
  assert(#lengths == #bytes, "lists of different lengths")
  local list = {}
  for i = 1, #bytes do list[i] = { bytes[i], lengths[i] } end
  return blocks(t, list)
end

local function scaled(list, t)
  local bytes = {}
  for i = 1, #list do bytes[i] = list[i] * t.extent end
  return bytes
end

local function same(list, value)
  local all = {}
  for i = 1, #list do all[i] = value end
  return all
end

function words.indexed(lengths, displs, t) return words.hindexed(lengths, scaled(displs, t), t) end
function words.hindexed_block(length, bytes, t) return words.hindexed(same(bytes, length), bytes, t) end
function words.indexed_block(length, displs, t) return words.hindexed_block(length, scaled(displs, t), t) end

function words.struct(items)
  local list = {}
  for i, item in ipairs(items) do list[i] = { item[2], item[3], item[1] } end
  return blocks({ list = {} }, list)
end

local function bounded(t, lb, extent)
  local list = {}
  for _, e in ipairs(t.list) do
    if e.name ~= "lb" and e.name ~= "ub" then list[#list + 1] = e end
  end
  list[#list + 1] = { at = lb, name = "lb" }
  list[#list + 1] = { at = lb + extent, name = "ub" }
  return close(list)
end

function words.resized(lb, extent, t) return bounded(t, lb, extent) end

function words.subarray(a)
  local n, total = #a.sizes, 1
  assert(n > 0 and #a.subsizes == n and #a.starts == n and (a.order == "C" or a.order == "Fortran"), "subarray")
  for j = 1, n do total = total * a.sizes[j] end
  local list = {}
  -- k-th dimension from the slowest on; at: index so far
  local function walk(k, at)
    if k > n then list[#list + 1] = { at * a.type.extent, 1 } return end
    local j = a.order == "C" and k or n + 1 - k
    for i = a.starts[j], a.starts[j] + a.subsizes[j] - 1 do walk(k + 1, at * a.sizes[j] + i) end
  end
  walk(1, 0)
  return bounded(blocks(a.type, list), 0, total * a.type.extent)
end

local evaluate = {}

-- The layouts of a text by name, and their names in order.
function evaluate.text(text)
  local layouts, names = {}, {}
  local env = setmetatable({
    layout = function(name)
      return function(fields)
        assert(not layouts[name] and fields.type and fields.type.list, "layout " .. name)
        layouts[name], names[#names + 1] = fields.type, name
      end
    end,
  }, { __index = function(_, key) return words[key] or error("unknown word " .. key, 2) end })
  local chunk, fault
  if _VERSION == "Lua 5.1" then
    chunk, fault = loadstring(text) -- luacheck: ignore
    if chunk then setfenv(chunk, env) end -- luacheck: ignore
  else
    chunk, fault = load(text, "text", "t", env)
  end
  if not chunk then error(fault, 0) end
  chunk()
  return layouts, names
end

-- Elements of a type in order: offsets and names.
function evaluate.elements(t)
  local list = {}
  for _, e in ipairs(t.list) do
    if BASIC[e.name] then list[#list + 1] = e end
  end
  return list
end

function evaluate.bytes(name) return BASIC[name] end

return evaluate
