/* SPDX-License-Identifier: MIT */
#include "cases.h"

#include <stdlib.h>

#include "harness/cell.h"
#include "random.h"

#define COUNT(array) ((int)(sizeof(array) / sizeof((array)[0])))

/* WRF: the patch of rank 0 in runs on k x k processes. */
static const ddt_size wrf_y[] = {
    {"2x2", {-4, 27, 34, 85, 1, 23, 41, 43}}, {"3x3", {8, 34, 21, 61, 12, 30, 28, 30}},
    {"4x4", {4, 27, 14, 47, 8, 23, 21, 23}},  {"5x5", {10, 31, 10, 39, 14, 27, 17, 19}},
    {"8x8", {4, 22, 4, 27, 8, 18, 11, 13}},
};
static const ddt_size wrf_x[] = {
    {"2x2", {-4, 27, 34, 85, 18, 20, 38, 81}},
    {"4x4", {4, 27, 14, 47, 18, 20, 18, 43}},
    {"8x8", {4, 22, 4, 27, 13, 15, 8, 23}},
};
static const ddt_size milc[] = {
    {"16x16x16x16", {16, 16, 16, 16}},
    {"8x16x16x16", {8, 16, 16, 16}},
    {"8x8x8x16", {8, 8, 8, 16}},
    {"8x8x8x8", {8, 8, 8, 8}},
};
static const ddt_size lu[] = { /* classes S, W, A, B, C, D, E */
    {"12", {12}}, {"33", {33}}, {"64", {64}}, {"102", {102}}, {"162", {162}}, {"408", {408}},
    {"1020", {1020}},
};
static const ddt_size mg[] = { /* classes S, W, A, C on four processes */
    {"34x18x18", {34, 18, 18}},
    {"130x66x66", {130, 66, 66}},
    {"258x130x130", {258, 130, 130}},
    {"514x258x258", {514, 258, 258}},
};
static const ddt_size lammps_full[] = { /* peptide on 2, 4, 8 processes */
    {"3062", {3062, 3534}}, {"2243", {2243, 2597}}, {"1662", {1662, 1907}},
};
static const ddt_size lammps_atomic[] = { /* crack on 2, 4, 8 processes */
    {"243", {243, 4084}}, {"145", {145, 2157}}, {"114", {114, 1217}},
};
static const ddt_size specfem_oc[] = {
    {"3225", {3225, 88881}}, {"1897", {1897, 38585}}, {"877", {877, 12857}}, {"493", {493, 3697}},
};
static const ddt_size specfem_cm[] = {
    {"11797+3009", {11797, 834917, 3009, 51153}},
    {"7125+1729", {7125, 396849, 1729, 22477}},
    {"3801+801", {3801, 152001, 801, 7209}},
    {"1957+245", {1957, 39929, 245, 1225}},
};
static const ddt_size specfem_mt[] = {
    {"7600", {7600}}, {"6400", {6400}}, {"5600", {5600}}, {"6200", {6200}},
};
static const ddt_size fft2[] = {
    {"256", {256}}, {"512", {512}}, {"768", {768}}, {"1024", {1024}}, {"1536", {1536}},
};

#define SIZES(list) list, COUNT(list)

const ddt_test ddt_tests[] = {
    {"WRF_y_vec", DDT_WRF, 0, SIZES(wrf_y)},
    {"WRF_y_sa", DDT_WRF, 1, SIZES(wrf_y)},
    {"WRF_x_vec", DDT_WRF, 0, SIZES(wrf_x)},
    {"WRF_x_sa", DDT_WRF, 1, SIZES(wrf_x)},
    {"MILC_su3_zd", DDT_MILC, 0, SIZES(milc)},
    {"NAS_LU_x", DDT_LU_X, 0, SIZES(lu)},
    {"NAS_LU_y", DDT_LU_Y, 0, SIZES(lu)},
    {"NAS_MG_x", DDT_MG_X, 0, SIZES(mg)},
    {"NAS_MG_y", DDT_MG_Y, 0, SIZES(mg)},
    {"NAS_MG_z", DDT_MG_Z, 0, SIZES(mg)},
    {"LAMMPS_full", DDT_LAMMPS, 5, SIZES(lammps_full)},
    {"LAMMPS_atomic", DDT_LAMMPS, 3, SIZES(lammps_atomic)},
    {"SPECFEM3D_oc", DDT_SPECFEM_OC, 0, SIZES(specfem_oc)},
    {"SPECFEM3D_cm", DDT_SPECFEM_CM, 0, SIZES(specfem_cm)},
    {"SPECFEM3D_mt", DDT_SPECFEM_MT, 0, SIZES(specfem_mt)},
    {"FFT2", DDT_FFT2, 0, SIZES(fft2)},
};
const int ddt_test_count = COUNT(ddt_tests);

static void add_array(ddt_case *c, int64_t elements)
{
    c->array_bytes[c->narrays++] = elements * c->elem_bytes;
}

static void add_list(ddt_case *c, int64_t length, int64_t range)
{
    c->list_length[c->nlists] = length;
    c->list_range[c->nlists++] = range;
}

static void shape_wrf(ddt_case *c)
{
    const int64_t *n = c->n;
    int64_t plane = (n[WRF_IME] - n[WRF_IMS] + 1) * (n[WRF_JME] - n[WRF_JMS] + 1);
    int64_t sent = (n[WRF_IE] - n[WRF_IS] + 1) * (n[WRF_JE] - n[WRF_JS] + 1);
    for (int a = 0; a < WRF_2D + WRF_3D + WRF_4D; a++) {
        int64_t levels = a < WRF_2D ? 1 : WRF_LEVELS;
        add_array(c, plane * levels * (a < WRF_2D + WRF_3D ? 1 : WRF_SPECIES));
        c->count += sent * levels;
    }
    c->echo = 1;
}

