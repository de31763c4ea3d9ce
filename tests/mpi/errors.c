/* SPDX-License-Identifier: MIT */
/* errors.c - what is refused, on which ranks and in which words; helper calls on a real comm. */
#include "more_cases.h"
#include "support.h"

/* Every rank gets `expected`, no plan, and a text with `word`; afterwards the comm still works. */
static void refused(cartgen_comm *comm, const cartgen_schedule *schedule, int64_t m,
                    cartgen_status expected, const char *word)
{
    cartgen_plan *plan = NULL;
    STATUS(schedule->init(comm, &m, &plan), expected);
    CHECK(plan == NULL);
    if (strstr(cartgen_last_error(), word) == NULL) {
        faults++;
        fprintf(stderr, "rank %d: m %lld: no '%s' in: %s\n", world_rank, (long long)m, word,
                cartgen_last_error());
    }
    if (plan != NULL)
        OK(schedule->free(&plan));
}

static void works(cartgen_comm *comm)
{
    int32_t send[6];
    int32_t recv[6];
    static const int steps[3] = {1, -1, 2};
    int one = 1;
    ring_params p = {2};
    cartgen_plan *plan = NULL;
    for (int i = 0; i < 6; i++)
        send[i] = value_of(world_rank, i);
    if (!OK(ring_init(comm, &p, &plan)))
        return;
    OK(ring_run(plan, send, recv));
    for (int i = 0; i < 6; i++)
        CHECK(recv[i] ==
              value_of(rank_from(world_rank, 1, &world_size, &one, &steps[i / 2], -1), i));
    OK(ring_free(&plan));
}

static void mismatches(cartgen_comm *comm)
{
    int odd = world_size - 1; /* the rank that differs */
    int is_odd = world_rank == odd;
    char name[32];
    if (world_size == 1)
        return;
    snprintf(name, sizeof name, "rank %d has ", odd);
    refused(comm, &ring_schedule, is_odd ? 4 : 3, CARTGEN_ERR_MISMATCH, name);
    works(comm);
    refused(comm, is_odd ? &ring_other_schedule : &ring_schedule, 3, CARTGEN_ERR_MISMATCH, name);
    works(comm);
    refused(comm, is_odd ? &ring_combined_schedule : &ring_schedule, 3, CARTGEN_ERR_MISMATCH, name);
    OK(cartgen_comm_set(comm, "mode", is_odd ? "blocking" : "persistent"));
    refused(comm, &ring_schedule, 3, CARTGEN_ERR_MISMATCH, name);
    OK(cartgen_comm_set(comm, "blocking", "false"));
    works(comm);
    OK(cartgen_comm_set(comm, "join", is_odd ? "0" : "100"));
    refused(comm, &ring_schedule, 3, CARTGEN_ERR_MISMATCH, name);
    OK(cartgen_comm_set(comm, "join", "100"));
    OK(cartgen_comm_set(comm, "eager", is_odd ? "64" : "100"));
    refused(comm, &ring_schedule, 3, CARTGEN_ERR_MISMATCH, is_odd ? "eager 64" : name);
    OK(cartgen_comm_set(comm, "eager", "100"));
    /* The first rank differs from all others: each of them is named. */
    refused(comm, &ring_schedule, world_rank == 0 ? 3 : 4, CARTGEN_ERR_MISMATCH, "rank 1");
    works(comm);
    /* One rank fails by itself: its own reason there, its name on the others. */
    snprintf(name, sizeof name, "rank %d failed", odd);
    refused(comm, &ring_schedule, is_odd ? -1 : 3,
            is_odd ? CARTGEN_ERR_SIZE : CARTGEN_ERR_MISMATCH, is_odd ? "negative" : name);
    works(comm);
}

static void sizes(cartgen_comm *comm)
{
    static const int64_t bad[] = {(int64_t)1 << 61, (int64_t)1 << 62, INT64_MAX, -1,
                                  -((int64_t)1 << 59), ((int64_t)1 << 59) + 1, INT64_MIN};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        refused(comm, &ring_schedule, bad[i], CARTGEN_ERR_SIZE, "ring");
        refused(comm, &ring_combined_schedule, bad[i], CARTGEN_ERR_SIZE, "ring_combined");
    }
    works(comm);
}

