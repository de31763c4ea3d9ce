-- SPDX-License-Identifier: MIT
-- The basic C types: bytes and alignment under the LP64 data model (Linux on 64 bits).
local basics = {}

local SIZES = {
  char = 1, signed_char = 1, unsigned_char = 1, byte = 1, bool = 1, short = 2, unsigned_short = 2, int = 4, unsigned = 4,
  long = 8, unsigned_long = 8, long_long = 8, unsigned_long_long = 8, float = 4, double = 8, long_double = 16,
  int8 = 1, int16 = 2, int32 = 4, int64 = 8, uint8 = 1, uint16 = 2, uint32 = 4, uint64 = 8,
  float_complex = 8, double_complex = 16,
}

-- Those that are not aligned to their size.
local ALIGNS = { float_complex = 4, double_complex = 8 }

--- name -> {bytes, align}
basics.of = {}
for name, bytes in pairs(SIZES) do basics.of[name] = { bytes = bytes, align = ALIGNS[name] or bytes } end

return basics
