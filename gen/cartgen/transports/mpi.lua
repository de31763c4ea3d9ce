-- SPDX-License-Identifier: MIT
-- mpi { mode = "nonblocking" | "persistent" | "blocking" }: rounds over MPI point-to-point.
return { name = "mpi", modes = { "nonblocking", "persistent", "blocking" } }
