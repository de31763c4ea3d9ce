/* SPDX-License-Identifier: MIT */
/*
 * mpi_plan.c - plans over MPI: nonblocking, persistent and blocking.
 *
 * One tag a plan is enough: two ranks that exchange several records do so in the same order on
 * both sides, within a round and from round to round, and MPI does not overtake.
 */
#include <stdio.h>

#include "mpi_internal.h"

#if defined(__GNUC__) && !defined(__clang__)
/* MPICH 4.0.2 declares MPI_STATUSES_IGNORE in a way gcc 12 takes for a write past its end. */
#pragma GCC diagnostic ignored "-Wstringop-overflow"
#endif

typedef struct cg_mpi_plan {
    MPI_Comm comm;
    int tag;
    MPI_Request *requests; /* of the round in flight, or persistent ones of all rounds */
    size_t *first;         /* persistent: first request of each round */
    size_t active;         /* requests in flight, from `base` */
    MPI_Request *base;
    MPI_Datatype *types; /* [ntypes] of records, by their type less one */
    size_t ntypes;
} cg_mpi_plan;

static cartgen_status round_error(const cartgen_plan *plan, int code, const char *what, int peer)
{
    char text[MPI_MAX_ERROR_STRING] = "";
    int length = 0;
    MPI_Error_string(code, text, &length);
    if (peer >= 0)
        return cg_fail(CARTGEN_ERR_TRANSPORT, "schedule %s, round %zu, %s rank %d: %s",
                       plan->schedule->name, plan->at, what, peer, text);
    return cg_fail(CARTGEN_ERR_TRANSPORT, "schedule %s, round %zu, %s: %s", plan->schedule->name,
                   plan->at, what, text);
}

static char *record_address(const cartgen_plan *plan, const cg_record *record)
{
    return plan->bases[record->space] + (ptrdiff_t)record->offset;
}

/* What record->bytes are for MPI: *type_p, and its count. */
static int record_count(const cg_mpi_plan *t, const cg_record *record, MPI_Datatype *type_p)
{
    *type_p = record->type > 0 ? t->types[record->type - 1] : MPI_BYTE;
    return record->type > 0 ? 1 : (int)record->bytes;
}

/* --- making --- */

static cartgen_status make_persistent(cartgen_plan *plan, cg_mpi_plan *t)
{
    size_t n = 0;
    for (size_t r = 0; r < plan->nrounds; r++) {
        const cg_round *round = &plan->rounds[r];
        t->first[r] = n;
        for (size_t i = 0; i < round->nrecvs + round->nsends; i++, n++) {
            int sends = i >= round->nrecvs;
            const cg_record *c = sends ? &round->sends[i - round->nrecvs] : &round->recvs[i];
            char *at = record_address(plan, c);
            int code = sends ? MPI_Send_init(at, (int)c->bytes, MPI_BYTE, c->peer, t->tag, t->comm,
                                             &t->requests[n])
                             : MPI_Recv_init(at, (int)c->bytes, MPI_BYTE, c->peer, t->tag, t->comm,
                                             &t->requests[n]);
            if (code != MPI_SUCCESS)
                return round_error(plan, code, "persistent request with", c->peer);
        }
    }
    t->first[plan->nrounds] = n;
    return CARTGEN_OK;
}

static cartgen_status create_transport(cartgen_plan *plan)
{
    size_t ntypes = (size_t)plan->schedule->nkernels + plan->nstructs;
    size_t requests = 0;
    for (size_t r = 0; r < plan->nrounds; r++)
        requests += plan->rounds[r].nsends + plan->rounds[r].nrecvs;
    if (plan->mode != CARTGEN_MODE_PERSISTENT)
        requests = (size_t)plan->stats.requests;
    cg_mpi_plan *t = cg_alloc(1, sizeof *t);
    plan->transport = t;
    if (t != NULL) {
        t->requests = cg_alloc(requests, sizeof *t->requests);
        t->first = cg_alloc(plan->nrounds + 1, sizeof *t->first);
        t->types = cg_alloc(ntypes, sizeof *t->types);
    }
    if (t == NULL || t->requests == NULL || t->first == NULL || t->types == NULL)
        return cg_fail(CARTGEN_ERR_MEMORY, "out of memory for the requests of %s",
                       plan->schedule->name);
    for (size_t i = 0; i < requests; i++)
        t->requests[i] = MPI_REQUEST_NULL;
    t->base = t->requests;
    for (; t->ntypes < ntypes; t->ntypes++)
        t->types[t->ntypes] = MPI_DATATYPE_NULL;
    return cg_mpi_datatypes(plan, t->types);
}

