-- SPDX-License-Identifier: MIT
-- How numbers and places are written in the report.
local text = {}

local LIBRARY = { openmpi = "Open MPI", mpich = "MPICH" }
local TRANSPORT = { shm = "shared memory", tcp = "loopback TCP" }

function text.place(c)
  return ("%s, np = %d, %s"):format(LIBRARY[c.library], c.np, TRANSPORT[c.transport])
end

function text.us(x)
  if x >= 1000 then return ("%.0f"):format(x) end
  return (x >= 100 and "%.1f" or "%.2f"):format(x)
end

function text.ratio(x) return (x >= 100 and "%.0f" or "%.2f"):format(x) end

--- A row of a Markdown table.
function text.row(list) return "| " .. table.concat(list, " | ") .. " |\n" end

--- Its head: names and the line below them.
function text.head(names)
  local line = {}
  for i = 1, #names do line[i] = "---" end
  return text.row(names) .. "|" .. table.concat(line, "|") .. "|\n"
end

return text
