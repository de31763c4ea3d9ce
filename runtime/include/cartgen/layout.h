/* SPDX-License-Identifier: MIT */
/*
 * cartgen/layout.h - what generated layouts (`layout "NAME" { type = ... }`) are compiled against:
 * moves without a transport. Link with cartgen::cartgen.
 */
#ifndef CARTGEN_LAYOUT_H
#define CARTGEN_LAYOUT_H

#include "cartgen/cartgen.h"
#include "cartgen/reduce.h"

#ifdef __cplusplus
extern "C" {
#endif

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
