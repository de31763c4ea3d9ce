-- SPDX-License-Identifier: MIT
-- Random cases: a tree, a second tree of the same signature where pack and unpack differ, parameters
-- and values for them, reductions.
--
-- A case is { name, type, to = tree or nil, params = tree.params, sets = array of values, ops }.
local kinds = require "kinds"
local measure = require "measure"
local random = require "random"
local tree = require "tree"

local trees = {}
local unpack = rawget(_G, "unpack") or rawget(table, "unpack")

-- What can be left out (run.lua --without) while a generator has not got it yet.
trees.features = { "params", "lists", "list_elements", "list_length", "negative", "zero", "overlap", "bases", "to",
  "array", "struct", "resized", "subarray", "unaligned", "reduce" }

--- Do lb and extent of the whole type not matter? A schedule needs only the places of its blocks' elements.
trees.places_only = false

local MOST_ELEMENTS, MOST_SPAN, MOST_NODES = 900, 100000, 12

-- Context of one tree: random numbers, features, parameters so far with a range to draw other values from.
local function new_context(r, features)
  return { r = r, on = features, values = {}, draw = {}, names = 0, nodes = 0,
    run_time = features.params and r:pick { 0, 0, 0.2, 0.6 } or 0 }
end

local function new_name(c, stem)
  c.names = c.names + 1
  return stem .. c.names
end

