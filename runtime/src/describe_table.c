/* SPDX-License-Identifier: MIT */
/* describe_table.c - the table of parts of a type: bounds by the definition, equal parts once. */
#include "describe_internal.h"

cartgen_status cg_describe_out_of_memory(void)
{
    return cg_fail(CARTGEN_ERR_MEMORY, "out of memory for the description of a type");
}

static void part_release(cg_part *p)
{
    cg_free(p->args);
    cg_free(p->children);
    p->args = NULL;
    p->children = NULL;
}

void cg_describe_release(cg_table *t)
{
    for (int i = 0; i < t->count; i++)
        part_release(&t->parts[i]);
    cg_free(t->parts);
}

cartgen_status cg_describe_part(cg_part_kind kind, int nargs, int nchildren, cg_part *p)
{
    *p = (cg_part){.kind = kind, .nargs = nargs, .nchildren = nchildren};
    p->args = cg_alloc((size_t)nargs, sizeof *p->args);
    p->children = cg_alloc((size_t)nchildren, sizeof *p->children);
    if (p->args != NULL && p->children != NULL)
        return CARTGEN_OK;
    part_release(p);
    return cg_describe_out_of_memory();
}

/* ------------------------------------------------------------------ bounds */

/* Wrap instead of overflowing, as addresses do. */
static int64_t plus(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a + (uint64_t)b);
}

int64_t cg_describe_times(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a * (uint64_t)b);
}

static void widen(int *any, int64_t *low, int64_t *high, int64_t from, int64_t to)
{
    if (!*any || from < *low)
        *low = from;
    if (!*any || to > *high)
        *high = to;
    *any = 1;
}

static void place_one(cg_bounds *b, const cg_bounds *child, int64_t displ)
{
    if (child->any) {
        widen(&b->any, &b->true_lb, &b->true_ub, plus(child->true_lb, displ),
              plus(child->true_ub, displ));
        if (child->align > b->align)
            b->align = child->align;
    }
    if (child->marked)
        widen(&b->marked, &b->lb, &b->ub, plus(child->lb, displ), plus(child->ub, displ));
}

int64_t cg_describe_extent(const cg_bounds *b)
{
    return (int64_t)((uint64_t)b->ub - (uint64_t)b->lb);
}

/* `length` children from byte `displ`: the first and the last are what matters. */
static void place(cg_bounds *b, const cg_bounds *child, int64_t displ, int64_t length)
{
    if (length <= 0)
        return;
    place_one(b, child, displ);
    place_one(b, child, plus(displ, cg_describe_times(length - 1, cg_describe_extent(child))));
}

/* Without explicit bounds: those of the elements, the extent rounded up to the alignment. */
static void close_bounds(cg_bounds *b)
{
    if (b->marked)
        return;
    b->lb = b->any ? b->true_lb : 0;
    b->ub = b->any ? b->true_ub : 0;
    if (b->any && cg_describe_extent(b) % b->align != 0)
        b->ub += b->align - cg_describe_extent(b) % b->align;
}

static void place_subarray(cg_bounds *b, const cg_part *p, const cg_bounds *child)
{
    int n = (p->nargs - 1) / 3;
    const int64_t *sizes = p->args + 1, *subsizes = sizes + n, *starts = subsizes + n;
    int64_t stride = cg_describe_extent(child), first = 0, last = 0;
    int empty = 0;
    for (int k = 0; k < n; k++) {
        int j = p->args[0] ? k : n - 1 - k;
        first = plus(first, cg_describe_times(stride, starts[j]));
        last = plus(last, cg_describe_times(stride, starts[j] + subsizes[j] - 1));
        empty |= subsizes[j] == 0;
        stride = cg_describe_times(stride, sizes[j]);
    }
    if (!empty) {
        place_one(b, child, first);
        place_one(b, child, last);
    }
    b->marked = 1;
    b->lb = 0;
    b->ub = stride;
}

