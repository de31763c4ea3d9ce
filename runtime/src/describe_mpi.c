/* SPDX-License-Identifier: MIT */
/* describe_mpi.c - descriptions of live MPI types: read into a table of parts, bounds, text. */
#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

#include "cartgen/describe.h"
#include "internal.h"

#define MOST_PARTS (1 << 20)
#define MOST_LOCALS 150 /* Lua allows 200 a function */
#define HEIGHT_STEP 20  /* a local at least every so many levels: Lua reads 200 nested ones */
#define LINE_COLUMNS 96

/* ------------------------------------------------------------------ the table of parts */

typedef enum part_kind {
    BASIC,
    CONTIGUOUS,     /* args: count */
    VECTOR,         /* count, blocklength, stride in extents */
    HVECTOR,        /* count, blocklength, stride in bytes */
    INDEXED,        /* n blocklengths, n displacements in extents */
    HINDEXED,       /* n blocklengths, n displacements in bytes */
    INDEXED_BLOCK,  /* blocklength, displacements in extents */
    HINDEXED_BLOCK, /* blocklength, displacements in bytes */
    STRUCT,         /* n displacements in bytes, n blocklengths; n children */
    SUBARRAY,       /* 1 = Fortran, sizes, subsizes, starts */
    RESIZED         /* lb, extent */
} part_kind;

static const char *const words[] = {
    [CONTIGUOUS] = "contiguous",
    [VECTOR] = "vector",
    [HVECTOR] = "hvector",
    [INDEXED] = "indexed",
    [HINDEXED] = "hindexed",
    [INDEXED_BLOCK] = "indexed_block",
    [HINDEXED_BLOCK] = "hindexed_block",
    [STRUCT] = "struct",
    [SUBARRAY] = "subarray",
    [RESIZED] = "resized",
};

/* Bounds in bytes by the definition: of the elements (while any is true) and of the explicit lower
 * and upper bounds that resized and subarray set (while marked is true). */
typedef struct bounds {
    int any, marked;
    int64_t align; /* of the most strictly aligned element */
    int64_t true_lb, true_ub;
    int64_t lb, ub;
} bounds;

/* A constructor with its arguments. Equal parts are one entry, and children come before parents. */
typedef struct part {
    part_kind kind;
    const char *word; /* of a basic type */
    int nargs, nchildren;
    int64_t *args;
    int *children; /* indices of parts */
    uint64_t hash;
    bounds bounds;
    int uses, height, local; /* local: its number from 1, or 0 */
} part;

typedef struct table {
    part *parts;
    int count, capacity;
    int visits;
    int locals;
} table;

static cartgen_status out_of_memory(void)
{
    return cg_fail(CARTGEN_ERR_MEMORY, "out of memory for the description of a type");
}

static void part_release(part *p)
{
    cg_free(p->args);
    cg_free(p->children);
    p->args = NULL;
    p->children = NULL;
}

static void table_release(table *t)
{
    for (int i = 0; i < t->count; i++)
        part_release(&t->parts[i]);
    cg_free(t->parts);
}

static cartgen_status check_mpi(int code, const char *what)
{
    if (code == MPI_SUCCESS)
        return CARTGEN_OK;
    char message[MPI_MAX_ERROR_STRING] = "";
    int length = 0;
    MPI_Error_string(code, message, &length);
    return cg_fail(CARTGEN_ERR_TRANSPORT, "%s: %s", what, message);
}

/* A part with room for its arguments. */
static cartgen_status part_make(part_kind kind, int nargs, int nchildren, part *p)
{
    *p = (part){.kind = kind, .nargs = nargs, .nchildren = nchildren};
    p->args = cg_alloc((size_t)nargs, sizeof *p->args);
    p->children = cg_alloc((size_t)nchildren, sizeof *p->children);
    if (p->args != NULL && p->children != NULL)
        return CARTGEN_OK;
    part_release(p);
    return out_of_memory();
}

/* ------------------------------------------------------------------ bounds */

/* Wrap instead of overflowing, as addresses do. */
static int64_t plus(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a + (uint64_t)b);
}

static int64_t times(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a * (uint64_t)b);
}

static void widen(int *any, int64_t *low, int64_t *high, int64_t from, int64_t to)
{
    if (!*any || from < *low)
        *low = from;
    if (!*any || to > *high)
        *high = to;
    *any = 1;
}

