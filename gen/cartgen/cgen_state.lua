-- SPDX-License-Identifier: MIT
-- State of a plan in generated C: its parameters, and behind them what is made of parameter lists once, when the plan
-- is made: the lists as kernels walk them, and values of calls over lists. Schedules without lists have parameters only.
local c = require "cartgen.ctree"
local checks = require "cartgen.cgen_checks"
local datatype = require "cartgen.datatype"
local expr = require "cartgen.expr"
local lists = require "cartgen.cgen_lists"
local names = require "cartgen.cgen_names"
local shape = require "cartgen.shape"

local state = {}

local id = c.id
local STATE, STATUS, OK = id "state", id "status", id "CARTGEN_OK"

-- Keys of a set of parameters beside their names, which are identifiers.
local SEEN, KEPT = "calls seen", "calls kept"

-- A factor of a product as an Expr, to the power of one.
local function single(f) return expr.product { { text = f.text, power = 1 } } end

-- Does a call look through a list, or a call in its arguments?
local function over_lists(f)
  if #f.lists > 0 then return true end
  local found = false
  for _, arg in ipairs(f.args) do
    expr.each_call(arg, function(inner) found = found or #inner.lists > 0 end)
  end
  return found
end

--- Adds the parameters in e to the set `used` of a function that is handed a state, to its list the calls that it
--- computes, those inside first, and notes those whose values the state holds.
function state.note(used, e)
  used[SEEN], used[KEPT] = used[SEEN] or {}, used[KEPT] or {}
  for _, term in ipairs(expr.terms(e)) do
    for _, f in ipairs(term.factors) do
      if not (f.op and over_lists(f)) then
        expr.note(used, single(f))
        expr.each_call(single(f), function(call) used[#used + 1] = call end, used[SEEN])
      elseif not used[SEEN][f.text] then
        used[SEEN][f.text] = true
        table.insert(used[KEPT], f)
      end
    end
  end
end

--- The state behind an untyped pointer.
function state.pointer(problem, source) return c.group(c.cast(("const %s_state *"):format(problem.name), source)) end

--- Declarations of the values that a function in whose set `used` they were noted takes from its state.
function state.locals(problem, used, source)
  local out = {}
  if not used[KEPT] or #used[KEPT] == 0 then return out end
  local map = names.map(problem)
  for i, f in ipairs(used[KEPT]) do
    out[i] = c.declare("const int64_t", map[f.text], c.field(state.pointer(problem, source), map[f.text]))
  end
  return out
end

-- Calls over lists that the kernels and phases of a plan use, as a list.
local function kept_calls(plan)
  local used = { [KEPT] = {} }
  local function note(e) state.note(used, e) end
  local function note_moves(moves)
    for _, move in ipairs(moves or {}) do
      note(move.from.bytes)
      note(move.to.bytes)
      if move.from_shape + move.to_shape == 0 then note(move.bytes) end
    end
  end
  for _, s in ipairs(plan.shapes) do shape.each_expr(shape.shift(s, expr.neg(s.at)), note, function() end) end
  for _, program in ipairs(plan.programs) do
    note_moves(program.locals)
    for _, round in ipairs(program.rounds) do
      note_moves(round.moves)
      for _, message in ipairs(round.messages) do
        note_moves(message.pack)
        note_moves(message.unpack)
      end
    end
  end
  return used[KEPT]
end

-- What prepare computes: the calls it keeps, and the Exprs of its lists.
local function exprs_of(context, kept)
  local out = {}
  for i, f in ipairs(kept) do out[i] = single(f) end
  for _, entry in ipairs(context.lists) do
    local s = entry.shape
    for _, e in ipairs { s.count, s.scale, s.stride or 0, entry.run or 0 } do out[#out + 1] = expr.of(e) end
  end
  return out
end

-- The parameters that prepare needs, as a set.
local function names_in(context, exprs, types)
  local used = {}
  local function note(e) expr.note(used, e) end
  for _, e in ipairs(exprs) do note(e) end
  for _, entry in ipairs(context.lists) do
    used[entry.shape.index] = true
    if entry.shape.lengths then used[entry.shape.lengths] = true end
  end
  for _, t in ipairs(types) do
    datatype.each_count(t, { count = function() end, list = function() end, same = function(length, wanted)
      note(length)
      note(wanted)
    end })
  end
  return used
end

local function quoted(text) return id('"' .. text .. '"') end

-- What passes int64_t is left to the layout function, negative lengths to the lists.
local function refusals(problem)
  local out = {
    lengths = { c.result(c.macro("cartgen_refuse", { quoted("schedule " .. problem.name), id "CARTGEN_ERR_ARGUMENT",
      quoted(checks.messages.lengths) })) },
    beyond = { c.comment(problem.name .. "_layout refuses it"), c.result(OK) },
  }
  return function(what) return out[what] end
end

local function own(problem)
  local type = problem.name .. "_state *"
  return c.declare(type, "state", c.cast(type, id "untyped"))
end

local function append(to, list)
  for _, x in ipairs(list) do to[#to + 1] = x end
  return to
end

local function prepare_item(plan, context, kept, param_locals)
  local problem, types, map = plan.problem, {}, names.map(plan.problem)
  for _, side in ipairs { "send", "recv" } do
    for _, block in ipairs(plan.blocks[side]) do types[#types + 1] = block.type end
  end
  local exprs, written = exprs_of(context, kept), {}
  local used = names_in(context, exprs, types)
  for i, block in ipairs(problem.recv) do written[i] = block.type.moves end
  local apart = lists.keep_apart(context, written, STATE, "schedule " .. problem.name, function(e) expr.note(used, e) end)
  local body = append({ own(problem) }, param_locals(problem, used, id "untyped"))
  append(body, { c.declare("cartgen_status", "status", OK), c.blank() })
  append(body, checks.statements(exprs, types, {}, refusals(problem)))
  for _, f in ipairs(kept) do body[#body + 1] = c.assign(c.field(STATE, map[f.text]), id(map[f.text])) end
  append(body, lists.make(context, STATE, "schedule " .. problem.name))
  append(body, apart)
  body[#body + 1] = c.when(c.binary(STATUS, "!=", OK), { c.call(problem.name .. "_release", { STATE }) })
  body[#body + 1] = c.result(STATUS)
  return c.func(problem.name .. "_prepare", "void *untyped", body, "cartgen_status")
end

local function release_item(problem, context)
  local body = #context.lists == 0 and { c.call("(void)", { id "untyped" }) } or { own(problem), c.blank() }
  return c.func(problem.name .. "_release", "void *untyped", append(body, lists.free(context, STATE)))
end

--- The struct of a plan's state, and the functions that fill and empty it, as lists of items; nil where nothing is made.
--- context: that of the kernels, which holds the lists.
function state.items(plan, context, param_locals)
  local problem, kept = plan.problem, kept_calls(plan)
  if #kept == 0 and #context.lists == 0 then return nil end
  local members, map = { { problem.name .. "_params", "params" } }, names.map(problem)
  for _, f in ipairs(kept) do members[#members + 1] = { "int64_t", map[f.text] } end
  append(members, lists.members(#context.lists))
  return { c.struct(problem.name .. "_state", members) },
    { release_item(problem, context), prepare_item(plan, context, kept, param_locals) }
end

return state
