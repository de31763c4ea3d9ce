/* SPDX-License-Identifier: MIT */
#include "pingpong.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/cell.h"
#include "harness/timer.h"
#include "random.h"
#include "work.h"

/* CREATE and FREE once per outer loop, the others once per ping-pong; ROUND is the sum of the
 * three phases of a ping-pong. */
enum { CREATE, PACK, COMMUNICATION, UNPACK, FREE, ROUND, EPOCHS };

static const char *const epoch_names[EPOCHS] = {
    "ddt_create_overhead", "pack", "communication", "unpack", "ddt_free_overhead", NULL};

enum { METHODS = 8, RIVALS = 3 };

static const char *const rivals[RIVALS] = {"manual", "mpi_ddt", "mpi_pack_ddt"};

/* Microseconds. */
typedef struct times {
    const ddt_method *method;
    int packs;
    int unpacks;
    double *epochs[EPOCHS];
    double medians[EPOCHS];
    ddt_faults faults;
} times;

typedef struct bench {
    const ddt_options *o;
    const ddt_output *output;
    MPI_Comm pair;
    MPI_Comm all;
    int rank; /* in MPI_COMM_WORLD */
    int wrong;
    ddt_mean means[METHODS][RIVALS + 1];
} bench;

static int samples(const ddt_options *o, int epoch)
{
    return o->outer * (epoch == CREATE || epoch == FREE ? 1 : o->reps);
}

static void times_make(const ddt_options *o, const ddt_method *m, times *t)
{
    *t = (times){.method = m};
    for (int e = 0; e < EPOCHS; e++)
        t->epochs[e] = ddt_memory_get(samples(o, e) * (int64_t)sizeof(double));
}

static void times_free(times *t)
{
    for (int e = 0; e < EPOCHS; e++)
        free(t->epochs[e]);
}

static int has_epoch(const times *t, int epoch)
{
    if (epoch == UNPACK)
        return t->unpacks;
    return epoch != PACK || t->packs;
}

/* One outer loop of one method. */
static void run_method(const bench *b, ddt_work *w, int outer, times *t)
{
    const ddt_options *o = b->o;
    ddt_state s;
    MPI_Barrier(w->comm);
    double start = bench_now();
    ddt_method_open(t->method, &w->given, w->arrays[0], w->comm, w->grid, &s);
    t->epochs[CREATE][outer] = 1e6 * (bench_now() - start);
    t->packs = ddt_method_packs(&s);
    t->unpacks = ddt_method_unpacks(&s);
    if (outer == 0)
        ddt_work_verify(w, &s, &t->faults);
    ddt_work_prepare(w, &s);
    MPI_Barrier(w->comm);
    for (int i = 0; i < o->reps; i++) {
        double stamps[4] = {0};
        int at = outer * o->reps + i;
        ddt_work_round(w, &s, stamps);
        for (int e = PACK; e <= UNPACK; e++)
            t->epochs[e][at] = 1e6 * (stamps[e] - stamps[e - 1]);
        t->epochs[ROUND][at] = 1e6 * (stamps[3] - stamps[0]);
    }
    ddt_work_check(w, &s, outer + 1 == o->outer, &t->faults);
    if (t->faults.count > 0)
        ddt_work_refill(w);
    start = bench_now();
    ddt_method_close(&s);
    t->epochs[FREE][outer] = 1e6 * (bench_now() - start);
}

static void print_raw(const bench *b, const ddt_case *c, const times *t)
{
    for (int e = 0; e < ROUND; e++) {
        int loops = samples(b->o, e) / b->o->outer;
        for (int i = 0; has_epoch(t, e) && i < samples(b->o, e); i++)
            fprintf(b->output->raw, "%s,%s,%lld,%s,%.4f,NA,NA,NA,NA,%s,%d,%d\n", c->test->name,
                    t->method->name, (long long)c->bytes, epoch_names[e], t->epochs[e][i],
                    c->size->name, i / loops, i % loops);
    }
    fflush(b->output->raw);
}

static void print_summary_header(FILE *out)
{
    fprintf(out, "%14s;%12s;%13s;%9s", "test", "size", "method", "bytes");
    for (int e = 0; e < EPOCHS; e++) {
        static const char *const heads[EPOCHS] = {"create", "pack",  "communication",
                                                  "unpack", "free", "round"};
        fprintf(out, ";%13s", heads[e]);
    }
    for (int r = 0; r < RIVALS; r++)
        fprintf(out, ";%13s", rivals[r]);
    fprintf(out, ";%13s;%6s\n", "best", "data");
}

static const times *find(const times list[], int count, const char *name)
{
    for (int i = 0; i < count; i++) {
        if (strcmp(list[i].method->name, name) == 0)
            return &list[i];
    }
    return NULL;
}

/* Round trips of the rivals divided by those of `mine`; behind them of the best of the others. */
static void ratios_of(const times list[], int count, const times *mine, double ratios[RIVALS + 1])
{
    double best = 0.0;
    for (int r = 0; r < RIVALS; r++) {
        const times *rival = find(list, count, rivals[r]);
        ratios[r] = rival == NULL ? 0.0 : rival->medians[ROUND] / mine->medians[ROUND];
        if (rival != mine && ratios[r] > 0.0 && (best <= 0.0 || ratios[r] < best))
            best = ratios[r];
    }
    ratios[RIVALS] = best;
}

