/* SPDX-License-Identifier: MIT */
/* exchange.h - schedules of the cases: three blocks of each case's type on a 2-d torus. */
#ifndef CARTGEN_TESTS_TYPES_EXCHANGE_H
#define CARTGEN_TESTS_TYPES_EXCHANGE_H

#include <stdint.h>

#include "cartgen/cartgen.h"

typedef struct exchange {
    const char *name;
    const cartgen_schedule *schedule;
    /* values: all parameters, one behind the other, in the order of the case's table. */
    cartgen_status (*open)(cartgen_comm *comm, const int64_t *values, cartgen_plan **plan_p);
    int64_t send_step; /* bytes from block to block */
    int64_t recv_step;
} exchange;

/* What the harness looks up in the library it loads. */
extern const exchange exchanges[];
extern const int exchanges_count;

#endif
