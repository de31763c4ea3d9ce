/* SPDX-License-Identifier: MIT */
/* grid.c - random stencils on every grid of the ranks, element by element. */
#include "more_cases.h"
#include "stencil_cases.h"
#include "support.h"

#define MARGIN 64
#define SENTINEL 0x5ca1ab1e
#define MAX_TRANSFERS 32

typedef struct params {
    int64_t m;
} params;

enum { KIND_GATHER19 = 5, KIND_CROSSED };

typedef struct test_case {
    const cartgen_schedule *schedule;
    int topology;
    int kind;
} test_case;

#define KIND(g, k) {&case_##g##_##k##_0_schedule, g, k}, {&case_##g##_##k##_1_schedule, g, k}
#define TOPOLOGY(g) KIND(g, 0), KIND(g, 1), KIND(g, 2), KIND(g, 3), KIND(g, 4)

static const test_case cases[] = {
    TOPOLOGY(0), TOPOLOGY(1), TOPOLOGY(2), TOPOLOGY(3), TOPOLOGY(4), TOPOLOGY(5), TOPOLOGY(6),
    TOPOLOGY(7), {&gather19_schedule, 5, KIND_GATHER19}, {&crossed_torus_schedule, 0, KIND_CROSSED},
    {&crossed_mesh_schedule, 1, KIND_CROSSED},
};

#define NCASES ((int)(sizeof cases / sizeof cases[0]))

static const int ndims_of[] = {2, 2, 2, 2, 3, 3, 3, 1};
static const int periods_of[][3] = {{1, 1},    {0, 0},    {1, 0},    {0, 1},
                                    {1, 1, 1}, {0, 0, 0}, {1, 0, 1}, {0}};

#define NTOPOLOGIES ((int)(sizeof ndims_of / sizeof ndims_of[0]))

static int make_offsets(const test_case *c, int offsets[][3])
{
    static const int crossed[4][2] = {{-1, 0}, {1, 0}, {0, -1}, {0, 1}};
    int d = ndims_of[c->topology];
    int t = 0;
    if (c->kind == KIND_CROSSED) {
        for (; t < 4; t++)
            memcpy(offsets[t], crossed[t], sizeof crossed[t]);
        return t;
    }
    if (c->kind == KIND_GATHER19) {
        must(cartgen_neighbor_count(c->schedule, &t) == CARTGEN_OK && t == 18, "D3Q19");
        must(cartgen_neighbor_list(c->schedule, t, offsets[0]) == CARTGEN_OK, "offsets of D3Q19");
        return t;
    }
    unsigned x = (unsigned)c->topology;
    for (; t < 9; t++) {
        for (int j = 0; j < d; j++) {
            x = (x * 1103 + 12345) % 65536;
            offsets[t][j] = (int)(x / 16 % 5) - 2;
        }
    }
    memset(offsets[9], 0, sizeof offsets[9]);
    memcpy(offsets[10], offsets[0], sizeof offsets[10]);
    memset(offsets[11], 0, sizeof offsets[11]);
    offsets[11][d - 1] = -9;
    return 12;
}

static int64_t elements(int kind, int64_t m, int64_t i)
{
    if (kind == 1)
        return m * (i % 3);
    return kind >= 2 && kind <= 4 ? 2 * m : m;
}

static int64_t send_place(int kind, int64_t m, int64_t i, int64_t e)
{
    switch (kind) {
    case 1: return i * (2 * m + 1) + 5 + e;
    case 2: return i * (3 * m + 4) + e / 2 * 3 + e % 2;
    case 3: return e / 2 * 3 + e % 2;
    case 4:
    case KIND_GATHER19: return e;
    default: return i * m + e;
    }
}

static int64_t recv_place(int kind, int64_t m, int64_t i, int64_t e)
{
    switch (kind) {
    case 1: return (11 - i) * (2 * m + 3) + 2 + e;
    case 2: return (11 - i) * (4 * m + 3) + e * 2;
    case 3: return i * 2 * m + e;
    case 4: return i * (3 * m + 5) + 1 + e / 2 * 3 + e % 2;
    default: return i * m + e;
    }
}

typedef struct buffers {
    int64_t length;
    int32_t *send;
    int32_t *recv;
    int32_t *expected;
} buffers;

