/* SPDX-License-Identifier: MIT */
/*
 * variant.h - the schedules the programs were built with. bench_variants[] is generated from
 * bench/variants.lua (see bench/registry.lua), as are the schedules themselves.
 */
#ifndef BENCH_VARIANT_H
#define BENCH_VARIANT_H

#include "cartgen/cartgen.h"

typedef enum bench_collective {
    BENCH_ALLTOALL,
    BENCH_ALLTOALLV,
    BENCH_ALLTOALLW,
    BENCH_ALLGATHER,
    BENCH_ALLGATHERV,
    BENCH_ALLGATHERW,
    BENCH_COLLECTIVES
} bench_collective;

typedef struct bench_variant {
    int d;
    int n;
    bench_collective collective;
    const char *algorithm; /* what the schedule was generated with */
    const cartgen_schedule *schedule;
} bench_variant;

extern const bench_variant bench_variants[];
extern const int bench_variant_count;

/* "alltoall", "alltoallv", ... */
extern const char *const bench_collective_names[BENCH_COLLECTIVES];

/* NULL when there is none. */
const bench_variant *bench_variant_find(int d, int n, bench_collective collective,
                                        const char *algorithm);

/* Largest d and n for which there is a variant. */
void bench_variant_limits(int *d_p, int *n_p);

#endif
