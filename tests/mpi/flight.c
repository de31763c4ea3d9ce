/* SPDX-License-Identifier: MIT */
/* flight.c - what a plan in flight allows: order, progress, and no message but its own. */
#include "more_cases.h"
#include "support.h"

#define M 6

static const int steps[3] = {1, -1, 2};

typedef struct exchange {
    cartgen_plan *plan;
    int32_t send[3 * M];
    int32_t recv[3 * M];
    int salt;
} exchange;

static void prepare(exchange *x, int salt)
{
    x->salt = salt;
    for (int i = 0; i < 3 * M; i++) {
        x->send[i] = value_of(world_rank, i + salt);
        x->recv[i] = -1;
    }
}

static void verify(const exchange *x)
{
    int one = 1;
    int wrong = 0;
    for (int i = 0; i < 3 * M; i++) {
        int source = rank_from(world_rank, 1, &world_size, &one, &steps[i / M], -1);
        wrong += x->recv[i] != value_of(source, i + x->salt);
    }
    CHECK(wrong == 0);
}

static void two_at_once(cartgen_comm *comm, const char *mode)
{
    ring_params p = {M};
    exchange a = {0};
    exchange b = {0};
    OK(cartgen_comm_set(comm, "mode", mode));
    if (!OK(ring_init(comm, &p, &a.plan)) ||
        !OK(ring_combined_init(comm, (const ring_combined_params *)(const void *)&p, &b.plan)))
        return;
    for (int order = 0; order < 4; order++) {
        exchange *first = order % 2 ? &b : &a;
        exchange *second = order % 2 ? &a : &b;
        prepare(&a, 3 + order);
        prepare(&b, 50 + order);
        OK(cartgen_mpi_start(first->plan, first->send, first->recv));
        OK(cartgen_mpi_start(second->plan, second->send, second->recv));
        /* Every second rank finishes them the other way round. */
        int swap = (order / 2 + world_rank) % 2;
        OK(cartgen_mpi_wait(swap ? second->plan : first->plan));
        OK(cartgen_mpi_wait(swap ? first->plan : second->plan));
        verify(&a);
        verify(&b);
    }
    OK(cartgen_mpi_free(&a.plan));
    OK(cartgen_mpi_free(&b.plan));
}

static void progress_by_test(cartgen_comm *comm, const char *mode)
{
    ring_params p = {M};
    exchange x = {0};
    int done = 0;
    OK(cartgen_comm_set(comm, "mode", mode));
    if (!OK(ring_combined_init(comm, (const ring_combined_params *)(const void *)&p, &x.plan)))
        return;
    OK(ring_combined_test(x.plan, &done));
    CHECK(done == 1); /* nothing was started */
    OK(ring_combined_wait(x.plan));
    for (int turn = 0; turn < 3; turn++) {
        prepare(&x, turn);
        OK(ring_combined_start(x.plan, x.send, x.recv));
        for (done = 0; !done;)
            if (!OK(ring_combined_test(x.plan, &done)))
                break;
        verify(&x);
    }
    OK(ring_combined_run(x.plan, x.send, x.recv));
    verify(&x);
    OK(ring_combined_free(&x.plan));
}

/* Rank 0 starts last: until it does, its neighbours are in flight. */
static void wrong_states(cartgen_comm *comm, const char *mode)
{
    ring_params p = {M};
    exchange x = {0};
    OK(cartgen_comm_set(comm, "mode", mode));
    if (!OK(ring_init(comm, &p, &x.plan)))
        return;
    prepare(&x, 9);
    if (world_rank == 0)
        MPI_Barrier(MPI_COMM_WORLD);
    STATUS(ring_start(x.plan, NULL, x.recv), CARTGEN_ERR_ARGUMENT);
    CHECK(strstr(cartgen_last_error(), "sendbuf") != NULL);
    STATUS(ring_start(x.plan, x.send, NULL), CARTGEN_ERR_ARGUMENT);
    CHECK(strstr(cartgen_last_error(), "recvbuf") != NULL);
    STATUS(ring_start(x.plan, x.send, x.send), CARTGEN_ERR_OVERLAP);
    STATUS(ring_start(x.plan, x.send, x.send + 3 * M - 1), CARTGEN_ERR_OVERLAP);
    OK(ring_start(x.plan, x.send, x.recv));
    if (world_rank == 1) {
        STATUS(ring_start(x.plan, x.send, x.recv), CARTGEN_ERR_STATE);
        STATUS(ring_free(&x.plan), CARTGEN_ERR_STATE);
        CHECK(x.plan != NULL);
    }
    STATUS(cartgen_comm_free(&comm), CARTGEN_ERR_STATE);
    CHECK(comm != NULL);
    if (world_rank != 0)
        MPI_Barrier(MPI_COMM_WORLD);
    OK(ring_wait(x.plan));
    verify(&x);
    STATUS(cartgen_comm_free(&comm), CARTGEN_ERR_STATE);
    OK(ring_free(&x.plan));
    CHECK(x.plan == NULL);
    OK(ring_free(&x.plan));
    STATUS(cartgen_mpi_free(NULL), CARTGEN_ERR_ARGUMENT);
    STATUS(cartgen_mpi_wait(NULL), CARTGEN_ERR_ARGUMENT);
    STATUS(cartgen_mpi_test(NULL, &x.salt), CARTGEN_ERR_ARGUMENT);
    STATUS(cartgen_mpi_start(NULL, x.send, x.recv), CARTGEN_ERR_ARGUMENT);
}

