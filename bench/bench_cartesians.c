/* SPDX-License-Identifier: MIT */
/* bench_cartesians - times Cartesian neighbourhood exchanges, ours and the MPI library's. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "harness/options.h"
#include "harness/report.h"

/* Where rank 0 prints; NULL on the other ranks. */
typedef struct bench_output {
    const bench_options *options;
    FILE *table;
    FILE *raw;
    int faults; /* of ours, the same on all ranks */
} bench_output;

static void run_cell(const bench_grid *grid, const bench_function functions[], int nfunctions,
                     bench_collective collective, int n, int m, bench_output *output)
{
    bench_cell cell;
    bench_result *results = calloc((size_t)nfunctions, sizeof(*results));
    int failed = results == NULL || bench_cell_make(grid, collective, n, m, &cell) != 0;
    if (!failed) {
        failed = bench_measure(&cell, functions, nfunctions, &output->options->plan, results);
        if (!failed && output->table != NULL) {
            if (output->options->summary)
                bench_report_summary(output->table, &cell, results, nfunctions);
            else
                bench_report_rows(output->table, &cell, results, nfunctions);
            if (output->raw != NULL)
                bench_report_rows(output->raw, &cell, results, nfunctions);
            fflush(output->table);
        }
        for (int i = 0; !failed && i < nfunctions; i++) {
            int bad = results[i].verdict == BENCH_WRONG || results[i].verdict == BENCH_FAILED;
            if (!bad)
                continue;
            output->faults += !functions[i].kind->library;
            if (output->table != NULL)
                fprintf(stderr, "%s d=%d n=%d m=%d np=%d: data %s%s%s\n", functions[i].name,
                        grid->ndims, n, m, grid->size, bench_verdict_text(results[i].verdict),
                        results[i].reason[0] ? ": " : "", results[i].reason);
        }
        bench_results_free(results, nfunctions);
        bench_cell_free(&cell);
    }
    if (failed) {
        output->faults++;
        if (output->table != NULL)
            fprintf(stderr, "error: %s\n", bench_error());
    }
    free(results);
}

/* Functions of one collective lie together in `mine`. */
static void run_grid(const bench_grid *grid, const bench_function functions[], int nfunctions,
                     bench_output *output)
{
    const bench_options *o = output->options;
    bench_function *mine = calloc((size_t)nfunctions, sizeof(*mine));
    for (int c = 0; mine != NULL && c < BENCH_COLLECTIVES; c++) {
        int count = 0;
        for (int i = 0; i < nfunctions; i++) {
            if (functions[i].collective == (bench_collective)c)
                mine[count++] = functions[i];
        }
        for (int n = 0; count > 0 && n < o->n.count; n++) {
            for (int m = 0; m < o->m.count; m++)
                run_cell(grid, mine, count, (bench_collective)c, o->n.values[n], o->m.values[m],
                         output);
        }
    }
    free(mine);
}

static int run_all(const bench_options *options, int rank)
{
    bench_function *functions = NULL;
    int nfunctions = 0;
    bench_output output = {.options = options};
    if (bench_functions_select(&options->functions, &functions, &nfunctions) != 0) {
        if (rank == 0)
            fprintf(stderr, "error: %s\n", bench_error());
        return 2;
    }
    if (rank == 0) {
        output.table = stdout;
        if (options->raw != NULL)
            output.raw = fopen(options->raw, "a");
        if (options->raw != NULL && output.raw == NULL)
            fprintf(stderr, "error: %s cannot be written\n", options->raw);
    }
    int unwritable = options->raw != NULL && rank == 0 && output.raw == NULL;
    MPI_Bcast(&unwritable, 1, MPI_INT, 0, MPI_COMM_WORLD);
    for (int k = 0; !unwritable && k < options->d.count; k++) {
        bench_grid grid;
        if (bench_grid_make(options->d.values[k], &grid) != 0) {
            if (rank == 0)
                fprintf(stderr, "error: %s\n", bench_error());
            output.faults++;
            continue;
        }
        if (rank == 0 && k == 0) {
            bench_report_facts(stdout, &grid, &options->plan);
            if (options->summary)
                bench_report_summary_header(stdout);
            else
                bench_report_header(stdout);
            if (output.raw != NULL)
                bench_report_header(output.raw);
        }
        run_grid(&grid, functions, nfunctions, &output);
        bench_grid_free(&grid);
    }
    free(functions);
    if (output.raw != NULL && fclose(output.raw) != 0)
        output.faults++;
    return unwritable ? 2 : output.faults > 0;
}

int main(int argc, char *argv[])
{
    bench_options options;
    int rank;
    int status = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (bench_options_parse(BENCH_PROGRAM, argc, argv, &options) != 0) {
        if (rank == 0)
            fprintf(stderr, "bench_cartesians: error: %s\n", bench_error());
        status = 2;
    } else if (options.help || options.list) {
        if (rank == 0 && options.help)
            bench_options_help(BENCH_PROGRAM);
        else if (rank == 0)
            bench_functions_list();
    } else {
        if (options.plan.seed == 0)
            options.plan.seed = (unsigned)time(NULL) % 1000000u + 1u;
        MPI_Bcast(&options.plan.seed, 1, MPI_UNSIGNED, 0, MPI_COMM_WORLD);
        status = run_all(&options, rank);
    }
    MPI_Finalize();
    return status;
}
