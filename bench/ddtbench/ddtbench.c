/* SPDX-License-Identifier: MIT */
/* ddtbench - times how the data of seven applications is packed, sent and unpacked. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "harness/cell.h"
#include "kernels.h"
#include "oracle.h"
#include "options.h"
#include "pingpong.h"
#include "report.h"

static void print_pairs(const ddt_options *o, int ranks)
{
    printf("%-14s %-12s %9s %9s %9s\n", "test", "size", "bytes", "send runs", "recv runs");
    for (int t = 0; t < ddt_test_count; t++) {
        for (int s = 0; s < ddt_tests[t].nsizes; s++) {
            ddt_case c;
            const ddt_size *size = &ddt_tests[t].sizes[s];
            if (!ddt_selected(o->tests, ddt_tests[t].name) || !ddt_selected(o->sizes, size->name) ||
                ddt_case_make(&ddt_tests[t], size, ranks, &c) != 0)
                continue;
            if (ddt_case_draw(&c, o->seed, 0, 0) == 0)
                printf("%-14s %-12s %9lld %9lld %9lld\n", c.test->name, size->name,
                       (long long)c.bytes, (long long)ddt_oracle_runs(&c, DDT_SEND),
                       (long long)ddt_oracle_runs(&c, DDT_RECV));
            ddt_case_free(&c);
        }
    }
}

static void print_methods(int ranks)
{
    printf("\nmethods\n");
    for (int m = 0; m < ddt_method_count; m++) {
        int offered = 0;
        int pairs = 0;
        for (int t = 0; t < ddt_test_count; t++) {
            for (int s = 0; s < ddt_tests[t].nsizes; s++) {
                ddt_case c;
                if (ddt_case_make(&ddt_tests[t], &ddt_tests[t].sizes[s], ranks, &c) != 0)
                    continue;
                pairs++;
                offered += ddt_method_offered(&ddt_methods[m], &c);
                ddt_case_free(&c);
            }
        }
        printf("  %-13s", ddt_methods[m].name);
        if (offered == 0)
            printf(" not offered: no generated layouts in this build\n");
        else
            printf(" offered for %d of %d pairs\n", offered, pairs);
    }
}

/* What the selected cases need of the processes there are. */
static int check_ranks(const ddt_options *o, int ranks)
{
    if (o->kernel_only)
        return ranks == 1 ? 0 : bench_fail("--kernel-only runs on one process, not on %d", ranks);
    if (ranks < 2)
        return bench_fail("two processes are needed, there is one (mpirun -n 2; or --kernel-only)");
    for (int t = 0; t < ddt_test_count; t++) {
        const ddt_test *test = &ddt_tests[t];
        for (int s = 0; s < test->nsizes; s++) {
            ddt_case c;
            if (!ddt_selected(o->tests, test->name) ||
                !ddt_selected(o->sizes, test->sizes[s].name))
                continue;
            if (ddt_case_make(test, &test->sizes[s], ranks, &c) != 0)
                return 1;
            ddt_case_free(&c);
        }
    }
    return 0;
}

/* A method that is asked for by its name is offered. */
static int check_methods(const ddt_options *o)
{
    int count = 0;
    for (int m = 0; m < ddt_method_count; m++) {
        const ddt_method *method = &ddt_methods[m];
        if (!ddt_selected(o->methods, method->name))
            continue;
        for (int t = 0; t < ddt_test_count; t++) {
            for (int s = 0; s < ddt_tests[t].nsizes; s++) {
                ddt_case c = {.test = &ddt_tests[t], .size = &ddt_tests[t].sizes[s]};
                count += ddt_method_offered(method, &c) &&
                         (method->pack != NULL || !o->kernel_only) &&
                         ddt_selected(o->tests, c.test->name) &&
                         ddt_selected(o->sizes, c.size->name);
            }
        }
    }
    return count > 0 ? 0 : bench_fail("no method of '%s' is offered here; --list", o->methods);
}

/* Opened by process 0; non-zero with bench_error() on all. */
static int open_output(const ddt_options *o, int rank, ddt_output *output)
{
    int failed = 0;
    if (rank == 0) {
        output->summary = o->summary ? stdout : NULL;
        if (o->out != NULL)
            output->raw = strcmp(o->out, "-") == 0 ? stdout : fopen(o->out, "w");
        failed = o->out != NULL && output->raw == NULL;
    }
    MPI_Bcast(&failed, 1, MPI_INT, 0, MPI_COMM_WORLD);
    return failed ? bench_fail("%s cannot be written", o->out) : 0;
}

static int close_output(const ddt_output *output)
{
    int failed = output->raw != NULL && ferror(output->raw);
    if (output->raw != NULL && output->raw != stdout)
        failed |= fclose(output->raw) != 0;
    failed |= fflush(stdout) != 0;
    if (failed)
        fprintf(stderr, "ddtbench: error: the output could not be written\n");
    return failed;
}

static int error(int rank)
{
    if (rank == 0)
        fprintf(stderr, "ddtbench: error: %s\n", bench_error());
    return 2;
}

static int run(const ddt_options *o, int rank, int ranks)
{
    ddt_output output = {0};
    if (check_ranks(o, ranks) != 0 || check_methods(o) != 0 ||
        open_output(o, rank, &output) != 0)
        return error(rank);
    if (output.raw != NULL)
        ddt_report_facts(output.raw, o, ranks);
    if (output.summary != NULL && output.raw != stdout)
        ddt_report_facts(output.summary, o, ranks);
    int wrong = o->kernel_only ? ddt_kernels_run(o, &output) : ddt_pingpong_run(o, &output);
    int status = wrong != 0;
    if (wrong < 0)
        error(rank);
    else if (rank == 0)
        fprintf(stderr, wrong == 0 ? "all data right\n" : "wrong data: %d\n", wrong);
    if (rank == 0)
        status |= close_output(&output);
    MPI_Bcast(&status, 1, MPI_INT, 0, MPI_COMM_WORLD);
    return status;
}

int main(int argc, char *argv[])
{
    ddt_options o;
    int rank;
    int ranks;
    int status = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (ddt_options_parse(argc, argv, &o) != 0) {
        status = error(rank);
    } else if (o.help) {
        if (rank == 0)
            ddt_options_help();
    } else {
        if (o.seed == 0)
            o.seed = (unsigned)time(NULL) % 1000000u + 1u;
        MPI_Bcast(&o.seed, 1, MPI_UNSIGNED, 0, MPI_COMM_WORLD);
        if (!o.list) {
            status = run(&o, rank, ranks);
        } else if (rank == 0) {
            print_pairs(&o, ranks < 2 ? 2 : ranks);
            print_methods(ranks < 2 ? 2 : ranks);
        }
    }
    MPI_Finalize();
    return status;
}
