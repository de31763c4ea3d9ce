-- SPDX-License-Identifier: MIT
-- The basic C types as words.
local basics = require "cartgen.basics"
local datatype = require "cartgen.datatype"

local basic = { words = {} }

for name in pairs(basics.of) do basic.words[name] = datatype.basic(name) end

return basic
