-- SPDX-License-Identifier: MIT
-- The typemap of a tree at given parameters (MPI 4.0, 4.1.1 and 4.1.7), for choosing trees: sizes,
-- overlaps, and types of which libraries give different extents.
--
-- A map is { base, displ, basic: arrays with an entry an element; lb, ub: arrays of markers }.
local kinds = require "kinds"
local tree = require "tree"

local measure = {}

-- Most elements a map may have; more is an error of the string "large".
measure.MOST = 6000

local function empty() return { base = {}, displ = {}, basic = {}, lb = {}, ub = {} } end

local function place(out, map, displ, base)
  local n = #out.displ
  if n + #map.displ > measure.MOST then error("large", 0) end
  for i = 1, #map.displ do
    out.displ[n + i], out.basic[n + i], out.base[n + i] = displ + map.displ[i], map.basic[i], base or map.base[i]
  end
  for _, marks in ipairs { "lb", "ub" } do
    local to, from = out[marks], map[marks]
    if #to + #from > measure.MOST then error("large", 0) end
    for i = 1, #from do to[#to + 1] = displ + from[i] end
  end
end

--- lb, extent, true lb, true extent of a map, alignment. MPI 4.0, 4.1.7: without a marker the extent is
--- rounded up to a multiple of the largest alignment; all 0 for a map without entries.
function measure.bounds(map)
  local low, high, align = math.huge, -math.huge, 1
  for i = 1, #map.displ do
    local b = kinds.basic[map.basic[i]]
    low, high, align = math.min(low, map.displ[i]), math.max(high, map.displ[i] + b.bytes), math.max(align, b.align)
  end
  if low == math.huge then low, high = 0, 0 end
  local lb, ub = low, high
  if #map.lb > 0 then lb = math.huge for i = 1, #map.lb do lb = math.min(lb, map.lb[i]) end end
  if #map.ub > 0 then
    ub = -math.huge
    for i = 1, #map.ub do ub = math.max(ub, map.ub[i]) end
  else
    ub = ub + (lb - ub) % align
  end
  return { lb = lb, extent = ub - lb, true_lb = low, true_extent = high - low, align = align, high = high }
end

-- Blocks of `map` repeated: calls block(displ in bytes, number of them).
local blocks = {}

function blocks.contiguous(node, _, v, block) block(0, tree.value(node.count, v)) end

function blocks.array(node, _, v, block)
  local n = 1
  for _, d in ipairs(tree.list(node.dims, v)) do n = n * d end
  block(0, n)
end

local function strided(node, unit, v, block)
  for i = 0, tree.value(node.count, v) - 1 do
    block(i * tree.value(node.stride, v) * unit, tree.value(node.bl, v))
  end
end

local function listed(node, unit, v, block)
  local bls = node.bls and tree.list(node.bls, v)
  for i, displ in ipairs(tree.list(node.displs, v)) do
    block(displ * unit, bls and bls[i] or tree.value(node.bl, v))
  end
end

for _, names in ipairs { { "vector", "hvector", strided }, { "indexed", "hindexed", listed },
  { "indexed_block", "hindexed_block", listed } } do
  blocks[names[1]] = function(node, extent, v, block) names[3](node, extent, v, block) end
  blocks[names[2]] = function(node, _, v, block) names[3](node, 1, v, block) end
end

-- Every element of the subarray, in order of memory.
function blocks.subarray(node, extent, v, block)
  local sizes, subsizes, starts = tree.list(node.sizes, v), tree.list(node.subsizes, v), tree.list(node.starts, v)
  local d = #sizes
  local function go(level, at)
    local j = node.order == "C" and level or d + 1 - level
    for x = starts[j], starts[j] + subsizes[j] - 1 do
      if level == d then block((at * sizes[j] + x) * extent, 1) else go(level + 1, at * sizes[j] + x) end
    end
  end
  go(1, 0)
end

local function resize(map, lb, extent) map.lb, map.ub = { lb }, { lb + extent } end

