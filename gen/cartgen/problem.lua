-- SPDX-License-Identifier: MIT
-- Problem: a description validated and resolved. What is exchanged; nothing of how.
local params = require "cartgen.params"
local record = require "cartgen.record"
local datatype = require "cartgen.datatype"
local diag = require "cartgen.diag"
local expr = require "cartgen.expr"
local identifiers = require "cartgen.identifiers"
local shape = require "cartgen.shape"
local util = require "cartgen.util"

local problem = {}

problem.make = record.define("Problem", { name = "required", where = "required", topology = "required",
  stencil = "required", collective = "required", order = "required", send = "required", recv = "required",
  transfers = "required", params = "required", algorithm = "required", transport = "required",
  regions = "optional", limits = "optional", own_params = "optional", in_place = "optional" })
problem.transfer = record.define("Transfer", { offset = "required", send = "required", recv = "required" })

local FIELDS = { "topology", "stencil", "collective", "algorithm", "transport", "order" }

local function check_fields(fields, where)
  for _, key in ipairs(util.sorted_keys(fields)) do
    local known = false
    for _, field in ipairs(FIELDS) do known = known or field == key end
    if not known then diag.fail(where, "a schedule has no field '%s'%s", key, util.hint(key, FIELDS)) end
  end
  local derives = record.type(fields.collective) == "Collective" and fields.collective.neighbourhood
  for _, key in ipairs { "topology", "stencil", "collective" } do
    if fields[key] == nil and not (key == "stencil" and derives) then
      diag.fail(where, "the schedule lacks the field '%s'", key)
    end
  end
  if record.type(fields.topology) ~= "Topology" then
    diag.fail(where, "topology is %s, expected torus(d), mesh(d) or cart {...}", util.show(fields.topology))
  end
  if fields.stencil ~= nil and record.type(fields.stencil) ~= "Stencil" then
    diag.fail(where, "stencil is %s, expected moore(d, r), box(d, from, to), offsets {...} or another stencil", util.show(fields.stencil))
  end
  if record.type(fields.collective) ~= "Collective" then
    diag.fail(where, "collective is %s, expected alltoall {...}, allgather {...} or another collective", util.show(fields.collective))
  end
end