static void options(cartgen_comm *comm)
{
    MPI_Info info;
    STATUS(cartgen_comm_set(comm, "colour", "red"), CARTGEN_ERR_ARGUMENT);
    OK(cartgen_comm_set(comm, "trivial", "true"));
    works(comm); /* has a direct program */
    cartgen_comm *flat = make_comm(2, (int[]){1, world_size}, (int[]){1, 1});
    OK(cartgen_comm_set(flat, "trivial", "true"));
    refused(flat, &square_schedule, 3, CARTGEN_ERR_UNSUPPORTED, "direct");
    OK(cartgen_comm_set(flat, "trivial", "false"));
    OK(cartgen_comm_set(comm, "trivial", "false"));
    OK(cartgen_comm_set_info(comm, MPI_INFO_NULL));
    MPI_Info_create(&info);
    MPI_Info_set(info, "trivial", "true");
    MPI_Info_set(info, "colour", "red");
    OK(cartgen_comm_set_info(flat, info));
    refused(flat, &square_schedule, 3, CARTGEN_ERR_UNSUPPORTED, "direct");
    MPI_Info_set(info, "trivial", "perhaps");
    STATUS(cartgen_comm_set_info(comm, info), CARTGEN_ERR_ARGUMENT);
    MPI_Info_free(&info);
    OK(cartgen_comm_free(&flat));
    OK(cartgen_comm_set(comm, "trivial", "false"));
    STATUS(cartgen_comm_set_info(NULL, MPI_INFO_NULL), CARTGEN_ERR_ARGUMENT);
}

static void arguments(cartgen_comm *comm)
{
    int64_t m = 3;
    cartgen_plan *plan = NULL;
    refused(comm, &square_schedule, 3, CARTGEN_ERR_GRID, "dimensions");
    STATUS(ring_init(comm, NULL, &plan), CARTGEN_ERR_ARGUMENT);
    STATUS(ring_schedule.init(comm, &m, NULL), CARTGEN_ERR_ARGUMENT);
    STATUS(ring_schedule.init(NULL, &m, &plan), CARTGEN_ERR_ARGUMENT);
    STATUS(cartgen_mpi_init(NULL, comm, &m, &plan), CARTGEN_ERR_ARGUMENT);
    CHECK(plan == NULL);
    cartgen_comm *open = make_comm(1, &world_size, (int[]){0});
    refused(open, &ring_schedule, 3, CARTGEN_ERR_GRID, "periodic");
    OK(cartgen_comm_free(&open));
    works(comm);
}

static void bad_grid(MPI_Comm mpi, int ndims, const int dims[], const int periods[],
                     cartgen_status expected)
{
    cartgen_comm *comm = NULL;
    STATUS(cartgen_comm_from_mpi(mpi, ndims, dims, periods, &comm), expected);
    CHECK(comm == NULL);
}

static void grids(void)
{
    int two[2] = {world_size, 2};
    int huge[4] = {65536, 65536, 65536, 65536};
    int ones[4] = {1, 1, 1, 1};
    int none[1] = {0};
    int wrong[1] = {2};
    cartgen_comm *comm = NULL;
    bad_grid(MPI_COMM_WORLD, 2, two, ones, CARTGEN_ERR_GRID);
    bad_grid(MPI_COMM_WORLD, 4, huge, ones, CARTGEN_ERR_GRID);
    bad_grid(MPI_COMM_WORLD, 1, none, ones, CARTGEN_ERR_ARGUMENT);
    bad_grid(MPI_COMM_WORLD, 1, ones, wrong, CARTGEN_ERR_ARGUMENT);
    bad_grid(MPI_COMM_WORLD, 0, ones, ones, CARTGEN_ERR_ARGUMENT);
    bad_grid(MPI_COMM_WORLD, 9, ones, ones, CARTGEN_ERR_ARGUMENT);
    bad_grid(MPI_COMM_WORLD, 1, NULL, ones, CARTGEN_ERR_ARGUMENT);
    bad_grid(MPI_COMM_WORLD, 1, ones, NULL, CARTGEN_ERR_ARGUMENT);
    bad_grid(MPI_COMM_NULL, 1, ones, ones, CARTGEN_ERR_ARGUMENT);
    STATUS(cartgen_comm_from_cart(MPI_COMM_WORLD, &comm), CARTGEN_ERR_ARGUMENT);
    STATUS(cartgen_comm_from_mpi(MPI_COMM_WORLD, 1, ones, ones, NULL), CARTGEN_ERR_ARGUMENT);
    if (world_size > 1) {
        int last = world_rank == world_size - 1;
        int dims[1] = {world_size - last};
        bad_grid(MPI_COMM_WORLD, 1, dims, ones, CARTGEN_ERR_MISMATCH);
        CHECK(strstr(cartgen_last_error(), "rank") != NULL);
        dims[0] = world_size + last;
        bad_grid(MPI_COMM_WORLD, 1, dims, ones,
                 last ? CARTGEN_ERR_GRID : CARTGEN_ERR_MISMATCH);
    }
}

