/* SPDX-License-Identifier: MIT */
/* mpi_internal.h - shared by the files of the MPI transport. Not installed. */
#ifndef CARTGEN_MPI_INTERNAL_H
#define CARTGEN_MPI_INTERNAL_H

#include "cartgen/mpi.h"
#include "internal.h"

#define CG_MPI_TAGS 32766
#define CG_MPI_TAG_SIZES CG_MPI_TAGS /* while plans are made */
#define CG_MPI_TEXT 320 /* bytes of a text that ranks exchange */

/* The transport's part of a comm. sequence numbers the plans made, the same on every rank. */
typedef struct cg_mpi_comm {
    MPI_Comm comm;
    uint64_t sequence;
    uint8_t tags[CG_MPI_TAGS]; /* 1: a live plan uses the tag */
} cg_mpi_comm;

/* CARTGEN_OK, or CARTGEN_ERR_TRANSPORT with MPI's text and what was done. */
cartgen_status cg_mpi_check(int code, const char *what);

/* After all ranks found that they disagree (some bad != 0): gives every rank the texts of the ranks
 * that failed or differ from rank 0. Collective. Sets last_error unless `own` is an error. */
cartgen_status cg_mpi_explain(MPI_Comm comm, cartgen_status own, const char *text, uint64_t hash,
                              int worst);

/* What is sent without a handshake over comm, in bytes; CG_PIECE where no limit is known; and what moves
 * faster as a datatype. Collective, the same on every rank. */
cartgen_status cg_mpi_limits(MPI_Comm comm, int64_t *eager_p, cg_datatypes *datatypes_p);

/* types[nkernels + nstructs of the plan], MPI_DATATYPE_NULL before: makes those that its records name, which
 * are the caller's to free, on errors too. */
cartgen_status cg_mpi_datatypes(const cartgen_plan *plan, MPI_Datatype types[]);

#endif
