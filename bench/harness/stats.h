/* SPDX-License-Identifier: MIT */
/* stats.h - order statistics of repeated measurements. */
#ifndef BENCH_STATS_H
#define BENCH_STATS_H

#include <stddef.h>

typedef struct bench_stats {
    size_t count;
    double min;
    double quartile1;
    double median;
    double quartile3;
    double max;
    double low;  /* low .. high: 95 % interval of the median by order statistics; with fewer than */
    double high; /* 6 values there is none and these are min and max */
} bench_stats;

/* Sorts values[count] in place (count > 0). */
bench_stats bench_stats_of(double values[], size_t count);

/* 0-based ranks low <= high such that the values of these ranks enclose the median of the
 * distribution with probability >= 0.95 whatever the distribution is: the largest tail of
 * Binomial(count, 1/2) that stays within 0.025. */
void bench_median_ranks(size_t count, size_t *low_p, size_t *high_p);

#endif
