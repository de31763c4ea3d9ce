-- SPDX-License-Identifier: MIT
-- Layouts of every form a kernel takes: runs, strides, transposes, irregular places, run-time lists, own arrays,
-- reductions, copies with and without a buffer.
local n, m = param("n", "m")
local places = param_list("places", n)
local lengths = param_list("lengths", n)

layout "one_run" { type = contiguous(n, double), reduce = { "sum", "min", "max", "prod" } }
layout "column" { type = vector(n, 1, m, double), to = contiguous(n, double) }
layout "triples" { type = vector(n, 3, 7, float) }
layout "transpose" { type = contiguous(n, resized(0, 8, vector(m, 1, n, double))), to = contiguous(n * m, double), reduce = { "sum" } }
layout "irregular" { type = hindexed({ 1, 2, 1, 1, 1, 1, 3, 1, 1, 1, 1 },
  { 0, 8, 100, 160, 204, 332, 404, 500, 600, 776, 800 }, int), reduce = { "and", "or", "xor" } }
layout "scattered" { type = indexed_block(1, { 3, 1, 4, 15, 9, 2, 6, 5, 35, 8, 97 }, short) }
layout "points" { type = indexed_block(1, places, contiguous(3, double)), reduce = { "sum" } }
layout "stretches" { type = indexed(lengths, places, int) }
layout "spread" { type = indexed(lengths, places, resized(0, 24, contiguous(2, int))) }
layout "particles" { type = struct {
  { indexed_block(1, places, contiguous(3, double)), at("position", 0) },
  { indexed_block(1, places, int), at("kind", 0) },
  { vector(n, 1, m, double), at("charge", 0) } } }
layout "mixed" { type = struct { { int, 0 }, { double, 8, 2 }, { char, 40 } }, reduce = { "max" } }
layout "logical" { type = vector(4, 1, 3, bool), reduce = { "and", "or", "xor" } }
layout "complex" { type = vector(4, 1, 3, double_complex), reduce = { "sum", "prod" } }
layout "nothing" { type = contiguous(0, int), reduce = { "sum" } }
layout "downwards" { type = hvector(5, 1, -16, double) }
