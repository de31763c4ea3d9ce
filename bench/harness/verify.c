/* SPDX-License-Identifier: MIT */
#include "verify.h"

#include <stdlib.h>
#include <string.h>

#include "wait.h"

static int make_buffers(bench_check *check)
{
    const bench_cell *cell = check->cell;
    int failed = bench_buffer_make(cell->recv_ints, &check->computed);
    for (int k = 0; k < 2; k++) {
        failed |= bench_buffer_make(cell->send_ints, &check->send[k]);
        failed |= bench_buffer_make(cell->send_ints, &check->sent[k]);
        failed |= bench_buffer_make(cell->recv_ints, &check->recv[k]);
        failed |= bench_buffer_make(cell->recv_ints, &check->reference[k]);
    }
    return failed;
}

int bench_check_make(const bench_cell *cell, unsigned seed, const char *plant,
                     bench_check *check_p)
{
    bench_check check = {.cell = cell, .salt = seed, .plant = plant};
    int failed = make_buffers(&check);
    MPI_Comm_dup(cell->grid->cart, &check.comm);
    MPI_Allreduce(MPI_IN_PLACE, &failed, 1, MPI_INT, MPI_LOR, check.comm);
    if (failed) {
        bench_check_free(&check);
        return bench_fail("out of memory on some rank");
    }
    *check_p = check;
    return 0;
}

void bench_check_free(bench_check *check)
{
    for (int k = 0; k < 2; k++) {
        bench_buffer_free(&check->send[k]);
        bench_buffer_free(&check->sent[k]);
        bench_buffer_free(&check->recv[k]);
        bench_buffer_free(&check->reference[k]);
    }
    bench_buffer_free(&check->computed);
    MPI_Comm_free(&check->comm);
}

/* ------------------------------------------------------------------ point-to-point */

/* The definition: block i goes to target i and comes from source i, with tag i; elements are
 * packed and unpacked one by one. */
static int exchange(const bench_check *check, const bench_buffer *send, bench_buffer *recv)
{
    const bench_cell *cell = check->cell;
    size_t room = (size_t)cell->nblocks * (size_t)(cell->most > 0 ? cell->most : 1);
    int *out = malloc(room * sizeof(int));
    int *in = malloc(room * sizeof(int));
    MPI_Request *requests = malloc(2 * (size_t)cell->nblocks * sizeof(MPI_Request));
    int failed = out == NULL || in == NULL || requests == NULL;
    MPI_Allreduce(MPI_IN_PLACE, &failed, 1, MPI_INT, MPI_LOR, check->comm);
    for (int i = 0; !failed && i < cell->nblocks; i++)
        MPI_Irecv(in + (size_t)i * (size_t)cell->most, cell->recv[i].count, MPI_INT,
                  cell->sources[i], i, check->comm, &requests[i]);
    for (int i = 0; !failed && i < cell->nblocks; i++) {
        const bench_block *block = &cell->send[bench_cell_send_block(cell, i)];
        int *packed = out + (size_t)i * (size_t)cell->most;
        for (int k = 0; k < block->count; k++)
            packed[k] = send->data[block->displ / 4 + (int64_t)k * block->stride];
        MPI_Isend(packed, block->count, MPI_INT, cell->targets[i], i, check->comm,
                  &requests[cell->nblocks + i]);
    }
    if (!failed)
        bench_wait_all(2 * cell->nblocks, requests);
    for (int i = 0; !failed && i < cell->nblocks; i++) {
        const bench_block *block = &cell->recv[i];
        for (int k = 0; k < block->count; k++)
            recv->data[block->displ / 4 + (int64_t)k * block->stride] =
                in[(size_t)i * (size_t)cell->most + (size_t)k];
    }
    free(out);
    free(in);
    free(requests);
    return failed;
}

void bench_check_next(bench_check *check, bench_faults *faults)
{
    const bench_cell *cell = check->cell;
    check->salt += 2;
    for (int k = 0; k < 2; k++) {
        unsigned salt = check->salt + (unsigned)k;
        bench_fill_send(cell, salt, &check->sent[k]);
        bench_fill(&check->reference[k], BENCH_SENTINEL);
        if (exchange(check, &check->sent[k], &check->reference[k]) != 0)
            bench_faults_add(faults, "out of memory on some rank");
        bench_fill_expected(cell, salt, &check->computed);
        bench_compare(cell, salt, "point-to-point ", cell->recv, cell->nblocks, &check->computed,
                      &check->reference[k], faults);
    }
}

/* ------------------------------------------------------------------ planted faults */

/* A block with data, the last one. */
static const bench_block *some_block(const bench_cell *cell)
{
    for (int i = cell->nblocks - 1; i > 0; i--) {
        if (cell->recv[i].count > 0)
            return &cell->recv[i];
    }
    return &cell->recv[0];
}

/* Two blocks of the same size and different contents, exchanged. */
static void plant_swap(const bench_cell *cell, int *recv)
{
    const bench_block *b = some_block(cell);
    for (int i = 0; i < cell->nblocks; i++) {
        const bench_block *a = &cell->recv[i];
        if (a->count != b->count || recv[a->displ / 4] == recv[b->displ / 4])
            continue;
        for (int k = 0; k < a->count; k++) {
            int *x = &recv[a->displ / 4 + (int64_t)k * a->stride];
            int *y = &recv[b->displ / 4 + (int64_t)k * b->stride];
            int t = *x;
            *x = *y;
            *y = t;
        }
        return;
    }
}

