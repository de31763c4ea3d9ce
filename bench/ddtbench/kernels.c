/* SPDX-License-Identifier: MIT */
#include "kernels.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "content.h"
#include "harness/cell.h"
#include "harness/timer.h"
#include "oracle.h"
#include "random.h"

enum { METHODS = 8, OPS = 2 * METHODS + 1, VERBS = 3, FFT_RANKS = 2, LINE = 64 };

static const int64_t rotated[DDT_CACHES] = {0, INT64_C(16) << 20, INT64_C(256) << 20};
static const double batch_seconds = 50e-6; /* of hot runs */

typedef enum verb { PACK, UNPACK, COPY } verb;

static const char *const verb_names[VERBS] = {"pack", "unpack", "memcpy"};

/* What is timed: a verb of a method; the verb COPY has none. */
typedef struct op {
    verb verb;
    const ddt_state *s;
    double *ns; /* [laps], per run */
    double median;
} op;

/* Copies of a case: slots of a slab and a packed stream. */
typedef struct copies {
    ddt_case cases[2]; /* of two processes: the second one is where the stream comes from */
    unsigned char *slots;
    int64_t slot;
    int64_t slab;
    int64_t start[DDT_ARRAYS];
    int64_t count;
    int64_t line_bytes[VERBS]; /* of the layout alone */
    unsigned char *ballast;
    int64_t rotated;
} copies;

typedef struct kernel_bench {
    const ddt_options *o;
    const ddt_output *output;
    unsigned char *ballast;
    uint64_t order;
    int wrong;
    ddt_state states[METHODS];
    int nstates;
    op ops[OPS];
    int nops;
    ddt_mean floors[DDT_CACHES][VERBS][METHODS]; /* of the method's time to memcpy's */
    ddt_mean bests[DDT_CACHES][VERBS][METHODS];  /* of the best other method's to the method's */
} kernel_bench;

static volatile uint64_t sink;

static void sweep(const unsigned char *memory, int64_t bytes)
{
    uint64_t sum = 0;
    for (int64_t i = 0; i < bytes; i += LINE)
        sum += memory[i];
    sink = sum;
}

static void arrays_of(const copies *k, int64_t copy, void *arrays[DDT_ARRAYS])
{
    for (int a = 0; a < k->cases[0].narrays; a++)
        arrays[a] = k->slots + copy * k->slot + k->start[a];
}

static unsigned char *packed_of(const copies *k, int64_t copy)
{
    return k->slots + copy * k->slot + k->slab;
}

static void run(const copies *k, const op *o, void *const arrays[], unsigned char *packed)
{
    switch (o->verb) {
    case PACK: o->s->method->pack(o->s, arrays, packed); break;
    case UNPACK: o->s->method->unpack(o->s, arrays, packed); break;
    case COPY: memcpy(packed, arrays[0], (size_t)k->cases[0].bytes); break;
    }
}

/* Nanoseconds per run of `runs` on the first copy. */
static double time_hot(const copies *k, const op *o, int64_t runs)
{
    void *arrays[DDT_ARRAYS];
    arrays_of(k, 0, arrays);
    double start = bench_now();
    for (int64_t i = 0; i < runs; i++)
        run(k, o, arrays, packed_of(k, 0));
    return 1e9 * (bench_now() - start) / (double)runs;
}

static double lap_hot(const copies *k, const op *o)
{
    int64_t runs = 1;
    double ns = time_hot(k, o, runs);
    while (runs < 1 << 20 && ns * (double)runs < 0.5e9 * batch_seconds)
        ns = time_hot(k, o, runs *= 2);
    return time_hot(k, o, runs);
}

static double lap_rotating(const copies *k, const op *o)
{
    int64_t used = k->count * (k->line_bytes[o->verb] + k->cases[0].bytes);
    sweep(k->ballast, k->rotated - used);
    double start = bench_now();
    for (int64_t copy = 0; copy < k->count; copy++) {
        void *arrays[DDT_ARRAYS];
        arrays_of(k, copy, arrays);
        run(k, o, arrays, packed_of(k, copy));
    }
    return 1e9 * (bench_now() - start) / (double)k->count;
}

static double lap(const copies *k, const op *o)
{
    if (k->rotated == 0)
        return lap_hot(k, o);
    lap_rotating(k, o);
    return lap_rotating(k, o);
}

static void copies_make(const kernel_bench *b, ddt_cache cache, copies *k)
{
    const ddt_case *c = &k->cases[0];
    ddt_slab_layout(c, k->start, &k->slab);
    k->slot = k->slab + (c->bytes / LINE + 2) * LINE;
    k->rotated = rotated[cache];
    k->ballast = b->ballast;
    k->count = k->rotated / k->slot;
    if (k->count == 0)
        k->count = 1;
    k->slots = ddt_memory_get(k->count * k->slot);
    for (int64_t copy = 0; copy < k->count; copy++) {
        unsigned char *slot = k->slots + copy * k->slot;
        ddt_content_fill(slot, k->slot, ddt_content_key(b->o->seed, 0));
    }
}

