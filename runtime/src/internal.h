/* SPDX-License-Identifier: MIT */
/* internal.h - what the runtime's own files share. Not installed. */
#ifndef CARTGEN_INTERNAL_H
#define CARTGEN_INTERNAL_H

#include "cartgen/cartgen.h"

#define CG_DEFAULT_JOIN 8192
#define CG_ALIGN 64
#define CG_MOST_VALUES ((int64_t)1 << 40) /* of an array parameter */
#define CG_PIECE ((size_t)1 << 30) /* longest message handed to a transport in one call */
#define CG_SPLIT 16                /* a message goes in at most this many eager pieces */
#define CG_COPYING 0.25            /* of the time of a byte sent: a byte packed, unpacked or copied */
#define CG_SHARE 256               /* and messages to one rank in at most this many eager records */

/* --- status.c --- */

/* Sets the thread's last error and returns status. */
cartgen_status cg_fail(cartgen_status status, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Zeroed memory from the installed allocator; NULL when out of memory. bytes 0 gives a block. */
void *cg_alloc(size_t count, size_t bytes);
void cg_free(void *block);

/* --- comm.c --- */

/* Which messages the transport moves faster as datatypes than packed, by measurement: least_bytes to
 * most_bytes long, with runs of least_run bytes or more in the mean. least_bytes 0: none. */
typedef struct cg_datatypes {
    int64_t least_bytes;
    int64_t most_bytes;
    int64_t least_run;
} cg_datatypes;

/* How cartgen_p2p sends messages, by measurement. Those of more than `eager` and at most eager_most bytes (runs_most, where
 * both ends are one run) are cut into pieces of `eager`, others of more than `piece` bytes into pieces of that, and
 * of twice that where it would be more than four. 0: none. And which are not cut but go as datatypes. */
typedef struct cg_p2p_limits {
    int64_t eager_most;
    int64_t runs_most;
    int64_t piece;
    cg_datatypes datatypes;
} cg_p2p_limits;

struct cartgen_comm {
    int ndims;
    int rank;
    int size;
    int dims[CARTGEN_MAX_DIMS];
    int periods[CARTGEN_MAX_DIMS];
    int coords[CARTGEN_MAX_DIMS];
    int mode; /* a cartgen_mode, or -1: what the schedule says */
    int trivial;
    int64_t join;
    int64_t eager; /* CG_PIECE: no limit */
    int zero_copy; /* a cartgen_zero_copy, or -1: what the schedule says */
    cg_datatypes datatypes;
    cg_p2p_limits p2p;
    int nplans;
    void *transport; /* the transport's own part */
    void (*transport_free)(cartgen_comm *comm);
};

/* A comm of the calling rank; checks the grid. transport fields are the caller's to set. */
cartgen_status cg_comm_create(int ndims, const int dims[], const int periods[], int rank,
                              cartgen_comm **comm_p);
/* Cells of a grid; CARTGEN_ERR_GRID when it passes INT_MAX. */
cartgen_status cg_grid_check(int ndims, const int dims[], const int periods[], int *cells_p);
/* Most bytes of a record of `bytes` together: what travels without a handshake, or CG_PIECE where that
 * would be more than `most` records (CG_SPLIT for one message, CG_SHARE for those that may be joined).
 * By size alone: what is staged on one side may lie ready on the other. */
size_t cg_piece(const cartgen_comm *comm, size_t bytes, size_t most);
/* Rank at coords + sign * offset, or CARTGEN_NO_PEER. */
int cg_rank_at(const cartgen_comm *comm, const int32_t offset[], int sign);

/* --- plan.c, build.c --- */

/* Where bytes lie: indices into a plan's bases. The send arrays begin at CG_ARRAYS, the receive arrays
 * follow. */
enum { CG_STAGE = 0, CG_ARRAYS = 1 };

/* One copy. shape > 0 on a side: that side is laid out by the schedule's kernel shape - 1. copy: from one
 * shape to another; NULL where there is no such kernel, the plan's scratch lies then between. with_next: this
 * move and the next one are done by turns. */
typedef struct cg_move {
    size_t src;
    size_t dst;
    size_t bytes;
    uint16_t src_space;
    uint16_t dst_space;
    int32_t src_shape;
    int32_t dst_shape;
    const cartgen_shape_copy *copy;
    int with_next;
} cg_move;

typedef struct cg_moves {
    cg_move *list;
    size_t count;
} cg_moves;

/* One message handed to the transport. order: position of its class and record, equal for the
 * send and the receive that a blocking exchange does together. type 0: `bytes` side by side at `offset`;
 * 1 .. nkernels: what kernel type - 1 lays out there; above: parts, its blocks, from the buffer's address
 * (the sources of a send's, the destinations of a receive's). */
typedef struct cg_record {
    int peer;
    int space;
    size_t offset;
    size_t bytes;
    uint64_t order;
    uint32_t type;
    cg_moves parts;
} cg_record;

typedef struct cg_round {
    cg_record *sends;
    cg_record *recvs;
    size_t nsends;
    size_t nrecvs;
    cg_moves pack;   /* used when pack_phase is NULL */
    cg_moves unpack; /* likewise, with the round's copies */
    cg_moves self;   /* blocks that stay here, straight from where they lie to where they go */
    cartgen_phase pack_phase;
    cartgen_phase unpack_phase;
} cg_round;

typedef struct cg_run {
    int64_t displ;
    int64_t bytes;
    int32_t base;
} cg_run;

/* What a plan touches of one array of a side. */
typedef struct cg_buffer {
    const char *name;   /* NULL: the side is one buffer */
    int64_t hull[2];    /* first byte, one past the last; the first above the last: nothing */
    const cg_run *runs; /* sorted, one a block */
    size_t nruns;
    int strided;        /* a block is more than one run: what lies between its pieces is not known here */
} cg_buffer;

typedef struct cg_layout {
    cartgen_block *send;
    cartgen_block *recv; /* [nrecv + nareas] */
    uint8_t *needs;      /* [nneeds] */
    double *runs;        /* [nkernels] runs of bytes in a block of that shape; 0: it cannot be visited */
} cg_layout;

struct cartgen_plan {
    const cartgen_schedule *schedule;
    const cartgen_program *program;
    cartgen_comm *comm;
    void *params; /* the state that kernels are handed: the parameters come first */
    void *arrays; /* storage of the parameters that are arrays */
    cartgen_mode mode;
    int in_flight;
    size_t at; /* round in progress */
    size_t nrounds;
    cg_round *rounds;
    char **out; /* [nmessages] */
    char **in;  /* [nmessages] */
    uint32_t nsend_arrays; /* 1 or more, as nrecv_arrays */
    uint32_t nrecv_arrays;
    char **bases;          /* [CG_ARRAYS + nsend_arrays + nrecv_arrays] addresses; those of arrays from start on */
    cg_buffer *buffers;    /* [nsend_arrays + nrecv_arrays] */
    cg_run *runs;
    char *stage_block;
    char *scratch;
    size_t stage_bytes;
    size_t scratch_bytes;
    cg_layout layout; /* until the plan is built */
    double *costs;    /* [nprograms], likewise: of each program by the model */
    cg_moves local;
    cg_record *records; /* all sends, then all receives */
    cg_move *moves;     /* storage of every list */
    cg_move *parts;     /* storage of the parts of records */
    uint8_t *whole;     /* [nmessages] is the message received in one piece, as its sender wants it? NULL: the
                           sender's parameters are this rank's */
    cartgen_zero_copy zero_copy;
    uint32_t nstructs;  /* records of several parts */
    cartgen_view view;
    cartgen_plan_stats stats;
    void *transport; /* the transport's own part */
};

/* Making a plan, the local parts: cg_plan_create checks everything and computes the costs of the programs;
 * the transport may reconcile these between ranks; cg_plan_build chooses the cheapest and builds it. mode
 * decides what may be sent from where it lies. */
cartgen_status cg_plan_create(const cartgen_schedule *schedule, cartgen_comm *comm,
                              const void *params, cartgen_plan **plan_p);
cartgen_status cg_plan_build(cartgen_plan *plan);
void cg_plan_destroy(cartgen_plan *plan);
/* Sizes of the blocks of message k on this rank, as sent (sends) or received: sizes[count of the message]; 0
 * where a block does not travel. Between create and build. */
void cg_plan_sizes(const cartgen_plan *plan, const cartgen_program *program, uint32_t k, int sends,
                   int64_t sizes[]);
/* The cheapest program, or the direct one with the option trivial. Between create and build. */
const cartgen_program *cg_plan_program(const cartgen_plan *plan);
/* Hash of schedule, options, and parameters unless they are each rank's own; params may be NULL. */
uint64_t cg_plan_hash(const cartgen_schedule *schedule, const cartgen_comm *comm,
                      const void *params);
/* "name(m=4) mode=nonblocking hash=..." in text[bytes]. */
void cg_plan_describe(const cartgen_schedule *schedule, const cartgen_comm *comm,
                      const void *params, char *text, size_t bytes);
/* Checks of start: state, NULL buffers, overlap. Sets the bases of arrays and the view. */
cartgen_status cg_plan_begin(cartgen_plan *plan, const void *sendbuf, void *recvbuf);
void cg_plan_run_moves(const cartgen_plan *plan, const cg_moves *moves);
void cg_plan_pack(const cartgen_plan *plan, const cg_round *round);
void cg_plan_unpack(const cartgen_plan *plan, const cg_round *round);
void cg_plan_local(const cartgen_plan *plan);

/* --- zero_copy.c --- */

/* Should message k, with these refs and needs of its program, go as a datatype? By what lies at one end alone. */
int cg_zero_copy(const cartgen_plan *plan, const cg_layout *layout, const cartgen_program *program,
                 uint32_t k, const uint32_t *refs, const uint32_t *needs);
/* Does a message of `bytes` in `runs` runs (0: not known) go as a datatype? zero_copy: a cartgen_zero_copy. */
int cg_datatype_wins(const cg_datatypes *limits, int zero_copy, size_t bytes, double runs);
/* Runs of bytes in a block that the kernel lays out; 0: it cannot be visited. */
double cg_count_runs(const cartgen_kernel *kernel, const void *params);

/* --- layout.c, build.c --- */

cartgen_status cg_layout_create(const cartgen_schedule *schedule, const cartgen_comm *comm,
                                const void *params, cg_layout *layout_p);
void cg_layout_destroy(cg_layout *layout);
/* Bytes of what a ref of a program names. */
size_t cg_ref_bytes(const cg_layout *layout, const cartgen_program *program, uint32_t ref);
cartgen_status cg_build(cartgen_plan *plan, const cg_layout *layout);

/* --- choose.c --- */

/* Key of the residue of a message's direction: equal for directions that lead to one rank from
 * every rank. *self_p: the direction leads back to the same rank. all_periodic: every dimension
 * counts as periodic, so that all ranks of a mesh agree. -1: leads nowhere on any rank. */
int64_t cg_direction_key(const cartgen_comm *comm, const int32_t to[], int all_periodic,
                         int *self_p);
/* costs[nprograms] by the model, in seconds; with the option trivial 0 for the direct program, 1 for others. */
cartgen_status cg_costs(const cartgen_schedule *schedule, const cartgen_comm *comm,
                        const cg_layout *layout, double costs[]);

#endif
