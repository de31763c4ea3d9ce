-- SPDX-License-Identifier: MIT
-- Records: declared once, checked when made, never changed afterwards.
local record = {}

--- Constructor of a record type. fields: name -> "required" | "optional"; derived (optional): name -> function(record),
--- a value that is computed when it is first asked for.
function record.define(name, fields, derived)
  local meta = { type = name }
  if derived then
    function meta.__index(values, key)
      local make = derived[key]
      if not make then return nil end
      local value = make(values)
      rawset(values, key, value)
      return value
    end
  end
  return function(values)
    for key in pairs(values) do
      if not fields[key] then error(("record %s has no field '%s'"):format(name, tostring(key)), 2) end
    end
    for key, kind in pairs(fields) do
      if kind == "required" and values[key] == nil then error(("record %s lacks '%s'"):format(name, key), 2) end
    end
    return setmetatable(values, meta)
  end
end

--- Name of a record's type, nil for other values.
function record.type(value)
  local meta = type(value) == "table" and getmetatable(value)
  return meta and meta.type or nil
end

return record
