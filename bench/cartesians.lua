-- SPDX-License-Identifier: MIT
-- The schedules of bench_cartesians and check_cartesians for one d and n:
--     cartgen --set d=3 --set n=3 --set more=0 cartesians.lua
-- more=1 adds direct, combining and partial of alltoall and allgather, more=2 of all. Blocks are of m
-- ints, m is given at run time; names follow bench/variants.lua, layouts bench/harness/cell.c.
local d, n, more = param("d", "n", "more")
local m = param "m"

local grid, neighbours = torus(d), box(d, -1, n - 2)

-- The v and w forms: block i has 0, m or 2m elements, in slots of equal size that leave a gap
-- behind it. A block with stride 2 on one side is contiguous on the other. Expressions and types are made
-- once, not once for each of up to 3125 blocks.
local counts = { [0] = 0 * m, m, 2 * m }
local slot_v, slot_w, slot_gathered = 2 * m + 1, 4 * (4 * m + 1), 4 * (2 * m + 1)

local function spread(ints) return vector(ints, 1, 2, int) end

local empty, one, two = contiguous(0, int), contiguous(m, int), contiguous(2 * m, int)
local send_types = { [0] = empty, one, spread(2 * m) }
local recv_types = { [0] = empty, spread(m), two }
local gathered_types = { [0] = one, spread(m) }

local function count(i) return counts[i % 3] end

local function displ_v(i) return slot_v * i end

local function displ_gathered(i) return (m + 1) * i end

local function send_block(i) return { type = send_types[i % 3], displ = slot_w * i } end

local function recv_block(i) return { type = recv_types[i % 3], displ = slot_w * i } end

local function gathered_block(i)
  return { type = gathered_types[i % 2], displ = slot_gathered * i }
end

local collectives = {
  { "alltoall", alltoall { block = contiguous(m, int) } },
  { "alltoallv", alltoallv { counts = count, displs = displ_v, type = int } },
  { "alltoallw", alltoallw { blocks = send_block, recv_blocks = recv_block } },
  { "allgather", allgather { block = contiguous(m, int) } },
  { "allgatherv", allgatherv { count = m, displs = displ_gathered, type = int } },
  { "allgatherw", allgatherw { block = contiguous(m, int), recv_blocks = gathered_block } },
}

local function emit(collective, suffix, algorithm)
  schedule(("%s_d%d_n%d%s"):format(collective[1], d, n, suffix)) {
    topology = grid, stencil = neighbours, collective = collective[2], algorithm = algorithm,
  }
end

-- The dimensions in two halves: between direct and combining.
local function halves()
  local first, second = {}, {}
  for dim = 0, d - 1 do
    local half = dim < d / 2 and first or second
    half[#half + 1] = dim
  end
  return partial { first, second }
end

for _, collective in ipairs(collectives) do
  emit(collective, "", "auto")
  local compared = collective[1] == "alltoall" or collective[1] == "allgather"
  if more == 2 or (more == 1 and compared) then
    emit(collective, "_direct", "direct")
    emit(collective, "_combining", "combining")
    if d > 2 then emit(collective, "_partial", halves()) end
  end
end
