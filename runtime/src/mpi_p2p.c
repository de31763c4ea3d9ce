/* SPDX-License-Identifier: MIT */
/*
 * mpi_p2p.c - layouts sent point to point (cartgen/p2p.h).
 *
 * The two ends of a channel tell each other their bytes, how they would cut them, and whether they would rather have a
 * message whole, as a datatype. They come to the same from that, once, before the first message. What else an end does
 * with its pieces is its own affair: a run is sent from where it lies, other layouts are packed piece by piece.
 */
#include "cartgen/p2p.h"

#include "mpi_internal.h"

#define SLOTS 8 /* pieces on their way at once */

enum { SEND = 0, RECV = 1 };

/* What an end would do: cut its messages, or, as it is one run, either, or send and receive them whole, as a datatype. */
enum { CUT = 0, EITHER = 1, WHOLE = 2 };

typedef struct terms {
    int64_t bytes;
    int64_t piece;
    int64_t wish;
    int64_t comm; /* its id */
} terms;

/* One end of a channel. Once settled: `pieces` of `piece` bytes, the last one may be shorter. */
typedef struct end {
    const cartgen_layout_calls *calls;
    const void *layout;
    const cartgen_comm *comm;
    int side;
    int peer;
    int tag;           /* of its messages */
    terms own;
    terms theirs;      /* if settled */
    MPI_Request told;  /* the own terms, at init */
    int settled;
    int64_t piece;
    int64_t pieces;
    int slots;
    int typed;         /* as a datatype */
    MPI_Datatype type; /* MPI_DATATYPE_NULL: there is none */
    int64_t at;        /* of a run */
    char *staging;     /* slots * piece bytes; NULL: none is needed */
} end;

struct cartgen_p2p {
    cartgen_comm *comm;
    int ends; /* cartgen_p2p_ends */
    end end[2];
};

static cg_mpi_comm *transport_of(const end *e) { return e->comm->transport; }

static MPI_Comm comm_of(const end *e) { return transport_of(e)->comm; }

static cartgen_status refuse(const char *what, const char *fault)
{
    return cg_fail(CARTGEN_ERR_ARGUMENT, "%s: %s", what, fault);
}

/* --- making --- */

static void visit(const cartgen_visitor *visitor, const void *untyped)
{
    const end *e = untyped;
    (e->side == SEND ? e->calls->pack_visit : e->calls->unpack_visit)(e->layout, visitor);
}

static int64_t piece_of(const cartgen_comm *comm, int64_t bytes)
{
    int64_t piece = bytes;
    if (bytes > comm->eager && bytes <= comm->p2p.eager_most)
        piece = comm->eager;
    else if (comm->p2p.piece > 0 && bytes > comm->p2p.piece)
        piece = bytes > 4 * comm->p2p.piece ? 2 * comm->p2p.piece : comm->p2p.piece;
    return cartgen_least(piece, (int64_t)CG_PIECE);
}

static void cut(end *e, int64_t piece)
{
    e->piece = piece;
    e->pieces = e->own.bytes == 0 ? 0 : (e->own.bytes - 1) / piece + 1;
    e->slots = (int)cartgen_least(e->pieces, SLOTS);
}

static cartgen_status make_end(end *e)
{
    static const cartgen_kernel kernel = {.visit = visit};
    cartgen_status status = CARTGEN_OK;
    e->own.comm = transport_of(e)->id;
    e->own.bytes = e->calls->size(e->layout);
    e->own.piece = piece_of(e->comm, e->own.bytes);
    cut(e, e->own.piece);
    if ((e->side == SEND ? e->calls->pack_contiguous : e->calls->unpack_contiguous)(e->layout, &e->at) ||
        e->own.bytes == 0) {
        e->own.wish = EITHER;
        return CARTGEN_OK;
    }
    if (cg_datatype_wins(&e->comm->p2p.datatypes, e->comm->zero_copy, (size_t)e->own.bytes,
                         cg_count_runs(&kernel, e))) {
        e->own.wish = WHOLE;
        status = cg_mpi_datatype(e->calls->name, &kernel, e, &e->type);
    }
    if (status != CARTGEN_OK || (e->own.wish == WHOLE && e->pieces == 1))
        return status;
    e->staging = cg_alloc((size_t)e->slots, (size_t)e->piece);
    return e->staging != NULL ? CARTGEN_OK
                              : cg_fail(CARTGEN_ERR_MEMORY, "out of memory for the staging of layout %s",
                                        e->calls->name);
}

/* Channels between two ranks in one direction are numbered as they are made; each has two tags: for its messages and what
 * the sender tells, and for what the receiver tells. */
