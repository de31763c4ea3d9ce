/* SPDX-License-Identifier: MIT */
/*
 * zero_copy.c - which messages go as a datatype of the transport, from and to where their blocks lie.
 *
 * Either end of a message decides for itself: the bytes that travel are the same. What both have to know
 * is in how many pieces: a message that its sender sends as a datatype goes in one.
 */
#include "internal.h"

/* --- counting the runs of a layout --- */

#define DEEPEST 64 /* loops further inside count as one */

typedef struct counter {
    double runs;
    double times[DEEPEST]; /* of what is inside each loop or list that is open */
    int depth;
} counter;

static void count_run(void *state, int64_t at, int64_t bytes)
{
    counter *c = state;
    (void)at;
    c->runs += bytes > 0 ? c->times[c->depth < DEEPEST ? c->depth : DEEPEST - 1] : 0;
}

static void open_level(counter *c, double times)
{
    c->depth++;
    if (c->depth < DEEPEST)
        c->times[c->depth] = c->times[c->depth - 1] * times;
}

static void count_loop(void *state, int64_t at, int64_t count, int64_t stride)
{
    (void)at, (void)stride;
    open_level(state, (double)count);
}

static void count_list(void *state, int64_t at, int64_t count, const int64_t *index, int64_t scale,
                       const int64_t *lengths, int64_t stride)
{
    double times = lengths == NULL ? (double)count : 0;
    (void)at, (void)index, (void)scale, (void)stride;
    for (int64_t i = 0; lengths != NULL && i < count; i++)
        times += (double)lengths[i];
    open_level(state, times);
}

static void count_end(void *state)
{
    counter *c = state;
    c->depth--;
}

double cg_count_runs(const cartgen_kernel *kernel, const void *params)
{
    counter c = {.times = {1}};
    cartgen_visitor visitor = {&c, count_run, count_loop, count_list, count_end};
    if (kernel->visit == NULL)
        return 0;
    kernel->visit(&visitor, params);
    return c.runs;
}

/* --- deciding --- */

/* The block of a user's array that a ref names, and the number of that array; NULL: it is on its way. In place
 * what is sent lies in what is received into. */
static const cartgen_block *block_of(const cartgen_plan *plan, const cg_layout *layout, uint32_t ref,
                                     int *array_p)
{
    int sends = CARTGEN_REF_BUFFER(ref) == 0;
    if (CARTGEN_REF_BUFFER(ref) == 2)
        return NULL;
    const cartgen_block *block = (sends ? layout->send : layout->recv) + CARTGEN_REF_BLOCK(ref);
    *array_p = (int)block->base + (sends && !plan->schedule->in_place ? 0 : (int)plan->nsend_arrays);
    return block;
}

int cg_datatype_wins(const cg_datatypes *limits, int zero_copy, size_t bytes, double runs)
{
    if (zero_copy == CARTGEN_ZERO_COPY_NEVER || runs <= 1 || bytes > CG_PIECE)
        return 0;
    return zero_copy == CARTGEN_ZERO_COPY_ALWAYS ||
           (limits->least_bytes > 0 && bytes >= (size_t)limits->least_bytes &&
            bytes <= (size_t)limits->most_bytes && (double)bytes >= runs * (double)limits->least_run);
}

int cg_zero_copy(const cartgen_plan *plan, const cg_layout *layout, const cartgen_program *program,
                 uint32_t k, const uint32_t *refs, const uint32_t *needs)
{
    const cartgen_message *message = &program->messages[k];
    size_t bytes = 0;
    double runs = 0;
    int array = -1;
    if (plan->mode == CARTGEN_MODE_PERSISTENT || plan->zero_copy == CARTGEN_ZERO_COPY_NEVER)
        return 0;
    for (uint32_t i = message->first; i < message->first + message->count; i++) {
        size_t size = cg_ref_bytes(layout, program, refs[i]);
        if (size == 0 || (needs != NULL && !layout->needs[needs[i]]))
            continue;
        int here = 0;
        const cartgen_block *block = block_of(plan, layout, refs[i], &here);
        if (block == NULL || (array >= 0 && here != array) ||
            (block->shape > 0 && layout->runs[block->shape - 1] == 0))
            return 0;
        array = here;
        bytes += size;
        runs += block->shape > 0 ? layout->runs[block->shape - 1] : 1;
    }
    return cg_datatype_wins(&plan->comm->datatypes, (int)plan->zero_copy, bytes, runs);
}
