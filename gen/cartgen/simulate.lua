-- SPDX-License-Identifier: MIT
-- The gate: executes a schedule symbolically and proves it, or says what is wrong.
--
-- On the isomorphic view every process does the same, so one process stands for all: a place holds
-- {offset it came over, send block, need}. Blocks arrive exactly once at the right place, nothing is
-- read before it is there, sends match receives, and on meshes the need of every block is exactly
-- the existence of its ends, for any extents.
local schedule = require "cartgen.schedule"
local util = require "cartgen.util"

local simulate = {}

local vector_text = schedule.vector_text

local function fail(fmt, ...) error({ kind = "gate", message = fmt:format(...) }, 0) end

local function ref_text(ref) return ("%s %s%d"):format(ref.buffer, ref.buffer == "area" and "" or "block ", ref.block) end

local function key_of(vector) return table.concat(vector, ",") end

local function set_of(vectors)
  local set = {}
  for _, vector in ipairs(vectors) do set[key_of(vector)] = true end
  return set
end

-- Is the rank at `near` there whenever the one at `far` is? A grid is a box: whoever is on the way is there.
local function on_the_way(near, far)
  for j, x in ipairs(near) do
    if x ~= 0 and (x * far[j] < 0 or math.abs(x) > math.abs(far[j])) then return false end
  end
  return true
end

-- Where a rank of `inner` is there, one of `outer` is ({} is always).
local function implies(inner, outer)
  if #outer == 0 then return true end
  if #inner == 0 then return false end
  local set = set_of(outer)
  for _, vector in ipairs(inner) do
    local found = set[key_of(vector)]
    for _, near in ipairs(found and {} or outer) do found = found or on_the_way(near, vector) end
    if not found then return false end
  end
  return true
end

local function same(a, b) return implies(a, b) and implies(b, a) end

local function content_at(state, ref, what)
  if ref.buffer == "area" then fail("%s reads %s, which is no single block", what, ref_text(ref)) end
  local content = state[ref.buffer][ref.block]
  if ref.buffer == "send" then
    return { offset = state.zero, block = ref.block, need = {} }
  end
  if not content then fail("%s reads %s before it is there", what, ref_text(ref)) end
  return content
end

-- --- areas: boxes of an array, taken apart into the blocks they are made of ---
--
-- A cell of an array is, in every dimension, a ghost of one side (+1: low, what arrives by a step of +1), or of the interior;
-- a "cut" is the part of the interior that the neighbour on a side takes. The ghosts at u hold what send block u of the rank
-- at -u is; their part cut towards c is then what send block u + c of that rank is: a block of two names, one place.

local PARTS = { low = { 1 }, inner = { 0 }, high = { -1 }, all = { 1, 0, -1 }, first = { -1 }, last = { 1 } }
local IS_CUT = { first = true, last = true }
-- What may be sent from a range into another: equally long, in equal order.
local FITS = { inner = "inner", low = "low", high = "high", all = "all", first = "high", last = "low" }
local SENT = { [-1] = "first", [0] = "inner", [1] = "last" }
local RECEIVED = { [-1] = "high", [0] = "inner", [1] = "low" }

local function area_of(state, ref)
  if ref.buffer == "area" then return state.areas[ref.block + 1] end
  local regions = state.problem.regions
  local region = regions and ref.buffer ~= "temp" and regions[ref.buffer][ref.block + 1]
  if not region then return nil end
  local ranges = {}
  for j, x in ipairs(region.at) do ranges[j] = (ref.buffer == "send" and SENT or RECEIVED)[x] end
  return { array = region.array, ranges = ranges }
end

local function check_fit(state, ref, into, what)
  local from, to = area_of(state, ref), area_of(state, into)
  local fits = from and to and from.array == to.array
  for j, range in ipairs(fits and from.ranges or {}) do fits = fits and FITS[range] == to.ranges[j] end
  if not fits then fail("%s: %s has another form than %s", what, ref_text(ref), ref_text(into)) end
end

