/* SPDX-License-Identifier: MIT */
/* mpi_comm.c - comms from MPI communicators, and what ranks agree on. */
#include <stdio.h>

#include "mpi_internal.h"

#define RANKS_NAMED 8
#define RANKS_ASKED 1024

cartgen_status cg_mpi_check(int code, const char *what)
{
    if (code == MPI_SUCCESS)
        return CARTGEN_OK;
    char text[MPI_MAX_ERROR_STRING] = "";
    int length = 0;
    MPI_Error_string(code, text, &length);
    return cg_fail(CARTGEN_ERR_TRANSPORT, "%s: %s", what, text);
}

static cartgen_status check_running(void)
{
    int initialized = 0;
    int finalized = 0;
    MPI_Initialized(&initialized);
    MPI_Finalized(&finalized);
    if (!initialized || finalized)
        return cg_fail(CARTGEN_ERR_STATE, "MPI is %s", finalized ? "finalized" : "not initialized");
    return CARTGEN_OK;
}

typedef struct opinion {
    int64_t status;
    uint64_t hash;
    char text[CG_MPI_TEXT];
} opinion;

cartgen_status cg_mpi_explain(MPI_Comm comm, cartgen_status own, const char *text, uint64_t hash,
                              int worst)
{
    char list[RANKS_NAMED * 8] = "";
    char their[CG_MPI_TEXT] = "";
    opinion first = {0};
    int size = 0;
    int rank = 0;
    int named = 0;
    size_t used = 0;
    MPI_Comm_size(comm, &size);
    MPI_Comm_rank(comm, &rank);
    /* One broadcast a rank: slow and without memory, on a path that ends in an error. */
    for (int r = 0; r < size && r < RANKS_ASKED; r++) {
        opinion o = {.status = own, .hash = hash};
        snprintf(o.text, sizeof o.text, "%s", text);
        cartgen_status status = cg_mpi_check(
            MPI_Bcast(&o, (int)sizeof o, MPI_BYTE, r, comm), "comparing ranks");
        if (status != CARTGEN_OK)
            return status;
        if (r == 0)
            first = o;
        /* Where some failed, those are named: the others cannot help it, whatever rank 0 did. */
        if (worst != CARTGEN_OK ? o.status == CARTGEN_OK : o.hash == first.hash)
            continue;
        if (named == 0)
            snprintf(their, sizeof their, "%s", o.text);
        if (named++ < RANKS_NAMED && used < sizeof list)
            used += (size_t)snprintf(list + used, sizeof list - used, "%s%d", used > 0 ? ", " : "", r);
    }
    if (own != CARTGEN_OK)
        return own; /* its own text is the better one */
    if (worst != CARTGEN_OK)
        return cg_fail(worst == CARTGEN_ERR_MEMORY ? CARTGEN_ERR_MEMORY : CARTGEN_ERR_MISMATCH,
                       "rank %s%s failed: %s", list, named > RANKS_NAMED ? ", ..." : "", their);
    return cg_fail(CARTGEN_ERR_MISMATCH, "rank %s%s has %s; rank 0 has %s", list,
                   named > RANKS_NAMED ? ", ..." : "", their, first.text);
}

static void free_transport(cartgen_comm *comm)
{
    cg_mpi_comm *t = comm->transport;
    MPI_Comm_free(&t->comm);
    cg_free(t->channels);
    cg_free(t);
}

static uint64_t grid_hash(int ndims, const int dims[], const int periods[], int valid)
{
    uint64_t hash = 17;
    if (!valid)
        return hash;
    for (int j = 0; j < ndims; j++)
        hash = (hash * UINT64_C(1000003) + (uint64_t)(unsigned)dims[j]) * 31 + (uint64_t)periods[j];
    return hash * 16 + (uint64_t)ndims;
}

/* Every rank has the same valid grid, or the same error. */
static cartgen_status agree_on_grid(MPI_Comm comm, cartgen_status own, uint64_t hash, int ndims)
{
    uint64_t mine[3] = {hash, ~hash, (uint64_t)own};
    uint64_t most[3] = {0};
    char text[CG_MPI_TEXT];
    cartgen_status status =
        cg_mpi_check(MPI_Allreduce(mine, most, 3, MPI_UINT64_T, MPI_MAX, comm), "agreeing on a grid");
    if (status != CARTGEN_OK)
        return status;
    if (most[0] == ~most[1] && most[2] == CARTGEN_OK)
        return CARTGEN_OK;
    snprintf(text, sizeof text, "%s",
             own != CARTGEN_OK ? cartgen_last_error() : "");
    if (own == CARTGEN_OK)
        snprintf(text, sizeof text, "another grid (%d dimensions, key %016llx)", ndims,
                 (unsigned long long)hash);
    return cg_mpi_explain(comm, own, text, hash, (int)most[2]);
}

