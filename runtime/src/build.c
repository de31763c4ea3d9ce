/* SPDX-License-Identifier: MIT */
/*
 * build.c - from a program's tables to records and moves on this rank.
 *
 * Messages of a round whose directions lead to one rank form a class. Within a class, messages up to
 * the join limit share records, in the order of their numbers: as many a record as stay eager, or all
 * of them where that would be more than CG_SHARE records; each longer one is a record of its own.
 * Sender and receiver apply the same rule to the same sizes, so their records match one to one. A class
 * that leads back to this rank needs no record.
 */
#include <stdlib.h>

#include "build.h"

static int by_key(const void *a, const void *b)
{
    const cg_member *x = a;
    const cg_member *y = b;
    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    return (x->message > y->message) - (x->message < y->message);
}

static size_t stage_take(cg_builder *b, size_t bytes, int aligned)
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

/* piece: most bytes of a record. */
static void add_records(cg_record **next, size_t *count, cg_record record, size_t piece)
{
    size_t rest = record.bytes;
    while (rest > 0) {
        record.bytes = rest < piece ? rest : piece;
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
static void note_empty(cg_builder *b, uint32_t k)
{
    cg_moves moves = {.list = b->scratch};
    size_t ntemps = 0;
    cg_recv_moves(b, k, b->plan->stage_bytes, &moves, &ntemps);
    if (ntemps > 0)
        note_staged(b->plan->in, k, b->plan->stage_bytes);
}

typedef size_t (*bytes_of)(const cg_builder *b, uint32_t k);

/* One side of a class: its members below the join limit share the record that the first one opens. */
typedef struct side {
    cg_round *round;
    const cg_member *first;
    size_t count;
    int peer;
    int sends;
    size_t limit;     /* most bytes that share a record */
    size_t shared;    /* messages that the open record still takes */
    size_t shared_at; /* where the next of them is staged */
    bytes_of bytes;
} side;

static void side_add(cg_builder *b, const side *s, cg_record record, size_t piece)
{
    if (s->sends)
        add_records(&b->next_send, &s->round->nsends, record, piece);
    else
        add_records(&b->next_recv, &s->round->nrecvs, record, piece);
}

/* Should message k go as a datatype of this side? */
static int as_datatype(const cg_builder *b, const side *s, uint32_t k)
{
    const cartgen_program *p = b->program;
    return s->sends ? cg_zero_copy(b->plan, b->layout, p, k, p->send_refs, p->send_needs)
                    : cg_zero_copy(b->plan, b->layout, p, k, p->recv_refs, p->recv_needs);
}

/* Does message k, alone, go in one piece whatever its length? That is for its sender to say. What a rank's
 * source sends it knows from its own parameters, or was told. */
static int is_whole(const cg_builder *b, const side *s, uint32_t k)
{
    const cartgen_program *p = b->program;
    if (s->sends)
        return as_datatype(b, s, k);
    if (b->plan->whole != NULL)
        return b->plan->whole[k];
    return cg_zero_copy(b->plan, b->layout, p, k, p->send_refs, p->recv_needs);
}

/* The blocks of a record that goes as a datatype. */
static void note_parts(cg_builder *b, const cg_moves *moves, int sends, cg_record *record_p)
{
    const cg_move *first = moves->list;
    record_p->space = sends ? first->src_space : first->dst_space;
    if (moves->count == 1) {
        record_p->type = (uint32_t)(sends ? first->src_shape : first->dst_shape);
        record_p->offset = sends ? first->src : first->dst;
        return;
    }
    record_p->type = b->schedule->nkernels + ++b->plan->nstructs;
    record_p->offset = 0;
    record_p->parts = (cg_moves){.list = b->next_part, .count = moves->count};
    memcpy(b->next_part, first, moves->count * sizeof *first);
    b->next_part += moves->count;
}

/* A message alone, in a record of its own piece, goes from (to) where it lies when that is one run or it
 * goes as a datatype; persistent requests need a place that stays. */
static int lies_ready(cg_builder *b, const side *s, uint32_t k, size_t piece, cg_record *record_p)
{
    cg_moves moves = {.list = b->scratch};
    size_t ntemps = 0;
    if (s->sends)
        cg_send_moves(b, k, 0, &moves);
    else
        cg_recv_moves(b, k, 0, &moves, &ntemps);
    if (ntemps > 0 || b->plan->mode == CARTGEN_MODE_PERSISTENT)
        return 0;
    if (!one_run(&moves) && (record_p->bytes > piece || !as_datatype(b, s, k)))
        return 0;
    note_parts(b, &moves, s->sends, record_p);
    return 1;
}

static void stage_message(cg_builder *b, const side *s, uint32_t k, size_t at)
{
    size_t ntemps = 0;
    note_staged(s->sends ? b->plan->out : b->plan->in, k, at);
    if (s->sends)
        cg_send_moves(b, k, at, &s->round->pack);
    else
        cg_recv_moves(b, k, at, &s->round->unpack, &ntemps);
}

static int is_joinable(const cg_builder *b, size_t bytes)
{
    return bytes > 0 && bytes <= (size_t)b->plan->comm->join;
}

static size_t joinable_bytes(const cg_builder *b, const side *s)
{
    size_t total = 0;
    for (size_t i = 0; i < s->count; i++) {
        size_t bytes = s->bytes(b, s->first[i].message);
        if (is_joinable(b, bytes))
            total += bytes;
    }
    return total;
}

/* Messages from member i on that share a record: how many, *bytes_p together. */
static size_t shared_from(const cg_builder *b, const side *s, size_t i, size_t *bytes_p)
{
    size_t count = 0;
    *bytes_p = 0;
    for (; i < s->count; i++) {
        size_t bytes = s->bytes(b, s->first[i].message);
        if (!is_joinable(b, bytes))
            continue;
        if (count > 0 && *bytes_p + bytes > s->limit)
            break;
        *bytes_p += bytes;
        count++;
    }
    return count;
}

static void side_alone(cg_builder *b, const side *s, uint32_t k, cg_record record)
{
    size_t piece = is_whole(b, s, k) ? CG_PIECE : cg_piece(b->plan->comm, record.bytes, CG_SPLIT);
    if (!lies_ready(b, s, k, piece, &record)) {
        record.offset = stage_take(b, record.bytes, 1);
        stage_message(b, s, k, record.offset);
    }
    side_add(b, s, record, piece);
}

/* Member i, of `record.bytes`. */
static void side_message(cg_builder *b, side *s, size_t i, cg_record record)
{
    uint32_t k = s->first[i].message;
    size_t bytes = record.bytes;
    size_t together = 0;
    if (!is_joinable(b, bytes)) {
        side_alone(b, s, k, record);
        return;
    }
    if (s->shared == 0) {
        s->shared = shared_from(b, s, i, &together);
        if (s->shared == 1) {
            s->shared = 0;
            side_alone(b, s, k, record);
            return;
        }
        record.bytes = together;
        record.offset = stage_take(b, record.bytes, 1);
        s->shared_at = record.offset;
        side_add(b, s, record, cg_piece(b->plan->comm, together, CG_SPLIT));
    }
    stage_message(b, s, k, s->shared_at);
    s->shared_at += bytes;
    s->shared--;
}

static void build_side(cg_builder *b, side *s, uint64_t order)
{
    s->bytes = s->sends ? cg_send_bytes : cg_recv_bytes;
    s->limit = cg_piece(b->plan->comm, joinable_bytes(b, s), CG_SHARE);
    for (size_t i = 0; i < s->count; i++) {
        uint32_t k = s->first[i].message;
        size_t bytes = s->bytes(b, k);
        if (bytes > 0)
            side_message(b, s, i,
                         (cg_record){.peer = s->peer, .space = CG_STAGE, .bytes = bytes,
                                     .order = order + (i << 8)});
        else if (!s->sends)
            note_empty(b, k);
    }
}

/* Does message k of `bytes`, to this rank itself, go straight, block by block? Straight-line code looks for
 * blocks that are forwarded in the staging of the message that brings them, all of it. Else it is a matter
 * of time, by the schedule's model: lists join what is packed, and what is unpacked, to long runs. */
static int goes_straight(cg_builder *b, const cg_round *round, uint32_t k, size_t bytes)
{
    const cartgen_model *model = &b->schedule->model;
    cg_moves pack = {.list = b->scratch};
    cg_moves unpack = {.list = b->scratch};
    cg_moves straight = {.list = b->scratch};
    size_t ntemps = 0;
    cg_send_moves(b, k, 0, &pack);
    cg_recv_moves(b, k, 0, &unpack, &ntemps);
    if (ntemps > 0 && round->unpack_phase != NULL)
        return 0;
    cg_self_moves(b, k, 0, &straight);
    return model->per_copy * (double)straight.count <=
           model->per_copy * (double)(pack.count + unpack.count) +
               CG_COPYING * model->per_byte * (double)bytes;
}

/* A class that leads back to this rank. A message goes straight, while those to other ranks are under way, or
 * through the staging: the receive side reads that of the send side.
 *
 * Straight moves of a round may be done in any order, and before or after what arrives in it is unpacked: a
 * round writes receive blocks and places of forwarded blocks that nothing has written before, and reads only
 * what was there before the round, both by the proof of the schedule (gen/cartgen/simulate.lua); receive
 * blocks do not overlap each other nor what is sent, which users promise and start checks where it can. */
static void pack_self(cg_builder *b, cg_round *round, const cg_member *first, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        uint32_t k = first[i].message;
        size_t n = cg_send_bytes(b, k);
        b->staged_send[k] = SIZE_MAX;
        if (n == 0) {
            note_empty(b, k);
            continue;
        }
        if (goes_straight(b, round, k, n)) {
            b->plan->stage_bytes += cg_self_moves(b, k, b->plan->stage_bytes, &round->self);
            continue;
        }
        size_t at = stage_take(b, n, 0);
        b->staged_send[k] = at;
        note_staged(b->plan->out, k, at);
        note_staged(b->plan->in, k, at);
        cg_send_moves(b, k, at, &round->pack);
    }
}

static void unpack_self(cg_builder *b, cg_round *round, const cg_member *first, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        uint32_t k = first[i].message;
        size_t ntemps = 0;
        if (b->staged_send[k] != SIZE_MAX)
            cg_recv_moves(b, k, b->staged_send[k], &round->unpack, &ntemps);
    }
}

