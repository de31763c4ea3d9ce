/* SPDX-License-Identifier: MIT */
/*
 * p2p.c - layouts sent point to point: every layout to every other one, in as many messages as said, what is received
 * compared with what is packed and unpacked here; and what is refused.
 */
#include "cartgen/p2p.h"

#include "internal.h"
#include "p2p_cases.h"
#include "support.h"

static long sent, datatypes, live;
static int planted; /* the last byte of what is sent from staging is changed */

static void count_message(const void *buffer, int count, MPI_Datatype type)
{
    sent++;
    datatypes += type != MPI_BYTE;
    if (planted)
        ((unsigned char *)(uintptr_t)buffer)[count - 1] ^= 1;
}

int MPI_Isend(const void *buffer, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm,
              MPI_Request *request)
{
    count_message(buffer, count, type);
    return PMPI_Isend(buffer, count, type, dest, tag, comm, request);
}

int MPI_Send(const void *buffer, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm)
{
    count_message(buffer, count, type);
    return PMPI_Send(buffer, count, type, dest, tag, comm);
}

int MPI_Type_create_hvector(int count, int length, MPI_Aint stride, MPI_Datatype old, MPI_Datatype *new_p)
{
    live++;
    return PMPI_Type_create_hvector(count, length, stride, old, new_p);
}

int MPI_Type_create_hindexed_block(int count, int length, const MPI_Aint places[], MPI_Datatype old,
                                   MPI_Datatype *new_p)
{
    live++;
    return PMPI_Type_create_hindexed_block(count, length, places, old, new_p);
}

int MPI_Type_create_struct(int count, const int lengths[], const MPI_Aint places[],
                           const MPI_Datatype types[], MPI_Datatype *new_p)
{
    live++;
    return PMPI_Type_create_struct(count, lengths, places, types, new_p);
}

int MPI_Type_free(MPI_Datatype *type)
{
    live--;
    return PMPI_Type_free(type);
}

/* --- layouts --- */

CARTGEN_LAYOUT_CALLS(run);
CARTGEN_LAYOUT_CALLS(spread);
CARTGEN_LAYOUT_CALLS(rows);
CARTGEN_LAYOUT_CALLS(back);
CARTGEN_LAYOUT_CALLS(turned);
CARTGEN_LAYOUT_CALLS(listed);
CARTGEN_LAYOUT_CALLS_ARRAYS(arrays);

typedef union any {
    run_layout run;
    spread_layout spread;
    rows_layout rows;
    back_layout back;
    turned_layout turned;
    listed_layout listed;
    arrays_layout arrays;
} any;

/* datatype: it can be visited. */
static const struct {
    const cartgen_layout_calls *calls;
    int one_run;
    int datatype;
} kinds[] = {{&run_calls, 1, 1}, {&spread_calls, 0, 1}, {&rows_calls, 0, 1},  {&back_calls, 0, 1},
             {&turned_calls, 0, 1}, {&listed_calls, 0, 0}, {&arrays_calls, 0, 0}};
enum { RUN, SPREAD, ROWS, BACK, TURNED, LISTED, ARRAYS, KINDS };

#define ROOM(n) (64 + 32 * (n)) /* bytes on both sides of what a layout's address is */

static void init(int kind, any *l, int64_t n)
{
    int64_t *idx = calloc((size_t)n + 1, sizeof *idx);
    must(idx != NULL, "memory");
    for (int64_t i = 0; i < n; i++)
        idx[i] = 2 * ((i ^ 1) < n ? i ^ 1 : i) + (i % 5 == 0);
    switch (kind) {
    case RUN: OK(run_init(&l->run, &(run_params){n})); break;
    case SPREAD: OK(spread_init(&l->spread, &(spread_params){n})); break;
    case ROWS: OK(rows_init(&l->rows, &(rows_params){n})); break;
    case BACK: OK(back_init(&l->back, &(back_params){n})); break;
    case TURNED: OK(turned_init(&l->turned, &(turned_params){n})); break;
    case LISTED: OK(listed_init(&l->listed, &(listed_params){.n = n, .idx = idx})); break;
    default: OK(arrays_init(&l->arrays, &(arrays_params){n})); break;
    }
    free(idx);
}

