-- SPDX-License-Identifier: MIT
-- Templates: text with @HOLES@; every hole needs a value and every value a hole.
local template = {}

--- text with holes replaced by values[NAME] (strings). `name` is the template's, for errors.
function template.fill(name, text, values)
  local used = {}
  local out = text:gsub("@([A-Z_]+)@", function(hole)
    local value = values[hole]
    if type(value) ~= "string" then error(("template %s: no value for @%s@"):format(name, hole)) end
    used[hole] = true
    return value
  end)
  for hole in pairs(values) do
    if not used[hole] then error(("template %s: no hole for @%s@"):format(name, hole)) end
  end
  return out
end

return template
