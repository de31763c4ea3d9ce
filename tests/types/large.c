/* SPDX-License-Identifier: MIT */
/*
 * large.c [SEED] - types of more than 2^31 and 2^32 bytes (large.lua): sizes and bounds of the generated code against
 * MPI's and against loops that are written here, and bytes from the middle of the packed stream against the places
 * where these loops put them, in memory that is there only where it is touched. Then what is refused.
 */
#include <time.h>

#include "large_types.h"
#include "memory.h"
#include "mpi/support.h"
#include "subject.h"

enum { MOST_LEVELS = 3, LIST = 3, PIECE = 16, POSITIONS = 24 };

/* `count` of what is inside, at multiples of stride, or at places[i] * stride: lengths[i] copies there,
 * `step` apart. */
typedef struct level {
    int64_t count;
    int64_t stride;
    const int64_t *places;
    const int64_t *lengths;
    int64_t step;
} level;

typedef struct large {
    const subject *subject;
    const cartgen_schedule *schedule;
    const void *params;
    MPI_Datatype elem;
    int64_t elem_bytes;
    int64_t origin;
    level levels[MOST_LEVELS]; /* the innermost first; count 0: no more */
    int64_t lb, extent;        /* where they are explicit; extent 0: those of the bytes */
} large;

/* ------------------------------------------------------------------ what the loops say */

static int64_t items_of(const level *l)
{
    int64_t items = 0;
    for (int64_t i = 0; l->lengths != NULL && i < l->count; i++)
        items += l->lengths[i];
    return l->lengths != NULL ? items : l->count;
}

/* Place of item `item` of a level. */
static int64_t place_in(const level *l, int64_t item)
{
    int64_t i = 0;
    if (l->lengths == NULL)
        return l->stride * (l->places != NULL ? l->places[item] : item);
    for (; item >= l->lengths[i]; i++)
        item -= l->lengths[i];
    return l->places[i] * l->stride + item * l->step;
}

/* Least and greatest place of a level: at its ends, or at those of its entries. */
static void reach_of(const level *l, int64_t *low_p, int64_t *high_p)
{
    int found = 0;
    *low_p = *high_p = 0;
    for (int64_t i = 0, item = 0; i < (l->places != NULL ? l->count : 2); i++) {
        int64_t length = l->lengths != NULL ? l->lengths[i] : 1;
        for (int end = 0; length > 0 && end < 2; end++) {
            int64_t at = l->places == NULL ? place_in(l, i * (l->count - 1)) : place_in(l, item + end * (length - 1));
            *low_p = !found || at < *low_p ? at : *low_p;
            *high_p = !found || at > *high_p ? at : *high_p;
            found = 1;
        }
        item += length;
    }
}

typedef struct bounds {
    int64_t size, low, high; /* high: one past the last byte */
} bounds;

static bounds bounds_of(const large *c)
{
    bounds b = {c->elem_bytes, c->origin, c->origin + c->elem_bytes};
    for (int i = 0; i < MOST_LEVELS && c->levels[i].count > 0; i++) {
        int64_t low, high;
        reach_of(&c->levels[i], &low, &high);
        b.size *= items_of(&c->levels[i]);
        b.low += low;
        b.high += high;
    }
    return b;
}

/* Place of byte k of the packed stream. */
static int64_t place_of(const large *c, int64_t k)
{
    int64_t at = c->origin + k % c->elem_bytes;
    k /= c->elem_bytes;
    for (int i = 0; i < MOST_LEVELS && c->levels[i].count > 0; i++) {
        int64_t items = items_of(&c->levels[i]);
        at += place_in(&c->levels[i], k % items);
        k /= items;
    }
    return at;
}

/* ------------------------------------------------------------------ MPI's type */

/* Replaces *type_p by the type made of it. */
static void replace(MPI_Datatype *type_p, MPI_Datatype made)
{
    int integers, addresses, types, combiner;
    MPI_Type_get_envelope(*type_p, &integers, &addresses, &types, &combiner);
    if (combiner != MPI_COMBINER_NAMED)
        MPI_Type_free(type_p);
    *type_p = made;
}

