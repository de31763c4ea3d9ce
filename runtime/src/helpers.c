/* SPDX-License-Identifier: MIT */
/* helpers.c - the helper calls of Cartesian Collective Communication. */
#include "internal.h"

static cartgen_status need_arguments(const void *a, const void *b, const void *c)
{
    if (a == NULL || b == NULL || c == NULL)
        return cg_fail(CARTGEN_ERR_ARGUMENT, "an argument is NULL");
    return CARTGEN_OK;
}

static cartgen_status same_dimensions(const cartgen_comm *comm, const cartgen_schedule *schedule)
{
    if (comm->ndims != schedule->ndims)
        return cg_fail(CARTGEN_ERR_GRID, "schedule %s has %d dimensions, the comm has %d",
                       schedule->name, (int)schedule->ndims, comm->ndims);
    return CARTGEN_OK;
}

cartgen_status cartgen_relative_rank(const cartgen_comm *comm, const int offset[], int *rank_p)
{
    cartgen_status status = need_arguments(comm, offset, rank_p);
    if (status == CARTGEN_OK)
        *rank_p = cg_rank_at(comm, offset, 1);
    return status;
}

cartgen_status cartgen_relative_shift(const cartgen_comm *comm, const int offset[],
                                      int *source_p, int *target_p)
{
    cartgen_status status = need_arguments(comm, offset, source_p);
    if (status == CARTGEN_OK)
        status = need_arguments(target_p, comm, offset);
    if (status != CARTGEN_OK)
        return status;
    *source_p = cg_rank_at(comm, offset, -1);
    *target_p = cg_rank_at(comm, offset, 1);
    return CARTGEN_OK;
}

cartgen_status cartgen_relative_coord(const cartgen_comm *comm, int rank, int offset_p[])
{
    cartgen_status status = need_arguments(comm, offset_p, comm);
    if (status != CARTGEN_OK)
        return status;
    if (rank < 0 || rank >= comm->size)
        return cg_fail(CARTGEN_ERR_ARGUMENT, "rank is %d, expected 0 to %d", rank, comm->size - 1);
    for (int j = comm->ndims - 1; j >= 0; j--) {
        int n = comm->dims[j];
        int x = rank % n - comm->coords[j];
        rank /= n;
        if (comm->periods[j]) {
            if (2 * x > n)
                x -= n;
            else if (2 * x <= -n)
                x += n;
        }
        offset_p[j] = x;
    }
    return CARTGEN_OK;
}

static const int32_t *transfer_offset(const cartgen_schedule *schedule, uint32_t i)
{
    return schedule->vectors + (size_t)schedule->offsets[i] * (size_t)schedule->ndims;
}

static cartgen_status need_capacity(const cartgen_schedule *schedule, int capacity)
{
    if (capacity < 0 || (uint32_t)capacity < schedule->ntransfers)
        return cg_fail(CARTGEN_ERR_ARGUMENT, "capacity is %d, expected %u or more", capacity,
                       (unsigned)schedule->ntransfers);
    return CARTGEN_OK;
}

cartgen_status cartgen_neighbor_count(const cartgen_schedule *schedule, int *count_p)
{
    cartgen_status status = need_arguments(schedule, count_p, schedule);
    if (status == CARTGEN_OK)
        *count_p = (int)schedule->ntransfers;
    return status;
}

cartgen_status cartgen_neighbor_list(const cartgen_schedule *schedule, int capacity,
                                     int offsets_p[])
{
    cartgen_status status = need_arguments(schedule, offsets_p, schedule);
    if (status == CARTGEN_OK)
        status = need_capacity(schedule, capacity);
    if (status != CARTGEN_OK)
        return status;
    size_t ndims = (size_t)schedule->ndims;
    for (uint32_t i = 0; i < schedule->ntransfers; i++)
        memcpy(offsets_p + i * ndims, transfer_offset(schedule, i), ndims * sizeof(int));
    return CARTGEN_OK;
}

cartgen_status cartgen_neighbor_get(const cartgen_comm *comm, const cartgen_schedule *schedule,
                                    int capacity, int sources_p[], int targets_p[])
{
    cartgen_status status = need_arguments(comm, schedule, sources_p);
    if (status == CARTGEN_OK)
        status = need_arguments(targets_p, comm, schedule);
    if (status == CARTGEN_OK)
        status = same_dimensions(comm, schedule);
    if (status == CARTGEN_OK)
        status = need_capacity(schedule, capacity);
    if (status != CARTGEN_OK)
        return status;
    for (uint32_t i = 0; i < schedule->ntransfers; i++) {
        sources_p[i] = cg_rank_at(comm, transfer_offset(schedule, i), -1);
        targets_p[i] = cg_rank_at(comm, transfer_offset(schedule, i), 1);
    }
    return CARTGEN_OK;
}

int cartgen_neighbor_present(int count, int ranks[])
{
    int kept = 0;
    for (int i = 0; i < count; i++) {
        if (ranks[i] != CARTGEN_NO_PEER)
            ranks[kept++] = ranks[i];
    }
    return kept;
}

cartgen_status cartgen_neighbor_find_rank(const cartgen_comm *comm,
                                          const cartgen_schedule *schedule, int rank, int *index_p)
{
    cartgen_status status = need_arguments(comm, schedule, index_p);
    if (status == CARTGEN_OK)
        status = same_dimensions(comm, schedule);
    if (status != CARTGEN_OK)
        return status;
    *index_p = -1;
    for (uint32_t i = 0; i < schedule->ntransfers && *index_p < 0; i++) {
        if (rank != CARTGEN_NO_PEER && cg_rank_at(comm, transfer_offset(schedule, i), 1) == rank)
            *index_p = (int)i;
    }
    return CARTGEN_OK;
}

cartgen_status cartgen_neighbor_find_coord(const cartgen_schedule *schedule, const int offset[],
                                           int *index_p)
{
    cartgen_status status = need_arguments(schedule, offset, index_p);
    if (status != CARTGEN_OK)
        return status;
    *index_p = -1;
    size_t bytes = (size_t)schedule->ndims * sizeof(int);
    for (uint32_t i = 0; i < schedule->ntransfers && *index_p < 0; i++) {
        if (memcmp(offset, transfer_offset(schedule, i), bytes) == 0)
            *index_p = (int)i;
    }
    return CARTGEN_OK;
}