static void place_one(bounds *b, const bounds *child, int64_t displ)
{
    if (child->any) {
        widen(&b->any, &b->true_lb, &b->true_ub, plus(child->true_lb, displ),
              plus(child->true_ub, displ));
        if (child->align > b->align)
            b->align = child->align;
    }
    if (child->marked)
        widen(&b->marked, &b->lb, &b->ub, plus(child->lb, displ), plus(child->ub, displ));
}

static int64_t extent_of(const bounds *b)
{
    return (int64_t)((uint64_t)b->ub - (uint64_t)b->lb);
}

/* `length` children from byte `displ`: the first and the last are what matters. */
static void place(bounds *b, const bounds *child, int64_t displ, int64_t length)
{
    if (length <= 0)
        return;
    place_one(b, child, displ);
    place_one(b, child, plus(displ, times(length - 1, extent_of(child))));
}

/* Without explicit bounds: those of the elements, the extent rounded up to the alignment. */
static void close_bounds(bounds *b)
{
    if (b->marked)
        return;
    b->lb = b->any ? b->true_lb : 0;
    b->ub = b->any ? b->true_ub : 0;
    if (b->any && extent_of(b) % b->align != 0)
        b->ub += b->align - extent_of(b) % b->align;
}

static void place_subarray(bounds *b, const part *p, const bounds *child)
{
    int n = (p->nargs - 1) / 3;
    const int64_t *sizes = p->args + 1, *subsizes = sizes + n, *starts = subsizes + n;
    int64_t stride = extent_of(child), first = 0, last = 0;
    int empty = 0;
    for (int k = 0; k < n; k++) {
        int j = p->args[0] ? k : n - 1 - k;
        first = plus(first, times(stride, starts[j]));
        last = plus(last, times(stride, starts[j] + subsizes[j] - 1));
        empty |= subsizes[j] == 0;
        stride = times(stride, sizes[j]);
    }
    if (!empty) {
        place_one(b, child, first);
        place_one(b, child, last);
    }
    b->marked = 1;
    b->lb = 0;
    b->ub = stride;
}

/* Bounds of a part whose children are in the table. */
static void find_bounds(const table *t, part *p)
{
    bounds b = {.align = 1};
    const bounds *child = p->nchildren > 0 ? &t->parts[p->children[0]].bounds : NULL;
    const int64_t *a = p->args;
    int64_t unit = child == NULL ? 0 : extent_of(child);
    int n = p->nargs / 2;
    switch (p->kind) {
    case BASIC:
        return;
    case CONTIGUOUS:
        place(&b, child, 0, a[0]);
        break;
    case VECTOR:
    case HVECTOR:
        if (a[0] > 0) {
            place(&b, child, 0, a[1]);
            place(&b, child, times(a[0] - 1, times(a[2], p->kind == VECTOR ? unit : 1)), a[1]);
        }
        break;
    case INDEXED:
    case HINDEXED:
        for (int i = 0; i < n; i++)
            place(&b, child, times(a[n + i], p->kind == INDEXED ? unit : 1), a[i]);
        break;
    case INDEXED_BLOCK:
    case HINDEXED_BLOCK:
        for (int i = 1; i < p->nargs; i++)
            place(&b, child, times(a[i], p->kind == INDEXED_BLOCK ? unit : 1), a[0]);
        break;
    case STRUCT:
        for (int i = 0; i < n; i++)
            place(&b, &t->parts[p->children[i]].bounds, a[i], a[n + i]);
        break;
    case SUBARRAY:
        place_subarray(&b, p, child);
        break;
    case RESIZED:
        b = *child;
        b.marked = 1;
        b.lb = a[0];
        b.ub = plus(a[0], a[1]);
        break;
    }
    close_bounds(&b);
    p->bounds = b;
}

/* ------------------------------------------------------------------ equal parts once */

static uint64_t mix(uint64_t hash, uint64_t value)
{
    return (hash ^ value) * UINT64_C(0x100000001b3) + (value >> 29);
}

static void find_hash(part *p)
{
    uint64_t hash = mix(UINT64_C(0xcbf29ce484222325), (uint64_t)p->kind);
    for (const char *c = p->word; c != NULL && *c != '\0'; c++)
        hash = mix(hash, (unsigned char)*c);
    for (int i = 0; i < p->nargs; i++)
        hash = mix(hash, (uint64_t)p->args[i]);
    for (int i = 0; i < p->nchildren; i++)
        hash = mix(hash, (uint64_t)p->children[i]);
    p->hash = hash;
}

