-- SPDX-License-Identifier: MIT
-- reference.lua FILE.lua -o FILE.c --header FILE.h [--fault NAME]
--
-- The layouts of a description as the plainest C there is (reference.h): it stands in for the generator where the
-- harness itself is tested. --list-faults prints what can be planted.
local here = arg[0]:match "^(.*)/[^/]*$" or "."
package.path = here .. "/?.lua;" .. package.path
local kinds = require "kinds"

local FAULTS = {
  "base", "behind", "block", "contiguous", "contiguous_to", "copy", "empty_range", "gap", "lb", "list", "marker",
  "narrow", "negative", "order", "padding", "range", "range_end", "reduce", "reduce_sum", "small_extent", "source",
  "stride", "to", "true_extent", "visit", "visit_to", "zero" }

-- ---------------------------------------------------------------- expressions: C text

local Expr = {}
Expr.__index = Expr

local function text_of(x)
  if type(x) == "number" then return ("%.0f"):format(x) end
  if getmetatable(x) ~= Expr then error("expected a number, got " .. type(x), 0) end
  return x.text
end

local used -- names of parameters, while a layout is printed

local function expr(text, names) return setmetatable({ text = text, names = names }, Expr) end

local function joined(a, b)
  local out = {}
  for _, x in ipairs { a, b } do
    if type(x) == "table" then for name in pairs(x.names) do out[name] = true end end
  end
  return out
end

local function binary(op)
  return function(a, b) return expr(("(%s %s %s)"):format(text_of(a), op, text_of(b)), joined(a, b)) end
end

Expr.__add, Expr.__sub, Expr.__mul = binary "+", binary "-", binary "*"
function Expr.__unm(a) return expr(("(-%s)"):format(text_of(a)), a.names) end

local function note(x)
  if type(x) == "table" then for name in pairs(x.names) do used[name] = true end end
  return text_of(x)
end

-- ---------------------------------------------------------------- words

local words, layouts, params = {}, {}, {}

local function node_word(kind)
  return function(...)
    local node = { kind = kind.name }
    if kind.style == "call" then
      for i, field in ipairs(kind) do node[field[1]] = (select(i, ...)) end
    else
      local arg = ...
      if kind.style == "named" then for key, v in pairs(arg) do node[key] = v end else node.items = arg end
    end
    return node
  end
end

for _, kind in ipairs(kinds.list) do words[kind.name] = node_word(kind) end
for _, b in ipairs(kinds.basics) do words[b[1]] = { kind = "basic", name = b[1] } end

