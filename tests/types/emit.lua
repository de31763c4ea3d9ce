-- SPDX-License-Identifier: MIT
-- Text of cases: the description a generator reads, the table the C harness reads, and the C that hands
-- the generated functions to the harness.
local kinds = require "kinds"
local measure = require "measure"
local tree = require "tree"

local emit = {}

local function int(n) return ("%.0f"):format(n == 0 and 0 or n) end

local function join(list, f, separator)
  local out = {}
  for i, x in ipairs(list) do out[i] = f(x, i) end
  return table.concat(out, separator)
end

-- ---------------------------------------------------------------- description

--- The parameters of a case, declared.
function emit.declarations(case)
  local out = {}
  for _, p in ipairs(case.params) do
    -- The length of a list may be a parameter that comes later in the tree's order.
    if not p.list then out[#out + 1] = ('  local %s = param "%s"\n'):format(p.name, case.name .. "_" .. p.name) end
  end
  for _, p in ipairs(case.params) do
    if p.list then
      out[#out + 1] = ('  local %s = param_list("%s", %s)\n'):format(p.name, case.name .. "_" .. p.name, tree.num_text(p.n))
    end
  end
  return table.concat(out)
end

--- One case as a description; parameters are named CASE_name, so that cases can share a file.
function emit.layout(case)
  local out = { "do\n", emit.declarations(case), ('  layout "%s" {\n    type = %s,\n'):format(case.name, tree.text(case.type)) }
  if case.to then out[#out + 1] = ("    to = %s,\n"):format(tree.text(case.to)) end
  if #case.ops > 0 then
    out[#out + 1] = ("    reduce = { %s },\n"):format(join(case.ops, function(op) return '"' .. op .. '"' end, ", "))
  end
  out[#out + 1] = "  }\nend\n"
  return table.concat(out)
end

function emit.description(cases) return join(cases, emit.layout, "\n") end

-- Bytes from one block of a type to the next, so that they do not touch, for all values of the case.
local function step_of(case, root)
  local most = 0
  for _, values in ipairs(case.sets) do most = math.max(most, measure.bounds(measure.map(root, values)).true_extent) end
  return most + #case.name
end

local function steps_of(case) return step_of(case, case.type), step_of(case, case.to or case.type) end

local ALGORITHMS = { "direct", "combining", "auto" }

-- Three blocks of the type, `step` bytes apart.
local function blocks_of(name, step)
  return ("{ { type = %s }, { type = %s, displ = %s }, { type = %s, displ = %s } }"):format(name, name, int(step), name, int(2 * step))
end

--- The same as a schedule: three blocks, one of them forwarded, one kept by its rank.
function emit.exchange(case)
  local sent, received = steps_of(case)
  return table.concat { "do\n", emit.declarations(case),
    ("  local sent = %s\n  local received = %s\n"):format(tree.text(case.type), tree.text(case.to or case.type)),
    ('  schedule "%s" {\n    topology = torus(2),\n    stencil = offsets { { 1, 1 }, { 0, 1 }, { 0, 0 } },\n'):format(case.name),
    ("    collective = alltoallw { blocks = %s,\n      recv_blocks = %s },\n"):format(blocks_of("sent", sent),
      blocks_of("received", received)),
    ('    algorithm = "%s",\n  }\nend\n'):format(ALGORITHMS[#case.name % 3 + 1]) }
end

function emit.exchange_description(cases) return join(cases, emit.exchange, "\n") end

-- ---------------------------------------------------------------- table

local tokens

local function list_tokens(list, out, values)
  local numbers = tree.list(list, values)
  out[#out + 1] = int(#numbers)
  for _, n in ipairs(numbers) do out[#out + 1] = int(n) end
end

-- Names of arrays to their numbers.
local function base_number(bases, name)
  for i, base in ipairs(bases) do if base == name then return i - 1 end end
  return -1
end

local function item_tokens(items, out, values, bases)
  out[#out + 1] = int(#items)
  for _, item in ipairs(items) do
    out[#out + 1] = int(base_number(bases, item.base))
    out[#out + 1] = int(tree.value(item.displ, values))
    out[#out + 1] = int(tree.value(item.bl, values))
    tokens(item.type, out, values, bases)
  end
end

local function number_token(num, out, values) out[#out + 1] = int(tree.value(num, values)) end

local FIELD = {
  num = number_token, count = number_token, nums = list_tokens, counts = list_tokens, row = list_tokens,
  word = function(word, out) out[#out + 1] = word end,
  items = item_tokens,
  type = function(node, out, values, bases) tokens(node, out, values, bases) end,
}

function tokens(node, out, values, bases)
  out[#out + 1] = node.kind
  for _, field in ipairs(kinds.of[node.kind]) do FIELD[field[2]](node[field[1]], out, values, bases) end
end

local function tree_line(word, root, values, bases)
  local out = { word }
  tokens(root, out, values, bases)
  return table.concat(out, " ")
end

--- Values of the parameters, one behind the other: what the setup function of the case reads.
function emit.values(case, values)
  local flat = {}
  for _, p in ipairs(case.params) do
    local v = values[p.name]
    if p.list then for _, x in ipairs(v) do flat[#flat + 1] = int(x) end else flat[#flat + 1] = int(v) end
  end
  return flat
end

local function value_line(case, values)
  local flat = emit.values(case, values)
  return ("set %d %s"):format(#flat, table.concat(flat, " "))
end

--- The table of cases: a line a case, then for every set of values its numbers and trees.
function emit.table(cases)
  local out = {}
  for _, case in ipairs(cases) do
    local bases = tree.bases(case.type)
    out[#out + 1] = ("case %s %d %d"):format(case.name, #bases, #case.sets)
    for _, values in ipairs(case.sets) do
      out[#out + 1] = value_line(case, values)
      out[#out + 1] = tree_line("type", case.type, values, bases)
      out[#out + 1] = tree_line("to", case.to or case.type, values, bases)
    end
  end
  out[#out + 1] = "end\n"
  return table.concat(out, "\n")
end

-- ---------------------------------------------------------------- C

--- Members of the parameters of a case, from the values v[] of emit.values; nil: there are none.
function emit.members(case)
  local fields, at = {}, 0
  for _, p in ipairs(case.params) do
    local offset = int(at)
    local field = ".%s_%s = "
    if p.list then
      fields[#fields + 1] = (field .. "v + %s"):format(case.name, p.name, offset)
      at = at + #case.sets[1][p.name]
    else
      fields[#fields + 1] = (field .. "v[%s]"):format(case.name, p.name, offset)
      at = at + 1
    end
  end
  return #fields > 0 and table.concat(fields, ", ") or nil
end

-- Declaration of the parameters p of a case from the values v of one of its sets, and what is passed for them.
local function params_text(case)
  local members = emit.members(case)
  if not members then return "(void)v;", "NULL" end
  return ("const %s_params p = {%s};"):format(case.name, members), "&p"
end

local function setup_function(case)
  local declaration, params = params_text(case)
  return ("static cartgen_status setup_%s(void *l, const int64_t *v)\n{\n    %s\n    return %s_init(l, %s);\n}\n"):format(
    case.name, declaration, case.name, params)
end

--- C that makes the schedules of `header` a table of exchanges (see exchange.h).
function emit.exchanges(cases, header)
  local out, rows = { ('#include "exchange.h"\n#include "%s"\n\n'):format(header) }, {}
  for i, case in ipairs(cases) do
    local declaration, params = params_text(case)
    local sent, received = steps_of(case)
    out[#out + 1] = ("static cartgen_status open_%s(cartgen_comm *c, const int64_t *v, cartgen_plan **plan_p)\n{\n    %s\n"
      .. "    return %s_init(c, %s, plan_p);\n}\n\n"):format(case.name, declaration, case.name, params)
    rows[i] = ('    {"%s", &%s_schedule, open_%s, %s, %s},\n'):format(case.name, case.name, case.name, int(sent), int(received))
  end
  out[#out + 1] = ("const exchange exchanges[] = {\n%s};\n\nconst int exchanges_count = %d;\n"):format(table.concat(rows), #cases)
  return table.concat(out)
end

--- C that makes the generated functions of `header` a table of subjects (see subject.h).
function emit.subjects(cases, header)
  local out = { ('#include "subject.h"\n#include "%s"\n\n'):format(header) }
  local rows = {}
  for i, case in ipairs(cases) do
    local bases = tree.bases(case.type)
    out[#out + 1] = setup_function(case)
    if #bases > 0 then
      out[#out + 1] = ("#define ARRAYS(b) &(const struct %s_arrays){%s}\n"):format(case.name,
        join(bases, function(_, k) return ("(b)[%d]"):format(k - 1) end, ", "))
    else
      out[#out + 1] = "#define ARRAYS(b) (b)[0]\n"
    end
    out[#out + 1] = ("SUBJECT_FUNCTIONS(%s)\n"):format(case.name)
    for _, op in ipairs(case.ops) do out[#out + 1] = ("SUBJECT_REDUCE(%s, %s)\n"):format(case.name, op) end
    out[#out + 1] = "#undef ARRAYS\n\n"
    rows[i] = ("    SUBJECT(%s, {%s}),\n"):format(case.name, #case.ops == 0 and "{NULL, NULL}" or
      join(case.ops, function(op) return ("SUBJECT_OP(%s, %s)"):format(case.name, op) end, ", "))
  end
  out[#out + 1] = ("const subject subjects[] = {\n%s};\n\nconst int subjects_count = %d;\n"):format(table.concat(rows), #cases)
  return table.concat(out)
end

return emit
