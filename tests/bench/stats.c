/* SPDX-License-Identifier: MIT */
/* Order statistics of the bench. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "harness/stats.h"

static void close_to(double a, double b)
{
    assert_true(fabs(a - b) < 1e-12);
}

static void test_one_value(void **state)
{
    (void)state;
    double x[] = {3.0};
    bench_stats s = bench_stats_of(x, 1);
    assert_int_equal(s.count, 1);
    close_to(s.min, 3.0);
    close_to(s.quartile1, 3.0);
    close_to(s.median, 3.0);
    close_to(s.quartile3, 3.0);
    close_to(s.low, 3.0);
    close_to(s.high, 3.0);
}

static void test_quantiles(void **state)
{
    (void)state;
    double odd[] = {5, 1, 4, 2, 3};
    bench_stats s = bench_stats_of(odd, 5);
    close_to(s.min, 1);
    close_to(s.quartile1, 2);
    close_to(s.median, 3);
    close_to(s.quartile3, 4);
    close_to(s.max, 5);
    double even[] = {4, 1, 3, 2};
    s = bench_stats_of(even, 4);
    close_to(s.median, 2.5);
    close_to(s.quartile1, 1.75);
    close_to(s.quartile3, 3.25);
}

/* Chance that the median lies between two ranks: Binomial(count, 1/2) within low + 1 .. high. */
static double coverage(size_t count, size_t low, size_t high)
{
    double sum = 0.0;
    for (size_t k = low + 1; k <= high; k++)
        sum += exp(lgamma((double)count + 1) - lgamma((double)k + 1) -
                   lgamma((double)(count - k) + 1) - (double)count * log(2.0));
    return sum;
}

/* Known rows of the tables (1-based: 1..6, 2..9, 6..15, 40..61), and the property for all. */
static void test_median_ranks(void **state)
{
    (void)state;
    static const size_t known[][3] = {
        {1, 0, 0}, {5, 0, 4}, {6, 0, 5}, {9, 1, 7}, {10, 1, 8}, {20, 5, 14}, {100, 39, 60}};
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
        size_t low;
        size_t high;
        bench_median_ranks(known[i][0], &low, &high);
        assert_int_equal(low, known[i][1]);
        assert_int_equal(high, known[i][2]);
    }
    for (size_t count = 6; count < 3000; count += 1 + count / 10) {
        size_t low;
        size_t high;
        bench_median_ranks(count, &low, &high);
        assert_true(low <= high && high < count && low + high == count - 1);
        assert_true(coverage(count, low, high) >= 0.95);
        assert_true(coverage(count, low + 1, high - 1) < 0.95);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_value),
        cmocka_unit_test(test_quantiles),
        cmocka_unit_test(test_median_ranks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
