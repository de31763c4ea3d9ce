/* SPDX-License-Identifier: MIT */
/* moves_wide.c - moves.c, compiled with wide moves (CMakeLists.txt). */
#include "moves.c"
