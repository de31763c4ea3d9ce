-- SPDX-License-Identifier: MIT
-- dimensionwise: two messages a dimension, each a face taken straight from the array, with the ghosts that came before.
--
-- Invariant: when dimension j is exchanged, the ghosts of every block whose steps lie in the dimensions done are there.
-- Block v, whose last step (in the order of dimensions) is along j, arrives from the neighbour along j, which reads it
-- where it got it: inside its ghosts of block u, v without the step along j. So every block travels once, in the form it
-- has at its end, and nothing is forwarded through a buffer. Needs blocks that are regions of arrays.
local diag = require "cartgen.diag"
local schedule = require "cartgen.schedule"

local dimensionwise = { name = "dimensionwise" }

local GHOSTS = { [-1] = "high", [0] = "inner", [1] = "low" }
local CUT = { [-1] = "first", [1] = "last" }

local function key_of(array, v) return array .. ":" .. table.concat(v, ",") end

local function with(v, j, x)
  local out = {}
  for i, y in ipairs(v) do out[i] = y end
  out[j] = x
  return out
end

local function is_zero(v)
  for _, x in ipairs(v) do
    if x ~= 0 then return false end
  end
  return true
end

-- Blocks that travel, {array, at, send, recv}, and the set of their keys.
local function blocks_of(problem)
  local list, present = {}, {}
  for _, transfer in ipairs(problem.transfers) do
    local region = problem.regions.recv[transfer.recv + 1]
    list[#list + 1] = { array = region.array, at = region.at, send = transfer.send, recv = transfer.recv }
    present[key_of(region.array, region.at)] = true
  end
  return list, present
end

-- May dimension j be the last of those in `rest`? Returns the block that forbids it, or nil.
local function forbids(list, present, j, rest)
  for _, b in ipairs(list) do
    local inside = b.at[j] ~= 0
    for i, x in ipairs(b.at) do inside = inside and (x == 0 or rest[i]) end
    local before = inside and with(b.at, j, 0)
    if before and not is_zero(before) and not present[key_of(b.array, before)] then return b, before end
  end
end

-- An order of dimensions in which every block's way is there, the natural one if it is; else nil, a block and
-- what its way lacks. Whatever dimension can be last may be: what remains does not depend on it.
local function order_of(list, present, ndims)
  local rest, out = {}, {}
  for j = 1, ndims do rest[j] = true end
  for place = ndims, 1, -1 do
    local found, block, lacks
    for j = ndims, 1, -1 do
      if rest[j] and not found then
        block, lacks = forbids(list, present, j, rest)
        if not block then found = j end
      end
    end
    if not found then return nil, block, lacks end
    out[place], rest[found] = found, nil
  end
  return out
end

-- The offset of which the existence decides whether block v travels, with `done` dimensions behind; {} = always.
local function need_of(v, done, periods)
  local out = {}
  for i, x in ipairs(v) do out[i] = (periods[i] or x == 0) and 0 or (done[i] and -x or x) end
  return is_zero(out) and {} or { out }
end

-- Pieces of one message along j, {array, at, send?, recv?, own}: at[i] is -1, 0, 1 or "all". Those that differ in dimension i
-- only and make up its whole extent become one. own: read from the send buffer.
local function merged(pieces, i, regions)
  local groups, out = {}, {}
  for _, piece in ipairs(pieces) do
    local key = key_of(piece.array, with(piece.at, i, "*")) .. (piece.own and " own" or "")
    if not groups[key] then
      groups[key] = { count = 0 }
      out[#out + 1] = groups[key]
    end
    local group = groups[key]
    group.count = group.count + 1
    group[group.count] = piece
  end
  local list = {}
  for _, group in ipairs(out) do
    local array = regions.arrays[group[1].array + 1]
    local sides = 1 + (array.low[i] and 1 or 0) + (array.high[i] and 1 or 0)
    if group.count == sides and sides > 1 then
      list[#list + 1] = { array = group[1].array, at = with(group[1].at, i, "all"), own = group[1].own, ghosts = true }
    else
      for _, piece in ipairs(group) do list[#list + 1] = piece end
    end
  end
  return list
end

local Builder = {}
Builder.__index = Builder

function Builder:area(array, at, j, step)
  local ranges = {}
  for i, x in ipairs(at) do ranges[i] = x == "all" and "all" or GHOSTS[x] end
  ranges[j] = step
  self.areas[#self.areas + 1] = schedule.area { array = array, ranges = ranges }
  return #self.areas - 1
end

function Builder:refs(piece, j)
  local need_at = {}
  for i, x in ipairs(piece.at) do need_at[i] = x == "all" and 0 or x end
  local step = piece.at[j]
  local periods = self.problem.topology.periods
  local need, later = need_of(need_at, self.done, periods), need_of(need_at, with(self.done, j, true), periods)
  local send = piece.own and { buffer = "send", block = piece.send }
    or { buffer = "area", block = self:area(piece.array, piece.at, j, CUT[step]) }
  local recv = piece.recv and { buffer = "recv", block = piece.recv }
    or { buffer = "area", block = self:area(piece.array, piece.at, j, GHOSTS[step]) }
  send.need, recv.need = need, later
  return schedule.ref(send), schedule.ref(recv)
end

-- The message one step along j, or nil when nothing goes there.
function Builder:message(blocks, j, step)
  local pieces, to, from = {}, {}, {}
  for _, b in ipairs(blocks) do
    if b.at[j] == step then
      local before = with(b.at, j, 0)
      local ghosts = not is_zero(before)
      self.fresh = self.fresh or self.arrived[key_of(b.array, before)]
      pieces[#pieces + 1] = { array = b.array, at = b.at, send = b.send, recv = b.recv, ghosts = ghosts,
        own = not ghosts and not self.problem.in_place }
    end
  end
  if #pieces == 0 then return nil end
  for i = 1, self.problem.topology.ndims do
    to[i], from[i] = 0, 0
    if self.done[i] and self.problem.topology.periods[i] then pieces = merged(pieces, i, self.problem.regions) end
  end
  to[j], from[j] = step, -step
  local message = { to = to, from = from, send = {}, recv = {} }
  for p, piece in ipairs(pieces) do
    piece.own = piece.own or not piece.ghosts
    message.send[p], message.recv[p] = self:refs(piece, j)
  end
  return schedule.message(message)
end

-- Blocks whose last step is along j.
local function blocks_along(list, j, done)
  local out = {}
  for _, b in ipairs(list) do
    local last = b.at[j] ~= 0
    for i, x in ipairs(b.at) do last = last and (i == j or x == 0 or done[i]) end
    if last then out[#out + 1] = b end
  end
  return out
end

local function rounds_of(builder, order, list)
  local rounds, messages = {}, {}
  local function close()
    if #messages > 0 then rounds[#rounds + 1] = schedule.round { messages = messages, copies = {} } end
    messages, builder.arrived = {}, {}
  end
  for _, j in ipairs(order) do
    local blocks = blocks_along(list, j, builder.done)
    builder.fresh = false
    local two = { builder:message(blocks, j, -1) }
    two[#two + 1] = builder:message(blocks, j, 1)
    if builder.fresh then close() end -- what arrives in a round is there when it is over
    for _, message in ipairs(two) do messages[#messages + 1] = message end
    for _, b in ipairs(blocks) do builder.arrived[key_of(b.array, b.at)] = true end
    builder.done = with(builder.done, j, true)
  end
  close()
  return rounds
end

local function groups_of(order)
  local groups = {}
  for i, j in ipairs(order) do groups[i] = { j - 1 } end
  return groups
end

--- The schedule, or nil and why there is none.
function dimensionwise.schedule(problem)
  if not problem.regions then
    return nil, ("dimensionwise takes faces from an array and its ghosts, as halo has them; %s has blocks of its own")
      :format(problem.collective == "fields" and "one of the fields" or problem.collective)
  end
  local list, present = blocks_of(problem)
  local ndims = problem.topology.ndims
  local order, block, lacks = order_of(list, present, ndims)
  if not order then
    return nil, ("dimensionwise has no way for the ghosts of %s: they come through those of %s, which are not exchanged")
      :format(schedule.vector_text(block.at), schedule.vector_text(lacks))
  end
  local builder = setmetatable({ problem = problem, areas = {}, done = {}, arrived = {} }, Builder)
  for j = 1, ndims do builder.done[j] = false end
  local rounds = rounds_of(builder, order, list)
  return schedule.schedule { problem = problem, algorithm = "dimensionwise", groups = groups_of(order), locals = {},
    rounds = rounds, temps = {}, areas = builder.areas }
end

function dimensionwise.schedules(problem)
  local s, why = dimensionwise.schedule(problem)
  if not s then diag.fail(problem.where, "%s", why) end
  return { s }
end

return dimensionwise
