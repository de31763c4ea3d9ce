/* SPDX-License-Identifier: MIT */
/*
 * kernel.h - what generated functions that move or measure data are built from. Includes nothing
 * of the runtime: such functions can be used without it.
 */
#ifndef CARTGEN_KERNEL_H
#define CARTGEN_KERNEL_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define CARTGEN_RESTRICT __restrict__
#define CARTGEN_INLINE static inline __attribute__((unused))
#else
#define CARTGEN_RESTRICT
#define CARTGEN_INLINE static inline
#endif

/* Before a loop of short moves. clang unrolls by itself. */
#if defined(__GNUC__) && !defined(__clang__)
#define CARTGEN_UNROLL _Pragma("GCC unroll 4")
#else
#define CARTGEN_UNROLL
#endif

/* Long runs are moved by the compiler's own wide moves (chunks) or by the C library, whichever is faster:
 *   - below CARTGEN_CHUNKS_LEAST bytes a call and its choice of a method cost more than its moves save;
 *   - a longer run is slower with the library's string instructions where its two ends lie differently in
 *     their cache lines, unless it has CARTGEN_CHUNKS_MOST bytes and is worth stores around the caches;
 *   - where dst is 1 to 31 bytes behind src, modulo a page, string instructions take up to 30 times as long
 *     (x86: each load seems to need the store before it).
 * Without wide moves (AVX) only the last one holds. Measured in docs/tuning.md. */
#define CARTGEN_CHUNKS_LEAST 1024
#define CARTGEN_CHUNKS_MOST ((size_t)4 << 20)
#define CARTGEN_CHUNKS_ALIGN 320 /* runs from here on are stored to whole cache lines */

CARTGEN_INLINE int cartgen_in_chunks(const char *dst, const char *src, size_t bytes)
{
    size_t apart = (size_t)((uintptr_t)dst - (uintptr_t)src);
#if defined(__AVX__)
    int wide = 1;
#else
    int wide = 0;
#endif
    if (bytes < CARTGEN_CHUNKS_LEAST)
        return wide;
    return (apart & 4095) - 1 < 31 || (wide && (apart & 63) != 0 && bytes < CARTGEN_CHUNKS_MOST);
}

/* memcpy of more than 64 bytes. */
CARTGEN_INLINE void cartgen_copy_run(char *CARTGEN_RESTRICT dst, const char *CARTGEN_RESTRICT src,
                                     size_t bytes)
{
    if (!cartgen_in_chunks(dst, src, bytes)) {
        memcpy(dst, src, bytes);
        return;
    }
    size_t i = 0;
    if (bytes >= CARTGEN_CHUNKS_ALIGN) {
        memcpy(dst, src, 64);
        i = 64 - ((uintptr_t)dst & 63);
    }
    for (; i + 64 < bytes; i += 64) {
#if defined(__GNUC__)
        __asm__("" : "+r"(i)); /* or compilers make it a call of memcpy again */
#endif
        memcpy(dst + i, src + i, 64);
    }
    memcpy(dst + bytes - 64, src + bytes - 64, 64);
}

/* memcpy for blocks whose size is known only at run time and often small. */
CARTGEN_INLINE void cartgen_copy(char *CARTGEN_RESTRICT dst, const char *CARTGEN_RESTRICT src,
                                 size_t bytes)
{
    /* Two moves that overlap cover every size between one and two of them. */
    if (bytes == 4) {
        memcpy(dst, src, 4);
    } else if (bytes > 128) {
        cartgen_copy_run(dst, src, bytes);
    } else if (bytes > 64) {
        memcpy(dst, src, 64);
        memcpy(dst + bytes - 64, src + bytes - 64, 64);
    } else if (bytes > 32) {
        memcpy(dst, src, 32);
        memcpy(dst + bytes - 32, src + bytes - 32, 32);
    } else if (bytes >= 16) {
        memcpy(dst, src, 16);
        memcpy(dst + bytes - 16, src + bytes - 16, 16);
    } else if (bytes >= 8) {
        memcpy(dst, src, 8);
        memcpy(dst + bytes - 8, src + bytes - 8, 8);
    } else if (bytes > 4) {
        memcpy(dst, src, 4);
        memcpy(dst + bytes - 4, src + bytes - 4, 4);
    } else {
        for (size_t i = 0; i < bytes; i++)
            dst[i] = src[i];
    }
}

/* ------------------------------------------------------------------ sizes and bounds of types */

/* Bytes past this, in size, are refused: below 2^63 by more than the error of a sum in double. */
#define CARTGEN_MOST_BYTES 9.0e18

