/* SPDX-License-Identifier: MIT */
/* choose.c - which program of a schedule a plan uses. */
#include <stdlib.h>

#include "internal.h"

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
    double bytes;
} direction;

static int by_key(const void *a, const void *b)
{
    const direction *x = a;
    const direction *y = b;
    return (x->key > y->key) - (x->key < y->key);
}

static double message_bytes(const cartgen_program *program, const cg_layout *layout,
                            const cartgen_message *message)
{
    double bytes = 0;
    for (uint32_t i = message->first; i < message->first + message->count; i++) {
        uint32_t ref = program->send_refs[i];
        uint32_t block = CARTGEN_REF_BLOCK(ref);
        if (CARTGEN_REF_BUFFER(ref) == 2)
            block = program->temp_blocks[block];
        bytes += (double)layout->send[block].bytes;
    }
    return bytes;
}

/* Messages left after joining, and bytes that leave the rank, of one round; every dimension taken
 * as periodic, so that all ranks of a mesh come to one answer. */
static double round_cost(const cartgen_schedule *schedule, const cartgen_program *program,
                         const cartgen_comm *comm, const cg_layout *layout,
                         const cartgen_round *round, direction *work)
{
    size_t count = 0;
    for (uint32_t k = 0; k < round->nmessages; k++) {
        const cartgen_message *message = &program->messages[round->first_message + k];
        int self = 0;
        int64_t key = cg_direction_key(
            comm, schedule->vectors + (size_t)message->to * (size_t)schedule->ndims, 1, &self);
        double bytes = message_bytes(program, layout, message);
        if (!self && bytes > 0)
            work[count++] = (direction){key, bytes};
    }
    qsort(work, count, sizeof *work, by_key);
    double total = 0;
    int joined = 0;
    for (size_t i = 0; i < count; i++) {
        if (i == 0 || work[i].key != work[i - 1].key)
            joined = 0;
        total += schedule->model.per_byte * work[i].bytes;
        if (work[i].bytes > (double)comm->join || !joined)
            total += schedule->model.latency;
        joined = joined || work[i].bytes <= (double)comm->join;
    }
    return total;
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

static cartgen_status choose_direct(const cartgen_schedule *schedule, int *program_p)
{
    for (uint32_t i = 0; i < schedule->nprograms; i++) {
        if (schedule->programs[i].is_direct) {
            *program_p = (int)i;
            return CARTGEN_OK;
        }
    }
    return cg_fail(CARTGEN_ERR_UNSUPPORTED,
                   "option trivial: schedule %s holds no direct program; generate it with "
                   "--algorithm direct or auto",
                   schedule->name);
}

cartgen_status cg_choose(const cartgen_schedule *schedule, const cartgen_comm *comm,
                         const cg_layout *layout, int *program_p)
{
    if (comm->trivial)
        return choose_direct(schedule, program_p);
    *program_p = 0;
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
    double best = 0;
    for (uint32_t i = 0; i < schedule->nprograms; i++) {
        double cost = program_cost(schedule, &schedule->programs[i], comm, layout, work);
        if (i == 0 || cost < best) {
            best = cost;
            *program_p = (int)i;
        }
    }
    cg_free(work);
    return CARTGEN_OK;
}
