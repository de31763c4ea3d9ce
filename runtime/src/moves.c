/* SPDX-License-Identifier: MIT */
/* moves.c - which bytes of a message lie where: lists of moves between buffers and staging. */
#include <stdlib.h>

#include "build.h"

#define CG_LOOK_AHEAD 64 /* moves among which the second of a pair is looked for */

/* Appends a move to a list whose storage goes on; joins contiguous neighbours. */
void cg_move_append(cg_moves *moves, cg_move move)
{
    if (move.bytes == 0)
        return;
    if (moves->count > 0) {
        cg_move *last = &moves->list[moves->count - 1];
        if (last->src_shape == 0 && last->dst_shape == 0 && move.src_shape == 0 &&
            move.dst_shape == 0 && last->src_space == move.src_space &&
            last->dst_space == move.dst_space && last->src + last->bytes == move.src &&
            last->dst + last->bytes == move.dst) {
            last->bytes += move.bytes;
            return;
        }
    }
    moves->list[moves->count++] = move;
}

/* One end of a move: where a block is. Displacements may be negative: size_t wraps and base +
 * offset unwraps. */
static void end_of(const cg_builder *b, uint32_t ref, size_t *place, uint16_t *space, int32_t *shape,
                   size_t *bytes)
{
    uint32_t i = CARTGEN_REF_BLOCK(ref);
    if (CARTGEN_REF_BUFFER(ref) == 2) {
        *place = b->temp_at[i];
        *space = CG_STAGE;
        *shape = 0;
        *bytes = (size_t)b->layout->send[b->program->temp_blocks[i]].bytes;
        return;
    }
    int sends = CARTGEN_REF_BUFFER(ref) == 0;
    const cartgen_block *block = sends ? &b->layout->send[i] : &b->layout->recv[i];
    *place = (size_t)block->displ;
    *space = (uint16_t)(CG_ARRAYS + (sends ? 0 : b->plan->nsend_arrays) + (uint32_t)block->base);
    *shape = block->shape;
    *bytes = (size_t)block->bytes;
}

static int is_live(const cg_builder *b, const uint32_t *needs, uint32_t ref)
{
    return needs == NULL || b->layout->needs[needs[ref]];
}

size_t cg_ref_bytes(const cg_layout *layout, const cartgen_program *program, uint32_t ref)
{
    uint32_t block = CARTGEN_REF_BLOCK(ref);
    if (CARTGEN_REF_BUFFER(ref) == 1)
        return (size_t)layout->recv[block].bytes;
    if (CARTGEN_REF_BUFFER(ref) == 2)
        block = program->temp_blocks[block];
    return (size_t)layout->send[block].bytes;
}

/* Bytes of message k that this rank sends; receives. */
size_t cg_send_bytes(const cg_builder *b, uint32_t k)
{
    const cartgen_message *m = &b->program->messages[k];
    size_t total = 0;
    for (uint32_t i = m->first; i < m->first + m->count; i++) {
        if (is_live(b, b->program->send_needs, i))
            total += cg_ref_bytes(b->layout, b->program, b->program->send_refs[i]);
    }
    return total;
}

size_t cg_recv_bytes(const cg_builder *b, uint32_t k)
{
    const cartgen_message *m = &b->program->messages[k];
    size_t total = 0;
    for (uint32_t i = m->first; i < m->first + m->count; i++) {
        if (is_live(b, b->program->recv_needs, i))
            total += cg_ref_bytes(b->layout, b->program, b->program->recv_refs[i]);
    }
    return total;
}

/* Moves of message k from where its blocks are to staging at `at`. */
void cg_send_moves(const cg_builder *b, uint32_t k, size_t at, cg_moves *moves)
{
    const cartgen_message *m = &b->program->messages[k];
    for (uint32_t i = m->first; i < m->first + m->count; i++) {
        if (!is_live(b, b->program->send_needs, i))
            continue;
        cg_move move = {.dst = at, .dst_space = CG_STAGE};
        end_of(b, b->program->send_refs[i], &move.src, &move.src_space, &move.src_shape,
               &move.bytes);
        cg_move_append(moves, move);
        at += move.bytes;
    }
}

/* Moves of message k from staging at `at` to the receive buffer; notes temps. *ntemps_p counts the
 * blocks that stay in the staging. */
