/* SPDX-License-Identifier: MIT */
/* calls_cartgen.c - ours: any schedule of the table, driven by its descriptor. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "function.h"

typedef struct cartgen_state {
    const cartgen_schedule *schedule;
    cartgen_plan *plan;
} cartgen_state;

static int failed(const char *call, cartgen_status status)
{
    return bench_fail("%s: %s: %s", call, cartgen_strerror(status), cartgen_last_error());
}

/* The schedule that was generated with the algorithm; direct is also a program of auto. */
static const cartgen_schedule *find(const bench_function *function, const bench_cell *cell,
                                    int *trivial_p)
{
    int d = cell->grid->ndims;
    const bench_variant *variant =
        bench_variant_find(d, cell->n, cell->collective, function->algorithm);
    if (variant == NULL && strcmp(function->algorithm, "direct") == 0) {
        variant = bench_variant_find(d, cell->n, cell->collective, "auto");
        *trivial_p = 1;
    }
    return variant != NULL ? variant->schedule : NULL;
}

static int ours_open(const bench_function *function, const bench_cell *cell, const int *send,
                     int *recv, void **state_p)
{
    (void)send;
    (void)recv;
    int trivial = function->trivial;
    const cartgen_schedule *schedule = function->schedule;
    if (schedule == NULL)
        schedule = find(function, cell, &trivial);
    if (schedule == NULL)
        return bench_fail("no schedule %s d=%d n=%d %s was built",
                          bench_collective_names[cell->collective], cell->grid->ndims, cell->n,
                          function->algorithm);
    int64_t m = cell->m; /* the params of these schedules are { int64_t m; } */
    if (schedule->nparams != 1 || schedule->params_bytes != sizeof(m) ||
        strcmp(schedule->params[0].name, "m") != 0)
        return bench_fail("%s: its parameters are not { m }", schedule->name);
    cartgen_comm *comm = cell->grid->comm;
    cartgen_status status = function->blocking ? cartgen_comm_set(comm, "blocking", "true")
                                               : cartgen_comm_set(comm, "mode", function->mode);
    if (status == CARTGEN_OK)
        status = cartgen_comm_set(comm, "trivial", trivial ? "true" : "false");
    if (status != CARTGEN_OK)
        return failed("cartgen_comm_set", status);
    cartgen_state *s = calloc(1, sizeof(*s));
    if (s == NULL)
        return bench_fail("out of memory");
    s->schedule = schedule;
    status = schedule->init(comm, &m, &s->plan);
    if (status != CARTGEN_OK) {
        free(s);
        return failed("init", status);
    }
    *state_p = s;
    return 0;
}

static int ours_run(void *state, const int *send, int *recv)
{
    cartgen_state *s = state;
    cartgen_status status = s->schedule->start(s->plan, send, recv);
    if (status == CARTGEN_OK)
        status = s->schedule->wait(s->plan);
    return status == CARTGEN_OK ? 0 : failed("start and wait", status);
}

static void ours_close(void *state)
{
    cartgen_state *s = state;
    if (s == NULL)
        return;
    s->schedule->free(&s->plan);
    free(s);
}

/* The program that was taken and the messages it sends. */
static void ours_describe(void *state, char text[BENCH_NAME])
{
    cartgen_state *s = state;
    cartgen_plan_stats stats;
    text[0] = '\0';
    if (cartgen_plan_get_stats(s->plan, &stats) == CARTGEN_OK)
        snprintf(text, BENCH_NAME, "%.40s/%lld", s->schedule->programs[stats.program].algorithm,
                 (long long)stats.messages);
}

const bench_kind bench_kind_cartgen = {
    .open = ours_open, .run = ours_run, .close = ours_close, .describe = ours_describe};
