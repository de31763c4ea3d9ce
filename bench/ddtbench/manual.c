/* SPDX-License-Identifier: MIT */
#include "manual.h"

typedef void pack_loops(const ddt_case *c, void *const arrays[], void *packed);
typedef void unpack_loops(const ddt_case *c, void *const arrays[], const void *packed);

/* Loops that differ only in which way elements go are written once; MOVE is the assignment. */
#define PACK(place) (*to++ = (place))
#define UNPACK(place) ((place) = *from++)

/* Indices of the first and behind the last point of the region, from the start of memory. */
#define WRF_BOUNDS(n)                                                                              \
    const int row = (int)((n)[WRF_IME] - (n)[WRF_IMS] + 1);                                        \
    const int rows = (int)((n)[WRF_JME] - (n)[WRF_JMS] + 1);                                       \
    const int is = (int)((n)[WRF_IS] - (n)[WRF_IMS]), ie = (int)((n)[WRF_IE] - (n)[WRF_IMS]) + 1;  \
    const int js = (int)((n)[WRF_JS] - (n)[WRF_JMS]), je = (int)((n)[WRF_JE] - (n)[WRF_JMS]) + 1;

#define WRF_LOOPS(MOVE)                                                                            \
    for (int a = 0; a < WRF_2D; a++) {                                                             \
        float *restrict f = arrays[a];                                                             \
        for (int j = js; j < je; j++)                                                              \
            for (int i = is; i < ie; i++)                                                          \
                MOVE(f[j * row + i]);                                                              \
    }                                                                                              \
    for (int a = WRF_2D; a < WRF_2D + WRF_3D + WRF_4D; a++) {                                      \
        float *restrict f = arrays[a];                                                             \
        if (a >= WRF_2D + WRF_3D)                                                                  \
            f += (WRF_SPECIES - 1) * rows * WRF_LEVELS * row;                                      \
        for (int j = js; j < je; j++)                                                              \
            for (int k = 0; k < WRF_LEVELS; k++)                                                   \
                for (int i = is; i < ie; i++)                                                      \
                    MOVE(f[(j * WRF_LEVELS + k) * row + i]);                                       \
    }

static void wrf_pack(const ddt_case *c, void *const arrays[], void *packed)
{
    WRF_BOUNDS(c->n)
    float *restrict to = packed;
    WRF_LOOPS(PACK)
}

static void wrf_unpack(const ddt_case *c, void *const arrays[], const void *packed)
{
    WRF_BOUNDS(c->n)
    const float *restrict from = packed;
    WRF_LOOPS(UNPACK)
}

#define MILC_LOOPS(MOVE)                                                                           \
    const int lx = (int)c->n[MILC_LX], ly = (int)c->n[MILC_LY];                                    \
    const int lz = (int)c->n[MILC_LZ], lt = (int)c->n[MILC_LT];                                    \
    float *restrict su3 = arrays[0];                                                               \
    for (int t = 0; t < lt; t++)                                                                   \
        for (int z = 0; z < lz; z += lz / 2)                                                       \
            for (int y = 0; y < ly / 2; y++)                                                       \
                for (int x = 0; x < lx; x++)                                                       \
                    for (int i = 0; i < MILC_FLOATS; i++)                                          \
                        MOVE(su3[(((t * lz + z) * ly + y) * lx + x) * MILC_FLOATS + i]);

static void milc_pack(const ddt_case *c, void *const arrays[], void *packed)
{
    float *restrict to = packed;
    MILC_LOOPS(PACK)
}

static void milc_unpack(const ddt_case *c, void *const arrays[], const void *packed)
{
    const float *restrict from = packed;
    MILC_LOOPS(UNPACK)
}

#define LU_LOOPS(MOVE, plane, row_of)                                                              \
    const int n = (int)c->n[LU_N];                                                                 \
    double *restrict u = arrays[0];                                                                \
    for (int p = 1; p <= n; p++)                                                                   \
        for (int i = 0; i < LU_DOUBLES; i++)                                                       \
            MOVE(u[((plane) * (n + 2) + (row_of)) * LU_DOUBLES + i]);

