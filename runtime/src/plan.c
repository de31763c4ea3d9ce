/* SPDX-License-Identifier: MIT */
/* plan.c - life of a plan, what start checks, and the moves. No transport. */
#include <stdio.h>
#include <stdlib.h>

#include "internal.h"

static cartgen_status check_schedule(const cartgen_schedule *schedule, const cartgen_comm *comm,
                                     const void *params)
{
    if (schedule->abi != CARTGEN_ABI)
        return cg_fail(CARTGEN_ERR_UNSUPPORTED,
                       "schedule %s was generated for ABI %d, the runtime has %d: regenerate it",
                       schedule->name, (int)schedule->abi, CARTGEN_ABI);
    if (schedule->ndims != comm->ndims)
        return cg_fail(CARTGEN_ERR_GRID, "schedule %s has %d dimensions, the comm has %d",
                       schedule->name, (int)schedule->ndims, comm->ndims);
    for (int j = 0; j < comm->ndims; j++) {
        if (schedule->dims != NULL && schedule->dims[j] != comm->dims[j])
            return cg_fail(CARTGEN_ERR_GRID,
                           "schedule %s was generated for extent %d in dimension %d, the comm has "
                           "%d",
                           schedule->name, (int)schedule->dims[j], j, comm->dims[j]);
        if (schedule->periods[j] != comm->periods[j])
            return cg_fail(CARTGEN_ERR_GRID,
                           "schedule %s is %speriodic in dimension %d, the comm is %speriodic",
                           schedule->name, schedule->periods[j] ? "" : "not ", j,
                           comm->periods[j] ? "" : "not ");
    }
    if (schedule->params_bytes > 0 && params == NULL)
        return cg_fail(CARTGEN_ERR_ARGUMENT, "schedule %s has %u parameters, params is NULL",
                       schedule->name, (unsigned)schedule->nparams);
    return CARTGEN_OK;
}

/* Parameters are one int64_t or pointer each, in order (NAME_params). */
static const char *param_at(const void *params, uint32_t i)
{
    return (const char *)params + (size_t)i * sizeof(int64_t);
}

static const int64_t *param_array(const void *params, uint32_t i)
{
    const int64_t *array = NULL;
    memcpy(&array, param_at(params, i), sizeof array);
    return array;
}

static int64_t param_value(const void *params, uint32_t i)
{
    int64_t value = 0;
    memcpy(&value, param_at(params, i), sizeof value);
    return value;
}

/* Values of the array that parameter i is; 0: it is a number. */
static int64_t param_length(const cartgen_schedule *schedule, const void *params, uint32_t i)
{
    const cartgen_param *p = &schedule->params[i];
    return p->length < 0 ? p->count(params) : p->length;
}

static int is_array(const cartgen_schedule *schedule, uint32_t i)
{
    return schedule->params[i].length != 0;
}

static cartgen_status check_array(const cartgen_schedule *s, const void *params, uint32_t i)
{
    long long length = (long long)param_length(s, params, i);
    if (length < 0 || length > CG_MOST_VALUES)
        return cg_fail(CARTGEN_ERR_SIZE,
                       "schedule %s: parameter %s has %lld values, expected 0 to %lld", s->name,
                       s->params[i].name, length, (long long)CG_MOST_VALUES);
    if (length > 0 && param_array(params, i) == NULL)
        return cg_fail(CARTGEN_ERR_ARGUMENT, "schedule %s: parameter %s is NULL, expected %lld values",
                       s->name, s->params[i].name, length);
    return CARTGEN_OK;
}

/* The plan's own copy of the parameters and their arrays. */
static cartgen_status copy_params(cartgen_plan *plan, const void *params)
{
    const cartgen_schedule *s = plan->schedule;
    size_t values = 0;
    for (uint32_t i = 0; i < s->nparams; i++) {
        cartgen_status status = is_array(s, i) ? check_array(s, params, i) : CARTGEN_OK;
        if (status != CARTGEN_OK)
            return status;
        values += (size_t)param_length(s, params, i);
    }
    plan->params = cg_alloc(s->state_bytes, 1);
    plan->arrays = cg_alloc(values, sizeof(int64_t));
    if (plan->params == NULL || plan->arrays == NULL)
        return cg_fail(CARTGEN_ERR_MEMORY, "out of memory for the parameters of %s", s->name);
    if (s->params_bytes == 0)
        return CARTGEN_OK;
    memcpy(plan->params, params, s->params_bytes);
    int64_t *next = plan->arrays;
    for (uint32_t i = 0; i < s->nparams; i++) {
        size_t length = (size_t)param_length(s, params, i);
        if (!is_array(s, i))
            continue;
        if (length > 0)
            memcpy(next, param_array(params, i), length * sizeof(int64_t));
        memcpy((char *)plan->params + (size_t)i * sizeof(int64_t), &next, sizeof next);
        next += length;
    }
    return CARTGEN_OK;
}

