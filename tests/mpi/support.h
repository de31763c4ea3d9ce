/* SPDX-License-Identifier: MIT */
/* support.h - for the MPI tests: no rank leaves early, faults are counted and agreed on. */
#ifndef CARTGEN_TESTS_SUPPORT_H
#define CARTGEN_TESTS_SUPPORT_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cartgen/mpi.h"

static int faults;
static int world_rank;
static int world_size;

#define CHECK(what) check_that((what) != 0, #what, __FILE__, __LINE__)
#define STATUS(call, expected) check_status((call), (expected), #call, __FILE__, __LINE__)
#define OK(call) STATUS(call, CARTGEN_OK)

CARTGEN_INLINE void check_that(int holds, const char *what, const char *file, int line)
{
    if (!holds && faults++ < 10)
        fprintf(stderr, "%s:%d: rank %d of %d: %s\n", file, line, world_rank, world_size, what);
}

CARTGEN_INLINE int check_status(cartgen_status got, cartgen_status expected, const char *what,
                                const char *file, int line)
{
    if (got != expected && faults++ < 10)
        fprintf(stderr, "%s:%d: rank %d of %d: %s: %s, expected %s (%s)\n", file, line, world_rank,
                world_size, what, cartgen_strerror(got), cartgen_strerror(expected),
                cartgen_last_error());
    return got == expected;
}

CARTGEN_INLINE void begin_test(int *argc, char ***argv)
{
    MPI_Init(argc, argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
    MPI_Comm_size(MPI_COMM_WORLD, &world_size);
}

CARTGEN_INLINE int end_test(void)
{
    int all = 0;
    MPI_Allreduce(&faults, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (world_rank == 0 && all == 0)
        printf("ok\n");
    MPI_Finalize();
    return all != 0;
}

/* Aborting is for what no test is about: without a comm or memory nothing can be checked. */
CARTGEN_INLINE void must(int holds, const char *what)
{
    if (!holds) {
        fprintf(stderr, "rank %d: %s: %s\n", world_rank, what, cartgen_last_error());
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
}

CARTGEN_INLINE cartgen_comm *make_comm(int ndims, const int dims[], const int periods[])
{
    cartgen_comm *comm = NULL;
    must(cartgen_comm_from_mpi(MPI_COMM_WORLD, ndims, dims, periods, &comm) == CARTGEN_OK, "comm");
    return comm;
}

/* The ring of all ranks. */
CARTGEN_INLINE cartgen_comm *make_ring(void)
{
    int one = 1;
    return make_comm(1, &world_size, &one);
}

/* The ways a plan exchanges what it has to: mode and zero copy. */
static const char *const ways[][2] = {{"nonblocking", "never"}, {"persistent", "default"}, {"blocking", "never"},
                                      {"nonblocking", "always"}, {"blocking", "always"}};
enum { WAYS = sizeof ways / sizeof ways[0] };

CARTGEN_INLINE void set_way(cartgen_comm *comm, int way)
{
    OK(cartgen_comm_set(comm, "mode", ways[way][0]));
    OK(cartgen_comm_set(comm, "zero_copy", ways[way][1]));
}

CARTGEN_INLINE int32_t value_of(int rank, int64_t place)
{
    return (int32_t)((rank + 1) * 1000003 + place * 17);
}

/* Rank at sign * offset from `rank`, by the definition; -1 outside. */
CARTGEN_INLINE int rank_from(int rank, int ndims, const int dims[], const int periods[],
                             const int offset[], int sign)
{
    int coords[CARTGEN_MAX_DIMS] = {0};
    int at = 0;
    for (int j = ndims - 1; j >= 0; j--) {
        coords[j] = rank % dims[j];
        rank /= dims[j];
    }
    for (int j = 0; j < ndims; j++) {
        int x = coords[j] + sign * offset[j];
        while (periods[j] && x < 0)
            x += dims[j];
        while (periods[j] && x >= dims[j])
            x -= dims[j];
        if (x < 0 || x >= dims[j])
            return -1;
        at = at * dims[j] + x;
    }
    return at;
}

#endif
