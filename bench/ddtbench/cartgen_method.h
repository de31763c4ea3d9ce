/* SPDX-License-Identifier: MIT */
/* cartgen_method.h - the method `cartgen`: generated layouts, sent by cartgen_p2p. The functions are those of a
 * ddt_method. */
#ifndef DDT_CARTGEN_METHOD_H
#define DDT_CARTGEN_METHOD_H

#include "methods.h"

int ddt_cartgen_method_offered(const ddt_case *c);
void ddt_cartgen_method_open(ddt_state *s, void *const arrays[]);
void ddt_cartgen_method_close(ddt_state *s);
void ddt_cartgen_method_pack(const ddt_state *s, void *const arrays[], void *packed);
void ddt_cartgen_method_unpack(const ddt_state *s, void *const arrays[], const void *packed);
void ddt_cartgen_method_send(const ddt_state *s, void *const arrays[], int peer);
void ddt_cartgen_method_receive(const ddt_state *s, void *const arrays[], int peer);
void ddt_cartgen_method_exchange(const ddt_state *s, void *const arrays[]);

#endif
