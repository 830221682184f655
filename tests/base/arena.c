/* arena.c - where arenas lie, what they hand out, how they say no, and what they hold. */
#include "base/arena.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cmocka.h>

static struct arena *arenas[ARENA_SLOTS];

static int destroy_all(void **state)
{
    (void)state;
    for (u32 i = 0; i < ARENA_SLOTS; i++) {
        arena_destroy(arenas[i]);
        arenas[i] = NULL;
    }
    return 0;
}

static struct arena *create(u32 index)
{
    struct ogv_error error = { 0 };
    arenas[index] = arena_create(&error);
    if (!arenas[index])
        fail_msg("%s", error.message);
    return arenas[index];
}

static void allocations_are_aligned(void **state)
{
    (void)state;
    struct arena *arena = create(0);
    for (u64 align = 1; align <= 2 * MiB; align *= 2) {
        assert_non_null(arena_alloc(arena, 1, 1)); /* put the next one off its place */
        assert_int_equal((uintptr_t)arena_alloc(arena, 3, align) % align, 0);
    }
}

static void allocations_do_not_overlap(void **state)
{
    (void)state;
    struct arena *arena = create(0);
    u8 *end = (u8 *)arena + sizeof *arena;
    for (u64 size = 0; size < 300; size++) {
        u8 *memory = arena_alloc(arena, size, 8);
        assert_true(memory >= end);
        end = memory + size;
    }
    assert_ptr_equal((u8 *)arena + arena->used, end);
}

/* What is put aside must not come between what is allocated before and after it, but for a block of
 * which many are cut. */
static void aside_keeps_the_rest_together(void **state)
{
    (void)state;
    struct arena *arena = create(0);
    u8 *apart = arena_alloc_aside(arena, 1000, 64), *last = arena_alloc(arena, 64, 64);
    for (u32 i = 0; i < 1000; i++) {
        u8 *aside = arena_alloc_aside(arena, 1000, 64), *next = arena_alloc(arena, 64, 64);
        assert_int_equal((uintptr_t)aside % 64, 0);
        assert_ptr_equal(aside, apart + 1024);
        assert_ptr_equal(next, last + 64);
        apart = aside;
        last = next;
    }
}

static void aside_goes_on_in_another_block(void **state)
{
    (void)state;
    struct arena *arena = create(0);
    u8 *end = (u8 *)arena + sizeof *arena;
    for (u32 i = 0; i < 5000; i++) {
        u8 *memory = arena_alloc_aside(arena, 1 + 997 * i % 5000, 8);
        assert_non_null(memory);
        assert_true(memory >= end);
        end = memory + 1 + 997 * i % 5000;
        assert_true(end <= (u8 *)arena + arena->used);
        memset(memory, 0xff, (size_t)(end - memory));
    }
    u64 taken = arena->taken, aside = arena->taken_aside;
    assert_int_equal(taken, aside);
    assert_non_null(arena_alloc(arena, 64, 64));
    assert_non_null(arena_alloc_aside(arena, 100 * MiB, 8));
    assert_int_equal(arena->taken - taken, 100 * MiB + 64);
    assert_int_equal(arena->taken_aside - aside, 100 * MiB);
    assert_null(arena_alloc_aside(arena, ARENA_SLOT_BYTES, 8));
}

static void expect_zeroed(struct arena *arena)
{
    u8 *memory = arena_alloc(arena, 100000, 1);
    for (u32 i = 0; i < 100000; i++)
        assert_int_equal(memory[i], 0);
}

static void memory_comes_zeroed(void **state)
{
    (void)state;
    expect_zeroed(create(0));
}

static void memory_comes_zeroed_where_an_arena_was_before(void **state)
{
    (void)state;
    void *before = create(0);
    memset(arena_alloc(arenas[0], 100000, 1), 0xff, 100000);
    destroy_all(state);
    assert_ptr_equal(create(0), before);
    assert_null(arenas[0]->root);
    expect_zeroed(arenas[0]);
}