static int same_part(const part *a, const part *b)
{
    return a->hash == b->hash && a->kind == b->kind && a->nargs == b->nargs &&
           a->nchildren == b->nchildren &&
           (a->word == b->word || (a->word != NULL && b->word != NULL && strcmp(a->word, b->word) == 0)) &&
           memcmp(a->args, b->args, (size_t)a->nargs * sizeof *a->args) == 0 &&
           memcmp(a->children, b->children, (size_t)a->nchildren * sizeof *a->children) == 0;
}

/* Puts *p, which is the table's from now on, into the table (or finds it); its index. */
static cartgen_status intern(table *t, part *p, int *index_p)
{
    find_hash(p);
    for (int i = 0; i < t->count; i++) {
        if (same_part(&t->parts[i], p)) {
            part_release(p);
            *index_p = i;
            return CARTGEN_OK;
        }
    }
    if (t->count == t->capacity) {
        int capacity = t->capacity == 0 ? 16 : 2 * t->capacity;
        part *more = cg_alloc((size_t)capacity, sizeof *more);
        if (more == NULL) {
            part_release(p);
            return out_of_memory();
        }
        if (t->count > 0)
            memcpy(more, t->parts, (size_t)t->count * sizeof *more);
        cg_free(t->parts);
        t->parts = more;
        t->capacity = capacity;
    }
    find_bounds(t, p);
    for (int i = 0; i < p->nchildren; i++) {
        part *child = &t->parts[p->children[i]];
        child->uses++;
        if (child->height >= p->height)
            p->height = child->height + 1;
    }
    t->parts[t->count] = *p;
    *index_p = t->count++;
    return CARTGEN_OK;
}

/* A part with one child. */
static cartgen_status intern_over(table *t, part_kind kind, int child, int nargs,
                                  const int64_t args[], int *index_p)
{
    part p;
    cartgen_status status = part_make(kind, nargs, 1, &p);
    if (status != CARTGEN_OK)
        return status;
    memcpy(p.args, args, (size_t)nargs * sizeof *args);
    p.children[0] = child;
    return intern(t, &p, index_p);
}

static cartgen_status intern_basic(table *t, const char *word, int64_t bytes, int64_t align,
                                   int *index_p)
{
    part p;
    cartgen_status status = part_make(BASIC, 0, 0, &p);
    if (status != CARTGEN_OK)
        return status;
    p.word = word;
    p.bounds = (bounds){.any = 1, .align = align, .true_ub = bytes, .ub = bytes};
    return intern(t, &p, index_p);
}

/* ------------------------------------------------------------------ predefined types */

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

static cartgen_status intern_word(table *t, const char *word, int *index_p)
{
    const basic *b = find_basic(word);
    return intern_basic(t, b->word, b->bytes, b->align, index_p);
}

static cartgen_status no_word(MPI_Datatype type, const char *why)
{
    char text[MPI_MAX_OBJECT_NAME] = "";
    int length = 0;
    MPI_Type_get_name(type, text, &length);
    return cg_fail(CARTGEN_ERR_UNSUPPORTED, "%s: %s", length > 0 ? text : "a predefined type", why);
}

/* A pair as C lays it out: the second at the next multiple of its alignment. */
static cartgen_status intern_pair(table *t, const named *pair, int *index_p)
{
    part p;
    int first = 0;
    int second = 0;
    cartgen_status status = intern_word(t, pair->first, &first);
    if (status == CARTGEN_OK && strcmp(pair->first, pair->second) == 0)
        return intern_over(t, CONTIGUOUS, first, 1, (const int64_t[]){2}, index_p);
    if (status == CARTGEN_OK)
        status = intern_word(t, pair->second, &second);
    if (status == CARTGEN_OK)
        status = part_make(STRUCT, 4, 2, &p);
    if (status != CARTGEN_OK)
        return status;
    int64_t align = find_basic(pair->second)->align;
    p.args[1] = (find_basic(pair->first)->bytes + align - 1) / align * align;
    p.args[2] = 1;
    p.args[3] = 1;
    p.children[0] = first;
    p.children[1] = second;
    return intern(t, &p, index_p);
}