static MPI_Datatype listed(const level *l, MPI_Datatype old)
{
    MPI_Datatype made, copies[LIST];
    MPI_Aint at[LIST];
    const int ones[LIST] = {1, 1, 1};
    int n = 0;
    for (int i = 0; i < LIST; i++) {
        int64_t length = l->lengths != NULL ? l->lengths[i] : 1;
        if (length == 0) /* the bounds of what is empty are a matter of the library */
            continue;
        at[n] = (MPI_Aint)(l->places[i] * l->stride);
        MPI_Type_create_hvector((int)length, 1, (MPI_Aint)l->step, old, &copies[n++]);
    }
    MPI_Type_create_struct(n, ones, at, copies, &made);
    while (n > 0)
        MPI_Type_free(&copies[--n]);
    return made;
}

static MPI_Datatype mpi_type(const large *c)
{
    MPI_Datatype type = c->elem, made;
    const MPI_Aint origin = (MPI_Aint)c->origin;
    for (int i = 0; i < MOST_LEVELS && c->levels[i].count > 0; i++) {
        const level *l = &c->levels[i];
        if (l->places != NULL)
            made = listed(l, type);
        else
            MPI_Type_create_hvector((int)l->count, 1, (MPI_Aint)l->stride, type, &made);
        replace(&type, made);
    }
    if (origin != 0) {
        MPI_Type_create_hindexed_block(1, 1, &origin, type, &made);
        replace(&type, made);
    }
    if (c->extent != 0) {
        MPI_Type_create_resized(type, (MPI_Aint)c->lb, (MPI_Aint)c->extent, &made);
        replace(&type, made);
    }
    return type;
}

/* ------------------------------------------------------------------ checks */

#define EQUAL(c, got, expected) equal((c)->subject->name, #got, (int64_t)(got), (int64_t)(expected))

static void equal(const char *name, const char *what, int64_t got, int64_t expected)
{
    if (got != expected && faults++ < 10)
        fprintf(stderr, "%s: %s is %lld, expected %lld\n", name, what, (long long)got, (long long)expected);
}

static void check_bounds(const large *c, const void *layout)
{
    bounds b = bounds_of(c);
    MPI_Datatype type = mpi_type(c);
    MPI_Count size, lb, extent, true_lb, true_extent;
    MPI_Type_size_x(type, &size);
    MPI_Type_get_extent_x(type, &lb, &extent);
    MPI_Type_get_true_extent_x(type, &true_lb, &true_extent);
    MPI_Type_free(&type);
    EQUAL(c, size, b.size);
    EQUAL(c, true_lb, b.low);
    EQUAL(c, true_extent, b.high - b.low);
    EQUAL(c, c->subject->size(layout), b.size);
    EQUAL(c, c->subject->true_lb(layout), b.low);
    EQUAL(c, c->subject->true_extent(layout), b.high - b.low);
    EQUAL(c, c->subject->lb(layout), lb);
    EQUAL(c, c->subject->extent(layout), extent);
}

static void check_blocks(const large *c)
{
    const int64_t displ = INT64_C(5000000000);
    bounds b = bounds_of(c);
    cartgen_block send, recv;
    c->schedule->layout(c->params, &send, &recv);
    EQUAL(c, send.bytes, b.size);
    EQUAL(c, recv.bytes, b.size);
    EQUAL(c, send.displ, displ + c->origin);
    EQUAL(c, recv.displ, c->origin);
    EQUAL(c, send.displ + send.low, displ + b.low);
    EQUAL(c, recv.displ + recv.low, b.low);
    EQUAL(c, send.span, b.high - b.low);
    EQUAL(c, recv.span, b.high - b.low);
}

/* Bytes k .. k + PIECE - 1 of the stream. */
static void check_piece(const large *c, const void *layout, const memory *m, int64_t k)
{
    unsigned char packed[PIECE], expected[PIECE];
    int wrong = 0;
    for (int i = 0; i < PIECE; i++) {
        expected[i] = (unsigned char)(i + 1);
        *memory_at(m, 0, place_of(c, k + i)) = expected[i];
    }
    c->subject->pack_range(layout, packed, m->bases, k, PIECE);
    wrong += memcmp(packed, expected, PIECE) != 0;
    for (int i = 0; i < PIECE; i++)
        *memory_at(m, 0, place_of(c, k + i)) = 0;
    c->subject->unpack_range(layout, m->bases, expected, k, PIECE);
    for (int i = 0; i < PIECE; i++) {
        wrong += *memory_at(m, 0, place_of(c, k + i)) != expected[i];
        *memory_at(m, 0, place_of(c, k + i)) = 0;
    }
    EQUAL(c, wrong, 0);
}

