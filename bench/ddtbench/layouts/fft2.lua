-- SPDX-License-Identifier: MIT
-- FFT2: the transpose of an n x n matrix of complex doubles, m = n / p rows on each process. To process r
-- goes block r of columns, row by row; what comes from process s becomes its block of columns, transposed.
local n, m, p = param("n", "m", "p")

local number = contiguous(2, double)
local block  = resized(0, 16 * m, vector(m, m, n, number))
local column = resized(0, 16, vector(m, 1, n, number))

layout "fft2_send" { type = contiguous(p, block) }
layout "fft2_recv" { type = contiguous(p, contiguous(m, column)) }
