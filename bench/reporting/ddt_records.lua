-- SPDX-License-Identifier: MIT
-- What launches of ddtbench printed, as records: library, launch, test, size, bytes, cache ("" for ping-pongs), verb
-- (pack, unpack, memcpy; "round" of ping-pongs: pack + communication + unpack), method, lines (line_bytes / bytes; kernels
-- only) and the statistics count, q1, median, q3: nanoseconds of kernels, microseconds of ping-pongs.
local statistics = require "reporting.statistics"

local records = {}

-- What a round consists of, by the `id` of a row.
local PHASES = { pack = true, communication = true, unpack = true }

-- "Open MPI v4.1.4, package: ..." and "MPICH Version: 4.0.2"
local function library_name(text)
  return (text:gsub(",.*", ""):gsub("MPICH Version:%s*", "MPICH "):gsub("%s+$", ""))
end

local function split(line)
  local list = {}
  for text in (line .. ","):gmatch "([^,]*)," do list[#list + 1] = text end
  return list
end

-- Lists of values by key, in the order they first occur; `made` is what the first row of a key gives.
local function group()
  local g = { order = {}, by_key = {} }
  function g.add(key, value, make)
    local entry = g.by_key[key]
    if not entry then
      entry = make()
      entry.values = {}
      g.by_key[key] = entry
      g.order[#g.order + 1] = entry
    end
    entry.values[#entry.values + 1] = value
    return entry
  end
  return g
end

local function kernel_row(g, f)
  if #f ~= 10 or not tonumber(f[8]) then return end
  g.add(table.concat({ f[1], f[2], f[3], f[5], f[6] }, ","), tonumber(f[8]), function()
    return { test = f[1], size = f[2], method = f[3], bytes = tonumber(f[4]), cache = f[5], verb = f[6],
      lines = tonumber(f[9]) / tonumber(f[4]) }
  end)
end

-- Phases of one ping-pong (an outer and inner) are summed.
local function pingpong_row(g, f)
  local time = tonumber(f[5])
  if #f ~= 12 or not PHASES[f[4]] or not time then return end
  local key, place = table.concat({ f[1], f[10], f[2] }, ","), f[11] .. "," .. f[12]
  local round = g.by_key[key]
  local at = round and round.at[place]
  if at then
    round.values[at] = round.values[at] + time
    return
  end
  round = g.add(key, time, function()
    return { test = f[1], size = f[10], method = f[2], bytes = tonumber(f[3]), cache = "", verb = "round", at = {} }
  end)
  round.at[place] = #round.values
end

--- Reads one raw file (lines: an iterator); run: library, launch, kind "kernel" or "pingpong". Adds to `out`, whose
-- libraries[library] gets the library's version.
function records.read(lines, run, out)
  local g, row = group(), run.kind == "kernel" and kernel_row or pingpong_row
  for line in lines do
    local version = line:match "^# library: (.*)"
    if version then out.libraries[run.library] = library_name(version) end
    if line:sub(1, 1) ~= "#" then row(g, split(line)) end
  end
  for _, entry in ipairs(g.order) do
    local s = statistics.of(entry.values)
    out[#out + 1] = { library = run.library, launch = run.launch, test = entry.test, size = entry.size,
      bytes = entry.bytes, cache = entry.cache, verb = entry.verb, method = entry.method, lines = entry.lines,
      count = s.count, q1 = s.q1, median = s.median, q3 = s.q3 }
  end
end

--- Runs of a test and size, from `ddtbench --list`: runs["test,size"] = { pack, unpack }.
function records.runs(lines)
  local runs = {}
  for line in lines do
    local test, size, bytes, send, recv = line:match "^(%S+)%s+(%S+)%s+(%d+)%s+(%d+)%s+(%d+)$"
    if test then runs[test .. "," .. size] = { bytes = tonumber(bytes), pack = tonumber(send), unpack = tonumber(recv) } end
  end
  return runs
end

local COLUMNS = { "library", "launch", "test", "size", "bytes", "cache", "verb", "method", "unit", "count", "q1",
  "median", "q3" }

--- Columns and rows of the CSV.
function records.rows(list)
  local rows = {}
  for _, r in ipairs(list) do
    local kernel = r.cache ~= ""
    local row = { r.library, r.launch, r.test, r.size, ("%d"):format(r.bytes), kernel and r.cache or "pingpong", r.verb,
      r.method, kernel and "ns" or "us", r.count }
    for _, x in ipairs { r.q1, r.median, r.q3 } do
      row[#row + 1] = (kernel and "%.1f" or "%.3f"):format(x)
    end
    rows[#rows + 1] = row
  end
  return COLUMNS, rows
end

return records
