-- SPDX-License-Identifier: MIT
-- Text of cases: the description a generator reads, the table the C harness reads, and the C that hands
-- the generated functions to the harness.
local kinds = require "kinds"
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

--- Members of the parameters of a case, from the values v[] of value_line; nil: there are none.
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

local function setup_function(case)
  local members = emit.members(case)
  local body = members and ("const %s_params p = {%s};\n    return %s_init(l, &p);"):format(case.name, members, case.name) or ("(void)v;\n    return %s_init(l, NULL);"):format(case.name)
  return ("static cartgen_status setup_%s(void *l, const int64_t *v)\n{\n    %s\n}\n"):format(case.name, body)
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
