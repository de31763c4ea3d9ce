/* SPDX-License-Identifier: MIT */
/*
 * cases.h - the access patterns of seven applications: tests, sizes, and what memory they use.
 *
 * A case is one (test, size) pair. It moves `count` elements of `elem_bytes` bytes as one stream
 * from the send layout of one process to the receive layout of another. Both layouts are places in
 * the case's arrays, which are separate allocations. The order of the stream is that of the
 * published suite's datatypes (Schneider, Gerstenberger, Hoefler, Computing 2014) and the same for
 * every method; ddt_oracle_place says for every element where it lies.
 */
#ifndef DDT_CASES_H
#define DDT_CASES_H

#include <stdint.h>

enum { DDT_ARRAYS = 9, DDT_NUMBERS = 8, DDT_LISTS = 2 };

typedef enum ddt_side { DDT_SEND, DDT_RECV } ddt_side;

/* The families of layouts; tests of one family differ by numbers only. */
typedef enum ddt_family {
    DDT_WRF,
    DDT_MILC,
    DDT_LU_X,
    DDT_LU_Y,
    DDT_MG_X,
    DDT_MG_Y,
    DDT_MG_Z,
    DDT_LAMMPS,
    DDT_SPECFEM_OC,
    DDT_SPECFEM_CM,
    DDT_SPECFEM_MT,
    DDT_FFT2,
    DDT_FAMILIES
} ddt_family;

typedef struct ddt_size {
    const char *name;
    int64_t n[DDT_NUMBERS]; /* in the order of the family's enum below */
} ddt_size;

typedef struct ddt_test {
    const char *name;
    ddt_family family;
    int variant; /* WRF: 1 = subarray types; LAMMPS: properties per atom beside x */
    const ddt_size *sizes;
    int nsizes;
} ddt_test;

/* What ddt_size.n holds. WRF: bounds of memory and of the region, both ends included. */
enum { WRF_IMS, WRF_IME, WRF_JMS, WRF_JME, WRF_IS, WRF_IE, WRF_JS, WRF_JE };
enum { MILC_LX, MILC_LY, MILC_LZ, MILC_LT };
enum { LU_N };
enum { MG_1, MG_2, MG_3 };
enum { LAMMPS_SENT, LAMMPS_OWN };
enum { OC_LISTED, OC_POINTS };
enum { CM_LISTED, CM_POINTS, IC_LISTED, IC_POINTS };
enum { MT_POINTS };
enum { FFT_N };

enum {
    WRF_LEVELS = 65, /* k */
    WRF_2D = 4,      /* arrays, in the order they are sent */
    WRF_3D = 3,
    WRF_4D = 2,
    WRF_SPECIES = 2, /* slices of a 4-d array; the last one is sent */
    MILC_FLOATS = 6, /* an su3 vector */
    LU_DOUBLES = 5,
    MT_WIDTH = 3, /* floats taken of a row of ... */
    MT_ROWS = 2   /* ... this many times as many */
};

extern const ddt_test ddt_tests[];
extern const int ddt_test_count;

typedef struct ddt_case {
    const ddt_test *test;
    const ddt_size *size;
    const int64_t *n;   /* size->n */
    int ranks;          /* that take part: 2, FFT2: all */
    int elem_bytes;     /* 4 float, 8 double, 16 complex double */
    int64_t count;      /* elements of the stream */
    int64_t bytes;      /* count * elem_bytes */
    int narrays;
    int64_t array_bytes[DDT_ARRAYS];
    int base[2];        /* per side: the array its types are relative to */
    int echo;           /* send and receive layout are the same places */
    int recv_contiguous; /* the receive layout is the stream itself, at array base[DDT_RECV] */
    int nlists;         /* index lists of the send layout, drawn by ddt_case_draw */
    int64_t list_length[DDT_LISTS];
    int64_t list_range[DDT_LISTS];
    int *list[DDT_LISTS];
} ddt_case;

/* Lists are allocated, not drawn. Non-zero with bench_error() (FFT2: ranks do not divide N;
 * memory). */
int ddt_case_make(const ddt_test *test, const ddt_size *size, int ranks, ddt_case *case_p);
void ddt_case_free(ddt_case *c);

/* Index lists: unique, unsorted, uniform; the same for the same seed, rank and round. */
int ddt_case_draw(ddt_case *c, unsigned seed, int rank, int round);

#endif
