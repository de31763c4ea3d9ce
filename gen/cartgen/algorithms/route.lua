-- SPDX-License-Identifier: MIT
-- Routes every transfer over an ordered partition of the dimensions; all algorithms are a choice of it.
--
-- For every send block its transfers form a prefix tree: a node is the projection of offsets onto the
-- dimensions done so far, an edge is one block in one message of the group's round. With one group
-- this is the direct schedule, with a group per dimension message combining (Traeff, Hunold:
-- Cartesian Collective Communication, ICPP 2019), with a shared send block the allgather tree.
local schedule = require "cartgen.schedule"

local route = {}

local ALWAYS = {}

-- v of a transfer on a rank where `done` dimensions are behind: back along them, forward along the
-- others, in the non-periodic dimensions only. The transfer exists iff the rank at v exists.
local function existence(offset, done, periods)
  local v, zero = {}, true
  for j, x in ipairs(offset) do
    v[j] = (periods[j] or x == 0) and 0 or (done[j] and -x or x)
    if v[j] ~= 0 then zero = false end
  end
  return v, zero
end

-- The need of a block that serves `leaves` (transfers): one of them must exist.
local function need_of(leaves, done, topology)
  if topology.torus then return ALWAYS end
  local list, seen = {}, {}
  for _, leaf in ipairs(leaves) do
    local v, zero = existence(leaf.offset, done, topology.periods)
    if zero then return ALWAYS end
    local key = table.concat(v, ",")
    if not seen[key] then
      seen[key] = true
      list[#list + 1] = v
    end
  end
  return list
end

local function project(offset, dims)
  local hop, zero = {}, true
  for j, x in ipairs(offset) do
    hop[j] = dims[j] and x or 0
    if hop[j] ~= 0 then zero = false end
  end
  return hop, zero
end

local function set_of(group, into)
  local set = into or {}
  for _, dim in ipairs(group) do set[dim + 1] = true end
  return set
end

-- Builds the prefix trees: per group a list of edges {parent, hop, leaves, final}. A node ends the
-- transfers in `final`; `children` counts the edges that leave it.
local function grow(problem, groups)
  local levels, done, at = {}, {}, {}
  local roots = {}
  for i, transfer in ipairs(problem.transfers) do
    local root = roots[transfer.send]
    if not root then
      root = { send = transfer.send, final = {}, children = 0, kids = {} }
      roots[transfer.send] = root
    end
    at[i] = root
  end
  for g, group in ipairs(groups) do
    local dims = set_of(group)
    local edges = {}
    for i, transfer in ipairs(problem.transfers) do
      local hop, zero = project(transfer.offset, dims)
      if not zero then
        local parent = at[i]
        local key = g .. ":" .. table.concat(hop, ",")
        local node = parent.kids[key]
        if not node then
          node = { send = parent.send, parent = parent, hop = hop, key = key, leaves = {}, final = {},
            children = 0, kids = {} }
          parent.kids[key] = node
          parent.children = parent.children + 1
          edges[#edges + 1] = node
        end
        node.leaves[#node.leaves + 1] = transfer
        at[i] = node
      end
    end
    set_of(group, done)
    levels[g] = edges
  end
  for i, transfer in ipairs(problem.transfers) do
    local node = at[i]
    node.final[#node.final + 1] = transfer
  end
  return levels
end

-- Gives every node its place: straight into the one receive block it ends in, or a temp block when
-- it has several uses. (A forwarded block never rests in a receive block.)
local function place(node, temps)
  if #node.final == 1 and node.children == 0 then
    node.buffer, node.block = "recv", node.final[1].recv
  else
    node.buffer, node.block = "temp", #temps
    temps[#temps + 1] = node.send
  end
end

local function negated(vector)
  local out = {}
  for j, x in ipairs(vector) do out[j] = x == 0 and 0 or -x end
  return out
end

local function copies_of(node, done, topology, copies)
  if node.buffer ~= "temp" then return end
  for _, transfer in ipairs(node.final) do
    local need = need_of({ transfer }, done, topology)
    copies[#copies + 1] = schedule.copy {
      from = schedule.ref { buffer = "temp", block = node.block, need = need },
      to = schedule.ref { buffer = "recv", block = transfer.recv, need = need },
    }
  end
end

local function round_of(edges, before, after, topology, temps)
  local messages, by_key, copies = {}, {}, {}
  for _, node in ipairs(edges) do
    place(node, temps)
    local parent = node.parent
    local message = by_key[node.key]
    if not message then
      message = { to = node.hop, from = negated(node.hop), send = {}, recv = {} }
      by_key[node.key] = message
      messages[#messages + 1] = message
    end
    message.send[#message.send + 1] = schedule.ref {
      buffer = parent.buffer or "send", block = parent.block or parent.send,
      need = need_of(node.leaves, before, topology),
    }
    message.recv[#message.recv + 1] = schedule.ref {
      buffer = node.buffer, block = node.block, need = need_of(node.leaves, after, topology),
    }
    copies_of(node, after, topology, copies)
  end
  for i, message in ipairs(messages) do messages[i] = schedule.message(message) end
  return schedule.round { messages = messages, copies = copies }
end

local function locals_of(problem)
  local locals = {}
  for _, transfer in ipairs(problem.transfers) do
    local zero = true
    for _, x in ipairs(transfer.offset) do zero = zero and x == 0 end
    if zero then
      locals[#locals + 1] = schedule.copy {
        from = schedule.ref { buffer = "send", block = transfer.send, need = ALWAYS },
        to = schedule.ref { buffer = "recv", block = transfer.recv, need = ALWAYS },
      }
    end
  end
  return locals
end

--- Schedule of `problem` over `groups`, an ordered partition of its dimensions (lists of 0-based
--- dimensions). `name` is what the schedule calls itself.
function route.schedule(problem, groups, name)
  local periods, torus = problem.topology.periods, true
  for _, periodic in ipairs(periods) do torus = torus and periodic end
  local topology = { periods = periods, torus = torus }
  local levels = grow(problem, groups)
  local rounds, temps, done = {}, {}, {}
  for g, edges in ipairs(levels) do
    local after = set_of(groups[g])
    for j in ipairs(periods) do after[j] = after[j] or done[j] end
    if #edges > 0 then
      rounds[#rounds + 1] = round_of(edges, done, after, topology, temps)
    end
    done = after
  end
  return schedule.schedule {
    problem = problem, algorithm = name, groups = groups, locals = locals_of(problem),
    rounds = rounds, temps = temps,
  }
end

return route
