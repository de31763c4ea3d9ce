/* SPDX-License-Identifier: MIT */
/*
 * mpi_types.c - the MPI library as a second witness: the same tree made with MPI's constructors, its
 * bounds, MPI_Pack and MPI_Unpack. Several arrays are addressed from the first one: MPI_Pack of MPICH
 * 4.0.2 refuses MPI_BOTTOM.
 */
#define _POSIX_C_SOURCE 200809L

#include <inttypes.h>
#include <limits.h>
#include <mpi.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "basics.h"
#include "check.h"

long mpi_differences, mpi_unexplained;

static MPI_Datatype basic_type(int basic)
{
    switch (basic) {
#define TYPE_CASE(name, type, class, mpi)                                                         \
    case BASIC_##name:                                                                            \
        return mpi;
        BASIC_TYPES(TYPE_CASE)
#undef TYPE_CASE
    default:
        return MPI_DATATYPE_NULL;
    }
}

static int *ints(const int64_t *list, int64_t n)
{
    int *out = must_alloc((size_t)n * sizeof *out);
    for (int64_t i = 0; i < n; i++)
        out[i] = (int)list[i];
    return out;
}

static MPI_Aint *addresses(const int64_t *list, int64_t n)
{
    MPI_Aint *out = must_alloc((size_t)n * sizeof *out);
    for (int64_t i = 0; i < n; i++)
        out[i] = (MPI_Aint)list[i];
    return out;
}

static MPI_Datatype make(const tree *node, void *const bases[]);

static MPI_Datatype make_struct(const tree *node, void *const bases[])
{
    MPI_Datatype out = MPI_DATATYPE_NULL;
    MPI_Datatype *types = must_alloc((size_t)node->n * sizeof *types);
    int *bls = ints(node->bls, node->n);
    MPI_Aint *displs = addresses(node->displs, node->n);
    for (int64_t i = 0; i < node->n; i++) {
        types[i] = make(node->types[i], bases);
        if (node->bases[i] >= 0)
            displs[i] += MPI_Aint_diff((MPI_Aint)bases[node->bases[i]], (MPI_Aint)bases[0]);
    }
    MPI_Type_create_struct((int)node->n, bls, displs, types, &out);
    for (int64_t i = 0; i < node->n; i++)
        if (node->types[i]->kind != TREE_BASIC)
            MPI_Type_free(&types[i]);
    free(types);
    free(bls);
    free(displs);
    return out;
}

static MPI_Datatype make_list(const tree *node, MPI_Datatype old)
{
    MPI_Datatype out = MPI_DATATYPE_NULL;
    int n = (int)node->n;
    int *bls = node->bls != NULL ? ints(node->bls, n) : NULL;
    int *displs = ints(node->displs, n);
    MPI_Aint *bytes = addresses(node->displs, n);
    if (node->kind == TREE_INDEXED)
        MPI_Type_indexed(n, bls, displs, old, &out);
    else if (node->kind == TREE_HINDEXED)
        MPI_Type_create_hindexed(n, bls, bytes, old, &out);
    else if (node->kind == TREE_INDEXED_BLOCK)
        MPI_Type_create_indexed_block(n, (int)node->bl, displs, old, &out);
    else
        MPI_Type_create_hindexed_block(n, (int)node->bl, bytes, old, &out);
    free(bls);
    free(displs);
    free(bytes);
    return out;
}

static MPI_Datatype make_subarray(const tree *node, MPI_Datatype old)
{
    MPI_Datatype out = MPI_DATATYPE_NULL;
    int *sizes = ints(node->sizes, node->n), *subsizes = ints(node->subsizes, node->n);
    int *starts = ints(node->starts, node->n);
    MPI_Type_create_subarray((int)node->n, sizes, subsizes, starts,
                             node->is_fortran ? MPI_ORDER_FORTRAN : MPI_ORDER_C, old, &out);
    free(sizes);
    free(subsizes);
    free(starts);
    return out;
}

static MPI_Datatype make_from(const tree *node, MPI_Datatype old)
{
    MPI_Datatype out = MPI_DATATYPE_NULL;
    int count = (int)node->count, bl = (int)node->bl;
    switch (node->kind) {
    case TREE_CONTIGUOUS:
        MPI_Type_contiguous(count, old, &out);
        break;
    case TREE_ARRAY:
        count = 1;
        for (int64_t j = 0; j < node->n; j++)
            count *= (int)node->sizes[j];
        MPI_Type_contiguous(count, old, &out);
        break;
    case TREE_VECTOR:
        MPI_Type_vector(count, bl, (int)node->stride, old, &out);
        break;
    case TREE_HVECTOR:
        MPI_Type_create_hvector(count, bl, (MPI_Aint)node->stride, old, &out);
        break;
    case TREE_INDEXED:
    case TREE_HINDEXED:
    case TREE_INDEXED_BLOCK:
    case TREE_HINDEXED_BLOCK:
        return make_list(node, old);
    case TREE_SUBARRAY:
        return make_subarray(node, old);
    case TREE_RESIZED:
        MPI_Type_create_resized(old, (MPI_Aint)node->lb, (MPI_Aint)node->extent, &out);
        break;
    case TREE_BASIC:
    case TREE_STRUCT:
        break;
    }
    return out;
}

