/* SPDX-License-Identifier: MIT */
/*
 * types_preload.c - the library that cartgen-types preloads: every type that the program commits is
 * described, and at MPI_Finalize rank 0 of MPI_COMM_WORLD writes those of all ranks to the file that
 * CARTGEN_TYPES_FILE names, each text once. The program's results and exit status do not change.
 */
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cartgen/describe.h"

#define PLACEHOLDER "cartgen_type" /* the name of a layout until it is numbered */
#define MOST_BYTES 2147483647

#define EXPORTED __attribute__((visibility("default")))

EXPORTED int MPI_Type_commit(MPI_Datatype *type);
EXPORTED int MPI_Finalize(void);

/* Texts, each ended by a zero byte. */
typedef struct texts {
    char *bytes;
    size_t length, capacity;
    int incomplete;
} texts;

static texts seen;
static atomic_flag busy = ATOMIC_FLAG_INIT; /* a program may commit types in several threads */

static int contains(const texts *all, const char *text)
{
    for (size_t at = 0; at < all->length; at += strlen(all->bytes + at) + 1)
        if (strcmp(all->bytes + at, text) == 0)
            return 1;
    return 0;
}

static void add(texts *all, const char *text)
{
    size_t n = strlen(text) + 1;
    if (contains(all, text))
        return;
    if (all->length + n > all->capacity) {
        size_t capacity = 2 * (all->length + n);
        char *more = realloc(all->bytes, capacity);
        if (more == NULL) {
            all->incomplete = 1;
            return;
        }
        all->bytes = more;
        all->capacity = capacity;
    }
    memcpy(all->bytes + all->length, text, n);
    all->length += n;
}

static void record(MPI_Datatype type)
{
    char *text = NULL;
    char comment[1200];
    cartgen_status status = cartgen_mpi_describe_text(type, PLACEHOLDER, &text);
    snprintf(comment, sizeof comment, "-- a type without a description: %s\n",
             status == CARTGEN_OK ? "" : cartgen_last_error());
    while (atomic_flag_test_and_set(&busy))
        ;
    add(&seen, status == CARTGEN_OK ? text : comment);
    atomic_flag_clear(&busy);
    cartgen_mpi_describe_free(text);
}

int MPI_Type_commit(MPI_Datatype *type)
{
    int code = PMPI_Type_commit(type);
    if (code == MPI_SUCCESS)
        record(*type);
    return code;
}

static int write_numbered(FILE *out, const char *text, int number)
{
    const char *name = strstr(text, "\"" PLACEHOLDER "\"");
    if (name == NULL)
        return fprintf(out, "\n%s", text) >= 0;
    return fprintf(out, "\n%.*s\"type_%d\"%s", (int)(name - text), text, number,
                   name + strlen("\"" PLACEHOLDER "\"")) >= 0;
}

static void write_file(const texts *all, int ranks)
{
    const char *path = getenv("CARTGEN_TYPES_FILE");
    int number = 0;
    if (path == NULL || path[0] == '\0')
        path = "types.lua";
    FILE *out = fopen(path, "w");
    int ok = out != NULL &&
             fprintf(out, "-- MPI types committed on %d rank%s, by cartgen-types.\n%s", ranks,
                     ranks == 1 ? "" : "s", all->incomplete ? "-- Incomplete: out of memory.\n" : "") >= 0;
    for (size_t at = 0; ok && at < all->length; at += strlen(all->bytes + at) + 1) {
        number += all->bytes[at] != '-';
        ok = write_numbered(out, all->bytes + at, number);
    }
    if (out != NULL && fclose(out) != 0)
        ok = 0;
    if (!ok) {
        fprintf(stderr, "cartgen-types: ");
        perror(path);
    }
}

/* Everything to rank 0: how much, then the texts. Collective: no message of the program is met. */
static void gather(void)
{
    int rank = 0;
    int ranks = 0;
    long long mine = (long long)seen.length;
    long long total = 0;
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    PMPI_Comm_size(MPI_COMM_WORLD, &ranks);
    PMPI_Allreduce(&mine, &total, 1, MPI_LONG_LONG, MPI_SUM, MPI_COMM_WORLD);
    if (total > MOST_BYTES) {
        if (rank == 0)
            fprintf(stderr, "cartgen-types: the descriptions have %lld bytes; nothing is written\n", total);
        return;
    }
    int length = (int)mine;
    int at = 0;
    int *lengths = rank == 0 ? calloc((size_t)ranks, 2 * sizeof *lengths) : NULL;
    char *bytes = rank == 0 ? malloc((size_t)total + 1) : NULL;
    int ready = rank != 0 || (lengths != NULL && bytes != NULL);
    PMPI_Bcast(&ready, 1, MPI_INT, 0, MPI_COMM_WORLD);
    if (ready) {
        PMPI_Gather(&length, 1, MPI_INT, lengths, 1, MPI_INT, 0, MPI_COMM_WORLD);
        for (int r = 0; rank == 0 && r < ranks; at += lengths[r++])
            lengths[ranks + r] = at;
        PMPI_Gatherv(seen.bytes, length, MPI_CHAR, bytes, lengths, rank == 0 ? lengths + ranks : NULL,
                     MPI_CHAR, 0, MPI_COMM_WORLD);
    }
    if (rank == 0 && ready) {
        texts all = {.incomplete = seen.incomplete};
        for (size_t i = 0; i < (size_t)total; i += strlen(bytes + i) + 1)
            add(&all, bytes + i);
        write_file(&all, ranks);
        free(all.bytes);
    } else if (rank == 0) {
        fprintf(stderr, "cartgen-types: out of memory; nothing is written\n");
    }
    free(lengths);
    free(bytes);
}

int MPI_Finalize(void)
{
    gather();
    free(seen.bytes);
    seen = (texts){0};
    return PMPI_Finalize();
}
