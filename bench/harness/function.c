/* SPDX-License-Identifier: MIT */
/* function.c - the list of functions and how -f, --algorithm and --mode select from it. */
#include "function.h"

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST 256 /* functions: 6 collectives, ours times 4 algorithms times 4 modes */

static const char *const algorithms[] = {"auto", "direct", "combining", "partial"};
static const char *const modes[] = {"default", "nonblocking", "persistent", "blocking"};

/* A family: one function per collective, called prefix, collective, suffix. */
typedef struct family {
    const char *prefix;
    const char *suffix;
    const bench_kind *kind;
    int form;
} family;

#define OURS 0
#define PERSISTENT 3

static const family families[] = {
    [OURS] = {"Cart_neighbor_", "", &bench_kind_cartgen, 0},
    {"MPI_Neighbor_", "", &bench_kind_mpi, BENCH_BLOCKING},
    {"MPI_Ineighbor_", "", &bench_kind_mpi, BENCH_NONBLOCKING},
    [PERSISTENT] = {"Neighbor_", "_init", &bench_kind_mpi_persistent, BENCH_PERSISTENT},
    {"Isend_Irecv_", "", &bench_kind_hand, 0},
    {"Packed_Isend_Irecv_", "", &bench_kind_packed, 0},
    {"Memcpy_", "", &bench_kind_copy, 0},
};

#define FAMILIES ((int)(sizeof(families) / sizeof(families[0])))

static int base_name(int f, bench_collective c, char name[BENCH_NAME])
{
    const char *library = f == PERSISTENT ? bench_mpi_persistent_prefix() : "";
    if (library == NULL)
        return 0;
    snprintf(name, BENCH_NAME, "%s%s%s%s", library, families[f].prefix, bench_collective_names[c],
             families[f].suffix);
    return 1;
}

/* Does `word` occur in the comma separated list (NULL: is it `fallback`)? */
static int listed(const char *list, const char *word, const char *fallback)
{
    if (list == NULL)
        return strcmp(word, fallback) == 0;
    size_t length = strlen(word);
    for (const char *at = list; at != NULL; at = strchr(at, ',')) {
        at += *at == ',';
        if (strncmp(at, word, length) == 0 && (at[length] == ',' || at[length] == '\0'))
            return 1;
    }
    return 0;
}

/* Name of one of ours: algorithm and mode are told when they are not the usual ones. */
static void own_name(bench_function *f, const char *base)
{
    const char *algorithm = strcmp(f->algorithm, "auto") == 0 ? "" : f->algorithm;
    const char *mode = strcmp(f->mode, "default") == 0 ? "" : f->mode;
    snprintf(f->name, BENCH_NAME, "%.38s%s%s%s%s", base, *algorithm ? ":" : "", algorithm,
             *mode ? ":" : "", mode);
}

/* All functions, ours in every algorithm and mode. */
static int universe(const bench_selection *selection, bench_function *out)
{
    int count = 0;
    for (int f = 0; f < FAMILIES; f++) {
        for (int c = 0; c < BENCH_COLLECTIVES; c++) {
            char base[BENCH_NAME];
            if (!base_name(f, (bench_collective)c, base))
                continue;
            bench_function function = {.kind = families[f].kind,
                                       .collective = (bench_collective)c,
                                       .variant = families[f].form,
                                       .algorithm = "auto",
                                       .mode = "default",
                                       .trivial = selection->trivial,
                                       .blocking = selection->blocking};
            if (f != OURS) {
                memcpy(function.name, base, BENCH_NAME);
                out[count++] = function;
                continue;
            }
            for (int a = 0; a < 4; a++) {
                for (int b = 0; b < 4; b++) {
                    function.algorithm = algorithms[a];
                    function.mode = modes[b];
                    own_name(&function, base);
                    out[count++] = function;
                }
            }
        }
    }
    return count;
}

/* Spellings of the published programs and of the other library: TUW_Cart_... is Cart_...,
 * MPI_Neighbor_X_init and MPIX_Neighbor_X_init are each other. */
