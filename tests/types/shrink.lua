-- SPDX-License-Identifier: MIT
-- Smaller cases that may still fail: one part of a tree left out, a number made simple.
local measure = require "measure"
local emit = require "emit"
local kinds = require "kinds"
local tree = require "tree"
local trees = require "trees"

local shrink = {}

-- What can be done to a node: calls edit(label, function(copy) -> node to stand in its place).
local function edits(node, edit)
  if node.kind == "basic" then
    if node.name ~= "char" then edit("char", function() return tree.basic "char" end) end
    if node.name ~= "int" then edit("int", function() return tree.basic "int" end) end
    return
  end
  if node.items then
    for i = 1, #node.items do
      edit("item" .. i, function(x) return x.items[i].type end)
      if #node.items > 1 then
        edit("without" .. i, function(x) table.remove(x.items, i) return x end)
      end
    end
  else
    edit("inner", function(x) return x.type end)
  end
  local place = 0
  tree.numbers(node, function(_, sort)
    place = place + 1
    local mine = place
    for _, value in ipairs(sort == "count" and { 1, 2, 0 } or { 0, 1, 8 }) do
      edit(("number%d=%d"):format(mine, value), function(x)
        local k = 0
        tree.numbers(x, function(num)
          k = k + 1
          if k == mine then
            for key in pairs(num) do num[key] = nil end
            num.k = value
          end
        end)
        return x
      end)
    end
  end)
  for _, field in ipairs(kinds.of[node.kind]) do
    local list = node[field[1]]
    if (field[2] == "nums" or field[2] == "row") and not list.list and #list > 1 then
      for i = 1, #list do
        edit("entry" .. i, function(x)
          for _, f in ipairs(kinds.of[x.kind]) do
            local l = x[f[1]]
            if type(l) == "table" and #l >= i and (f[2] == "nums" or f[2] == "counts" or f[2] == "row") then table.remove(l, i) end
          end
          return x
        end)
      end
      break
    end
  end
end

-- A copy of the tree with the edit `label` made at node number `index` in preorder; nil: not possible.
local function edited(root, index, label)
  local at, done = 0, false
  local function go(node)
    at = at + 1
    if at == index then
      edits(node, function(name, f)
        if name == label and not done then
          done = true
          node = f(node)
        end
      end)
      return node
    end
    if node.items then
      for _, item in ipairs(node.items) do item.type = go(item.type) end
    elseif node.type then
      node.type = go(node.type)
    end
    return node
  end
  local out = go(tree.copy(root))
  return done and out or nil
end

-- Both trees have the same sequence of basic types.
local function same_signature(case)
  if not case.to then return true end
  for _, values in ipairs(case.sets) do
    local a, b = measure.map(case.type, values).basic, measure.map(case.to, values).basic
    if table.concat(a, " ") ~= table.concat(b, " ") then return false end
  end
  return true
end

local function is_good(case)
  for _, values in ipairs(case.sets) do if trees.bad_case(case, values) then return false end end
  if #tree.bases(case.type) > 0 then -- all items of a root struct name an array, no other does
    for _, item in ipairs(case.type.items or {}) do if not item.base then return false end end
    if not case.type.items then return false end
  end
  return same_signature(case)
end

local function with(case, change)
  local out = { type = tree.copy(case.type), to = tree.copy(case.to), params = case.params, sets = case.sets, ops = case.ops }
  for key, v in pairs(change) do out[key] = v end
  if change.to == false then out.to = nil end
  return out
end

local function weight(case) return #emit.layout(case) + #emit.table { case } / 1000 end

-- Parameters by their values in the set, one or all.
local function bound(case, name)
  local out = with(case, {})
  local values = case.sets[1]
  for _, root in ipairs { out.type, out.to } do
    trees.substitute(root, name, values)
  end
  return out
end

--- Cases smaller than this one, the smallest first.
function shrink.candidates(case)
  local all = {}
  local function add(candidate)
    local ok, good = pcall(function()
      candidate.name = case.name
      trees.settle(candidate)
      return is_good(candidate)
    end)
    if ok and good and weight(candidate) < weight(case) then all[#all + 1] = candidate end
  end
  for _, values in ipairs(case.sets) do if #case.sets > 1 then add(with(case, { sets = { values } })) end end
  if case.to then add(with(case, { to = false })) add(with(case, { type = tree.copy(case.to), to = false })) end
  if #case.ops > 0 then add(with(case, { ops = {} })) end
  for _, op in ipairs(case.ops) do if #case.ops > 1 then add(with(case, { ops = { op } })) end end
  if #case.sets == 1 then for _, param in ipairs(case.params) do add(bound(case, param.name)) end end
  local index = 0
  tree.walk(case.type, function(node)
    index = index + 1
    local here = index
    edits(node, function(label)
      local type, to = edited(case.type, here, label), case.to and edited(case.to, here, label)
      if case.to and not to then return end
      add(with(case, { type = type, to = to }))
    end)
  end)
  table.sort(all, function(a, b) return weight(a) < weight(b) end)
  return all
end

return shrink