static cartgen_status read_named(table *t, MPI_Datatype type, int *index_p)
{
    named found;
    int bytes = 0;
    if (!find_named(type, &found))
        return no_word(type, "the description language has no word for this predefined type");
    cartgen_status status = check_mpi(MPI_Type_size(type, &bytes), "MPI_Type_size");
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

/* MPI_Type_create_f90_...: a basic type of its size. */
static cartgen_status read_f90(table *t, MPI_Datatype type, int combiner, int *index_p)
{
    static const char *const reals[] = {"float", "double"};
    static const char *const complexes[] = {"float_complex", "double_complex"};
    static const char *const integers[] = {"int8", "int16", "int32", "int64"};
    int is_integer = combiner == MPI_COMBINER_F90_INTEGER;
    const char *const *list = is_integer                           ? integers
                              : combiner == MPI_COMBINER_F90_REAL ? reals
                                                                  : complexes;
    int bytes = 0;
    cartgen_status status = check_mpi(MPI_Type_size(type, &bytes), "MPI_Type_size");
    if (status != CARTGEN_OK)
        return status;
    for (int i = 0; i < (is_integer ? 4 : 2); i++)
        if (find_basic(list[i])->bytes == bytes)
            return intern_word(t, list[i], index_p);
    return cg_fail(CARTGEN_ERR_UNSUPPORTED, "MPI_Type_create_f90_%s: no basic type of %d bytes",
                   is_integer ? "integer" : list == reals ? "real" : "complex", bytes);
}

/* ------------------------------------------------------------------ derived types */

static cartgen_status read_type(table *t, MPI_Datatype type, int *index_p);

/* What MPI_Type_get_contents gives, and the table's indices of its types. */
typedef struct contents {
    int combiner, nints, naddresses, ntypes;
    int *ints;
    MPI_Aint *addresses;
    MPI_Datatype *types;
    int *children;
} contents;

/* Predefined types, the parametrised ones among them, are not ours to free. */
static int is_predefined(int combiner)
{
    return combiner == MPI_COMBINER_NAMED || combiner == MPI_COMBINER_F90_REAL ||
           combiner == MPI_COMBINER_F90_COMPLEX || combiner == MPI_COMBINER_F90_INTEGER;
}

static void contents_release(contents *c, int have_types)
{
    for (int i = 0; have_types && i < c->ntypes; i++) {
        int ni, na, nt, combiner = MPI_COMBINER_NAMED;
        MPI_Type_get_envelope(c->types[i], &ni, &na, &nt, &combiner);
        if (!is_predefined(combiner))
            MPI_Type_free(&c->types[i]);
    }
    cg_free(c->ints);
    cg_free(c->addresses);
    cg_free(c->types);
    cg_free(c->children);
}

static cartgen_status contents_get(table *t, MPI_Datatype type, contents *c)
{
    c->ints = cg_alloc((size_t)c->nints, sizeof *c->ints);
    c->addresses = cg_alloc((size_t)c->naddresses, sizeof *c->addresses);
    c->types = cg_alloc((size_t)c->ntypes, sizeof *c->types);
    c->children = cg_alloc((size_t)c->ntypes, sizeof *c->children);
    cartgen_status status = CARTGEN_OK;
    int have_types = 0;
    if (c->ints == NULL || c->addresses == NULL || c->types == NULL || c->children == NULL)
        status = out_of_memory();
    if (status == CARTGEN_OK)
        status = check_mpi(MPI_Type_get_contents(type, c->nints, c->naddresses, c->ntypes, c->ints,
                                                 c->addresses, c->types),
                           "MPI_Type_get_contents");
    have_types = status == CARTGEN_OK;
    for (int i = 0; status == CARTGEN_OK && i < c->ntypes; i++)
        status = read_type(t, c->types[i], &c->children[i]);
    if (status != CARTGEN_OK)
        contents_release(c, have_types);
    return status;
}

/* The blocks of one dimension of a distributed array that a process holds: starts and lengths. */
typedef struct dimension {
    int64_t size, first, length, step, processes;
    int64_t blocks;
} dimension;

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* MPI 4.0, 5.1.4: block and cyclic(k) distributions of `size` elements. */
static dimension distribute(int64_t size, int how, int64_t arg, int64_t processes, int64_t coord)
{
    dimension d = {.size = size, .length = size, .step = size, .processes = processes, .blocks = 1};
    if (how == MPI_DISTRIBUTE_BLOCK) {
        d.length = arg == MPI_DISTRIBUTE_DFLT_DARG ? (size + processes - 1) / processes : arg;
        d.first = least(size, coord * d.length);
        d.blocks = d.first < size;
    } else if (how == MPI_DISTRIBUTE_CYCLIC) {
        d.length = arg == MPI_DISTRIBUTE_DFLT_DARG ? 1 : arg;
        d.step = d.length * processes;
        d.first = least(size, coord * d.length);
        d.blocks = (size - d.first + d.step - 1) / d.step;
    }
    return d;
}

static cartgen_status intern_blocks(table *t, const dimension *d, int child, int *index_p)
{
    part p;
    cartgen_status status = part_make(INDEXED, 2 * (int)d->blocks, 1, &p);
    if (status != CARTGEN_OK)
        return status;
    for (int64_t i = 0; i < d->blocks; i++) {
        int64_t start = d->first + i * d->step;
        p.args[i] = least(d->length, d->size - start);
        p.args[d->blocks + i] = start;
    }
    p.children[0] = child;
    return intern(t, &p, index_p);
}

/* Every dimension one block: a subarray. */
static cartgen_status darray_as_subarray(table *t, const dimension dims[], int n, int fortran,
                                         int child, int *index_p)
{
    part p;
    cartgen_status status = part_make(SUBARRAY, 1 + 3 * n, 1, &p);
    if (status != CARTGEN_OK)
        return status;
    p.args[0] = fortran;
    for (int j = 0; j < n; j++) {
        const dimension *d = &dims[j];
        p.args[1 + j] = d->size;
        p.args[1 + n + j] = d->blocks == 0 ? 0 : least(d->length, d->size - d->first);
        p.args[1 + 2 * n + j] = d->blocks == 0 ? 0 : d->first;
    }
    p.children[0] = child;
    return intern(t, &p, index_p);
}

/* Otherwise an indexed type a dimension, fastest first, each over the last one as a row. */
static cartgen_status darray_as_indexed(table *t, const dimension dims[], int n, int fortran,
                                        int child, int *index_p)
{
    cartgen_status status = CARTGEN_OK;
    int64_t stride = extent_of(&t->parts[child].bounds);
    for (int k = 0; status == CARTGEN_OK && k < n; k++) {
        const dimension *d = &dims[fortran ? k : n - 1 - k];
        status = intern_blocks(t, d, child, &child);
        stride = times(stride, d->size);
        if (status == CARTGEN_OK)
            status = intern_over(t, RESIZED, child, 2, (const int64_t[]){0, stride}, &child);
    }
    *index_p = child;
    return status;
}

static cartgen_status read_darray(table *t, const contents *c, int *index_p)
{
    int n = c->ints[2];
    const int *sizes = c->ints + 3, *how = sizes + n, *args = how + n, *grid = args + n;
    int fortran = grid[n] == MPI_ORDER_FORTRAN;
    int64_t cells = c->ints[0];
    int64_t rank = c->ints[1];
    int single = 1;
    dimension *dims = cg_alloc((size_t)n, sizeof *dims);
    if (dims == NULL)
        return out_of_memory();
    for (int j = 0; j < n; j++) { /* the grid of processes is row-major in either order */
        cells /= grid[j];
        dims[j] = distribute(sizes[j], how[j], args[j], grid[j], rank / cells);
        rank %= cells;
        single &= dims[j].blocks <= 1;
    }
    cartgen_status status = (single ? darray_as_subarray : darray_as_indexed)(
        t, dims, n, fortran, c->children[0], index_p);
    cg_free(dims);
    return status;
}

/* Which constructor a combiner is, how many of its leading integers are left out of the arguments,
 * and whether they are followed by addresses. MPI's orders of arguments are ours but for struct. */
typedef struct rule {
    int combiner;
    part_kind kind;
    int skip;
} rule;

static const rule rules[] = {
    {MPI_COMBINER_CONTIGUOUS, CONTIGUOUS, 0},
    {MPI_COMBINER_VECTOR, VECTOR, 0},
    {MPI_COMBINER_HVECTOR, HVECTOR, 0},
    {MPI_COMBINER_INDEXED, INDEXED, 1},
    {MPI_COMBINER_HINDEXED, HINDEXED, 1},
    {MPI_COMBINER_INDEXED_BLOCK, INDEXED_BLOCK, 1},
    {MPI_COMBINER_HINDEXED_BLOCK, HINDEXED_BLOCK, 1},
    {MPI_COMBINER_RESIZED, RESIZED, 0},
};

static const rule *find_rule(int combiner)
{
    for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++)
        if (rules[i].combiner == combiner)
            return &rules[i];
    return NULL;
}

