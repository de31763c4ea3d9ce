/* SPDX-License-Identifier: MIT */
/* describe_read.c - a live MPI type, by its envelope and contents, into the table of parts. */
#include "cartgen/describe.h"
#include "describe_internal.h"

#define MOST_PARTS (1 << 20)

cartgen_status cg_describe_check(int code, const char *what)
{
    if (code == MPI_SUCCESS)
        return CARTGEN_OK;
    char message[MPI_MAX_ERROR_STRING] = "";
    int length = 0;
    MPI_Error_string(code, message, &length);
    return cg_fail(CARTGEN_ERR_TRANSPORT, "%s: %s", what, message);
}

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

static cartgen_status contents_get(cg_table *t, MPI_Datatype type, contents *c)
{
    c->ints = cg_alloc((size_t)c->nints, sizeof *c->ints);
    c->addresses = cg_alloc((size_t)c->naddresses, sizeof *c->addresses);
    c->types = cg_alloc((size_t)c->ntypes, sizeof *c->types);
    c->children = cg_alloc((size_t)c->ntypes, sizeof *c->children);
    cartgen_status status = CARTGEN_OK;
    int have_types = 0;
    if (c->ints == NULL || c->addresses == NULL || c->types == NULL || c->children == NULL)
        status = cg_describe_out_of_memory();
    if (status == CARTGEN_OK)
        status = cg_describe_check(MPI_Type_get_contents(type, c->nints, c->naddresses, c->ntypes,
                                                         c->ints, c->addresses, c->types),
                                   "MPI_Type_get_contents");
    have_types = status == CARTGEN_OK;
    for (int i = 0; status == CARTGEN_OK && i < c->ntypes; i++)
        status = cg_describe_read(t, c->types[i], &c->children[i]);
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

static cartgen_status intern_blocks(cg_table *t, const dimension *d, int child, int *index_p)
{
    cg_part p;
    cartgen_status status = cg_describe_part(CG_INDEXED, 2 * (int)d->blocks, 1, &p);
    if (status != CARTGEN_OK)
        return status;
    for (int64_t i = 0; i < d->blocks; i++) {
        int64_t start = d->first + i * d->step;
        p.args[i] = least(d->length, d->size - start);
        p.args[d->blocks + i] = start;
    }
    p.children[0] = child;
    return cg_describe_intern(t, &p, index_p);
}

/* Every dimension one block: a subarray. */
static cartgen_status darray_as_subarray(cg_table *t, const dimension dims[], int n, int fortran,
                                         int child, int *index_p)
{
    cg_part p;
    cartgen_status status = cg_describe_part(CG_SUBARRAY, 1 + 3 * n, 1, &p);
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
    return cg_describe_intern(t, &p, index_p);
}

/* Otherwise an indexed type a dimension, fastest first, each over the last one as a row. */
static cartgen_status darray_as_indexed(cg_table *t, const dimension dims[], int n, int fortran,
                                        int child, int *index_p)
{
    cartgen_status status = CARTGEN_OK;
    int64_t stride = cg_describe_extent(&t->parts[child].bounds);
    for (int k = 0; status == CARTGEN_OK && k < n; k++) {
        const dimension *d = &dims[fortran ? k : n - 1 - k];
        status = intern_blocks(t, d, child, &child);
        stride = cg_describe_times(stride, d->size);
        if (status == CARTGEN_OK)
            status = cg_describe_intern_over(t, CG_RESIZED, child, 2, (const int64_t[]){0, stride},
                                             &child);
    }
    *index_p = child;
    return status;
}

static cartgen_status read_darray(cg_table *t, const contents *c, int *index_p)
{
    int n = c->ints[2];
    const int *sizes = c->ints + 3, *how = sizes + n, *args = how + n, *grid = args + n;
    int fortran = grid[n] == MPI_ORDER_FORTRAN;
    int64_t cells = c->ints[0];
    int64_t rank = c->ints[1];
    int single = 1;
    dimension *dims = cg_alloc((size_t)n, sizeof *dims);
    if (dims == NULL)
        return cg_describe_out_of_memory();
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
    cg_part_kind kind;
    int skip;
} rule;

static const rule rules[] = {
    {MPI_COMBINER_CONTIGUOUS, CG_CONTIGUOUS, 0},
    {MPI_COMBINER_VECTOR, CG_VECTOR, 0},
    {MPI_COMBINER_HVECTOR, CG_HVECTOR, 0},
    {MPI_COMBINER_INDEXED, CG_INDEXED, 1},
    {MPI_COMBINER_HINDEXED, CG_HINDEXED, 1},
    {MPI_COMBINER_INDEXED_BLOCK, CG_INDEXED_BLOCK, 1},
    {MPI_COMBINER_HINDEXED_BLOCK, CG_HINDEXED_BLOCK, 1},
    {MPI_COMBINER_RESIZED, CG_RESIZED, 0},
};

static const rule *find_rule(int combiner)
{
    for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++)
        if (rules[i].combiner == combiner)
            return &rules[i];
    return NULL;
}

