/* SPDX-License-Identifier: MIT */
/*
 * content.h - what buffers hold, and how it is compared. Contents differ by rank, block and element
 * and from one salt to the next; receive buffers are filled with a sentinel first, so that what
 * must not be written (gaps, guards before and behind, empty blocks) is compared too.
 */
#ifndef BENCH_CONTENT_H
#define BENCH_CONTENT_H

#include "cell.h"

#define BENCH_SENTINEL ((int)0xA5A5A5A5u) /* in receive buffers */
#define BENCH_FILLER ((int)0x3C3C3C3Cu)   /* in the gaps of send buffers */

/* Element `element` of send block `block` of `rank`. */
int bench_value(const bench_cell *cell, unsigned salt, int rank, int block, int element);

/* Whole buffers, guards included. */
void bench_fill_send(const bench_cell *cell, unsigned salt, bench_buffer *send);
void bench_fill(bench_buffer *buffer, int value);
/* The receive buffer as it must look after the exchange, by the definition of the collective. */
void bench_fill_expected(const bench_cell *cell, unsigned salt, bench_buffer *recv);

/* Differences on the calling rank: all counted, the first ones kept as text. */
#define BENCH_FAULT_LINES 4
#define BENCH_FAULT_WIDTH 160

typedef struct bench_faults {
    int64_t count;
    int kept;
    char lines[BENCH_FAULT_LINES][BENCH_FAULT_WIDTH];
} bench_faults;

void bench_faults_add(bench_faults *faults, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Compares buffers of equal size, guards included; `blocks` (count of them) name what an element
 * belongs to, `what` begins each line. Values of `salt` are printed as the place they are of,
 * rank/block/element. */
void bench_compare(const bench_cell *cell, unsigned salt, const char *what,
                   const bench_block blocks[], int nblocks, const bench_buffer *expected,
                   const bench_buffer *got, bench_faults *faults);

/* What is timed and checked sees of a cell's contents. */
struct bench_contents {
    int in_place; /* the exchange is within the receive buffer */
    /* Whole buffers before and after an exchange. */
    void (*prepare)(const bench_cell *cell, unsigned salt, bench_buffer *send, bench_buffer *recv);
    void (*expect)(const bench_cell *cell, unsigned salt, bench_buffer *recv);
    void (*compare)(const bench_cell *cell, unsigned salt, const bench_buffer *expected,
                    const bench_buffer *got, bench_faults *faults);
    /* Puts a fault (of the option --plant) into what was received. */
    void (*plant)(const bench_cell *cell, const char *fault, bench_buffer *recv);
};

/* Cells of bench_cell_make; without faults, which check_cartesians has for them. */
extern const bench_contents bench_contents_blocks;

/* Number of faults on all ranks, the same on every rank. Collective. */
int64_t bench_faults_sum(const bench_faults *faults, MPI_Comm comm);

/* The first line kept by the lowest rank that has one, on every rank; "" without. Collective. */
void bench_faults_first(const bench_faults *faults, MPI_Comm comm, char line[BENCH_FAULT_WIDTH]);

/* Collective: rank 0 prints the lines kept by all ranks (at most `most` of them), in the order of
 * ranks, each behind `indent`. */
void bench_faults_print(const bench_faults *faults, MPI_Comm comm, const char *indent, int most);

#endif