local function check_stencil(stencil, topology, where)
  for i, offset in ipairs(stencil.offsets) do
    if #offset ~= topology.ndims then
      diag.fail(where, "offset %d has %d coordinate%s, but the topology has %d dimension%s", i - 1, #offset,
        #offset == 1 and "" or "s", topology.ndims, topology.ndims == 1 and "" or "s")
    end
  end
end

-- Receive block of every send block under MPI's Cartesian order: what goes to N[i] arrives as block j
-- with N[j] = -N[i], the k-th with the k-th.
local function opposite(offsets, where)
  local lists, taken, out = {}, {}, {}
  for i, offset in ipairs(offsets) do
    local key = table.concat(offset, ",")
    lists[key] = lists[key] or {}
    table.insert(lists[key], i - 1)
  end
  for i, offset in ipairs(offsets) do
    local back = {}
    for j, x in ipairs(offset) do back[j] = x == 0 and 0 or -x end
    local key = table.concat(back, ",")
    taken[key] = (taken[key] or 0) + 1
    local j = lists[key] and lists[key][taken[key]]
    if not j then
      diag.fail(where, "order = \"cartesian\" needs a symmetric stencil: offset %d (%s) has no opposite", i - 1,
        table.concat(offset, ", "))
    end
    out[i] = j
  end
  return out
end

-- An offset modulo known periodic extents, nearest to zero; nil where it leads nowhere on any rank.
local function reduced(offset, topology)
  local out = {}
  for j, x in ipairs(offset) do
    local n = topology.dims and topology.dims[j]
    if n and topology.periods[j] then
      x = x % n
      if 2 * x > n then x = x - n end
    elseif n and math.abs(x) >= n then
      return nil
    end
    out[j] = x
  end
  return out
end

local function transfers_of(stencil, topology, shared, order, where)
  local arrives = order == "cartesian" and opposite(stencil.offsets, where)
  local out = {}
  for i, offset in ipairs(stencil.offsets) do
    local way = offset
    if arrives and shared then
      way = {}
      for j, x in ipairs(offset) do way[j] = x == 0 and 0 or -x end
    end
    local short = reduced(way, topology)
    if short then
      out[#out + 1] = problem.transfer { offset = short, send = shared and 0 or i - 1,
        recv = arrives and not shared and arrives[i] or i - 1 }
    end
  end
  return out
end

local function check_signatures(transfers, send, recv, where)
  for _, t in ipairs(transfers) do
    local a, b = send[t.send + 1].type, recv[t.recv + 1].type
    if not expr.equal(a.size, b.size) then
      diag.fail(where, "send block %d has %s bytes, its receive block %d has %s", t.send, expr.text(a.size), t.recv,
        expr.text(b.size))
    end
    local sent, received = datatype.signatures_differ(a, b)
    if sent then
      diag.fail(where, "send block %d is of %s, its receive block %d of %s", t.send, sent, t.recv, received)
    end
  end
end

-- Most runs of bytes that are looked at for overlaps.
local MOST_RUNS = 1000000

-- Number of runs of a block whose place is constant; 0: nothing there; nil: not known.
local function runs_of(block)
  return expr.is_const(block.displ) and shape.runs(block.type.moves) or nil
end

local function add_runs(runs, block, id)
  shape.each_run(block.type.moves, expr.value(block.displ), function(at, bytes)
    runs[#runs + 1] = { start = at, size = bytes, block = id }
  end)
end

-- The buffers of a collective are two; other arrays have no address there.
local function check_arrays(blocks, side, where)
  for i, block in ipairs(blocks) do
    local array = datatype.own_array(block.type)
    if array then
      diag.fail(where, "%s block %d lies in an own array, at(\"%s\", ...): collectives take one buffer for sending and "
        .. "one for receiving", side, i - 1, array)
    end
  end
end

-- Receive blocks whose place is constant may not overlap.
local function check_overlap(recv, where)
  local runs = {}
  for i, block in ipairs(recv) do
    local n = runs_of(block)
    if n and n > 0 and #runs + n <= MOST_RUNS then add_runs(runs, block, i - 1) end
  end
  table.sort(runs, function(x, y)
    if x.start ~= y.start then return x.start < y.start end
    return x.block < y.block
  end)
  for i = 2, #runs do
    local a, b = runs[i - 1], runs[i]
    if a.start + a.size > b.start then
      local who = a.block == b.block and ("receive block %d overlaps itself"):format(a.block)
        or ("receive blocks %d and %d overlap"):format(a.block, b.block)
      diag.fail(where, "%s at byte %s of the receive buffer", who, util.int(b.start))
    end
  end
end

-- option: the option of the command line the value comes from, or nil.
local function named(value, what, known, where, option)
  local head = option and option .. ": " or ""
  if type(value) == "string" then value = { name = value } end
  if type(value) ~= "table" or type(value.name) ~= "string" then
    diag.fail(where, "%s is %s, expected %s", what, util.show(value), util.any_of(known))
  end
  for _, name in ipairs(known) do
    if name == value.name then return value end
  end
  diag.fail(where, "%sunknown %s %s%s", head, what, util.show(value.name), util.hint(value.name, known))
end

local function check_groups(groups, ndims, where)
  local seen = {}
  for _, group in ipairs(groups) do
    if type(group) ~= "table" or #group == 0 then
      diag.fail(where, "a group of partial is %s, expected a list of dimensions",
        type(group) == "table" and "empty" or util.show(group))
    end
    for _, dim in ipairs(group) do
      if not util.is_int(dim) or dim < 0 or dim >= ndims then
        diag.fail(where, "partial names dimension %s, expected 0 to %d", util.show(dim), ndims - 1)
      end
      if seen[dim] then diag.fail(where, "partial names dimension %d twice", dim) end
      seen[dim] = true
    end
  end
  for dim = 0, ndims - 1 do
    if not seen[dim] then diag.fail(where, "partial has no group for dimension %d; each of 0 to %d belongs to one", dim, ndims - 1) end
  end
end

local function params_used(all, send, recv, limits)
  local used = {}
  for _, blocks in ipairs { send, recv } do
    for _, block in ipairs(blocks) do
      expr.note(used, block.displ)
      datatype.note(used, block.type)
    end
  end
  for _, limit in ipairs(limits or {}) do
    expr.note(used, limit.value)
    expr.note(used, limit.bound)
  end
  return params.used(all, used)
end

--- Problem from a description {name, fields, where}. known: {algorithms, transports, modes} (names), params
--- (all of the file), algorithm, transport (from the command line, or nil).
function problem.resolve(description, known)
  local fields, where = description.fields, description.where
  identifiers.check_name(description.name, "schedule", where)
  check_fields(fields, where)
  local topology, stencil, collective = fields.topology, fields.stencil, fields.collective
  if stencil then check_stencil(stencil, topology, where) end
  local order = fields.order == nil and "isomorphic" or fields.order
  if order ~= "isomorphic" and order ~= "cartesian" then
    diag.fail(where, "order is %s, expected 'isomorphic' or 'cartesian'", util.show(order))
  end
  if collective.neighbourhood then
    if order ~= "isomorphic" then diag.fail(where, "%s has its own order: leave out order", collective.name) end
    stencil = collective.neighbourhood(collective.args, topology.ndims, stencil)
  end
  local send, recv, more = collective.build(collective.args, stencil.offsets, topology.ndims)
  more = more or {}
  local transfers = transfers_of(stencil, topology, collective.shared, order, where)
  check_arrays(send, "send", where)
  check_arrays(recv, "receive", where)
  check_signatures(transfers, send, recv, where)
  check_overlap(recv, where)
  local algorithm = named(known.algorithm or fields.algorithm or "auto", "algorithm", known.algorithms, where,
    known.algorithm and "--algorithm")
  if algorithm.groups then check_groups(algorithm.groups, topology.ndims, where) end
  local transport = named(known.transport or fields.transport or "mpi", "transport", known.transports, where,
    known.transport and "--transport")
  local mode = transport.mode or "nonblocking"
  named(mode, "mode", known.modes, where, known.transport and "--transport")
  return problem.make { name = description.name, where = where, topology = topology, stencil = stencil,
    collective = collective.name, order = order, send = send, recv = recv, transfers = transfers,
    params = params_used(known.params, send, recv, more.limits), algorithm = algorithm,
    transport = { name = transport.name, mode = mode }, regions = more.regions, limits = more.limits,
    own_params = collective.own_params, in_place = more.in_place }
end

--- Stable text form.
function problem.text(p)
  local t = p.topology
  local out = { ("problem %s: %s, order %s"):format(p.name, p.collective, p.order) }
  for j, periodic in ipairs(t.periods) do
    out[#out + 1] = ("  dimension %d: %s, extent %s"):format(j - 1, periodic and "periodic" or "open",
      t.dims and util.int(t.dims[j]) or "known at init")
  end
  for _, param in ipairs(p.params) do
    out[#out + 1] = "  parameter " .. param.name .. (param.length and "[" .. expr.text(param.length) .. "]" or "")
  end
  for _, side in ipairs { "send", "recv" } do
    for i, block in ipairs(p[side]) do
      out[#out + 1] = ("  %s block %d at %s: %s"):format(side, i - 1, expr.text(block.displ), datatype.text(block.type))
    end
  end
  for _, transfer in ipairs(p.transfers) do
    local v = {}
    for j, x in ipairs(transfer.offset) do v[j] = util.int(x) end
    out[#out + 1] = ("  send %d over (%s) to recv %d"):format(transfer.send, table.concat(v, ", "), transfer.recv)
  end
  for _, limit in ipairs(p.limits or {}) do
    out[#out + 1] = ("  limit: %s, %s, at most %s, %s"):format(limit.what, expr.text(limit.value), limit.bound_what,
      expr.text(limit.bound))
  end
  if p.own_params then out[#out + 1] = "  parameters of each rank's own" end
  if p.in_place then out[#out + 1] = "  in place" end
  out[#out + 1] = ("  transport %s, %s"):format(p.transport.name, p.transport.mode)
  return table.concat(out, "\n") .. "\n"
end

return problem