static cartgen_status read_by_rule(table *t, const contents *c, const rule *r, int *index_p)
{
    part p;
    int nints = c->nints - r->skip;
    cartgen_status status = part_make(r->kind, nints + c->naddresses, 1, &p);
    if (status != CARTGEN_OK)
        return status;
    for (int i = 0; i < nints; i++)
        p.args[i] = c->ints[r->skip + i];
    for (int i = 0; i < c->naddresses; i++)
        p.args[nints + i] = c->addresses[i];
    p.children[0] = c->children[0];
    return intern(t, &p, index_p);
}

static cartgen_status read_struct(table *t, const contents *c, int *index_p)
{
    part p;
    cartgen_status status = part_make(STRUCT, 2 * c->ntypes, c->ntypes, &p);
    if (status != CARTGEN_OK)
        return status;
    for (int i = 0; i < c->ntypes; i++) {
        p.args[i] = c->addresses[i];
        p.args[c->ntypes + i] = c->ints[1 + i];
        p.children[i] = c->children[i];
    }
    return intern(t, &p, index_p);
}

static cartgen_status read_subarray(table *t, const contents *c, int *index_p)
{
    part p;
    int n = c->ints[0];
    cartgen_status status = part_make(SUBARRAY, 1 + 3 * n, 1, &p);
    if (status != CARTGEN_OK)
        return status;
    p.args[0] = c->ints[1 + 3 * n] == MPI_ORDER_FORTRAN;
    for (int i = 0; i < 3 * n; i++)
        p.args[1 + i] = c->ints[1 + i];
    p.children[0] = c->children[0];
    return intern(t, &p, index_p);
}

