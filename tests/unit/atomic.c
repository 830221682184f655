/* atomic.c - reservations: who may store, and that somebody always can. */
#include "unit/parts/atomic.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "ogive/isa.h"
#include "ogive/memory.h"

#define THREADS_MAX 4096

static struct domain domain;
static struct unit holder = { .domain = &domain };
static struct reservations table;
static u64 stamps[THREADS_MAX]; /* by thread: what its last load-reserved was answered with */
static u8 bytes[256];

static u64 execute(enum isa_amo amo, u32 source, u64 address, u64 operand)
{
    struct message request = {
        .kind = MEMORY_AMO,
        .amo = amo,
        .address = address,
        .size_bytes = 8,
        .source = source,
        .data.dword = { operand, stamps[source] },
    };
    atomic_execute(&holder, &table, &request, bytes + address % sizeof bytes);
    if (amo == AMO_LR)
        stamps[source] = request.data.dword[1];
    return request.data.dword[0];
}

static int begin(void **state)
{
    (void)state;
    memset(&table, 0, sizeof table);
    memset(stamps, 0, sizeof stamps);
    memset(bytes, 0, sizeof bytes);
    return 0;
}

static void word_is_sign_extended(void **state)
{
    struct message request = {
        .kind = MEMORY_AMO, .amo = AMO_ADD, .size_bytes = 4, .data.dword[0] = 1
    };
    (void)state;
    memset(bytes, 0xff, 8);
    assert_true(atomic_execute(&holder, &table, &request, bytes));
    assert_int_equal(request.data.dword[0], UINT64_MAX);
    assert_int_equal(bytes[0], 0);
    assert_int_equal(bytes[4], 0xff); /* the neighbour is left alone */
}

/* On words 0 and 5 of a sector; a reservation there is lost. */
static void several_execute_together(void **state)
{
    struct message request = { .kind = MEMORY_AMO,
                               .amo = MEMORY_TOGETHER(AMO_ADD, 4, 1 | 1 << 5),
                               .size_bytes = MEMORY_SECTOR,
                               .data.word = { [0] = 7, [1] = 9, [5] = 1 } };
    u32 words[8] = { 10, 20, 30, 40, 50, UINT32_MAX, 70, 80 };
    const u32 after[8] = { 17, 20, 30, 40, 50, 0, 70, 80 };
    (void)state;
    memcpy(bytes, words, sizeof words);
    execute(AMO_LR, 0, 0, 0);
    assert_true(atomic_execute(&holder, &table, &request, bytes));
    assert_memory_equal(bytes, after, sizeof after);
    assert_int_equal(request.data.word[0], 10);
    assert_int_equal(request.data.word[5], UINT32_MAX);
    assert_int_equal(execute(AMO_SC, 0, 0, 5), 1);
    assert_true(atomic_fits(&request));
    request.amo = MEMORY_TOGETHER(AMO_ADD, 8, 1 | 1 << 7); /* the last one reaches beyond */
    assert_false(atomic_fits(&request));
    request.size_bytes = 16;
    assert_false(atomic_fits(&request));
}

static void store_conditional_needs_a_reservation(void **state)
{
    (void)state;
    assert_int_equal(execute(AMO_SC, 1, 0, 5), 1);
    execute(AMO_LR, 1, 0, 0);
    assert_int_equal(execute(AMO_SC, 2, 0, 5), 1);
    assert_int_equal(execute(AMO_SC, 1, 0, 5), 0);
    assert_int_equal(execute(AMO_SC, 1, 0, 5), 1);
    assert_int_equal(bytes[0], 5);
}

static void stamp_of_another_sector_does_not_count(void **state)
{
    (void)state;
    execute(AMO_LR, 1, 0, 0);
    execute(AMO_LR, 2, 64, 0);
    assert_int_equal(execute(AMO_SC, 1, 64, 5), 1);
    assert_int_equal(execute(AMO_SC, 2, 64, 5), 0);
    assert_int_equal(execute(AMO_SC, 1, 0, 5), 0);
}

static void writes_to_the_sector_take_it_away(void **state)
{
    (void)state;
    execute(AMO_LR, 1, 0, 0);
    atomic_written(&table, 32); /* the next sector */
    assert_int_equal(execute(AMO_SC, 1, 0, 5), 0);
    execute(AMO_LR, 1, 0, 0);
    atomic_written(&table, 31);
    assert_int_equal(execute(AMO_SC, 1, 0, 5), 1);
    execute(AMO_LR, 1, 0, 0);
    execute(AMO_ADD, 2, 8, 1);
    assert_int_equal(execute(AMO_SC, 1, 0, 5), 1);
    execute(AMO_LR, 1, 0, 0);
    execute(AMO_LR, 2, 0, 0);
    assert_int_equal(execute(AMO_SC, 2, 0, 5), 0);
    assert_int_equal(execute(AMO_SC, 1, 0, 5), 1);
}

