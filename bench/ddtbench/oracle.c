/* SPDX-License-Identifier: MIT */
#include "oracle.h"

#include <stdlib.h>

enum { LINE = 64 };

/* k modulo `extent`, and k divided by it: coordinates come off a stream index fastest first. */
static int64_t split(int64_t *k, int64_t extent)
{
    int64_t coordinate = *k % extent;
    *k /= extent;
    return coordinate;
}

static ddt_place at(const ddt_case *c, int array, int64_t element)
{
    return (ddt_place){array, element * c->elem_bytes};
}

/* a2[j][i], a3[j][k][i], a4[l][j][k][i]; the region is is..ie, all k, js..je, the last l. */
static ddt_place wrf(const ddt_case *c, ddt_side side, int64_t k)
{
    (void)side;
    const int64_t *n = c->n;
    int64_t wide = n[WRF_IE] - n[WRF_IS] + 1;
    int64_t deep = n[WRF_JE] - n[WRF_JS] + 1;
    int64_t row = n[WRF_IME] - n[WRF_IMS] + 1;
    int64_t rows = n[WRF_JME] - n[WRF_JMS] + 1;
    int64_t flat = wide * deep;
    if (k < WRF_2D * flat) {
        int array = (int)(k / flat);
        int64_t i = n[WRF_IS] - n[WRF_IMS] + split(&k, wide);
        int64_t j = n[WRF_JS] - n[WRF_JMS] + split(&k, deep);
        return at(c, array, j * row + i);
    }
    k -= WRF_2D * flat;
    int array = WRF_2D + (int)(k / (flat * WRF_LEVELS));
    int64_t l = array < WRF_2D + WRF_3D ? 0 : WRF_SPECIES - 1;
    int64_t i = n[WRF_IS] - n[WRF_IMS] + split(&k, wide);
    int64_t level = split(&k, WRF_LEVELS);
    int64_t j = n[WRF_JS] - n[WRF_JMS] + split(&k, deep);
    return at(c, array, ((l * rows + j) * WRF_LEVELS + level) * row + i);
}

/* a[t][z][y][x][6]: all t, z = 0 and lz/2, y < ly/2, all x. */
static ddt_place milc(const ddt_case *c, ddt_side side, int64_t k)
{
    (void)side;
    const int64_t *n = c->n;
    int64_t component = split(&k, MILC_FLOATS);
    int64_t x = split(&k, n[MILC_LX]);
    int64_t y = split(&k, n[MILC_LY] / 2);
    int64_t z = split(&k, 2) * (n[MILC_LZ] / 2);
    int64_t t = k;
    int64_t site = ((t * n[MILC_LZ] + z) * n[MILC_LY] + y) * n[MILC_LX] + x;
    return at(c, 0, site * MILC_FLOATS + component);
}

static ddt_place lu_at(const ddt_case *c, int64_t plane, int64_t row, int64_t component)
{
    return at(c, 0, (plane * (c->n[LU_N] + 2) + row) * LU_DOUBLES + component);
}

/* a[k][j][5]: plane n goes to plane 0. */
static ddt_place lu_x(const ddt_case *c, ddt_side side, int64_t k)
{
    int64_t component = split(&k, LU_DOUBLES);
    return lu_at(c, side == DDT_SEND ? c->n[LU_N] : 0, 1 + k, component);
}

/* a[k][j][5]: row n of every plane goes to row 0. */
static ddt_place lu_y(const ddt_case *c, ddt_side side, int64_t k)
{
    int64_t component = split(&k, LU_DOUBLES);
    return lu_at(c, 1 + k, side == DDT_SEND ? c->n[LU_N] : 0, component);
}

static ddt_place mg_at(const ddt_case *c, int64_t i, int64_t j, int64_t k)
{
    return at(c, 0, (k * c->n[MG_2] + j) * c->n[MG_1] + i);
}

/* a[k][j][i]: the last inner plane goes to the upper ghost plane; inner points of the others. */
static ddt_place mg_x(const ddt_case *c, ddt_side side, int64_t k)
{
    int64_t j = 1 + split(&k, c->n[MG_2] - 2);
    return mg_at(c, c->n[MG_1] - (side == DDT_SEND ? 2 : 1), j, 1 + k);
}

static ddt_place mg_y(const ddt_case *c, ddt_side side, int64_t k)
{
    int64_t i = 1 + split(&k, c->n[MG_1] - 2);
    return mg_at(c, i, c->n[MG_2] - (side == DDT_SEND ? 2 : 1), 1 + k);
}

/* The first inner plane goes to the lower ghost plane. */
static ddt_place mg_z(const ddt_case *c, ddt_side side, int64_t k)
{
    int64_t i = 1 + split(&k, c->n[MG_1] - 2);
    return mg_at(c, i, 1 + k, side == DDT_SEND ? 1 : 0);
}

