/* SPDX-License-Identifier: MIT */
/*
 * cartgen/reduce.h - cartgen_OP_TYPE(dst, src, count): combines `count` values of a basic type at
 * src into those at dst, for the reductions of generated kernels.
 *
 * sum and prod of integers are modulo 2^bits (MPI leaves overflow open); min and max keep dst where
 * a value is not a number; and, or and xor work on bits, for bool on truth values. Addresses may
 * be unaligned, src and dst do not overlap. The padding of a long double is not written.
 */
#ifndef CARTGEN_REDUCE_H
#define CARTGEN_REDUCE_H

#include <float.h>

#include "cartgen/move.h"

/* Bytes of a long double that hold its value: an x87 one is ten. */
#define CARTGEN_LONG_DOUBLE_BYTES (LDBL_MANT_DIG == 64 ? 10 : sizeof(long double))

#define CARTGEN_REDUCE(op, name, type, bytes, expression)                                         \
    CARTGEN_INLINE void cartgen_##op##_##name(char *CARTGEN_RESTRICT dst,                         \
                                              const char *CARTGEN_RESTRICT src, int64_t count)    \
    {                                                                                             \
        for (int64_t i = 0; i < count; i++) {                                                     \
            type a, b;                                                                            \
            memcpy(&a, dst + i * (int64_t)sizeof(type), sizeof(type));                            \
            memcpy(&b, src + i * (int64_t)sizeof(type), sizeof(type));                            \
            a = (type)(expression);                                                               \
            memcpy(dst + i * (int64_t)sizeof(type), &a, bytes);                                   \
        }                                                                                         \
    }

/* Arithmetic in `wide`, an unsigned type that is not narrower than int: it wraps around. */
#define CARTGEN_REDUCE_ARITHMETIC(name, type, wide, bytes)                                        \
    CARTGEN_REDUCE(sum, name, type, bytes, (wide)a + (wide)b)                                     \
    CARTGEN_REDUCE(prod, name, type, bytes, (wide)a *(wide)b)
#define CARTGEN_REDUCE_ORDER(name, type, bytes)                                                   \
    CARTGEN_REDUCE(min, name, type, bytes, b < a ? b : a)                                         \
    CARTGEN_REDUCE(max, name, type, bytes, b > a ? b : a)
#define CARTGEN_REDUCE_BITS(name, type)                                                           \
    CARTGEN_REDUCE(and, name, type, sizeof(type), a &b)                                           \
    CARTGEN_REDUCE(or, name, type, sizeof(type), a | b)                                           \
    CARTGEN_REDUCE(xor, name, type, sizeof(type), a ^ b)
#define CARTGEN_REDUCE_INTEGER(name, type)                                                        \
    CARTGEN_REDUCE_ARITHMETIC(name, type, uint64_t, sizeof(type))                                 \
    CARTGEN_REDUCE_ORDER(name, type, sizeof(type))                                                \
    CARTGEN_REDUCE_BITS(name, type)
#define CARTGEN_REDUCE_REAL(name, type, bytes)                                                    \
    CARTGEN_REDUCE_ARITHMETIC(name, type, type, bytes)                                            \
    CARTGEN_REDUCE_ORDER(name, type, bytes)

CARTGEN_REDUCE_INTEGER(char, char)
CARTGEN_REDUCE_INTEGER(signed_char, signed char)
CARTGEN_REDUCE_INTEGER(unsigned_char, unsigned char)
CARTGEN_REDUCE_INTEGER(byte, unsigned char)
CARTGEN_REDUCE_INTEGER(short, short)
CARTGEN_REDUCE_INTEGER(unsigned_short, unsigned short)
CARTGEN_REDUCE_INTEGER(int, int)
CARTGEN_REDUCE_INTEGER(unsigned, unsigned)
CARTGEN_REDUCE_INTEGER(long, long)
CARTGEN_REDUCE_INTEGER(unsigned_long, unsigned long)
CARTGEN_REDUCE_INTEGER(long_long, long long)
CARTGEN_REDUCE_INTEGER(unsigned_long_long, unsigned long long)
CARTGEN_REDUCE_INTEGER(int8, int8_t)
CARTGEN_REDUCE_INTEGER(int16, int16_t)
CARTGEN_REDUCE_INTEGER(int32, int32_t)
CARTGEN_REDUCE_INTEGER(int64, int64_t)
CARTGEN_REDUCE_INTEGER(uint8, uint8_t)
CARTGEN_REDUCE_INTEGER(uint16, uint16_t)
CARTGEN_REDUCE_INTEGER(uint32, uint32_t)
CARTGEN_REDUCE_INTEGER(uint64, uint64_t)
CARTGEN_REDUCE_REAL(float, float, sizeof(float))
CARTGEN_REDUCE_REAL(double, double, sizeof(double))
CARTGEN_REDUCE_REAL(long_double, long double, CARTGEN_LONG_DOUBLE_BYTES)
/* One byte that is 0 or 1. */
CARTGEN_REDUCE_BITS(bool, unsigned char)

/* Sums of complex numbers are those of their parts; C++ has no _Complex. */
#define CARTGEN_REDUCE_COMPLEX(name, part)                                                        \
    CARTGEN_INLINE void cartgen_sum_##name(char *CARTGEN_RESTRICT dst,                            \
                                           const char *CARTGEN_RESTRICT src, int64_t count)       \
    {                                                                                             \
        cartgen_sum_##part(dst, src, 2 * count);                                                  \
    }                                                                                             \
    CARTGEN_INLINE void cartgen_prod_##name(char *CARTGEN_RESTRICT dst,                           \
                                            const char *CARTGEN_RESTRICT src, int64_t count)      \
    {                                                                                             \
        for (int64_t i = 0; i < count; i++) {                                                     \
            part a[2], b[2], c[2];                                                                \
            memcpy(a, dst + i * (int64_t)sizeof a, sizeof a);                                     \
            memcpy(b, src + i * (int64_t)sizeof b, sizeof b);                                     \
            c[0] = a[0] * b[0] - a[1] * b[1];                                                     \
            c[1] = a[0] * b[1] + a[1] * b[0];                                                     \
            memcpy(dst + i * (int64_t)sizeof c, c, sizeof c);                                     \
        }                                                                                         \
    }

CARTGEN_REDUCE_COMPLEX(float_complex, float)
CARTGEN_REDUCE_COMPLEX(double_complex, double)

#endif
