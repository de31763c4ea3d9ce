/* SPDX-License-Identifier: MIT */
/* mpi_internal.h - shared by the files of the MPI transport. Not installed. */
#ifndef CARTGEN_MPI_INTERNAL_H
#define CARTGEN_MPI_INTERNAL_H

#include "cartgen/mpi.h"
#include "internal.h"

#define CG_MPI_TAGS 32766
#define CG_MPI_TAG_SIZES CG_MPI_TAGS /* while plans are made */
#define CG_MPI_TAG_P2P 32767 /* this one and those above are of cartgen_p2p */
#define CG_MPI_TEXT 320 /* bytes of a text that ranks exchange */

/* The transport's part of a comm. sequence numbers the plans made, the same on every rank. */
typedef struct cg_mpi_comm {
    MPI_Comm comm;
    uint64_t sequence;
    uint8_t tags[CG_MPI_TAGS]; /* 1: a live plan uses the tag */
    int *channels;             /* [2 * size] cartgen_p2p made so far to send to a rank, to receive from it */
    int most_channels;
    int64_t id; /* other than that of comms before it: what was sent over those may still be there */
} cg_mpi_comm;

/* CARTGEN_OK, or CARTGEN_ERR_TRANSPORT with MPI's text and what was done. */
cartgen_status cg_mpi_check(int code, const char *what);

/* After all ranks found that they disagree (some bad != 0): gives every rank the texts of the ranks
 * that failed or differ from rank 0. Collective. Sets last_error unless `own` is an error. */
cartgen_status cg_mpi_explain(MPI_Comm comm, cartgen_status own, const char *text, uint64_t hash,
                              int worst);

/* Sets eager, datatypes and p2p of a cartgen_comm over comm, and its id. Collective, the same on every rank. */
cartgen_status cg_mpi_limits(MPI_Comm comm, cartgen_comm *made, int64_t *id_p);

/* A type of what the kernel lays out, from the address that it takes, which is the caller's to free. At most CG_PIECE
 * bytes. name: for errors. */
cartgen_status cg_mpi_datatype(const char *name, const cartgen_kernel *kernel, const void *params,
                               MPI_Datatype *type_p);

/* types[nkernels + nstructs of the plan], MPI_DATATYPE_NULL before: makes those that its records name, which
 * are the caller's to free, on errors too. */
cartgen_status cg_mpi_datatypes(const cartgen_plan *plan, MPI_Datatype types[]);

#endif
