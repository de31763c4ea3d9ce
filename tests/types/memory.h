/* SPDX-License-Identifier: MIT */
/*
 * memory.h - the arrays a layout lies in and packed streams, with bytes around them that must not change.
 */
#ifndef CARTGEN_TESTS_TYPES_MEMORY_H
#define CARTGEN_TESTS_TYPES_MEMORY_H

#include <stddef.h>
#include <stdint.h>

#include "typemap.h"

enum { MEMORY_MAX = 8 };

/* Every array is just as long as the bytes the layout touches in it; under AddressSanitizer what lies
 * behind it is not ours, else there are guard bytes. Starts are aligned to nothing. */
typedef struct memory {
    int n;
    unsigned char *raw[MEMORY_MAX];  /* with guards */
    size_t bytes[MEMORY_MAX];        /* of raw */
    int64_t first[MEMORY_MAX];       /* displacement of raw[b][0] */
    void *bases[MEMORY_MAX];         /* displacement 0: what the generated function is given */
} memory;

/* Random numbers (xorshift64*). */
typedef struct generator {
    uint64_t x;
} generator;

uint64_t draw(generator *g);
int64_t draw_below(generator *g, int64_t n); /* n > 0 */

/* Arrays 0 .. n - 1 of a map, filled at random. */
memory memory_make(const typemap *map, int n, generator *g);
/* n bytes, one array, filled at random. */
memory memory_stream(int64_t n, generator *g);
/* The same arrays with the same contents elsewhere. */
memory memory_twin(const memory *m);
void memory_free(memory *m);

/* One array from displacement `from` on whose pages are there only when touched, all 0, for layouts that span gigabytes;
 * n is 0 where there is no address space for it. */
memory memory_far(int64_t from, int64_t bytes);
void memory_far_free(memory *m);

/* The byte at a displacement of an array. */
unsigned char *memory_at(const memory *m, int base, int64_t displ);

/* 1 when both hold the same bytes, guards included; else the first difference is described in text. */
int memory_equal(const memory *got, const memory *expected, char text[160]);

#endif
