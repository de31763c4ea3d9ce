-- SPDX-License-Identifier: MIT
-- halo { array, width } or halo { arrays = { { array, width, displ? }, ... } }: arrays and their ghost rims.
--
-- Dimension j of an array lies along dimension j of the grid. The block of direction v, a vector of {-1, 0, 1}^d: what is
-- sent are the cells next to the side v of the interior, as wide as the ghosts of the receiver on the side -v; what is
-- received are the ghosts on the side -v. Along 0 both are the interior's extent.
local blocks = require "cartgen.collectives.blocks"
local datatype = require "cartgen.datatype"
local diag = require "cartgen.diag"
local expr = require "cartgen.expr"
local record = require "cartgen.record"
local stencil = require "cartgen.stencil"
local subarray = require("cartgen.datatypes.subarray").words.subarray
local util = require "cartgen.util"

local halo = { name = "halo", shared = false, own_params = true }

local ALL_FIELDS = { "array", "width", "displ", "order", "arrays", "corners", "in_place" }
local FIELDS = { "array", "width", "displ", "order" }

local function is_list(v) return type(v) == "table" and not record.type(v) and not expr.is(v) end

local function side_width(v, what, side, j)
  return datatype.count(v, ("the %s width of %s in dimension %d"):format(side, what, j - 1), 0)
end

