/* crowd.c - all threads of shipped machines at once: on one word with every atomic, and at a
 * barrier that waits for one of them.
 *
 * The machines with more than a few thousand threads take minutes: they are for the long run. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/shipped.h"
#include "run/program.h"

#define HARTS_SHORT 4096

static ogv_system *machine_load(const char *name, const char *sms)
{
    struct ogv_error error;
    ogv_arch *arch = ogv_arch_load(name, &error);
    bool good = arch && (!sms || (ogv_arch_set(arch, "sm.count", sms, &error)));
    ogv_system *system = good ? ogv_system_create(arch, &error) : NULL;
    if (!system)
        fail_msg("%s: %s", name, error.message);
    ogv_arch_destroy(arch);
    return system;
}

static bool program_start(ogv_system *system, const char *name, const char *argument,
                          struct ogv_error *error)
{
    char *file = text_format("%s/%s.elf", getenv("OGIVE_PROGRAMS"), name);
    struct program_options options = { .file = file,
                                       .arguments = &argument,
                                       .argument_count = argument != NULL };
    bool good = program_load(system, &options, error);
    free(file);
    return good;
}

/* ---- One word ---- */

static void crowd_run(ogv_system *system, const char *name, u64 harts)
{
    struct ogv_error error;
    struct text console = { 0 };
    char *expected = text_format("crowd: %llu harts, 0 wrong\n", (unsigned long long)harts);
    if (!program_start(system, "crowd", NULL, &error) ||
        ogv_system_run(system, OGV_FOREVER, &error) != OGV_END_FINISHED)
        fail_msg("%s: %s", name, error.message);
    program_console(system, &console);
    assert_string_equal(text_get(&console), expected);
    assert_int_equal(program_exit_code(system), 0);
    text_fini(&console);
    free(expected);
}

static void machine_visit(void *context, const char *name, const char *path)
{
    (void)path;
    ogv_system *system = machine_load(name, NULL);
    u64 harts = program_harts(system);
    if (harts && (harts <= HARTS_SHORT || getenv("OGIVE_LONG"))) {
        crowd_run(system, name, harts);
        ++*(u32 *)context;
    }
    ogv_system_destroy(system);
}

static void no_atomic_is_lost_and_none_waits_for_ever(void **state)
{
    (void)state;
    u32 machines = 0;
    char *archs = shipped_find("archs");
    assert_non_null(archs);
    folder_list(archs, ".yaml", machine_visit, &machines);
    free(archs);
    assert_true(machines >= 3);
}

/* ---- One that is late ---- */

static cycle straggler_cycles(const char *sms, const char *by_units)
{
    struct ogv_error error;
    ogv_system *system = machine_load("rtx2080-compute", sms);
    if (!program_start(system, "straggler", by_units, &error) ||
        ogv_system_run(system, OGV_FOREVER, &error) != OGV_END_FINISHED)
        fail_msg("%s SMs: %s", sms, error.message);
    assert_int_equal(program_exit_code(system), 0);
    cycle cycles = ogv_system_cycle(system);
    ogv_system_destroy(system);
    return cycles;
}

/* Whoever waits must leave core and memory to the one that works. */
static void straggler_expect(const char *sms)
{
    cycle by_units = straggler_cycles(sms, "1"), in_memory = straggler_cycles(sms, "0");
    if (in_memory > by_units + by_units / 10 + 10000)
        fail_msg("%s SMs: %llu cycles with the barrier in memory, %llu with units", sms,
                 (unsigned long long)in_memory, (unsigned long long)by_units);
}

static void waiters_do_not_hold_up_the_one_that_works(void **state)
{
    (void)state;
    straggler_expect("1");
    if (getenv("OGIVE_LONG"))
        straggler_expect("46");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_atomic_is_lost_and_none_waits_for_ever),
        cmocka_unit_test(waiters_do_not_hold_up_the_one_that_works),
    };
    return cmocka_run_group_tests_name("crowd", tests, NULL, NULL);
}
