/* SPDX-License-Identifier: MIT */
/*
 * build.c - from a program's tables to records and moves on this rank.
 *
 * Messages of a round whose directions lead to one rank form a class. Within a class, messages up to
 * the join limit share one record, in the order of their numbers; each longer one is a record of its
 * own. Sender and receiver apply the same rule to the same sizes, so their records match one to one.
 * A class that leads back to this rank needs no record.
 */
#include <stdlib.h>

#include "internal.h"

typedef struct member {
    int64_t key;
    uint32_t message;
    int self;
} member;

typedef struct builder {
    cartgen_plan *plan;
    const cartgen_schedule *schedule;
    const cartgen_program *program;
    const cg_layout *layout;
    size_t *temp_at;     /* [ntemps] place in the staging */
    member *members;     /* [nmessages] of the round in work */
    cg_move *scratch;    /* [nrefs]: moves of one message */
    size_t *staged_send; /* [nmessages] place of a message to this rank itself, or SIZE_MAX */
    cg_move *next_move;
    cg_record *next_send;
    cg_record *next_recv;
} builder;

static int by_key(const void *a, const void *b)
{
    const member *x = a;
    const member *y = b;
    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    return (x->message > y->message) - (x->message < y->message);
}

/* Appends a move to a list whose storage goes on; joins contiguous neighbours. */
static void append_move(cg_moves *moves, cg_move move)
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
static void end_of(const builder *b, uint32_t ref, size_t *place, uint8_t *space, int32_t *shape,
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
    *space = sends ? CG_SEND : CG_RECV;
    *shape = block->shape;
    *bytes = (size_t)block->bytes;
}

static int is_live(const builder *b, const uint32_t *needs, uint32_t ref)
{
    return needs == NULL || b->layout->needs[needs[ref]];
}

/* Bytes of a block, wherever it is. */
static size_t ref_bytes(const builder *b, uint32_t ref)
{
    uint32_t block = CARTGEN_REF_BLOCK(ref);
    if (CARTGEN_REF_BUFFER(ref) == 1)
        return (size_t)b->layout->recv[block].bytes;
    if (CARTGEN_REF_BUFFER(ref) == 2)
        block = b->program->temp_blocks[block];
    return (size_t)b->layout->send[block].bytes;
}

/* Bytes of message k that this rank sends; receives. */
static size_t send_bytes(const builder *b, uint32_t k)
{
    const cartgen_message *m = &b->program->messages[k];
    size_t total = 0;
    for (uint32_t i = m->first; i < m->first + m->count; i++) {
        if (is_live(b, b->program->send_needs, i))
            total += ref_bytes(b, b->program->send_refs[i]);
    }
    return total;
}

static size_t recv_bytes(const builder *b, uint32_t k)
{
    const cartgen_message *m = &b->program->messages[k];
    size_t total = 0;
    for (uint32_t i = m->first; i < m->first + m->count; i++) {
        if (is_live(b, b->program->recv_needs, i))
            total += ref_bytes(b, b->program->recv_refs[i]);
    }
    return total;
}

/* Moves of message k from where its blocks are to staging at `at`. */
static void send_moves(const builder *b, uint32_t k, size_t at, cg_moves *moves)
{
    const cartgen_message *m = &b->program->messages[k];
    for (uint32_t i = m->first; i < m->first + m->count; i++) {
        if (!is_live(b, b->program->send_needs, i))
            continue;
        cg_move move = {.dst = at, .dst_space = CG_STAGE};
        end_of(b, b->program->send_refs[i], &move.src, &move.src_space, &move.src_shape,
               &move.bytes);
        append_move(moves, move);
        at += move.bytes;
    }
}

/* Moves of message k from staging at `at` to the receive buffer; notes temps. *ntemps_p counts the
 * blocks that stay in the staging. */
static void recv_moves(const builder *b, uint32_t k, size_t at, cg_moves *moves, size_t *ntemps_p)
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
            append_move(moves, move);
        at += move.bytes;
    }
}

static size_t stage_take(builder *b, size_t bytes, int aligned)
{
    size_t at = b->plan->stage_bytes;
    if (aligned)
        at = (at + CG_ALIGN - 1) / CG_ALIGN * CG_ALIGN;
    b->plan->stage_bytes = at + bytes;
    return at;
}

/* A move list that is one contiguous run on both sides. */
static int one_run(const cg_moves *moves)
{
    return moves->count == 1 && moves->list[0].src_shape == 0 && moves->list[0].dst_shape == 0;
}

