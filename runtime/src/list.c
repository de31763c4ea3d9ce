/* SPDX-License-Identifier: MIT */
/* list.c - lists of places that are known at run time, in the form that is walked fastest. */
#include <stdlib.h>

#include "cartgen/layout.h"
#include "internal.h"

/* Entries behind the last one that a prefetch may look at. */
enum { LOOK_AHEAD = 64 };

cartgen_status cartgen_refuse(const char *owner, cartgen_status status, const char *what)
{
    return cg_fail(status, "%s: %s", owner, what);
}

cartgen_status cartgen_layout_negative(const char *name, const char *count, int64_t value)
{
    return cg_fail(CARTGEN_ERR_SIZE, "layout %s: %s is %lld, expected 0 or more", name, count,
                   (long long)value);
}

cartgen_status cartgen_values_copy(const int64_t **values_p, const char *name, int64_t count,
                                   const int64_t *values)
{
    *values_p = NULL;
    if (count <= 0)
        return CARTGEN_OK;
    int64_t *copy = cg_alloc((size_t)count, sizeof *copy);
    if (copy == NULL)
        return cg_fail(CARTGEN_ERR_MEMORY, "layout %s: out of memory for a list of %lld values", name,
                       (long long)count);
    memcpy(copy, values, (size_t)count * sizeof *copy);
    *values_p = copy;
    return CARTGEN_OK;
}

void cartgen_values_free(const int64_t **values_p)
{
    cg_free((void *)(uintptr_t)*values_p);
    *values_p = NULL;
}

void cartgen_list_free(cartgen_list *list)
{
    cg_free(list->block);
    *list = (cartgen_list){0};
}

/* What cartgen_list_make was given. */
typedef struct source {
    const char *owner;
    int64_t count;
    const int64_t *index;
    const int64_t *lengths;
    int64_t scale;
    int64_t stride;
    int64_t run;
} source;

static int64_t copies_of(const source *s, int64_t i)
{
    return s->lengths != NULL ? s->lengths[i] : 1;
}

/* Copies that touch each other are one run. */
static int copies_touch(const source *s)
{
    return s->run >= 0 && (s->lengths == NULL || s->stride == s->run);
}

/* Numbers of places and of runs that do not touch, of bytes (of items that are runs). */
typedef struct totals {
    int64_t places;
    int64_t runs;
    int64_t bytes;
} totals;

static cartgen_status count_all(const source *s, totals *totals_p)
{
    totals t = {0};
    int64_t end = 0, run = s->run >= 0 ? s->run : 0;
    for (int64_t i = 0; i < s->count; i++) {
        int64_t copies = copies_of(s, i), at = 0, last = 0, bytes = 0, behind = 0;
        if (copies < 0)
            return cg_fail(CARTGEN_ERR_SIZE, "%s: length %lld of entry %lld is negative", s->owner,
                           (long long)copies, (long long)i);
        if (copies == 0)
            continue;
        if (__builtin_mul_overflow(s->index[i], s->scale, &at) ||
            __builtin_mul_overflow(copies - 1, s->stride, &last) ||
            __builtin_add_overflow(at, last, &last) ||
            __builtin_mul_overflow(copies, run, &bytes) ||
            __builtin_add_overflow(at, bytes, &behind) ||
            __builtin_add_overflow(t.places, copies, &t.places) || t.places > INT64_MAX / 64)
            return cg_fail(CARTGEN_ERR_SIZE, "%s: entry %lld lies beyond 2^63 bytes", s->owner, (long long)i);
        if (copies_touch(s)) {
            t.runs += t.runs == 0 || at != end;
            end = behind;
        }
    }
    if (__builtin_mul_overflow(t.places, run, &t.bytes))
        return cg_fail(CARTGEN_ERR_SIZE, "%s: a list has more than 2^63 bytes", s->owner);
    *totals_p = t;
    return CARTGEN_OK;
}

/* The step between all places, 0 where it is not regular. */
static int64_t regular_step(const source *s)
{
    if (s->lengths != NULL || s->count < 2)
        return 0;
    int64_t step = s->index[1] - s->index[0], bytes = 0; /* of 32-bit indices: fits_index() */
    for (int64_t i = 2; i < s->count; i++)
        if (s->index[i] - s->index[i - 1] != step)
            return 0;
    return __builtin_mul_overflow(step, s->scale, &bytes) ? 0 : bytes;
}

static int fits_index(const source *s)
{
    for (int64_t i = 0; i < s->count; i++)
        if (s->index[i] > INT32_MAX || s->index[i] < INT32_MIN)
            return 0;
    return 1;
}

static cartgen_status no_memory(const source *s)
{
    return cg_fail(CARTGEN_ERR_MEMORY, "%s: out of memory for a list of %lld entries", s->owner,
                   (long long)s->count);
}

static cartgen_status make_index(const source *s, cartgen_list *list)
{
    int32_t *index = cg_alloc((size_t)s->count + LOOK_AHEAD, sizeof *index);
    if (index == NULL)
        return no_memory(s);
    for (int64_t i = 0; i < s->count + LOOK_AHEAD; i++)
        index[i] = (int32_t)s->index[i < s->count ? i : s->count - 1];
    list->count = s->count;
    list->block = index;
    list->index = index;
    return CARTGEN_OK;
}

