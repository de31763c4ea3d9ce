/* SPDX-License-Identifier: MIT */
/* check_cartesians - are the Cartesian neighbourhood exchanges right? */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#include "harness/program.h"
#include "harness/timer.h"
#include "harness/verify.h"

/* Counts of (function, cell), the same on all ranks. */
typedef struct check_tally {
    int rank;
    int checked;
    int ours_differ;
    int library;         /* of checked: the library's */
    int library_differs;
} check_tally;

static void report(check_tally *tally, const bench_cell *cell, const char *name, int library,
                   const bench_faults *faults, MPI_Comm comm)
{
    int64_t count = bench_faults_sum(faults, comm);
    if (count == 0)
        return;
    tally->ours_differ += !library;
    tally->library_differs += library;
    if (tally->rank == 0)
        printf("%s np=%d d=%d n=%d m=%d: %lld differences%s\n", name, cell->grid->size,
               cell->grid->ndims, cell->n, cell->m, (long long)count,
               library ? " (the MPI library's)" : "");
    bench_faults_print(faults, comm, "  ", 8);
}

/* Opens all functions (several plans live at once), then repeats them on common contents. */
static void check_opened(bench_check *check, const bench_function functions[], int nfunctions,
                         int repetitions, void **states, bench_faults *faults)
{
    for (int i = 0; i < nfunctions; i++) {
        int failed = functions[i].kind->open(&functions[i], check->cell, check->send[0].data,
                                             check->recv[0].data, &states[i]);
        int any = failed;
        MPI_Allreduce(MPI_IN_PLACE, &any, 1, MPI_INT, MPI_LOR, check->comm);
        if (failed)
            bench_faults_add(&faults[i], "rank %d: %s", check->cell->grid->rank, bench_error());
        if (any && !failed)
            functions[i].kind->close(states[i]);
        if (any)
            states[i] = NULL;
    }
    for (int r = 0; r < repetitions; r++) {
        bench_check_next(check, &faults[nfunctions]);
        for (int i = 0; i < nfunctions; i++) {
            if (states[i] != NULL)
                bench_check_run(check, &functions[i], states[i], &faults[i]);
        }
    }
    for (int i = 0; i < nfunctions; i++) {
        if (states[i] != NULL)
            functions[i].kind->close(states[i]);
    }
}

static void check_cell(const bench_cell *cell, const bench_function functions[], int nfunctions,
                       const bench_options *o, check_tally *tally)
{
    bench_check check;
    double start = bench_now();
    bench_faults *faults = calloc((size_t)nfunctions + 2, sizeof(*faults));
    void **states = calloc((size_t)nfunctions, sizeof(*states));
    if (faults == NULL || states == NULL ||
        bench_check_make(cell, o->plan.seed, o->plan.plant, &check) != 0) {
        fprintf(stderr, "check_cartesians: error: out of memory\n");
        MPI_Abort(MPI_COMM_WORLD, 1);
        return;
    }
    const bench_variant *variant =
        bench_variant_find(cell->grid->ndims, cell->n, cell->collective, "auto");
    if (variant != NULL)
        bench_check_schedule(cell, variant->schedule, &faults[nfunctions + 1]);
    check_opened(&check, functions, nfunctions, o->plan.repetitions, states, faults);
    for (int i = 0; i < nfunctions; i++) {
        int library = functions[i].kind->library;
        tally->checked++;
        tally->library += library;
        report(tally, cell, functions[i].name, library, &faults[i], check.comm);
    }
    report(tally, cell, "point-to-point", 0, &faults[nfunctions], check.comm);
    report(tally, cell, variant != NULL ? variant->schedule->name : "", 0,
           &faults[nfunctions + 1], check.comm);
    if (o->show_time && tally->rank == 0)
        printf("# %s np=%d d=%d n=%d m=%d: %.2f s\n", bench_collective_names[cell->collective],
               cell->grid->size, cell->grid->ndims, cell->n, cell->m, bench_now() - start);
    if (tally->rank == 0)
        fflush(stdout);
    bench_check_free(&check);
    free(states);
    free(faults);
}

static int check_grid(const bench_grid *grid, const bench_function functions[], int nfunctions,
                      const bench_options *o, check_tally *tally)
{
    bench_function *mine = calloc((size_t)nfunctions, sizeof(*mine));
    int failed = mine == NULL;
    for (int c = 0; !failed && c < BENCH_COLLECTIVES; c++) {
        int count = 0;
        for (int i = 0; i < nfunctions; i++) {
            if (functions[i].collective == (bench_collective)c)
                mine[count++] = functions[i];
        }
        for (int k = 0; !failed && count > 0 && k < o->n.count * o->m.count; k++) {
            bench_cell cell;
            failed = bench_cell_make(grid, (bench_collective)c, o->n.values[k / o->m.count],
                                     o->m.values[k % o->m.count], &cell);
            if (failed)
                break;
            check_cell(&cell, mine, count, o, tally);
            bench_cell_free(&cell);
        }
    }
    free(mine);
    return failed;
}

static int verdict(const check_tally *tally, const bench_options *o)
{
    int failed = tally->ours_differ > 0 || (o->strict && tally->library_differs > 0);
    if (tally->rank == 0) {
        printf("# %d checked, seed %u, %s\n", tally->checked, o->plan.seed, bench_mpi_library());
        if (tally->library_differs > 0)
            printf("# of %d calls of the MPI library %d differ\n", tally->library,
                   tally->library_differs);
        if (tally->ours_differ > 0)
            printf("failed: %d of %d differ\n", tally->ours_differ,
                   tally->checked - tally->library);
        else if (tally->library_differs == 0 || tally->library < tally->checked)
            printf("passed\n");
        else
            printf("library differs\n");
    }
    return failed;
}

static int check_all(const bench_options *o, int rank)
{
    bench_function *functions = NULL;
    int nfunctions = 0;
    check_tally tally = {.rank = rank};
    if (bench_functions_select(&o->functions, &functions, &nfunctions) != 0) {
        if (rank == 0)
            fprintf(stderr, "check_cartesians: error: %s\n", bench_error());
        return 2;
    }
    int failed = 0;
    for (int k = 0; !failed && k < o->d.count; k++) {
        bench_grid grid;
        failed = bench_grid_make(o->d.values[k], &grid);
        if (failed)
            break;
        failed = check_grid(&grid, functions, nfunctions, o, &tally);
        bench_grid_free(&grid);
    }
    free(functions);
    if (failed && rank == 0)
        fprintf(stderr, "check_cartesians: error: %s\n", bench_error());
    return failed ? 1 : verdict(&tally, o);
}

int main(int argc, char *argv[])
{
    return bench_main(CHECK_PROGRAM, argc, argv, bench_functions_list, check_all);
}