static void destroy(cartgen_plan *plan)
{
    cg_mpi_plan *t = plan->transport;
    if (t != NULL) {
        for (size_t i = 0; t->first != NULL && i < t->first[plan->nrounds]; i++) {
            if (t->requests[i] != MPI_REQUEST_NULL)
                MPI_Request_free(&t->requests[i]);
        }
        for (size_t i = 0; i < t->ntypes; i++) {
            if (t->types[i] != MPI_DATATYPE_NULL)
                MPI_Type_free(&t->types[i]);
        }
        cg_free(t->types);
        cg_free(t->requests);
        cg_free(t->first);
        cg_free(t);
    }
    cg_plan_destroy(plan);
}

/* One MPI_Allreduce where all is well: every rank has the same schedule, parameters and options, none
 * failed, and the plan's tag is free everywhere (else the next one is tried). */
static cartgen_status agree(cg_mpi_comm *t, cartgen_status own, uint64_t hash, const char *text,
                            int *tag_p)
{
    for (;;) {
        int tag = (int)(t->sequence++ % CG_MPI_TAGS);
        uint64_t mine[4] = {hash, ~hash, (uint64_t)own, t->tags[tag]};
        uint64_t most[4] = {0};
        cartgen_status status = cg_mpi_check(
            MPI_Allreduce(mine, most, 4, MPI_UINT64_T, MPI_MAX, t->comm), "agreeing on a plan");
        if (status != CARTGEN_OK)
            return own != CARTGEN_OK ? own : status;
        if (most[0] != ~most[1] || most[2] != CARTGEN_OK)
            return cg_mpi_explain(t->comm, own, text, hash, (int)most[2]);
        if (most[3] == 0) {
            *tag_p = tag;
            return CARTGEN_OK;
        }
    }
}

/* What the two ends of message k take its blocks for: theirs[] from the source, mine[] here; behind the sizes
 * stands whether the sender wants it in one piece. */
static cartgen_status compare_ends(const cartgen_plan *plan, const cartgen_program *program, uint32_t k,
                                   int64_t *mine, int64_t *theirs)
{
    const cartgen_message *message = &program->messages[k];
    const int32_t *to = plan->schedule->vectors + (size_t)message->to * (size_t)plan->schedule->ndims;
    const cg_mpi_comm *t = plan->comm->transport;
    int target = cg_rank_at(plan->comm, to, 1);
    int source = cg_rank_at(plan->comm, to, -1);
    int count = (int)message->count;
    cg_plan_sizes(plan, program, k, 1, mine);
    mine[count] = cg_zero_copy(plan, &plan->layout, program, k, program->send_refs, program->send_needs);
    cartgen_status status = cg_mpi_check(
        MPI_Sendrecv(mine, count + 1, MPI_INT64_T, target == CARTGEN_NO_PEER ? MPI_PROC_NULL : target,
                     CG_MPI_TAG_SIZES, theirs, count + 1, MPI_INT64_T,
                     source == CARTGEN_NO_PEER ? MPI_PROC_NULL : source, CG_MPI_TAG_SIZES, t->comm,
                     MPI_STATUS_IGNORE),
        "comparing the sizes of messages");
    if (status != CARTGEN_OK || source == CARTGEN_NO_PEER)
        return status;
    if (plan->whole != NULL)
        plan->whole[k] = theirs[count] != 0;
    cg_plan_sizes(plan, program, k, 0, mine);
    for (int i = 0; i < count; i++) {
        if (mine[i] != theirs[i])
            return cg_fail(CARTGEN_ERR_MISMATCH,
                           "schedule %s, message %u, part %d: rank %d sends %lld bytes, rank %d expects "
                           "%lld: their parameters do not fit together",
                           plan->schedule->name, (unsigned)k, i, source, (long long)theirs[i],
                           plan->comm->rank, (long long)mine[i]);
    }
    return CARTGEN_OK;
}

