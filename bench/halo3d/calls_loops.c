/* SPDX-License-Identifier: MIT */
/*
 * calls_loops.c - by hand: boxes packed and unpacked by nested loops, contiguous messages, own
 * cells copied from box to box; and the floor, all 26 boxes copied so.
 */
#include <mpi.h>
#include <stdlib.h>

#include "halo.h"
#include "harness/wait.h"

typedef struct loops_state {
    MPI_Comm comm;
    double *out;
    double *in;
    halo_scheme scheme;
} loops_state;

static int64_t place(const int low[HALO_DIMS], int64_t width)
{
    return (low[0] * width + low[1]) * width + low[2];
}

/* Rows of one cell are walked down the column they make: no loop of one turn each. */
static double *pack(double *restrict out, const double *restrict array, const halo_box *box,
                    int64_t width)
{
    const int *n = box->size;
    const double *from = array + place(box->low, width);
    for (int x = 0; x < n[0]; x++, from += width * width) {
        if (n[2] == 1) {
            for (int y = 0; y < n[1]; y++)
                out[y] = from[y * width];
            out += n[1];
            continue;
        }
        for (int y = 0; y < n[1]; y++, out += n[2]) {
            for (int z = 0; z < n[2]; z++)
                out[z] = from[y * width + z];
        }
    }
    return out;
}

static const double *unpack(double *restrict array, const double *restrict in,
                            const halo_box *box, int64_t width)
{
    const int *n = box->size;
    double *to = array + place(box->low, width);
    for (int x = 0; x < n[0]; x++, to += width * width) {
        if (n[2] == 1) {
            for (int y = 0; y < n[1]; y++)
                to[y * width] = in[y];
            in += n[1];
            continue;
        }
        for (int y = 0; y < n[1]; y++, in += n[2]) {
            for (int z = 0; z < n[2]; z++)
                to[y * width + z] = in[z];
        }
    }
    return in;
}

static void copy(double *array, const halo_box *from_box, const halo_box *to_box, int64_t width)
{
    const int *n = from_box->size;
    /* Two boxes of one array that do not overlap. */
    const double *restrict from = array + place(from_box->low, width);
    double *restrict to = array + place(to_box->low, width);
    for (int x = 0; x < n[0]; x++, from += width * width, to += width * width) {
        for (int y = 0; n[2] == 1 && y < n[1]; y++)
            to[y * width] = from[y * width];
        for (int y = 0; n[2] != 1 && y < n[1]; y++) {
            for (int z = 0; z < n[2]; z++)
                to[y * width + z] = from[y * width + z];
        }
    }
}

static void loops_close(void *state)
{
    loops_state *s = state;
    if (s == NULL)
        return;
    free(s->out);
    free(s->in);
    MPI_Comm_free(&s->comm);
    free(s);
}

static double *staging(int cells)
{
    return aligned_alloc(64, ((size_t)cells * sizeof(double) / 64 + 1) * 64);
}

static int loops_open(const bench_function *function, const bench_cell *cell, const int *send,
                      int *recv, void **state_p)
{
    (void)send;
    (void)recv;
    loops_state *s = calloc(1, sizeof(*s));
    if (s == NULL)
        return bench_fail("out of memory");
    MPI_Comm_dup(cell->grid->cart, &s->comm);
    halo_scheme_make(cell, function->algorithm, 0, &s->scheme);
    int most = 0;
    for (int r = 0; r < s->scheme.nrounds; r++) {
        int cells = s->scheme.rounds[r].send.cells;
        most = cells > most ? cells : most;
    }
    s->out = staging(most);
    s->in = staging(most);
    if (s->out == NULL || s->in == NULL) {
        loops_close(s);
        return bench_fail("out of memory");
    }
    *state_p = s;
    return 0;
}

static void run_round(const loops_state *s, const halo_round *round, double *array)
{
    MPI_Request requests[2 * HALO_NEIGHBOURS];
    int64_t width = s->scheme.width;
    int count = 0;
    for (int k = 0; k < round->recv.nmessages; k++) {
        const halo_message *m = &round->recv.messages[k];
        MPI_Irecv(s->in + m->start, m->cells, MPI_DOUBLE, m->peer, m->tag, s->comm,
                  &requests[count++]);
    }
    for (int k = 0; k < round->send.nmessages; k++) {
        const halo_message *m = &round->send.messages[k];
        double *out = s->out + m->start;
        for (int b = 0; b < m->count; b++)
            out = pack(out, array, &round->send.boxes[m->first + b], width);
        MPI_Isend(s->out + m->start, m->cells, MPI_DOUBLE, m->peer, m->tag, s->comm,
                  &requests[count++]);
    }
    for (int k = 0; k < round->ncopies; k++)
        copy(array, &round->from[k], &round->to[k], width);
    bench_wait_all(count, requests);
    for (int k = 0; k < round->recv.nmessages; k++) {
        const halo_message *m = &round->recv.messages[k];
        const double *in = s->in + m->start;
        for (int b = 0; b < m->count; b++)
            in = unpack(array, in, &round->recv.boxes[m->first + b], width);
    }
}

static int loops_run(void *state, const int *send, int *recv)
{
    const loops_state *s = state;
    (void)send;
    for (int r = 0; r < s->scheme.nrounds; r++)
        run_round(s, &s->scheme.rounds[r], (double *)recv);
    return 0;
}

/* The floor: every box goes to where its neighbour would put it. */
static int copy_open(const bench_function *function, const bench_cell *cell, const int *send,
                     int *recv, void **state_p)
{
    bench_cell alone = *cell;
    int self[HALO_DIRECTIONS];
    for (int i = 0; i < HALO_DIRECTIONS; i++)
        self[i] = cell->grid->rank;
    alone.sources = alone.targets = self;
    return loops_open(function, &alone, send, recv, state_p);
}

const bench_kind halo_kind_loops = {
    .rival = BENCH_RIVAL_IF_RIGHT, .open = loops_open, .run = loops_run, .close = loops_close};
const bench_kind halo_kind_copy = {
    .floor = 1, .open = copy_open, .run = loops_run, .close = loops_close};
