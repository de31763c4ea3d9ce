-- SPDX-License-Identifier: MIT
-- mpi { mode = ..., zero_copy = ... }: rounds over MPI point-to-point.
return {
  name = "mpi",
  -- Options and their values, the default first.
  options = { mode = { "nonblocking", "persistent", "blocking" }, zero_copy = { "auto", "always", "never" } },
  visits = true, -- makes datatypes of its own from what lies in a block
}