static cartgen_status read_by_rule(cg_table *t, const contents *c, const rule *r, int *index_p)
{
    cg_part p;
    int nints = c->nints - r->skip;
    cartgen_status status = cg_describe_part(r->kind, nints + c->naddresses, 1, &p);
    if (status != CARTGEN_OK)
        return status;
    for (int i = 0; i < nints; i++)
        p.args[i] = c->ints[r->skip + i];
    for (int i = 0; i < c->naddresses; i++)
        p.args[nints + i] = c->addresses[i];
    p.children[0] = c->children[0];
    return cg_describe_intern(t, &p, index_p);
}

static cartgen_status read_struct(cg_table *t, const contents *c, int *index_p)
{
    cg_part p;
    cartgen_status status = cg_describe_part(CG_STRUCT, 2 * c->ntypes, c->ntypes, &p);
    if (status != CARTGEN_OK)
        return status;
    for (int i = 0; i < c->ntypes; i++) {
        p.args[i] = c->addresses[i];
        p.args[c->ntypes + i] = c->ints[1 + i];
        p.children[i] = c->children[i];
    }
    return cg_describe_intern(t, &p, index_p);
}

static cartgen_status read_subarray(cg_table *t, const contents *c, int *index_p)
{
    cg_part p;
    int n = c->ints[0];
    cartgen_status status = cg_describe_part(CG_SUBARRAY, 1 + 3 * n, 1, &p);
    if (status != CARTGEN_OK)
        return status;
    p.args[0] = c->ints[1 + 3 * n] == MPI_ORDER_FORTRAN;
    for (int i = 0; i < 3 * n; i++)
        p.args[1 + i] = c->ints[1 + i];
    p.children[0] = c->children[0];
    return cg_describe_intern(t, &p, index_p);
}

static cartgen_status read_derived(cg_table *t, MPI_Datatype type, contents *c, int *index_p)
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
static cartgen_status state_bounds(cg_table *t, MPI_Datatype type, int *index_p)
{
    MPI_Aint lb = 0;
    MPI_Aint extent = 0;
    cartgen_status status =
        cg_describe_check(MPI_Type_get_extent(type, &lb, &extent), "MPI_Type_get_extent");
    if (status != CARTGEN_OK)
        return status;
    const cg_part *p = &t->parts[*index_p];
    if (lb == p->bounds.lb && extent == cg_describe_extent(&p->bounds))
        return CARTGEN_OK;
    int inner = p->kind == CG_RESIZED ? p->children[0] : *index_p;
    return cg_describe_intern_over(t, CG_RESIZED, inner, 2, (const int64_t[]){lb, extent}, index_p);
}

cartgen_status cg_describe_read(cg_table *t, MPI_Datatype type, int *index_p)
{
    contents c = {0};
    if (++t->visits > MOST_PARTS)
        return cg_fail(CARTGEN_ERR_SIZE, "the type has more than %d parts", MOST_PARTS);
    cartgen_status status = cg_describe_check(
        MPI_Type_get_envelope(type, &c.nints, &c.naddresses, &c.ntypes, &c.combiner),
        "MPI_Type_get_envelope");
    if (status != CARTGEN_OK)
        return status;
    if (c.combiner == MPI_COMBINER_NAMED)
        status = cg_describe_named(t, type, index_p);
    else if (is_predefined(c.combiner))
        status = cg_describe_f90(t, type, c.combiner, index_p);
    else
        status = read_derived(t, type, &c, index_p);
    return status == CARTGEN_OK ? state_bounds(t, type, index_p) : status;
}
