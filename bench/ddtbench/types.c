/* SPDX-License-Identifier: MIT */
#include "types.h"

#include <stdlib.h>

#include "content.h"

/* The struct of members that lie at bytes[] from arrays[a]; members are freed. */
static MPI_Datatype over_arrays(int narrays, void *const arrays[], const MPI_Aint bytes[],
                                MPI_Datatype members[])
{
    int ones[DDT_ARRAYS];
    MPI_Aint displacements[DDT_ARRAYS];
    MPI_Aint base;
    MPI_Datatype type;
    MPI_Get_address(arrays[0], &base);
    for (int a = 0; a < narrays; a++) {
        MPI_Aint address;
        MPI_Get_address(arrays[a], &address);
        ones[a] = 1;
        displacements[a] = MPI_Aint_diff(address, base) + bytes[a];
    }
    MPI_Type_create_struct(narrays, ones, displacements, members, &type);
    for (int a = 0; a < narrays; a++)
        MPI_Type_free(&members[a]);
    return type;
}

/* count times `type`, a stride in bytes apart; `type` is freed. */
static MPI_Datatype strided(int count, MPI_Aint stride, MPI_Datatype type)
{
    MPI_Datatype result;
    MPI_Type_create_hvector(count, 1, stride, type, &result);
    MPI_Type_free(&type);
    return result;
}

static MPI_Datatype vector(int count, int blocklength, int stride, MPI_Datatype basic)
{
    MPI_Datatype result;
    MPI_Type_vector(count, blocklength, stride, basic, &result);
    return result;
}

static MPI_Datatype contiguous(int count, MPI_Datatype basic)
{
    MPI_Datatype result;
    MPI_Type_contiguous(count, basic, &result);
    return result;
}

/* Extents slowest first: species, j, k, i. */
typedef struct wrf_box {
    int sizes[4];
    int counts[4];
    int starts[4];
} wrf_box;

static wrf_box wrf_region(const int64_t *n)
{
    return (wrf_box){
        .sizes = {WRF_SPECIES, (int)(n[WRF_JME] - n[WRF_JMS] + 1), WRF_LEVELS,
                  (int)(n[WRF_IME] - n[WRF_IMS] + 1)},
        .counts = {1, (int)(n[WRF_JE] - n[WRF_JS] + 1), WRF_LEVELS,
                   (int)(n[WRF_IE] - n[WRF_IS] + 1)},
        .starts = {WRF_SPECIES - 1, (int)(n[WRF_JS] - n[WRF_JMS]), 0,
                   (int)(n[WRF_IS] - n[WRF_IMS])},
    };
}

/* One array of 2, 3 or 4 dimensions as nested vectors; *bytes_p: where its region starts. */
static MPI_Datatype wrf_vectors(int dims, const wrf_box *box, MPI_Aint *bytes_p)
{
    const int *size = box->sizes, *count = box->counts, *start = box->starts;
    MPI_Aint row = 4 * (MPI_Aint)size[3];
    MPI_Aint plane = row * (dims == 2 ? 1 : size[2]);
    *bytes_p = start[1] * plane + 4 * (MPI_Aint)start[3];
    if (dims == 2)
        return vector(count[1], count[3], size[3], MPI_FLOAT);
    MPI_Datatype type = strided(count[1], plane, vector(count[2], count[3], size[3], MPI_FLOAT));
    if (dims == 3)
        return type;
    *bytes_p += start[0] * plane * size[1];
    return strided(count[0], plane * size[1], type);
}

static MPI_Datatype wrf_subarray(int dims, const wrf_box *box)
{
    static const int of[][4] = {[2] = {1, 3}, [3] = {1, 2, 3}, [4] = {0, 1, 2, 3}};
    int sizes[4];
    int counts[4];
    int starts[4];
    MPI_Datatype type;
    for (int d = 0; d < dims; d++) {
        sizes[d] = box->sizes[of[dims][d]];
        counts[d] = box->counts[of[dims][d]];
        starts[d] = box->starts[of[dims][d]];
    }
    MPI_Type_create_subarray(dims, sizes, counts, starts, MPI_ORDER_C, MPI_FLOAT, &type);
    return type;
}

