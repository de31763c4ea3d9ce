/* SPDX-License-Identifier: MIT */
/*
 * cartgen.h - the contract between an application, generated schedules and the runtime.
 *
 * An application makes a cartgen_comm ("my peers on a Cartesian grid"), hands it to the
 * NAME_init of a generated schedule and calls NAME_start / NAME_wait / NAME_free. The part
 * marked "for generated code" is what a generated file is built from; it may change with
 * CARTGEN_ABI, and a generated file refuses to compile against another number.
 *
 * Conventions: every function that can fail returns a cartgen_status and sets its outputs
 * (named *_p, last) only on success. Sizes, displacements and volumes are bytes unless said
 * otherwise. Ranks, blocks, dimensions and messages are numbered from 0.
 */
#ifndef CARTGEN_CARTGEN_H
#define CARTGEN_CARTGEN_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "cartgen/move.h"

#define CARTGEN_VERSION "0.1.0"
#define CARTGEN_ABI 5
#define CARTGEN_MAX_DIMS 8

#ifdef __cplusplus
extern "C" {
#endif

/* ------------------------------------------------------------------ status */

typedef enum cartgen_status {
    CARTGEN_OK = 0,
    CARTGEN_ERR_ARGUMENT,    /* NULL, negative or otherwise impossible argument */
    CARTGEN_ERR_GRID,        /* the grid does not fit the communicator */
    CARTGEN_ERR_SURPLUS,     /* this rank has no cell: more processes than grid cells */
    CARTGEN_ERR_MISMATCH,    /* ranks disagree on schedule, parameters or options */
    CARTGEN_ERR_MEMORY,      /* out of memory, on this or another rank */
    CARTGEN_ERR_SIZE,        /* a size or displacement passes what can be addressed or sent */
    CARTGEN_ERR_STATE,       /* started twice, waited for or freed at the wrong time */
    CARTGEN_ERR_OVERLAP,     /* regions overlap: of sending and receiving, or of what is received */
    CARTGEN_ERR_UNSUPPORTED, /* the schedule was generated without what an option asks for */
    CARTGEN_ERR_TRANSPORT    /* the transport (MPI) reported an error */
} cartgen_status;

/* A short text for a status; never NULL. */
const char *cartgen_strerror(cartgen_status status);

/* What went wrong in this thread's last failing call: which argument, round, peer, rank.
 * Never NULL; valid until the next failing call in the same thread. */
const char *cartgen_last_error(void);

/* ------------------------------------------------------------------ memory */

/* Replace malloc and free for everything the runtime allocates. Both or neither NULL (NULL
 * restores the C library's). Not thread safe: call it before the first cartgen_comm. */
void cartgen_set_allocator(void *(*alloc)(size_t bytes), void (*release)(void *block));

/* ------------------------------------------------------------------ the grid of peers */

/* Peers on a d-dimensional grid, row-major (the last dimension varies fastest), as in
 * MPI_Cart_create without reordering. Made by a transport (cartgen/mpi.h). One thread at a
 * time may use a comm and its plans. */
typedef struct cartgen_comm cartgen_comm;

/* Collective over the comm. Fails with CARTGEN_ERR_STATE while a plan of this comm lives. */
cartgen_status cartgen_comm_free(cartgen_comm **comm_p);

int cartgen_comm_rank(const cartgen_comm *comm);
int cartgen_comm_size(const cartgen_comm *comm);
int cartgen_comm_ndims(const cartgen_comm *comm);
const int *cartgen_comm_dims(const cartgen_comm *comm);    /* [ndims] extents */
const int *cartgen_comm_periods(const cartgen_comm *comm); /* [ndims] 1 = periodic */
const int *cartgen_comm_coords(const cartgen_comm *comm);  /* [ndims] of the calling rank */

/* Options for the plans that are made from now on; the same on every rank (NAME_init checks).
 *   "mode"      "nonblocking" | "persistent" | "blocking" | "default" (what the schedule says)
 *   "blocking"  "true" | "false": short for mode blocking / default (info key of the
 *               Cartesian Collective Communication library)
 *   "trivial"   "true" | "false": use the direct schedule; the schedule must hold one
 *               (--algorithm direct or auto), or NAME_init fails with CARTGEN_ERR_UNSUPPORTED
 *   "join"      bytes: messages up to this size that leave one rank for the same rank in one
 *               round share one message (default 8192; "0" never joins)
 *   "eager"     bytes that travel without a handshake: joined messages are made no longer, and a
 *               longer one goes in up to 16 pieces of this size ("0": no limit; default: what the
 *               MPI library does inside a node, no limit where ranks are on several)
 *   "zero_copy" "auto" | "always" | "never" | "default" (what the schedule says): does a message whose
 *               blocks are not one run go as a datatype of MPI, from and to where they lie (docs/tuning.md)
 * Unknown keys and values are CARTGEN_ERR_ARGUMENT, with the known ones in last_error. */
cartgen_status cartgen_comm_set(cartgen_comm *comm, const char *key, const char *value);

/* --- the helper calls of Cartesian Collective Communication (Traff, Hunold, ICPP 2019) --- */

#define CARTGEN_NO_PEER (-1) /* outside a non-periodic dimension */

/* Rank at the calling rank's coordinates + offset[ndims], or CARTGEN_NO_PEER. */
cartgen_status cartgen_relative_rank(const cartgen_comm *comm, const int offset[], int *rank_p);
/* source = rank at -offset, target = rank at +offset; each may be CARTGEN_NO_PEER. */
cartgen_status cartgen_relative_shift(const cartgen_comm *comm, const int offset[],
                                      int *source_p, int *target_p);
/* Offset from the calling rank to `rank`, shortest in every periodic dimension (of two equally
 * short ones the positive). */
cartgen_status cartgen_relative_coord(const cartgen_comm *comm, int rank, int offset_p[]);

typedef struct cartgen_schedule cartgen_schedule;

/* Number of transfers of the schedule's stencil (repeats and the zero offset included). */
cartgen_status cartgen_neighbor_count(const cartgen_schedule *schedule, int *count_p);
/* Offsets in the description's order, row-major [count][ndims]; capacity counts rows. */
cartgen_status cartgen_neighbor_list(const cartgen_schedule *schedule, int capacity,
                                     int offsets_p[]);
/* Source and target ranks of every transfer in the description's order (CARTGEN_NO_PEER
 * outside a mesh). With absent ones left out (cartgen_neighbor_present) these are the arguments
 * of MPI_Dist_graph_create_adjacent. capacity counts entries of each array. */
cartgen_status cartgen_neighbor_get(const cartgen_comm *comm, const cartgen_schedule *schedule,
                                    int capacity, int sources_p[], int targets_p[]);
/* Move CARTGEN_NO_PEER out of ranks[count], keeping the order; the new count. */
int cartgen_neighbor_present(int count, int ranks[]);
/* Index of the first transfer that goes to `rank` / to `offset`, or -1. */
cartgen_status cartgen_neighbor_find_rank(const cartgen_comm *comm,
                                          const cartgen_schedule *schedule, int rank,
                                          int *index_p);
cartgen_status cartgen_neighbor_find_coord(const cartgen_schedule *schedule,
                                           const int offset[], int *index_p);

/* ------------------------------------------------------------------ plans, by descriptor */

/* What NAME_init and friends do, for harnesses that drive any schedule by its descriptor.
 * `params` is the schedule's own NAME_params. */
typedef struct cartgen_plan cartgen_plan;

/* Numbers of one plan on the calling rank, exact. */
typedef struct cartgen_plan_stats {
    int program;             /* which of the schedule's programs was chosen */
    int rounds;              /* rounds in which this rank sends or receives, at most */
    int64_t messages;        /* sent per execution, after joining */
    int64_t bytes_sent;      /* per execution */
    int64_t scratch_bytes;   /* staging held by the plan */
    int64_t requests;        /* most requests in flight at once */
} cartgen_plan_stats;

cartgen_status cartgen_plan_get_stats(const cartgen_plan *plan, cartgen_plan_stats *stats_p);

/* ================================================================== for generated code */

/* One side of a transfer, as laid out for given parameters. */
typedef struct cartgen_block {
    int64_t displ; /* bytes from its array's address to the first byte of the data's order */
    int64_t low;   /* bytes from there to the lowest byte touched, <= 0 */
    int64_t bytes; /* bytes of data (packed) */
    int64_t span;  /* bytes from the lowest touched to the highest touched, inclusive: true extent */
    int32_t shape; /* 0: one contiguous run; k > 0: kernels[k - 1] of the schedule */
    int32_t base;  /* which array of its side it lies in; 0 where a side is one buffer */
} cartgen_block;

/* What generated pack and unpack functions see. send, recv: the first array of each side, which is
 * the only one where a side is one buffer. out[k] is where message k is packed, NULL when
 * there is nothing to pack (no peer, no bytes, or sent from where it lies); in[k] is where
 * message k was received, NULL when there is nothing to unpack. */
typedef struct cartgen_view {
    const char *send;
    char *recv;
    char *const *out;
    char *const *in;
    const void *params; /* the plan's state: NAME_params, and what `prepare` made behind them */
    char *const *send_arrays;
    char *const *recv_arrays;
} cartgen_view;

typedef void (*cartgen_phase)(const cartgen_view *view);

/* Told where the bytes of a layout lie, in their order, as runs inside loops and lists; `at` is in bytes from
 * the origin of what is around it (outermost: the first byte of the data), and what follows a loop or a list
 * belongs to it, up to its end.
 *   run    `bytes` side by side; 0: none
 *   loop   `count` times, `stride` bytes apart; 0: none
 *   list   `count` places, index[i] * scale bytes on; lengths not NULL: lengths[i] times there, `stride`
 *          bytes apart. The arrays may go when the call returns. */
typedef struct cartgen_visitor {
    void *state;
    void (*run)(void *state, int64_t at, int64_t bytes);
    void (*loop)(void *state, int64_t at, int64_t count, int64_t stride);
    void (*list)(void *state, int64_t at, int64_t count, const int64_t *index, int64_t scale,
                 const int64_t *lengths, int64_t stride);
    void (*end)(void *state);
} cartgen_visitor;

/* Pack copies a laid-out block (the first byte of its data at `src`) to contiguous dst; unpack the
 * reverse; visit, NULL where the transport has no use for it, tells a visitor where its bytes are.
 * params: as in a view. */
typedef struct cartgen_kernel {
    void (*pack)(char *CARTGEN_RESTRICT dst, const char *CARTGEN_RESTRICT src,
                 const void *params);
    void (*unpack)(char *CARTGEN_RESTRICT dst, const char *CARTGEN_RESTRICT src,
                   const void *params);
    void (*visit)(const cartgen_visitor *visitor, const void *params);
} cartgen_kernel;

/* Copies a block that kernels[from - 1] lays out to where kernels[to - 1] lays it out, without a buffer
 * between: `src` and `dst` are the first bytes of its data there, and the two do not overlap. twice, or
 * NULL: two such blocks by turns, the second at dst + to and src + from. */
typedef struct cartgen_shape_copy {
    int32_t from;
    int32_t to;
    void (*copy)(char *CARTGEN_RESTRICT dst, const char *CARTGEN_RESTRICT src,
                 const void *params);
    void (*twice)(char *CARTGEN_RESTRICT dst, const char *CARTGEN_RESTRICT src, int64_t to,
                  int64_t from, const void *params);
} cartgen_shape_copy;

/* A block in a message or a copy: buffer and index in one number. */
#define CARTGEN_SEND(block) ((uint32_t)(block) << 2 | 0u)
#define CARTGEN_RECV(block) ((uint32_t)(block) << 2 | 1u)
#define CARTGEN_TEMP(block) ((uint32_t)(block) << 2 | 2u)
#define CARTGEN_REF_BUFFER(ref) ((ref) & 3u)
#define CARTGEN_REF_BLOCK(ref) ((ref) >> 2)

/* Message k of a program: sent to `to` (a row of the schedule's vectors), received from -to.
 * Its blocks are refs first .. first + count - 1 in both lists. */
typedef struct cartgen_message {
    int32_t to;
    uint32_t first;
    uint32_t count;
} cartgen_message;

/* Copy within a rank; `need` as in send_needs. size is the transfer's. */
typedef struct cartgen_move_ref {
    uint32_t from;
    uint32_t to;
    uint32_t need;
} cartgen_move_ref;

/* A round: messages first_message .. + nmessages - 1, then copies first_copy .. + ncopies - 1
 * (from temp or recv to recv). pack and unpack are straight-line code, or NULL: the runtime then
 * moves by lists it makes from the refs when the plan is made. unpack includes the copies. */
typedef struct cartgen_round {
    uint32_t first_message;
    uint32_t nmessages;
    uint32_t first_copy;
    uint32_t ncopies;
    cartgen_phase pack;
    cartgen_phase unpack;
} cartgen_round;

/* One algorithm's schedule. Temp block j is the place inside the staging of the message that
 * brings it; temp_blocks[j] is the send block it is a copy of (its size). A need is an index into
 * the schedule's needs; need 0 means always. */
typedef struct cartgen_program {
    const char *algorithm;
    int32_t is_direct;
    uint32_t nrounds;
    uint32_t nmessages;
    uint32_t nrefs;
    uint32_t ntemps;
    uint32_t nlocals;
    uint32_t ncopies;
    const cartgen_round *rounds;
    const cartgen_message *messages;
    const uint32_t *send_refs;   /* [nrefs] */
    const uint32_t *recv_refs;   /* [nrefs] */
    const uint32_t *send_needs;  /* [nrefs], NULL: all 0 */
    const uint32_t *recv_needs;  /* [nrefs], NULL: all 0 */
    const uint32_t *temp_blocks; /* [ntemps] */
    const cartgen_move_ref *locals; /* send -> recv, done once, after the first round's sends */
    const cartgen_move_ref *copies;
    cartgen_phase local;         /* straight-line code for locals, or NULL */
} cartgen_program;

typedef struct cartgen_param {
    const char *name;
    int64_t length; /* 0: an int64_t; n > 0: a const int64_t * to n values; -1: to count(params) values */
    int64_t (*count)(const void *params); /* of plain parameters only; NULL unless length is -1 */
} cartgen_param;

typedef enum cartgen_mode {
    CARTGEN_MODE_NONBLOCKING = 0,
    CARTGEN_MODE_PERSISTENT,
    CARTGEN_MODE_BLOCKING
} cartgen_mode;

/* When messages go as datatypes of the transport, from and to where their blocks lie. */
typedef enum cartgen_zero_copy {
    CARTGEN_ZERO_COPY_AUTO = 0, /* where that was measured to be faster */
    CARTGEN_ZERO_COPY_ALWAYS,   /* where it can be done */
    CARTGEN_ZERO_COPY_NEVER
} cartgen_zero_copy;

/* Linear model of the machine that chooses between programs. */
typedef struct cartgen_model {
    double latency;  /* seconds per message */
    double per_byte; /* seconds per byte sent */
    double per_copy; /* seconds per block moved within the process */
} cartgen_model;

/* What two values of a limit are, for messages: 0 <= value <= bound must hold on every rank. */
typedef struct cartgen_limit {
    const char *value;
    const char *bound;
} cartgen_limit;

struct cartgen_schedule {
    int32_t abi;
    const char *name;
    const char *collective;
    uint64_t hash;           /* of description and options */
    int32_t ndims;
    const int32_t *dims;     /* [ndims], NULL: known when the plan is made */
    const int32_t *periods;  /* [ndims] */
    /* Names of the arrays of each side: sendbuf and recvbuf are then structs of as many pointers,
     * NAME_send and NAME_recv. 0: they are one buffer each. */
    uint32_t nsend_arrays;
    const char *const *send_arrays;
    uint32_t nrecv_arrays;
    const char *const *recv_arrays;
    uint32_t nsend;          /* blocks that are sent: 1 for the allgathers */
    uint32_t nrecv;
    uint32_t nareas;         /* further regions of what is received into, receive blocks nrecv and up to messages:
                                what they send of the ghosts that came before, or receive as several blocks at once */
    uint32_t ntransfers;
    uint32_t nvectors;
    const int32_t *vectors;  /* [nvectors][ndims] */
    const uint32_t *offsets; /* [ntransfers] rows of vectors: the stencil, description's order */
    const uint32_t *transfer_send; /* [ntransfers] send block of a transfer */
    const uint32_t *transfer_recv; /* [ntransfers] receive block of a transfer */
    /* Need c (> 0) holds on a rank when the rank at vectors[need_rows[j]] from it exists for some j
     * in need_first[c] .. need_first[c + 1] - 1. need_first has nneeds + 1 entries. */
    uint32_t nneeds;
    const uint32_t *need_first;
    const uint32_t *need_rows;
    uint32_t nparams;
    const cartgen_param *params;
    size_t params_bytes;     /* sizeof(NAME_params), 0 without parameters */
    /* A plan's state: its own copy of the parameters, and behind it, in state_bytes altogether, what `prepare` makes of
     * parameter lists (zeroed before; on errors empty again) and `release` frees. Both NULL: parameters alone. */
    size_t state_bytes;
    cartgen_status (*prepare)(void *state);
    void (*release)(void *state);
    uint32_t nkernels;
    const cartgen_kernel *kernels;
    uint32_t nshape_copies;
    const cartgen_shape_copy *shape_copies; /* of pairs of shapes that may be moved within a rank; sorted */
    /* Fill send[nsend] and recv[nrecv + nareas] for the given parameters. A value that passes int64_t is
     * written as -1 in bytes; negative counts too. */
    void (*layout)(const void *params, cartgen_block *send, cartgen_block *recv);
    /* Fills values[2 * nlimits], value and bound of each limit, or leaves them where one passes int64_t. */
    uint32_t nlimits;
    const cartgen_limit *limit_names;
    void (*limits)(const void *params, int64_t *values);
    /* 1: parameters may differ between ranks, as long as the two ends of every message agree on the sizes
     * of its blocks: NAME_init compares them. 0: they are the same on every rank. */
    int32_t own_params;
    int32_t in_place; /* 1: sendbuf and recvbuf are the same address, or hold the same ones */
    cartgen_mode mode;
    cartgen_zero_copy zero_copy;
    uint32_t nprograms;
    const cartgen_program *programs;
    cartgen_model model;
    /* The entry points, for harnesses. */
    cartgen_status (*init)(cartgen_comm *comm, const void *params, cartgen_plan **plan_p);
    cartgen_status (*start)(cartgen_plan *plan, const void *sendbuf, void *recvbuf);
    cartgen_status (*test)(cartgen_plan *plan, int *done_p);
    cartgen_status (*wait)(cartgen_plan *plan);
    cartgen_status (*free)(cartgen_plan **plan_p);
};

/* status, with "<owner>: <what>" as the last error. */
cartgen_status cartgen_refuse(const char *owner, cartgen_status status, const char *what);

/* Makes the list that kernels walk from the user's: item i at index[i] * scale bytes, `lengths` NULL
 * or how many copies of it, `stride` bytes apart. run: bytes of an item that is one run, -1 otherwise.
 * Where runs touch, where steps are regular and where 32 bits are enough, the list takes the form
 * that walks that fastest. Errors: NULL lists, negative counts, places beyond int64_t, memory; the
 * list is then empty. `owner` is what the list belongs to, for messages. */
cartgen_status cartgen_list_make(cartgen_list *list_p, const char *owner, int64_t count,
                                 const int64_t *index, const int64_t *lengths, int64_t scale,
                                 int64_t stride, int64_t run);
/* Frees what a list holds; an empty list is fine. */
void cartgen_list_free(cartgen_list *list);
/* CARTGEN_ERR_OVERLAP where entries of a list touch one byte twice; bytes: of a run that begins at every
 * place (pieces: they have lengths of their own). `owner` as above. */
cartgen_status cartgen_list_apart(const cartgen_list *list, const char *owner, int64_t bytes);
/* 1 where two runs of `bytes` bytes at i * stride + j * inner_stride, i < count, j < inner_count, touch
 * one byte. Of the longest loops only the first steps are looked at. */
int cartgen_loops_meet(int64_t count, int64_t stride, int64_t inner_count, int64_t inner_stride,
                       int64_t bytes);

/* For generated layout functions. */
CARTGEN_INLINE void cartgen_block_set(cartgen_block *block, int64_t displ, int64_t bytes,
                                      int64_t span, int32_t shape)
{
    block->displ = displ;
    block->low = 0;
    block->bytes = bytes;
    block->span = span;
    block->shape = shape;
    block->base = 0;
}

/* For blocks that reach below their displacement. */
CARTGEN_INLINE void cartgen_block_set_low(cartgen_block *block, int64_t low)
{
    block->low = low;
}

/* For blocks in another array than the first of their side. */
CARTGEN_INLINE void cartgen_block_set_base(cartgen_block *block, int32_t base)
{
    block->base = base;
}

/* For generated visits: `count` runs, each `times` times, `stride` bytes apart (times 1: once). */
typedef struct cartgen_row {
    int64_t at;
    int64_t times;
    int64_t stride;
    int64_t bytes;
} cartgen_row;

CARTGEN_INLINE void cartgen_visit_rows(const cartgen_visitor *visitor, const cartgen_row *rows,
                                       int64_t count)
{
    for (int64_t i = 0; i < count; i++) {
        visitor->loop(visitor->state, rows[i].at, rows[i].times, rows[i].stride);
        visitor->run(visitor->state, 0, rows[i].bytes);
        visitor->end(visitor->state);
    }
}

/* For a receive block that overlaps itself: NAME_init then fails with CARTGEN_ERR_OVERLAP. */
CARTGEN_INLINE void cartgen_block_set_overlap(cartgen_block *block)
{
    block->shape = -1;
}

/* Marks every block as not representable: NAME_init then fails with CARTGEN_ERR_SIZE. */
CARTGEN_INLINE void cartgen_blocks_refuse(cartgen_block *blocks, int64_t count)
{
    for (int64_t i = 0; i < count; i++)
        cartgen_block_set(&blocks[i], 0, -1, 0, 0);
}

#ifdef __cplusplus
}
#endif

#endif