static void lu_x_pack(const ddt_case *c, void *const arrays[], void *packed)
{
    double *restrict to = packed;
    LU_LOOPS(PACK, n, p)
}

static void lu_x_unpack(const ddt_case *c, void *const arrays[], const void *packed)
{
    const double *restrict from = packed;
    LU_LOOPS(UNPACK, 0, p)
}

static void lu_y_pack(const ddt_case *c, void *const arrays[], void *packed)
{
    double *restrict to = packed;
    LU_LOOPS(PACK, p, n)
}

static void lu_y_unpack(const ddt_case *c, void *const arrays[], const void *packed)
{
    const double *restrict from = packed;
    LU_LOOPS(UNPACK, p, 0)
}

/* A plane of a[k][j][i] without its rim: `slow` over the inner points of one dimension, `fast` over
 * those of a faster one. */
#define MG_LOOPS(MOVE, slow, slow_end, fast, fast_end, k, j, i)                                    \
    const int n1 = (int)c->n[MG_1], n2 = (int)c->n[MG_2], n3 = (int)c->n[MG_3];                    \
    double *restrict u = arrays[0];                                                                \
    (void)n3;                                                                                      \
    for (int slow = 1; slow < (slow_end) - 1; slow++)                                              \
        for (int fast = 1; fast < (fast_end) - 1; fast++)                                          \
            MOVE(u[((k) * n2 + (j)) * n1 + (i)]);

static void mg_x_pack(const ddt_case *c, void *const arrays[], void *packed)
{
    double *restrict to = packed;
    MG_LOOPS(PACK, k, n3, j, n2, k, j, n1 - 2)
}

static void mg_x_unpack(const ddt_case *c, void *const arrays[], const void *packed)
{
    const double *restrict from = packed;
    MG_LOOPS(UNPACK, k, n3, j, n2, k, j, n1 - 1)
}

static void mg_y_pack(const ddt_case *c, void *const arrays[], void *packed)
{
    double *restrict to = packed;
    MG_LOOPS(PACK, k, n3, i, n1, k, n2 - 2, i)
}

static void mg_y_unpack(const ddt_case *c, void *const arrays[], const void *packed)
{
    const double *restrict from = packed;
    MG_LOOPS(UNPACK, k, n3, i, n1, k, n2 - 1, i)
}

static void mg_z_pack(const ddt_case *c, void *const arrays[], void *packed)
{
    double *restrict to = packed;
    MG_LOOPS(PACK, j, n2, i, n1, 1, j, i)
}

static void mg_z_unpack(const ddt_case *c, void *const arrays[], const void *packed)
{
    const double *restrict from = packed;
    MG_LOOPS(UNPACK, j, n2, i, n1, 0, j, i)
}

#define LAMMPS_LOOPS(MOVE, atom)                                                                   \
    const int sent = (int)c->n[LAMMPS_SENT];                                                       \
    double *restrict x = arrays[0];                                                                \
    for (int m = 0; m < sent; m++) {                                                               \
        MOVE(x[3 * (atom)]);                                                                       \
        MOVE(x[3 * (atom) + 1]);                                                                   \
        MOVE(x[3 * (atom) + 2]);                                                                   \
    }                                                                                              \
    for (int a = 1; a < c->narrays; a++) {                                                         \
        double *restrict property = arrays[a];                                                     \
        for (int m = 0; m < sent; m++)                                                             \
            MOVE(property[atom]);                                                                  \
    }

static void lammps_pack(const ddt_case *c, void *const arrays[], void *packed)
{
    const int *restrict list = c->list[0];
    double *restrict to = packed;
    LAMMPS_LOOPS(PACK, list[m])
}

static void lammps_unpack(const ddt_case *c, void *const arrays[], const void *packed)
{
    const int own = (int)c->n[LAMMPS_OWN];
    const double *restrict from = packed;
    LAMMPS_LOOPS(UNPACK, own + m)
}

static void oc_pack(const ddt_case *c, void *const arrays[], void *packed)
{
    const int listed = (int)c->n[OC_LISTED];
    const int *restrict list = c->list[0];
    const float *restrict field = arrays[0];
    float *restrict to = packed;
    for (int m = 0; m < listed; m++)
        to[m] = field[list[m]];
}

