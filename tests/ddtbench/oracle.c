/* SPDX-License-Identifier: MIT */
/* The table of cases and the oracle, against the sizes and the blocks that are published. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "oracle.h"

enum { SEED = 11 };

/* Bytes, and the contiguous runs of both sides in the order of the stream (0: depends on lists). */
static const struct {
    const char *test;
    const char *size;
    int64_t bytes;
    int64_t send_runs;
    int64_t recv_runs;
} published[] = {
    {"WRF_y_vec", "2x2", 90804, 987, 987},
    {"WRF_y_vec", "3x3", 75012, 987, 987},
    {"WRF_y_vec", "4x4", 63168, 987, 987},
    {"WRF_y_vec", "5x5", 55272, 987, 987},
    {"WRF_y_vec", "8x8", 43428, 987, 987},
    {"WRF_y_sa", "2x2", 90804, 987, 987},
    {"WRF_y_sa", "3x3", 75012, 987, 987},
    {"WRF_y_sa", "4x4", 63168, 987, 987},
    {"WRF_y_sa", "5x5", 55272, 987, 987},
    {"WRF_y_sa", "8x8", 43428, 987, 987},
    {"WRF_x_vec", "2x2", 173712, 14476, 14476},
    {"WRF_x_vec", "4x4", 102648, 8554, 8554},
    {"WRF_x_vec", "8x8", 63168, 5264, 5264},
    {"WRF_x_sa", "2x2", 173712, 14476, 14476},
    {"WRF_x_sa", "4x4", 102648, 8554, 8554},
    {"WRF_x_sa", "8x8", 63168, 5264, 5264},
    {"MILC_su3_zd", "16x16x16x16", 98304, 32, 32},
    {"MILC_su3_zd", "8x16x16x16", 49152, 32, 32},
    {"MILC_su3_zd", "8x8x8x16", 24576, 32, 32},
    {"MILC_su3_zd", "8x8x8x8", 12288, 16, 16},
    {"NAS_LU_x", "12", 480, 1, 1},
    {"NAS_LU_x", "33", 1320, 1, 1},
    {"NAS_LU_x", "64", 2560, 1, 1},
    {"NAS_LU_x", "102", 4080, 1, 1},
    {"NAS_LU_x", "162", 6480, 1, 1},
    {"NAS_LU_x", "408", 16320, 1, 1},
    {"NAS_LU_x", "1020", 40800, 1, 1},
    {"NAS_LU_y", "12", 480, 12, 12},
    {"NAS_LU_y", "33", 1320, 33, 33},
    {"NAS_LU_y", "64", 2560, 64, 64},
    {"NAS_LU_y", "102", 4080, 102, 102},
    {"NAS_LU_y", "162", 6480, 162, 162},
    {"NAS_LU_y", "408", 16320, 408, 408},
    {"NAS_LU_y", "1020", 40800, 1020, 1020},
    {"NAS_MG_x", "34x18x18", 2048, 256, 256},
    {"NAS_MG_x", "130x66x66", 32768, 4096, 4096},
    {"NAS_MG_x", "258x130x130", 131072, 16384, 16384},
    {"NAS_MG_x", "514x258x258", 524288, 65536, 65536},
    {"NAS_MG_y", "34x18x18", 4096, 16, 16},
    {"NAS_MG_y", "130x66x66", 65536, 64, 64},
    {"NAS_MG_y", "258x130x130", 262144, 128, 128},
    {"NAS_MG_y", "514x258x258", 1048576, 256, 256},
    {"NAS_MG_z", "34x18x18", 4096, 16, 16},
    {"NAS_MG_z", "130x66x66", 65536, 64, 64},
    {"NAS_MG_z", "258x130x130", 262144, 128, 128},
    {"NAS_MG_z", "514x258x258", 1048576, 256, 256},
    {"LAMMPS_full", "3062", 195968, 0, 6},
    {"LAMMPS_full", "2243", 143552, 0, 6},
    {"LAMMPS_full", "1662", 106368, 0, 6},
    {"LAMMPS_atomic", "243", 11664, 0, 4},
    {"LAMMPS_atomic", "145", 6960, 0, 4},
    {"LAMMPS_atomic", "114", 5472, 0, 4},
    {"SPECFEM3D_oc", "3225", 12900, 0, 0},
    {"SPECFEM3D_oc", "1897", 7588, 0, 0},
    {"SPECFEM3D_oc", "877", 3508, 0, 0},
    {"SPECFEM3D_oc", "493", 1972, 0, 0},
    {"SPECFEM3D_cm", "11797+3009", 177672, 0, 0},
    {"SPECFEM3D_cm", "7125+1729", 106248, 0, 0},
    {"SPECFEM3D_cm", "3801+801", 55224, 0, 0},
    {"SPECFEM3D_cm", "1957+245", 26424, 0, 0},
    {"SPECFEM3D_mt", "7600", 91200, 7600, 1},
    {"SPECFEM3D_mt", "6400", 76800, 6400, 1},
    {"SPECFEM3D_mt", "5600", 67200, 5600, 1},
    {"SPECFEM3D_mt", "6200", 74400, 6200, 1},
    {"FFT2", "256", 524288, 256, 32768},
    {"FFT2", "512", 2097152, 512, 131072},
    {"FFT2", "768", 4718592, 768, 294912},
    {"FFT2", "1024", 8388608, 1024, 524288},
    {"FFT2", "1536", 18874368, 1536, 1179648},
};

