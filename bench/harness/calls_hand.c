/* SPDX-License-Identifier: MIT */
/*
 * calls_hand.c - what one would write by hand: a message per block, a message per process, and the
 * floor, one copy of the same bytes within the process. None of them uses cartgen.
 */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

#include "function.h"
#include "wait.h"

/* One message: to and from a peer (the two lists are set up separately). */
typedef struct hand_message {
    int peer;
    int tag;
    int64_t first; /* packed form: where it lies in staging, in ints */
    int64_t ints;
} hand_message;

typedef struct hand_state {
    const bench_cell *cell;
    MPI_Comm comm;
    MPI_Request *requests;
    MPI_Datatype *send_types; /* message per block: MPI_INT or a vector of its own */
    MPI_Datatype *recv_types;
    int *order_send;          /* packed form: blocks by target, then by number */
    int *order_recv;          /* and by source */
    hand_message *sends;
    hand_message *recvs;
    int nsends;
    int nrecvs;
    int64_t self_send;        /* packed form: where the process' own blocks lie in staging */
    int64_t self_recv;
    int64_t self_ints;
    int *send_staging;
    int *recv_staging;
} hand_state;

static const bench_block *send_block(const bench_cell *cell, int i)
{
    return &cell->send[bench_cell_send_block(cell, i)];
}

static void gather(int *dst, const int *src, const bench_block *block)
{
    src += block->displ / 4;
    if (block->stride == 1) {
        memcpy(dst, src, (size_t)block->count * sizeof(int));
        return;
    }
    for (int k = 0; k < block->count; k++)
        dst[k] = src[(int64_t)k * block->stride];
}

static void scatter(int *dst, const int *src, const bench_block *block)
{
    dst += block->displ / 4;
    if (block->stride == 1) {
        memcpy(dst, src, (size_t)block->count * sizeof(int));
        return;
    }
    for (int k = 0; k < block->count; k++)
        dst[(int64_t)k * block->stride] = src[k];
}

static void copy_block(const bench_cell *cell, int i, const int *send, int *recv)
{
    const bench_block *from = send_block(cell, i);
    const bench_block *to = &cell->recv[i];
    const int *src = send + from->displ / 4;
    int *dst = recv + to->displ / 4;
    if (from->stride == 1 && to->stride == 1) {
        memcpy(dst, src, (size_t)to->count * sizeof(int));
        return;
    }
    for (int k = 0; k < to->count; k++)
        dst[(int64_t)k * to->stride] = src[(int64_t)k * from->stride];
}

static void hand_close(void *state)
{
    hand_state *s = state;
    if (s == NULL)
        return;
    for (int i = 0; s->send_types != NULL && i < 2 * s->cell->nblocks; i++) {
        if (s->send_types[i] != MPI_INT)
            MPI_Type_free(&s->send_types[i]);
    }
    if (s->comm != MPI_COMM_NULL)
        MPI_Comm_free(&s->comm);
    free(s->requests);
    free(s->send_types);
    free(s->order_send);
    free(s->sends);
    free(s->send_staging);
    free(s);
}

static hand_state *make_state(const bench_cell *cell)
{
    hand_state *s = calloc(1, sizeof(*s));
    if (s == NULL)
        return NULL;
    s->cell = cell;
    s->requests = malloc(2 * (size_t)cell->nblocks * sizeof(MPI_Request));
    MPI_Comm_dup(cell->grid->cart, &s->comm);
    if (s->requests == NULL) {
        hand_close(s);
        return NULL;
    }
    return s;
}

/* ------------------------------------------------------------------ a message per block */

static MPI_Datatype type_of(const bench_block *block)
{
    MPI_Datatype type = MPI_INT;
    if (block->stride > 1 && block->count > 0) {
        MPI_Type_vector(block->count, 1, block->stride, MPI_INT, &type);
        MPI_Type_commit(&type);
    }
    return type;
}

static int hand_open(const bench_function *function, const bench_cell *cell, const int *send,
                     int *recv, void **state_p)
{
    (void)function;
    (void)send;
    (void)recv;
    int n = cell->nblocks;
    hand_state *s = make_state(cell);
    if (s == NULL)
        return bench_fail("out of memory");
    s->send_types = malloc(2 * (size_t)n * sizeof(MPI_Datatype));
    if (s->send_types == NULL) {
        hand_close(s);
        return bench_fail("out of memory");
    }
    s->recv_types = s->send_types + n;
    for (int i = 0; i < n; i++) {
        s->send_types[i] = type_of(send_block(cell, i));
        s->recv_types[i] = type_of(&cell->recv[i]);
    }
    *state_p = s;
    return 0;
}

