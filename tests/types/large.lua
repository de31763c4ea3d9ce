-- SPDX-License-Identifier: MIT
-- Types of more than 2^31 and 2^32 bytes, as layouts and as blocks of schedules; large.c says where their bytes lie.
local n, m, s = param("n", "m", "s")
local places, lengths = param_list("places", 3), param_list("lengths", 3)

local function both(name, type)
  layout(name .. "_type") { type = type }
  schedule(name) {
    topology   = torus(1),
    stencil    = offsets { { 1 } },
    collective = alltoallw { blocks = { { type = type, displ = 5000000000 } }, recv_blocks = { { type = type } } },
    algorithm  = "direct",
  }
end

-- Each with run-time parameters and with constants.
local function of_numbers(name, make, ...)
  both(name .. "_p", make(n, m, s))
  both(name .. "_c", make(...))
end

of_numbers("run", function(count) return contiguous(count, double) end, 536870915)
of_numbers("strided", function(count, length, step) return vector(count, length, step, double) end, 268435457, 3, 5)
of_numbers("down", function(count, _, step) return hvector(count, 1, -step, int) end, 1073741824, nil, 12)
of_numbers("many", function(count) return hvector(count, 1, 2, char) end, 3221225472)
of_numbers("nested", function(count, inner) return contiguous(count, vector(inner, 1, 2, short)) end, 70000, 70001)
of_numbers("box", function(side) return subarray { sizes = { side, side, 8 }, subsizes = { side - 2, side - 3, 4 }, starts = { 1, 2, 3 },
  type = float } end, 40000)
of_numbers("apart", function(count, extent) return contiguous(count, resized(-8, extent, contiguous(3, short))) end, 9, 5000000006)

both("blocks", indexed_block(m, places, int))
both("pieces", indexed(lengths, places, int))
both("spread", indexed(lengths, places, resized(0, 24, contiguous(2, int))))