static void oc_unpack(const ddt_case *c, void *const arrays[], const void *packed)
{
    const int listed = (int)c->n[OC_LISTED];
    const int *restrict list = c->list[0];
    const float *restrict from = packed;
    float *restrict field = arrays[0];
    for (int m = 0; m < listed; m++)
        field[list[m]] = from[m];
}

#define CM_LOOPS(MOVE)                                                                             \
    for (int region = 0; region < c->nlists; region++) {                                           \
        const int listed = (int)c->list_length[region];                                            \
        const int *restrict list = c->list[region];                                                \
        float *restrict field = arrays[region];                                                    \
        for (int m = 0; m < listed; m++) {                                                         \
            MOVE(field[3 * list[m]]);                                                              \
            MOVE(field[3 * list[m] + 1]);                                                          \
            MOVE(field[3 * list[m] + 2]);                                                          \
        }                                                                                          \
    }

static void cm_pack(const ddt_case *c, void *const arrays[], void *packed)
{
    float *restrict to = packed;
    CM_LOOPS(PACK)
}

static void cm_unpack(const ddt_case *c, void *const arrays[], const void *packed)
{
    const float *restrict from = packed;
    CM_LOOPS(UNPACK)
}

static void mt_pack(const ddt_case *c, void *const arrays[], void *packed)
{
    const int points = (int)c->n[MT_POINTS];
    const float *restrict field = arrays[0];
    float *restrict to = packed;
    for (int m = 0; m < points; m++)
        for (int i = 0; i < MT_WIDTH; i++)
            *to++ = field[m * MT_ROWS * MT_WIDTH + i];
}

static void mt_unpack(const ddt_case *c, void *const arrays[], const void *packed)
{
    const int floats = (int)c->n[MT_POINTS] * MT_WIDTH;
    const float *restrict from = packed;
    float *restrict field = arrays[1];
    for (int m = 0; m < floats; m++)
        field[m] = from[m];
}

typedef struct complex_double {
    double re;
    double im;
} complex_double;

static void fft2_pack(const ddt_case *c, void *const arrays[], void *packed)
{
    const int n = (int)c->n[FFT_N], m = n / c->ranks;
    const complex_double *restrict matrix = arrays[0];
    complex_double *restrict to = packed;
    for (int r = 0; r < c->ranks; r++)
        for (int a = 0; a < m; a++)
            for (int b = 0; b < m; b++)
                *to++ = matrix[a * n + r * m + b];
}

static void fft2_unpack(const ddt_case *c, void *const arrays[], const void *packed)
{
    const int n = (int)c->n[FFT_N], m = n / c->ranks;
    const complex_double *restrict from = packed;
    complex_double *restrict matrix = arrays[1];
    for (int b = 0; b < m; b++)
        for (int l = 0; l < n; l++)
            matrix[b * n + l] = from[b + l * m];
}

static const struct {
    pack_loops *pack;
    unpack_loops *unpack;
} loops[DDT_FAMILIES] = {
    [DDT_WRF] = {wrf_pack, wrf_unpack},
    [DDT_MILC] = {milc_pack, milc_unpack},
    [DDT_LU_X] = {lu_x_pack, lu_x_unpack},
    [DDT_LU_Y] = {lu_y_pack, lu_y_unpack},
    [DDT_MG_X] = {mg_x_pack, mg_x_unpack},
    [DDT_MG_Y] = {mg_y_pack, mg_y_unpack},
    [DDT_MG_Z] = {mg_z_pack, mg_z_unpack},
    [DDT_LAMMPS] = {lammps_pack, lammps_unpack},
    [DDT_SPECFEM_OC] = {oc_pack, oc_unpack},
    [DDT_SPECFEM_CM] = {cm_pack, cm_unpack},
    [DDT_SPECFEM_MT] = {mt_pack, mt_unpack},
    [DDT_FFT2] = {fft2_pack, fft2_unpack},
};

void ddt_manual_pack(const ddt_case *c, void *const arrays[], void *packed)
{
    loops[c->test->family].pack(c, arrays, packed);
}

void ddt_manual_unpack(const ddt_case *c, void *const arrays[], const void *packed)
{
    loops[c->test->family].unpack(c, arrays, packed);
}
