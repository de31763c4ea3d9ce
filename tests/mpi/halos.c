/* SPDX-License-Identifier: MIT */
/* halos.c - parameters of each rank's own that fit together or do not, limits, start in place, messages, blocks
 * that stay on a rank. */
#include "halo_cases.h"
#include "support.h"

static const cartgen_schedule *const planes[] = {&plane_schedule, &plane_direct_schedule,
                                                 &plane_combining_schedule, &plane_faces_schedule,
                                                 &plane_in_place_schedule};
enum { PLANES = 5 };

/* Init on every rank with own sizes; a text with both words on every rank when it fails. own: the status of
 * the ranks whose fault it is. Returns whether it did not fail. */
static int try_init(cartgen_comm *comm, const cartgen_schedule *schedule, int64_t ny, int64_t nx,
                    cartgen_status expected, const char *word, const char *other)
{
    plane_params params = {ny, nx};
    cartgen_plan *plan = NULL;
    STATUS(schedule->init(comm, &params, &plan), expected);
    CHECK((plan == NULL) == (expected != CARTGEN_OK));
    if (expected != CARTGEN_OK &&
        (strstr(cartgen_last_error(), word) == NULL || strstr(cartgen_last_error(), other) == NULL) && faults++ < 10)
        fprintf(stderr, "rank %d: %s: no '%s' and '%s' in: %s\n", world_rank, schedule->name, word, other,
                cartgen_last_error());
    if (plan != NULL)
        OK(schedule->free(&plan));
    return expected == CARTGEN_OK;
}

/* Does the text name a size sent and one expected, of 4 and of 5 rows and `ghosts` more? */
static int sizes_named(int ghosts)
{
    long long sent = 0;
    long long expected = 0;
    const char *text = strstr(cartgen_last_error(), "sends ");
    if (text == NULL || sscanf(text, "sends %lld bytes, rank %*d expects %lld", &sent, &expected) != 2)
        return 0;
    return sent * (4 + ghosts) == expected * (5 + ghosts) || sent * (5 + ghosts) == expected * (4 + ghosts);
}

/* Ranks in a ring along dimension 1: faces along it have ny rows on both sides, nx is each rank's own. */
static void sizes(void)
{
    int last = world_rank == world_size - 1;
    char name[32];
    snprintf(name, sizeof name, "rank %d", world_size - 1);
    cartgen_comm *comm = make_comm(2, (int[]){1, world_size}, (int[]){1, 1});
    for (int i = 0; i < PLANES; i++) {
        try_init(comm, planes[i], 4, 3 + world_rank, CARTGEN_OK, "", "");
        if (world_size == 1)
            continue;
        /* The last rank has 5 rows, the others 4. */
        try_init(comm, planes[i], last ? 5 : 4, 3, CARTGEN_ERR_MISMATCH, name, "bytes");
        CHECK(sizes_named(planes[i]->in_place ? 2 : 0));
        try_init(comm, planes[i], 4, 7, CARTGEN_OK, "", "");
    }
    OK(cartgen_comm_free(&comm));
}

/* A width beyond the interior on one rank: the reason there, its name and the reason on the others. */
static void limits(void)
{
    int first = world_rank == 0;
    cartgen_comm *comm = make_comm(2, (int[]){1, world_size}, (int[]){1, 1});
    for (int i = 0; i < PLANES; i++) {
        static const char *const word = "width of the array in dimension 1 is 2, more than the interior's extent, 1";
        try_init(comm, planes[i], 4, first ? 1 : 3, first ? CARTGEN_ERR_SIZE : CARTGEN_ERR_MISMATCH, word,
                 first ? "schedule" : "rank 0 failed");
        try_init(comm, planes[i], 4, first ? -7 : 3, first ? CARTGEN_ERR_SIZE : CARTGEN_ERR_MISMATCH, "extent, -7", "");
        try_init(comm, planes[i], 4, first ? INT64_MAX : 3, first ? CARTGEN_ERR_SIZE : CARTGEN_ERR_MISMATCH,
                 "beyond 2^63", "");
        try_init(comm, planes[i], 1, 2, CARTGEN_OK, "", ""); /* as wide as it may be */
    }
    OK(cartgen_comm_free(&comm));
}

