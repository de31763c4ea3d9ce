-- SPDX-License-Identifier: MIT
-- C names of parameters inside generated functions, apart from the functions' own locals.
local cgen_names = {}

local RESERVED = {}
for word in ("view params send recv in out dst src untyped i memcpy NULL S R T"):gmatch("%S+") do
  RESERVED[word] = true
end

--- C identifier of a parameter: its name, or with underscores where that is taken.
function cgen_names.param(problem, name)
  local out = name
  local function taken(text)
    if RESERVED[text] or text:match "^[ij]%d+$" or text == problem.name .. "_params" then return true end
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

--- Map of all parameters, for cprint.
function cgen_names.map(problem)
  local map = {}
  for _, param in ipairs(problem.params) do map[param.name] = cgen_names.param(problem, param.name) end
  return map
end

return cgen_names
