/* SPDX-License-Identifier: MIT */
/*
 * subject.h - the generated functions of one layout as the harness calls them: the same signatures
 * for all layouts, whether their elements lie in one buffer or in several arrays.
 */
#ifndef CARTGEN_TESTS_TYPES_SUBJECT_H
#define CARTGEN_TESTS_TYPES_SUBJECT_H

#include <stddef.h>
#include <stdint.h>

#include "cartgen/cartgen.h"

/* Arrays are passed as `bases`, one pointer each; a layout over one buffer has one. */
typedef void subject_reduce(const void *layout, void *const bases[], const void *packed);

typedef struct subject_op {
    const char *name; /* NULL: none */
    subject_reduce *call;
} subject_op;

enum { SUBJECT_MAX_OPS = 8 };

typedef struct subject {
    const char *name;
    size_t layout_bytes;
    /* values: all parameters, one behind the other, in the order of the case's table. */
    cartgen_status (*setup)(void *layout, const int64_t *values);
    void (*release)(void *layout);
    int64_t (*size)(const void *layout);
    int64_t (*lb)(const void *layout);
    int64_t (*extent)(const void *layout);
    int64_t (*true_lb)(const void *layout);
    int64_t (*true_extent)(const void *layout);
    void (*pack)(const void *layout, void *packed, void *const bases[]);
    void (*unpack)(const void *layout, void *const bases[], const void *packed);
    void (*copy)(const void *layout, void *const to[], void *const from[]);
    void (*pack_range)(const void *layout, void *packed, void *const bases[], int64_t first,
                       int64_t bytes);
    void (*unpack_range)(const void *layout, void *const bases[], const void *packed,
                         int64_t first, int64_t bytes);
    int (*pack_contiguous)(const void *layout, int64_t *at_p);
    int (*unpack_contiguous)(const void *layout, int64_t *at_p);
    int (*pack_visit)(const void *layout, const cartgen_visitor *visitor);
    int (*unpack_visit)(const void *layout, const cartgen_visitor *visitor);
    subject_op ops[SUBJECT_MAX_OPS];
} subject;

/* What the harness looks up in the library it loads. */
extern const subject subjects[];
extern const int subjects_count;

/* ARRAYS(b) is what the generated function takes for the arrays b; defined where these are used. */
#define SUBJECT_BOUND(NAME, what)                                                                 \
    static int64_t what##_##NAME(const void *l) { return NAME##_##what(l); }

#define SUBJECT_FUNCTIONS(NAME)                                                                   \
    SUBJECT_BOUND(NAME, size)                                                                     \
    SUBJECT_BOUND(NAME, lb)                                                                       \
    SUBJECT_BOUND(NAME, extent)                                                                   \
    SUBJECT_BOUND(NAME, true_lb)                                                                  \
    SUBJECT_BOUND(NAME, true_extent)                                                              \
    static void release_##NAME(void *l) { NAME##_free(l); }                                       \
    static void pack_##NAME(const void *l, void *packed, void *const b[])                         \
    {                                                                                             \
        (void)NAME##_pack(l, packed, ARRAYS(b));                                                  \
    }                                                                                             \
    static void unpack_##NAME(const void *l, void *const b[], const void *packed)                 \
    {                                                                                             \
        (void)NAME##_unpack(l, ARRAYS(b), packed);                                                \
    }                                                                                             \
    static void copy_##NAME(const void *l, void *const to[], void *const from[])                  \
    {                                                                                             \
        (void)NAME##_copy(l, ARRAYS(to), ARRAYS(from));                                           \
    }                                                                                             \
    static void pack_range_##NAME(const void *l, void *packed, void *const b[], int64_t first,    \
                                  int64_t bytes)                                                  \
    {                                                                                             \
        (void)NAME##_pack_range(l, packed, ARRAYS(b), first, bytes);                              \
    }                                                                                             \
    static void unpack_range_##NAME(const void *l, void *const b[], const void *packed,           \
                                    int64_t first, int64_t bytes)                                 \
    {                                                                                             \
        (void)NAME##_unpack_range(l, ARRAYS(b), packed, first, bytes);                            \
    }                                                                                             \
    static int pack_contiguous_##NAME(const void *l, int64_t *at_p)                               \
    {                                                                                             \
        return NAME##_pack_contiguous(l, at_p);                                                   \
    }                                                                                             \
    static int unpack_contiguous_##NAME(const void *l, int64_t *at_p)                             \
    {                                                                                             \
        return NAME##_unpack_contiguous(l, at_p);                                                 \
    }                                                                                             \
    static int pack_visit_##NAME(const void *l, const cartgen_visitor *visitor)                   \
    {                                                                                             \
        return NAME##_pack_visit(l, visitor);                                                     \
    }                                                                                             \
    static int unpack_visit_##NAME(const void *l, const cartgen_visitor *visitor)                 \
    {                                                                                             \
        return NAME##_unpack_visit(l, visitor);                                                   \
    }

#define SUBJECT_REDUCE(NAME, op)                                                                  \
    static void reduce_##op##_##NAME(const void *l, void *const b[], const void *packed)          \
    {                                                                                             \
        (void)NAME##_reduce_##op(l, ARRAYS(b), packed);                                           \
    }

#define SUBJECT_OP(NAME, op) {#op, reduce_##op##_##NAME}

#define SUBJECT(NAME, ...)                                                                        \
    {#NAME, sizeof(NAME##_layout), setup_##NAME, release_##NAME, size_##NAME, lb_##NAME,          \
     extent_##NAME, true_lb_##NAME, true_extent_##NAME, pack_##NAME, unpack_##NAME, copy_##NAME,  \
     pack_range_##NAME, unpack_range_##NAME, pack_contiguous_##NAME, unpack_contiguous_##NAME,    \
     pack_visit_##NAME, unpack_visit_##NAME, __VA_ARGS__}

#endif
