/* SPDX-License-Identifier: MIT */
/* check.h - what is checked of a case; every fault is a line "fault CASE SET: what". */
#ifndef CARTGEN_TESTS_TYPES_CHECK_H
#define CARTGEN_TESTS_TYPES_CHECK_H

#include "exchange.h"
#include "memory.h"
#include "subject.h"
#include "typemap.h"

/* A case at one set of values. */
typedef struct situation {
    const char *name;
    int set;             /* number of the set, from 0 */
    int arrays;          /* named arrays; 0: one buffer */
    const tree *tree;    /* what pack reads */
    typemap type;        /* its map */
    typemap to;          /* what unpack, copy and reduce write */
    typemap_bounds bounds;
    const int64_t *values;
    generator g;
} situation;

/* Counts of all that was compared and all faults so far. */
extern long checks_made, faults_found;

/* Prints "WORD CASE SET: ..." and counts a fault. */
void report(const char *word, const situation *s, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Its elements span so much memory that it cannot all be looked at. */
int situation_is_far(const situation *s);

/* The generated functions against the interpreter. */
void check_subject(situation *s, const subject *subject);

/* A schedule of the case's types, which have `values` values of parameters, against the interpreter. All ranks call it. */
void check_exchange(situation *s, const exchange *e, int64_t values);

/* The MPI library against the interpreter: bounds, MPI_Pack, MPI_Unpack. Differences are lines
 * "mpi CASE SET: what" (mpi-empty, mpi-mixed, mpi-uniform: of a known kind) and counted by themselves. */
void check_mpi(situation *s);
extern long mpi_differences; /* situations */
extern long mpi_unexplained; /* of them, those of no known kind */

#endif
