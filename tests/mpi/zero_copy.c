/* SPDX-License-Identifier: MIT */
/*
 * zero_copy.c - messages that go as datatypes: which do, in how many pieces, what they move, and that no
 * datatype is left behind, whatever fails.
 */
#include "internal.h"
#include "support.h"
#include "zero_cases.h"

#define CELLS 1200 /* of a plane, as rows of any length */
#define LEAST 64   /* bytes of the gap before an array */

static long made, live, committed, fail_at = -1;
static int skew; /* planted: bytes that every stride is too long */

static int next_fails(void) { return made++ == fail_at; }

int MPI_Type_create_hvector(int count, int length, MPI_Aint stride, MPI_Datatype old, MPI_Datatype *new_p)
{
    if (next_fails())
        return MPI_ERR_INTERN;
    live++;
    return PMPI_Type_create_hvector(count, length, stride + skew, old, new_p);
}

int MPI_Type_create_hindexed_block(int count, int length, const MPI_Aint places[], MPI_Datatype old,
                                   MPI_Datatype *new_p)
{
    if (next_fails())
        return MPI_ERR_INTERN;
    live++;
    return PMPI_Type_create_hindexed_block(count, length, places, old, new_p);
}

int MPI_Type_create_struct(int count, const int lengths[], const MPI_Aint places[],
                           const MPI_Datatype types[], MPI_Datatype *new_p)
{
    if (next_fails())
        return MPI_ERR_INTERN;
    live++;
    return PMPI_Type_create_struct(count, lengths, places, types, new_p);
}

int MPI_Type_commit(MPI_Datatype *type)
{
    if (next_fails())
        return MPI_ERR_INTERN;
    committed++;
    return PMPI_Type_commit(type);
}

int MPI_Type_free(MPI_Datatype *type)
{
    live--;
    return PMPI_Type_free(type);
}

/* --- the planes --- */

typedef struct share {
    int64_t ny;
    int64_t nx;
} share;

/* Even ranks have few long rows, odd ones many short rows, where they may differ. */
static share share_of(int rank, int differ)
{
    return differ && rank % 2 == 1 ? (share){CELLS / 2, 2} : (share){2, CELLS / 2};
}

static size_t array_bytes(share s) { return (size_t)(16 * s.ny * (s.nx + 2)); }

static size_t array_at(share s, int a)
{
    return LEAST + (size_t)a * (LEAST + array_bytes(s));
}

static size_t buffer_bytes(share s) { return array_at(s, 2); }

/* Cell i of plane z of array a, in bytes. */
static size_t cell_at(share s, int a, int z, int64_t i)
{
    return array_at(s, a) + 4 * (size_t)((z * s.ny + i / s.nx) * (s.nx + 2) + 1 + i % s.nx);
}

static int32_t cell_of(int rank, int a, int z, int64_t i, int salt)
{
    return value_of(rank, ((a * 4 + z) * CELLS + i) * 2 + salt);
}

static void put(unsigned char *buffer, share s, int a, int z, int rank, int source_z, int salt)
{
    for (int64_t i = 0; i < CELLS; i++) {
        int32_t value = cell_of(rank, a, source_z, i, salt);
        memcpy(buffer + cell_at(s, a, z, i), &value, sizeof value);
    }
}

/* Exchanges in buffers of their own; how many bytes are wrong. */
static int exchange(cartgen_plan *plan, int narrays, int differ, int salt)
{
    share s = share_of(world_rank, differ);
    size_t bytes = buffer_bytes(s);
    unsigned char *buffers = malloc(3 * bytes);
    must(buffers != NULL, "memory");
    unsigned char *send = buffers, *recv = buffers + bytes, *expected = buffers + 2 * bytes;
    int below = (world_rank + world_size - 1) % world_size;
    int above = (world_rank + 1) % world_size;
    int wrong = 0;
    for (size_t i = 0; i < 2 * bytes; i++)
        buffers[i] = (unsigned char)(i * 7 + (size_t)salt);
    memcpy(expected, recv, bytes);
    for (int a = 0; a < narrays; a++) {
        for (int z = 0; z < 4; z++)
            put(send, s, a, z, world_rank, z, salt);
        put(expected, s, a, 0, below, 2, salt);
        put(expected, s, a, 3, above, 1, salt);
    }
    OK(cartgen_mpi_start(plan, send, recv));
    OK(cartgen_mpi_wait(plan));
    for (size_t i = 0; i < bytes; i++)
        wrong += recv[i] != expected[i];
    free(buffers);
    return wrong;
}

typedef struct result {
    cartgen_plan_stats stats;
    long types; /* committed by init */
    int wrong;
} result;

static result run(cartgen_comm *comm, const cartgen_schedule *schedule, int differ)
{
    share params = share_of(world_rank, differ);
    int narrays = schedule == &slabs_schedule ? 2 : 1;
    cartgen_plan *plan = NULL;
    result r = {.types = -committed};
    if (!OK(schedule->init(comm, &params, &plan)))
        return r;
    r.types += committed;
    OK(cartgen_plan_get_stats(plan, &r.stats));
    long before = made;
    for (int salt = 0; salt < 2; salt++)
        r.wrong += exchange(plan, narrays, differ, salt);
    CHECK(made == before); /* all at init */
    OK(schedule->free(&plan));
    CHECK(live == 0);
    return r;
}

