-- SPDX-License-Identifier: MIT
-- The command line as a child process, under the interpreter that runs the specs.
local command = {}

local function first_of_arg()
  local at = 0
  while arg and arg[at - 1] do at = at - 1 end
  return at < 0 and arg[at] or nil
end

--- The interpreter under test.
command.lua = os.getenv "CARTGEN_LUA" or first_of_arg() or (rawget(_G, "jit") and "luajit" or "lua5.4")

function command.quote(text) return "'" .. text:gsub("'", "'\\''") .. "'" end

function command.read(name)
  local file = io.open(name, "rb")
  if not file then return nil end
  local text = file:read "*a"
  file:close()
  return text
end

function command.write(name, text)
  local file = assert(io.open(name, "wb"))
  file:write(text)
  file:close()
end

--- Output of a shell command.
function command.shell(text)
  local pipe = assert(io.popen(text))
  local out = pipe:read "*a"
  pipe:close()
  return out
end

--- A new empty folder.
function command.folder() return (command.shell "mktemp -d":gsub("\n", "")) end

function command.remove(folder) command.shell("rm -rf " .. command.quote(folder)) end

--- Names in a folder, sorted, separated by blanks.
function command.names(folder)
  return (command.shell("LC_ALL=C ls -A " .. command.quote(folder)):gsub("\n$", ""):gsub("\n", " "))
end

--- Runs cartgen with a list of arguments: {status, out, err}. options: lua, input (of stdin), kilobytes.
function command.run(args, options)
  options = options or {}
  local folder = command.folder()
  command.write(folder .. "/in", options.input or "")
  local words = {}
  for i, word in ipairs(args) do words[i] = command.quote(word) end
  local limit = options.kilobytes and ("ulimit -v %d; "):format(options.kilobytes) or ""
  local status = command.shell(("%stimeout 60 %s gen/cartgen.lua %s < %s/in > %s/out 2> %s/err; echo $?"):format(limit,
    command.quote(options.lua or command.lua), table.concat(words, " "), folder, folder, folder))
  local out = { status = tonumber(status), out = command.read(folder .. "/out"), err = command.read(folder .. "/err") }
  command.remove(folder)
  return out
end

return command