static MPI_Datatype wrf(const ddt_case *c, ddt_side side, void *const arrays[],
                        MPI_Aint *start_p)
{
    (void)side;
    (void)start_p;
    wrf_box box = wrf_region(c->n);
    MPI_Datatype members[DDT_ARRAYS];
    MPI_Aint bytes[DDT_ARRAYS] = {0};
    for (int a = 0; a < c->narrays; a++) {
        int dims = a < WRF_2D ? 2 : a < WRF_2D + WRF_3D ? 3 : 4;
        members[a] = c->test->variant ? wrf_subarray(dims, &box)
                                      : wrf_vectors(dims, &box, &bytes[a]);
    }
    return over_arrays(c->narrays, arrays, bytes, members);
}

static MPI_Datatype milc(const ddt_case *c, ddt_side side, void *const arrays[],
                         MPI_Aint *start_p)
{
    (void)side;
    (void)arrays;
    (void)start_p;
    const int64_t *n = c->n;
    int plane = (int)(n[MILC_LX] * n[MILC_LY]);
    int depth = (int)n[MILC_LZ], times = (int)n[MILC_LT];
    MPI_Datatype site = contiguous(MILC_FLOATS, MPI_FLOAT);
    MPI_Datatype half = vector(times, plane / 2, plane * depth / 2, site);
    MPI_Type_free(&site);
    return strided(2, (MPI_Aint)4 * MILC_FLOATS * plane * depth * times / 2, half);
}

static MPI_Datatype lu_x(const ddt_case *c, ddt_side side, void *const arrays[],
                         MPI_Aint *start_p)
{
    (void)arrays;
    int n = (int)c->n[LU_N];
    MPI_Aint row = 8 * LU_DOUBLES * (MPI_Aint)(n + 2);
    *start_p = 8 * LU_DOUBLES + (side == DDT_SEND ? n * row : 0);
    return contiguous(LU_DOUBLES * n, MPI_DOUBLE);
}

static MPI_Datatype lu_y(const ddt_case *c, ddt_side side, void *const arrays[],
                         MPI_Aint *start_p)
{
    (void)arrays;
    int n = (int)c->n[LU_N];
    MPI_Aint row = 8 * LU_DOUBLES * (MPI_Aint)(n + 2);
    MPI_Datatype point = contiguous(LU_DOUBLES, MPI_DOUBLE);
    MPI_Datatype column = vector(n, 1, n + 2, point);
    MPI_Type_free(&point);
    *start_p = row + (side == DDT_SEND ? 8 * LU_DOUBLES * (MPI_Aint)n : 0);
    return column;
}

/* Bytes from the start of a[k][j][i] to a point. */
static MPI_Aint mg_start(const ddt_case *c, int64_t i, int64_t j, int64_t k)
{
    return 8 * (MPI_Aint)((k * c->n[MG_2] + j) * c->n[MG_1] + i);
}

static MPI_Datatype mg_x(const ddt_case *c, ddt_side side, void *const arrays[],
                         MPI_Aint *start_p)
{
    (void)arrays;
    int n1 = (int)c->n[MG_1], n2 = (int)c->n[MG_2], n3 = (int)c->n[MG_3];
    MPI_Datatype column = vector(n2 - 2, 1, n1, MPI_DOUBLE);
    *start_p = mg_start(c, side == DDT_SEND ? n1 - 2 : n1 - 1, 1, 1);
    return strided(n3 - 2, 8 * (MPI_Aint)n1 * n2, column);
}

static MPI_Datatype mg_y(const ddt_case *c, ddt_side side, void *const arrays[],
                         MPI_Aint *start_p)
{
    (void)arrays;
    int n1 = (int)c->n[MG_1], n2 = (int)c->n[MG_2], n3 = (int)c->n[MG_3];
    *start_p = mg_start(c, 1, side == DDT_SEND ? n2 - 2 : n2 - 1, 1);
    return vector(n3 - 2, n1 - 2, n1 * n2, MPI_DOUBLE);
}

static MPI_Datatype mg_z(const ddt_case *c, ddt_side side, void *const arrays[],
                         MPI_Aint *start_p)
{
    (void)arrays;
    int n1 = (int)c->n[MG_1], n2 = (int)c->n[MG_2];
    *start_p = mg_start(c, 1, 1, side == DDT_SEND ? 1 : 0);
    return vector(n2 - 2, n1 - 2, n1, MPI_DOUBLE);
}

