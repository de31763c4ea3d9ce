/* SPDX-License-Identifier: MIT */
/*
 * halo.h - the halo of one process: an array of (m + 2)^3 doubles, C order, of which the m^3 inner
 * ones are its own cells. Direction v (offset v of the cell's list) sends the cells next to side v
 * and fills the ghosts on side -v.
 *
 * A cell (harness/cell.h) has the neighbourhood {-1, 0, 1}^3 with the process itself in the middle,
 * and all data in the receive buffer.
 */
#ifndef BENCH_HALO_H
#define BENCH_HALO_H

#include "harness/content.h"
#include "harness/function.h"

enum { HALO_DIMS = 3, HALO_NEIGHBOURS = 26, HALO_MIDDLE = 13, HALO_DIRECTIONS = 27 };

/* Non-zero with bench_error(). Freed with bench_cell_free. */
int halo_cell_make(const bench_grid *grid, int m, bench_cell *cell_p);

extern const bench_contents halo_contents;

/* Cells low[k] .. low[k] + size[k] - 1 of the array, in C order. */
typedef struct halo_box {
    int low[HALO_DIMS];
    int size[HALO_DIMS];
} halo_box;

static inline int halo_box_cells(const halo_box *box)
{
    return box->size[0] * box->size[1] * box->size[2];
}

/* A message: boxes first .. first + count - 1 of its side, packed from `start` doubles on. */
typedef struct halo_message {
    int peer;
    int tag;
    int first;
    int count;
    int start;
    int cells;
} halo_message;

typedef struct halo_side {
    int nmessages;
    halo_message messages[HALO_NEIGHBOURS];
    halo_box boxes[HALO_NEIGHBOURS];
    int cells;
} halo_side;

/* Messages that are in flight together, and boxes copied within the process. */
typedef struct halo_round {
    halo_side send;
    halo_side recv;
    int ncopies;
    halo_box from[HALO_NEIGHBOURS];
    halo_box to[HALO_NEIGHBOURS];
} halo_round;

typedef struct halo_scheme {
    int width; /* doubles in a row of the array */
    int nrounds;
    halo_round rounds[HALO_DIMS];
} halo_scheme;

/* `algorithm`: direct, a message per neighbour; merged, one per process; dimensionwise, two per
 * dimension, with the ghosts of the dimensions before. What a process sends to itself is copied, or
 * with `self` a message too. */
void halo_scheme_make(const bench_cell *cell, const char *algorithm, int self,
                      halo_scheme *scheme_p);

/* A subarray type, or a struct of them, for a message. Committed. */
MPI_Datatype halo_message_type(const halo_scheme *scheme, const halo_side *side,
                               const halo_message *message);

extern const bench_kind halo_kind_neighbor; /* MPI_Neighbor_alltoallw, MPI_Ineighbor_alltoallw */
extern const bench_kind halo_kind_types;    /* Isend_Irecv: subarray types */
extern const bench_kind halo_kind_loops;    /* Packed_Isend_Irecv: loops and contiguous messages */
extern const bench_kind halo_kind_copy;     /* Memcpy: loops within the process */

#endif
