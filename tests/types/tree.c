/* SPDX-License-Identifier: MIT */
/* tree.c - see tree.h. */
#include "tree.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "basics.h"

static const char *const kind_names[] = {
    "basic",         "contiguous",     "vector", "hvector",  "indexed", "hindexed",
    "indexed_block", "hindexed_block", "struct", "subarray", "resized", "array"};

enum { KINDS = sizeof kind_names / sizeof kind_names[0] };

static void damaged(const char *what)
{
    fprintf(stderr, "the table of cases is damaged: %s\n", what);
    exit(2);
}

void *must_alloc(size_t bytes)
{
    void *out = malloc(bytes > 0 ? bytes : 1);
    if (out == NULL) {
        fprintf(stderr, "out of memory\n");
        exit(2);
    }
    return out;
}

void read_word(FILE *in, char word[64])
{
    if (fscanf(in, "%63s", word) != 1)
        damaged("it ends too early");
}

int64_t read_number(FILE *in)
{
    int64_t out = 0;
    if (fscanf(in, "%" SCNd64, &out) != 1)
        damaged("a number is missing");
    return out;
}

static int64_t *read_list(FILE *in, int64_t *n_p)
{
    int64_t n = read_number(in);
    if (n < 0 || n > 1000000)
        damaged("length of a list");
    int64_t *out = must_alloc((size_t)n * sizeof *out);
    for (int64_t i = 0; i < n; i++)
        out[i] = read_number(in);
    *n_p = n;
    return out;
}

/* A list that must be as long as the one before. */
static int64_t *read_equal_list(FILE *in, int64_t expected)
{
    int64_t n = 0;
    int64_t *out = read_list(in, &n);
    if (n != expected)
        damaged("lists of different lengths");
    return out;
}

static void read_type(FILE *in, tree *node)
{
    node->types = must_alloc(sizeof *node->types);
    node->types[0] = tree_read(in);
}

static void read_struct(FILE *in, tree *node)
{
    int64_t n = read_number(in);
    if (n < 0 || n > 1000000)
        damaged("number of items");
    node->n = n;
    node->bases = must_alloc((size_t)n * sizeof *node->bases);
    node->displs = must_alloc((size_t)n * sizeof *node->displs);
    node->bls = must_alloc((size_t)n * sizeof *node->bls);
    node->types = must_alloc((size_t)n * sizeof *node->types);
    for (int64_t i = 0; i < n; i++) {
        node->bases[i] = (int)read_number(in);
        node->displs[i] = read_number(in);
        node->bls[i] = read_number(in);
        node->types[i] = tree_read(in);
    }
}

static void read_subarray(FILE *in, tree *node)
{
    char word[64];
    node->sizes = read_list(in, &node->n);
    node->subsizes = read_equal_list(in, node->n);
    node->starts = read_equal_list(in, node->n);
    read_word(in, word);
    node->is_fortran = strcmp(word, "Fortran") == 0;
}

static int kind_of(const char *word)
{
    for (int i = 0; i < KINDS; i++)
        if (strcmp(word, kind_names[i]) == 0)
            return i;
    damaged(word);
    return -1;
}

static void read_fields(FILE *in, tree *node)
{
    char word[64];
    switch (node->kind) {
    case TREE_BASIC:
        read_word(in, word);
        node->basic = basic_find(word);
        if (node->basic < 0)
            damaged(word);
        return;
    case TREE_VECTOR:
    case TREE_HVECTOR:
        node->count = read_number(in);
        node->bl = read_number(in);
        node->stride = read_number(in);
        break;
    case TREE_CONTIGUOUS:
        node->count = read_number(in);
        break;
    case TREE_INDEXED:
    case TREE_HINDEXED:
        node->bls = read_list(in, &node->n);
        node->displs = read_equal_list(in, node->n);
        break;
    case TREE_INDEXED_BLOCK:
    case TREE_HINDEXED_BLOCK:
        node->bl = read_number(in);
        node->displs = read_list(in, &node->n);
        break;
    case TREE_STRUCT:
        read_struct(in, node);
        return;
    case TREE_SUBARRAY:
        read_subarray(in, node);
        break;
    case TREE_RESIZED:
        node->lb = read_number(in);
        node->extent = read_number(in);
        break;
    case TREE_ARRAY:
        read_type(in, node);
        node->sizes = read_list(in, &node->n);
        return;
    }
    read_type(in, node);
}

tree *tree_read(FILE *in)
{
    char word[64];
    tree *node = must_alloc(sizeof *node);
    memset(node, 0, sizeof *node);
    read_word(in, word);
    node->kind = (tree_kind)kind_of(word);
    read_fields(in, node);
    return node;
}

void tree_free(tree *node)
{
    int64_t types = node->kind == TREE_BASIC ? 0 : node->kind == TREE_STRUCT ? node->n : 1;
    for (int64_t i = 0; i < types; i++)
        tree_free(node->types[i]);
    free(node->types);
    free(node->bls);
    free(node->displs);
    free(node->sizes);
    free(node->subsizes);
    free(node->starts);
    free(node->bases);
    free(node);
}
