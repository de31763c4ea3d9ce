-- SPDX-License-Identifier: MIT
-- bench/ddtbench/report on launches that were made up: what must come out is known.
package.path = "bench/?.lua;tests/bench/?.lua;" .. package.path
local csv = require "reporting.csv"
local made_up = require "made_up"
local markdown = require "reporting.ddt_markdown"
local merge = require "reporting.ddt_merge"
local records = require "reporting.ddt_records"

local function lines(text) return text:gmatch "[^\n]+" end

local function close(expected, got) assert.is_true(math.abs(expected - got) < 1e-9, expected .. " ~ " .. tostring(got)) end

-- A launch of kernels: times[test][verb][method] = list of ns a lap; memcpy[test]; 1000 bytes each.
local function kernels(out, library, launch, times, cache)
  local text = { "# library: " .. (library == "mpich" and "MPICH Version:\t4.0.2" or "Open MPI v4.1.4, package: x"),
    "# seed: 1", "test,size,method,bytes,cache,verb,lap,ns,line_bytes,copies" }
  for test, verbs in pairs(times) do
    for verb, methods in pairs(verbs) do
      for method, values in pairs(methods) do
        for i, x in ipairs(values) do
          text[#text + 1] = ("%s,8,%s,1000,%s,%s,%d,%.3f,4000,1"):format(test, method, cache or "hot", verb, i - 1, x)
        end
      end
    end
  end
  records.read(lines(table.concat(text, "\n")), { library = library, launch = launch, kind = "kernel" }, out)
end

-- A launch of ping-pongs of one test: rounds[method] = list of { pack, communication, unpack }.
local function pingpong(out, library, launch, rounds, test)
  local text = { "testname,packMethod,bytes,id,time,papi_evt1_type,papi_evt1_val,papi_evt2_type,papi_evt2_val,size,outer,inner" }
  for method, list in pairs(rounds) do
    for phase, id in ipairs { "pack", "communication", "unpack" } do
      for i, round in ipairs(list) do
        if round[phase] then
          text[#text + 1] = ("%s,%s,800,%s,%.4f,NA,NA,NA,NA,1536,0,%d"):format(test or "T", method, id, round[phase], i - 1)
        end
      end
    end
    text[#text + 1] = ("%s,%s,800,ddt_create_overhead,99,NA,NA,NA,NA,1536,0,0"):format(test or "T", method)
  end
  records.read(lines(table.concat(text, "\n")), { library = library, launch = launch, kind = "pingpong" }, out)
end

local function new() return { libraries = {} } end

-- The second build's launch is 10 times slower throughout; that must not matter.
local function two_builds()
  local out = new()
  kernels(out, "openmpi", 1, { A = { pack = { cartgen = { 10, 12, 11 }, manual = { 33 }, mpi_pack_ddt = { 22 } },
    memcpy = { memcpy = { 10 } } } })
  kernels(out, "mpich", 1, { A = { pack = { cartgen = { 110 }, manual = { 330 }, mpi_pack_ddt = { 165 } },
    memcpy = { memcpy = { 50 } } } })
  return out
end

describe("bench/ddtbench/report", function()
  it("takes the best rival of both builds, each against cartgen's time of its own launch", function()
    local cells = merge.kernels(two_builds())
    assert.equal(1, #cells)
    local c = cells[1]
    close(3, c.rivals.manual.median)
    close(2, c.rivals["mpi_pack_ddt openmpi"].median)
    close(1.5, c.rivals["mpi_pack_ddt mpich"].median)
    assert.equal("mpi_pack_ddt mpich", c.best)
    close(1.5, c.ratio.median)
    assert.equal(2, c.rivals.manual.count)
    close((11 / 10 + 110 / 50) / 2, c.floor.median)
    assert.equal(4, c.lines)
  end)

  it("takes a rival's median over launches, then the least of the rivals", function()
    local out = new()
    for launch, manual in ipairs { 8, 20, 30 } do
      kernels(out, "openmpi", launch, { A = { pack = { cartgen = { 10 }, manual = { manual }, mpi_pack_ddt = { 15 } } } })
    end
    local c = merge.kernels(out)[1]
    -- manual was the fastest once, MPI_Pack is the best
    assert.equal("mpi_pack_ddt openmpi", c.best)
    close(1.5, c.ratio.median)
    close(2, c.rivals.manual.median)
    assert.same({ 0.8, 3 }, { c.rivals.manual.min, c.rivals.manual.max })
  end)

  it("has geometric means by state and verb, and the cells below 0.95", function()
    local out = new()
    kernels(out, "openmpi", 1, { A = { pack = { cartgen = { 10 }, manual = { 40 } },
      unpack = { cartgen = { 10 }, manual = { 9 } } } })
    kernels(out, "openmpi", 1, { A = { pack = { cartgen = { 10 }, manual = { 9.6 } } } }, "dram")
    local cells = merge.kernels(out)
    assert.equal(3, #cells)
    assert.same({ "hot", "pack", "hot", "unpack", "dram" }, { cells[1].cache, cells[1].verb, cells[2].cache, cells[2].verb,
      cells[3].cache })
    local function hot(c) return c.cache == "hot" end
    local mean, count = merge.mean(cells, hot)
    close(math.sqrt(4 * 0.9), mean)
    assert.equal(2, count)
    close(4, (merge.mean(cells, function(c) return hot(c) and c.verb == "pack" end)))
    assert.is_nil((merge.mean(cells, function() return false end)))
    local short = merge.short(cells)
    assert.equal(1, #short)
    assert.equal("unpack", short[1].verb)
  end)

  it("finds long runs by the side that is walked", function()
    local runs = records.runs(lines "test size bytes send runs recv runs\nA            8      8192     2    8192\nB 8 10 1 1")
    local out = new()
    kernels(out, "openmpi", 1, { A = { pack = { cartgen = { 10 }, manual = { 40 } },
      unpack = { cartgen = { 10 }, manual = { 9 } }, memcpy = { memcpy = { 5 } } } })
    local cells = merge.kernels(out)
    for _, c in ipairs(cells) do c.bytes = 8192 end
    local long = merge.long_runs(cells, runs, 4096)
    assert.equal(1, #long)
    assert.equal("pack", long[1].verb)
    close(2, long[1].floor.median)
  end)

  it("sums the phases of each ping-pong and compares within a library", function()
    local out = new()
    pingpong(out, "openmpi", 1, { cartgen = { { 1, 5, 1 }, { 3, 5, 3 }, { 2, 5, 2 } }, manual = { { 2, 12, 4 } },
      mpi_ddt = { { nil, 27 } }, reference = { { nil, 1 } } })
    pingpong(out, "mpich", 1, { cartgen = { { 1, 8, 1 } }, mpi_pack_ddt = { { 1, 5, 2 } } })
    local a, b = merge.pairs(out, "openmpi"), merge.pairs(out, "mpich")
    assert.equal(1, #a)
    close(9, a[1].methods.cartgen.median)
    close(2, a[1].ratio.median)
    assert.equal("manual", a[1].best)
    assert.equal("faster", a[1].verdict)
    close(0.8, b[1].ratio.median)
    assert.equal("slower", b[1].verdict)
  end)

  it("calls noise what is not so in every launch", function()
    local out = new()
    for launch, manual in ipairs { 9, 9.5, 12 } do
      pingpong(out, "openmpi", launch, { cartgen = { { 1, 8, 1 } }, manual = { { 0, manual } } })
    end
    local p = merge.pairs(out, "openmpi")[1]
    assert.equal("noise", p.verdict)
    close(0.95, p.ratio.median)
  end)

  it("is not changed by the order of launches", function()
    local out = two_builds()
    local turned = new()
    for i = #out, 1, -1 do turned[#turned + 1] = out[i] end
    assert.same(merge.kernels(out)[1].rivals, merge.kernels(turned)[1].rivals)
    assert.equal(merge.kernels(out)[1].best, merge.kernels(turned)[1].best)
  end)

  it("leaves out what cartgen does not have", function()
    local out = new()
    kernels(out, "openmpi", 1, { A = { pack = { manual = { 40 } } } })
    assert.equal(0, #merge.kernels(out))
  end)

  it("writes both files", function()
    local out = two_builds()
    kernels(out, "openmpi", 2, { FFT2 = { unpack = { cartgen = { 10 }, manual = { 9 } } } })
    pingpong(out, "openmpi", 1, { cartgen = { { 1, 8, 1 } }, manual = { { 10, 10, 10 } } }, "FFT2")
    pingpong(out, "mpich", 1, { cartgen = { { 1, 8, 1 } }, manual = { { 1, 6, 1 } } }, "FFT2")
    local md, table_file = made_up.file(), made_up.file()
    markdown.write(md, out, { ["A,8"] = { pack = 1, unpack = 9 } }, { facts = { "processor: some" }, launches = 2,
      laps = "7 laps", loops = "4 x 8", failures = { "x: y" } })
    for _, text in ipairs { "| hot | 1.16 | 1.4 | **missed** | 1.50 | 0.90 | 2 | 1 | 1 |",
      "| A | 8 | hot | pack | 1000 | 4.00 | 60.5 | 30.0 | 1.65 | 3.00 | 2.00 | 1.50 | MPI_Pack (MPICH) | 1.50 [1.50, 1.50] |",
      "processor: some", "- x: y", "| FFT2 | 8 | hot | unpack |", "## End to end: Open MPI", "**slower**",
      "| Open MPI | 0.01 | 0.03 |  |  |  | 3.00 [3.00, 3.00] | met |",
      "| MPICH | 0.01 | 0.01 |  |  |  | 0.80 [0.80, 0.80] | **missed** |" } do
      assert.is_truthy(md.text:find(text, 1, true), text .. "\n" .. md.text)
    end
    csv.rows(table_file, { "processor: some" }, records.rows(out))
    assert.is_truthy(table_file.text:find("\nopenmpi,1,A,8,1000,hot,pack,cartgen,ns,3,10.5,11.0,11.5\n", 1, true))
    assert.is_truthy(table_file.text:find("\nmpich,1,FFT2,1536,800,pingpong,round,manual,us,1,8.000,", 1, true))
    assert.is_nil(table_file.text:find("99.000", 1, true))
    assert.is_truthy(table_file.text:find("^# processor: some\nlibrary,launch,"))
    assert.same({ openmpi = "Open MPI v4.1.4", mpich = "MPICH 4.0.2" }, out.libraries)
  end)
end)
