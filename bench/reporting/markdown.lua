-- SPDX-License-Identifier: MIT
-- The report as Markdown.
local targets = require "reporting.targets"
local text = require "reporting.text"

local markdown = {}

local METHOD = [[

Offsets {-1 .. n-2}^d on a torus of all processes (extents from MPI_Dims_create), blocks of m ints.
Times are microseconds: medians over the repetitions of all launches (%d), of the largest over the
processes; in brackets the 95 %% interval of the median by order statistics. A repetition is a
barrier and a batch of runs back to back (100 us of them where one is shorter), divided by their
number; functions are interleaved in random order within a launch. A ratio is the best MPI call's
median divided by the function's, both of one launch; told is the median over launches and, in
brackets, their range. Contents are checked before and after timing by the program that is timed.

Two processes make a torus of extents 2, 1, 1, ...: all blocks that leave a process go to one
neighbour, so that merged residues leave one message per process. That is part of the gain at
np = 2. `Packed` is the same done by hand: packed, one message per process.

]]

local function head(file, facts, cells, options)
  file:write "# Cartesian neighbourhood exchanges: cartgen and the MPI library\n\n"
  file:write("Written by `bench/report", options.quick and " --quick" or "", "`.\n\n")
  for _, fact in ipairs(facts) do file:write("- ", fact, "\n") end
  for _, library in ipairs { "openmpi", "mpich" } do
    if cells.libraries[library] then file:write("- library: ", cells.libraries[library], "\n") end
  end
  file:write(METHOD:format(options.launches))
end

local function target_table(file, rows)
  file:write "## Targets\n\nRatio of `auto` to the best MPI call; the worst cell counts.\n\n"
  file:write(text.head { "target", "configuration", "at least", "worst cell", "ratio", "" })
  for _, row in ipairs(rows) do
    local c, ratio = row.cells[1].cell, row.cells[1].ratio
    local verdict = #row.short == 0 and "met"
      or ("**missed** in %d of %d cells"):format(#row.short, #row.cells)
    file:write(text.row { row.target.text, text.place(row.configuration),
      ("%g"):format(row.target.least), ("d=%d n=%d m=%d"):format(c.d, c.n, c.m),
      ("%s [%s, %s]"):format(text.ratio(ratio.median), text.ratio(ratio.min),
        text.ratio(ratio.max)), verdict })
  end
  file:write "\n"
end

local function short_row(row, entry)
  local c = entry.cell
  local function median(name)
    local e = c.functions[name .. c.collective]
    return e and text.us(e.stats.median) or ""
  end
  return text.row { text.place(c), ("%s d=%d n=%d m=%d"):format(c.collective, c.d, c.n, c.m),
    ("%g"):format(row.target.least), text.ratio(entry.ratio.median), median "Cart_neighbor_",
    text.us(c.best.stats.median), median "Packed_Isend_Irecv_", median "Memcpy_",
    c.functions["Cart_neighbor_" .. c.collective].program or "" }
end

local function short_table(file, rows)
  local lines = {}
  for _, row in ipairs(rows) do
    for _, entry in ipairs(row.short) do lines[#lines + 1] = short_row(row, entry) end
  end
  if #lines == 0 then return end
  file:write "### Cells that fall short\n\n"
  file:write "`packed` and `memcpy`: what one packed message and the bytes alone cost there.\n\n"
  file:write(text.head { "configuration", "cell", "at least", "ratio", "auto", "best MPI",
    "packed", "memcpy", "auto took" })
  file:write(table.concat(lines), "\n")
end

-- Head of a column and the functions it shows (the first that is there).
local COLUMNS = {
  { "auto", "Cart_neighbor_%s" }, { "auto, persistent", "Cart_neighbor_%s:persistent" },
  { "direct", "Cart_neighbor_%s:direct" }, { "partial", "Cart_neighbor_%s:partial" },
  { "combining", "Cart_neighbor_%s:combining" },
  { "Neighbor", "MPI_Neighbor_%s" }, { "Ineighbor", "MPI_Ineighbor_%s" },
  { "persistent", "MPI_Neighbor_%s_init", "MPIX_Neighbor_%s_init" },
  { "Isend/Irecv", "Isend_Irecv_%s" }, { "Packed", "Packed_Isend_Irecv_%s" },
  { "Memcpy", "Memcpy_%s" },
}

local function find(cell, column)
  for i = 2, #column do
    local entry = cell.functions[column[i]:format(cell.collective)]
    if entry then return entry end
  end
  return nil
end

local function time_text(cell, entry, with_interval)
  if not entry then return "" end
  local s = entry.stats
  local out = text.us(s.median)
  if entry == cell.best then out = "**" .. out .. "**" end
  if with_interval or entry == cell.best then
    out = ("%s [%s, %s]"):format(out, text.us(s.low), text.us(s.high))
  end
  return entry.data == "wrong" and out .. " (!)" or out
end

local function cell_row(cell)
  local own = find(cell, COLUMNS[1])
  local list = { ("%d"):format(cell.d), ("%d"):format(cell.n), ("%d"):format(cell.m) }
  for i, column in ipairs(COLUMNS) do
    list[#list + 1] = time_text(cell, find(cell, column), i == 1)
  end
  list[#list + 1] = own and own.program or ""
  list[#list + 1] = own and own.ratio and text.ratio(own.ratio.median) or ""
  return text.row(list)
end

-- All cells of a configuration and a collective.
local function cell_table(file, cells, configuration, collective)
  local lines = {}
  for _, cell in ipairs(cells) do
    if targets.same_place(cell, configuration) and cell.collective == collective then
      lines[#lines + 1] = cell_row(cell)
    end
  end
  if #lines == 0 then return end
  local names = { "d", "n", "m" }
  for _, column in ipairs(COLUMNS) do names[#names + 1] = column[1] end
  names[#names + 1] = "auto took"
  names[#names + 1] = "auto against best MPI"
  local all = table.concat(lines)
  file:write("## ", text.place(configuration), ": ", collective, "\n\n")
  file:write(text.head(names), all, "\n")
  if all:find("(!)", 1, true) then
    file:write "(!): wrong data were delivered here; timed all the same.\n\n"
  end
end

--- rows: of targets.judge. options: launches, quick, collectives (in order), failures (lines).
function markdown.write(file, facts, cells, rows, configurations, options)
  head(file, facts, cells, options)
  target_table(file, rows)
  short_table(file, rows)
  file:write("In what follows the best MPI call of a cell is bold; `auto took` is the program that was chosen\n",
    "when the plan was made, and the messages a process sends.\n\n")
  for _, configuration in ipairs(configurations) do
    for _, collective in ipairs(options.collectives) do
      cell_table(file, cells, configuration, collective)
    end
  end
  if #options.failures > 0 then
    file:write("## Launches that failed\n\n- ", table.concat(options.failures, "\n- "), "\n")
  end
end

return markdown