static cartgen_status read_derived(table *t, MPI_Datatype type, contents *c, int *index_p)
{
    const rule *r = find_rule(c->combiner);
    int known = r != NULL || c->combiner == MPI_COMBINER_DUP || c->combiner == MPI_COMBINER_STRUCT ||
                c->combiner == MPI_COMBINER_SUBARRAY || c->combiner == MPI_COMBINER_DARRAY;
    if (!known)
        return cg_fail(CARTGEN_ERR_UNSUPPORTED,
                       "combiner %d of MPI_Type_get_envelope is none of MPI 3.1's constructors",
                       c->combiner);
    cartgen_status status = contents_get(t, type, c);
    if (status != CARTGEN_OK)
        return status;
    if (r != NULL)
        status = read_by_rule(t, c, r, index_p);
    else if (c->combiner == MPI_COMBINER_STRUCT)
        status = read_struct(t, c, index_p);
    else if (c->combiner == MPI_COMBINER_SUBARRAY)
        status = read_subarray(t, c, index_p);
    else if (c->combiner == MPI_COMBINER_DARRAY)
        status = read_darray(t, c, index_p);
    else
        *index_p = c->children[0];
    contents_release(c, 1);
    return status;
}

/* Where the library's bounds are not those of the definition, the library's are stated. */
static cartgen_status state_bounds(table *t, MPI_Datatype type, int *index_p)
{
    MPI_Aint lb = 0;
    MPI_Aint extent = 0;
    cartgen_status status = check_mpi(MPI_Type_get_extent(type, &lb, &extent), "MPI_Type_get_extent");
    if (status != CARTGEN_OK)
        return status;
    const part *p = &t->parts[*index_p];
    if (lb == p->bounds.lb && extent == extent_of(&p->bounds))
        return CARTGEN_OK;
    int inner = p->kind == RESIZED ? p->children[0] : *index_p;
    return intern_over(t, RESIZED, inner, 2, (const int64_t[]){lb, extent}, index_p);
}

static cartgen_status read_type(table *t, MPI_Datatype type, int *index_p)
{
    contents c = {0};
    if (++t->visits > MOST_PARTS)
        return cg_fail(CARTGEN_ERR_SIZE, "the type has more than %d parts", MOST_PARTS);
    cartgen_status status = check_mpi(
        MPI_Type_get_envelope(type, &c.nints, &c.naddresses, &c.ntypes, &c.combiner),
        "MPI_Type_get_envelope");
    if (status != CARTGEN_OK)
        return status;
    if (c.combiner == MPI_COMBINER_NAMED)
        status = read_named(t, type, index_p);
    else if (is_predefined(c.combiner))
        status = read_f90(t, type, c.combiner, index_p);
    else
        status = read_derived(t, type, &c, index_p);
    return status == CARTGEN_OK ? state_bounds(t, type, index_p) : status;
}

/* ------------------------------------------------------------------ text */

typedef struct text {
    char *chars;
    size_t length, capacity;
    size_t line; /* where the current line begins */
    int failed;
} text;

static void put_chars(text *out, const char *chars, size_t n)
{
    if (out->failed)
        return;
    if (out->length + n + 1 > out->capacity) {
        size_t capacity = 2 * (out->length + n) + 256;
        char *more = cg_alloc(capacity, 1);
        if (more == NULL) {
            out->failed = 1;
            return;
        }
        if (out->length > 0)
            memcpy(more, out->chars, out->length);
        cg_free(out->chars);
        out->chars = more;
        out->capacity = capacity;
    }
    memcpy(out->chars + out->length, chars, n);
    out->length += n;
    out->chars[out->length] = '\0';
}