/* Whoever looks at a word by an atomic, as ogv_atomic_load does, keeps nobody from storing it. */
static void looking_does_not_take_it_away(void **state)
{
    struct message both = { .kind = MEMORY_AMO,
                            .amo = MEMORY_TOGETHER(AMO_OR, 4, 1 | 1 << 5),
                            .size_bytes = MEMORY_SECTOR };
    (void)state;
    execute(AMO_LR, 1, 0, 0);
    execute(AMO_OR, 2, 0, 0);
    execute(AMO_ADD, 2, 8, 0);
    atomic_execute(&holder, &table, &both, bytes);
    assert_int_equal(execute(AMO_SC, 1, 0, 5), 0);
    execute(AMO_LR, 1, 0, 0);
    execute(AMO_LR, 2, 0, 0);
    assert_int_equal(execute(AMO_SC, 2, 0, 5), 0); /* what is there already, but it was stored */
    assert_int_equal(execute(AMO_SC, 1, 0, 6), 1);
}

/* One that spins on load-reserved must not push the others out. */
static void spinning_thread_takes_one_place(void **state)
{
    (void)state;
    execute(AMO_LR, 1, 0, 0);
    for (u32 i = 0; i < 10 * RESERVATIONS_MAX; i++)
        execute(AMO_LR, 2, 0, 0);
    assert_int_equal(execute(AMO_SC, 1, 0, 5), 0);
}

/* Thousands increment one counter. Between the two halves of one thread's try lie those of all
 * others: more than there is room for. Somebody must succeed all the same. */
static void crowd_makes_progress(void **state)
{
    enum { CROWD = 3000 };
    (void)state;
    for (u32 round = 0; round < 4; round++) {
        u32 succeeded = 0;
        for (u32 i = 0; i < CROWD; i++)
            execute(AMO_LR, i, 0, 0);
        for (u32 i = 0; i < CROWD; i++)
            succeeded += execute(AMO_SC, i, 0, 1) == 0;
        assert_true(succeeded > 0);
    }
    /* In a pipeline: the store of thread i - 1000 comes with the load of thread i. */
    u32 succeeded = 0;
    for (u32 i = 0; i < 4 * CROWD; i++) {
        execute(AMO_LR, i % CROWD, 0, 0);
        if (i >= 1000)
            succeeded += execute(AMO_SC, (i - 1000) % CROWD, 0, 1) == 0;
    }
    assert_true(succeeded > 10);
}

/* Reservations that nobody uses must not lock the others out for ever. */
static void abandoned_reservations_give_way(void **state)
{
    (void)state;
    for (u32 i = 0; i < RESERVATIONS_MAX; i++)
        execute(AMO_LR, 100 + i, 32 * (u64)i, 0);
    for (u32 round = 0; round < 20; round++) {
        u64 address = 32 * (u64)(RESERVATIONS_MAX + round);
        u32 tries = 1;
        for (; tries < 1000; tries++) {
            execute(AMO_LR, 1, address, 0);
            if (execute(AMO_SC, 1, address, 5) == 0)
                break;
        }
        assert_true(tries <= 4);
    }
}

/* Every thread has a sector of its own: far more than can be remembered, and between the two halves
 * of a try all others come. */
static void crowd_on_many_sectors_makes_progress(void **state)
{
    (void)state;
    u32 succeeded = 0, rounds = 0;
    for (; succeeded == 0 && rounds < 100; rounds++) {
        for (u32 i = 0; i < THREADS_MAX; i++)
            execute(AMO_LR, i, 32 * (u64)i, 0);
        for (u32 i = 0; i < THREADS_MAX; i++)
            succeeded += execute(AMO_SC, i, 32 * (u64)i, 1) == 0;
    }
    assert_true(succeeded >= RESERVATIONS_MAX);
    assert_true(rounds <= 2);
}

static void operation_that_changes_nothing_has_no_effect(void **state)
{
    (void)state;
    domain.now = 10;
    execute(AMO_ADD, 1, 0, 1);
    assert_int_equal(domain.last_effect, 10);
    domain.now = 20;
    execute(AMO_OR, 1, 0, 0); /* how a program polls */
    execute(AMO_LR, 1, 0, 0);
    execute(AMO_SC, 2, 0, 5); /* fails */
    assert_int_equal(domain.last_effect, 10);
    execute(AMO_SC, 1, 0, 5);
    assert_int_equal(domain.last_effect, 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(word_is_sign_extended, begin),
        cmocka_unit_test_setup(several_execute_together, begin),
        cmocka_unit_test_setup(store_conditional_needs_a_reservation, begin),
        cmocka_unit_test_setup(stamp_of_another_sector_does_not_count, begin),
        cmocka_unit_test_setup(writes_to_the_sector_take_it_away, begin),
        cmocka_unit_test_setup(looking_does_not_take_it_away, begin),
        cmocka_unit_test_setup(spinning_thread_takes_one_place, begin),
        cmocka_unit_test_setup(crowd_makes_progress, begin),
        cmocka_unit_test_setup(abandoned_reservations_give_way, begin),
        cmocka_unit_test_setup(crowd_on_many_sectors_makes_progress, begin),
        cmocka_unit_test_setup(operation_that_changes_nothing_has_no_effect, begin),
    };
    return cmocka_run_group_tests_name("atomic", tests, NULL, NULL);
}
