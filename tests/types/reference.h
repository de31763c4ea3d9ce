/* SPDX-License-Identifier: MIT */
/*
 * reference.h - what reference.lua's C is made of: layouts as lists of elements, moved byte by byte.
 * Slow and plain. REFERENCE_FAULT, as a macro or in the environment, plants one fault, for the proof
 * that the harness finds it.
 */
#ifndef CARTGEN_TESTS_TYPES_REFERENCE_H
#define CARTGEN_TESTS_TYPES_REFERENCE_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "basics.h"
#include "cartgen/cartgen.h"

#ifndef REFERENCE_FAULT
#define REFERENCE_FAULT none
#endif
#define REFERENCE_NAME_(name) #name
#define REFERENCE_NAME(name) REFERENCE_NAME_(name)

/* Not inline: that would only make compiling slow. */
#define REFERENCE_FUNCTION static __attribute__((unused, noinline))

/* The planted fault: of the environment, else what the file was generated with. */
REFERENCE_FUNCTION int reference_fault_is(const char *name)
{
    static const char *fault;
    if (fault == NULL)
        fault = getenv("REFERENCE_FAULT");
    if (fault == NULL)
        fault = REFERENCE_NAME(REFERENCE_FAULT);
    return strcmp(fault, name) == 0;
}

#define FAULT(name) reference_fault_is(name)

typedef struct reference_item {
    int base, basic;
    int64_t displ;
} reference_item;

typedef struct reference_map {
    reference_item *items;
    int64_t n, room;
    int has_lb, has_ub;
    int64_t lb, ub; /* explicit bounds */
} reference_map;

typedef struct reference_bounds {
    int64_t size, lb, extent, true_lb, true_extent;
} reference_bounds;

REFERENCE_FUNCTION int64_t reference_min(int64_t a, int64_t b) { return a < b ? a : b; }
REFERENCE_FUNCTION int64_t reference_max(int64_t a, int64_t b) { return a > b ? a : b; }

REFERENCE_FUNCTION reference_bounds reference_bounds_of(const reference_map *m)
{
    int64_t low = INT64_MAX, high = INT64_MIN, align = 1, size = 0;
    for (int64_t i = 0; i < m->n; i++) {
        const basic *b = &basics[m->items[i].basic];
        low = reference_min(low, m->items[i].displ);
        high = reference_max(high, m->items[i].displ + b->bytes);
        align = reference_max(align, b->align);
        size += b->bytes;
    }
    if (m->n == 0)
        low = high = 0;
    int64_t lb = m->has_lb ? m->lb : low, ub = m->has_ub ? m->ub : high;
    if (!m->has_ub && !FAULT("padding"))
        ub += ((lb - ub) % align + align) % align;
    if (FAULT("small_extent") && ub - lb < high - low)
        ub = lb + (high - low);
    return (reference_bounds){size, lb, ub - lb, low, high - low};
}

/* bl copies of `old` at displ; base -1: in the arrays they were in. */
REFERENCE_FUNCTION void reference_add(reference_map *m, const reference_map *old, int64_t displ, int64_t bl,
                                  int base)
{
    reference_bounds b = reference_bounds_of(old);
    if (FAULT("block") && bl == 4)
        bl = 3;
    for (int64_t k = 0; k < bl; k++) {
        int64_t at = displ + k * b.extent;
        if (FAULT("narrow"))
            at = (int32_t)at;
        for (int64_t i = 0; i < old->n; i++) {
            if (m->n == m->room) {
                m->room = 2 * m->room + 16;
                m->items = realloc(m->items, (size_t)m->room * sizeof *m->items);
                if (m->items == NULL)
                    abort();
            }
            m->items[m->n] = old->items[i];
            m->items[m->n].displ += at;
            if (base >= 0)
                m->items[m->n].base = FAULT("base") ? 0 : base;
            m->n++;
        }
        if (old->has_lb && !FAULT("marker")) {
            m->lb = m->has_lb ? reference_min(m->lb, at + old->lb) : at + old->lb;
            m->ub = m->has_ub ? reference_max(m->ub, at + old->ub) : at + old->ub;
            m->has_lb = m->has_ub = 1;
        }
    }
}

REFERENCE_FUNCTION void reference_free(reference_map *m)
{
    free(m->items);
    *m = (reference_map){0};
}

REFERENCE_FUNCTION reference_map reference_basic(int basic)
{
    reference_map m = {.n = 1, .room = 1, .items = malloc(sizeof(reference_item))};
    if (m.items == NULL)
        abort();
    m.items[0] = (reference_item){0, basic, 0};
    return m;
}

/* by_extent: strides and displacements are in extents, not bytes. These take the old map over. */
REFERENCE_FUNCTION reference_map reference_vector(reference_map old, int64_t count, int64_t bl,
                                              int64_t stride, int by_extent)
{
    reference_map m = {0};
    int64_t unit = by_extent ? reference_bounds_of(&old).extent : 1;
    if (FAULT("negative") && stride < 0)
        stride = -stride;
    if (FAULT("zero") && count == 0)
        count = 1;
    for (int64_t i = 0; i < count; i++)
        reference_add(&m, &old, i * stride * unit + (FAULT("stride") && i > 1), bl, -1);
    reference_free(&old);
    return m;
}