static void add_records(cg_record **next, size_t *count, cg_record record)
{
    size_t rest = record.bytes;
    while (rest > 0) {
        record.bytes = rest < CG_PIECE ? rest : CG_PIECE;
        *(*next)++ = record;
        ++*count;
        record.offset += record.bytes;
        record.order++;
        rest -= record.bytes;
    }
}

/* Notes where message k is staged: offsets now (plus one: NULL is not staged), addresses when the
 * staging is there. */
static void note_staged(char **table, uint32_t k, size_t at)
{
    table[k] = (char *)(uintptr_t)(at + 1);
}

/* A message that brings only empty blocks: those that are forwarded need an address all the same. */
static void note_empty(builder *b, uint32_t k)
{
    cg_moves moves = {.list = b->scratch};
    size_t ntemps = 0;
    recv_moves(b, k, b->plan->stage_bytes, &moves, &ntemps);
    if (ntemps > 0)
        note_staged(b->plan->in, k, b->plan->stage_bytes);
}

typedef size_t (*bytes_of)(const builder *b, uint32_t k);

/* How many members of a class fall under the join limit. */
static size_t joinable(const builder *b, const member *first, size_t count, bytes_of bytes)
{
    size_t joined = 0;
    for (size_t i = 0; i < count; i++) {
        size_t n = bytes(b, first[i].message);
        if (n > 0 && n <= (size_t)b->plan->comm->join)
            joined++;
    }
    return joined;
}

static size_t joined_bytes(const builder *b, const member *first, size_t count, bytes_of bytes)
{
    size_t total = 0;
    for (size_t i = 0; i < count; i++) {
        size_t n = bytes(b, first[i].message);
        if (n <= (size_t)b->plan->comm->join)
            total += n;
    }
    return total;
}

/* One side of a class: records, and staging or direct places of its messages. */
static void build_side(builder *b, cg_round *round, const member *first, size_t count, int peer,
                       int sends, uint64_t order)
{
    bytes_of bytes = sends ? send_bytes : recv_bytes;
    size_t join = (size_t)b->plan->comm->join;
    int shares = joinable(b, first, count, bytes) > 1;
    size_t shared_at = 0;
    int shared_open = 0;
    for (size_t i = 0; i < count; i++) {
        uint32_t k = first[i].message;
        size_t n = bytes(b, k);
        if (n == 0) {
            if (!sends)
                note_empty(b, k);
            continue;
        }
        int joins = shares && n <= join;
        cg_record record = {.peer = peer, .space = CG_STAGE, .bytes = n, .order = order + (i << 8)};
        cg_moves moves = {.list = b->scratch};
        size_t ntemps = 0;
        size_t at = 0;
        if (sends)
            send_moves(b, k, 0, &moves);
        else
            recv_moves(b, k, 0, &moves, &ntemps);
        if (!joins && one_run(&moves) && ntemps == 0 &&
            b->plan->mode != CARTGEN_MODE_PERSISTENT) {
            record.space = sends ? moves.list[0].src_space : moves.list[0].dst_space;
            record.offset = sends ? moves.list[0].src : moves.list[0].dst;
        } else {
            if (joins && !shared_open) {
                record.bytes = joined_bytes(b, first, count, bytes);
                shared_at = stage_take(b, record.bytes, 1);
                record.offset = shared_at;
                shared_open = 1;
            } else if (joins) {
                record.bytes = 0;
            } else {
                record.offset = stage_take(b, n, 1);
            }
            at = joins ? shared_at : record.offset;
            if (joins)
                shared_at += n;
            note_staged(sends ? b->plan->out : b->plan->in, k, at);
            if (sends) {
                send_moves(b, k, at, &round->pack);
            } else {
                recv_moves(b, k, at, &round->unpack, &ntemps);
            }
        }
        if (sends)
            add_records(&b->next_send, &round->nsends, record);
        else
            add_records(&b->next_recv, &round->nrecvs, record);
    }
}

/* A class that leads back to this rank. The receive side reads the staging of the send side, or
 * the block goes straight from buffer to buffer. */
