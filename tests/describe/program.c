/* SPDX-License-Identifier: MIT */
/* program.c - program STATUS: commits types that are equal, that differ between ranks, and one that
 * has no description; exits with STATUS. */
#include <stdlib.h>

#include "cartgen/mpi.h"

static void commit(MPI_Datatype type)
{
    MPI_Type_commit(&type);
    MPI_Type_free(&type);
}

int main(int argc, char **argv)
{
    MPI_Datatype type, parts[2] = {MPI_INT, MPI_PACKED};
    int rank = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 3; i++) {
        MPI_Type_vector(4, 2, 8, MPI_DOUBLE, &type);
        commit(type);
    }
    MPI_Type_contiguous(10 + rank / 2, MPI_INT, &type);
    commit(type);
    if (rank == 0) {
        MPI_Type_create_struct(2, (int[]){1, 1}, (MPI_Aint[]){0, 8}, parts, &type);
        commit(type);
    }
    MPI_Finalize();
    return argc > 1 ? atoi(argv[1]) : 0;
}
