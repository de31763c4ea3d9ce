-- SPDX-License-Identifier: MIT
-- The modules of bench/report on launches that were made up.
package.path = "bench/?.lua;tests/bench/?.lua;" .. package.path
local collect = require "reporting.collect"
local csv = require "reporting.csv"
local launch = require "reporting.launch"
local made_up = require "made_up"
local markdown = require "reporting.markdown"
local matrix = require "reporting.matrix"
local statistics = require "reporting.statistics"
local targets = require "reporting.targets"
local variants = require "variants"

local AT = { library = "openmpi", np = 2, transport = "shm" }

describe("bench/report", function()
  teardown(made_up.remove)

  it("has the statistics of the harness", function()
    local known = { { 1, 1, 1 }, { 5, 1, 5 }, { 6, 1, 6 }, { 10, 2, 9 }, { 20, 6, 15 }, { 100, 40, 61 } }
    for _, row in ipairs(known) do
      local low, high = statistics.median_ranks(row[1])
      assert.same({ row[2], row[3] }, { low, high })
    end
    local s = statistics.of { 4, 1, 3, 2 }
    assert.same({ 2.5, 1.75, 3.25, 1, 4 }, { s.median, s.q1, s.q3, s.min, s.max })
  end)

  it("takes ratios within a launch, against the best MPI call of that launch", function()
    local cells = collect.cells {
      made_up.launch(1, { Cart_neighbor_alltoall = { 1, 1, 1 }, MPI_Neighbor_alltoall = { 4, 4, 4 },
        MPI_Ineighbor_alltoall = { 9, 9, 9 } }, AT),
      made_up.launch(2, { Cart_neighbor_alltoall = { 10, 10, 10 }, MPI_Neighbor_alltoall = { 90, 90, 90 },
        MPI_Ineighbor_alltoall = { 20, 20, 20 } }, AT),
    }
    assert.equal(1, #cells)
    local own = cells[1].functions.Cart_neighbor_alltoall
    assert.same({ 3, 2, 4 }, { own.ratio.median, own.ratio.min, own.ratio.max })
    assert.equal(6, own.stats.count)
    assert.equal(2, own.count)
    assert.equal("Some MPI 1.0", cells.libraries.openmpi)
    assert.equal("MPI_Ineighbor_alltoall", cells[1].best.name)
  end)

  it("does not take what is written by hand for the library's", function()
    assert.is_true(collect.is_library "MPIX_Neighbor_alltoall_init")
    assert.is_true(collect.is_library "MPI_Ineighbor_allgatherv")
    for _, name in ipairs { "Isend_Irecv_alltoall", "Packed_Isend_Irecv_alltoall", "Memcpy_alltoall",
      "Cart_neighbor_alltoall:direct" } do
      assert.is_false(collect.is_library(name))
    end
  end)

  it("judges targets by the worst cell and tells which fall short", function()
    local run = made_up.launch(1, { Cart_neighbor_alltoall = { 2, 2 }, MPI_Neighbor_alltoall = { 4, 4 } }, AT)
    local cells = collect.cells { run }
    local rows = targets.judge(matrix.targets, matrix.configurations, cells)
    assert.equal(2, #rows)
    assert.equal(0, #rows[1].short)
    assert.equal(1, #rows[2].short)
    assert.equal(2.5, rows[2].target.least)
    assert.equal(2, rows[2].short[1].ratio.median)
  end)

  it("writes both forms, with what is wrong and what is missed marked", function()
    local cells = collect.cells { made_up.launch(1, { Cart_neighbor_alltoall = { 2, 2 },
      MPI_Neighbor_alltoall = { 4, 4 } }, AT, "MPI_Neighbor_alltoall") }
    local rows = targets.judge(matrix.targets, matrix.configurations, cells)
    local md, table_file = made_up.file(), made_up.file()
    markdown.write(md, { "processor: some" }, cells, rows, matrix.configurations,
      { launches = 1, collectives = variants.collectives, failures = { "a: b" } })
    csv.write(table_file, cells)
    for _, text in ipairs { "**missed** in 1 of 1 cells", "| met |", "**4.00** [4.00, 4.00] (!)",
      "processor: some", "- a: b", "Some MPI 1.0" } do
      assert.is_truthy(md.text:find(text, 1, true), text)
    end
    assert.is_truthy(table_file.text:find("openmpi,2,shm,alltoall,3,3,10,Cart_neighbor_alltoall,"
      .. "right,1,2,2.000,", 1, true))
    local _, lines = table_file.text:gsub("\n", "")
    assert.equal(3, lines)
  end)

  it("runs every cell of the issue", function()
    local seen = {}
    for _, l in ipairs(matrix.launches {}) do
      seen[("%s %d %s d%d"):format(l.library, l.np, l.transport, l.d)] = l.n == "3,5" and l.m == "1,10,100,1000"
        or seen[("%s %d %s d%d"):format(l.library, l.np, l.transport, l.d)]
    end
    for _, place in ipairs { "openmpi 2 shm", "mpich 2 shm", "openmpi 4 shm", "openmpi 8 shm", "openmpi 2 tcp",
      "openmpi 4 tcp", "openmpi 8 tcp" } do
      for d = 2, 5 do assert.is_true(seen[place .. " d" .. d], place .. " d" .. d) end
    end
    for _, l in ipairs(matrix.launches { np2 = true }) do assert.equal(2, l.np) end
    assert.is_true(#matrix.launches { quick = true } < 16)
  end)

  it("names the transport and lets processes beyond the cores yield", function()
    local run = { library = "openmpi", np = 8, transport = "tcp", arguments = { "-d", 3, "--raw", "{raw}" },
      programs = { openmpi = "prog's" }, launchers = { openmpi = "mpirun" }, limit = 9, raw = "r.csv", log = "l" }
    local command = launch.command(run, 2)
    assert.is_truthy(command:find("--mca btl tcp,self", 1, true))
    assert.is_truthy(command:find("mpi_yield_when_idle", 1, true))
    assert.is_truthy(command:find("r.csv", 1, true))
    assert.is_nil(command:find("{raw}", 1, true))
    assert.is_nil(launch.command(run, 8):find("mpi_yield_when_idle", 1, true))
  end)

  it("has names for all variants, each once", function()
    local seen, count = {}, 0
    for _, d in ipairs(variants.dims) do
      for _, n in ipairs(variants.neighbours) do
        for _, s in ipairs(variants.schedules(d, n)) do
          assert.is_nil(seen[s.name])
          seen[s.name] = true
          count = count + 1
        end
      end
    end
    -- 6 of each; 2 more algorithms with d = 2, 3 beyond: for 6 collectives with n = 3, 2 with n = 5
    assert.equal(5 * 4 * 6 + (6 + 2) * (2 + 3 * 3), count)
  end)
end)
