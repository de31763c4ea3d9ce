/* SPDX-License-Identifier: MIT */
#include "wait.h"

/* MPICH 4.0 declares the statuses as an array that is written to: a false warning with gcc 12. */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wstringop-overflow"
#endif

void bench_wait_all(int count, MPI_Request requests[])
{
    MPI_Waitall(count, requests, MPI_STATUSES_IGNORE);
}
