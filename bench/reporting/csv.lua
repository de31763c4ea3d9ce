-- SPDX-License-Identifier: MIT
-- The report as CSV: a row per configuration, cell and function.
local csv = {}

local COLUMNS = { "library", "np", "transport", "collective", "d", "n", "m", "function", "data",
  "launches", "repetitions", "min_us", "q1_us", "median_us", "q3_us", "low95_us", "high95_us",
  "best_mpi", "ratio", "ratio_min", "ratio_max", "program" }

local function us(x) return ("%.3f"):format(x) end

local function row(cell, entry)
  local s, r = entry.stats, entry.ratio
  local function ratio(x) return r and ("%.4f"):format(x) or "" end
  local list = { cell.library, cell.np, cell.transport, cell.collective, cell.d, cell.n, cell.m,
    entry.name, entry.data, entry.count, s.count, us(s.min), us(s.q1), us(s.median), us(s.q3),
    us(s.low), us(s.high), cell.best and cell.best.name or "", ratio(r and r.median),
    ratio(r and r.min), ratio(r and r.max), '"' .. (entry.program or "") .. '"' }
  for i, x in ipairs(list) do
    if type(x) == "number" then list[i] = ("%d"):format(x) end
  end
  return table.concat(list, ",") .. "\n"
end

function csv.write(file, cells)
  file:write(table.concat(COLUMNS, ","), "\n")
  for _, cell in ipairs(cells) do
    for _, name in ipairs(cell.order) do file:write(row(cell, cell.functions[name])) end
  end
end

--- Facts as comment lines, the columns' names, then rows: lists of texts and numbers.
function csv.rows(file, facts, columns, rows)
  for _, fact in ipairs(facts) do file:write("# ", fact, "\n") end
  file:write(table.concat(columns, ","), "\n")
  for _, row_ in ipairs(rows) do file:write(table.concat(row_, ","), "\n") end
end

return csv
