-- SPDX-License-Identifier: MIT
-- halo3d's report: what it runs, which functions are rivals, what must be reached.
local collect = require "reporting.collect"
local statistics = require "reporting.statistics"
local text = require "reporting.text"

local halo = {}

halo.cells = { 4, 16, 64, 128 }

-- At least this ratio of the best rival's median to ours.
halo.targets = { [4] = 1.3, [16] = 1.3, [64] = 1, [128] = 1 }

local OWN = "Cart_halo"

-- The plain forms are those a target is about; the others are what a careful programmer may do besides.
local PLAIN = { MPI_Neighbor_halo = true, MPI_Ineighbor_halo = true, Isend_Irecv_halo = true,
  Packed_Isend_Irecv_halo = true }

--- Everything that is neither ours nor the floor, as long as it was right.
function halo.is_rival(name, entry)
  return not name:find "^Cart_" and not name:find "^Memcpy_" and entry.data ~= "wrong" and entry.data ~= "failed"
end

function halo.is_plain(name, entry) return (PLAIN[name] and halo.is_rival(name, entry)) or false end

--- Runs of all launches, the libraries by turns. options: launches, np, cells (text), repetitions, budget, functions?.
function halo.runs(o)
  local list = {}
  for number = 1, o.launches do
    local libraries = number % 2 == 1 and { "openmpi", "mpich" } or { "mpich", "openmpi" }
    for _, library in ipairs(libraries) do
      list[#list + 1] = { library = library, np = o.np, transport = "shm", launch = number, limit = 300,
        name = ("halo3d-%s-np%d-%d"):format(library, o.np, number),
        arguments = { "-f", "*", "-n", o.cells, "-r", o.repetitions, "--budget", o.budget, "--least", 5,
          "--seed", 1000 + number, "--summary", "--raw", "{raw}" } }
    end
  end
  return list
end

