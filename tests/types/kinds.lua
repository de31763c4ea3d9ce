-- SPDX-License-Identifier: MIT
-- The constructors of types and the basic types, as tables: what printing, reading, measuring,
-- shrinking and random choice loop over.
local kinds = {}

-- Sorts of fields. num: a signed number; count: a number >= 0; nums, counts: a list of them, of
-- constants and expressions or one run-time list; row: a plain list of numbers, one a dimension;
-- type: a subtree; items: those of a struct; word: a string.
--
-- style: how a description writes it: "call" f(a, b), "table" f { a, b }, "named" f { a = ... }.
kinds.list = {
  { name = "contiguous", style = "call", { "count", "count" }, { "type", "type" } },
  { name = "vector", style = "call", { "count", "count" }, { "bl", "count" }, { "stride", "num" }, { "type", "type" } },
  { name = "hvector", style = "call", { "count", "count" }, { "bl", "count" }, { "stride", "num" }, { "type", "type" } },
  { name = "indexed", style = "call", { "bls", "counts" }, { "displs", "nums" }, { "type", "type" } },
  { name = "hindexed", style = "call", { "bls", "counts" }, { "displs", "nums" }, { "type", "type" } },
  { name = "indexed_block", style = "call", { "bl", "count" }, { "displs", "nums" }, { "type", "type" } },
  { name = "hindexed_block", style = "call", { "bl", "count" }, { "displs", "nums" }, { "type", "type" } },
  { name = "struct", style = "table", { "items", "items" } },
  { name = "subarray", style = "named", { "sizes", "row" }, { "subsizes", "row" }, { "starts", "row" }, { "order", "word" },
    { "type", "type" } },
  { name = "resized", style = "call", { "lb", "num" }, { "extent", "num" }, { "type", "type" } },
  { name = "array", style = "call", { "type", "type" }, { "dims", "row" } },
  { name = "basic", { "name", "word" } },
}

kinds.of = {}
for _, kind in ipairs(kinds.list) do kinds.of[kind.name] = kind end

-- Basic types: bytes and alignment under LP64, and what can be reduced: by the ops of its class.
kinds.basics = {
  { "char", 1, 1, "integer" }, { "signed_char", 1, 1, "integer" }, { "unsigned_char", 1, 1, "integer" },
  { "byte", 1, 1, "integer" }, { "bool", 1, 1, "logical" }, { "short", 2, 2, "integer" },
  { "unsigned_short", 2, 2, "integer" }, { "int", 4, 4, "integer" }, { "unsigned", 4, 4, "integer" },
  { "long", 8, 8, "integer" }, { "unsigned_long", 8, 8, "integer" }, { "long_long", 8, 8, "integer" },
  { "unsigned_long_long", 8, 8, "integer" }, { "float", 4, 4, "real" }, { "double", 8, 8, "real" },
  { "long_double", 16, 16, "real" }, { "int8", 1, 1, "integer" }, { "int16", 2, 2, "integer" },
  { "int32", 4, 4, "integer" }, { "int64", 8, 8, "integer" }, { "uint8", 1, 1, "integer" },
  { "uint16", 2, 2, "integer" }, { "uint32", 4, 4, "integer" }, { "uint64", 8, 8, "integer" },
  { "float_complex", 8, 4, "complex" }, { "double_complex", 16, 8, "complex" },
}

kinds.basic = {}
for _, b in ipairs(kinds.basics) do kinds.basic[b[1]] = { name = b[1], bytes = b[2], align = b[3], class = b[4] } end

-- Reductions, in the order of `layout`'s field reduce, and those that a class has.
kinds.ops = { "sum", "min", "max", "prod", "and", "or", "xor" }
kinds.class_ops = {
  integer = { sum = true, min = true, max = true, prod = true, ["and"] = true, ["or"] = true, ["xor"] = true },
  logical = { ["and"] = true, ["or"] = true, ["xor"] = true },
  real = { sum = true, min = true, max = true, prod = true },
  complex = { sum = true, prod = true },
}

return kinds