static void exhausted_arena_returns_null(void **state)
{
    (void)state;
    struct arena *arena = create(0);
    u64 left = ARENA_SLOT_BYTES - arena->used;
    assert_null(arena_alloc(arena, left + 1, 1));
    assert_non_null(arena_alloc(arena, left, 1));
    assert_null(arena_alloc(arena, 1, 1));
    assert_int_equal(arena->used, ARENA_SLOT_BYTES);
}

static void refused_allocation_takes_nothing(void **state)
{
    (void)state;
    struct arena *arena = create(0);
    u64 used = arena->used;
    assert_null(arena_alloc(arena, ARENA_SLOT_BYTES, 64));
    assert_int_equal(arena->used, used);
    assert_non_null(arena_alloc(arena, 64, 64));
}

static void absurd_sizes_return_null(void **state)
{
    (void)state;
    struct arena *arena = create(0);
    assert_null(arena_alloc(arena, UINT64_MAX, 1));
    assert_null(arena_alloc(arena, UINT64_MAX - 63, 64));
    assert_null(arena_alloc(arena, ARENA_SLOT_BYTES + 1, 1));
}

static void last_byte_can_be_used(void **state)
{
    (void)state;
    struct arena *arena = create(0);
    u64 left = ARENA_SLOT_BYTES - arena->used;
    u8 *memory = arena_alloc(arena, left, 1);
    memory[left - 1] = 7;
    assert_int_equal(memory[left - 1], 7);
}

static void arenas_lie_at_fixed_places_side_by_side(void **state)
{
    (void)state;
    for (u32 i = 0; i < ARENA_SLOTS; i++) {
        create(i);
        assert_int_equal(arenas[i]->slot, i);
        assert_ptr_equal((u8 *)arenas[0] + i * ARENA_SLOT_BYTES, arenas[i]);
    }
}

static void ninth_arena_is_refused_with_a_reason(void **state)
{
    (void)state;
    for (u32 i = 0; i < ARENA_SLOTS; i++)
        create(i);
    struct ogv_error error = { 0 };
    assert_null(arena_create(&error));
    assert_int_equal(error.kind, OGV_ERROR_SYSTEM);
    assert_string_equal(error.message,
                        "8 systems exist already; destroy one before creating another");
    assert_null(arena_create(NULL));
}

static void destroyed_arena_frees_its_slot(void **state)
{
    (void)state;
    for (u32 i = 0; i < ARENA_SLOTS; i++)
        create(i);
    arena_destroy(arenas[5]);
    arena_destroy(arenas[2]);
    arenas[2] = arenas[5] = NULL;
    assert_int_equal(create(2)->slot, 2); /* the lowest free one */
    assert_int_equal(create(5)->slot, 5);
}

static void destroying_nothing_is_allowed(void **state)
{
    (void)state;
    arena_destroy(NULL);
}

/* ---- What it holds ---- */

struct seen {
    u64 runs[8][2];
    u32 count, most;
};

static bool run_see(void *context, u64 start, u64 length)
{
    struct seen *seen = context;
    assert_true(seen->count < 8);
    seen->runs[seen->count][0] = start;
    seen->runs[seen->count][1] = length;
    return ++seen->count < seen->most;
}

static void expect_run(const struct seen *seen, u32 index, u64 start, u64 length)
{
    assert_int_equal(seen->runs[index][0], start);
    assert_int_equal(seen->runs[index][1], length);
}

#define FAR (UINT64_C(300) * MiB) /* from one touched place to the next */

/* Pages of all kinds: never touched, touched and zero, in a row, and less than one at the end. */
static void expect_runs_of_what_is_not_zero(void)
{
    struct arena *arena = create(0);
    struct seen seen = { .most = 8 };
    u8 *base = (u8 *)arena;
    assert_non_null(arena_alloc(arena, 3 * FAR - arena->used + 100, 1));
    base[FAR + ARENA_PAGE - 1] = 1;
    base[FAR + ARENA_PAGE] = 1;
    base[FAR + 3 * ARENA_PAGE + 7] = 1;
    base[2 * FAR] = 1;
    base[2 * FAR] = 0;
    base[3 * FAR + 99] = 1;
    assert_true(arena_visit(arena, run_see, &seen));
    assert_int_equal(seen.count, 4);
    expect_run(&seen, 0, 0, ARENA_PAGE);
    expect_run(&seen, 1, FAR, 2 * ARENA_PAGE);
    expect_run(&seen, 2, FAR + 3 * ARENA_PAGE, ARENA_PAGE);
    expect_run(&seen, 3, 3 * FAR, 100);
}