/* One process more than cells: it gets an error, the others work. */
static void surplus(void)
{
    int one = 1;
    int cells = world_size - 1;
    int64_t m = 1;
    cartgen_comm *comm = NULL;
    cartgen_plan *plan = NULL;
    int32_t send[3];
    int32_t recv[3] = {0};
    if (cells == 0)
        return;
    int last = world_rank == cells;
    STATUS(cartgen_comm_from_mpi(MPI_COMM_WORLD, 1, &cells, &one, &comm),
           last ? CARTGEN_ERR_SURPLUS : CARTGEN_OK);
    CHECK((comm == NULL) == last);
    if (comm == NULL)
        return;
    CHECK(cartgen_comm_size(comm) == cells && cartgen_comm_rank(comm) == world_rank);
    for (int i = 0; i < 3; i++)
        send[i] = value_of(world_rank, i);
    if (OK(ring_schedule.init(comm, &m, &plan))) {
        OK(ring_run(plan, send, recv));
        CHECK(recv[0] == value_of((world_rank + cells - 1) % cells, 0));
        CHECK(recv[1] == value_of((world_rank + 1) % cells, 1));
        OK(ring_free(&plan));
    }
    OK(cartgen_comm_free(&comm));
}

static void helpers(void)
{
    int dims[2] = {0, 0};
    int periods[2] = {1, 0};
    int sources[8];
    int targets[8];
    MPI_Comm cart;
    cartgen_comm *comm = NULL;
    MPI_Dims_create(world_size, 2, dims);
    MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &cart);
    if (!OK(cartgen_comm_from_cart(cart, &comm)))
        return;
    CHECK(cartgen_comm_ndims(comm) == 2 && cartgen_comm_rank(comm) == world_rank);
    for (int j = 0; j < 2; j++) {
        int coords[2];
        MPI_Cart_coords(cart, world_rank, 2, coords);
        CHECK(cartgen_comm_dims(comm)[j] == dims[j] && cartgen_comm_periods(comm)[j] == periods[j]);
        CHECK(cartgen_comm_coords(comm)[j] == coords[j]);
        int source = 0;
        int target = 0;
        int offset[2] = {j == 0, j == 1};
        int from = 0;
        int to = 0;
        MPI_Cart_shift(cart, j, 1, &from, &to);
        OK(cartgen_relative_shift(comm, offset, &source, &target));
        CHECK(source == (from == MPI_PROC_NULL ? CARTGEN_NO_PEER : from));
        CHECK(target == (to == MPI_PROC_NULL ? CARTGEN_NO_PEER : to));
    }
    for (int r = 0; r < world_size; r++) {
        int offset[2];
        int back = -2;
        OK(cartgen_relative_coord(comm, r, offset));
        OK(cartgen_relative_rank(comm, offset, &back));
        CHECK(back == r && 2 * offset[0] <= dims[0] && 2 * offset[0] > -dims[0]);
    }
    OK(cartgen_neighbor_get(comm, &square_schedule, 8, sources, targets));
    STATUS(cartgen_neighbor_get(comm, &square_schedule, 7, sources, targets), CARTGEN_ERR_ARGUMENT);
    STATUS(cartgen_neighbor_get(comm, &ring_schedule, 8, sources, targets), CARTGEN_ERR_GRID);
    for (int i = 0; i < 8; i++) {
        int v[2] = {(i + (i > 3)) / 3 - 1, (i + (i > 3)) % 3 - 1};
        int index = -2;
        CHECK(sources[i] == rank_from(world_rank, 2, dims, periods, v, -1));
        CHECK(targets[i] == rank_from(world_rank, 2, dims, periods, v, 1));
        OK(cartgen_neighbor_find_coord(&square_schedule, v, &index));
        CHECK(index == i);
        if (targets[i] < 0)
            continue;
        OK(cartgen_neighbor_find_rank(comm, &square_schedule, targets[i], &index));
        CHECK(index >= 0 && index <= i && targets[index] == targets[i]);
    }
    OK(cartgen_comm_free(&comm));
    MPI_Comm_free(&cart);
}

int main(int argc, char **argv)
{
    begin_test(&argc, &argv);
    cartgen_comm *comm = make_ring();
    works(comm);
    mismatches(comm);
    sizes(comm);
    options(comm);
    arguments(comm);
    OK(cartgen_comm_free(&comm));
    grids();
    surplus();
    helpers();
    return end_test();
}
