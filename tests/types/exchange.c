/* SPDX-License-Identifier: MIT */
/* exchange.c - a schedule against the typemaps: every byte of the receive buffer, whose elements come from the elements
 * of the same number in the source's send buffer; no other byte changes. */
#include "exchange.h"

#include <mpi.h>
#include <stdlib.h>
#include <string.h>

#include "basics.h"
#include "cartgen/mpi.h"
#include "check.h"

enum { BLOCKS = 3, RUNS = 2 };

static const int offsets[BLOCKS][2] = {{1, 1}, {0, 1}, {0, 0}};

/* The grid of all ranks, kept for all schedules. */
static cartgen_comm *grid(void)
{
    static cartgen_comm *comm;
    int dims[2] = {0, 0}, size = 1;
    const int periods[2] = {1, 1};
    if (comm != NULL)
        return comm;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Dims_create(size, 2, dims);
    if (cartgen_comm_from_mpi(MPI_COMM_WORLD, 2, dims, periods, &comm) != CARTGEN_OK)
        MPI_Abort(MPI_COMM_WORLD, 2);
    return comm;
}

/* Rank that block i comes from. */
static int source_of(int i)
{
    const int *dims = cartgen_comm_dims(grid()), *at = cartgen_comm_coords(grid());
    int x[2];
    for (int j = 0; j < 2; j++)
        x[j] = ((at[j] - offsets[i][j]) % dims[j] + dims[j]) % dims[j];
    return x[0] * dims[1] + x[1];
}

/* The elements of BLOCKS blocks, `step` bytes apart. */
static typemap blocks_of(const typemap *map, int64_t step)
{
    typemap out = {.entries = must_alloc((size_t)BLOCKS * (size_t)map->n * sizeof *out.entries)};
    for (int i = 0; i < BLOCKS; i++)
        for (int64_t k = 0; k < map->n; k++) {
            typemap_entry e = map->entries[k];
            e.displ += i * step;
            if (e.basic >= 0)
                out.entries[out.n++] = e;
        }
    return out;
}

/* What a rank sends; the same on all ranks. */
static memory sent_by(int rank, uint64_t seed, const typemap *from)
{
    generator g = {seed ^ ((uint64_t)(rank + 1) << 32)};
    return memory_make(from, 1, &g);
}

static void check_run(situation *s, const exchange *e, cartgen_plan *plan, const typemap *from, const typemap *to)
{
    char text[160];
    const uint64_t seed = draw(&s->g);
    memory sent = sent_by(cartgen_comm_rank(grid()), seed, from), untouched = memory_twin(&sent);
    memory received = memory_make(to, 1, &s->g), expected = memory_twin(&received);
    for (int i = 0; i < BLOCKS; i++) {
        memory source = sent_by(source_of(i), seed, from);
        for (int64_t k = i * to->n / BLOCKS; k < (i + 1) * to->n / BLOCKS; k++)
            memcpy(memory_at(&expected, 0, to->entries[k].displ), memory_at(&source, 0, from->entries[k].displ),
                   (size_t)basics[to->entries[k].basic].bytes);
        memory_free(&source);
    }
    cartgen_status status = e->schedule->start(plan, sent.bases[0], received.bases[0]);
    if (status == CARTGEN_OK)
        status = e->schedule->wait(plan);
    checks_made++;
    if (status != CARTGEN_OK)
        report("fault", s, "exchange: %s", cartgen_last_error());
    else if (!memory_equal(&received, &expected, text))
        report("fault", s, "received: %s", text);
    else if (!memory_equal(&sent, &untouched, text))
        report("fault", s, "the send buffer: %s", text);
    memory_free(&sent);
    memory_free(&untouched);
    memory_free(&received);
    memory_free(&expected);
}

void check_exchange(situation *s, const exchange *e, int64_t values)
{
    static const char *const modes[] = {"nonblocking", "persistent", "blocking"};
    cartgen_plan *plan = NULL;
    if (situation_is_far(s))
        return;
    /* Parameters and lists may go when init returns. */
    int64_t *given = must_alloc((size_t)values * sizeof *given);
    for (int64_t i = 0; i < values; i++)
        given[i] = s->values[i];
    cartgen_comm_set(grid(), "mode", modes[s->set % 3]);
    cartgen_status status = e->open(grid(), given, &plan);
    for (int64_t i = 0; i < values; i++)
        given[i] = INT64_MIN;
    free(given);
    if (status != CARTGEN_OK) {
        report("fault", s, "init: %s", cartgen_last_error());
        return;
    }
    typemap from = blocks_of(&s->type, e->send_step), to = blocks_of(&s->to, e->recv_step);
    for (int run = 0; run < RUNS; run++)
        check_run(s, e, plan, &from, &to);
    typemap_free(&from);
    typemap_free(&to);
    e->schedule->free(&plan);
}
