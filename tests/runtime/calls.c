/* SPDX-License-Identifier: MIT */
/* calls.c - status texts, grids, options and helper calls, without a transport. */
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "internal.h"

static const int32_t vectors[] = {1, 0, 0, -1, 0, 0, 1, 0, -7, 2};
static const uint32_t rows[] = {0, 1, 2, 3, 4};
static const cartgen_schedule stencil = {
    .abi = CARTGEN_ABI,
    .name = "stencil",
    .ndims = 2,
    .ntransfers = 5,
    .nvectors = 5,
    .vectors = vectors,
    .offsets = rows,
};

/* Rank 7 of 3 x 4: coordinates 1, 3; the first dimension is periodic. */
static cartgen_comm *hand_made(void)
{
    cartgen_comm *comm = NULL;
    assert_int_equal(cg_comm_create(2, (int[]){3, 4}, (int[]){1, 0}, 7, &comm), CARTGEN_OK);
    return comm;
}

static void texts(void **state)
{
    (void)state;
    for (int a = CARTGEN_OK; a <= CARTGEN_ERR_TRANSPORT; a++) {
        const char *text = cartgen_strerror((cartgen_status)a);
        assert_string_not_equal(text, "unknown status");
        for (int b = CARTGEN_OK; b < a; b++)
            assert_string_not_equal(text, cartgen_strerror((cartgen_status)b));
    }
    assert_string_equal(cartgen_strerror((cartgen_status)(CARTGEN_ERR_TRANSPORT + 1)),
                        "unknown status");
    assert_non_null(cartgen_last_error());
    assert_int_equal(cg_fail(CARTGEN_ERR_SIZE, "block %d", 5), CARTGEN_ERR_SIZE);
    assert_string_equal(cartgen_last_error(), "block 5");
    char longer[3000];
    memset(longer, 'x', sizeof longer - 1);
    longer[sizeof longer - 1] = '\0';
    cg_fail(CARTGEN_ERR_SIZE, "%s", longer);
    assert_true(strlen(cartgen_last_error()) < sizeof longer - 1);
}

static void grid_is_checked(void **state)
{
    (void)state;
    int ones[9] = {1, 1, 1, 1, 1, 1, 1, 1, 1};
    int cells = -1;
    assert_int_equal(cg_grid_check(8, ones, ones, &cells), CARTGEN_OK);
    assert_int_equal(cells, 1);
    assert_int_equal(cg_grid_check(2, (int[]){INT_MAX, 1}, ones, &cells), CARTGEN_OK);
    assert_int_equal(cells, INT_MAX);
    assert_int_equal(cg_grid_check(2, (int[]){INT_MAX, 2}, ones, &cells), CARTGEN_ERR_GRID);
    assert_int_equal(cg_grid_check(3, (int[]){INT_MAX, INT_MAX, INT_MAX}, ones, &cells),
                     CARTGEN_ERR_GRID);
    assert_int_equal(cg_grid_check(0, ones, ones, &cells), CARTGEN_ERR_ARGUMENT);
    assert_int_equal(cg_grid_check(9, ones, ones, &cells), CARTGEN_ERR_ARGUMENT);
    assert_int_equal(cg_grid_check(1, NULL, ones, &cells), CARTGEN_ERR_ARGUMENT);
    assert_int_equal(cg_grid_check(1, ones, NULL, &cells), CARTGEN_ERR_ARGUMENT);
    assert_int_equal(cg_grid_check(1, (int[]){0}, ones, &cells), CARTGEN_ERR_ARGUMENT);
    assert_int_equal(cg_grid_check(1, ones, (int[]){2}, &cells), CARTGEN_ERR_ARGUMENT);
    assert_int_equal(cells, INT_MAX); /* set on success only */
}

static void comm_is_what_it_was_made_of(void **state)
{
    (void)state;
    cartgen_comm *comm = hand_made();
    assert_int_equal(cartgen_comm_rank(comm), 7);
    assert_int_equal(cartgen_comm_size(comm), 12);
    assert_int_equal(cartgen_comm_ndims(comm), 2);
    assert_memory_equal(cartgen_comm_dims(comm), ((int[]){3, 4}), 2 * sizeof(int));
    assert_memory_equal(cartgen_comm_periods(comm), ((int[]){1, 0}), 2 * sizeof(int));
    assert_memory_equal(cartgen_comm_coords(comm), ((int[]){1, 3}), 2 * sizeof(int));
    comm->nplans = 1;
    assert_int_equal(cartgen_comm_free(&comm), CARTGEN_ERR_STATE);
    comm->nplans = 0;
    assert_int_equal(cartgen_comm_free(&comm), CARTGEN_OK);
    assert_null(comm);
    assert_int_equal(cartgen_comm_free(&comm), CARTGEN_OK);
    assert_int_equal(cartgen_comm_free(NULL), CARTGEN_ERR_ARGUMENT);
}