/* x[atom][3], then scalars; atoms on the list go behind the receiver's own. */
static ddt_place lammps(const ddt_case *c, ddt_side side, int64_t k)
{
    int64_t sent = c->n[LAMMPS_SENT];
    int array = k < 3 * sent ? 0 : (int)(k / sent) - 2;
    int64_t width = array == 0 ? 3 : 1;
    int64_t component = split(&k, width);
    int64_t which = array == 0 ? k : k % sent;
    int64_t atom = side == DDT_SEND ? c->list[0][which] : c->n[LAMMPS_OWN] + which;
    return at(c, array, atom * width + component);
}

static ddt_place specfem_oc(const ddt_case *c, ddt_side side, int64_t k)
{
    (void)side;
    return at(c, 0, c->list[0][k]);
}

/* crust-mantle[point][3], then inner core[point][3] */
static ddt_place specfem_cm(const ddt_case *c, ddt_side side, int64_t k)
{
    (void)side;
    int64_t component = split(&k, 3);
    int core = k >= c->n[CM_LISTED];
    int64_t which = core ? k - c->n[CM_LISTED] : k;
    return at(c, core, c->list[core][which] * 3 + component);
}

/* s[n][2][3]: the first row of every pair goes to r[n][3]. */
static ddt_place specfem_mt(const ddt_case *c, ddt_side side, int64_t k)
{
    if (side == DDT_RECV)
        return at(c, 1, k);
    int64_t component = split(&k, MT_WIDTH);
    return at(c, 0, k * MT_ROWS * MT_WIDTH + component);
}

/* m[N/p][N]: the block of peer r is columns r N/p ..., row by row; what comes from peer r is
 * written transposed there. */
static ddt_place fft2(const ddt_case *c, ddt_side side, int64_t k)
{
    int64_t rows = c->n[FFT_N] / c->ranks;
    int64_t fast = split(&k, rows);
    int64_t slow = split(&k, rows);
    int64_t peer = k;
    if (side == DDT_SEND)
        return at(c, 0, slow * c->n[FFT_N] + peer * rows + fast);
    return at(c, 1, fast * c->n[FFT_N] + peer * rows + slow);
}

ddt_place ddt_oracle_place(const ddt_case *c, ddt_side side, int64_t k)
{
    static ddt_place (*const places[DDT_FAMILIES])(const ddt_case *, ddt_side, int64_t) = {
        [DDT_WRF] = wrf,
        [DDT_MILC] = milc,
        [DDT_LU_X] = lu_x,
        [DDT_LU_Y] = lu_y,
        [DDT_MG_X] = mg_x,
        [DDT_MG_Y] = mg_y,
        [DDT_MG_Z] = mg_z,
        [DDT_LAMMPS] = lammps,
        [DDT_SPECFEM_OC] = specfem_oc,
        [DDT_SPECFEM_CM] = specfem_cm,
        [DDT_SPECFEM_MT] = specfem_mt,
        [DDT_FFT2] = fft2,
    };
    return places[c->test->family](c, side, k);
}

int64_t ddt_oracle_origin(const ddt_case *c, int me, int64_t k, int *rank_p)
{
    if (c->test->family != DDT_FFT2) {
        *rank_p = 1 - me;
        return k;
    }
    int64_t block = c->count / c->ranks;
    *rank_p = (int)(k / block);
    return me * block + k % block;
}

int64_t ddt_oracle_runs(const ddt_case *c, ddt_side side)
{
    int64_t runs = 0;
    ddt_place last = {-1, 0};
    for (int64_t k = 0; k < c->count; k++) {
        ddt_place here = ddt_oracle_place(c, side, k);
        runs += here.array != last.array || here.offset != last.offset + c->elem_bytes;
        last = here;
    }
    return runs;
}

int64_t ddt_oracle_line_bytes(const ddt_case *c, ddt_side side)
{
    unsigned char *seen[DDT_ARRAYS] = {0};
    int64_t lines = 0;
    for (int a = 0; a < c->narrays; a++) {
        seen[a] = calloc((size_t)(c->array_bytes[a] / LINE + 1), 1);
        if (seen[a] == NULL)
            lines = -1;
    }
    for (int64_t k = 0; lines >= 0 && k < c->count; k++) {
        ddt_place p = ddt_oracle_place(c, side, k);
        unsigned char *line = &seen[p.array][p.offset / LINE];
        lines += !*line;
        *line = 1;
    }
    for (int a = 0; a < c->narrays; a++)
        free(seen[a]);
    return lines < 0 ? -1 : lines * LINE;
}
