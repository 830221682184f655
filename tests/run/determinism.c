/* determinism.c - the law: one digest, whatever the host does.
 *
 * The digests below are the same for every compiler, optimisation level and sanitizer that the
 * tests are built with. One moves when its machine, the units in it or their statistics change, and
 * then the commit says so. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "arch/system.h"
#include "base/text.h"
#include "ogive/random.h"

struct machine {
    const char *file, *golden;
    cycle cycles;
    const char *statistic; /* one that is settled when it is looked at */
};

static const struct machine machines[] = {
    { "traffic.yaml", "7d0a26e557cba4ef26cf18cc53bda687", 100000, "node[*].source[*].blocked" },
    { "partitions.yaml", "dfa912da7b0cc566cef93ad228b24602", 20000,
      "partition[*].dram.read_queue_mean" },
};

#define MACHINES (sizeof machines / sizeof *machines)

static ogv_system *machine_create(const struct machine *machine, const struct sim_options *options)
{
    struct ogv_error error;
    char *file = text_format("%s/%s", getenv("OGIVE_TEST_DATA"), machine->file);
    ogv_arch *arch = ogv_arch_load(file, &error);
    if (!arch)
        fail_msg("%s", error.message);
    ogv_system *system = ogv_system_create(arch, &error);
    if (!system)
        fail_msg("%s", error.message);
    system_set_options(system, options);
    ogv_arch_destroy(arch);
    free(file);
    return system;
}

static void system_finish(ogv_system *system, cycle cycles, char digest[33])
{
    struct ogv_error error;
    if (ogv_system_run(system, cycles, &error) != OGV_END_REACHED)
        fail_msg("%s", error.message);
    ogv_system_digest(system, digest);
    ogv_system_destroy(system);
}

/* Lets a system run to the end, which is always the same. */
static void assert_golden_end(const struct machine *machine, ogv_system *system)
{
    char digest[33];
    system_finish(system, machine->cycles, digest);
    assert_string_equal(digest, machine->golden);
}

static void assert_golden(const struct sim_options *options)
{
    for (u32 i = 0; i < MACHINES; i++)
        assert_golden_end(&machines[i], machine_create(&machines[i], options));
}

static void threads_do_not_matter(void **state)
{
    (void)state;
    for (u32 threads = 1; threads <= 4; threads++)
        assert_golden(&(struct sim_options){ .threads = threads });
}

static void windows_do_not_matter(void **state)
{
    (void)state;
    for (cycle window = 1; window <= 2; window++)
        for (u32 threads = 1; threads <= 4; threads += 1)
            assert_golden(&(struct sim_options){ .threads = threads, .window = window });
}

static void sleeping_does_not_matter(void **state)
{
    (void)state;
    for (u32 threads = 1; threads <= 4; threads++)
        assert_golden(&(struct sim_options){ .threads = threads, .sleepless = true });
    assert_golden(&(struct sim_options){ .threads = 2, .sleepless = true, .window = 1 });
    assert_golden(&(struct sim_options){ .threads = 3, .sleepless = true, .window = 2 });
}

static void order_of_units_does_not_matter(void **state)
{
    (void)state;
    struct sim_options options = { .threads = 1, .order = SIM_ORDER_REVERSE };
    assert_golden(&options);
    options.sleepless = true;
    assert_golden(&options);
    options.threads = 3;
    assert_golden(&options);
}

static void stopping_does_not_matter(void **state)
{
    (void)state;
    struct ogv_error error;
    u64 random = 7;
    for (u32 i = 0; i < MACHINES; i++) {
        ogv_system *system = machine_create(&machines[i], &(struct sim_options){ .threads = 2 });
        while (ogv_system_cycle(system) < machines[i].cycles - 5000)
            ogv_system_step(system, 1 + random_below(&random, 4000), &error);
        assert_golden_end(&machines[i], system);
    }
}

/* Statistics may be looked at at any time. */
static void looking_does_not_matter(void **state)
{
    (void)state;
    struct ogv_error error;
    double value;
    for (u32 i = 0; i < MACHINES; i++) {
        ogv_system *system = machine_create(&machines[i], &(struct sim_options){ .threads = 1 });
        for (u32 k = 1; k < 20; k++) {
            ogv_system_run(system, k * 333, &error);
            assert_true(ogv_system_stat(system, machines[i].statistic, &value, &error));
        }
        assert_golden_end(&machines[i], system);
    }
}

static void checkpoint_at(const struct machine *machine, cycle at, u32 threads, const char *file)
{
    struct ogv_error error;
    ogv_system *system = machine_create(machine, &(struct sim_options){ .threads = threads });
    assert_int_equal(ogv_system_run(system, at, &error), OGV_END_REACHED);
    assert_true(ogv_system_checkpoint(system, file, &error));
    ogv_system_step(system, 1000, &error); /* what comes after is not in the file */
    ogv_system_destroy(system);
    system = ogv_system_resume(file, &error);
    if (!system)
        fail_msg("%s", error.message);
    assert_int_equal(ogv_system_cycle(system), at);
    ogv_system_set_threads(system, 1 + threads % 3);
    assert_golden_end(machine, system);
}

static void checkpoints_do_not_matter(void **state)
{
    (void)state;
    char file[] = "/tmp/ogive-test-XXXXXX";
    int descriptor = mkstemp(file);
    assert_true(descriptor >= 0);
    close(descriptor);
    u64 random = 2026;
    for (u32 i = 0; i < MACHINES; i++)
        for (u32 k = 0; k < 5; k++)
            checkpoint_at(&machines[i], 1 + random_below(&random, machines[i].cycles - 1),
                          1 + k % 3, file);
    unlink(file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_do_not_matter),
        cmocka_unit_test(windows_do_not_matter),
        cmocka_unit_test(sleeping_does_not_matter),
        cmocka_unit_test(order_of_units_does_not_matter),
        cmocka_unit_test(stopping_does_not_matter),
        cmocka_unit_test(looking_does_not_matter),
        cmocka_unit_test(checkpoints_do_not_matter),
    };
    return cmocka_run_group_tests_name("determinism", tests, NULL, NULL);
}
