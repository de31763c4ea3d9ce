/* SPDX-License-Identifier: MIT */
/*
 * mpi_datatype.c - MPI datatypes of what kernels lay out, made of MPI_BYTE, so that what they send can be
 * received as bytes side by side and the reverse.
 *
 * No message that goes as a datatype is longer than CG_PIECE, so no count of items that hold bytes passes int.
 */
#include "mpi_internal.h"

/* `length` of `type` side by side at `at`; a derived type alone, length 1. */
typedef struct part {
    MPI_Aint at;
    int length;
    MPI_Datatype type;
} part;

/* A loop or a list that is open, or the outermost level. */
typedef struct level {
    struct level *outer;
    MPI_Aint at;
    int64_t count; /* of a loop */
    MPI_Aint stride;
    int64_t nplaces; /* of a list */
    MPI_Aint *places;
    part *parts; /* what it is made of so far */
    size_t nparts;
    size_t room;
} level;

/* After the first failure calls have no effect. */
typedef struct builder {
    const char *name; /* of the schedule or layout */
    level *open;
    cartgen_status status;
} builder;

static void note(builder *b, int code)
{
    if (b->status == CARTGEN_OK)
        b->status = cg_mpi_check(code, "making a datatype");
}

static void lack_memory(builder *b)
{
    if (b->status == CARTGEN_OK)
        b->status = cg_fail(CARTGEN_ERR_MEMORY, "out of memory for the datatypes of %s", b->name);
}

static void drop(part *p)
{
    if (p->type != MPI_BYTE && p->type != MPI_DATATYPE_NULL)
        MPI_Type_free(&p->type);
}

static void add(builder *b, part p)
{
    level *l = b->open;
    if (b->status == CARTGEN_OK && l->nparts == l->room) {
        size_t room = 2 * l->room + 4;
        part *parts = cg_alloc(room, sizeof *parts);
        if (parts == NULL) {
            lack_memory(b);
        } else {
            if (l->nparts > 0)
                memcpy(parts, l->parts, l->nparts * sizeof *parts);
            cg_free(l->parts);
            l->parts = parts;
            l->room = room;
        }
    }
    if (b->status == CARTGEN_OK)
        l->parts[l->nparts++] = p;
    else
        drop(&p);
}

/* Takes all parts of a level, as one; length 0: they hold nothing. */
static part together(builder *b, level *l)
{
    part all = {.type = MPI_BYTE};
    if (l->nparts == 0 || b->status != CARTGEN_OK)
        return all;
    if (l->nparts == 1) {
        l->nparts = 0;
        return l->parts[0];
    }
    int *lengths = cg_alloc(l->nparts, sizeof *lengths);
    MPI_Aint *places = cg_alloc(l->nparts, sizeof *places);
    MPI_Datatype *types = cg_alloc(l->nparts, sizeof *types);
    if (lengths == NULL || places == NULL || types == NULL) {
        lack_memory(b);
    } else {
        for (size_t i = 0; i < l->nparts; i++) {
            lengths[i] = l->parts[i].length;
            places[i] = l->parts[i].at;
            types[i] = l->parts[i].type;
        }
        all.length = 1;
        note(b, MPI_Type_create_struct((int)l->nparts, lengths, places, types, &all.type));
    }
    cg_free(lengths);
    cg_free(places);
    cg_free(types);
    return all;
}

static level *push(builder *b)
{
    level *l = b->status == CARTGEN_OK ? cg_alloc(1, sizeof *l) : NULL;
    if (l == NULL) {
        lack_memory(b);
        return NULL;
    }
    l->outer = b->open;
    b->open = l;
    return l;
}

/* Takes the innermost level away, with what it is made of. */
static void pop(builder *b)
{
    level *l = b->open;
    b->open = l->outer;
    for (size_t i = 0; i < l->nparts; i++)
        drop(&l->parts[i]);
    cg_free(l->places);
    cg_free(l->parts);
    cg_free(l);
}

static void add_run(void *state, int64_t at, int64_t bytes)
{
    if (bytes > 0)
        add(state, (part){(MPI_Aint)at, (int)bytes, MPI_BYTE});
}

/* Room for n places in a level; NULL: no memory. */
static MPI_Aint *add_places(builder *b, level *l, int64_t n)
{
    l->nplaces = n;
    l->places = cg_alloc((size_t)n, sizeof *l->places);
    if (l->places == NULL)
        lack_memory(b);
    return l->places;
}

/*
 * A loop of stride -1 is a list: Open MPI takes that stride for "the extent of the type" (4.1: opal_datatype_add) and
 * places the items upwards.
 */
static void open_loop(void *state, int64_t at, int64_t count, int64_t stride)
{
    level *l = push(state);
    if (l == NULL)
        return;
    l->at = (MPI_Aint)at;
    l->count = count;
    l->stride = (MPI_Aint)stride;
    if (stride != -1 || count < 2 || add_places(state, l, count) == NULL)
        return;
    for (int64_t i = 0; i < count; i++)
        l->places[i] = (MPI_Aint)-i;
}

