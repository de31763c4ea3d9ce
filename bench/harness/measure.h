/* SPDX-License-Identifier: MIT */
/*
 * measure.h - times several functions on the same buffers in one run. Repetitions of the functions
 * are interleaved in an order that is shuffled anew each time. A repetition is a barrier and then a
 * batch of runs back to back, long enough that neither the clock nor leaving the barrier counts;
 * its time is the largest over the ranks of (time of the batch / runs in it).
 */
#ifndef BENCH_MEASURE_H
#define BENCH_MEASURE_H

#include "content.h"
#include "function.h"

typedef struct bench_plan {
    int repetitions;     /* at most */
    int batch;           /* runs per repetition; 0: as many as fill batch_seconds */
    double batch_seconds;
    double budget;       /* seconds per function and cell; slow functions repeat less, but ... */
    int least;           /* ... not less than this */
    unsigned seed;
    int verify;
    const char *plant;   /* fault put into the last rank's result before it is checked; or NULL */
} bench_plan;

typedef enum bench_verdict {
    BENCH_UNCHECKED,
    BENCH_RIGHT,
    BENCH_WRONG,
    BENCH_FAILED
} bench_verdict;

typedef struct bench_result {
    const bench_function *function;
    bench_verdict verdict;   /* contents before and after timing; FAILED: could not be run */
    char reason[BENCH_FAULT_WIDTH]; /* of BENCH_FAILED and BENCH_WRONG */
    char program[BENCH_NAME]; /* of describe, on the calling rank */
    double init;             /* seconds to open the function, largest over ranks */
    int batch;
    int count;               /* repetitions made */
    double *seconds;         /* [count] in the order they were made, the same on all ranks */
} bench_result;

/* Collective. results[nfunctions] is filled, seconds allocated (bench_results_free). Non-zero when
 * nothing could be measured (buffers). */
int bench_measure(const bench_cell *cell, const bench_function functions[], int nfunctions,
                  const bench_plan *plan, bench_result results[]);
void bench_results_free(bench_result results[], int nresults);

const char *bench_verdict_text(bench_verdict verdict);

#endif
