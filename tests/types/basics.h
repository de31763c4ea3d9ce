/* SPDX-License-Identifier: MIT */
/*
 * basics.h - the basic types: names, sizes, values to fill with, reductions by the definition of C.
 */
#ifndef CARTGEN_TESTS_TYPES_BASICS_H
#define CARTGEN_TESTS_TYPES_BASICS_H

#include <stddef.h>
#include <stdint.h>

/* X(name in a description, C type, class, MPI's type) */
#define BASIC_TYPES(X)                                                                            \
    X(char, char, signed, MPI_CHAR)                                                               \
    X(signed_char, signed char, signed, MPI_SIGNED_CHAR)                                          \
    X(unsigned_char, unsigned char, unsigned, MPI_UNSIGNED_CHAR)                                  \
    X(byte, unsigned char, unsigned, MPI_BYTE)                                                    \
    X(bool, _Bool, logical, MPI_C_BOOL)                                                           \
    X(short, short, signed, MPI_SHORT)                                                            \
    X(unsigned_short, unsigned short, unsigned, MPI_UNSIGNED_SHORT)                               \
    X(int, int, signed, MPI_INT)                                                                  \
    X(unsigned, unsigned, unsigned, MPI_UNSIGNED)                                                 \
    X(long, long, signed, MPI_LONG)                                                               \
    X(unsigned_long, unsigned long, unsigned, MPI_UNSIGNED_LONG)                                  \
    X(long_long, long long, signed, MPI_LONG_LONG)                                                \
    X(unsigned_long_long, unsigned long long, unsigned, MPI_UNSIGNED_LONG_LONG)                   \
    X(float, float, real, MPI_FLOAT)                                                              \
    X(double, double, real, MPI_DOUBLE)                                                           \
    X(long_double, long double, real, MPI_LONG_DOUBLE)                                            \
    X(int8, int8_t, signed, MPI_INT8_T)                                                           \
    X(int16, int16_t, signed, MPI_INT16_T)                                                        \
    X(int32, int32_t, signed, MPI_INT32_T)                                                        \
    X(int64, int64_t, signed, MPI_INT64_T)                                                        \
    X(uint8, uint8_t, unsigned, MPI_UINT8_T)                                                      \
    X(uint16, uint16_t, unsigned, MPI_UINT16_T)                                                   \
    X(uint32, uint32_t, unsigned, MPI_UINT32_T)                                                   \
    X(uint64, uint64_t, unsigned, MPI_UINT64_T)                                                   \
    X(float_complex, float _Complex, complex, MPI_C_FLOAT_COMPLEX)                                \
    X(double_complex, double _Complex, complex, MPI_C_DOUBLE_COMPLEX)

#define BASIC_ENUM(name, type, class, mpi) BASIC_##name,
enum { BASIC_TYPES(BASIC_ENUM) BASIC_COUNT };
#undef BASIC_ENUM

typedef struct basic {
    const char *name;
    int64_t bytes;
    int64_t align;
    /* Bytes of a value that count: the rest of a long double is padding. */
    int64_t value_bytes;
} basic;

extern const basic basics[BASIC_COUNT];

/* Number of a basic type, -1 when there is none of that name. */
int basic_find(const char *name);

/* Number of a reduction (sum min max prod and or xor), -1 when there is none of that name. */
int basic_find_op(const char *name);

/* A value at `at` for which the reduction is exact and defined: small where signed arithmetic could
 * overflow, any value where it is modular, halves and quarters in floating point. */
void basic_fill(int basic, int op, void *at, uint64_t random);

/* *to = *to op *from; 0 when the class of the type has no such reduction. */
int basic_reduce(int basic, int op, void *to, const void *from);

#endif