/* Bounds of a part whose children are in the table. */
static void find_bounds(const cg_table *t, cg_part *p)
{
    cg_bounds b = {.align = 1};
    const cg_bounds *child = p->nchildren > 0 ? &t->parts[p->children[0]].bounds : NULL;
    const int64_t *a = p->args;
    int64_t unit = child == NULL ? 0 : cg_describe_extent(child);
    int n = p->nargs / 2;
    switch (p->kind) {
    case CG_BASIC:
        return;
    case CG_CONTIGUOUS:
        place(&b, child, 0, a[0]);
        break;
    case CG_VECTOR:
    case CG_HVECTOR:
        if (a[0] > 0) {
            place(&b, child, 0, a[1]);
            int64_t stride = cg_describe_times(a[2], p->kind == CG_VECTOR ? unit : 1);
            place(&b, child, cg_describe_times(a[0] - 1, stride), a[1]);
        }
        break;
    case CG_INDEXED:
    case CG_HINDEXED:
        for (int i = 0; i < n; i++)
            place(&b, child, cg_describe_times(a[n + i], p->kind == CG_INDEXED ? unit : 1), a[i]);
        break;
    case CG_INDEXED_BLOCK:
    case CG_HINDEXED_BLOCK:
        for (int i = 1; i < p->nargs; i++)
            place(&b, child, cg_describe_times(a[i], p->kind == CG_INDEXED_BLOCK ? unit : 1), a[0]);
        break;
    case CG_STRUCT:
        for (int i = 0; i < n; i++)
            place(&b, &t->parts[p->children[i]].bounds, a[i], a[n + i]);
        break;
    case CG_SUBARRAY:
        place_subarray(&b, p, child);
        break;
    case CG_RESIZED:
        b = *child;
        b.marked = 1;
        b.lb = a[0];
        b.ub = plus(a[0], a[1]);
        break;
    }
    close_bounds(&b);
    p->bounds = b;
}

/* ------------------------------------------------------------------ equal parts once */

static uint64_t mix(uint64_t hash, uint64_t value)
{
    return (hash ^ value) * UINT64_C(0x100000001b3) + (value >> 29);
}

static void find_hash(cg_part *p)
{
    uint64_t hash = mix(UINT64_C(0xcbf29ce484222325), (uint64_t)p->kind);
    for (const char *c = p->word; c != NULL && *c != '\0'; c++)
        hash = mix(hash, (unsigned char)*c);
    for (int i = 0; i < p->nargs; i++)
        hash = mix(hash, (uint64_t)p->args[i]);
    for (int i = 0; i < p->nchildren; i++)
        hash = mix(hash, (uint64_t)p->children[i]);
    p->hash = hash;
}

static int same_part(const cg_part *a, const cg_part *b)
{
    return a->hash == b->hash && a->kind == b->kind && a->nargs == b->nargs &&
           a->nchildren == b->nchildren &&
           (a->word == b->word || (a->word != NULL && b->word != NULL && strcmp(a->word, b->word) == 0)) &&
           memcmp(a->args, b->args, (size_t)a->nargs * sizeof *a->args) == 0 &&
           memcmp(a->children, b->children, (size_t)a->nchildren * sizeof *a->children) == 0;
}

cartgen_status cg_describe_intern(cg_table *t, cg_part *p, int *index_p)
{
    find_hash(p);
    for (int i = 0; i < t->count; i++) {
        if (same_part(&t->parts[i], p)) {
            part_release(p);
            *index_p = i;
            return CARTGEN_OK;
        }
    }
    if (t->count == t->capacity) {
        int capacity = t->capacity == 0 ? 16 : 2 * t->capacity;
        cg_part *more = cg_alloc((size_t)capacity, sizeof *more);
        if (more == NULL) {
            part_release(p);
            return cg_describe_out_of_memory();
        }
        if (t->count > 0)
            memcpy(more, t->parts, (size_t)t->count * sizeof *more);
        cg_free(t->parts);
        t->parts = more;
        t->capacity = capacity;
    }
    find_bounds(t, p);
    for (int i = 0; i < p->nchildren; i++) {
        cg_part *child = &t->parts[p->children[i]];
        child->uses++;
        if (child->height >= p->height)
            p->height = child->height + 1;
    }
    t->parts[t->count] = *p;
    *index_p = t->count++;
    return CARTGEN_OK;
}

cartgen_status cg_describe_intern_over(cg_table *t, cg_part_kind kind, int child, int nargs,
                                       const int64_t args[], int *index_p)
{
    cg_part p;
    cartgen_status status = cg_describe_part(kind, nargs, 1, &p);
    if (status != CARTGEN_OK)
        return status;
    memcpy(p.args, args, (size_t)nargs * sizeof *args);
    p.children[0] = child;
    return cg_describe_intern(t, &p, index_p);
}

cartgen_status cg_describe_intern_basic(cg_table *t, const char *word, int64_t bytes, int64_t align,
                                        int *index_p)
{
    cg_part p;
    cartgen_status status = cg_describe_part(CG_BASIC, 0, 0, &p);
    if (status != CARTGEN_OK)
        return status;
    p.word = word;
    p.bounds = (cg_bounds){.any = 1, .align = align, .true_ub = bytes, .ub = bytes};
    return cg_describe_intern(t, &p, index_p);
}
