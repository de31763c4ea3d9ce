/* SPDX-License-Identifier: MIT */
/*
 * verify.h - exchanges of one cell against two second opinions: point-to-point messages block by
 * block, and values computed from coordinates.
 */
#ifndef BENCH_VERIFY_H
#define BENCH_VERIFY_H

#include "content.h"
#include "function.h"

typedef struct bench_check {
    const bench_cell *cell;
    MPI_Comm comm;
    unsigned salt;
    const char *plant;         /* fault put into the last rank's result; NULL: none */
    bench_buffer send[2];      /* two exchanges run back to back on different buffers */
    bench_buffer recv[2];
    bench_buffer sent[2];      /* what the send buffers must still hold */
    bench_buffer reference[2]; /* what the receive buffers must hold, by point-to-point */
    bench_buffer computed;
} bench_check;

/* Collective; the same result on all ranks. */
int bench_check_make(const bench_cell *cell, unsigned seed, const char *plant,
                     bench_check *check_p);
void bench_check_free(bench_check *check);

/* New contents and their references; faults: the two second opinions differ. */
void bench_check_next(bench_check *check, bench_faults *faults);

/* One repetition of a function that was opened on send[0] and recv[0]. */
void bench_check_run(bench_check *check, const bench_function *function, void *state,
                     bench_faults *faults);

/* Neighbour lists and layout that the schedule itself reports, against the cell's. */
void bench_check_schedule(const bench_cell *cell, const cartgen_schedule *schedule,
                          bench_faults *faults);

#endif