/* Widths that are parameters: negative ones, too wide ones, one that differs. */
static void widths(void)
{
    static const struct {
        int64_t nx, w;
        cartgen_status status;
        const char *word;
    } rows[] = {{3, 3, CARTGEN_OK, ""},
                {3, 0, CARTGEN_OK, ""},
                {3, -1, CARTGEN_ERR_SIZE, "width of the array in dimension 0 is -1, expected 0 or more"},
                {3, 4, CARTGEN_ERR_SIZE, "width of the array in dimension 0 is 4, more than the interior's extent, 3"},
                {-1, 0, CARTGEN_ERR_SIZE, "width of the array in dimension 0 is 0, more than the interior's extent, -1"}};
    cartgen_comm *comm = make_ring();
    for (size_t i = 0; i <= sizeof rows / sizeof rows[0]; i++) {
        int differ = i == sizeof rows / sizeof rows[0];
        wide_params params = {3, world_rank == 0 ? 1 : 2};
        cartgen_status status = world_size > 1 ? CARTGEN_ERR_MISMATCH : CARTGEN_OK;
        const char *word = world_size > 1 ? "4 bytes, rank" : "";
        cartgen_plan *plan = NULL;
        if (!differ) {
            params = (wide_params){rows[i].nx, rows[i].w};
            status = rows[i].status;
            word = rows[i].word;
        }
        STATUS(wide_schedule.init(comm, &params, &plan), status);
        CHECK(status == CARTGEN_OK || strstr(cartgen_last_error(), word) != NULL ||
              (differ && strstr(cartgen_last_error(), "8 bytes, rank") != NULL));
        if (plan != NULL)
            OK(wide_schedule.free(&plan));
    }
    OK(cartgen_comm_free(&comm));
}

