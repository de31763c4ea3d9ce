/* SPDX-License-Identifier: MIT */
/*
 * calls_mpi.c - the neighbourhood collectives of the MPI library, on a graph communicator with one
 * edge per block in the order of the blocks. MPI has no neighbourhood allgatherw: its place is
 * taken by alltoallw with every send block the same.
 */
#include <mpi.h>
#if defined(OPEN_MPI)
#include <mpi-ext.h>
#endif
#include <stdlib.h>
#include <string.h>

#include "function.h"

#if defined(OMPI_HAVE_MPI_EXT_PCOLLREQ) && OMPI_HAVE_MPI_EXT_PCOLLREQ && MPI_VERSION < 4
#define PERSISTENT_PREFIX "MPIX_"
#define PERSISTENT(name) MPIX_Neighbor_##name##_init
#elif MPI_VERSION >= 4
#define PERSISTENT_PREFIX "MPI_"
#define PERSISTENT(name) MPI_Neighbor_##name##_init
#endif

typedef struct mpi_state {
    bench_collective collective;
    bench_mpi_form form;
    MPI_Comm graph;
    MPI_Request request;
    int m;
    int n;                /* blocks */
    int *send_counts;     /* the v and w forms */
    int *recv_counts;
    int *send_displs;     /* in ints */
    int *recv_displs;
    MPI_Aint *send_bytes; /* displacements of the w forms */
    MPI_Aint *recv_bytes;
    MPI_Datatype *send_types;
    MPI_Datatype *recv_types;
    MPI_Datatype vectors[4];
    int nvectors;
} mpi_state;

const char *bench_mpi_persistent_prefix(void)
{
#ifdef PERSISTENT_PREFIX
    return PERSISTENT_PREFIX;
#else
    return NULL;
#endif
}

const char *bench_mpi_library(void)
{
    static char text[MPI_MAX_LIBRARY_VERSION_STRING];
    int length;
    MPI_Get_library_version(text, &length);
    for (char *c = text; *c != '\0'; c++) {
        if (*c == '\t')
            *c = ' ';
    }
    text[strcspn(text, ",\n")] = '\0';
    char *mpich = strstr(text, "MPICH Version:");
    if (mpich != NULL) {
        char *version = mpich + strlen("MPICH Version:");
        version += strspn(version, " ");
        memmove(text + strlen("MPICH "), version, strlen(version) + 1);
        memcpy(text, "MPICH ", strlen("MPICH "));
    }
    return text;
}

static int takes_types(bench_collective c)
{
    return c == BENCH_ALLTOALLW || c == BENCH_ALLGATHERW;
}

/* The type of a strided block; one type per shape. */
static MPI_Datatype vector_type(mpi_state *s, int count, int stride, int shapes[][2])
{
    for (int i = 0; i < s->nvectors; i++) {
        if (shapes[i][0] == count && shapes[i][1] == stride)
            return s->vectors[i];
    }
    int i = s->nvectors++;
    shapes[i][0] = count;
    shapes[i][1] = stride;
    MPI_Type_vector(count, 1, stride, MPI_INT, &s->vectors[i]);
    MPI_Type_commit(&s->vectors[i]);
    return s->vectors[i];
}

static void set_types(mpi_state *s, const bench_block *block, int i, int *counts,
                      MPI_Datatype *types, int shapes[][2])
{
    int strided = block->stride > 1 && block->count > 0;
    counts[i] = strided ? 1 : block->count;
    types[i] = strided ? vector_type(s, block->count, block->stride, shapes) : MPI_INT;
}

static void set_arguments(mpi_state *s, const bench_cell *cell)
{
    int shapes[4][2];
    for (int i = 0; i < s->n; i++) {
        const bench_block *send = &cell->send[bench_cell_send_block(cell, i)];
        const bench_block *recv = &cell->recv[i];
        s->send_displs[i] = (int)(send->displ / 4);
        s->recv_displs[i] = (int)(recv->displ / 4);
        s->send_bytes[i] = (MPI_Aint)send->displ;
        s->recv_bytes[i] = (MPI_Aint)recv->displ;
        if (takes_types(s->collective)) {
            set_types(s, send, i, s->send_counts, s->send_types, shapes);
            set_types(s, recv, i, s->recv_counts, s->recv_types, shapes);
        } else {
            s->send_counts[i] = send->count;
            s->recv_counts[i] = recv->count;
        }
    }
}

