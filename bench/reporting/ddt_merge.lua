-- SPDX-License-Identifier: MIT
-- Records of both libraries' launches (reporting/ddt_records.lua) against each other.
--
-- Kernels: cartgen's are the same in both builds, MPI_Pack is not, and two launches never see the same machine. So every
-- rival is divided by cartgen's time of the same launch; a rival's ratio is the median of these over launches (manual
-- has those of both builds), and a cell's ratio is that of the rival whose ratio is the least.
local statistics = require "reporting.statistics"

local merge = {}

merge.least = 0.95 -- a cell below this is slower than its best rival
merge.libraries = { "openmpi", "mpich" }
merge.caches = { "hot", "l3", "dram" }
local PINGPONG_RIVALS = { "manual", "mpi_ddt", "mpi_pack_ddt" }

-- medians by "library,launch" and method
local function collect(list, key_of)
  local cells, by_key = {}, {}
  for _, r in ipairs(list) do
    local key = key_of(r)
    if key then
      local cell = by_key[key]
      if not cell then
        cell = { test = r.test, size = r.size, bytes = r.bytes, cache = r.cache, verb = r.verb, launches = {}, runs = {} }
        by_key[key] = cell
        cells[#cells + 1] = cell
      end
      local id = r.library .. "," .. r.launch
      local run = cell.launches[id]
      if not run then
        run = { library = r.library, launch = r.launch, methods = {} }
        cell.launches[id] = run
        cell.runs[#cell.runs + 1] = run
      end
      run.methods[r.method] = r
      if r.method == "cartgen" and r.lines then cell.lines = r.lines end
    end
  end
  return cells
end

-- The name of a rival in a kernel cell: MPI_Pack is one of each library.
local function rival_name(method, library)
  return method == "mpi_pack_ddt" and "mpi_pack_ddt " .. library or method
end

local function push(map, key, value)
  map[key] = map[key] or {}
  table.insert(map[key], value)
end

-- The least median wins; of equal ones the first name, so that the order of records does not matter.
local function least(ratios)
  local best
  for name, s in pairs(ratios) do
    if not best or s.median < ratios[best].median or (s.median == ratios[best].median and name < best) then best = name end
  end
  return best
end

local function statistics_of(lists)
  local out = {}
  for name, values in pairs(lists) do out[name] = statistics.of(values) end
  return out
end

-- memcpy is of no verb; it is measured once a launch and cache state.
local function floors(list)
  local out = {}
  for _, r in ipairs(list) do
    if r.method == "memcpy" then out[table.concat({ r.library, r.launch, r.test, r.size, r.cache }, ",")] = r.median end
  end
  return out
end

local function finish_kernel(cell, floor_of)
  local ratios, floor, ns, memcpy = {}, {}, {}, {}
  for _, run in ipairs(cell.runs) do
    local own = run.methods.cartgen
    if own then
      for method, r in pairs(run.methods) do
        if method ~= "cartgen" then push(ratios, rival_name(method, run.library), r.median / own.median) end
      end
      local copy = floor_of[table.concat({ run.library, run.launch, cell.test, cell.size, cell.cache }, ",")]
      if copy then
        floor[#floor + 1] = own.median / copy
        memcpy[#memcpy + 1] = copy
      end
      ns[#ns + 1] = own.median
    end
  end
  cell.rivals = statistics_of(ratios)
  cell.best = least(cell.rivals)
  cell.ratio = cell.best and cell.rivals[cell.best]
  cell.ns = #ns > 0 and statistics.of(ns)
  cell.floor = #floor > 0 and statistics.of(floor) or nil
  cell.memcpy = #memcpy > 0 and statistics.of(memcpy) or nil
end

-- In the order of the first launch, states within a test and size.
local function sort(cells)
  local first, state = {}, {}
  for i, cache in ipairs(merge.caches) do state[cache] = i end
  for i, c in ipairs(cells) do
    local pair = c.test .. "," .. c.size
    first[pair] = first[pair] or i
    c.place = { first[pair], state[c.cache] or 0, c.verb == "pack" and 0 or 1 }
  end
  table.sort(cells, function(a, b)
    for i = 1, 3 do
      if a.place[i] ~= b.place[i] then return a.place[i] < b.place[i] end
    end
    return false
  end)
end

--- Cells of kernels: list of { test, size, bytes, lines, cache, verb, ns (cartgen's), memcpy, floor (cartgen / memcpy),
-- rivals = { name = ratio }, best (a name), ratio }, all but the first statistics over launches.
function merge.kernels(list)
  local cells = collect(list, function(r)
    return r.cache ~= "" and r.method ~= "memcpy" and table.concat({ r.test, r.size, r.cache, r.verb }, ",")
  end)
  local floor_of, out = floors(list), {}
  for _, cell in ipairs(cells) do
    finish_kernel(cell, floor_of)
    if cell.ratio then out[#out + 1] = cell end
  end
  sort(out)
  return out
end

local function spread(r) return (r.q3 - r.q1) / r.median end

local function finish_pair(pair)
  local ratios, medians, spreads = {}, {}, {}
  for _, run in ipairs(pair.runs) do
    local own = run.methods.cartgen
    for method, r in pairs(run.methods) do
      push(medians, method, r.median)
      push(spreads, method, spread(r))
    end
    for _, method in ipairs(own and PINGPONG_RIVALS or {}) do
      local r = run.methods[method]
      if r then push(ratios, method, r.median / own.median) end
    end
  end
  pair.rivals, pair.methods, pair.spreads = statistics_of(ratios), statistics_of(medians), statistics_of(spreads)
  pair.best = least(pair.rivals)
  pair.ratio = pair.best and pair.rivals[pair.best]
end

--- Pairs of ping-pongs of one library: list of { test, size, bytes, methods = { name = us of a round }, spreads = { name =
-- quartile distance / median within a launch }, rivals = { name = ratio }, best, ratio, verdict }, statistics over
-- launches. The verdict is "faster" (ratio at least 1), "noise" (below, but not in every launch) or "slower".
function merge.pairs(list, library)
  local pairs_ = collect(list, function(r)
    return r.cache == "" and r.verb == "round" and r.library == library and r.test .. "," .. r.size
  end)
  local out = {}
  for _, pair in ipairs(pairs_) do
    finish_pair(pair)
    if pair.ratio then
      local r = pair.ratio
      pair.verdict = r.median >= 1 and "faster" or r.max >= 1 and "noise" or "slower"
      out[#out + 1] = pair
    end
  end
  return out
end

--- Geometric mean of the medians of `ratio` over cells that `wanted` (nil: all) takes, and their number.
function merge.mean(cells, wanted)
  local sum, count = 0, 0
  for _, cell in ipairs(cells) do
    if not wanted or wanted(cell) then
      sum, count = sum + math.log(cell.ratio.median), count + 1
    end
  end
  return count > 0 and math.exp(sum / count) or nil, count
end

--- Those below merge.least, the worst first.
function merge.short(cells)
  local out = {}
  for _, cell in ipairs(cells) do
    if cell.ratio.median < merge.least then out[#out + 1] = cell end
  end
  table.sort(out, function(a, b) return a.ratio.median < b.ratio.median end)
  return out
end

--- Cells whose runs (of the verb's side, records.runs) have `bytes` or more on average.
function merge.long_runs(cells, runs, bytes)
  local out = {}
  for _, cell in ipairs(cells) do
    local r = runs[cell.test .. "," .. cell.size]
    if r and cell.floor and cell.bytes / r[cell.verb] >= bytes then out[#out + 1] = cell end
  end
  return out
end

return merge
