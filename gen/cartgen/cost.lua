-- SPDX-License-Identifier: MIT
-- What schedules cost: exact counts, the linear model, and the best ordered partition of dimensions.
local record = require "cartgen.record"
local expr = require "cartgen.expr"
local schedule = require "cartgen.schedule"

local cost = {}

-- Exact numbers of one execution on a rank all of whose neighbours exist and are distinct; bytes are
-- Exprs. requests: most in flight at once.
cost.stats_record = record.define("Stats",
  { rounds = "required", messages = "required", blocks_sent = "required", bytes_sent = "required",
    blocks_copied = "required", temp_bytes = "required", requests = "required" })

-- latency: seconds per message; per_byte: seconds per byte sent; per_copy: seconds per block moved.
-- Defaults: two processes of one machine over Open MPI.
cost.default_model = { latency = 6e-7, per_byte = 2e-10, per_copy = 3e-9 }

--- Packed bytes of a send block (Expr).
function cost.block_bytes(problem, block) return problem.send[block + 1].type.size end

-- Packed bytes of what a Ref of schedule s names.
local function ref_bytes(s, ref)
  if ref.buffer == "area" then
    local area = s.areas[ref.block + 1]
    return s.problem.regions.box(area.array, area.ranges).type.size
  end
  return cost.block_bytes(s.problem, ref.buffer == "temp" and s.temps[ref.block + 1] or ref.block)
end