static int by_place(const void *a, const void *b)
{
    const cg_run *x = a;
    const cg_run *y = b;
    if (x->base != y->base)
        return x->base < y->base ? -1 : 1;
    return (x->displ > y->displ) - (x->displ < y->displ);
}

/* Hulls and sorted runs of the arrays of a side; runs[count] is their storage. */
static void note_runs(const cartgen_block *blocks, uint32_t count, cg_buffer *buffers, uint32_t nbuffers,
                      cg_run *runs)
{
    size_t n = 0;
    for (uint32_t k = 0; k < nbuffers; k++) {
        buffers[k].hull[0] = INT64_MAX;
        buffers[k].hull[1] = INT64_MIN;
    }
    for (uint32_t i = 0; i < count; i++) {
        cg_buffer *buffer = &buffers[blocks[i].base];
        if (blocks[i].bytes == 0)
            continue;
        buffer->strided = buffer->strided || blocks[i].shape != 0;
        int64_t first = blocks[i].displ + blocks[i].low;
        if (first < buffer->hull[0])
            buffer->hull[0] = first;
        if (first + blocks[i].span > buffer->hull[1])
            buffer->hull[1] = first + blocks[i].span;
        runs[n++] = (cg_run){blocks[i].displ, blocks[i].bytes, blocks[i].base};
        buffer->nruns++;
    }
    qsort(runs, n, sizeof *runs, by_place);
    for (uint32_t k = 0; k < nbuffers; k++) {
        buffers[k].runs = runs;
        runs += buffers[k].nruns;
    }
}

/* The arrays of both sides, and where their addresses will stand. */
static cartgen_status make_arrays(cartgen_plan *plan)
{
    const cartgen_schedule *s = plan->schedule;
    plan->nsend_arrays = s->nsend_arrays > 0 ? s->nsend_arrays : 1;
    plan->nrecv_arrays = s->nrecv_arrays > 0 ? s->nrecv_arrays : 1;
    size_t count = (size_t)plan->nsend_arrays + plan->nrecv_arrays;
    plan->bases = cg_alloc(CG_ARRAYS + count, sizeof *plan->bases);
    plan->buffers = cg_alloc(count, sizeof *plan->buffers);
    plan->runs = cg_alloc((size_t)s->nsend + s->nrecv, sizeof *plan->runs);
    if (plan->bases == NULL || plan->buffers == NULL || plan->runs == NULL)
        return cg_fail(CARTGEN_ERR_MEMORY, "out of memory for the arrays of %s", s->name);
    for (uint32_t k = 0; k < s->nsend_arrays; k++)
        plan->buffers[k].name = s->send_arrays[k];
    for (uint32_t k = 0; k < s->nrecv_arrays; k++)
        plan->buffers[plan->nsend_arrays + k].name = s->recv_arrays[k];
    note_runs(plan->layout.send, s->nsend, plan->buffers, plan->nsend_arrays, plan->runs);
    note_runs(plan->layout.recv, s->nrecv, plan->buffers + plan->nsend_arrays, plan->nrecv_arrays,
              plan->runs + s->nsend);
    return CARTGEN_OK;
}

static cartgen_status check_receives(const cartgen_plan *plan)
{
    for (uint32_t k = 0; k < plan->nrecv_arrays; k++) {
        const cg_buffer *buffer = &plan->buffers[plan->nsend_arrays + k];
        for (size_t i = 1; !buffer->strided && i < buffer->nruns; i++) {
            const cg_run *a = &buffer->runs[i - 1];
            if (a->displ + a->bytes > buffer->runs[i].displ)
                return cg_fail(CARTGEN_ERR_OVERLAP,
                               "schedule %s: receive blocks overlap at byte %lld of %s",
                               plan->schedule->name, (long long)buffer->runs[i].displ,
                               buffer->name == NULL ? "the receive buffer" : buffer->name);
        }
    }
    return CARTGEN_OK;
}

