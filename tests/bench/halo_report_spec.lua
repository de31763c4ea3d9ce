-- SPDX-License-Identifier: MIT
-- bench/halo3d/report on launches that were made up.
package.path = "bench/?.lua;tests/bench/?.lua;" .. package.path
local collect = require "reporting.collect"
local csv = require "reporting.csv"
local halo = require "reporting.halo"
local made_up = require "made_up"

local function at(m) return { library = "mpich", np = 2, transport = "shm", m = m } end

local function judge(runs) return halo.judge(collect.cells(runs, halo.is_rival)) end

describe("bench/halo3d/report", function()
  teardown(made_up.remove)

  it("takes the plain rivals for the target and tells all of them", function()
    local rows = judge { made_up.launch(1, { Cart_halo = { 10 }, ["Cart_halo:direct"] = { 1 }, Memcpy_halo = { 1 },
      MPI_Neighbor_halo = { 30 }, Isend_Irecv_halo = { 20 }, ["Isend_Irecv_halo:merged"] = { 12 },
      Packed_Isend_Irecv_halo = { 25 } }, at(16)) }
    assert.equal(1, #rows)
    assert.equal(2, rows[1].plain.median)
    assert.equal("Isend_Irecv_halo", rows[1].plain_best.name)
    assert.equal(1.2, rows[1].all.median)
    assert.equal("Isend_Irecv_halo:merged", rows[1].all_best.name)
    assert.is_true(rows[1].met)
  end)

  it("does not take what was wrong once for a rival", function()
    local times = { Cart_halo = { 10 }, MPI_Neighbor_halo = { 5 }, Isend_Irecv_halo = { 20 } }
    local rows = judge { made_up.launch(1, times, at(4), "MPI_Neighbor_halo"), made_up.launch(2, times, at(4)) }
    assert.equal(2, rows[1].plain.median)
    assert.equal(2, rows[1].all.median)
    local file = made_up.file()
    local cells = collect.cells({ made_up.launch(1, times, at(4), "MPI_Neighbor_halo") }, halo.is_rival)
    halo.write(file, {}, cells, halo.judge(cells), { launches = 1, failures = {} })
    assert.is_truthy(file.text:find("| MPI_Neighbor_halo | 5.00 [5.00, 5.00] (!) |", 1, true))
    assert.is_truthy(file.text:find("**20.00**", 1, true))
  end)

  it("has targets for the four sizes, and none for others", function()
    local function met(m, rival)
      local row = judge { made_up.launch(1, { Cart_halo = { 10 }, Packed_Isend_Irecv_halo = { rival } }, at(m)) }[1]
      return row.met
    end
    assert.same({ true, false, true, false }, { met(4, 13), met(4, 12), met(16, 13), met(16, 12) })
    assert.same({ true, false, true, false }, { met(64, 10), met(64, 9), met(128, 10), met(128, 9) })
    assert.is_nil(met(32, 1))
  end)

  it("writes a row per launch and function, and misses", function()
    local cells = collect.cells({ made_up.launch(1, { Cart_halo = { 10, 11, 12 }, Isend_Irecv_halo = { 9 } }, at(64)),
      made_up.launch(2, { Cart_halo = { 20 }, Isend_Irecv_halo = { 30 } }, at(64)) }, halo.is_rival)
    local file, md = made_up.file(), made_up.file()
    csv.rows(file, { "a fact" }, halo.rows(cells))
    assert.is_truthy(file.text:find("^# a fact\nlibrary,np,launch,n,function,"))
    assert.is_truthy(file.text:find("\nmpich,2,1,64,Cart_halo,right,some/1,3,10.000,10.500,11.000,11.500,12.000,", 1, true))
    local _, count = file.text:gsub("\n", "")
    assert.equal(2 + 4, count)
    halo.write(md, { "a fact" }, cells, halo.judge(cells), { launches = 2, failures = { "x" } })
    assert.is_truthy(md.text:find("| 1.16 [0.82, 1.50] | 1 | met |", 1, true), md.text)
    local worse = collect.cells({ made_up.launch(1, { Cart_halo = { 10 }, Isend_Irecv_halo = { 9 } }, at(64)) }, halo.is_rival)
    local missed = made_up.file()
    halo.write(missed, {}, worse, halo.judge(worse), { launches = 1, failures = {} })
    assert.is_truthy(missed.text:find("| 0.90 [0.90, 0.90] | 1 | **missed** |", 1, true), missed.text)
  end)

  it("runs both libraries by turns, all functions", function()
    local list = halo.runs { launches = 2, np = 2, cells = "4", repetitions = 5, budget = 1 }
    local order = {}
    for i, run in ipairs(list) do order[i] = run.library .. run.launch end
    assert.same({ "openmpi1", "mpich1", "mpich2", "openmpi2" }, order)
  end)
end)
