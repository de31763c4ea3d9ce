/* SPDX-License-Identifier: MIT */
/*
 * manual.h - packing as an application does it: nested loops over its arrays, one element after the
 * other. The file is compiled for the machine it is built on (-O3 -march=native).
 */
#ifndef DDT_MANUAL_H
#define DDT_MANUAL_H

#include "cases.h"

/* c->bytes bytes of the send layout in `arrays`, to `packed`. */
void ddt_manual_pack(const ddt_case *c, void *const arrays[], void *packed);

/* The stream `packed` into the receive layout in `arrays`. */
void ddt_manual_unpack(const ddt_case *c, void *const arrays[], const void *packed);

#endif
