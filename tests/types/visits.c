/* SPDX-License-Identifier: MIT */
/*
 * visits.c - what a schedule tells a visitor of random layouts (visits.lua), and the MPI datatype made from it,
 * against its pack and unpack functions.
 */
#include "cases.h"
#include "mpi_internal.h"
#include "support.h"

typedef struct visit_case {
    const cartgen_schedule *schedule;
    void (*set)(void *state, const int64_t *values);
    const int64_t *values;
} visit_case;

#include "cases.inc"

enum { NCASES = sizeof cases / sizeof cases[0], MOST_EVENTS = 65536, MOST_SPAN = 1 << 20 };

/* --- what a visitor was told, played back --- */

typedef enum kind { RUN, LOOP, LIST, END } kind;

typedef struct event {
    kind what;
    int64_t at, count, stride, scale;
    const int64_t *index, *lengths;
} event;

static event events[MOST_EVENTS];
static size_t nevents;
static int64_t skew; /* planted: bytes that every loop's stride is too long */

static void note(event e)
{
    must(nevents < MOST_EVENTS, "too many events");
    events[nevents++] = e;
}

static void run(void *state, int64_t at, int64_t bytes)
{
    (void)state;
    note((event){.what = RUN, .at = at, .count = bytes});
}

static void loop(void *state, int64_t at, int64_t count, int64_t stride)
{
    (void)state;
    note((event){.what = LOOP, .at = at, .count = count, .stride = stride + (count > 1 ? skew : 0)});
}

static void list(void *state, int64_t at, int64_t count, const int64_t *index, int64_t scale,
                 const int64_t *lengths, int64_t stride)
{
    (void)state;
    note((event){LIST, at, count, stride, scale, index, lengths});
}

static void end(void *state)
{
    (void)state;
    note((event){.what = END});
}

typedef struct stream {
    const char *from; /* origin of the layout; low and high: what of it there is, from there */
    int64_t low, high;
    char *to;
    size_t bytes, room;
    double runs;
} stream;

static size_t play(size_t first, int64_t at, stream *s);

/* The events after `first` up to their end, at `at`; the number after them. */
static size_t play_body(size_t first, int64_t at, stream *s)
{
    while (first < nevents && events[first].what != END)
        first = play(first, at, s);
    return first + 1;
}

static size_t play(size_t first, int64_t at, stream *s)
{
    const event *e = &events[first];
    size_t next = first + 1;
    at += e->at;
    if (e->what == RUN) {
        s->runs += e->count > 0;
        if (s->to != NULL && at >= s->low && at + e->count <= s->high && s->bytes + (size_t)e->count <= s->room)
            memcpy(s->to + s->bytes, s->from + at, (size_t)e->count);
        s->bytes += (size_t)e->count;
        return next;
    }
    size_t after = play_body(next, 0, &(stream){0}); /* places outside it: only counts */
    for (int64_t i = 0; i < e->count; i++) {
        int64_t copies = e->lengths != NULL ? e->lengths[i] : 1;
        for (int64_t j = 0; j < copies; j++) {
            int64_t place = e->what == LOOP ? i * e->stride : e->index[i] * e->scale + j * e->stride;
            play_body(next, at + place, s);
        }
    }
    return after;
}

/* --- one layout --- */

static char pattern(size_t i) { return (char)(i * 131 + i / 7 * 29 + 5); }

static int differ(const char *a, const char *b, size_t bytes) { return memcmp(a, b, bytes) != 0; }