static void end(int kind, any *l)
{
    if (kind == LISTED)
        listed_free(&l->listed);
}

/* What the calls take for a buffer of 2 * ROOM(n) bytes. */
static void *memory_of(int kind, unsigned char *buffer, int64_t n, arrays_arrays *room)
{
    *room = (arrays_arrays){.a0 = (void *)buffer, .a1 = (void *)(buffer + ROOM(n))};
    return kind == ARRAYS ? (void *)room : buffer + ROOM(n);
}

static void fill(unsigned char *buffer, size_t bytes, int rank, int salt)
{
    uint32_t x = (uint32_t)(rank * 2654435761u + (uint32_t)salt * 40503u + 1);
    for (size_t i = 0; i < bytes; i++) {
        x = x * 1664525u + 1013904223u;
        buffer[i] = (unsigned char)(x >> 24);
    }
}

/* --- what must be received --- */

typedef struct side {
    int kind;
    any layout;
    cartgen_p2p *p2p;
    unsigned char *buffer;
    arrays_arrays room;
    void *memory;
} side;

static void open_side(side *s, int kind, int64_t n, cartgen_p2p_ends ends, int peer, cartgen_comm *comm)
{
    *s = (side){.kind = kind, .buffer = malloc((size_t)(2 * ROOM(n)))};
    must(s->buffer != NULL, "memory");
    init(kind, &s->layout, n);
    must(cartgen_p2p_init(kinds[kind].calls, &s->layout, ends, peer, comm, &s->p2p) == CARTGEN_OK, "init");
}

static void close_side(side *s)
{
    cartgen_p2p_free(&s->p2p);
    CHECK(s->p2p == NULL);
    end(s->kind, &s->layout);
    free(s->buffer);
}

/* Wrong bytes in what the side received from `from`, who sent a layout of kind `sent_kind`; its buffer was filled for
 * this rank with salt + 1 before. */
static int wrong_bytes(const side *s, int64_t n, int from, int sent_kind, int salt)
{
    size_t bytes = (size_t)(2 * ROOM(n));
    unsigned char *theirs = malloc(bytes), *mine = malloc(bytes), *packed = malloc((size_t)(8 * n + 1));
    arrays_arrays room;
    any layout;
    int wrong = 0;
    must(theirs != NULL && mine != NULL && packed != NULL, "memory");
    fill(theirs, bytes, from, salt);
    fill(mine, bytes, world_rank, salt + 1);
    init(sent_kind, &layout, n);
    kinds[sent_kind].calls->pack(&layout, packed, memory_of(sent_kind, theirs, n, &room));
    kinds[s->kind].calls->unpack(&s->layout, memory_of(s->kind, mine, n, &room), packed);
    end(sent_kind, &layout);
    for (size_t i = 0; i < bytes; i++)
        wrong += mine[i] != s->buffer[i];
    free(theirs);
    free(mine);
    free(packed);
    return wrong;
}

static void refill(side *s, int64_t n, int salt)
{
    fill(s->buffer, (size_t)(2 * ROOM(n)), world_rank, salt);
    s->memory = memory_of(s->kind, s->buffer, n, &s->room);
}

/* --- every layout to every other one --- */

typedef struct p2p_way {
    int64_t eager; /* 0: none */
    int64_t eager_most;
    int64_t runs_most;
    int64_t piece;
    const char *zero_copy;
    cg_datatypes datatypes;
} p2p_way;

static const p2p_way p2p_ways[] = {
    {0, 0, 0, 0, "never", {0, 0, 0}},
    {64, 1 << 20, 1 << 20, 0, "never", {8, 1 << 20, 1}},
    {100, 700, 0, 0, "never", {0, 0, 0}},
    {100, 700, 700, 2400, "auto", {0, 0, 0}},
    {0, 0, 0, 0, "always", {0, 0, 0}},
    {4000, 1 << 20, 5000, 0, "always", {0, 0, 0}},
    {0, 1 << 20, 1 << 20, 1000, "default", {0, 0, 0}},
    {64, 1 << 20, 2000, 0, "auto", {100, 4000, 8}},
};
enum { P2P_WAYS = sizeof p2p_ways / sizeof p2p_ways[0] };

/* By the definitions in docs/p2p.md. */
enum { CUT, EITHER, WHOLE };

