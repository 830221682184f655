/* determinism.c - the law: one digest, whatever the host does.
 *
 * The digest below is the same for every compiler, optimisation level and sanitizer that the tests
 * are built with. It moves when the machine in traffic.yaml, the units in it or their statistics
 * change, and then the commit says so. */
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

#define CYCLES 100000
#define GOLDEN "7d64e11175d517895166d7b62198192a"

static ogv_system *traffic_create(const struct sim_options *options)
{
    struct ogv_error error;
    char *file = text_format("%s/traffic.yaml", getenv("OGIVE_TEST_DATA"));
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

static void system_finish(ogv_system *system, char digest[33])
{
    struct ogv_error error;
    if (ogv_system_run(system, CYCLES, &error) != OGV_END_REACHED)
        fail_msg("%s", error.message);
    ogv_system_digest(system, digest);
    ogv_system_destroy(system);
}

static void assert_golden(const struct sim_options *options)
{
    char digest[33];
    system_finish(traffic_create(options), digest);
    assert_string_equal(digest, GOLDEN);
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
    ogv_system *system = traffic_create(&(struct sim_options){ .threads = 2 });
    while (ogv_system_cycle(system) < CYCLES - 5000)
        ogv_system_step(system, 1 + random_below(&random, 4000), &error);
    char digest[33];
    system_finish(system, digest);
    assert_string_equal(digest, GOLDEN);
}

/* Statistics may be looked at at any time. */
static void looking_does_not_matter(void **state)
{
    (void)state;
    struct ogv_error error;
    char digest[33];
    double value;
    ogv_system *system = traffic_create(&(struct sim_options){ .threads = 1 });
    for (u32 i = 1; i < 20; i++) {
        ogv_system_run(system, i * 333, &error);
        assert_true(ogv_system_stat(system, "node[*].source[*].blocked", &value, &error));
    }
    system_finish(system, digest);
    assert_string_equal(digest, GOLDEN);
}

static void checkpoints_do_not_matter(void **state)
{
    (void)state;
    struct ogv_error error;
    char file[] = "/tmp/ogive-test-XXXXXX", digest[33];
    int descriptor = mkstemp(file);
    assert_true(descriptor >= 0);
    close(descriptor);
    u64 random = 2026;
    for (u32 i = 0; i < 5; i++) {
        cycle at = 1 + random_below(&random, CYCLES - 1);
        ogv_system *system = traffic_create(&(struct sim_options){ .threads = 1 + i % 3 });
        assert_int_equal(ogv_system_run(system, at, &error), OGV_END_REACHED);
        assert_true(ogv_system_checkpoint(system, file, &error));
        ogv_system_step(system, 1000, &error); /* what comes after is not in the file */
        ogv_system_destroy(system);
        system = ogv_system_resume(file, &error);
        if (!system)
            fail_msg("%s", error.message);
        assert_int_equal(ogv_system_cycle(system), at);
        ogv_system_set_threads(system, 1 + (i + 1) % 3);
        system_finish(system, digest);
        assert_string_equal(digest, GOLDEN);
    }
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