void cg_recv_moves(const cg_builder *b, uint32_t k, size_t at, cg_moves *moves, size_t *ntemps_p)
{
    const cartgen_message *m = &b->program->messages[k];
    *ntemps_p = 0;
    for (uint32_t i = m->first; i < m->first + m->count; i++) {
        uint32_t ref = b->program->recv_refs[i];
        cg_move move = {.src = at, .src_space = CG_STAGE};
        if (!is_live(b, b->program->recv_needs, i))
            continue;
        if (CARTGEN_REF_BUFFER(ref) == 2) {
            b->temp_at[CARTGEN_REF_BLOCK(ref)] = at;
            ++*ntemps_p;
        }
        end_of(b, ref, &move.dst, &move.dst_space, &move.dst_shape, &move.bytes);
        if (CARTGEN_REF_BUFFER(ref) != 2)
            cg_move_append(moves, move);
        at += move.bytes;
    }
}

static int by_shapes(const void *a, const void *b)
{
    const cartgen_shape_copy *x = a;
    const cartgen_shape_copy *y = b;
    if (x->from != y->from)
        return x->from < y->from ? -1 : 1;
    return (x->to > y->to) - (x->to < y->to);
}

/* What copies from one shape to another, or NULL. */
static const cartgen_shape_copy *copy_of(const cartgen_schedule *schedule, int32_t from, int32_t to)
{
    cartgen_shape_copy wanted = {.from = from, .to = to};
    if (schedule->nshape_copies == 0)
        return NULL;
    return bsearch(&wanted, schedule->shape_copies, schedule->nshape_copies, sizeof wanted, by_shapes);
}

/* A move within this rank, from what one ref names to what another does. */
static cg_move move_between(const cg_builder *b, uint32_t from, uint32_t to)
{
    cg_move move = {0};
    size_t bytes = 0;
    end_of(b, from, &move.src, &move.src_space, &move.src_shape, &move.bytes);
    end_of(b, to, &move.dst, &move.dst_space, &move.dst_shape, &bytes);
    if (move.src_shape > 0 && move.dst_shape > 0)
        move.copy = copy_of(b->schedule, move.src_shape, move.dst_shape);
    return move;
}

size_t cg_self_moves(cg_builder *b, uint32_t k, size_t at, cg_moves *moves)
{
    const cartgen_message *m = &b->program->messages[k];
    size_t used = 0;
    for (uint32_t i = m->first; i < m->first + m->count; i++) {
        uint32_t from = b->program->send_refs[i];
        uint32_t to = b->program->recv_refs[i];
        if (!is_live(b, b->program->send_needs, i))
            continue;
        if (CARTGEN_REF_BUFFER(to) == 2) {
            b->temp_at[CARTGEN_REF_BLOCK(to)] = at + used;
            used += cg_ref_bytes(b->layout, b->program, to);
        }
        cg_move_append(moves, move_between(b, from, to));
    }
    return used;
}

/* Are a and b moves of one kernel between blocks that have each other's cache lines? */
static int share_lines(const cg_move *a, const cg_move *b)
{
    size_t far = CG_ALIGN; /* places may be negative: differences wrap */
    return b->copy == a->copy && b->src_space == a->src_space && b->dst_space == a->dst_space &&
           (a->src - b->dst + far < 2 * far || b->src - a->dst + far < 2 * far);
}

void cg_pair_moves(cg_moves *moves)
{
    for (size_t i = 0; i + 1 < moves->count; i++) {
        cg_move *first = &moves->list[i];
        if (first->copy == NULL || first->copy->twice == NULL)
            continue;
        for (size_t j = i + 1; j < moves->count && j <= i + CG_LOOK_AHEAD; j++) {
            if (!share_lines(first, &moves->list[j]))
                continue;
            cg_move next = moves->list[j];
            moves->list[j] = moves->list[i + 1];
            moves->list[i + 1] = next;
            first->with_next = 1;
            i++;
            break;
        }
    }
}

void cg_copy_moves(const cg_builder *b, const cartgen_move_ref *copies, size_t count, cg_moves *moves)
{
    for (size_t i = 0; i < count; i++) {
        if (b->layout->needs[copies[i].need])
            cg_move_append(moves, move_between(b, copies[i].from, copies[i].to));
    }
}
