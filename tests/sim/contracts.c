/* contracts.c - what a unit must not do stops the program with a message that names unit and cycle.
 * What it may do just this side of the border goes on. */
#include "ogive/arbiter.h"
#include "ogive/unit.h"
#include "sim/bench_chip.h"

static void run_chip(void *context)
{
    bench_finish(context);
}

/* A chip of two: the first does `step` with `value`, the second sleeps. Both hold a piece of work.
 */
static struct sim *chip_create(mock_step step, u64 value, struct sim_options options)
{
    struct sim *sim = bench_create();
    struct domain *domain = bench_domain(sim);
    struct mock *first = bench_mock(sim, domain, step),
                *second = bench_mock(sim, domain, step_sleep);
    bench_link(sim, first, second, 1, 1);
    first->value = value;
    unit_hold(&first->base, 1);
    unit_hold(&second->base, 1);
    bench_seal(sim, options);
    return sim;
}

static void assert_stops(mock_step step, u64 value, const char *words)
{
    static const struct sim_options ways[] = {
        { 0 }, { .sleepless = true }, { .order = SIM_ORDER_REVERSE }, { .threads = 2 }
    };
    for (u32 i = 0; i < sizeof ways / sizeof *ways; i++) {
        struct sim *sim = chip_create(step, value, ways[i]);
        assert_aborts(run_chip, sim, words);
        bench_destroy(sim);
    }
}

static void assert_goes_on(mock_step step, u64 value)
{
    struct sim *sim = chip_create(step, value, (struct sim_options){ 0 });
    assert_int_equal(bench_finish(sim), SIM_DEADLOCK);
    bench_destroy(sim);
}

/* ---- Waking ---- */

static cycle step_wake_at_10(struct mock *mock, cycle now)
{
    if (now == 10)
        unit_wake(mock->out[0]->reader, mock->value);
    return now < 10 ? 10 : NEVER;
}

static void unit_cannot_be_woken_in_this_cycle_or_before(void **state)
{
    (void)state;
    assert_goes_on(step_wake_at_10, 11);
    assert_stops(step_wake_at_10, 10, "mock[1] is to be woken at cycle 10 by mock[0], at cycle 10");
    assert_stops(step_wake_at_10, 9, "mock[1] is to be woken at cycle 9 by mock[0], at cycle 10");
    assert_stops(step_wake_at_10, 0, "mock[1] is to be woken at cycle 0 by mock[0], at cycle 10");
}

static void before_the_first_cycle_a_unit_can_be_woken_for_it(void **state)
{
    (void)state;
    struct sim *sim = chip_create(step_sleep, 0, (struct sim_options){ 0 });
    unit_wake(sim_chip(sim)->units[0], 0);
    assert_int_equal(bench_run(sim, 1), SIM_REACHED);
    assert_int_equal(((struct mock *)sim_chip(sim)->units[0])->ticks, 1);
}

static void wake_in_the_past(void *context)
{
    struct sim *sim = context;
    unit_wake(sim_chip(sim)->units[0], 5);
}

static void nobody_can_wake_in_the_past_between_windows(void **state)
{
    (void)state;
    struct sim *sim = chip_create(step_sleep, 0, (struct sim_options){ 0 });
    bench_run(sim, 6);
    assert_aborts(wake_in_the_past, sim, "mock[0] is to be woken at cycle 5 by nobody, at cycle 6");
}

/* ---- Work ---- */

static cycle step_release_at_7(struct mock *mock, cycle now)
{
    if (now == 7)
        unit_release(&mock->base, (u32)mock->value);
    return now < 7 ? 7 : NEVER;
}

static void no_more_work_is_released_than_held(void **state)
{
    (void)state;
    assert_goes_on(step_release_at_7, 1);
    assert_stops(step_release_at_7, 2,
                 "mock[0] releases 2 items of work at cycle 7 and holds only 1");
}

/* ---- Sets ---- */

static cycle step_add_member(struct mock *mock, cycle now)
{
    struct bitset set = { 0 };
    if (now == 3)
        bitset_add(&set, (u32)mock->value);
    return now < 3 ? 3 : NEVER;
}

static cycle step_remove_member(struct mock *mock, cycle now)
{
    struct bitset set = { 0 };
    if (now == 3)
        bitset_remove(&set, (u32)mock->value);
    return now < 3 ? 3 : NEVER;
}

static cycle step_ask_for_member(struct mock *mock, cycle now)
{
    struct bitset set = { 0 };
    if (now == 3)
        mock->left = bitset_has(&set, (u32)mock->value);
    return now < 3 ? 3 : NEVER;
}

static void sets_have_4096_members(void **state)
{
    (void)state;
    const mock_step steps[] = { step_add_member, step_remove_member, step_ask_for_member };
    for (u32 i = 0; i < 3; i++) {
        assert_goes_on(steps[i], BITSET_MAX - 1);
        assert_stops(steps[i], BITSET_MAX,
                     "mock[0] uses member 4096 of a bitset at cycle 3; members are 0 to 4095");
    }
}

static void add_member_outside(void *context)
{
    bitset_add(context, NOBODY);
}

static void sets_are_checked_outside_of_units(void **state)
{
    (void)state;
    struct bitset set = { 0 };
    assert_aborts(add_member_outside, &set, "internal error: member 4294967295 of a bitset");
}

/* ---- Memory ---- */

static cycle step_allocate(struct mock *mock, cycle now)
{
    if (now == 4)
        unit_alloc(&mock->base, 1, 1, NULL);
    return now < 4 ? 4 : NEVER;
}

static void nothing_is_allocated_in_a_tick(void **state)
{
    (void)state;
    assert_stops(step_allocate, 0, "mock[0] allocates in its tick, at cycle 4; only init may");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        bench_test(unit_cannot_be_woken_in_this_cycle_or_before),
        bench_test(before_the_first_cycle_a_unit_can_be_woken_for_it),
        bench_test(nobody_can_wake_in_the_past_between_windows),
        bench_test(no_more_work_is_released_than_held),
        bench_test(sets_have_4096_members),
        bench_test(sets_are_checked_outside_of_units),
        bench_test(nothing_is_allocated_in_a_tick),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