cartgen_status cg_plan_create(const cartgen_schedule *schedule, cartgen_comm *comm,
                              const void *params, cartgen_plan **plan_p)
{
    cartgen_status status = check_schedule(schedule, comm, params);
    if (status != CARTGEN_OK)
        return status;
    cartgen_plan *plan = cg_alloc(1, sizeof *plan);
    double *costs = cg_alloc(schedule->nprograms, sizeof *costs);
    if (plan == NULL || costs == NULL) {
        cg_free(plan);
        cg_free(costs);
        return cg_fail(CARTGEN_ERR_MEMORY, "out of memory for a plan of %s", schedule->name);
    }
    plan->schedule = schedule;
    plan->comm = comm;
    plan->costs = costs;
    plan->mode = comm->mode < 0 ? schedule->mode : (cartgen_mode)comm->mode;
    plan->zero_copy = comm->zero_copy < 0 ? schedule->zero_copy : (cartgen_zero_copy)comm->zero_copy;
    status = copy_params(plan, params);
    if (status == CARTGEN_OK && schedule->prepare != NULL)
        status = schedule->prepare(plan->params);
    if (status == CARTGEN_OK)
        status = cg_layout_create(schedule, comm, plan->params, &plan->layout);
    if (status == CARTGEN_OK)
        status = make_arrays(plan);
    if (status == CARTGEN_OK)
        status = check_receives(plan);
    if (status == CARTGEN_OK)
        status = cg_costs(schedule, comm, &plan->layout, costs);
    if (status != CARTGEN_OK) {
        cg_plan_destroy(plan);
        return status;
    }
    *plan_p = plan;
    return CARTGEN_OK;
}

const cartgen_program *cg_plan_program(const cartgen_plan *plan)
{
    uint32_t best = 0;
    for (uint32_t i = 1; i < plan->schedule->nprograms; i++) {
        if (plan->costs[i] < plan->costs[best])
            best = i;
    }
    return &plan->schedule->programs[best];
}

cartgen_status cg_plan_build(cartgen_plan *plan)
{
    plan->program = cg_plan_program(plan);
    plan->stats.program = (int)(plan->program - plan->schedule->programs);
    cartgen_status status = cg_build(plan, &plan->layout);
    cg_layout_destroy(&plan->layout);
    cg_free(plan->costs);
    plan->costs = NULL;
    if (status != CARTGEN_OK)
        return status;
    plan->view = (cartgen_view){.out = plan->out,
                                .in = plan->in,
                                .params = plan->params,
                                .send_arrays = plan->bases + CG_ARRAYS,
                                .recv_arrays = plan->bases + CG_ARRAYS + plan->nsend_arrays};
    plan->at = plan->nrounds;
    return CARTGEN_OK;
}

void cg_plan_sizes(const cartgen_plan *plan, const cartgen_program *program, uint32_t k, int sends,
                   int64_t sizes[])
{
    const cartgen_message *message = &program->messages[k];
    const uint32_t *refs = sends ? program->send_refs : program->recv_refs;
    const uint32_t *needs = sends ? program->send_needs : program->recv_needs;
    for (uint32_t i = 0; i < message->count; i++) {
        uint32_t at = message->first + i;
        int travels = needs == NULL || plan->layout.needs[needs[at]];
        sizes[i] = travels ? (int64_t)cg_ref_bytes(&plan->layout, program, refs[at]) : 0;
    }
}

void cg_plan_destroy(cartgen_plan *plan)
{
    if (plan == NULL)
        return;
    cg_layout_destroy(&plan->layout);
    if (plan->params != NULL && plan->schedule->release != NULL)
        plan->schedule->release(plan->params);
    void *const blocks[] = {plan->costs,       plan->params,  plan->arrays,  plan->rounds, plan->out,
                            plan->in,          plan->scratch, plan->records, plan->moves,
                            plan->stage_block, plan->bases,   plan->buffers, plan->runs,
                            plan->parts,       plan->whole,   plan};
    for (size_t i = 0; i < sizeof blocks / sizeof blocks[0]; i++)
        cg_free(blocks[i]);
}

static uint64_t mix(uint64_t hash, const void *data, size_t bytes)
{
    const unsigned char *at = data; /* FNV-1a, Fowler, Noll, Vo */
    for (size_t i = 0; i < bytes; i++)
        hash = (hash ^ at[i]) * UINT64_C(1099511628211);
    return hash;
}

uint64_t cg_plan_hash(const cartgen_schedule *schedule, const cartgen_comm *comm,
                      const void *params)
{
    int64_t options[5] = {comm->mode, comm->trivial, comm->join, comm->eager, comm->zero_copy};
    uint64_t hash = mix(UINT64_C(14695981039346656037), &schedule->hash, sizeof schedule->hash);
    hash = mix(hash, options, sizeof options);
    for (uint32_t i = 0; params != NULL && !schedule->own_params && i < schedule->nparams; i++) {
        int64_t length = is_array(schedule, i) ? param_length(schedule, params, i) : 1;
        const void *data = is_array(schedule, i) ? (const void *)param_array(params, i) : param_at(params, i);
        if (data != NULL && length > 0 && length <= CG_MOST_VALUES)
            hash = mix(hash, data, (size_t)length * sizeof(int64_t));
    }
    return hash;
}

