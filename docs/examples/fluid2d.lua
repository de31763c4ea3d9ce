-- SPDX-License-Identifier: MIT
-- Five arrays of one grid and each neighbour's load, in one message a neighbour.
local ny, nx = param("ny", "nx")

local function cells(type) return array(type, { ny + 2, nx + 2 }) end

schedule "fluid2d" {
  topology   = torus(2),
  stencil    = moore(2, 1),
  collective = fields {
    density  = halo { array = cells(double), width = 1 },
    energy   = halo { array = cells(double), width = 1 },
    flag     = halo { array = cells(char), width = 1 },
    momentum = halo { array = cells(contiguous(2, double)), width = 1 },
    tracer   = halo { array = cells(float_complex), width = 1, corners = false },
    load     = allgather { block = int },
  },
}
