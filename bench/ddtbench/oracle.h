/* SPDX-License-Identifier: MIT */
/*
 * oracle.h - the definition of every layout, element by element: where element k of the stream
 * lies. Written from the formulas of the layouts by splitting k into coordinates, with the table of
 * sizes and the lists and nothing else; the methods' loops and datatypes are held against it.
 */
#ifndef DDT_ORACLE_H
#define DDT_ORACLE_H

#include "cases.h"

typedef struct ddt_place {
    int array;
    int64_t offset; /* bytes from the start of the array */
} ddt_place;

/* 0 <= k < c->count */
ddt_place ddt_oracle_place(const ddt_case *c, ddt_side side, int64_t k);

/* The element of whose stream arrives as element k of the calling process' stream: of process
 * *rank_p of an all-to-all; of the only other process otherwise. */
int64_t ddt_oracle_origin(const ddt_case *c, int me, int64_t k, int *rank_p);

/* Maximal runs of the stream that are contiguous in one array. */
int64_t ddt_oracle_runs(const ddt_case *c, ddt_side side);

/* Bytes of the 64-byte cache lines that hold a part of the layout, arrays aligned to lines; -1:
 * out of memory. */
int64_t ddt_oracle_line_bytes(const ddt_case *c, ddt_side side);

#endif