static void pack_self(builder *b, cg_round *round, const member *first, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        uint32_t k = first[i].message;
        size_t n = send_bytes(b, k);
        b->staged_send[k] = SIZE_MAX;
        if (n == 0) {
            note_empty(b, k);
            continue;
        }
        cg_moves from = {.list = b->scratch};
        cg_moves to = {.list = b->scratch + b->program->messages[k].count};
        size_t ntemps = 0;
        send_moves(b, k, 0, &from);
        recv_moves(b, k, 0, &to, &ntemps);
        if (one_run(&from) && one_run(&to) && ntemps == 0 && from.list[0].src_space == CG_SEND) {
            cg_move move = from.list[0];
            move.dst = to.list[0].dst;
            move.dst_space = CG_RECV;
            append_move(&round->self, move);
            continue;
        }
        size_t at = stage_take(b, n, 0);
        b->staged_send[k] = at;
        note_staged(b->plan->out, k, at);
        note_staged(b->plan->in, k, at);
        send_moves(b, k, at, &round->pack);
    }
}

static void unpack_self(builder *b, cg_round *round, const member *first, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        uint32_t k = first[i].message;
        size_t ntemps = 0;
        if (b->staged_send[k] != SIZE_MAX)
            recv_moves(b, k, b->staged_send[k], &round->unpack, &ntemps);
    }
}

static size_t gather_members(builder *b, const cartgen_round *tables)
{
    size_t count = 0;
    for (uint32_t i = 0; i < tables->nmessages; i++) {
        uint32_t k = tables->first_message + i;
        member m = {.message = k};
        const int32_t *to = b->schedule->vectors +
                            (size_t)b->program->messages[k].to * (size_t)b->schedule->ndims;
        m.key = cg_direction_key(b->plan->comm, to, 0, &m.self);
        if (m.key >= 0)
            b->members[count++] = m;
    }
    qsort(b->members, count, sizeof *b->members, by_key);
    return count;
}

static const int32_t *direction_of(const builder *b, uint32_t k)
{
    return b->schedule->vectors +
           (size_t)b->program->messages[k].to * (size_t)b->schedule->ndims;
}

/* Calls build_side or the self forms for every class of the round. */
static void build_classes(builder *b, cg_round *round, size_t count, int sends)
{
    for (size_t i = 0, n = 0; i < count; i += n) {
        for (n = 1; i + n < count && b->members[i + n].key == b->members[i].key; n++)
            continue;
        const member *first = &b->members[i];
        if (first->self) {
            if (sends)
                pack_self(b, round, first, n);
            else
                unpack_self(b, round, first, n);
            continue;
        }
        int peer = cg_rank_at(b->plan->comm, direction_of(b, first->message), sends ? 1 : -1);
        if (peer != CARTGEN_NO_PEER)
            build_side(b, round, first, n, peer, sends, (uint64_t)i << 40);
    }
}

static void build_copies(builder *b, const cartgen_move_ref *copies, size_t count,
                         cg_moves *moves)
{
    for (size_t i = 0; i < count; i++) {
        if (!b->layout->needs[copies[i].need])
            continue;
        cg_move move = {0};
        size_t bytes = 0;
        end_of(b, copies[i].from, &move.src, &move.src_space, &move.src_shape, &move.bytes);
        end_of(b, copies[i].to, &move.dst, &move.dst_space, &move.dst_shape, &bytes);
        if (move.src_shape > 0 && move.dst_shape > 0 && move.bytes > b->plan->scratch_bytes)
            b->plan->scratch_bytes = move.bytes;
        append_move(moves, move);
    }
}

/* Straight-line code moves block by block; where joined messages let the lists merge most of it into
 * long runs, the lists are faster. */
static int lists_win(const cg_moves *pack, const cg_moves *unpack, size_t refs)
{
    return 3 * (pack->count + unpack->count) <= refs;
}

static void close_list(builder *b, cg_moves *moves)
{
    b->next_move = moves->list + moves->count;
}

static void build_round(builder *b, cg_round *round, const cartgen_round *tables)
{
    round->pack_phase = tables->pack;
    round->unpack_phase = tables->unpack;
    round->sends = b->next_send;
    round->recvs = b->next_recv;
    size_t count = gather_members(b, tables);
    /* The three lists grow at once: each gets the room its refs can need. */
    size_t refs = 0;
    for (uint32_t i = 0; i < tables->nmessages; i++)
        refs += b->program->messages[tables->first_message + i].count;
    round->self.list = b->next_move;
    round->pack.list = round->self.list + tables->nmessages;
    round->unpack.list = round->pack.list + refs;
    build_classes(b, round, count, 1);
    build_classes(b, round, count, 0);
    build_copies(b, b->program->copies + tables->first_copy, tables->ncopies, &round->unpack);
    close_list(b, &round->unpack);
    if (lists_win(&round->pack, &round->unpack, refs)) {
        round->pack_phase = NULL;
        round->unpack_phase = NULL;
    }
}

