/* SPDX-License-Identifier: MIT */
#include "cell.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "content.h"

static char error_text[512] = "no error";

const char *bench_error(void)
{
    return error_text;
}

int bench_fail(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(error_text, sizeof(error_text), format, args);
    va_end(args);
    return 1;
}

int bench_grid_make(int ndims, bench_grid *grid_p)
{
    bench_grid grid = {.ndims = ndims, .cart = MPI_COMM_NULL};
    int periods[CARTGEN_MAX_DIMS];
    MPI_Comm_size(MPI_COMM_WORLD, &grid.size);
    MPI_Comm_rank(MPI_COMM_WORLD, &grid.rank);
    MPI_Dims_create(grid.size, ndims, grid.dims);
    for (int k = 0; k < ndims; k++)
        periods[k] = 1;
    MPI_Cart_create(MPI_COMM_WORLD, ndims, grid.dims, periods, 0, &grid.cart);
    int rest = grid.rank;
    for (int k = ndims - 1; k >= 0; k--) {
        grid.coords[k] = rest % grid.dims[k];
        rest /= grid.dims[k];
    }
    cartgen_status status = cartgen_comm_from_cart(grid.cart, &grid.comm);
    if (status != CARTGEN_OK) {
        MPI_Comm_free(&grid.cart);
        return bench_fail("cartgen_comm_from_cart: %s", cartgen_last_error());
    }
    *grid_p = grid;
    return 0;
}

void bench_grid_free(bench_grid *grid)
{
    cartgen_comm_free(&grid->comm);
    MPI_Comm_free(&grid->cart);
}

/* Rank at coords + sign * offset, row-major, every dimension periodic. */
static int rank_at(const bench_grid *grid, const int offset[], int sign)
{
    int rank = 0;
    for (int k = 0; k < grid->ndims; k++) {
        int x = (grid->coords[k] + sign * offset[k]) % grid->dims[k];
        rank = rank * grid->dims[k] + (x < 0 ? x + grid->dims[k] : x);
    }
    return rank;
}

static void set_neighbours(bench_cell *cell)
{
    int ndims = cell->grid->ndims;
    for (int i = 0; i < cell->nblocks; i++) {
        int *offset = &cell->offsets[i * ndims];
        int rest = i;
        for (int k = ndims - 1; k >= 0; k--) {
            offset[k] = rest % cell->n - 1;
            rest /= cell->n;
        }
        cell->sources[i] = rank_at(cell->grid, offset, -1);
        cell->targets[i] = rank_at(cell->grid, offset, 1);
    }
}

/* The layouts of bench/cartesians.lua. Blocks of the v and w forms have 0, m or 2m elements and lie
 * in slots of equal size that leave a gap behind each of them; a w block that is contiguous on one
 * side has stride 2 on the other. */
static void set_blocks(bench_cell *cell)
{
    int64_t m = cell->m;
    const int64_t slot[BENCH_COLLECTIVES] = {
        [BENCH_ALLTOALL] = m,  [BENCH_ALLTOALLV] = 2 * m + 1, [BENCH_ALLTOALLW] = 4 * m + 1,
        [BENCH_ALLGATHER] = m, [BENCH_ALLGATHERV] = m + 1,    [BENCH_ALLGATHERW] = 2 * m + 1,
    };
    bench_collective c = cell->collective;
    for (int i = 0; i < cell->nblocks; i++) {
        int sized = c == BENCH_ALLTOALLV || c == BENCH_ALLTOALLW;
        int count = sized ? cell->m * (i % 3) : cell->m;
        int64_t displ = 4 * slot[c] * i;
        int send_stride = c == BENCH_ALLTOALLW && i % 3 == 2 ? 2 : 1;
        int recv_stride = 1;
        if ((c == BENCH_ALLTOALLW && i % 3 == 1) || (c == BENCH_ALLGATHERW && i % 2 == 1))
            recv_stride = 2;
        cell->recv[i] = (bench_block){displ, count, recv_stride};
        if (cell->nsend > 1 || i == 0)
            cell->send[i] = (bench_block){displ, count, send_stride};
        if (count > cell->most)
            cell->most = count;
    }
    cell->recv_ints = slot[c] * cell->nblocks;
    cell->send_ints = cell->nsend > 1 ? cell->recv_ints : m;
}

int bench_cell_make_neighbours(const bench_grid *grid, int n, int m, bench_cell *cell_p)
{
    bench_cell cell = {.grid = grid, .n = n, .m = m};
    int64_t nblocks = 1;
    for (int k = 0; k < grid->ndims && nblocks < INT_MAX; k++)
        nblocks *= n;
    if (n < 2 || m < 0 || nblocks > 100000)
        return bench_fail("d=%d n=%d m=%d is too large", grid->ndims, n, m);
    cell.nblocks = (int)nblocks;
    cell.offsets = calloc((size_t)(nblocks * grid->ndims), sizeof(int));
    cell.sources = calloc((size_t)nblocks, sizeof(int));
    cell.targets = calloc((size_t)nblocks, sizeof(int));
    if (cell.offsets == NULL || cell.sources == NULL || cell.targets == NULL) {
        bench_cell_free(&cell);
        return bench_fail("out of memory");
    }
    set_neighbours(&cell);
    *cell_p = cell;
    return 0;
}

int bench_cell_make(const bench_grid *grid, bench_collective collective, int n, int m,
                    bench_cell *cell_p)
{
    bench_cell cell;
    if (bench_cell_make_neighbours(grid, n, m, &cell) != 0)
        return 1;
    int64_t nblocks = cell.nblocks;
    if ((4 * (int64_t)m + 1) * nblocks > INT_MAX / 4) {
        bench_cell_free(&cell);
        return bench_fail("d=%d n=%d m=%d is too large", grid->ndims, n, m);
    }
    cell.contents = &bench_contents_blocks;
    cell.collective = collective;
    cell.elements = m * nblocks;
    cell.nsend = collective >= BENCH_ALLGATHER ? 1 : cell.nblocks;
    cell.send = calloc((size_t)cell.nsend, sizeof(bench_block));
    cell.recv = calloc((size_t)nblocks, sizeof(bench_block));
    if (cell.send == NULL || cell.recv == NULL) {
        bench_cell_free(&cell);
        return bench_fail("out of memory");
    }
    set_blocks(&cell);
    *cell_p = cell;
    return 0;
}

void bench_cell_free(bench_cell *cell)
{
    free(cell->offsets);
    free(cell->sources);
    free(cell->targets);
    free(cell->send);
    free(cell->recv);
}

int bench_buffer_make(int64_t ints, bench_buffer *buffer_p)
{
    size_t bytes = ((size_t)ints + 2 * BENCH_GUARD) * sizeof(int);
    int *base = aligned_alloc(64, (bytes + 63) / 64 * 64);
    if (base == NULL)
        return bench_fail("out of memory: a buffer of %zu bytes", bytes);
    memset(base, 0, bytes);
    *buffer_p = (bench_buffer){base, base + BENCH_GUARD, ints};
    return 0;
}

void bench_buffer_free(bench_buffer *buffer)
{
    free(buffer->base);
    buffer->base = NULL;
}