void bench_graph_create(MPI_Comm comm, int nsources, const int sources[], int ntargets,
                        const int targets[], MPI_Comm *graph_p)
{
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wstringop-overread" /* MPI_UNWEIGHTED is not an array */
#endif
    MPI_Dist_graph_create_adjacent(comm, nsources, sources, MPI_UNWEIGHTED, ntargets, targets,
                                   MPI_UNWEIGHTED, MPI_INFO_NULL, 0, graph_p);
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic pop
#endif
}

/* Sources and targets from cartgen where a schedule of the cell was built in, as an application
 * would get them; else from the cell. */
static int make_graph(const bench_cell *cell, MPI_Comm *graph_p)
{
    int n = cell->nblocks;
    int *sources = malloc((size_t)n * 2 * sizeof(int));
    if (sources == NULL)
        return bench_fail("out of memory");
    int *targets = sources + n;
    memcpy(sources, cell->sources, (size_t)n * sizeof(int));
    memcpy(targets, cell->targets, (size_t)n * sizeof(int));
    const bench_variant *variant =
        bench_variant_find(cell->grid->ndims, cell->n, cell->collective, "auto");
    if (variant != NULL &&
        cartgen_neighbor_get(cell->grid->comm, variant->schedule, n, sources, targets) !=
            CARTGEN_OK) {
        free(sources);
        return bench_fail("cartgen_neighbor_get: %s", cartgen_last_error());
    }
    bench_graph_create(cell->grid->cart, n, sources, n, targets, graph_p);
    free(sources);
    return 0;
}

static int text_of(const char *call, int code)
{
    char text[MPI_MAX_ERROR_STRING];
    int length;
    if (code == MPI_SUCCESS)
        return 0;
    MPI_Error_string(code, text, &length);
    return bench_fail("%s: %s", call, text);
}

static int run_blocking(mpi_state *s, const int *send, int *recv)
{
    switch (s->collective) {
    case BENCH_ALLTOALL:
        return MPI_Neighbor_alltoall(send, s->m, MPI_INT, recv, s->m, MPI_INT, s->graph);
    case BENCH_ALLTOALLV:
        return MPI_Neighbor_alltoallv(send, s->send_counts, s->send_displs, MPI_INT, recv,
                                      s->recv_counts, s->recv_displs, MPI_INT, s->graph);
    case BENCH_ALLGATHER:
        return MPI_Neighbor_allgather(send, s->m, MPI_INT, recv, s->m, MPI_INT, s->graph);
    case BENCH_ALLGATHERV:
        return MPI_Neighbor_allgatherv(send, s->m, MPI_INT, recv, s->recv_counts, s->recv_displs,
                                       MPI_INT, s->graph);
    default:
        return MPI_Neighbor_alltoallw(send, s->send_counts, s->send_bytes, s->send_types, recv,
                                      s->recv_counts, s->recv_bytes, s->recv_types, s->graph);
    }
}

static int start_nonblocking(mpi_state *s, const int *send, int *recv)
{
    MPI_Request *r = &s->request;
    switch (s->collective) {
    case BENCH_ALLTOALL:
        return MPI_Ineighbor_alltoall(send, s->m, MPI_INT, recv, s->m, MPI_INT, s->graph, r);
    case BENCH_ALLTOALLV:
        return MPI_Ineighbor_alltoallv(send, s->send_counts, s->send_displs, MPI_INT, recv,
                                       s->recv_counts, s->recv_displs, MPI_INT, s->graph, r);
    case BENCH_ALLGATHER:
        return MPI_Ineighbor_allgather(send, s->m, MPI_INT, recv, s->m, MPI_INT, s->graph, r);
    case BENCH_ALLGATHERV:
        return MPI_Ineighbor_allgatherv(send, s->m, MPI_INT, recv, s->recv_counts, s->recv_displs,
                                        MPI_INT, s->graph, r);
    default:
        return MPI_Ineighbor_alltoallw(send, s->send_counts, s->send_bytes, s->send_types, recv,
                                       s->recv_counts, s->recv_bytes, s->recv_types, s->graph, r);
    }
}