static void options(void **state)
{
    (void)state;
    static const char *const bad[][2] = {
        {"mode", "fast"}, {"mode", ""},    {"blocking", "yes"}, {"trivial", "1"},
        {"join", "-1"},   {"join", "12k"}, {"join", ""},        {"join", "99999999999999999999"},
        {"eager", "-1"},  {"eager", "4k"}, {"colour", "red"},   {"", "true"},
    };
    cartgen_comm *comm = hand_made();
    assert_int_equal(comm->join, CG_DEFAULT_JOIN);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        assert_int_equal(cartgen_comm_set(comm, bad[i][0], bad[i][1]), CARTGEN_ERR_ARGUMENT);
    assert_non_null(strstr(cartgen_last_error(), "mode, blocking, trivial, join, eager or zero_copy"));
    assert_int_equal(comm->mode, -1);
    assert_int_equal(comm->join, CG_DEFAULT_JOIN);
    assert_int_equal(cartgen_comm_set(comm, "mode", "persistent"), CARTGEN_OK);
    assert_int_equal(comm->mode, CARTGEN_MODE_PERSISTENT);
    assert_int_equal(cartgen_comm_set(comm, "blocking", "true"), CARTGEN_OK);
    assert_int_equal(comm->mode, CARTGEN_MODE_BLOCKING);
    assert_int_equal(cartgen_comm_set(comm, "blocking", "false"), CARTGEN_OK);
    assert_int_equal(comm->mode, -1);
    assert_int_equal(cartgen_comm_set(comm, "join", "0"), CARTGEN_OK);
    assert_int_equal(comm->join, 0);
    assert_int_equal(cartgen_comm_set(comm, "eager", "100"), CARTGEN_OK);
    assert_int_equal(comm->eager, 100);
    assert_int_equal(cg_piece(comm, 1, CG_SPLIT), 100);
    assert_int_equal(cg_piece(comm, 1600, CG_SPLIT), 100);
    assert_int_equal(cg_piece(comm, 1601, CG_SPLIT), CG_PIECE);
    assert_int_equal(cartgen_comm_set(comm, "eager", "0"), CARTGEN_OK);
    assert_int_equal(cg_piece(comm, 1, CG_SPLIT), CG_PIECE);
    assert_int_equal(cartgen_comm_set(comm, "trivial", "true"), CARTGEN_OK);
    assert_int_equal(comm->trivial, 1);
    assert_int_equal(cartgen_comm_set(NULL, "mode", "default"), CARTGEN_ERR_ARGUMENT);
    assert_int_equal(cartgen_comm_set(comm, NULL, "default"), CARTGEN_ERR_ARGUMENT);
    assert_int_equal(cartgen_comm_set(comm, "mode", NULL), CARTGEN_ERR_ARGUMENT);
    cartgen_comm_free(&comm);
}

static void relative_calls(void **state)
{
    (void)state;
    cartgen_comm *comm = hand_made();
    int rank = -2;
    int source = -2;
    int target = -2;
    int offset[2] = {0};
    assert_int_equal(cartgen_relative_rank(comm, (int[]){1, -1}, &rank), CARTGEN_OK);
    assert_int_equal(rank, 10);
    assert_int_equal(cartgen_relative_rank(comm, (int[]){-5, 0}, &rank), CARTGEN_OK);
    assert_int_equal(rank, 11);
    assert_int_equal(cartgen_relative_rank(comm, (int[]){INT_MAX, INT_MAX}, &rank), CARTGEN_OK);
    assert_int_equal(rank, CARTGEN_NO_PEER);
    assert_int_equal(cartgen_relative_shift(comm, (int[]){INT_MIN, 1}, &source, &target),
                     CARTGEN_OK);
    assert_int_equal(target, CARTGEN_NO_PEER);
    assert_int_equal(source, 2 + 4 * 0); /* 1 + 2^31 is 0 modulo 3 */
    for (int r = 0; r < 12; r++) {
        assert_int_equal(cartgen_relative_coord(comm, r, offset), CARTGEN_OK);
        assert_in_range(offset[0] + 1, 0, 2);
        assert_int_equal(cartgen_relative_rank(comm, offset, &rank), CARTGEN_OK);
        assert_int_equal(rank, r);
    }
    assert_int_equal(cartgen_relative_coord(comm, 12, offset), CARTGEN_ERR_ARGUMENT);
    assert_int_equal(cartgen_relative_coord(comm, -1, offset), CARTGEN_ERR_ARGUMENT);
    assert_int_equal(cartgen_relative_rank(NULL, offset, &rank), CARTGEN_ERR_ARGUMENT);
    assert_int_equal(cartgen_relative_rank(comm, NULL, &rank), CARTGEN_ERR_ARGUMENT);
    assert_int_equal(cartgen_relative_shift(comm, offset, &source, NULL), CARTGEN_ERR_ARGUMENT);
    cartgen_comm_free(&comm);
}

