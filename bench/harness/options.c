/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE

#include "options.h"

#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    FOR_BENCH = 1 << BENCH_PROGRAM,
    FOR_CHECK = 1 << CHECK_PROGRAM,
    FOR_HALO = 1 << HALO_PROGRAM,
    FOR_BOTH = FOR_BENCH | FOR_CHECK,
    FOR_TIMES = FOR_BENCH | FOR_HALO,
    FOR_ALL = FOR_BOTH | FOR_HALO
};

const char *const bench_program_names[BENCH_PROGRAMS] = {"bench_cartesians", "check_cartesians",
                                                         "halo3d"};

/* Faults that --plant knows. */
static const char *const faults[BENCH_PROGRAMS] = {
    [BENCH_PROGRAM] = "",
    [CHECK_PROGRAM] = "corrupt, swap, missing, gap, guard, stale, send",
    [HALO_PROGRAM] = "corrupt, swap, missing, interior, guard",
};

/* One row per option: what getopt needs, who takes it and what --help says. */
typedef struct bench_option {
    int key;
    const char *name;
    const char *argument; /* NULL: none */
    int programs;
    const char *help;
} bench_option;

enum { MODE = 256, ALGORITHM, ALL, SUMMARY, RAW, BATCH, BATCH_US, BUDGET, LEAST, SEED, NO_VERIFY,
       STRICT, PLANT, LIST, TIME };

static const bench_option table[] = {
    {'f', "function", "FUNCTIONS", FOR_ALL,
     "names separated by commas, shell wildcards allowed, and several -f; see below"},
    {'d', "dims", "LIST", FOR_BOTH, "dimensions of the torus: 3, 2-5, 2,4"},
    {'m', "block", "LIST", FOR_BOTH, "ints per block"},
    {'n', "neighbours", "LIST", FOR_BOTH,
     "neighbours per dimension: offsets {-1 .. n-2} in each, n^d in all, the process itself too"},
    {'n', "cells", "LIST", FOR_HALO,
     "cells per dimension of a process, without the ghosts (default 4,16,64,128)"},
    {'r', "repetitions", "N", FOR_ALL, "repetitions"},
    {'t', "trivial", NULL, FOR_BOTH, "ours with option trivial: the direct schedule"},
    {'b', "blocking", NULL, FOR_BOTH, "ours with option blocking: Sendrecv"},
    {ALGORITHM, "algorithm", "LIST", FOR_BOTH,
     "ours: auto (default), direct, combining, partial, as far as they were built"},
    {MODE, "mode", "LIST", FOR_BOTH,
     "ours: default (what the schedule says), nonblocking, persistent, blocking"},
    {ALL, "all", NULL, FOR_BOTH,
     "every d, n and collective of the table (within -d, -n and -f where they are given)"},
    {SUMMARY, "summary", NULL, FOR_TIMES,
     "medians, 95 % intervals and ratios to the best rival instead of every repetition"},
    {RAW, "raw", "FILE", FOR_TIMES, "append every repetition to FILE, whatever is printed"},
    {BATCH, "batch", "N", FOR_TIMES, "runs per repetition (default 0: as many as fill --batch-us)"},
    {BATCH_US, "batch-us", "US", FOR_TIMES, "length of a repetition in microseconds (default 100)"},
    {BUDGET, "budget", "SECONDS", FOR_TIMES,
     "per function and cell: slow functions repeat less (default 0: no limit)"},
    {LEAST, "least", "N", FOR_TIMES, "repetitions made whatever the budget (default 7)"},
    {SEED, "seed", "N", FOR_ALL, "of contents and order (default: from the clock; printed)"},
    {NO_VERIFY, "no-verify", NULL, FOR_TIMES, "do not check contents before and after timing"},
    {STRICT, "strict", NULL, FOR_CHECK,
     "differences in the MPI library's own calls make the exit status non-zero too"},
    {TIME, "time", NULL, FOR_CHECK, "print seconds per cell"},
    {PLANT, "plant", "FAULT", FOR_CHECK | FOR_HALO, "spoil the result of the last rank; see below"},
    {LIST, "list", NULL, FOR_ALL, "list functions and schedules and stop"},
    {'h', "help", NULL, FOR_ALL, "this text"},
};

