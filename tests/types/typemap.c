/* SPDX-License-Identifier: MIT */
/* typemap.c - see typemap.h. */
#include "typemap.h"

#include <stdlib.h>

#include "basics.h"

static void append(typemap *map, int base, int basic, int64_t displ)
{
    if (map->n == map->room) {
        map->room = map->room > 0 ? 2 * map->room : 16;
        map->entries = realloc(map->entries, (size_t)map->room * sizeof *map->entries);
        if (map->entries == NULL)
            exit(2);
    }
    map->entries[map->n++] = (typemap_entry){base, basic, displ};
}

/* n copies of the old map, an extent apart, the first at displ. base: where they are, -1: as they were. */
static void place(typemap *map, const typemap *old, int64_t displ, int64_t n, int base)
{
    int64_t extent = typemap_bounds_of(old).extent;
    for (int64_t k = 0; k < n; k++)
        for (int64_t i = 0; i < old->n; i++) {
            const typemap_entry *e = &old->entries[i];
            append(map, base >= 0 ? base : e->base, e->basic, displ + k * extent + e->displ);
        }
}

static void place_vector(typemap *map, const typemap *old, const tree *node, int64_t unit)
{
    for (int64_t i = 0; i < node->count; i++)
        place(map, old, i * node->stride * unit, node->bl, -1);
}

static void place_indexed(typemap *map, const typemap *old, const tree *node, int64_t unit)
{
    for (int64_t i = 0; i < node->n; i++)
        place(map, old, node->displs[i] * unit, node->bls != NULL ? node->bls[i] : node->bl, -1);
}

/* The elements of the subarray in the order of memory: the slowest dimension is outermost. */
static void place_subarray(typemap *map, const typemap *old, const tree *node, int64_t level,
                           int64_t at, int64_t extent)
{
    if (level == node->n) {
        place(map, old, at * extent, 1, -1);
        return;
    }
    int64_t j = node->is_fortran ? node->n - 1 - level : level;
    for (int64_t x = 0; x < node->subsizes[j]; x++)
        place_subarray(map, old, node, level + 1, at * node->sizes[j] + node->starts[j] + x, extent);
}

/* The bounds of what is there become markers, in place of older ones. */
static void resize(typemap *map, int64_t lb, int64_t extent)
{
    int64_t kept = 0;
    for (int64_t i = 0; i < map->n; i++)
        if (map->entries[i].basic >= 0)
            map->entries[kept++] = map->entries[i];
    map->n = kept;
    append(map, 0, MARK_LB, lb);
    append(map, 0, MARK_UB, lb + extent);
}

static int64_t product(const int64_t *list, int64_t n)
{
    int64_t out = 1;
    for (int64_t i = 0; i < n; i++)
        out *= list[i];
    return out;
}

static typemap struct_of(const tree *node)
{
    typemap map = {0};
    for (int64_t i = 0; i < node->n; i++) {
        typemap old = typemap_of(node->types[i]);
        place(&map, &old, node->displs[i], node->bls[i], node->bases[i]);
        typemap_free(&old);
    }
    return map;
}

typemap typemap_of(const tree *node)
{
    typemap map = {0};
    if (node->kind == TREE_BASIC) {
        append(&map, 0, node->basic, 0);
        return map;
    }
    if (node->kind == TREE_STRUCT)
        return struct_of(node);

    typemap old = typemap_of(node->types[0]);
    int64_t extent = typemap_bounds_of(&old).extent;
    switch (node->kind) {
    case TREE_CONTIGUOUS:
        place(&map, &old, 0, node->count, -1);
        break;
    case TREE_ARRAY:
        place(&map, &old, 0, product(node->sizes, node->n), -1);
        break;
    case TREE_VECTOR:
        place_vector(&map, &old, node, extent);
        break;
    case TREE_HVECTOR:
        place_vector(&map, &old, node, 1);
        break;
    case TREE_INDEXED:
    case TREE_INDEXED_BLOCK:
        place_indexed(&map, &old, node, extent);
        break;
    case TREE_HINDEXED:
    case TREE_HINDEXED_BLOCK:
        place_indexed(&map, &old, node, 1);
        break;
    case TREE_SUBARRAY:
        place_subarray(&map, &old, node, 0, 0, extent);
        resize(&map, 0, product(node->sizes, node->n) * extent);
        break;
    case TREE_RESIZED:
        place(&map, &old, 0, 1, -1);
        resize(&map, node->lb, node->extent);
        break;
    case TREE_BASIC:
    case TREE_STRUCT:
        break;
    }
    typemap_free(&old);
    return map;
}

void typemap_free(typemap *map)
{
    free(map->entries);
    *map = (typemap){0};
}

typedef struct range {
    int64_t low, high;
    int any;
} range;

static void widen(range *r, int64_t low, int64_t high)
{
    r->low = !r->any || low < r->low ? low : r->low;
    r->high = !r->any || high > r->high ? high : r->high;
    r->any = 1;
}

typemap_bounds typemap_bounds_of(const typemap *map)
{
    range elements = {0}, lbs = {0}, ubs = {0};
    int64_t size = 0, align = 1;
    for (int64_t i = 0; i < map->n; i++) {
        const typemap_entry *e = &map->entries[i];
        if (e->basic == MARK_LB) {
            widen(&lbs, e->displ, e->displ);
        } else if (e->basic == MARK_UB) {
            widen(&ubs, e->displ, e->displ);
        } else {
            const basic *b = &basics[e->basic];
            widen(&elements, e->displ, e->displ + b->bytes);
            align = b->align > align ? b->align : align;
            size += b->bytes;
        }
    }
    int64_t lb = lbs.any ? lbs.low : elements.low;
    int64_t extent = (ubs.any ? ubs.high : elements.high) - lb;
    if (!ubs.any && extent % align != 0)
        extent += align - extent % align;
    return (typemap_bounds){size, lb, extent, elements.low, elements.high - elements.low};
}

void typemap_span(const typemap *map, int base, int64_t *from_p, int64_t *to_p)
{
    range r = {0};
    for (int64_t i = 0; i < map->n; i++) {
        const typemap_entry *e = &map->entries[i];
        if (e->basic >= 0 && e->base == base)
            widen(&r, e->displ, e->displ + basics[e->basic].bytes);
    }
    *from_p = r.low;
    *to_p = r.high;
}
