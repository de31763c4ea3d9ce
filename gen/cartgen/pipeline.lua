-- SPDX-License-Identifier: MIT
-- The chain of stages, from the text of a description to what is asked for.
local cost = require "cartgen.cost"
local diag = require "cartgen.diag"
local emit = require "cartgen.emit"
local identifiers = require "cartgen.identifiers"
local kernel_forms = require "cartgen.kernel_forms"
local layout = require "cartgen.layout"
local lower = require "cartgen.lower"
local plan_module = require "cartgen.plan"
local problem = require "cartgen.problem"
local record = require "cartgen.record"
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

local function check_used(state, all)
  local used = {}
  for _, p in ipairs(all) do
    for _, param in ipairs(p.params) do used[param.name] = true end
  end
  for _, param in ipairs(state.params) do
    if not used[param.name] then diag.fail(param.where, "parameter '%s' is never used", param.name) end
  end
end

-- `schedule "a"` or `layout "a"` without its { ... }: the first of them.
local function check_finished(state)
  local first
  for where in pairs(state.unfinished) do
    if not first or where.line < first.line then first = where end
  end
  if first then
    local found = state.unfinished[first]
    diag.fail(first, "%s %s is not followed by its { %s = ..., ... }", found.word, util.show(found.name), found.expected)
  end
end

-- In a file with fields: a collective that no schedule has was likely a second one of its name, which Lua drops.
local function check_collectives(state)
  local used = {}
  for _, description in ipairs(state.schedules) do
    local collective = description.fields.collective
    used[collective or ""] = true
    for _, field in ipairs(record.type(collective) == "Collective" and collective.fields or {}) do used[field.collective] = true end
  end
  for _, entry in ipairs(state.has_fields and state.collectives or {}) do
    if not used[entry.collective] then
      diag.fail(entry.where, "%s {...} is in no schedule: of several fields with one name only the last is kept", entry.collective.name)
    end
  end
end

--- Is `name` an option of a transport?
function pipeline.is_option(name)
  for _, transport in ipairs(registry.transports) do
    if transport.options[name] then return true end
  end
  return false
end

local function only_named(items, name, file)
  local names = {}
  for i, item in ipairs(items) do
    names[i] = item.name
    if item.name == name then return item end
  end
  diag.fail({ file = file }, "no schedule or layout '%s'%s", name, util.hint(name, names))
end

local function resolved(file, descriptions, resolve, known)
  local out = {}
  for i, description in ipairs(descriptions) do
    spec.guard(file, description.where, function() out[i] = resolve(description, known) end)
  end
  return out
end