function cost.stats(s)
  local messages, blocks, copied, requests = 0, 0, #s.locals, 0
  local bytes, temps = {}, {}
  for _, round in ipairs(s.rounds) do
    messages = messages + #round.messages
    requests = math.max(requests, 2 * #round.messages)
    copied = copied + #round.copies
    for _, message in ipairs(round.messages) do
      blocks = blocks + #message.send
      copied = copied + 2 * #message.send
      for _, ref in ipairs(message.send) do bytes[#bytes + 1] = ref_bytes(s, ref) end
    end
  end
  for _, send in ipairs(s.temps) do temps[#temps + 1] = cost.block_bytes(s.problem, send) end
  return cost.stats_record { rounds = #s.rounds, messages = messages, blocks_sent = blocks,
    bytes_sent = expr.sum(bytes), blocks_copied = copied, temp_bytes = expr.sum(temps),
    requests = requests }
end

--- Sizes of the send blocks as numbers, every parameter taken as `value` where it is not constant,
--- and whether all are constant.
function cost.sizes(problem, value)
  local values, sizes, constant = {}, {}, true
  for _, param in ipairs(problem.params) do
    if not param.length then values[param.name] = value end
  end
  for _, param in ipairs(problem.params) do
    if param.length then
      values[param.name] = {}
      for i = 1, expr.eval(param.length, values) do values[param.name][i] = value end
    end
  end
  for i, block in ipairs(problem.send) do
    local size = block.type.size
    constant = constant and expr.is_const(size)
    sizes[i] = math.max(0, expr.eval(size, values))
  end
  return sizes, constant
end

-- Subsets of dimensions are bit sets in plain numbers.
local function has(set, dim) return math.floor(set / 2 ^ dim) % 2 == 1 end

local function list_of(set, ndims)
  local dims = {}
  for dim = 0, ndims - 1 do
    if has(set, dim) then dims[#dims + 1] = dim end
  end
  return dims
end

-- ids[U + 1][i]: number of transfer i's projection onto the dimensions of U (equal projections of
-- equal send blocks share one), 1-based; keep[U + 1]: one transfer for each.
local function projections(problem)
  local ndims, n = problem.topology.ndims, #problem.transfers
  local ids, keep = { {} }, { {} }
  local count, seen = 0, {}
  for i, transfer in ipairs(problem.transfers) do
    local id = seen[transfer.send]
    if not id then
      count = count + 1
      id = count
      seen[transfer.send], keep[1][id] = id, i
    end
    ids[1][i] = id
  end
  for set = 1, 2 ^ ndims - 1 do
    local dim = ndims - 1
    while not has(set, dim) do dim = dim - 1 end
    local base = ids[set - 2 ^ dim + 1]
    local intern, id_of, kept, m = {}, {}, {}, 0
    for i = 1, n do
      local row = intern[base[i]]
      if not row then
        row = {}
        intern[base[i]] = row
      end
      local x = problem.transfers[i].offset[dim + 1]
      if not row[x] then
        m = m + 1
        row[x], kept[m] = m, i
      end
      id_of[i] = row[x]
    end
    ids[set + 1], keep[set + 1] = id_of, kept
  end
  return ids, keep
end

-- Messages of a group: distinct nonzero projections of offsets onto it.
local function message_counts(problem)
  local ndims = problem.topology.ndims
  local shared = {}
  for i, transfer in ipairs(problem.transfers) do shared[i] = { offset = transfer.offset, send = 0 } end
  local _, keep = projections { topology = problem.topology, transfers = shared }
  local counts = {}
  for set = 0, 2 ^ ndims - 1 do
    local count = 0
    for _, i in ipairs(keep[set + 1]) do
      local zero = true
      for dim = 0, ndims - 1 do
        if has(set, dim) and shared[i].offset[dim + 1] ~= 0 then zero = false end
      end
      if not zero then count = count + 1 end
    end
    counts[set] = count
  end
  return counts
end

--- A table of what a round costs: round(before, group) -> messages, blocks, bytes, where `before` and
--- `group` are disjoint bit sets of dimensions and sizes[send + 1] is in bytes.
function cost.rounds(problem, sizes)
  local _, keep = projections(problem)
  local messages, memo = message_counts(problem), {}
  local ndims = problem.topology.ndims
  return function(before, group)
    local key = before * 2 ^ ndims + group
    local row = memo[key]
    if not row then
      local blocks, bytes = 0, 0
      local dims = list_of(group, ndims)
      for _, i in ipairs(keep[before + group + 1]) do
        local transfer = problem.transfers[i]
        for _, dim in ipairs(dims) do
          if transfer.offset[dim + 1] ~= 0 then
            blocks, bytes = blocks + 1, bytes + sizes[transfer.send + 1]
            break
          end
        end
      end
      row = { messages[group], blocks, bytes }
      memo[key] = row
    end
    return row[1], row[2], row[3]
  end
end

-- Past this many dimensions only single dimensions and the whole are tried as groups.
local EXHAUSTIVE = 6

local function groups_tried(rest, ndims, full, singles)
  if singles or (ndims > EXHAUSTIVE) then
    local list = {}
    for dim = 0, ndims - 1 do
      if has(rest, dim) then list[#list + 1] = 2 ^ dim end
    end
    if not singles and rest == full then list[#list + 1] = full end
    return list
  end
  local list, members = {}, {}
  for group = 1, rest do
    local inside = true
    members[group] = 0
    for dim = 0, ndims - 1 do
      if has(group, dim) then
        members[group] = members[group] + 1
        inside = inside and has(rest, dim)
      end
    end
    if inside then list[#list + 1] = group end
  end
  -- What comes first wins ties: few rounds, then the natural order.
  table.sort(list, function(a, b)
    if members[a] ~= members[b] then return members[a] > members[b] end
    return a < b
  end)
  return list
end

--- The cheapest ordered partition under `model` (latency, per_byte, per_copy), found by dynamic
--- programming over subsets: what a round costs depends only on the set of dimensions behind it.
--- options.singles: only groups of one dimension. Returns groups, seconds.
function cost.best_partition(problem, round, model, options)
  local ndims = problem.topology.ndims
  local full = 2 ^ ndims - 1
  local singles = options and options.singles
  local best, choice = { [full] = 0 }, {}
  for before = full - 1, 0, -1 do
    for _, group in ipairs(groups_tried(full - before, ndims, full, singles)) do
      local messages, blocks, bytes = round(before, group)
      local total = model.latency * messages + model.per_byte * bytes + 2 * model.per_copy * blocks
        + best[before + group]
      if best[before] == nil or total < best[before] * (1 - 1e-12) then
        best[before], choice[before] = total, group
      end
    end
  end
  local groups, at = {}, 0
  while at ~= full do
    groups[#groups + 1] = list_of(choice[at], ndims)
    at = at + choice[at]
  end
  return groups, best[0]
end

--- Seconds of an ordered partition under a model, and its messages, blocks and bytes.
function cost.of_partition(problem, round, model, groups)
  local before, messages, blocks, bytes = 0, 0, 0, 0
  for _, dims in ipairs(groups) do
    local group = 0
    for _, dim in ipairs(dims) do group = group + 2 ^ dim end
    local m, b, n = round(before, group)
    messages, blocks, bytes = messages + m, blocks + b, bytes + n
    before = before + group
  end
  local total = model.latency * messages + model.per_byte * bytes + 2 * model.per_copy * blocks
  return total, messages, blocks, bytes, problem
end

--- Seconds under a model of a schedule whose sizes are constant.
function cost.of_schedule(s, model)
  local stats = cost.stats(s)
  return model.latency * stats.messages + model.per_byte * expr.value(stats.bytes_sent)
    + 2 * model.per_copy * stats.blocks_sent
end

--- The partitions {0}{1}... and {0,1,...}.
function cost.singletons(ndims)
  local groups = {}
  for dim = 0, ndims - 1 do groups[dim + 1] = { dim } end
  return groups
end

function cost.whole(ndims)
  local group = {}
  for dim = 0, ndims - 1 do group[dim + 1] = dim end
  return { group }
end

--- One line: rounds, messages, blocks.
function cost.text(s, stats)
  return ("%s: %s rounds, %s messages, %s blocks"):format(schedule.partition_text(s.groups), stats.rounds,
    stats.messages, stats.blocks_sent)
end

return cost
