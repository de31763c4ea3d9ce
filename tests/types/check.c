/* SPDX-License-Identifier: MIT */
/* check.c - the generated functions of one layout against the typemap. */
#include "check.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "basics.h"
#include "visited.h"

long checks_made, faults_found;

/* All that the checks of one situation share. */
typedef struct bench {
    situation *s;
    const subject *subject;
    void *layout;
    int64_t size;
    place *from; /* [size] places of the stream's bytes in `type` */
    place *to;   /* [size] and in `to` */
} bench;

void report(const char *word, const situation *s, const char *format, ...)
{
    va_list args;
    printf("%s %s %d: ", word, s->name, s->set);
    va_start(args, format);
    vprintf(format, args);
    va_end(args);
    printf("\n");
    faults_found++;
}

int situation_is_far(const situation *s) { return s->bounds.true_extent > INT32_MAX / 2; }

static int arrays_of(const situation *s) { return s->arrays > 0 ? s->arrays : 1; }

static place *places_of(const typemap *map, int64_t size)
{
    place *out = must_alloc((size_t)size * sizeof *out);
    int64_t at = 0;
    for (int64_t i = 0; i < map->n; i++) {
        const typemap_entry *e = &map->entries[i];
        for (int64_t k = 0; e->basic >= 0 && k < basics[e->basic].bytes; k++)
            out[at++] = (place){e->base, e->displ + k};
    }
    return out;
}

static unsigned char *byte_at(const memory *m, place p) { return memory_at(m, p.base, p.displ); }

static void expect_equal(const bench *b, const memory *got, const memory *expected,
                         const char *what)
{
    char text[160];
    checks_made++;
    if (!memory_equal(got, expected, text))
        report("fault", b->s, "%s: %s", what, text);
}

/* ------------------------------------------------------------------ bounds */

static void check_bound(const bench *b, const char *what, int64_t got, int64_t expected)
{
    checks_made++;
    if (got != expected)
        report("fault", b->s, "%s is %" PRId64 ", expected %" PRId64, what, got, expected);
}

static void check_bounds(const bench *b)
{
    const typemap_bounds *e = &b->s->bounds;
    check_bound(b, "size", b->subject->size(b->layout), e->size);
    if (b->s->arrays > 0)
        return;
    check_bound(b, "lb", b->subject->lb(b->layout), e->lb);
    check_bound(b, "extent", b->subject->extent(b->layout), e->extent);
    check_bound(b, "true_lb", b->subject->true_lb(b->layout), e->true_lb);
    check_bound(b, "true_extent", b->subject->true_extent(b->layout), e->true_extent);
}

/* ------------------------------------------------------------------ pack, unpack, copy */

static memory arrays_for(bench *b, const typemap *map)
{
    return memory_make(map, arrays_of(b->s), &b->s->g);
}

/* Packs the range by the generated function and by the list of places. whole: by NAME_pack. */
static void check_pack(bench *b, int64_t first, int64_t bytes, int whole, const char *what)
{
    memory from = arrays_for(b, &b->s->type), untouched = memory_twin(&from);
    memory packed = memory_stream(bytes, &b->s->g), expected = memory_twin(&packed);
    for (int64_t k = 0; k < bytes; k++)
        *memory_at(&expected, 0, k) = *byte_at(&from, b->from[first + k]);
    if (whole)
        b->subject->pack(b->layout, packed.bases[0], from.bases);
    else
        b->subject->pack_range(b->layout, packed.bases[0], from.bases, first, bytes);
    expect_equal(b, &packed, &expected, what);
    expect_equal(b, &from, &untouched, "the source of pack");
    memory_free(&from);
    memory_free(&untouched);
    memory_free(&packed);
    memory_free(&expected);
}

static void check_unpack(bench *b, int64_t first, int64_t bytes, int whole, const char *what)
{
    memory to = arrays_for(b, &b->s->to), expected = memory_twin(&to);
    memory packed = memory_stream(bytes, &b->s->g), untouched = memory_twin(&packed);
    for (int64_t k = 0; k < bytes; k++)
        *byte_at(&expected, b->to[first + k]) = *memory_at(&packed, 0, k);
    if (whole)
        b->subject->unpack(b->layout, to.bases, packed.bases[0]);
    else
        b->subject->unpack_range(b->layout, to.bases, packed.bases[0], first, bytes);
    expect_equal(b, &to, &expected, what);
    expect_equal(b, &packed, &untouched, "the source of unpack");
    memory_free(&to);
    memory_free(&expected);
    memory_free(&packed);
    memory_free(&untouched);
}