/* Parameters of each rank's own: all ranks take the program that is cheapest where it is dearest, and every
 * message, those that only forward too, is compared at its two ends. Every rank takes part to the end; the
 * first fault of this rank is returned. room: for the sizes of two messages. */
static cartgen_status reconcile(cartgen_plan *plan, int64_t *room, uint32_t most)
{
    const cg_mpi_comm *t = plan->comm->transport;
    cartgen_status first = cg_mpi_check(
        MPI_Allreduce(MPI_IN_PLACE, plan->costs, (int)plan->schedule->nprograms, MPI_DOUBLE, MPI_MAX,
                      t->comm),
        "agreeing on a program");
    if (first != CARTGEN_OK)
        return first;
    const cartgen_program *program = cg_plan_program(plan);
    char text[CG_MPI_TEXT] = "";
    plan->whole = cg_alloc(program->nmessages, 1);
    if (plan->whole == NULL) {
        first = cg_fail(CARTGEN_ERR_MEMORY, "out of memory for the messages of %s", plan->schedule->name);
        snprintf(text, sizeof text, "%s", cartgen_last_error());
    }
    for (uint32_t k = 0; k < program->nmessages; k++) {
        cartgen_status status = compare_ends(plan, program, k, room, room + most);
        if (status == CARTGEN_OK || first != CARTGEN_OK)
            continue;
        first = status;
        snprintf(text, sizeof text, "%s", cartgen_last_error());
    }
    return first == CARTGEN_OK ? first : cg_fail(first, "%s", text);
}

/* Values that the ends of the longest message of any program compare. */
static uint32_t longest_message(const cartgen_schedule *schedule)
{
    uint32_t most = 0;
    for (uint32_t p = 0; p < schedule->nprograms; p++) {
        for (uint32_t k = 0; k < schedule->programs[p].nmessages; k++) {
            uint32_t count = schedule->programs[p].messages[k].count;
            most = count + 1 > most ? count + 1 : most;
        }
    }
    return most;
}

/* From here on every rank takes part in every agreement, whatever went wrong on it. *plan_p: what is to be
 * destroyed, on errors too. */
static cartgen_status make_plan(const cartgen_schedule *schedule, cartgen_comm *comm, const void *params,
                                cartgen_status status, cartgen_plan **plan_p, int *tag_p)
{
    char text[CG_MPI_TEXT] = "";
    cg_mpi_comm *t = comm->transport;
    int own = schedule->own_params;
    uint32_t most = own ? longest_message(schedule) : 0;
    int64_t *room = NULL;
    if (status == CARTGEN_OK)
        status = cg_plan_create(schedule, comm, params, plan_p);
    if (status == CARTGEN_OK && own) {
        room = cg_alloc((size_t)2 * most, sizeof *room);
        if (room == NULL)
            status = cg_fail(CARTGEN_ERR_MEMORY, "out of memory for the sizes of %s", schedule->name);
    }
    uint64_t hash = cg_plan_hash(schedule, comm, params);
    /* Once for what is alike on all ranks, with parameters of their own once more for what is not. */
    for (int step = own ? 0 : 1; step < 2; step++) {
        if (step == 1 && own)
            status = reconcile(*plan_p, room, most);
        if (step == 1 && status == CARTGEN_OK)
            status = cg_plan_build(*plan_p);
        if (step == 1 && status == CARTGEN_OK)
            status = create_transport(*plan_p);
        if (status == CARTGEN_OK)
            cg_plan_describe(schedule, comm, params, text, sizeof text);
        else
            snprintf(text, sizeof text, "%s", cartgen_last_error());
        status = agree(t, status, hash, text, tag_p);
        if (status != CARTGEN_OK)
            break;
    }
    cg_free(room);
    return status;
}