void cg_plan_describe(const cartgen_schedule *schedule, const cartgen_comm *comm,
                      const void *params, char *text, size_t bytes)
{
    static const char *const modes[] = {"default", "nonblocking", "persistent", "blocking"};
    static const char *const choices[] = {"default", "auto", "always", "never"};
    uint64_t hash = cg_plan_hash(schedule, comm, params);
    int used = snprintf(text, bytes, "%s(", schedule->name);
    for (uint32_t i = 0; i < schedule->nparams && used >= 0 && (size_t)used < bytes; i++) {
        const char *sep = i == 0 ? "" : ", ";
        if (params == NULL || is_array(schedule, i))
            used += snprintf(text + used, bytes - (size_t)used, "%s%s", sep, schedule->params[i].name);
        else
            used += snprintf(text + used, bytes - (size_t)used, "%s%s=%lld", sep,
                             schedule->params[i].name, (long long)param_value(params, i));
    }
    if (used >= 0 && (size_t)used < bytes)
        snprintf(text + used, bytes - (size_t)used, ") mode %s%s join %lld eager %lld zero_copy %s hash %016llx",
                 modes[comm->mode + 1], comm->trivial ? " trivial" : "", (long long)comm->join,
                 (long long)(comm->eager < (int64_t)CG_PIECE ? comm->eager : 0),
                 choices[comm->zero_copy + 1],
                 (unsigned long long)hash);
}

/* Do any two runs, one of each array at its address, share a byte? */
static int runs_meet(const cg_buffer *x, intptr_t at_x, const cg_buffer *y, intptr_t at_y)
{
    size_t i = 0;
    size_t j = 0;
    while (i < x->nruns && j < y->nruns) {
        intptr_t a = at_x + (intptr_t)x->runs[i].displ;
        intptr_t b = at_y + (intptr_t)y->runs[j].displ;
        if (a + (intptr_t)x->runs[i].bytes <= b)
            i++;
        else if (b + (intptr_t)y->runs[j].bytes <= a)
            j++;
        else
            return 1;
    }
    return 0;
}

static int is_touched(const cg_buffer *buffer)
{
    return buffer->hull[0] < buffer->hull[1];
}

static int arrays_meet(const cartgen_plan *plan, uint32_t i, uint32_t j)
{
    const cg_buffer *x = &plan->buffers[i];
    const cg_buffer *y = &plan->buffers[j];
    intptr_t a = (intptr_t)plan->bases[CG_ARRAYS + i];
    intptr_t b = (intptr_t)plan->bases[CG_ARRAYS + j];
    if (!is_touched(x) || !is_touched(y) || a + x->hull[1] <= b + y->hull[0] ||
        b + y->hull[1] <= a + x->hull[0])
        return 0;
    return !x->strided && !y->strided && runs_meet(x, a, y, b);
}

/* What is received into may not meet what is sent, nor another array that is received into. */
static cartgen_status check_overlap(const cartgen_plan *plan)
{
    for (uint32_t j = 0; j < plan->nrecv_arrays; j++) {
        uint32_t into = plan->nsend_arrays + j;
        for (uint32_t i = 0; i < into; i++) {
            const char *side = i < plan->nsend_arrays ? "send" : "receive";
            if (!arrays_meet(plan, i, into))
                continue;
            if (plan->buffers[i].name == NULL || plan->buffers[into].name == NULL)
                return cg_fail(CARTGEN_ERR_OVERLAP, "schedule %s: send and receive blocks overlap",
                               plan->schedule->name);
            return cg_fail(CARTGEN_ERR_OVERLAP,
                           "schedule %s: %s blocks in %s and receive blocks in %s overlap",
                           plan->schedule->name, side, plan->buffers[i].name, plan->buffers[into].name);
        }
    }
    return CARTGEN_OK;
}

/* Addresses of the arrays of a side: of the buffer, or of the struct of pointers. */
static cartgen_status set_bases(const cartgen_plan *plan, const char *side, const void *buffer,
                                uint32_t first, uint32_t count)
{
    const cg_buffer *buffers = plan->buffers + first;
    char **bases = plan->bases + CG_ARRAYS + first;
    if (buffers[0].name == NULL)
        bases[0] = (char *)(uintptr_t)buffer; /* what is sent is read only */
    else if (buffer != NULL)
        memcpy(bases, buffer, count * sizeof *bases);
    else
        memset(bases, 0, count * sizeof *bases);
    for (uint32_t k = 0; k < count; k++) {
        if (bases[k] != NULL || !is_touched(&buffers[k]))
            continue;
        if (buffer == NULL)
            return cg_fail(CARTGEN_ERR_ARGUMENT, "schedule %s: %s is NULL", plan->schedule->name, side);
        return cg_fail(CARTGEN_ERR_ARGUMENT, "schedule %s: %s->%s is NULL", plan->schedule->name, side,
                       buffers[k].name);
    }
    return CARTGEN_OK;
}

