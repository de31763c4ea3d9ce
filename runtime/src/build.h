/* SPDX-License-Identifier: MIT */
/* build.h - what build.c and moves.c share while a plan is made. */
#ifndef CARTGEN_BUILD_H
#define CARTGEN_BUILD_H

#include "internal.h"

typedef struct cg_member {
    int64_t key;
    uint32_t message;
    int self;
} cg_member;

typedef struct cg_builder {
    cartgen_plan *plan;
    const cartgen_schedule *schedule;
    const cartgen_program *program;
    const cg_layout *layout;
    size_t *temp_at;     /* [ntemps] place in the staging */
    cg_member *members;     /* [nmessages] of the round in work */
    cg_move *scratch;    /* [nrefs]: moves of one message */
    size_t *staged_send; /* [nmessages] place of a message to this rank itself, or SIZE_MAX */
    cg_move *next_move;
    cg_move *next_part;
    cg_record *next_send;
    cg_record *next_recv;
} cg_builder;

/* Appends a move to a list whose storage goes on; joins contiguous neighbours. */
void cg_move_append(cg_moves *moves, cg_move move);

/* Bytes of message k that this rank sends, receives. */
size_t cg_send_bytes(const cg_builder *b, uint32_t k);
size_t cg_recv_bytes(const cg_builder *b, uint32_t k);

/* Moves of message k from where its blocks are to staging at `at`, and from there to the receive
 * buffer. Blocks that are forwarded stay in the staging: their places are noted in temp_at,
 * *ntemps_p counts them. */
void cg_send_moves(const cg_builder *b, uint32_t k, size_t at, cg_moves *moves);
void cg_recv_moves(const cg_builder *b, uint32_t k, size_t at, cg_moves *moves, size_t *ntemps_p);

/* Moves of message k, which leads back to this rank, block by block from where they lie to where they go:
 * blocks that are forwarded one after the other in the staging from `at` on, noted in temp_at. Returns the
 * bytes of these. */
size_t cg_self_moves(cg_builder *b, uint32_t k, size_t at, cg_moves *moves);

/* Joins moves to pairs that are done by turns, so that cache lines which both touch are met once. The order of
 * the list changes: for moves that may be done in any. */
void cg_pair_moves(cg_moves *moves);

/* Moves of copies on this rank, of those that are needed. */
void cg_copy_moves(const cg_builder *b, const cartgen_move_ref *copies, size_t count, cg_moves *moves);

#endif
