/* SPDX-License-Identifier: MIT */
/* report.h - what is printed: raw values as CSV and the summary. */
#ifndef DDT_REPORT_H
#define DDT_REPORT_H

#include <stdio.h>

#include "options.h"

/* NULL where nothing is to be printed, as on all ranks but 0. */
typedef struct ddt_output {
    FILE *raw;
    FILE *summary;
} ddt_output;

/* Comment lines: what was run, on which library. */
void ddt_report_facts(FILE *out, const ddt_options *o, int ranks);

/* Median of values[count], which are left as they are. */
double ddt_median(const double values[], int count);

/* Logarithms of ratios over all cases, for their geometric mean. */
typedef struct ddt_mean {
    double sum;
    int count;
} ddt_mean;

void ddt_mean_add(ddt_mean *mean, double ratio);
double ddt_mean_of(const ddt_mean *mean);

/* A cell of a summary row: the number, or blanks where there is none (0). */
void ddt_report_ratio(FILE *out, double ratio);

#endif