static int wish_of(const p2p_way *w, int kind, int sends, int64_t n)
{
    int64_t runs = kind == TURNED && !sends ? 2 * n : n;
    if (kinds[kind].one_run || n == 0)
        return EITHER;
    if (!kinds[kind].datatype || runs < 2 || strcmp(w->zero_copy, "never") == 0)
        return CUT;
    if (strcmp(w->zero_copy, "always") == 0)
        return WHOLE;
    return w->datatypes.least_bytes > 0 && 8 * n >= w->datatypes.least_bytes &&
                   8 * n <= w->datatypes.most_bytes && 8 * n >= runs * w->datatypes.least_run
               ? WHOLE
               : CUT;
}

static int64_t cut_of(const p2p_way *w, int64_t bytes)
{
    int64_t piece = bytes;
    if (w->eager > 0 && bytes > w->eager && bytes <= w->eager_most)
        piece = w->eager;
    else if (w->piece > 0 && bytes > w->piece)
        piece = bytes > 4 * w->piece ? 2 * w->piece : w->piece;
    return bytes == 0 ? 0 : (bytes + piece - 1) / piece;
}

static int64_t pieces_of(const p2p_way *w, int from_kind, int to_kind, int64_t n)
{
    int a = wish_of(w, from_kind, 1, n), b = wish_of(w, to_kind, 0, n);
    int whole = a != CUT && b != CUT && (a == WHOLE || b == WHOLE || 8 * n > w->runs_most);
    return whole && n > 0 ? 1 : cut_of(w, 8 * n);
}

static void set_p2p_way(cartgen_comm *comm, const p2p_way *w)
{
    char text[24];
    snprintf(text, sizeof text, "%lld", (long long)w->eager);
    OK(cartgen_comm_set(comm, "eager", text));
    OK(cartgen_comm_set(comm, "zero_copy", w->zero_copy));
    comm->p2p = (cg_p2p_limits){w->eager_most, w->runs_most, w->piece, w->datatypes};
}

/* Around the ring, both at once; then from even ranks to the odd ones above. */
static void transfer(cartgen_comm *comm, const p2p_way *w, int from_kind, int to_kind, int64_t n)
{
    int above = (world_rank + 1) % world_size;
    int below = (world_rank + world_size - 1) % world_size;
    int64_t pieces = pieces_of(w, from_kind, to_kind, n);
    int typed = pieces == 1 && wish_of(w, from_kind, 1, n) == WHOLE;
    side out;
    side in;
    sent = 0;
    open_side(&out, from_kind, n, CARTGEN_P2P_SEND, above, comm);
    open_side(&in, to_kind, n, CARTGEN_P2P_RECV, below, comm);
    CHECK(sent == 2);
    sent = datatypes = 0;
    for (int salt = 0; salt < 4; salt += 2) {
        refill(&out, n, salt);
        refill(&in, n, salt + 1);
        OK(cartgen_p2p_sendrecv(out.p2p, out.memory, in.p2p, in.memory));
        CHECK(wrong_bytes(&in, n, below, from_kind, salt) == 0);
    }
    CHECK(sent == 2 * pieces);
    CHECK(datatypes == (typed ? 2 : 0));
    refill(&out, n, 6);
    refill(&in, n, 7);
    sent = 0;
    if (world_rank % 2 == 0 && world_rank + 1 < world_size) {
        OK(cartgen_p2p_send(out.p2p, out.memory));
        CHECK(sent == pieces);
    } else if (world_rank % 2 == 1) {
        OK(cartgen_p2p_recv(in.p2p, in.memory));
        CHECK(wrong_bytes(&in, n, world_rank - 1, from_kind, 6) == 0);
        CHECK(sent == 0);
    }
    close_side(&out);
    close_side(&in);
}

static void all_pairs(void)
{
    static const int64_t counts[] = {0, 1, 8, 13, 250, 1001};
    cartgen_comm *comm = make_ring();
    for (int w = 0; w < P2P_WAYS; w++) {
        set_p2p_way(comm, &p2p_ways[w]);
        for (int i = 0; i < KINDS * KINDS; i++)
            for (size_t c = 0; c < sizeof counts / sizeof counts[0]; c++)
                transfer(comm, &p2p_ways[w], i / KINDS, i % KINDS, counts[c]);
    }
    OK(cartgen_comm_free(&comm));
}

