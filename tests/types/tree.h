/* SPDX-License-Identifier: MIT */
/*
 * tree.h - a type as it is written: constructors with their numbers, read from the table of cases.
 *
 * The text of a node is the constructor's name and its fields in the order of kinds.lua; a list is its
 * length and its numbers. All numbers are values: parameters have been put in.
 */
#ifndef CARTGEN_TESTS_TYPES_TREE_H
#define CARTGEN_TESTS_TYPES_TREE_H

#include <stdint.h>
#include <stdio.h>

typedef enum tree_kind {
    TREE_BASIC,
    TREE_CONTIGUOUS,
    TREE_VECTOR,
    TREE_HVECTOR,
    TREE_INDEXED,
    TREE_HINDEXED,
    TREE_INDEXED_BLOCK,
    TREE_HINDEXED_BLOCK,
    TREE_STRUCT,
    TREE_SUBARRAY,
    TREE_RESIZED,
    TREE_ARRAY
} tree_kind;

enum { TREE_MAX_LISTS = 3 };

typedef struct tree tree;
struct tree {
    tree_kind kind;
    int basic;             /* TREE_BASIC */
    int is_fortran;        /* TREE_SUBARRAY */
    int64_t count;         /* contiguous, vectors */
    int64_t bl;            /* vectors, indexed blocks */
    int64_t stride;        /* vectors */
    int64_t lb, extent;    /* resized */
    int64_t n;             /* length of each list below; items of a struct */
    int64_t *bls;          /* indexed, struct */
    int64_t *displs;       /* indexed, indexed blocks, struct */
    int64_t *sizes;        /* subarray, array */
    int64_t *subsizes;     /* subarray */
    int64_t *starts;       /* subarray */
    int *bases;            /* struct: number of the array, -1: none named */
    tree **types;          /* struct: n; others: one */
};

/* Reads a tree; ends the program with a message when the table is damaged. */
tree *tree_read(FILE *in);
void tree_free(tree *node);

/* A word, and a number; both end the program when there is none. */
void read_word(FILE *in, char word[64]);
int64_t read_number(FILE *in);

/* Memory or the end of the program; bytes may be 0. */
void *must_alloc(size_t bytes);

#endif
