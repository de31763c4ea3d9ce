/* SPDX-License-Identifier: MIT */
/*
 * halo.c SEED - random halos (random.lua) on random grids with uneven splits, against the definition: every
 * cell of the global arrays has a value of its own, a ghost that is exchanged has the value of the wrapped
 * global cell it stands for, and no other byte of the receive buffer changes.
 */
#include "cases.h"
#include "support.h"

#define MOST_DIMS 4
#define MOST_ARRAYS 3
#define MOST_SIDE 12  /* processes along a dimension */
#define PARAMETER (-1) /* a width: the value of parameter w */
#define TRIALS 2

typedef struct halo_array {
    int bytes; /* of an element */
    int fortran;
    int low[MOST_DIMS];
    int high[MOST_DIMS];
} halo_array;

typedef struct halo_case {
    const char *name;
    int ndims;
    int periods[MOST_DIMS];
    int has_dims;
    int dims[MOST_DIMS];
    int in_place;
    int n[MOST_DIMS]; /* constant interior, or 0: parameters */
    char exchanged[81]; /* for every direction of {-1, 0, 1}^d, last coordinate fastest */
    int narrays;
    halo_array arrays[MOST_ARRAYS];
    const cartgen_schedule *schedules[5];
    int planted;
} halo_case;

#include "cases.inc"

static uint64_t random_state; /* the same on every rank */

