/* SPDX-License-Identifier: MIT */
/* basics.c - see basics.h. Values are moved by memcpy: nothing here is aligned. */
#include "basics.h"

#include <float.h>
#include <stdalign.h>
#include <string.h>

enum { OP_SUM, OP_MIN, OP_MAX, OP_PROD, OP_AND, OP_OR, OP_XOR, OP_COUNT };

static const char *const op_names[OP_COUNT] = {"sum", "min", "max", "prod", "and", "or", "xor"};

/* An x87 value is ten bytes; other formats fill their type. */
enum { X87 = LDBL_MANT_DIG == 64 };

#define VALUE_BYTES(type)                                                                         \
    (X87 && _Generic((type)0, long double: 1, default: 0) ? 10 : (int64_t)sizeof(type))

const basic basics[BASIC_COUNT] = {
#define BASIC_ROW(name, type, class, mpi)                                           \
    {#name, sizeof(type), alignof(type), VALUE_BYTES(type)},
    BASIC_TYPES(BASIC_ROW)
#undef BASIC_ROW
};

int basic_find(const char *name)
{
    for (int i = 0; i < BASIC_COUNT; i++)
        if (strcmp(name, basics[i].name) == 0)
            return i;
    return -1;
}

int basic_find_op(const char *name)
{
    for (int i = 0; i < OP_COUNT; i++)
        if (strcmp(name, op_names[i]) == 0)
            return i;
    return -1;
}

/* 1 to 11, or the negative. */
static int small_value(uint64_t random)
{
    int size = (int)(random % 11) + 1;
    return (random >> 8 & 1) != 0 ? -size : size;
}

static int is_arithmetic(int op) { return op == OP_SUM || op == OP_PROD; }

/* make_CLASS(type): a value of the class from `random` for `op`, in `value`. */
#define make_signed(type) ((type)(is_arithmetic(op) ? (type)small_value(random) : (type)random))
#define make_unsigned(type) ((type)random)
#define make_logical(type) ((type)(random & 1))
#define make_real(type) ((type)small_value(random) / 2)

#define FILL_PLAIN(type, class)                                                                   \
    {                                                                                             \
        type value = make_##class(type);                                                          \
        memcpy(at, &value, sizeof value);                                                         \
        return;                                                                                   \
    }
#define fill_signed(type) FILL_PLAIN(type, signed)
#define fill_unsigned(type) FILL_PLAIN(type, unsigned)
#define fill_logical(type) FILL_PLAIN(type, logical)
#define fill_real(type) FILL_PLAIN(type, real)
#define fill_complex(type)                                                                        \
    {                                                                                             \
        fill_parts(at, sizeof(type), random);                                                     \
        return;                                                                                   \
    }

static void fill_parts(void *at, size_t bytes, uint64_t random)
{
    if (bytes == 2 * sizeof(float)) {
        float parts[2] = {(float)small_value(random) / 2, (float)small_value(random >> 20) / 2};
        memcpy(at, parts, sizeof parts);
    } else {
        double parts[2] = {small_value(random) / 2.0, small_value(random >> 20) / 2.0};
        memcpy(at, parts, sizeof parts);
    }
}

void basic_fill(int basic, int op, void *at, uint64_t random)
{
    switch (basic) {
#define FILL_CASE(name, type, class, mpi)                                                         \
    case BASIC_##name:                                                                            \
        fill_##class(type)
        BASIC_TYPES(FILL_CASE)
#undef FILL_CASE
    }
}

/* Arithmetic modulo 2^n, also where a narrow type would be promoted to int. */
#define ARITHMETIC(type, wide)                                                                    \
    case OP_SUM:                                                                                  \
        a = (type)((wide)a + (wide)b);                                                            \
        break;                                                                                    \
    case OP_PROD:                                                                                 \
        a = (type)((wide)a * (wide)b);                                                            \
        break;
#define ORDER                                                                                     \
    case OP_MIN:                                                                                  \
        a = b < a ? b : a;                                                                        \
        break;                                                                                    \
    case OP_MAX:                                                                                  \
        a = b > a ? b : a;                                                                        \
        break;
#define BITS(type)                                                                                \
    case OP_AND:                                                                                  \
        a = (type)(a & b);                                                                        \
        break;                                                                                    \
    case OP_OR:                                                                                   \
        a = (type)(a | b);                                                                        \
        break;                                                                                    \
    case OP_XOR:                                                                                  \
        a = (type)(a ^ b);                                                                        \
        break;

#define REDUCE(type, ...)                                                                         \
    {                                                                                             \
        type a, b;                                                                                \
        memcpy(&a, to, sizeof a);                                                                 \
        memcpy(&b, from, sizeof b);                                                               \
        switch (op) {                                                                             \
            __VA_ARGS__                                                                           \
        default:                                                                                  \
            return 0;                                                                             \
        }                                                                                         \
        memcpy(to, &a, (size_t)basics[basic].value_bytes);                                        \
        return 1;                                                                                 \
    }
#define reduce_signed(type) REDUCE(type, ARITHMETIC(type, type) ORDER BITS(type))
#define reduce_unsigned(type) REDUCE(type, ARITHMETIC(type, uint64_t) ORDER BITS(type))
#define reduce_logical(type) REDUCE(type, BITS(type))
#define reduce_real(type) REDUCE(type, ARITHMETIC(type, type) ORDER)
#define reduce_complex(type) REDUCE(type, ARITHMETIC(type, type))

int basic_reduce(int basic, int op, void *to, const void *from)
{
    switch (basic) {
#define REDUCE_CASE(name, type, class, mpi)                                                       \
    case BASIC_##name:                                                                            \
        reduce_##class(type)
        BASIC_TYPES(REDUCE_CASE)
#undef REDUCE_CASE
    default:
        return 0;
    }
}
