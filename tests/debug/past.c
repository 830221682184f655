/* past.c - copies of an arena: what was there comes back, and what was not is zero again. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "debug/past.h"
#include "ogive/arbiter.h"

#define PAGES 64

static struct arena *arena;
static u8 *memory;

static int arena_open(void **state)
{
    struct ogv_error error;
    (void)state;
    arena = arena_create(&error);
    memory = arena_alloc(arena, PAGES * ARENA_PAGE, ARENA_PAGE);
    return !memory;
}

static int arena_close(void **state)
{
    (void)state;
    arena_destroy(arena);
    return 0;
}

static void brings_back_every_byte(void **state)
{
    struct past past;
    (void)state;
    past_init(&past, arena, 64 * MiB, NULL, 0);
    memset(memory, 1, 8 * ARENA_PAGE);
    past_keep(&past, 10);
    memory[5] = 2;
    memory[40 * ARENA_PAGE] = 3; /* a page that was not there */
    u8 *later = arena_alloc(arena, 4 * ARENA_PAGE, ARENA_PAGE);
    later[7] = 9;
    u64 used = arena->used;
    past_keep(&past, 20);
    past_restore(&past, past_find(&past, 15));
    assert_int_equal(memory[5], 1);
    assert_int_equal(memory[40 * ARENA_PAGE], 0);
    assert_int_equal(later[7], 0);
    assert_true(arena->used < used);
    past_restore(&past, past_find(&past, 20));
    assert_int_equal(memory[5], 2);
    assert_int_equal(memory[40 * ARENA_PAGE], 3);
    assert_int_equal(later[7], 9);
    assert_int_equal(arena->used, used);
    past_fini(&past);
}

static void shares_what_did_not_change(void **state)
{
    struct past past;
    (void)state;
    past_init(&past, arena, 64 * MiB, NULL, 0);
    memset(memory, 1, PAGES * ARENA_PAGE);
    past_keep(&past, 1);
    u64 first = past.bytes;
    memory[0] = 2;
    past_keep(&past, 2);
    assert_true(past.bytes - first < 4 * ARENA_PAGE);
    past_fini(&past);
    assert_int_equal(past.bytes, 0);
}

static void keeps_within_its_limit_and_the_first(void **state)
{
    struct past past;
    (void)state;
    past_init(&past, arena, 8 * PAGES * ARENA_PAGE, NULL, 0);
    for (u32 i = 0; i < 100; i++) {
        memset(memory, (int)i + 1, PAGES * ARENA_PAGE);
        past_keep(&past, 10 * i);
        assert_true(past.bytes <= past.limit_bytes);
    }
    assert_true(past.count >= 5);
    assert_int_equal(past.moments[0].at, 0);
    assert_int_equal(past.moments[past.count - 1].at, 990);
    past_restore(&past, 0);
    assert_int_equal(memory[0], 1);
    past_fini(&past);
}

/* Bytes that do not compress, another page each. */
static void memory_fill(u32 seed)
{
    u64 state = seed * UINT64_C(0x9e3779b97f4a7c15) + 1;
    for (u64 i = 0; i < PAGES * ARENA_PAGE; i++) {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        memory[i] = (u8)state;
    }
}

static void what_does_not_fit_goes_to_the_disk_and_comes_back(void **state)
{
    struct past past;
    u8 *before = malloc(PAGES * ARENA_PAGE);
    (void)state;
    past_init(&past, arena, 4 * PAGES * ARENA_PAGE, ".", 1 * GiB);
    for (u32 i = 0; i < 40; i++) {
        memory_fill(i);
        memory[0] = (u8)i;
        past_keep(&past, 10 * i);
        assert_true(past.bytes <= past.limit_bytes);
    }
    assert_int_equal(past.count, 40); /* none is lost */
    assert_true(past.spill.bytes > 30 * PAGES * ARENA_PAGE);
    for (u32 i = 40; i--;) {
        assert_true(past_restore(&past, past_find(&past, 10 * i)));
        memcpy(before, memory, PAGES * ARENA_PAGE);
        memory_fill(i);
        memory[0] = (u8)i;
        assert_memory_equal(before, memory, PAGES * ARENA_PAGE);
        assert_true(past.bytes <= past.limit_bytes);
    }
    past_fini(&past);
    assert_int_equal(past.bytes, 0);
    assert_int_equal(past.spill.bytes, 0);
    free(before);
}

static void the_disk_has_its_limit_too(void **state)
{
    struct past past;
    (void)state;
    past_init(&past, arena, 4 * PAGES * ARENA_PAGE, ".", 6 * PAGES * ARENA_PAGE);
    for (u32 i = 0; i < 60; i++) {
        memory_fill(i);
        past_keep(&past, 10 * i);
        assert_true(past.bytes <= past.limit_bytes);
        assert_true(past.spill.bytes <= past.spill.limit_bytes);
    }
    assert_true(past.count >= 6 && past.count < 12);
    assert_int_equal(past.moments[0].at, 0);
    past_fini(&past);
}

static void a_page_on_the_disk_is_shared_as_well(void **state)
{
    struct past past;
    (void)state;
    memory_fill(1);
    past_init(&past, arena, 2 * PAGES * ARENA_PAGE, ".", 1 * GiB);
    past_keep(&past, 10);
    memory_fill(2);
    past_keep(&past, 20);
    memory_fill(3);
    past_keep(&past, 30); /* the first is on the disk now */
    memory_fill(1);
    u64 before = past.bytes;
    past_keep(&past, 15);
    assert_true(past.bytes < before + PAGES * ARENA_PAGE / 2);
    memory_fill(4);
    assert_true(past_restore(&past, past_find(&past, 15)));
    past_fini(&past);
}

static void a_folder_that_takes_nothing_is_done_without(void **state)
{
    struct past past;
    (void)state;
    past_init(&past, arena, 4 * PAGES * ARENA_PAGE, "/nowhere/at/all", 1 * GiB);
    for (u32 i = 0; i < 20; i++) {
        memory_fill(i);
        past_keep(&past, 10 * i);
        assert_true(past.bytes <= past.limit_bytes);
    }
    assert_true(past.spill.failed && past.count >= 2);
    assert_true(past_restore(&past, 0));
    past_fini(&past);
}

static void finds_the_copy_before(void **state)
{
    struct past past;
    (void)state;
    past_init(&past, arena, 64 * MiB, NULL, 0);
    past_keep(&past, 10);
    past_keep(&past, 30);
    past_keep(&past, 20);
    past_keep(&past, 20);
    assert_int_equal(past.count, 3);
    assert_int_equal(past_find(&past, 9), NOBODY);
    assert_int_equal(past_find(&past, 10), 0);
    assert_int_equal(past_find(&past, 29), 1);
    assert_int_equal(past_find(&past, NEVER), 2);
    past_fini(&past);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, arena_open, arena_close)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(brings_back_every_byte),
        TEST(shares_what_did_not_change),
        TEST(keeps_within_its_limit_and_the_first),
        TEST(what_does_not_fit_goes_to_the_disk_and_comes_back),
        TEST(the_disk_has_its_limit_too),
        TEST(a_page_on_the_disk_is_shared_as_well),
        TEST(a_folder_that_takes_nothing_is_done_without),
        TEST(finds_the_copy_before),
    };
    return cmocka_run_group_tests_name("past", tests, NULL, NULL);
}
