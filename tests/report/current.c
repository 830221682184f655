/* current.c - what limits a chip at the moment is found in what its statistics grew by. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "arch/stats.h"
#include "report/current.h"

#define SENT "node[*].source.sent"

static double stat_of(ogv_system *system, const char *path)
{
    struct ogv_error error;
    double value;
    if (!ogv_system_stat(system, path, &value, &error))
        fail_msg("%s", error.message);
    return value;
}

static double current_stat(const struct current *current, const char *group, const char *stat)
{
    return result_stat(result_find(current->result, group), stat);
}

static void a_look_is_at_the_cycles_since_the_last(void **state)
{
    struct ogv_error error;
    ogv_arch *arch = ogv_arch_load("exchange", &error);
    ogv_system *system = arch ? ogv_system_create(arch, &error) : NULL;
    if (!system)
        fail_msg("%s", error.message);
    struct run_options options = { .arch = "exchange", .stop_after = NEVER };
    struct run_result result = { .status = RUN_RUNNING };
    struct record record = { .system = system, .options = &options, .result = &result };
    struct current current;
    (void)state;
    ogv_system_run(system, 1000, &error);
    double before = stat_of(system, SENT);
    assert_true(current_init(&current, &record, "", &error));
    assert_int_equal(current.from, 0);
    assert_int_equal(current.to, 1000);
    assert_true(current_stat(&current, "node.source", "sent") == before);
    ogv_system_run(system, 3000, &error);
    current_look(&current, &record);
    assert_int_equal(current.from, 1000);
    assert_int_equal(current.to, 3000);
    assert_true(before > 0 && stat_of(system, SENT) > before);
    assert_true(current_stat(&current, "node.source", "sent") == stat_of(system, SENT) - before);
    assert_true(current.result->cycles == 2000);
    current_look(&current, &record); /* no cycle has passed */
    assert_int_equal(current.from, 1000);
    current_fini(&current);
    ogv_system_destroy(system);
    ogv_arch_destroy(arch);
}

/* The words name what works at its limit, or else where most waiting passes. */
static void words_name_the_limit(void **state)
{
    struct result_group group = { .name = (char *)"sm.l1" };
    struct resource resources[] = {
        { .group = &group, .name = (char *)"latency", .kind = RESOURCE_DELAY, .waiting = 0.6 },
        { .group = &group, .name = (char *)"bandwidth", .utilisation = 0.5, .waiting = 0.1 },
    };
    struct bottleneck found = { .resources = resources, .resource_count = 2 };
    struct current current = { .bottleneck = &found };
    char words[64];
    (void)state;
    current_words(&current, words, sizeof words);
    assert_string_equal(words, "sm.l1 latency (60% of waiting)");
    resources[1].utilisation = 0.93;
    current_words(&current, words, sizeof words);
    assert_string_equal(words, "sm.l1 bandwidth (93% busy)");
    found.resource_count = 0;
    current_words(&current, words, sizeof words);
    assert_string_equal(words, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_look_is_at_the_cycles_since_the_last),
        cmocka_unit_test(words_name_the_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
