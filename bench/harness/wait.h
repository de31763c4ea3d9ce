/* SPDX-License-Identifier: MIT */
/* wait.h - MPI_Waitall without statuses. */
#ifndef BENCH_WAIT_H
#define BENCH_WAIT_H

#include <mpi.h>

void bench_wait_all(int count, MPI_Request requests[]);

#endif