static void resolve(char **table, uint32_t count, char *stage)
{
    for (uint32_t k = 0; k < count; k++) {
        if (table[k] != NULL)
            table[k] = stage + ((uintptr_t)table[k] - 1);
    }
}

static cartgen_status allocate_stage(cartgen_plan *plan)
{
    plan->stage_block = cg_alloc(plan->stage_bytes + CG_ALIGN, 1);
    plan->scratch = cg_alloc(plan->scratch_bytes, 1);
    if (plan->stage_block == NULL || plan->scratch == NULL)
        return cg_fail(CARTGEN_ERR_MEMORY, "out of memory for %zu bytes of staging of %s",
                       plan->stage_bytes, plan->schedule->name);
    uintptr_t at = (uintptr_t)plan->stage_block;
    plan->stage = plan->stage_block + ((at + CG_ALIGN - 1) / CG_ALIGN * CG_ALIGN - at);
    resolve(plan->out, plan->program->nmessages, plan->stage);
    resolve(plan->in, plan->program->nmessages, plan->stage);
    return CARTGEN_OK;
}

/* Upper bounds: a move a ref, one more a message; pieces of long messages. */
static cartgen_status allocate_lists(builder *b)
{
    cartgen_plan *plan = b->plan;
    const cartgen_program *p = b->program;
    size_t pieces = p->nmessages;
    for (uint32_t k = 0; k < p->nmessages; k++)
        pieces += (send_bytes(b, k) + recv_bytes(b, k)) / CG_PIECE;
    size_t moves = (size_t)2 * p->nrefs + p->nmessages + p->ncopies + p->nlocals;
    plan->nrounds = p->nrounds;
    plan->rounds = cg_alloc(p->nrounds, sizeof *plan->rounds);
    plan->out = cg_alloc(p->nmessages, sizeof *plan->out);
    plan->in = cg_alloc(p->nmessages, sizeof *plan->in);
    plan->records = cg_alloc(2 * pieces, sizeof *plan->records);
    plan->moves = cg_alloc(moves, sizeof *plan->moves);
    b->temp_at = cg_alloc(p->ntemps, sizeof *b->temp_at);
    b->members = cg_alloc(p->nmessages, sizeof *b->members);
    b->scratch = cg_alloc((size_t)2 * p->nrefs, sizeof *b->scratch);
    b->staged_send = cg_alloc(p->nmessages, sizeof *b->staged_send);
    if (plan->rounds == NULL || plan->out == NULL || plan->in == NULL || plan->records == NULL ||
        plan->moves == NULL || b->temp_at == NULL || b->members == NULL || b->scratch == NULL ||
        b->staged_send == NULL)
        return cg_fail(CARTGEN_ERR_MEMORY, "out of memory for the lists of %s", plan->schedule->name);
    b->next_move = plan->moves;
    b->next_send = plan->records;
    b->next_recv = plan->records + pieces;
    return CARTGEN_OK;
}

static void count_stats(cartgen_plan *plan)
{
    plan->stats.rounds = (int)plan->nrounds;
    plan->stats.scratch_bytes = (int64_t)(plan->stage_bytes + plan->scratch_bytes);
    for (size_t r = 0; r < plan->nrounds; r++) {
        const cg_round *round = &plan->rounds[r];
        int64_t requests = (int64_t)(round->nsends + round->nrecvs);
        plan->stats.messages += (int64_t)round->nsends;
        for (size_t i = 0; i < round->nsends; i++)
            plan->stats.bytes_sent += (int64_t)round->sends[i].bytes;
        if (requests > plan->stats.requests)
            plan->stats.requests = requests;
    }
}

cartgen_status cg_build(cartgen_plan *plan, const cg_layout *layout)
{
    builder b = {.plan = plan,
                 .schedule = plan->schedule,
                 .program = plan->program,
                 .layout = layout};
    cartgen_status status = allocate_lists(&b);
    if (status != CARTGEN_OK)
        goto release;
    for (uint32_t r = 0; r < plan->program->nrounds; r++)
        build_round(&b, &plan->rounds[r], &plan->program->rounds[r]);
    plan->local.list = b.next_move;
    build_copies(&b, plan->program->locals, plan->program->nlocals, &plan->local);
    status = allocate_stage(plan);
    if (status == CARTGEN_OK)
        count_stats(plan);

release:
    cg_free(b.temp_at);
    cg_free(b.members);
    cg_free(b.scratch);
    cg_free(b.staged_send);
    return status;
}