static void check_copy(bench *b)
{
    memory from = arrays_for(b, &b->s->type), untouched = memory_twin(&from);
    memory to = arrays_for(b, &b->s->to), expected = memory_twin(&to);
    for (int64_t k = 0; k < b->size; k++)
        *byte_at(&expected, b->to[k]) = *byte_at(&from, b->from[k]);
    b->subject->copy(b->layout, to.bases, from.bases);
    expect_equal(b, &to, &expected, "copy");
    expect_equal(b, &from, &untouched, "the source of copy");
    memory_free(&from);
    memory_free(&untouched);
    memory_free(&to);
    memory_free(&expected);
}

/* ------------------------------------------------------------------ ranges */

static void check_range(bench *b, int64_t first, int64_t bytes)
{
    char what[80];
    snprintf(what, sizeof what, "pack_range(%" PRId64 ", %" PRId64 ")", first, bytes);
    check_pack(b, first, bytes, 0, what);
    snprintf(what, sizeof what, "unpack_range(%" PRId64 ", %" PRId64 ")", first, bytes);
    check_unpack(b, first, bytes, 0, what);
}

/* The stream in fragments of random lengths, some empty, packed and unpacked one by one. */
static void check_fragments(bench *b)
{
    memory from = arrays_for(b, &b->s->type);
    memory to = arrays_for(b, &b->s->to), expected = memory_twin(&to);
    memory packed = memory_stream(b->size, &b->s->g), whole = memory_twin(&packed);
    int64_t most = 1 + b->size / 4, bytes = 0;
    for (int64_t first = 0; first < b->size; first += bytes) {
        bytes = draw_below(&b->s->g, most + 1);
        if (bytes > b->size - first)
            bytes = b->size - first;
        void *at = memory_at(&packed, 0, first);
        b->subject->pack_range(b->layout, at, from.bases, first, bytes);
        b->subject->unpack_range(b->layout, to.bases, at, first, bytes);
    }
    for (int64_t k = 0; k < b->size; k++) {
        *memory_at(&whole, 0, k) = *byte_at(&from, b->from[k]);
        *byte_at(&expected, b->to[k]) = *byte_at(&from, b->from[k]);
    }
    expect_equal(b, &packed, &whole, "packed in fragments");
    expect_equal(b, &to, &expected, "unpacked in fragments");
    memory_free(&from);
    memory_free(&to);
    memory_free(&expected);
    memory_free(&packed);
    memory_free(&whole);
}

enum { RANDOM_RANGES = 6 };

static void check_ranges(bench *b)
{
    check_range(b, 0, 0);
    check_range(b, b->size, 0);
    check_range(b, 0, b->size);
    if (b->size == 0)
        return;
    check_range(b, 0, 1);
    check_range(b, b->size - 1, 1);
    check_range(b, draw_below(&b->s->g, b->size), 1);
    for (int i = 0; i < RANDOM_RANGES; i++) {
        int64_t first = draw_below(&b->s->g, b->size + 1);
        check_range(b, first, draw_below(&b->s->g, b->size - first + 1));
    }
    check_fragments(b);
}

/* ------------------------------------------------------------------ reduce */

/* Elements of both sides get values, the bytes between keep what they are. */
static void fill_values(bench *b, int op, const memory *to, const memory *packed)
{
    int64_t at = 0;
    for (int64_t i = 0; i < b->s->to.n; i++) {
        const typemap_entry *e = &b->s->to.entries[i];
        if (e->basic < 0)
            continue;
        basic_fill(e->basic, op, memory_at(to, e->base, e->displ), draw(&b->s->g));
        basic_fill(e->basic, op, memory_at(packed, 0, at), draw(&b->s->g));
        at += basics[e->basic].bytes;
    }
}

