/* SPDX-License-Identifier: MIT */
#include "methods.h"

#include <stdio.h>
#include <stdlib.h>

#include "cartgen_method.h"
#include "content.h"
#include "harness/cell.h"
#include "manual.h"

void ddt_stop(const char *what)
{
    fprintf(stderr, "ddtbench: error: %s\n", what);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

/* Message buffers; none to receive into where the array itself will do. */
static void open_buffers(ddt_state *s, int direct)
{
    s->out = ddt_message_get(s->c->bytes);
    s->in = direct ? NULL : ddt_message_get(s->c->bytes);
}

static void close_buffers(ddt_state *s)
{
    ddt_message_free(s->out);
    ddt_message_free(s->in);
}

/* --- manual ----------------------------------------------------------------------------------- */

static void manual_open(ddt_state *s, void *const arrays[])
{
    (void)arrays;
    open_buffers(s, s->c->recv_contiguous);
}

static void manual_pack(const ddt_state *s, void *const arrays[], void *packed)
{
    ddt_manual_pack(s->c, arrays, packed);
}

static void manual_unpack(const ddt_state *s, void *const arrays[], const void *packed)
{
    ddt_manual_unpack(s->c, arrays, packed);
}

/* The stream as floats or doubles. */
static ddt_message basic_message(const ddt_state *s, ddt_side side, void *const arrays[])
{
    int width = s->c->elem_bytes == 4 ? 4 : 8;
    void *received = s->in != NULL ? s->in : arrays[s->c->base[DDT_RECV]];
    return (ddt_message){side == DDT_SEND ? s->out : received, (int)(s->c->bytes / width),
                         width == 4 ? MPI_FLOAT : MPI_DOUBLE};
}

/* --- MPI's types ------------------------------------------------------------------------------ */

static void *type_address(const ddt_state *s, ddt_side side, void *const arrays[])
{
    return (char *)arrays[s->c->base[side]] + s->types[side].start;
}

static void types_open(ddt_state *s, void *const arrays[])
{
    for (int side = 0; side < 2; side++) {
        int size;
        s->types[side] = ddt_type_make(s->c, (ddt_side)side, arrays);
        MPI_Type_size(s->types[side].type, &size);
        if ((int64_t)size * s->types[side].count != s->c->bytes)
            ddt_stop("an MPI type has another size than its test");
    }
}

static void types_close(ddt_state *s)
{
    for (int side = 0; side < 2; side++)
        MPI_Type_free(&s->types[side].type);
}

static ddt_message types_message(const ddt_state *s, ddt_side side, void *const arrays[])
{
    const ddt_type *t = &s->types[side];
    return (ddt_message){type_address(s, side, arrays), t->count, t->type};
}

static void packed_open(ddt_state *s, void *const arrays[])
{
    types_open(s, arrays);
    open_buffers(s, 0);
}

static void packed_close(ddt_state *s)
{
    types_close(s);
    close_buffers(s);
}

static void packed_pack(const ddt_state *s, void *const arrays[], void *packed)
{
    const ddt_type *t = &s->types[DDT_SEND];
    int position = 0;
    MPI_Pack(type_address(s, DDT_SEND, arrays), t->count, t->type, packed, (int)s->c->bytes,
             &position, MPI_COMM_WORLD);
}

static void packed_unpack(const ddt_state *s, void *const arrays[], const void *packed)
{
    const ddt_type *t = &s->types[DDT_RECV];
    int position = 0;
    MPI_Unpack(packed, (int)s->c->bytes, &position, type_address(s, DDT_RECV, arrays), t->count,
               t->type, MPI_COMM_WORLD);
}

static ddt_message packed_message(const ddt_state *s, ddt_side side, void *const arrays[])
{
    (void)arrays;
    return (ddt_message){side == DDT_SEND ? s->out : s->in, (int)s->c->bytes, MPI_PACKED};
}

/* --- reference: a contiguous message ---------------------------------------------------------- */

static void reference_open(ddt_state *s, void *const arrays[])
{
    (void)arrays;
    open_buffers(s, 0);
}

static ddt_message reference_message(const ddt_state *s, ddt_side side, void *const arrays[])
{
    (void)arrays;
    return (ddt_message){side == DDT_SEND ? s->out : s->in, (int)(s->c->bytes / 4), MPI_FLOAT};
}

/* --- messages of one call of MPI -------------------------------------------------------------- */

enum { TAG = 0 };

static void send_message(const ddt_state *s, void *const arrays[], int peer)
{
    ddt_message m = s->method->message(s, DDT_SEND, arrays);
    MPI_Send(m.buffer, m.count, m.type, peer, TAG, s->mpi);
}

static void receive_message(const ddt_state *s, void *const arrays[], int peer)
{
    ddt_message m = s->method->message(s, DDT_RECV, arrays);
    MPI_Recv(m.buffer, m.count, m.type, peer, TAG, s->mpi, MPI_STATUS_IGNORE);
}

static void exchange_messages(const ddt_state *s, void *const arrays[])
{
    ddt_message from = s->method->message(s, DDT_SEND, arrays);
    ddt_message to = s->method->message(s, DDT_RECV, arrays);
    MPI_Alltoall(from.buffer, from.count / s->c->ranks, from.type, to.buffer,
                 to.count / s->c->ranks, to.type, s->mpi);
}

const ddt_method ddt_methods[] = {
    {"cartgen", 0, ddt_cartgen_method_offered, ddt_cartgen_method_open, ddt_cartgen_method_close,
     ddt_cartgen_method_pack, ddt_cartgen_method_unpack, NULL, ddt_cartgen_method_send,
     ddt_cartgen_method_receive, ddt_cartgen_method_exchange},
    {"manual", 0, NULL, manual_open, close_buffers, manual_pack, manual_unpack, basic_message,
     send_message, receive_message, exchange_messages},
    {"mpi_ddt", 0, NULL, types_open, types_close, NULL, NULL, types_message, send_message,
     receive_message, exchange_messages},
    {"mpi_pack_ddt", 0, NULL, packed_open, packed_close, packed_pack, packed_unpack,
     packed_message, send_message, receive_message, exchange_messages},
    {"reference", 1, NULL, reference_open, close_buffers, NULL, NULL, reference_message,
     send_message, receive_message, exchange_messages},
};
const int ddt_method_count = sizeof(ddt_methods) / sizeof(ddt_methods[0]);

int ddt_method_offered(const ddt_method *m, const ddt_case *c)
{
    return m->offered == NULL || m->offered(c);
}

void ddt_method_open(const ddt_method *m, const ddt_case *c, void *const arrays[], MPI_Comm mpi,
                     cartgen_comm *comm, ddt_state *s_p)
{
    *s_p = (ddt_state){.method = m, .c = c, .mpi = mpi, .comm = comm};
    m->open(s_p, arrays);
}

void ddt_method_close(ddt_state *s)
{
    s->method->close(s);
}

int ddt_method_packs(const ddt_state *s)
{
    return s->method->pack != NULL && s->out != NULL;
}

int ddt_method_unpacks(const ddt_state *s)
{
    return s->method->unpack != NULL && s->in != NULL;
}