static cartgen_status tell(end *e)
{
    cg_mpi_comm *t = transport_of(e);
    if (t->channels == NULL)
        t->channels = cg_alloc(2 * (size_t)e->comm->size, sizeof *t->channels);
    if (t->channels == NULL)
        return cg_fail(CARTGEN_ERR_MEMORY, "out of memory for the channels of a comm");
    int *next = &t->channels[e->side * e->comm->size + e->peer];
    if (*next >= t->most_channels)
        return cg_fail(CARTGEN_ERR_STATE, "more than %d cartgen_p2p to rank %d: MPI has no more tags",
                       t->most_channels, e->peer);
    e->tag = CG_MPI_TAG_P2P + 2 * (*next)++;
    return cg_mpi_check(MPI_Isend(&e->own, (int)sizeof e->own, MPI_BYTE, e->peer,
                                  e->tag + (e->side == RECV), t->comm, &e->told),
                        "MPI_Isend");
}

/* What MPI may still read, as nobody received it, is not freed. */
static void release(cartgen_p2p *p)
{
    int all_told = 1;
    for (int side = SEND; side <= RECV; side++) {
        end *e = &p->end[side];
        int told = 1;
        if (e->told != MPI_REQUEST_NULL)
            MPI_Test(&e->told, &told, MPI_STATUS_IGNORE);
        if (!told)
            MPI_Request_free(&e->told);
        all_told = all_told && told;
        cg_free(e->staging);
        if (e->type != MPI_DATATYPE_NULL)
            MPI_Type_free(&e->type);
    }
    if (all_told)
        cg_free(p);
}

cartgen_status cartgen_p2p_init(const cartgen_layout_calls *calls, const void *layout,
                                cartgen_p2p_ends ends, int peer, cartgen_comm *comm, cartgen_p2p **p2p_p)
{
    static const char here[] = "cartgen_p2p_init";
    cartgen_status status = CARTGEN_OK;
    if (p2p_p == NULL || calls == NULL || layout == NULL || comm == NULL)
        return refuse(here, "calls, layout, comm or p2p_p is NULL");
    if (ends < CARTGEN_P2P_SEND || ends > CARTGEN_P2P_BOTH)
        return cg_fail(CARTGEN_ERR_ARGUMENT, "%s: ends is %d, expected 1 to 3", here, (int)ends);
    if (peer < 0 || peer >= comm->size)
        return cg_fail(CARTGEN_ERR_ARGUMENT, "%s: rank %d, expected 0 to %d", here, peer, comm->size - 1);
    cartgen_p2p *p = cg_alloc(1, sizeof *p);
    if (p == NULL)
        return cg_fail(CARTGEN_ERR_MEMORY, "out of memory for a cartgen_p2p");
    p->comm = comm;
    p->ends = (int)ends;
    for (int side = SEND; side <= RECV; side++) {
        p->end[side] = (end){.calls = calls, .layout = layout, .comm = comm, .side = side, .peer = peer,
                             .told = MPI_REQUEST_NULL, .type = MPI_DATATYPE_NULL};
        if (status == CARTGEN_OK && (p->ends & 1 << side))
            status = make_end(&p->end[side]);
    }
    /* Last, and both: the other process counts on it. */
    for (int side = SEND; side <= RECV && status == CARTGEN_OK; side++) {
        if (p->ends & 1 << side)
            status = tell(&p->end[side]);
    }
    if (status != CARTGEN_OK) {
        release(p);
        return status;
    }
    comm->nplans++;
    *p2p_p = p;
    return CARTGEN_OK;
}

void cartgen_p2p_free(cartgen_p2p **p2p_p)
{
    if (p2p_p == NULL || *p2p_p == NULL)
        return;
    (*p2p_p)->comm->nplans--;
    release(*p2p_p);
    *p2p_p = NULL;
}

/* --- moving --- */

/* One direction of a call. memory: the caller's. */
typedef struct way {
    end *e; /* NULL: none */
    char *memory;
    MPI_Request requests[SLOTS];
} way;

static int64_t pieces_of(const way *w) { return w->e == NULL ? 0 : w->e->pieces; }

/* A piece in MPI's words, and in packed bytes. */
typedef struct piece {
    void *at;
    int count;
    MPI_Datatype type;
    int64_t first;
    int bytes;
} piece;

static piece piece_at(const way *w, int64_t k, int slot)
{
    const end *e = w->e;
    int64_t first = k * e->piece;
    int bytes = (int)cartgen_least(e->piece, e->own.bytes - first);
    if (e->typed)
        return (piece){w->memory, 1, e->type, first, bytes};
    char *at = e->staging != NULL ? e->staging + slot * e->piece : w->memory + e->at + first;
    return (piece){at, bytes, MPI_BYTE, first, bytes};
}

static MPI_Request *request_of(way *w, int64_t k) { return &w->requests[k % w->e->slots]; }

static piece piece_of_slot(const way *w, int64_t k) { return piece_at(w, k, (int)(k % w->e->slots)); }