static void check_stream(const large *c, const void *layout, generator *g)
{
    bounds b = bounds_of(c);
    const int64_t edges[] = {0, b.size - PIECE, ((int64_t)1 << 31) - 5, ((int64_t)1 << 32) - 3, ((int64_t)1 << 32) + 1};
    memory m = memory_far(b.low, b.high - b.low);
    must(m.n == 1, "address space");
    for (int i = 0; i < (int)(sizeof edges / sizeof edges[0]); i++) {
        if (edges[i] <= b.size - PIECE)
            check_piece(c, layout, &m, edges[i]);
    }
    for (int i = 0; i < POSITIONS; i++)
        check_piece(c, layout, &m, draw_below(g, b.size - PIECE + 1));
    memory_far_free(&m);
}

static void check_case(const large *c, generator *g)
{
    void *layout = malloc(c->subject->layout_bytes);
    must(layout != NULL, "memory");
    if (OK(c->subject->setup(layout, c->params))) {
        check_bounds(c, layout);
        check_stream(c, layout, g);
        c->subject->release(layout);
    }
    check_blocks(c);
    free(layout);
}

/* ------------------------------------------------------------------ the cases */

#define ARRAYS(b) (b)[0]
#define TYPE(name)                                                                                \
    SUBJECT_FUNCTIONS(name##_type)                                                                \
    static cartgen_status setup_##name##_type(void *l, const int64_t *params)                     \
    {                                                                                             \
        return name##_type_init(l, (const void *)params);                                         \
    }                                                                                             \
    static const subject name##_subject = SUBJECT(name##_type, {{NULL, NULL}});
#define BOTH(name) TYPE(name##_p) TYPE(name##_c)

BOTH(run)
BOTH(strided)
BOTH(down)
BOTH(many)
BOTH(nested)
BOTH(box)
BOTH(apart)
TYPE(blocks)
TYPE(pieces)
TYPE(spread)

static const int64_t places[] = {3 * (1 << 28), -5 * (INT64_C(1) << 28), 5 * (INT64_C(1) << 28)};
static const int64_t lengths[] = {(1 << 28) + 5, 7, (1 << 28) - 1};
static const int64_t few[] = {300, 0, 7};

#define CASE(name, given, ...) {&name##_subject, &name##_schedule, given, __VA_ARGS__}
#define CASES(name, given, ...) CASE(name##_p, given, __VA_ARGS__), CASE(name##_c, NULL, __VA_ARGS__)

static const large cases[] = {
    CASES(run, &(run_p_params){536870915}, MPI_DOUBLE, 8, 0, {{536870915, 8, NULL, NULL, 0}}, 0, 0),
    CASES(strided, (&(strided_p_params){268435457, 3, 5}), MPI_DOUBLE, 8, 0,
          {{3, 8, NULL, NULL, 0}, {268435457, 40, NULL, NULL, 0}}, 0, 0),
    CASES(down, (&(down_p_params){1073741824, 12}), MPI_INT, 4, 0, {{1073741824, -12, NULL, NULL, 0}}, 0, 0),
    /* One loop, which MPI's counts cannot say. */
    CASES(many, &(many_p_params){INT64_C(3221225472)}, MPI_CHAR, 1, 0,
          {{1 << 30, 2, NULL, NULL, 0}, {3, INT64_C(1) << 31, NULL, NULL, 0}}, 0, 0),
    CASES(nested, (&(nested_p_params){70000, 70001}), MPI_SHORT, 2, 0,
          {{70001, 4, NULL, NULL, 0}, {70000, 280002, NULL, NULL, 0}}, 0, 0),
    CASES(box, &(box_p_params){40000}, MPI_FLOAT, 4, (INT64_C(40000) * 8 + 2 * 8 + 3) * 4,
          {{4, 4, NULL, NULL, 0}, {39997, 32, NULL, NULL, 0}, {39998, 1280000, NULL, NULL, 0}}, 0,
          INT64_C(51200000000)),
    CASES(apart, (&(apart_p_params){9, INT64_C(5000000006)}), MPI_SHORT, 2, 0,
          {{3, 2, NULL, NULL, 0}, {9, INT64_C(5000000006), NULL, NULL, 0}}, -8, 9 * INT64_C(5000000006)),
    CASE(blocks, (&(blocks_params){1 << 29, places}), MPI_INT, 4, 0,
         {{1 << 29, 4, NULL, NULL, 0}, {LIST, 4, places, NULL, 0}}, 0, 0),
    CASE(pieces, (&(pieces_params){places, lengths}), MPI_INT, 4, 0, {{LIST, 4, places, lengths, 4}}, 0, 0),
    CASE(spread, (&(spread_params){places, few}), MPI_INT, 4, 0,
         {{2, 4, NULL, NULL, 0}, {LIST, 24, places, few, 24}}, 24 * 3 * (INT64_C(1) << 28),
         24 * (2 * (INT64_C(1) << 28) + 7)),
};

/* ------------------------------------------------------------------ init, and what it refuses */

/* A run travels from where it lies: init takes no memory for it. */
static void check_init(cartgen_comm *comm)
{
    const int64_t n = INT64_C(1) << 33;
    cartgen_plan *plan = NULL;
    cartgen_plan_stats stats = {0};
    if (!OK(run_p_init(comm, &(run_p_params){n}, &plan)))
        return;
    OK(cartgen_plan_get_stats(plan, &stats));
    CHECK(stats.bytes_sent == (world_size > 1 ? 8 * n : 0));
    CHECK(stats.scratch_bytes < 1 << 20);
    OK(run_p_free(&plan));
}

static void refuse_layout(const subject *s, const void *params)
{
    void *layout = malloc(s->layout_bytes);
    must(layout != NULL, "memory");
    STATUS(s->setup(layout, params), CARTGEN_ERR_SIZE);
    free(layout);
}

static void refuse_schedule(cartgen_comm *comm, const cartgen_schedule *s, const void *params)
{
    cartgen_plan *plan = NULL;
    STATUS(s->init(comm, params, &plan), CARTGEN_ERR_SIZE);
    CHECK(plan == NULL);
}

#define REFUSED(comm, name, params)                                                               \
    do {                                                                                          \
        refuse_layout(&name##_subject, params);                                                   \
        refuse_schedule(comm, &name##_schedule, params);                                          \
    } while (0)

/* Layouts end where int64_t does, the blocks of a schedule at 2^61 bytes. */
static void check_refusals(cartgen_comm *comm)
{
    const int64_t over = INT64_C(1) << 40;
    const int64_t far_places[] = {0, INT64_C(1) << 61, 5}, below[] = {0, -(INT64_C(1) << 61) - 9, 5};
    const int64_t ones[] = {1, 1, 1}, many[] = {INT64_C(1) << 61, 1, INT64_C(1) << 61};
    REFUSED(comm, run_p, &(run_p_params){INT64_C(1) << 60});
    REFUSED(comm, strided_p, (&(strided_p_params){over, over, over}));
    REFUSED(comm, down_p, (&(down_p_params){over, over}));
    REFUSED(comm, box_p, &(box_p_params){INT64_C(1) << 31});
    REFUSED(comm, blocks, (&(blocks_params){4, far_places}));
    REFUSED(comm, blocks, (&(blocks_params){4, below}));
    REFUSED(comm, blocks, (&(blocks_params){INT64_C(1) << 60, places}));
    REFUSED(comm, pieces, (&(pieces_params){far_places, ones}));
    REFUSED(comm, pieces, (&(pieces_params){places, many}));
    REFUSED(comm, spread, (&(spread_params){below, ones}));
    refuse_schedule(comm, &run_p_schedule, &(run_p_params){INT64_C(1) << 58});
    refuse_schedule(comm, &strided_p_schedule, (&(strided_p_params){over, 1 << 19, (1 << 19) + 1}));
    run_p_type_layout layout;
    if (OK(run_p_type_init(&layout, &(run_p_type_params){INT64_C(1) << 59}))) {
        CHECK(run_p_type_size(&layout) == INT64_C(1) << 62);
        run_p_type_free(&layout);
    }
}

int main(int argc, char **argv)
{
    begin_test(&argc, &argv);
    generator g = {argc > 1 ? strtoull(argv[1], NULL, 10) : (uint64_t)time(NULL) % 1000000 + 1};
    if (world_rank == 0)
        printf("[large: %llu]\n", (unsigned long long)g.x);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        check_case(&cases[i], &g);
    cartgen_comm *comm = make_ring();
    check_init(comm);
    check_refusals(comm);
    OK(cartgen_comm_free(&comm));
    return end_test();
}
