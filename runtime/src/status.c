/* SPDX-License-Identifier: MIT */
/* status.c - error texts and the allocator. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "internal.h"

static _Thread_local char last_error[1024];

static void *(*allocate)(size_t bytes) = malloc;
static void (*release)(void *block) = free;

const char *cartgen_strerror(cartgen_status status)
{
    static const char *const text[] = {
        "success",
        "invalid argument",
        "the grid does not fit the communicator",
        "this rank has no cell in the grid",
        "ranks disagree on schedule, parameters or options",
        "out of memory",
        "a size or displacement is out of range",
        "called in the wrong state",
        "send and receive regions overlap",
        "the schedule was generated without this",
        "the transport reported an error",
    };
    size_t count = sizeof text / sizeof text[0];
    return (unsigned)status < count ? text[status] : "unknown status";
}

const char *cartgen_last_error(void)
{
    return last_error;
}

cartgen_status cg_fail(cartgen_status status, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(last_error, sizeof last_error, format, args);
    va_end(args);
    return status;
}

void cartgen_set_allocator(void *(*alloc)(size_t bytes), void (*release_)(void *block))
{
    if (alloc == NULL || release_ == NULL) {
        allocate = malloc;
        release = free;
    } else {
        allocate = alloc;
        release = release_;
    }
}

void *cg_alloc(size_t count, size_t bytes)
{
    if (bytes != 0 && count > SIZE_MAX / bytes)
        return NULL;
    size_t total = count * bytes;
    void *block = allocate(total == 0 ? 1 : total);
    if (block != NULL)
        memset(block, 0, total);
    return block;
}

void cg_free(void *block)
{
    if (block != NULL)
        release(block);
}
