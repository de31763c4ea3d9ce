-- SPDX-License-Identifier: MIT
-- Problem: a description validated and resolved. What is exchanged; nothing of how.
local params = require "cartgen.params"
local record = require "cartgen.record"
local datatype = require "cartgen.datatype"
local diag = require "cartgen.diag"
local exchange = require "cartgen.exchange"
local expr = require "cartgen.expr"
local identifiers = require "cartgen.identifiers"
local util = require "cartgen.util"

local problem = {}

problem.make = record.define("Problem", { name = "required", where = "required", topology = "required",
  collective = "required", order = "required", send = "required", recv = "required",
  transfers = "required", params = "required", algorithm = "required", transport = "required",
  arrays = "optional", regions = "optional", limits = "optional", own_params = "optional", in_place = "optional" })

local FIELDS = { "topology", "stencil", "collective", "algorithm", "transport", "order" }

local function check_fields(fields, where)
  for _, key in ipairs(util.sorted_keys(fields)) do
    local known = false
    for _, field in ipairs(FIELDS) do known = known or field == key end
    if not known then diag.fail(where, "a schedule has no field '%s'%s", key, util.hint(key, FIELDS)) end
  end
  local needs, of_field = fields.collective, nil
  if record.type(needs) == "Collective" then needs, of_field = exchange.needs_stencil(needs) end
  for _, key in ipairs { "topology", "stencil", "collective" } do
    if fields[key] == nil and (key ~= "stencil" or needs ~= nil) then
      diag.fail(where, "the schedule lacks the field '%s'%s", key, key == "stencil" and of_field
        and (": field '%s', %s, needs one"):format(of_field, needs.name) or "")
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

-- The transport with all its options: of the command line, of the description, or the default.
local function transport_of(chosen, known, where)
  local module = known.transport_of(chosen.name)
  local out = { name = module.name, visits = module.visits }
  for _, key in ipairs(util.sorted_keys(module.options)) do
    local values = module.options[key]
    local word = known.words[key]
    out[key] = word or chosen[key] or values[1]
    named(out[key], key, values, where, word and "--set" or known.transport and "--transport")
  end
  return out
end

--- Problem from a description {name, fields, where}. known: {algorithms, transports} (names), transport_of(name) (its
--- module), words (options of the transport from the command line), params (all of the file), algorithm, transport
--- (from the command line, or nil).
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
  local what = exchange.resolve(collective, { topology = topology, stencil = stencil, order = order, where = where,
    line_now = known.line_now or function() end })
  local algorithm = named(known.algorithm or fields.algorithm or "auto", "algorithm", known.algorithms, where,
    known.algorithm and "--algorithm")
  if algorithm.groups then check_groups(algorithm.groups, topology.ndims, where) end
  local transport = named(known.transport or fields.transport or "mpi", "transport", known.transports, where,
    known.transport and "--transport")
  return problem.make { name = description.name, where = where, topology = topology,
    collective = collective.name, order = order, send = what.send, recv = what.recv, transfers = what.transfers,
    params = params_used(known.params, what.send, what.recv, what.limits), algorithm = algorithm,
    transport = transport_of(transport, known, where), arrays = what.arrays, regions = what.regions, limits = what.limits,
    own_params = what.own_params, in_place = what.in_place }
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
      out[#out + 1] = ("  %s block %d at %s%s: %s"):format(side, i - 1, expr.text(block.displ),
        block.base and " of " .. block.base or "", datatype.text(block.type))
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
  local zero_copy = p.transport.zero_copy
  out[#out + 1] = ("  transport %s, %s%s"):format(p.transport.name, p.transport.mode,
    zero_copy == "auto" and "" or ", zero_copy " .. zero_copy)
  return table.concat(out, "\n") .. "\n"
end

return problem
