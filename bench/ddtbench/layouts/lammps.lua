-- SPDX-License-Identifier: MIT
-- LAMMPS: atoms on a list, x[atom][3] and then scalars, each an array; received behind the own atoms.
local n, own = param("n", "own")
local idx = param_list("idx", n)

-- x is a block of 3 doubles per atom, so that the list counts atoms.
local function send(scalars)
  local items = { { indexed_block(1, idx, contiguous(3, double)), at("a0", 0), 1 } }
  for a = 1, scalars do items[a + 1] = { indexed_block(1, idx, double), at("a" .. a, 0), 1 } end
  return struct(items)
end

local function recv(scalars)
  local items = { { contiguous(3 * n, double), at("a0", 24 * own), 1 } }
  for a = 1, scalars do items[a + 1] = { contiguous(n, double), at("a" .. a, 8 * own), 1 } end
  return struct(items)
end

layout "lammps_full_send"   { type = send(5) } -- tag, type, mask, q, molecule
layout "lammps_full_recv"   { type = recv(5) }
layout "lammps_atomic_send" { type = send(3) } -- tag, type, mask
layout "lammps_atomic_recv" { type = recv(3) }
