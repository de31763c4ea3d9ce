-- SPDX-License-Identifier: MIT
-- Lua that 5.4 and LuaJIT both run.
std = "min"
max_line_length = 140
files["tests/**/*_spec.lua"] = { std = "+busted" }
-- Descriptions are written in their own vocabulary.
exclude_files = { "tests/descriptions", "tests/package/project", "docs/examples", "generated/descriptions", "tests/mpi", "tests/types/large.lua", "bench/cartesians.lua", "bench/ddtbench/layouts", "bench/halo3d/halo3d.lua", "**/description*/**" }