enum { PUBLISHED = sizeof(published) / sizeof(published[0]) };

static ddt_case make(const char *test, const char *size, int rank, int round)
{
    ddt_case c;
    for (int t = 0; t < ddt_test_count; t++) {
        for (int s = 0; s < ddt_tests[t].nsizes; s++) {
            if (strcmp(ddt_tests[t].name, test) != 0 ||
                strcmp(ddt_tests[t].sizes[s].name, size) != 0)
                continue;
            assert_int_equal(ddt_case_make(&ddt_tests[t], &ddt_tests[t].sizes[s], 2, &c), 0);
            assert_int_equal(ddt_case_draw(&c, SEED, rank, round), 0);
            return c;
        }
    }
    fail_msg("%s %s is not in the table", test, size);
    abort();
}

static void test_all_pairs_are_there(void **state)
{
    (void)state;
    int pairs = 0;
    for (int t = 0; t < ddt_test_count; t++)
        pairs += ddt_tests[t].nsizes;
    assert_int_equal(pairs, 69);
    assert_int_equal(PUBLISHED, 69);
}

static void test_published_sizes(void **state)
{
    (void)state;
    for (int i = 0; i < PUBLISHED; i++) {
        ddt_case c = make(published[i].test, published[i].size, 0, 0);
        int64_t runs[2] = {published[i].send_runs, published[i].recv_runs};
        print_message("%s %s\n", published[i].test, published[i].size);
        assert_int_equal(c.bytes, published[i].bytes);
        for (int side = 0; side < 2; side++) {
            if (runs[side] > 0)
                assert_int_equal(ddt_oracle_runs(&c, (ddt_side)side), runs[side]);
        }
        ddt_case_free(&c);
    }
}

/* Places lie in their arrays, and no element of an array is taken or filled twice. */
static void test_places_are_apart(void **state)
{
    (void)state;
    for (int i = 0; i < PUBLISHED; i++) {
        ddt_case c = make(published[i].test, published[i].size, 1, 3);
        for (int side = 0; side < 2; side++) {
            unsigned char *seen[DDT_ARRAYS];
            for (int a = 0; a < c.narrays; a++)
                seen[a] = calloc((size_t)(c.array_bytes[a] / c.elem_bytes), 1);
            for (int64_t k = 0; k < c.count; k++) {
                ddt_place p = ddt_oracle_place(&c, (ddt_side)side, k);
                assert_true(p.array >= 0 && p.array < c.narrays);
                assert_true(p.offset >= 0 && p.offset + c.elem_bytes <= c.array_bytes[p.array]);
                assert_int_equal(p.offset % c.elem_bytes, 0);
                assert_int_equal(seen[p.array][p.offset / c.elem_bytes]++, 0);
            }
            for (int a = 0; a < c.narrays; a++)
                free(seen[a]);
        }
        ddt_case_free(&c);
    }
}

