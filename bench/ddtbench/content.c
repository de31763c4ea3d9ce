/* SPDX-License-Identifier: MIT */
#include "content.h"

#include <mpi.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "oracle.h"

enum { GUARD_BYTE = 0xA5, WORD = 4, MOST_WORDS = 4 };

void *ddt_memory_get(int64_t bytes)
{
    size_t whole = ((size_t)bytes / DDT_ALIGN + 1) * DDT_ALIGN;
    void *memory = aligned_alloc(DDT_ALIGN, whole);
    if (memory == NULL) {
        fprintf(stderr, "ddtbench: error: out of memory: %zu bytes\n", whole);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    return memory;
}

void ddt_slab_layout(const ddt_case *c, int64_t start[DDT_ARRAYS], int64_t *bytes_p)
{
    int64_t at = DDT_ALIGN;
    for (int a = 0; a < c->narrays; a++) {
        start[a] = at;
        at += (c->array_bytes[a] + DDT_ALIGN - 1) / DDT_ALIGN * DDT_ALIGN + DDT_ALIGN;
    }
    *bytes_p = at;
}

uint32_t ddt_content_key(unsigned seed, int rank)
{
    return seed * 2654435761u + (uint32_t)(rank + 1) * 0x9E3779B1u;
}

/* Bit 30 is the highest of an exponent: without it a float is below 2 and a double is too. */
uint32_t ddt_content_word(uint32_t key, int64_t word)
{
    uint32_t x = ((uint32_t)word * 0x9E3779B1u) ^ key;
    x = (x ^ (x >> 15)) * 0x85EBCA77u;
    return (x ^ (x >> 13)) & ~(1u << 30);
}

void ddt_content_fill(void *memory, int64_t bytes, uint32_t key)
{
    uint32_t *words = memory;
    for (int64_t i = 0; i < bytes / WORD; i++)
        words[i] = ddt_content_word(key, i);
}

unsigned char *ddt_message_get(int64_t bytes)
{
    unsigned char *memory = ddt_memory_get(bytes + 2 * DDT_ALIGN);
    memset(memory, GUARD_BYTE, DDT_ALIGN);
    memset(memory + DDT_ALIGN + bytes, GUARD_BYTE, DDT_ALIGN);
    return memory + DDT_ALIGN;
}

void ddt_message_free(unsigned char *message)
{
    if (message != NULL)
        free(message - DDT_ALIGN);
}

void ddt_faults_add(ddt_faults *faults, const char *format, ...)
{
    if (faults->count++ > 0)
        return;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(faults->first, sizeof(faults->first), format, arguments);
    va_end(arguments);
}

void ddt_message_check(const unsigned char *message, int64_t bytes, ddt_faults *faults)
{
    for (int i = 0; message != NULL && i < DDT_ALIGN; i++) {
        if (message[-1 - i] != GUARD_BYTE)
            ddt_faults_add(faults, "byte %d before the message buffer was written", i + 1);
        if (message[bytes + i] != GUARD_BYTE)
            ddt_faults_add(faults, "byte %d behind the message buffer was written", i);
    }
}

const ddt_case *ddt_view_case(const ddt_view *v, int rank)
{
    return v->cases[v->cases[0]->test->family == DDT_FFT2 ? 0 : rank];
}

/* First word of element k of a process' side, in its slab or in its stream. */
static int64_t word_of(const ddt_view *v, int rank, ddt_side side, int64_t k)
{
    const ddt_case *c = ddt_view_case(v, rank);
    if (v->flat)
        return k * c->elem_bytes / WORD;
    ddt_place p = ddt_oracle_place(c, side, k);
    return (v->start[v->turned ? 1 - p.array : p.array] + p.offset) / WORD;
}

unsigned char *ddt_view_element(const ddt_view *v, int64_t k)
{
    return (v->flat ? v->message : v->slab) + WORD * word_of(v, v->me, DDT_RECV, k);
}

/* Content of element k of a process' side. */
static void content_of(const ddt_view *v, int rank, ddt_side side, int64_t k,
                       uint32_t words[MOST_WORDS])
{
    uint32_t key = ddt_content_key(v->seed, rank);
    int64_t first = word_of(v, rank, side, k);
    for (int i = 0; i < ddt_view_case(v, rank)->elem_bytes / WORD; i++)
        words[i] = ddt_content_word(key, first + i);
}

void ddt_check_packed(const ddt_view *v, const unsigned char *packed, ddt_faults *faults)
{
    const ddt_case *c = ddt_view_case(v, v->me);
    for (int64_t k = 0; k < c->count; k++) {
        uint32_t expected[MOST_WORDS];
        content_of(v, v->me, DDT_SEND, k, expected);
        if (memcmp(packed + k * c->elem_bytes, expected, (size_t)c->elem_bytes) != 0)
            ddt_faults_add(faults, "process %d: element %lld of %lld is packed wrong", v->me,
                           (long long)k, (long long)c->count);
    }
}

void ddt_check_received(const ddt_view *v, int own, ddt_faults *faults)
{
    const ddt_case *c = ddt_view_case(v, v->me);
    for (int64_t k = 0; k < c->count; k++) {
        uint32_t expected[MOST_WORDS];
        int from = v->me;
        int64_t origin = own ? k : ddt_oracle_origin(c, v->me, k, &from);
        unsigned char *element = ddt_view_element(v, k);
        content_of(v, from, DDT_SEND, origin, expected);
        if (memcmp(element, expected, (size_t)c->elem_bytes) != 0)
            ddt_faults_add(faults, "process %d: element %lld of %lld is received wrong", v->me,
                           (long long)k, (long long)c->count);
    }
    for (int64_t k = 0; k < c->count; k++) {
        uint32_t before[MOST_WORDS];
        content_of(v, v->me, DDT_RECV, k, before);
        memcpy(ddt_view_element(v, k), before, (size_t)c->elem_bytes);
    }
}

void ddt_check_rest(const ddt_view *v, ddt_faults *faults)
{
    uint32_t key = ddt_content_key(v->seed, v->me);
    const uint32_t *words = (const uint32_t *)(const void *)v->slab;
    int64_t nwords = v->slab_bytes / WORD;
    int64_t wrong = 0;
    for (int64_t i = 0; i < nwords; i++)
        wrong += words[i] != ddt_content_word(key, i);
    for (int64_t i = 0; wrong > 0 && i < nwords; i++) {
        if (words[i] == ddt_content_word(key, i))
            continue;
        int a = 0;
        while (a + 1 < ddt_view_case(v, v->me)->narrays && v->start[a + 1] <= i * WORD)
            a++;
        ddt_faults_add(faults, "process %d: byte %lld of array %d was written outside the layout",
                       v->me, (long long)(i * WORD - v->start[a]), a);
    }
}

void ddt_view_stream(const ddt_view *v, unsigned char *packed)
{
    const ddt_case *c = ddt_view_case(v, v->me);
    for (int64_t k = 0; k < c->count; k++) {
        uint32_t words[MOST_WORDS];
        int from;
        int64_t origin = ddt_oracle_origin(c, v->me, k, &from);
        content_of(v, from, DDT_SEND, origin, words);
        memcpy(packed + k * c->elem_bytes, words, (size_t)c->elem_bytes);
    }
}

static void exchange(unsigned char *a, unsigned char *b, int bytes)
{
    for (int i = 0; i < bytes; i++) {
        unsigned char kept = a[i];
        a[i] = b[i];
        b[i] = kept;
    }
}

static void plant_swap(const ddt_view *v, const ddt_case *c)
{
    exchange(ddt_view_element(v, c->count / 2), ddt_view_element(v, c->count / 2 - 1),
             c->elem_bytes);
}

static void plant_shift(const ddt_view *v, const ddt_case *c)
{
    for (int64_t k = 0; k + 1 < c->count; k++)
        memcpy(ddt_view_element(v, k), ddt_view_element(v, k + 1), (size_t)c->elem_bytes);
}

static void plant_missing(const ddt_view *v, const ddt_case *c)
{
    uint32_t before[MOST_WORDS];
    content_of(v, v->me, DDT_RECV, c->count - 1, before);
    memcpy(ddt_view_element(v, c->count - 1), before, (size_t)c->elem_bytes);
}

static void plant_guard(const ddt_view *v, const ddt_case *c)
{
    (void)c;
    if (v->flat)
        v->message[-1] ^= 1;
    else
        v->slab[v->start[0] - 1] ^= 1;
}

/* The word before the first one of the layout; a guard where that is the array's first. */
static void plant_gap(const ddt_view *v, const ddt_case *c)
{
    int64_t first = v->slab_bytes / WORD;
    for (int64_t k = 0; !v->flat && k < c->count; k++) {
        int64_t word = word_of(v, v->me, DDT_RECV, k);
        if (word < first)
            first = word;
    }
    if (v->flat)
        v->message[-1] ^= 1;
    else
        v->slab[first * WORD - 1] ^= 1;
}

static const struct {
    const char *name;
    void (*plant)(const ddt_view *v, const ddt_case *c);
} plants[] = {
    {"swap", plant_swap},   {"shift", plant_shift}, {"missing", plant_missing},
    {"guard", plant_guard}, {"gap", plant_gap},     {"index", NULL}, /* in the lists, see work.c */
};

const char ddt_plant_names[] = "swap, shift, missing, guard, gap, index";

enum { PLANTS = sizeof(plants) / sizeof(plants[0]) };

int ddt_plant_known(const char *name)
{
    for (int i = 0; i < PLANTS; i++) {
        if (strcmp(plants[i].name, name) == 0)
            return 1;
    }
    return 0;
}

void ddt_plant(const ddt_view *v, const char *name)
{
    for (int i = 0; i < PLANTS; i++) {
        if (plants[i].plant != NULL && strcmp(plants[i].name, name) == 0)
            plants[i].plant(v, ddt_view_case(v, v->me));
    }
}
