#!/usr/bin/env lua5.4
-- SPDX-License-Identifier: MIT
-- Starts the command line from wherever it lies.
local script = arg and arg[0] or "gen/cartgen.lua"

-- Follows symbolic links, so that a link in a bin folder finds the modules.
local function resolved(path)
  local pipe = io.popen("readlink -f -- '" .. path:gsub("'", "'\\''") .. "' 2>/dev/null")
  local out = pipe and pipe:read "*l"
  if pipe then pipe:close() end
  return out and out ~= "" and out or path
end

local folder = resolved(script):match "^(.*)/[^/]*$" or "."
package.path = folder .. "/?.lua;" .. package.path
os.exit(require("cartgen.cli").main(arg, folder .. "/.."))
