-- SPDX-License-Identifier: MIT
-- Topologies: d dimensions, each periodic or not, extents fixed or known when the plan is made.
local record = require "cartgen.record"
local diag = require "cartgen.diag"
local util = require "cartgen.util"

local topology = {}

topology.most_dims = 8

topology.make = record.define("Topology", { ndims = "required", periods = "required", dims = "optional" })

local function checked_dims(what, dims)
  if #dims < 1 or #dims > topology.most_dims then
    diag.fail(nil, "%s has %d dimensions, expected 1 to %d", what, #dims, topology.most_dims)
  end
  for j, n in ipairs(dims) do
    if not util.is_int(n) or n < 1 or n >= 2 ^ 31 then
      diag.fail(nil, "extent %d of %s is %s, expected an integer from 1 to 2^31 - 1", j - 1, what, util.show(n))
    end
  end
  return dims
end

local function uniform(what, arg, periodic)
  local dims
  if type(arg) == "table" and record.type(arg) == nil and getmetatable(arg) == nil then
    dims = checked_dims(what, arg)
    arg = #dims
  end
  if not util.is_int(arg) or arg < 1 or arg > topology.most_dims then
    diag.fail(nil, "%s got %s, expected a number of dimensions from 1 to %d or a list of extents", what,
      util.show(arg), topology.most_dims)
  end
  local periods = {}
  for j = 1, arg do periods[j] = periodic end
  return topology.make { ndims = arg, periods = periods, dims = dims }
end

--- torus(d) or torus { extents }.
function topology.torus(arg) return uniform("torus", arg, true) end

--- mesh(d) or mesh { extents }.
function topology.mesh(arg) return uniform("mesh", arg, false) end

--- cart { periods = { true, false }, dims = { 4, 4 } }.
function topology.cart(arg)
  if type(arg) ~= "table" then diag.fail(nil, "cart got %s, expected { periods = {...}, dims = {...} }", util.show(arg)) end
  for _, key in ipairs(util.sorted_keys(arg)) do
    if key ~= "periods" and key ~= "dims" then
      diag.fail(nil, "cart has no field '%s'%s", key, util.hint(key, { "periods", "dims" }))
    end
  end
  local periods = arg.periods
  if type(periods) ~= "table" then diag.fail(nil, "cart needs periods = { true or false for each dimension }") end
  if #periods < 1 or #periods > topology.most_dims then
    diag.fail(nil, "cart has %d dimensions, expected 1 to %d", #periods, topology.most_dims)
  end
  for j, p in ipairs(periods) do
    if type(p) ~= "boolean" then diag.fail(nil, "period %d of cart is %s, expected true or false", j - 1, util.show(p)) end
  end
  if arg.dims ~= nil then
    if type(arg.dims) ~= "table" or #arg.dims ~= #periods then
      diag.fail(nil, "dims of cart is %s, expected %d (one for each of periods)",
        type(arg.dims) == "table" and "a list of " .. #arg.dims or util.show(arg.dims), #periods)
    end
    checked_dims("cart", arg.dims)
  end
  return topology.make { ndims = #periods, periods = periods, dims = arg.dims }
end

return topology
