/* SPDX-License-Identifier: MIT */
/* choose.c - which program of a schedule a plan uses. */
#include <stdlib.h>

#include "internal.h"

#define CG_FOLLOWING 0.25 /* of the latency: a further message of a round to one rank */

int64_t cg_direction_key(const cartgen_comm *comm, const int32_t to[], int all_periodic,
                         int *self_p)
{
    int64_t key = 0;
    int self = 1;
    for (int j = 0; j < comm->ndims; j++) {
        int64_t n = comm->dims[j];
        int64_t x = to[j];
        if (all_periodic || comm->periods[j]) {
            x %= n;
            if (x < 0)
                x += n;
            self = self && x == 0;
            key = key * n + x;
        } else {
            if (x <= -n || x >= n)
                return -1;
            self = self && x == 0;
            key = key * (2 * n - 1) + (x + n - 1);
        }
    }
    *self_p = self;
    return key;
}

typedef struct direction {
    int64_t key;
    uint32_t message;
    int is_block; /* one block, which needs no packing when it travels alone */
    size_t bytes;
} direction;

static int by_key(const void *a, const void *b)
{
    const direction *x = a;
    const direction *y = b;
    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    return (x->message > y->message) - (x->message < y->message);
}

static size_t message_bytes(const cartgen_program *program, const cg_layout *layout,
                            const cartgen_message *message)
{
    size_t bytes = 0;
    for (uint32_t i = message->first; i < message->first + message->count; i++) {
        bytes += cg_ref_bytes(layout, program, program->send_refs[i]);
    }
    return bytes;
}

typedef struct traffic {
    double latencies;
    size_t sent;   /* bytes that leave the rank */
    size_t copied; /* bytes packed, and unpacked by the receiver */
    size_t kept;   /* bytes that stay on the rank */
} traffic;

/* Records that a class of `count` messages becomes, and what is packed for them, by the rule of
 * build.c. Of several messages to one rank the latency of all but the first is mostly hidden. */
static void add_class(const cartgen_comm *comm, const direction *first, size_t count,
                      traffic *traffic_p)
{
    size_t join = (size_t)comm->join;
    size_t together = 0;
    size_t open = 0;  /* bytes in the record that is open */
    size_t alone = 0; /* and those of a block that is alone in it */
    size_t records = 0;
    for (size_t i = 0; i < count; i++)
        together += first[i].bytes <= join ? first[i].bytes : 0;
    size_t limit = cg_piece(comm, together, CG_SHARE);
    for (size_t i = 0; i < count; i++) {
        size_t bytes = first[i].bytes;
        int joins = bytes <= join && open > 0 && open + bytes <= limit;
        traffic_p->sent += bytes;
        if (joins || !first[i].is_block)
            traffic_p->copied += bytes;
        if (joins) {
            traffic_p->copied += alone;
            alone = 0;
            open += bytes;
            continue;
        }
        size_t piece = cg_piece(comm, bytes, CG_SPLIT);
        records += bytes / piece + (bytes % piece > 0);
        if (bytes <= join) {
            open = bytes;
            alone = first[i].is_block ? bytes : 0;
        }
    }
    traffic_p->latencies += 1 + CG_FOLLOWING * (double)(records - 1);
}

/* Messages left after joining, bytes that leave the rank and bytes that are packed and unpacked in one
 * round; every dimension taken as periodic, so that all ranks of a mesh come to one answer. */
static double round_cost(const cartgen_schedule *schedule, const cartgen_program *program,
                         const cartgen_comm *comm, const cg_layout *layout,
                         const cartgen_round *round, direction *work)
{
    size_t count = 0;
    traffic all = {0};
    for (uint32_t k = 0; k < round->nmessages; k++) {
        const cartgen_message *message = &program->messages[round->first_message + k];
        int self = 0;
        int64_t key = cg_direction_key(
            comm, schedule->vectors + (size_t)message->to * (size_t)schedule->ndims, 1, &self);
        size_t bytes = message_bytes(program, layout, message);
        if (self)
            all.kept += bytes;
        else if (bytes > 0)
            work[count++] = (direction){key, k, message->count == 1, bytes};
    }
    qsort(work, count, sizeof *work, by_key);
    for (size_t i = 0, n = 0; i < count; i += n) {
        for (n = 1; i + n < count && work[i + n].key == work[i].key; n++)
            continue;
        add_class(comm, work + i, n, &all);
    }
    return schedule->model.latency * all.latencies +
           schedule->model.per_byte * ((double)all.sent +
                                       CG_COPYING * (2.0 * (double)all.copied + (double)all.kept));
}

static double program_cost(const cartgen_schedule *schedule, const cartgen_program *program,
                           const cartgen_comm *comm, const cg_layout *layout, direction *work)
{
    double copies = 2.0 * program->nrefs + program->nlocals + program->ncopies;
    double total = schedule->model.per_copy * copies;
    for (uint32_t r = 0; r < program->nrounds; r++)
        total += round_cost(schedule, program, comm, layout, &program->rounds[r], work);
    return total;
}

static cartgen_status cost_of_direct(const cartgen_schedule *schedule, double costs[])
{
    int found = 0;
    for (uint32_t i = 0; i < schedule->nprograms; i++) {
        costs[i] = schedule->programs[i].is_direct ? 0 : 1;
        found = found || schedule->programs[i].is_direct;
    }
    if (found)
        return CARTGEN_OK;
    return cg_fail(CARTGEN_ERR_UNSUPPORTED,
                   "option trivial: schedule %s holds no direct program; generate it with "
                   "--algorithm direct or auto",
                   schedule->name);
}

cartgen_status cg_costs(const cartgen_schedule *schedule, const cartgen_comm *comm,
                        const cg_layout *layout, double costs[])
{
    if (comm->trivial)
        return cost_of_direct(schedule, costs);
    if (schedule->nprograms < 2)
        return CARTGEN_OK;
    uint32_t most = 0;
    for (uint32_t i = 0; i < schedule->nprograms; i++) {
        if (schedule->programs[i].nmessages > most)
            most = schedule->programs[i].nmessages;
    }
    direction *work = cg_alloc(most, sizeof *work);
    if (work == NULL)
        return cg_fail(CARTGEN_ERR_MEMORY, "out of memory choosing a program of %s",
                       schedule->name);
    for (uint32_t i = 0; i < schedule->nprograms; i++)
        costs[i] = program_cost(schedule, &schedule->programs[i], comm, layout, work);
    cg_free(work);
    return CARTGEN_OK;
}
