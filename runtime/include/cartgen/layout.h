/* SPDX-License-Identifier: MIT */
/*
 * cartgen/layout.h - what generated layouts (`layout "NAME" { type = ... }`) are compiled against:
 * moves without a transport; and layouts as a table of functions. Link with cartgen::cartgen.
 */
#ifndef CARTGEN_LAYOUT_H
#define CARTGEN_LAYOUT_H

#include "cartgen/cartgen.h"
#include "cartgen/reduce.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The functions of a generated layout NAME for callers that know no NAME: layout is a const NAME_layout *, memory
 * what NAME_pack and NAME_unpack take, a base address or (arrays 1) a const NAME_arrays *. Made by
 * CARTGEN_LAYOUT_CALLS, used by cartgen_p2p (p2p.h). */
typedef struct cartgen_layout_calls {
    const char *name;
    int64_t (*size)(const void *layout);
    void (*pack)(const void *layout, void *packed, const void *memory);
    void (*unpack)(const void *layout, void *memory, const void *packed);
    void (*pack_range)(const void *layout, void *packed, const void *memory, int64_t first,
                       int64_t bytes);
    void (*unpack_range)(const void *layout, void *memory, const void *packed, int64_t first,
                         int64_t bytes);
    int (*pack_contiguous)(const void *layout, int64_t *at_p);
    int (*unpack_contiguous)(const void *layout, int64_t *at_p);
    int (*pack_visit)(const void *layout, const cartgen_visitor *visitor);
    int (*unpack_visit)(const void *layout, const cartgen_visitor *visitor);
} cartgen_layout_calls;

/* At file level: defines `static const cartgen_layout_calls NAME_calls`. The second form is for layouts over several
 * arrays. C and C++. */
#define CARTGEN_LAYOUT_CALLS(NAME) CARTGEN_LAYOUT_CALLS_OF(NAME, const void *, void *)
#define CARTGEN_LAYOUT_CALLS_ARRAYS(NAME)                                                         \
    CARTGEN_LAYOUT_CALLS_OF(NAME, const NAME##_arrays *, const NAME##_arrays *)

#define CARTGEN_LAYOUT_CALLS_OF(NAME, FROM, TO)                                                   \
    static int64_t NAME##_call_size(const void *layout)                                           \
    {                                                                                             \
        return NAME##_size((const NAME##_layout *)layout);                                        \
    }                                                                                             \
    static void NAME##_call_pack(const void *layout, void *packed, const void *memory)            \
    {                                                                                             \
        NAME##_pack((const NAME##_layout *)layout, packed, (FROM)memory);                         \
    }                                                                                             \
    static void NAME##_call_unpack(const void *layout, void *memory, const void *packed)          \
    {                                                                                             \
        NAME##_unpack((const NAME##_layout *)layout, (TO)memory, packed);                         \
    }                                                                                             \
    static void NAME##_call_pack_range(const void *layout, void *packed, const void *memory,      \
                                       int64_t first, int64_t bytes)                              \
    {                                                                                             \
        NAME##_pack_range((const NAME##_layout *)layout, packed, (FROM)memory, first, bytes);     \
    }                                                                                             \
    static void NAME##_call_unpack_range(const void *layout, void *memory, const void *packed,    \
                                         int64_t first, int64_t bytes)                            \
    {                                                                                             \
        NAME##_unpack_range((const NAME##_layout *)layout, (TO)memory, packed, first, bytes);     \
    }                                                                                             \
    static int NAME##_call_pack_contiguous(const void *layout, int64_t *at_p)                     \
    {                                                                                             \
        return NAME##_pack_contiguous((const NAME##_layout *)layout, at_p);                       \
    }                                                                                             \
    static int NAME##_call_unpack_contiguous(const void *layout, int64_t *at_p)                   \
    {                                                                                             \
        return NAME##_unpack_contiguous((const NAME##_layout *)layout, at_p);                     \
    }                                                                                             \
    static int NAME##_call_pack_visit(const void *layout, const cartgen_visitor *visitor)         \
    {                                                                                             \
        return NAME##_pack_visit((const NAME##_layout *)layout, visitor);                         \
    }                                                                                             \
    static int NAME##_call_unpack_visit(const void *layout, const cartgen_visitor *visitor)       \
    {                                                                                             \
        return NAME##_unpack_visit((const NAME##_layout *)layout, visitor);                       \
    }                                                                                             \
    static const cartgen_layout_calls NAME##_calls = {                                            \
        #NAME,                                                                                    \
        NAME##_call_size,                                                                         \
        NAME##_call_pack,                                                                         \
        NAME##_call_unpack,                                                                       \
        NAME##_call_pack_range,                                                                   \
        NAME##_call_unpack_range,                                                                 \
        NAME##_call_pack_contiguous,                                                              \
        NAME##_call_unpack_contiguous,                                                            \
        NAME##_call_pack_visit,                                                                   \
        NAME##_call_unpack_visit,                                                                 \
    }

/* ================================================================== for generated code */

/* A copy of the user's `count` values in *values_p; NULL where count is 0. */
cartgen_status cartgen_values_copy(const int64_t **values_p, const char *name, int64_t count,
                                   const int64_t *values);
void cartgen_values_free(const int64_t **values_p);

/* Is something left of the range first .. first + *bytes_p - 1 of a stream of `size` bytes? Cuts off
 * what is past the end. */
CARTGEN_INLINE int cartgen_range_clip(int64_t first, int64_t *bytes_p, int64_t size)
{
    if (first < 0 || first >= size)
        return 0;
    *bytes_p = cartgen_least(*bytes_p, size - first);
    return *bytes_p > 0;
}

/* CARTGEN_ERR_SIZE: a count (an expression of parameters as text, its value) is negative; also that a
 * part lies outside its array, which is a negative rest. */
cartgen_status cartgen_layout_negative(const char *name, const char *count, int64_t value);

#ifdef __cplusplus
}
#endif

#endif