local function joined(a, b)
  local out = {}
  for _, list in ipairs { a, b } do
    for _, x in ipairs(list) do out[#out + 1] = x end
  end
  return out
end

-- {name, where, what} of problems and layouts.
local function identities(problems, layouts)
  local function of(what)
    return function(item)
      return { name = item.name, where = item.where, what = what, arrays = what == "schedule" and item.arrays ~= nil }
    end
  end
  local out = {}
  for _, p in ipairs(problems) do out[#out + 1] = of "schedule"(p) end
  for _, l in ipairs(layouts) do out[#out + 1] = of "layout"(l) end
  return out
end

--- What a description says: problems and layouts. args: file, text, sets (values of parameters), words? (of options of the
--- transport), algorithm?, transport?, only? (texts).
function pipeline.read(args)
  local sets = args.sets or {}
  local state = spec.load(args.file, args.text, function(line_now)
    return vocabulary.make({ datatypes = registry.datatypes, collectives = registry.collectives,
      transports = registry.transports, model = cost.default_model }, args.file, sets, line_now)
  end)
  check_sets(state, sets, args.file)
  for name in pairs(args.words or {}) do
    if state.by_name[name] then diag.fail({ file = args.file }, "--set %s: the parameter of that name is an integer", name) end
  end
  check_finished(state)
  check_collectives(state)
  if #state.schedules + #state.layouts == 0 then
    diag.fail({ file = args.file }, "no schedule in the description; expected schedule \"name\" { ... } or layout \"name\" { ... }")
  end
  local known = { algorithms = registry.names(registry.algorithms), transports = registry.names(registry.transports),
    transport_of = function(name) return registry.find(registry.transports, name) end, words = args.words or {},
    params = state.params, line_now = state.line_now,
    algorithm = args.algorithm and pipeline.parse_algorithm(args.algorithm, args.file),
    transport = args.transport and pipeline.parse_transport(args.transport) }
  local problems = resolved(args.file, state.schedules, problem.resolve, known)
  local layouts = resolved(args.file, state.layouts, layout.resolve, known.params)
  identifiers.check_clashes(identities(problems, layouts))
  check_used(state, joined(problems, layouts))
  if args.only then
    local one = only_named(joined(problems, layouts), args.only, args.file)
    local function keep(list)
      for _, item in ipairs(list) do
        if item == one then return { item } end
      end
      return {}
    end
    problems, layouts = keep(problems), keep(layouts)
  end
  return { problems = problems, layouts = layouts }
end

--- Problems of a description.
function pipeline.problems(args) return pipeline.read(args).problems end

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

-- Texts of what was read (pipeline.read).
local forms = {}

-- A layout is the same in every stage.
local function layouts_text(found) return table.concat(each(found.layouts, layout.text)) end

function forms.problem(found) return layouts_text(found) .. table.concat(each(found.problems, problem.text)) end

function forms.schedule(found)
  return layouts_text(found) .. table.concat(each(found.problems, function(p)
    return table.concat(each(pipeline.schedules(p), schedule_module.text))
  end))
end

function forms.plan(found)
  return layouts_text(found) .. table.concat(each(found.problems, function(p) return plan_module.text(pipeline.plan(p)) end))
end

function forms.stats(found)
  local out = {}
  for _, row in ipairs(emit.stats(each(found.problems, pipeline.plan))) do
    local line = {}
    for i, key in ipairs(emit.stats_order) do
      local value = row[key]
      line[i] = key .. "=" .. (type(value) == "number" and util.int(value) or tostring(value):gsub(" ", ""))
    end
    out[#out + 1] = table.concat(line, " ") .. "\n"
  end
  return table.concat(out)
end

function forms.json(found)
  local json = require "dkjson"
  return json.encode(emit.stats(each(found.problems, pipeline.plan)), { indent = true, keyorder = emit.stats_order }) .. "\n"
end

local function units(found, args)
  return emit.units(each(found.problems, pipeline.plan), found.layouts, kernel_forms.parse(args.kernel, args.file))
end

function forms.c(found, args)
  local all = units(found, args)
  return emit.source(all, args), args.header and emit.header(all, args)
end

pipeline.forms = util.sorted_keys(forms)

--- Everything the command line asks for. args: as for read, and emit, header, command, kernel?.
--- Returns {source, header?}.
function pipeline.generate(args)
  local source, header = forms[args.emit or "c"](pipeline.read(args), args)
  return { source = source, header = header or nil }
end

--- Lines "name: ok ..." after everything was proved and lowered.
function pipeline.check(args)
  local found = pipeline.read(args)
  local lines = each(found.layouts, function(l)
    emit.units({}, { l }, kernel_forms.parse(args.kernel, args.file))
    return ("%s: ok\n"):format(l.name)
  end)
  for _, p in ipairs(found.problems) do
    local plan = pipeline.plan(p)
    emit.units({ plan }, {}, kernel_forms.parse(args.kernel, args.file))
    local names = each(plan.programs, function(program) return program.schedule.algorithm end)
    lines[#lines + 1] = ("%s: ok, %s proved\n"):format(p.name, table.concat(names, ", "))
  end
  return table.concat(lines)
end

--- A line a layout or schedule: name and what it is.
function pipeline.list(args)
  local found = pipeline.read(args)
  local lines = each(found.layouts, function(l) return ("%s: %s\n"):format(l.name, emit.layout_summary(l)) end)
  for _, p in ipairs(found.problems) do lines[#lines + 1] = ("%s: %s\n"):format(p.name, emit.summary(p)) end
  return table.concat(lines)
end

return pipeline
