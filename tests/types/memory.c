/* SPDX-License-Identifier: MIT */
/* memory.c - see memory.h. */
#define _DEFAULT_SOURCE
#include "memory.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#if defined(__SANITIZE_ADDRESS__)
#define EXACT 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define EXACT 1
#endif
#endif

#ifdef EXACT
enum { GUARD = 0 };
#else
enum { GUARD = 64 };
#endif

enum { MOST_SHIFT = 16, FAR_MARGIN = 4096 };

uint64_t draw(generator *g)
{
    g->x ^= g->x >> 12;
    g->x ^= g->x << 25;
    g->x ^= g->x >> 27;
    return g->x * 2685821657736338717u;
}

int64_t draw_below(generator *g, int64_t n) { return (int64_t)((draw(g) >> 11) % (uint64_t)n); }

static void add_array(memory *m, int64_t from, int64_t to, generator *g)
{
    int b = m->n++;
    /* Half of them as malloc aligns: some moves are for aligned memory alone. */
    int64_t before = GUARD + draw_below(g, MOST_SHIFT) * draw_below(g, 2);
    m->bytes[b] = (size_t)(before + (to - from) + GUARD);
    m->raw[b] = must_alloc(m->bytes[b]);
    m->first[b] = from - before;
    /* By way of an integer: displacement 0 need not be in the array. */
    m->bases[b] = (void *)((uintptr_t)m->raw[b] - (uintptr_t)m->first[b]);
    for (size_t i = 0; i < m->bytes[b]; i++)
        m->raw[b][i] = (unsigned char)(draw(g) >> 40);
}

memory memory_make(const typemap *map, int n, generator *g)
{
    memory m = {0};
    for (int b = 0; b < n; b++) {
        int64_t from = 0, to = 0;
        typemap_span(map, b, &from, &to);
        add_array(&m, from, to, g);
    }
    return m;
}

memory memory_stream(int64_t n, generator *g)
{
    memory m = {0};
    add_array(&m, 0, n, g);
    return m;
}

memory memory_twin(const memory *m)
{
    memory out = *m;
    for (int b = 0; b < m->n; b++) {
        out.raw[b] = must_alloc(m->bytes[b]);
        memcpy(out.raw[b], m->raw[b], m->bytes[b]);
        out.bases[b] = (void *)((uintptr_t)out.raw[b] - (uintptr_t)m->first[b]);
    }
    return out;
}

void memory_free(memory *m)
{
    for (int b = 0; b < m->n; b++)
        free(m->raw[b]);
    m->n = 0;
}

memory memory_far(int64_t from, int64_t bytes)
{
    memory m = {.bytes = {(size_t)bytes + 2 * FAR_MARGIN}, .first = {from - FAR_MARGIN}};
    void *raw = mmap(NULL, m.bytes[0], PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (raw == MAP_FAILED)
        return m;
    m.n = 1;
    m.raw[0] = raw;
    m.bases[0] = (void *)((uintptr_t)raw - (uintptr_t)m.first[0]);
    return m;
}

void memory_far_free(memory *m)
{
    if (m->n > 0)
        munmap(m->raw[0], m->bytes[0]);
    m->n = 0;
}

unsigned char *memory_at(const memory *m, int base, int64_t displ)
{
    return m->raw[base] + (displ - m->first[base]);
}

int memory_equal(const memory *got, const memory *expected, char text[160])
{
    for (int b = 0; b < got->n; b++) {
        if (memcmp(got->raw[b], expected->raw[b], got->bytes[b]) == 0)
            continue;
        size_t i = 0;
        while (got->raw[b][i] == expected->raw[b][i])
            i++;
        int64_t guard = GUARD, place = (int64_t)i, at = got->first[b] + place;
        const char *where = "";
        if (guard > 0 && place < guard)
            where = ", before its first byte";
        if (guard > 0 && place >= (int64_t)got->bytes[b] - guard)
            where = ", behind its last byte";
        snprintf(text, 160, "byte %" PRId64 " of array %d is 0x%02x, expected 0x%02x%s", at, b,
                 got->raw[b][i], expected->raw[b][i], where);
        return 0;
    }
    return 1;
}