/* Places worked out by hand: test, size, side, element, array, offset in elements. */
static void test_places_by_hand(void **state)
{
    (void)state;
    static const struct {
        const char *test;
        const char *size;
        ddt_side side;
        int64_t k;
        int array;
        int64_t element;
    } known[] = {
        /* region from i = 5, j = 7 of 32 x 52, 23 wide: 2-d, the next row, 3-d, the next level */
        {"WRF_y_vec", "2x2", DDT_SEND, 0, 0, 7 * 32 + 5},
        {"WRF_y_vec", "2x2", DDT_RECV, 23, 0, 8 * 32 + 5},
        {"WRF_y_sa", "2x2", DDT_SEND, 4 * 69, 4, 7 * 65 * 32 + 5},
        {"WRF_y_sa", "2x2", DDT_SEND, 4 * 69 + 23, 4, (7 * 65 + 1) * 32 + 5},
        /* 4-d: the second species */
        {"WRF_y_vec", "2x2", DDT_SEND, 4 * 69 + 3 * 69 * 65, 7, (52 * 65 + 7 * 65) * 32 + 5},
        /* half of a plane of 8 x 8 sites, then the plane at z = 4 */
        {"MILC_su3_zd", "8x8x8x8", DDT_SEND, 8 * 4 * 6, 0, 8 * 8 * 4 * 6},
        {"MILC_su3_zd", "8x8x8x8", DDT_SEND, 2 * 8 * 4 * 6 + 7, 0, 8 * 8 * 8 * 6 + 7},
        {"NAS_LU_x", "12", DDT_SEND, 0, 0, 5 + 70 * 12},
        {"NAS_LU_x", "12", DDT_RECV, 59, 0, 5 + 59},
        {"NAS_LU_y", "12", DDT_SEND, 5, 0, 5 * 12 + 70 * 2},
        {"NAS_LU_y", "12", DDT_RECV, 0, 0, 70},
        {"NAS_MG_x", "34x18x18", DDT_SEND, 0, 0, (18 + 1) * 34 + 32},
        {"NAS_MG_x", "34x18x18", DDT_RECV, 16, 0, (2 * 18 + 1) * 34 + 33},
        {"NAS_MG_y", "34x18x18", DDT_SEND, 32, 0, (2 * 18 + 16) * 34 + 1},
        {"NAS_MG_z", "34x18x18", DDT_RECV, 33, 0, 2 * 34 + 2},
        /* tag of the second atom received; the last property of the last atom */
        {"LAMMPS_full", "1662", DDT_RECV, 3 * 1662 + 1, 1, 1907 + 1},
        {"LAMMPS_full", "1662", DDT_RECV, 8 * 1662 - 1, 5, 1907 + 1661},
        {"SPECFEM3D_mt", "7600", DDT_SEND, 4, 0, 7},
        {"SPECFEM3D_mt", "7600", DDT_RECV, 4, 1, 4},
        /* row 1, column 2 of the block of process 1 of 2: m = 128 */
        {"FFT2", "256", DDT_SEND, 128 * 128 + 128 + 2, 0, 256 + 128 + 2},
        {"FFT2", "256", DDT_RECV, 128 * 128 + 128 + 2, 1, 2 * 256 + 128 + 1},
    };
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
        ddt_case c = make(known[i].test, known[i].size, 0, 0);
        ddt_place p = ddt_oracle_place(&c, known[i].side, known[i].k);
        print_message("%s element %d\n", known[i].test, (int)known[i].k);
        assert_int_equal(p.array, known[i].array);
        assert_int_equal(p.offset, known[i].element * c.elem_bytes);
        ddt_case_free(&c);
    }
}

/* The same seed, rank and round give the same list, others another; and it is not sorted. */
static void test_lists(void **state)
{
    (void)state;
    ddt_case a = make("LAMMPS_full", "1662", 0, 0);
    ddt_case same = make("LAMMPS_full", "1662", 0, 0);
    ddt_case rank = make("LAMMPS_full", "1662", 1, 0);
    ddt_case round = make("LAMMPS_full", "1662", 0, 1);
    size_t bytes = 1662 * sizeof(int);
    int falls = 0;
    assert_memory_equal(a.list[0], same.list[0], bytes);
    assert_memory_not_equal(a.list[0], rank.list[0], bytes);
    assert_memory_not_equal(a.list[0], round.list[0], bytes);
    for (int i = 1; i < 1662; i++)
        falls += a.list[0][i] < a.list[0][i - 1];
    assert_in_range(falls, 600, 1062);
    ddt_case_free(&a);
    ddt_case_free(&same);
    ddt_case_free(&rank);
    ddt_case_free(&round);
}

/* Cache lines: one for each double of a face, all of an array, and a contiguous stretch. */
static void test_lines(void **state)
{
    (void)state;
    ddt_case mg = make("NAS_MG_x", "514x258x258", 0, 0);
    ddt_case mt = make("SPECFEM3D_mt", "6400", 0, 0);
    assert_int_equal(ddt_oracle_line_bytes(&mg, DDT_SEND), 64 * 65536);
    assert_int_equal(ddt_oracle_line_bytes(&mt, DDT_SEND), 24 * 6400);
    assert_int_equal(ddt_oracle_line_bytes(&mt, DDT_RECV), 12 * 6400);
    ddt_case_free(&mg);
    ddt_case_free(&mt);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_pairs_are_there), cmocka_unit_test(test_published_sizes),
        cmocka_unit_test(test_places_are_apart),    cmocka_unit_test(test_places_by_hand),
        cmocka_unit_test(test_lists),               cmocka_unit_test(test_lines),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
