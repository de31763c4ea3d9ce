/* SPDX-License-Identifier: MIT */
/*
 * cartgen_slot.h - where the layouts that cartgen generates from layouts/ are plugged in.
 *
 * For `layout "NAME" { type = T }` cartgen generates NAME_params, NAME_layout, NAME_init,
 * NAME_free, NAME_size, NAME_pack, NAME_unpack, and whether either is one run; a type over several arrays takes a NAME_arrays
 * of pointers in place of one address. A pair of layouts behind the functions below is what the
 * method `cartgen` needs of a test.
 */
#ifndef DDT_CARTGEN_SLOT_H
#define DDT_CARTGEN_SLOT_H

#include <stddef.h>
#include <stdint.h>

#include "cases.h"

/* One layout. `arrays` are those of the case, whichever of them the layout uses. */
typedef struct ddt_cartgen_layout {
    size_t bytes; /* sizeof(NAME_layout) */
    /* NAME_params from sizes and lists of a case, and NAME_init; non-zero with bench_error(). */
    int (*init)(void *layout, const ddt_case *c);
    void (*free)(void *layout);
    int64_t (*size)(const void *layout);
    void (*pack)(const void *layout, void *packed, void *const arrays[]);
    void (*unpack)(const void *layout, void *const arrays[], const void *packed);
    /* By ddt_side: the stream lies side by side from byte *at_p of the side's array on. */
    int (*contiguous[2])(const void *layout, int64_t *at_p);
} ddt_cartgen_layout;

typedef struct ddt_cartgen {
    ddt_cartgen_layout side[2]; /* by ddt_side; of DDT_SEND only pack is used, of DDT_RECV unpack */
} ddt_cartgen;

/* NULL: this build has no generated layouts for the pair, and `cartgen` is not offered for it. */
const ddt_cartgen *ddt_cartgen_open(const char *test, const char *size);

#endif
