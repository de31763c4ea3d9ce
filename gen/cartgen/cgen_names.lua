-- SPDX-License-Identifier: MIT
-- C names of parameters inside generated functions, apart from the functions' own locals.
local expr = require "cartgen.expr"
local shape = require "cartgen.shape"

local cgen_names = {}

local RESERVED = {}
for word in ("view params send recv in out dst src untyped i memcpy NULL S R T"):gmatch("%S+") do
  RESERVED[word] = true
end

--- C identifier of a parameter: its name, or with underscores where that is taken.
function cgen_names.param(problem, name)
  local out = name
  local function taken(text)
    if RESERVED[text] or text:match "^[ijx]%d+$" or text == problem.name .. "_params" then return true end
    if text:match("_shape%d+_pack$") or text:match("_shape%d+_unpack$")
      or text:match("_values%d+$") then return true end
    for _, param in ipairs(problem.params) do
      if param.name == text and text ~= name then return true end
    end
    return false
  end
  while taken(out) do out = out .. "_" end
  return out
end

--- Map of all parameters, and of the calls in what a block needs, to C identifiers, for cprint.
function cgen_names.map(problem)
  local map, seen, count = {}, {}, 0
  for _, param in ipairs(problem.params) do map[param.name] = cgen_names.param(problem, param.name) end
  local function add(e)
    expr.each_call(e, function(f)
      map[f.text] = "x" .. count
      count = count + 1
    end, seen)
  end
  for _, side in ipairs { "send", "recv" } do
    for _, block in ipairs(problem[side]) do
      local t = block.type
      for _, e in ipairs { block.displ, t.size, t.low, t.span } do add(e) end
      shape.each_expr(t.moves, add, function() end)
    end
  end
  return map
end

return cgen_names