/* What the padding of a long double becomes is not said: it is made equal. */
static void forget_padding(const bench *b, const memory *got, const memory *expected)
{
    for (int64_t i = 0; i < b->s->to.n; i++) {
        const typemap_entry *e = &b->s->to.entries[i];
        if (e->basic < 0)
            continue;
        for (int64_t k = basics[e->basic].value_bytes; k < basics[e->basic].bytes; k++)
            *memory_at(got, e->base, e->displ + k) = *memory_at(expected, e->base, e->displ + k);
    }
}

static void check_reduce(bench *b, const subject_op *op)
{
    int number = basic_find_op(op->name);
    memory to = arrays_for(b, &b->s->to), packed = memory_stream(b->size, &b->s->g);
    fill_values(b, number, &to, &packed);
    memory expected = memory_twin(&to), untouched = memory_twin(&packed);
    int64_t at = 0;
    for (int64_t i = 0; i < b->s->to.n; i++) {
        const typemap_entry *e = &b->s->to.entries[i];
        if (e->basic < 0)
            continue;
        if (!basic_reduce(e->basic, number, memory_at(&expected, e->base, e->displ),
                          memory_at(&packed, 0, at)))
            report("fault", b->s, "%s has no reduction %s", basics[e->basic].name, op->name);
        at += basics[e->basic].bytes;
    }
    op->call(b->layout, to.bases, packed.bases[0]);
    forget_padding(b, &to, &expected);
    char what[40];
    snprintf(what, sizeof what, "reduce_%s", op->name);
    expect_equal(b, &to, &expected, what);
    expect_equal(b, &packed, &untouched, "the source of reduce");
    memory_free(&to);
    memory_free(&packed);
    memory_free(&expected);
    memory_free(&untouched);
}

/* ------------------------------------------------------------------ far apart */

/* Layouts whose elements lie gigabytes apart: one array of pages that are only there when touched. The
 * elements and the bytes next to them are looked at, not the rest. */

enum { BESIDE = 8 };

/* Every byte of an element has a value from its place in the stream, those beside it are 0. */
static unsigned char stream_byte(int64_t k) { return (unsigned char)(k * 37 % 251 + 1); }

static void check_far_unpacked(const bench *b, const memory *m)
{
    for (int64_t k = 0; k < b->size; k++)
        if (*byte_at(m, b->to[k]) != stream_byte(k)) {
            report("fault", b->s, "unpack: byte %" PRId64 " of the stream is not where it belongs", k);
            return;
        }
    for (int64_t k = 0; k < b->size; k++)
        *byte_at(m, b->to[k]) = 0;
    for (int64_t k = 0; k < b->size; k++)
        for (int64_t beside = -BESIDE; beside <= BESIDE; beside++)
            if (*memory_at(m, 0, b->to[k].displ + beside) != 0) {
                report("fault", b->s, "unpack: a byte beside byte %" PRId64 " was written", k);
                return;
            }
}

/* Ranges of a layout whose bytes are in m as the stream says. */
static void check_far_ranges(bench *b, const memory *m, const memory *stream)
{
    for (int i = 0; i < RANDOM_RANGES && b->size > 0; i++) {
        int64_t first = draw_below(&b->s->g, b->size), bytes = 1 + draw_below(&b->s->g, b->size - first);
        memory packed = memory_stream(bytes, &b->s->g), expected = memory_twin(&packed);
        memcpy(memory_at(&expected, 0, 0), memory_at(stream, 0, first), (size_t)bytes);
        b->subject->pack_range(b->layout, packed.bases[0], m->bases, first, bytes);
        expect_equal(b, &packed, &expected, "pack_range");
        memory_free(&packed);
        memory_free(&expected);
    }
}

/* The stream unpacked whole, and in two pieces. */
static void check_far_unpack(bench *b, const memory *m, const memory *stream)
{
    b->subject->unpack(b->layout, m->bases, stream->bases[0]);
    check_far_unpacked(b, m);
    int64_t first = draw_below(&b->s->g, b->size + 1);
    b->subject->unpack_range(b->layout, m->bases, memory_at(stream, 0, first), first, b->size - first);
    b->subject->unpack_range(b->layout, m->bases, stream->bases[0], 0, first);
    check_far_unpacked(b, m);
    checks_made += 2;
}

