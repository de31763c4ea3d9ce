/* SPDX-License-Identifier: MIT */
/* describe_named.c - predefined MPI types as basic types and pairs of the description language. */
#include "cartgen/describe.h"
#include "describe_internal.h"

/* Sizes and alignments are those of the generator (LP64). */
typedef struct basic {
    const char *word;
    int bytes, align;
} basic;

static const basic basics[] = {
    {"char", 1, 1}, {"signed_char", 1, 1}, {"unsigned_char", 1, 1}, {"byte", 1, 1}, {"bool", 1, 1},
    {"short", 2, 2}, {"unsigned_short", 2, 2}, {"int", 4, 4}, {"unsigned", 4, 4}, {"long", 8, 8},
    {"unsigned_long", 8, 8}, {"long_long", 8, 8}, {"unsigned_long_long", 8, 8}, {"float", 4, 4},
    {"double", 8, 8}, {"long_double", 16, 16}, {"int8", 1, 1}, {"int16", 2, 2}, {"int32", 4, 4},
    {"int64", 8, 8}, {"uint8", 1, 1}, {"uint16", 2, 2}, {"uint32", 4, 4}, {"uint64", 8, 8},
    {"float_complex", 8, 4}, {"double_complex", 16, 8},
};

/* What a predefined type is: `first`, or a pair of first and second. */
typedef struct named {
    MPI_Datatype type;
    const char *first, *second;
} named;

/* MPI handles are no constants everywhere, so the table is made when it is asked for. */
static int find_named(MPI_Datatype type, named *found)
{
    const named all[] = {
        {MPI_CHAR, "char", NULL},
        {MPI_SIGNED_CHAR, "signed_char", NULL},
        {MPI_UNSIGNED_CHAR, "unsigned_char", NULL},
        {MPI_BYTE, "byte", NULL},
        {MPI_C_BOOL, "bool", NULL},
        {MPI_SHORT, "short", NULL},
        {MPI_UNSIGNED_SHORT, "unsigned_short", NULL},
        {MPI_INT, "int", NULL},
        {MPI_UNSIGNED, "unsigned", NULL},
        {MPI_LONG, "long", NULL},
        {MPI_UNSIGNED_LONG, "unsigned_long", NULL},
        {MPI_LONG_LONG, "long_long", NULL},
        {MPI_UNSIGNED_LONG_LONG, "unsigned_long_long", NULL},
        {MPI_FLOAT, "float", NULL},
        {MPI_DOUBLE, "double", NULL},
        {MPI_LONG_DOUBLE, "long_double", NULL},
        {MPI_INT8_T, "int8", NULL},
        {MPI_INT16_T, "int16", NULL},
        {MPI_INT32_T, "int32", NULL},
        {MPI_INT64_T, "int64", NULL},
        {MPI_UINT8_T, "uint8", NULL},
        {MPI_UINT16_T, "uint16", NULL},
        {MPI_UINT32_T, "uint32", NULL},
        {MPI_UINT64_T, "uint64", NULL},
        {MPI_C_FLOAT_COMPLEX, "float_complex", NULL},
        {MPI_C_DOUBLE_COMPLEX, "double_complex", NULL},
        {MPI_C_LONG_DOUBLE_COMPLEX, "long_double", "long_double"},
        {MPI_WCHAR, "int32", NULL},
        {MPI_AINT, "int64", NULL},
        {MPI_OFFSET, "int64", NULL},
        {MPI_COUNT, "int64", NULL},
        {MPI_FLOAT_INT, "float", "int"},
        {MPI_DOUBLE_INT, "double", "int"},
        {MPI_LONG_INT, "long", "int"},
        {MPI_SHORT_INT, "short", "int"},
        {MPI_LONG_DOUBLE_INT, "long_double", "int"},
        {MPI_2INT, "int", "int"},
        {MPI_CHARACTER, "char", NULL},
        {MPI_LOGICAL, "int", NULL},
        {MPI_INTEGER, "int", NULL},
        {MPI_INTEGER1, "int8", NULL},
        {MPI_INTEGER2, "int16", NULL},
        {MPI_INTEGER4, "int32", NULL},
        {MPI_INTEGER8, "int64", NULL},
        {MPI_REAL, "float", NULL},
        {MPI_REAL4, "float", NULL},
        {MPI_REAL8, "double", NULL},
        {MPI_DOUBLE_PRECISION, "double", NULL},
        {MPI_COMPLEX, "float_complex", NULL},
        {MPI_DOUBLE_COMPLEX, "double_complex", NULL},
        {MPI_2INTEGER, "int", "int"},
        {MPI_2REAL, "float", "float"},
        {MPI_2DOUBLE_PRECISION, "double", "double"},
    };
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        /* A type the library was built without is MPI_DATATYPE_NULL. */
        if (all[i].type == type && type != MPI_DATATYPE_NULL) {
            *found = all[i];
            return 1;
        }
    }
    return 0;
}

