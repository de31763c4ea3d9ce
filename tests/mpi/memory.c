/* SPDX-License-Identifier: MIT */
/* memory.c - no allocation after init; out of memory on one rank is an error on all. */
#include "halo_cases.h"
#include "layout_cases.h"
#include "more_cases.h"
#include "support.h"

static long allocations;
static long live;
static long fail_at = -1; /* the number of the allocation that fails */

static void *counted(size_t bytes)
{
    if (allocations++ == fail_at)
        return NULL;
    void *block = malloc(bytes);
    live += block != NULL;
    return block;
}

static void uncounted(void *block)
{
    live -= block != NULL;
    free(block);
}

static void no_allocation(cartgen_comm *comm, const cartgen_schedule *schedule, int way)
{
    int64_t m = 5;
    int32_t send[64] = {0};
    int32_t recv[64] = {0};
    cartgen_plan *plan = NULL;
    set_way(comm, way);
    if (!OK(schedule->init(comm, &m, &plan)))
        return;
    long before = allocations;
    CHECK(before > 0);
    for (int i = 0; i < 4; i++) {
        int done = 0;
        OK(schedule->start(plan, send, recv));
        while (i % 2 == 0 && !done)
            if (!OK(schedule->test(plan, &done)))
                break;
        OK(schedule->wait(plan));
    }
    CHECK(allocations == before);
    OK(schedule->free(&plan));
}

/* Fails the n-th allocation of `victim`, for every n until init needs fewer. */
static void starve_plan(cartgen_comm *comm, const cartgen_schedule *schedule, const void *params, int victim)
{
    for (int n = 0;; n++) {
        cartgen_plan *plan = NULL;
        long before = live;
        fail_at = world_rank == victim ? allocations + n : -1;
        cartgen_status status = schedule->init(comm, params, &plan);
        fail_at = -1;
        int worst[2] = {(int)status, -(int)status};
        MPI_Allreduce(MPI_IN_PLACE, worst, 2, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
        CHECK(worst[0] == -worst[1]);
        if (worst[0] == CARTGEN_OK && worst[1] == 0) {
            CHECK(n > 5);
            OK(schedule->free(&plan));
            CHECK(live == before);
            return;
        }
        CHECK(status == CARTGEN_ERR_MEMORY);
        CHECK(plan == NULL && live == before);
        CHECK(strstr(cartgen_last_error(), "out of memory") != NULL);
        if (world_rank != victim) {
            char name[32];
            snprintf(name, sizeof name, "rank %d ", victim);
            CHECK(strstr(cartgen_last_error(), name) != NULL);
        }
        if (n > 200 || worst[0] != -worst[1])
            return;
    }
}

static void starve_comm(int victim)
{
    int one = 1;
    for (int n = 0; n < 20; n++) {
        cartgen_comm *comm = NULL;
        long before = live;
        fail_at = world_rank == victim ? allocations + n : -1;
        cartgen_status status = cartgen_comm_from_mpi(MPI_COMM_WORLD, 1, &world_size, &one, &comm);
        fail_at = -1;
        int worst = (int)status;
        MPI_Allreduce(MPI_IN_PLACE, &worst, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
        if (worst == CARTGEN_OK) {
            CHECK(n == 2);
            OK(cartgen_comm_free(&comm));
            return;
        }
        CHECK(status == CARTGEN_ERR_MEMORY);
        CHECK(comm == NULL && live == before);
    }
    CHECK(!"cartgen_comm_from_mpi does not come to an end");
}

int main(int argc, char **argv)
{
    static const int64_t m = 5, lengths[] = {2, 0, 3}, places[] = {5, 1, -40};
    const layouts_combining_params lists = {.n = 3, .s = 4, .length = lengths, .from = places, .to = places};
    begin_test(&argc, &argv);
    cartgen_set_allocator(counted, uncounted);
    int victims[2] = {0, world_size - 1};
    for (int i = 0; i < 2; i++)
        starve_comm(victims[i]);
    cartgen_comm *ring = make_ring();
    cartgen_comm *square = make_comm(2, (int[]){1, world_size}, (int[]){1, 1});
    for (int k = 0; k < WAYS; k++) {
        no_allocation(ring, &ring_schedule, k);
        no_allocation(square, &square_schedule, k);
        no_allocation(square, &frame_schedule, k);
        /* Zero copy makes a difference to the frame and the lists alone: their blocks are not one run. */
        for (int i = 0; i < 2 && k < 3; i++) {
            starve_plan(ring, &ring_schedule, &m, victims[i]);
            starve_plan(square, &square_schedule, &m, victims[i]);
        }
        for (int i = 0; i < 2 && k < 4; i++) {
            starve_plan(ring, &layouts_combining_schedule, &lists, victims[i]);
            starve_plan(square, &frame_schedule, &m, victims[i]);
        }
    }
    OK(cartgen_comm_free(&ring));
    OK(cartgen_comm_free(&square));
    CHECK(live == 0);
    cartgen_set_allocator(NULL, NULL);
    return end_test();
}
