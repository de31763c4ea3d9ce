/* SPDX-License-Identifier: MIT */
/*
 * kernels.h - pack and unpack alone, on one process, in three states of the cache: hot (the same
 * buffers again and again), l3 and dram (between two uses of a line 16 MiB or 256 MiB of other
 * lines are used: copies of the case one after the other, and a sweep over other memory where they
 * do not add up to that).
 */
#ifndef DDT_KERNELS_H
#define DDT_KERNELS_H

#include "report.h"

/* Number of (case, method) pairs with faults; -1 with bench_error() when a case cannot be made. */
int ddt_kernels_run(const ddt_options *o, const ddt_output *output);

#endif
