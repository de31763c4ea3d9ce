/* SPDX-License-Identifier: MIT */
/* options.h - the command line of the programs. */
#ifndef BENCH_OPTIONS_H
#define BENCH_OPTIONS_H

#include "function.h"
#include "measure.h"

typedef enum bench_program {
    BENCH_PROGRAM, /* bench_cartesians */
    CHECK_PROGRAM, /* check_cartesians */
    HALO_PROGRAM,  /* halo3d: -n is the local extent */
    BENCH_PROGRAMS
} bench_program;

#define BENCH_LIST 64

typedef struct bench_list {
    int count;
    int values[BENCH_LIST];
} bench_list;

typedef struct bench_options {
    bench_program program;
    bench_selection functions;
    bench_list d;
    bench_list m;
    bench_list n;
    bench_plan plan;
    int all;
    int summary;
    int strict;
    int show_time;
    const char *raw;
    int list;
    int help;
} bench_options;

extern const char *const bench_program_names[BENCH_PROGRAMS];

/* Non-zero with bench_error() on wrong usage. The same on every rank, without communication. */
int bench_options_parse(bench_program program, int argc, char *argv[], bench_options *options_p);

/* Help of a program, to stdout. */
void bench_options_help(bench_program program);

/* "3", "2-5", "1,10,100", "1-3,5" */
int bench_list_parse(const char *text, bench_list *list_p);

#endif
