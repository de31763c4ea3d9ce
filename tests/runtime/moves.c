/* SPDX-License-Identifier: MIT */
/* moves.c - the moves that kernels are made of copy exactly their bytes, for every size around the places
 * where they change method and every distance of the two ends within a page. moves_wide.c is the same with
 * the compiler's wide moves. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cartgen/move.h"

enum { PAGE = 4096, GUARD = 80, MOST = 70000 };

static unsigned char *page_start(unsigned char *memory)
{
    return memory + (PAGE - (uintptr_t)memory % PAGE);
}

typedef struct ends {
    unsigned char *blocks[2];
    unsigned char *src; /* on a page */
    unsigned char *dst;
} ends;

static void ends_make(ends *e)
{
    for (int i = 0; i < 2; i++) {
        e->blocks[i] = malloc(MOST + 4 * PAGE);
        assert_non_null(e->blocks[i]);
    }
    e->src = page_start(e->blocks[0]);
    e->dst = page_start(e->blocks[1]) + GUARD;
    for (int i = 0; i < MOST + PAGE; i++)
        e->src[i] = (unsigned char)(i * 7 + i / 256 + 1);
}

static void ends_free(ends *e)
{
    free(e->blocks[0]);
    free(e->blocks[1]);
}

static void words(char *dst, const char *src, size_t bytes)
{
    switch (bytes) {
    case 12: cartgen_copy_words(dst, src, 12); break;
    case 16: cartgen_copy_words(dst, src, 16); break;
    case 24: cartgen_copy_words(dst, src, 24); break;
    case 32: cartgen_copy_words(dst, src, 32); break;
    case 40: cartgen_copy_words(dst, src, 40); break;
    default: fail();
    }
}

static void copy(char *dst, const char *src, size_t bytes) { cartgen_copy(dst, src, bytes); }
static void copy_long(char *dst, const char *src, size_t bytes) { cartgen_copy_long(dst, src, bytes); }

typedef void move(char *dst, const char *src, size_t bytes);

/* `bytes` from src to `apart` bytes behind the same place of a page. */
static void check(const ends *e, move *f, size_t bytes, size_t apart)
{
    unsigned char *dst = e->dst + apart;
    memset(dst - GUARD, 0xA5, bytes + 2 * GUARD);
    f((char *)dst, (const char *)e->src + GUARD, bytes);
    if (memcmp(dst, e->src + GUARD, bytes) != 0)
        fail_msg("%zu bytes, %zu apart: wrong data", bytes, apart);
    for (int i = 0; i < GUARD; i++) {
        if (dst[i - GUARD] != 0xA5 || dst[bytes + (size_t)i] != 0xA5)
            fail_msg("%zu bytes, %zu apart: wrote outside", bytes, apart);
    }
}

static const size_t distances[] = {0, 1, 7, 8, 16, 24, 31, 32, 33, 63, 64, 65, 256, 2048, 4032, 4064, 4088, 4095};

static void check_all(const ends *e, move *f, size_t bytes)
{
    for (size_t i = 0; i < sizeof distances / sizeof *distances; i++)
        check(e, f, bytes, distances[i]);
}

static void copies(void **state)
{
    (void)state;
    static const size_t sizes[] = {1023, 1024, 1025, 2048, 4031, 4096, 4097, 4160, 8192, 8200, 65536, 65600};
    ends e;
    ends_make(&e);
    for (size_t bytes = 0; bytes < 700; bytes++)
        check_all(&e, copy, bytes);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        check_all(&e, copy, sizes[i]);
        check_all(&e, copy_long, sizes[i]);
    }
    ends_free(&e);
}

static void short_runs(void **state)
{
    (void)state;
    ends e;
    ends_make(&e);
    for (size_t bytes = 12; bytes <= 40; bytes += bytes < 16 ? 4 : 8)
        check_all(&e, words, bytes);
    ends_free(&e);
}

/* Which of the two methods moves a run. */
static void methods(void **state)
{
    (void)state;
    const char *src = (const char *)(uintptr_t)0x100000;
    assert_true(cartgen_in_chunks(src + 5 * PAGE + 8, src, 100000));
    assert_true(cartgen_in_chunks(src - 5 * PAGE + 8, src, (size_t)1 << 30));
    assert_false(cartgen_in_chunks(src + 5 * PAGE, src, 100000));
    assert_false(cartgen_in_chunks(src + 5 * PAGE + 32, src, (size_t)1 << 30));
#if defined(__AVX__)
    assert_true(cartgen_in_chunks(src + 5 * PAGE + 40, src, 100000));
    assert_true(cartgen_in_chunks(src + 5 * PAGE, src, 1000));
#else
    assert_false(cartgen_in_chunks(src + 5 * PAGE + 40, src, 100000));
    assert_false(cartgen_in_chunks(src + 5 * PAGE, src, 1000));
#endif
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(copies),
        cmocka_unit_test(short_runs),
        cmocka_unit_test(methods),
    };
#if defined(__AVX__) && defined(__GNUC__)
    if (!__builtin_cpu_supports("avx2"))
        return 77; /* skipped: this machine has no wide moves */
#endif
    return cmocka_run_group_tests(tests, NULL, NULL);
}
