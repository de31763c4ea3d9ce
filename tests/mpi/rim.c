/* SPDX-License-Identifier: MIT */
/* rim.c - ghost cells in place: every cell of the array against the global numbering. */
#include "more_cases.h"
#include "support.h"

#define SENTINEL (-7)

static const int periods[3] = {0, 1, 1};

typedef struct box {
    const int *dims; /* processes */
    int64_t n[3];    /* cells of a process */
    int64_t w;
    int coords[3];
} box;

/* Number of the cell of the whole grid that is at `at` of the own array, -1: there is none. */
static int32_t global_cell(const box *b, const int64_t at[3], int salt)
{
    int64_t number = 0;
    for (int j = 0; j < 3; j++) {
        int64_t all = b->n[j] * b->dims[j];
        int64_t x = at[j] - b->w + b->n[j] * b->coords[j];
        if (periods[j])
            x = (x + 4 * all) % all;
        if (x < 0 || x >= all)
            return SENTINEL;
        number = number * all + x;
    }
    return (int32_t)number + salt;
}

static int is_own(const box *b, const int64_t at[3])
{
    for (int j = 0; j < 3; j++) {
        if (at[j] < b->w || at[j] >= b->w + b->n[j])
            return 0;
    }
    return 1;
}

static void run_rim(cartgen_comm *comm, const cartgen_schedule *schedule, const box *b)
{
    int64_t extents[3];
    int64_t all = 1;
    for (int j = 0; j < 3; j++) {
        extents[j] = b->n[j] + 2 * b->w;
        all *= extents[j];
    }

    rim_direct_params params = {.w = b->w, .nz = b->n[0], .ny = b->n[1], .nx = b->n[2]};
    int32_t *cells = malloc((size_t)all * sizeof *cells);
    must(cells != NULL, "memory");
    cartgen_plan *plan = NULL;
    if (!OK(schedule->init(comm, &params, &plan)))
        goto release;
    for (int salt = 0; salt < 3; salt++) {
        int wrong = 0;
        for (int pass = 0; pass < 2; pass++) {
            int32_t *cell = cells;
            int64_t at[3];
            for (at[0] = 0; at[0] < extents[0]; at[0]++) {
                for (at[1] = 0; at[1] < extents[1]; at[1]++) {
                    for (at[2] = 0; at[2] < extents[2]; at[2]++, cell++) {
                        int32_t value = global_cell(b, at, salt);
                        if (pass == 0)
                            *cell = is_own(b, at) ? value : SENTINEL;
                        else
                            wrong += *cell != value;
                    }
                }
            }
            if (pass == 0) {
                OK(schedule->start(plan, cells, cells));
                OK(schedule->wait(plan));
            }
        }
        if (wrong > 0)
            fprintf(stderr, "%s on %d x %d x %d, w %lld, n %lld %lld %lld: %d cells are wrong\n",
                    schedule->name, b->dims[0], b->dims[1], b->dims[2], (long long)b->w,
                    (long long)b->n[0], (long long)b->n[1], (long long)b->n[2], wrong);
        CHECK(wrong == 0);
    }
    OK(schedule->free(&plan));

release:
    free(cells);
}

static void run_grid(const int dims[3])
{
    static const int64_t sizes[][4] = {{1, 1, 1, 1}, {1, 4, 3, 5}, {2, 2, 3, 7}, {3, 4, 3, 3}};
    const cartgen_schedule *const schedules[] = {&rim_direct_schedule, &rim_combining_schedule};
    cartgen_comm *comm = make_comm(3, dims, periods);
    for (int i = 0; i < 4 * WAYS * 2; i++) {
        const int64_t *s = sizes[i % 4];
        box b = {.dims = dims, .w = s[0], .n = {s[1], s[2], s[3]}};
        for (int j = 2, rank = world_rank; j >= 0; rank /= dims[j], j--)
            b.coords[j] = rank % dims[j];
        set_way(comm, i / 4 % WAYS);
        run_rim(comm, schedules[i / 4 / WAYS], &b);
    }
    OK(cartgen_comm_free(&comm));
}

int main(int argc, char **argv)
{
    begin_test(&argc, &argv);
    for (int a = 1; a <= world_size; a++) {
        for (int b = 1; a * b <= world_size; b++) {
            if (world_size % (a * b) == 0)
                run_grid((int[]){a, b, world_size / (a * b)});
        }
    }
    return end_test();
}