static const basic *find_basic(const char *word)
{
    for (size_t i = 0; i < sizeof basics / sizeof basics[0]; i++)
        if (strcmp(basics[i].word, word) == 0)
            return &basics[i];
    return NULL;
}

static cartgen_status intern_word(cg_table *t, const char *word, int *index_p)
{
    const basic *b = find_basic(word);
    return cg_describe_intern_basic(t, b->word, b->bytes, b->align, index_p);
}

static cartgen_status no_word(MPI_Datatype type, const char *why)
{
    char text[MPI_MAX_OBJECT_NAME] = "";
    int length = 0;
    MPI_Type_get_name(type, text, &length);
    return cg_fail(CARTGEN_ERR_UNSUPPORTED, "%s: %s", length > 0 ? text : "a predefined type", why);
}

/* A pair as C lays it out: the second at the next multiple of its alignment. */
static cartgen_status intern_pair(cg_table *t, const named *pair, int *index_p)
{
    cg_part p;
    int first = 0;
    int second = 0;
    cartgen_status status = intern_word(t, pair->first, &first);
    if (status == CARTGEN_OK && strcmp(pair->first, pair->second) == 0)
        return cg_describe_intern_over(t, CG_CONTIGUOUS, first, 1, (const int64_t[]){2}, index_p);
    if (status == CARTGEN_OK)
        status = intern_word(t, pair->second, &second);
    if (status == CARTGEN_OK)
        status = cg_describe_part(CG_STRUCT, 4, 2, &p);
    if (status != CARTGEN_OK)
        return status;
    int64_t align = find_basic(pair->second)->align;
    p.args[1] = (find_basic(pair->first)->bytes + align - 1) / align * align;
    p.args[2] = 1;
    p.args[3] = 1;
    p.children[0] = first;
    p.children[1] = second;
    return cg_describe_intern(t, &p, index_p);
}

cartgen_status cg_describe_named(cg_table *t, MPI_Datatype type, int *index_p)
{
    named found;
    int bytes = 0;
    if (!find_named(type, &found))
        return no_word(type, "the description language has no word for this predefined type");
    cartgen_status status = cg_describe_check(MPI_Type_size(type, &bytes), "MPI_Type_size");
    if (status != CARTGEN_OK)
        return status;
    int expected = find_basic(found.first)->bytes;
    if (found.second != NULL)
        expected += find_basic(found.second)->bytes;
    if (bytes != expected)
        return no_word(type, "its size is not that of the description language's type");
    return found.second == NULL ? intern_word(t, found.first, index_p)
                                : intern_pair(t, &found, index_p);
}

cartgen_status cg_describe_f90(cg_table *t, MPI_Datatype type, int combiner, int *index_p)
{
    static const char *const reals[] = {"float", "double"};
    static const char *const complexes[] = {"float_complex", "double_complex"};
    static const char *const integers[] = {"int8", "int16", "int32", "int64"};
    int is_integer = combiner == MPI_COMBINER_F90_INTEGER;
    const char *const *list = is_integer                           ? integers
                              : combiner == MPI_COMBINER_F90_REAL ? reals
                                                                  : complexes;
    int bytes = 0;
    cartgen_status status = cg_describe_check(MPI_Type_size(type, &bytes), "MPI_Type_size");
    if (status != CARTGEN_OK)
        return status;
    for (int i = 0; i < (is_integer ? 4 : 2); i++)
        if (find_basic(list[i])->bytes == bytes)
            return intern_word(t, list[i], index_p);
    return cg_fail(CARTGEN_ERR_UNSUPPORTED, "MPI_Type_create_f90_%s: no basic type of %d bytes",
                   is_integer ? "integer" : list == reals ? "real" : "complex", bytes);
}
