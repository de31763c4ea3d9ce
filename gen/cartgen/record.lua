-- SPDX-License-Identifier: MIT
-- Records: declared once, checked when made, never changed afterwards.
local record = {}

--- Constructor of a record type. fields: name -> "required" | "optional".
function record.define(name, fields)
  local meta = { type = name }
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