/* Schedule and options are still compared. */
static void agreement(void)
{
    int last = world_rank == world_size - 1;
    char name[32];
    if (world_size == 1)
        return;
    snprintf(name, sizeof name, "rank %d has ", world_size - 1);
    cartgen_comm *comm = make_comm(2, (int[]){1, world_size}, (int[]){1, 1});
    try_init(comm, planes[last ? 1 : 2], 4, 3, CARTGEN_ERR_MISMATCH, name, "plane_direct");
    OK(cartgen_comm_set(comm, "join", last ? "0" : "100"));
    try_init(comm, planes[0], 4, 3, CARTGEN_ERR_MISMATCH, name, "join 0");
    OK(cartgen_comm_set(comm, "join", "100"));
    /* A schedule with parameters of its own against one without. */
    cartgen_plan *plan = NULL;
    int64_t m = 3;
    STATUS(last ? plain_schedule.init(comm, &m, &plan) : planes[1]->init(comm, &(plane_params){4, 3}, &plan),
           CARTGEN_ERR_MISMATCH);
    CHECK(plan == NULL);
    /* Every rank takes the same program, whatever its own sizes. */
    plane_params params = {4, world_rank == 0 ? 100000 : 3};
    cartgen_plan_stats stats = {0};
    if (OK(plane_schedule.init(comm, &params, &plan))) {
        OK(cartgen_plan_get_stats(plan, &stats));
        int most[2] = {stats.program, -stats.program};
        MPI_Allreduce(MPI_IN_PLACE, most, 2, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
        CHECK(most[0] == -most[1]);
        OK(plane_schedule.free(&plan));
    }
    OK(cartgen_comm_free(&comm));
}

static void in_place(void)
{
    cartgen_comm *comm = make_comm(2, (int[]){1, world_size}, (int[]){1, 1});
    cartgen_plan *plan = NULL;
    plane_params params = {3, 4};
    int cells[2][5 * 7] = {{0}};
    if (OK(plane_in_place_schedule.init(comm, &params, &plan))) {
        STATUS(plane_in_place_start(plan, cells[0], cells[1]), CARTGEN_ERR_ARGUMENT);
        CHECK(strstr(cartgen_last_error(), "in place") != NULL);
        OK(plane_in_place_run(plan, cells[0], cells[0]));
        OK(plane_in_place_free(&plan));
    }
    OK(cartgen_comm_free(&comm));
}

/* Where all neighbours are different ranks: 3 x 4. */
static void messages(void)
{
    static const int64_t wanted[PLANES] = {4, 8, 4, 4, 4};
    if (world_size != 12)
        return;
    cartgen_comm *comm = make_comm(2, (int[]){3, 4}, (int[]){1, 1});
    for (int i = 0; i < PLANES; i++) {
        plane_params params = {5, 6};
        cartgen_plan *plan = NULL;
        cartgen_plan_stats stats = {0};
        if (!OK(planes[i]->init(comm, &params, &plan)))
            continue;
        OK(cartgen_plan_get_stats(plan, &stats));
        CHECK(stats.messages == wanted[i]);
        /* All the ghosts once: two rows of 6, three columns of 5, six corner cells; combining forwards 6 cells more. */
        CHECK(stats.bytes_sent == 4 * (2 * 6 + 3 * 5 + 6 + (i == 2 ? 6 : 0)));
        OK(planes[i]->free(&plan));
    }
    OK(cartgen_comm_free(&comm));
}

enum { ROWS = 5, COLUMNS = 4, /* of the interior in staying() */
       MARGIN = 8 };          /* round the array: planted kernels write beyond it */

/* Runs a schedule alone on its torus, in place: ROWS rows of COLUMNS cells, a row of ghosts on both sides, `low`
 * columns on one, `high` on the other. The number of cells that are not those of the interior, repeated. */
static int wrong_cells(const cartgen_schedule *schedule, cartgen_comm *comm, int low, int high,
                       int64_t *scratch_p)
{
    int64_t params[] = {ROWS, COLUMNS};
    int width = low + COLUMNS + high;
    int memory[MARGIN + (ROWS + 2) * (COLUMNS + 3) + MARGIN];
    int *cells = memory + MARGIN;
    cartgen_plan *plan = NULL;
    cartgen_plan_stats stats = {0};
    int wrong = 0;
    if (!OK(cartgen_mpi_init(schedule, comm, &params, &plan)))
        return 0;
    OK(cartgen_plan_get_stats(plan, &stats));
    CHECK(stats.messages == 0 && stats.requests == 0);
    *scratch_p = stats.scratch_bytes;
    memset(memory, 255, sizeof memory);
    for (int i = 0; i < ROWS; i++) {
        for (int j = 0; j < COLUMNS; j++)
            cells[(i + 1) * width + j + low] = 100 * i + j;
    }
    OK(schedule->start(plan, cells, cells));
    OK(schedule->wait(plan));
    for (int i = 0; i < ROWS + 2; i++) {
        for (int j = 0; j < width; j++)
            wrong += cells[i * width + j] != 100 * ((i + ROWS - 1) % ROWS) + (j + COLUMNS - low) % COLUMNS;
    }
    OK(schedule->free(&plan));
    return wrong;
}

static void once(char *dst, const char *src, int64_t to, int64_t from, const void *params)
{
    (void)to;
    (void)from;
    sheet_schedule.shape_copies[0].copy(dst, src, params);
}

/* Two columns of one shape are copied by turns. Planted: a kernel that forgets the second. */
static void by_turns(cartgen_comm *comm)
{
    cartgen_schedule planted = sheet_schedule;
    cartgen_shape_copy copy = sheet_schedule.shape_copies[0];
    int64_t scratch = 0;
    CHECK(planted.nshape_copies == 1);
    CHECK(wrong_cells(&sheet_schedule, comm, 1, 1, &scratch) == 0);
    CHECK(scratch == 0);
    copy.twice = once;
    planted.shape_copies = &copy;
    CHECK(wrong_cells(&planted, comm, 1, 1, &scratch) > 0);
}

/* Where every neighbour is the rank itself, blocks go from where they lie to where they belong, with nothing
 * between. Planted: kernels that copy each other's shapes. */
static void staying(void)
{
    cartgen_comm *comm = NULL;
    int64_t scratch = 0;
    must(cartgen_comm_from_mpi(MPI_COMM_SELF, 2, (int[]){1, 1}, (int[]){1, 1}, &comm) == CARTGEN_OK, "comm");
    for (int i = 0; i < PLANES; i++) {
        cartgen_schedule planted = *planes[i];
        cartgen_shape_copy copies[8];
        uint32_t n = planted.nshape_copies;
        CHECK(wrong_cells(planes[i], comm, 2, 1, &scratch) == 0);
        if (planes[i] != &plane_combining_schedule) /* whose straight-line code wants what it forwards staged */
            CHECK(scratch == 0);
        CHECK(n >= 2 && n <= sizeof copies / sizeof copies[0]);
        for (uint32_t k = 0; k < n && k < sizeof copies / sizeof copies[0]; k++) {
            copies[k] = planes[i]->shape_copies[k];
            copies[k].copy = planes[i]->shape_copies[(k + 1) % n].copy;
        }
        planted.shape_copies = copies;
        if (planes[i] != &plane_combining_schedule)
            CHECK(wrong_cells(&planted, comm, 2, 1, &scratch) > 0);
        /* Without kernels between shapes the longest block lies in between. */
        planted.nshape_copies = 0;
        CHECK(wrong_cells(&planted, comm, 2, 1, &scratch) == 0);
        CHECK(scratch >= (int64_t)sizeof(int) * 2 * ROWS);
    }
    by_turns(comm);
    OK(cartgen_comm_free(&comm));
}

int main(int argc, char **argv)
{
    begin_test(&argc, &argv);
    sizes();
    limits();
    widths();
    agreement();
    in_place();
    messages();
    staying();
    return end_test();
}
