-- SPDX-License-Identifier: MIT
-- lua5.4 generated/regenerate.lua [--check]    from the top folder: writes generated/*.c from the
-- table, or compares and exits 1 when one differs.
local check = arg[1] == "--check"
local interpreter = arg[-1]
local stale = 0

local function read(command_or_file, open)
  local stream = assert(open(command_or_file))
  local text = stream:read "*a"
  stream:close()
  return text
end

for _, row in ipairs(dofile "generated/schedules.lua") do
  local command = ("%s gen/cartgen.lua %s %s"):format(interpreter, row.options, row.description)
  local text = read(command, io.popen)
  local name = ("generated/%s.c"):format(row.name)
  if #text == 0 then
    io.stderr:write(name, ": not generated\n")
    stale = stale + 1
  elseif not check then
    local file = assert(io.open(name, "wb"))
    file:write(text)
    file:close()
  else
    local file = io.open(name, "rb")
    local old = file and file:read "*a"
    if file then file:close() end
    if old ~= text then
      io.stderr:write(name, ": not what the generator prints now (lua5.4 generated/regenerate.lua)\n")
      stale = stale + 1
    end
  end
end
os.exit(stale == 0 and 0 or 1)