function words.param(...)
  local out = {}
  for i, name in ipairs { ... } do
    params[#params + 1] = { name = name }
    out[i] = expr("p->" .. name, { [name] = true })
  end
  return (rawget(table, "unpack") or rawget(_G, "unpack"))(out)
end

function words.param_list(name, n)
  params[#params + 1] = { name = name, list = true }
  return setmetatable({ whole = name, n = n }, { __index = function(_, i)
    if type(i) ~= "number" then return nil end
    return expr(("p->%s[%d]"):format(name, i - 1), { [name] = true })
  end })
end

function words.at(base, bytes) return { base = base, bytes = bytes } end

function words.layout(name)
  return function(fields)
    fields.name = name
    layouts[#layouts + 1] = fields
  end
end

-- ---------------------------------------------------------------- C

local out, next_map, bases

local function line(...) out[#out + 1] = "    " .. string.format(...) .. "\n" end

local function list_c(list)
  if rawget(list, "whole") then
    used[list.whole] = true
    return note(list.n), "p->" .. list.whole
  end
  local items = {}
  for i, x in ipairs(list) do items[i] = note(x) end
  if #items == 0 then return "0", "NULL" end
  return tostring(#items), "(const int64_t[]){" .. table.concat(items, ", ") .. "}"
end

local function base_c(displ)
  if type(displ) ~= "table" or not displ.base then return "-1", note(displ) end
  for i, name in ipairs(bases) do if name == displ.base then return tostring(i - 1), note(displ.bytes) end end
  bases[#bases + 1] = displ.base
  return tostring(#bases - 1), note(displ.bytes)
end

local print_node

local function vector_c(node, by_extent)
  return ("reference_vector(%s, %s, %s, %s, %d)"):format(print_node(node.type), note(node.count), note(node.bl or 1),
    note(node.stride or 1), by_extent)
end

local function indexed_c(node, by_extent)
  local old = print_node(node.type)
  local bls = "NULL"
  if node.bls then bls = select(2, list_c(node.bls)) end
  local n, displs = list_c(node.displs)
  return ("reference_indexed(%s, %s, %s, %s, %s, %d)"):format(old, n, bls, note(node.bl or 0), displs, by_extent)
end

local function maker(f, by_extent) return function(node) return f(node, by_extent) end end

local make = {
  contiguous = maker(vector_c, 1), vector = maker(vector_c, 1), hvector = maker(vector_c, 0),
  indexed = maker(indexed_c, 1), hindexed = maker(indexed_c, 0),
  indexed_block = maker(indexed_c, 1), hindexed_block = maker(indexed_c, 0),
}

function make.basic(node) return "reference_basic(BASIC_" .. node.name .. ")" end

function make.array(node)
  local count = 1
  for _, d in ipairs(node.dims) do count = count * d end
  return vector_c({ count = count, type = node.type }, 1)
end

function make.resized(node)
  return ("reference_resized(%s, %s, %s)"):format(print_node(node.type), note(node.lb), note(node.extent))
end

function make.subarray(node)
  local old = print_node(node.type)
  local d, sizes = list_c(node.sizes)
  local _, subsizes = list_c(node.subsizes)
  local _, starts = list_c(node.starts)
  return ("reference_subarray(%s, %s, %s, %s, %s, %d)"):format(old, d, sizes, subsizes, starts,
    node.order == "Fortran" and 1 or 0)
end

-- Statements for the subtrees, then the name of the node's map.
function print_node(node)
  local name
  if node.kind == "struct" then
    local maps = {}
    for i, item in ipairs(node.items) do maps[i] = print_node(item[1]) end
    name, next_map = "m" .. next_map, next_map + 1
    line("reference_map %s = {0};", name)
    for i, item in ipairs(node.items) do
      local base, displ = base_c(item[2])
      line("reference_add(&%s, &%s, %s, %s, %s);", name, maps[i], displ, note(item[3]), base)
      line("reference_free(&%s);", maps[i])
    end
    return name
  end
  local text = make[node.kind](node)
  name, next_map = "m" .. next_map, next_map + 1
  line("reference_map %s = %s;", name, text)
  return name
end

local BOUNDS = { "size", "lb", "extent", "true_lb", "true_extent" }

-- Parameter of a function for the arrays, and the list of pointers made from it.
local function arrays_c(l, name, const)
  if #bases == 0 then
    return ("%svoid *%s"):format(const, name), ("(unsigned char *[]){(unsigned char *)%s}"):format(name)
  end
  local fields = {}
  for i, base in ipairs(bases) do fields[i] = ("(unsigned char *)%s->%s"):format(name, base) end
  return ("const struct %s_arrays *%s"):format(l.name, name), "(unsigned char *[]){" .. table.concat(fields, ", ") .. "}"
end

-- { head, body } of every function of a layout but init.
local function functions(l)
  local from, from_list = arrays_c(l, "from", "const ")
  local to, to_list = arrays_c(l, "to", "")
  local head = ("%s_%%s(const %s_layout *l, "):format(l.name, l.name)
  local size = "reference_bounds_of(&l->type).size"
  local list = {
    { ("void %s_free(%s_layout *l)"):format(l.name, l.name), "reference_free(&l->type);\n    reference_free(&l->to);" },
    { "void " .. head:format "pack" .. "void *packed, " .. from .. ")",
      ("reference_move(&l->type, %s, packed, 0, %s, 1);"):format(from_list, size) },
    { "void " .. head:format "unpack" .. to .. ", const void *packed)",
      ("reference_move(reference_target(l), %s, (unsigned char *)packed, 0, %s, 0);"):format(to_list, size) },
    { "void " .. head:format "copy" .. to .. ", " .. from .. ")", ("reference_copy(l, %s, %s);"):format(to_list, from_list) },
    { "void " .. head:format "pack_range" .. "void *packed, " .. from .. ", int64_t first, int64_t bytes)",
      ("reference_move(&l->type, %s, packed, first, bytes, 1);"):format(from_list) },
    { "void " .. head:format "unpack_range" .. to .. ", const void *packed, int64_t first, int64_t bytes)",
      ("reference_move(reference_target(l), %s, (unsigned char *)packed, first, bytes, 0);"):format(to_list) },
  }
  for _, f in ipairs { { "pack", "contiguous" }, { "unpack", "contiguous_to" } } do
    list[#list + 1] = { "int " .. head:format(f[1] .. "_contiguous") .. "int64_t *at_p)",
      ('(void)l;\n    if (!FAULT("%s"))\n        return 0;\n    *at_p = 0;\n    return 1;'):format(f[2]) }
  end
  for _, f in ipairs { { "pack", "visit" }, { "unpack", "visit_to" } } do
    list[#list + 1] = { "int " .. head:format(f[1] .. "_visit") .. "const cartgen_visitor *visitor)",
      ('(void)l;\n    if (!FAULT("%s"))\n        return 0;\n    visitor->run(visitor->state, 0, 1);\n    return 1;'):format(f[2]) }
  end
  for _, op in ipairs(l.reduce or {}) do
    list[#list + 1] = { "void " .. head:format("reduce_" .. op) .. to .. ", const void *packed)",
      ('reference_reduce(l, %s, packed, "%s");'):format(to_list, op) }
  end
  for i, bound in ipairs(BOUNDS) do
    list[#list + 1] = { ("int64_t %s_%s(const %s_layout *l)"):format(l.name, bound, l.name),
      ("return reference_bound(l, %d);"):format(i - 1) }
  end
  return list
end

local function params_c(l)
  local fields = {}
  for _, p in ipairs(params) do
    if used[p.name] then fields[#fields + 1] = ("    %s%s;\n"):format(p.list and "const int64_t *" or "int64_t ", p.name) end
  end
  if #fields == 0 then return ("typedef struct %s_params %s_params;\n"):format(l.name, l.name), "    (void)p;\n" end
  return ("typedef struct %s_params {\n%s} %s_params;\n"):format(l.name, table.concat(fields), l.name), ""
end

-- Declarations and definitions of a layout.
local function layout_c(l)
  used, out, next_map, bases = {}, {}, 0, {}
  line("l->type = %s;", print_node(l.type))
  line("l->to = %s;", print_node(l.to or l.type))
  local fields, unused = params_c(l)
  local header = { fields, ("typedef reference_layout %s_layout;\n"):format(l.name) }
  if #bases > 0 then
    local names = {}
    for i, base in ipairs(bases) do names[i] = "    void *" .. base .. ";\n" end
    header[#header + 1] = ("struct %s_arrays {\n%s};\n"):format(l.name, table.concat(names))
  end
  local init = ("cartgen_status %s_init(%s_layout *l, const %s_params *p)"):format(l.name, l.name, l.name)
  header[#header + 1] = init .. ";\n"
  local source = { init, "\n{\n", unused, table.concat(out), "    return CARTGEN_OK;\n}\n\n" }
  for _, f in ipairs(functions(l)) do
    header[#header + 1] = f[1] .. ";\n"
    source[#source + 1] = ("%s\n{\n    %s\n}\n\n"):format(f[1], f[2])
  end
  return table.concat(header), table.concat(source)
end

-- ---------------------------------------------------------------- command line

local function load_description(file)
  local env = setmetatable({}, { __index = function(_, name)
    return words[name] or ({ ipairs = ipairs, math = math, string = string, table = table })[name]
  end })
  local chunk, message
  if rawget(_G, "setfenv") then
    chunk, message = loadfile(file)
    if chunk then rawget(_G, "setfenv")(chunk, env) end
  else
    chunk, message = loadfile(file, "t", env)
  end
  if not chunk then error(message, 0) end
  chunk()
end

local function write(file, text)
  local f = assert(io.open(file, "w"))
  f:write(text)
  f:close()
end

local function main(options)
  local fault = options["--fault"] or "none"
  load_description(options.file)
  local header = { "#pragma once\n#ifndef REFERENCE_FAULT\n#define REFERENCE_FAULT ", fault, '\n#endif\n#include "reference.h"\n' }
  local source = { ('#include "%s"\n\n'):format(options["--header"]:match "[^/]*$") }
  for _, l in ipairs(layouts) do
    local h, c = layout_c(l)
    header[#header + 1], source[#source + 1] = "\n" .. h, c
  end
  write(options["--header"], table.concat(header))
  write(options["-o"], table.concat(source))
end

local options, i = {}, 1
while arg[i] do
  if arg[i] == "--list-faults" then
    print(table.concat(FAULTS, "\n"))
    os.exit(0)
  elseif arg[i]:sub(1, 1) == "-" then
    options[arg[i]], i = arg[i + 1], i + 2
  else
    options.file, i = arg[i], i + 1
  end
end
if not (options.file and options["-o"] and options["--header"]) then
  io.stderr:write "usage: reference.lua FILE.lua -o FILE.c --header FILE.h [--fault NAME] | --list-faults\n"
  os.exit(2)
end
local ok, message = pcall(main, options)
if not ok then
  io.stderr:write(tostring(message), "\n")
  os.exit(1)
end
