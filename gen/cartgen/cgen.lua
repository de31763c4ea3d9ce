-- SPDX-License-Identifier: MIT
-- Plan -> C tree: tables, kernels, layout and the straight-line pack and unpack functions.
local c = require "cartgen.ctree"
local emitters = require "cartgen.cgen_kernel"
local expr = require "cartgen.expr"
local forms = require "cartgen.kernel_forms"
local kernel = require "cartgen.kernel"
local schedule = require "cartgen.schedule"
local shape = require "cartgen.shape"
local layout = require "cartgen.cgen_layout"
local lists = require "cartgen.cgen_lists"
local names = require "cartgen.cgen_names"
local state = require "cartgen.cgen_state"
local visits = require "cartgen.cgen_visit"

local cgen = {}

local id = c.id

local function append(to, list)
  for _, x in ipairs(list) do to[#to + 1] = x end
  return to
end

-- Declarations of the parameters a function uses, of the calls, and of what it takes from the state (state.note).
local function param_locals(problem, used, source)
  local out = state.locals(problem, used, source)
  local any = false
  for _, param in ipairs(problem.params) do any = any or used[param.name] end
  if not any then return out end
  local type = "const " .. problem.name .. "_params *"
  table.insert(out, 1, c.declare(type, "params", c.cast(type, source)))
  for _, param in ipairs(problem.params) do
    if used[param.name] then
      out[#out + 1] = c.declare(param.length and "const int64_t *" or "const int64_t",
        names.param(problem, param.name), c.field(id "params", param.name))
    end
  end
  for _, f in ipairs(used) do out[#out + 1] = c.compute(f) end
  return out
end

-- Name of the pointer that a place counts from.
local function pointer_of(place) return names.pointer(place.base, place.array) end

local function address(place) return c.offset(id(pointer_of(place)), place.bytes) end

-- Name of the function that copies from one shape to another.
local function pair_name(problem, from, to) return ("%s_shape%d_to_shape%d"):format(problem.name, from - 1, to - 1) end

-- One move as a statement; notes what it uses.
local function move_statement(plan, move, used)
  state.note(used.params, move.from.bytes)
  state.note(used.params, move.to.bytes)
  used[pointer_of(move.from)], used[pointer_of(move.to)] = true, true
  local to, from = address(move.to), address(move.from)
  local number = move.from_shape + move.to_shape
  if move.from_shape > 0 and move.to_shape > 0 then
    return c.call(pair_name(plan.problem, move.from_shape, move.to_shape), { to, from, id "view->params" })
  elseif number > 0 then
    local verb = move.from_shape > 0 and "pack" or "unpack"
    return c.call(("%s_shape%d_%s"):format(plan.problem.name, number - 1, verb), { to, from, id "view->params" })
  end
  state.note(used.params, move.bytes)
  local name = expr.is_const(move.bytes) and "memcpy" or "cartgen_copy"
  return c.call(name, { to, from, c.size(move.bytes) })
end

local TYPES = { send = "const char *", recv = "char *" }

local function function_of(plan, name, used, body)
  local head = param_locals(plan.problem, used.params, id "view->params")
  for _, side in ipairs { "send", "recv" } do
    if used[side] then head[#head + 1] = c.declare(TYPES[side], side, id("view->" .. side)) end
    for k, array in ipairs(plan.problem.arrays and plan.problem.arrays[side] or {}) do
      local pointer = names.pointer(side, array)
      if used[pointer] then head[#head + 1] = c.declare(TYPES[side], pointer, c.index(id(("view->%s_arrays"):format(side)), k - 1)) end
    end
  end
  if used.out then head[#head + 1] = c.declare("char *", "out") end
  if used["in"] then head[#head + 1] = c.declare("const char *", "in") end
  if #head > 0 then head[#head + 1] = c.blank() end
  if #head + #body == 0 then body = { c.call("(void)", { id "view" }) } end
  return c.func(name, "const cartgen_view *view", append(head, body))
end

local function plural(n, word) return ("%d %s%s"):format(n, word, n == 1 and "" or "s") end

-- `moves` under a test that message k's pointer is there. A temp source lies in another message.
local function guarded(plan, pointer, k, comment, moves, used)
  if #moves == 0 then return {} end
  local inside = {}
  local from_in
  for _, move in ipairs(moves) do
    if move.from.base == "in" and move.from.message ~= from_in then
      from_in = move.from.message
      if not (pointer == "in" and from_in == k) then
        used["in"] = true
        inside[#inside + 1] = c.assign(id "in", c.index(id "view->in", from_in))
      end
    end
    inside[#inside + 1] = move_statement(plan, move, used)
  end
  used[pointer] = true
  return { c.comment(comment), c.assign(id(pointer), c.index(id("view->" .. pointer), k)),
    c.when(c.present(id(pointer)), inside) }
end

local function pack_function(plan, prefix, k, round)
  local used, body = { params = {} }, {}
  for _, message in ipairs(round.messages) do
    append(body, guarded(plan, "out", message.id, ("to %s: %s"):format(
      schedule.vector_text(message.message.to), plural(#message.message.send, "block")), message.pack, used))
  end
  return function_of(plan, prefix .. "_pack" .. k, used, body)
end

local function unpack_function(plan, prefix, k, round)
  local used, body = { params = {} }, {}
  local copies = {}
  for _, move in ipairs(round.moves) do
    local at = move.from.message
    copies[at] = copies[at] or {}
    copies[at][#copies[at] + 1] = move
  end
  for _, message in ipairs(round.messages) do
    local moves = append(append({}, message.unpack), copies[message.id] or {})
    append(body, guarded(plan, "in", message.id, "from " .. schedule.vector_text(message.message.from), moves, used))
    copies[message.id] = nil
  end
  for at = 0, round.messages[1].id - 1 do
    if copies[at] then append(body, guarded(plan, "in", at, "brought earlier", copies[at], used)) end
  end
  return function_of(plan, prefix .. "_unpack" .. k, used, body)
end

local function local_function(plan, prefix, moves)
  local used, body = { params = {} }, { c.comment("offset zero") }
  local known = {}
  for _, pair in ipairs(plan.pairs) do known[pair.from .. " " .. pair.to] = true end
  for _, move in ipairs(moves) do
    if move.from_shape > 0 and move.to_shape > 0 and not known[move.from_shape .. " " .. move.to_shape] then return nil end
    body[#body + 1] = move_statement(plan, move, used)
  end
  return function_of(plan, prefix .. "_local", used, body)
end

local function ref_node(ref, program)
  if ref.buffer == "area" then return c.macro("R", { program.first_area + ref.block }) end
  return c.macro(ref.buffer == "send" and "S" or ref.buffer == "recv" and "R" or "T", { ref.block })
end

local function any_need(rows)
  for _, x in ipairs(rows) do
    if x ~= 0 then return true end
  end
  return false
end

-- The tables of one program: messages, refs, needs, temps, copies.
local function program_tables(plan, program, prefix)
  local t = { messages = {}, send = {}, recv = {}, send_needs = {}, recv_needs = {}, locals = {}, copies = {} }
  local function copy_row(copy) return { ref_node(copy.from, program), ref_node(copy.to, program), plan.need_ids(copy.to.need) } end
  for _, copy in ipairs(program.schedule.locals) do t.locals[#t.locals + 1] = copy_row(copy) end
  for _, round in ipairs(program.rounds) do
    for _, message in ipairs(round.messages) do
      t.messages[#t.messages + 1] = { plan.vector_ids(message.message.to), message.first_ref, #message.message.send }
      for p, ref in ipairs(message.message.send) do
        local into = message.message.recv[p]
        t.send[#t.send + 1], t.recv[#t.recv + 1] = ref_node(ref, program), ref_node(into, program)
        t.send_needs[#t.send_needs + 1] = plan.need_ids(ref.need)
        t.recv_needs[#t.recv_needs + 1] = plan.need_ids(into.need)
      end
    end
    for _, copy in ipairs(round.copies) do t.copies[#t.copies + 1] = copy_row(copy) end
  end
  local items = {}
  local function table_of(name, type, rows, wanted)
    if #rows == 0 or wanted == false then return id "NULL" end
    local full = prefix .. "_" .. name
    items[#items + 1] = c.table(type, full, "[" .. #rows .. "]", rows)
    return id(full)
  end
  local fields = {
    messages = table_of("messages", "cartgen_message", t.messages),
    send = table_of("send_refs", "uint32_t", t.send),
    recv = table_of("recv_refs", "uint32_t", t.recv),
    send_needs = table_of("send_needs", "uint32_t", t.send_needs, any_need(t.send_needs)),
    recv_needs = table_of("recv_needs", "uint32_t", t.recv_needs, any_need(t.recv_needs)),
    temps = table_of("temp_blocks", "uint32_t", program.schedule.temps),
    locals = table_of("locals", "cartgen_move_ref", t.locals),
    copies = table_of("copies", "cartgen_move_ref", t.copies),
  }
  return items, fields
end

-- Functions of one program, and the rows of its rounds.
local function program_functions(plan, program, prefix)
  local items, rounds = {}, {}
  for k, round in ipairs(program.rounds) do
    local pack, unpack = id "NULL", id "NULL"
    if program.straight then
      items[#items + 1] = pack_function(plan, prefix, k - 1, round)
      items[#items + 1] = unpack_function(plan, prefix, k - 1, round)
      pack, unpack = id(prefix .. "_pack" .. (k - 1)), id(prefix .. "_unpack" .. (k - 1))
    end
    rounds[k] = { round.messages[1].id, #round.messages, round.first_copy, #round.copies, pack, unpack }
  end
  local local_phase = id "NULL"
  if program.straight and #program.locals > 0 then
    local f = local_function(plan, prefix, program.locals)
    if f then
      items[#items + 1] = f
      local_phase = id(prefix .. "_local")
    end
  end
  return items, rounds, local_phase
end

local function program_items(plan, program, prefix)
  local s = program.schedule
  local items = { c.section(("%s: %s, %s, %s"):format(plan.problem.name, s.algorithm,
    plural(#s.rounds, "round"), plural(program.stats.messages, "message"))) }
  local tables, f = program_tables(plan, program, prefix)
  append(items, tables)
  local functions, rounds, local_phase = program_functions(plan, program, prefix)
  append(items, functions)
  local rounds_id = id "NULL"
  if #rounds > 0 then
    items[#items + 1] = c.table("cartgen_round", prefix .. "_rounds", "[" .. #rounds .. "]", rounds)
    rounds_id = id(prefix .. "_rounds")
  end
  local row = { id('"' .. s.algorithm .. '"'), #s.groups == 1 and 1 or 0, #rounds, program.stats.messages,
    program.nrefs, #s.temps, #s.locals, program.ncopies, rounds_id, f.messages, f.send, f.recv,
    f.send_needs, f.recv_needs, f.temps, f.locals, f.copies, local_phase }
  return items, row
end

-- Declarations of what a kernel of shapes uses: names of parameters, texts of calls, lists.
local function kernel_head(plan, context, shapes, used)
  local noted, source = {}, id "untyped"
  for _, param in ipairs(plan.problem.params) do noted[param.name] = used[param.name] end
  for _, s in ipairs(shapes) do
    shape.each_expr(s, function(e)
      expr.each_call(e, function(f)
        if used[f.text] then state.note(noted, expr.product { f }) end
      end)
    end, function() end)
  end
  return append(param_locals(plan.problem, noted, source), lists.locals(context, used, state.pointer(plan.problem, source)))
end

local function from_first_byte(s) return shape.shift(s, expr.neg(s.at)) end

local function emitter_of(plan, name, context, shapes, options)
  return emitters.emitter { name = name, context = context, options = options,
    state = { declare = "const void *untyped", name = "untyped" },
    head = function(used) return kernel_head(plan, context, shapes, used) end }
end

local function shape_kernels(plan, index, s, shared, options)
  s = from_first_byte(s)
  local context = kernel.context(shared)
  local name = ("%s_shape%d"):format(plan.problem.name, index)
  local emitter = emitter_of(plan, name, context, { s }, options)
  local packed = kernel.packed(context, s)
  for _, verb in ipairs { "pack", "unpack" } do
    emitter:choose(verb)
    emitter:whole(packed, ("%s_%s"):format(name, verb))
  end
  return emitter.items
end

-- Kernels of the pairs of shapes, and their table.
local function pair_items(plan, options)
  local items, rows = {}, {}
  for i, pair in ipairs(plan.pairs) do
    local name = pair_name(plan.problem, pair.from, pair.to)
    local emitter = emitter_of(plan, name, pair.context,
      { from_first_byte(plan.shapes[pair.from]), from_first_byte(plan.shapes[pair.to]) }, options)
    emitter:choose "copy"
    emitter:whole(pair.kernel, name)
    local twice = forms.by_turns(options, pair.kernel)
    if twice then emitter:twice(pair.kernel, name .. "_twice") end
    append(items, emitter.items)
    rows[i] = { pair.from, pair.to, id(name), id(twice and name .. "_twice" or "NULL") }
  end
  if #rows > 0 then
    items[#items + 1] = c.table("cartgen_shape_copy", plan.problem.name .. "_shape_copies", "[" .. #rows .. "]", rows)
  end
  return items
end

-- Kernels of all shapes and their table; shared: a context, which takes their lists.
local function kernel_items(plan, shared, options)
  local items, rows = {}, {}
  for i, s in ipairs(plan.shapes) do
    append(items, shape_kernels(plan, i - 1, s, shared, options))
    local prefix, visit = ("%s_shape%d"):format(plan.problem.name, i - 1), "NULL"
    if plan.problem.transport.visits then
      append(items, visits.items(prefix, s, function(used) return param_locals(plan.problem, used, id "untyped") end, state.note))
      visit = prefix .. "_visit"
    end
    rows[i] = { id(prefix .. "_pack"), id(prefix .. "_unpack"), id(visit) }
  end
  if #rows > 0 then
    items[#items + 1] = c.table("cartgen_kernel", plan.problem.name .. "_kernels", "[" .. #rows .. "]", rows)
  end
  return items
end

-- Number of values of a list of parameters, from the others.
local function values_function(problem, name, length)
  local used = {}
  expr.note(used, length)
  local body = param_locals(problem, used, id "untyped")
  body[#body + 1] = c.blank()
  body[#body + 1] = c.result(length)
  return c.func(name, "const void *untyped", body, "int64_t")
end

-- Tables of the schedule that all its programs share.
local function shared_tables(plan)
  local problem, name = plan.problem, plan.problem.name
  local items, fields = {}, {}
  local function add(field, type, rows, size)
    if #rows == 0 then
      fields[field] = "NULL"
      return
    end
    fields[field] = name .. "_" .. field
    items[#items + 1] = c.table(type, fields[field], size or ("[" .. #rows .. "]"), rows)
  end
  local periods, first, rows = {}, {}, {}
  for j, periodic in ipairs(problem.topology.periods) do periods[j] = periodic and 1 or 0 end
  add("periods", "int32_t", periods)
  add("dims", "int32_t", problem.topology.dims or {})
  local flat = {}
  for _, vector in ipairs(plan.vectors) do append(flat, vector) end
  add("vectors", "int32_t", flat)
  add("offsets", "uint32_t", plan.offsets)
  local send, recv = {}, {}
  for i, transfer in ipairs(problem.transfers) do send[i], recv[i] = transfer.send, transfer.recv end
  add("transfer_send", "uint32_t", send)
  add("transfer_recv", "uint32_t", recv)
  for i, need in ipairs(plan.needs) do
    first[i] = #rows
    append(rows, need)
  end
  first[#first + 1] = #rows
  add("need_first", "uint32_t", first)
  add("need_rows", "uint32_t", rows)
  for _, side in ipairs { "send", "recv" } do
    local quoted = {}
    for k, array in ipairs(problem.arrays and problem.arrays[side] or {}) do quoted[k] = id('"' .. array .. '"') end
    add(side .. "_arrays", "char *const", quoted)
  end
  local params = {}
  for i, param in ipairs(problem.params) do
    local count = id "NULL"
    if param.length and not expr.is_const(param.length) then
      count = id(("%s_values%d"):format(name, i - 1))
      items[#items + 1] = values_function(problem, count.name, param.length)
    end
    params[i] = { id('"' .. param.name .. '"'), count.name == "NULL" and (param.length or 0) or -1, count }
  end
  add("param_table", "cartgen_param", params)
  return items, fields
end

--- Top-level items of a plan's C, what the descriptor's holes are (names of tables, counts), and the map of names to C
--- for cprint.
function cgen.items(plan, options)
  local name = plan.problem.name
  local body, program_rows = {}, {}
  for i, program in ipairs(plan.programs) do
    local prefix = #plan.programs == 1 and name or ("%s_p%d"):format(name, i - 1)
    local items, row = program_items(plan, program, prefix)
    append(body, items)
    program_rows[i] = row
  end
  local items, fields = shared_tables(plan)
  table.insert(items, 1, c.section(name .. ": what all its programs share"))
  local shared = kernel.context()
  local kernels = kernel_items(plan, shared, options)
  local struct, functions = state.items(plan, shared, param_locals)
  append(items, struct or {})
  append(items, kernels)
  append(items, pair_items(plan, options))
  append(items, functions or {})
  fields.has_state = struct ~= nil
  append(items, layout.items(plan, param_locals))
  append(items, layout.limits(plan, param_locals))
  append(items, body)
  items[#items + 1] = c.table("cartgen_program", name .. "_programs", "[" .. #program_rows .. "]", program_rows)
  return items, fields, lists.map_names(names.map(plan.problem), #shared.lists)
end

return cgen
