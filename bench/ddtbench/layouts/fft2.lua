-- SPDX-License-Identifier: MIT
-- FFT2: the transpose of an n x n matrix of complex doubles, m = n / p rows on each process. To process r
-- goes block r of columns, row by row; what comes from process s becomes its block of columns, transposed.
local n, m, p = param("n", "m", "p")

local number = contiguous(2, double)
local block  = resized(0, 16 * m, vector(m, m, n, number))
local column = resized(0, 16, vector(m, 1, n, number))

layout "fft2_send" { type = contiguous(p, block) }
layout "fft2_recv" { type = contiguous(p, contiguous(m, column)) }

-- The part of both for process r: what goes to it, and where what comes from it belongs.
local r = param "r"
local function moved(bytes, type) return struct { { type, bytes, 1 } } end

layout "fft2_part" { type = moved(16 * m * r, block), to = moved(16 * m * r, contiguous(m, column)) }