/* The streams of every method on the first copy. */
static void verify(kernel_bench *b, const copies *k)
{
    const ddt_case *c = &k->cases[0];
    void *arrays[DDT_ARRAYS];
    unsigned char *stream = ddt_message_get(c->bytes);
    ddt_view v = {.cases = {&k->cases[0], &k->cases[1]}, .seed = b->o->seed, .slab = k->slots,
                  .slab_bytes = k->slab};
    memcpy(v.start, k->start, sizeof(v.start));
    arrays_of(k, 0, arrays);
    for (int i = 0; i < b->nstates; i++) {
        const ddt_state *s = &b->states[i];
        ddt_faults faults = {0};
        memset(stream, 0, (size_t)c->bytes);
        s->method->pack(s, arrays, stream);
        ddt_check_packed(&v, stream, &faults);
        ddt_view_stream(&v, stream);
        s->method->unpack(s, arrays, stream);
        ddt_check_received(&v, 0, &faults);
        ddt_check_rest(&v, &faults);
        ddt_message_check(stream, c->bytes, &faults);
        b->wrong += faults.count > 0;
        if (faults.count > 0)
            fprintf(stderr, "ddtbench: %s %s %s: wrong data, %lld faults; %s\n", c->test->name,
                    c->size->name, s->method->name, (long long)faults.count, faults.first);
    }
    ddt_message_free(stream);
}

static void add_op(kernel_bench *b, verb verb, const ddt_state *s)
{
    double *ns = ddt_memory_get(b->o->reps * (int64_t)sizeof(double));
    b->ops[b->nops++] = (op){.verb = verb, .s = s, .ns = ns};
}

static void open_all(kernel_bench *b, const copies *k)
{
    void *arrays[DDT_ARRAYS];
    arrays_of(k, 0, arrays);
    b->nstates = b->nops = 0;
    for (int m = 0; m < ddt_method_count; m++) {
        const ddt_method *method = &ddt_methods[m];
        if (method->pack == NULL || !ddt_selected(b->o->methods, method->name) ||
            !ddt_method_offered(method, &k->cases[0]))
            continue;
        ddt_state *s = &b->states[b->nstates++];
        ddt_method_open(method, &k->cases[0], arrays, MPI_COMM_NULL, NULL, s);
        add_op(b, PACK, s);
        add_op(b, UNPACK, s);
    }
    add_op(b, COPY, NULL);
}

static void close_all(kernel_bench *b)
{
    for (int i = 0; i < b->nops; i++)
        free(b->ops[i].ns);
    for (int i = 0; i < b->nstates; i++)
        ddt_method_close(&b->states[i]);
}

static void measure(kernel_bench *b, const copies *k)
{
    int order[OPS];
    for (int i = 0; i < b->nops; i++) {
        order[i] = i;
        if (k->rotated == 0) /* a rotating lap warms up by itself */
            lap(k, &b->ops[i]);
    }
    for (int r = 0; r < b->o->reps; r++) {
        ddt_shuffle(order, b->nops, &b->order);
        for (int i = 0; i < b->nops; i++) {
            op *o = &b->ops[order[i]];
            o->ns[r] = lap(k, o);
        }
    }
    for (int i = 0; i < b->nops; i++)
        b->ops[i].median = ddt_median(b->ops[i].ns, b->o->reps);
}

static const char *op_method(const op *o)
{
    return o->s == NULL ? "memcpy" : o->s->method->name;
}

static void print_raw(const kernel_bench *b, const copies *k, ddt_cache cache)
{
    const ddt_case *c = &k->cases[0];
    for (int i = 0; i < b->nops; i++) {
        const op *o = &b->ops[i];
        for (int r = 0; r < b->o->reps; r++)
            fprintf(b->output->raw, "%s,%s,%s,%lld,%s,%s,%d,%.2f,%lld,%lld\n", c->test->name,
                    c->size->name, op_method(o), (long long)c->bytes, ddt_cache_names[cache],
                    verb_names[o->verb], r, o->ns[r], (long long)k->line_bytes[o->verb],
                    (long long)k->count);
    }
    fflush(b->output->raw);
}

/* Time of `rival` (NULL: the fastest other one) for the same divided by that of `mine`; 0: none. */
static double ratio_of(const kernel_bench *b, const op *mine, const char *rival)
{
    double best = 0.0;
    for (int i = 0; i < b->nops; i++) {
        const op *o = &b->ops[i];
        int other = rival == NULL ? o != mine : strcmp(op_method(o), rival) == 0;
        if (o->verb != mine->verb || !other)
            continue;
        if (best <= 0.0 || o->median < best)
            best = o->median;
    }
    return best / mine->median;
}

static void print_summary_header(FILE *out)
{
    fprintf(out, "%14s;%12s;%5s;%7s;%13s;%9s;%13s;%13s;%13s;%13s;%13s;%13s\n", "test", "size",
            "cache", "verb", "method", "bytes", "lines", "ns", "floor", "manual", "mpi_pack_ddt",
            "best");
}

