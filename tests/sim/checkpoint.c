/* checkpoint.c - an arena in a file costs what it holds, and comes back as it was. */
#include "sim/checkpoint.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/arena.h"
#include "base/file.h"

#define FAR (UINT64_C(1000) * MiB)

static char path[] = "/tmp/ogive-checkpoint-XXXXXX";
static char text[] = "name: none\n";
static struct arena *arena;

static int arena_setup(void **state)
{
    (void)state;
    struct ogv_error error;
    strcpy(strrchr(path, '-'), "-XXXXXX");
    int file = mkstemp(path);
    arena = arena_create(&error);
    if (file < 0 || !arena)
        return -1;
    close(file);
    return 0;
}

static int arena_teardown(void **state)
{
    (void)state;
    arena_destroy(arena);
    return unlink(path);
}

static void checkpoint_take(void)
{
    struct ogv_error error;
    struct checkpoint taken = { .text = text, .text_length = strlen(text), .now = 7 };
    if (!checkpoint_write(path, &taken, arena, &error))
        fail_msg("%s", error.message);
}

static void checkpoint_return(void)
{
    struct ogv_error error;
    struct checkpoint opened;
    if (!checkpoint_open(path, &opened, &error) ||
        !checkpoint_restore(path, &opened, arena, &error))
        fail_msg("%s", error.message);
    assert_int_equal(opened.now, 7);
    free(opened.text);
}

static bool is_resident(u64 offset)
{
    unsigned char resident = 0;
    assert_int_equal(mincore((u8 *)arena + offset, 4096, &resident), 0);
    return resident & 1;
}

static void twelve_gigabytes_of_nothing_are_small(void **state)
{
    (void)state;
    u64 bytes;
    u8 *memory = arena_alloc(arena, 12 * FAR, 1);
    for (u64 i = 0; i < 12; i++)
        memory[i * FAR] = 1;
    checkpoint_take();
    assert_true(file_size(path, &bytes));
    assert_true(bytes < 4096);
}

static void what_comes_back_is_what_was_there(void **state)
{
    (void)state;
    u8 *memory = arena_alloc(arena, 3 * FAR, 1);
    u64 used = arena->used;
    for (u32 i = 0; i < 100000; i++)
        memory[i] = (u8)(i * i >> 3);
    memory[2 * FAR] = 2;
    memory[3 * FAR - 1] = 3;
    checkpoint_take();
    memset(memory + 5000, 0xff, 200000);
    memory[2 * FAR] = 0xff;
    memory[2 * FAR + 8192] = 0xff;
    checkpoint_return();
    assert_int_equal(arena->used, used);
    for (u32 i = 0; i < 300000; i++)
        assert_int_equal(memory[i], i < 100000 ? (u8)(i * i >> 3) : 0);
    assert_int_equal(memory[2 * FAR], 2);
    assert_int_equal(memory[2 * FAR + 8192], 0);
    assert_int_equal(memory[3 * FAR - 1], 3);
}

/* Programs are loaded into a chip after it was built: a fresh one is smaller. */
static void smaller_arena_grows_to_what_was_taken(void **state)
{
    (void)state;
    struct ogv_error error;
    u8 *memory = arena_alloc(arena, 100000, 1);
    u64 used = arena->used;
    memory[99999] = 9;
    checkpoint_take();
    arena_destroy(arena);
    arena = arena_create(&error);
    assert_non_null(arena);
    memset(arena_alloc(arena, 50000, 1), 0xff, 50000);
    checkpoint_return();
    assert_int_equal(arena->used, used);
    assert_int_equal(memory[0], 0);
    assert_int_equal(memory[49999], 0);
    assert_int_equal(memory[99999], 9);
}

static void what_was_never_touched_stays_so(void **state)
{
    (void)state;
    u8 *memory = arena_alloc(arena, 4 * FAR, 1);
    if (access("/proc/self/pagemap", R_OK))
        skip();
    memory[2 * FAR] = 2;
    checkpoint_take();
    assert_false(is_resident(FAR));
    assert_false(is_resident(3 * FAR));
    checkpoint_return();
    assert_true(is_resident(0));
    assert_false(is_resident(FAR));
    assert_false(is_resident(3 * FAR));
}

/* Its bytes depend on nothing but what the arena holds. */
static void touched_zeros_change_nothing(void **state)
{
    (void)state;
    struct ogv_error error;
    size_t lengths[2];
    u8 *memory = arena_alloc(arena, 2 * FAR, 1);
    memory[FAR] = 1;
    checkpoint_take();
    char *before = file_read(path, 1 * MiB, &lengths[0], &error);
    memset(memory + FAR / 2, 0, 10 * MiB);
    checkpoint_take();
    char *after = file_read(path, 1 * MiB, &lengths[1], &error);
    assert_int_equal(lengths[0], lengths[1]);
    assert_memory_equal(before, after, lengths[0]);
    free(before);
    free(after);
}

#define checkpoint_test(function) \
    cmocka_unit_test_setup_teardown(function, arena_setup, arena_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        checkpoint_test(twelve_gigabytes_of_nothing_are_small),
        checkpoint_test(what_comes_back_is_what_was_there),
        checkpoint_test(smaller_arena_grows_to_what_was_taken),
        checkpoint_test(what_was_never_touched_stays_so),
        checkpoint_test(touched_zeros_change_nothing),
    };
    return cmocka_run_group_tests_name("checkpoint", tests, NULL, NULL);
}
