/* SPDX-License-Identifier: MIT */
/* pingpong.h - the published suite's measurement: a case there and back, phase by phase. */
#ifndef DDT_PINGPONG_H
#define DDT_PINGPONG_H

#include "report.h"

/* Printed on `output` (process 0 of MPI_COMM_WORLD). Cases are made of all pairs `o` selects.
 * Number of (case, method) pairs with faults, the same on all processes; -1 with bench_error() when
 * something could not be run. Collective over MPI_COMM_WORLD. */
int ddt_pingpong_run(const ddt_options *o, const ddt_output *output);

#endif
