-- SPDX-License-Identifier: MIT
-- Prints what the build needs of bench/variants.lua:
--   registry.lua runs [MOST]    one line "d n more" per generator run, for CMake
--   registry.lua table [MOST]   the C array of all schedules
-- MOST: largest d (default: all).
local directory = arg[0]:match("^(.*/)") or ""
package.path = directory .. "?.lua;" .. package.path
local variants = require "variants"

local function each(most, visit)
  for _, d in ipairs(variants.dims) do
    for _, n in ipairs(d <= most and variants.neighbours or {}) do visit(d, n) end
  end
end

local function runs(most)
  each(most, function(d, n)
    print(("%d %d %d"):format(d, n, variants.more(d, n)))
  end)
end

local function c_table(most)
  print "/* SPDX-License-Identifier: MIT */"
  print "/* All schedules of bench/variants.lua, printed by bench/registry.lua. */"
  print '#include "harness/variant.h"\n'
  each(most, function(d, n)
    for _, s in ipairs(variants.schedules(d, n)) do
      print(("extern const cartgen_schedule %s_schedule;"):format(s.name))
    end
  end)
  print "\nconst bench_variant bench_variants[] = {"
  each(most, function(d, n)
    for _, s in ipairs(variants.schedules(d, n)) do
      print(('    {%d, %d, BENCH_%s, "%s", &%s_schedule},'):format(d, n, s.collective:upper(),
        s.algorithm, s.name))
    end
  end)
  print "};\n"
  print "const int bench_variant_count = (int)(sizeof(bench_variants) / sizeof(bench_variants[0]));"
end

local commands = { runs = runs, table = c_table }
local command, most = commands[arg[1]], tonumber(arg[2] or 8)
if not command or not most or #arg > 2 then
  io.stderr:write "usage: registry.lua runs|table [MOST]\n"
  os.exit(2)
end
command(most)