/* Two tags a channel. */
static int most_channels(void)
{
    int found = 0;
    int *most = NULL;
    MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &most, &found);
    return found && *most >= CG_MPI_TAG_P2P ? (*most - CG_MPI_TAG_P2P) / 2 : 0;
}

cartgen_status cartgen_comm_from_mpi(MPI_Comm comm, int ndims, const int dims[],
                                     const int periods[], cartgen_comm **comm_p)
{
    int size = 0;
    int rank = 0;
    int cells = 0;
    cartgen_comm *made = NULL;
    cg_mpi_comm *t = NULL;
    cartgen_status status = check_running();
    if (status != CARTGEN_OK)
        return status;
    if (comm == MPI_COMM_NULL)
        return cg_fail(CARTGEN_ERR_ARGUMENT, "comm is MPI_COMM_NULL");
    MPI_Comm_size(comm, &size);
    MPI_Comm_rank(comm, &rank);
    status = comm_p == NULL ? cg_fail(CARTGEN_ERR_ARGUMENT, "comm_p is NULL")
                            : cg_grid_check(ndims, dims, periods, &cells);
    if (status == CARTGEN_OK && cells > size)
        status = cg_fail(CARTGEN_ERR_GRID, "the grid has %d cells, the communicator %d processes",
                         cells, size);
    int has_cell = status == CARTGEN_OK && rank < cells;
    if (has_cell) {
        t = cg_alloc(1, sizeof *t);
        status = t == NULL ? cg_fail(CARTGEN_ERR_MEMORY, "out of memory for a cartgen_comm")
                           : cg_comm_create(ndims, dims, periods, rank, &made);
    }
    status = agree_on_grid(comm, status,
                           grid_hash(ndims, dims, periods, status == CARTGEN_OK), ndims);
    if (status != CARTGEN_OK)
        goto release;
    MPI_Comm own = MPI_COMM_NULL;
    status = cg_mpi_check(MPI_Comm_split(comm, has_cell ? 0 : MPI_UNDEFINED, rank, &own),
                          "MPI_Comm_split");
    if (status != CARTGEN_OK)
        goto release;
    if (!has_cell)
        return cg_fail(CARTGEN_ERR_SURPLUS, "rank %d has no cell: the grid has %d", rank, cells);
    MPI_Comm_set_errhandler(own, MPI_ERRORS_RETURN);
    status = cg_mpi_limits(own, made, &t->id);
    if (status != CARTGEN_OK) {
        MPI_Comm_free(&own);
        goto release;
    }
    t->comm = own;
    t->most_channels = most_channels();
    made->transport = t;
    made->transport_free = free_transport;
    *comm_p = made;
    return CARTGEN_OK;

release:
    cg_free(made);
    cg_free(t);
    return status;
}

cartgen_status cartgen_comm_from_cart(MPI_Comm cart, cartgen_comm **comm_p)
{
    int kind = MPI_UNDEFINED;
    int ndims = 0;
    int dims[CARTGEN_MAX_DIMS];
    int periods[CARTGEN_MAX_DIMS];
    int coords[CARTGEN_MAX_DIMS];
    cartgen_status status = check_running();
    if (status != CARTGEN_OK)
        return status;
    if (cart == MPI_COMM_NULL)
        return cg_fail(CARTGEN_ERR_ARGUMENT, "cart is MPI_COMM_NULL");
    MPI_Topo_test(cart, &kind);
    if (kind != MPI_CART)
        return cg_fail(CARTGEN_ERR_ARGUMENT, "the communicator has no Cartesian topology");
    MPI_Cartdim_get(cart, &ndims);
    if (ndims < 1 || ndims > CARTGEN_MAX_DIMS)
        return cg_fail(CARTGEN_ERR_ARGUMENT, "the communicator has %d dimensions, expected 1 to %d",
                       ndims, CARTGEN_MAX_DIMS);
    MPI_Cart_get(cart, ndims, dims, periods, coords);
    for (int j = 0; j < ndims; j++)
        periods[j] = periods[j] != 0;
    return cartgen_comm_from_mpi(cart, ndims, dims, periods, comm_p);
}

cartgen_status cartgen_comm_set_info(cartgen_comm *comm, MPI_Info info)
{
    static const char *const keys[] = {"mode", "blocking", "trivial", "join", "eager", "zero_copy"};
    if (comm == NULL)
        return cg_fail(CARTGEN_ERR_ARGUMENT, "comm is NULL");
    if (info == MPI_INFO_NULL)
        return CARTGEN_OK;
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        char value[64] = "";
        int found = 0;
        MPI_Info_get(info, keys[i], (int)sizeof value - 1, value, &found);
        cartgen_status status = found ? cartgen_comm_set(comm, keys[i], value) : CARTGEN_OK;
        if (status != CARTGEN_OK)
            return status;
    }
    return CARTGEN_OK;
}
