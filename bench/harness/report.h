/* SPDX-License-Identifier: MIT */
/* report.h - prints results: the semicolon table of the published programs, and a summary. */
#ifndef BENCH_REPORT_H
#define BENCH_REPORT_H

#include <stdio.h>

#include "measure.h"

/* Comment lines: columns, library, seed, clock. `m` and `em`: what these columns are. */
void bench_report_facts(FILE *out, const bench_grid *grid, const bench_plan *plan, const char *m,
                        const char *em);

/* One row per repetition. */
void bench_report_header(FILE *out);
void bench_report_rows(FILE *out, const bench_cell *cell, const bench_result results[],
                       int nresults);

/* One row per function: ratio is the best median of the cell's rivals (bench_rival: the library's
 * calls) divided by this median (above 1: faster than every one of them), empty without one. */
void bench_report_summary_header(FILE *out);
void bench_report_summary(FILE *out, const bench_cell *cell, const bench_result results[],
                          int nresults);

#endif
