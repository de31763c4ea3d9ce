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

/* ------------------------------------------------------------------ far apart */

/* Byte `byte` of element k of what a rank sends: never 0, as all bytes beside the elements are. */
static unsigned char far_byte(int rank, int64_t k, int64_t byte)
{
    return (unsigned char)((rank * 97 + k * 13 + byte * 29) % 255 + 1);
}

static memory far_array(const situation *s, const typemap *map)
{
    int64_t low = 0, high = 0;
    typemap_span(map, 0, &low, &high);
    memory m = memory_far(low, high - low);
    if (m.n == 0)
        report("fault", s, "no address space of %zu bytes", m.bytes[0]);
    return m;
}

/* Elements that are wrong, then bytes beside elements that are not 0; the elements are 0 afterwards. */
static int64_t far_faults(const memory *m, const typemap *to)
{
    enum { BESIDE = 8 };
    int64_t wrong = 0;
    for (int64_t k = 0; k < to->n; k++) {
        const typemap_entry *e = &to->entries[k];
        int source = source_of((int)(k * BLOCKS / to->n));
        for (int64_t i = 0; i < basics[e->basic].bytes; i++)
            wrong += *memory_at(m, 0, e->displ + i) != far_byte(source, k, i);
    }
    for (int64_t k = 0; k < to->n; k++)
        memset(memory_at(m, 0, to->entries[k].displ), 0, (size_t)basics[to->entries[k].basic].bytes);
    for (int64_t k = 0; k < to->n; k++)
        for (int64_t i = -BESIDE; i < basics[to->entries[k].basic].bytes + BESIDE; i++)
            wrong += *memory_at(m, 0, to->entries[k].displ + i) != 0;
    return wrong;
}

/* Blocks that lie gigabytes apart, in memory that is there only where it is touched. */
static void check_far_run(situation *s, const exchange *e, cartgen_plan *plan, const typemap *from, const typemap *to)
{
    memory sent = far_array(s, from), received = far_array(s, to);
    if (sent.n > 0 && received.n > 0) {
        for (int64_t k = 0; k < from->n; k++)
            for (int64_t i = 0; i < basics[from->entries[k].basic].bytes; i++)
                *memory_at(&sent, 0, from->entries[k].displ + i) = far_byte(cartgen_comm_rank(grid()), k, i);
        cartgen_status status = e->schedule->start(plan, sent.bases[0], received.bases[0]);
        if (status == CARTGEN_OK)
            status = e->schedule->wait(plan);
        checks_made++;
        if (status != CARTGEN_OK)
            report("fault", s, "exchange: %s", cartgen_last_error());
        else if (far_faults(&received, to) > 0)
            report("fault", s, "received, far apart: bytes of elements or beside them are wrong");
    }
    memory_far_free(&sent);
    memory_far_free(&received);
}

void check_exchange(situation *s, const exchange *e, int64_t values)
{
    static const char *const modes[] = {"nonblocking", "persistent", "blocking"};
    cartgen_plan *plan = NULL;
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
        (situation_is_far(s) ? check_far_run : check_run)(s, e, plan, &from, &to);
    typemap_free(&from);
    typemap_free(&to);
    e->schedule->free(&plan);
}