static cartgen_status make_pieces(const source *s, const totals *t, cartgen_list *list)
{
    int64_t *at = cg_alloc(2 * (size_t)t->runs + 1, sizeof *at);
    if (at == NULL)
        return no_memory(s);
    int64_t *sum = at + t->runs, n = 0, end = 0;
    sum[0] = 0;
    for (int64_t i = 0; i < s->count; i++) {
        int64_t copies = copies_of(s, i), place = s->index[i] * s->scale;
        if (copies == 0)
            continue;
        if (n == 0 || place != end) {
            at[n++] = place;
            sum[n] = sum[n - 1];
        }
        sum[n] += copies * s->run;
        end = place + copies * s->run;
    }
    list->count = n;
    list->at = at;
    list->sum = sum;
    list->block = at;
    return CARTGEN_OK;
}

static cartgen_status make_places(const source *s, const totals *t, cartgen_list *list)
{
    int64_t *at = cg_alloc((size_t)t->places, sizeof *at), n = 0;
    if (at == NULL)
        return no_memory(s);
    for (int64_t i = 0; i < s->count; i++)
        for (int64_t k = 0; k < copies_of(s, i); k++)
            at[n++] = s->index[i] * s->scale + k * s->stride;
    list->count = n;
    list->at = at;
    list->block = at;
    return CARTGEN_OK;
}

cartgen_status cartgen_list_make(cartgen_list *list_p, const char *owner, int64_t count,
                                 const int64_t *index, const int64_t *lengths, int64_t scale,
                                 int64_t stride, int64_t run)
{
    source s = {owner, count, index, lengths, scale, stride, run};
    cartgen_list list = {.scale = scale};
    totals t = {0};
    *list_p = (cartgen_list){0};
    if (count < 0 || (count > 0 && index == NULL))
        return cg_fail(CARTGEN_ERR_ARGUMENT, "%s: a list of %lld entries%s", owner, (long long)count,
                       index == NULL ? " is NULL" : "");
    cartgen_status status = count_all(&s, &t);
    if (status != CARTGEN_OK)
        return status;
    list.bytes = t.bytes;
    if (t.places == 0 || run == 0) {
        /* Nothing to walk. */
    } else if (!copies_touch(&s)) {
        status = make_places(&s, &t, &list);
    } else if (lengths != NULL || 2 * t.runs <= t.places || !fits_index(&s)) {
        status = make_pieces(&s, &t, &list);
    } else if (regular_step(&s) != 0) {
        list.count = count;
        list.first = index[0] * scale;
        list.step = regular_step(&s);
    } else {
        status = make_index(&s, &list);
    }
    if (status == CARTGEN_OK)
        *list_p = list;
    return status;
}

/* ------------------------------------------------------------------ overlaps */

static cg_run run_of(const cartgen_list *list, int64_t i, int64_t bytes)
{
    if (list->sum != NULL)
        return (cg_run){.displ = list->at[i], .bytes = list->sum[i + 1] - list->sum[i]};
    return (cg_run){.displ = cartgen_list_item(list, i), .bytes = bytes};
}

static int by_place(const void *a, const void *b)
{
    const cg_run *x = a, *y = b;
    return (x->displ > y->displ) - (x->displ < y->displ);
}

static int is_behind(cg_run a, cg_run b) { return b.displ >= a.displ && b.displ - a.displ >= a.bytes; }

static cartgen_status sorted_apart(const cartgen_list *list, const char *owner, int64_t bytes)
{
    cg_run *runs = cg_alloc((size_t)list->count, sizeof *runs);
    cartgen_status status = CARTGEN_OK;
    if (runs == NULL)
        return cg_fail(CARTGEN_ERR_MEMORY, "%s: out of memory for %lld places", owner, (long long)list->count);
    for (int64_t i = 0; i < list->count; i++)
        runs[i] = run_of(list, i, bytes);
    qsort(runs, (size_t)list->count, sizeof *runs, by_place);
    for (int64_t i = 1; i < list->count && status == CARTGEN_OK; i++) {
        if (!is_behind(runs[i - 1], runs[i]))
            status = cg_fail(CARTGEN_ERR_OVERLAP, "%s: entries overlap at byte %lld from where the list begins", owner,
                             (long long)runs[i].displ);
    }
    cg_free(runs);
    return status;
}

cartgen_status cartgen_list_apart(const cartgen_list *list, const char *owner, int64_t bytes)
{
    int up = 1, down = 1;
    if (bytes <= 0)
        return CARTGEN_OK;
    for (int64_t i = 1; i < list->count && (up || down); i++) {
        cg_run a = run_of(list, i - 1, bytes), b = run_of(list, i, bytes);
        up = up && is_behind(a, b);
        down = down && is_behind(b, a);
    }
    return up || down ? CARTGEN_OK : sorted_apart(list, owner, bytes);
}

/* Steps of a loop that are looked at. */
enum { MOST_STEPS = 1 << 16 };

int cartgen_loops_meet(int64_t count, int64_t stride, int64_t inner_count, int64_t inner_stride,
                       int64_t bytes)
{
    if (count < 1 || inner_count < 1 || bytes < 1)
        return 0;
    if (inner_count < count)
        return cartgen_loops_meet(inner_count, inner_stride, count, stride, bytes);
    if (inner_count > 1 && inner_stride < bytes && inner_stride > -bytes)
        return 1;
    for (int64_t i = 1; i < count && i < MOST_STEPS; i++) {
        int64_t at = i * stride, near = inner_count > 1 ? -at / inner_stride : 0;
        for (int64_t j = near - 1; j <= near + 1; j++) {
            int64_t rest = 0;
            if (j > -inner_count && j < inner_count && !__builtin_mul_overflow(j, inner_stride, &rest) &&
                !__builtin_add_overflow(at, rest, &rest) && rest < bytes && rest > -bytes)
                return 1;
        }
    }
    return 0;
}
