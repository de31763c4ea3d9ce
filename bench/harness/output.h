/* SPDX-License-Identifier: MIT */
/* output.h - what the timing programs do with a cell: measure it, print it, count what failed. */
#ifndef BENCH_OUTPUT_H
#define BENCH_OUTPUT_H

#include <stdio.h>

#include "options.h"

/* Where rank 0 prints; NULL on the other ranks. */
typedef struct bench_output {
    const bench_options *options;
    FILE *table;
    FILE *raw;
    int faults; /* of ours, the same on all ranks */
} bench_output;

/* Non-zero on all ranks, rank 0 having said why, when --raw cannot be written. Collective. */
int bench_output_open(const bench_options *options, int rank, bench_output *output_p);

/* The lines before the first cell; `m` and `em` as in bench_report_facts. */
void bench_output_head(bench_output *output, const bench_grid *grid, const char *m,
                       const char *em);

/* Measures functions in a cell and prints. Collective over the grid. */
void bench_output_cell(bench_output *output, const bench_cell *cell,
                       const bench_function functions[], int nfunctions);

/* Prints bench_error() and counts it. */
void bench_output_failed(bench_output *output);

/* Exit status: 0, or 1 after faults. */
int bench_output_close(bench_output *output);

#endif
