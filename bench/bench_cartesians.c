/* SPDX-License-Identifier: MIT */
/* bench_cartesians - times Cartesian neighbourhood exchanges, ours and the MPI library's. */
#include <stdio.h>
#include <stdlib.h>

#include "harness/output.h"
#include "harness/program.h"

static void run_cell(const bench_grid *grid, const bench_function functions[], int nfunctions,
                     bench_collective collective, int n, int m, bench_output *output)
{
    bench_cell cell;
    if (bench_cell_make(grid, collective, n, m, &cell) != 0) {
        bench_output_failed(output);
        return;
    }
    bench_output_cell(output, &cell, functions, nfunctions);
    bench_cell_free(&cell);
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
    bench_output output;
    if (bench_functions_select(&options->functions, &functions, &nfunctions) != 0) {
        if (rank == 0)
            fprintf(stderr, "error: %s\n", bench_error());
        return 2;
    }
    if (bench_output_open(options, rank, &output) != 0) {
        free(functions);
        return 2;
    }
    for (int k = 0; k < options->d.count; k++) {
        bench_grid grid;
        if (bench_grid_make(options->d.values[k], &grid) != 0) {
            bench_output_failed(&output);
            continue;
        }
        if (k == 0)
            bench_output_head(&output, &grid, "block size (ints)",
                              "effective block size, m n^d");
        run_grid(&grid, functions, nfunctions, &output);
        bench_grid_free(&grid);
    }
    free(functions);
    return bench_output_close(&output);
}

int main(int argc, char *argv[])
{
    return bench_main(BENCH_PROGRAM, argc, argv, bench_functions_list, run_all);
}