-- low[], high[]: ghosts on each side of each dimension.
local function widths(given, what, ndims)
  local low, high = {}, {}
  if is_list(given) and #given ~= ndims then
    diag.fail(nil, "the width of %s has %d %s, the topology has %d dimension%s", what, #given,
      #given == 1 and "entry" or "entries", ndims, ndims == 1 and "" or "s")
  end
  for j = 1, ndims do
    local w = is_list(given) and given[j] or given
    if is_list(w) and #w ~= 2 then
      diag.fail(nil, "the width of %s in dimension %d has %d %s, expected { low, high }", what, j - 1, #w,
        #w == 1 and "entry" or "entries")
    end
    low[j] = side_width(is_list(w) and w[1] or w, what, "low", j)
    high[j] = side_width(is_list(w) and w[2] or w, what, "high", j)
  end
  return low, high
end

local function is_zero(e) return expr.is_const(e) and expr.value(e) == 0 end

-- What must hold at init: a width may not pass the interior's extent. Constants are checked here.
local function limit(limits, a, j, side, width)
  local inner = a.inner[j]
  local value = ("the %swidth of %s in dimension %d"):format(side, a.what, j - 1)
  if expr.is_const(width) and expr.is_const(inner) then
    if expr.value(width) > expr.value(inner) then
      diag.fail(nil, "%s is %s, more than the interior's extent, %s", value, expr.text(width), expr.text(inner))
    end
    return
  end
  limits[#limits + 1] = { what = value, value = width, bound_what = "the interior's extent", bound = inner }
end

local function limits_of(a, limits)
  for j, low in ipairs(a.low) do
    local high = a.high[j]
    if expr.is_const(low) and expr.is_const(high) then
      limit(limits, a, j, "", expr.of(math.max(expr.value(low), expr.value(high))))
    elseif expr.equal(low, high) then
      limit(limits, a, j, "", low)
    else
      limit(limits, a, j, "low ", low)
      limit(limits, a, j, "high ", high)
    end
  end
end

local function one_array(given, what, args, ndims)
  if not datatype.is(given.array) or given.array.kind ~= "array" then
    diag.fail(nil, "%s of halo is %s, expected array(type, dims)", what, util.show(given.array))
  end
  if #given.array.dims ~= ndims then
    diag.fail(nil, "%s of halo has %d dimension%s, the topology has %d", what, #given.array.dims,
      #given.array.dims == 1 and "" or "s", ndims)
  end
  local width = given.width == nil and args.width or given.width
  if width == nil then diag.fail(nil, "%s of halo has no width", what) end
  local order = given.order == nil and args.order or given.order
  if order ~= nil and order ~= "C" and order ~= "Fortran" then
    diag.fail(nil, "the order of halo is %s, expected 'C' or 'Fortran'", util.show(order))
  end
  local a = { what = what, type = given.array.type, dims = {}, inner = {}, order = order or "C",
    displ = datatype.count(given.displ == nil and 0 or given.displ, "the displ of " .. what) }
  a.low, a.high = widths(width, what, ndims)
  for j, dim in ipairs(given.array.dims) do
    a.dims[j] = dim.size
    a.inner[j] = expr.sub(dim.size, expr.add(a.low[j], a.high[j]))
  end
  return a
end

local function flag(args, name, default)
  local v = args[name]
  if v == nil then return default end
  if type(v) ~= "boolean" then diag.fail(nil, "%s of halo is %s, expected true or false", name, util.show(v)) end
  return v
end

local function read_arrays(args, ndims)
  blocks.check_fields("halo", args, ALL_FIELDS, {})
  if (args.array == nil) == (args.arrays == nil) then
    diag.fail(nil, "halo needs %s", args.array == nil and "array = array(type, dims) or arrays = { ... }"
      or "either array or arrays, not both")
  end
  if args.array ~= nil then return { one_array(args, "the array", args, ndims) } end
  if not is_list(args.arrays) or #args.arrays == 0 then
    diag.fail(nil, "arrays of halo is %s, expected a list of { array = ..., width = ... }",
      is_list(args.arrays) and "empty" or util.show(args.arrays))
  end
  if args.displ ~= nil then diag.fail(nil, "displ of halo belongs to the entries of arrays") end
  local out = {}
  for i, given in ipairs(args.arrays) do
    local what = ("array %d"):format(i - 1)
    blocks.check_fields(what .. " of halo", given, FIELDS, { "array" })
    if i > 1 and given.displ == nil then diag.fail(nil, "%s of halo has no displ: its bytes from the buffer's address", what) end
    out[i] = one_array(given, what, args, ndims)
  end
  return out
end

-- Has the array ghosts that direction v fills?
local function has_ghosts(a, v)
  for j, x in ipairs(v) do
    if x ~= 0 and is_zero((x > 0 and a.low or a.high)[j]) then return false end
  end
  return true
end

local function steps_of(v)
  local n = 0
  for _, x in ipairs(v) do n = n + math.abs(x) end
  return n
end

local function key_of(v) return table.concat(v, ",") end

-- Why an offset is no direction of a halo, or nil. seen: key -> number of the offsets before.
local function no_direction(v, arrays, corners, seen)
  for _, x in ipairs(v) do
    if math.abs(x) > 1 then return "its coordinates are not all -1, 0 or 1" end
  end
  if steps_of(v) == 0 then return "it is zero" end
  if not corners and steps_of(v) > 1 then return "it is no face, and corners is false" end
  local any = false
  for _, a in ipairs(arrays) do any = any or has_ghosts(a, v) end
  if not any then return "there are no ghosts to receive" end
  if seen[key_of(v)] then return ("it is offset %d once more"):format(seen[key_of(v)]) end
end

-- A stencil that was given: distinct directions whose ghosts are there. among: what is none is another field's.
local function directions(offsets, arrays, corners, among)
  local seen, out = {}, {}
  for i, v in ipairs(offsets) do
    local why = no_direction(v, arrays, corners, seen)
    if not why then
      out[#out + 1] = v
      seen[key_of(v)] = i - 1
    elseif not among then
      diag.fail(nil, "offset %d (%s) is no direction of a halo: %s", i - 1, table.concat(v, ", "), why)
    end
  end
  return out
end

--- The offsets that are exchanged, one for each array that has ghosts there: from the stencil given, or all. among: the
--- stencil is that of several fields, and only its directions of this halo count.
function halo.neighbourhood(args, ndims, given, among)
  local arrays = read_arrays(args, ndims)
  local corners = flag(args, "corners", true)
  local out = {}
  for _, v in ipairs(given and directions(given.offsets, arrays, corners, among) or stencil.moore(ndims, 1).offsets) do
    for _, a in ipairs(arrays) do
      if has_ghosts(a, v) and (corners or steps_of(v) == 1) then out[#out + 1] = v end
    end
  end
  return stencil.make { ndims = ndims, offsets = out }
end

-- Range of an array's dimension j by name: first cell and number of cells. "first" and "last" are the cells of the
-- interior that neighbours take for their high and low ghosts.
local RANGES = {
  low = function(a, j) return expr.of(0), a.low[j] end,
  inner = function(a, j) return a.low[j], a.inner[j] end,
  high = function(a, j) return expr.add(a.low[j], a.inner[j]), a.high[j] end,
  all = function(a, j) return expr.of(0), a.dims[j] end,
  first = function(a, j) return a.low[j], a.high[j] end,
  last = function(a, j) return a.inner[j], a.low[j] end,
}

local function box(a, ranges)
  local starts, subsizes = {}, {}
  for j, range in ipairs(ranges) do starts[j], subsizes[j] = RANGES[range](a, j) end
  return blocks.block { displ = a.displ, type = subarray { sizes = a.dims, subsizes = subsizes, starts = starts,
    type = a.type, order = a.order } }
end

local SENT = { [-1] = "first", [0] = "inner", [1] = "last" }
local RECEIVED = { [-1] = "high", [0] = "inner", [1] = "low" }

local function ranges_of(v, names)
  local out = {}
  for j, x in ipairs(v) do out[j] = names[x] end
  return out
end

-- The array of each offset: the k-th of equal offsets is of the k-th array with ghosts there.
local function owners(arrays, offsets)
  local next_of, out = {}, {}
  for i, v in ipairs(offsets) do
    local k = (next_of[key_of(v)] or 0) + 1
    while not has_ghosts(arrays[k], v) do k = k + 1 end
    next_of[key_of(v)], out[i] = k, k
  end
  return out
end

--- Send and receive blocks, and what is known beyond them: regions (see Problem), limits, in_place.
function halo.build(args, offsets, ndims)
  local arrays = read_arrays(args, ndims)
  local send, recv, limits = {}, {}, {}
  local places = {} -- of send and of receive blocks alike
  local regions = { arrays = {}, send = places, recv = places }
  for k, a in ipairs(arrays) do
    limits_of(a, limits)
    regions.arrays[k] = { low = {}, high = {} }
    for j = 1, ndims do
      regions.arrays[k].low[j], regions.arrays[k].high[j] = not is_zero(a.low[j]), not is_zero(a.high[j])
    end
  end
  for i, k in ipairs(owners(arrays, offsets)) do
    send[i] = box(arrays[k], ranges_of(offsets[i], SENT))
    recv[i] = box(arrays[k], ranges_of(offsets[i], RECEIVED))
    places[i] = { array = k - 1, at = offsets[i] }
  end
  function regions.box(k, ranges) return box(arrays[k + 1], ranges) end
  return send, recv, { regions = regions, limits = limits, in_place = flag(args, "in_place", false) }
end

return halo
