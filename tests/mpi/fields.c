/* SPDX-License-Identifier: MIT */
/*
 * fields.c - schedules over several arrays: every byte of every array against values made from coordinates, for halos
 * and blocks whose places are written here once more; messages and bytes; what start refuses; planted faults.
 */
#include "fields_cases.h"
#include "support.h"

enum { MOST_ARRAYS = 5, BYTES = 1 << 13, ORIGIN = 1024, MOST_OFFSETS = 81 };

typedef enum element { CHAR, SHORT, INT, DOUBLE, COMPLEX, VECTOR } element;

static const int sizes[] = {1, 2, 4, 8, 8, 24};

/* A halo: array number, ghosts on the low and high side of each dimension. */
typedef struct rim {
    element type;
    int array;
    int low[2], high[2];
    int faces_only;
    int fortran;
} rim;

/* Element e of block i, of `count`: where it is sent from and received to, in bytes. */
typedef int64_t (*place)(int64_t i, int64_t e, int64_t m);
typedef struct spread {
    element type;
    int shared; /* one block for all */
    int send, recv; /* numbers of arrays */
    place count, send_at, recv_at;
} spread;

typedef struct test_case {
    const cartgen_schedule *const *schedules; /* up to NULL */
    int periods[2];
    const int (*offsets)[2];
    int noffsets;
    const rim *rims;
    const spread *spreads;
    int nrims, nspreads;
    int nsend, nrecv;
} test_case;

/* --- the cases once more --- */

static const rim five[] = {{CHAR, 0, {1, 1}, {1, 1}, 1, 0},
                           {INT, 1, {1, 0}, {2, 1}, 0, 0},
                           {DOUBLE, 2, {1, 1}, {1, 1}, 0, 0},
                           {VECTOR, 3, {1, 1}, {1, 1}, 0, 1},
                           {COMPLEX, 4, {2, 1}, {2, 1}, 0, 0}};

#define PLACE(name, value) \
    static int64_t name(int64_t i, int64_t e, int64_t m) { (void)i, (void)e, (void)m; return value; }

PLACE(count_m, m)
PLACE(count_1, 1)
PLACE(count_2, 2)
PLACE(count_8, 8)
PLACE(count_varied, m + i % 3)
PLACE(ints, 4 * (m * i + e))
PLACE(doubles, 8 * (m * i + e))
PLACE(chars, m *i + e)
PLACE(varied_send, i *m + (i > 0 ? (i - 1) / 3 * 3 + ((i - 1) % 3 == 0 ? 0 : (i - 1) % 3 == 1 ? 1 : 3) : 0) + e)
PLACE(varied_recv, (m + 3) * (7 - i) + e)
PLACE(complexes, 8 * e)
PLACE(complexes_apart, i *(2 * m - 1) * 8 + 16 * e)
PLACE(own_x, 4 + i * (4 * m + 16) + 4 * e)
PLACE(own_y, 16 + i * (4 * m + 16) + 8 * e)
PLACE(own_p, 8 + (3 - i) * (12 * m + 48) + 12 * e)
PLACE(own_q, (3 - i) * (12 * m + 48) + (e == 0 ? -8 : 24))
PLACE(own_x_far, 2000 + 4 * (m * i + e))
PLACE(own_s, 2 + 2 * e)
PLACE(own_s_last, 10)
PLACE(own_y_far, 1000 + e)
PLACE(own_a, 100 * i + 2 * e)
PLACE(own_a_last, 100 * i + 4)
PLACE(own_b, 100 * i + 3 + e)
PLACE(turned_send, 4 * (m * (i * 7 % 81) + e))
PLACE(turned_recv, 4 * (m * (i * 11 % 81) + e))
PLACE(shorts_apart, 4 * (m * (i * 5 % 81) + e))
PLACE(shorts_turned, 2 * (m * (i * 2 % 81) + e))

static const int mix_offsets[8][2] = {{0, 1}, {-1, 0}, {1, 1}, {0, 0}, {2, 0}, {0, 1}, {-1, -2}, {1, 0}};
static const int mix_ways[4][2] = {{0, 1}, {-1, 0}, {1, 1}, {1, 0}}; /* of the halo among them */
static const spread mix[] = {{INT, 0, 0, 0, count_m, ints, ints},
                             {CHAR, 0, 1, 1, count_varied, varied_send, varied_recv},
                             {COMPLEX, 1, 2, 2, count_m, complexes, complexes_apart}};
