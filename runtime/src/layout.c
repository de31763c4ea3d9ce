/* SPDX-License-Identifier: MIT */
/* layout.c - where blocks lie for given parameters, and which travel on this rank. */
#include "internal.h"

static cartgen_status check_side(const cartgen_schedule *schedule, const char *side,
                                 cartgen_block *blocks, uint32_t count)
{
    int64_t total = 0;
    for (uint32_t i = 0; i < count; i++) {
        int64_t first = 0;
        int64_t end = 0;
        if (blocks[i].bytes == 0) {
            blocks[i].span = 0;
            blocks[i].low = 0;
        }
        if (blocks[i].bytes < 0 || blocks[i].span < 0)
            return cg_fail(CARTGEN_ERR_SIZE,
                           "schedule %s: %s block %u has a negative size or one beyond 2^63 for "
                           "these parameters",
                           schedule->name, side, (unsigned)i);
        if (blocks[i].shape < 0)
            return cg_fail(CARTGEN_ERR_OVERLAP, "schedule %s: %s block %u overlaps itself for these parameters",
                           schedule->name, side, (unsigned)i);
        if (__builtin_add_overflow(blocks[i].displ, blocks[i].low, &first) ||
            __builtin_add_overflow(first, blocks[i].span, &end) ||
            __builtin_add_overflow(total, blocks[i].bytes, &total) || total > INT64_MAX / 4)
            return cg_fail(CARTGEN_ERR_SIZE, "schedule %s: %s blocks up to %u pass 2^61 bytes",
                           schedule->name, side, (unsigned)i);
    }
    return CARTGEN_OK;
}

static cartgen_status check_limits(const cartgen_schedule *schedule, const void *params)
{
    if (schedule->nlimits == 0)
        return CARTGEN_OK;
    cartgen_status status = CARTGEN_OK;
    int64_t *values = cg_alloc((size_t)2 * schedule->nlimits, sizeof *values);
    if (values == NULL)
        return cg_fail(CARTGEN_ERR_MEMORY, "out of memory for the limits of %s", schedule->name);
    schedule->limits(params, values);
    for (uint32_t i = 0; i < schedule->nlimits && status == CARTGEN_OK; i++) {
        const cartgen_limit *limit = &schedule->limit_names[i];
        long long value = (long long)values[2 * i];
        long long bound = (long long)values[2 * i + 1];
        if (value < 0)
            status = cg_fail(CARTGEN_ERR_SIZE, "schedule %s: %s is %lld, expected 0 or more", schedule->name,
                             limit->value, value);
        else if (value > bound)
            status = cg_fail(CARTGEN_ERR_SIZE, "schedule %s: %s is %lld, more than %s, %lld", schedule->name,
                             limit->value, value, limit->bound, bound);
    }
    cg_free(values);
    return status;
}

static cartgen_status check_transfers(const cartgen_schedule *schedule, const cg_layout *layout)
{
    for (uint32_t i = 0; i < schedule->ntransfers; i++) {
        uint32_t s = schedule->transfer_send[i];
        uint32_t r = schedule->transfer_recv[i];
        if (layout->send[s].bytes != layout->recv[r].bytes)
            return cg_fail(CARTGEN_ERR_SIZE,
                           "schedule %s: send block %u has %lld bytes, its receive block %u has "
                           "%lld",
                           schedule->name, (unsigned)s, (long long)layout->send[s].bytes,
                           (unsigned)r, (long long)layout->recv[r].bytes);
    }
    return CARTGEN_OK;
}

static void evaluate_needs(const cartgen_schedule *schedule, const cartgen_comm *comm,
                           uint8_t *needs)
{
    needs[0] = 1;
    for (uint32_t c = 1; c < schedule->nneeds; c++) {
        for (uint32_t j = schedule->need_first[c]; j < schedule->need_first[c + 1]; j++) {
            const int32_t *v =
                schedule->vectors + (size_t)schedule->need_rows[j] * (size_t)schedule->ndims;
            if (cg_rank_at(comm, v, 1) != CARTGEN_NO_PEER)
                needs[c] = 1;
        }
    }
}

cartgen_status cg_layout_create(const cartgen_schedule *schedule, const cartgen_comm *comm,
                                const void *params, cg_layout *layout_p)
{
    cg_layout layout = {
        .send = cg_alloc(schedule->nsend, sizeof(cartgen_block)),
        .recv = cg_alloc((size_t)schedule->nrecv + schedule->nareas, sizeof(cartgen_block)),
        .needs = cg_alloc(schedule->nneeds + 1, 1),
        .runs = cg_alloc(schedule->nkernels, sizeof(double)),
    };
    cartgen_status status = CARTGEN_OK;
    if (layout.send == NULL || layout.recv == NULL || layout.needs == NULL ||
        layout.runs == NULL) {
        status = cg_fail(CARTGEN_ERR_MEMORY, "out of memory for the layout of %s", schedule->name);
        goto destroy;
    }
    status = check_limits(schedule, params);
    if (status != CARTGEN_OK)
        goto destroy;
    schedule->layout(params, layout.send, layout.recv);
    status = check_side(schedule, "send", layout.send, schedule->nsend);
    if (status == CARTGEN_OK)
        status = check_side(schedule, "receive", layout.recv, schedule->nrecv);
    if (status == CARTGEN_OK)
        status = check_side(schedule, "area", layout.recv + schedule->nrecv, schedule->nareas);
    if (status == CARTGEN_OK)
        status = check_transfers(schedule, &layout);
    if (status != CARTGEN_OK)
        goto destroy;
    evaluate_needs(schedule, comm, layout.needs);
    for (uint32_t i = 0; i < schedule->nkernels; i++)
        layout.runs[i] = cg_count_runs(&schedule->kernels[i], params);
    *layout_p = layout;
    return CARTGEN_OK;

destroy:
    cg_layout_destroy(&layout);
    return status;
}

void cg_layout_destroy(cg_layout *layout)
{
    cg_free(layout->send);
    cg_free(layout->recv);
    cg_free(layout->needs);
    cg_free(layout->runs);
    *layout = (cg_layout){0};
}
