/* SPDX-License-Identifier: MIT */
/* contents.c - what the array holds: every cell a function of its global coordinates. */
#include <stdio.h>
#include <string.h>

#include "halo.h"

int halo_cell_make(const bench_grid *grid, int m, bench_cell *cell_p)
{
    bench_cell cell;
    if (bench_cell_make_neighbours(grid, 3, m, &cell) != 0)
        return 1;
    int64_t width = m + 2;
    cell.contents = &halo_contents;
    cell.recv_ints = width * width * width * (int64_t)(sizeof(double) / sizeof(int));
    cell.elements = width * width * width - (int64_t)m * m * m;
    *cell_p = cell;
    return 0;
}

/* Where ghosts lie round the grid's rim the coordinate is taken modulo the grid. */
static int64_t global(const bench_cell *cell, int dimension, int x)
{
    int64_t extent = (int64_t)cell->m * cell->grid->dims[dimension];
    int64_t at = (int64_t)cell->m * cell->grid->coords[dimension] + x - 1;
    return (at + extent) % extent;
}

static double value(const bench_cell *cell, unsigned salt, int x, int y, int z)
{
    const int *dims = cell->grid->dims;
    int64_t m = cell->m;
    int64_t index = (global(cell, 0, x) * m * dims[1] + global(cell, 1, y)) * m * dims[2] +
                    global(cell, 2, z);
    return (double)index + 1.0 + 0.25 * (salt % 4u);
}

/* Cells first .. last in every dimension. */
static void fill_cells(const bench_cell *cell, unsigned salt, int first, int last, double *array)
{
    int64_t width = cell->m + 2;
    for (int x = first; x <= last; x++) {
        for (int y = first; y <= last; y++) {
            for (int z = first; z <= last; z++)
                array[(x * width + y) * width + z] = value(cell, salt, x, y, z);
        }
    }
}

static void prepare(const bench_cell *cell, unsigned salt, bench_buffer *send, bench_buffer *recv)
{
    (void)send;
    bench_fill(recv, BENCH_SENTINEL);
    fill_cells(cell, salt, 1, cell->m, (double *)recv->data);
}

static void expect(const bench_cell *cell, unsigned salt, bench_buffer *recv)
{
    bench_fill(recv, BENCH_SENTINEL);
    fill_cells(cell, salt, 0, cell->m + 1, (double *)recv->data);
}

static double double_at(const bench_buffer *buffer, int64_t cell)
{
    double x;
    memcpy(&x, buffer->data + 2 * cell, sizeof(x));
    return x;
}

static const char *text_of(double x, char text[32])
{
    int halves[2];
    memcpy(halves, &x, sizeof(x));
    if (halves[0] == BENCH_SENTINEL && halves[1] == BENCH_SENTINEL)
        return "the sentinel";
    snprintf(text, 32, "%.17g", x);
    return text;
}

static void compare(const bench_cell *cell, unsigned salt, const bench_buffer *expected,
                    const bench_buffer *got, bench_faults *faults)
{
    (void)salt;
    int64_t total = expected->ints + 2 * BENCH_GUARD;
    int width = cell->m + 2;
    if (memcmp(expected->base, got->base, (size_t)total * sizeof(int)) == 0)
        return;
    for (int64_t i = 0; i < total; i++) {
        if (expected->base[i] != got->base[i] &&
            (i < BENCH_GUARD || i >= BENCH_GUARD + expected->ints))
            bench_faults_add(faults, "rank %d outside of the array, byte %lld", cell->grid->rank,
                             (long long)(4 * (i - BENCH_GUARD)));
    }
    for (int64_t i = 0; i < expected->ints / 2; i++) {
        char is[32];
        char must[32];
        if (memcmp(expected->data + 2 * i, got->data + 2 * i, sizeof(double)) == 0)
            continue;
        int at[HALO_DIMS] = {(int)(i / width / width), (int)(i / width % width), (int)(i % width)};
        int ghost = 0;
        for (int k = 0; k < HALO_DIMS; k++)
            ghost |= at[k] == 0 || at[k] == width - 1;
        bench_faults_add(faults, "rank %d %s (%d, %d, %d): got %s, expected %s", cell->grid->rank,
                         ghost ? "ghost" : "own cell", at[0], at[1], at[2],
                         text_of(double_at(got, i), is), text_of(double_at(expected, i), must));
    }
}

static void swap(double *a, double *b)
{
    double kept = *a;
    *a = *b;
    *b = kept;
}

static void plant(const bench_cell *cell, const char *fault, bench_buffer *recv)
{
    double *array = (double *)recv->data;
    int64_t m = cell->m;
    int64_t width = m + 2;
    double *last = array + width * width * width - 1; /* a corner */
    double *low = array + width + 1;                  /* (0, 1, 1), in a face */
    double *high = low + (m + 1) * width * width;     /* and opposite to it */
    if (strcmp(fault, "corrupt") == 0)
        *last += 0.25;
    else if (strcmp(fault, "swap") == 0)
        swap(low, high);
    else if (strcmp(fault, "missing") == 0)
        memset(last - 1, BENCH_SENTINEL & 0xff, sizeof(*last));
    else if (strcmp(fault, "interior") == 0)
        *(low + width * width) += 0.25;
    else if (strcmp(fault, "guard") == 0)
        recv->data[recv->ints] = 0;
}

const bench_contents halo_contents = {
    .in_place = 1, .prepare = prepare, .expect = expect, .compare = compare, .plant = plant};
