/* traffic.c - messages on links: what units count as sent and answered, line by line and copy by
 * copy. */
#include "arch/traffic.h"

#include <stdio.h>

#include "support.h"

static const char chip_text[] =
    "domains:\n"
    "  node:\n"
    "    count: 3\n"
    "    units:\n"
    "      source: { type: source, count: 2, messages: 10, timing: regular, gap: 2 cycles }\n"
    "      sink: { type: sink }\n"
    "      tester: { type: tester, requests: 50, span: 512 B }\n"
    "    links:\n"
    "      - source -> sink: { latency: 5 cycles }\n"
    "  bank:\n"
    "    count: 2\n"
    "    units:\n"
    "      memory: { type: memory, size: 64 KiB }\n"
    "links:\n"
    "  - node.tester -> bank.memory: { by: address, interleave: 64 B, latency: 7 cycles }\n";

static double stat_at(ogv_system *system, const char *format, u32 copy)
{
    char path[64];
    snprintf(path, sizeof path, format, copy);
    return stat_of(system, path);
}

static void one_way_lines_have_no_answers(void **state)
{
    const struct traffic_line *line = &((struct traffic *)*state)->lines[0];
    assert_false(line->asks);
    assert_int_equal(line->all.joints, 6);
    assert_int_equal(line->all.sent, 60);
    assert_int_equal(line->all.answered, 0);
    for (u32 i = 0; i < 3; i++) {
        assert_int_equal(line->from[i].sent, 20);
        assert_int_equal(line->to[i].sent, 20);
    }
}

static ogv_system *chip;

static void requests_and_answers_are_those_of_the_units(void **state)
{
    const struct traffic_line *line = &((struct traffic *)*state)->lines[1];
    assert_true(line->asks);
    assert_int_equal(line->all.joints, 6);
    assert_int_equal(line->all.sent, (u64)stat_of(chip, "node.tester.asked"));
    assert_int_equal(line->all.answered, (u64)stat_of(chip, "node.tester.answered"));
    assert_int_equal(line->all.sent, 150);
    for (u32 i = 0; i < 3; i++) {
        assert_int_equal(line->from[i].sent, (u64)stat_at(chip, "node[%u].tester.asked", i));
        assert_int_equal(line->from[i].joints, 2);
    }
    for (u32 i = 0; i < 2; i++) {
        double taken = stat_at(chip, "bank[%u].memory.reads", i) +
                       stat_at(chip, "bank[%u].memory.writes", i) +
                       stat_at(chip, "bank[%u].memory.atomics", i);
        assert_int_equal(line->to[i].sent, (u64)taken);
        assert_int_equal(line->to[i].answered, (u64)taken);
        assert_int_equal(line->to[i].joints, 3);
    }
}

static void counting_again_changes_nothing(void **state)
{
    struct traffic *traffic = *state;
    struct traffic_sum before = traffic->lines[1].from[2];
    traffic_count_copies(traffic);
    assert_memory_equal(&before, &traffic->lines[1].from[2], sizeof before);
    assert_int_equal(traffic->line_count, 2);
}

static int chip_setup(void **state)
{
    struct ogv_error error;
    chip = system_from(chip_text);
    if (ogv_system_run(chip, OGV_FOREVER, &error) != OGV_END_FINISHED)
        return -1;
    struct traffic *traffic = traffic_create(chip);
    traffic_count_copies(traffic);
    *state = traffic;
    return 0;
}

static int chip_teardown(void **state)
{
    traffic_destroy(*state);
    ogv_system_destroy(chip);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_way_lines_have_no_answers),
        cmocka_unit_test(requests_and_answers_are_those_of_the_units),
        cmocka_unit_test(counting_again_changes_nothing),
    };
    return cmocka_run_group_tests_name("traffic", tests, chip_setup, chip_teardown);
}