#define OPTIONS ((int)(sizeof(table) / sizeof(table[0])))

static const char usage_bench[] =
    "usage: mpirun -n NP bench_cartesians [-f FUNCTIONS] [-d LIST] [-m LIST] [-n LIST]\n"
    "                                     [-r N] [-t] [-b] [options]\n"
    "Times neighbourhood exchanges of ints on a torus of all processes (extents from\n"
    "MPI_Dims_create). Several functions are timed in one run, interleaved in random order.\n";

static const char usage_check[] =
    "usage: mpirun -n NP check_cartesians [-f FUNCTIONS] [-d LIST] [-m LIST] [-n LIST]\n"
    "                                     [-r N] [-t] [-b] [options]\n"
    "Compares neighbourhood exchanges with point-to-point messages, block by block, and with\n"
    "values computed from coordinates. Prints `passed`, or the first differences and a non-zero\n"
    "exit status.\n";

static const char functions_help[] =
    "\nfunctions (X: alltoall, alltoallv, alltoallw, allgather, allgatherv, allgatherw)\n"
    "  Cart_neighbor_X          ours; also TUW_Cart_neighbor_X; with :ALGORITHM, :MODE or both\n"
    "                           behind it (Cart_neighbor_alltoall:direct:persistent)\n"
    "  MPI_Neighbor_X           the library's, on a graph communicator\n"
    "  MPI_Ineighbor_X          nonblocking, and its wait\n"
    "  MPI_Neighbor_X_init      persistent, start and wait (Open MPI 4: MPIX_Neighbor_X_init)\n"
    "  Isend_Irecv_X            by hand, one message per block\n"
    "  Packed_Isend_Irecv_X     by hand, packed, one message per process\n"
    "  Memcpy_X                 the same bytes copied once within the process: the floor\n"
    "MPI has no neighbourhood allgatherw: its rows are alltoallw with equal send blocks.\n"
    "Default: Cart_neighbor_alltoall; with --all: Cart_neighbor_*; with --summary: the library's\n"
    "alltoall calls too.\n";

static const char usage_halo[] =
    "usage: mpirun -n NP halo3d [-f FUNCTIONS] [-n LIST] [-r N] [options]\n"
    "Times the exchange of the ghosts of a 3-d array of doubles, n^3 cells a process and a rim of\n"
    "one, with 26 neighbours on a torus of all processes (extents from MPI_Dims_create). The\n"
    "functions are timed in one run, interleaved in random order. What they left is compared with\n"
    "values computed from coordinates before and after: ghosts, interior, memory round the array.\n";

static const char halo_help[] =
    "\nfunctions\n"
    "  Cart_halo                ours, auto; Cart_halo:direct, Cart_halo:dimensionwise\n"
    "  MPI_Neighbor_halo        alltoallw of subarray types on a graph communicator\n"
    "  MPI_Ineighbor_halo       the same, nonblocking, and its wait\n"
    "  Isend_Irecv_halo         subarray types, sent and received\n"
    "  Packed_Isend_Irecv_halo  by hand: loops pack, contiguous messages, loops unpack\n"
    "  Memcpy_halo              the same cells copied within the process by loops: the floor\n"
    "These have a message per neighbour. With :merged, one message per process (a struct of the\n"
    "subarrays); with :dimensionwise, two messages per dimension, one dimension after the other.\n"
    "\noutput: as bench_cartesians; m is n, em the doubles received; ratio is the best median of\n"
    "the rivals (all but ours and Memcpy) that were right, divided by that of the row.\n"
    "exit status: 0, 1 when anything but the MPI library's collectives left wrong data or could not\n"
    "be run, 2 wrong usage.\n";

static const char bench_help[] =
    "\noutput: func;nrep;np;d;m;em;N;triv;block;time, em = m n^d ints, N = n, time in\n"
    "microseconds. func;np;d;m;em;N;triv;block;batch;... with --summary, where ratio is the best\n"
    "median of the MPI library's calls in the cell divided by that of the row,\n"
    "init the time to make the plan, program what the plan took and the messages a process sends.\n"
    "A repetition is a barrier and a batch of runs back to back; its time is that of one run,\n"
    "the largest over the ranks. Contents are checked before and after timing.\n"
    "exit status: 0, 1 when ours delivered wrong data or could not be run, 2 wrong usage.\n";

