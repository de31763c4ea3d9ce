/* SPDX-License-Identifier: MIT */
/*
 * trees.c - trees SEED COUNT FILE: random MPI types, their descriptions, and what MPI
 * does with them, as a Lua file for trees.lua:
 *
 *     case(7, "do ... layout ... end", { size =, lb =, extent =, true_lb =, true_extent =,
 *          names = { "int", ... }, packed = { first, length, first, length, ... } })
 *
 * names are the basic types in order, from the tree; packed the source bytes of MPI_Pack of COUNT
 * of the type, as runs. Packing happens in a process of its own, as the libraries stop in it for a
 * few types (packed is false then). Every type that get_contents hands out must be freed.
 */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cartgen/describe.h"

enum { COUNT = 2, MOST_LEAVES = 400, BUFFER = 1 << 20, ORIGIN = BUFFER / 2, MOST_BYTES = 1 << 17, FAR = 20000 };

/* ------------------------------------------------------------------ handles handed out and freed */

static long handed_out, freed;

static int is_derived(MPI_Datatype type)
{
    int ni, na, nt, combiner;
    PMPI_Type_get_envelope(type, &ni, &na, &nt, &combiner);
    return combiner != MPI_COMBINER_NAMED && combiner != MPI_COMBINER_F90_REAL &&
           combiner != MPI_COMBINER_F90_COMPLEX && combiner != MPI_COMBINER_F90_INTEGER;
}

int MPI_Type_get_contents(MPI_Datatype type, int ni, int na, int nt, int ints[],
                          MPI_Aint addresses[], MPI_Datatype types[])
{
    int code = PMPI_Type_get_contents(type, ni, na, nt, ints, addresses, types);
    for (int i = 0; code == MPI_SUCCESS && i < nt; i++)
        handed_out += is_derived(types[i]);
    return code;
}

int MPI_Type_free(MPI_Datatype *type)
{
    assert(is_derived(*type));
    freed++;
    return PMPI_Type_free(type);
}

/* ------------------------------------------------------------------ random trees */

static unsigned long long state;

static int below(int n)
{
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    return (int)((state >> 33) % (unsigned long long)n);
}

static int between(int low, int high)
{
    return low + below(high - low + 1);
}

typedef struct tree {
    MPI_Datatype type;
    int leaves;
    const char *names[MOST_LEAVES];
} tree;

static int wild; /* extents that are no multiples of alignments, empty parts */

static void leaf(tree *t)
{
    static const char *const words[] = {"char", "byte", "short", "int", "unsigned", "long", "float",
        "double", "int8", "uint16", "int64", "float_complex", "double_complex", "unsigned_char"};
    const MPI_Datatype types[] = {MPI_CHAR, MPI_BYTE, MPI_SHORT, MPI_INT, MPI_UNSIGNED, MPI_LONG,
        MPI_FLOAT, MPI_DOUBLE, MPI_INT8_T, MPI_UINT16_T, MPI_INT64_T, MPI_C_FLOAT_COMPLEX,
        MPI_C_DOUBLE_COMPLEX, MPI_UNSIGNED_CHAR};
    int k = below((int)(sizeof types / sizeof types[0]));
    t->type = types[k];
    t->leaves = 1;
    t->names[0] = words[k];
}

static int repeat(tree *t, const tree *inner, int times)
{
    if (t->leaves + times * inner->leaves > MOST_LEAVES)
        return 0;
    for (int i = 0; i < times; i++) {
        if (inner->leaves > 0)
            memcpy(t->names + t->leaves, inner->names, (size_t)inner->leaves * sizeof t->names[0]);
        t->leaves += inner->leaves;
    }
    return 1;
}

static int few(void)
{
    return between(wild ? 0 : 1, 4);
}

/* `n` starts of blocks that do not overlap, of lengths[i], in a random order, times unit. */
static void starts(int n, const int lengths[], int unit, int displs[])
{
    int at = between(-4, 3);
    int turned = below(2);
    for (int k = 0; k < n; k++) {
        int i = turned ? n - 1 - k : k;
        displs[i] = at * unit;
        at += lengths[i] + below(3);
    }
}

static int near(MPI_Datatype type)
{
    MPI_Aint lb, extent, true_lb, true_extent;
    int size;
    MPI_Type_size(type, &size);
    MPI_Type_get_extent(type, &lb, &extent);
    MPI_Type_get_true_extent(type, &true_lb, &true_extent);
    if (labs(lb) > FAR || labs(extent) > FAR)
        return 0;
    return size == 0 || (labs(true_lb) <= FAR && labs(true_extent) <= FAR);
}

static void grow(tree *t, int depth);

