/* SPDX-License-Identifier: MIT */
/* options.h - the command line of bench_cartesians and check_cartesians. */
#ifndef BENCH_OPTIONS_H
#define BENCH_OPTIONS_H

#include "function.h"
#include "measure.h"

#define BENCH_LIST 64

typedef struct bench_list {
    int count;
    int values[BENCH_LIST];
} bench_list;

typedef struct bench_options {
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
    const char *plant;
    int list;
    int help;
} bench_options;

typedef enum bench_program { BENCH_PROGRAM, CHECK_PROGRAM } bench_program;

/* Non-zero with bench_error() on wrong usage. The same on every rank, without communication. */
int bench_options_parse(bench_program program, int argc, char *argv[], bench_options *options_p);

/* Help of a program, to stdout. */
void bench_options_help(bench_program program);

/* "3", "2-5", "1,10,100", "1-3,5" */
int bench_list_parse(const char *text, bench_list *list_p);

#endif