static memory far_array(const bench *b, const typemap *map)
{
    typemap_bounds bounds = typemap_bounds_of(map);
    memory m = memory_far(bounds.true_lb, bounds.true_extent);
    if (m.n == 0)
        report("fault", b->s, "no address space of %zu bytes", m.bytes[0]);
    return m;
}

static void check_far(bench *b)
{
    memory from = far_array(b, &b->s->type), to = far_array(b, &b->s->to);
    memory packed = memory_stream(b->size, &b->s->g), expected = memory_twin(&packed);
    if (from.n > 0 && to.n > 0) {
        for (int64_t k = 0; k < b->size; k++)
            *byte_at(&from, b->from[k]) = *memory_at(&expected, 0, k) = stream_byte(k);
        b->subject->pack(b->layout, packed.bases[0], from.bases);
        expect_equal(b, &packed, &expected, "pack");
        check_far_ranges(b, &from, &expected);
        check_far_unpack(b, &to, &expected);
        b->subject->copy(b->layout, to.bases, from.bases);
        check_far_unpacked(b, &to);
        checks_made++;
    }
    memory_far_free(&from);
    memory_far_free(&to);
    memory_free(&packed);
    memory_free(&expected);
}

/* ------------------------------------------------------------------ */

/* Where a layout says that its stream is one run, every byte of it is there. */
static void check_contiguous(const bench *b, const char *what,
                             int (*contiguous)(const void *, int64_t *), const place *places)
{
    int64_t at = INT64_MIN;
    checks_made++;
    if (!contiguous(b->layout, &at)) {
        if (at != INT64_MIN)
            report("fault", b->s, "%s is 0 and gives a place", what);
        return;
    }
    for (int64_t k = 0; k < b->size; k++)
        if (places[k].base != 0 || places[k].displ != at + k) {
            report("fault", b->s, "%s, but byte %" PRId64 " is elsewhere", what, k);
            return;
        }
}

static void check_visit(const bench *b, const char *what, visited_call visit, const place *places)
{
    int64_t wrong = visited_wrong(visit, b->layout, places, b->size);
    checks_made++;
    if (wrong == -2)
        report("fault", b->s, "%s tells of a list, or something and then nothing", what);
    else if (wrong == b->size && wrong >= 0)
        report("fault", b->s, "%s tells of another number of bytes", what);
    else if (wrong >= 0)
        report("fault", b->s, "%s tells that byte %" PRId64 " is elsewhere", what, wrong);
}

static void check_all(bench *b)
{
    check_bounds(b);
    check_visit(b, "pack_visit", b->subject->pack_visit, b->from);
    check_visit(b, "unpack_visit", b->subject->unpack_visit, b->to);
    check_contiguous(b, "pack_contiguous", b->subject->pack_contiguous, b->from);
    check_contiguous(b, "unpack_contiguous", b->subject->unpack_contiguous, b->to);
    if (situation_is_far(b->s)) {
        check_far(b);
        return;
    }
    check_pack(b, 0, b->size, 1, "pack");
    check_unpack(b, 0, b->size, 1, "unpack");
    check_copy(b);
    check_ranges(b);
    for (int i = 0; i < SUBJECT_MAX_OPS && b->subject->ops[i].name != NULL; i++)
        check_reduce(b, &b->subject->ops[i]);
    check_pack(b, 0, b->size, 1, "pack, called again");
}

void check_subject(situation *s, const subject *subject)
{
    bench b = {.s = s, .subject = subject, .size = s->bounds.size};
    b.layout = must_alloc(subject->layout_bytes);
    memset(b.layout, 0xa5, subject->layout_bytes);
    cartgen_status status = subject->setup(b.layout, s->values);
    checks_made++;
    if (status != CARTGEN_OK) {
        report("fault", s, "init: status %d", (int)status);
    } else {
        b.from = places_of(&s->type, b.size);
        b.to = places_of(&s->to, b.size);
        check_all(&b);
        free(b.from);
        free(b.to);
        subject->release(b.layout);
    }
    free(b.layout);
}
