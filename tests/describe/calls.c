/* SPDX-License-Identifier: MIT */
/* calls.c - calls FILE: one type of every constructor described into FILE (compared with golden.txt),
 * then errors, and what is left behind when MPI or the allocator fails at any point. */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cartgen/describe.h"

static long handed_out, contents_calls, fail_contents_at = -1;
static long blocks, allocations, fail_allocation_at = -1;

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
    if (contents_calls++ == fail_contents_at)
        return MPI_ERR_TYPE;
    int code = PMPI_Type_get_contents(type, ni, na, nt, ints, addresses, types);
    for (int i = 0; i < nt; i++)
        handed_out += is_derived(types[i]);
    return code;
}

int MPI_Type_free(MPI_Datatype *type)
{
    assert(is_derived(*type));
    handed_out--;
    return PMPI_Type_free(type);
}

static void *take(size_t bytes)
{
    if (allocations++ == fail_allocation_at)
        return NULL;
    blocks++;
    return malloc(bytes);
}

static void give(void *block)
{
    blocks--;
    free(block);
}

static void print(FILE *out, const char *name, MPI_Datatype *type)
{
    cartgen_status status = cartgen_mpi_describe(*type, name, out);
    if (status != CARTGEN_OK)
        printf("%s: %s\n", name, cartgen_last_error());
    assert(status == CARTGEN_OK && handed_out == 0 && blocks == 0);
    if (is_derived(*type))
        PMPI_Type_free(type);
}

static MPI_Datatype column(void)
{
    MPI_Datatype type;
    MPI_Type_vector(4, 2, 8, MPI_DOUBLE, &type);
    return type;
}

static MPI_Datatype twice(MPI_Datatype inner)
{
    MPI_Datatype type, types[] = {inner, MPI_INT, inner};
    MPI_Type_create_struct(3, (int[]){1, 3, 2}, (MPI_Aint[]){0, 512, 1024}, types, &type);
    return type;
}

static MPI_Datatype distributed(int how0, int how1, int arg1, int order)
{
    MPI_Datatype type;
    MPI_Type_create_darray(6, 4, 2, (int[]){8, 10}, (int[]){how0, how1},
                           (int[]){MPI_DISTRIBUTE_DFLT_DARG, arg1}, (int[]){2, 3}, order, MPI_INT, &type);
    return type;
}

static MPI_Datatype deep(int levels)
{
    MPI_Datatype type, inner;
    MPI_Type_contiguous(1, MPI_INT, &inner);
    for (int i = 0; i < levels; i++) {
        MPI_Type_create_resized(inner, 0, 8 + 4 * i, &type);
        PMPI_Type_free(&inner);
        inner = type;
    }
    return inner;
}

static void print_all(FILE *out)
{
    int list[40];
    MPI_Datatype t, inner, pair = MPI_DOUBLE_INT, plain = MPI_UNSIGNED_SHORT;
    print(out, "named", &plain);
    MPI_Type_dup(MPI_FLOAT, &t);
    print(out, "dup", &t);
    MPI_Type_contiguous(5, MPI_CHAR, &t);
    print(out, "contiguous", &t);
    t = column();
    print(out, "vector", &t);
    MPI_Type_create_hvector(3, 2, -40, MPI_LONG, &t);
    print(out, "hvector", &t);
    MPI_Type_indexed(3, (int[]){2, 1, 3}, (int[]){0, 5, 9}, MPI_C_DOUBLE_COMPLEX, &t);
    print(out, "indexed", &t);
    MPI_Type_create_hindexed(2, (int[]){2, 1}, (MPI_Aint[]){64, -8}, MPI_INT64_T, &t);
    print(out, "hindexed", &t);
    for (int i = 0; i < 40; i++)
        list[i] = 1000 + 3 * i * i;
    MPI_Type_create_indexed_block(40, 2, list, MPI_FLOAT, &t);
    print(out, "indexed_block", &t);
    MPI_Type_create_hindexed_block(2, 3, (MPI_Aint[]){0, 100}, MPI_INT, &t);
    print(out, "hindexed_block", &t);
    inner = column();
    t = twice(inner);
    PMPI_Type_free(&inner);
    print(out, "struct", &t);
    MPI_Type_create_subarray(3, (int[]){6, 8, 10}, (int[]){4, 1, 8}, (int[]){1, 7, 1}, MPI_ORDER_FORTRAN,
                             MPI_FLOAT, &t);
    print(out, "subarray", &t);
    t = distributed(MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_DFLT_DARG, MPI_ORDER_C);
    print(out, "darray_blocks", &t);
    t = distributed(MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_CYCLIC, 2, MPI_ORDER_C);
    print(out, "darray_cyclic", &t);
    inner = column();
    MPI_Type_create_resized(inner, 0, 8, &t);
    PMPI_Type_free(&inner);
    print(out, "resized", &t);
    MPI_Type_create_f90_integer(9, &t);
    print(out, "f90_integer", &t);
    print(out, "pair", &pair);
    t = deep(45);
    print(out, "deep", &t);
}

