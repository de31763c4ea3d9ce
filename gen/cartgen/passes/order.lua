-- SPDX-License-Identifier: MIT
-- Pass on Schedule: the order of blocks inside messages, so that blocks which travel on together lie
-- together (long runs to copy, and runs that are sent from where they lie).
local schedule = require "cartgen.schedule"

local order = { name = "order" }

local WIDTH = 4 -- digits of a message's number in a key

-- A number below 2^24 as WIDTH digits of base 64 that sort as the number does.
local function digits(n)
  local low, middle = n % 4096, math.floor(n / 4096)
  return string.char(48 + math.floor(middle / 64), 48 + middle % 64, 48 + math.floor(low / 64), 48 + low % 64)
end

-- hops[t]: the messages (numbered through the schedule) that temp block t travels in after it arrived, as a string
-- of their digits: what sorts them.
local function journeys(s)
  local hops, number = {}, 0
  local ids = {}
  for k, round in ipairs(s.rounds) do
    ids[k] = number
    number = number + #round.messages
  end
  for k = #s.rounds, 1, -1 do
    for i, message in ipairs(s.rounds[k].messages) do
      local here = digits(ids[k] + i)
      for p, ref in ipairs(message.send) do
        if ref.buffer == "temp" then
          local into = message.recv[p]
          local later = into.buffer == "temp" and hops[into.block] or ""
          hops[ref.block] = (hops[ref.block] or "") .. here .. later
        end
      end
    end
  end
  return hops
end

local function key_forward(hops, ref)
  return ref.buffer == "temp" and hops[ref.block] or ""
end

local function key_backward(hops, ref)
  local out, list = {}, key_forward(hops, ref)
  for i = #list - WIDTH + 1, 1, -WIDTH do out[#out + 1] = list:sub(i, i + WIDTH - 1) end
  return table.concat(out)
end

local function less(a, b)
  if a.key ~= b.key then return a.key < b.key end
  return a.place < b.place
end

local function sorted(message, hops, key)
  local rows = {}
  for p, ref in ipairs(message.send) do
    local into = message.recv[p]
    rows[p] = { key = key(hops, into), place = p, send = ref, recv = into }
  end
  table.sort(rows, less)
  local send, recv = {}, {}
  for p, row in ipairs(rows) do send[p], recv[p] = row.send, row.recv end
  return schedule.message { to = message.to, from = message.from, send = send, recv = recv }
end

local function rearranged(s, hops, key)
  local rounds = {}
  for k, round in ipairs(s.rounds) do
    local messages = {}
    for i, message in ipairs(round.messages) do messages[i] = sorted(message, hops, key) end
    rounds[k] = schedule.round { messages = messages, copies = round.copies }
  end
  return schedule.schedule { problem = s.problem, algorithm = s.algorithm, groups = s.groups,
    locals = s.locals, rounds = rounds, temps = s.temps, areas = s.areas }
end

--- Copies needed if equal neighbours merge: blocks i, i + 1 of a buffer, or neighbours in staging.
function order.runs(s)
  local at, runs, number = {}, 0, 0
  for _, round in ipairs(s.rounds) do
    for _, message in ipairs(round.messages) do
      number = number + 1
      local last
      for p, ref in ipairs(message.send) do
        local base, place = ref.buffer, ref.block
        if ref.buffer == "temp" then base, place = at[ref.block][1], at[ref.block][2] end
        if not (last and last[1] == base and last[2] + 1 == place) then runs = runs + 1 end
        last = { base, place }
        local into = message.recv[p]
        if into.buffer == "temp" then at[into.block] = { number, p } end
        local before = message.recv[p - 1]
        if into.buffer == "recv" and not (before and before.buffer == "recv" and before.block + 1 == into.block) then
          runs = runs + 1
        end
      end
    end
  end
  return runs
end

--- The best of three orders: as routed, by what comes next, by what comes last.
function order.apply(s)
  if #s.temps == 0 then return s end
  local hops = journeys(s)
  local best, least = s, order.runs(s)
  for _, key in ipairs { key_forward, key_backward } do
    local candidate = rearranged(s, hops, key)
    local runs = order.runs(candidate)
    if runs < least then best, least = candidate, runs end
  end
  return best
end

return order
