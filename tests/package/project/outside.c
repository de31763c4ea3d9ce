/* SPDX-License-Identifier: MIT */
/* Runs the schedule "wind" once and compares every element with what the sender, found by its
 * coordinates, has put there. Prints "passed" or the number of faults. */
#include <stdio.h>
#include <stdlib.h>

#include <cartgen/mpi.h>

#ifdef DIRECT
#include "direct.h"
#else
#include "wind.h"
#endif

enum { BLOCKS = 7, M = 3 };
static const int offsets[BLOCKS][2] = {{-2, 0}, {-1, 0}, {0, 0}, {1, 0}, {0, -1}, {0, 1}, {1, 1}};

static int content(int rank, int block, int element)
{
    return (rank * BLOCKS + block) * M + element;
}

static void expect(cartgen_status status, const char *what)
{
    if (status != CARTGEN_OK) {
        fprintf(stderr, "%s: %s: %s\n", what, cartgen_strerror(status), cartgen_last_error());
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
}

static int compare(const int *recv, const int dims[2], const int coords[2])
{
    int faults = 0;
    for (int i = 0; i < BLOCKS; i++) {
        int x = ((coords[0] - offsets[i][0]) % dims[0] + dims[0]) % dims[0];
        int y = ((coords[1] - offsets[i][1]) % dims[1] + dims[1]) % dims[1];
        for (int e = 0; e < M; e++)
            faults += recv[i * M + e] != content(x * dims[1] + y, i, e);
    }
    return faults;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int size, rank, dims[2] = {0, 0};
    const int periods[2] = {1, 1};
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Dims_create(size, 2, dims);

    cartgen_comm *comm = NULL;
    expect(cartgen_comm_from_mpi(MPI_COMM_WORLD, 2, dims, periods, &comm), "comm");
    rank = cartgen_comm_rank(comm);

    int send[BLOCKS * M], recv[BLOCKS * M];
    for (int i = 0; i < BLOCKS; i++)
        for (int e = 0; e < M; e++)
            send[i * M + e] = content(rank, i, e);

    wind_plan *plan = NULL;
#ifdef DIRECT
    expect(wind_init(comm, NULL, &plan), "init");
#else
    const wind_params params = {.m = M};
    expect(wind_init(comm, &params, &plan), "init");
#endif
    expect(wind_run(plan, send, recv), "run");

    int faults = compare(recv, dims, cartgen_comm_coords(comm)), sum = 0;
    MPI_Allreduce(&faults, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0) {
        if (sum == 0)
            printf("passed\n");
        else
            printf("%d faults\n", sum);
    }
    expect(wind_free(&plan), "free");
    expect(cartgen_comm_free(&comm), "comm free");
    MPI_Finalize();
    return sum == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