/* Blocks of `width` elements at width * list[]. */
static MPI_Datatype listed(int width, const int list[], int64_t length, MPI_Datatype basic)
{
    MPI_Datatype type;
    int *at = ddt_memory_get(length * (int64_t)sizeof(int));
    for (int64_t i = 0; i < length; i++)
        at[i] = width * list[i];
    MPI_Type_create_indexed_block((int)length, width, at, basic, &type);
    free(at);
    return type;
}

static MPI_Datatype lammps(const ddt_case *c, ddt_side side, void *const arrays[],
                           MPI_Aint *start_p)
{
    (void)start_p;
    int sent = (int)c->n[LAMMPS_SENT];
    MPI_Datatype members[DDT_ARRAYS];
    MPI_Aint bytes[DDT_ARRAYS] = {0};
    for (int a = 0; a < c->narrays; a++) {
        int width = a == 0 ? 3 : 1;
        if (side == DDT_SEND) {
            members[a] = listed(width, c->list[0], sent, MPI_DOUBLE);
        } else {
            members[a] = contiguous(width * sent, MPI_DOUBLE);
            bytes[a] = 8 * width * (MPI_Aint)c->n[LAMMPS_OWN];
        }
    }
    return over_arrays(c->narrays, arrays, bytes, members);
}

static MPI_Datatype specfem_oc(const ddt_case *c, ddt_side side, void *const arrays[],
                               MPI_Aint *start_p)
{
    (void)side;
    (void)arrays;
    (void)start_p;
    return listed(1, c->list[0], c->n[OC_LISTED], MPI_FLOAT);
}

static MPI_Datatype specfem_cm(const ddt_case *c, ddt_side side, void *const arrays[],
                               MPI_Aint *start_p)
{
    (void)side;
    (void)start_p;
    MPI_Datatype members[DDT_ARRAYS];
    const MPI_Aint bytes[DDT_ARRAYS] = {0};
    for (int a = 0; a < c->narrays; a++)
        members[a] = listed(3, c->list[a], c->list_length[a], MPI_FLOAT);
    return over_arrays(c->narrays, arrays, bytes, members);
}

static MPI_Datatype specfem_mt(const ddt_case *c, ddt_side side, void *const arrays[],
                               MPI_Aint *start_p)
{
    (void)arrays;
    (void)start_p;
    int points = (int)c->n[MT_POINTS];
    if (side == DDT_RECV)
        return contiguous(MT_WIDTH * points, MPI_FLOAT);
    MPI_Datatype row = contiguous(MT_WIDTH, MPI_FLOAT);
    MPI_Datatype type = vector(points, 1, MT_ROWS, row);
    MPI_Type_free(&row);
    return type;
}

/* What goes to (comes from) one process; several follow each other m elements apart. */
static MPI_Datatype fft2(const ddt_case *c, ddt_side side, void *const arrays[],
                         MPI_Aint *start_p)
{
    (void)arrays;
    (void)start_p;
    int n = (int)c->n[FFT_N];
    int m = n / c->ranks;
    MPI_Datatype number = contiguous(2, MPI_DOUBLE);
    MPI_Datatype plain;
    MPI_Datatype type;
    if (side == DDT_SEND) {
        plain = vector(m, m, n, number);
        MPI_Type_create_resized(plain, 0, 16 * (MPI_Aint)m, &type);
    } else {
        MPI_Datatype column;
        plain = vector(m, 1, n, number);
        MPI_Type_create_resized(plain, 0, 16, &column);
        type = contiguous(m, column);
        MPI_Type_free(&column);
    }
    MPI_Type_free(&plain);
    MPI_Type_free(&number);
    return type;
}

ddt_type ddt_type_make(const ddt_case *c, ddt_side side, void *const arrays[])
{
    static MPI_Datatype (*const types[DDT_FAMILIES])(const ddt_case *, ddt_side, void *const[],
                                                     MPI_Aint *) = {
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
    ddt_type result = {.count = c->test->family == DDT_FFT2 ? c->ranks : 1};
    result.type = types[c->test->family](c, side, arrays, &result.start);
    MPI_Type_commit(&result.type);
    return result;
}
