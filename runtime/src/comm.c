/* SPDX-License-Identifier: MIT */
/* comm.c - the grid of peers and its options. */
#include <limits.h>
#include <stdlib.h>

#include "internal.h"

cartgen_status cg_grid_check(int ndims, const int dims[], const int periods[], int *cells_p)
{
    if (ndims < 1 || ndims > CARTGEN_MAX_DIMS)
        return cg_fail(CARTGEN_ERR_ARGUMENT, "ndims is %d, expected 1 to %d", ndims,
                       CARTGEN_MAX_DIMS);
    if (dims == NULL || periods == NULL)
        return cg_fail(CARTGEN_ERR_ARGUMENT, "%s is NULL", dims == NULL ? "dims" : "periods");
    int64_t cells = 1;
    for (int j = 0; j < ndims; j++) {
        if (dims[j] < 1)
            return cg_fail(CARTGEN_ERR_ARGUMENT, "dims[%d] is %d, expected 1 or more", j, dims[j]);
        if (periods[j] != 0 && periods[j] != 1)
            return cg_fail(CARTGEN_ERR_ARGUMENT, "periods[%d] is %d, expected 0 or 1", j,
                           periods[j]);
        cells *= dims[j];
        if (cells > INT_MAX)
            return cg_fail(CARTGEN_ERR_GRID, "the grid has more than %d cells", INT_MAX);
    }
    *cells_p = (int)cells;
    return CARTGEN_OK;
}

cartgen_status cg_comm_create(int ndims, const int dims[], const int periods[], int rank,
                              cartgen_comm **comm_p)
{
    int cells = 0;
    cartgen_status status = cg_grid_check(ndims, dims, periods, &cells);
    if (status != CARTGEN_OK)
        return status;
    cartgen_comm *comm = cg_alloc(1, sizeof *comm);
    if (comm == NULL)
        return cg_fail(CARTGEN_ERR_MEMORY, "out of memory for a cartgen_comm");
    comm->ndims = ndims;
    comm->rank = rank;
    comm->size = cells;
    comm->mode = -1;
    comm->join = CG_DEFAULT_JOIN;
    comm->eager = CG_PIECE;
    comm->zero_copy = -1;
    for (int j = ndims - 1, rest = rank; j >= 0; j--) {
        comm->dims[j] = dims[j];
        comm->periods[j] = periods[j];
        comm->coords[j] = rest % dims[j];
        rest /= dims[j];
    }
    *comm_p = comm;
    return CARTGEN_OK;
}

cartgen_status cartgen_comm_free(cartgen_comm **comm_p)
{
    if (comm_p == NULL)
        return cg_fail(CARTGEN_ERR_ARGUMENT, "comm_p is NULL");
    cartgen_comm *comm = *comm_p;
    if (comm == NULL)
        return CARTGEN_OK;
    if (comm->nplans > 0)
        return cg_fail(CARTGEN_ERR_STATE, "the comm still has %d plans: free them first",
                       comm->nplans);
    if (comm->transport_free != NULL)
        comm->transport_free(comm);
    cg_free(comm);
    *comm_p = NULL;
    return CARTGEN_OK;
}

int cartgen_comm_rank(const cartgen_comm *comm) { return comm->rank; }
int cartgen_comm_size(const cartgen_comm *comm) { return comm->size; }
int cartgen_comm_ndims(const cartgen_comm *comm) { return comm->ndims; }
const int *cartgen_comm_dims(const cartgen_comm *comm) { return comm->dims; }
const int *cartgen_comm_periods(const cartgen_comm *comm) { return comm->periods; }
const int *cartgen_comm_coords(const cartgen_comm *comm) { return comm->coords; }

int cg_rank_at(const cartgen_comm *comm, const int32_t offset[], int sign)
{
    int64_t rank = 0;
    for (int j = 0; j < comm->ndims; j++) {
        int64_t n = comm->dims[j];
        int64_t x = comm->coords[j] + (int64_t)sign * offset[j];
        if (comm->periods[j]) {
            x %= n;
            if (x < 0)
                x += n;
        } else if (x < 0 || x >= n) {
            return CARTGEN_NO_PEER;
        }
        rank = rank * n + x;
    }
    return (int)rank;
}

static cartgen_status parse_bool(const char *key, const char *value, int *flag_p)
{
    if (strcmp(value, "true") == 0)
        *flag_p = 1;
    else if (strcmp(value, "false") == 0)
        *flag_p = 0;
    else
        return cg_fail(CARTGEN_ERR_ARGUMENT, "option %s is '%s', expected true or false", key,
                       value);
    return CARTGEN_OK;
}

/* One of three words, or "default": its number, or -1. */
static cartgen_status parse_word(const char *key, const char *value, const char *const words[3],
                                 int *number_p)
{
    for (int i = 0; i < 3; i++) {
        if (strcmp(value, words[i]) == 0) {
            *number_p = i;
            return CARTGEN_OK;
        }
    }
    if (strcmp(value, "default") != 0)
        return cg_fail(CARTGEN_ERR_ARGUMENT, "option %s is '%s', expected %s, %s, %s or default", key,
                       value, words[0], words[1], words[2]);
    *number_p = -1;
    return CARTGEN_OK;
}

size_t cg_piece(const cartgen_comm *comm, size_t bytes, size_t most)
{
    size_t eager = (size_t)comm->eager;
    return eager < CG_PIECE && bytes <= most * eager ? eager : CG_PIECE;
}

static cartgen_status parse_bytes(const char *key, const char *value, int64_t *bytes_p)
{
    char *end = NULL;
    long long bytes = strtoll(value, &end, 10);
    if (end == value || *end != '\0' || bytes < 0 || bytes > (long long)CG_PIECE)
        return cg_fail(CARTGEN_ERR_ARGUMENT, "option %s is '%s', expected bytes from 0 to %zu",
                       key, value, CG_PIECE);
    *bytes_p = bytes;
    return CARTGEN_OK;
}

static cartgen_status set_eager(cartgen_comm *comm, const char *value)
{
    int64_t bytes = 0;
    cartgen_status status = parse_bytes("eager", value, &bytes);
    if (status == CARTGEN_OK)
        comm->eager = bytes > 0 ? bytes : (int64_t)CG_PIECE;
    return status;
}

cartgen_status cartgen_comm_set(cartgen_comm *comm, const char *key, const char *value)
{
    static const char *const modes[3] = {"nonblocking", "persistent", "blocking"};
    static const char *const choices[3] = {"auto", "always", "never"};
    if (comm == NULL || key == NULL || value == NULL)
        return cg_fail(CARTGEN_ERR_ARGUMENT, "%s is NULL",
                       comm == NULL ? "comm" : key == NULL ? "key" : "value");
    if (strcmp(key, "mode") == 0)
        return parse_word(key, value, modes, &comm->mode);
    if (strcmp(key, "zero_copy") == 0)
        return parse_word(key, value, choices, &comm->zero_copy);
    if (strcmp(key, "trivial") == 0)
        return parse_bool(key, value, &comm->trivial);
    if (strcmp(key, "join") == 0)
        return parse_bytes(key, value, &comm->join);
    if (strcmp(key, "eager") == 0)
        return set_eager(comm, value);
    if (strcmp(key, "blocking") == 0) {
        int flag = 0;
        cartgen_status status = parse_bool(key, value, &flag);
        if (status == CARTGEN_OK)
            comm->mode = flag ? CARTGEN_MODE_BLOCKING : -1;
        return status;
    }
    return cg_fail(CARTGEN_ERR_ARGUMENT,
                   "unknown option '%s', expected mode, blocking, trivial, join, eager or zero_copy", key);
}
