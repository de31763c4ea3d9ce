/* SPDX-License-Identifier: MIT */
/* layouts.c - blocks laid out by parameters and lists: every byte of the receive buffer against lists of bytes
 * that are written here by MPI's definitions. */
#include <time.h>

#include "layout_cases.h"
#include "support.h"

#define BYTES 4096
#define BLOCKS 4
#define MOST 256
#define SENTINEL 0xa5

static const int offsets[BLOCKS] = {1, -1, 2, 0};

typedef struct places {
    int64_t at[MOST];
    int count;
} places;

static void add(places *p, int64_t at, int bytes)
{
    for (int k = 0; k < bytes; k++)
        p->at[p->count++] = at + k;
}

static void list_block(places *p, const layouts_direct_params *v, const int64_t *index, int64_t displ)
{
    for (int64_t i = 0; i < v->n; i++) {
        for (int64_t k = 0; k < v->length[i]; k++)
            add(p, displ + 4 * (index[i] + k), 4);
    }
}

/* The bytes of all blocks of both sides, in order. */
static void place_all(const layouts_direct_params *v, places send[BLOCKS], places recv[BLOCKS])
{
    memset(send, 0, BLOCKS * sizeof *send);
    memset(recv, 0, BLOCKS * sizeof *recv);
    list_block(&send[0], v, v->from, 200);
    list_block(&recv[0], v, v->to, 100);
    add(&send[2], 1500, 4);
    add(&send[2], 1506, 4);
    add(&recv[2], 1504, 4);
    add(&recv[2], 1500, 4);
    for (int64_t i = 0; i < v->n; i++) {
        add(&send[1], 1000 - 4 * v->s * i, 8);
        add(&recv[1], 600 + 4 * v->s * i, 8);
        add(&send[2], 1512 + 4 * i, 4);
        add(&recv[2], 1508 + 8 * i, 4);
        add(&send[3], 2000 + 8 * ((i + 1) * (v->s + 1) + 1), 8);
        add(&recv[3], 2000 + 8 * i, 8);
    }
}

static unsigned char byte_of(int rank, int64_t at, int salt)
{
    return (unsigned char)(value_of(rank, at) >> 2) ^ (unsigned char)(at + salt);
}

static void run_layouts(cartgen_comm *comm, const cartgen_schedule *schedule, const layouts_direct_params *v)
{
    static unsigned char send[BYTES], recv[BYTES], expected[BYTES];
    static places from[BLOCKS], to[BLOCKS];
    int64_t lists[3][8];
    layouts_direct_params given = *v;
    for (int64_t i = 0; i < v->n; i++) {
        lists[0][i] = v->length[i];
        lists[1][i] = v->from[i];
        lists[2][i] = v->to[i];
    }
    given.length = lists[0];
    given.from = lists[1];
    given.to = lists[2];
    cartgen_plan *plan = NULL;
    if (!OK(schedule->init(comm, &given, &plan)))
        return;
    /* Parameters and lists may go when init returns. */
    memset(lists, 0x7f, sizeof lists);
    memset(&given, 0x7f, sizeof given);
    place_all(v, from, to);
    for (int salt = 0; salt < 2; salt++) {
        memset(recv, SENTINEL, BYTES);
        memset(expected, SENTINEL, BYTES);
        for (int i = 0; i < BYTES; i++)
            send[i] = byte_of(world_rank, i, salt);
        for (int b = 0; b < BLOCKS; b++) {
            int source = ((world_rank - offsets[b]) % world_size + world_size) % world_size;
            CHECK(from[b].count == to[b].count);
            for (int k = 0; k < to[b].count; k++)
                expected[to[b].at[k]] = byte_of(source, from[b].at[k], salt);
        }
        OK(schedule->start(plan, send, recv));
        OK(schedule->wait(plan));
        CHECK(memcmp(recv, expected, BYTES) == 0);
    }
    OK(schedule->free(&plan));
}

