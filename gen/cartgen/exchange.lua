-- SPDX-License-Identifier: MIT
-- What is exchanged: blocks and transfers of a collective, or of several that share messages (fields).
--
-- A side (what is sent, what is received) is one buffer, or several arrays of which every block names its own (base). The
-- arrays of a field are the field itself, or the own arrays of its types; a block that lies in several arrays becomes one
-- block for each, and so does its transfer. That is right where both ends divide the packed stream in the same way: the
-- k-th array of the one goes into the k-th of the other.
local datatype = require "cartgen.datatype"
local diag = require "cartgen.diag"
local expr = require "cartgen.expr"
local fold = require "cartgen.fold"
local record = require "cartgen.record"
local shape = require "cartgen.shape"
local util = require "cartgen.util"

local exchange = {}

exchange.block = record.define("Block", { type = "required", displ = "required", base = "optional" })
exchange.transfer = record.define("Transfer", { offset = "required", send = "required", recv = "required" })

local SIDES = { "send", "recv" }

-- Most arrays of a side.
local MOST_ARRAYS = 1000

-- ---------------------------------------------------------------- transfers

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

local function transfers_of(offsets, topology, shared, order, where)
  local arrives = order == "cartesian" and opposite(offsets, where)
  local out = {}
  for i, offset in ipairs(offsets) do
    local way = offset
    if arrives and shared then
      way = {}
      for j, x in ipairs(offset) do way[j] = x == 0 and 0 or -x end
    end
    local short = reduced(way, topology)
    if short then
      out[#out + 1] = exchange.transfer { offset = short, send = shared and 0 or i - 1,
        recv = arrives and not shared and arrives[i] or i - 1 }
    end
  end
  return out
end

-- ---------------------------------------------------------------- checks

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
    runs[#runs + 1] = { start = at, size = bytes, block = id, base = block.base or "" }
  end)
end

-- Receive blocks whose place is constant may not overlap. numbered: how their numbers are meant, text or nil.
local function check_overlap(recv, where, numbered)
  local runs = {}
  for i, block in ipairs(recv) do
    local n = runs_of(block)
    if n and n > 0 and #runs + n <= MOST_RUNS then add_runs(runs, block, i - 1) end
  end
  table.sort(runs, function(x, y)
    if x.base ~= y.base then return x.base < y.base end
    if x.start ~= y.start then return x.start < y.start end
    return x.block < y.block
  end)
  for i = 2, #runs do
    local a, b = runs[i - 1], runs[i]
    if a.base == b.base and a.start + a.size > b.start then
      local who = a.block == b.block and ("receive block %d overlaps itself"):format(a.block)
        or ("receive blocks %d and %d%s overlap"):format(a.block, b.block, numbered or "")
      diag.fail(where, "%s at byte %s of %s", who, util.int(b.start), b.base == "" and "the receive buffer" or b.base)
    end
  end
end

-- ---------------------------------------------------------------- arrays

-- The packed stream of a type with the numbers of its arrays, in order of appearance, for its elements.
local function division_of(t, bases)
  local number = {}
  for k, base in ipairs(bases) do number[base] = ("array %d"):format(k - 1) end
  local s = shape.map_runs(t.shape, function(run) return shape.run(run.bytes, nil, number[run.base]) end)
  return { signature = fold.canonical(shape.packed(s)), size = t.size }
end

local function check_division(transfer, a, b, where)
  local one, other = a.division(), b.division()
  local sent, received = datatype.signatures_differ(one, other)
  if not sent then return end
  local function named(text, bases)
    return (text:gsub("array (%d+)", function(k) return ("at(\"%s\")"):format(bases[tonumber(k) + 1] or "?") end))
  end
  diag.fail(where, "send block %d and its receive block %d divide their data among own arrays in different ways: %s, and %s; "
    .. "the k-th array of the one goes into the k-th of the other", transfer.send, transfer.recv,
    named(sent, a.bases), named(received, b.bases))
end

-- Types of pieces, and how types are divided; both once for each type.
local Divider = {}
Divider.__index = Divider

function Divider:of(t)
  local found = self.known[t]
  if not found then
    local bases, division = datatype.bases(t), nil
    found = { bases = bases, parts = {} }
    function found.division()
      division = division or division_of(t, bases)
      return division
    end
    self.known[t] = found
  end
  return found
end

-- Arrays that a block of a side lies in; one that is empty counts as in the first.
function Divider:bases(block, side)
  local bases = self:of(block.type).bases
  return #bases > 0 and bases or { self.arrays[side][1] }
end

function Divider:piece(block, base)
  local parts = self:of(block.type).parts
  parts[base] = parts[base] or datatype.part_in(block.type, base)
  return exchange.block { type = parts[base], displ = block.displ, base = base }
end

