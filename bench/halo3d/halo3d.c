/* SPDX-License-Identifier: MIT */
/* halo3d - times the exchange of the ghosts of a 3-d array of doubles. */
#include <stdio.h>
#include <stdlib.h>

#include "halo.h"
#include "halo3d_schedules.h"
#include "harness/output.h"
#include "harness/program.h"

#define OURS(suffix, which) \
    {.name = "Cart_halo" suffix, .kind = &bench_kind_cartgen, .schedule = &halo3d_##which##_schedule, \
     .algorithm = #which, .mode = "default"}
#define OTHER(label, kind_, form, scheme) \
    {.name = label, .kind = &halo_kind_##kind_, .variant = form, .algorithm = scheme}

/* Names are explained in the help (harness/options.c). */
static const bench_function functions[] = {
    OURS("", auto),
    OURS(":direct", direct),
    OURS(":dimensionwise", dimensionwise),
    OTHER("MPI_Neighbor_halo", neighbor, BENCH_BLOCKING, "direct"),
    OTHER("MPI_Neighbor_halo:merged", neighbor, BENCH_BLOCKING, "merged"),
    OTHER("MPI_Ineighbor_halo", neighbor, BENCH_NONBLOCKING, "direct"),
    OTHER("MPI_Ineighbor_halo:merged", neighbor, BENCH_NONBLOCKING, "merged"),
    OTHER("Isend_Irecv_halo", types, 0, "direct"),
    OTHER("Isend_Irecv_halo:merged", types, 0, "merged"),
    OTHER("Isend_Irecv_halo:dimensionwise", types, 0, "dimensionwise"),
    OTHER("Packed_Isend_Irecv_halo", loops, 0, "direct"),
    OTHER("Packed_Isend_Irecv_halo:merged", loops, 0, "merged"),
    OTHER("Packed_Isend_Irecv_halo:dimensionwise", loops, 0, "dimensionwise"),
    OTHER("Memcpy_halo", copy, 0, "direct"),
};

enum { FUNCTIONS = sizeof(functions) / sizeof(functions[0]) };

static void list(void)
{
    for (int i = 0; i < FUNCTIONS; i++)
        printf("%s\n", functions[i].name);
}

static void run_cells(const bench_grid *grid, const bench_function *mine, int count,
                      bench_output *output)
{
    const bench_list *n = &output->options->n;
    bench_output_head(output, grid, "cells per dimension of a process", "doubles received");
    for (int i = 0; i < n->count; i++) {
        bench_cell cell;
        if (halo_cell_make(grid, n->values[i], &cell) != 0) {
            bench_output_failed(output);
            continue;
        }
        bench_output_cell(output, &cell, mine, count);
        bench_cell_free(&cell);
    }
}

static int run(const bench_options *options, int rank)
{
    bench_function *mine = NULL;
    int count = 0;
    bench_output output;
    bench_grid grid;
    if (bench_functions_filter(functions, FUNCTIONS, options->functions.patterns, &mine,
                               &count) != 0) {
        if (rank == 0)
            fprintf(stderr, "error: %s\n", bench_error());
        return 2;
    }
    if (bench_output_open(options, rank, &output) != 0) {
        free(mine);
        return 2;
    }
    if (bench_grid_make(HALO_DIMS, &grid) == 0) {
        run_cells(&grid, mine, count, &output);
        bench_grid_free(&grid);
    } else {
        bench_output_failed(&output);
    }
    free(mine);
    return bench_output_close(&output);
}

int main(int argc, char *argv[])
{
    return bench_main(HALO_PROGRAM, argc, argv, list, run);
}
