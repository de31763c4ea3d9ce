-- SPDX-License-Identifier: MIT
-- SPECFEM3D_GLOBE: points on lists, in place (oc: one field, cm: 3-vectors in two regions), and the
-- first of every two rows of three floats (mt), received as it comes.
local n = param "n"
local idx = param_list("idx", n)

layout "specfem3d_oc" { type = indexed_block(1, idx, float) }

local ncm, nic = param("ncm", "nic")
local cm, ic = param_list("cm", ncm), param_list("ic", nic)
local point = contiguous(3, float)

layout "specfem3d_cm" { type = struct {
  { indexed_block(1, cm, point), at("a0", 0), 1 },
  { indexed_block(1, ic, point), at("a1", 0), 1 },
} }

local points = param "points"

layout "specfem3d_mt_send" { type = vector(points, 1, 2, point) }
layout "specfem3d_mt_recv" { type = contiguous(3 * points, float) }