/* Many messages one way before any is received, over two channels by turns, and received from one after the other. */
static void order(void)
{
    enum { N = 60, MESSAGES = 40 };
    cartgen_comm *comm = make_ring();
    int sends = world_rank % 2 == 0 && world_rank + 1 < world_size;
    int peer = sends ? world_rank + 1 : world_rank - 1;
    side ends[2];
    set_p2p_way(comm, &p2p_ways[1]);
    if (!sends && world_rank % 2 == 0) {
        OK(cartgen_comm_free(&comm));
        return;
    }
    for (int c = 0; c < 2; c++)
        open_side(&ends[c], c == 0 ? SPREAD : RUN, N + c, CARTGEN_P2P_BOTH, peer, comm);
    for (int k = 0; k < 2 * MESSAGES; k++) {
        int c = sends ? k % 2 : k / MESSAGES;
        int salt = sends ? k : k % MESSAGES * 2 + c;
        side *s = &ends[c];
        refill(s, N + c, sends ? 2 * salt : 2 * salt + 1);
        if (sends) {
            OK(cartgen_p2p_send(s->p2p, s->memory));
        } else {
            OK(cartgen_p2p_recv(s->p2p, s->memory));
            CHECK(wrong_bytes(s, N + c, peer, s->kind, 2 * salt) == 0);
        }
    }
    for (int c = 0; c < 2; c++)
        close_side(&ends[c]);
    OK(cartgen_comm_free(&comm));
}

/* A byte that changes on the way is seen, in one piece and in the last of many; bytes that are not received too. */
static void faults_are_seen(void)
{
    for (int w = 0; w < 2; w++) {
        cartgen_comm *comm = make_ring();
        side out, in;
        set_p2p_way(comm, &p2p_ways[w]);
        open_side(&out, SPREAD, 77, CARTGEN_P2P_SEND, (world_rank + 1) % world_size, comm);
        open_side(&in, BACK, 77, CARTGEN_P2P_RECV, (world_rank + world_size - 1) % world_size, comm);
        for (int salt = 0; salt < 4; salt += 2) {
            refill(&out, 77, salt);
            refill(&in, 77, salt + 1);
            planted = salt == 0;
            OK(cartgen_p2p_sendrecv(out.p2p, out.memory, in.p2p, in.memory));
            planted = 0;
            int wrong = wrong_bytes(&in, 77, (world_rank + world_size - 1) % world_size, SPREAD, salt);
            CHECK(salt == 0 ? wrong == (w == 0 ? 1 : 10) : wrong == 0);
        }
        refill(&in, 77, 5);
        CHECK(wrong_bytes(&in, 77, 0, SPREAD, 4) > 0);
        close_side(&out);
        close_side(&in);
        OK(cartgen_comm_free(&comm));
    }
}

/* --- what is refused --- */