/* Without bytes NULL buffers are as good as any. */
static void nothing_to_send(cartgen_comm *comm)
{
    ring_params p = {0};
    cartgen_plan *plan = NULL;
    if (!OK(ring_init(comm, &p, &plan)))
        return;
    OK(ring_run(plan, NULL, NULL));
    cartgen_plan_stats stats = {0};
    OK(cartgen_plan_get_stats(plan, &stats));
    CHECK(stats.messages == 0 && stats.bytes_sent == 0);
    OK(ring_free(&plan));
}

/* Two ranks: offsets 1 and -1 lead to the other one, with M ints each. How many messages they make. */
static void joined(cartgen_comm *comm)
{
    static const struct {
        const char *join;
        const char *eager;
        int messages;
    } rows[] = {{"8192", "0", 1}, {"8192", "48", 1}, {"8192", "47", 2}, {"8192", "24", 2},
                {"8192", "12", 4}, {"8192", "3", 16}, {"8192", "2", 24}, {"0", "0", 2},
                {"0", "2", 24},    {"0", "1", 2},     {"24", "0", 1},   {"23", "0", 2}};
    ring_params p = {M};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        exchange x = {0};
        cartgen_plan_stats stats = {0};
        OK(cartgen_comm_set(comm, "join", rows[i].join));
        OK(cartgen_comm_set(comm, "eager", rows[i].eager));
        if (!OK(ring_init(comm, &p, &x.plan)))
            return;
        OK(cartgen_plan_get_stats(x.plan, &stats));
        CHECK(stats.messages == rows[i].messages && stats.bytes_sent == 2 * M * 4);
        prepare(&x, 7);
        OK(ring_run(x.plan, x.send, x.recv));
        verify(&x);
        OK(ring_free(&x.plan));
    }
}

/* Send and receive blocks in one array, side by side. */
static void same_array(cartgen_comm *comm)
{
    ring_params p = {M};
    cartgen_plan *plan = NULL;
    exchange x = {0};
    int32_t both[6 * M];
    if (!OK(ring_init(comm, &p, &plan)))
        return;
    prepare(&x, 4);
    memcpy(both + 3 * M, x.send, sizeof x.send);
    OK(ring_run(plan, both + 3 * M, both));
    memcpy(x.recv, both, sizeof x.recv);
    verify(&x);
    CHECK(memcmp(both + 3 * M, x.send, sizeof x.send) == 0);
    OK(ring_free(&plan));
}

/* The application's any-source, any-tag receive gets the application's message, not a plan's. */
static void own_context(MPI_Comm world)
{
    int one = 1;
    int got = 0;
    int mine = 4711;
    int complete = 0;
    cartgen_comm *comm = NULL;
    MPI_Request request;
    ring_params p = {M};
    exchange x = {0};
    MPI_Status status;
    MPI_Irecv(&got, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, world, &request);
    must(cartgen_comm_from_mpi(world, 1, &world_size, &one, &comm) == CARTGEN_OK, "comm");
    if (OK(ring_init(comm, &p, &x.plan))) {
        prepare(&x, 1);
        OK(ring_run(x.plan, x.send, x.recv));
        verify(&x);
        OK(ring_free(&x.plan));
    }
    MPI_Test(&request, &complete, &status);
    CHECK(!complete);
    MPI_Barrier(world);
    MPI_Send(&mine, 1, MPI_INT, world_rank, 5, world);
    if (!complete)
        MPI_Wait(&request, &status);
    CHECK(got == 4711 && status.MPI_TAG == 5);
    OK(cartgen_comm_free(&comm));
}

int main(int argc, char **argv)
{
    static const char *const modes[] = {"nonblocking", "persistent", "blocking"};
    MPI_Comm own;
    begin_test(&argc, &argv);
    cartgen_comm *comm = make_ring();
    for (int k = 0; k < 3; k++) {
        /* A blocking start returns when it is done, so nothing is left in flight. */
        if (k < 2)
            two_at_once(comm, modes[k]);
        progress_by_test(comm, modes[k]);
    }
    if (world_size > 1) {
        wrong_states(comm, "nonblocking");
        wrong_states(comm, "persistent");
    }
    OK(cartgen_comm_set(comm, "mode", "default"));
    nothing_to_send(comm);
    same_array(comm);
    for (int k = 0; world_size == 2 && k < 3; k++) {
        OK(cartgen_comm_set(comm, "mode", modes[k]));
        joined(comm);
    }
    OK(cartgen_comm_free(&comm));
    CHECK(comm == NULL);
    OK(cartgen_comm_free(&comm));
    MPI_Comm_dup(MPI_COMM_WORLD, &own);
    own_context(own);
    MPI_Comm_free(&own);
    return end_test();
}
