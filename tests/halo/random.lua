-- SPDX-License-Identifier: MIT
-- random.lua SEED COUNT FOLDER: random halos as a description, FOLDER/cases.lua, and what halo.c needs to know of them,
-- FOLDER/cases.inc. The last ones have a planted fault: their description is not what cases.inc says.
local seed, count, folder = tonumber(arg[1]), tonumber(arg[2]), arg[3]
math.randomseed(seed)

local function pick(list) return list[math.random(#list)] end
local function chance(p) return math.random() < p end
local function map(list, f)
  local out = {}
  for i, x in ipairs(list) do out[i] = f(x, i) end
  return out
end
local function join(list, f) return table.concat(f and map(list, f) or list, ", ") end

local TYPES = { { "char", 1 }, { "short", 2 }, { "int", 4 }, { "double", 8 }, { "long_double", 16 },
  { "contiguous(3, double)", 24 }, { "contiguous(5, byte)", 5 } }

-- Sizes of the process grids that tests run on.
local FIXED = { { { 2 }, { 1 }, { 4 } }, { { 2, 2 }, { 1, 2 }, { 3, 1 }, { 2, 3 } }, { { 2, 1, 2 }, { 1, 1, 1 }, { 2, 3, 2 } },
  { { 1, 2, 1, 2 } } }

local function random_array(d, with_w)
  local a = { type = pick(TYPES), order = chance(0.5) and "C" or "Fortran", low = {}, high = {} }
  for j = 1, d do
    a.low[j], a.high[j] = math.random(0, 2), math.random(0, 2)
    if chance(0.4) then a.high[j] = a.low[j] end
    if with_w and chance(0.4) then a[pick { "low", "high" }][j] = "w" end
  end
  return a
end

local function directions(d)
  local out = { {} }
  for _ = 1, d do
    local longer = {}
    for _, v in ipairs(out) do
      for x = -1, 1 do
        local w = map(v, function(y) return y end)
        w[#w + 1] = x
        longer[#longer + 1] = w
      end
    end
    out = longer
  end
  return out
end

local function steps(v)
  local n = 0
  for _, x in ipairs(v) do n = n + math.abs(x) end
  return n
end

-- Directions v that some array has ghosts for: received on the side -v.
local function filled(case, v)
  for _, a in ipairs(case.arrays) do
    local all = true
    for j, x in ipairs(v) do all = all and (x == 0 or (x > 0 and a.low or a.high)[j] ~= 0) end
    if all then return true end
  end
  return false
end

-- A stencil of some faces, and what lies between them: dimensionwise has a way for each.
local function closed_stencil(case)
  local barred = {}
  for j = 1, case.d do
    for _, x in ipairs { -1, 1 } do barred[x * j] = chance(0.25) end
  end
  local most = math.random(1, case.d)
  local out = {}
  for _, v in ipairs(directions(case.d)) do
    local fits = steps(v) > 0 and steps(v) <= most and filled(case, v)
    for j, x in ipairs(v) do fits = fits and not (x ~= 0 and barred[x * j]) end
    if fits then out[#out + 1] = v end
  end
  if #out == 0 then return nil end
  -- Any order of the stencil is right.
  for i = #out, 2, -1 do
    local k = math.random(i)
    out[i], out[k] = out[k], out[i]
  end
  return out
end

local function random_case(i)
  local d = pick { 1, 2, 2, 3, 3, 3 }
  if i % 8 == 5 then d = 4 end
  local case = { name = "case" .. i, d = d, periods = {}, arrays = {}, corners = chance(0.75), in_place = chance(0.5) }
  local kind = math.random(3)
  for j = 1, d do case.periods[j] = kind == 1 or (kind == 3 and chance(0.5)) end
  local with_w = chance(0.25)
  for k = 1, (d < 4 and chance(0.35)) and math.random(2, 3) or 1 do case.arrays[k] = random_array(d, with_w) end
  if chance(0.3) and d > 1 then case.stencil = case.corners and closed_stencil(case) or nil end
  if chance(0.2) then case.dims = pick(FIXED[d]) end
  if chance(0.2) then
    case.n = {}
    for j = 1, d do case.n[j] = math.random(2, 4) end
  end
  local groups, dims = {}, {}
  for j = 0, d - 1 do dims[#dims + 1] = j end
  while #dims > 0 do
    local group = { table.remove(dims, math.random(#dims)) }
    while #dims > 0 and chance(0.4) do group[#group + 1] = table.remove(dims, math.random(#dims)) end
    groups[#groups + 1] = "{ " .. join(group) .. " }"
  end
  case.algorithms = { '"direct"', '"combining"', "partial { " .. join(groups) .. " }", '"auto"', '"dimensionwise"' }
  return case
end

-- The three faults.
local function planted()
  local function base(name)
    return { name = name, d = 2, periods = { true, true }, corners = true, in_place = false, algorithms = { '"direct"' },
      planted = true, arrays = { { type = { "int", 4 }, order = "C", low = { 2, 1 }, high = { 0, 1 } } } }
  end
  local side, order, corner = base "planted_side", base "planted_order", base "planted_corner"
  side.written = { { type = { "int", 4 }, order = "C", low = { 0, 1 }, high = { 2, 1 } } }
  order.written = { { type = { "int", 4 }, order = "Fortran", low = { 2, 1 }, high = { 0, 1 } } }
  corner.written_stencil = { { 1, 0 }, { 0, 1 }, { 0, -1 }, { 1, 1 } }
  return { side, order, corner }
end

local function interior(case, j) return case.n and tostring(case.n[j]) or "n" .. (j - 1) end

local function extent(case, a, j) return ("%s + %s + %s"):format(interior(case, j), a.low[j], a.high[j]) end

local GAP = 24 -- bytes between arrays

local function array_text(case, a, displ)
  local dims, widths = {}, {}
  for j = 1, case.d do
    dims[j] = extent(case, a, j)
    widths[j] = ("{ %s, %s }"):format(a.low[j], a.high[j])
  end
  return ("{ array = array(%s, { %s }), width = { %s }, order = %q, displ = %s }"):format(a.type[1], join(dims), join(widths),
    a.order, displ)
end

local function description(case)
  local out, displ = {}, tostring(GAP)
  for i, a in ipairs(case.written or case.arrays) do
    out[i] = "        " .. array_text(case, a, displ)
    local cells = {}
    for j = 1, case.d do cells[j] = "(" .. extent(case, a, j) .. ")" end
    displ = ("%s + %d * %s + %d"):format(displ, a.type[2], table.concat(cells, " * "), GAP)
  end
  local stencil = case.written_stencil or case.stencil
  local text = {}
  for i, algorithm in ipairs(case.algorithms) do
    text[i] = ([[
schedule "%s_%d" {
  topology = cart { periods = { %s }%s },%s
  collective = halo { corners = %s, in_place = %s, arrays = {
%s } },
  algorithm = %s,
}
]]):format(case.name, i - 1, join(case.periods, tostring), case.dims and ", dims = { " .. join(case.dims) .. " }" or "",
      stencil and "\n  stencil = offsets { " .. join(stencil, function(v) return "{ " .. join(v) .. " }" end) .. " }," or "",
      tostring(case.corners), tostring(case.in_place), table.concat(out, ",\n"), algorithm)
  end
  return table.concat(text)
end

local function number(x) return x == "w" and "PARAMETER" or tostring(x) end

local function array_row(a)
  return ("{%d, %d, {%s}, {%s}}"):format(a.type[2], a.order == "C" and 0 or 1, join(a.low, number), join(a.high, number))
end

local function case_row(case)
  local schedules, allowed = {}, {}
  for i in ipairs(case.algorithms) do schedules[i] = ("&%s_%d_schedule"):format(case.name, i - 1) end
  -- Which of all directions are exchanged, in the order of `directions`.
  for i, v in ipairs(directions(case.d)) do
    local here = not case.stencil and steps(v) > 0 and (case.corners or steps(v) == 1)
    for _, w in ipairs(case.stencil or {}) do here = here or table.concat(w, ",") == table.concat(v, ",") end
    allowed[i] = here and "1" or "0"
  end
  return ('{"%s", %d, {%s}, %d, {%s}, %d, {%s}, {%s}, %d, {%s}, {%s}, %d},'):format(case.name, case.d,
    join(case.periods, function(p) return p and "1" or "0" end), case.dims and 1 or 0, join(case.dims or { 0 }), case.in_place and 1 or 0,
    join(case.n or { 0 }), table.concat(allowed, ","), #case.arrays, join(case.arrays, array_row), join(schedules),
    case.planted and 1 or 0)
end

local function write(name, text)
  local file = assert(io.open(folder .. "/" .. name, "wb"))
  file:write(text)
  file:close()
end

local cases = {}
for i = 0, count - 1 do cases[#cases + 1] = random_case(i) end
for _, case in ipairs(planted()) do cases[#cases + 1] = case end

local text, head = table.concat(map(cases, description), "\n"), {}
for _, name in ipairs { "n0", "n1", "n2", "n3", "w" } do
  -- A parameter that no case uses would be a mistake.
  if text:find("%f[%w_]" .. name .. "%f[^%w_]") then head[#head + 1] = ("local %s = param %q\n"):format(name, name) end
end
write("cases.lua", table.concat(head) .. "\n" .. text)
write("cases.inc", ("#define GAP %d\nstatic const halo_case cases[] = {\n%s\n};\n"):format(GAP, table.concat(map(cases, case_row), "\n")))