static MPI_Datatype make(const tree *node, void *const bases[])
{
    if (node->kind == TREE_BASIC)
        return basic_type(node->basic);
    if (node->kind == TREE_STRUCT)
        return make_struct(node, bases);
    MPI_Datatype old = make(node->types[0], bases);
    MPI_Datatype out = make_from(node, old);
    if (node->types[0]->kind != TREE_BASIC)
        MPI_Type_free(&old);
    return out;
}

static int has_zero(const int64_t *list, int64_t n)
{
    for (int64_t i = 0; list != NULL && i < n; i++)
        if (list[i] == 0)
            return 1;
    return 0;
}

static int has_empty(const tree *node)
{
    int is_block = node->kind == TREE_INDEXED_BLOCK || node->kind == TREE_HINDEXED_BLOCK;
    int is_vector = node->kind == TREE_VECTOR || node->kind == TREE_HVECTOR;
    if (node->kind == TREE_BASIC)
        return 0;
    if ((is_vector || node->kind == TREE_CONTIGUOUS) && node->count == 0)
        return 1;
    if ((is_vector || is_block) && node->bl == 0)
        return 1;
    if (node->displs != NULL && node->n == 0)
        return 1;
    if (has_zero(node->bls, node->n) || has_zero(node->sizes, node->n))
        return 1;
    for (int64_t i = 0; i < (node->kind == TREE_STRUCT ? node->n : 1); i++)
        if (has_empty(node->types[i]))
            return 1;
    return 0;
}

static int has_marker(const tree *node)
{
    typemap map = typemap_of(node);
    int found = 0;
    for (int64_t i = 0; i < map.n; i++)
        found |= map.entries[i].basic < 0;
    typemap_free(&map);
    return found;
}

/* A struct of types with and without explicit bounds. */
static int has_mixed(const tree *node)
{
    int marked = 0;
    if (node->kind == TREE_BASIC)
        return 0;
    if (node->kind != TREE_STRUCT)
        return has_mixed(node->types[0]);
    for (int64_t i = 0; i < node->n; i++) {
        if (has_mixed(node->types[i]))
            return 1;
        marked += has_marker(node->types[i]);
    }
    return marked > 0 && marked < node->n;
}

/* A struct all of whose items are of one basic type. */
static int has_uniform(const tree *node)
{
    if (node->kind == TREE_BASIC)
        return 0;
    if (node->kind != TREE_STRUCT)
        return has_uniform(node->types[0]);
    int uniform = 1;
    for (int64_t i = 0; i < node->n; i++) {
        if (has_uniform(node->types[i]))
            return 1;
        uniform &= node->types[i]->kind == TREE_BASIC && node->types[i]->basic == node->types[0]->basic;
    }
    return uniform;
}

/* Where libraries are known not to follow the definition. Empty parts: both give bounds to types
 * without elements. Mixed structs: MPICH 4.0.2 takes the least and greatest bound of all items where the
 * definition takes those of explicit bounds. Uniform structs: MPICH does not round their extent up. */
static const char *word_of(const situation *s)
{
    if (has_empty(s->tree))
        return "mpi-empty";
    if (has_mixed(s->tree))
        return "mpi-mixed";
    return has_uniform(s->tree) ? "mpi-uniform" : "mpi";
}

static void compare(const situation *s, const char *what, int64_t got, int64_t expected)
{
    checks_made++;
    if (got == expected)
        return;
    printf("%s %s %d: %s is %" PRId64 ", by the definition %" PRId64 "\n", word_of(s), s->name, s->set, what,
           got, expected);
    mpi_differences++;
}

static void compare_bounds(const situation *s, MPI_Datatype type)
{
    MPI_Count size = 0;
    MPI_Aint lb = 0, extent = 0, true_lb = 0, true_extent = 0;
    MPI_Type_size_x(type, &size);
    MPI_Type_get_extent(type, &lb, &extent);
    MPI_Type_get_true_extent(type, &true_lb, &true_extent);
    compare(s, "size", size, s->bounds.size);
    if (s->arrays > 0)
        return;
    compare(s, "lb", lb, s->bounds.lb);
    compare(s, "extent", extent, s->bounds.extent);
    compare(s, "true_lb", true_lb, s->bounds.true_lb);
    compare(s, "true_extent", true_extent, s->bounds.true_extent);
}

static void compare_memory(const situation *s, const memory *got, const memory *expected,
                           const char *what)
{
    char text[160];
    checks_made++;
    if (memory_equal(got, expected, text))
        return;
    printf("%s %s %d: %s: %s\n", word_of(s), s->name, s->set, what, text);
    mpi_differences++;
}

