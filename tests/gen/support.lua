-- SPDX-License-Identifier: MIT
-- Shared by the specs: problems without a file, random problems, the concrete oracle.
local datatype = require "cartgen.datatype"
local expr = require "cartgen.expr"

local support = {}

--- Offsets {from .. to}^d, lexicographic.
function support.box(d, from, to)
  local out = { {} }
  for _ = 1, d do
    local longer = {}
    for _, head in ipairs(out) do
      for x = from, to do
        local v = {}
        for j, y in ipairs(head) do v[j] = y end
        v[#v + 1] = x
        longer[#longer + 1] = v
      end
    end
    out = longer
  end
  return out
end

function support.torus(d)
  local periods = {}
  for j = 1, d do periods[j] = true end
  return periods
end

--- A problem of m ints a block, as `problem` makes it, without its checks.
function support.problem(collective, offsets, periods, algorithm)
  local m = expr.param "m"
  local transfers, send, recv = {}, {}, {}
  local shared = collective:find "allgather" ~= nil
  for i, offset in ipairs(offsets) do
    transfers[i] = { offset = offset, send = shared and 0 or i - 1, recv = i - 1 }
    recv[i] = { displ = expr.mul(m, 4 * (i - 1)), type = datatype.contiguous(m, datatype.basic "int") }
    if not shared or i == 1 then send[i] = recv[i] end
  end
  return { name = "case", collective = collective, topology = { ndims = #periods, periods = periods },
    transfers = transfers, send = send, recv = recv, params = { { name = "m" } },
    algorithm = algorithm or { name = "direct" }, transport = { name = "mpi", mode = "nonblocking" } }
end

--- A copy of a value and all that is in it; what stood twice still does.
function support.deep(value, seen)
  if type(value) ~= "table" then return value end
  seen = seen or {}
  if seen[value] then return seen[value] end
  local out = {}
  seen[value] = out
  for k, v in pairs(value) do out[k] = support.deep(v, seen) end
  return out
end

--- A seed from CARTGEN_SEED or the clock, printed so that a failure can be repeated.
function support.seed(what)
  local seed = tonumber(os.getenv "CARTGEN_SEED" or "") or os.time() % 1000000
  io.stderr:write(("[%s: CARTGEN_SEED=%d]\n"):format(what, seed))
  math.randomseed(seed)
  return seed
end

--- Random offsets and periods: up to `most` offsets of up to 4 dimensions, repeats and zeros included.
function support.random_case(most)
  local d = math.random(1, 4)
  local periods, offsets = {}, {}
  for j = 1, d do periods[j] = math.random() < 0.5 end
  for i = 1, math.random(0, most) do
    offsets[i] = {}
    for j = 1, d do offsets[i][j] = math.random(-2, 2) end
    if i > 1 and math.random() < 0.1 then offsets[i] = offsets[math.random(1, i - 1)] end
  end
  return offsets, periods
end

function support.describe(offsets, periods)
  local out = {}
  for i, offset in ipairs(offsets) do out[i] = "{" .. table.concat(offset, ",") .. "}" end
  local kinds = {}
  for j, p in ipairs(periods) do kinds[j] = p and "periodic" or "open" end
  return table.concat(kinds, " ") .. ": " .. table.concat(out, " ")
end

--- Smaller cases: `fails(offsets)` while removing offsets as long as it still fails.
function support.shrink(offsets, fails)
  local at = 1
  while at <= #offsets do
    local fewer = {}
    for i, offset in ipairs(offsets) do
      if i ~= at then fewer[#fewer + 1] = offset end
    end
    if fails(fewer) then offsets = fewer else at = at + 1 end
  end
  return offsets
end

-- --- the concrete oracle: every rank of a small grid, written apart from the gate ---

local function grid(dims)
  local size = 1
  for _, n in ipairs(dims) do size = size * n end
  return size
end

local function coords_of(rank, dims)
  local out = {}
  for j = #dims, 1, -1 do
    out[j] = rank % dims[j]
    rank = math.floor(rank / dims[j])
  end
  return out
end

--- Rank at `offset` from `rank`, or nil outside an open dimension.
function support.neighbor(rank, offset, dims, periods, sign)
  local coords = coords_of(rank, dims)
  local out = 0
  for j, n in ipairs(dims) do
    local x = coords[j] + (sign or 1) * offset[j]
    if periods[j] then x = x % n elseif x < 0 or x >= n then return nil end
    out = out * n + x
  end
  return out
end

local function needed(ref, rank, dims, periods)
  if #ref.need == 0 then return true end
  for _, v in ipairs(ref.need) do
    if support.neighbor(rank, v, dims, periods) then return true end
  end
  return false
end

local function read(state, rank, ref)
  if ref.buffer == "send" then return rank .. "/" .. ref.block end
  return state[rank][ref.buffer .. ref.block]
end

-- One list of blocking exchanges a rank, as MPI_Sendrecv in message order.
local function exchange(round, state, dims, periods, faults)
  local at, size = {}, grid(dims)
  for rank = 0, size - 1 do at[rank] = 1 end
  local snapshot = {}
  for rank = 0, size - 1 do
    snapshot[rank] = {}
    for k, v in pairs(state[rank]) do snapshot[rank][k] = v end
  end
  local moved = true
  while moved do
    moved = false
    for rank = 0, size - 1 do
      local k = at[rank]
      local message = round.messages[k]
      if message then
        local to = support.neighbor(rank, message.to, dims, periods)
        local from = support.neighbor(rank, message.to, dims, periods, -1)
        -- A blocking exchange ends when both partners stand at the same message.
        if (not to or at[to] >= k) and (not from or at[from] >= k) then
          if from then
            for p, ref in ipairs(message.recv) do
              local sent = needed(message.send[p], from, dims, periods)
              if sent ~= needed(ref, rank, dims, periods) then faults[#faults + 1] = "sent and received blocks differ" end
              if sent then
                local value = read(snapshot, from, message.send[p])
                if value == nil then faults[#faults + 1] = "sent before it was there" end
                local key = ref.buffer .. ref.block
                if state[rank][key] then faults[#faults + 1] = key .. " written twice" end
                state[rank][key] = value
              end
            end
          elseif #message.recv > 0 then
            for _, ref in ipairs(message.recv) do
              if needed(ref, rank, dims, periods) then faults[#faults + 1] = "expected from outside the grid" end
            end
          end
          at[rank] = k + 1
          moved = true
        end
      end
    end
  end
  for rank = 0, size - 1 do
    if round.messages[at[rank]] then faults[#faults + 1] = "deadlock" end
  end
end

local function copy_all(copies, state, dims, periods, faults)
  for rank = 0, grid(dims) - 1 do
    for _, copy in ipairs(copies) do
      if needed(copy.to, rank, dims, periods) then
        local key = copy.to.buffer .. copy.to.block
        if state[rank][key] then faults[#faults + 1] = key .. " written twice" end
        state[rank][key] = read(state, rank, copy.from)
      end
    end
  end
end

--- Runs a schedule on all ranks of `dims` and compares with the definition. List of faults.
function support.concrete(s, dims)
  local problem, faults, state = s.problem, {}, {}
  local periods = problem.topology.periods
  for rank = 0, grid(dims) - 1 do state[rank] = {} end
  copy_all(s.locals, state, dims, periods, faults)
  for _, round in ipairs(s.rounds) do
    exchange(round, state, dims, periods, faults)
    copy_all(round.copies, state, dims, periods, faults)
  end
  for rank = 0, grid(dims) - 1 do
    for _, transfer in ipairs(problem.transfers) do
      local source = support.neighbor(rank, transfer.offset, dims, periods, -1)
      local expected = source and source .. "/" .. transfer.send or nil
      if state[rank]["recv" .. transfer.recv] ~= expected then
        faults[#faults + 1] = ("rank %d block %d: got %s, expected %s"):format(rank, transfer.recv,
          tostring(state[rank]["recv" .. transfer.recv]), tostring(expected))
      end
    end
  end
  return faults
end

return support