static void canonical(const char *word, size_t length, char *out, size_t capacity)
{
    const char *prefix = bench_mpi_persistent_prefix();
    snprintf(out, capacity, "%.*s", (int)length, word);
    if (strncmp(out, "TUW_", 4) == 0)
        memmove(out, out + 4, strlen(out + 4) + 1);
    char *bare = strstr(out, "Neighbor_");
    char *end = strstr(out, "_init");
    if (prefix != NULL && bare != NULL && end != NULL && strncmp(out, "MPI", 3) == 0) {
        char rest[BENCH_NAME];
        snprintf(rest, sizeof(rest), "%s", bare);
        snprintf(out, capacity, "%s%s", prefix, rest);
    }
}

/* A pattern with a colon names algorithm and mode itself; one without is taken in the algorithms
 * and modes of the options. */
static int selected(const bench_function *f, const char *pattern, const bench_selection *s)
{
    if (strchr(pattern, ':') != NULL)
        return fnmatch(pattern, f->name, 0) == 0;
    char base[BENCH_NAME];
    snprintf(base, sizeof(base), "%.*s", (int)strcspn(f->name, ":"), f->name);
    if (fnmatch(pattern, base, 0) != 0)
        return 0;
    if (f->kind != &bench_kind_cartgen)
        return 1;
    return listed(s->algorithms, f->algorithm, "auto") && listed(s->modes, f->mode, "default");
}

static int known(const char *list, const char *const words[], const char *what)
{
    for (const char *at = list; at != NULL && *at != '\0';) {
        size_t length = strcspn(at, ",");
        int found = 0;
        for (int i = 0; i < 4; i++)
            found = found || (strlen(words[i]) == length && strncmp(at, words[i], length) == 0);
        if (!found)
            return bench_fail("unknown %s '%.*s'; there are %s, %s, %s, %s", what, (int)length, at,
                              words[0], words[1], words[2], words[3]);
        at += length + (at[length] == ',');
    }
    return 0;
}

typedef int matcher(const bench_function *f, const char *pattern, const bench_selection *s);

/* Those of all[nall] that match a pattern, in the order of the patterns, each once. */
static int filter(const bench_function all[], int nall, const bench_selection *selection,
                  matcher *match, bench_function **functions_p, int *count_p)
{
    bench_function *out = calloc((size_t)nall, sizeof(*out));
    char *taken = calloc((size_t)nall, 1);
    int result = 0;
    int count = 0;
    if (out == NULL || taken == NULL)
        result = bench_fail("out of memory");
    for (const char *at = selection->patterns; result == 0 && *at != '\0';) {
        size_t length = strcspn(at, ",");
        char pattern[2 * BENCH_NAME];
        int matches = 0;
        canonical(at, length, pattern, sizeof(pattern));
        for (int i = 0; i < nall; i++) {
            if (!match(&all[i], pattern, selection))
                continue;
            matches++;
            if (!taken[i])
                out[count++] = all[i];
            taken[i] = 1;
        }
        if (matches == 0)
            result = bench_fail("unknown function '%.*s'; --list names them all", (int)length, at);
        at += length + (at[length] == ',');
    }
    free(taken);
    if (result != 0) {
        free(out);
        return result;
    }
    *functions_p = out;
    *count_p = count;
    return 0;
}

int bench_functions_select(const bench_selection *selection, bench_function **functions_p,
                           int *count_p)
{
    if (known(selection->algorithms, algorithms, "algorithm") != 0 ||
        known(selection->modes, modes, "mode") != 0)
        return 1;
    bench_function *all = calloc(MOST, sizeof(*all));
    if (all == NULL)
        return bench_fail("out of memory");
    int result = filter(all, universe(selection, all), selection, selected, functions_p, count_p);
    free(all);
    return result;
}

static int whole_name(const bench_function *f, const char *pattern, const bench_selection *s)
{
    (void)s;
    return fnmatch(pattern, f->name, 0) == 0;
}

int bench_functions_filter(const bench_function all[], int nall, const char *patterns,
                           bench_function **functions_p, int *count_p)
{
    bench_selection selection = {.patterns = patterns};
    return filter(all, nall, &selection, whole_name, functions_p, count_p);
}

void bench_functions_list(void)
{
    for (int f = 0; f < FAMILIES; f++) {
        for (int c = 0; c < BENCH_COLLECTIVES; c++) {
            char name[BENCH_NAME];
            if (base_name(f, (bench_collective)c, name))
                printf("%s%s\n", name, f == OURS ? "[:ALGORITHM][:MODE]" : "");
        }
    }
}