local at_node

local function struct(node, v)
  local out = empty()
  for _, item in ipairs(node.items) do
    local map = at_node(item.type, v)
    local extent, displ = measure.bounds(map).extent, tree.value(item.displ, v)
    for k = 0, tree.value(item.bl, v) - 1 do place(out, map, displ + k * extent, item.base) end
  end
  return out
end

function at_node(node, v)
  if node.kind == "basic" then
    return { base = { "" }, displ = { 0 }, basic = { node.name }, lb = {}, ub = {} }
  end
  if node.kind == "struct" then return struct(node, v) end
  local map = at_node(node.type, v)
  if node.kind == "resized" then
    resize(map, tree.value(node.lb, v), tree.value(node.extent, v))
    return map
  end
  local out, extent = empty(), measure.bounds(map).extent
  blocks[node.kind](node, extent, v, function(displ, n)
    for k = 0, n - 1 do place(out, map, displ + k * extent) end
  end)
  if node.kind == "subarray" then
    for _, size in ipairs(tree.list(node.sizes, v)) do extent = extent * size end
    resize(out, 0, extent)
  end
  return out
end

--- The typemap of a tree; an error of the string "large" past MOST elements.
measure.map = at_node

--- Do two elements of the map touch one byte?
function measure.overlaps(map)
  local order = {}
  for i = 1, #map.displ do order[i] = i end
  table.sort(order, function(a, b)
    if map.base[a] ~= map.base[b] then return map.base[a] < map.base[b] end
    if map.displ[a] ~= map.displ[b] then return map.displ[a] < map.displ[b] end
    return a < b
  end)
  for k = 2, #order do
    local a, b = order[k - 1], order[k]
    if map.base[a] == map.base[b] and map.displ[a] + kinds.basic[map.basic[a]].bytes > map.displ[b] then return true end
  end
  return false
end

-- lb and ub computed from those of the subtrees, as libraries do, without rounding.
local function from_subtrees(node, v)
  local low, high, marked_low, marked_high = math.huge, -math.huge, math.huge, -math.huge
  local function see(type, displ, unit_count)
    local map = at_node(type, v)
    local b = measure.bounds(map)
    if unit_count == 0 or (#map.displ == 0 and #map.lb == 0) then return end
    local from, to = displ + b.lb, displ + (unit_count - 1) * b.extent + b.lb + b.extent
    low, high = math.min(low, from), math.max(high, to)
    if #map.lb > 0 then marked_low = math.min(marked_low, from) end
    if #map.ub > 0 then marked_high = math.max(marked_high, to) end
  end
  if node.items then
    for _, item in ipairs(node.items) do see(item.type, tree.value(item.displ, v), tree.value(item.bl, v)) end
  else
    blocks[node.kind](node, measure.bounds(at_node(node.type, v)).extent, v, function(displ, n) see(node.type, displ, n) end)
  end
  if low == math.huge then return 0, 0 end
  return marked_low < math.huge and marked_low or low, marked_high > -math.huge and marked_high or high
end

--- Is the extent of this node (not of those below it) a matter of the library? MPI rounds the extent of the
--- typemap; some libraries round only at a struct, or what they have from rounded subtypes.
function measure.disputed(node, v)
  if node.kind == "basic" or node.kind == "resized" or node.kind == "subarray" then return false end
  local map = at_node(node, v)
  local b = measure.bounds(map)
  local lb, ub = from_subtrees(node, v)
  if node.kind == "struct" and #map.ub == 0 then ub = ub + (lb - ub) % b.align end
  return lb ~= b.lb or ub - lb ~= b.extent
end

--- The node, with its bounds made explicit where they are a matter of the library.
function measure.settled(node, v)
  if not measure.disputed(node, v) then return node end
  local b = measure.bounds(measure.map(node, v))
  return { kind = "resized", lb = tree.num(b.lb), extent = tree.num(b.extent), type = node }
end

return measure
