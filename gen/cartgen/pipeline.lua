-- SPDX-License-Identifier: MIT
-- The chain of stages, from the text of a description to what is asked for.
local cost = require "cartgen.cost"
local diag = require "cartgen.diag"
local emit = require "cartgen.emit"
local lower = require "cartgen.lower"
local plan_module = require "cartgen.plan"
local problem = require "cartgen.problem"
local registry = require "cartgen.registry"
local schedule_module = require "cartgen.schedule"
local simulate = require "cartgen.simulate"
local spec = require "cartgen.spec"
local util = require "cartgen.util"
local vocabulary = require "cartgen.vocabulary"

-- LuaJIT as an interpreter: as fast here, and its compiler would not call the hooks that bound a
-- description (spec.lua); Debian 12's (2.1.0-beta3) was also seen to crash.
local jit = rawget(_G, "jit")
if jit then jit.off() end

local pipeline = {}

--- "partial:{0}{1,2}" as an algorithm, as the command line gives it. file: for errors.
function pipeline.parse_algorithm(text, file)
  local name, groups = text:match "^(%a+):(.*)$"
  if name ~= "partial" then return { name = text } end
  local list = {}
  if groups == "" or groups:gsub("{%d[%d,]*}", "") ~= "" then
    diag.fail({ file = file }, "--algorithm got '%s', expected groups of dimensions as in partial:{0}{1,2}", text)
  end
  for group in groups:gmatch "{([%d,]+)}" do
    list[#list + 1] = {}
    for dim in group:gmatch "%d+" do table.insert(list[#list], tonumber(dim)) end
  end
  return { name = name, groups = list }
end

--- "mpi:persistent" as a transport.
function pipeline.parse_transport(text)
  local name, mode = text:match "^([^:]*):?(.*)$"
  return { name = name, mode = mode ~= "" and mode or nil }
end

local function check_sets(state, sets, file)
  for _, name in ipairs(util.sorted_keys(sets)) do
    if not state.set_used[name] then
      local names = util.sorted_keys(state.by_name)
      diag.fail({ file = file }, "--set %s: the description has no parameter of that name%s", name,
        #names > 0 and util.hint(name, names) or "")
    end
  end
end

local function check_used(state, problems)
  local used = {}
  for _, p in ipairs(problems) do
    for _, param in ipairs(p.params) do used[param.name] = true end
  end
  for _, param in ipairs(state.params) do
    if not used[param.name] then diag.fail(param.where, "parameter '%s' is never used", param.name) end
  end
end

-- `schedule "a"` without its { ... }: the first of them.
local function check_finished(state)
  local first
  for where in pairs(state.unfinished) do
    if not first or where.line < first.line then first = where end
  end
  if first then
    diag.fail(first, "schedule %s is not followed by its { topology = ..., ... }", util.show(state.unfinished[first]))
  end
end

local function modes_of(transports)
  local out = {}
  for _, transport in ipairs(transports) do
    for _, mode in ipairs(transport.modes) do out[#out + 1] = mode end
  end
  return out
end

--- Problems of a description. args: file, text, sets, algorithm?, transport?, only? (texts).
function pipeline.problems(args)
  local sets = args.sets or {}
  local state = spec.load(args.file, args.text, function(line_now)
    return vocabulary.make({ datatypes = registry.datatypes, collectives = registry.collectives,
      transports = registry.transports, model = cost.default_model }, args.file, sets, line_now)
  end)
  check_sets(state, sets, args.file)
  check_finished(state)
  if #state.schedules == 0 then diag.fail({ file = args.file }, "no schedule in the description; expected schedule \"name\" { ... }") end
  local known = { algorithms = registry.names(registry.algorithms), transports = registry.names(registry.transports),
    modes = modes_of(registry.transports), params = state.params,
    algorithm = args.algorithm and pipeline.parse_algorithm(args.algorithm, args.file),
    transport = args.transport and pipeline.parse_transport(args.transport) }
  local all = {}
  for i, description in ipairs(state.schedules) do
    spec.guard(args.file, description.where, function() all[i] = problem.resolve(description, known) end)
  end
  problem.check_names(all)
  check_used(state, all)
  if not args.only then return all end
  local names = {}
  for i, p in ipairs(all) do
    names[i] = p.name
    if p.name == args.only then return { p } end
  end
  diag.fail({ file = args.file }, "no schedule '%s'%s", args.only, util.hint(args.only, names))
end

--- Schedules (programs) of a problem, passed and proved.
function pipeline.schedules(p)
  local out = registry.find(registry.algorithms, p.algorithm.name).schedules(p)
  for i, s in ipairs(out) do
    for _, pass in ipairs(registry.passes) do s = pass.apply(s) end
    local ok, message = simulate.proved(s)
    if not ok then error(("the gate refused %s, %s: %s"):format(p.name, s.algorithm, message)) end
    out[i] = s
  end
  return out
end

function pipeline.plan(p) return lower.plan(p, pipeline.schedules(p)) end

local function each(list, f)
  local out = {}
  for i, x in ipairs(list) do out[i] = f(x) end
  return out
end

local forms = {}

function forms.problem(problems) return table.concat(each(problems, problem.text)) end

function forms.schedule(problems)
  return table.concat(each(problems, function(p)
    return table.concat(each(pipeline.schedules(p), schedule_module.text))
  end))
end

function forms.plan(problems)
  return table.concat(each(problems, function(p) return plan_module.text(pipeline.plan(p)) end))
end

function forms.stats(problems)
  local out = {}
  for _, row in ipairs(emit.stats(each(problems, pipeline.plan))) do
    local line = {}
    for i, key in ipairs(emit.stats_order) do
      local value = row[key]
      line[i] = key .. "=" .. (type(value) == "number" and util.int(value) or tostring(value):gsub(" ", ""))
    end
    out[#out + 1] = table.concat(line, " ")
  end
  return table.concat(out, "\n") .. "\n"
end

function forms.json(problems)
  local json = require "dkjson"
  return json.encode(emit.stats(each(problems, pipeline.plan)), { indent = true, keyorder = emit.stats_order }) .. "\n"
end

function forms.c(problems, args) return emit.source(each(problems, pipeline.plan), args) end

pipeline.forms = util.sorted_keys(forms)

--- Everything the command line asks for. args: as for problems, and emit, header, command.
--- Returns {source, header?}.
function pipeline.generate(args)
  local problems = pipeline.problems(args)
  local out = { source = forms[args.emit or "c"](problems, args) }
  if args.header then out.header = emit.header(each(problems, pipeline.plan), args) end
  return out
end

--- Lines "name: ok ..." after everything was proved and lowered.
function pipeline.check(args)
  return table.concat(each(pipeline.problems(args), function(p)
    local plan = pipeline.plan(p)
    emit.source({ plan }, { file = args.file, command = args.command })
    local names = each(plan.programs, function(program) return program.schedule.algorithm end)
    return ("%s: ok, %s proved\n"):format(p.name, table.concat(names, ", "))
  end))
end

--- A line a schedule: name, collective, dimensions, transfers.
function pipeline.list(args)
  return table.concat(each(pipeline.problems(args), function(p)
    return ("%s: %s\n"):format(p.name, emit.summary(p))
  end))
end

return pipeline
