/* SPDX-License-Identifier: MIT */
/* scheme.c - which boxes go to whom, and their MPI types. */
#include <string.h>

#include "halo.h"

/* The two ends of a direction. */
typedef struct direction {
    int target;
    int source;
    halo_box send;
    halo_box recv;
} direction;

/* Dimensions below `whole` with their ghosts, the others without. */
static direction direction_of(const bench_cell *cell, int i, int whole)
{
    const int *v = &cell->offsets[i * HALO_DIMS];
    int m = cell->m;
    direction d = {.target = cell->targets[i], .source = cell->sources[i]};
    for (int k = 0; k < HALO_DIMS; k++) {
        int low = k < whole ? 0 : 1;
        int size = k < whole ? m + 2 : m;
        d.send.low[k] = v[k] == 0 ? low : v[k] > 0 ? m : 1;
        d.recv.low[k] = v[k] == 0 ? low : v[k] > 0 ? 0 : m + 1;
        d.send.size[k] = d.recv.size[k] = v[k] == 0 ? size : 1;
    }
    return d;
}

static void add_message(halo_side *side, int peer, int tag)
{
    int boxes = 0;
    for (int k = 0; k < side->nmessages; k++)
        boxes += side->messages[k].count;
    side->messages[side->nmessages++] =
        (halo_message){.peer = peer, .tag = tag, .first = boxes, .start = side->cells};
}

/* To the last message. */
static void add_box(halo_side *side, const halo_box *box)
{
    halo_message *message = &side->messages[side->nmessages - 1];
    side->boxes[message->first + message->count++] = *box;
    message->cells += halo_box_cells(box);
    side->cells += halo_box_cells(box);
}

static int is_message(const bench_cell *cell, const direction *d, int self)
{
    return self || d->target != cell->grid->rank;
}

static void add_direction(const bench_cell *cell, const direction *d, int tag, int self,
                          halo_round *round)
{
    if (!is_message(cell, d, self)) {
        round->from[round->ncopies] = d->send;
        round->to[round->ncopies++] = d->recv;
        return;
    }
    add_message(&round->send, d->target, tag);
    add_box(&round->send, &d->send);
    add_message(&round->recv, d->source, tag);
    add_box(&round->recv, &d->recv);
}

/* A message for every process that is a peer, of all directions to (from) it in their order: the
 * same order on both sides. */
static void merge_side(const bench_cell *cell, int receives, int self, halo_side *side)
{
    for (int peer = 0; peer < cell->grid->size; peer++) {
        int begun = 0;
        for (int i = 0; i < HALO_DIRECTIONS; i++) {
            direction d = direction_of(cell, i, 0);
            if (i == HALO_MIDDLE || (receives ? d.source : d.target) != peer ||
                !is_message(cell, &d, self))
                continue;
            if (!begun++)
                add_message(side, peer, 0);
            add_box(side, receives ? &d.recv : &d.send);
        }
    }
}

static void merge(const bench_cell *cell, int self, halo_round *round)
{
    merge_side(cell, 0, self, &round->send);
    merge_side(cell, 1, self, &round->recv);
    for (int i = 0; i < HALO_DIRECTIONS; i++) {
        direction d = direction_of(cell, i, 0);
        if (i != HALO_MIDDLE && !is_message(cell, &d, self))
            add_direction(cell, &d, 0, self, round);
    }
}

/* Index of the offset that is `step` along a dimension: the last one is the fastest. */
static int along(int dimension, int step)
{
    static const int stride[HALO_DIMS] = {9, 3, 1};
    return HALO_MIDDLE + step * stride[dimension];
}

void halo_scheme_make(const bench_cell *cell, const char *algorithm, int self,
                      halo_scheme *scheme_p)
{
    halo_scheme *s = scheme_p;
    memset(s, 0, sizeof(*s));
    s->width = cell->m + 2;
    s->nrounds = 1;
    if (strcmp(algorithm, "merged") == 0) {
        merge(cell, self, &s->rounds[0]);
        return;
    }
    if (strcmp(algorithm, "dimensionwise") == 0) {
        s->nrounds = HALO_DIMS;
        for (int k = 0; k < 2 * HALO_DIMS; k++) {
            direction d = direction_of(cell, along(k / 2, k % 2 ? 1 : -1), k / 2);
            add_direction(cell, &d, k % 2, self, &s->rounds[k / 2]);
        }
        return;
    }
    for (int i = 0; i < HALO_DIRECTIONS; i++) {
        direction d = direction_of(cell, i, 0);
        if (i != HALO_MIDDLE)
            add_direction(cell, &d, i, self, &s->rounds[0]);
    }
}

MPI_Datatype halo_message_type(const halo_scheme *scheme, const halo_side *side,
                               const halo_message *message)
{
    MPI_Datatype types[HALO_NEIGHBOURS];
    MPI_Datatype all;
    MPI_Aint displs[HALO_NEIGHBOURS];
    int ones[HALO_NEIGHBOURS];
    const int extents[HALO_DIMS] = {scheme->width, scheme->width, scheme->width};
    for (int k = 0; k < message->count; k++) {
        const halo_box *box = &side->boxes[message->first + k];
        MPI_Type_create_subarray(HALO_DIMS, extents, box->size, box->low, MPI_ORDER_C, MPI_DOUBLE,
                                 &types[k]);
        displs[k] = 0;
        ones[k] = 1;
    }
    if (message->count == 1) {
        MPI_Type_commit(&types[0]);
        return types[0];
    }
    MPI_Type_create_struct(message->count, ones, displs, types, &all);
    MPI_Type_commit(&all);
    for (int k = 0; k < message->count; k++)
        MPI_Type_free(&types[k]);
    return all;
}