static void shape_milc(ddt_case *c)
{
    const int64_t *n = c->n;
    int64_t sites = n[MILC_LX] * n[MILC_LY] * n[MILC_LZ] * n[MILC_LT];
    add_array(c, MILC_FLOATS * sites);
    c->count = MILC_FLOATS * sites / n[MILC_LZ];
    c->echo = 1;
}

static void shape_lu(ddt_case *c)
{
    int64_t n = c->n[LU_N];
    add_array(c, LU_DOUBLES * (n + 2) * (n + 2));
    c->count = LU_DOUBLES * n;
}

static void shape_mg(ddt_case *c)
{
    const int64_t *n = c->n;
    int64_t inner[] = {n[MG_1] - 2, n[MG_2] - 2, n[MG_3] - 2};
    add_array(c, n[MG_1] * n[MG_2] * n[MG_3]);
    c->count = inner[0] * inner[1] * inner[2] / inner[c->test->family - DDT_MG_X];
}

static void shape_lammps(ddt_case *c)
{
    int64_t atoms = c->n[LAMMPS_OWN] + c->n[LAMMPS_SENT];
    add_array(c, 3 * atoms);
    for (int a = 0; a < c->test->variant; a++)
        add_array(c, atoms);
    c->count = c->n[LAMMPS_SENT] * (3 + c->test->variant);
    add_list(c, c->n[LAMMPS_SENT], c->n[LAMMPS_OWN]);
}

static void shape_oc(ddt_case *c)
{
    add_array(c, c->n[OC_POINTS]);
    c->count = c->n[OC_LISTED];
    c->echo = 1;
    add_list(c, c->n[OC_LISTED], c->n[OC_POINTS]);
}

static void shape_cm(ddt_case *c)
{
    add_array(c, 3 * c->n[CM_POINTS]);
    add_array(c, 3 * c->n[IC_POINTS]);
    c->count = 3 * (c->n[CM_LISTED] + c->n[IC_LISTED]);
    c->echo = 1;
    add_list(c, c->n[CM_LISTED], c->n[CM_POINTS]);
    add_list(c, c->n[IC_LISTED], c->n[IC_POINTS]);
}

static void shape_mt(ddt_case *c)
{
    c->count = MT_WIDTH * c->n[MT_POINTS];
    add_array(c, MT_ROWS * c->count);
    add_array(c, c->count);
    c->base[DDT_RECV] = 1;
    c->recv_contiguous = 1;
}

static void shape_fft2(ddt_case *c)
{
    c->count = c->n[FFT_N] * c->n[FFT_N] / c->ranks;
    add_array(c, c->count);
    add_array(c, c->count);
    c->base[DDT_RECV] = 1;
}

static const struct {
    int elem_bytes;
    void (*shape)(ddt_case *c); /* count and arrays of a case that knows its test, size and ranks */
} families[DDT_FAMILIES] = {
    [DDT_WRF] = {4, shape_wrf},
    [DDT_MILC] = {4, shape_milc},
    [DDT_LU_X] = {8, shape_lu},
    [DDT_LU_Y] = {8, shape_lu},
    [DDT_MG_X] = {8, shape_mg},
    [DDT_MG_Y] = {8, shape_mg},
    [DDT_MG_Z] = {8, shape_mg},
    [DDT_LAMMPS] = {8, shape_lammps},
    [DDT_SPECFEM_OC] = {4, shape_oc},
    [DDT_SPECFEM_CM] = {4, shape_cm},
    [DDT_SPECFEM_MT] = {4, shape_mt},
    [DDT_FFT2] = {16, shape_fft2},
};

int ddt_case_make(const ddt_test *test, const ddt_size *size, int ranks, ddt_case *case_p)
{
    ddt_case c = {.test = test, .size = size, .n = size->n, .ranks = 2};
    c.elem_bytes = families[test->family].elem_bytes;
    if (test->family == DDT_FFT2) {
        c.ranks = ranks;
        if (size->n[FFT_N] % ranks != 0)
            return bench_fail("FFT2 %s: %d processes do not divide %s", size->name, ranks,
                              size->name);
    }
    families[test->family].shape(&c);
    c.bytes = c.count * c.elem_bytes;
    for (int i = 0; i < c.nlists; i++) {
        c.list[i] = calloc((size_t)c.list_length[i], sizeof(int));
        if (c.list[i] == NULL) {
            ddt_case_free(&c);
            return bench_fail("out of memory");
        }
    }
    *case_p = c;
    return 0;
}

void ddt_case_free(ddt_case *c)
{
    for (int i = 0; i < DDT_LISTS; i++) {
        free(c->list[i]);
        c->list[i] = NULL;
    }
}

/* The first `length` steps of a Fisher-Yates shuffle of 0 .. range-1. */
static int draw(int list[], int64_t length, int64_t range, uint64_t *state)
{
    int *all = malloc((size_t)range * sizeof(int));
    if (all == NULL)
        return bench_fail("out of memory");
    for (int64_t i = 0; i < range; i++)
        all[i] = (int)i;
    for (int64_t i = 0; i < length; i++) {
        int64_t j = i + (int64_t)(ddt_random(state) % (uint64_t)(range - i));
        list[i] = all[j];
        all[j] = all[i];
    }
    free(all);
    return 0;
}

int ddt_case_draw(ddt_case *c, unsigned seed, int rank, int round)
{
    uint64_t state = ((uint64_t)seed << 32) ^ ((uint64_t)rank << 24) ^ (uint64_t)round;
    for (int i = 0; i < c->nlists; i++) {
        if (draw(c->list[i], c->list_length[i], c->list_range[i], &state) != 0)
            return 1;
    }
    return 0;
}