static void expect(cartgen_status status, cartgen_status expected, const char *part)
{
    if (status != expected || strstr(cartgen_last_error(), part) == NULL)
        printf("status %d (%s), expected %d with '%s'\n", status, cartgen_last_error(), expected, part);
    assert(status == expected && strstr(cartgen_last_error(), part) != NULL);
    assert(handed_out == 0 && blocks == 0);
}

static void errors(void)
{
    char *text = NULL;
    MPI_Datatype t;
    expect(cartgen_mpi_describe_text(MPI_DATATYPE_NULL, "a", &text), CARTGEN_ERR_ARGUMENT, "MPI_DATATYPE_NULL");
    expect(cartgen_mpi_describe_text(MPI_INT, NULL, &text), CARTGEN_ERR_ARGUMENT, "'NULL'");
    expect(cartgen_mpi_describe_text(MPI_INT, "", &text), CARTGEN_ERR_ARGUMENT, "''");
    expect(cartgen_mpi_describe_text(MPI_INT, "a b", &text), CARTGEN_ERR_ARGUMENT, "'a b'");
    expect(cartgen_mpi_describe_text(MPI_INT, "3d", &text), CARTGEN_ERR_ARGUMENT, "'3d'");
    expect(cartgen_mpi_describe_text(MPI_INT, "a", NULL), CARTGEN_ERR_ARGUMENT, "NULL");
    expect(cartgen_mpi_describe(MPI_INT, "a", NULL), CARTGEN_ERR_ARGUMENT, "NULL");
    expect(cartgen_mpi_describe_text(MPI_PACKED, "a", &text), CARTGEN_ERR_UNSUPPORTED, "MPI_PACKED");
    MPI_Datatype types[] = {MPI_INT, MPI_PACKED};
    MPI_Type_create_struct(2, (int[]){1, 1}, (MPI_Aint[]){0, 8}, types, &t);
    expect(cartgen_mpi_describe_text(t, "a", &text), CARTGEN_ERR_UNSUPPORTED, "MPI_PACKED");
    PMPI_Type_free(&t);
    FILE *full = fopen("/dev/full", "w");
    assert(full != NULL);
    expect(cartgen_mpi_describe(MPI_INT, "a", full), CARTGEN_ERR_ARGUMENT, "cannot be written");
    fclose(full);
    assert(text == NULL);
    cartgen_mpi_describe_free(NULL);
}

/* A part for every path through a struct of structs: refused before memory is out. */
static void too_many(void)
{
    char *text = NULL;
    MPI_Datatype t = column();
    for (int i = 0; i < 2; i++) {
        MPI_Datatype outer;
        MPI_Datatype *same = malloc(1100 * sizeof *same);
        int *ones = malloc(1100 * sizeof *ones);
        MPI_Aint *displs = malloc(1100 * sizeof *displs);
        for (int k = 0; k < 1100; k++) {
            same[k] = t;
            ones[k] = 1;
            displs[k] = 1 << 12;
        }
        MPI_Type_create_struct(1100, ones, displs, same, &outer);
        PMPI_Type_free(&t);
        t = outer;
        free(same);
        free(ones);
        free(displs);
    }
    expect(cartgen_mpi_describe_text(t, "many", &text), CARTGEN_ERR_SIZE, "parts");
    PMPI_Type_free(&t);
}

static void failures(void)
{
    char *text = NULL;
    MPI_Datatype inner = column();
    MPI_Datatype t = twice(inner);
    cartgen_status status = CARTGEN_ERR_MEMORY;
    int failed = 0;
    for (long k = 0; status != CARTGEN_OK; k++, failed++) {
        allocations = 0;
        fail_allocation_at = k;
        status = cartgen_mpi_describe_text(t, "a", &text);
        if (status != CARTGEN_OK)
            expect(status, CARTGEN_ERR_MEMORY, "memory");
    }
    assert(failed > 20);
    fail_allocation_at = -1;
    cartgen_mpi_describe_free(text);
    for (long k = 0; k < 3; k++) {
        contents_calls = 0;
        fail_contents_at = k;
        expect(cartgen_mpi_describe_text(t, "a", &text), CARTGEN_ERR_TRANSPORT, "MPI_Type_get_contents");
    }
    fail_contents_at = -1;
    PMPI_Type_free(&t);
    PMPI_Type_free(&inner);
}

int main(int argc, char **argv)
{
    char *text = NULL;
    assert(argc == 2);
    cartgen_set_allocator(take, give);
    expect(cartgen_mpi_describe_text(MPI_INT, "a", &text), CARTGEN_ERR_STATE, "not initialized");
    MPI_Init(&argc, &argv);
    FILE *out = fopen(argv[1], "w");
    assert(out != NULL);
    print_all(out);
    fclose(out);
    errors();
    failures();
    too_many();
    MPI_Finalize();
    expect(cartgen_mpi_describe_text(MPI_INT, "a", &text), CARTGEN_ERR_STATE, "finalized");
    return 0;
}
