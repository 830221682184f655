/* statistics.c - statistics by path: of one unit, of groups, as quotients; and paths that lead
 * nowhere. */
#include <stdio.h>
#include <string.h>

#include "support.h"

static const char chip_text[] =
    "domains:\n"
    "  sm:\n"
    "    count: 3\n"
    "    units:\n"
    "      source: { type: source, count: 2, messages: 10, timing: regular, gap: 2 cycles }\n"
    "      sink: { type: sink }\n"
    "    links:\n"
    "      - source -> sink: { latency: 5 cycles }\n";

static int chip_setup(void **state)
{
    struct ogv_error error;
    *state = system_from(chip_text);
    return ogv_system_run(*state, OGV_FOREVER, &error) == OGV_END_FINISHED ? 0 : -1;
}

static int chip_teardown(void **state)
{
    ogv_system_destroy(*state);
    return 0;
}

static void one_unit_is_found_by_its_path(void **state)
{
    assert_int_equal((u64)stat_of(*state, "sm[0].source[0].sent"), 10);
    assert_int_equal((u64)stat_of(*state, "sm[2].source[1].sent"), 10);
    assert_int_equal((u64)stat_of(*state, "sm[1].sink.received"), 20);
    assert_int_equal((u64)stat_of(*state, "sm[1].sink[0].received"), 20);
}

static void group_is_summed(void **state)
{
    assert_int_equal((u64)stat_of(*state, "sm[*].source[*].sent"), 60);
    assert_int_equal((u64)stat_of(*state, "sm.source.sent"), 60);
    assert_int_equal((u64)stat_of(*state, "sm[1].source.sent"), 20);
    assert_int_equal((u64)stat_of(*state, "sm.source[1].sent"), 30);
}

static void largest_of_a_group_is_no_sum(void **state)
{
    double one = stat_of(*state, "sm[0].sink.latency_max");
    assert_true(one > 0);
    assert_true(stat_of(*state, "sm[*].sink.latency_max") == one);
}

static void quotient_of_a_group_is_that_of_the_sums(void **state)
{
    double above = stat_of(*state, "sm.sink.latency"), below = stat_of(*state, "sm.sink.received");
    assert_true(stat_of(*state, "sm.sink.latency_mean") == above / below);
    above = stat_of(*state, "sm[1].sink.latency");
    assert_true(stat_of(*state, "sm[1].sink.latency_mean") == above / 20);
}

static void quotient_by_zero_is_zero(void **state)
{
    (void)state;
    ogv_system *system = system_from(chip_text);
    assert_true(stat_of(system, "sm.sink.latency_mean") == 0);
    ogv_system_destroy(system);
}

static void assert_no_path(ogv_system *system, const char *path, const char *expected)
{
    struct ogv_error error;
    double value;
    assert_false(ogv_system_stat(system, path, &value, &error));
    assert_string_equal(error.message, expected);
}

static void unknown_name_gets_the_nearest(void **state)
{
    assert_no_path(*state, "sn.sink.received",
                   "sn.sink.received: there is no domain 'sn'; did you mean 'sm'?");
    assert_no_path(*state, "sm.sinc.received",
                   "sm.sinc.received: there is no unit 'sinc'; did you mean 'sink'?");
    assert_no_path(*state, "sm.sink.recieved",
                   "sm.sink.recieved: there is no statistic 'recieved'; did you mean 'received'?");
    assert_no_path(*state, "sm.sink.latency_avg",
                   "sm.sink.latency_avg: there is no statistic 'latency_avg'; did you mean "
                   "'latency_max'?");
}

static void copy_that_is_not_there_is_named(void **state)
{
    assert_no_path(*state, "sm[3].sink.received",
                   "sm[3].sink.received: there is no sm[3], they are numbered 0 to 2");
    assert_no_path(*state, "sm[0].source[2].sent",
                   "sm[0].source[2].sent: there is no source[2], they are numbered 0 to 1");
}

static void malformed_path_is_refused(void **state)
{
    static const char *const paths[] = { "",
                                         "sm",
                                         "sm.sink",
                                         "sm.sink.",
                                         ".sink.received",
                                         "sm..received",
                                         "sm[.sink.received",
                                         "sm[].sink.received",
                                         "sm[-1].sink.received",
                                         "sm[ 1].sink.received",
                                         "sm[+1].sink.received",
                                         "sm[1x].sink.received",
                                         "sm[99999999999999999999].sink.received",
                                         "sm[1]sink.received",
                                         "sm[1][1].sink.received" };
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        char expected[256];
        snprintf(expected, sizeof expected,
                 "%s: a statistic is written DOMAIN.UNIT.NAME, as in sm[3].l1.hits or "
                 "sm[*].l1.hits",
                 paths[i]);
        assert_no_path(*state, paths[i], expected);
    }
}

#define chip_test(function) cmocka_unit_test_setup_teardown(function, chip_setup, chip_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        chip_test(one_unit_is_found_by_its_path),
        chip_test(group_is_summed),
        chip_test(largest_of_a_group_is_no_sum),
        chip_test(quotient_of_a_group_is_that_of_the_sums),
        cmocka_unit_test(quotient_by_zero_is_zero),
        chip_test(unknown_name_gets_the_nearest),
        chip_test(copy_that_is_not_there_is_named),
        chip_test(malformed_path_is_refused),
    };
    return cmocka_run_group_tests_name("statistics", tests, NULL, NULL);
}