/* Does the datatype of a kernel do what the kernel does? memory, other: the span of the block. */
static int check_datatype(const cartgen_schedule *schedule, void *state, const cartgen_block *block,
                          const char *packed, char *memory, char *other)
{
    size_t bytes = (size_t)block->bytes, span = (size_t)block->span;
    cg_record record = {.type = (uint32_t)block->shape, .bytes = bytes};
    cg_round round = {.sends = &record, .nsends = 1};
    cartgen_plan plan = {.schedule = schedule, .params = state, .nrounds = 1, .rounds = &round};
    MPI_Datatype *types = malloc(schedule->nkernels * sizeof *types);
    char *out = malloc(bytes);
    must(types != NULL && out != NULL, "memory");
    int position = 0, size = 0;
    for (uint32_t i = 0; i < schedule->nkernels; i++)
        types[i] = MPI_DATATYPE_NULL;
    OK(cg_mpi_datatypes(&plan, types));
    MPI_Datatype type = types[block->shape - 1];
    MPI_Type_size(type, &size);
    MPI_Pack(memory - block->low, 1, type, out, (int)bytes, &position, MPI_COMM_SELF);
    int wrong = size != block->bytes || position != block->bytes || differ(out, packed, bytes);
    memset(memory, 0x5a, span);
    memset(other, 0x5a, span);
    for (size_t i = 0; i < bytes; i++)
        out[i] = pattern(i + 77);
    schedule->kernels[block->shape - 1].unpack(other - block->low, out, state);
    position = 0;
    MPI_Unpack(out, (int)bytes, &position, memory - block->low, 1, type, MPI_COMM_SELF);
    wrong = wrong || differ(memory, other, span);
    MPI_Type_free(&types[block->shape - 1]);
    free(types);
    free(out);
    return wrong;
}

/* Is what the visitor is told wrong (1), or the datatype (2)? receives: the block may be unpacked into. */
static int check_block(const cartgen_schedule *schedule, void *state, const cartgen_block *block, int receives)
{
    const cartgen_kernel *kernel = &schedule->kernels[block->shape - 1];
    cartgen_visitor visitor = {NULL, run, loop, list, end};
    size_t bytes = (size_t)block->bytes, span = (size_t)block->span;
    char *memory = malloc(span), *other = malloc(span), *packed = malloc(bytes), *told = calloc(bytes, 1);
    must(memory != NULL && other != NULL && packed != NULL && told != NULL, "memory");
    for (size_t i = 0; i < span; i++)
        memory[i] = pattern(i);
    kernel->pack(packed, memory - block->low, state);
    nevents = 0;
    kernel->visit(&visitor, state);
    stream s = {memory - block->low, block->low, block->low + block->span, told, 0, bytes, 0};
    size_t at = 0;
    while (at < nevents)
        at = play(at, 0, &s);
    int wrong = s.bytes != bytes || differ(told, packed, bytes) || s.runs != cg_count_runs(kernel, state);
    if (!wrong && receives && skew == 0 && check_datatype(schedule, state, block, packed, memory, other))
        wrong = 2;
    free(memory);
    free(other);
    free(packed);
    free(told);
    return wrong;
}

/* Layouts with a kernel that a case has, and how many of them are wrong. */
static void check_case(const visit_case *c, int *layouts_p, int *wrong_p)
{
    const cartgen_schedule *schedule = c->schedule;
    void *state = calloc(schedule->state_bytes + 1, 1);
    cartgen_block blocks[2];
    must(state != NULL, "memory");
    if (c->set != NULL)
        c->set(state, c->values);
    if (schedule->prepare == NULL || OK(schedule->prepare(state))) {
        schedule->layout(state, &blocks[0], &blocks[1]);
        for (int side = 0; side < 2; side++) {
            if (blocks[side].shape == 0 || blocks[side].bytes <= 0 || blocks[side].span > MOST_SPAN)
                continue;
            int wrong = check_block(schedule, state, &blocks[side], side == 1);
            ++*layouts_p;
            *wrong_p += wrong != 0;
            if (wrong && skew == 0 && faults++ < 10)
                fprintf(stderr, "%s, %s block: the %s\n", schedule->name, side == 0 ? "send" : "receive",
                        wrong == 1 ? "visit is not what is packed" : "datatype is not what is packed");
        }
        if (schedule->release != NULL)
            schedule->release(state);
    }
    free(state);
}

int main(int argc, char **argv)
{
    int layouts = 0, wrong = 0, planted = 0;
    begin_test(&argc, &argv);
    for (skew = 0; skew < 2; skew++) {
        for (int i = 0; i < NCASES; i++)
            check_case(&cases[i], &layouts, skew == 0 ? &wrong : &planted);
    }
    printf("%d layouts, %d wrong, %d with planted strides found\n", layouts / 2, wrong, planted);
    CHECK(layouts > NCASES / 2);
    CHECK(planted > layouts / 8);
    return end_test();
}