static void open_list(void *state, int64_t at, int64_t count, const int64_t *index, int64_t scale,
                      const int64_t *lengths, int64_t stride)
{
    builder *b = state;
    level *l = push(b);
    if (l == NULL)
        return;
    l->at = (MPI_Aint)at;
    int64_t nplaces = 0;
    for (int64_t i = 0; i < count; i++)
        nplaces += lengths != NULL ? lengths[i] : 1;
    MPI_Aint *next = add_places(b, l, nplaces);
    if (next == NULL)
        return;
    for (int64_t i = 0; i < count; i++) {
        for (int64_t j = 0; j < (lengths != NULL ? lengths[i] : 1); j++)
            *next++ = (MPI_Aint)(index[i] * scale + j * stride);
    }
}

/* The body of a loop or a list, repeated; length 0: nothing. */
static part repeated(builder *b, const level *l, part body)
{
    part made = {.at = l->at + body.at, .length = 1, .type = MPI_DATATYPE_NULL};
    int64_t count = l->places != NULL ? l->nplaces : l->count;
    if (body.length == 0 || count == 0)
        return (part){.type = MPI_BYTE};
    if (l->places == NULL && count == 1)
        return (part){made.at, body.length, body.type};
    note(b, l->places == NULL
                ? MPI_Type_create_hvector((int)count, body.length, l->stride, body.type, &made.type)
                : MPI_Type_create_hindexed_block((int)count, body.length, l->places, body.type, &made.type));
    drop(&body);
    return made;
}

/* Closes a loop or a list: it becomes a part of what is around it. */
static void close_level(void *state)
{
    builder *b = state;
    if (b->status != CARTGEN_OK)
        return;
    part made = repeated(b, b->open, together(b, b->open));
    pop(b);
    if (made.length > 0)
        add(b, made);
}

/* The outermost level as a type that may be sent. */
static cartgen_status finish(builder *b, MPI_Datatype *type_p)
{
    part all = {.type = MPI_DATATYPE_NULL};
    if (b->status == CARTGEN_OK)
        all = together(b, b->open);
    while (b->open != NULL)
        pop(b);
    if (b->status == CARTGEN_OK && (all.at != 0 || all.type == MPI_BYTE)) {
        part inner = all;
        note(b, MPI_Type_create_hindexed_block(1, inner.length, &inner.at, inner.type, &all.type));
        drop(&inner);
    }
    if (b->status == CARTGEN_OK)
        note(b, MPI_Type_commit(&all.type));
    if (b->status == CARTGEN_OK)
        *type_p = all.type;
    else
        drop(&all);
    return b->status;
}

static void visit(builder *b, const cartgen_kernel *kernel, const void *params)
{
    cartgen_visitor visitor = {b, add_run, open_loop, open_list, close_level};
    kernel->visit(&visitor, params);
}

cartgen_status cg_mpi_datatype(const char *name, const cartgen_kernel *kernel, const void *params,
                               MPI_Datatype *type_p)
{
    builder b = {.name = name};
    push(&b);
    visit(&b, kernel, params);
    return finish(&b, type_p);
}

/* The type of a record. */
static cartgen_status make(const cartgen_plan *plan, const cg_record *record, int sends,
                           MPI_Datatype *type_p)
{
    const cartgen_kernel *kernels = plan->schedule->kernels;
    if (record->parts.count == 0)
        return cg_mpi_datatype(plan->schedule->name, &kernels[record->type - 1], plan->params, type_p);
    builder b = {.name = plan->schedule->name};
    push(&b);
    for (size_t i = 0; i < record->parts.count; i++) {
        const cg_move *m = &record->parts.list[i];
        int32_t shape = sends ? m->src_shape : m->dst_shape;
        int64_t at = (int64_t)(sends ? m->src : m->dst);
        if (shape == 0) {
            add_run(&b, at, (int64_t)m->bytes);
            continue;
        }
        open_loop(&b, at, 1, 0);
        visit(&b, &kernels[shape - 1], plan->params);
        close_level(&b);
    }
    return finish(&b, type_p);
}

cartgen_status cg_mpi_datatypes(const cartgen_plan *plan, MPI_Datatype types[])
{
    cartgen_status status = CARTGEN_OK;
    for (size_t r = 0; r < plan->nrounds; r++) {
        const cg_round *round = &plan->rounds[r];
        for (size_t i = 0; i < round->nsends + round->nrecvs && status == CARTGEN_OK; i++) {
            int sends = i < round->nsends;
            const cg_record *record = sends ? &round->sends[i] : &round->recvs[i - round->nsends];
            if (record->type > 0 && types[record->type - 1] == MPI_DATATYPE_NULL)
                status = make(plan, record, sends, &types[record->type - 1]);
        }
    }
    return status;
}
