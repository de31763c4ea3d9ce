/* SPDX-License-Identifier: MIT */
#include "report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "stats.h"
#include "timer.h"

void bench_report_facts(FILE *out, const bench_grid *grid, const bench_plan *plan, const char *m,
                        const char *em)
{
    fprintf(out,
            "# func  - communication function\n"
            "# nrep  - number of the repetition\n"
            "# np    - processes\n"
            "# d     - dimensions\n"
            "# m     - %s\n"
            "# em    - %s\n"
            "# N     - neighbours per dimension, n\n"
            "# triv  - trivial (direct) schedule\n"
            "# block - blocking\n"
            "# time  - microseconds, largest over processes\n"
            "# library: %s\n# seed: %u\n# clock step: %.0f ns\n",
            m, em, bench_mpi_library(), plan->seed, 1e9 * bench_clock_step());
    fprintf(out, "# extents:");
    for (int k = 0; k < grid->ndims; k++)
        fprintf(out, " %d", grid->dims[k]);
    fprintf(out, "\n");
}

static int is_trivial(const bench_function *f)
{
    return f->kind == &bench_kind_cartgen &&
           (f->trivial || strcmp(f->algorithm, "direct") == 0);
}

static int is_blocking(const bench_function *f)
{
    return f->kind == &bench_kind_cartgen &&
           (f->blocking || strcmp(f->mode, "blocking") == 0);
}

/* The columns that both tables have: np;d;m;em;N;triv;block */
static void print_place_header(FILE *out)
{
    fprintf(out, "%4s;%2s;%6s;%9s;%2s;%4s;%5s;", "np", "d", "m", "em", "N", "triv", "block");
}

static void print_place(FILE *out, const bench_cell *cell, const bench_function *f)
{
    fprintf(out, "%4d;%2d;%6d;%9lld;%2d;%4d;%5d;", cell->grid->size, cell->grid->ndims, cell->m,
            (long long)cell->elements, cell->n, is_trivial(f), is_blocking(f));
}

void bench_report_header(FILE *out)
{
    fprintf(out, "%36s;%5s;", "func", "nrep");
    print_place_header(out);
    fprintf(out, "%16s\n", "time");
}

void bench_report_rows(FILE *out, const bench_cell *cell, const bench_result results[],
                       int nresults)
{
    for (int i = 0; i < nresults; i++) {
        const bench_result *r = &results[i];
        for (int k = 0; r->seconds != NULL && k < r->count; k++) {
            fprintf(out, "%36s;%5d;", r->function->name, k);
            print_place(out, cell, r->function);
            fprintf(out, "%16.3f\n", 1e6 * r->seconds[k]);
        }
    }
}

void bench_report_summary_header(FILE *out)
{
    static const char *const times[] = {"min", "q1", "median", "q3", "low95", "high95"};
    fprintf(out, "%36s;", "func");
    print_place_header(out);
    fprintf(out, "%5s;%5s;", "batch", "nrep");
    for (int i = 0; i < 6; i++)
        fprintf(out, "%11s;", times[i]);
    fprintf(out, "%8s;%9s;%10s; %s\n", "ratio", "data", "init", "program");
}

static bench_stats stats_of(const bench_result *r)
{
    bench_stats stats = {0};
    double *sorted = malloc((size_t)r->count * sizeof(double));
    if (sorted == NULL)
        return stats;
    memcpy(sorted, r->seconds, (size_t)r->count * sizeof(double));
    stats = bench_stats_of(sorted, (size_t)r->count);
    free(sorted);
    return stats;
}

static void print_summary(FILE *out, const bench_cell *cell, const bench_result *r, double best)
{
    bench_stats s = stats_of(r);
    const double times[] = {s.min, s.quartile1, s.median, s.quartile3, s.low, s.high};
    char ratio[16] = "";
    if (isfinite(best))
        snprintf(ratio, sizeof(ratio), "%.3f", best / s.median);
    fprintf(out, "%36s;", r->function->name);
    print_place(out, cell, r->function);
    fprintf(out, "%5d;%5zu;", r->batch, s.count);
    for (int i = 0; i < 6; i++)
        fprintf(out, "%11.3f;", 1e6 * times[i]);
    fprintf(out, "%8s;%9s;%10.1f; %s\n", ratio, bench_verdict_text(r->verdict), 1e6 * r->init,
            r->program);
}

static int is_rival(const bench_result *r)
{
    bench_rival rival = r->function->kind->rival;
    return rival == BENCH_RIVAL || (rival == BENCH_RIVAL_IF_RIGHT && r->verdict != BENCH_WRONG);
}

void bench_report_summary(FILE *out, const bench_cell *cell, const bench_result results[],
                          int nresults)
{
    double best = INFINITY;
    for (int i = 0; i < nresults; i++) {
        if (results[i].seconds != NULL && is_rival(&results[i]))
            best = fmin(best, stats_of(&results[i]).median);
    }
    for (int i = 0; i < nresults; i++) {
        if (results[i].seconds != NULL)
            print_summary(out, cell, &results[i], best);
        else
            fprintf(out, "# %s: %s\n", results[i].function->name, results[i].reason);
    }
}
