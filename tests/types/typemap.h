/* SPDX-License-Identifier: MIT */
/*
 * typemap.h - the interpreter: the typemap of a tree by MPI's definition, element by element.
 *
 * A typemap is the ordered list of (array, displacement in bytes, basic type) with markers of the lower
 * and upper bound among them (MPI 4.0, 4.1.1 to 4.1.7). Nothing is merged, sorted or made shorter.
 */
#ifndef CARTGEN_TESTS_TYPES_TYPEMAP_H
#define CARTGEN_TESTS_TYPES_TYPEMAP_H

#include "tree.h"

enum { MARK_LB = -1, MARK_UB = -2 }; /* in place of a basic type */

typedef struct typemap_entry {
    int base; /* number of the array; 0 without named arrays */
    int basic;
    int64_t displ;
} typemap_entry;

typedef struct typemap {
    typemap_entry *entries; /* n of them, markers included */
    int64_t n;
    int64_t room;
} typemap;

typedef struct typemap_bounds {
    int64_t size, lb, extent, true_lb, true_extent;
} typemap_bounds;

typemap typemap_of(const tree *node);
void typemap_free(typemap *map);

/* MPI 4.0, 4.1.7: lb and ub are the least and greatest marker where there is one; else those of the
 * elements, and the extent is rounded up to a multiple of the largest alignment. */
typemap_bounds typemap_bounds_of(const typemap *map);

/* From the first byte to one behind the last byte that the elements in array `base` touch; 0, 0: none. */
void typemap_span(const typemap *map, int base, int64_t *from_p, int64_t *to_p);

#endif
