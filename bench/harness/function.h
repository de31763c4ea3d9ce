/* SPDX-License-Identifier: MIT */
/*
 * function.h - everything that can be timed or checked, behind one interface: a function is opened
 * for a cell, run on buffers any number of times and closed.
 */
#ifndef BENCH_FUNCTION_H
#define BENCH_FUNCTION_H

#include "cell.h"

typedef struct bench_function bench_function;

#define BENCH_NAME 64

/* What a summary's ratios are taken against: the best rival of the cell. */
typedef enum bench_rival { BENCH_NO_RIVAL, BENCH_RIVAL, BENCH_RIVAL_IF_RIGHT } bench_rival;

typedef struct bench_kind {
    int library; /* the MPI library's own: what it delivers is reported, not held against us */
    bench_rival rival;
    int bound;   /* runs only on the buffers it was opened with (persistent MPI calls) */
    int floor;   /* moves bytes, but not to where they belong: not verified */
    /* All collective over the grid; 0, or non-zero with a reason in bench_error(). */
    int (*open)(const bench_function *function, const bench_cell *cell, const int *send, int *recv,
                void **state_p);
    int (*run)(void *state, const int *send, int *recv);
    void (*close)(void *state);
    /* What the calling process chose to do, as text without semicolons; NULL: nothing to tell. */
    void (*describe)(void *state, char text[BENCH_NAME]);
} bench_kind;

struct bench_function {
    char name[BENCH_NAME];
    const bench_kind *kind;
    bench_collective collective;
    int variant;               /* which of its kind's calls (MPI: a bench_mpi_form) */
    const cartgen_schedule *schedule; /* ours: this one; NULL: from the table, by algorithm */
    const char *algorithm;     /* ours: auto, direct, combining, partial */
    const char *mode;          /* ours: default, nonblocking, persistent, blocking */
    int trivial;               /* ours: options trivial and blocking of the comm */
    int blocking;
};

typedef enum bench_mpi_form { BENCH_BLOCKING, BENCH_NONBLOCKING, BENCH_PERSISTENT } bench_mpi_form;

extern const bench_kind bench_kind_cartgen;
extern const bench_kind bench_kind_mpi;
extern const bench_kind bench_kind_mpi_persistent;
extern const bench_kind bench_kind_hand;   /* Isend_Irecv: one message per block */
extern const bench_kind bench_kind_packed; /* Packed_Isend_Irecv: one message per process */
extern const bench_kind bench_kind_copy;   /* Memcpy */

/* "MPI_" or "MPIX_" (what the library calls its persistent neighbourhood collectives), or NULL. */
const char *bench_mpi_persistent_prefix(void);

/* A communicator with the edges as they are listed, without weights. Collective over `comm`. */
void bench_graph_create(MPI_Comm comm, int nsources, const int sources[], int ntargets,
                        const int targets[], MPI_Comm *graph_p);

/* Name and version of the MPI library, one line. */
const char *bench_mpi_library(void);

/* The functions whose names match one of `patterns` (comma separated, shell wildcards), in the
 * order of the patterns, for the algorithms and modes asked for (comma separated; NULL: auto and
 * default). The caller frees *functions_p. Non-zero with bench_error() when a pattern matches
 * nothing. */
typedef struct bench_selection {
    const char *patterns;
    const char *algorithms;
    const char *modes;
    int trivial;
    int blocking;
} bench_selection;

int bench_functions_select(const bench_selection *selection, bench_function **functions_p,
                           int *count_p);

/* The same from all[nall], by their whole names. */
int bench_functions_filter(const bench_function all[], int nall, const char *patterns,
                           bench_function **functions_p, int *count_p);

/* Names of all functions, one per line. */
void bench_functions_list(void);

#endif
