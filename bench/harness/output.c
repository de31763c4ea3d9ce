/* SPDX-License-Identifier: MIT */
#include "output.h"

#include <stdlib.h>

#include "report.h"

int bench_output_open(const bench_options *options, int rank, bench_output *output_p)
{
    bench_output output = {.options = options};
    if (rank == 0) {
        output.table = stdout;
        if (options->raw != NULL)
            output.raw = fopen(options->raw, "a");
        if (options->raw != NULL && output.raw == NULL)
            fprintf(stderr, "error: %s cannot be written\n", options->raw);
    }
    int unwritable = options->raw != NULL && rank == 0 && output.raw == NULL;
    MPI_Bcast(&unwritable, 1, MPI_INT, 0, MPI_COMM_WORLD);
    *output_p = output;
    return unwritable;
}

void bench_output_head(bench_output *output, const bench_grid *grid, const char *m,
                       const char *em)
{
    if (output->table == NULL)
        return;
    bench_report_facts(output->table, grid, &output->options->plan, m, em);
    if (output->options->summary)
        bench_report_summary_header(output->table);
    else
        bench_report_header(output->table);
    if (output->raw != NULL)
        bench_report_header(output->raw);
}

void bench_output_failed(bench_output *output)
{
    output->faults++;
    if (output->table != NULL)
        fprintf(stderr, "error: %s\n", bench_error());
}

static void count_faults(bench_output *output, const bench_cell *cell, const bench_result *r)
{
    if (r->verdict != BENCH_WRONG && r->verdict != BENCH_FAILED)
        return;
    output->faults += !r->function->kind->library;
    if (output->table != NULL)
        fprintf(stderr, "%s d=%d n=%d m=%d np=%d: data %s%s%s\n", r->function->name,
                cell->grid->ndims, cell->n, cell->m, cell->grid->size,
                bench_verdict_text(r->verdict), r->reason[0] ? ": " : "", r->reason);
}

static void print(const bench_output *output, const bench_cell *cell, const bench_result results[],
                  int nresults)
{
    if (output->options->summary)
        bench_report_summary(output->table, cell, results, nresults);
    else
        bench_report_rows(output->table, cell, results, nresults);
    if (output->raw != NULL)
        bench_report_rows(output->raw, cell, results, nresults);
    fflush(output->table);
}

void bench_output_cell(bench_output *output, const bench_cell *cell,
                       const bench_function functions[], int nfunctions)
{
    bench_result *results = calloc((size_t)nfunctions, sizeof(*results));
    if (results == NULL ||
        bench_measure(cell, functions, nfunctions, &output->options->plan, results) != 0) {
        bench_output_failed(output);
        free(results);
        return;
    }
    if (output->table != NULL)
        print(output, cell, results, nfunctions);
    for (int i = 0; i < nfunctions; i++)
        count_faults(output, cell, &results[i]);
    bench_results_free(results, nfunctions);
    free(results);
}

int bench_output_close(bench_output *output)
{
    if (output->raw != NULL && fclose(output->raw) != 0)
        output->faults++;
    return output->faults > 0;
}
