-- SPDX-License-Identifier: MIT
-- The words of the description language.
local record = require "cartgen.record"
local diag = require "cartgen.diag"
local expr = require "cartgen.expr"
local params = require "cartgen.params"
local stencil = require "cartgen.stencil"
local topology = require "cartgen.topology"
local util = require "cartgen.util"
local words_module = require "cartgen.words"

local vocabulary = {}

-- One of the collectives, or `fields`: several of them, {name, collective}, sorted by name.
local collective_record = record.define("Collective",
  { name = "required", shared = "optional", build = "optional", args = "optional", neighbourhood = "optional",
    own_params = "optional", fields = "optional" })

-- State of one file: its parameters and schedules.
local function new_state(file, line_now, sets)
  return { file = file, line_now = line_now, sets = sets, params = {}, by_name = {}, schedules = {}, layouts = {}, set_used = {},
    unfinished = {}, collectives = {}, has_fields = false }
end

local function same_length(a, b)
  if a == nil or b == nil then return a == b end
  return expr.equal(a, b)
end

local function declare(state, name, length)
  local bad = util.bad_identifier(name)
  if bad then diag.fail(nil, "the parameter's name %s %s", util.show(name), bad) end
  if name:lower():match "^cartgen_" then
    diag.fail(nil, "the parameter's name '%s' begins with cartgen_, which is the runtime's", name)
  end
  local known = state.by_name[name]
  if known and not same_length(known.length, length) then
    diag.fail(nil, "parameter '%s' was declared otherwise on line %d", name, known.where.line)
  end
  if not known then
    known = { name = name, length = length, where = { file = state.file, line = state.line_now() } }
    state.by_name[name] = known
    if state.sets[name] == nil then state.params[#state.params + 1] = known end
  end
  state.set_used[name] = true
end

local function set_value(state, name, length)
  local values = state.sets[name]
  if not values then return nil end
  if length and not expr.is_const(length) then
    diag.fail(nil, "--set %s gives %d values, the description declares %s: set that too", name, #values, expr.text(length))
  end
  length = length and expr.value(length)
  if #values ~= (length or 1) then
    diag.fail(nil, "--set %s gives %d value%s, the description declares %d", name, #values, #values == 1 and "" or "s", length or 1)
  end
  return values
end

local MOST_VALUES = 100000

-- The length of a list of parameters: a constant, or an expression of plain parameters.
local function check_length(length)
  local symbolic = expr.is(length) and not expr.is_const(length)
  if not symbolic and (not util.is_int(length) or length < 1 or length > MOST_VALUES) then
    diag.fail(nil, "the length of param_list is %s, expected an integer from 1 to %d", util.show(length), MOST_VALUES)
  end
  for _, term in ipairs(symbolic and expr.terms(length) or {}) do
    for _, f in ipairs(term.factors) do
      if f.op or f.index then
        diag.fail(nil, "the length of param_list is %s, expected an expression of plain parameters", util.show(length))
      end
    end
  end
end

local function param_words(state)
  local function param(...)
    local out, names = {}, { ... }
    if #names == 0 then diag.fail(nil, "param got no name") end
    for i, name in ipairs(names) do
      declare(state, name, nil)
      local values = set_value(state, name, nil)
      out[i] = values and values[1] or expr.param(name)
    end
    return util.unpack(out)
  end
  local function param_list(name, length)
    check_length(length)
    length = expr.of(length)
    declare(state, name, length)
    local values = set_value(state, name, length)
    if not values then return params.list(name, length) end
    local out = {}
    for i, x in ipairs(values) do out[i] = x end
    return out
  end
  return param, param_list
end

-- schedule "name" { ... }, layout "name" { ... }: both add to a list of the state.
local function named_word(state, word, list, expected)
  return function(name)
    if type(name) == "table" then diag.fail(nil, "%s got %s, expected a name: %s \"name\" { ... }", word, util.show(name), word) end
    local where = { file = state.file, line = state.line_now() }
    state.unfinished[where] = { word = word, name = name, expected = expected }
    return words_module.exact(word, function(fields)
      state.unfinished[where] = nil
      if type(fields) ~= "table" then
        diag.fail(where, "%s %s got %s, expected { %s = ..., ... }", word, util.show(name), util.show(fields), expected)
      end
      list[#list + 1] = { name = name, fields = fields, where = where }
    end)
  end
end

local function checked_options(what, arg, fields)
  if type(arg) ~= "table" then diag.fail(nil, "%s got %s, expected { %s = ... }", what, util.show(arg), fields[1]) end
  for _, key in ipairs(util.sorted_keys(arg)) do
    local known = false
    for _, field in ipairs(fields) do known = known or field == key end
    if not known then diag.fail(nil, "%s has no field '%s'%s", what, key, util.hint(key, fields)) end
  end
end

local function partial(arg)
  if arg == "best" then return { name = "partial" } end
  if type(arg) ~= "table" then diag.fail(nil, "partial got %s, expected \"best\" or groups { {0}, {1, 2} }", util.show(arg)) end
  return { name = "partial", groups = arg }
end

local MODEL = { "latency", "per_byte", "per_copy" }

local function auto_with(default_model)
  return function(arg)
    if arg == nil then arg = {} end
    checked_options("auto", arg, MODEL)
    local model = {}
    for _, key in ipairs(MODEL) do
      local x = arg[key] == nil and default_model[key] or arg[key]
      if type(x) ~= "number" or x ~= x or x < 0 or x == math.huge then
        diag.fail(nil, "%s of auto is %s, expected seconds, 0 or more", key, util.show(x))
      end
      model[key] = x
    end
    return { name = "auto", model = model }
  end
end

local function collective_word(state, module)
  return function(args)
    local made = collective_record { name = module.name, shared = module.shared, build = module.build, args = args or {},
      neighbourhood = module.neighbourhood, own_params = module.own_params }
    table.insert(state.collectives, { collective = made, where = { file = state.file, line = state.line_now() } })
    return made
  end
end

-- fields { NAME = COLLECTIVE, ... }
local function fields_word(state)
  return function(args)
    if type(args) ~= "table" or record.type(args) then
      diag.fail(nil, "fields got %s, expected { NAME = alltoall {...}, ... }", util.show(args))
    end
    local list = {}
    for key in pairs(args) do
      local bad = util.bad_identifier(key)
      if bad then diag.fail(nil, "the name of a field %s %s", util.show(key), bad) end
    end
    for i, name in ipairs(util.sorted_keys(args)) do
      local made = args[name]
      if record.type(made) ~= "Collective" then
        diag.fail(nil, "field '%s' is %s, expected a collective: alltoall {...}, halo {...}", name, util.show(made))
      end
      if made.fields then diag.fail(nil, "field '%s' is fields {...} itself, expected one collective", name) end
      list[i] = { name = name, collective = made }
    end
    if #list == 0 then diag.fail(nil, "fields is empty, expected { NAME = alltoall {...}, ... }") end
    state.has_fields = true
    return collective_record { name = "fields", fields = list }
  end
end

-- options: values of each option of the transport.
local function transport_word(name, options)
  return function(arg)
    if arg == nil then arg = {} end
    local keys, out = util.sorted_keys(options), { name = name }
    checked_options(name, arg, keys)
    for _, key in ipairs(keys) do
      local known = arg[key] == nil
      for _, value in ipairs(options[key]) do known = known or arg[key] == value end
      if not known then diag.fail(nil, "unknown %s %s%s", key, util.show(arg[key]), util.hint(arg[key], options[key])) end
      out[key] = arg[key]
    end
    return out
  end
end

--- Words and state for one file. kit: datatypes (modules with .words), collectives (modules), transports
--- ({name, options}), model (default of auto). line_now() is the line of the description being run.
function vocabulary.make(kit, file, sets, line_now)
  local state = new_state(file, line_now, sets)
  local words = {}
  for _, name in ipairs { "torus", "mesh", "cart" } do words[name] = topology[name] end
  for _, name in ipairs { "offsets", "moore", "von_neumann", "box", "lattice", "cartesian" } do words[name] = stencil[name] end
  for _, module in ipairs(kit.datatypes) do
    for _, name in ipairs(util.sorted_keys(module.words)) do words[name] = module.words[name] end
  end
  for _, module in ipairs(kit.collectives) do words[module.name] = collective_word(state, module) end
  words.fields = fields_word(state)
  for _, transport in ipairs(kit.transports) do words[transport.name] = transport_word(transport.name, transport.options) end
  words.partial, words.auto = partial, auto_with(kit.model)
  words.param, words.param_list = param_words(state)
  words.schedule = named_word(state, "schedule", state.schedules, "topology")
  words.layout = named_word(state, "layout", state.layouts, "type")
  for name, word in pairs(words) do
    if type(word) == "function" then words[name] = words_module.exact(name, word) end
  end
  return words, state
end

return vocabulary