REFERENCE_FUNCTION reference_map reference_indexed(reference_map old, int64_t n, const int64_t *bls,
                                               int64_t bl, const int64_t *displs, int by_extent)
{
    reference_map m = {0};
    int64_t unit = by_extent ? reference_bounds_of(&old).extent : 1;
    for (int64_t i = 0; i < n; i++) {
        int64_t at = FAULT("list") && i == n - 1 ? displs[0] : displs[i];
        reference_add(&m, &old, at * unit, bls != NULL ? bls[i] : bl, -1);
    }
    reference_free(&old);
    return m;
}

REFERENCE_FUNCTION reference_map reference_resized(reference_map old, int64_t lb, int64_t extent)
{
    old.has_lb = old.has_ub = 1;
    old.lb = lb;
    old.ub = lb + extent;
    return old;
}

REFERENCE_FUNCTION reference_map reference_subarray(reference_map old, int d, const int64_t *sizes,
                                                const int64_t *subsizes, const int64_t *starts,
                                                int is_fortran)
{
    reference_map m = {0};
    int64_t extent = reference_bounds_of(&old).extent, all = 1;
    int64_t x[16] = {0};
    if (FAULT("order"))
        is_fortran = 0;
    for (int j = 0; j < d; j++)
        all *= subsizes[j];
    for (int64_t i = 0; i < all; i++) {
        int64_t at = 0;
        for (int k = 0; k < d; k++) {
            int j = is_fortran ? d - 1 - k : k;
            at = at * sizes[j] + starts[j] + x[j];
        }
        reference_add(&m, &old, at * extent, 1, -1);
        for (int k = d - 1; k >= 0; k--) {
            int j = is_fortran ? d - 1 - k : k;
            if (++x[j] < subsizes[j])
                break;
            x[j] = 0;
        }
    }
    reference_free(&old);
    for (int j = 0; j < d; j++)
        extent *= sizes[j];
    return reference_resized(m, 0, extent);
}

/* ------------------------------------------------------------------ moves */

typedef struct reference_layout {
    reference_map type, to;
} reference_layout;

REFERENCE_FUNCTION int64_t reference_bound(const reference_layout *l, int which)
{
    reference_bounds b = reference_bounds_of(&l->type);
    int64_t all[] = {b.size, FAULT("lb") ? b.true_lb : b.lb, b.extent, b.true_lb,
                     FAULT("true_extent") ? b.extent : b.true_extent};
    return all[which];
}

/* Bytes first .. first + bytes - 1 of the stream, between `packed` and the arrays. */
REFERENCE_FUNCTION void reference_move(const reference_map *m, unsigned char *const bases[],
                                   unsigned char *packed, int64_t first, int64_t bytes, int is_pack)
{
    int64_t at = 0, last = 0;
    for (int64_t i = 0; i < m->n; i++) {
        const reference_item *item = &m->items[i];
        unsigned char *p = bases[item->base];
        for (int64_t k = 0; k < basics[item->basic].bytes; k++, at++) {
            int in = at >= first && at < first + bytes;
            if (FAULT("range_end") && !is_pack && at >= first + bytes && at - k < first + bytes && bytes > 0)
                p[item->displ + k] = 0;
            if (!in)
                continue;
            if (is_pack)
                packed[at - first] = p[item->displ + (FAULT("range") && at == first ? 0 : k)];
            else
                p[item->displ + k] = packed[at - first];
        }
        int64_t gap = i > 0 && m->items[i - 1].base == item->base ? item->displ - last : 0;
        if (FAULT("gap") && !is_pack && gap > 0 && gap < 9 && bytes == at)
            memset(p + last, 0, (size_t)gap);
        last = item->displ + basics[item->basic].bytes;
    }
    if (FAULT("overread") && is_pack && m->n > 0 && bytes > 0) {
        const reference_item *item = &m->items[m->n - 1];
        const volatile unsigned char *p = bases[item->base] + item->displ;
        packed[0] ^= p[basics[item->basic].bytes] & 0;
    }
    if (FAULT("behind") && is_pack && bytes > 0)
        packed[bytes] ^= 1;
    if (FAULT("source") && is_pack && m->n > 0 && first > 0)
        bases[m->items[0].base][m->items[0].displ] ^= 1;
    if (FAULT("empty_range") && !is_pack && bytes == 0 && m->n > 0)
        bases[m->items[0].base][m->items[0].displ] ^= 1;
}

REFERENCE_FUNCTION const reference_map *reference_target(const reference_layout *l)
{
    return FAULT("to") ? &l->type : &l->to;
}

REFERENCE_FUNCTION void reference_copy(const reference_layout *l, unsigned char *const to[],
                                   unsigned char *const from[])
{
    int64_t bytes = reference_bounds_of(&l->type).size;
    unsigned char *buffer = malloc((size_t)bytes + 16);
    if (buffer == NULL)
        abort();
    reference_move(FAULT("copy") ? &l->to : &l->type, from, buffer, 0, bytes, 1);
    reference_move(&l->to, to, buffer, 0, bytes, 0);
    free(buffer);
}

REFERENCE_FUNCTION void reference_reduce(const reference_layout *l, unsigned char *const to[],
                                     const unsigned char *packed, const char *op)
{
    if (FAULT("reduce") && strcmp(op, "max") == 0)
        op = "min";
    if (FAULT("reduce_sum") && strcmp(op, "sum") == 0)
        return;
    for (int64_t i = 0; i < l->to.n; i++) {
        const reference_item *item = &l->to.items[i];
        basic_reduce(item->basic, basic_find_op(op), to[item->base] + item->displ, packed);
        packed += basics[item->basic].bytes;
    }
}

#endif
