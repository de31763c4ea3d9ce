/* SPDX-License-Identifier: MIT */
#include "measure.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "timer.h"

#define MOST_RUNS 4096

/* What one call to bench_measure works on. */
typedef struct bench_work {
    const bench_cell *cell;
    const bench_plan *plan;
    MPI_Comm comm;
    bench_buffer send;
    bench_buffer recv;
    bench_buffer expected;
    const int *from; /* what is sent: send, or recv in place */
    void **states; /* NULL: the function could not be opened or run */
    unsigned salt;
} bench_work;

const char *bench_verdict_text(bench_verdict verdict)
{
    static const char *const texts[] = {"unchecked", "right", "wrong", "failed"};
    return texts[verdict];
}

static double largest(double mine, MPI_Comm comm)
{
    double all = 0.0;
    MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_MAX, comm);
    return all;
}

static int any(int mine, MPI_Comm comm)
{
    int all = 0;
    MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_LOR, comm);
    return all;
}

/* Runs once on fresh contents; the verdict is the same on all ranks. */
static bench_verdict verify(bench_work *w, bench_result *r, void *state)
{
    const bench_kind *kind = r->function->kind;
    bench_faults faults = {0};
    unsigned salt = ++w->salt;
    const bench_contents *contents = w->cell->contents;
    const char *plant = w->plan->plant;
    contents->prepare(w->cell, salt, &w->send, &w->recv);
    MPI_Barrier(w->comm);
    int failed = kind->run(state, w->from, w->recv.data);
    if (any(failed, w->comm))
        return BENCH_FAILED;
    if (kind->floor || !w->plan->verify)
        return BENCH_UNCHECKED;
    if (plant != NULL && contents->plant != NULL && w->cell->grid->rank == w->cell->grid->size - 1)
        contents->plant(w->cell, plant, &w->recv);
    contents->expect(w->cell, salt, &w->expected);
    contents->compare(w->cell, salt, &w->expected, &w->recv, &faults);
    if (bench_faults_sum(&faults, w->comm) == 0)
        return BENCH_RIGHT;
    bench_faults_first(&faults, w->comm, r->reason);
    return BENCH_WRONG;
}

static int time_runs(bench_work *w, const bench_kind *kind, void *state, int runs, double *each_p)
{
    int failed = 0;
    MPI_Barrier(w->comm);
    double start = bench_now();
    for (int i = 0; i < runs; i++)
        failed |= kind->run(state, w->from, w->recv.data);
    *each_p = (bench_now() - start) / runs;
    return failed;
}

/* Warm-up and batch size: doubles the runs until they take a quarter of a batch. */
static void calibrate(bench_work *w, const bench_kind *kind, void *state, bench_result *r)
{
    const bench_plan *plan = w->plan;
    double each = 0.0;
    for (int runs = 1; runs <= MOST_RUNS; runs *= 2) {
        time_runs(w, kind, state, runs, &each);
        each = largest(each, w->comm);
        if (runs >= 4 && each * runs >= plan->batch_seconds / 4)
            break;
        if (each > 0.05)
            break;
    }
    double batch = plan->batch > 0 ? plan->batch : plan->batch_seconds / each + 1.0;
    r->batch = batch > MOST_RUNS ? MOST_RUNS : (int)batch;
    double repetitions = plan->budget / (each * r->batch);
    r->count = plan->repetitions;
    if (plan->budget > 0 && repetitions < r->count)
        r->count = (int)repetitions;
    if (r->count < plan->least)
        r->count = plan->least < plan->repetitions ? plan->least : plan->repetitions;
}

static void open_one(bench_work *w, bench_result *r, void **state_p)
{
    const bench_kind *kind = r->function->kind;
    void *state = NULL;
    MPI_Barrier(w->comm);
    double start = bench_now();
    int failed = kind->open(r->function, w->cell, w->from, w->recv.data, &state);
    r->init = largest(bench_now() - start, w->comm);
    if (any(failed, w->comm)) {
        r->verdict = BENCH_FAILED;
    } else {
        r->verdict = verify(w, r, state);
        if (r->verdict != BENCH_FAILED)
            calibrate(w, kind, state, r);
    }
    if (r->verdict != BENCH_FAILED) {
        if (kind->describe != NULL)
            kind->describe(state, r->program);
        r->seconds = calloc((size_t)r->count, sizeof(double));
        *state_p = state;
        return;
    }
    snprintf(r->reason, sizeof(r->reason), "%.*s", BENCH_FAULT_WIDTH - 1, bench_error());
    if (!failed)
        kind->close(state);
}

