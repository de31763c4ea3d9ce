/* SPDX-License-Identifier: MIT */
#include "work.h"

#include <stdlib.h>
#include <string.h>

#include "cartgen/mpi.h"
#include "harness/cell.h"
#include "harness/timer.h"

static int alltoall(const ddt_work *w)
{
    return w->given.test->family == DDT_FFT2;
}

int ddt_work_make(const ddt_test *test, const ddt_size *size, MPI_Comm comm, unsigned seed,
                  const char *plant, ddt_work *w)
{
    int ranks;
    memset(w, 0, sizeof(*w));
    MPI_Comm_size(comm, &ranks);
    MPI_Comm_rank(comm, &w->rank);
    for (int r = 0; r < 2; r++) {
        if (ddt_case_make(test, size, ranks, &w->cases[r]) != 0) {
            ddt_work_free(w);
            return 1;
        }
    }
    w->comm = comm;
    if (cartgen_comm_from_mpi(comm, 1, &ranks, &(const int){0}, &w->grid) != CARTGEN_OK) {
        ddt_work_free(w);
        return bench_fail("%s", cartgen_last_error());
    }
    w->plant = plant;
    ddt_view *v = &w->view;
    *v = (ddt_view){.cases = {&w->cases[0], &w->cases[1]}, .me = w->rank, .seed = seed};
    ddt_slab_layout(&w->cases[0], v->start, &v->slab_bytes);
    v->slab = ddt_memory_get(v->slab_bytes);
    ddt_work_refill(w);
    w->given = w->cases[w->rank < 2 ? w->rank : 0];
    for (int a = 0; a < w->given.narrays; a++) {
        w->arrays[0][a] = v->slab + v->start[a];
        w->arrays[1][alltoall(w) ? 1 - a : a] = v->slab + v->start[a];
    }
    return 0;
}

void ddt_work_free(ddt_work *w)
{
    for (int i = 0; i < w->given.nlists; i++) {
        if (w->given.list[i] != w->cases[w->rank].list[i])
            free(w->given.list[i]);
    }
    ddt_case_free(&w->cases[0]);
    ddt_case_free(&w->cases[1]);
    free(w->view.slab);
    cartgen_comm_free(&w->grid);
}

/* The fault `index`: the methods' lists have two entries swapped. */
static void plant_index(ddt_work *w)
{
    for (int i = 0; i < w->given.nlists; i++) {
        size_t bytes = (size_t)w->given.list_length[i] * sizeof(int);
        const int *right = w->view.cases[w->rank]->list[i];
        if (w->given.list[i] == right)
            w->given.list[i] = ddt_memory_get((int64_t)bytes);
        int *list = w->given.list[i];
        memcpy(list, right, bytes);
        if (strcmp(w->plant, "index") == 0) {
            list[0] = right[1];
            list[1] = right[0];
        }
    }
}

int ddt_work_draw(ddt_work *w, int round)
{
    for (int r = 0; r < 2; r++) {
        if (ddt_case_draw(&w->cases[r], w->view.seed, r, round) != 0)
            return 1;
    }
    if (w->plant != NULL)
        plant_index(w);
    return 0;
}

void ddt_work_refill(ddt_work *w)
{
    ddt_content_fill(w->view.slab, w->view.slab_bytes,
                     ddt_content_key(w->view.seed, w->rank));
}

static void pack(const ddt_work *w, const ddt_state *s, int back)
{
    if (ddt_method_packs(s))
        s->method->pack(s, w->arrays[back], s->out);
}

static void unpack(const ddt_work *w, const ddt_state *s, int back)
{
    if (ddt_method_unpacks(s))
        s->method->unpack(s, w->arrays[back], s->in);
}

static void send(const ddt_work *w, const ddt_state *s, int back)
{
    s->method->send(s, w->arrays[back], 1 - w->rank);
}

static void receive(const ddt_work *w, const ddt_state *s, int back)
{
    s->method->receive(s, w->arrays[back], 1 - w->rank);
}

static void transpose(const ddt_work *w, const ddt_state *s, int back)
{
    s->method->exchange(s, w->arrays[back]);
}

static void round_of_first(const ddt_work *w, const ddt_state *s, double stamps[4])
{
    int all = alltoall(w);
    stamps[0] = bench_now();
    pack(w, s, 0);
    stamps[1] = bench_now();
    if (all) {
        transpose(w, s, 0);
        unpack(w, s, 0);
        pack(w, s, 1);
        transpose(w, s, 1);
    } else {
        send(w, s, 0);
        receive(w, s, 1);
    }
    stamps[2] = bench_now();
    unpack(w, s, 1);
    stamps[3] = bench_now();
}

static void round_of_second(const ddt_work *w, const ddt_state *s)
{
    receive(w, s, 0);
    unpack(w, s, 0);
    pack(w, s, 1);
    send(w, s, 1);
}