/* The packed bytes of the map, in the order of its elements. */
static void move(const typemap *map, const memory *arrays, const memory *packed, int is_pack)
{
    int64_t at = 0;
    for (int64_t i = 0; i < map->n; i++) {
        const typemap_entry *e = &map->entries[i];
        for (int64_t k = 0; e->basic >= 0 && k < basics[e->basic].bytes; k++, at++) {
            unsigned char *in = memory_at(arrays, e->base, e->displ + k);
            unsigned char *out = memory_at(packed, 0, at);
            if (is_pack)
                *out = *in;
            else
                *in = *out;
        }
    }
}

/* MPICH moves a long double by the processor's ten bytes; the rest is made equal. */
static void forget_padding(const typemap *map, const memory *arrays, const memory *expected,
                           int is_packed)
{
    int64_t at = 0;
    for (int64_t i = 0; i < map->n; i++) {
        const typemap_entry *e = &map->entries[i];
        for (int64_t k = 0; e->basic >= 0 && k < basics[e->basic].bytes; k++, at++) {
            int base = is_packed ? 0 : e->base;
            int64_t displ = is_packed ? at : e->displ + k;
            if (k >= basics[e->basic].value_bytes)
                *memory_at(arrays, base, displ) = *memory_at(expected, base, displ);
        }
    }
}

/* is_unpack: MPI_Unpack; else MPI_Pack. Overlapping elements cannot be unpacked. */
static void compare_call(const situation *s, const memory *arrays, MPI_Datatype type, int is_unpack,
                         generator *g)
{
    memory packed = memory_stream(s->bounds.size, g);
    memory expected = memory_twin(is_unpack ? arrays : &packed);
    void *buffer = arrays->bases[0];
    int position = 0, bytes = (int)s->bounds.size;
    if (is_unpack) {
        move(&s->type, &expected, &packed, 0);
        MPI_Unpack(packed.bases[0], bytes, &position, buffer, 1, type, MPI_COMM_SELF);
        forget_padding(&s->type, arrays, &expected, 0);
        compare_memory(s, arrays, &expected, "MPI_Unpack");
    } else {
        move(&s->type, arrays, &expected, 1);
        MPI_Pack(buffer, 1, type, packed.bases[0], bytes, &position, MPI_COMM_SELF);
        forget_padding(&s->type, &packed, &expected, 1);
        compare_memory(s, &packed, &expected, "MPI_Pack");
    }
    compare(s, is_unpack ? "position after MPI_Unpack" : "position after MPI_Pack", position,
            s->bounds.size);
    memory_free(&packed);
    memory_free(&expected);
}

static int entry_order(const void *a, const void *b)
{
    const typemap_entry *x = a, *y = b;
    if (x->base != y->base)
        return x->base < y->base ? -1 : 1;
    return x->displ < y->displ ? -1 : x->displ > y->displ;
}

static int overlaps(const typemap *map)
{
    typemap_entry *sorted = must_alloc((size_t)map->n * sizeof *sorted);
    int64_t n = 0;
    int found = 0;
    for (int64_t i = 0; i < map->n; i++)
        if (map->entries[i].basic >= 0)
            sorted[n++] = map->entries[i];
    qsort(sorted, (size_t)n, sizeof *sorted, entry_order);
    for (int64_t i = 1; i < n; i++)
        found |= sorted[i - 1].base == sorted[i].base &&
                 sorted[i - 1].displ + basics[sorted[i - 1].basic].bytes > sorted[i].displ;
    free(sorted);
    return found;
}

static void compare_all(situation *s)
{
    if (situation_is_far(s)) {
        MPI_Datatype type = make(s->tree, (void *[]){NULL});
        compare_bounds(s, type);
        MPI_Type_free(&type);
        return;
    }
    memory arrays = memory_make(&s->type, s->arrays > 0 ? s->arrays : 1, &s->g);
    MPI_Datatype type = make(s->tree, arrays.bases);
    MPI_Type_commit(&type);
    compare_bounds(s, type);
    compare_call(s, &arrays, type, 0, &s->g);
    if (!overlaps(&s->type))
        compare_call(s, &arrays, type, 1, &s->g);
    MPI_Type_free(&type);
    memory_free(&arrays);
}

/* Longest that the library may take for one type, in seconds. */
enum { PATIENCE = 10 };

/* In a process of its own: both libraries crash on some types, and Open MPI does not return from some. */
void check_mpi(situation *s)
{
    int status = 0;
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        mpi_differences = 0;
        signal(SIGABRT, SIG_DFL);
        signal(SIGSEGV, SIG_DFL);
        signal(SIGFPE, SIG_DFL);
        signal(SIGALRM, SIG_DFL);
        alarm(PATIENCE);
        compare_all(s);
        fflush(stdout);
        _exit(mpi_differences > 0);
    }
    if (child < 0 || waitpid(child, &status, 0) != child) {
        fprintf(stderr, "no process for MPI\n");
        exit(2);
    }
    checks_made++;
    if (!WIFEXITED(status))
        printf("%s %s %d: the library crashed or did not return\n", word_of(s), s->name, s->set);
    mpi_differences += status != 0;
    mpi_unexplained += status != 0 && strcmp(word_of(s), "mpi") == 0;
}
