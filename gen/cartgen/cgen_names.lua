-- SPDX-License-Identifier: MIT
-- C names of parameters inside generated functions, apart from the functions' own locals.
local expr = require "cartgen.expr"
local shape = require "cartgen.shape"

local cgen_names = {}

local RESERVED = {}
for word in ("view params values send recv in out dst src untyped i memcpy NULL S R T layout packed to from first bytes part "
  .. "skip size status state buffer to_at from_at visitor"):gmatch("%S+") do
  RESERVED[word] = true
end

local PATTERNS = { "^[ijx]%d+$", "^i%d+_%a+$", "^list%d+$", "^dst%d+$", "^src%d+$", "_to$", "_from$", "_shape%d+_pack$",
  "_shape%d+_unpack$", "_shape%d+_visit$", "_shape%d+_rows%d+$", "_values%d+$" }

--- Name of the pointer to an array of a side, or (array nil) to its buffer.
function cgen_names.pointer(side, array) return array and side .. "_" .. array or side end

-- Is `text` the pointer to an array of a schedule?
local function is_pointer(owner, text)
  for _, side in ipairs { "send", "recv" } do
    for _, array in ipairs(owner.arrays and owner.arrays[side] or {}) do
      if text == cgen_names.pointer(side, array) then return true end
    end
  end
  return false
end

--- C identifier of a parameter: its name, or with underscores where that is taken.
function cgen_names.param(problem, name)
  local out = name
  local function taken(text)
    if RESERVED[text] or text == problem.name .. "_params" or is_pointer(problem, text) then return true end
    for _, pattern in ipairs(PATTERNS) do
      if text:match(pattern) then return true end
    end
    for _, param in ipairs(problem.params) do
      if param.name == text and text ~= name then return true end
    end
    return false
  end
  while taken(out) do out = out .. "_" end
  return out
end

--- Map of all parameters of a problem or layout, and of the calls in `exprs`, to C identifiers, for cprint.
function cgen_names.map_with(owner, exprs)
  local map, seen, count = {}, {}, 0
  for _, param in ipairs(owner.params) do map[param.name] = cgen_names.param(owner, param.name) end
  for _, e in ipairs(exprs) do
    expr.each_call(e, function(f)
      map[f.text] = "x" .. count
      count = count + 1
    end, seen)
  end
  return map
end

--- The same of a problem, with the calls in what a block needs.
function cgen_names.map(problem)
  local exprs = {}
  local function add(e) exprs[#exprs + 1] = e end
  for _, side in ipairs { "send", "recv" } do
    for _, block in ipairs(problem[side]) do
      local t = block.type
      for _, e in ipairs { block.displ, t.size, t.low, t.span } do add(e) end
      shape.each_expr(t.moves, add, function() end)
    end
  end
  return cgen_names.map_with(problem, exprs)
end

return cgen_names
