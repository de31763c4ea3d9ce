-- SPDX-License-Identifier: MIT
-- Run-time lists in generated C: a state (of a layout, of a plan) holds them as members list0, list1, ..., made once from
-- the user's parameters; kernels walk them.
local c = require "cartgen.ctree"
local expr = require "cartgen.expr"
local kernel = require "cartgen.kernel"
local overlap = require "cartgen.cgen_overlap"

local lists = {}

local id = c.id
local STATUS, OK = id "status", id "CARTGEN_OK"

local function member(k) return "list" .. k end

--- Members {type, name} of `count` lists in the struct of a state.
function lists.members(count)
  local out = {}
  for k = 0, count - 1 do out[k + 1] = { "cartgen_list", member(k) } end
  return out
end

--- Adds what kernels say of `count` lists (kernel.list_field) to a map of names to C.
function lists.map_names(map, count)
  for k = 0, count - 1 do
    for _, field in ipairs { "bytes", "count" } do map[kernel.list_field(k, field)] = ("%s->%s"):format(member(k), field) end
  end
  return map
end

--- Declarations of the lists of a context that a function uses (the set `used`); state: a pointer to it.
function lists.locals(context, used, state)
  local out = {}
  for k = 0, #context.lists - 1 do
    local name = member(k)
    if used[name] or used[kernel.list_field(k, "bytes")] or used[kernel.list_field(k, "count")] then
      out[#out + 1] = c.declare("const cartgen_list *const", name, c.address(c.field(state, name)))
    end
  end
  return out
end

--- `statement`, unless something failed before.
function lists.unless_failed(statement) return c.when(c.binary(STATUS, "==", OK), { statement }) end

-- What a list belongs to, for messages.
local function whose(s, owner)
  local names = s.lengths and ("parameters %s and %s"):format(s.index, s.lengths) or "parameter " .. s.index
  return id(('"%s, %s"'):format(owner, names))
end

local function make_of(entry, k, state, owner)
  local s = entry.shape
  return c.assign(STATUS, c.macro("cartgen_list_make", { c.address(c.field(state, member(k))), whose(s, owner), s.count,
    c.param(s.index), s.lengths and c.param(s.lengths) or id "NULL", s.scale, s.stride or 0, entry.run or -1 }))
end

--- Statements that make the lists of a context, up to the first that fails, in a function with `status`, CARTGEN_OK so
--- far. owner: text, for messages.
function lists.make(context, state, owner)
  local out = {}
  for i, entry in ipairs(context.lists) do
    local statement = make_of(entry, i - 1, state, owner)
    out[i] = i == 1 and statement or lists.unless_failed(statement)
  end
  return out
end

--- Statements that refuse lists of the shapes in `written` whose entries overlap, behind those of lists.make. note(e) is
--- called for the Exprs in them.
function lists.keep_apart(context, written, state, owner, note)
  local out, seen = {}, {}
  for _, s in ipairs(written) do
    overlap.each_list(context, s, function(k, bytes, guard)
      local key = table.concat({ k, expr.key(bytes), expr.key(guard) }, "; ")
      if seen[key] then return end
      seen[key] = true
      note(bytes)
      note(guard)
      local test = c.binary(STATUS, "==", OK)
      if not expr.is_const(guard) then test = c.binary(test, "&&", c.binary(guard, ">", 0)) end
      out[#out + 1] = c.when(test, { c.assign(STATUS, c.macro("cartgen_list_apart", { c.address(c.field(state, member(k))),
        whose(context.lists[k + 1].shape, owner), bytes })) })
    end)
  end
  return out
end

--- Statements that free them; lists that were not made are fine.
function lists.free(context, state)
  local out = {}
  for k = 0, #context.lists - 1 do
    out[k + 1] = c.call("cartgen_list_free", { c.address(c.field(state, member(k))) })
  end
  return out
end

return lists
