/* SPDX-License-Identifier: MIT */
/*
 * mpi_limits.c - what is known of the MPI library: how long a message may be and still leave without a
 * handshake, and which messages it moves faster as datatypes than packed.
 *
 * Inside a node Open MPI and MPICH copy short messages through shared memory at once; longer ones wait
 * for the receiver, which costs several microseconds. Between nodes the limit is the network's and
 * mostly far above what is joined: taken as none. What datatypes cost there was not measured.
 */
#include "mpi_internal.h"

#ifdef OPEN_MPI
#define HEADER 64 /* room for the library's own header, which counts into its limit */

/* The limit of a shared-memory transport, if that is loaded (btl_vader; btl_sm from Open MPI 5 on). */
static int64_t read_variable(const char *name)
{
    union {
        unsigned int i;
        unsigned long l;
        unsigned long long ll;
        char room[64];
    } value = {0};
    char text[8];
    int text_bytes = sizeof text;
    int index = 0;
    int verbosity = 0;
    int bind = 0;
    int scope = 0;
    int count = 0;
    int64_t limit = 0;
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_T_enum values = MPI_T_ENUM_NULL;
    MPI_T_cvar_handle handle = MPI_T_CVAR_HANDLE_NULL;
    if (MPI_T_cvar_get_index(name, &index) != MPI_SUCCESS ||
        MPI_T_cvar_get_info(index, text, &text_bytes, &verbosity, &type, &values, NULL, NULL, &bind,
                            &scope) != MPI_SUCCESS ||
        bind != MPI_T_BIND_NO_OBJECT ||
        MPI_T_cvar_handle_alloc(index, NULL, &handle, &count) != MPI_SUCCESS)
        return 0;
    if (count == 1 && MPI_T_cvar_read(handle, &value) == MPI_SUCCESS) {
        if (type == MPI_UNSIGNED || type == MPI_INT)
            limit = (int64_t)value.i;
        else if (type == MPI_UNSIGNED_LONG)
            limit = (int64_t)value.l;
        else if (type == MPI_UNSIGNED_LONG_LONG)
            limit = (int64_t)value.ll;
    }
    MPI_T_cvar_handle_free(&handle);
    return limit;
}

static int64_t node_limit(void)
{
    int provided = 0;
    if (MPI_T_init_thread(MPI_THREAD_SINGLE, &provided) != MPI_SUCCESS)
        return 0;
    int64_t limit = read_variable("btl_vader_eager_limit");
    if (limit == 0)
        limit = read_variable("btl_sm_eager_limit");
    MPI_T_finalize();
    return limit > 2 * HEADER ? limit - HEADER : 0;
}
#elif defined(MPICH_VERSION)
/* By measurement on MPICH 4.0 (docs/tuning.md): two messages of 4000 bytes gain by being joined, three
 * lose. */
static int64_t node_limit(void)
{
    return 8000;
}
#else
static int64_t node_limit(void)
{
    return 0;
}
#endif

/* By measurement on Open MPI 4.1 and MPICH 4.0 (docs/tuning.md): messages of schedules, which travel both ways at once, and
 * those of cartgen_p2p. */
#ifdef OPEN_MPI
static const cg_datatypes faster = {65536, 196608, 256};
static const cg_p2p_limits p2p = {98304, 16384, 65536, {32768, (int64_t)CG_PIECE, 256}};
#elif defined(MPICH_VERSION)
static const cg_datatypes faster = {0, 0, 0};
static const cg_p2p_limits p2p = {196608, 16384, 65536, {0, 0, 0}};
#else
static const cg_datatypes faster = {0, 0, 0};
static const cg_p2p_limits p2p = {0, 0, 0, {0, 0, 0}};
#endif

cartgen_status cg_mpi_limits(MPI_Comm comm, cartgen_comm *made, int64_t *id_p)
{
    MPI_Comm node = MPI_COMM_NULL;
    int size = 0;
    int inside = 0;
    int64_t least[2] = {0, (int64_t)(1e9 * MPI_Wtime())}; /* eager limit, id */
    cartgen_status status =
        cg_mpi_check(MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node),
                     "MPI_Comm_split_type");
    if (status != CARTGEN_OK)
        return status;
    MPI_Comm_size(comm, &size);
    MPI_Comm_size(node, &inside);
    MPI_Comm_free(&node);
    if (inside == size)
        least[0] = node_limit();
    status = cg_mpi_check(MPI_Allreduce(MPI_IN_PLACE, least, 2, MPI_INT64_T, MPI_MIN, comm),
                          "agreeing on an eager limit");
    made->eager = least[0] > 0 && least[0] < (int64_t)CG_PIECE ? least[0] : (int64_t)CG_PIECE;
    made->datatypes = inside == size ? faster : (cg_datatypes){0};
    made->p2p = inside == size ? p2p : (cg_p2p_limits){0};
    *id_p = least[1];
    return status;
}