static cartgen_comm *make_line(void)
{
    cartgen_comm *comm = make_comm(3, (int[]){world_size, 1, 1}, (int[]){1, 1, 1});
    OK(cartgen_comm_set(comm, "join", "0"));
    OK(cartgen_comm_set(comm, "eager", "1000"));
    comm->datatypes = (cg_datatypes){0}; /* not the library's: auto is never */
    return comm;
}

/* What each way makes of messages of one and of two blocks. */
static void choices(void)
{
    static const char *const modes[] = {"nonblocking", "blocking", "persistent"};
    static const char *const words[] = {"always", "never", "default"};
    cartgen_comm *comm = make_line();
    for (int i = 0; i < 3 * 3 * 2; i++) {
        const cartgen_schedule *schedule = i % 2 == 0 ? &slab_schedule : &slabs_schedule;
        int mode = i / 2 % 3;
        int word = i / 6;
        int64_t bytes = (i % 2 + 1) * 4 * CELLS;
        OK(cartgen_comm_set(comm, "mode", modes[mode]));
        OK(cartgen_comm_set(comm, "zero_copy", words[word]));
        result r = run(comm, schedule, 0);
        int types = mode < 2 && (word == 0 || (word == 2 && schedule->zero_copy == CARTGEN_ZERO_COPY_ALWAYS));
        CHECK(r.wrong == 0);
        if (world_size == 1)
            continue;
        CHECK(r.stats.bytes_sent == 2 * bytes);
        CHECK(r.stats.messages == 2 * (types ? 1 : (bytes + 999) / 1000));
        CHECK((r.stats.scratch_bytes == 0) == types);
        /* One array: all planes have one shape. Two: a type for each message. */
        CHECK(r.types == (!types ? 0 : i % 2 == 0 ? 1 : 4));
    }
    OK(cartgen_comm_free(&comm));
}

/* By limits that long rows pass and short ones do not: each end decides for itself, the sender on the pieces. */
static void ends(void)
{
    if (world_size % 2 != 0)
        return;
    cartgen_comm *comm = make_line();
    for (int i = 0; i < 4; i++) {
        int low = i == 1;
        int high = i == 2;
        int all = i == 3;
        comm->datatypes = (cg_datatypes){low ? 2 * 4 * CELLS + 1 : 4 * CELLS, high ? 4 * CELLS - 1 : 1 << 20,
                                         all ? 8 : 64};
        OK(cartgen_comm_set(comm, "zero_copy", "auto"));
        result r = run(comm, &slab_schedule, 1);
        int types = all || (!low && !high && world_rank % 2 == 0);
        CHECK(r.wrong == 0);
        CHECK(r.stats.messages == 2 * (types ? 1 : 5));
        /* What odd ranks send is cut, so even ones stage what they receive, unless all pass. */
        CHECK((r.stats.scratch_bytes == 0) == all);
        CHECK(r.types == (types ? 1 : 0));
    }
    OK(cartgen_comm_free(&comm));
}

/* Any call for a datatype fails on one rank: an error everywhere, and nothing is left. */
static void failures(void)
{
    cartgen_comm *comm = make_line();
    share params = share_of(world_rank, 0);
    OK(cartgen_comm_set(comm, "zero_copy", "always"));
    for (int n = 0; world_size > 1; n++) {
        cartgen_plan *plan = NULL;
        fail_at = world_rank == world_size - 1 ? made + n : -1;
        cartgen_status status = slabs_init(comm, (const slabs_params *)(const void *)&params, &plan);
        fail_at = -1;
        int good[2] = {status == CARTGEN_OK, status != CARTGEN_OK};
        MPI_Allreduce(MPI_IN_PLACE, good, 2, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
        CHECK(good[0] != good[1]);
        if (plan != NULL)
            OK(slabs_free(&plan));
        CHECK(live == 0);
        if (good[0] || n > 200) {
            CHECK(n > 4 && n < 200);
            break;
        }
        CHECK(status == (world_rank == world_size - 1 ? CARTGEN_ERR_TRANSPORT : CARTGEN_ERR_MISMATCH));
    }
    OK(cartgen_comm_free(&comm));
}

/* A datatype with a wrong stride must be seen. */
static void planted(void)
{
    cartgen_comm *comm = make_line();
    OK(cartgen_comm_set(comm, "zero_copy", "always"));
    skew = 4;
    result r = run(comm, &slab_schedule, 0);
    skew = 0;
    CHECK(world_size == 1 || r.wrong > 0);
    OK(cartgen_comm_free(&comm));
}

int main(int argc, char **argv)
{
    begin_test(&argc, &argv);
    choices();
    ends();
    failures();
    planted();
    return end_test();
}
