/* SPDX-License-Identifier: MIT */
/*
 * harness.c - types_harness [--seed N] [--mpi | --exchange] TABLE [LIBRARY]
 *
 * Reads the table of cases (emit.lua). LIBRARY: the generated functions of all cases, as a shared
 * object, are checked against the interpreter. --mpi: so is the MPI library. --exchange: the library holds
 * schedules of the cases, which all ranks run. A line "at CASE SET" stands
 * before what is found of it. Status: 0 no fault; 1 faults, each a line, or MPI differing in more than
 * a hundredth of the cases in a way that is not a known one; 2 damaged input.
 */
#include <dlfcn.h>
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "exchange.h"

typedef struct options {
    uint64_t seed;
    int with_mpi;
    int with_exchange;
    int rank;
    const char *table;
    const char *library;
} options;

static options read_options(int argc, char **argv)
{
    options o = {.seed = 1};
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--mpi") == 0)
            o.with_mpi = 1;
        else if (strcmp(argv[i], "--exchange") == 0)
            o.with_exchange = 1;
        else if (strcmp(argv[i], "--seed") == 0 && i + 1 < argc)
            o.seed = strtoull(argv[++i], NULL, 10);
        else if (o.table == NULL)
            o.table = argv[i];
        else
            o.library = argv[i];
    }
    if (o.table == NULL) {
        fprintf(stderr, "usage: types_harness [--seed N] [--mpi | --exchange] TABLE [LIBRARY]\n");
        exit(2);
    }
    return o;
}

static void *need(void *p, const char *what)
{
    if (p == NULL) {
        fprintf(stderr, "%s: %s\n", what, dlerror());
        exit(2);
    }
    return p;
}

static const subject *subject_named(void *library, const char *name)
{
    const subject *all = need(dlsym(library, "subjects"), "subjects");
    const int *count = need(dlsym(library, "subjects_count"), "subjects_count");
    for (int i = 0; i < *count; i++)
        if (strcmp(all[i].name, name) == 0)
            return &all[i];
    fprintf(stderr, "the library has no layout %s\n", name);
    exit(2);
}

static const exchange *exchange_named(void *library, const char *name)
{
    const exchange *all = need(dlsym(library, "exchanges"), "exchanges");
    const int *count = need(dlsym(library, "exchanges_count"), "exchanges_count");
    for (int i = 0; i < *count; i++)
        if (strcmp(all[i].name, name) == 0)
            return &all[i];
    fprintf(stderr, "the library has no schedule %s\n", name);
    exit(2);
}

static void check_set(const options *o, void *library, FILE *in, const char *name, int arrays, int set)
{
    char word[64];
    read_word(in, word);
    int64_t n = read_number(in);
    int64_t *values = must_alloc((size_t)n * sizeof *values);
    for (int64_t i = 0; i < n; i++)
        values[i] = read_number(in);
    read_word(in, word);
    tree *type = tree_read(in);
    read_word(in, word);
    tree *to = tree_read(in);

    situation s = {.name = name, .set = set, .arrays = arrays, .tree = type, .values = values};
    s.type = typemap_of(type);
    s.to = typemap_of(to);
    s.bounds = typemap_bounds_of(&s.type);
    s.g.x = (o->seed + 1) * 0x9e3779b97f4a7c15u + (uint64_t)set;
    if (o->rank == 0)
        printf("at %s %d\n", name, set);
    fflush(stdout);
    if (typemap_bounds_of(&s.to).size != s.bounds.size)
        report("fault", &s, "the case is wrong: its types have different sizes");
    else if (o->with_exchange)
        check_exchange(&s, exchange_named(library, name), n);
    else if (library != NULL)
        check_subject(&s, subject_named(library, name));
    if (o->with_mpi)
        check_mpi(&s);
    fflush(stdout);
    typemap_free(&s.type);
    typemap_free(&s.to);
    tree_free(type);
    tree_free(to);
    free(values);
}

int main(int argc, char **argv)
{
    options o = read_options(argc, argv);
    void *library = NULL;
    FILE *in = need(fopen(o.table, "r"), o.table);
    if (o.library != NULL)
        library = need(dlopen(o.library, RTLD_NOW | RTLD_LOCAL), o.library);
    if (o.with_mpi || o.with_exchange)
        MPI_Init(&argc, &argv);
    if (o.with_exchange)
        MPI_Comm_rank(MPI_COMM_WORLD, &o.rank);

    char word[64], name[64];
    long cases = 0;
    for (read_word(in, word); strcmp(word, "case") == 0; read_word(in, word), cases++) {
        read_word(in, name);
        int arrays = (int)read_number(in);
        int64_t sets = read_number(in);
        for (int set = 0; set < sets; set++)
            check_set(&o, library, in, name, arrays, set);
    }
    if (o.with_exchange)
        MPI_Allreduce(MPI_IN_PLACE, &faults_found, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    if (o.rank == 0)
        printf("done: %ld cases, %ld comparisons, %ld faults; MPI differs %ld times, %ld unexplained\n",
               cases, checks_made, faults_found, mpi_differences, mpi_unexplained);
    fclose(in);
    if (o.with_mpi || o.with_exchange)
        MPI_Finalize();
    return faults_found > 0 || mpi_unexplained * 100 > cases;
}