static const rim mix_rim = {DOUBLE, 3, {1, 1}, {1, 1}, 0, 0};

static const int own_offsets[4][2] = {{0, 1}, {1, -1}, {0, 0}, {-2, 1}};
enum { X, Y, S };
enum { P, Q, R, A, B };
static const spread own[] = {
    {INT, 0, X, P, count_m, own_x, own_p},         {DOUBLE, 0, Y, Q, count_2, own_y, own_q},
    {INT, 0, X, R, count_m, own_x_far, ints},      {SHORT, 1, S, A, count_2, own_s, own_a},
    {SHORT, 1, S, A, count_1, own_s_last, own_a_last}, {CHAR, 1, Y, B, count_8, own_y_far, own_b}};

static int many_offsets[MOST_OFFSETS][2];
static const spread many[] = {{INT, 0, 0, 0, count_m, turned_send, turned_recv},
                              {DOUBLE, 0, 1, 1, count_m, doubles, doubles},
                              {CHAR, 1, 2, 2, count_m, chars, chars},
                              {SHORT, 0, 3, 3, count_m, shorts_apart, shorts_turned}};

#define FIVE(kind) \
    (const cartgen_schedule *const[]){&five_##kind##_direct_schedule, &five_##kind##_combining_schedule, \
        &five_##kind##_faces_schedule, &five_##kind##_auto_schedule, &five_##kind##_place_schedule, NULL}
#define MIX(kind) \
    (const cartgen_schedule *const[]){&mix_##kind##_direct_schedule, &mix_##kind##_combining_schedule, \
        &mix_##kind##_turned_schedule, NULL}
#define COUNT(list) ((int)(sizeof(list) / sizeof(list)[0]))

/* --- values and memory --- */

static char sent[MOST_ARRAYS][BYTES], before[MOST_ARRAYS][BYTES], got[MOST_ARRAYS][BYTES], expected[MOST_ARRAYS][BYTES];

static int64_t number_of(int64_t tag, int64_t a, int64_t b, int64_t c, int64_t salt)
{
    return (tag * 7919 + (a + 50) * 104729 + (b + 50) * 1299709 + c * 15485863 + salt * 32452843) % 1000003;
}

static void put(char *at, element type, int64_t number)
{
    char c = (char)(number % 113);
    short s = (short)(number % 32749);
    int i = (int)number;
    double d[3] = {(double)number, (double)number + 0.25, (double)-number};
    float z[2] = {(float)number, (float)-number};
    const void *const from[] = {&c, &s, &i, d, z, d};
    memcpy(at, from[type], (size_t)sizes[type]);
}

/* What a rank has of the grid: extents and origin of its cells, and of all cells. */
typedef struct part {
    int dims[2], coords[2];
    int64_t extent[2], origin[2], all[2];
} part;

static part part_of(const int dims[2], const int64_t base[2], int uneven)
{
    part p = {.dims = {dims[0], dims[1]}, .coords = {world_rank / dims[1], world_rank % dims[1]}};
    for (int j = 0; j < 2; j++) {
        for (int c = 0; c < dims[j]; c++) {
            int64_t extent = base[j] + (uneven ? c % 2 : 0);
            p.origin[j] += c < p.coords[j] ? extent : 0;
            p.extent[j] = c == p.coords[j] ? extent : p.extent[j];
            p.all[j] += extent;
        }
    }
    return p;
}

static int is_way(const test_case *t, const int v[2])
{
    if (t->rims == five)
        return 1;
    for (int i = 0; i < COUNT(mix_ways); i++) {
        if (mix_ways[i][0] == v[0] && mix_ways[i][1] == v[1])
            return 1;
    }
    return 0;
}

/* The cells of a halo: own ones in what is sent, ghosts in what is expected. */
static void fill_rim(const test_case *t, const rim *h, const part *p, const int periods[2], int salt)
{
    int64_t n[2], at[2];
    for (int j = 0; j < 2; j++)
        n[j] = p->extent[j] + h->low[j] + h->high[j];
    for (at[0] = 0; at[0] < n[0]; at[0]++) {
        for (at[1] = 0; at[1] < n[1]; at[1]++) {
            int64_t cell[2];
            int way[2], outside = 0;
            for (int j = 0; j < 2; j++) {
                cell[j] = p->origin[j] + at[j] - h->low[j];
                /* The ghosts on the low side arrive by a step of +1. */
                way[j] = at[j] < h->low[j] ? 1 : at[j] >= h->low[j] + p->extent[j] ? -1 : 0;
                outside = outside || (!periods[j] && (cell[j] < 0 || cell[j] >= p->all[j]));
                cell[j] = (cell[j] + p->all[j]) % p->all[j];
            }
            int64_t place = ORIGIN + sizes[h->type] * (h->fortran ? at[1] * n[0] + at[0] : at[0] * n[1] + at[1]);
            int64_t number = number_of(h->array, cell[0], cell[1], 3, salt);
            if (way[0] == 0 && way[1] == 0)
                put(&sent[h->array][place], h->type, number);
            else if (!outside && !(h->faces_only && way[0] != 0 && way[1] != 0) && is_way(t, way))
                put(&expected[h->array][place], h->type, number);
        }
    }
}

static void fill_spread(const test_case *t, const spread *s, int tag, const int dims[2], int64_t m, int salt)
{
    for (int i = 0; i < t->noffsets; i++) {
        int source = rank_from(world_rank, 2, dims, t->periods, t->offsets[i], -1);
        int64_t block = s->shared ? 0 : i;
        for (int64_t e = 0; e < s->count(i, 0, m); e++) {
            put(&sent[s->send][ORIGIN + s->send_at(block, e, m)], s->type, number_of(tag, world_rank, block, e, salt));
            if (source >= 0)
                put(&expected[s->recv][ORIGIN + s->recv_at(i, e, m)], s->type, number_of(tag, source, block, e, salt));
        }
    }
}

/* Fills all memory; what is received into (or, in place, what is sent too) begins as expected[] without what arrives. */
static void fill(const test_case *t, const part *p, int64_t m, int in_place, int salt)
{
    for (int k = 0; k < MOST_ARRAYS; k++) {
        for (int i = 0; i < BYTES; i++)
            sent[k][i] = (char)(world_rank * 31 + k * 7 + i + salt);
        memset(expected[k], 0x5a + k, BYTES);
    }
    for (int pass = 0; pass < 2; pass++) { /* in place: own cells first, then what arrives around them */
        for (int k = 0; k < t->nrims; k++)
            fill_rim(t, &t->rims[k], p, t->periods, salt);
        for (int k = 0; k < t->nspreads; k++)
            fill_spread(t, &t->spreads[k], 10 + k, p->dims, m, salt);
        if (in_place && pass == 0)
            memcpy(expected, sent, sizeof expected);
    }
    memcpy(before, sent, sizeof before);
    if (in_place)
        memcpy(got, sent, sizeof got);
    for (int k = 0; k < MOST_ARRAYS && !in_place; k++)
        memset(got[k], 0x5a + k, BYTES);
}

/* Arrays that are not as expected. */
static int differences(int narrays)
{
    int count = 0;
    for (int k = 0; k < narrays; k++)
        count += memcmp(got[k], expected[k], BYTES) != 0;
    return count;
}

/* One run; exchanged (nonzero): the last two receive arrays in each other's place, a planted fault. */
static void run_once(const test_case *t, const cartgen_schedule *s, cartgen_plan *plan, const part *p, int64_t m, int salt,
                     int exchanged)
{
    const void *from[MOST_ARRAYS];
    void *into[MOST_ARRAYS];
    fill(t, p, m, s->in_place, salt);
    for (int k = 0; k < MOST_ARRAYS; k++) {
        from[k] = &(s->in_place ? got : sent)[k][ORIGIN];
        into[k] = &got[k][ORIGIN];
    }
    if (exchanged) {
        into[t->nrecv - 1] = &got[t->nrecv - 2][ORIGIN];
        into[t->nrecv - 2] = &got[t->nrecv - 1][ORIGIN];
    }
    OK(s->start(plan, from, into));
    /* The structs are read at start. */
    memset(from, 0, sizeof from);
    memset(into, 0, sizeof into);
    OK(s->wait(plan));
    CHECK(memcmp(sent, before, sizeof sent) == 0);
}

static void run_case(const test_case *t, cartgen_comm *comm, const cartgen_schedule *s, int way, int uneven)
{
    int64_t m = 1 + uneven * 2;
    int64_t base[2] = {2, 3};
    part p = part_of(cartgen_comm_dims(comm), base, uneven);
    mix_torus_direct_params params = {p.extent[0], p.extent[1], m}; /* ny, nx are those of five as well */
    cartgen_plan *plan = NULL;
    if (!OK(s->init(comm, s->params_bytes == sizeof m ? (const void *)&m : &params, &plan)))
        return;
    CHECK(s->nsend_arrays == (uint32_t)t->nsend && s->nrecv_arrays == (uint32_t)t->nrecv);
    for (int salt = 0; salt < 2; salt++) {
        run_once(t, s, plan, &p, m, salt, 0);
        int wrong = differences(t->nrecv);
        if (wrong > 0 && faults++ < 10)
            fprintf(stderr, "rank %d of %d (%d x %d), %s, %s, zero copy %s: %d arrays are not as expected\n", world_rank, world_size,
                    p.dims[0], p.dims[1], s->name, ways[way][0], ways[way][1], wrong);
    }
    OK(s->free(&plan));
}

/* Is schedule i run with options k on grid g? On the first grid in every mode, on the others once. */
static int is_run(int g, int k, int i)
{
    return g == 0 ? (k + i) % 2 == 0 : (k + i + g) % (2 * WAYS) == 0;
}

/* The cases of these periods. */
static void run_all(const test_case *cases, int ncases, cartgen_comm *comm, const int periods[2], int g)
{
    for (int k = 0; k < 2 * WAYS; k++) {
        if (k == 3 || k == 4) /* time: datatypes where nothing is joined */
            continue;
        set_way(comm, k % WAYS);
        OK(cartgen_comm_set(comm, "join", k < WAYS ? "8192" : "0"));
        for (int c = 0; c < ncases; c++) {
            if (cases[c].periods[0] != periods[0] || cases[c].periods[1] != periods[1])
                continue;
            for (int i = 0; cases[c].schedules[i] != NULL; i++) {
                if (is_run(g, k, i))
                    run_case(&cases[c], comm, cases[c].schedules[i], k % WAYS, (k / 2 + i) % 2);
            }
        }
    }
    OK(cartgen_comm_set(comm, "mode", "default"));
    OK(cartgen_comm_set(comm, "join", "8192"));
}

/* --- exact numbers, where all neighbours are different ranks: 4 x 3 --- */

static void messages(cartgen_comm *comm)
{
    const cartgen_schedule *const *schedules = FIVE(torus);
    static const int64_t wanted[] = {8, 4, 4, 0, 4};
    if (world_size != 12)
        return;
    for (int i = 0; schedules[i] != NULL; i++) {
        five_torus_direct_params params = {5, 6};
        cartgen_plan *plan = NULL;
        cartgen_plan_stats stats = {0};
        if (!OK(schedules[i]->init(comm, &params, &plan)))
            continue;
        OK(cartgen_plan_get_stats(plan, &stats));
        CHECK(wanted[i] == 0 || stats.messages == wanted[i]);
        /* Ghosts of five arrays: rows and columns of 6 and 5 cells, and corners; combining forwards these once more. */
        int64_t corners = 4 * 3 + 8 * 4 + 24 * 4 + 8 * 8;
        int64_t faces = 1 * 22 + 4 * (3 * 6 + 5) + 8 * 22 + 24 * 22 + 8 * (4 * 6 + 2 * 5);
        CHECK(stats.bytes_sent == faces + corners * (i == 1 ? 2 : 1));
        OK(schedules[i]->free(&plan));
    }
    cartgen_plan *plan = NULL;
    cartgen_plan_stats stats = {0};
    int64_t m = 3;
    if (OK(own_direct_schedule.init(comm, &m, &plan))) {
        OK(cartgen_plan_get_stats(plan, &stats));
        CHECK(stats.messages == 3);
        CHECK(stats.bytes_sent == 3 * (4 * m + 16 + 4 * m + 14));
        OK(own_direct_schedule.free(&plan));
    }
}

/* --- what start refuses --- */

static void refused(cartgen_plan *plan, const pair_send *from, const pair_recv *into, cartgen_status status, const char *word)
{
    STATUS(pair_run(plan, from, into), status);
    if (status != CARTGEN_OK && strstr(cartgen_last_error(), word) == NULL && faults++ < 10)
        fprintf(stderr, "rank %d: no '%s' in: %s\n", world_rank, word, cartgen_last_error());
}

static void refusals(cartgen_comm *comm)
{
    static char u[2][256], v[2][256];
    const cartgen_status argument = CARTGEN_ERR_ARGUMENT, overlap = CARTGEN_ERR_OVERLAP;
    pair_params params = {3}; /* u: 2 blocks of 24 bytes, v: 2 of 12 */
    pair_plan *plan = NULL;
    if (OK(pair_init(comm, &params, &plan))) {
        refused(plan, NULL, &(pair_recv){u[1], v[1]}, argument, "sendbuf is NULL");
        refused(plan, &(pair_send){u[0], v[0]}, NULL, argument, "recvbuf is NULL");
        refused(plan, &(pair_send){u[0], NULL}, &(pair_recv){u[1], v[1]}, argument, "sendbuf->v is NULL");
        refused(plan, &(pair_send){u[0], v[0]}, &(pair_recv){NULL, v[1]}, argument, "recvbuf->u is NULL");
        refused(plan, &(pair_send){u[0], v[0]}, &(pair_recv){u[0], v[1]}, overlap, "send blocks in u and receive blocks in u");
        refused(plan, &(pair_send){u[0], v[0]}, &(pair_recv){v[0], v[1]}, overlap, "send blocks in v and receive blocks in u");
        refused(plan, &(pair_send){u[0], v[0]}, &(pair_recv){u[1], u[1] + 47}, overlap,
                "receive blocks in u and receive blocks in v");
        refused(plan, &(pair_send){u[0], v[0]}, &(pair_recv){u[1], u[0] + 47}, overlap,
                "send blocks in u and receive blocks in v");
        /* Side by side in one buffer, and what is sent may be the same. */
        refused(plan, &(pair_send){u[0], u[0]}, &(pair_recv){u[0] + 48, u[0] + 96}, CARTGEN_OK, "");
        OK(pair_free(&plan));
    }
    params.m = 0; /* without bytes nothing is needed */
    if (OK(pair_init(comm, &params, &plan))) {
        refused(plan, NULL, NULL, CARTGEN_OK, "");
        refused(plan, &(pair_send){NULL, NULL}, &(pair_recv){NULL, NULL}, CARTGEN_OK, "");
        OK(pair_free(&plan));
    }
    five_torus_place_params place_params = {3, 3};
    five_torus_place_plan *in_place = NULL;
    if (OK(five_torus_place_init(comm, &place_params, &in_place))) {
        five_torus_place_send from = {got[0], got[1], got[2], got[3], got[4]};
        five_torus_place_recv into = {got[0], got[1], got[2], got[3], sent[4]};
        STATUS(five_torus_place_start(in_place, &from, &into), CARTGEN_ERR_ARGUMENT);
        CHECK(strstr(cartgen_last_error(), "sendbuf->wave and recvbuf->wave must be the same") != NULL);
        into.wave = got[4];
        OK(five_torus_place_run(in_place, &from, &into));
        OK(five_torus_place_free(&in_place));
    }
}

/* Limits and sizes that do not fit name the field. */
static void own_sizes(cartgen_comm *comm)
{
    int first = world_rank == 0;
    five_torus_direct_params params = {first ? 1 : 3, 3}; /* wave has 2 ghosts on a side, and mass */
    five_torus_direct_plan *plan = NULL;
    STATUS(five_torus_direct_init(comm, &params, &plan), first ? CARTGEN_ERR_SIZE : CARTGEN_ERR_MISMATCH);
    CHECK(strstr(cartgen_last_error(), "mass: the width of the array in dimension 0 is 2, more than") != NULL ||
          strstr(cartgen_last_error(), "mass: the high width of the array in dimension 0 is 2, more than") != NULL);
    params.ny = first ? 4 : 3;
    if (world_size > 1)
        STATUS(five_torus_direct_init(comm, &params, &plan), CARTGEN_ERR_MISMATCH);
}

/* --- faults that must be seen --- */

static void received_into_another(const void *params, cartgen_block *send, cartgen_block *recv)
{
    many_direct_schedule.layout(params, send, recv);
    recv[5].base = 1;
    recv[5].displ += 4096; /* where nothing else is: init refuses blocks that overlap */
}

static void sent_from_another(const void *params, cartgen_block *send, cartgen_block *recv)
{
    many_direct_schedule.layout(params, send, recv);
    send[5].base = 1;
}

static int seen(const test_case *t, cartgen_comm *comm, const cartgen_schedule *s, int exchanged)
{
    int64_t m = 2, base[2] = {2, 3};
    part p = part_of(cartgen_comm_dims(comm), base, 0);
    mix_torus_direct_params sides = {p.extent[0], p.extent[1], m};
    cartgen_plan *plan = NULL;
    if (!OK(cartgen_mpi_init(s, comm, s->params_bytes == sizeof m ? (const void *)&m : &sides, &plan)))
        return 0;
    run_once(t, s, plan, &p, m, 0, exchanged);
    OK(s->free(&plan));
    return differences(t->nrecv);
}

static void planted(const test_case *halos, const test_case *lists, cartgen_comm *comm)
{
    cartgen_schedule broken = many_direct_schedule;
    CHECK(seen(lists, comm, &broken, 0) == 0);
    CHECK(seen(lists, comm, &broken, 1) > 0);
    CHECK(seen(halos, comm, halos->schedules[0], 1) > 0);
    broken.layout = received_into_another;
    CHECK(seen(lists, comm, &broken, 0) > 0);
    broken.layout = sent_from_another;
    CHECK(seen(lists, comm, &broken, 0) > 0);
}

int main(int argc, char **argv)
{
    begin_test(&argc, &argv);
    for (int i = 0; i < MOST_OFFSETS; i++) {
        many_offsets[i][0] = i / 9 - 4;
        many_offsets[i][1] = i % 9 - 4;
    }
    const test_case cases[] = {
        {FIVE(torus), {1, 1}, NULL, 0, five, NULL, COUNT(five), 0, 5, 5},
        {FIVE(mesh), {0, 0}, NULL, 0, five, NULL, COUNT(five), 0, 5, 5},
        {FIVE(mixed), {1, 0}, NULL, 0, five, NULL, COUNT(five), 0, 5, 5},
        {MIX(torus), {1, 1}, mix_offsets, 8, &mix_rim, mix, 1, COUNT(mix), 4, 4},
        {MIX(mesh), {0, 0}, mix_offsets, 8, &mix_rim, mix, 1, COUNT(mix), 4, 4},
        {(const cartgen_schedule *const[]){&own_direct_schedule, &own_combining_schedule, NULL}, {1, 1}, own_offsets, 4,
         NULL, own, 0, COUNT(own), 3, 5},
        {(const cartgen_schedule *const[]){&own_mesh_schedule, NULL}, {0, 0}, own_offsets, 4, NULL, own, 0, COUNT(own), 3, 5},
        {(const cartgen_schedule *const[]){&many_direct_schedule, &many_combining_schedule, NULL}, {1, 1},
         (const int(*)[2])many_offsets, MOST_OFFSETS, NULL, many, 0, COUNT(many), 4, 4}};
    const int all_periods[][2] = {{1, 1}, {0, 0}, {1, 0}};
    int grids[][2] = {{0, 0}, {1, world_size}, {world_size, 1}};
    MPI_Dims_create(world_size, 2, grids[0]);
    for (int g = 0; g < (world_size > 3 ? 3 : world_size > 1 ? 2 : 1); g++) {
        for (int k = 0; k < COUNT(all_periods); k++) {
            cartgen_comm *comm = make_comm(2, grids[g], all_periods[k]);
            run_all(cases, COUNT(cases), comm, all_periods[k], g);
            if (k == 0 && g == 0) {
                messages(comm);
                refusals(comm);
                planted(&cases[0], &cases[7], comm);
            }
            if (k == 0 && g == 1)
                own_sizes(comm);
            OK(cartgen_comm_free(&comm));
        }
    }
    return end_test();
}