static void print_summary(bench *b, const ddt_case *c, const times list[], int count)
{
    FILE *out = b->output->summary;
    for (int m = 0; m < count; m++) {
        const times *t = &list[m];
        double ratios[RIVALS + 1];
        ratios_of(list, count, t, ratios);
        fprintf(out, "%14s;%12s;%13s;%9lld", c->test->name, c->size->name, t->method->name,
                (long long)c->bytes);
        for (int e = 0; e < EPOCHS; e++)
            ddt_report_ratio(out, has_epoch(t, e) ? t->medians[e] : 0.0);
        for (int r = 0; r <= RIVALS; r++) {
            ddt_report_ratio(out, ratios[r]);
            ddt_mean_add(&b->means[t->method - ddt_methods][r], ratios[r]);
        }
        fprintf(out, ";%6s\n", t->faults.count > 0 ? "wrong" : "right");
    }
    fflush(out);
}

static void report(bench *b, const ddt_work *w, times list[], int count)
{
    const ddt_case *c = &w->given;
    for (int m = 0; m < count; m++) {
        ddt_faults_share(&list[m].faults, w->comm);
        if (list[m].faults.count == 0)
            continue;
        b->wrong++;
        if (b->rank == 0)
            fprintf(stderr, "ddtbench: %s %s %s: wrong data, %lld faults; %s\n", c->test->name,
                    c->size->name, list[m].method->name, (long long)list[m].faults.count,
                    list[m].faults.first);
    }
    for (int m = 0; m < count; m++) {
        for (int e = 0; e < EPOCHS; e++)
            list[m].medians[e] = ddt_median(list[m].epochs[e], samples(b->o, e));
        if (b->output->raw != NULL)
            print_raw(b, c, &list[m]);
    }
    if (b->output->summary != NULL)
        print_summary(b, c, list, count);
}

/* Methods in a new order in every outer loop; the orders depend on the case alone, as not all
 * processes take part in all cases. Non-zero with bench_error(). */
static int run_case(bench *b, const ddt_test *test, const ddt_size *size, MPI_Comm comm)
{
    ddt_work w;
    times list[METHODS];
    int order[METHODS];
    int count = 0;
    uint64_t random = ((uint64_t)b->o->seed << 32) ^ (uint64_t)size->n[0];
    int failed = ddt_work_make(test, size, comm, b->o->seed, b->o->plant, &w);
    if (failed)
        return 1;
    for (int m = 0; m < ddt_method_count; m++) {
        const ddt_method *method = &ddt_methods[m];
        if (ddt_selected(b->o->methods, method->name) && ddt_method_offered(method, &w.given)) {
            order[count] = count;
            times_make(b->o, method, &list[count++]);
        }
    }
    for (int outer = 0; !failed && outer < b->o->outer; outer++) {
        failed = ddt_work_draw(&w, outer);
        ddt_shuffle(order, count, &random);
        for (int i = 0; !failed && i < count; i++)
            run_method(b, &w, outer, &list[order[i]]);
    }
    if (!failed)
        report(b, &w, list, count);
    for (int m = 0; m < count; m++)
        times_free(&list[m]);
    ddt_work_free(&w);
    return failed;
}

static void print_means(const bench *b)
{
    FILE *out = b->output->summary;
    fprintf(out, "# geometric means of the last %d ratios over all pairs\n", RIVALS + 1);
    for (int m = 0; m < ddt_method_count; m++) {
        if (b->means[m][RIVALS].count == 0)
            continue;
        fprintf(out, "# %13s", ddt_methods[m].name);
        for (int r = 0; r <= RIVALS; r++)
            ddt_report_ratio(out, ddt_mean_of(&b->means[m][r]));
        fprintf(out, "\n");
    }
}

static void progress(const bench *b, const ddt_test *test, const ddt_size *size)
{
    if (b->rank == 0 && isatty(STDERR_FILENO))
        fprintf(stderr, "\r\033[K%s %s", test->name, size->name);
}

static int run_all(bench *b)
{
    int failed = 0;
    for (int t = 0; t < ddt_test_count; t++) {
        const ddt_test *test = &ddt_tests[t];
        MPI_Comm comm = test->family == DDT_FFT2 ? b->all : b->pair;
        for (int s = 0; !failed && s < test->nsizes; s++) {
            const ddt_size *size = &test->sizes[s];
            if (!ddt_selected(b->o->tests, test->name) || !ddt_selected(b->o->sizes, size->name))
                continue;
            progress(b, test, size);
            if (comm != MPI_COMM_NULL)
                failed = run_case(b, test, size, comm);
        }
    }
    if (b->rank == 0 && isatty(STDERR_FILENO))
        fprintf(stderr, "\r\033[K");
    return failed;
}

int ddt_pingpong_run(const ddt_options *o, const ddt_output *output)
{
    bench b = {.o = o, .output = output};
    MPI_Comm_rank(MPI_COMM_WORLD, &b.rank);
    MPI_Comm_dup(MPI_COMM_WORLD, &b.all);
    MPI_Comm_split(MPI_COMM_WORLD, b.rank < 2 ? 0 : MPI_UNDEFINED, b.rank, &b.pair);
    if (output->raw != NULL)
        fprintf(output->raw, "testname,packMethod,bytes,id,time,papi_evt1_type,papi_evt1_val,"
                             "papi_evt2_type,papi_evt2_val,size,outer,inner\n");
    if (output->summary != NULL)
        print_summary_header(output->summary);
    int failed = run_all(&b);
    if (output->summary != NULL && !failed)
        print_means(&b);
    if (b.pair != MPI_COMM_NULL)
        MPI_Comm_free(&b.pair);
    MPI_Comm_free(&b.all);
    int wrong = failed ? -1 : b.wrong;
    MPI_Bcast(&wrong, 1, MPI_INT, 0, MPI_COMM_WORLD);
    return wrong;
}