/* Of two equally short ways the positive one. */
static void shortest_way(void **state)
{
    (void)state;
    for (int n = 1; n <= 6; n++) {
        for (int at = 0; at < n; at++) {
            cartgen_comm *comm = NULL;
            assert_int_equal(cg_comm_create(1, &n, (int[]){1}, at, &comm), CARTGEN_OK);
            for (int r = 0; r < n; r++) {
                int offset = 0;
                assert_int_equal(cartgen_relative_coord(comm, r, &offset), CARTGEN_OK);
                assert_true(2 * offset <= n && 2 * offset > -n);
                assert_int_equal((at + offset + n) % n, r);
            }
            cartgen_comm_free(&comm);
        }
    }
}

static void neighbor_calls(void **state)
{
    (void)state;
    static const int expected_targets[] = {11, 6, 7, 11, CARTGEN_NO_PEER};
    static const int expected_sources[] = {3, CARTGEN_NO_PEER, 7, 3, 9};
    cartgen_comm *comm = hand_made();
    int sources[5];
    int targets[5];
    int list[10];
    int n = 0;
    /* vectors: {1, 0}, {0, -1}, {0, 0}, {1, 0}, {-7, 2}: rows 0 and 3 are the same offset */
    assert_int_equal(cartgen_neighbor_count(&stencil, &n), CARTGEN_OK);
    assert_int_equal(n, 5);
    assert_int_equal(cartgen_neighbor_list(&stencil, 5, list), CARTGEN_OK);
    assert_memory_equal(list, vectors, sizeof list);
    assert_int_equal(cartgen_neighbor_list(&stencil, 4, list), CARTGEN_ERR_ARGUMENT);
    assert_int_equal(cartgen_neighbor_list(&stencil, -1, list), CARTGEN_ERR_ARGUMENT);
    assert_int_equal(cartgen_neighbor_get(comm, &stencil, 5, sources, targets), CARTGEN_OK);
    for (int i = 0; i < 5; i++) {
        assert_int_equal(targets[i], expected_targets[i]);
        assert_int_equal(sources[i], expected_sources[i]);
    }
    assert_int_equal(cartgen_neighbor_find_rank(comm, &stencil, 11, &n), CARTGEN_OK);
    assert_int_equal(n, 0);
    assert_int_equal(cartgen_neighbor_find_rank(comm, &stencil, 0, &n), CARTGEN_OK);
    assert_int_equal(n, -1);
    assert_int_equal(cartgen_neighbor_find_rank(comm, &stencil, CARTGEN_NO_PEER, &n), CARTGEN_OK);
    assert_int_equal(n, -1);
    assert_int_equal(cartgen_neighbor_find_coord(&stencil, (int[]){-7, 2}, &n), CARTGEN_OK);
    assert_int_equal(n, 4);
    assert_int_equal(cartgen_neighbor_find_coord(&stencil, (int[]){2, 2}, &n), CARTGEN_OK);
    assert_int_equal(n, -1);
    assert_int_equal(cartgen_neighbor_present(5, targets), 4);
    assert_int_equal(targets[3], 11);
    assert_int_equal(cartgen_neighbor_present(0, targets), 0);
    assert_int_equal(cartgen_neighbor_count(NULL, &n), CARTGEN_ERR_ARGUMENT);
    cartgen_comm *line = NULL;
    assert_int_equal(cg_comm_create(1, (int[]){4}, (int[]){0}, 0, &line), CARTGEN_OK);
    assert_int_equal(cartgen_neighbor_get(line, &stencil, 5, sources, targets), CARTGEN_ERR_GRID);
    cartgen_comm_free(&line);
    cartgen_comm_free(&comm);
}

static int failing;

static void *no_memory(size_t bytes)
{
    return failing ? NULL : malloc(bytes);
}

static void allocator(void **state)
{
    (void)state;
    cartgen_comm *comm = NULL;
    cartgen_set_allocator(no_memory, free);
    failing = 1;
    assert_int_equal(cg_comm_create(1, (int[]){1}, (int[]){1}, 0, &comm), CARTGEN_ERR_MEMORY);
    assert_null(comm);
    failing = 0;
    assert_null(cg_alloc(SIZE_MAX / 2, 3));
    char *zero = cg_alloc(0, 8);
    assert_non_null(zero);
    cg_free(zero);
    cg_free(NULL);
    cartgen_set_allocator(NULL, NULL);
}

/* Every length around the steps of cartgen_copy, and nothing beside. */
static void copies(void **state)
{
    (void)state;
    char from[256];
    char to[256];
    for (size_t i = 0; i < sizeof from; i++)
        from[i] = (char)(i + 1);
    for (size_t n = 0; n <= 200; n++) {
        memset(to, 0, sizeof to);
        cartgen_copy(to + 3, from + 5, n);
        assert_memory_equal(to + 3, from + 5, n);
        assert_int_equal(to[2], 0);
        assert_int_equal(to[3 + n], 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts),          cmocka_unit_test(grid_is_checked),
        cmocka_unit_test(comm_is_what_it_was_made_of), cmocka_unit_test(options),
        cmocka_unit_test(relative_calls), cmocka_unit_test(shortest_way),
        cmocka_unit_test(neighbor_calls), cmocka_unit_test(allocator),
        cmocka_unit_test(copies),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
