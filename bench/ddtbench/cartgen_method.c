/* SPDX-License-Identifier: MIT */
#include "cartgen_method.h"

#include <stdlib.h>

#include "cartgen/p2p.h"
#include "cartgen_slot.h"
#include "content.h"
#include "harness/cell.h"

struct ddt_cartgen_state {
    const ddt_cartgen *layouts;
    void *layout[2];    /* by ddt_side */
    cartgen_p2p *p2p[2];
    int rank;
    int nparts;         /* FFT2, between processes: one layout a process, in place of the messages above */
    void **part;
    cartgen_p2p **part_p2p;
};

static void must(cartgen_status status)
{
    if (status != CARTGEN_OK)
        ddt_stop(cartgen_last_error());
}

int ddt_cartgen_method_offered(const ddt_case *c)
{
    return ddt_cartgen_open(c->test->name, c->size->name) != NULL;
}

static void open_parts(ddt_state *s, ddt_cartgen_state *own)
{
    const ddt_cartgen_part *part = &ddt_cartgen_fft2_part;
    own->nparts = s->c->ranks;
    own->rank = cartgen_comm_rank(s->comm);
    own->part = ddt_memory_get(own->nparts * (int64_t)sizeof *own->part);
    own->part_p2p = ddt_memory_get(own->nparts * (int64_t)sizeof *own->part_p2p);
    for (int r = 0; r < own->nparts; r++) {
        own->part[r] = ddt_memory_get((int64_t)part->bytes);
        own->part_p2p[r] = NULL;
        if (part->init(own->part[r], s->c, r) != 0)
            ddt_stop(bench_error());
        if (r != own->rank)
            must(cartgen_p2p_init(part->calls, own->part[r], CARTGEN_P2P_BOTH, r, s->comm, &own->part_p2p[r]));
    }
}

void ddt_cartgen_method_open(ddt_state *s, void *const arrays[])
{
    static const cartgen_p2p_ends ends[2] = {CARTGEN_P2P_SEND, CARTGEN_P2P_RECV};
    int all = s->c->test->family == DDT_FFT2;
    ddt_cartgen_state *own = ddt_memory_get(sizeof *own);
    (void)arrays;
    *own = (ddt_cartgen_state){.layouts = ddt_cartgen_open(s->c->test->name, s->c->size->name)};
    for (int side = 0; side < 2; side++) {
        const ddt_cartgen_layout *l = &own->layouts->side[side];
        own->layout[side] = ddt_memory_get((int64_t)l->bytes);
        if (l->init(own->layout[side], s->c) != 0)
            ddt_stop(bench_error());
        if (l->calls->size(own->layout[side]) != s->c->bytes)
            ddt_stop("a generated layout has another size than its test");
        if (s->comm != NULL && !all)
            must(cartgen_p2p_init(l->calls, own->layout[side], ends[side], 1 - cartgen_comm_rank(s->comm), s->comm, &own->p2p[side]));
    }
    if (s->comm != NULL && all)
        open_parts(s, own);
    s->cartgen = own;
}

void ddt_cartgen_method_close(ddt_state *s)
{
    ddt_cartgen_state *own = s->cartgen;
    for (int side = 0; side < 2; side++) {
        cartgen_p2p_free(&own->p2p[side]);
        own->layouts->side[side].free(own->layout[side]);
        free(own->layout[side]);
    }
    for (int r = 0; r < own->nparts; r++) {
        cartgen_p2p_free(&own->part_p2p[r]);
        ddt_cartgen_fft2_part.free(own->part[r]);
        free(own->part[r]);
    }
    free(own->part_p2p);
    free(own->part);
    free(own);
}

void ddt_cartgen_method_pack(const ddt_state *s, void *const arrays[], void *packed)
{
    s->cartgen->layouts->side[DDT_SEND].pack(s->cartgen->layout[DDT_SEND], packed, arrays);
}

void ddt_cartgen_method_unpack(const ddt_state *s, void *const arrays[], const void *packed)
{
    s->cartgen->layouts->side[DDT_RECV].unpack(s->cartgen->layout[DDT_RECV], arrays, packed);
}

/* The peer is known since the method was opened. */
void ddt_cartgen_method_send(const ddt_state *s, void *const arrays[], int peer)
{
    (void)peer;
    void *room[DDT_ARRAYS];
    const ddt_cartgen_layout *l = &s->cartgen->layouts->side[DDT_SEND];
    must(cartgen_p2p_send(s->cartgen->p2p[DDT_SEND], l->memory(arrays, room)));
}

void ddt_cartgen_method_receive(const ddt_state *s, void *const arrays[], int peer)
{
    (void)peer;
    void *room[DDT_ARRAYS];
    const ddt_cartgen_layout *l = &s->cartgen->layouts->side[DDT_RECV];
    must(cartgen_p2p_recv(s->cartgen->p2p[DDT_RECV], (void *)(uintptr_t)l->memory(arrays, room)));
}

/* What stays is moved straight; then with the process i before and the one i behind. */
void ddt_cartgen_method_exchange(const ddt_state *s, void *const arrays[])
{
    const ddt_cartgen_state *own = s->cartgen;
    ddt_cartgen_fft2_part.keep(own->part[own->rank], arrays[1], arrays[0]);
    for (int i = 1; i < own->nparts; i++) {
        int to = (own->rank + i) % own->nparts;
        int from = (own->rank + own->nparts - i) % own->nparts;
        must(cartgen_p2p_sendrecv(own->part_p2p[to], arrays[0], own->part_p2p[from], arrays[1]));
    }
}