static int grow_darray(tree *t, const tree *inner)
{
    if (inner->leaves == 0) /* Open MPI refuses it */
        return 0;
    int n = between(1, 2), grid[2], sizes[2], how[2], args[2], cells = 1, rank, at, mine = 1;
    static const int hows[] = {MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_CYCLIC, MPI_DISTRIBUTE_NONE};
    for (int j = 0; j < n; j++) {
        how[j] = hows[below(3)];
        grid[j] = how[j] == MPI_DISTRIBUTE_NONE ? 1 : between(1, 3);
        sizes[j] = between(3, 6);
        args[j] = below(2) ? MPI_DISTRIBUTE_DFLT_DARG
                  : how[j] == MPI_DISTRIBUTE_CYCLIC ? between(1, 2) : between(2, 3);
        if (how[j] == MPI_DISTRIBUTE_BLOCK && args[j] > 0 && args[j] * grid[j] < sizes[j])
            args[j] = MPI_DISTRIBUTE_DFLT_DARG;
        cells *= grid[j];
    }
    rank = below(cells);
    at = rank;
    for (int j = n - 1; j >= 0; j--) { /* element by element: whose is it */
        int coord = at % grid[j], held = 0;
        at /= grid[j];
        for (int i = 0; i < sizes[j]; i++) {
            int block = args[j] > 0 ? args[j] : how[j] == MPI_DISTRIBUTE_CYCLIC ? 1 : (sizes[j] + grid[j] - 1) / grid[j];
            held += how[j] == MPI_DISTRIBUTE_NONE || i / block % grid[j] == coord;
        }
        mine *= held;
    }
    if (!wild && mine == 0)
        return 0;
    MPI_Type_create_darray(cells, rank, n, sizes, how, args, grid,
                           below(2) ? MPI_ORDER_C : MPI_ORDER_FORTRAN, inner->type, &t->type);
    return repeat(t, inner, mine);
}

static int grow_subarray(tree *t, const tree *inner)
{
    int n = between(1, 3), sizes[3], subsizes[3], at[3], cells = 1;
    for (int j = 0; j < n; j++) {
        sizes[j] = between(1, 5);
        subsizes[j] = between(1, sizes[j]);
        at[j] = between(0, sizes[j] - subsizes[j]);
        cells *= subsizes[j];
    }
    MPI_Type_create_subarray(n, sizes, subsizes, at, below(2) ? MPI_ORDER_C : MPI_ORDER_FORTRAN,
                             inner->type, &t->type);
    return repeat(t, inner, cells);
}

static int grow_struct(tree *t, const tree *first, int depth)
{
    static tree inner[8][3];
    tree *in = inner[depth];
    int n = between(1, 3), lengths[3], ok = 1;
    MPI_Aint displs[3], at = 8 * between(-3, 3);
    MPI_Datatype types[3];
    for (int i = 0; i < n; i++) {
        MPI_Aint lb, extent;
        if (i > 0 && below(3) == 0)
            in[i] = in[i - 1], MPI_Type_dup(in[i - 1].type, &in[i].type);
        else if (i == 0)
            in[0] = *first;
        else
            grow(&in[i], depth - 1);
        lengths[i] = few();
        types[i] = in[i].type;
        MPI_Type_get_extent(types[i], &lb, &extent);
        displs[i] = at;
        at += wild ? between(-40, 200) : 16 * between(0, 12);
        ok = ok && repeat(t, &in[i], lengths[i]);
    }
    MPI_Type_create_struct(n, lengths, displs, types, &t->type);
    for (int i = 1; i < n; i++)
        if (is_derived(types[i]))
            PMPI_Type_free(&types[i]);
    return ok;
}

/* One constructor over inner; 0 if the result is not wanted (t->type is to be freed). */
static int grow_over(tree *t, const tree *inner, int depth)
{
    int lengths[4], displs[4], n = few(), length = few(), total = 0;
    MPI_Aint lb, extent, bytes[4];
    MPI_Type_get_extent(inner->type, &lb, &extent);
    int unit = wild ? between(1, 40) : 16 * between(1, 8);
    for (int i = 0; i < n; i++)
        total += lengths[i] = few();
    switch (below(12)) {
    case 0:
        MPI_Type_contiguous(n, inner->type, &t->type);
        return repeat(t, inner, n);
    case 1:
        MPI_Type_vector(n, length, between(-5, 6), inner->type, &t->type);
        return repeat(t, inner, n * length);
    case 2:
        MPI_Type_create_hvector(n, length, unit * between(-4, 6), inner->type, &t->type);
        return repeat(t, inner, n * length);
    case 3:
        starts(n, lengths, 1, displs);
        MPI_Type_indexed(n, lengths, displs, inner->type, &t->type);
        return repeat(t, inner, total);
    case 4:
    case 5:
        starts(n, lengths, unit, displs);
        for (int i = 0; i < n; i++)
            bytes[i] = displs[i];
        if (below(2)) {
            MPI_Type_create_hindexed(n, lengths, bytes, inner->type, &t->type);
            return repeat(t, inner, total);
        }
        MPI_Type_create_hindexed_block(n, length, bytes, inner->type, &t->type);
        return repeat(t, inner, n * length);
    case 6:
        starts(n, lengths, 1, displs);
        MPI_Type_create_indexed_block(n, length, displs, inner->type, &t->type);
        return repeat(t, inner, n * length);
    case 7:
        return grow_struct(t, inner, depth);
    case 8:
        return grow_subarray(t, inner);
    case 9:
        return grow_darray(t, inner);
    case 10:
        MPI_Type_create_resized(inner->type, wild ? between(-20, 20) : 16 * between(-2, 2),
                                wild ? between(0, 300) : 16 * between(1, 20), &t->type);
        return repeat(t, inner, 1);
    default:
        MPI_Type_dup(inner->type, &t->type);
        return repeat(t, inner, 1);
    }
}