static const char check_help[] =
    "\nA difference is printed as rank, block, element: got, expected; values of the exchange as\n"
    "the rank/block/element that was sent.\n"
    "exit status: 0, 1 when ours delivered wrong data or could not be run (with --strict: when\n"
    "anything did), 2 wrong usage; the same on every rank.\n";

void bench_options_help(bench_program program)
{
    static const char *const heads[] = {usage_bench, usage_check, usage_halo};
    static const char *const tails[] = {bench_help, check_help, halo_help};
    printf("%s\noptions\n", heads[program]);
    for (int i = 0; i < OPTIONS; i++) {
        const bench_option *o = &table[i];
        char left[64];
        if ((o->programs & (1 << program)) == 0)
            continue;
        char letter[4] = "   ";
        if (o->key < 256)
            snprintf(letter, sizeof(letter), "-%c,", o->key);
        snprintf(left, sizeof(left), "%s --%s%s%s", letter, o->name, o->argument ? " " : "",
                 o->argument ? o->argument : "");
        printf("  %-26s %s\n", left, o->help);
    }
    if (faults[program][0] != '\0')
        printf("\nfaults: %s\n", faults[program]);
    printf("%s%s", program == HALO_PROGRAM ? "" : functions_help, tails[program]);
}

static int parse_int(const char *text, const char **end_p, long least, int *value_p)
{
    char *end;
    errno = 0;
    long value = strtol(text, &end, 10);
    if (end == text || errno != 0 || value < least || value > INT_MAX)
        return 1;
    *value_p = (int)value;
    *end_p = end;
    return 0;
}

int bench_list_parse(const char *text, bench_list *list_p)
{
    bench_list list = {0};
    const char *at = text;
    for (;;) {
        int from;
        int to;
        if (parse_int(at, &at, 0, &from) != 0)
            break;
        to = from;
        if (*at == '-' && parse_int(at + 1, &at, 0, &to) != 0)
            break;
        for (int x = from; x <= to && list.count < BENCH_LIST; x++)
            list.values[list.count++] = x;
        if (*at == '\0' && list.count > 0 && from <= to) {
            *list_p = list;
            return 0;
        }
        if (*at++ != ',')
            break;
    }
    return bench_fail("'%s' is not a list of numbers such as 3 or 2-5 or 1,10,100", text);
}

static int whole(const char *text, long least, int *value_p)
{
    const char *end;
    if (parse_int(text, &end, least, value_p) != 0 || *end != '\0')
        return bench_fail("'%s' is not a whole number of at least %ld", text, least);
    return 0;
}

static int seconds(const char *text, double unit, double *value_p)
{
    char *end;
    double value = strtod(text, &end);
    if (end == text || *end != '\0' || !(value >= 0.0))
        return bench_fail("'%s' is not a time", text);
    *value_p = value * unit;
    return 0;
}

/* Several -f are joined by commas. */
static int add_functions(bench_options *o, const char *text)
{
    static char joined[4096];
    if (o->functions.patterns == NULL)
        joined[0] = '\0';
    size_t used = strlen(joined);
    if (used + strlen(text) + 2 > sizeof(joined))
        return bench_fail("too many functions");
    snprintf(joined + used, sizeof(joined) - used, "%s%s", used > 0 ? "," : "", text);
    o->functions.patterns = joined;
    return 0;
}

static int take_fault(bench_options *o, const char *text)
{
    const char *at = strstr(faults[o->program], text);
    size_t length = strlen(text);
    int starts = at != NULL && (at == faults[o->program] || at[-1] == ' ');
    if (!starts || (at[length] != ',' && at[length] != '\0'))
        return bench_fail("unknown fault '%s' for --plant", text);
    o->plan.plant = text;
    return 0;
}

