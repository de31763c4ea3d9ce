-- SPDX-License-Identifier: MIT
-- One periodic and one open dimension, a gap between what is received.
schedule "mixed" {
  topology   = cart { periods = { true, false }, dims = { 4, 3 } },
  stencil    = offsets { { 1, 0 }, { 1, 1 }, { 0, 3 }, { 5, 1 } },
  collective = allgatherv { count = 2, type = int64, displs = { 0, 3, 6, 9 } },
  algorithm  = "combining",
}
