/* SPDX-License-Identifier: MIT */
/* program.h - the main function of the bench's programs. */
#ifndef BENCH_PROGRAM_H
#define BENCH_PROGRAM_H

#include "options.h"

/* Parses the command line, then help, `list` (on rank 0), or `run` (collective), whose exit status
 * is the program's. */
int bench_main(bench_program program, int argc, char *argv[], void (*list)(void),
               int (*run)(const bench_options *options, int rank));

#endif