static buffers make_buffers(const test_case *c, int64_t m, const int dims[], int salt)
{
    int offsets[MAX_TRANSFERS][3] = {{0}};
    int t = make_offsets(c, offsets);
    int d = ndims_of[c->topology];
    buffers b = {.length = 2 * MARGIN + (int64_t)t * (4 * m + 8)};
    size_t bytes = (size_t)b.length * sizeof(int32_t);
    b.send = malloc(bytes);
    b.recv = malloc(bytes);
    b.expected = malloc(bytes);
    must(b.send != NULL && b.recv != NULL && b.expected != NULL, "memory");
    for (int64_t p = 0; p < b.length; p++) {
        b.send[p] = value_of(world_rank, p - MARGIN + salt);
        b.recv[p] = b.expected[p] = SENTINEL + (int32_t)p;
    }
    for (int i = 0; i < t; i++) {
        int crossed = c->kind == KIND_CROSSED;
        int source =
            rank_from(world_rank, d, dims, periods_of[c->topology], offsets[i], crossed ? 1 : -1);
        for (int64_t e = 0; source >= 0 && e < elements(c->kind, m, i); e++)
            b.expected[MARGIN + recv_place(c->kind, m, i, e)] =
                value_of(source, send_place(c->kind, m, crossed ? i ^ 1 : i, e) + salt);
    }
    return b;
}

static void compare(const test_case *c, const buffers *b, int64_t m, const int dims[], int salt,
                    int way)
{
    int wrong = 0;
    for (int64_t p = 0; p < b->length; p++) {
        wrong += b->send[p] != value_of(world_rank, p - MARGIN + salt);
        wrong += b->recv[p] != b->expected[p];
    }
    if (wrong > 0 && faults++ < 10)
        fprintf(stderr, "rank %d: %s, m %lld, grid %d %d %d, %s, zero copy %s: %d elements are wrong\n",
                world_rank, c->schedule->name, (long long)m, dims[0], dims[1], dims[2],
                ways[way][0], ways[way][1], wrong);
}

static void release(buffers *b)
{
    free(b->send);
    free(b->recv);
    free(b->expected);
}

static void check_offsets(const test_case *c)
{
    int offsets[MAX_TRANSFERS][3] = {{0}};
    int listed[MAX_TRANSFERS * 3] = {0};
    int t = make_offsets(c, offsets);
    int d = ndims_of[c->topology];
    int count = 0;
    OK(cartgen_neighbor_count(c->schedule, &count));
    CHECK(count == t);
    OK(cartgen_neighbor_list(c->schedule, MAX_TRANSFERS, listed));
    for (int i = 0; i < t; i++)
        CHECK(memcmp(&listed[i * d], offsets[i], (size_t)d * sizeof(int)) == 0);
}

static void run_case(cartgen_comm *comm, const test_case *c, const int dims[], int64_t m,
                     int way)
{
    params p = {m};
    cartgen_plan *plan = NULL;
    set_way(comm, way);
    if (!OK(c->schedule->init(comm, &p, &plan)))
        return;
    p.m = -1; /* the plan has its own copy */
    /* Both pairs of buffers live at once: the second call must not use the first pair. */
    buffers first = make_buffers(c, m, dims, 0);
    buffers second = make_buffers(c, m, dims, 77);
    OK(c->schedule->start(plan, first.send + MARGIN, first.recv + MARGIN));
    OK(c->schedule->wait(plan));
    OK(c->schedule->start(plan, second.send + MARGIN, second.recv + MARGIN));
    OK(c->schedule->wait(plan));
    compare(c, &first, m, dims, 0, way);
    compare(c, &second, m, dims, 77, way);
    release(&first);
    release(&second);
    OK(c->schedule->free(&plan));
    CHECK(plan == NULL);
}

static void run_grid(int topology, const int dims[], int number)
{
    static const char *const joins[] = {"8192", "0", "24"};
    static const char *const eagers[] = {"100", "0", "4000", "64"};
    static const int64_t sizes[] = {3, 1, 0, 700};
    cartgen_comm *comm = make_comm(ndims_of[topology], dims, periods_of[topology]);
    for (int i = 0; i < NCASES; i++) {
        if (cases[i].topology != topology)
            continue;
        for (int k = 0; k < WAYS; k++) {
            if (k >= 3 && (i + number + k) % 2 == 0) /* time: one of the two with datatypes */
                continue;
            OK(cartgen_comm_set(comm, "join", joins[(i + number) % 3]));
            OK(cartgen_comm_set(comm, "eager", eagers[(i + 2 * number + k) % 4]));
            run_case(comm, &cases[i], dims, sizes[(i + number + k) % 4], k);
        }
    }
    OK(cartgen_comm_free(&comm));
}

int main(int argc, char **argv)
{
    begin_test(&argc, &argv);
    for (int i = 0; i < NCASES; i++)
        check_offsets(&cases[i]);
    for (int g = 0; g < NTOPOLOGIES; g++) {
        int number = 0;
        for (int a = 1; a <= world_size; a++) {
            for (int b = 1; a * b <= world_size; b++) {
                int d = ndims_of[g];
                int c = world_size / (a * b);
                if (a * b * c != world_size || (d < 3 && c > 1) || (d < 2 && b > 1))
                    continue;
                run_grid(g, (int[]){a, b, c}, number++);
            }
        }
    }
    return end_test();
}
