/* SPDX-License-Identifier: MIT */
#include "report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "content.h"
#include "harness/stats.h"
#include "harness/timer.h"

void ddt_report_facts(FILE *out, const ddt_options *o, int ranks)
{
    char library[MPI_MAX_LIBRARY_VERSION_STRING];
    int length;
    MPI_Get_library_version(library, &length);
    library[strcspn(library, "\n")] = '\0';
    fprintf(out, "# library: %s\n# processes: %d\n# seed: %u\n", library, ranks, o->seed);
    if (o->kernel_only)
        fprintf(out, "# laps: %d\n", o->reps);
    else
        fprintf(out, "# loops: %d x %d\n", o->outer, o->reps);
    fprintf(out, "# clock step: %.0f ns\n", 1e9 * bench_clock_step());
}

double ddt_median(const double values[], int count)
{
    double *copy = ddt_memory_get(count * (int64_t)sizeof(double));
    memcpy(copy, values, (size_t)count * sizeof(double));
    double median = bench_stats_of(copy, (size_t)count).median;
    free(copy);
    return median;
}

void ddt_mean_add(ddt_mean *mean, double ratio)
{
    if (ratio > 0.0) {
        mean->sum += log(ratio);
        mean->count++;
    }
}

double ddt_mean_of(const ddt_mean *mean)
{
    return mean->count > 0 ? exp(mean->sum / mean->count) : 0.0;
}

void ddt_report_ratio(FILE *out, double ratio)
{
    if (ratio > 0.0)
        fprintf(out, ";%13.2f", ratio);
    else
        fprintf(out, ";%13s", "");
}