-- The parts of an area, in the order of memory in every dimension: {ghosts, cut} as directions.
local function parts_of(state, ref)
  local area = area_of(state, ref)
  local array = state.problem.regions.arrays[area.array + 1]
  local out = { { ghosts = {}, cut = {}, array = area.array } }
  for j, range in ipairs(area.ranges) do
    local longer = {}
    for _, part in ipairs(out) do
      for _, x in ipairs(PARTS[range]) do
        -- Of the whole extent a side without ghosts is no part.
        if range ~= "all" or x == 0 or (x == 1 and array.low[j]) or (x == -1 and array.high[j]) then
          local ghosts, cut = { util.unpack(part.ghosts) }, { util.unpack(part.cut) }
          ghosts[j], cut[j] = IS_CUT[range] and 0 or x, IS_CUT[range] and x or 0
          longer[#longer + 1] = { ghosts = ghosts, cut = cut, array = area.array }
        end
      end
    end
    out = longer
  end
  return out
end

local function transfer_at(state, array, at, what, ref)
  local transfer = state.at[array .. ":" .. key_of(at)]
  if not transfer then
    fail("%s: %s has a part at %s, which is no block of the exchange", what, ref_text(ref), vector_text(at))
  end
  return transfer
end

local function read_part(state, part, ref, what)
  local at = {}
  for j, x in ipairs(part.ghosts) do at[j] = x + part.cut[j] end
  local block = transfer_at(state, part.array, at, what, ref).send
  if key_of(part.ghosts) == key_of(state.zero) then
    if not state.problem.in_place then fail("%s reads cells of the receive buffer's interior, which may be anything", what) end
    return { offset = state.zero, block = block, need = {} }
  end
  local place = { buffer = "recv", block = transfer_at(state, part.array, part.ghosts, what, ref).recv }
  local content = content_at(state, place, what)
  return { offset = content.offset, block = block, need = content.need }
end

-- Contents of what a message sends, and the receive or temp blocks they go to.
local function contents_at(state, ref, what)
  if ref.buffer ~= "area" then return { content_at(state, ref, what) } end
  local out = {}
  for i, part in ipairs(parts_of(state, ref)) do out[i] = read_part(state, part, ref, what) end
  return out
end

local function targets_of(state, ref, what)
  if ref.buffer ~= "area" then return { ref } end
  local out = {}
  for i, part in ipairs(parts_of(state, ref)) do
    if key_of(part.cut) ~= key_of(state.zero) or key_of(part.ghosts) == key_of(state.zero) then
      fail("%s writes into the interior", what)
    end
    out[i] = { buffer = "recv", block = transfer_at(state, part.array, part.ghosts, what, ref).recv, need = ref.need }
  end
  return out
end

-- The need at the receiving rank of a block whose need at the sender is `need`.
local function moved_need(need, to, periods, what)
  if #need == 0 then
    for j, x in ipairs(to) do
      if x ~= 0 and not periods[j] then
        fail("%s leaves the mesh in dimension %d: a block travels whether its target exists or not", what, j - 1)
      end
    end
    return need
  end
  local out = {}
  for i, vector in ipairs(need) do
    local v = {}
    for j, x in ipairs(vector) do
      v[j] = x
      if not periods[j] and to[j] ~= 0 then
        if x ~= to[j] then fail("%s may leave the mesh in dimension %d", what, j - 1) end
        v[j] = -x
      end
    end
    out[i] = v
  end
  return out
end

-- Equal offsets, or equal ones modulo the periodic extents that are known.
local function same_way(state, a, b)
  local topology = state.problem.topology
  for j, x in ipairs(a) do
    local n = topology.dims and topology.periods[j] and topology.dims[j]
    if x ~= b[j] and not (n and (x - b[j]) % n == 0) then return false end
  end
  return true
end

local function check_final(state, ref, content, what)
  local transfer = state.expected[ref.block]
  if not transfer then fail("%s writes %s, which nothing should reach", what, ref_text(ref)) end
  if transfer.send ~= content.block or not same_way(state, transfer.offset, content.offset) then
    fail("%s puts send block %d over %s into %s, which expects send block %d over %s", what,
      content.block, vector_text(content.offset), ref_text(ref), transfer.send, vector_text(transfer.offset))
  end
  if not same(content.need, transfer.need) then
    fail("%s writes %s on other ranks than those that have its source", what, ref_text(ref))
  end
end

local function write(state, ref, content, what)
  if ref.buffer == "send" then fail("%s writes into the send buffer", what) end
  if state[ref.buffer][ref.block] then fail("%s writes %s a second time", what, ref_text(ref)) end
  if ref.buffer == "recv" then check_final(state, ref, content, what) end
  state[ref.buffer][ref.block] = content
end

local function run_message(state, message, periods, what)
  if #message.send ~= #message.recv then
    fail("%s sends %d blocks and receives %d", what, #message.send, #message.recv)
  end
  local zero = true
  for j, x in ipairs(message.to) do
    zero = zero and x == 0
    if message.from[j] ~= -x then
      fail("%s is received from %s", what, vector_text(message.from))
    end
  end
  if zero then fail("%s goes nowhere", what) end
  local arrivals = {}
  for p, ref in ipairs(message.send) do
    local into = message.recv[p]
    if ref.buffer == "area" or into.buffer == "area" then check_fit(state, ref, into, what) end
    local need = moved_need(ref.need, message.to, periods, what)
    if not same(need, into.need) then
      fail("%s: %s is sent on other ranks than %s is received from", what, ref_text(ref), ref_text(into))
    end
    local targets = targets_of(state, into, what)
    for i, content in ipairs(contents_at(state, ref, what)) do
      if not implies(ref.need, content.need) then
        fail("%s sends %s on ranks that do not have it", what, ref_text(ref))
      end
      local offset = {}
      for j, x in ipairs(content.offset) do offset[j] = x + message.to[j] end
      arrivals[#arrivals + 1] = { ref = targets[i], content = { offset = offset, block = content.block, need = need } }
    end
  end
  return arrivals
end

local function run_copies(state, copies, what)
  for _, copy in ipairs(copies) do
    local content = content_at(state, copy.from, what)
    if not implies(copy.to.need, content.need) then
      fail("%s copies %s on ranks that do not have it", what, ref_text(copy.from))
    end
    write(state, copy.to, { offset = content.offset, block = content.block, need = copy.to.need }, what)
  end
end

-- All sends of a round are read before any arrival is written: messages of a round are in flight
-- together. Each message is one send and one receive at the same place of every rank's order, so
-- blocking sends (MPI_Sendrecv in this order) cannot wait in a circle.
local function run_round(state, round, periods, k)
  local arrivals, targets = {}, {}
  for _, message in ipairs(round.messages) do
    local what = ("round %d, message to %s"):format(k, vector_text(message.to))
    if targets[key_of(message.to)] then fail("%s: a second message there", what) end
    targets[key_of(message.to)] = true
    arrivals[#arrivals + 1] = { what, run_message(state, message, periods, what) }
  end
  for _, entry in ipairs(arrivals) do
    for _, arrival in ipairs(entry[2]) do write(state, arrival.ref, arrival.content, entry[1]) end
  end
  run_copies(state, round.copies, ("round %d, copies"):format(k))
end

local function expected_of(problem)
  local expected = {}
  for _, transfer in ipairs(problem.transfers) do
    if expected[transfer.recv] then fail("receive block %d has two sources", transfer.recv) end
    local v, zero = {}, true
    for j, x in ipairs(transfer.offset) do
      v[j] = (problem.topology.periods[j] or x == 0) and 0 or -x
      zero = zero and v[j] == 0
    end
    expected[transfer.recv] = { send = transfer.send, offset = transfer.offset, need = zero and {} or { v } }
  end
  return expected
end

--- Proves the schedule; raises {kind = "gate", message} naming round and message otherwise.
function simulate.prove(s)
  local problem = s.problem
  local zero = {}
  for j = 1, problem.topology.ndims do zero[j] = 0 end
  local state = { send = {}, recv = {}, temp = {}, zero = zero, expected = expected_of(problem), problem = problem,
    areas = s.areas or {}, at = {} }
  for _, transfer in ipairs(problem.regions and problem.transfers or {}) do
    local region = problem.regions.recv[transfer.recv + 1]
    state.at[region.array .. ":" .. key_of(region.at)] = transfer
  end
  run_copies(state, s.locals, "local copies")
  for k, round in ipairs(s.rounds) do run_round(state, round, problem.topology.periods, k - 1) end
  for _, transfer in ipairs(problem.transfers) do
    if not state.recv[transfer.recv] then
      fail("receive block %d, from send block %d over %s, never arrives", transfer.recv, transfer.send,
        vector_text(transfer.offset))
    end
  end
  for t, send in ipairs(s.temps) do
    local content = state.temp[t - 1]
    if content and content.block ~= send then
      fail("temp block %d holds send block %d, not %d as its size says", t - 1, content.block, send)
    end
  end
end

--- Like prove, but returns true, or false and the message.
function simulate.proved(s)
  local ok, problem = pcall(simulate.prove, s)
  if ok then return true end
  if type(problem) == "table" and problem.kind == "gate" then return false, problem.message end
  error(problem, 0)
end

return simulate
