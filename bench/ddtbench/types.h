/* SPDX-License-Identifier: MIT */
/* types.h - the layouts as MPI derived datatypes, built as the published suite builds them. */
#ifndef DDT_TYPES_H
#define DDT_TYPES_H

#include <mpi.h>

#include "cases.h"

/* Used `count` times in a row (FFT2: once per process) at `start` bytes from the address
 * arrays[c->base[side]]. */
typedef struct ddt_type {
    MPI_Datatype type;
    int count;
    MPI_Aint start;
} ddt_type;

/*
 * The type of one side, committed; the caller frees it. Types over several arrays hold the
 * distances between the arrays: they fit other arrays that lie the same way. The base is an array
 * and not MPI_BOTTOM, which MPICH's MPI_Pack refuses.
 */
ddt_type ddt_type_make(const ddt_case *c, ddt_side side, void *const arrays[]);

#endif