static void pack(const way *w, const piece *p)
{
    const end *e = w->e;
    if (e->typed || e->staging == NULL)
        return;
    if (e->pieces == 1)
        e->calls->pack(e->layout, p->at, w->memory);
    else
        e->calls->pack_range(e->layout, p->at, w->memory, p->first, p->bytes);
}

static void unpack(const way *w, const piece *p)
{
    const end *e = w->e;
    if (e->typed || e->staging == NULL)
        return;
    if (e->pieces == 1)
        e->calls->unpack(e->layout, w->memory, p->at);
    else
        e->calls->unpack_range(e->layout, w->memory, p->at, p->first, p->bytes);
}

static cartgen_status wait_for(MPI_Request *request)
{
    return cg_mpi_check(MPI_Wait(request, MPI_STATUS_IGNORE), "MPI_Wait");
}

static cartgen_status post_send(way *w, int64_t k)
{
    piece p = piece_of_slot(w, k);
    cartgen_status status = wait_for(request_of(w, k));
    if (status != CARTGEN_OK)
        return status;
    pack(w, &p);
    return cg_mpi_check(MPI_Isend(p.at, p.count, p.type, w->e->peer, w->e->tag, comm_of(w->e),
                                  request_of(w, k)),
                        "MPI_Isend");
}

static cartgen_status post_recv(way *w, int64_t k)
{
    if (k >= pieces_of(w))
        return CARTGEN_OK;
    piece p = piece_of_slot(w, k);
    return cg_mpi_check(MPI_Irecv(p.at, p.count, p.type, w->e->peer, w->e->tag, comm_of(w->e),
                                  request_of(w, k)),
                        "MPI_Irecv");
}

static cartgen_status take(way *w, int64_t k)
{
    piece p = piece_of_slot(w, k);
    cartgen_status status = wait_for(request_of(w, k));
    if (status != CARTGEN_OK)
        return status;
    unpack(w, &p);
    return post_recv(w, k + w->e->slots);
}

/* After an error: nothing more is received. What is still being sent keeps its staging, which is lost. */
static void give_up(way *send, way *recv)
{
    for (int slot = 0; slot < SLOTS; slot++) {
        if (recv->requests[slot] != MPI_REQUEST_NULL) {
            MPI_Cancel(&recv->requests[slot]);
            MPI_Wait(&recv->requests[slot], MPI_STATUS_IGNORE);
        }
        if (send->requests[slot] != MPI_REQUEST_NULL) {
            MPI_Request_free(&send->requests[slot]);
            send->e->staging = NULL;
        }
    }
}

/* Piece k of one way is sent before piece k of the other is waited for. */
static cartgen_status move(way *send, way *recv)
{
    cartgen_status status = CARTGEN_OK;
    for (int slot = 0; slot < SLOTS; slot++)
        send->requests[slot] = recv->requests[slot] = MPI_REQUEST_NULL;
    for (int k = 0; recv->e != NULL && k < recv->e->slots && status == CARTGEN_OK; k++)
        status = post_recv(recv, k);
    for (int64_t k = 0; (k < pieces_of(send) || k < pieces_of(recv)) && status == CARTGEN_OK; k++) {
        if (k < pieces_of(send))
            status = post_send(send, k);
        if (k < pieces_of(recv) && status == CARTGEN_OK)
            status = take(recv, k);
    }
    for (int slot = 0; slot < SLOTS && status == CARTGEN_OK; slot++)
        status = wait_for(&send->requests[slot]);
    if (status != CARTGEN_OK)
        give_up(send, recv);
    return status;
}

/* Alone, without a request: faster for short messages. What leaves at once needs but one slot, which stays in the
 * cache. */
static cartgen_status send_blocking(const way *w)
{
    cartgen_status status = CARTGEN_OK;
    for (int64_t k = 0; k < w->e->pieces && status == CARTGEN_OK; k++) {
        piece p = piece_at(w, k, 0);
        pack(w, &p);
        status = cg_mpi_check(MPI_Send(p.at, p.count, p.type, w->e->peer, w->e->tag, comm_of(w->e)),
                              "MPI_Send");
    }
    return status;
}

/* The only piece. */
static cartgen_status receive_blocking(const way *w)
{
    piece p = piece_at(w, 0, 0);
    cartgen_status status = cg_mpi_check(
        MPI_Recv(p.at, p.count, p.type, w->e->peer, w->e->tag, comm_of(w->e), MPI_STATUS_IGNORE), "MPI_Recv");
    if (status == CARTGEN_OK)
        unpack(w, &p);
    return status;
}

/* Are messages sent whole? */
static int whole(const end *e)
{
    if (e->own.wish == CUT || e->theirs.wish == CUT)
        return 0;
    return e->own.wish == WHOLE || e->theirs.wish == WHOLE || e->own.bytes > e->comm->p2p.runs_most;
}

