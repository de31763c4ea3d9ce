/* SPDX-License-Identifier: MIT */
/*
 * cell.h - what is exchanged in one cell of the bench: the torus, the neighbourhood {-1 .. n-2}^d,
 * the blocks of one collective and their contents.
 *
 * Ranks, blocks and values are computed here from coordinates, without cartgen and without an
 * MPI topology: this is the second opinion that the programs check against.
 */
#ifndef BENCH_CELL_H
#define BENCH_CELL_H

#include <mpi.h>
#include <stdint.h>

#include "cartgen/mpi.h"
#include "variant.h"

/* A torus of all processes, extents from MPI_Dims_create. */
typedef struct bench_grid {
    MPI_Comm cart;
    cartgen_comm *comm;
    int rank;
    int size;
    int ndims;
    int dims[CARTGEN_MAX_DIMS];
    int coords[CARTGEN_MAX_DIMS];
} bench_grid;

/* 0, or non-zero with a reason in bench_error(). Collective. */
int bench_grid_make(int ndims, bench_grid *grid_p);
void bench_grid_free(bench_grid *grid);

/* Elements 0 .. count - 1 are ints at displ + 4 * stride * element bytes from the buffer. */
typedef struct bench_block {
    int64_t displ;
    int count;
    int stride;
} bench_block;

typedef struct bench_contents bench_contents; /* content.h */

typedef struct bench_cell {
    const bench_grid *grid;
    const bench_contents *contents;
    int n;
    int m;
    bench_collective collective;
    int64_t elements;  /* that a process receives, its own included */
    int nblocks;       /* n^d */
    int nsend;         /* nblocks, or 1 in the allgathers */
    int *offsets;      /* [nblocks][ndims] */
    int *sources;      /* [nblocks] */
    int *targets;      /* [nblocks] */
    bench_block *send; /* [nsend] */
    bench_block *recv; /* [nblocks] */
    int64_t send_ints; /* size of the send and the receive buffer */
    int64_t recv_ints;
    int most;          /* elements of the largest block */
} bench_cell;

int bench_cell_make(const bench_grid *grid, bench_collective collective, int n, int m,
                    bench_cell *cell_p);

/* The neighbourhood alone, for cells whose data is no list of blocks: grid, n, m, nblocks, offsets,
 * sources and targets; the rest is 0. */
int bench_cell_make_neighbours(const bench_grid *grid, int n, int m, bench_cell *cell_p);
void bench_cell_free(bench_cell *cell);

/* Send block of block i: i, or 0 in the allgathers. */
static inline int bench_cell_send_block(const bench_cell *cell, int i)
{
    return cell->nsend == 1 ? 0 : i;
}

/* A buffer of `ints` elements with BENCH_GUARD elements before and behind it. */
#define BENCH_GUARD 32

typedef struct bench_buffer {
    int *base; /* what was allocated; 64-byte aligned, as is data */
    int *data;
    int64_t ints;
} bench_buffer;

int bench_buffer_make(int64_t ints, bench_buffer *buffer_p);
void bench_buffer_free(bench_buffer *buffer);

/* Text of the last failure in this process; never NULL. */
const char *bench_error(void);
int bench_fail(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