cartgen_status cartgen_mpi_init(const cartgen_schedule *schedule, cartgen_comm *comm,
                                const void *params, cartgen_plan **plan_p)
{
    cartgen_plan *plan = NULL;
    if (schedule == NULL || comm == NULL)
        return cg_fail(CARTGEN_ERR_ARGUMENT, "%s is NULL", schedule == NULL ? "schedule" : "comm");
    cg_mpi_comm *t = comm->transport;
    int tag = 0;
    cartgen_status status = plan_p == NULL ? cg_fail(CARTGEN_ERR_ARGUMENT, "plan_p is NULL") : CARTGEN_OK;
    status = make_plan(schedule, comm, params, status, &plan, &tag);
    if (status != CARTGEN_OK)
        goto destroy_plan;
    cg_mpi_plan *own = plan->transport;
    own->comm = t->comm;
    own->tag = tag;
    if (plan->mode == CARTGEN_MODE_PERSISTENT) {
        status = make_persistent(plan, own);
        if (status != CARTGEN_OK)
            goto destroy_plan;
    }
    t->tags[tag] = 1;
    comm->nplans++;
    *plan_p = plan;
    return CARTGEN_OK;

destroy_plan:
    if (plan != NULL)
        destroy(plan);
    return status;
}

cartgen_status cartgen_mpi_free(cartgen_plan **plan_p)
{
    if (plan_p == NULL)
        return cg_fail(CARTGEN_ERR_ARGUMENT, "plan_p is NULL");
    cartgen_plan *plan = *plan_p;
    if (plan == NULL)
        return CARTGEN_OK;
    if (plan->in_flight)
        return cg_fail(CARTGEN_ERR_STATE, "schedule %s is in flight: wait before it is freed",
                       plan->schedule->name);
    cg_mpi_comm *comm = plan->comm->transport;
    cg_mpi_plan *t = plan->transport;
    comm->tags[t->tag] = 0;
    plan->comm->nplans--;
    destroy(plan);
    *plan_p = NULL;
    return CARTGEN_OK;
}

/* --- running --- */

static cartgen_status post_receives(cartgen_plan *plan, cg_mpi_plan *t, const cg_round *round)
{
    for (size_t i = 0; i < round->nrecvs; i++) {
        const cg_record *c = &round->recvs[i];
        MPI_Datatype type = MPI_BYTE;
        int count = record_count(t, c, &type);
        int code = MPI_Irecv(record_address(plan, c), count, type, c->peer, t->tag, t->comm,
                             &t->base[t->active]);
        if (code != MPI_SUCCESS)
            return round_error(plan, code, "receive from", c->peer);
        t->active++;
    }
    return CARTGEN_OK;
}

static cartgen_status post_sends(cartgen_plan *plan, cg_mpi_plan *t, const cg_round *round)
{
    for (size_t i = 0; i < round->nsends; i++) {
        const cg_record *c = &round->sends[i];
        MPI_Datatype type = MPI_BYTE;
        int count = record_count(t, c, &type);
        int code = MPI_Isend(record_address(plan, c), count, type, c->peer, t->tag, t->comm,
                             &t->base[t->active]);
        if (code != MPI_SUCCESS)
            return round_error(plan, code, "send to", c->peer);
        t->active++;
    }
    return CARTGEN_OK;
}

static cartgen_status post_persistent(cartgen_plan *plan, cg_mpi_plan *t, const cg_round *round)
{
    t->base = t->requests + t->first[plan->at];
    cg_plan_pack(plan, round);
    t->active = t->first[plan->at + 1] - t->first[plan->at];
    if (t->active == 0)
        return CARTGEN_OK;
    int code = MPI_Startall((int)t->active, t->base);
    return code == MPI_SUCCESS ? CARTGEN_OK : round_error(plan, code, "starting requests", -1);
}

/* Every rank goes through the records in the same order, and the two ends of a record stand at the
 * same place of it: whoever waits waits for a rank that is not further, so nobody waits in a circle. */
static cartgen_status exchange_blocking(cartgen_plan *plan, cg_mpi_plan *t, const cg_round *round)
{
    size_t i = 0;
    size_t j = 0;
    while (i < round->nsends || j < round->nrecvs) {
        const cg_record *s = i < round->nsends ? &round->sends[i] : NULL;
        const cg_record *r = j < round->nrecvs ? &round->recvs[j] : NULL;
        if (s != NULL && r != NULL && s->order != r->order) {
            if (s->order < r->order)
                r = NULL;
            else
                s = NULL;
        }
        MPI_Datatype stype = MPI_BYTE;
        MPI_Datatype rtype = MPI_BYTE;
        int scount = s != NULL ? record_count(t, s, &stype) : 0;
        int rcount = r != NULL ? record_count(t, r, &rtype) : 0;
        int code = MPI_Sendrecv(s ? record_address(plan, s) : NULL, scount, stype,
                                s ? s->peer : MPI_PROC_NULL, t->tag,
                                r ? record_address(plan, r) : NULL, rcount, rtype,
                                r ? r->peer : MPI_PROC_NULL, t->tag, t->comm, MPI_STATUS_IGNORE);
        if (code != MPI_SUCCESS)
            return round_error(plan, code, "exchange with", s ? s->peer : r->peer);
        i += s != NULL;
        j += r != NULL;
    }
    return CARTGEN_OK;
}

