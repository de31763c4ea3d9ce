-- SPDX-License-Identifier: MIT
-- MPI's order of a Cartesian communicator: what was block s arrives as block s^1.
schedule "cartesian2d" {
  topology   = torus(2),
  stencil    = cartesian(2),
  collective = alltoallv { counts = { 1, 2, 3, 0 }, recv_counts = { 2, 1, 0, 3 }, type = double },
  order      = "cartesian",
  algorithm  = "direct",
}
