/* SPDX-License-Identifier: MIT */
/* options.h - the command line of ddtbench. */
#ifndef DDT_OPTIONS_H
#define DDT_OPTIONS_H

#include "cases.h"
#include "methods.h"

typedef enum ddt_cache { DDT_HOT, DDT_L3, DDT_DRAM, DDT_CACHES } ddt_cache;

extern const char *const ddt_cache_names[DDT_CACHES];

typedef struct ddt_options {
    const char *tests; /* comma separated patterns with shell wildcards; NULL: all */
    const char *sizes;
    const char *methods;
    const char *caches;
    const char *out;   /* file of the raw values, "-" for stdout; NULL: none */
    const char *plant;
    int outer;
    int reps;
    int kernel_only;
    int summary;
    int list;
    int help;
    unsigned seed; /* 0: from the clock */
} ddt_options;

/* Non-zero with bench_error() on wrong usage: the same on every rank, without communication. */
int ddt_options_parse(int argc, char *argv[], ddt_options *options_p);

void ddt_options_help(void);

/* One of the patterns, or NULL for all. */
int ddt_selected(const char *patterns, const char *name);

#endif
