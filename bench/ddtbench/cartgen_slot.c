/* SPDX-License-Identifier: MIT */
#include "cartgen_slot.h"

#include <stdlib.h>
#include <string.h>

#include "fft2.h"
#include "harness/cell.h"
#include "lammps.h"
#include "milc.h"
#include "nas_lu.h"
#include "nas_mg.h"
#include "specfem3d.h"
#include "wrf.h"

static int failed(void) { return bench_fail("%s", cartgen_last_error()); }

/* Lists of a case as layouts take them; NULL without memory. */
static int64_t *wide(const ddt_case *c, int list)
{
    int64_t *out = calloc((size_t)c->list_length[list] + 1, sizeof *out);
    for (int64_t i = 0; out != NULL && i < c->list_length[list]; i++)
        out[i] = c->list[list][i];
    return out;
}

/* ------------------------------------------------------------------ parameters from sizes */

#define WRF_PARAMS(name, along)                                                                   \
    static int name##_open(void *layout, const ddt_case *c)                                       \
    {                                                                                             \
        const int64_t *n = c->n;                                                                  \
        const name##_params p = {                                                                 \
            .ni = n[WRF_IME] - n[WRF_IMS] + 1, .nj = n[WRF_JME] - n[WRF_JMS] + 1,                 \
            .is = n[WRF_IS] - n[WRF_IMS], .js = n[WRF_JS] - n[WRF_JMS],                           \
            .wide = n[WRF_##along##E] - n[WRF_##along##S] + 1};                                   \
        return name##_init(layout, &p) == CARTGEN_OK ? 0 : failed();                              \
    }
WRF_PARAMS(wrf_x_vec, J)
WRF_PARAMS(wrf_x_sa, J)
WRF_PARAMS(wrf_y_vec, I)
WRF_PARAMS(wrf_y_sa, I)

static int milc_su3_zd_open(void *layout, const ddt_case *c)
{
    const int64_t *n = c->n;
    const milc_su3_zd_params p = {.half = n[MILC_LX] * n[MILC_LY] / 2, .depth = n[MILC_LZ] / 2,
                                  .times = n[MILC_LT]};
    return milc_su3_zd_init(layout, &p) == CARTGEN_OK ? 0 : failed();
}

/* Layouts of plain numbers in the order of the case's. */
#define NUMBER_PARAMS(name, ...)                                                                  \
    static int name##_open(void *layout, const ddt_case *c)                                       \
    {                                                                                             \
        const int64_t *n = c->n;                                                                  \
        const name##_params p = {__VA_ARGS__};                                                    \
        return name##_init(layout, &p) == CARTGEN_OK ? 0 : failed();                              \
    }
NUMBER_PARAMS(nas_lu_x_send, .n = n[LU_N])
NUMBER_PARAMS(nas_lu_x_recv, .n = n[LU_N])
NUMBER_PARAMS(nas_lu_y_send, .n = n[LU_N])
NUMBER_PARAMS(nas_lu_y_recv, .n = n[LU_N])
NUMBER_PARAMS(nas_mg_x_send, n[MG_1], n[MG_2], n[MG_3])
NUMBER_PARAMS(nas_mg_x_recv, n[MG_1], n[MG_2], n[MG_3])
NUMBER_PARAMS(nas_mg_y_send, n[MG_1], n[MG_2], n[MG_3])
NUMBER_PARAMS(nas_mg_y_recv, n[MG_1], n[MG_2], n[MG_3])
NUMBER_PARAMS(nas_mg_z_send, n[MG_1], n[MG_2], n[MG_3])
NUMBER_PARAMS(nas_mg_z_recv, n[MG_1], n[MG_2], n[MG_3])
NUMBER_PARAMS(specfem3d_mt_send, .points = n[MT_POINTS])
NUMBER_PARAMS(specfem3d_mt_recv, .points = n[MT_POINTS])
NUMBER_PARAMS(lammps_full_recv, .n = n[LAMMPS_SENT], .own = n[LAMMPS_OWN])
NUMBER_PARAMS(lammps_atomic_recv, .n = n[LAMMPS_SENT], .own = n[LAMMPS_OWN])
NUMBER_PARAMS(fft2_send, .n = n[FFT_N], .m = n[FFT_N] / c->ranks, .p = c->ranks)
NUMBER_PARAMS(fft2_recv, .n = n[FFT_N], .m = n[FFT_N] / c->ranks, .p = c->ranks)

/* Layouts over lists: `fields` of their parameters from the case's first and second list. */
#define LIST_PARAMS(name, ...)                                                                    \
    static int name##_open(void *layout, const ddt_case *c)                                       \
    {                                                                                             \
        int64_t *one = wide(c, 0), *two = wide(c, 1);                                             \
        const name##_params p = {__VA_ARGS__};                                                    \
        int ok = one != NULL && two != NULL && name##_init(layout, &p) == CARTGEN_OK;             \
        free(one);                                                                                \
        free(two);                                                                                \
        return ok ? 0 : failed();                                                                 \
    }
LIST_PARAMS(lammps_full_send, .n = c->list_length[0], .idx = one)
LIST_PARAMS(lammps_atomic_send, .n = c->list_length[0], .idx = one)
LIST_PARAMS(specfem3d_oc, .n = c->list_length[0], .idx = one)
LIST_PARAMS(specfem3d_cm, .ncm = c->list_length[0], .cm = one, .nic = c->list_length[1], .ic = two)

/* ------------------------------------------------------------------ one signature for all */

#define FUNCTIONS(name, memory)                                                                   \
    static void name##_close(void *layout) { name##_free(layout); }                               \
    static void name##_gather(const void *layout, void *packed, void *const arrays[])             \
    {                                                                                             \
        name##_pack(layout, packed, memory);                                                      \
    }                                                                                             \
    static void name##_scatter(const void *layout, void *const arrays[], const void *packed)      \
    {                                                                                             \
        name##_unpack(layout, memory, packed);                                                    \
    }

/* Of a layout over one array: its address. */
#define ONE_ARRAY(name, which)                                                                    \
    CARTGEN_LAYOUT_CALLS(name);                                                                   \
    static const void *name##_memory(void *const arrays[], void *room)                            \
    {                                                                                             \
        (void)room;                                                                               \
        return arrays[which];                                                                     \
    }                                                                                             \
    FUNCTIONS(name, arrays[which])

/* Of one over several: its NAME_arrays. */
#define SOME_ARRAYS(name, ...)                                                                    \
    CARTGEN_LAYOUT_CALLS_ARRAYS(name);                                                            \
    _Static_assert(sizeof(name##_arrays) <= DDT_ARRAYS * sizeof(void *), "room");                 \
    static const void *name##_memory(void *const arrays[], void *room)                            \
    {                                                                                             \
        *(name##_arrays *)room = (name##_arrays){__VA_ARGS__};                                    \
        return room;                                                                              \
    }                                                                                             \
    FUNCTIONS(name, (&(const name##_arrays){__VA_ARGS__}))

#define ARRAYS_2 arrays[0], arrays[1]
#define ARRAYS_4 ARRAYS_2, arrays[2], arrays[3]
#define ARRAYS_6 ARRAYS_4, arrays[4], arrays[5]
#define ARRAYS_9 ARRAYS_6, arrays[6], arrays[7], arrays[8]

SOME_ARRAYS(wrf_x_vec, ARRAYS_9)
SOME_ARRAYS(wrf_x_sa, ARRAYS_9)
SOME_ARRAYS(wrf_y_vec, ARRAYS_9)
SOME_ARRAYS(wrf_y_sa, ARRAYS_9)
ONE_ARRAY(milc_su3_zd, 0)
ONE_ARRAY(nas_lu_x_send, 0)
ONE_ARRAY(nas_lu_x_recv, 0)
ONE_ARRAY(nas_lu_y_send, 0)
ONE_ARRAY(nas_lu_y_recv, 0)
ONE_ARRAY(nas_mg_x_send, 0)
ONE_ARRAY(nas_mg_x_recv, 0)
ONE_ARRAY(nas_mg_y_send, 0)
ONE_ARRAY(nas_mg_y_recv, 0)
ONE_ARRAY(nas_mg_z_send, 0)
ONE_ARRAY(nas_mg_z_recv, 0)
SOME_ARRAYS(lammps_full_send, ARRAYS_6)
SOME_ARRAYS(lammps_full_recv, ARRAYS_6)
SOME_ARRAYS(lammps_atomic_send, ARRAYS_4)
SOME_ARRAYS(lammps_atomic_recv, ARRAYS_4)
ONE_ARRAY(specfem3d_oc, 0)
SOME_ARRAYS(specfem3d_cm, ARRAYS_2)
ONE_ARRAY(specfem3d_mt_send, 0)
ONE_ARRAY(specfem3d_mt_recv, 1)
ONE_ARRAY(fft2_send, 0)
ONE_ARRAY(fft2_recv, 1)

#define SIDE(name)                                                                                \
    {sizeof(name##_layout), name##_open,    name##_close, name##_gather,                          \
     name##_scatter,        &name##_calls, name##_memory}

static const struct {
    const char *test;
    ddt_cartgen layouts;
} tests[] = {
    {"WRF_y_vec", {{SIDE(wrf_y_vec), SIDE(wrf_y_vec)}}},
    {"WRF_y_sa", {{SIDE(wrf_y_sa), SIDE(wrf_y_sa)}}},
    {"WRF_x_vec", {{SIDE(wrf_x_vec), SIDE(wrf_x_vec)}}},
    {"WRF_x_sa", {{SIDE(wrf_x_sa), SIDE(wrf_x_sa)}}},
    {"MILC_su3_zd", {{SIDE(milc_su3_zd), SIDE(milc_su3_zd)}}},
    {"NAS_LU_x", {{SIDE(nas_lu_x_send), SIDE(nas_lu_x_recv)}}},
    {"NAS_LU_y", {{SIDE(nas_lu_y_send), SIDE(nas_lu_y_recv)}}},
    {"NAS_MG_x", {{SIDE(nas_mg_x_send), SIDE(nas_mg_x_recv)}}},
    {"NAS_MG_y", {{SIDE(nas_mg_y_send), SIDE(nas_mg_y_recv)}}},
    {"NAS_MG_z", {{SIDE(nas_mg_z_send), SIDE(nas_mg_z_recv)}}},
    {"LAMMPS_full", {{SIDE(lammps_full_send), SIDE(lammps_full_recv)}}},
    {"LAMMPS_atomic", {{SIDE(lammps_atomic_send), SIDE(lammps_atomic_recv)}}},
    {"SPECFEM3D_oc", {{SIDE(specfem3d_oc), SIDE(specfem3d_oc)}}},
    {"SPECFEM3D_cm", {{SIDE(specfem3d_cm), SIDE(specfem3d_cm)}}},
    {"SPECFEM3D_mt", {{SIDE(specfem3d_mt_send), SIDE(specfem3d_mt_recv)}}},
    {"FFT2", {{SIDE(fft2_send), SIDE(fft2_recv)}}},
};

const ddt_cartgen *ddt_cartgen_open(const char *test, const char *size)
{
    (void)size; /* run-time parameters serve every size */
    for (size_t i = 0; i < sizeof tests / sizeof tests[0]; i++)
        if (strcmp(tests[i].test, test) == 0)
            return &tests[i].layouts;
    return NULL;
}

/* ------------------------------------------------------------------ FFT2's exchange, part by part */

CARTGEN_LAYOUT_CALLS(fft2_part);

static int fft2_part_open(void *layout, const ddt_case *c, int rank)
{
    const fft2_part_params p = {.n = c->n[FFT_N], .m = c->n[FFT_N] / c->ranks, .r = rank};
    return fft2_part_init(layout, &p) == CARTGEN_OK ? 0 : failed();
}

static void fft2_part_close(void *layout) { fft2_part_free(layout); }

static void fft2_part_keep(const void *layout, void *to, const void *from)
{
    fft2_part_copy(layout, to, from);
}

const ddt_cartgen_part ddt_cartgen_fft2_part = {sizeof(fft2_part_layout), fft2_part_open,
                                                fft2_part_close, fft2_part_keep, &fft2_part_calls};
