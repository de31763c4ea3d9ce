/* SPDX-License-Identifier: MIT */
/* Exchanges with 8 neighbours on a 2-d torus of all processes and checks every element. */
#include <stdio.h>
#include <stdlib.h>

#include "halo2d.h"

static double value(int rank, int block, int64_t i)
{
    return rank * 1e6 + block * 1e3 + (double)i;
}

int main(int argc, char **argv)
{
    int size, dims[2] = {0, 0}, periods[2] = {1, 1}, faults = 0;
    cartgen_comm *comm = NULL;
    halo2d_plan *plan = NULL;
    halo2d_params params = {.n = 100};

    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Dims_create(size, 2, dims);
    if (cartgen_comm_from_mpi(MPI_COMM_WORLD, 2, dims, periods, &comm) != CARTGEN_OK ||
        halo2d_init(comm, &params, &plan) != CARTGEN_OK) {
        fprintf(stderr, "%s\n", cartgen_last_error());
        MPI_Abort(MPI_COMM_WORLD, 1);
    }

    double *send = malloc(8 * 100 * sizeof *send);
    double *recv = malloc(8 * 100 * sizeof *recv);
    int sources[8], targets[8];
    cartgen_neighbor_get(comm, &halo2d_schedule, 8, sources, targets);
    for (int b = 0; b < 8; b++)
        for (int64_t i = 0; i < params.n; i++)
            send[b * params.n + i] = value(cartgen_comm_rank(comm), b, i);

    halo2d_start(plan, send, recv);
    /* ... the interior is computed here ... */
    halo2d_wait(plan);

    for (int b = 0; b < 8; b++)
        for (int64_t i = 0; i < params.n; i++)
            faults += recv[b * params.n + i] != value(sources[b], b, i);
    printf("rank %d: %d wrong elements\n", cartgen_comm_rank(comm), faults);

    free(send);
    free(recv);
    halo2d_free(&plan);
    cartgen_comm_free(&comm);
    MPI_Finalize();
    return faults != 0;
}