/* |x| in double: layouts refuse parameters whose products may pass int64_t. */
CARTGEN_INLINE double cartgen_magnitude(int64_t x)
{
    return x < 0 ? -(double)x : (double)x;
}

CARTGEN_INLINE int64_t cartgen_min(int64_t a, int64_t b) { return a < b ? a : b; }
CARTGEN_INLINE int64_t cartgen_max(int64_t a, int64_t b) { return a > b ? a : b; }

/* a where there is something (present > 0), else b. */
CARTGEN_INLINE int64_t cartgen_choose(int64_t present, int64_t a, int64_t b)
{
    return present > 0 ? a : b;
}

/* Least, greatest of the values pairs[2 i + 1] of those with pairs[2 i] > 0; 0 where there is none. */
CARTGEN_INLINE int64_t cartgen_lowest(int64_t count, const int64_t pairs[])
{
    int64_t best = 0;
    int found = 0;
    for (int64_t i = 0; i < count; i++) {
        if (pairs[2 * i] > 0 && (!found || pairs[2 * i + 1] < best)) {
            best = pairs[2 * i + 1];
            found = 1;
        }
    }
    return best;
}

CARTGEN_INLINE int64_t cartgen_highest(int64_t count, const int64_t pairs[])
{
    int64_t best = 0;
    int found = 0;
    for (int64_t i = 0; i < count; i++) {
        if (pairs[2 * i] > 0 && (!found || pairs[2 * i + 1] > best)) {
            best = pairs[2 * i + 1];
            found = 1;
        }
    }
    return best;
}

/* value rounded up to a multiple of align (0 counts as 1). */
CARTGEN_INLINE int64_t cartgen_round_up(int64_t value, int64_t align)
{
    int64_t rest = align > 1 ? value % align : 0;
    return rest > 0 ? value + (align - rest) : value - rest;
}

/* Sum of list[count], of values >= 0; INT64_MAX where it passes CARTGEN_MOST_BYTES. */
CARTGEN_INLINE int64_t cartgen_list_total(const int64_t *list, int64_t count)
{
    int64_t total = 0;
    double size = 0;
    for (int64_t i = 0; i < count; i++) {
        size += cartgen_magnitude(list[i]);
        if (!(size < CARTGEN_MOST_BYTES))
            return INT64_MAX;
        total += list[i];
    }
    return total;
}

/* 1 where an entry of list[count] is negative. */
CARTGEN_INLINE int64_t cartgen_list_negative(const int64_t *list, int64_t count)
{
    for (int64_t i = 0; i < count; i++) {
        if (list[i] < 0)
            return 1;
    }
    return 0;
}

/* The least (sign -1) or greatest (sign 1) of index[i] * scale + place over the items i < count, and of
 * the same (lengths[i] - 1) * stride further on; lengths NULL: 1 each. Items of length 0 do not count;
 * without any: 0. INT64_MAX where a place passes CARTGEN_MOST_BYTES. */
CARTGEN_INLINE int64_t cartgen_list_place(int sign, const int64_t *index, const int64_t *lengths,
                                          int64_t count, int64_t scale, int64_t stride, int64_t place)
{
    int64_t best = 0;
    int found = 0;
    for (int64_t i = 0; i < count; i++) {
        int64_t n = lengths != NULL ? lengths[i] : 1;
        if (n <= 0)
            continue;
        if (!(cartgen_magnitude(index[i]) * cartgen_magnitude(scale) + cartgen_magnitude(place) +
                  cartgen_magnitude(n) * cartgen_magnitude(stride) < CARTGEN_MOST_BYTES))
            return INT64_MAX;
        int64_t first = index[i] * scale + place;
        int64_t last = first + (n - 1) * stride;
        int64_t at = (last < first) == (sign < 0) ? last : first;
        if (!found || (at < best) == (sign < 0)) {
            best = at;
            found = 1;
        }
    }
    return best;
}

CARTGEN_INLINE int64_t cartgen_list_low(const int64_t *index, const int64_t *lengths, int64_t count,
                                        int64_t scale, int64_t stride, int64_t place)
{
    return cartgen_list_place(-1, index, lengths, count, scale, stride, place);
}

CARTGEN_INLINE int64_t cartgen_list_high(const int64_t *index, const int64_t *lengths, int64_t count,
                                         int64_t scale, int64_t stride, int64_t place)
{
    return cartgen_list_place(1, index, lengths, count, scale, stride, place);
}

#ifdef __cplusplus
}
#endif

#endif
