-- SPDX-License-Identifier: MIT
-- Lowers schedules to a Plan: blocks become moves of bytes between user buffers and staging.
local expr = require "cartgen.expr"
local kernel = require "cartgen.kernel"
local plan = require "cartgen.plan"
local cost = require "cartgen.cost"
local coalesce = require "cartgen.passes.coalesce"
local util = require "cartgen.util"

local lower = {}

-- Most moves of a program that are printed as straight-line code.
lower.straight_bound = 512

local ZERO = expr.of(0)

-- Interns lists of integers: key -> row number, in order of first use.
local function interner()
  local rows, ids = {}, {}
  return rows, function(list, key)
    key = key or table.concat(list, ",")
    if not ids[key] then
      rows[#rows + 1] = list
      ids[key] = #rows - 1
    end
    return ids[key]
  end
end

local function need_interner(vector_id)
  local rows, intern = interner()
  intern({}, "")
  return rows, function(need)
    if #need == 0 then return 0 end
    local ids = {}
    for i, vector in ipairs(need) do ids[i] = vector_id(vector) end
    return intern(ids)
  end
end

-- Distinct shapes over all blocks, and the shape of each block.
local function shapes_of(blocks)
  local shapes, ids, out = {}, {}, { send = {}, recv = {} }
  for _, side in ipairs { "send", "recv" } do
    for i, block in ipairs(blocks[side]) do
      local moves = block.type.moves
      local id = 0
      if moves.kind ~= "run" and moves.kind ~= "empty" then
        if not ids[moves.key] then
          shapes[#shapes + 1] = moves
          ids[moves.key] = #shapes
        end
        id = ids[moves.key]
      end
      out[side][i] = id
    end
  end
  return shapes, out
end

-- Number of the array of each block, among those of its side.
local function bases_of(problem, blocks)
  local out = {}
  for _, side in ipairs { "send", "recv" } do
    local number = {}
    for k, name in ipairs(problem.arrays and problem.arrays[side] or {}) do number[name] = k - 1 end
    out[side] = {}
    for i, block in ipairs(blocks[side]) do out[side][i] = block.base and number[block.base] or 0 end
  end
  return out
end

--- First byte of a block's data, from its array's address.
function lower.block_start(block) return expr.add(block.displ, block.type.moves.at) end

local function needs_equal(list)
  for i = 2, #list do
    if #list[i].need ~= #list[1].need then return false end
    for j, vector in ipairs(list[1].need) do
      if table.concat(vector, ",") ~= table.concat(list[i].need[j], ",") then return false end
    end
  end
  return true
end

-- Straight-line code tests one pointer a message: all its blocks must travel on the same ranks.
local function can_be_straight(s)
  local moves, brought = #s.locals, {}
  for _, round in ipairs(s.rounds) do
    for _, message in ipairs(round.messages) do
      moves = moves + 2 * #message.send
      if not (needs_equal(message.send) and needs_equal(message.recv)) then return false end
      for _, ref in ipairs(message.recv) do
        if ref.buffer == "temp" then brought[ref.block] = ref end
      end
    end
    for _, copy in ipairs(round.copies) do
      if copy.from.buffer == "temp" and not needs_equal { brought[copy.from.block], copy.to } then return false end
    end
    moves = moves + #round.copies
    if moves > lower.straight_bound then return false end
  end
  return moves <= lower.straight_bound
end

local Lowering = {}
Lowering.__index = Lowering

-- A block of a user's buffer, or an area: those stand behind the receive blocks.
function Lowering:user(buffer, block)
  if buffer == "area" then buffer, block = "recv", self.first_area + block end
  local entry = self.blocks[buffer][block + 1]
  return plan.place { base = buffer, array = entry.base, bytes = lower.block_start(entry) }, self.block_shapes[buffer][block + 1]
end

function Lowering:source(ref)
  if ref.buffer == "temp" then return self.temp_places[ref.block], 0 end
  return self:user(ref.buffer, ref.block)
end

function Lowering:size(ref, s)
  if ref.buffer == "area" then return self.blocks.recv[self.first_area + ref.block + 1].type.size end
  if ref.buffer == "recv" then return self.problem.recv[ref.block + 1].type.size end
  return self.problem.send[(ref.buffer == "temp" and s.temps[ref.block + 1] or ref.block) + 1].type.size
end

local function move(from, from_shape, to, to_shape, bytes)
  return plan.move { from = from, to = to, bytes = bytes, from_shape = from_shape, to_shape = to_shape }
end

function Lowering:message(s, message, id, moves)
  local at = ZERO
  for p, ref in ipairs(message.send) do
    local size = self:size(ref, s)
    local from, shape = self:source(ref)
    moves.pack[p] = move(from, shape, plan.place { base = "out", message = id, bytes = at }, 0, size)
    local into = message.recv[p]
    local staged = plan.place { base = "in", message = id, bytes = at }
    if into.buffer == "temp" then
      self.temp_places[into.block] = staged
    else
      local to, to_shape = self:user(into.buffer, into.block)
      moves.unpack[#moves.unpack + 1] = move(staged, 0, to, to_shape, size)
    end
    at = expr.add(at, size)
  end
end

function Lowering:copies(s, copies)
  local out = {}
  for i, copy in ipairs(copies) do
    local from, from_shape = self:source(copy.from)
    local to, to_shape = self:user("recv", copy.to.block)
    out[i] = move(from, from_shape, to, to_shape, self:size(copy.to, s))
  end
  return coalesce.apply(out)
end

function Lowering:program(s, first_area)
  self.first_area = first_area
  local straight = can_be_straight(s)
  local rounds, id, refs, copies = {}, 0, 0, 0
  self.temp_places = {}
  for k, round in ipairs(s.rounds) do
    local messages = {}
    for i, message in ipairs(round.messages) do
      local moves = { pack = {}, unpack = {} }
      if straight then self:message(s, message, id, moves) end
      messages[i] = plan.message { id = id, message = message, first_ref = refs,
        pack = straight and coalesce.apply(moves.pack) or nil,
        unpack = straight and coalesce.apply(moves.unpack) or nil }
      id, refs = id + 1, refs + #message.send
    end
    rounds[k] = plan.round { messages = messages, copies = round.copies, first_copy = copies,
      moves = straight and self:copies(s, round.copies) or nil }
    copies = copies + #round.copies
  end
  return plan.program { schedule = s, stats = cost.stats(s), straight = straight, rounds = rounds,
    locals = straight and self:copies(s, s.locals) or nil, nrefs = refs, ncopies = copies,
    first_area = first_area }
end

-- Can a message over `to` lead back to its own rank?
local function may_stay(topology, to)
  for j, x in ipairs(to) do
    local n = topology.dims and topology.dims[j]
    if x ~= 0 and not (topology.periods[j] and (not n or x % n == 0)) then return false end
  end
  return true
end

-- Shape of what a ref names; temps are packed: 0.
function Lowering:shape(ref)
  if ref.buffer == "temp" then return 0 end
  local _, shape = self:user(ref.buffer, ref.block)
  return shape
end

-- Notes the pairs of shapes, "from to" -> {from, to}, between which blocks of a schedule may move within a rank.
function Lowering:note_pairs(s, first_area, pairs_of)
  self.first_area = first_area
  local function note(from, to)
    local a, b = self:shape(from), self:shape(to)
    if a > 0 and b > 0 then pairs_of[a .. " " .. b] = { from = a, to = b } end
  end
  for _, copy in ipairs(s.locals) do note(copy.from, copy.to) end
  for _, round in ipairs(s.rounds) do
    for _, message in ipairs(round.messages) do
      if may_stay(self.problem.topology, message.to) then
        for p, ref in ipairs(message.send) do note(ref, message.recv[p]) end
      end
    end
    for _, copy in ipairs(round.copies) do note(copy.from, copy.to) end
  end
end

-- The pairs that one kernel can copy, with it and the context of its parts, in the order of their numbers.
local function pairs_with_kernels(pairs_of, shapes)
  local out = {}
  for _, key in ipairs(util.sorted_keys(pairs_of)) do
    local pair = pairs_of[key]
    local context = kernel.context()
    local k = kernel.copy(context, shapes[pair.to], shapes[pair.from])
    if k then out[#out + 1] = { from = pair.from, to = pair.to, kernel = k, context = context } end
  end
  table.sort(out, function(x, y)
    if x.from ~= y.from then return x.from < y.from end
    return x.to < y.to
  end)
  return out
end

-- Send and receive blocks, the areas of all schedules behind the receive blocks, and the first area of each schedule.
local function blocks_of(problem, schedules)
  local blocks, first = { send = problem.send, recv = {} }, {}
  for i, block in ipairs(problem.recv) do blocks.recv[i] = block end
  for i, s in ipairs(schedules) do
    first[i] = #blocks.recv
    for _, area in ipairs(s.areas or {}) do
      blocks.recv[#blocks.recv + 1] = problem.regions.box(area.array, area.ranges)
    end
  end
  return blocks, first
end

--- Plan of the schedules (programs) of one problem.
function lower.plan(problem, schedules)
  local vectors, vector_id = interner()
  local needs, need_id = need_interner(vector_id)
  local blocks, first = blocks_of(problem, schedules)
  local shapes, block_shapes = shapes_of(blocks)
  local lowering = setmetatable({ problem = problem, blocks = blocks, block_shapes = block_shapes }, Lowering)
  local offsets = {}
  for i, transfer in ipairs(problem.transfers) do offsets[i] = vector_id(transfer.offset) end
  local programs = {}
  local pairs_of = {}
  for i, s in ipairs(schedules) do
    programs[i] = lowering:program(s, first[i])
    lowering:note_pairs(s, first[i], pairs_of)
  end
  return plan.plan { problem = problem, programs = programs, blocks = blocks, vectors = vectors, needs = needs,
    offsets = offsets, shapes = shapes, pairs = pairs_with_kernels(pairs_of, shapes), block_shapes = block_shapes,
    block_bases = bases_of(problem, blocks),
    vector_ids = vector_id, need_ids = need_id }
end

return lower