--- One row a cell: { cell, own, least?, plain, plain_best, all, all_best }: ratios over launches, entries of the best.
function halo.judge(cells)
  local rows = {}
  for _, cell in ipairs(cells) do
    local own = cell.functions[OWN]
    if own then
      local row = { cell = cell, own = own, least = halo.targets[cell.m] }
      row.plain, row.plain_best = collect.against(cell, own, halo.is_plain)
      row.all, row.all_best = collect.against(cell, own, halo.is_rival)
      row.met = row.plain and row.least and row.plain.median >= row.least
      rows[#rows + 1] = row
    end
  end
  return rows
end

local COLUMNS = { "library", "np", "launch", "n", "function", "data", "program", "repetitions", "min_us", "q1_us",
  "median_us", "q3_us", "max_us", "low95_us", "high95_us" }

--- Columns and rows of the CSV: a row per library, launch, size and function.
function halo.rows(cells)
  local rows = {}
  for _, cell in ipairs(cells) do
    for _, name in ipairs(cell.order) do
      local entry = cell.functions[name]
      local launches = {}
      for launch in pairs(entry.launches) do launches[#launches + 1] = launch end
      table.sort(launches)
      for _, launch in ipairs(launches) do
        local s = statistics.of(entry.launches[launch])
        local row = { cell.library, cell.np, launch, cell.m, name, entry.data, entry.program or "", s.count }
        for _, x in ipairs { s.min, s.q1, s.median, s.q3, s.max, s.low, s.high } do
          row[#row + 1] = ("%.3f"):format(x)
        end
        rows[#rows + 1] = row
      end
    end
  end
  return COLUMNS, rows
end

local METHOD = [[

The ghosts of a 3-d array of doubles: n^3 cells a process and a rim of one, 26 neighbours, a torus of all processes
(extents from MPI_Dims_create: with two processes 2, 1, 1, so that 18 neighbours are the other process and 8 the process
itself). Every function works in place on the same array in one run. What it leaves is compared with values computed from
coordinates, ghosts, interior and the memory round the array, before and after it is timed; what was wrong is marked (!)
and is no rival.

Times are microseconds: medians over the repetitions of all launches (%d), of the largest over the processes; in brackets
the 95 %% interval of the median by order statistics. A repetition is a barrier and a batch of runs back to back (100 us of
them where one is shorter) divided by their number; functions are interleaved in random order within a launch. A ratio is
the best rival's median divided by that of Cart_halo, both of one launch; told is the median over launches and, in
brackets, their range. Above 1 Cart_halo is faster.

| function | |
|---|---|
| `Cart_halo` | cartgen, algorithm `auto`; `:direct`, `:dimensionwise`: these alone |
| `MPI_Neighbor_halo` | MPI_Neighbor_alltoallw of subarray types on a graph communicator, an edge per neighbour |
| `MPI_Ineighbor_halo` | MPI_Ineighbor_alltoallw so, and its wait |
| `Isend_Irecv_halo` | subarray types, a message per neighbour |
| `Packed_Isend_Irecv_halo` | loops (-O3 -march=native) to and from contiguous messages, one per neighbour; own cells from box to box |
| `:merged` | the same, with one message (edge) per process: a struct of the subarrays, or one buffer |
| `:dimensionwise` | the same, two messages per dimension, one dimension after the other |
| `Memcpy_halo` | the floor: the 26 boxes copied within the process by loops |

The targets are about the forms with a message per neighbour (plain). The other forms are told beside them.

]]

local function ratio(r) return ("%s [%s, %s]"):format(text.ratio(r.median), text.ratio(r.min), text.ratio(r.max)) end

local function against(r, best)
  if not r then return "", "" end
  return ("%s, %s"):format(best.name, text.us(best.stats.median)), ratio(r)
end

local function verdict(row)
  if not row.least or not row.plain then return "" end
  if row.met then return "met" end
  return row.plain.max >= row.least and "missed, within the range of launches" or "**missed**"
end

local function target_table(file, rows)
  file:write "## Targets\n\n"
  file:write(text.head { "configuration", "n", "Cart_halo", "took", "best plain rival", "ratio", "at least", "",
    "best of all rivals", "ratio" })
  for _, row in ipairs(rows) do
    local plain, plain_ratio = against(row.plain, row.plain_best)
    local all, all_ratio = against(row.all, row.all_best)
    file:write(text.row { text.place(row.cell), ("%d"):format(row.cell.m), text.us(row.own.stats.median),
      row.own.program or "", plain, plain_ratio, row.least and ("%g"):format(row.least) or "", verdict(row), all,
      all_ratio })
  end
  file:write "\n"
end

local function time_text(entry, best)
  if not entry then return "" end
  local s = entry.stats
  local median = text.us(s.median)
  if entry == best then median = "**" .. median .. "**" end
  local mark = entry.data == "wrong" and " (!)" or ""
  return ("%s [%s, %s]%s"):format(median, text.us(s.low), text.us(s.high), mark)
end

-- Functions down, sizes across.
local function place_table(file, cells)
  local names, head = {}, { "function" }
  for _, cell in ipairs(cells) do head[#head + 1] = ("n = %d"):format(cell.m) end
  file:write("## ", text.place(cells[1]), "\n\nThe best rival is bold.\n\n", text.head(head))
  for _, name in ipairs(cells[1].order) do names[#names + 1] = name end
  for _, name in ipairs(names) do
    local row = { name }
    for _, cell in ipairs(cells) do row[#row + 1] = time_text(cell.functions[name], cell.best) end
    file:write(text.row(row))
  end
  file:write "\n"
end

--- The report as Markdown. options: launches, quick, failures (lines).
function halo.write(file, facts, cells, rows, options)
  file:write "# The halo of a 3-d array: cartgen, MPI's types and loops\n\n"
  file:write("Written by `bench/halo3d/report", options.quick and " --quick" or "",
    "`; halo3d.csv has the figures of every launch.\n\n")
  for _, fact in ipairs(facts) do file:write("- ", fact, "\n") end
  file:write(METHOD:format(options.launches))
  target_table(file, rows)
  local places = {}
  for _, cell in ipairs(cells) do
    local place = text.place(cell)
    if not places[place] then
      places[place] = {}
      places[#places + 1] = places[place]
    end
    table.insert(places[place], cell)
  end
  for _, list in ipairs(places) do place_table(file, list) end
  if #options.failures > 0 then
    file:write("## Launches that failed\n\n- ", table.concat(options.failures, "\n- "), "\n")
  end
end

return halo
