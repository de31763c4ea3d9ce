/* SPDX-License-Identifier: MIT */
/*
 * cartgen/move.h - what generated kernels are made of: moves of bytes, lists of places that are
 * known at run time, prefetches. Included by cartgen/cartgen.h; nothing here needs the runtime.
 *
 * Every address may be unaligned; source and destination of one move do not overlap.
 */
#ifndef CARTGEN_MOVE_H
#define CARTGEN_MOVE_H

#include "cartgen/kernel.h"

#if defined(__SSE2__) && defined(__x86_64__) && defined(__GNUC__)
#include <emmintrin.h>
#define CARTGEN_PAST_CACHES 1
#else
#define CARTGEN_PAST_CACHES 0
#endif

#ifdef __cplusplus
extern "C" {
#endif

CARTGEN_INLINE int64_t cartgen_least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* Bytes of a range, none where there are less than one. */
CARTGEN_INLINE void cartgen_copy_part(char *CARTGEN_RESTRICT dst,
                                      const char *CARTGEN_RESTRICT src, int64_t bytes)
{
    if (bytes > 0)
        cartgen_copy(dst, src, (size_t)bytes);
}

/* A long run of a length known to the compiler, which would replace memcpy by slow string instructions. */
CARTGEN_INLINE void cartgen_copy_long(char *CARTGEN_RESTRICT dst,
                                      const char *CARTGEN_RESTRICT src, size_t bytes)
{
#if defined(__GNUC__)
    __asm__("" : "+r"(bytes));
#endif
    cartgen_copy_run(dst, src, bytes);
}

/* A short run of a length known to the compiler, in a loop of them: word by word (8 bytes, or 4 where
 * they are no multiple of 8), so that compilers combine the words of several runs into wide moves. */
CARTGEN_INLINE void cartgen_copy_words(char *CARTGEN_RESTRICT dst,
                                       const char *CARTGEN_RESTRICT src, size_t bytes)
{
    size_t word = bytes % 8 == 0 ? 8 : 4;
    for (size_t i = 0; i < bytes / word; i++) {
        if (word == 8)
            memcpy(dst + 8 * i, src + 8 * i, 8);
        else
            memcpy(dst + 4 * i, src + 4 * i, 4);
    }
}

/* ------------------------------------------------------------------ stores past the caches
 *
 * A line that is wholly written needs not be read before, if it goes to memory at once (x86: movnt). That pays
 * where so much is written that nothing of it would stay in a cache, and only for whole lines. */

/* Do whole lines of 64 bytes from `dst` on, `step` bytes apart, go past the caches, of a layout of `bytes`? */
CARTGEN_INLINE int cartgen_is_past(const char *dst, int64_t step, int64_t bytes, int64_t most)
{
    return CARTGEN_PAST_CACHES && bytes > most && ((uintptr_t)dst & 15) == 0 && (step & 63) == 0;
}

/* Items of `bytes` (a power of two) from dst up to the next line. */
CARTGEN_INLINE int64_t cartgen_before_line(const char *dst, int64_t bytes)
{
    return (int64_t)((0 - (uintptr_t)dst) & 63) / bytes;
}

/* memcpy of 8, 16 or 32 bytes, a constant; dst is aligned to as much, but to 16 at most. */
CARTGEN_INLINE void cartgen_copy_past(char *CARTGEN_RESTRICT dst, const char *CARTGEN_RESTRICT src,
                                      size_t bytes)
{
#if CARTGEN_PAST_CACHES
    if (bytes == 8) {
        long long word;
        memcpy(&word, src, 8);
        _mm_stream_si64((long long *)(void *)dst, word);
        return;
    }
    for (size_t i = 0; i < bytes; i += 16)
        _mm_stream_si128((__m128i *)(void *)(dst + i),
                         _mm_loadu_si128((const __m128i *)(const void *)(src + i)));
#else
    memcpy(dst, src, bytes);
#endif
}

/* Behind the last one: other processors see them before what is stored from here on. */
CARTGEN_INLINE void cartgen_past_end(void)
{
#if CARTGEN_PAST_CACHES
    _mm_sfence();
#endif
}

/* The address `bytes` from `base` is about to be read (written); it need not be inside an object. */
CARTGEN_INLINE void cartgen_will_read(const char *base, int64_t bytes)
{
#if defined(__GNUC__)
    __builtin_prefetch((const void *)((uintptr_t)base + (uintptr_t)bytes), 0, 3);
#else
    (void)base, (void)bytes;
#endif
}

CARTGEN_INLINE void cartgen_will_write(char *base, int64_t bytes)
{
#if defined(__GNUC__)
    __builtin_prefetch((const void *)((uintptr_t)base + (uintptr_t)bytes), 1, 3);
#else
    (void)base, (void)bytes;
#endif
}

/* Places known at run time, as kernels walk them: one of
 *   step != 0   count items, the first at `first`, the others `step` bytes apart
 *   index       count items, item i at index[i] * scale
 *   at          count pieces, piece i at at[i]; sum[i] bytes of the stream before it ([count + 1])
 * in bytes from the origin of the list. Where items are one run of bytes, runs that touch are one
 * piece; pieces then differ in length (sum[i + 1] - sum[i]). */
typedef struct cartgen_list {
    int64_t count;
    int64_t bytes; /* of the stream, all items */
    int64_t first;
    int64_t step;
    int64_t scale;
    const int32_t *index;
    const int64_t *at;
    const int64_t *sum;
    void *block; /* what the arrays lie in */
} cartgen_list;

/* A run of a constant layout: `bytes` at `at`, after `from` bytes of the stream. */
typedef struct cartgen_piece {
    int64_t at;
    int64_t from;
    int64_t bytes;
} cartgen_piece;

/* Place of item i of a list without pieces. */
CARTGEN_INLINE int64_t cartgen_list_item(const cartgen_list *list, int64_t i)
{
    if (list->step != 0)
        return list->first + i * list->step;
    return list->index != NULL ? list->index[i] * list->scale : list->at[i];
}

/* How many of the `*bytes` bytes from byte `*first` on lie in the next item of `size` bytes, and where
 * in it they begin; both go on behind it. */
CARTGEN_INLINE int64_t cartgen_share(int64_t *first, int64_t *bytes, int64_t size, int64_t *skip_p)
{
    int64_t part = 0;
    *skip_p = *first;
    if (*first >= size) {
        *first -= size;
    } else {
        part = cartgen_least(*bytes, size - *first);
        *first = 0;
        *bytes -= part;
    }
    return part;
}

/* The same for the pieces of a constant layout. */
CARTGEN_INLINE int64_t cartgen_piece_find(const cartgen_piece *pieces, int64_t count, int64_t byte)
{
    int64_t low = 0, high = count;
    while (high - low > 1) {
        int64_t middle = low + (high - low) / 2;
        if (pieces[middle].from <= byte)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* Piece that holds byte `byte` of the stream, 0 <= byte < bytes (lists with `at`). */
CARTGEN_INLINE int64_t cartgen_list_find(const cartgen_list *list, int64_t byte)
{
    int64_t low = 0, high = list->count;
    while (high - low > 1) {
        int64_t middle = low + (high - low) / 2;
        if (list->sum[middle] <= byte)
            low = middle;
        else
            high = middle;
    }
    return low;
}

#ifdef __cplusplus
}
#endif

#endif
