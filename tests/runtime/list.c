/* SPDX-License-Identifier: MIT */
/* list.c - run-time lists: whatever form cartgen_list_make gives them, they name the bytes that the
 * user's lists name, in their order. Random lists against the definition, and the forms themselves. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

#include <cmocka.h>

#include "cartgen/layout.h"

enum { MOST = 40, ROUNDS = 20000 };

typedef struct lists {
    int64_t count;
    int64_t index[MOST];
    int64_t lengths[MOST];
    int has_lengths;
    int64_t scale;
    int64_t stride;
    int64_t run;
} lists;

/* Place of byte `byte` of the stream by the definition. */
static int64_t defined_place(const lists *l, int64_t byte)
{
    for (int64_t i = 0; i < l->count; i++) {
        int64_t copies = l->has_lengths ? l->lengths[i] : 1;
        if (byte < copies * l->run)
            return l->index[i] * l->scale + byte / l->run * l->stride + byte % l->run;
        byte -= copies * l->run;
    }
    return INT64_MIN;
}

/* The same as kernels find it. */
static int64_t listed_place(const cartgen_list *list, int64_t run, int64_t byte)
{
    if (list->sum != NULL) {
        int64_t piece = cartgen_list_find(list, byte);
        return list->at[piece] + byte - list->sum[piece];
    }
    return cartgen_list_item(list, byte / run) + byte % run;
}

static void check(const lists *l)
{
    cartgen_list list;
    int64_t items = 0;
    assert_int_equal(cartgen_list_make(&list, "t", l->count, l->index, l->has_lengths ? l->lengths : NULL,
                                       l->scale, l->stride, l->run),
                     CARTGEN_OK);
    for (int64_t i = 0; i < l->count; i++)
        items += l->has_lengths ? l->lengths[i] : 1;
    assert_int_equal(list.bytes, items * l->run);
    for (int64_t byte = 0; byte < list.bytes; byte++)
        assert_int_equal(listed_place(&list, l->run, byte), defined_place(l, byte));
    for (int64_t i = 1; list.sum != NULL && i < list.count; i++)
        assert_true(list.at[i] != list.at[i - 1] + list.sum[i] - list.sum[i - 1]);
    cartgen_list_free(&list);
    assert_null(list.block);
}

static int64_t up_to(int64_t n) { return rand() % (n + 1); }

static lists random_lists(void)
{
    static const int64_t runs[] = {1, 3, 4, 8, 24};
    lists l = {.count = up_to(MOST), .has_lengths = (int)up_to(1), .run = runs[up_to(4)]};
    /* Steps of a run or two, so that many touch; places go up, down, or stay. */
    l.scale = up_to(3) == 0 ? -l.run : up_to(1) ? l.run : 1;
    l.stride = up_to(3) == 0 ? 2 * l.run : l.run;
    int64_t place = up_to(50), regular = up_to(3) == 0;
    for (int64_t i = 0; i < l.count; i++) {
        l.lengths[i] = up_to(3);
        l.index[i] = place;
        place += regular ? 3 : up_to(2) == 0 ? up_to(90) - 45 : l.has_lengths ? l.lengths[i] + up_to(1) : 1;
    }
    return l;
}

static void random_ones(void **state)
{
    (void)state;
    const char *text = getenv("CARTGEN_SEED");
    unsigned seed = text != NULL ? (unsigned)strtoul(text, NULL, 10) : (unsigned)time(NULL);
    print_message("[list: CARTGEN_SEED=%u]\n", seed);
    srand(seed);
    for (int i = 0; i < ROUNDS; i++) {
        lists l = random_lists();
        check(&l);
    }
}

/* The second run begins where neither the first ends nor looks as if it did from its end. */
static void apart(void **state)
{
    (void)state;
    const int64_t index[] = {0, 3}, lengths[] = {2, 1};
    cartgen_list list;
    assert_int_equal(cartgen_list_make(&list, "t", 2, index, lengths, 4, 4, 4), CARTGEN_OK);
    assert_int_equal(list.count, 2);
    assert_int_equal(list.at[0], 0);
    assert_int_equal(list.at[1], 12);
    assert_int_equal(list.sum[1], 8);
    assert_int_equal(list.sum[2], 12);
    cartgen_list_free(&list);
}

static void forms(void **state)
{
    (void)state;
    const int64_t side_by_side[] = {5, 6, 7, 8}, regular[] = {9, 6, 3, 0}, scattered[] = {0, 9, 4, 7};
    const int64_t far[] = {0, INT64_C(3000000000), 7};
    cartgen_list list;
    assert_int_equal(cartgen_list_make(&list, "t", 4, side_by_side, NULL, 8, 0, 8), CARTGEN_OK);
    assert_int_equal(list.count, 1); /* one run */
    assert_int_equal(list.at[0], 40);
    assert_int_equal(list.sum[1], 32);
    cartgen_list_free(&list);
    assert_int_equal(cartgen_list_make(&list, "t", 4, regular, NULL, 8, 0, 8), CARTGEN_OK);
    assert_int_equal(list.step, -24);
    assert_int_equal(list.first, 72);
    cartgen_list_free(&list);
    assert_int_equal(cartgen_list_make(&list, "t", 4, scattered, NULL, 8, 0, 8), CARTGEN_OK);
    assert_non_null(list.index);
    cartgen_list_free(&list);
    assert_int_equal(cartgen_list_make(&list, "t", 3, far, NULL, 8, 0, 8), CARTGEN_OK);
    assert_null(list.index);
    assert_int_equal(list.at[1], INT64_C(24000000000));
    cartgen_list_free(&list);
    assert_int_equal(cartgen_list_make(&list, "t", 4, scattered, NULL, 8, 0, -1), CARTGEN_OK);
    assert_null(list.sum); /* items that are no runs: places */
    assert_int_equal(list.at[1], 72);
    cartgen_list_free(&list);
}

static void errors(void **state)
{
    (void)state;
    const int64_t big[] = {0, INT64_MAX / 4}, negative[] = {1, -1}, two[] = {0, 1};
    cartgen_list list;
    assert_int_equal(cartgen_list_make(&list, "t", 2, big, NULL, 8, 0, 8), CARTGEN_ERR_SIZE);
    assert_int_equal(cartgen_list_make(&list, "t", 2, two, big, 8, 8, 8), CARTGEN_ERR_SIZE);
    assert_int_equal(cartgen_list_make(&list, "t", 2, two, negative, 8, 8, 8), CARTGEN_ERR_SIZE);
    assert_string_equal(cartgen_last_error(), "t: length -1 of entry 1 is negative");
    assert_int_equal(cartgen_list_make(&list, "t", 2, NULL, NULL, 8, 0, 8), CARTGEN_ERR_ARGUMENT);
    assert_int_equal(cartgen_list_make(&list, "t", -1, two, NULL, 8, 0, 8), CARTGEN_ERR_ARGUMENT);
    assert_int_equal(cartgen_list_make(&list, "t", 0, NULL, NULL, 8, 0, 8), CARTGEN_OK);
    assert_int_equal(list.count, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_ones), cmocka_unit_test(apart), cmocka_unit_test(forms),
        cmocka_unit_test(errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