-- A parameter of this value; an old one now and then.
local function param_for(c, value, low, high)
  local names = {}
  for name, v in pairs(c.values) do
    if v == value and c.draw[name].low == low then names[#names + 1] = name end
  end
  table.sort(names)
  if #names > 0 and c.r:chance(0.5) then return c.r:pick(names) end
  local name = new_name(c, "n")
  c.values[name] = value
  c.draw[name] = { low = low, high = high }
  return name
end

-- A number of this value, or an expression of a parameter that has it now. span: how far it may move.
local function number(c, value, span)
  local size = math.abs(value)
  if not c.r:chance(c.run_time) then return tree.num(value) end
  local sign = value < 0 and -1 or 1
  local shape = c.r:int(1, 6)
  if shape == 1 and size >= 2 and size % 2 == 0 then
    return { k = 0, m = 2 * sign, p = param_for(c, size / 2, 0, size / 2 + span) }
  end
  if shape == 2 and size >= 1 then
    local part = c.r:int(0, size)
    return { k = value - sign * part, m = sign, p = param_for(c, part, 0, part + span) }
  end
  if shape == 3 and size >= 4 and size % 2 == 0 then
    return { k = 0, m = sign, p = param_for(c, size / 2, 0, size / 2 + span), q = param_for(c, 2, 1, 3) }
  end
  return { k = 0, m = sign, p = param_for(c, size, 0, size + span) }
end

-- A list of these values: constants, expressions, a run-time list or elements of one. length: number that the
-- length of a run-time list is taken from where it has one already.
local function list(c, values, length)
  local out, negative = {}, false
  for _, v in ipairs(values) do negative = negative or v < 0 end
  if c.on.lists and #values > 0 and c.r:chance(math.max(c.run_time, length and length.p and 1 or 0)) then
    local name = new_name(c, "list")
    if not negative and not (c.on.list_elements and not (length and length.p) and c.r:chance(0.2)) then
      c.values[name] = values
      if not length then
        local n = #values
        length = c.on.list_length and c.r:chance(0.5) and { k = 0, m = 1, p = param_for(c, n, n, n) } or tree.num(n)
      end
      c.draw[name] = { list = true }
      return { list = name, n = length }, length
    elseif c.on.list_elements and not (length and length.p) then
      c.values[name], c.draw[name] = {}, { list = true }
      for i, v in ipairs(values) do
        c.values[name][i] = math.abs(v)
        out[i] = { k = 0, m = v < 0 and -1 or 1, p = name, i = i, length = #values }
      end
      return out
    end
  end
  for i, v in ipairs(values) do out[i] = number(c, v, 2) end
  return out
end

local function count_of(c)
  if c.on.zero and c.r:chance(0.05) then return 0 end
  return c.r:pick { 1, 1, 2, 2, 3, 3, 4, 5 }
end

-- The room one element of the subtree takes, so that neighbours do not touch it.
local function room_of(map)
  local b = measure.bounds(map)
  return math.max(b.extent, b.true_extent, 0), b.extent
end

-- Bytes apart for blocks of bl elements: mostly without overlap, often unaligned or negative.
local function stride_bytes(c, map, bl)
  local room, extent = room_of(map)
  local least = math.max(0, (bl - 1) * extent) + room
  local stride = least
  local align = measure.bounds(map).align
  local way = c.r:int(1, 10)
  if way <= 5 then stride = least + align * c.r:int(0, 4) elseif way <= 8 then stride = least + c.r:int(0, 3 * align) end
  if not c.on.unaligned then stride = stride + (-stride) % align end
  if way == 10 and c.on.overlap then stride = c.r:int(0, math.max(1, least)) end
  if c.on.negative and c.r:chance(0.15) then stride = -stride end
  return stride
end

-- The same in extents; an extent smaller than the room is common.
local function stride_extents(c, map, bl)
  local room, extent = room_of(map)
  if extent <= 0 then return bl end
  local least = math.max(0, bl - 1) + math.ceil(room / extent)
  local stride = least + c.r:pick { 0, 0, 1, 1, 2, 3, 5 }
  if c.on.overlap and c.r:chance(0.06) then stride = c.r:int(0, math.max(1, least)) end
  if c.on.negative and c.r:chance(0.15) then stride = -stride end
  return stride
end

-- Displacements of blocks of bls[i] elements. room(bl): units one block takes.
local function displacements(c, bls, room, step)
  local out, at = {}, c.on.negative and c.r:chance(0.2) and -step * c.r:int(1, 9) or step * c.r:pick { 0, 0, 1, 4 }
  local way = c.r:pick { "dense", "regular", "gaps", "gaps", "runs" }
  local gap = c.r:int(1, 3)
  for i, bl in ipairs(bls) do
    out[i] = at
    local extra = way == "regular" and gap or way == "gaps" and c.r:int(0, 4) or way == "runs" and c.r:pick { 0, 0, 0, 3 } or 0
    at = at + room(bl) + step * extra
  end
  local order = c.r:int(1, 5)
  if order == 1 then -- blocks of one length may change places
    local same = true
    for i = 2, #bls do same = same and bls[i] == bls[1] end
    if same then c.r:shuffle(out) end
  elseif order == 2 then
    for i = 1, #out do out[i] = -out[i] end
    if not c.on.negative then for i = 1, #out do out[i] = -out[i] end end
    for i = 1, #out do if c.on.negative then out[i] = out[i] - room(bls[i]) end end
  elseif order == 3 and c.on.overlap and #out > 1 and c.r:chance(0.3) then
    out[#out] = out[1]
  end
  return out
end

local function block_lengths(c)
  local out = {}
  local n, same = count_of(c), c.r:chance(0.4) and c.r:int(1, 3)
  for i = 1, n do out[i] = same or (c.on.zero and c.r:int(0, 4) or c.r:int(1, 4)) end
  return out
end

local function units(c, map, bytes)
  local room, extent = room_of(map)
  if bytes then
    local align = measure.bounds(map).align
    local step = c.on.unaligned and c.r:chance(0.3) and 1 or align
    return function(bl)
      local need = math.max(0, (bl - 1) * extent) + room
      return c.on.unaligned and step == 1 and need or need + (-need) % align
    end, step
  end
  return function(bl) return math.max(0, bl - 1) + (extent > 0 and math.ceil(room / extent) or 1) end, 1
end

-- put[kind](c, node, map): where the parts of a node lie, its counts given. map: typemap of the subtree.
local put = {}

function put.vector(c, node, map) node.stride = number(c, stride_extents(c, map, tree.value(node.bl, c.values)), 3) end

function put.hvector(c, node, map) node.stride = number(c, stride_bytes(c, map, tree.value(node.bl, c.values)), 9) end

local function put_list(bytes)
  return function(c, node, map)
    local bls = node.bls and tree.list(node.bls, c.values)
    if not bls then
      bls = {}
      for i = 1, node.blocks do bls[i] = tree.value(node.bl, c.values) end
    end
    local run_time = node.bls and node.bls.list and node.bls.n or node.length
    local room, step = units(c, map, bytes)
    local values = displacements(c, bls, room, step)
    if run_time and run_time.p then -- its length is that of the other list: parameters are not negative
      local low = math.min(0, unpack(values))
      for i, x in ipairs(values) do values[i] = x - low end
    end
    node.displs = list(c, values, run_time)
    if not node.bls then node.length = node.displs.list and node.displs.n or nil end
  end
end

put.indexed, put.indexed_block = put_list(false), put_list(false)
put.hindexed, put.hindexed_block = put_list(true), put_list(true)

function put.subarray(c, node)
  node.sizes, node.starts = {}, {}
  for j, subsize in ipairs(node.subsizes) do
    local n = tree.value(subsize, c.values)
    local start, after = c.r:int(0, 3), c.r:int(0, 3)
    node.starts[j] = number(c, start, 1)
    node.sizes[j] = number(c, start + n + after, 2)
  end
  node.order = c.r:pick { "C", "Fortran" }
end

function put.resized(c, node, map)
  local b = measure.bounds(map)
  local way = c.r:int(1, 8)
  local lb, extent = b.lb, b.extent
  if way <= 2 then extent = math.max(1, extent - c.r:int(1, math.max(1, extent)))
  elseif way <= 6 then extent = extent + c.r:int(0, 12) end
  if c.on.unaligned == nil then extent = extent + (-extent) % b.align end
  if c.r:chance(0.5) then lb = c.on.negative and c.r:int(-12, 12) or c.r:int(0, 12) end
  node.lb, node.extent = number(c, lb, 4), number(c, extent, 4)
end

function put.struct(c, node)
  local at = c.on.negative and c.r:chance(0.2) and -c.r:int(1, 20) or c.r:pick { 0, 0, 3, 8 }
  local places = {}
  for i, item in ipairs(node.items) do places[i] = i if item.base then at = math.max(at, 0) end end
  if c.r:chance(0.3) then c.r:shuffle(places) end
  for _, i in ipairs(places) do
    local item = node.items[i]
    local map = measure.map(item.type, c.values)
    local b, bl = measure.bounds(map), tree.value(item.bl, c.values)
    local displ = at - b.true_lb
    if not (c.on.unaligned and c.r:chance(0.25)) then displ = displ + (-displ) % b.align end
    if item.base and displ < 0 then displ = displ + b.align * math.ceil(-displ / b.align) end
    item.displ = number(c, displ, 0)
    local room, extent = room_of(map)
    at = displ + b.true_lb + math.max(0, bl - 1) * math.max(extent, 0) + room + c.r:pick { 0, 0, 1, 4, 12 }
  end
end

-- make[kind](c, depth): a node with its counts and subtrees, not yet placed.
local make, subtree = {}, nil

function make.contiguous(c, depth) return { count = number(c, count_of(c), 2), type = subtree(c, depth) } end

function make.vector(c, depth)
  return { count = number(c, count_of(c), 2), bl = number(c, count_of(c), 1), type = subtree(c, depth) }
end

function make.indexed(c, depth)
  return { bls = (list(c, block_lengths(c))), type = subtree(c, depth) }
end

function make.indexed_block(c, depth)
  return { blocks = count_of(c), bl = number(c, count_of(c), 1), type = subtree(c, depth) }
end

make.hvector, make.hindexed, make.hindexed_block = make.vector, make.indexed, make.indexed_block

function make.subarray(c, depth)
  local subsizes = {}
  for j = 1, c.r:int(1, 3) do subsizes[j] = number(c, c.r:int(1, 4), 1) end
  return { subsizes = subsizes, type = subtree(c, depth) }
end

function make.resized(c, depth) return { type = subtree(c, depth) } end

function make.array(c, depth)
  local dims = {}
  for j = 1, c.r:int(1, 3) do dims[j] = number(c, c.r:int(1, 3), 1) end
  return { dims = dims, type = subtree(c, depth) }
end

function make.struct(c, depth)
  local items = {}
  for i = 1, c.r:int(1, 3) do
    items[i] = { type = subtree(c, c.r:int(0, depth)), bl = number(c, count_of(c), 1) }
  end
  return { items = items }
end

local CHOICE = { "contiguous", "vector", "vector", "hvector", "indexed", "hindexed", "indexed_block", "hindexed_block",
  "struct", "struct", "subarray", "subarray", "resized", "array" }

local function place(c, node)
  local map = node.type and measure.map(node.type, c.values)
  if put[node.kind] then put[node.kind](c, node, map) end
end

local function constructor(c, depth)
  local name
  repeat name = c.r:pick(CHOICE) until c.on[name] ~= false
  local node = make[name](c, depth - 1)
  node.kind = name
  place(c, node)
  return measure.settled(node, c.values)
end

function subtree(c, depth)
  c.nodes = c.nodes + 1
  if c.nodes > MOST_NODES then error("large", 0) end
  if depth <= 0 then return tree.basic(c.r:pick(kinds.basics)[1]) end
  return constructor(c, depth)
end

-- A struct over several arrays.
local function over_bases(c, depth)
  local items, seen = {}, 0
  for i = 1, c.r:int(2, 4) do
    local k = (i > 1 and c.r:chance(0.3)) and c.r:int(0, seen - 1) or seen
    seen = math.max(seen, k + 1)
    items[i] = { type = subtree(c, c.r:int(0, depth - 1)), bl = number(c, count_of(c), 1), base = "a" .. k }
  end
  local node = { kind = "struct", items = items }
  place(c, node)
  return node
end

-- Where the same elements may be written with another constructor.
local OTHERS = { vector = "hvector", hvector = "vector", indexed = "hindexed", hindexed = "indexed",
  indexed_block = "hindexed_block", hindexed_block = "indexed_block" }

-- Another tree of the same signature: the same counts at other places.
local function placed_anew(c, node)
  local out = tree.copy(node)
  if out.kind == "basic" then return out end
  if out.items then
    for i, item in ipairs(out.items) do item.type = placed_anew(c, node.items[i].type) end
  else
    out.type = placed_anew(c, node.type)
  end
  if OTHERS[out.kind] and c.r:chance(0.3) then out.kind = OTHERS[out.kind] end
  if out.kind == "contiguous" and c.r:chance(0.4) then out.kind, out.bl = "hvector", tree.num(1) end
  place(c, out)
  if out.kind == "resized" and c.on.resized and c.r:chance(0.3) then return out.type end
  return measure.settled(out, c.values)
end

-- Everything a set of values must keep to; what is wrong with it, or nil.
local function bad_tree(root, values, writes)
  local fault
  tree.walk(root, function(node)
    tree.numbers(node, function(num, sort)
      if sort == "count" and tree.value(num, values) < 0 then fault = "count" end
    end)
    if node.kind == "subarray" then
      local sizes, subsizes, starts = tree.list(node.sizes, values), tree.list(node.subsizes, values), tree.list(node.starts, values)
      for j = 1, #sizes do
        if subsizes[j] < 1 or starts[j] + subsizes[j] > sizes[j] then fault = "subarray" end
      end
    end
    if node.kind == "resized" and tree.value(node.extent, values) < 0 then fault = "extent" end
    local over_arrays = node == root and #tree.bases(root) > 0
    if not fault and not over_arrays and measure.disputed(node, values) then fault = "disputed" end
  end)
  if fault then return fault end
  local map = measure.map(root, values)
  local b = measure.bounds(map)
  if #map.displ > MOST_ELEMENTS then return "elements" end
  if b.true_extent > MOST_SPAN or math.abs(b.true_lb) > MOST_SPAN then return "span" end
  if writes and measure.overlaps(map) then return "overlap" end
end

local function bad_case(case, values)
  local ok, fault = pcall(function()
    return bad_tree(case.type, values, not case.to) or (case.to and bad_tree(case.to, values, true))
  end)
  return not ok and tostring(fault) or ok and fault or nil
end

trees.bad_case = bad_case

local function numbers_of_map(map, out)
  for i = 1, #map.displ do out[#out + 1] = map.base[i] .. map.displ[i] .. map.basic[i] end
end

-- What a description's layout says for these values, as a text to compare.
local function fingerprint(case, values)
  local out = {}
  for _, root in ipairs { case.type, case.to } do
    local ok, map = pcall(measure.map, root, values)
    if not ok then return "?" end
    numbers_of_map(map, out)
    if #tree.bases(root) == 0 and not trees.places_only then
      local b = measure.bounds(map)
      out[#out + 1] = ("%.0f %.0f"):format(b.lb, b.extent)
    end
  end
  return table.concat(out, ",")
end

--- Puts the values of a parameter into a tree.
function trees.substitute(root, name, values)
  local function fix(num)
    if num.p ~= name and num.q ~= name then return end
    local k = tree.value(num, values)
    for key in pairs(num) do num[key] = nil end
    num.k = k
  end
  tree.walk(root, function(node)
    tree.numbers(node, fix)
    tree.run_time_lists(node, function(l)
      if l.list ~= name then return end
      local copy = values[name]
      l.list, l.n = nil, nil
      for i, x in ipairs(copy) do l[i] = tree.num(x) end
    end)
  end)
end

-- Does a change of the parameter change the layout?
local function alive(case, name, values)
  local base = fingerprint(case, values)
  local changed = {}
  for key, v in pairs(values) do changed[key] = tree.copy(v) end
  if type(values[name]) == "table" then
    for i = 1, #values[name] do
      changed[name][i] = values[name][i] + 1
      if fingerprint(case, changed) ~= base then return true end
    end
    return false
  end
  for _, step in ipairs { 1, 2, -1 } do
    changed[name] = values[name] + step
    local ok, text = pcall(fingerprint, case, changed)
    if not ok or text ~= base then return true end
  end
  return false
end

--- Replaces parameters that the layout does not depend on (a stride of one block, what lies below a count 0) by
--- their value in the first set: a description must use each of its parameters.
function trees.settle(case)
  for _, param in ipairs(tree.params(case.type, case.to)) do
    if not alive(case, param.name, case.sets[1]) then
      trees.substitute(case.type, param.name, case.sets[1])
      if case.to then trees.substitute(case.to, param.name, case.sets[1]) end
    end
  end
  case.params = tree.params(case.type, case.to)
  return case
end

local function draw_again(c, values)
  local out = {}
  for name, v in pairs(values) do
    local how = c.draw[name]
    out[name] = how.list and c.r:shuffle(tree.copy(v)) or how.low and c.r:int(how.low, how.high)
  end
  return out
end

-- Draws in an order that does not depend on the table.
local function more_sets(c, case, count)
  for _ = 1, 8 do
    if #case.sets >= count or #case.params == 0 then return end
    local values, drawn = {}, {}
    for _, param in ipairs(case.params) do
      values[param.name] = c.values[param.name]
      drawn[param.name] = draw_again(c, { [param.name] = values[param.name] })[param.name]
    end
    if not bad_case(case, drawn) then case.sets[#case.sets + 1] = drawn end
  end
end

local function choose_ops(c, root)
  local _, names = tree.basics(root)
  local ops = {}
  if not c.on.reduce or c.r:chance(0.4) then return ops end
  for _, op in ipairs(kinds.ops) do
    local all = true
    for _, name in ipairs(names) do all = all and kinds.class_ops[kinds.basic[name].class][op] end
    if all and c.r:chance(0.3) then ops[#ops + 1] = op end
  end
  return ops
end

local function try(r, features, depth)
  local c = new_context(r, features)
  local case = {}
  if features.bases and r:chance(0.08) then
    case.type = over_bases(c, math.max(1, depth - 1))
  else
    case.type = constructor(c, depth)
  end
  local map = measure.map(case.type, c.values)
  if #map.displ == 0 and r:chance(0.7) then return nil end
  local overlaps = measure.overlaps(map)
  if overlaps and not (features.overlap and features.to) then return nil end
  if features.to and (overlaps or r:chance(0.35)) then case.to = placed_anew(c, case.type) end
  if bad_case(case, c.values) then return nil end
  case.sets = { c.values }
  trees.settle(case)
  case.ops = choose_ops(c, case.type)
  more_sets(c, case, 3)
  return case
end

--- All features; without: names of those to leave out.
function trees.with(without)
  local on = {}
  for _, name in ipairs(trees.features) do on[name] = true end
  for _, name in ipairs(without or {}) do
    if on[name] == nil then error("no feature '" .. name .. "'", 0) end
    on[name] = false
  end
  return on
end

--- The case number i of a seed: the same on every interpreter and whatever the other cases are.
function trees.case(seed, i, features)
  local r = random.new((seed % 100000) * 20011 + i)
  for _ = 1, 1000 do
    local ok, case = pcall(try, r, features, r:pick { 1, 2, 2, 3, 3, 4 })
    if not ok and case ~= "large" then error(case, 0) end
    if ok and case then return case end
  end
  error("no case found", 0)
end

return trees
