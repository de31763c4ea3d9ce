-- SPDX-License-Identifier: MIT
-- ddtbench's report as Markdown.
local merge = require "reporting.ddt_merge"
local text = require "reporting.text"

local markdown = {}

local NAMES = { openmpi = "Open MPI", mpich = "MPICH" }

local METHOD = [[

The 69 pairs of a test and a size of docs/ddtbench.md. Every method's data were compared with an element-by-element
definition by the program that was timed; launches with wrong data fail and are listed.

*Kernels.* Pack and unpack alone, in one process: %s. Both builds ran in turn,
%d launches each, in a new order of methods every lap. cartgen's kernels and the loops (`manual`) are in both builds,
MPI_Pack is each library's own. The rivals of a cell are `manual`, Open MPI's MPI_Pack and MPICH's. Each is
divided by cartgen's time of the same launch, so that launches need not be alike; a rival's ratio is the median of these
over launches (of both builds for `manual`), and the best rival of a cell is the one with the least
ratio. In brackets: the range over launches.

*End to end.* Ping-pongs of two processes over shared memory, pack + communication + unpack as process 0 sees them,
%s, %d launches with each library. The rivals are `manual`, `mpi_ddt` and `mpi_pack_ddt` of the same
library, again each divided by cartgen's time of the same launch.

Above 1 cartgen is faster. ddtbench.csv has the medians and quartiles of every launch.

]]

local function ns(x) return (x >= 1000 and "%.0f" or "%.1f"):format(x) end

local function ratio(r) return r and text.ratio(r.median) or "" end

local function range(r) return r and ("%s [%s, %s]"):format(text.ratio(r.median), text.ratio(r.min), text.ratio(r.max)) or "" end

local function met(value, least) return value >= least and "met" or "**missed**" end

local function short_name(name)
  return (name:gsub("mpi_pack_ddt openmpi", "MPI_Pack (Open MPI)"):gsub("mpi_pack_ddt mpich", "MPI_Pack (MPICH)"))
end

local function in_cache(cache) return function(c) return c.cache == cache end end