-- Pieces of the blocks of a side, array by array; ids[i]: base -> number of the piece of block i.
function Divider:side(blocks, side)
  local out, ids = {}, {}
  for i in ipairs(blocks) do ids[i] = {} end
  for _, name in ipairs(self.arrays[side]) do
    for i, block in ipairs(blocks) do
      for _, base in ipairs(self:bases(block, side)) do
        if base == name then
          out[#out + 1] = self:piece(block, base)
          ids[i][base] = #out - 1
        end
      end
    end
  end
  return out, ids
end

-- Transfers of the pieces, array by array of what is sent.
function Divider:transfers(part, ids, where)
  local by_name, out = {}, {}
  for _, name in ipairs(part.arrays.send) do by_name[name] = {} end
  for _, t in ipairs(part.transfers) do
    local send, recv = part.send[t.send + 1], part.recv[t.recv + 1]
    check_division(t, self:of(send.type), self:of(recv.type), where)
    local into = self:bases(recv, "recv")
    for k, base in ipairs(self:bases(send, "send")) do
      table.insert(by_name[base], exchange.transfer { offset = t.offset, send = ids.send[t.send + 1][base],
        recv = ids.recv[t.recv + 1][into[k]] })
    end
  end
  for _, name in ipairs(part.arrays.send) do
    for _, t in ipairs(by_name[name]) do out[#out + 1] = t end
  end
  return out
end

-- Regions whose arrays are those of the description, each once for every own array it lies in.
function Divider:regions(regions, ids)
  local out, numbers, origins = { arrays = {}, send = {}, recv = {} }, {}, {}
  for _, side in ipairs(SIDES) do
    for i, region in ipairs(regions[side]) do
      for _, base in ipairs(util.sorted_keys(ids[side][i])) do
        local key = region.array .. " " .. base
        if not numbers[key] then
          out.arrays[#out.arrays + 1] = regions.arrays[region.array + 1]
          origins[#out.arrays] = { array = region.array, base = base }
          numbers[key] = #out.arrays - 1
        end
        out[side][ids[side][i][base] + 1] = { array = numbers[key], at = region.at }
      end
    end
  end
  function out.box(k, ranges)
    local origin = origins[k + 1]
    return self:piece(regions.box(origin.array, ranges), origin.base)
  end
  return out
end

local function types_of(blocks)
  local out = {}
  for i, block in ipairs(blocks) do out[i] = block.type end
  return out
end

-- The part with its blocks in own arrays divided.
local function divided(part, where)
  local divider = setmetatable({ known = {}, arrays = part.arrays }, Divider)
  local out = { arrays = part.arrays, limits = part.limits, in_place = part.in_place, own_params = part.own_params,
    name = part.name, own = true }
  local ids = {}
  for _, side in ipairs(SIDES) do out[side], ids[side] = divider:side(part[side], side) end
  out.transfers = divider:transfers(part, ids, where)
  out.regions = part.regions and divider:regions(part.regions, ids)
  return out
end

-- All blocks in one array.
local function placed(blocks, base)
  local out = {}
  for i, block in ipairs(blocks) do out[i] = exchange.block { type = block.type, displ = block.displ, base = base } end
  return out
end

-- The part with a base for every block: its own arrays, else that of its name (nil: the buffer).
local function based(part, where)
  local send, plain_send = datatype.arrays_of(types_of(part.send))
  local recv, plain_recv = datatype.arrays_of(types_of(part.recv))
  if #send + #recv == 0 then
    local regions, name = part.regions, part.name
    if not name then return part end
    part.arrays = { send = { name }, recv = { name } }
    for _, side in ipairs(SIDES) do part[side] = placed(part[side], name) end
    part.regions = regions and { arrays = regions.arrays, send = regions.send, recv = regions.recv,
      box = function(k, ranges) return placed({ regions.box(k, ranges) }, name)[1] end }
    return part
  end
  if plain_send or plain_recv then
    diag.fail(where, "some items lie in own arrays, at(\"%s\", ...), and some do not", send[1] or recv[1])
  end
  -- A side without blocks has the names of the other: C has no empty structs.
  part.arrays = { send = #send > 0 and send or recv, recv = #recv > 0 and recv or send }
  return divided(part, where)
end

-- ---------------------------------------------------------------- parts

local function part_of(collective, name, stencil, args, among)
  local where, ndims = args.where, args.topology.ndims
  if collective.neighbourhood then
    if args.order ~= "isomorphic" then diag.fail(where, "%s has its own order: leave out order", collective.name) end
    stencil = collective.neighbourhood(collective.args, ndims, stencil, among)
  end
  local send, recv, more = collective.build(collective.args, stencil.offsets, ndims)
  more = more or {}
  local part = { name = name, send = send, recv = recv, limits = more.limits, in_place = more.in_place,
    regions = more.regions, own_params = collective.own_params,
    transfers = transfers_of(stencil.offsets, args.topology, collective.shared, args.order, where) }
  check_signatures(part.transfers, send, recv, where)
  part = based(part, where)
  check_overlap(part.recv, where)
  return part, stencil
end

-- Names of arrays of all parts, each once; how[name]: the part that it is the name of, or "own".
local function arrays_of(parts, where)
  local out, how = {}, {}
  for _, side in ipairs(SIDES) do
    local seen = {}
    out[side] = {}
    for _, part in ipairs(parts) do
      for _, name in ipairs(part.arrays[side]) do
        local kind = part.own and "own" or part.name
        if how[name] and how[name] ~= kind then
          diag.fail(where, "field '%s' has the name of an own array, at(\"%s\", ...): the arrays of all fields are members of one struct",
            name, name)
        end
        how[name] = kind
        if not seen[name] then table.insert(out[side], name) end
        seen[name] = true
      end
    end
    if #out[side] > MOST_ARRAYS then diag.fail(where, "%d arrays to exchange, expected at most %d", #out[side], MOST_ARRAYS) end
  end
  return out
end

local function check_in_place(parts, where)
  for _, part in ipairs(parts) do
    if (part.in_place or false) ~= (parts[1].in_place or false) then
      local yes, no = part, parts[1]
      if not yes.in_place then yes, no = no, yes end
      diag.fail(where, "field '%s' is in place, field '%s' is not: in_place holds for all fields or for none", yes.name, no.name)
    end
  end
end

-- Regions of all parts, the arrays numbered through, or nil: some part has none.
local function merged_regions(parts)
  local out, boxes = { arrays = {}, send = {}, recv = {} }, {}
  for _, part in ipairs(parts) do
    local regions = part.regions
    if not regions then return nil end
    local first = #out.arrays
    for k, array in ipairs(regions.arrays) do
      out.arrays[#out.arrays + 1] = array
      boxes[#out.arrays] = function(ranges) return regions.box(k - 1, ranges) end
    end
    for _, side in ipairs(SIDES) do
      for _, region in ipairs(regions[side]) do
        table.insert(out[side], { array = region.array + first, at = region.at })
      end
    end
  end
  function out.box(k, ranges) return boxes[k + 1](ranges) end
  return out
end

local function merged(parts, where)
  local out = { arrays = arrays_of(parts, where), send = {}, recv = {}, transfers = {}, limits = {} }
  check_in_place(parts, where)
  for _, part in ipairs(parts) do
    local first = { send = #out.send, recv = #out.recv }
    for _, side in ipairs(SIDES) do
      for _, block in ipairs(part[side]) do table.insert(out[side], block) end
    end
    for _, t in ipairs(part.transfers) do
      table.insert(out.transfers, exchange.transfer { offset = t.offset, send = t.send + first.send, recv = t.recv + first.recv })
    end
    for _, limit in ipairs(part.limits or {}) do
      table.insert(out.limits, { what = ("%s: %s"):format(part.name, limit.what), value = limit.value,
        bound_what = limit.bound_what, bound = limit.bound })
    end
    out.own_params = out.own_params or part.own_params
    out.in_place = part.in_place
  end
  out.regions = merged_regions(parts)
  check_overlap(out.recv, where, " (of all fields)")
  return out
end

-- An offset that was given is of use to some field.
local function check_used(given, used)
  for i, offset in ipairs(given.offsets) do
    if not used[table.concat(offset, ",")] then
      diag.fail(nil, "offset %d (%s) is no direction of any field's halo", i - 1, table.concat(offset, ", "))
    end
  end
end

--- What a collective exchanges: {send, recv: Block[], transfers, arrays?: {send, recv: names}, regions?, limits?, own_params?,
--- in_place?}. args: topology, stencil (or nil), order, where, line_now() (the description's line, for errors).
function exchange.resolve(collective, args)
  if not collective.fields then return (part_of(collective, nil, args.stencil, args, false)) end
  local parts, used = {}, {}
  for i, field in ipairs(collective.fields) do
    diag.within(("field '%s': "):format(field.name), args.where, args.line_now, function()
      local stencil
      parts[i], stencil = part_of(field.collective, field.name, args.stencil, args, true)
      for _, offset in ipairs(stencil.offsets) do used[table.concat(offset, ",")] = true end
    end)
  end
  if args.stencil then check_used(args.stencil, used) end
  return merged(parts, args.where)
end

--- The collective, or of several fields the first, that cannot do without a stencil; nil: none.
function exchange.needs_stencil(collective)
  for _, field in ipairs(collective.fields or { { collective = collective } }) do
    if not field.collective.neighbourhood then return field.collective, field.name end
  end
end

return exchange