/* At most 127 characters, names aside. */
static void put(text *out, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void put(text *out, const char *format, ...)
{
    char piece[128];
    va_list args;
    va_start(args, format);
    vsnprintf(piece, sizeof piece, format, args);
    va_end(args);
    put_chars(out, piece, strlen(piece));
}

static void put_line(text *out, int indent)
{
    put_chars(out, "\n", 1);
    out->line = out->length;
    for (int i = 0; i < indent; i++)
        put_chars(out, " ", 1);
}

/* INT64_MIN cannot be written as one number in Lua. */
static void put_number(text *out, int64_t value)
{
    if (value == INT64_MIN)
        put(out, "-9223372036854775807 - 1");
    else
        put(out, "%lld", (long long)value);
}

/* { 1, 2, 3 } on as many lines as are needed. */
static void put_list(text *out, const int64_t list[], int n, int indent)
{
    put(out, n == 0 ? "{" : "{ ");
    for (int i = 0; i < n; i++) {
        if (i > 0 && out->length - out->line > LINE_COLUMNS - 12)
            put_line(out, indent + 2);
        put_number(out, list[i]);
        put(out, i + 1 < n ? (out->length - out->line > LINE_COLUMNS - 13 ? "," : ", ") : " ");
    }
    put(out, "}");
}

static void put_local(text *out, int number)
{
    put(out, number <= MOST_LOCALS ? "t%d" : "t[%d]", number);
}

static void put_part(text *out, const table *t, const part *p, int indent);

/* A child where it is used: its local, or the constructor. */
static void put_use(text *out, const table *t, int index, int indent)
{
    const part *p = &t->parts[index];
    if (p->local > 0)
        put_local(out, p->local);
    else
        put_part(out, t, p, indent);
}

static void put_struct(text *out, const table *t, const part *p, int indent)
{
    put(out, "struct {");
    for (int i = 0; i < p->nchildren; i++) {
        put_line(out, indent + 2);
        put(out, "{ ");
        put_use(out, t, p->children[i], indent + 2);
        put(out, ", ");
        put_number(out, p->args[i]);
        put(out, ", %lld },", (long long)p->args[p->nchildren + i]);
    }
    if (p->nchildren > 0)
        put_line(out, indent);
    put(out, "}");
}

static void put_subarray(text *out, const table *t, const part *p, int indent)
{
    static const char *const fields[] = {"sizes", "subsizes", "starts"};
    int n = (p->nargs - 1) / 3;
    put(out, "subarray {");
    for (int f = 0; f < 3; f++) {
        put_line(out, indent + 2);
        put(out, "%s = ", fields[f]);
        put_list(out, p->args + 1 + f * n, n, indent + 2);
        put(out, ",");
    }
    put_line(out, indent + 2);
    put(out, "order = \"%s\",", p->args[0] ? "Fortran" : "C");
    put_line(out, indent + 2);
    put(out, "type = ");
    put_use(out, t, p->children[0], indent + 2);
    put(out, ",");
    put_line(out, indent);
    put(out, "}");
}

static void put_args(text *out, const part *p, int indent)
{
    const int64_t *a = p->args;
    int half = p->nargs / 2;
    switch (p->kind) {
    case INDEXED:
    case HINDEXED:
        put_list(out, a, half, indent);
        put(out, ", ");
        put_list(out, a + half, half, indent);
        put(out, ", ");
        break;
    case INDEXED_BLOCK:
    case HINDEXED_BLOCK:
        put_number(out, a[0]);
        put(out, ", ");
        put_list(out, a + 1, p->nargs - 1, indent);
        put(out, ", ");
        break;
    default:
        for (int i = 0; i < p->nargs; i++) {
            put_number(out, a[i]);
            put(out, ", ");
        }
    }
}

static void put_part(text *out, const table *t, const part *p, int indent)
{
    if (p->kind == BASIC) {
        put(out, "%s", p->word);
    } else if (p->kind == STRUCT) {
        put_struct(out, t, p, indent);
    } else if (p->kind == SUBARRAY) {
        put_subarray(out, t, p, indent);
    } else {
        const part *child = &t->parts[p->children[0]];
        put(out, "%s(", words[p->kind]);
        put_args(out, p, indent);
        if (child->kind != BASIC && child->local == 0) {
            out->length -= out->length > 0; /* the space before a new line */
            put_line(out, indent + 2);
        }
        put_use(out, t, p->children[0], indent + 2);
        put(out, ")");
    }
}

/* Only what `root` needs is printed: parts under a replaced bound may be left behind. */
static void count_uses(table *t, int root)
{
    for (int i = 0; i < t->count; i++)
        t->parts[i].uses = 0;
    t->parts[root].uses = 1;
    for (int i = root; i >= 0; i--)
        for (int k = 0; t->parts[i].uses > 0 && k < t->parts[i].nchildren; k++)
            t->parts[t->parts[i].children[k]].uses++;
}

static void choose_locals(table *t, int root)
{
    count_uses(t, root);
    for (int i = 0; i < root; i++) {
        part *p = &t->parts[i];
        if (p->kind != BASIC && p->uses > 0 &&
            (p->uses > 1 || p->height % HEIGHT_STEP == HEIGHT_STEP - 1))
            p->local = ++t->locals;
    }
}

static void put_layout(text *out, table *t, int root, const char *name)
{
    choose_locals(t, root);
    int indent = t->locals > 0 ? 2 : 0;
    if (t->locals > 0)
        put(out, "do");
    if (t->locals > MOST_LOCALS) {
        put_line(out, indent);
        put(out, "local t = {}");
    }
    for (int i = 0; i < root; i++) {
        const part *p = &t->parts[i];
        if (p->local == 0)
            continue;
        put_line(out, indent);
        put(out, p->local <= MOST_LOCALS ? "local " : "");
        put_local(out, p->local);
        put(out, " = ");
        put_part(out, t, p, indent);
    }
    if (t->locals > 0)
        put_line(out, indent);
    put(out, "layout \"");
    put_chars(out, name, strlen(name));
    put(out, "\" {");
    put_line(out, indent + 2);
    put(out, "type = ");
    put_part(out, t, &t->parts[root], indent + 2);
    put(out, ",");
    put_line(out, indent);
    put(out, "}");
    if (t->locals > 0) {
        put_line(out, 0);
        put(out, "end");
    }
    put(out, "\n");
}

/* ------------------------------------------------------------------ calls */

static int is_identifier(const char *name)
{
    if (!isalpha((unsigned char)name[0]) && name[0] != '_')
        return 0;
    for (const char *c = name; *c != '\0'; c++)
        if (!isalnum((unsigned char)*c) && *c != '_')
            return 0;
    return 1;
}

static cartgen_status check_arguments(MPI_Datatype type, const char *name, const void *out)
{
    int initialized = 0;
    int finalized = 0;
    MPI_Initialized(&initialized);
    MPI_Finalized(&finalized);
    if (!initialized || finalized)
        return cg_fail(CARTGEN_ERR_STATE, "MPI is %s", finalized ? "finalized" : "not initialized");
    if (type == MPI_DATATYPE_NULL)
        return cg_fail(CARTGEN_ERR_ARGUMENT, "the type is MPI_DATATYPE_NULL");
    if (name == NULL || !is_identifier(name))
        return cg_fail(CARTGEN_ERR_ARGUMENT, "the name of a layout is '%.80s', expected a C identifier",
                       name == NULL ? "NULL" : name);
    if (out == NULL)
        return cg_fail(CARTGEN_ERR_ARGUMENT, "there is nowhere to write the description to (NULL)");
    return CARTGEN_OK;
}

cartgen_status cartgen_mpi_describe_text(MPI_Datatype type, const char *name, char **text_p)
{
    table t = {0};
    text out = {0};
    int root = 0;
    cartgen_status status = check_arguments(type, name, text_p);
    if (status != CARTGEN_OK)
        return status;
    status = read_type(&t, type, &root);
    if (status == CARTGEN_OK) {
        put_layout(&out, &t, root, name);
        if (out.failed) {
            cg_free(out.chars);
            status = out_of_memory();
        } else {
            *text_p = out.chars;
        }
    }
    table_release(&t);
    return status;
}

void cartgen_mpi_describe_free(char *text)
{
    cg_free(text);
}

cartgen_status cartgen_mpi_describe(MPI_Datatype type, const char *name, FILE *out)
{
    char *made = NULL;
    cartgen_status status = check_arguments(type, name, out);
    if (status == CARTGEN_OK)
        status = cartgen_mpi_describe_text(type, name, &made);
    if (status != CARTGEN_OK)
        return status;
    if (fputs(made, out) == EOF || fflush(out) == EOF)
        status = cg_fail(CARTGEN_ERR_ARGUMENT, "the description cannot be written: %s", strerror(errno));
    cg_free(made);
    return status;
}
