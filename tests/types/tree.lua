-- SPDX-License-Identifier: MIT
-- Trees of types: numbers in them, copies, walks, and their text as a description.
--
-- A node is { kind = name, the fields of kinds.lua }. A number is { k = constant, m = factor, p = parameter,
-- i = index in a list parameter (from 1), q = second parameter }: k + m * p[i] * q, without p just k.
-- A list is an array of numbers, or { list = name, n = number }: a run-time list of n values.
-- Struct items are { type = node, displ = number, bl = number, base = name or nil }.
-- values: parameter -> integer, or array of integers for a list.
local kinds = require "kinds"

local tree = {}

function tree.num(k) return { k = k } end

function tree.basic(name) return { kind = "basic", name = name } end

local function read(values, name, i)
  local v = values[name]
  if v == nil then error("no value for parameter " .. name) end
  return i and v[i] or v
end

--- Value of a number.
function tree.value(num, values)
  if not num.p then return num.k end
  return num.k + num.m * read(values, num.p, num.i) * (num.q and read(values, num.q) or 1)
end

--- Values of a list.
function tree.list(list, values)
  local out = {}
  if list.list then
    for i = 1, tree.value(list.n, values) do out[i] = read(values, list.list, i) end
  else
    for i, num in ipairs(list) do out[i] = tree.value(num, values) end
  end
  return out
end

local function int(n) return ("%.0f"):format(n == 0 and 0 or n) end

--- A number as an expression of the description language.
function tree.num_text(num)
  if not num.p then return int(num.k) end
  local text = num.p .. (num.i and "[" .. int(num.i) .. "]" or "") .. (num.q and " * " .. num.q or "")
  if num.m == -1 then text = "-" .. text elseif num.m ~= 1 then text = int(num.m) .. " * " .. text end
  if num.k > 0 then return text .. " + " .. int(num.k) end
  if num.k < 0 then return text .. " - " .. int(-num.k) end
  return text
end

local function list_text(list)
  if list.list then return list.list end
  local out = {}
  for i, num in ipairs(list) do out[i] = tree.num_text(num) end
  return "{ " .. table.concat(out, ", ") .. " }"
end

local node_text

local function item_text(item)
  local displ = tree.num_text(item.displ)
  if item.base then displ = ('at("%s", %s)'):format(item.base, displ) end
  return ("{ %s, %s, %s }"):format(node_text(item.type), displ, tree.num_text(item.bl))
end

local field_text = {
  num = tree.num_text, count = tree.num_text, nums = list_text, counts = list_text, row = list_text,
  type = function(node) return node_text(node) end,
  word = function(word) return ("%q"):format(word) end,
  items = function(items)
    local out = {}
    for i, item in ipairs(items) do out[i] = item_text(item) end
    return table.concat(out, ", ")
  end,
}

local WRAP = { call = "%s(%s)", table = "%s { %s }", named = "%s { %s }" }

function node_text(node)
  if node.kind == "basic" then return node.name end
  local kind, out = kinds.of[node.kind], {}
  for i, field in ipairs(kind) do
    local text = field_text[field[2]](node[field[1]])
    out[i] = kind.style == "named" and field[1] .. " = " .. text or text
  end
  return WRAP[kind.style]:format(node.kind, table.concat(out, ", "))
end

tree.text = node_text

--- A deep copy of a node, number or list.
function tree.copy(v)
  if type(v) ~= "table" then return v end
  local out = {}
  for key, x in pairs(v) do out[key] = tree.copy(x) end
  return out
end

--- Calls f(subtree) for the direct subtrees, in order.
function tree.children(node, f)
  if node.items then
    for _, item in ipairs(node.items) do f(item.type, item) end
  elseif node.type then
    f(node.type)
  end
end

--- Calls f(node) for the node and everything below it.
function tree.walk(node, f)
  f(node)
  tree.children(node, function(child) tree.walk(child, f) end)
end

--- Calls f(number, sort, list or nil) for every number of this node (not those below it).
function tree.numbers(node, f)
  for _, item in ipairs(node.items or {}) do
    f(item.displ, "num")
    f(item.bl, "count")
  end
  for _, field in ipairs(kinds.of[node.kind]) do
    local v, sort = node[field[1]], field[2]
    if sort == "num" or sort == "count" then
      f(v, sort)
    elseif sort == "nums" or sort == "counts" or sort == "row" then
      if v.list then f(v.n, "count") end
      for _, num in ipairs(v) do f(num, sort == "nums" and "num" or "count", v) end
    end
  end
end

--- Calls f(list) for the run-time lists of this node.
function tree.run_time_lists(node, f)
  for _, field in ipairs(kinds.of[node.kind]) do
    local v = node[field[1]]
    if type(v) == "table" and v.list then f(v) end
  end
end

--- Number of constructors.
function tree.size(node)
  local n = 0
  tree.walk(node, function(x) if x.kind ~= "basic" then n = n + 1 end end)
  return n
end

--- Set of the names of basic types in the tree, and the sorted list of them.
function tree.basics(node)
  local set, names = {}, {}
  tree.walk(node, function(x)
    if x.kind == "basic" and not set[x.name] then
      set[x.name] = true
      names[#names + 1] = x.name
    end
  end)
  table.sort(names)
  return set, names
end

--- Names of the arrays, in order of appearance; none: one buffer without a name.
function tree.bases(node)
  local out, seen = {}, {}
  tree.walk(node, function(x)
    for _, item in ipairs(x.items or {}) do
      if item.base and not seen[item.base] then
        seen[item.base] = true
        out[#out + 1] = item.base
      end
    end
  end)
  return out
end

--- Parameters of trees, in order of appearance: array of { name, list = true?, n = number of a list }.
function tree.params(...)
  local out, seen = {}, {}
  local function add(name, list, n)
    if name and not seen[name] then
      seen[name] = true
      out[#out + 1] = { name = name, list = list, n = n }
    end
  end
  for _, root in ipairs { ... } do
    tree.walk(root, function(node)
      tree.run_time_lists(node, function(list)
        add(list.n.p)
        add(list.list, true, list.n)
      end)
      tree.numbers(node, function(num)
        add(num.p, num.i ~= nil, num.i and tree.num(num.length))
        add(num.q)
      end)
    end)
  end
  return out
end

return tree