/* Hears what the other end told at its init, waiting for that, and comes to what both do. What the end itself told is not
 * waited for: with MPICH it leaves when it is received, which to itself a process does later. MPI may give a new communicator
 * what was sent over one before it and not received. */
static cartgen_status settle(const char *here, end *e)
{
    cartgen_status status = CARTGEN_OK;
    const int *mine = transport_of(e)->channels + (SEND + RECV - e->side) * e->comm->size;
    if (e->settled)
        return CARTGEN_OK;
    if (e->peer == e->comm->rank && e->tag >= CG_MPI_TAG_P2P + 2 * mine[e->peer])
        return cg_fail(CARTGEN_ERR_STATE, "%s: layout %s: no other end was made on rank %d, which is this one", here,
                       e->calls->name, e->peer);
    do {
        status = cg_mpi_check(MPI_Recv(&e->theirs, (int)sizeof e->theirs, MPI_BYTE, e->peer,
                                       e->tag + (e->side == SEND), comm_of(e), MPI_STATUS_IGNORE),
                              "MPI_Recv");
    } while (status == CARTGEN_OK && e->theirs.comm != e->own.comm);
    if (status != CARTGEN_OK)
        return status;
    if (whole(e))
        cut(e, e->own.bytes);
    e->typed = e->own.wish == WHOLE && e->pieces == 1;
    e->settled = 1;
    return CARTGEN_OK;
}

static cartgen_status compare(const char *here, const end *e)
{
    if (e->theirs.bytes == e->own.bytes && e->theirs.piece == e->own.piece)
        return CARTGEN_OK;
    return cg_fail(CARTGEN_ERR_MISMATCH,
                   "%s: layout %s has %lld bytes (pieces of %lld), on rank %d they are %lld (%lld)", here,
                   e->calls->name, (long long)e->own.bytes, (long long)e->own.piece, e->peer,
                   (long long)e->theirs.bytes, (long long)e->theirs.piece);
}

/* Opens a way, not settled perhaps. */
static cartgen_status open_way(const char *here, cartgen_p2p *p, int side, const void *memory, way *w)
{
    static const char *const names[] = {"send", "receive"};
    if (p == NULL)
        return refuse(here, "the cartgen_p2p is NULL");
    end *e = &p->end[side];
    if (!(p->ends & 1 << side))
        return cg_fail(CARTGEN_ERR_ARGUMENT, "%s: layout %s was not made to %s", here, e->calls->name, names[side]);
    if (memory == NULL && e->own.bytes > 0)
        return refuse(here, "an address is NULL");
    w->e = e;
    w->memory = (char *)(uintptr_t)memory;
    return CARTGEN_OK;
}

cartgen_status cartgen_p2p_send(cartgen_p2p *p2p, const void *from)
{
    static const char here[] = "cartgen_p2p_send";
    way send;
    cartgen_status status = open_way(here, p2p, SEND, from, &send);
    if (status == CARTGEN_OK)
        status = settle(here, send.e);
    if (status == CARTGEN_OK)
        status = compare(here, send.e);
    if (status != CARTGEN_OK)
        return status;
    if (send.e->pieces <= 1 || send.e->piece <= send.e->comm->eager)
        return send_blocking(&send);
    way none = {.e = NULL};
    return move(&send, &none);
}

cartgen_status cartgen_p2p_recv(cartgen_p2p *p2p, void *to)
{
    static const char here[] = "cartgen_p2p_recv";
    way recv;
    cartgen_status status = open_way(here, p2p, RECV, to, &recv);
    if (status == CARTGEN_OK)
        status = settle(here, recv.e);
    if (status == CARTGEN_OK)
        status = compare(here, recv.e);
    if (status != CARTGEN_OK || recv.e->pieces == 0)
        return status;
    if (recv.e->pieces == 1)
        return receive_blocking(&recv);
    way none = {.e = NULL};
    return move(&none, &recv);
}

cartgen_status cartgen_p2p_sendrecv(cartgen_p2p *send, const void *from, cartgen_p2p *recv, void *to)
{
    static const char here[] = "cartgen_p2p_sendrecv";
    way out;
    way in;
    cartgen_status status = open_way(here, send, SEND, from, &out);
    if (status == CARTGEN_OK)
        status = open_way(here, recv, RECV, to, &in);
    if (status == CARTGEN_OK)
        status = settle(here, out.e);
    if (status == CARTGEN_OK)
        status = settle(here, in.e);
    if (status == CARTGEN_OK)
        status = compare(here, out.e);
    if (status == CARTGEN_OK)
        status = compare(here, in.e);
    return status != CARTGEN_OK ? status : move(&out, &in);
}