static void visits_are_runs_of_pages_that_are_not_zero(void **state)
{
    (void)state;
    expect_runs_of_what_is_not_zero();
}

/* A process that may open no more files cannot ask. */
static void visits_are_the_same_where_the_kernel_does_not_tell(void **state)
{
    (void)state;
    struct rlimit before, none;
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
    none = (struct rlimit){ 0, before.rlim_max };
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
    expect_runs_of_what_is_not_zero();
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
}

static void visit_that_says_no_is_the_last(void **state)
{
    (void)state;
    struct arena *arena = create(0);
    struct seen seen = { .most = 2 };
    assert_non_null(arena_alloc(arena, FAR, 1));
    for (u32 i = 0; i < 4; i++)
        ((u8 *)arena)[2 * i * ARENA_PAGE] = 1;
    assert_false(arena_visit(arena, run_see, &seen));
    assert_int_equal(seen.count, 2);
}

static bool is_resident(const struct arena *arena, u64 offset)
{
    unsigned char resident = 0;
    assert_int_equal(mincore((u8 *)(uintptr_t)arena + offset, ARENA_PAGE, &resident), 0);
    return resident & 1;
}

/* Otherwise looking would cost what was set aside. */
static void visit_touches_nothing(void **state)
{
    (void)state;
    struct arena *arena = create(0);
    struct seen seen = { .most = 8 };
    if (access("/proc/self/pagemap", R_OK))
        skip();
    assert_non_null(arena_alloc(arena, 3 * FAR, 1));
    assert_true(arena_visit(arena, run_see, &seen));
    assert_true(is_resident(arena, 0));
    assert_false(is_resident(arena, FAR));
    assert_false(is_resident(arena, 2 * FAR));
}

static void cleared_arena_is_zero_and_untouched(void **state)
{
    (void)state;
    struct arena *arena = create(0);
    u8 *memory = arena_alloc(arena, FAR, 1);
    memset(memory, 0xff, 100000);
    memory[FAR - 1] = 0xff;
    arena_clear(arena);
    assert_false(is_resident(arena, 0));
    assert_false(is_resident(arena, FAR / 2));
    for (u32 i = 0; i < 100000; i++)
        assert_int_equal(memory[i], 0);
    assert_int_equal(memory[FAR - 1], 0);
    assert_null(arena->root);
}

#define arena_test(function) cmocka_unit_test_teardown(function, destroy_all)

int main(void)
{
    const struct CMUnitTest tests[] = {
        arena_test(allocations_are_aligned),
        arena_test(allocations_do_not_overlap),
        arena_test(aside_keeps_the_rest_together),
        arena_test(aside_goes_on_in_another_block),
        arena_test(memory_comes_zeroed),
        arena_test(memory_comes_zeroed_where_an_arena_was_before),
        arena_test(exhausted_arena_returns_null),
        arena_test(refused_allocation_takes_nothing),
        arena_test(absurd_sizes_return_null),
        arena_test(last_byte_can_be_used),
        arena_test(arenas_lie_at_fixed_places_side_by_side),
        arena_test(ninth_arena_is_refused_with_a_reason),
        arena_test(destroyed_arena_frees_its_slot),
        arena_test(destroying_nothing_is_allowed),
        arena_test(visits_are_runs_of_pages_that_are_not_zero),
        arena_test(visits_are_the_same_where_the_kernel_does_not_tell),
        arena_test(visit_that_says_no_is_the_last),
        arena_test(visit_touches_nothing),
        arena_test(cleared_arena_is_zero_and_untouched),
    };
    return cmocka_run_group_tests_name("arena", tests, NULL, NULL);
}