/* Posts the round at plan->at. */
static cartgen_status begin_round(cartgen_plan *plan, cg_mpi_plan *t)
{
    const cg_round *round = &plan->rounds[plan->at];
    cartgen_status status = CARTGEN_OK;
    t->active = 0;
    if (plan->mode == CARTGEN_MODE_PERSISTENT) {
        status = post_persistent(plan, t, round);
    } else if (plan->mode == CARTGEN_MODE_BLOCKING) {
        cg_plan_pack(plan, round);
        status = exchange_blocking(plan, t, round);
    } else {
        status = post_receives(plan, t, round);
        if (status == CARTGEN_OK) {
            cg_plan_pack(plan, round);
            status = post_sends(plan, t, round);
        }
    }
    if (status != CARTGEN_OK)
        return status;
    if (round->self.count > 0)
        cg_plan_run_moves(plan, &round->self);
    if (plan->at == 0)
        cg_plan_local(plan);
    return CARTGEN_OK;
}

/* Goes on until a round is in flight or all are done. */
static cartgen_status begin_rounds(cartgen_plan *plan, cg_mpi_plan *t)
{
    while (plan->at < plan->nrounds) {
        cartgen_status status = begin_round(plan, t);
        if (status != CARTGEN_OK)
            return status;
        if (t->active > 0)
            return CARTGEN_OK;
        cg_plan_unpack(plan, &plan->rounds[plan->at]);
        plan->at++;
    }
    plan->in_flight = 0;
    return CARTGEN_OK;
}

/* After an error nothing is known of the requests: the plan stays in flight and is not reused. */
cartgen_status cartgen_mpi_start(cartgen_plan *plan, const void *sendbuf, void *recvbuf)
{
    cartgen_status status = cg_plan_begin(plan, sendbuf, recvbuf);
    if (status != CARTGEN_OK)
        return status;
    plan->in_flight = 1;
    plan->at = 0;
    if (plan->nrounds == 0)
        cg_plan_local(plan);
    return begin_rounds(plan, plan->transport);
}

static cartgen_status end_round(cartgen_plan *plan, cg_mpi_plan *t)
{
    t->active = 0;
    cg_plan_unpack(plan, &plan->rounds[plan->at]);
    plan->at++;
    return begin_rounds(plan, t);
}

cartgen_status cartgen_mpi_test(cartgen_plan *plan, int *done_p)
{
    if (plan == NULL || done_p == NULL)
        return cg_fail(CARTGEN_ERR_ARGUMENT, "%s is NULL", plan == NULL ? "plan" : "done_p");
    cg_mpi_plan *t = plan->transport;
    while (plan->in_flight) {
        int complete = 0;
        int code = MPI_Testall((int)t->active, t->base, &complete, MPI_STATUSES_IGNORE);
        if (code != MPI_SUCCESS)
            return round_error(plan, code, "testing requests", -1);
        if (!complete)
            break;
        cartgen_status status = end_round(plan, t);
        if (status != CARTGEN_OK)
            return status;
    }
    *done_p = !plan->in_flight;
    return CARTGEN_OK;
}

cartgen_status cartgen_mpi_wait(cartgen_plan *plan)
{
    if (plan == NULL)
        return cg_fail(CARTGEN_ERR_ARGUMENT, "plan is NULL");
    cg_mpi_plan *t = plan->transport;
    while (plan->in_flight) {
        int code = MPI_Waitall((int)t->active, t->base, MPI_STATUSES_IGNORE);
        if (code != MPI_SUCCESS)
            return round_error(plan, code, "waiting for requests", -1);
        cartgen_status status = end_round(plan, t);
        if (status != CARTGEN_OK)
            return status;
    }
    return CARTGEN_OK;
}
