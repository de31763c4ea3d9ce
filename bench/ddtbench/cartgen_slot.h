/* SPDX-License-Identifier: MIT */
/*
 * cartgen_slot.h - where the layouts that cartgen generates from layouts/ are plugged in: for each test two,
 * of what is sent and what is received, as a table of functions (cartgen/layout.h).
 */
#ifndef DDT_CARTGEN_SLOT_H
#define DDT_CARTGEN_SLOT_H

#include <stddef.h>
#include <stdint.h>

#include "cartgen/layout.h"
#include "cases.h"

/* One layout. `arrays` are those of the case, whichever of them it uses. */
typedef struct ddt_cartgen_layout {
    size_t bytes; /* sizeof(NAME_layout) */
    /* NAME_params from sizes and lists of a case, and NAME_init; non-zero with bench_error(). */
    int (*init)(void *layout, const ddt_case *c);
    void (*free)(void *layout);
    void (*pack)(const void *layout, void *packed, void *const arrays[]);
    void (*unpack)(const void *layout, void *const arrays[], const void *packed);
    const cartgen_layout_calls *calls;
    /* What the calls take for memory, from the case's arrays; made in room[DDT_ARRAYS] if it is a NAME_arrays. */
    const void *(*memory)(void *const arrays[], void *room);
} ddt_cartgen_layout;

typedef struct ddt_cartgen {
    ddt_cartgen_layout side[2]; /* by ddt_side; what is sent, what is received */
} ddt_cartgen;

/* The part of FFT2's exchange for one process: what goes to it and where what comes from it belongs. */
typedef struct ddt_cartgen_part {
    size_t bytes;
    int (*init)(void *layout, const ddt_case *c, int rank);
    void (*free)(void *layout);
    void (*keep)(const void *layout, void *to, const void *from); /* of the process itself */
    const cartgen_layout_calls *calls;
} ddt_cartgen_part;

extern const ddt_cartgen_part ddt_cartgen_fft2_part;

/* NULL: this build has no generated layouts for the pair, and `cartgen` is not offered for it. */
const ddt_cartgen *ddt_cartgen_open(const char *test, const char *size);

#endif
