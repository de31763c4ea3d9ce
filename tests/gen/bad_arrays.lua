-- SPDX-License-Identifier: MIT
-- Wrong fields of several collectives, and blocks in own arrays that cannot be divided. Rows as bad_input.lua says.
return function(one)
  local function fields(list, more) return one("@T, " .. (more or "@S, ") .. "collective = fields { " .. list .. " }") end
  local function own(send, recv)
    return one(("@T, @S, collective = alltoall { block = struct { %s }, recv_block = struct { %s } }"):format(send, recv))
  end
  local ALL, A = "alltoall { block = int }", "array = array(int, { 6, 8 }), width = 1"
  local HALO = "halo { " .. A .. " }"
  return {
    { "fields of nothing", fields "", 1, "fields is empty, expected { NAME = alltoall {...}, ... }" },
    { "fields of a number", one "@T, @S, collective = fields(3)", 1, "fields got 3, expected { NAME = alltoall {...}, ... }" },
    { "fields of a collective", one("@T, @S, collective = fields(" .. ALL .. ")"), 1,
      "fields got a collective, expected { NAME = alltoall {...}, ... }" },
    { "a field without a name", fields(ALL), 1, "the name of a field 1 is not a string" },
    { "a field of no identifier", fields("['a b'] = " .. ALL), 1, "the name of a field 'a b' is not a C identifier" },
    { "a field of a C keyword", fields("double = " .. ALL), 1, "the name of a field 'double' is a word of C or C++" },
    { "a field that is a type", "\n" .. fields("u = " .. ALL .. ", v = int"), 2,
      "field 'v' is a datatype, expected a collective: alltoall {...}, halo {...}" },
    { "a field that is a table", fields "u = { block = int }", 1, "field 'u' is a table, expected a collective" },
    { "fields in fields", fields("u = fields { v = " .. ALL .. " }"), 1, "field 'u' is fields {...} itself, expected one collective" },
    { "two fields of one name", "\n\n" .. fields("u = " .. ALL .. ",\nu = allgather { block = int }"), 3,
      "alltoall {...} is in no schedule: of several fields with one name only the last is kept" },
    { "a mistake in a field", fields("u = alltoall { blok = int }, v = " .. ALL), 1, "field 'u': alltoall has no field 'blok'" },
    { "a mistake in a function of a field", one [[@T, @S, collective = fields { u = alltoallv { type = int, counts = function(i)
      local t = contiguous(-i - 1, int) return t end } }]], 2, "field 'u': the count of contiguous is -1, expected 0 or more" },
    { "an error of Lua in a function of a field", one [[@T, @S, collective = fields { u = alltoallv { type = int, counts = function(i)
      return i.x.y end } }]], 2,
      "attempt to index a number value (local 'i')", luajit = "attempt to index local 'i' (a number value)" },
    { "an overlap in a field", fields("a = " .. ALL .. ", u = alltoallv { type = int, counts = function() return 2 end, displs = "
      .. "function(i) return i end }"), 1, "field 'u': receive blocks 0 and 1 overlap at byte 4 of u" },
    { "a mistake in sizes of a field", fields "u = alltoall { block = int, recv_block = short }", 1,
      "field 'u': send block 0 has 4 bytes, its receive block 0 has 2" },
    -- their stencil
    { "fields without a stencil", fields("a = " .. HALO .. ", b = " .. ALL, ""), 1,
      "the schedule lacks the field 'stencil': field 'b', alltoall, needs one" },
    { "an offset of no field", fields("a = " .. HALO .. ", b = " .. HALO, "stencil = offsets { {0, 1}, {2, 0} }, "), 1,
      "offset 1 (2, 0) is no direction of any field's halo" },
    { "an order of blocks with a halo", fields("a = " .. HALO .. ", b = " .. ALL, "@S, order = 'cartesian', "), 1,
      "field 'a': halo has its own order: leave out order" },
    { "some in place", fields("a = halo { in_place = true, " .. A .. " }, b = " .. HALO), 1,
      "field 'a' is in place, field 'b' is not: in_place holds for all fields or for none" },
    { "in place beside an alltoall", fields("a = " .. ALL .. ", b = halo { in_place = true, " .. A .. " }"), 1,
      "field 'b' is in place, field 'a' is not: in_place holds for all fields or for none" },
    { "dimensionwise with a field that is no halo", fields("a = " .. HALO .. ", b = " .. ALL, "@S, algorithm = 'dimensionwise', "), 1,
      "dimensionwise takes faces from an array and its ghosts, as halo has them; one of the fields has blocks of its own" },
    -- own arrays
    { "own arrays and none", own('{ int, at("x") }, { int, 8 }', '{ int, at("x") }, { int, at("y") }'), 1,
      'some items lie in own arrays, at("x", ...), and some do not' },
    { "own arrays on one side", own('{ int, at("x") }', "{ int }"), 1, 'some items lie in own arrays, at("x", ...), and some do not' },
    { "arrays divided in different places", own('{ int, at("x"), 2 }, { int, at("y") }', '{ int, at("p") }, { int, at("q"), 2 }'), 1,
      'send block 0 and its receive block 0 divide their data among own arrays in different ways: at("x") at byte 4 of its data, '
        .. 'and at("q") at byte 4 of its data; the k-th array of the one goes into the k-th of the other' },
    { "one array into two", own('{ int, at("x"), 2 }', '{ int, at("p") }, { int, at("q") }'), 1,
      'send block 0 and its receive block 0 divide their data among own arrays in different ways: at("x")' },
    { "arrays that alternate", own('{ int, at("x") }, { int, at("y") }, { int, at("x", 4) }',
      '{ int, at("p") }, { int, at("q") }, { int, at("r") }'), 1,
      "send block 0 and its receive block 0 divide their data among own arrays in different ways" },
    { "arrays divided by different parameters", "local n, m = param('n', 'm')\n" .. own(
      '{ contiguous(n, int), at("x") }, { contiguous(m, int), at("y") }',
      '{ contiguous(m, int), at("x") }, { contiguous(n, int), at("y") }'), 2,
      "send block 0 and its receive block 0 divide their data among own arrays in different ways" },
    { "blocks that overlap in an own array", own('{ int, at("x", 0) }, { int, at("x", 8) }', '{ int, at("x", 0) }, { int, at("x", 2) }'), 1,
      "receive block 0 overlaps itself at byte 2 of x" },
    { "a field and an own array of one name", fields('x = ' .. ALL .. ', y = alltoall { block = struct { { int, at("x") } } }'), 1,
      "field 'x' has the name of an own array, at(\"x\", ...): the arrays of all fields are members of one struct" },
    { "two fields in one place", fields('a = alltoall { block = struct { { int, at("x") } } }, '
      .. 'b = alltoall { block = struct { { int, at("x", 8) } } }'), 1,
      "receive blocks 2 and 8 (of all fields) overlap at byte 8 of x" },
    { "a schedule of a struct's name", fields("u = " .. ALL) .. '\nschedule "a_send" { @T, @S, @C }', 2,
      "schedule 'a_send' clashes in C with the _send of schedule 'a'" },
    { "the same without arrays", one "@T, @S, @C" .. '\nschedule "a_send" { @T, @S, @C }', good = true },
  }
end
