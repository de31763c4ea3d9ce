-- SPDX-License-Identifier: MIT
-- Loads a description: a Lua chunk in a sandbox, bounded in steps and memory.
local diag = require "cartgen.diag"
local strings = require "cartgen.strings"
local util = require "cartgen.util"

local spec = {}

-- Instructions between two looks, and most looks. The chunk is looked at often, so that doubling a
-- string is seen in time; functions it hands over are called between long work of our own, which is
-- why only the chunk has a limit of seconds.
local CHUNK = { every = 5, most = 6000000, seconds = 10 }
local CALLS = { every = 1000, most = 1000000 }
local MOST_KILOBYTES = 262144

local function copy_of(library, leave_out)
  local out = {}
  for name, value in pairs(library) do
    if not (leave_out and leave_out[name]) then out[name] = value end
  end
  return out
end

local function sandbox(words)
  local env = { string = strings.string(), math = copy_of(math, { randomseed = true, random = true }),
    table = strings.table(), ipairs = ipairs, pairs = pairs, tostring = tostring, tonumber = tonumber, type = type,
    select = select, unpack = util.unpack }
  for name, value in pairs(words) do env[name] = value end
  local names = util.sorted_keys(env)
  return setmetatable({}, {
    __index = function(_, name)
      local value = env[name]
      if value == nil then diag.fail(nil, "unknown name '%s'%s", tostring(name), util.nearest(tostring(name), names)
        and util.hint(tostring(name), names) or "; a description has the vocabulary of docs/description.md, math, string and table") end
      return value
    end,
    __newindex = function(_, name, value)
      if env[name] ~= nil then diag.fail(nil, "'%s' is a word of the language; choose another name", tostring(name)) end
      env[name] = value
    end,
    __metatable = "sandbox",
  })
end

-- Line of `source` that is being run, from the stack.
local function line_of(source)
  for level = 2, 200 do
    local info = debug.getinfo(level, "Sl")
    if not info then return nil end
    if info.source == source and info.currentline > 0 then return info.currentline end
  end
end

-- A Lua error text "chunk:12: message" split.
local function split(text, file)
  local head = file .. ":"
  if text:sub(1, #head) == head then
    local line, message = text:sub(#head + 1):match "^(%d+): (.*)$"
    if line then return tonumber(line), message end
  end
  return nil, text
end

-- Looks at the running description now and then; LuaJIT calls hooks only where its compiler is off
-- (pipeline.lua).
local function watch(bounds)
  local calls, base, began = 0, collectgarbage "count", os.clock()
  debug.sethook(function()
    calls = calls + 1
    if calls > bounds.most then
      debug.sethook()
      diag.fail(nil, "the description runs too long (over %d million steps): an endless loop?",
        bounds.every * bounds.most / 1000000)
    end
    if bounds.seconds and calls % 64 == 0 and os.clock() - began > bounds.seconds then
      debug.sethook()
      diag.fail(nil, "the description runs too long (over %d seconds): an endless loop?", bounds.seconds)
    end
    if collectgarbage "count" - base > MOST_KILOBYTES then
      debug.sethook()
      diag.fail(nil, "the description needs more than %d MiB of memory", MOST_KILOBYTES / 1024)
    end
  end, "", bounds.every)
end

-- A raised value as an error of the file: its place is found on the stack, before that unwinds.
local function located(e, file, where)
  local source = "=" .. file
  if diag.is(e) then
    if not e.where then e.where = { file = file, line = line_of(source) or where and where.line } end
    return e
  end
  if type(e) ~= "string" then return e end
  local line, message = split(e, file)
  local inside = line or line_of(source)
  if inside and message:find "stack overflow" then -- also when it struck in the hook
    return { kind = "user", where = { file = file, line = inside },
      message = "stack overflow: the description calls itself without end" }
  end
  if not inside or (not line and message:find "^[^ ]*%.lua:%d+: ") then
    return { kind = "bug", message = debug.traceback(e, 2) }
  end
  return { kind = "user", where = { file = file, line = inside }, message = message:gsub("\n.*", "") }
end

-- Runs f, which runs or calls the description, under bounds and with the sandbox's string methods.
local function guard(file, where, bounds, f)
  local methods = getmetatable ""
  local real = methods.__index
  methods.__index = strings.string()
  watch(bounds)
  local ok, e = xpcall(f, function(e)
    debug.sethook()
    methods.__index = real
    return located(e, file, where)
  end)
  debug.sethook()
  methods.__index = real
  if not ok then
    if e == "not enough memory" then -- raised without the handler above
      collectgarbage()
      diag.fail(where or { file = file }, "the description needs more memory than there is")
    end
    error(e, 0)
  end
end

--- Runs f, which calls functions of the description; errors without a place are at `where`.
function spec.guard(file, where, f) guard(file, where, CALLS, f) end

--- Runs the text of a description. make_words(line_now) -> words, state. Returns state.
function spec.load(file, text, make_words)
  local source = "=" .. file
  if text:sub(1, 1) == "\27" then diag.fail({ file = file, line = 1 }, "this is compiled Lua, expected text") end
  text = text:gsub("^#[^\n]*", "")
  local words, state = make_words(function() return line_of(source) end)
  local env = sandbox(words)
  local chunk, message
  local set_environment = rawget(_G, "setfenv") -- LuaJIT
  if set_environment then
    chunk, message = rawget(_G, "loadstring")(text, source)
    if chunk then set_environment(chunk, env) end
  else
    chunk, message = load(text, source, "t", env)
  end
  if not chunk then
    local line, what = split(message, file)
    diag.fail({ file = file, line = line }, "%s", what)
  end
  guard(file, nil, CHUNK, chunk)
  return state
end

return spec