static cartgen_status check_in_place(const cartgen_plan *plan)
{
    for (uint32_t k = 0; k < plan->nsend_arrays; k++) {
        const char *name = plan->buffers[k].name;
        if (plan->bases[CG_ARRAYS + k] == plan->bases[CG_ARRAYS + plan->nsend_arrays + k])
            continue;
        return cg_fail(CARTGEN_ERR_ARGUMENT,
                       "schedule %s is in place: sendbuf%s%s and recvbuf%s%s must be the same address",
                       plan->schedule->name, name == NULL ? "" : "->", name == NULL ? "" : name,
                       name == NULL ? "" : "->", name == NULL ? "" : name);
    }
    return CARTGEN_OK;
}

cartgen_status cg_plan_begin(cartgen_plan *plan, const void *sendbuf, void *recvbuf)
{
    if (plan == NULL)
        return cg_fail(CARTGEN_ERR_ARGUMENT, "plan is NULL");
    if (plan->in_flight)
        return cg_fail(CARTGEN_ERR_STATE, "schedule %s is in flight: wait before the next start",
                       plan->schedule->name);
    cartgen_status status = set_bases(plan, "sendbuf", sendbuf, 0, plan->nsend_arrays);
    if (status == CARTGEN_OK)
        status = set_bases(plan, "recvbuf", recvbuf, plan->nsend_arrays, plan->nrecv_arrays);
    if (status == CARTGEN_OK && plan->schedule->in_place)
        status = check_in_place(plan);
    if (status == CARTGEN_OK)
        status = check_overlap(plan);
    plan->view.send = plan->bases[CG_ARRAYS];
    plan->view.recv = plan->bases[CG_ARRAYS + plan->nsend_arrays];
    return status;
}

void cg_plan_run_moves(const cartgen_plan *plan, const cg_moves *moves)
{
    const cartgen_kernel *kernels = plan->schedule->kernels;
    const void *params = plan->params;
    char *const *bases = plan->bases;
    for (size_t i = 0; i < moves->count; i++) {
        const cg_move *m = &moves->list[i];
        const char *src = bases[m->src_space] + (ptrdiff_t)m->src;
        char *dst = bases[m->dst_space] + (ptrdiff_t)m->dst;
        if (m->src_shape == 0 && m->dst_shape == 0) {
            cartgen_copy(dst, src, m->bytes);
        } else if (m->dst_shape == 0) {
            kernels[m->src_shape - 1].pack(dst, src, params);
        } else if (m->src_shape == 0) {
            kernels[m->dst_shape - 1].unpack(dst, src, params);
        } else if (m->with_next) {
            m->copy->twice(dst, src, (int64_t)(m[1].dst - m->dst), (int64_t)(m[1].src - m->src), params);
            i++;
        } else if (m->copy != NULL) {
            m->copy->copy(dst, src, params);
        } else {
            kernels[m->src_shape - 1].pack(plan->scratch, src, params);
            kernels[m->dst_shape - 1].unpack(dst, plan->scratch, params);
        }
    }
}

void cg_plan_pack(const cartgen_plan *plan, const cg_round *round)
{
    if (round->pack_phase != NULL)
        round->pack_phase(&plan->view);
    else
        cg_plan_run_moves(plan, &round->pack);
}

void cg_plan_unpack(const cartgen_plan *plan, const cg_round *round)
{
    if (round->unpack_phase != NULL)
        round->unpack_phase(&plan->view);
    else
        cg_plan_run_moves(plan, &round->unpack);
}

void cg_plan_local(const cartgen_plan *plan)
{
    if (plan->program->local != NULL)
        plan->program->local(&plan->view);
    else
        cg_plan_run_moves(plan, &plan->local);
}

cartgen_status cartgen_plan_get_stats(const cartgen_plan *plan, cartgen_plan_stats *stats_p)
{
    if (plan == NULL || stats_p == NULL)
        return cg_fail(CARTGEN_ERR_ARGUMENT, "%s is NULL", plan == NULL ? "plan" : "stats_p");
    *stats_p = plan->stats;
    return CARTGEN_OK;
}