static int hand_run(void *state, const int *send, int *recv)
{
    hand_state *s = state;
    const bench_cell *cell = s->cell;
    int rank = cell->grid->rank;
    int nrequests = 0;
    for (int i = 0; i < cell->nblocks; i++) {
        const bench_block *block = &cell->recv[i];
        if (cell->sources[i] == rank || block->count == 0)
            continue;
        MPI_Irecv(recv + block->displ / 4, block->stride > 1 ? 1 : block->count, s->recv_types[i],
                  cell->sources[i], i, s->comm, &s->requests[nrequests++]);
    }
    for (int i = 0; i < cell->nblocks; i++) {
        const bench_block *block = send_block(cell, i);
        if (cell->targets[i] == rank || block->count == 0)
            continue;
        MPI_Isend(send + block->displ / 4, block->stride > 1 ? 1 : block->count, s->send_types[i],
                  cell->targets[i], i, s->comm, &s->requests[nrequests++]);
    }
    for (int i = 0; i < cell->nblocks; i++) {
        if (cell->targets[i] == rank)
            copy_block(cell, i, send, recv);
    }
    bench_wait_all(nrequests, s->requests);
    return 0;
}

/* ------------------------------------------------------------------ a message per process */

/* Blocks ordered by peer (a counting sort), messages and their places in staging. */
static int64_t plan_side(const bench_cell *cell, const int peers[], int *order,
                         hand_message *messages, int *nmessages_p, int64_t *self_p,
                         int64_t *self_ints_p)
{
    int size = cell->grid->size;
    int64_t at = 0;
    int placed = 0;
    *nmessages_p = 0;
    for (int peer = 0; peer < size; peer++) {
        int64_t first = at;
        for (int i = 0; i < cell->nblocks; i++) {
            if (peers[i] != peer)
                continue;
            order[placed++] = i;
            at += cell->recv[i].count;
        }
        if (peer == cell->grid->rank) {
            *self_p = first;
            *self_ints_p = at - first;
        } else if (at > first) {
            messages[(*nmessages_p)++] = (hand_message){peer, 0, first, at - first};
        }
    }
    return at;
}

static int packed_open(const bench_function *function, const bench_cell *cell, const int *send,
                       int *recv, void **state_p)
{
    (void)function;
    (void)send;
    (void)recv;
    size_t n = (size_t)cell->nblocks;
    size_t size = (size_t)cell->grid->size;
    hand_state *s = make_state(cell);
    if (s == NULL)
        return bench_fail("out of memory");
    s->order_send = malloc(2 * n * sizeof(int));
    s->sends = malloc(2 * size * sizeof(hand_message));
    size_t ints = 1;
    for (size_t i = 0; i < n; i++)
        ints += (size_t)cell->recv[i].count;
    s->send_staging = malloc(2 * ints * sizeof(int));
    if (s->order_send == NULL || s->sends == NULL || s->send_staging == NULL) {
        hand_close(s);
        return bench_fail("out of memory");
    }
    s->order_recv = s->order_send + n;
    s->recvs = s->sends + size;
    s->recv_staging = s->send_staging + ints;
    plan_side(cell, cell->targets, s->order_send, s->sends, &s->nsends, &s->self_send,
              &s->self_ints);
    plan_side(cell, cell->sources, s->order_recv, s->recvs, &s->nrecvs, &s->self_recv,
              &s->self_ints);
    *state_p = s;
    return 0;
}

static int packed_run(void *state, const int *send, int *recv)
{
    hand_state *s = state;
    const bench_cell *cell = s->cell;
    int nrequests = 0;
    for (int k = 0; k < s->nrecvs; k++) {
        const hand_message *message = &s->recvs[k];
        MPI_Irecv(s->recv_staging + message->first, (int)message->ints, MPI_INT, message->peer, 0,
                  s->comm, &s->requests[nrequests++]);
    }
    int *out = s->send_staging;
    for (int k = 0; k < cell->nblocks; k++) {
        const bench_block *block = send_block(cell, s->order_send[k]);
        gather(out, send, block);
        out += block->count;
    }
    for (int k = 0; k < s->nsends; k++) {
        const hand_message *message = &s->sends[k];
        MPI_Isend(s->send_staging + message->first, (int)message->ints, MPI_INT, message->peer, 0,
                  s->comm, &s->requests[nrequests++]);
    }
    memcpy(s->recv_staging + s->self_recv, s->send_staging + s->self_send,
           (size_t)s->self_ints * sizeof(int));
    bench_wait_all(nrequests, s->requests);
    const int *in = s->recv_staging;
    for (int k = 0; k < cell->nblocks; k++) {
        const bench_block *block = &cell->recv[s->order_recv[k]];
        scatter(recv, in, block);
        in += block->count;
    }
    return 0;
}

/* ------------------------------------------------------------------ the floor */

static int copy_open(const bench_function *function, const bench_cell *cell, const int *send,
                     int *recv, void **state_p)
{
    (void)function;
    (void)send;
    (void)recv;
    *state_p = make_state(cell);
    return *state_p == NULL ? bench_fail("out of memory") : 0;
}

static int copy_run(void *state, const int *send, int *recv)
{
    hand_state *s = state;
    for (int i = 0; i < s->cell->nblocks; i++)
        copy_block(s->cell, i, send, recv);
    return 0;
}

const bench_kind bench_kind_hand = {.open = hand_open, .run = hand_run, .close = hand_close};
const bench_kind bench_kind_packed = {.open = packed_open, .run = packed_run, .close = hand_close};
const bench_kind bench_kind_copy = {
    .floor = 1, .open = copy_open, .run = copy_run, .close = hand_close};