static void print_summary(kernel_bench *b, const copies *k, ddt_cache cache)
{
    FILE *out = b->output->summary;
    const ddt_case *c = &k->cases[0];
    double floor = b->ops[b->nops - 1].median;
    for (int i = 0; i < b->nops; i++) {
        const op *o = &b->ops[i];
        double best = ratio_of(b, o, NULL);
        fprintf(out, "%14s;%12s;%5s;%7s;%13s;%9lld", c->test->name, c->size->name,
                ddt_cache_names[cache], verb_names[o->verb], op_method(o), (long long)c->bytes);
        ddt_report_ratio(out, (double)k->line_bytes[o->verb] / (double)c->bytes);
        ddt_report_ratio(out, o->median);
        ddt_report_ratio(out, o->median / floor);
        ddt_report_ratio(out, ratio_of(b, o, "manual"));
        ddt_report_ratio(out, ratio_of(b, o, "mpi_pack_ddt"));
        ddt_report_ratio(out, best);
        fprintf(out, "\n");
        if (o->s == NULL)
            continue;
        int m = (int)(o->s->method - ddt_methods);
        ddt_mean_add(&b->floors[cache][o->verb][m], o->median / floor);
        ddt_mean_add(&b->bests[cache][o->verb][m], best);
    }
    fflush(out);
}

static void print_means(const kernel_bench *b)
{
    FILE *out = b->output->summary;
    fprintf(out, "# geometric means over all pairs: floor, best\n");
    for (int i = 0; i < DDT_CACHES * VERBS * ddt_method_count; i++) {
        int cache = i / (VERBS * ddt_method_count);
        int verb = i / ddt_method_count % VERBS;
        int m = i % ddt_method_count;
        if (b->floors[cache][verb][m].count == 0)
            continue;
        fprintf(out, "# %5s;%7s;%13s", ddt_cache_names[cache], verb_names[verb],
                ddt_methods[m].name);
        ddt_report_ratio(out, ddt_mean_of(&b->floors[cache][verb][m]));
        ddt_report_ratio(out, ddt_mean_of(&b->bests[cache][verb][m]));
        fprintf(out, "\n");
    }
}

static void run_state(kernel_bench *b, copies *k, ddt_cache cache)
{
    copies_make(b, cache, k);
    open_all(b, k);
    verify(b, k);
    measure(b, k);
    if (b->output->raw != NULL)
        print_raw(b, k, cache);
    if (b->output->summary != NULL)
        print_summary(b, k, cache);
    close_all(b);
    free(k->slots);
}

static int run_case(kernel_bench *b, const ddt_test *test, const ddt_size *size)
{
    copies k = {0};
    int failed = 0;
    for (int r = 0; !failed && r < 2; r++)
        failed = ddt_case_make(test, size, FFT_RANKS, &k.cases[r]) != 0 ||
                 ddt_case_draw(&k.cases[r], b->o->seed, r, 0) != 0;
    if (!failed) {
        k.line_bytes[PACK] = ddt_oracle_line_bytes(&k.cases[0], DDT_SEND);
        k.line_bytes[UNPACK] = ddt_oracle_line_bytes(&k.cases[0], DDT_RECV);
        k.line_bytes[COPY] = k.cases[0].bytes;
        failed = k.line_bytes[PACK] < 0 || k.line_bytes[UNPACK] < 0;
        if (failed)
            bench_fail("out of memory");
    }
    for (int cache = 0; !failed && cache < DDT_CACHES; cache++) {
        if (ddt_selected(b->o->caches, ddt_cache_names[cache]))
            run_state(b, &k, (ddt_cache)cache);
    }
    ddt_case_free(&k.cases[0]);
    ddt_case_free(&k.cases[1]);
    return failed;
}

int ddt_kernels_run(const ddt_options *o, const ddt_output *output)
{
    static kernel_bench b;
    int failed = 0;
    b = (kernel_bench){.o = o, .output = output, .order = o->seed};
    int64_t most = 0;
    for (int cache = 0; cache < DDT_CACHES; cache++) {
        if (ddt_selected(o->caches, ddt_cache_names[cache]))
            most = rotated[cache];
    }
    b.ballast = ddt_memory_get(most);
    memset(b.ballast, 1, (size_t)most);
    if (output->raw != NULL)
        fprintf(output->raw, "test,size,method,bytes,cache,verb,lap,ns,line_bytes,copies\n");
    if (output->summary != NULL)
        print_summary_header(output->summary);
    for (int t = 0; t < ddt_test_count; t++) {
        for (int s = 0; !failed && s < ddt_tests[t].nsizes; s++) {
            const ddt_size *size = &ddt_tests[t].sizes[s];
            if (!ddt_selected(o->tests, ddt_tests[t].name) || !ddt_selected(o->sizes, size->name))
                continue;
            if (isatty(STDERR_FILENO))
                fprintf(stderr, "\r\033[K%s %s", ddt_tests[t].name, size->name);
            failed = run_case(&b, &ddt_tests[t], size);
        }
    }
    if (isatty(STDERR_FILENO))
        fprintf(stderr, "\r\033[K");
    if (output->summary != NULL && !failed)
        print_means(&b);
    free(b.ballast);
    return failed ? -1 : b.wrong;
}
