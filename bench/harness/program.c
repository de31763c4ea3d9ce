/* SPDX-License-Identifier: MIT */
#include "program.h"

#include <mpi.h>
#include <stdio.h>
#include <time.h>

int bench_main(bench_program program, int argc, char *argv[], void (*list)(void),
               int (*run)(const bench_options *options, int rank))
{
    bench_options options;
    int rank;
    int status = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (bench_options_parse(program, argc, argv, &options) != 0) {
        if (rank == 0)
            fprintf(stderr, "%s: error: %s\n", bench_program_names[program], bench_error());
        status = 2;
    } else if (options.help || options.list) {
        if (rank == 0 && options.help)
            bench_options_help(program);
        else if (rank == 0)
            list();
    } else {
        if (options.plan.seed == 0)
            options.plan.seed = (unsigned)time(NULL) % 1000000u + 1u;
        MPI_Bcast(&options.plan.seed, 1, MPI_UNSIGNED, 0, MPI_COMM_WORLD);
        status = run(&options, rank);
    }
    MPI_Finalize();
    return status;
}
