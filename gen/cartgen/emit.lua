-- SPDX-License-Identifier: MIT
-- Assembles generated files from plans and templates.
local cgen = require "cartgen.cgen"
local cprint = require "cartgen.cprint"
local data = require "cartgen.cgen_data"
local expr = require "cartgen.expr"
local layout_module = require "cartgen.layout"
local lists = require "cartgen.cgen_lists"
local problem_module = require "cartgen.problem"
local template = require "cartgen.template"
local util = require "cartgen.util"

local emit = {}

emit.version = "0.1.0"
emit.abi = 5

local function read_template(name)
  local path = util.root() .. "/templates/" .. name
  local file, message = io.open(path, "rb")
  if not file then error("cannot read template " .. message) end
  local text = file:read "*a"
  file:close()
  return (text:gsub("^/%* SPDX[^\n]*\n", ""))
end

local hashes = setmetatable({}, { __mode = "k" }) -- plan -> hash: it stands in several places of the output

--- Hash of everything that decides what a schedule does: problem, programs, transport.
function emit.hash(plan)
  if hashes[plan] then return hashes[plan] end
  local text = { problem_module.text(plan.problem) }
  for _, program in ipairs(plan.programs) do
    text[#text + 1] = program.schedule.algorithm .. (program.straight and "" or " lists")
  end
  hashes[plan] = util.digest(table.concat(text, "\n"))
  return hashes[plan]
end

local function plural(n, word) return ("%s %s%s"):format(util.int(n), word, n == 1 and "" or "s") end

local function topology_text(topology)
  local periodic, out = 0, {}
  for j, p in ipairs(topology.periods) do
    periodic = periodic + (p and 1 or 0)
    out[j] = topology.dims and util.int(topology.dims[j]) or "?"
  end
  local kind = periodic == topology.ndims and "torus" or periodic == 0 and "mesh" or "grid of mixed periods"
  return ("%s-d %s"):format(util.int(topology.ndims), kind)
    .. (topology.dims and " of " .. table.concat(out, " x ") or "")
end

--- One line on a schedule.
function emit.summary(problem)
  return ("%s, %s on a %s"):format(problem.collective, plural(#problem.transfers, "transfer"),
    topology_text(problem.topology))
end

-- The computed table of one schedule.
local function table_of(plan)
  local out = { (" * %s: %s"):format(plan.problem.name, emit.summary(plan.problem)),
    (" *   %-24s %6s %8s %7s %8s %9s  %s"):format("program", "rounds", "messages", "blocks", "requests", "code", "bytes sent; forwarded") }
  for _, program in ipairs(plan.programs) do
    local s = program.stats
    local sent = expr.text(s.bytes_sent) .. "; " .. expr.text(s.temp_bytes)
    if #sent > 200 then sent = "by block" end
    out[#out + 1] = (" *   %-24s %6s %8s %7s %8s %9s  %s"):format(program.schedule.algorithm, util.int(s.rounds),
      util.int(s.messages), util.int(s.blocks_sent), util.int(s.requests), program.straight and "straight" or "lists", sent)
  end
  return table.concat(out, "\n")
end

local function wrap(prefix, text)
  local out, line = {}, prefix
  for word in text:gmatch("%S+") do
    if #line + #word > 98 and line ~= prefix then
      out[#out + 1] = (line:gsub(" $", ""))
      line = prefix
    end
    line = line .. word .. " "
  end
  out[#out + 1] = (line:gsub(" $", ""))
  return table.concat(out, "\n")
end

local function block_text(blocks)
  if #blocks == 0 then return "nothing" end
  local same = true
  for i = 2, #blocks do
    same = same and expr.equal(blocks[i].type.size, blocks[1].type.size)
  end
  return plural(#blocks, "block") .. (same and (" of %s bytes"):format(expr.text(blocks[1].type.size)) or " of various sizes")
end

-- What is in the buffer of a side, or in each of its arrays.
local function side_text(problem, side)
  if not problem.arrays then return block_text(problem[side]) end
  local out = {}
  for i, name in ipairs(problem.arrays[side]) do
    local blocks = {}
    for _, block in ipairs(problem[side]) do
      if block.base == name then blocks[#blocks + 1] = block end
    end
    out[i] = ("%s, %s"):format(name, block_text(blocks))
  end
  return table.concat(out, "; ")
end

local function buffers_text(problem)
  local more = problem.own_params and " Parameters may differ between ranks." or ""
  if not problem.regions then
    return ("sendbuf: %s; recvbuf: %s.%s"):format(side_text(problem, "send"), side_text(problem, "recv"), more)
  end
  if problem.arrays then
    return ("sendbuf, recvbuf: pointers to the arrays with ghosts, %s; %s.%s"):format(table.concat(problem.arrays.recv, ", "),
      problem.in_place and "both to the same" or "to the same or others", more)
  end
  return ("sendbuf, recvbuf: the %s with ghosts, %s.%s"):format(
    #problem.regions.arrays == 1 and "array" or plural(#problem.regions.arrays, "array"),
    problem.in_place and "one buffer" or "one buffer or two", more)
end

-- The structs of pointers to the arrays of each side, where these are more than a buffer.
local function arrays_text(problem)
  local out = {}
  for _, side in ipairs(problem.arrays and { "send", "recv" } or {}) do
    out[#out + 1] = ("\n\n/* The arrays that are %s. */\ntypedef struct %s_%s {"):format(
      side == "send" and "sent from" or "received into", problem.name, side)
    for _, name in ipairs(problem.arrays[side]) do out[#out + 1] = ("    %svoid *%s;"):format(side == "send" and "const " or "", name) end
    out[#out + 1] = ("} %s_%s;"):format(problem.name, side)
  end
  return (table.concat(out, "\n"):gsub("\n\n\n", "\n\n"))
end

-- Parameters of start and run, and what is handed on for recvbuf.
local function buffer_holes(problem)
  if not problem.arrays then return "const void *sendbuf", "void *recvbuf", "recvbuf" end
  return ("const %s_send *sendbuf"):format(problem.name), ("const %s_recv *recvbuf"):format(problem.name),
    "(void *)(uintptr_t)recvbuf"
end

local function params_text(problem)
  if #problem.params == 0 then
    return ("/* No parameters: pass NULL. */\ntypedef struct %s_params %s_params;"):format(problem.name, problem.name)
  end
  local out = { "typedef struct " .. problem.name .. "_params {" }
  for _, param in ipairs(problem.params) do
    out[#out + 1] = param.length
      and ("    const int64_t *%s; /* %s values */"):format(param.name, expr.text(param.length))
      or ("    int64_t %s;"):format(param.name)
  end
  out[#out + 1] = ("} %s_params;"):format(problem.name)
  return table.concat(out, "\n")
end

local function declarations(plans)
  local text = read_template "declare.h"
  local out = {}
  for i, plan in ipairs(plans) do
    local problem = plan.problem
    local sendbuf, recvbuf = buffer_holes(problem)
    out[i] = template.fill("declare.h", text, {
      NAME = problem.name, SUMMARY = emit.summary(problem),
      BUFFERS = wrap(" * ", buffers_text(problem)), SENDBUF = sendbuf, RECVBUF = recvbuf,
      PARAMS = params_text(problem) .. arrays_text(problem),
    })
  end
  return table.concat(out)
end

local function number(x)
  local text = ("%.6g"):format(x)
  if not text:find "[%.e]" then text = text .. ".0" end
  return text
end

local function schedule_text(plan, model, options)
  local problem = plan.problem
  local items, fields, map = cgen.items(plan, options)
  local count = util.int
  local has_params = #problem.params > 0
  local params_bytes = has_params and ("sizeof(%s_params)"):format(problem.name) or "0"
  local arrays = problem.arrays or { send = {}, recv = {} }
  local sendbuf, recvbuf, passed = buffer_holes(problem)
  return cprint.text(items, map) .. template.fill("schedule.c", read_template "schedule.c", {
    NAME = problem.name, COLLECTIVE = problem.collective, HASH = emit.hash(plan), NDIMS = count(problem.topology.ndims),
    NSEND_ARRAYS = count(#arrays.send), SEND_ARRAYS = fields.send_arrays, NRECV_ARRAYS = count(#arrays.recv),
    RECV_ARRAYS = fields.recv_arrays, SENDBUF = sendbuf, RECVBUF = recvbuf, PASSED = passed,
    DIMS = fields.dims, NSEND = count(#problem.send), NRECV = count(#problem.recv),
    NTRANSFERS = count(#problem.transfers), NVECTORS = count(#plan.vectors), VECTORS = fields.vectors,
    OFFSETS = fields.offsets, TRANSFER_SEND = fields.transfer_send, TRANSFER_RECV = fields.transfer_recv,
    NAREAS = count(#plan.blocks.recv - #problem.recv), OWN_PARAMS = problem.own_params and "1" or "0",
    IN_PLACE = problem.in_place and "1" or "0", NLIMITS = count(#(problem.limits or {})),
    LIMIT_NAMES = #(problem.limits or {}) > 0 and problem.name .. "_limit_names" or "NULL",
    LIMITS = #(problem.limits or {}) > 0 and problem.name .. "_limits" or "NULL",
    NNEEDS = count(#plan.needs), NEED_ROWS = fields.need_rows, NPARAMS = count(#problem.params),
    PARAM_TABLE = fields.param_table,
    PARAM_BYTES = params_bytes,
    STATE_BYTES = fields.has_state and ("sizeof(%s_state)"):format(problem.name) or params_bytes,
    PREPARE = fields.has_state and problem.name .. "_prepare" or "NULL",
    RELEASE = fields.has_state and problem.name .. "_release" or "NULL",
    NKERNELS = count(#plan.shapes), KERNELS = #plan.shapes > 0 and problem.name .. "_kernels" or "NULL",
    NSHAPE_COPIES = count(#plan.pairs), SHAPE_COPIES = #plan.pairs > 0 and problem.name .. "_shape_copies" or "NULL",
    MODE = "CARTGEN_MODE_" .. problem.transport.mode:upper(), ZERO_COPY = "CARTGEN_ZERO_COPY_" .. problem.transport.zero_copy:upper(),
    NPROGRAMS = count(#plan.programs),
    LATENCY = number(model.latency), PER_BYTE = number(model.per_byte), PER_COPY = number(model.per_copy),
    TRANSPORT = problem.transport.name,
  })
end

-- ---------------------------------------------------------------- layouts

local function layout_params(l) return params_text(l) end

local function layout_state(l, made)
  local out = {}
  if #l.params > 0 then out[1] = ("    %s_params params;"):format(l.name) end
  out[#out + 1] = "    int64_t size;"
  for _, field in ipairs { "lb", "extent", "true_lb", "true_extent" } do out[#out + 1] = ("    int64_t %s;"):format(field) end
  for _, name in ipairs(made.calls) do out[#out + 1] = ("    int64_t %s;"):format(name) end
  for _, member in ipairs(lists.members(made.lists)) do out[#out + 1] = ("    %s %s;"):format(member[1], member[2]) end
  return table.concat(out, "\n")
end

local function layout_arrays(l)
  if #l.arrays == 0 then return "" end
  local out = { ("\n/* The arrays that the type lies in. */\ntypedef struct %s_arrays {"):format(l.name) }
  for _, name in ipairs(l.arrays) do out[#out + 1] = ("    void *%s;"):format(name) end
  out[#out + 1] = ("} %s_arrays;\n"):format(l.name)
  return table.concat(out, "\n")
end

local function layout_reduce(l, into)
  local out = {}
  for i, op in ipairs(l.reduce) do
    out[i] = ("void %s_reduce_%s(const %s_layout *layout, %s *to, const void *packed);"):format(l.name, op, l.name, into)
  end
  if #out == 0 then return "" end
  return "/* Combine packed values into those of the layout: to = to OP packed. */\n" .. table.concat(out, "\n") .. "\n"
end

--- One line on a layout.
function emit.layout_summary(l)
  return ("layout of %s bytes"):format(expr.text(l.type.size))
end

local function layout_declarations(l, made)
  local arrays = #l.arrays > 0 and l.name .. "_arrays"
  local into = arrays and "const " .. arrays or "void"
  return template.fill("layout.h", read_template "layout.h", { NAME = l.name, SUMMARY = emit.layout_summary(l),
    PARAMS = (layout_params(l)), ARRAYS = layout_arrays(l), STATE = layout_state(l, made), MEMORY = arrays or "void", INTO = into,
    REDUCE = layout_reduce(l, into) })
end

-- ---------------------------------------------------------------- files

--- What a file is made of, from plans and layouts: units {name, summary, table, hash, include, declarations, body}.
function emit.units(plans, layouts, options)
  local out = {}
  for i, l in ipairs(layouts) do
    local made = data.make(l, options)
    local text = layout_module.text(l)
    out[i] = { name = l.name, summary = emit.layout_summary(l), table = (" * %s: %s"):format(l.name, emit.layout_summary(l)),
      hash = util.digest(text), include = "cartgen/layout.h", declarations = layout_declarations(l, made),
      body = ("\n/* --- %s --- */\n"):format(l.name) .. cprint.text(made.items, data.names(l, made.lists)), is_layout = true }
  end
  for _, plan in ipairs(plans) do
    out[#out + 1] = { name = plan.problem.name, summary = emit.summary(plan.problem), table = table_of(plan), hash = emit.hash(plan),
      include = ("cartgen/%s.h"):format(plan.problem.transport.name), declarations = declarations { plan },
      body = schedule_text(plan, plan.problem.algorithm.model or require("cartgen.cost").default_model, options) }
  end
  return out
end

local function each_of(units, field, wanted)
  local out = {}
  for _, unit in ipairs(units) do
    if wanted == nil or (unit.is_layout or false) == wanted then out[#out + 1] = unit[field] end
  end
  return out
end

local function title(units)
  if #units == 1 then return units[1].name .. ": " .. units[1].summary end
  local layouts, schedules = each_of(units, "name", true), each_of(units, "name", false)
  local kinds = {}
  if #layouts > 0 then kinds[1] = plural(#layouts, "layout") end
  if #schedules > 0 then kinds[#kinds + 1] = plural(#schedules, "schedule") end
  local text = table.concat(kinds, " and ") .. ": " .. table.concat(each_of(units, "name"), ", ")
  return (wrap("", text):gsub("\n", "\n   "))
end

local function common(units, args)
  local all = each_of(units, "hash")
  return { TITLE = title(units), VERSION = emit.version, FILE = args.file,
    HASH = #all == 1 and all[1] or util.digest(table.concat(all)), COMMAND = args.command }
end

-- "#include" lines of what the units need, once each.
local function includes(units)
  local out, seen = {}, {}
  for _, file in ipairs(each_of(units, "include")) do
    if not seen[file] then out[#out + 1] = ('"%s"'):format(file) end
    seen[file] = true
  end
  return table.concat(out, "\n#include ")
end

-- A comment must not end inside the command or the file's name.
local function comment_safe(text) return (text:gsub("%*/", "*_/"):gsub("/%*", "/_*"):gsub("%c", "?"):gsub("%?%?", "?_?")) end

--- Text of the C file. args: file, command (texts), header (name of the header to include, or nil).
function emit.source(units, args)
  args = { file = comment_safe(args.file), command = comment_safe(args.command), header = args.header }
  local body = table.concat(each_of(units, "body", true))
  local schedules = table.concat(each_of(units, "body", false))
  if schedules ~= "" then body = body .. template.fill("places.c", read_template "places.c", { BODY = schedules }) end
  local holes = common(units, args)
  holes.TABLE = table.concat(each_of(units, "table"), "\n *\n")
  holes.INCLUDE = args.header and '"' .. args.header .. '"' or includes(units)
  holes.ABI = util.int(emit.abi)
  holes.DECLARATIONS = args.header and "" or table.concat(each_of(units, "declarations"))
  holes.BODY = body
  return template.fill("source.c", read_template "source.c", holes)
end

--- Text of the header. args.header: its name.
function emit.header(units, args)
  args = { file = comment_safe(args.file), command = comment_safe(args.command), header = args.header }
  local holes = common(units, args)
  holes.GUARD = "CARTGEN_" .. args.header:upper():gsub("[^A-Z0-9]", "_") .. "_INCLUDED"
  holes.INCLUDE = includes(units)
  holes.DECLARATIONS = table.concat(each_of(units, "declarations"))
  return template.fill("header.h", read_template "header.h", holes)
end

--- Counts of every program, as lines of text or as a plain table for JSON.
function emit.stats(plans)
  local out = {}
  for _, plan in ipairs(plans) do
    for _, program in ipairs(plan.programs) do
      local s = program.stats
      out[#out + 1] = { schedule = plan.problem.name, program = program.schedule.algorithm, rounds = s.rounds,
        messages = s.messages, blocks_sent = s.blocks_sent, bytes_sent = expr.text(s.bytes_sent),
        blocks_copied = s.blocks_copied, temp_bytes = expr.text(s.temp_bytes), requests = s.requests,
        code = program.straight and "straight" or "lists" }
    end
  end
  return out
end

emit.stats_order = { "schedule", "program", "rounds", "messages", "blocks_sent", "bytes_sent", "blocks_copied",
  "temp_bytes", "requests", "code" }

return emit
