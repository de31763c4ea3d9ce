/* SPDX-License-Identifier: MIT */
#include "content.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MULTIPLIER 2654435761u
#define INVERSE 244002641u /* MULTIPLIER * INVERSE = 1 modulo 2^32 */

static uint32_t offset_of(unsigned salt)
{
    return 0x9E3779B9u * (salt + 1u);
}

/* Numbers (rank, block, element) in one line and multiplies by an odd constant: injective modulo
 * 2^32, so equal values are equal places as long as there are fewer than 2^32 of them. */
int bench_value(const bench_cell *cell, unsigned salt, int rank, int block, int element)
{
    uint64_t place = ((uint64_t)rank * (uint64_t)cell->nsend + (uint64_t)block) *
                         (uint64_t)cell->most + (uint64_t)element;
    return (int)(((uint32_t)place + offset_of(salt)) * MULTIPLIER);
}

/* What a value is: "rank/block/element" as it was sent, the sentinel, or a number. */
static const char *describe(const bench_cell *cell, unsigned salt, int value, char text[32])
{
    int64_t place = (uint32_t)((uint32_t)value * INVERSE - offset_of(salt));
    int64_t most = cell->most > 0 ? cell->most : 1;
    int64_t rank = place / most / cell->nsend;
    if (value == BENCH_SENTINEL)
        snprintf(text, 32, "the sentinel");
    else if (value == BENCH_FILLER)
        snprintf(text, 32, "the filler");
    else if (rank < cell->grid->size)
        snprintf(text, 32, "%d/%d/%d", (int)rank, (int)(place / most % cell->nsend),
                 (int)(place % most));
    else
        snprintf(text, 32, "%d", value);
    return text;
}

void bench_fill(bench_buffer *buffer, int value)
{
    for (int64_t i = 0; i < buffer->ints + 2 * BENCH_GUARD; i++)
        buffer->base[i] = value;
}

void bench_fill_send(const bench_cell *cell, unsigned salt, bench_buffer *send)
{
    bench_fill(send, BENCH_FILLER);
    for (int i = 0; i < cell->nsend; i++) {
        const bench_block *block = &cell->send[i];
        int *at = send->data + block->displ / 4;
        for (int k = 0; k < block->count; k++)
            at[(int64_t)k * block->stride] = bench_value(cell, salt, cell->grid->rank, i, k);
    }
}

void bench_fill_expected(const bench_cell *cell, unsigned salt, bench_buffer *recv)
{
    bench_fill(recv, BENCH_SENTINEL);
    for (int i = 0; i < cell->nblocks; i++) {
        const bench_block *block = &cell->recv[i];
        int *at = recv->data + block->displ / 4;
        for (int k = 0; k < block->count; k++)
            at[(int64_t)k * block->stride] =
                bench_value(cell, salt, cell->sources[i], bench_cell_send_block(cell, i), k);
    }
}

void bench_faults_add(bench_faults *faults, const char *format, ...)
{
    faults->count++;
    if (faults->kept >= BENCH_FAULT_LINES)
        return;
    va_list args;
    va_start(args, format);
    vsnprintf(faults->lines[faults->kept++], BENCH_FAULT_WIDTH, format, args);
    va_end(args);
}

/* Which block and element lies at ints[at]; 0 when it is none's. */
static int locate(const bench_block blocks[], int nblocks, int64_t at, int *block_p,
                  int *element_p)
{
    for (int i = 0; i < nblocks; i++) {
        int64_t from = at - blocks[i].displ / 4;
        if (from < 0 || from % blocks[i].stride != 0 || from / blocks[i].stride >= blocks[i].count)
            continue;
        *block_p = i;
        *element_p = (int)(from / blocks[i].stride);
        return 1;
    }
    return 0;
}

void bench_compare(const bench_cell *cell, unsigned salt, const char *what,
                   const bench_block blocks[], int nblocks, const bench_buffer *expected,
                   const bench_buffer *got, bench_faults *faults)
{
    int64_t total = expected->ints + 2 * BENCH_GUARD;
    if (memcmp(expected->base, got->base, (size_t)total * sizeof(int)) == 0)
        return;
    for (int64_t i = 0; i < total; i++) {
        int block;
        int element;
        char place[64];
        char is[32];
        char must[32];
        if (expected->base[i] == got->base[i])
            continue;
        if (faults->kept >= BENCH_FAULT_LINES) {
            faults->count++;
            continue;
        }
        if (locate(blocks, nblocks, i - BENCH_GUARD, &block, &element))
            snprintf(place, sizeof(place), "block %d element %d", block, element);
        else
            snprintf(place, sizeof(place), "outside of all blocks, byte %lld",
                     (long long)(4 * (i - BENCH_GUARD)));
        bench_faults_add(faults, "%srank %d %s: got %s, expected %s", what, cell->grid->rank,
                         place, describe(cell, salt, got->base[i], is),
                         describe(cell, salt, expected->base[i], must));
    }
}

static void prepare(const bench_cell *cell, unsigned salt, bench_buffer *send, bench_buffer *recv)
{
    bench_fill_send(cell, salt, send);
    bench_fill(recv, BENCH_SENTINEL);
}

static void compare(const bench_cell *cell, unsigned salt, const bench_buffer *expected,
                    const bench_buffer *got, bench_faults *faults)
{
    bench_compare(cell, salt, "", cell->recv, cell->nblocks, expected, got, faults);
}

const bench_contents bench_contents_blocks = {
    .prepare = prepare, .expect = bench_fill_expected, .compare = compare};

int64_t bench_faults_sum(const bench_faults *faults, MPI_Comm comm)
{
    long long mine = faults->count;
    long long sum = 0;
    MPI_Allreduce(&mine, &sum, 1, MPI_LONG_LONG, MPI_SUM, comm);
    return sum;
}

void bench_faults_first(const bench_faults *faults, MPI_Comm comm, char line[BENCH_FAULT_WIDTH])
{
    int rank;
    int size;
    int speaker;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    int mine = faults->kept > 0 ? rank : size;
    MPI_Allreduce(&mine, &speaker, 1, MPI_INT, MPI_MIN, comm);
    line[0] = '\0';
    if (speaker == rank)
        memcpy(line, faults->lines[0], BENCH_FAULT_WIDTH);
    if (speaker < size)
        MPI_Bcast(line, BENCH_FAULT_WIDTH, MPI_CHAR, speaker, comm);
}

void bench_faults_print(const bench_faults *faults, MPI_Comm comm, const char *indent, int most)
{
    int rank;
    int size;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    bench_faults *all = rank == 0 ? calloc((size_t)size, sizeof(*all)) : NULL;
    int bytes = (int)sizeof(*faults);
    MPI_Gather(faults, bytes, MPI_BYTE, all, bytes, MPI_BYTE, 0, comm);
    int printed = 0;
    for (int r = 0; rank == 0 && r < size; r++) {
        for (int k = 0; k < all[r].kept && printed < most; k++, printed++)
            printf("%s%s\n", indent, all[r].lines[k]);
    }
    free(all);
}