static uint64_t mix(uint64_t x)
{
    x += UINT64_C(0x9e3779b97f4a7c15); /* SplitMix64: Steele, Lea, Flood */
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

static int random_below(int n)
{
    return (int)(mix(random_state++) % (uint64_t)n);
}

/* One trial: the grid, who has which part of every dimension, and widths with parameters put in. */
typedef struct trial {
    const halo_case *c;
    int dims[MOST_DIMS];
    int coords[MOST_DIMS];
    int split[MOST_DIMS][MOST_SIDE]; /* interior of every coordinate */
    int w;
    halo_array arrays[MOST_ARRAYS];
    size_t at[MOST_ARRAYS]; /* byte of each array */
    size_t bytes;
} trial;

static int interior(const trial *t, int j) { return t->split[j][t->coords[j]]; }

static int full(const trial *t, const halo_array *a, int j)
{
    return interior(t, j) + a->low[j] + a->high[j];
}

static int random_grid(trial *t)
{
    int rest = world_size;
    for (int j = 0; j < t->c->ndims; j++)
        t->dims[j] = 1;
    for (int p = 2; rest > 1; p++) {
        for (; rest % p == 0; rest /= p)
            t->dims[random_below(t->c->ndims)] *= p;
    }
    if (!t->c->has_dims)
        return 1;
    int cells = 1;
    for (int j = 0; j < t->c->ndims; j++) {
        t->dims[j] = t->c->dims[j];
        cells *= t->dims[j];
    }
    return cells == world_size;
}

static void random_split(trial *t, int j)
{
    int widest = 0;
    for (int k = 0; k < t->c->narrays; k++) {
        const halo_array *a = &t->arrays[k];
        widest = a->low[j] > widest ? a->low[j] : widest;
        widest = a->high[j] > widest ? a->high[j] : widest;
    }
    for (int x = 0; x < t->dims[j]; x++)
        t->split[j][x] = t->c->n[j] > 0 ? t->c->n[j] : widest + random_below(4) + (t->c->planted ? 3 + j : 0);
}

static int make_trial(const halo_case *c, trial *t)
{
    *t = (trial){.c = c, .w = random_below(3)};
    int fits = random_grid(t);
    int rank = world_rank;
    for (int j = c->ndims - 1; j >= 0; j--) {
        t->coords[j] = rank % t->dims[j];
        rank /= t->dims[j];
    }
    for (int k = 0; k < c->narrays; k++) {
        t->arrays[k] = c->arrays[k];
        for (int j = 0; j < c->ndims; j++) {
            int *sides[2] = {&t->arrays[k].low[j], &t->arrays[k].high[j]};
            for (int i = 0; i < 2; i++)
                *sides[i] = *sides[i] == PARAMETER ? t->w : *sides[i];
        }
    }
    for (int j = 0; j < c->ndims; j++)
        random_split(t, j);
    t->bytes = GAP;
    for (int k = 0; k < c->narrays; k++) {
        size_t cells = 1;
        for (int j = 0; j < c->ndims; j++)
            cells *= (size_t)full(t, &t->arrays[k], j);
        t->at[k] = t->bytes;
        t->bytes += cells * (size_t)t->arrays[k].bytes + GAP;
    }
    return fits;
}

/* Byte b of cell `global` of array k. */
static unsigned char value_byte(const trial *t, int k, const int global[], int b)
{
    uint64_t x = (uint64_t)k * 1000 + (uint64_t)b;
    for (int j = 0; j < t->c->ndims; j++)
        x = mix(x ^ ((uint64_t)global[j] + 77));
    return (unsigned char)mix(x);
}

static unsigned char sentinel(size_t at) { return (unsigned char)mix(at ^ UINT64_C(0xabcdef)); }

/* What a cell of array k with local indices x stands for: 0 interior, 1 a ghost that is filled, 2 another one;
 * its global indices. */
static int cell_kind(const trial *t, int k, const int x[], int global[])
{
    const halo_array *a = &t->arrays[k];
    int side[MOST_DIMS];
    int direction = 0;
    int inside = 1;
    int exists = 1;
    for (int j = 0; j < t->c->ndims; j++) {
        int total = 0;
        int first = 0;
        for (int i = 0; i < t->dims[j]; i++) {
            first += i < t->coords[j] ? t->split[j][i] : 0;
            total += t->split[j][i];
        }
        int local = x[j] - a->low[j];
        side[j] = local < 0 ? -1 : local >= interior(t, j) ? 1 : 0;
        int neighbor = t->coords[j] + side[j];
        exists = exists && (t->c->periods[j] || (neighbor >= 0 && neighbor < t->dims[j]));
        inside = inside && side[j] == 0;
        direction = direction * 3 + (1 - side[j]); /* what fills a side travels the other way */
        global[j] = first + local;
        if (total > 0)
            global[j] = (global[j] % total + total) % total;
    }
    if (inside)
        return 0;
    return exists && t->c->exchanged[direction] ? 1 : 2;
}

/* Goes to the next cell of array k; 0 behind the last. */
static int next_cell(const trial *t, int k, int x[])
{
    for (int j = t->c->ndims - 1; j >= 0; j--) {
        if (++x[j] < full(t, &t->arrays[k], j))
            return 1;
        x[j] = 0;
    }
    return 0;
}

static size_t place_of(const trial *t, int k, const int x[])
{
    const halo_array *a = &t->arrays[k];
    size_t at = 0;
    for (int i = 0; i < t->c->ndims; i++) {
        int j = a->fortran ? t->c->ndims - 1 - i : i;
        at = at * (size_t)full(t, a, j) + (size_t)x[j];
    }
    return t->at[k] + at * (size_t)a->bytes;
}

static int has_cells(const trial *t, int k)
{
    for (int j = 0; j < t->c->ndims; j++) {
        if (full(t, &t->arrays[k], j) == 0)
            return 0;
    }
    return 1;
}

/* Sets the cells of one kind to their values. */
static void fill(const trial *t, unsigned char *buffer, int kind)
{
    for (int k = 0; k < t->c->narrays; k++) {
        int x[MOST_DIMS] = {0};
        int global[MOST_DIMS];
        for (int more = has_cells(t, k); more; more = next_cell(t, k, x)) {
            if (cell_kind(t, k, x, global) != kind)
                continue;
            unsigned char *cell = buffer + place_of(t, k, x);
            for (int b = 0; b < t->arrays[k].bytes; b++)
                cell[b] = value_byte(t, k, global, b);
        }
    }
}

static unsigned char *make_buffer(const trial *t)
{
    unsigned char *buffer = malloc(t->bytes);
    must(buffer != NULL, "memory");
    for (size_t i = 0; i < t->bytes; i++)
        buffer[i] = sentinel(i);
    return buffer;
}

static int64_t parameter(const trial *t, const char *name)
{
    return name[0] == 'w' ? t->w : interior(t, name[1] - '0');
}

/* Runs one schedule; the number of wrong bytes. in_place: with one buffer. */
static int run_schedule(const trial *t, const cartgen_schedule *schedule, cartgen_comm *comm, int in_place)
{
    int64_t params[MOST_DIMS + 1] = {0};
    cartgen_plan *plan = NULL;
    int wrong = 0;
    for (uint32_t i = 0; i < schedule->nparams; i++)
        params[i] = parameter(t, schedule->params[i].name);
    if (!OK(schedule->init(comm, params, &plan)))
        return 0;
    unsigned char *recv = make_buffer(t);
    unsigned char *expected = make_buffer(t);
    unsigned char *send = recv;
    if (in_place) {
        fill(t, recv, 0);
        fill(t, expected, 0);
    } else {
        send = make_buffer(t);
        fill(t, send, 0);
    }
    fill(t, expected, 1);
    for (int again = 0; again < 2; again++) {
        int done = 0;
        OK(schedule->start(plan, send, recv));
        for (int i = 0; i < 3 && again == 1; i++)
            OK(schedule->test(plan, &done));
        OK(schedule->wait(plan));
        for (size_t i = 0; i < t->bytes; i++)
            wrong += recv[i] != expected[i];
        if (again == 0 && !in_place) /* ghosts of the send buffer are nobody's business */
            memset(recv, 0, t->bytes), memset(expected, 0, t->bytes), fill(t, expected, 1);
    }
    if (send != recv)
        free(send);
    free(recv);
    free(expected);
    OK(schedule->free(&plan));
    return wrong;
}

static void check_case(const halo_case *c, int number)
{
    trial t;
    if (!make_trial(c, &t))
        return;
    cartgen_comm *comm = make_comm(c->ndims, t.dims, c->periods);
    OK(cartgen_comm_set(comm, "join", random_below(3) == 0 ? "0" : "8192"));
    for (int m = 0; m < WAYS; m++) {
        set_way(comm, m);
        for (size_t i = 0; i < 5 && c->schedules[i] != NULL; i++) {
            for (int in_place = c->in_place; in_place < 2; in_place++) {
                int wrong = run_schedule(&t, c->schedules[i], comm, in_place);
                if (wrong > 0 && !c->planted && faults++ < 10)
                    fprintf(stderr, "rank %d: %s, %s, trial %d, %s, zero copy %s, %s: %d wrong bytes\n", world_rank,
                            c->name, c->schedules[i]->programs[0].algorithm, number,
                            ways[m][0], ways[m][1], in_place ? "in place" : "two buffers", wrong);
                int seen = 0;
                MPI_Allreduce(&wrong, &seen, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
                if (c->planted && seen == 0 && world_rank == 0 && faults++ < 10)
                    fprintf(stderr, "%s: the planted fault is not seen\n", c->name);
            }
        }
    }
    OK(cartgen_comm_free(&comm));
}

int main(int argc, char **argv)
{
    begin_test(&argc, &argv);
    uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        for (int number = 0; number < TRIALS; number++) {
            random_state = mix(seed + 1000 * i + (uint64_t)number);
            check_case(&cases[i], number);
        }
    }
    return end_test();
}