void ddt_work_round(ddt_work *w, const ddt_state *s, double stamps[4])
{
    if (w->rank == 0 || alltoall(w))
        round_of_first(w, s, stamps);
    else
        round_of_second(w, s);
}

static void look_at(ddt_work *w, const ddt_state *s, int back)
{
    w->view.turned = alltoall(w) && back;
    w->view.flat = s->method->flat;
    w->view.message = s->in;
}

static void check_guards(const ddt_work *w, const ddt_state *s, int rest, ddt_faults *faults)
{
    ddt_message_check(s->out, s->c->bytes, faults);
    ddt_message_check(s->in, s->c->bytes, faults);
    if (rest)
        ddt_check_rest(&w->view, faults);
}

/* One direction, checked. */
static void verify_half(ddt_work *w, const ddt_state *s, int back, ddt_faults *faults)
{
    int sends = alltoall(w) || w->rank == back;
    int receives = alltoall(w) || w->rank != back;
    look_at(w, s, back);
    if (sends) {
        pack(w, s, back);
        if (s->out != NULL)
            ddt_check_packed(&w->view, s->out, faults);
    }
    if (alltoall(w))
        transpose(w, s, back);
    else if (sends)
        send(w, s, back);
    else
        receive(w, s, back);
    if (receives) {
        unpack(w, s, back);
        if (w->plant != NULL)
            ddt_plant(&w->view, w->plant);
        ddt_check_received(&w->view, 0, faults);
    }
    check_guards(w, s, 1, faults);
}

/* A message to oneself that is a plain stream on one end: what a type sends, and where it puts what it receives; or
 * what is packed and unpacked. Between two processes a wrong order of both would cancel out. */
static void verify_ends(ddt_work *w, const ddt_state *s, int back, ddt_faults *faults)
{
    enum { TAG = 0 };
    MPI_Datatype basic = s->c->elem_bytes == 4 ? MPI_FLOAT : MPI_DOUBLE;
    int count = (int)(s->c->bytes / (s->c->elem_bytes == 4 ? 4 : 8));
    unsigned char *stream = ddt_message_get(s->c->bytes);
    look_at(w, s, back);
    memset(stream, 0, (size_t)s->c->bytes);
    if (s->method->message != NULL) {
        ddt_message from = s->method->message(s, DDT_SEND, w->arrays[back]);
        MPI_Sendrecv(from.buffer, from.count, from.type, 0, TAG, stream, count, basic, 0, TAG,
                     MPI_COMM_SELF, MPI_STATUS_IGNORE);
    } else {
        s->method->pack(s, w->arrays[back], stream);
    }
    ddt_check_packed(&w->view, stream, faults);
    ddt_view_stream(&w->view, stream);
    if (s->method->message != NULL) {
        ddt_message to = s->method->message(s, DDT_RECV, w->arrays[back]);
        MPI_Sendrecv(stream, count, basic, 0, TAG, to.buffer, to.count, to.type, 0, TAG,
                     MPI_COMM_SELF, MPI_STATUS_IGNORE);
    } else {
        s->method->unpack(s, w->arrays[back], stream);
    }
    ddt_check_received(&w->view, 0, faults);
    ddt_message_check(stream, s->c->bytes, faults);
    ddt_check_rest(&w->view, faults);
    ddt_message_free(stream);
}

void ddt_work_prepare(const ddt_work *w, const ddt_state *s)
{
    if (!s->method->flat)
        return;
    ddt_content_fill(s->out, s->c->bytes, ddt_content_key(w->view.seed, w->rank));
    memset(s->in, 0, (size_t)s->c->bytes);
}

void ddt_work_verify(ddt_work *w, const ddt_state *s, ddt_faults *faults)
{
    if (s->out == NULL)
        verify_ends(w, s, 0, faults);
    ddt_work_prepare(w, s);
    verify_half(w, s, 0, faults);
    ddt_work_prepare(w, s);
    verify_half(w, s, 1, faults);
}

void ddt_work_check(ddt_work *w, const ddt_state *s, int rest, ddt_faults *faults)
{
    /* What came back to process 0 over places that are sent and received is its own. FFT2 ends with
     * the first array as it was, and the second one as the way there left it. */
    int own = w->rank == 0 && s->c->echo && !s->method->flat;
    look_at(w, s, 0);
    ddt_check_received(&w->view, own, faults);
    check_guards(w, s, rest, faults);
}


void ddt_faults_share(ddt_faults *faults, MPI_Comm comm)
{
    int64_t sum;
    int rank;
    int speaker;
    MPI_Comm_rank(comm, &rank);
    int mine = faults->count > 0 ? rank : 1 << 30;
    MPI_Allreduce(&faults->count, &sum, 1, MPI_INT64_T, MPI_SUM, comm);
    MPI_Allreduce(&mine, &speaker, 1, MPI_INT, MPI_MIN, comm);
    if (sum > 0)
        MPI_Bcast(faults->first, DDT_FAULT_TEXT, MPI_CHAR, speaker, comm);
    faults->count = sum;
}