#ifdef PERSISTENT_PREFIX
static int init_persistent(mpi_state *s, const int *send, int *recv)
{
    MPI_Request *r = &s->request;
    MPI_Info none = MPI_INFO_NULL;
    switch (s->collective) {
    case BENCH_ALLTOALL:
        return PERSISTENT(alltoall)(send, s->m, MPI_INT, recv, s->m, MPI_INT, s->graph, none, r);
    case BENCH_ALLTOALLV:
        return PERSISTENT(alltoallv)(send, s->send_counts, s->send_displs, MPI_INT, recv,
                                     s->recv_counts, s->recv_displs, MPI_INT, s->graph, none, r);
    case BENCH_ALLGATHER:
        return PERSISTENT(allgather)(send, s->m, MPI_INT, recv, s->m, MPI_INT, s->graph, none, r);
    case BENCH_ALLGATHERV:
        return PERSISTENT(allgatherv)(send, s->m, MPI_INT, recv, s->recv_counts, s->recv_displs,
                                      MPI_INT, s->graph, none, r);
    default:
        return PERSISTENT(alltoallw)(send, s->send_counts, s->send_bytes, s->send_types, recv,
                                     s->recv_counts, s->recv_bytes, s->recv_types, s->graph, none,
                                     r);
    }
}
#else
static int init_persistent(mpi_state *s, const int *send, int *recv)
{
    (void)s;
    (void)send;
    (void)recv;
    return MPI_ERR_OTHER;
}
#endif

static void mpi_close(void *state)
{
    mpi_state *s = state;
    if (s == NULL)
        return;
    if (s->request != MPI_REQUEST_NULL)
        MPI_Request_free(&s->request);
    for (int i = 0; i < s->nvectors; i++)
        MPI_Type_free(&s->vectors[i]);
    if (s->graph != MPI_COMM_NULL)
        MPI_Comm_free(&s->graph);
    free(s->send_counts);
    free(s->send_bytes);
    free(s->send_types);
    free(s);
}

static int mpi_open(const bench_function *function, const bench_cell *cell, const int *send,
                    int *recv, void **state_p)
{
    size_t n = (size_t)cell->nblocks;
    mpi_state *s = calloc(1, sizeof(*s));
    if (s == NULL)
        return bench_fail("out of memory");
    s->collective = cell->collective;
    s->form = (bench_mpi_form)function->variant;
    s->graph = MPI_COMM_NULL;
    s->request = MPI_REQUEST_NULL;
    s->m = cell->m;
    s->n = cell->nblocks;
    s->send_counts = malloc(4 * n * sizeof(int));
    s->send_bytes = malloc(2 * n * sizeof(MPI_Aint));
    s->send_types = malloc(2 * n * sizeof(MPI_Datatype));
    if (s->send_counts == NULL || s->send_bytes == NULL || s->send_types == NULL) {
        mpi_close(s);
        return bench_fail("out of memory");
    }
    s->recv_counts = s->send_counts + n;
    s->send_displs = s->send_counts + 2 * n;
    s->recv_displs = s->send_counts + 3 * n;
    s->recv_bytes = s->send_bytes + n;
    s->recv_types = s->send_types + n;
    set_arguments(s, cell);
    if (make_graph(cell, &s->graph) != 0) {
        mpi_close(s);
        return 1;
    }
    MPI_Comm_set_errhandler(s->graph, MPI_ERRORS_RETURN);
    if (s->form == BENCH_PERSISTENT &&
        text_of(function->name, init_persistent(s, send, recv)) != 0) {
        s->request = MPI_REQUEST_NULL;
        mpi_close(s);
        return 1;
    }
    *state_p = s;
    return 0;
}

static int mpi_run(void *state, const int *send, int *recv)
{
    mpi_state *s = state;
    int code;
    if (s->form == BENCH_BLOCKING) {
        code = run_blocking(s, send, recv);
    } else {
        code = start_nonblocking(s, send, recv);
        if (code == MPI_SUCCESS)
            code = MPI_Wait(&s->request, MPI_STATUS_IGNORE);
    }
    return code == MPI_SUCCESS ? 0 : text_of("MPI neighbourhood collective", code);
}

static int mpi_run_persistent(void *state, const int *send, int *recv)
{
    mpi_state *s = state;
    (void)send;
    (void)recv;
    int code = MPI_Start(&s->request);
    if (code == MPI_SUCCESS)
        code = MPI_Wait(&s->request, MPI_STATUS_IGNORE);
    return code == MPI_SUCCESS ? 0 : text_of("persistent neighbourhood collective", code);
}

const bench_kind bench_kind_mpi = {
    .library = 1, .rival = BENCH_RIVAL, .open = mpi_open, .run = mpi_run, .close = mpi_close};

const bench_kind bench_kind_mpi_persistent = {
    .library = 1, .rival = BENCH_RIVAL, .bound = 1, .open = mpi_open, .run = mpi_run_persistent,
    .close = mpi_close};