static uint32_t next_random(uint32_t *x)
{
    *x ^= *x << 13;
    *x ^= *x >> 17;
    *x ^= *x << 5;
    return *x;
}

static void shuffle(int order[], int count, uint32_t *x)
{
    for (int i = count - 1; i > 0; i--) {
        int j = (int)(next_random(x) % (uint32_t)(i + 1));
        int t = order[i];
        order[i] = order[j];
        order[j] = t;
    }
}

/* Functions with fewer repetitions are spread evenly over the rounds of the one with most. */
static void interleave(bench_work *w, bench_result results[], int nresults, int order[])
{
    uint32_t random = w->plan->seed * 2654435761u | 1u;
    int rounds = 0;
    for (int i = 0; i < nresults; i++) {
        order[i] = i;
        if (w->states[i] != NULL && results[i].count > rounds)
            rounds = results[i].count;
    }
    for (int64_t round = 0; round < rounds; round++) {
        shuffle(order, nresults, &random);
        for (int k = 0; k < nresults; k++) {
            bench_result *r = &results[order[k]];
            void *state = w->states[order[k]];
            int64_t at = round * r->count / rounds;
            if (state == NULL || (round + 1) * r->count / rounds == at)
                continue;
            if (time_runs(w, r->function->kind, state, r->batch, &r->seconds[at]) != 0)
                r->verdict = BENCH_WRONG;
        }
    }
}

static void finish(bench_work *w, bench_result *r, void *state)
{
    MPI_Allreduce(MPI_IN_PLACE, r->seconds, r->count, MPI_DOUBLE, MPI_MAX, w->comm);
    bench_verdict after = verify(w, r, state);
    int wrong = any(r->verdict == BENCH_WRONG, w->comm);
    if (wrong)
        r->verdict = BENCH_WRONG;
    if (after == BENCH_WRONG || after == BENCH_FAILED)
        r->verdict = after;
    r->function->kind->close(state);
}

int bench_measure(const bench_cell *cell, const bench_function functions[], int nfunctions,
                  const bench_plan *plan, bench_result results[])
{
    bench_work w = {.cell = cell, .plan = plan, .salt = plan->seed};
    int *order = calloc((size_t)nfunctions, sizeof(int));
    w.states = calloc((size_t)nfunctions, sizeof(void *));
    memset(results, 0, (size_t)nfunctions * sizeof(results[0]));
    int failed = order == NULL || w.states == NULL ||
                 bench_buffer_make(cell->send_ints, &w.send) != 0 ||
                 bench_buffer_make(cell->recv_ints, &w.recv) != 0 ||
                 bench_buffer_make(cell->recv_ints, &w.expected) != 0;
    MPI_Comm_dup(cell->grid->cart, &w.comm);
    if (!any(failed, w.comm)) {
        w.from = cell->contents->in_place ? w.recv.data : w.send.data;
        for (int i = 0; i < nfunctions; i++) {
            results[i].function = &functions[i];
            open_one(&w, &results[i], &w.states[i]);
        }
        interleave(&w, results, nfunctions, order);
        for (int i = 0; i < nfunctions; i++) {
            if (w.states[i] != NULL)
                finish(&w, &results[i], w.states[i]);
        }
    } else {
        failed = 1;
    }
    MPI_Comm_free(&w.comm);
    bench_buffer_free(&w.send);
    bench_buffer_free(&w.recv);
    bench_buffer_free(&w.expected);
    free(w.states);
    free(order);
    return failed ? bench_fail("out of memory on some rank") : 0;
}

void bench_results_free(bench_result results[], int nresults)
{
    for (int i = 0; i < nresults; i++)
        free(results[i].seconds);
}
