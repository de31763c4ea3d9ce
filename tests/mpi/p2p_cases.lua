-- SPDX-License-Identifier: MIT
-- Layouts of 8 n bytes, to be sent and received in any pair (p2p.c); their places lie within ROOM of it.
local n = param "n"
local idx = param_list("idx", n)

layout "run"    { type = contiguous(n, double) }
layout "spread" { type = vector(n, 1, 3, double) }
layout "rows"   { type = vector(n, 2, 5, int) }
layout "back"   { type = hvector(n, 1, -16, double) }
layout "turned" { type = vector(n, 1, 2, double), to = contiguous(2, resized(0, 4, vector(n, 1, 2, int))) }
layout "listed" { type = indexed_block(1, idx, double) }
layout "arrays" { type = struct { { contiguous(n, int), at("a0", 8), 1 }, { vector(n, 1, 3, int), at("a1", 0), 1 } } }
