/* SPDX-License-Identifier: MIT */
/*
 * Heat on a periodic grid, 9-point stencil: the interior is computed while the ghosts travel, then the
 * boundary. The grid is split unevenly; the result is compared with a serial computation.
 */
#include <stdio.h>
#include <stdlib.h>

#include "heat2d.h"

enum { ROWS = 37, COLUMNS = 29, STEPS = 20 };

/* One step for rows [y0, y1) and columns [x0, x1) of an array with rows of `width` cells. */
static void step(double *to, const double *from, int y0, int y1, int x0, int x1, int width)
{
    for (int y = y0; y < y1; y++) {
        for (int x = x0; x < x1; x++) {
            const double *c = from + (ptrdiff_t)y * width + x;
            double edges = c[-1] + c[1] + c[-width] + c[width];
            double corners = c[-width - 1] + c[-width + 1] + c[width - 1] + c[width + 1];
            to[(ptrdiff_t)y * width + x] = 0.5 * c[0] + 0.1 * edges + 0.025 * corners;
        }
    }
}

static double initial(int y, int x)
{
    return (double)((y * 31 + x * 17) % 101);
}

/* The whole grid by one process, with a rim that is copied: COLUMNS + 2 cells a row. */
static double *serial(void)
{
    int width = COLUMNS + 2;
    double *now = malloc(2 * sizeof *now * (ROWS + 2) * (COLUMNS + 2));
    double *next = now + (ptrdiff_t)(ROWS + 2) * width;
    for (int k = 0; k <= STEPS; k++) {
        for (int y = 0; y < ROWS + 2; y++) {
            for (int x = 0; x < width; x++) {
                int row = (y + ROWS - 1) % ROWS;
                int column = (x + COLUMNS - 1) % COLUMNS;
                now[y * width + x] = k == 0 ? initial(row, column) : next[(row + 1) * width + column + 1];
            }
        }
        step(next, now, 1, ROWS + 1, 1, COLUMNS + 1, width);
    }
    return now;
}

/* This rank's part of n cells along a dimension: its first cell and how many. */
static int part(int n, int processes, int coordinate, int *first_p)
{
    int rest = n % processes;
    *first_p = coordinate * (n / processes) + (coordinate < rest ? coordinate : rest);
    return n / processes + (coordinate < rest);
}

static void must(cartgen_status status)
{
    if (status != CARTGEN_OK) {
        fprintf(stderr, "%s\n", cartgen_last_error());
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
}

int main(int argc, char **argv)
{
    int size, dims[2] = {0, 0}, periods[2] = {1, 1}, y0 = 0, x0 = 0, faults = 0;
    cartgen_comm *comm = NULL;
    heat2d_plan *plan = NULL;

    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Dims_create(size, 2, dims);
    must(cartgen_comm_from_mpi(MPI_COMM_WORLD, 2, dims, periods, &comm));
    int ny = part(ROWS, dims[0], cartgen_comm_coords(comm)[0], &y0);
    int nx = part(COLUMNS, dims[1], cartgen_comm_coords(comm)[1], &x0);
    heat2d_params params = {.ny = ny, .nx = nx}; /* each rank's own */
    must(heat2d_init(comm, &params, &plan));

    int width = nx + 2;
    size_t cells = (size_t)(ny + 2) * (size_t)width;
    double *block = calloc(2 * cells, sizeof *block);
    double *now = block;
    double *next = block + cells;
    for (int y = 0; y < ny; y++)
        for (int x = 0; x < nx; x++)
            now[(y + 1) * width + x + 1] = initial(y0 + y, x0 + x);

    for (int k = 0; k < STEPS; k++) {
        must(heat2d_start(plan, now, now));
        step(next, now, 2, ny, 2, nx, width); /* what needs no ghosts */
        must(heat2d_wait(plan));
        step(next, now, 1, 2, 1, nx + 1, width);
        if (ny > 1)
            step(next, now, ny, ny + 1, 1, nx + 1, width);
        step(next, now, 2, ny, 1, 2, width);
        if (nx > 1)
            step(next, now, 2, ny, nx, nx + 1, width);
        double *old = now;
        now = next;
        next = old;
    }

    double *expected = serial();
    for (int y = 0; y < ny; y++)
        for (int x = 0; x < nx; x++)
            faults += now[(y + 1) * width + x + 1] != expected[(y0 + y + 1) * (COLUMNS + 2) + x0 + x + 1];
    printf("rank %d: %d x %d cells, %d wrong\n", cartgen_comm_rank(comm), ny, nx, faults);

    free(expected);
    free(block);
    heat2d_free(&plan);
    cartgen_comm_free(&comm);
    MPI_Finalize();
    return faults != 0;
}
