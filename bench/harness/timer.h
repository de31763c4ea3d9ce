/* SPDX-License-Identifier: MIT */
/* timer.h - the clock of the benches: monotonic, of one process. */
#ifndef BENCH_TIMER_H
#define BENCH_TIMER_H

#include <time.h>

/* Seconds since an arbitrary point. */
static inline double bench_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Smallest step between two readings that differ, in seconds: resolution and cost of a reading. */
static inline double bench_clock_step(void)
{
    double step = 1.0;
    for (int i = 0; i < 100; i++) {
        double start = bench_now();
        double end = bench_now();
        while (end <= start)
            end = bench_now();
        if (end - start < step)
            step = end - start;
    }
    return step;
}

#endif
