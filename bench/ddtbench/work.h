/* SPDX-License-Identifier: MIT */
/* work.h - one process' part of a case between processes: arrays, lists, exchanges and their
 * verification. */
#ifndef DDT_WORK_H
#define DDT_WORK_H

#include <mpi.h>

#include "content.h"
#include "methods.h"

typedef struct ddt_work {
    MPI_Comm comm; /* of the processes that take part; the others hold MPI_COMM_NULL */
    cartgen_comm *grid; /* the same processes */
    int rank;
    ddt_case cases[2];  /* of the processes 0 and 1 */
    ddt_case given;     /* what the methods get: the own case, with a planted fault perhaps */
    ddt_view view;
    void *arrays[2][DDT_ARRAYS]; /* there and back: FFT2's two arrays change places */
    const char *plant;  /* NULL, or a name of ddt_plant_known */
} ddt_work;

/* Collective over `comm`, which has the processes that take part. Non-zero with bench_error(). */
int ddt_work_make(const ddt_test *test, const ddt_size *size, MPI_Comm comm, unsigned seed,
                  const char *plant, ddt_work *w);
void ddt_work_free(ddt_work *w);

/* New lists. Non-zero with bench_error(). */
int ddt_work_draw(ddt_work *w, int round);

/* The arrays as they were made, for the next method after one that left them wrong. */
void ddt_work_refill(ddt_work *w);

/* After each opening of a method: the message of a flat one gets its content, what it receives
 * another. */
void ddt_work_prepare(const ddt_work *w, const ddt_state *s);

/*
 * There and back once: process 0 sends to 1, which sends back what it has then in its send layout
 * (FFT2: an all-to-all and one back). stamps[] (seconds) of process 0: start, packed, received,
 * unpacked.
 */
void ddt_work_round(ddt_work *w, const ddt_state *s, double stamps[4]);

/* One round with a check of every stream, array and guard after each half; before it, of types that
 * are sent as they are, each by itself. */
void ddt_work_verify(ddt_work *w, const ddt_state *s, ddt_faults *faults);

/* After any number of rounds, at least one: what was received last, put back then; `rest`: the
 * whole of the arrays too. */
void ddt_work_check(ddt_work *w, const ddt_state *s, int rest, ddt_faults *faults);

/* Same on all processes of the comm: the sum of faults, and the first text of the lowest process
 * that has one. */
void ddt_faults_share(ddt_faults *faults, MPI_Comm comm);

#endif
