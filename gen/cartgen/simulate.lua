-- SPDX-License-Identifier: MIT
-- The gate: executes a schedule symbolically and proves it, or says what is wrong.
--
-- On the isomorphic view every process does the same, so one process stands for all: a place holds
-- {offset it came over, send block, need}. Blocks arrive exactly once at the right place, nothing is
-- read before it is there, sends match receives, and on meshes the need of every block is exactly
-- the existence of its ends, for any extents.
local schedule = require "cartgen.schedule"

local simulate = {}

local vector_text = schedule.vector_text

local function fail(fmt, ...) error({ kind = "gate", message = fmt:format(...) }, 0) end

local function ref_text(ref) return ("%s block %d"):format(ref.buffer, ref.block) end

local function key_of(vector) return table.concat(vector, ",") end

local function set_of(vectors)
  local set = {}
  for _, vector in ipairs(vectors) do set[key_of(vector)] = true end
  return set
end

-- Every existence in `inner` is one in `outer` ({} is always).
local function implies(inner, outer)
  if #outer == 0 then return true end
  if #inner == 0 then return false end
  local set = set_of(outer)
  for _, vector in ipairs(inner) do
    if not set[key_of(vector)] then return false end
  end
  return true
end

local function same(a, b) return implies(a, b) and implies(b, a) end

local function content_at(state, ref, what)
  local content = state[ref.buffer][ref.block]
  if ref.buffer == "send" then
    return { offset = state.zero, block = ref.block, need = {} }
  end
  if not content then fail("%s reads %s before it is there", what, ref_text(ref)) end
  return content
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

local function check_final(state, ref, content, what)
  local transfer = state.expected[ref.block]
  if not transfer then fail("%s writes %s, which nothing should reach", what, ref_text(ref)) end
  if transfer.send ~= content.block or key_of(transfer.offset) ~= key_of(content.offset) then
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
    local content = content_at(state, ref, what)
    if not implies(ref.need, content.need) then
      fail("%s sends %s on ranks that do not have it", what, ref_text(ref))
    end
    local into = message.recv[p]
    local need = moved_need(ref.need, message.to, periods, what)
    if not same(need, into.need) then
      fail("%s: %s is sent on other ranks than %s is received from", what, ref_text(ref), ref_text(into))
    end
    local offset = {}
    for j, x in ipairs(content.offset) do offset[j] = x + message.to[j] end
    arrivals[p] = { ref = into, content = { offset = offset, block = content.block, need = need } }
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
  local state = { send = {}, recv = {}, temp = {}, zero = zero, expected = expected_of(problem) }
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
