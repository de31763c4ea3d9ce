/* SPDX-License-Identifier: MIT */
/* visited.h - what a layout tells a visitor, against the places of its bytes. */
#ifndef TYPES_VISITED_H
#define TYPES_VISITED_H

#include "cartgen/cartgen.h"

/* Where a byte of the packed stream comes from. */
typedef struct place {
    int base;
    int64_t displ;
} place;

typedef int (*visited_call)(const void *layout, const cartgen_visitor *visitor);

/* The first byte of the stream, 0 .. size - 1, that is told to lie elsewhere; size: the visitor was told of another number
 * of bytes; -1: all is right, or the layout tells nothing. -2: it tells of a list, or without end. */
int64_t visited_wrong(visited_call visit, const void *layout, const place *places, int64_t size);

#endif
