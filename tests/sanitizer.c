/* SPDX-License-Identifier: MIT */
/* Linked into every program of a sanitizer build: leaks of the MPI libraries and of what they load
 * are not ours to report. They are told by module, and a module that was unloaded has no name, so
 * none is unloaded. */

int dlclose(void *handle);
const char *__asan_default_options(void);
const char *__lsan_default_suppressions(void);
const char *__ubsan_default_options(void);

int dlclose(void *handle)
{
    (void)handle;
    return 0;
}

const char *__asan_default_options(void)
{
    return "detect_leaks=1:detect_stack_use_after_return=1";
}

const char *__ubsan_default_options(void)
{
    return "print_stacktrace=1";
}

/* asprintf: stacks end there, as the C library keeps no frame pointers. */
const char *__lsan_default_suppressions(void)
{
    return "leak:libmpi.so\n"
           "leak:libmpich.so\n"
           "leak:libopen-pal.so\n"
           "leak:libopen-rte.so\n"
           "leak:libpmix.so\n"
           "leak:libevent\n"
           "leak:libhwloc\n"
           "leak:libfabric.so\n"
           "leak:libuc\n"
           "leak:mca_\n"
           "leak:__vasprintf_internal\n";
}