static void refusals(void)
{
    cartgen_comm *comm = make_ring();
    any layout;
    cartgen_p2p *p2p = NULL;
    double a[24] = {0};
    init(RUN, &layout, 8);
    STATUS(cartgen_p2p_init(NULL, &layout, CARTGEN_P2P_BOTH, 0, comm, &p2p), CARTGEN_ERR_ARGUMENT);
    STATUS(cartgen_p2p_init(&run_calls, NULL, CARTGEN_P2P_BOTH, 0, comm, &p2p), CARTGEN_ERR_ARGUMENT);
    STATUS(cartgen_p2p_init(&run_calls, &layout, CARTGEN_P2P_BOTH, 0, NULL, &p2p), CARTGEN_ERR_ARGUMENT);
    STATUS(cartgen_p2p_init(&run_calls, &layout, CARTGEN_P2P_BOTH, 0, comm, NULL), CARTGEN_ERR_ARGUMENT);
    STATUS(cartgen_p2p_init(&run_calls, &layout, (cartgen_p2p_ends)0, 0, comm, &p2p), CARTGEN_ERR_ARGUMENT);
    STATUS(cartgen_p2p_init(&run_calls, &layout, (cartgen_p2p_ends)4, 0, comm, &p2p), CARTGEN_ERR_ARGUMENT);
    STATUS(cartgen_p2p_init(&run_calls, &layout, CARTGEN_P2P_BOTH, -1, comm, &p2p), CARTGEN_ERR_ARGUMENT);
    STATUS(cartgen_p2p_init(&run_calls, &layout, CARTGEN_P2P_BOTH, world_size, comm, &p2p), CARTGEN_ERR_ARGUMENT);
    CHECK(strstr(cartgen_last_error(), "expected 0 to") != NULL);
    CHECK(p2p == NULL);
    cartgen_p2p_free(&p2p);
    cartgen_p2p_free(NULL);
    OK(cartgen_p2p_init(&run_calls, &layout, CARTGEN_P2P_SEND, world_rank, comm, &p2p));
    STATUS(cartgen_comm_free(&comm), CARTGEN_ERR_STATE);
    STATUS(cartgen_p2p_send(NULL, a), CARTGEN_ERR_ARGUMENT);
    STATUS(cartgen_p2p_send(p2p, NULL), CARTGEN_ERR_ARGUMENT);
    STATUS(cartgen_p2p_recv(p2p, a), CARTGEN_ERR_ARGUMENT);
    CHECK(strstr(cartgen_last_error(), "layout run was not made to receive") != NULL);
    STATUS(cartgen_p2p_sendrecv(p2p, a, NULL, a), CARTGEN_ERR_ARGUMENT);
    STATUS(cartgen_p2p_sendrecv(p2p, a, p2p, a + 12), CARTGEN_ERR_ARGUMENT);
    STATUS(cartgen_p2p_send(p2p, a), CARTGEN_ERR_STATE);
    CHECK(strstr(cartgen_last_error(), "no other end was made") != NULL);
    cartgen_p2p_free(&p2p);
    OK(cartgen_comm_free(&comm));
}

/* Of other sizes, to oneself and to the next rank: both ends are told, each time, nothing is sent, and other ends between
 * the two ranks work. Also: other options, which cut the same bytes otherwise. */
static void mismatches(void)
{
    static const int64_t counts[][2] = {{8, 16}, {16, 8}, {0, 1}, {600, 500}, {600, 600}};
    for (int i = 0; i < 5 * 2; i++) {
        cartgen_comm *comm = make_ring();
        const int64_t *n = counts[i / 2];
        int self = i % 2;
        int to = self ? world_rank : (world_rank + 1) % world_size;
        int from = self ? world_rank : (world_rank + world_size - 1) % world_size;
        side out, in;
        side good[2];
        set_p2p_way(comm, &p2p_ways[0]);
        open_side(&out, SPREAD, n[0], CARTGEN_P2P_SEND, to, comm);
        set_p2p_way(comm, &p2p_ways[i / 2 == 4 ? 1 : 0]);
        open_side(&in, SPREAD, n[1], CARTGEN_P2P_RECV, from, comm);
        open_side(&good[0], ROWS, 300, CARTGEN_P2P_SEND, to, comm);
        open_side(&good[1], BACK, 300, CARTGEN_P2P_RECV, from, comm);
        refill(&out, n[0], 0);
        refill(&in, n[1], 1);
        refill(&good[0], 300, 2);
        refill(&good[1], 300, 3);
        for (int again = 0; again < 2; again++) {
            sent = 0;
            STATUS(cartgen_p2p_sendrecv(out.p2p, out.memory, in.p2p, in.memory), CARTGEN_ERR_MISMATCH);
            CHECK(strstr(cartgen_last_error(), "layout spread has") != NULL);
            CHECK(sent == 0);
        }
        if (!self && world_size > 1)
            STATUS(cartgen_p2p_recv(in.p2p, in.memory), CARTGEN_ERR_MISMATCH);
        OK(cartgen_p2p_sendrecv(good[0].p2p, good[0].memory, good[1].p2p, good[1].memory));
        CHECK(wrong_bytes(&good[1], 300, from, ROWS, 2) == 0);
        close_side(&out);
        close_side(&in);
        close_side(&good[0]);
        close_side(&good[1]);
        OK(cartgen_comm_free(&comm));
    }
}

int main(int argc, char **argv)
{
    begin_test(&argc, &argv);
    all_pairs();
    order();
    faults_are_seen();
    refusals();
    mismatches();
    CHECK(live == 0);
    return end_test();
}
