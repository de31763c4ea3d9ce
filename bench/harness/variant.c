/* SPDX-License-Identifier: MIT */
#include "variant.h"

#include <string.h>

const char *const bench_collective_names[BENCH_COLLECTIVES] = {
    [BENCH_ALLTOALL] = "alltoall",   [BENCH_ALLTOALLV] = "alltoallv",
    [BENCH_ALLTOALLW] = "alltoallw", [BENCH_ALLGATHER] = "allgather",
    [BENCH_ALLGATHERV] = "allgatherv", [BENCH_ALLGATHERW] = "allgatherw",
};

const bench_variant *bench_variant_find(int d, int n, bench_collective collective,
                                        const char *algorithm)
{
    for (int i = 0; i < bench_variant_count; i++) {
        const bench_variant *v = &bench_variants[i];
        if (v->d == d && v->n == n && v->collective == collective &&
            strcmp(v->algorithm, algorithm) == 0)
            return v;
    }
    return NULL;
}

void bench_variant_limits(int *d_p, int *n_p)
{
    *d_p = 1;
    *n_p = 2;
    for (int i = 0; i < bench_variant_count; i++) {
        if (bench_variants[i].d > *d_p)
            *d_p = bench_variants[i].d;
        if (bench_variants[i].n > *n_p)
            *n_p = bench_variants[i].n;
    }
}