static int take(bench_options *o, int key, const char *text)
{
    int seed = 0;
    switch (key) {
    case 'f': return add_functions(o, text);
    case 'd': return bench_list_parse(text, &o->d);
    case 'm': return bench_list_parse(text, &o->m);
    case 'n': return bench_list_parse(text, &o->n);
    case 'r': return whole(text, 1, &o->plan.repetitions);
    case 't': o->functions.trivial = 1; return 0;
    case 'b': o->functions.blocking = 1; return 0;
    case 'h': o->help = 1; return 0;
    case MODE: o->functions.modes = text; return 0;
    case ALGORITHM: o->functions.algorithms = text; return 0;
    case ALL: o->all = 1; return 0;
    case SUMMARY: o->summary = 1; return 0;
    case RAW: o->raw = text; return 0;
    case BATCH: return whole(text, 0, &o->plan.batch);
    case BATCH_US: return seconds(text, 1e-6, &o->plan.batch_seconds);
    case BUDGET: return seconds(text, 1.0, &o->plan.budget);
    case LEAST: return whole(text, 1, &o->plan.least);
    case SEED:
        if (whole(text, 0, &seed) != 0)
            return 1;
        o->plan.seed = (unsigned)seed;
        return 0;
    case NO_VERIFY: o->plan.verify = 0; return 0;
    case STRICT: o->strict = 1; return 0;
    case TIME: o->show_time = 1; return 0;
    case PLANT: return take_fault(o, text);
    case LIST: o->list = 1; return 0;
    default: return bench_fail("unknown or incomplete option; --help tells them all");
    }
}

static int in_range(const bench_list *list, int least, int most, const char *what)
{
    for (int i = 0; i < list->count; i++) {
        if (list->values[i] < least || list->values[i] > most)
            return bench_fail("%s %d is not within %d .. %d", what, list->values[i], least, most);
    }
    return 0;
}

/* What was not given; then ranges. */
static int cartesian_defaults(bench_options *o)
{
    int most_d;
    int most_n;
    bench_variant_limits(&most_d, &most_n);
    char range[16];
    snprintf(range, sizeof(range), "1-%d", most_d);
    if (o->d.count == 0)
        bench_list_parse(o->all ? range : "3", &o->d);
    snprintf(range, sizeof(range), "2-%d", most_n);
    if (o->n.count == 0)
        bench_list_parse(o->all ? range : "3", &o->n);
    if (o->m.count == 0)
        bench_list_parse("10", &o->m);
    if (o->functions.patterns == NULL) {
        add_functions(o, o->all ? "Cart_neighbor_*" : "Cart_neighbor_alltoall");
        if (o->summary && !o->all)
            add_functions(o, "MPI*_alltoall,MPI*_alltoall_init");
    }
    return in_range(&o->d, 1, CARTGEN_MAX_DIMS, "-d") != 0 || in_range(&o->n, 2, 100, "-n") != 0;
}

static int halo_defaults(bench_options *o)
{
    if (o->n.count == 0)
        bench_list_parse("4,16,64,128", &o->n);
    if (o->functions.patterns == NULL)
        add_functions(o, "*");
    return in_range(&o->n, 1, 1000, "-n") != 0;
}

int bench_options_parse(bench_program program, int argc, char *argv[], bench_options *options_p)
{
    struct option longs[OPTIONS + 1];
    char shorts[2 * OPTIONS + 2] = ":";
    int nlongs = 0;
    for (int i = 0; i < OPTIONS; i++) {
        if ((table[i].programs & (1 << program)) == 0)
            continue;
        int has = table[i].argument != NULL ? required_argument : no_argument;
        longs[nlongs++] = (struct option){table[i].name, has, NULL, table[i].key};
        if (table[i].key < 256) {
            size_t at = strlen(shorts);
            snprintf(shorts + at, sizeof(shorts) - at, "%c%s", table[i].key, has ? ":" : "");
        }
    }
    longs[nlongs] = (struct option){0};
    bench_options o = {.program = program,
                       .plan = {.repetitions = program == CHECK_PROGRAM ? 2 : 100,
                                .batch_seconds = 100e-6, .least = 7, .verify = 1}};
    opterr = 0;
    for (int key; (key = getopt_long(argc, argv, shorts, longs, NULL)) != -1;) {
        if (take(&o, key, optarg) != 0)
            return 1;
    }
    if (optind < argc)
        return bench_fail("'%s' is not an option; --help tells them all", argv[optind]);
    if (program == HALO_PROGRAM ? halo_defaults(&o) : cartesian_defaults(&o))
        return 1;
    *options_p = o;
    return 0;
}
