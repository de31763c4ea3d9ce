/* SPDX-License-Identifier: MIT */
/*
 * mpi.h - the MPI transport: where a comm comes from, and what schedules generated for MPI call.
 * MPI errors are returned as CARTGEN_ERR_TRANSPORT when the communicator's error handler
 * returns (the runtime sets MPI_ERRORS_RETURN on its own duplicate only).
 */
#ifndef CARTGEN_MPI_H
#define CARTGEN_MPI_H

/* Neither library's retired C++ bindings: they do not compile without warnings. */
#ifndef OMPI_SKIP_MPICXX
#define OMPI_SKIP_MPICXX 1
#endif
#ifndef MPICH_SKIP_MPICXX
#define MPICH_SKIP_MPICXX 1
#endif
#include <mpi.h>

#include "cartgen/cartgen.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Collective over `comm`. dims[ndims] are the extents (each >= 1), periods[ndims] 0 or 1. Ranks
 * from 0 to product(dims) - 1 get a comm; ranks above get CARTGEN_ERR_SURPLUS and no comm. A grid
 * with more cells than processes is CARTGEN_ERR_GRID on every rank. The comm holds its own
 * duplicate: its messages never meet the application's. */
cartgen_status cartgen_comm_from_mpi(MPI_Comm comm, int ndims, const int dims[],
                                     const int periods[], cartgen_comm **comm_p);

/* The same from a communicator of MPI_Cart_create; CARTGEN_ERR_ARGUMENT if it has no Cartesian
 * topology. Ranks and coordinates are the communicator's. */
cartgen_status cartgen_comm_from_cart(MPI_Comm cart, cartgen_comm **comm_p);

/* cartgen_comm_set for the keys mode, blocking, trivial, join, eager and zero_copy of an MPI_Info (others are
 * left alone, MPI_INFO_NULL is empty). */
cartgen_status cartgen_comm_set_info(cartgen_comm *comm, MPI_Info info);

/* --- for generated code --- */

/* Collective over the comm. Checks that all ranks agree on schedule, parameters and options and
 * names the ranks that do not; makes all lists, staging and (persistent) requests. */
cartgen_status cartgen_mpi_init(const cartgen_schedule *schedule, cartgen_comm *comm,
                                const void *params, cartgen_plan **plan_p);
/* Begins; contents of sendbuf are read from here on. Never allocates. */
cartgen_status cartgen_mpi_start(cartgen_plan *plan, const void *sendbuf, void *recvbuf);
/* Progresses; done_p = 1 when complete (also when nothing was started). */
cartgen_status cartgen_mpi_test(cartgen_plan *plan, int *done_p);
cartgen_status cartgen_mpi_wait(cartgen_plan *plan);
/* Local. CARTGEN_ERR_STATE while in flight; *plan_p NULL is fine. Sets *plan_p to NULL. */
cartgen_status cartgen_mpi_free(cartgen_plan **plan_p);

#ifdef __cplusplus
}
#endif

#endif
