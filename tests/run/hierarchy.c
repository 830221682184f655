/* hierarchy.c - random reads and writes through caches and a crossbar: every answer is right, and
 * the same whatever the host does.
 *
 * Each tester has words of its own, so that every answer has one right value although L1s do not
 * know of each other. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "arch/system.h"
#include "base/text.h"
#include "run/figures.h"
#include "sim/clock.h"
#include "stat_of.h"

#define SETTINGS_MAX 12

struct setting {
    const char *path, *value;
};

/* Kinds of machine; each is run with 1, 4 and 46 SMs. */
struct kind {
    const char *name;
    struct setting settings[SETTINGS_MAX];
};

static const struct kind kinds[] = {
    { "write-through L1", { { 0 } } },
    { "write-back L1", { { "sm.l1.write", "back" }, { "sm.l1.write_miss", "allocate" }, { 0 } } },
    { "write-back L1 that fetches, lines of one sector",
      { { "sm.l1.write", "back" },
        { "sm.l1.write_miss", "fetch" },
        { "sm.l1.line", "32 B" },
        { "sm.l1.allocate", "fill" },
        { 0 } } },
    { "tiny, write-through",
      { { "sm.l1.size", "256 B" },
        { "sm.l1.ways", "1" },
        { "sm.l1.mshrs", "1" },
        { "sm.l1.merges", "1" },
        { "sm.l1.depth", "1" },
        { "sm.l1.passes", "1" },
        { "sm.l1.queue", "1" },
        { "partition.l2.size", "1 KiB" },
        { "partition.l2.ways", "2" },
        { "partition.l2.mshrs", "1" },
        { "partition.l2.depth", "1" },
        { 0 } } },
    { "tiny, write-back, on fill",
      { { "sm.l1.size", "256 B" },
        { "sm.l1.ways", "2" },
        { "sm.l1.write", "back" },
        { "sm.l1.write_miss", "allocate" },
        { "sm.l1.allocate", "fill" },
        { "sm.l1.mshrs", "2" },
        { "sm.l1.depth", "1" },
        { "partition.l2.size", "1 KiB" },
        { "partition.l2.ways", "1" },
        { "partition.l2.allocate", "fill" },
        { "partition.l2.mshrs", "1" },
        { 0 } } },
    { "random and pseudo-LRU, MSHRs of lines, prefetching, iSLIP",
      { { "sm.l1.replacement", "random" },
        { "sm.l1.mshr", "line" },
        { "sm.l1.prefetch", "2" },
        { "sm.l1.sector", "64 B" },
        { "partition.l2.replacement", "plru" },
        { "partition.l2.mshr", "line" },
        { "noc.crossbar.arbitration", "islip" },
        { "noc.crossbar.iterations", "2" },
        { "noc.crossbar.input_queue", "1" },
        { 0 } } },
    { "no L1, write-back around in the L2",
      { { "sm.l1.replacement", "none" },
        { "partition.l2.write_miss", "around" },
        { "partition.l2.replacement", "fifo" },
        { "noc.crossbar.outstanding", "40" },
        { 0 } } },
};

#define KINDS (sizeof kinds / sizeof *kinds)

static ogv_system *hierarchy_create(const struct kind *kind, const char *sms,
                                    const struct sim_options *options)
{
    struct ogv_error error;
    char *file = text_format("%s/hierarchy.yaml", getenv("OGIVE_TEST_DATA"));
    ogv_arch *arch = ogv_arch_load(file, &error);
    bool good = arch && ogv_arch_set(arch, "sm.count", sms, &error);
    for (u32 i = 0; good && kind->settings[i].path; i++)
        good = ogv_arch_set(arch, kind->settings[i].path, kind->settings[i].value, &error);
    ogv_system *system = good ? ogv_system_create(arch, &error) : NULL;
    if (!system)
        fail_msg("%s: %s", kind->name, error.message);
    system_set_options(system, options);
    ogv_arch_destroy(arch);
    free(file);
    return system;
}

static void hierarchy_finish(ogv_system *system, const struct kind *kind, char digest[33])
{
    struct ogv_error error;
    if (ogv_system_run(system, OGV_FOREVER, &error) != OGV_END_FINISHED)
        fail_msg("%s: %s", kind->name, error.message);
    if (stat_of(system, "sm[*].tester[*].wrong") != 0)
        fail_msg("%s: wrong answers", kind->name);
    assert_true(stat_of(system, "sm[*].tester[*].answered") ==
                stat_of(system, "sm[*].tester[*].asked"));
    assert_true(stat_of(system, "sm[*].l1.lookups") == stat_of(system, "sm[*].l1.hits") +
                                                           stat_of(system, "sm[*].l1.half_misses") +
                                                           stat_of(system, "sm[*].l1.misses"));
    ogv_system_digest(system, digest);
    ogv_system_destroy(system);
}

