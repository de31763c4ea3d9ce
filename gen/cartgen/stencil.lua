-- SPDX-License-Identifier: MIT
-- Stencils: ordered lists of relative offsets.
local record = require "cartgen.record"
local diag = require "cartgen.diag"
local util = require "cartgen.util"

local stencil = {}

stencil.most_offsets = 100000

stencil.make = record.define("Stencil", { ndims = "required", offsets = "required" })

local function count_of(what, d, name, low, high)
  if not util.is_int(d) or d < low or d > high then
    diag.fail(nil, "%s of %s is %s, expected an integer from %d to %d", name, what, util.show(d), low, high)
  end
  return d
end

-- All vectors between from[j] and to[j], lexicographic, that `keep` wants.
local function enumerate(what, from, to, keep)
  local total = 1
  for j = 1, #from do total = total * math.max(0, to[j] - from[j] + 1) end
  if total > stencil.most_offsets then
    diag.fail(nil, "%s has %s offsets, expected at most %d", what, total < 1e9 and util.int(total) or "over 10^9",
      stencil.most_offsets)
  end
  local out, at = {}, {}
  local function fill(j)
    if j > #from then
      if not keep or keep(at) then
        local v = {}
        for k = 1, #from do v[k] = at[k] end
        out[#out + 1] = v
      end
      return
    end
    for x = from[j], to[j] do
      at[j] = x
      fill(j + 1)
    end
  end
  if total > 0 then fill(1) end
  return stencil.make { ndims = #from, offsets = out }
end

local function cube(d, from, to)
  local a, b = {}, {}
  for j = 1, d do a[j], b[j] = from, to end
  return a, b
end

local function norm(v)
  local sum = 0
  for _, x in ipairs(v) do sum = sum + math.abs(x) end
  return sum
end

local function nonzero(v) return norm(v) > 0 end

--- offsets { {1, 0}, {0, -2}, ... }: as they stand; repeats and the zero offset allowed.
function stencil.offsets(list)
  if type(list) ~= "table" then diag.fail(nil, "offsets got %s, expected a list of offsets", util.show(list)) end
  if #list > stencil.most_offsets then diag.fail(nil, "%d offsets, expected at most %d", #list, stencil.most_offsets) end
  local ndims
  local out = {}
  for key in pairs(list) do
    if not util.is_int(key) or key < 1 or key > #list then diag.fail(nil, "offsets is not a list: it has the key %s", util.show(key)) end
  end
  for i, v in ipairs(list) do
    if type(v) ~= "table" then diag.fail(nil, "offset %d is %s, expected a list of integers", i - 1, util.show(v)) end
    ndims = ndims or #v
    local copy = {}
    for j = 1, #v do
      local x = v[j]
      if not util.is_int(x) or math.abs(x) >= 2 ^ 31 then
        diag.fail(nil, "coordinate %d of offset %d is %s, expected an integer below 2^31 in size", j - 1, i - 1, util.show(x))
      end
      copy[j] = x == 0 and 0 or x
    end
    out[i] = copy
  end
  return stencil.make { ndims = ndims or 0, offsets = out }
end

--- Every offset but zero with coordinates between -r and r.
function stencil.moore(d, r)
  count_of("moore", d, "the number of dimensions", 1, 8)
  r = count_of("moore", r == nil and 1 or r, "the radius", 0, 1000)
  local from, to = cube(d, -r, r)
  return enumerate("moore", from, to, nonzero)
end

--- Every offset but zero with the sum of |coordinates| at most r.
function stencil.von_neumann(d, r)
  count_of("von_neumann", d, "the number of dimensions", 1, 8)
  r = count_of("von_neumann", r == nil and 1 or r, "the radius", 0, 1000)
  local from, to = cube(d, -r, r)
  return enumerate("von_neumann", from, to, function(v) return nonzero(v) and norm(v) <= r end)
end

--- box(d, from, to), or box { from = {...}, to = {...} }: every offset between, zero included.
function stencil.box(d, from, to)
  if type(d) == "table" then
    for _, key in ipairs(util.sorted_keys(d)) do
      if key ~= "from" and key ~= "to" then diag.fail(nil, "box has no field '%s'%s", key, util.hint(key, { "from", "to" })) end
    end
    from, to = d.from, d.to
    if type(from) ~= "table" or type(to) ~= "table" or #from ~= #to then
      diag.fail(nil, "box needs from = {...} and to = {...} of the same length")
    end
    count_of("box", #from, "the number of dimensions", 1, 8)
  else
    count_of("box", d, "the number of dimensions", 1, 8)
    from, to = cube(d, from, to)
  end
  for j = 1, #from > 0 and #from or d do
    count_of("box", from[j], ("from[%d]"):format(j - 1), -2 ^ 31 + 1, 2 ^ 31 - 1)
    count_of("box", to[j], ("to[%d]"):format(j - 1), -2 ^ 31 + 1, 2 ^ 31 - 1)
  end
  return enumerate("box", from, to)
end

local LATTICES = {
  D2Q9 = { 2, function() return true end },
  D3Q15 = { 3, function(v) return norm(v) ~= 2 end },
  D3Q19 = { 3, function(v) return norm(v) ~= 3 end },
  D3Q27 = { 3, function() return true end },
}

--- lattice "D3Q19" and so on: the velocities of lattice Boltzmann models without the rest one.
function stencil.lattice(name)
  local names = util.sorted_keys(LATTICES)
  local row = type(name) == "string" and LATTICES[name]
  if not row then diag.fail(nil, "unknown lattice %s%s", util.show(name), util.hint(name, names)) end
  local from, to = cube(row[1], -1, 1)
  return enumerate("lattice", from, to, function(v) return nonzero(v) and row[2](v) end)
end

--- cartesian(d): -1 and +1 in dimension 0, then in dimension 1, ...: MPI's order of a Cartesian
--- communicator's neighbours.
function stencil.cartesian(d)
  count_of("cartesian", d, "the number of dimensions", 1, 8)
  local out = {}
  for j = 1, d do
    for _, x in ipairs { -1, 1 } do
      local v = {}
      for k = 1, d do v[k] = k == j and x or 0 end
      out[#out + 1] = v
    end
  end
  return stencil.make { ndims = d, offsets = out }
end

return stencil
