/* SPDX-License-Identifier: MIT */
/*
 * calls_neighbor.c - MPI_Neighbor_alltoallw of subarray types on a graph communicator: an edge per
 * neighbour, so that two processes have several, or merged, an edge per process.
 */
#include <mpi.h>
#include <stdlib.h>

#include "halo.h"

typedef struct neighbor_state {
    bench_mpi_form form;
    MPI_Comm graph;
    halo_scheme scheme;
    int ones[HALO_NEIGHBOURS];
    MPI_Aint displs[HALO_NEIGHBOURS];
    MPI_Datatype send[HALO_NEIGHBOURS];
    MPI_Datatype recv[HALO_NEIGHBOURS];
} neighbor_state;

static int failed(int code)
{
    char text[MPI_MAX_ERROR_STRING];
    int length;
    MPI_Error_string(code, text, &length);
    return bench_fail("MPI_Neighbor_alltoallw: %s", text);
}

static void make_graph(const bench_cell *cell, const halo_round *round, MPI_Comm *graph_p)
{
    int sources[HALO_NEIGHBOURS];
    int targets[HALO_NEIGHBOURS];
    for (int k = 0; k < round->recv.nmessages; k++)
        sources[k] = round->recv.messages[k].peer;
    for (int k = 0; k < round->send.nmessages; k++)
        targets[k] = round->send.messages[k].peer;
    bench_graph_create(cell->grid->cart, round->recv.nmessages, sources, round->send.nmessages,
                       targets, graph_p);
    MPI_Comm_set_errhandler(*graph_p, MPI_ERRORS_RETURN);
}

static int neighbor_open(const bench_function *function, const bench_cell *cell, const int *send,
                         int *recv, void **state_p)
{
    (void)send;
    (void)recv;
    neighbor_state *s = calloc(1, sizeof(*s));
    if (s == NULL)
        return bench_fail("out of memory");
    s->form = (bench_mpi_form)function->variant;
    halo_scheme_make(cell, function->algorithm, 1, &s->scheme);
    const halo_round *round = &s->scheme.rounds[0];
    make_graph(cell, round, &s->graph);
    for (int k = 0; k < round->send.nmessages; k++) {
        s->ones[k] = 1;
        s->send[k] = halo_message_type(&s->scheme, &round->send, &round->send.messages[k]);
        s->recv[k] = halo_message_type(&s->scheme, &round->recv, &round->recv.messages[k]);
    }
    *state_p = s;
    return 0;
}

static int neighbor_run(void *state, const int *send, int *recv)
{
    const neighbor_state *s = state;
    int code;
    if (s->form == BENCH_BLOCKING) {
        code = MPI_Neighbor_alltoallw(send, s->ones, s->displs, s->send, recv, s->ones, s->displs,
                                      s->recv, s->graph);
    } else {
        MPI_Request request;
        code = MPI_Ineighbor_alltoallw(send, s->ones, s->displs, s->send, recv, s->ones,
                                       s->displs, s->recv, s->graph, &request);
        if (code == MPI_SUCCESS)
            code = MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    return code == MPI_SUCCESS ? 0 : failed(code);
}

static void neighbor_close(void *state)
{
    neighbor_state *s = state;
    if (s == NULL)
        return;
    for (int k = 0; k < s->scheme.rounds[0].send.nmessages; k++) {
        MPI_Type_free(&s->send[k]);
        MPI_Type_free(&s->recv[k]);
    }
    MPI_Comm_free(&s->graph);
    free(s);
}

const bench_kind halo_kind_neighbor = {.library = 1, .rival = BENCH_RIVAL_IF_RIGHT,
    .open = neighbor_open, .run = neighbor_run, .close = neighbor_close};
