/* SPDX-License-Identifier: MIT */
/* describe_internal.h - what the files of the descriptions of live MPI types share: the table of parts
 * that a type is read into and its text is made from; what reads needs MPI. Not installed. */
#ifndef CARTGEN_DESCRIBE_INTERNAL_H
#define CARTGEN_DESCRIBE_INTERNAL_H

#include "internal.h"

/* --- describe_table.c --- */

typedef enum cg_part_kind {
    CG_BASIC,
    CG_CONTIGUOUS,     /* args: count */
    CG_VECTOR,         /* count, blocklength, stride in extents */
    CG_HVECTOR,        /* count, blocklength, stride in bytes */
    CG_INDEXED,        /* n blocklengths, n displacements in extents */
    CG_HINDEXED,       /* n blocklengths, n displacements in bytes */
    CG_INDEXED_BLOCK,  /* blocklength, displacements in extents */
    CG_HINDEXED_BLOCK, /* blocklength, displacements in bytes */
    CG_STRUCT,         /* n displacements in bytes, n blocklengths; n children */
    CG_SUBARRAY,       /* 1 = Fortran, sizes, subsizes, starts */
    CG_RESIZED         /* lb, extent */
} cg_part_kind;

/* Bounds in bytes by the definition: of the elements (while any is true) and of the explicit lower
 * and upper bounds that resized and subarray set (while marked is true). */
typedef struct cg_bounds {
    int any, marked;
    int64_t align; /* of the most strictly aligned element */
    int64_t true_lb, true_ub;
    int64_t lb, ub;
} cg_bounds;

/* A constructor with its arguments. Equal parts are one entry, and children come before parents. */
typedef struct cg_part {
    cg_part_kind kind;
    const char *word; /* of a basic type */
    int nargs, nchildren;
    int64_t *args;
    int *children; /* indices of parts */
    uint64_t hash;
    cg_bounds bounds;
    int uses, height, local; /* local: its number from 1, or 0 */
} cg_part;

typedef struct cg_table {
    cg_part *parts;
    int count, capacity;
    int visits; /* types read, those found again among them */
    int locals; /* of the text */
} cg_table;

/* Sets the last error. */
cartgen_status cg_describe_out_of_memory(void);
/* A part with room for its arguments and children; the caller's until it is interned. */
cartgen_status cg_describe_part(cg_part_kind kind, int nargs, int nchildren, cg_part *p);
/* Puts *p, which is the table's from now on, into the table (or finds it); its index. */
cartgen_status cg_describe_intern(cg_table *t, cg_part *p, int *index_p);
/* A part with one child. */
cartgen_status cg_describe_intern_over(cg_table *t, cg_part_kind kind, int child, int nargs,
                                       const int64_t args[], int *index_p);
/* A basic type; word must outlive the table. */
cartgen_status cg_describe_intern_basic(cg_table *t, const char *word, int64_t bytes, int64_t align,
                                        int *index_p);
/* Bytes from lb to ub; a product. Both wrap instead of overflowing, as addresses do. */
int64_t cg_describe_extent(const cg_bounds *b);
int64_t cg_describe_times(int64_t a, int64_t b);
/* Frees what the table holds. */
void cg_describe_release(cg_table *t);

/* What follows is for files that include cartgen/describe.h, and with it MPI, first. */
#ifdef CARTGEN_MPI_H

/* --- describe_named.c --- */

/* Index of a predefined type: a basic type, or a pair as C lays it out. CARTGEN_ERR_UNSUPPORTED: no word
 * for it. */
cartgen_status cg_describe_named(cg_table *t, MPI_Datatype type, int *index_p);
/* Index of what MPI_Type_create_f90_... makes: a basic type of its size. */
cartgen_status cg_describe_f90(cg_table *t, MPI_Datatype type, int combiner, int *index_p);

/* --- describe_read.c --- */

/* CARTGEN_OK, or CARTGEN_ERR_TRANSPORT with MPI's text and what was done. */
cartgen_status cg_describe_check(int code, const char *what);
/* Index of any type, with all that it is made of. Errors as in describe.h. */
cartgen_status cg_describe_read(cg_table *t, MPI_Datatype type, int *index_p);

#endif

#endif