static void refused(cartgen_comm *comm, const void *params, const cartgen_schedule *schedule,
                    cartgen_status expected)
{
    cartgen_plan *plan = NULL;
    STATUS(schedule->init(comm, params, &plan), expected);
    CHECK(plan == NULL);
}

/* Places of blocks that are received. */
static const int64_t apart[3] = {1, 20, 30};

/* What is wrong in a list is said with schedule, parameters and entry; where only rank 0 has it, on all ranks. */
static void check_message(cartgen_comm *comm)
{
    static const char text[] = "schedule layouts_direct, parameters from and length: length -2 of entry 1 is negative";
    const int64_t good[3] = {1, 2, 3}, bad[3] = {1, -2, 3};
    layouts_direct_params v = {.n = 3, .s = 4, .length = bad, .from = good, .to = apart};
    refused(comm, &v, &layouts_direct_schedule, CARTGEN_ERR_SIZE);
    CHECK(strstr(cartgen_last_error(), text) != NULL);
    v.length = world_rank == 0 ? bad : good;
    refused(comm, &v, &layouts_direct_schedule, world_rank == 0 ? CARTGEN_ERR_SIZE : CARTGEN_ERR_MISMATCH);
    CHECK(strstr(cartgen_last_error(), text) != NULL);
}

static void check_refusals(cartgen_comm *comm)
{
    check_message(comm);
    const int64_t good[3] = {1, 2, 3}, bad[3] = {1, -2, 3}, huge[3] = {1, INT64_MAX / 2, INT64_MAX / 2};
    const cartgen_schedule *s = &layouts_direct_schedule;
    const cartgen_schedule *two = &lists_of_two_lengths_schedule;
    refused(comm, &(layouts_direct_params){.n = 3, .s = 4, .length = bad, .from = good, .to = apart}, s,
            CARTGEN_ERR_SIZE);
    refused(comm, &(layouts_direct_params){.n = 3, .s = 4, .length = huge, .from = good, .to = apart}, s,
            CARTGEN_ERR_SIZE);
    refused(comm, &(layouts_direct_params){.n = 3, .s = 4, .length = good, .from = huge, .to = apart}, s,
            CARTGEN_ERR_SIZE);
    refused(comm, &(layouts_direct_params){.n = -1, .s = 4, .length = good, .from = good, .to = apart}, s,
            CARTGEN_ERR_SIZE);
    refused(comm, &(layouts_direct_params){.n = 3, .s = -4, .length = good, .from = good, .to = apart}, s,
            CARTGEN_ERR_SIZE);
    refused(comm, &(layouts_direct_params){.n = 3, .s = 4, .length = good, .from = NULL, .to = apart}, s,
            CARTGEN_ERR_ARGUMENT);
    refused(comm, &(lists_of_two_lengths_params){.n = 2, .from = good}, two, CARTGEN_ERR_SIZE);
}

/* ------------------------------------------------------------------ receive types that overlap themselves */

enum { AREA = 4096, ENTRIES = 6, TRIALS = 150 };

/* 1 where a byte is twice among the places. */
static int is_twice(const places *p)
{
    static int seen[2 * AREA]; /* number of the last call that met a byte */
    static int call;
    call++;
    for (int k = 0; k < p->count; k++) {
        int *mark = &seen[p->at[k] + AREA];
        if (*mark == call)
            return 1;
        *mark = call;
    }
    return 0;
}

/* Init of a schedule and of the layout of its types, given the same parameters, fails where `p` says so. */
static void judge(cartgen_comm *comm, const cartgen_schedule *schedule, cartgen_status of_layout, const void *params,
                  const places *p, int refused_before[2])
{
    cartgen_plan *plan = NULL;
    int twice = is_twice(p);
    STATUS(of_layout, twice ? CARTGEN_ERR_OVERLAP : CARTGEN_OK);
    STATUS(schedule->init(comm, params, &plan), twice ? CARTGEN_ERR_OVERLAP : CARTGEN_OK);
    if (twice)
        CHECK(plan == NULL && strstr(cartgen_last_error(), "overlap") != NULL);
    else
        OK(schedule->free(&plan));
    refused_before[twice]++;
}

