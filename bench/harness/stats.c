/* SPDX-License-Identifier: MIT */
#include "stats.h"

#include <math.h>
#include <stdlib.h>

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a;
    double y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Linear interpolation between the two nearest order statistics. */
static double quantile(const double sorted[], size_t count, double q)
{
    double at = q * (double)(count - 1);
    size_t i = (size_t)at;
    if (i + 1 >= count)
        return sorted[count - 1];
    return sorted[i] + (at - (double)i) * (sorted[i + 1] - sorted[i]);
}

void bench_median_ranks(size_t count, size_t *low_p, size_t *high_p)
{
    /* log of C(count, k) / 2^count, summed until the lower tail passes 0.025 */
    double log_term = -(double)count * log(2.0);
    double tail = exp(log_term);
    size_t low = 0;
    if (tail <= 0.025) {
        for (size_t k = 1; k < count / 2; k++) {
            log_term += log((double)(count - k + 1)) - log((double)k);
            tail += exp(log_term);
            if (tail > 0.025)
                break;
            low = k;
        }
    }
    *low_p = low;
    *high_p = count - 1 - low;
}

bench_stats bench_stats_of(double values[], size_t count)
{
    size_t low;
    size_t high;
    qsort(values, count, sizeof(values[0]), compare);
    bench_median_ranks(count, &low, &high);
    return (bench_stats){
        .count = count,
        .min = values[0],
        .quartile1 = quantile(values, count, 0.25),
        .median = quantile(values, count, 0.5),
        .quartile3 = quantile(values, count, 0.75),
        .max = values[count - 1],
        .low = values[low],
        .high = values[high],
    };
}
