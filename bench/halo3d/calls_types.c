/* SPDX-License-Identifier: MIT */
/* calls_types.c - Isend and Irecv of subarray types. */
#include <mpi.h>
#include <stdlib.h>

#include "halo.h"
#include "harness/wait.h"

typedef struct types_state {
    MPI_Comm comm;
    halo_scheme scheme;
    MPI_Datatype send[HALO_DIMS][HALO_NEIGHBOURS];
    MPI_Datatype recv[HALO_DIMS][HALO_NEIGHBOURS];
} types_state;

static void make_types(const halo_scheme *scheme, const halo_side *side, MPI_Datatype types[])
{
    for (int k = 0; k < side->nmessages; k++)
        types[k] = halo_message_type(scheme, side, &side->messages[k]);
}

static void free_types(const halo_side *side, MPI_Datatype types[])
{
    for (int k = 0; k < side->nmessages; k++)
        MPI_Type_free(&types[k]);
}

static int types_open(const bench_function *function, const bench_cell *cell, const int *send,
                      int *recv, void **state_p)
{
    (void)send;
    (void)recv;
    types_state *s = calloc(1, sizeof(*s));
    if (s == NULL)
        return bench_fail("out of memory");
    MPI_Comm_dup(cell->grid->cart, &s->comm);
    halo_scheme_make(cell, function->algorithm, 1, &s->scheme);
    for (int r = 0; r < s->scheme.nrounds; r++) {
        make_types(&s->scheme, &s->scheme.rounds[r].send, s->send[r]);
        make_types(&s->scheme, &s->scheme.rounds[r].recv, s->recv[r]);
    }
    *state_p = s;
    return 0;
}

static int types_run(void *state, const int *send, int *recv)
{
    const types_state *s = state;
    (void)send;
    for (int r = 0; r < s->scheme.nrounds; r++) {
        const halo_round *round = &s->scheme.rounds[r];
        MPI_Request requests[2 * HALO_NEIGHBOURS];
        int count = 0;
        for (int k = 0; k < round->recv.nmessages; k++) {
            const halo_message *m = &round->recv.messages[k];
            MPI_Irecv(recv, 1, s->recv[r][k], m->peer, m->tag, s->comm, &requests[count++]);
        }
        for (int k = 0; k < round->send.nmessages; k++) {
            const halo_message *m = &round->send.messages[k];
            MPI_Isend(recv, 1, s->send[r][k], m->peer, m->tag, s->comm, &requests[count++]);
        }
        bench_wait_all(count, requests);
    }
    return 0;
}

static void types_close(void *state)
{
    types_state *s = state;
    if (s == NULL)
        return;
    for (int r = 0; r < s->scheme.nrounds; r++) {
        free_types(&s->scheme.rounds[r].send, s->send[r]);
        free_types(&s->scheme.rounds[r].recv, s->recv[r]);
    }
    MPI_Comm_free(&s->comm);
    free(s);
}

const bench_kind halo_kind_types = {
    .rival = BENCH_RIVAL_IF_RIGHT, .open = types_open, .run = types_run, .close = types_close};
