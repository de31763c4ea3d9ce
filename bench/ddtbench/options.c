/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE

#include "options.h"

#include <errno.h>
#include <fnmatch.h>
#include <getopt.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "content.h"
#include "harness/cell.h"

const char *const ddt_cache_names[DDT_CACHES] = {"hot", "l3", "dram"};

/* One row per option: what getopt needs and what --help says. */
static const struct {
    int key;
    const char *name;
    const char *argument; /* NULL: none */
    const char *help;
} rows[] = {
    {'t', "test", "TESTS", "names separated by commas, shell wildcards allowed (default: all)"},
    {'s', "size", "SIZES", "the same for sizes"},
    {'m', "method", "METHODS", "the same for methods"},
    {'o', "outer", "N", "outer loops: methods are made and freed in each (default 10)"},
    {'r', "reps", "N", "ping-pongs per outer loop (default 20); --kernel-only: timed laps (7)"},
    {'k', "kernel-only", NULL, "pack and unpack alone, on one process"},
    {'c', "cache", "STATES", "with --kernel-only: hot, l3, dram (default: all three)"},
    {'S', "summary", NULL, "medians and ratios on stdout"},
    {'O', "out", "FILE", "every value as CSV to FILE, - for stdout (default without --summary)"},
    {'x', "seed", "N", "of contents, index lists and orders (default: from the clock; printed)"},
    {'p', "plant", "FAULT", "spoil what is received: verification must fail; see below"},
    {'l', "list", NULL, "list tests, sizes and methods and stop"},
    {'h', "help", NULL, "this text"},
};

enum { ROWS = sizeof(rows) / sizeof(rows[0]) };

void ddt_options_help(void)
{
    printf("usage: mpirun -n 2 ddtbench [options]\n"
           "       mpirun -n 1 ddtbench --kernel-only [options]\n"
           "Times the access patterns of seven applications, moved by hand-written loops, by\n"
           "MPI's derived datatypes and by MPI_Pack. Every stream is verified, byte for byte,\n"
           "before it is timed and after. FFT2 runs on all processes, the others on two.\n"
           "\noptions\n");
    for (int i = 0; i < ROWS; i++) {
        char left[64];
        snprintf(left, sizeof(left), "-%c, --%s %s", rows[i].key, rows[i].name,
                 rows[i].argument != NULL ? rows[i].argument : "");
        printf("  %-22s %s\n", left, rows[i].help);
    }
    printf("\nfaults: %s (the last one: tests with lists)\n", ddt_plant_names);
    printf("exit status: 0, 1 when a method delivered wrong data, 2 wrong usage\n"
           "columns and phases: docs/ddtbench.md\n");
}

static int whole(const char *text, long least, int *value_p)
{
    char *end;
    errno = 0;
    long value = strtol(text, &end, 10);
    if (end == text || *end != '\0' || errno != 0 || value < least || value > INT_MAX)
        return bench_fail("'%s' is not a whole number of at least %ld", text, least);
    *value_p = (int)value;
    return 0;
}

static int matches(const char *pattern, size_t length, const char *name)
{
    char one[128];
    if (length >= sizeof(one))
        return 0;
    memcpy(one, pattern, length);
    one[length] = '\0';
    return fnmatch(one, name, 0) == 0;
}

int ddt_selected(const char *patterns, const char *name)
{
    while (patterns != NULL) {
        size_t length = strcspn(patterns, ",");
        if (matches(patterns, length, name))
            return 1;
        if (patterns[length] == '\0')
            return 0;
        patterns += length + 1;
    }
    return 1;
}

static const char *test_name(int i)
{
    return i < ddt_test_count ? ddt_tests[i].name : NULL;
}

static const char *size_name(int i)
{
    for (int t = 0; t < ddt_test_count; i -= ddt_tests[t++].nsizes) {
        if (i < ddt_tests[t].nsizes)
            return ddt_tests[t].sizes[i].name;
    }
    return NULL;
}

static const char *method_name(int i)
{
    return i < ddt_method_count ? ddt_methods[i].name : NULL;
}

static const char *cache_name(int i)
{
    return i < DDT_CACHES ? ddt_cache_names[i] : NULL;
}

