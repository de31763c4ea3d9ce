-- SPDX-License-Identifier: MIT
-- Reads the tables of repetitions and the summaries of all launches into cells.
local statistics = require "reporting.statistics"

local collect = {}

local function fields(line)
  local list = {}
  for text in (line .. ";"):gmatch "%s*([^;]*);" do list[#list + 1] = text end
  return list
end

local function collective_of(name)
  return name:match "alltoall[vw]?" or name:match "allgather[vw]?" or name:match "halo"
end

function collect.is_library(name) return name:find "^MPIX?_" ~= nil end

-- The cell of a run that a row is about. In the list and by its key.
local function cell_of(cells, run, row)
  local collective = collective_of(row.name)
  local key = ("%s %s %s %s d%s n%s m%s"):format(run.library, row.np, run.transport, collective,
    row.d, row.n, row.m)
  local cell = cells[key]
  if not cell then
    cell = { library = run.library, transport = run.transport, collective = collective,
      np = tonumber(row.np), d = tonumber(row.d), n = tonumber(row.n), m = tonumber(row.m),
      functions = {}, order = {} }
    cells[key] = cell
    cells[#cells + 1] = cell
  end
  return cell
end

-- A repetition: functions[name].launches[launch] is a list of microseconds.
local function add(cell, name, launch, value)
  local entry = cell.functions[name]
  if not entry then
    entry = { name = name, launches = {}, data = "unchecked" }
    cell.functions[name] = entry
    cell.order[#cell.order + 1] = name
  end
  entry.launches[launch] = entry.launches[launch] or {}
  table.insert(entry.launches[launch], value)
end

local function read_raw(cells, run)
  local file = io.open(run.raw)
  if not file then return end
  for line in file:lines() do
    local f = fields(line)
    if #f >= 10 and tonumber(f[2]) then
      local row = { name = f[1], np = f[3], d = f[4], m = f[5], n = f[7] }
      add(cell_of(cells, run, row), f[1], run.launch, tonumber(f[10]))
    end
  end
  file:close()
end

-- The summary tells whether data were right; wrong once is wrong.
local function read_log(cells, run)
  for line in io.lines(run.log) do
    local f = fields(line)
    if #f >= 19 and tonumber(f[2]) then
      local row = { name = f[1], np = f[2], d = f[3], m = f[4], n = f[6] }
      local entry = cell_of(cells, run, row).functions[f[1]]
      if entry and entry.data ~= "wrong" then entry.data = f[18] end
      if entry then entry.program = f[20] end
    elseif line:find "^# library: " then
      cells.libraries[run.library] = line:match "^# library: (.*)"
    end
  end
end

-- The rivals' best median in one launch.
local function best_of_launch(cell, launch, is_rival)
  local best
  for _, name in ipairs(cell.order) do
    local entry = cell.functions[name]
    local values = is_rival(name, entry) and entry.launches[launch]
    local median = values and statistics.of(values).median
    if median and (not best or median < best) then best = median end
  end
  return best
end

--- The best rival of each launch against an entry of the cell: statistics over launches of (its median /
-- the entry's median), and the entry of the rival that is best over all launches. nil without one.
function collect.against(cell, entry, is_rival)
  local ratios, best = {}, nil
  for launch, values in pairs(entry.launches) do
    local median = best_of_launch(cell, launch, is_rival)
    if median then ratios[#ratios + 1] = median / statistics.of(values).median end
  end
  for _, name in ipairs(cell.order) do
    local other = cell.functions[name]
    if is_rival(name, other) and (not best or other.stats.median < best.stats.median) then best = other end
  end
  if #ratios == 0 then return nil end
  return statistics.of(ratios), best
end

local function pool(entry)
  local pooled = {}
  entry.count = 0
  for _, values in pairs(entry.launches) do
    for _, x in ipairs(values) do pooled[#pooled + 1] = x end
    entry.count = entry.count + 1
  end
  entry.stats = statistics.of(pooled)
end

local function finish(cell, is_rival)
  for _, name in ipairs(cell.order) do pool(cell.functions[name]) end
  for _, name in ipairs(cell.order) do
    local entry = cell.functions[name]
    local ratio, best = collect.against(cell, entry, is_rival)
    entry.ratio, cell.best = ratio, best or cell.best
  end
end

--- Cells of runs (fields raw, log, launch, library, transport): a list, with libraries[library] =
--- its version. Every function has all repetitions pooled (stats) and the ratio of the best rival
--- of the same launch to it (ratio: over launches); best is the best rival's entry. is_rival(name,
--- entry): default, the MPI library's calls, right or wrong.
function collect.cells(runs, is_rival)
  local cells = { libraries = {} }
  for _, run in ipairs(runs) do
    read_raw(cells, run)
    read_log(cells, run)
  end
  for _, cell in ipairs(cells) do finish(cell, is_rival or collect.is_library) end
  return cells
end

return collect