static void grow(tree *t, int depth)
{
    static tree inner[8];
    if (depth == 0 || below(8) == 0) {
        leaf(t);
        return;
    }
    for (;;) {
        grow(&inner[depth], depth - 1);
        t->leaves = 0;
        t->type = MPI_DATATYPE_NULL;
        int ok = grow_over(t, &inner[depth], depth);
        if (is_derived(inner[depth].type))
            PMPI_Type_free(&inner[depth].type);
        if (ok && near(t->type))
            return;
        if (t->type != MPI_DATATYPE_NULL)
            PMPI_Type_free(&t->type);
    }
}

/* ------------------------------------------------------------------ what MPI does */

typedef struct packed {
    int bytes;
    int from[MOST_BYTES];
} packed;

static unsigned char numbered[3][BUFFER]; /* [k][i]: byte k of i */

/* Pass k packs byte k of every position. */
static void pack(MPI_Datatype type, packed *p)
{
    static unsigned char bytes[MOST_BYTES];
    p->bytes = 0;
    for (int k = 0; k < 3; k++) {
        int at = 0;
        MPI_Pack(numbered[k] + ORIGIN, COUNT, type, bytes, (int)sizeof bytes, &at, MPI_COMM_SELF);
        for (int i = 0; i < at; i++)
            p->from[i] = (k == 0 ? 0 : p->from[i]) | bytes[i] << (8 * k);
        p->bytes = at;
    }
}

static int pack_apart(MPI_Datatype type, packed *p)
{
    int status = 0;
    fflush(NULL);
    pid_t child = fork();
    assert(child >= 0);
    if (child == 0) {
        alarm(20);
        if (freopen("/dev/null", "w", stderr) == NULL)
            _exit(1);
        pack(type, p);
        _exit(0);
    }
    waitpid(child, &status, 0);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static void print_case(FILE *out, int number, tree *t, packed *p)
{
    char *text = NULL;
    MPI_Aint lb, extent, true_lb, true_extent;
    int size;
    long before = handed_out - freed;
    cartgen_status status = cartgen_mpi_describe_text(t->type, "random", &text);
    if (status != CARTGEN_OK || handed_out - freed != before) {
        printf("type %d: status %d (%s), %ld types not freed\n", number, status,
               cartgen_last_error(), handed_out - freed - before);
        exit(1);
    }
    MPI_Type_size(t->type, &size);
    MPI_Type_get_extent(t->type, &lb, &extent);
    MPI_Type_get_true_extent(t->type, &true_lb, &true_extent);
    fprintf(out, "case(%d, %s, [==[\n%s]==], { size = %d, lb = %ld, extent = %ld, true_lb = %ld, true_extent = %ld,\nnames = {",
            number, wild ? "true" : "false", text, size, (long)lb, (long)extent,
            size == 0 ? 0 : (long)true_lb, size == 0 ? 0 : (long)true_extent);
    for (int i = 0; i < t->leaves; i++)
        fprintf(out, "\"%s\",", t->names[i]);
    MPI_Type_commit(&t->type);
    if (pack_apart(t->type, p)) {
        fprintf(out, "}, packed = {");
        for (int i = 0, k; i < p->bytes; i = k) {
            for (k = i + 1; k < p->bytes && p->from[k] == p->from[k - 1] + 1; k++)
                ;
            fprintf(out, "%d,%d,", p->from[i] - ORIGIN, k - i);
        }
        fprintf(out, "} })\n");
    } else {
        fprintf(out, "}, packed = false })\n");
    }
    cartgen_mpi_describe_free(text);
}

int main(int argc, char **argv)
{
    static tree t;
    MPI_Init(&argc, &argv);
    assert(argc == 4);
    state = strtoull(argv[1], NULL, 10);
    int count = atoi(argv[2]);
    FILE *out = fopen(argv[3], "w");
    packed *p = mmap(NULL, sizeof *p, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert(out != NULL && p != MAP_FAILED);
    for (int i = 0; i < 3 * BUFFER; i++)
        numbered[i / BUFFER][i % BUFFER] = (unsigned char)(i % BUFFER >> (8 * (i / BUFFER)));
    printf("seed %s, %d types\n", argv[1], count);
    for (int i = 0; i < count; i++) {
        wild = i % 2;
        grow(&t, between(1, 4));
        print_case(out, i, &t, p);
        if (is_derived(t.type))
            PMPI_Type_free(&t.type);
    }
    printf("%ld types handed out, %ld freed\n", handed_out, freed);
    fclose(out);
    MPI_Finalize();
    return handed_out != freed || handed_out == 0;
}
