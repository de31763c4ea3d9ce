-- SPDX-License-Identifier: MIT
-- The basic C types, with their sizes under the LP64 data model (Linux on 64 bits).
local datatype = require "cartgen.datatype"

local SIZES = {
  char = 1, signed_char = 1, unsigned_char = 1, byte = 1, bool = 1, short = 2, unsigned_short = 2, int = 4, unsigned = 4,
  long = 8, unsigned_long = 8, long_long = 8, unsigned_long_long = 8, float = 4, double = 8, long_double = 16,
  int8 = 1, int16 = 2, int32 = 4, int64 = 8, uint8 = 1, uint16 = 2, uint32 = 4, uint64 = 8,
  float_complex = 8, double_complex = 16,
}

local basic = { words = {} }

for name, bytes in pairs(SIZES) do
  local align = name == "float_complex" and 4 or name == "double_complex" and 8 or bytes
  basic.words[name] = datatype.basic(name, bytes, align)
end

return basic