/* Every pattern matches a name; name(i) is NULL behind the last one. */
static int all_match(const char *what, const char *patterns, const char *(*name)(int))
{
    while (patterns != NULL) {
        size_t length = strcspn(patterns, ",");
        int i = 0;
        while (name(i) != NULL && !matches(patterns, length, name(i)))
            i++;
        if (name(i) == NULL)
            return bench_fail("there is no %s '%.*s'; --list tells them all", what, (int)length,
                              patterns);
        patterns = patterns[length] == '\0' ? NULL : patterns + length + 1;
    }
    return 0;
}

static int take(ddt_options *o, int key, const char *text)
{
    int seed = 0;
    switch (key) {
    case 't': o->tests = text; return all_match("test", text, test_name);
    case 's': o->sizes = text; return all_match("size", text, size_name);
    case 'm': o->methods = text; return all_match("method", text, method_name);
    case 'c': o->caches = text; return all_match("cache state", text, cache_name);
    case 'o': return whole(text, 1, &o->outer);
    case 'r': return whole(text, 1, &o->reps);
    case 'k': o->kernel_only = 1; return 0;
    case 'S': o->summary = 1; return 0;
    case 'O': o->out = text; return 0;
    case 'x':
        if (whole(text, 0, &seed) != 0)
            return 1;
        o->seed = (unsigned)seed;
        return 0;
    case 'p':
        o->plant = text;
        return ddt_plant_known(text)
                   ? 0
                   : bench_fail("unknown fault '%s'; known are %s", text, ddt_plant_names);
    case 'l': o->list = 1; return 0;
    case 'h': o->help = 1; return 0;
    default: return bench_fail("unknown or incomplete option; --help tells them all");
    }
}

static int has_lists(const ddt_test *test)
{
    return test->family == DDT_LAMMPS || test->family == DDT_SPECFEM_OC ||
           test->family == DDT_SPECFEM_CM;
}

/* Pairs of tests that have lists, and pairs of all tests. */
static int pairs_selected(const ddt_options *o, int *listed_p)
{
    int pairs = 0;
    *listed_p = 0;
    for (int t = 0; t < ddt_test_count; t++) {
        for (int s = 0; s < ddt_tests[t].nsizes; s++) {
            if (!ddt_selected(o->tests, ddt_tests[t].name) ||
                !ddt_selected(o->sizes, ddt_tests[t].sizes[s].name))
                continue;
            pairs++;
            *listed_p += has_lists(&ddt_tests[t]);
        }
    }
    return pairs;
}

/* What does not go together. */
static int consistent(const ddt_options *o)
{
    if (o->caches != NULL && !o->kernel_only)
        return bench_fail("--cache goes with --kernel-only");
    if (o->outer > 0 && o->kernel_only)
        return bench_fail("--outer does not go with --kernel-only");
    if (o->plant != NULL && o->kernel_only)
        return bench_fail("--plant does not go with --kernel-only");
    int listed;
    int pairs = pairs_selected(o, &listed);
    if (o->plant != NULL && strcmp(o->plant, "index") == 0 && listed < pairs)
        return bench_fail("the fault 'index' is for tests with lists: LAMMPS_full, "
                          "LAMMPS_atomic, SPECFEM3D_oc, SPECFEM3D_cm");
    if (pairs == 0)
        return bench_fail("no test has such a size; --list tells them all");
    return 0;
}

int ddt_options_parse(int argc, char *argv[], ddt_options *options_p)
{
    struct option longs[ROWS + 1] = {{0}};
    char shorts[2 * ROWS + 2] = ":";
    for (int i = 0; i < ROWS; i++) {
        int has = rows[i].argument != NULL ? required_argument : no_argument;
        size_t at = strlen(shorts);
        longs[i] = (struct option){rows[i].name, has, NULL, rows[i].key};
        snprintf(shorts + at, sizeof(shorts) - at, "%c%s", rows[i].key, has ? ":" : "");
    }
    ddt_options o = {0};
    opterr = 0;
    for (int key; (key = getopt_long(argc, argv, shorts, longs, NULL)) != -1;) {
        if (take(&o, key, optarg) != 0)
            return 1;
    }
    if (optind < argc)
        return bench_fail("'%s' is not an option; --help tells them all", argv[optind]);
    if (!o.help && !o.list && consistent(&o) != 0)
        return 1;
    if (o.outer == 0)
        o.outer = 10;
    if (o.reps == 0)
        o.reps = o.kernel_only ? 7 : 20;
    if (o.out == NULL && !o.summary)
        o.out = "-";
    *options_p = o;
    return 0;
}