static size_t gather_members(cg_builder *b, const cartgen_round *tables)
{
    size_t count = 0;
    for (uint32_t i = 0; i < tables->nmessages; i++) {
        uint32_t k = tables->first_message + i;
        cg_member m = {.message = k};
        const int32_t *to = b->schedule->vectors +
                            (size_t)b->program->messages[k].to * (size_t)b->schedule->ndims;
        m.key = cg_direction_key(b->plan->comm, to, 0, &m.self);
        if (m.key >= 0)
            b->members[count++] = m;
    }
    qsort(b->members, count, sizeof *b->members, by_key);
    return count;
}

static const int32_t *direction_of(const cg_builder *b, uint32_t k)
{
    return b->schedule->vectors +
           (size_t)b->program->messages[k].to * (size_t)b->schedule->ndims;
}

/* Calls build_side or the self forms for every class of the round. */
static void build_classes(cg_builder *b, cg_round *round, size_t count, int sends)
{
    for (size_t i = 0, n = 0; i < count; i += n) {
        for (n = 1; i + n < count && b->members[i + n].key == b->members[i].key; n++)
            continue;
        const cg_member *first = &b->members[i];
        if (first->self) {
            if (sends)
                pack_self(b, round, first, n);
            else
                unpack_self(b, round, first, n);
            continue;
        }
        int peer = cg_rank_at(b->plan->comm, direction_of(b, first->message), sends ? 1 : -1);
        side s = {.round = round, .first = first, .count = n, .peer = peer, .sends = sends};
        if (peer != CARTGEN_NO_PEER)
            build_side(b, &s, (uint64_t)i << 40);
    }
}

