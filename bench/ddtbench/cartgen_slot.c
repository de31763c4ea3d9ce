/* SPDX-License-Identifier: MIT */
#include "cartgen_slot.h"

const ddt_cartgen *ddt_cartgen_open(const char *test, const char *size)
{
    (void)test;
    (void)size;
    return NULL;
}