local function filter(list, wanted)
  local out = {}
  for _, x in ipairs(list) do
    if wanted(x) then out[#out + 1] = x end
  end
  return out
end

local LEAST_MEAN = { hot = 1.4, l3 = 1.15, dram = 1.15 }

local function mean_table(file, cells)
  file:write "## Geometric means of best rival / cartgen\n\n"
  file:write(text.head { "state", "pack and unpack", "at least", "", "pack", "unpack", "cells", "below 0.95",
    "of them in every launch" })
  for _, cache in ipairs(merge.caches) do
    local mine = filter(cells, in_cache(cache))
    local all, count = merge.mean(mine)
    if all then
      local function of(verb)
        local x = merge.mean(mine, function(c) return c.verb == verb end)
        return x and text.ratio(x) or ""
      end
      local short = merge.short(mine)
      local always = filter(short, function(c) return c.ratio.max < merge.least end)
      file:write(text.row { cache, text.ratio(all), ("%g"):format(LEAST_MEAN[cache]), met(all, LEAST_MEAN[cache]),
        of "pack", of "unpack", ("%d"):format(count), ("%d"):format(#short), ("%d"):format(#always) })
    end
  end
  file:write "\n"
end

local KERNEL_HEAD = { "test", "size", "state", "verb", "bytes", "lines / byte", "cartgen ns", "memcpy ns",
  "cartgen / memcpy", "manual", "MPI_Pack (Open MPI)", "MPI_Pack (MPICH)", "best", "ratio" }

local function kernel_row(c)
  local r = c.rivals
  return text.row { c.test, c.size, c.cache, c.verb, ("%d"):format(c.bytes), c.lines and ("%.2f"):format(c.lines) or "",
    ns(c.ns.median), c.memcpy and ns(c.memcpy.median) or "", c.floor and text.ratio(c.floor.median) or "",
    ratio(r.manual), ratio(r["mpi_pack_ddt openmpi"]), ratio(r["mpi_pack_ddt mpich"]), short_name(c.best), range(c.ratio) }
end

local function kernel_table(file, title, note, cells)
  file:write("## ", title, "\n\n", note, "\n\n")
  if #cells == 0 then
    file:write "None.\n\n"
    return
  end
  file:write(text.head(KERNEL_HEAD))
  for _, c in ipairs(cells) do file:write(kernel_row(c)) end
  file:write "\n"
end

local function transpose_table(file, cells)
  local mine = filter(cells, function(c) return c.test == "FFT2" and c.verb == "unpack" end)
  if #mine == 0 then return end
  file:write "## FFT2: unpack\n\nAt least 2 for N >= 512.\n\n"
  file:write(text.head { "N", "state", "cartgen ns", "cartgen / memcpy", "best", "ratio", "" })
  for _, c in ipairs(mine) do
    local judged = (tonumber(c.size) or 0) >= 512
    file:write(text.row { c.size, c.cache, ns(c.ns.median), c.floor and text.ratio(c.floor.median) or "",
      short_name(c.best), range(c.ratio), judged and met(c.ratio.median, 2) or "" })
  end
  file:write "\n"
end

local function long_table(file, cells, runs)
  local mine = merge.long_runs(cells, runs, 4096)
  if #mine == 0 then return end
  table.sort(mine, function(a, b)
    if a.cache ~= b.cache then return a.cache > b.cache end
    return a.floor.median > b.floor.median
  end)
  file:write "## Runs of 4 KiB and more against memcpy\n\n"
  file:write "Pairs whose runs (bytes / runs of the side) are 4096 bytes or longer on average; at most 1.1.\n\n"
  file:write(text.head { "state", "test", "size", "verb", "bytes a run", "memcpy ns", "cartgen / memcpy", "" })
  for _, c in ipairs(mine) do
    local run = c.bytes / runs[c.test .. "," .. c.size][c.verb]
    local f = c.floor
    local verdict = f.median <= 1.1 and "met" or f.min <= 1.1 and "missed, within the range of launches" or "**missed**"
    file:write(text.row { c.cache, c.test, c.size, c.verb, ("%.0f"):format(run), ns(c.memcpy.median), range(f), verdict })
  end
  file:write "\n"
end

local METHODS = { "cartgen", "manual", "mpi_ddt", "mpi_pack_ddt", "reference" }

local VERDICT = { faster = "", noise = "within noise", slower = "**slower**" }

local function pair_row(p)
  local row = { p.test, p.size, ("%d"):format(p.bytes) }
  for _, method in ipairs(METHODS) do
    row[#row + 1] = p.methods[method] and text.us(p.methods[method].median) or ""
  end
  local function percent(method) return ("%.0f %%"):format(100 * p.spreads[method].median) end
  row[#row + 1], row[#row + 2] = percent "cartgen", percent(p.best)
  row[#row + 1], row[#row + 2], row[#row + 3] = p.best, range(p.ratio), VERDICT[p.verdict]
  return text.row(row)
end

local function pair_tables(file, list, version)
  local noise = filter(list, function(p) return p.verdict == "noise" end)
  local slower = filter(list, function(p) return p.verdict == "slower" end)
  file:write("## End to end: ", version, "\n\n")
  file:write(("Geometric mean of best rival / cartgen: %s over %d pairs. Not slower: %d; below 1, but not in every launch ("
    .. "within noise): %d; slower in every launch: %d, by more than 5 %%: %d.\n\nMicroseconds of a round trip (medians); spread: distance "
    .. "of the quartiles / median within a launch, of cartgen and of the best rival.\n\n"):format(text.ratio(merge.mean(list)), #list,
    #list - #noise - #slower, #noise, #slower, #merge.short(slower)))
  local head = { "test", "size", "bytes" }
  for _, method in ipairs(METHODS) do head[#head + 1] = method end
  for _, name in ipairs { "spread", "of the best", "best", "ratio", "" } do head[#head + 1] = name end
  file:write(text.head(head))
  for _, p in ipairs(list) do file:write(pair_row(p)) end
  file:write "\n"
end

-- The exchange of a 1536 x 1536 matrix: two all-to-alls.
local function exchange_table(file, of_library)
  local lines = {}
  for _, library in ipairs(merge.libraries) do
    for _, p in ipairs(of_library[library] or {}) do
      if p.test == "FFT2" and p.size == "1536" and p.rivals.manual then
        local row = { NAMES[library] }
        for _, method in ipairs(METHODS) do
          row[#row + 1] = p.methods[method] and ("%.2f"):format(p.methods[method].median / 1000) or ""
        end
        row[#row + 1], row[#row + 2] = range(p.rivals.manual), met(p.rivals.manual.median, 2)
        lines[#lines + 1] = text.row(row)
      end
    end
  end
  if #lines == 0 then return end
  local head = { "library" }
  for _, method in ipairs(METHODS) do head[#head + 1] = method .. " ms" end
  head[#head + 1], head[#head + 2] = "manual / cartgen", ""
  file:write "## FFT2: the whole exchange, N = 1536\n\nThere and back; manual / cartgen at least 2.\n\n"
  file:write(text.head(head), table.concat(lines), "\n")
end

--- list: records; runs: of records.runs. options: facts, versions (by library), launches, laps, loops (texts), quick,
-- failures (lines). The kernels' cells and the pairs by library.
function markdown.write(file, list, runs, options)
  file:write "# ddtbench: cartgen, hand-written loops, MPI_Pack and MPI's types\n\n"
  file:write("Written by `bench/ddtbench/report", options.quick and " --quick" or "", "`.\n\n")
  for _, fact in ipairs(options.facts) do file:write("- ", fact, "\n") end
  file:write(METHOD:format(options.laps, options.launches, options.loops, options.launches))
  local cells, of_library = merge.kernels(list), {}
  for _, library in ipairs(merge.libraries) do of_library[library] = merge.pairs(list, library) end
  mean_table(file, cells)
  kernel_table(file, "Cells below 0.95", "The worst first; where lines / byte is large, the traffic of cache lines is the "
    .. "floor, not memcpy.", merge.short(cells))
  transpose_table(file, cells)
  exchange_table(file, of_library)
  long_table(file, cells, runs)
  for _, library in ipairs(merge.libraries) do
    if #of_library[library] > 0 then pair_tables(file, of_library[library], NAMES[library]) end
  end
  kernel_table(file, "All cells", "Ratios are rival / cartgen.", cells)
  if #options.failures > 0 then
    file:write("## Launches that failed\n\n- ", table.concat(options.failures, "\n- "), "\n")
  end
  return cells, of_library
end

return markdown