static void plant(bench_check *check)
{
    const bench_cell *cell = check->cell;
    const char *fault = check->plant;
    int *recv = check->recv[0].data;
    const bench_block *block = some_block(cell);
    int *last = recv + block->displ / 4 + (int64_t)(block->count - 1) * block->stride;
    if (fault == NULL || cell->grid->rank != cell->grid->size - 1)
        return;
    if (strcmp(fault, "corrupt") == 0)
        *last ^= 1;
    else if (strcmp(fault, "swap") == 0)
        plant_swap(cell, recv);
    else if (strcmp(fault, "missing") == 0)
        *last = BENCH_SENTINEL;
    else if (strcmp(fault, "gap") == 0)
        recv[block->displ / 4 - 1] ^= 1;
    else if (strcmp(fault, "guard") == 0)
        recv[cell->recv_ints] = 0;
    else if (strcmp(fault, "stale") == 0)
        memcpy(check->recv[1].data, recv, (size_t)cell->recv_ints * sizeof(int));
    else if (strcmp(fault, "send") == 0)
        check->send[0].data[0] ^= 1;
}

/* ------------------------------------------------------------------ one repetition */

void bench_check_run(bench_check *check, const bench_function *function, void *state,
                     bench_faults *faults)
{
    const bench_cell *cell = check->cell;
    const bench_kind *kind = function->kind;
    int pairs = kind->bound ? 1 : 2;
    for (int k = 0; k < pairs; k++) {
        bench_fill_send(cell, check->salt + (unsigned)k, &check->send[k]);
        bench_fill(&check->recv[k], BENCH_SENTINEL);
    }
    for (int k = 0; k < pairs; k++) {
        if (kind->run(state, check->send[k].data, check->recv[k].data) != 0)
            bench_faults_add(faults, "rank %d: %s", cell->grid->rank, bench_error());
    }
    plant(check);
    for (int k = 0; k < pairs; k++) {
        unsigned salt = check->salt + (unsigned)k;
        if (!kind->floor)
            bench_compare(cell, salt, "", cell->recv, cell->nblocks, &check->reference[k],
                          &check->recv[k], faults);
        bench_compare(cell, salt, "send buffer changed, ", cell->send, cell->nsend,
                      &check->sent[k], &check->send[k], faults);
    }
}

/* ------------------------------------------------------------------ what a schedule says */

static void check_blocks(const bench_cell *cell, const char *side, const bench_block expected[],
                         const cartgen_block got[], int count, bench_faults *faults)
{
    for (int i = 0; i < count; i++) {
        int64_t bytes = 4 * (int64_t)expected[i].count;
        int64_t span = 4 * ((int64_t)(expected[i].count - 1) * expected[i].stride + 1);
        if (got[i].bytes == bytes &&
            (bytes == 0 || (got[i].displ == expected[i].displ && got[i].span == span)))
            continue;
        bench_faults_add(faults, "rank %d %s block %d: layout says %lld bytes at %lld, expected "
                         "%lld at %lld", cell->grid->rank, side, i, (long long)got[i].bytes,
                         (long long)got[i].displ, (long long)bytes, (long long)expected[i].displ);
    }
}

static void check_layout(const bench_cell *cell, const cartgen_schedule *schedule,
                         bench_faults *faults)
{
    int64_t m = cell->m;
    size_t nsend = schedule->nsend;
    size_t nrecv = schedule->nrecv;
    if (nsend != (size_t)cell->nsend || nrecv != (size_t)cell->nblocks) {
        bench_faults_add(faults, "rank %d: the schedule has %zu send and %zu receive blocks",
                         cell->grid->rank, nsend, nrecv);
        return;
    }
    cartgen_block *blocks = calloc(nsend + nrecv + schedule->nareas, sizeof(*blocks));
    if (blocks == NULL) {
        bench_faults_add(faults, "rank %d: out of memory", cell->grid->rank);
        return;
    }
    schedule->layout(&m, blocks, blocks + nsend);
    check_blocks(cell, "send", cell->send, blocks, cell->nsend, faults);
    check_blocks(cell, "receive", cell->recv, blocks + nsend, cell->nblocks, faults);
    free(blocks);
}

void bench_check_schedule(const bench_cell *cell, const cartgen_schedule *schedule,
                          bench_faults *faults)
{
    int n = cell->nblocks;
    int ndims = cell->grid->ndims;
    int count = 0;
    int *lists = malloc((size_t)n * (size_t)(ndims + 2) * sizeof(int));
    int *sources = lists + n * ndims;
    if (lists == NULL) {
        bench_faults_add(faults, "rank %d: out of memory", cell->grid->rank);
        return;
    }
    int failed = cartgen_neighbor_count(schedule, &count) != CARTGEN_OK || count != n ||
                 cartgen_neighbor_list(schedule, n, lists) != CARTGEN_OK ||
                 cartgen_neighbor_get(cell->grid->comm, schedule, n, sources, sources + n) !=
                     CARTGEN_OK;
    if (failed)
        bench_faults_add(faults, "rank %d: neighbour count %d (expected %d) or %s",
                         cell->grid->rank, count, n, cartgen_last_error());
    for (int i = 0; !failed && i < n; i++) {
        size_t row = (size_t)ndims * sizeof(int);
        if (memcmp(&lists[i * ndims], &cell->offsets[i * ndims], row) != 0)
            bench_faults_add(faults, "rank %d: offset %d is another", cell->grid->rank, i);
        if (sources[i] != cell->sources[i] || sources[n + i] != cell->targets[i])
            bench_faults_add(faults, "rank %d neighbour %d: source %d and target %d, expected %d "
                             "and %d", cell->grid->rank, i, sources[i], sources[n + i],
                             cell->sources[i], cell->targets[i]);
    }
    free(lists);
    check_layout(cell, schedule, faults);
}