/* Straight-line code moves block by block; where joined messages let the lists merge most of it into
 * long runs, the lists are faster. */
static int lists_win(const cg_moves *pack, const cg_moves *unpack, size_t refs)
{
    return 3 * (pack->count + unpack->count) <= refs;
}

static void close_list(cg_builder *b, cg_moves *moves)
{
    b->next_move = moves->list + moves->count;
}

static void build_round(cg_builder *b, cg_round *round, const cartgen_round *tables)
{
    round->pack_phase = tables->pack;
    round->unpack_phase = tables->unpack;
    round->sends = b->next_send;
    round->recvs = b->next_recv;
    size_t count = gather_members(b, tables);
    /* The three lists grow at once: each gets the room that all refs of the round can need. */
    size_t refs = 0;
    for (uint32_t i = 0; i < tables->nmessages; i++)
        refs += b->program->messages[tables->first_message + i].count;
    round->self.list = b->next_move;
    round->pack.list = round->self.list + refs;
    round->unpack.list = round->pack.list + refs;
    build_classes(b, round, count, 1);
    build_classes(b, round, count, 0);
    cg_pair_moves(&round->self);
    if (tables->ncopies > 0) /* else there may be no table */
        cg_copy_moves(b, b->program->copies + tables->first_copy, tables->ncopies, &round->unpack);
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

/* Grows the plan's scratch to the longest block that has to lie there on its way. */
static void need_scratch(cartgen_plan *plan, const cg_moves *moves)
{
    for (size_t i = 0; i < moves->count; i++) {
        const cg_move *move = &moves->list[i];
        if (move->src_shape > 0 && move->dst_shape > 0 && move->copy == NULL && move->bytes > plan->scratch_bytes)
            plan->scratch_bytes = move->bytes;
    }
}

static cartgen_status allocate_stage(cartgen_plan *plan)
{
    for (size_t r = 0; r < plan->nrounds; r++) {
        need_scratch(plan, &plan->rounds[r].self);
        need_scratch(plan, &plan->rounds[r].unpack);
    }
    need_scratch(plan, &plan->local);
    plan->stage_block = cg_alloc(plan->stage_bytes + CG_ALIGN, 1);
    plan->scratch = cg_alloc(plan->scratch_bytes, 1);
    if (plan->stage_block == NULL || plan->scratch == NULL)
        return cg_fail(CARTGEN_ERR_MEMORY, "out of memory for %zu bytes of staging of %s",
                       plan->stage_bytes, plan->schedule->name);
    uintptr_t at = (uintptr_t)plan->stage_block;
    char *stage = plan->stage_block + ((at + CG_ALIGN - 1) / CG_ALIGN * CG_ALIGN - at);
    plan->bases[CG_STAGE] = stage;
    resolve(plan->out, plan->program->nmessages, stage);
    resolve(plan->in, plan->program->nmessages, stage);
    return CARTGEN_OK;
}

static size_t extra_pieces(const cartgen_comm *comm, size_t bytes)
{
    return bytes / cg_piece(comm, bytes, CG_SPLIT);
}

/* Upper bounds: three moves a ref; pieces of long messages. */
static cartgen_status allocate_lists(cg_builder *b)
{
    cartgen_plan *plan = b->plan;
    const cartgen_program *p = b->program;
    size_t pieces = p->nmessages;
    for (uint32_t k = 0; k < p->nmessages; k++)
        pieces += extra_pieces(plan->comm, cg_send_bytes(b, k)) +
                  extra_pieces(plan->comm, cg_recv_bytes(b, k));
    size_t moves = (size_t)3 * p->nrefs + p->ncopies + p->nlocals;
    plan->nrounds = p->nrounds;
    plan->rounds = cg_alloc(p->nrounds, sizeof *plan->rounds);
    plan->out = cg_alloc(p->nmessages, sizeof *plan->out);
    plan->in = cg_alloc(p->nmessages, sizeof *plan->in);
    plan->records = cg_alloc(2 * pieces, sizeof *plan->records);
    plan->moves = cg_alloc(moves, sizeof *plan->moves);
    b->temp_at = cg_alloc(p->ntemps, sizeof *b->temp_at);
    b->members = cg_alloc(p->nmessages, sizeof *b->members);
    b->scratch = cg_alloc(p->nrefs, sizeof *b->scratch);
    b->staged_send = cg_alloc(p->nmessages, sizeof *b->staged_send);
    plan->parts = cg_alloc((size_t)2 * p->nrefs, sizeof *plan->parts);
    if (plan->rounds == NULL || plan->out == NULL || plan->in == NULL || plan->records == NULL ||
        plan->moves == NULL || b->temp_at == NULL || b->members == NULL || b->scratch == NULL ||
        b->staged_send == NULL || plan->parts == NULL)
        return cg_fail(CARTGEN_ERR_MEMORY, "out of memory for the lists of %s", plan->schedule->name);
    b->next_move = plan->moves;
    b->next_part = plan->parts;
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
    cg_builder b = {.plan = plan,
                 .schedule = plan->schedule,
                 .program = plan->program,
                 .layout = layout};
    cartgen_status status = allocate_lists(&b);
    if (status != CARTGEN_OK)
        goto release;
    for (uint32_t r = 0; r < plan->program->nrounds; r++)
        build_round(&b, &plan->rounds[r], &plan->program->rounds[r]);
    plan->local.list = b.next_move;
    cg_copy_moves(&b, plan->program->locals, plan->program->nlocals, &plan->local);
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