static void answers_are_right(const char *sms)
{
    char digest[33];
    for (u32 k = 0; k < KINDS; k++) {
        struct sim_options options = { .threads = 2 };
        hierarchy_finish(hierarchy_create(&kinds[k], sms, &options), &kinds[k], digest);
    }
}

static void answers_are_right_with_1_sm(void **state)
{
    (void)state;
    answers_are_right("1");
}

static void answers_are_right_with_4_sms(void **state)
{
    (void)state;
    answers_are_right("4");
}

static void answers_are_right_with_46_sms(void **state)
{
    (void)state;
    answers_are_right("46");
}

static void host_does_not_matter(void **state)
{
    static const struct sim_options options[] = {
        { .threads = 2 },
        { .threads = 3, .window = 1 },
        { .threads = 1, .sleepless = true },
        { .threads = 2, .sleepless = true, .order = SIM_ORDER_REVERSE },
        { .threads = 1, .order = SIM_ORDER_REVERSE },
    };
    (void)state;
    for (u32 k = 0; k < KINDS; k++) {
        char first[33], digest[33];
        struct sim_options plain = { .threads = 1 };
        hierarchy_finish(hierarchy_create(&kinds[k], "4", &plain), &kinds[k], first);
        for (u32 i = 0; i < sizeof options / sizeof *options; i++) {
            hierarchy_finish(hierarchy_create(&kinds[k], "4", &options[i]), &kinds[k], digest);
            if (strcmp(digest, first) != 0)
                fail_msg("%s: another result with options %u", kinds[k].name, i);
        }
    }
}

static void checkpoints_do_not_matter(void **state)
{
    (void)state;
    struct ogv_error error;
    char file[] = "/tmp/ogive-test-XXXXXX";
    int descriptor = mkstemp(file);
    assert_true(descriptor >= 0);
    close(descriptor);
    for (u32 k = 0; k < KINDS; k++) {
        char first[33], digest[33];
        struct sim_options options = { .threads = 2 };
        hierarchy_finish(hierarchy_create(&kinds[k], "4", &options), &kinds[k], first);
        ogv_system *system = hierarchy_create(&kinds[k], "4", &options);
        ogv_system_run(system, 1234 + 517 * k, &error);
        assert_true(ogv_system_checkpoint(system, file, &error));
        ogv_system_destroy(system);
        system = ogv_system_resume(file, &error);
        if (!system)
            fail_msg("%s", error.message);
        hierarchy_finish(system, &kinds[k], digest);
        assert_string_equal(digest, first);
    }
    unlink(file);
}

/* By the level of the caches; the L2's share is of what it could do in cycles of its own clock. */
static void figures_are_quotients_of_sums(void **state)
{
    (void)state;
    struct sim_options options = { .threads = 1 };
    struct ogv_error error;
    ogv_system *system = hierarchy_create(&kinds[0], "4", &options);
    assert_int_equal(ogv_system_run(system, OGV_FOREVER, &error), OGV_END_FINISHED);
    cycle cycles = system_cycles(system);
    struct figures figures = figures_of(system, cycles, 7);
    const double *values = figures.values;
    const struct clock_ratio clock = { 1200, 1515 };
    double bytes = stat_of(system, "partition[*].l2.bytes_answered") +
                   stat_of(system, "partition[*].l2.bytes_taken");
    assert_true(values[FIGURE_l1_hit_rate] == stat_of(system, "sm[*].l1.hit_rate"));
    assert_true(values[FIGURE_l1_half_miss_rate] == stat_of(system, "sm[*].l1.half_miss_rate"));
    assert_true(values[FIGURE_l2_hit_rate] == stat_of(system, "partition[*].l2.hit_rate"));
    assert_true(bytes > 0 && values[FIGURE_l2_bandwidth_share] ==
                                 bytes / (2 * 4 * 32 * (double)clock_own(clock, cycles)));
    assert_true(isnan(values[FIGURE_dram_bandwidth_share]));
    assert_true(values[FIGURE_dram_read_bytes] == 0);
    assert_int_equal(figures.rays, 7);
    ogv_system_destroy(system);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answers_are_right_with_1_sm),
        cmocka_unit_test(answers_are_right_with_4_sms),
        cmocka_unit_test(answers_are_right_with_46_sms),
        cmocka_unit_test(host_does_not_matter),
        cmocka_unit_test(checkpoints_do_not_matter),
        cmocka_unit_test(figures_are_quotients_of_sums),
    };
    return cmocka_run_group_tests_name("hierarchy", tests, NULL, NULL);
}