#define JUDGE(comm, name, params, p, counts)                                                      \
    do {                                                                                          \
        name##_type_layout layout;                                                                \
        judge(comm, &name##_schedule, name##_type_init(&layout, (const void *)(params)), params, p, counts); \
        name##_type_free(&layout);                                                                \
    } while (0)

static int64_t up_to(int64_t n) { return rand() % (n + 1); }

static void try_loops(cartgen_comm *comm, int counts[2])
{
    loops_params v = {.n = up_to(5), .m = up_to(5), .s = 20 + up_to(40)};
    v.t = up_to(2) ? 20 + up_to(40) : 40 + 4 * up_to(20);
    places p = {.count = 0};
    for (int64_t i = 0; i < v.n; i++)
        for (int64_t j = 0; j < v.m; j++)
            add(&p, i * (v.s - 40) + j * (v.t - 40), 4);
    JUDGE(comm, loops, &v, &p, counts);
}

static void try_steps(cartgen_comm *comm, int counts[2])
{
    steps_params v = {.n = up_to(3), .s = 25 + up_to(30)};
    places p = {.count = 0};
    for (int64_t i = 0; i < v.n; i++)
        add(&p, i * (v.s - 40), 8);
    JUDGE(comm, steps, &v, &p, counts);
}

static void try_lists(cartgen_comm *comm, int counts[2])
{
    int64_t length[ENTRIES], from[ENTRIES], to[ENTRIES], at = 0, n = up_to(ENTRIES);
    places entries = {.count = 0}, spread = {.count = 0};
    int way = (int)up_to(2);
    for (int64_t i = 0; i < n; i++) {
        length[i] = up_to(3);
        at += length[i] + 3 + up_to(2);
        from[i] = way == 0 ? up_to(40) : way == 1 ? at : 100 - at;
        to[i] = 100 * i;
    }
    if (n > 1 && up_to(3) == 0)
        from[n - 1] = from[0];
    for (int64_t i = 0; i < n; i++) {
        add(&entries, 4 * from[i], (int)(4 * length[i]));
        add(&spread, 12 * from[i], 4);
        add(&spread, 12 * from[i] + 8, 4);
    }
    JUDGE(comm, entries, (&(entries_params){.n = n, .length = length, .from = from, .to = to}), &entries, counts);
    JUDGE(comm, spread_entries, (&(spread_entries_params){.n = n, .from = from}), &spread, counts);
}

static void check_overlaps(cartgen_comm *comm, unsigned seed)
{
    int counts[3][2] = {{0}};
    srand(seed);
    for (int i = 0; i < TRIALS; i++) {
        try_loops(comm, counts[0]);
        try_steps(comm, counts[1]);
        try_lists(comm, counts[2]);
    }
    for (int k = 0; k < 3; k++)
        CHECK(counts[k][0] > TRIALS / 10 && counts[k][1] > TRIALS / 10);
}

int main(int argc, char **argv)
{
    static const int64_t length[] = {2, 0, 3}, from[] = {5, 1, -40}, to[] = {0, 70, 20};
    const cartgen_schedule *const schedules[] = {&layouts_direct_schedule, &layouts_combining_schedule};
    begin_test(&argc, &argv);
    cartgen_comm *comm = make_ring();
    for (int i = 0; i < WAYS * 2 * 4; i++) {
        layouts_direct_params v = {.n = i % 4, .s = 4 + i % 3, .length = length, .from = from, .to = to};
        set_way(comm, i / 8);
        run_layouts(comm, schedules[i / 4 % 2], &v);
    }
    layouts_direct_params none = {.n = 0, .s = 5};
    run_layouts(comm, schedules[0], &none);
    check_refusals(comm);
    unsigned seed = (unsigned)time(NULL) % 1000000;
    MPI_Bcast(&seed, 1, MPI_UNSIGNED, 0, MPI_COMM_WORLD);
    if (world_rank == 0)
        printf("[layouts: %u]\n", seed);
    check_overlaps(comm, seed);
    OK(cartgen_comm_free(&comm));
    return end_test();
}
