/* settings.c - values set by path, and chips built by calls instead of a file. */
#include <stdlib.h>
#include <string.h>

#include "support.h"

static const char chip_text[] =
    "name: pair\n"
    "domains:\n"
    "  sm:\n"
    "    count: 2\n"
    "    units:\n"
    "      source: { type: source, messages: 50, gap: 3 cycles, span: 4 KiB }\n"
    "      pipe: { type: delay }\n"
    "    links:\n"
    "      - source -> pipe: { latency: 2 cycles, name: wire }\n"
    "  bank: { units: { sink: { type: sink } } }\n"
    "links:\n"
    "  - sm.pipe -> bank.sink: { latency: 8 cycles, name: noc }\n";

static char *export_with(const char *const *settings, u32 count)
{
    struct ogv_error error;
    ogv_arch *arch = arch_from(chip_text);
    assert_good(arch_apply_settings(arch, settings, count, &error), error);
    char *text = ogv_arch_export(arch, &error);
    ogv_arch_destroy(arch);
    assert_good(text, error);
    return text;
}

static void assert_setting_writes(const char *setting, const char *expected)
{
    char *text = export_with(&setting, 1);
    if (!strstr(text, expected))
        fail_msg("after %s there is no '%s' in\n%s", setting, expected, text);
    free(text);
}

static void parameter_is_set_by_domain_and_unit(void **state)
{
    (void)state;
    assert_setting_writes("sm.source.span=128KiB", "span: 128 KiB\n");
    assert_setting_writes("sm.source.gap=9 cycles", "gap: 9 cycles\n");
    assert_setting_writes("bank.sink.pause=4 cycles", "pause: 4 cycles\n");
}

static void parameter_that_the_file_leaves_out_can_be_set(void **state)
{
    (void)state;
    assert_setting_writes("sm.pipe.depth=3", "depth: 3\n");
    assert_setting_writes("sm.source.timing=regular", "timing: regular\n");
}

static void count_and_clock_are_set_at_every_level(void **state)
{
    (void)state;
    assert_setting_writes("clock=1500 MHz", "\nclock: 1500 MHz\n");
    assert_setting_writes("sm.count=5", "  sm:\n    count: 5\n");
    assert_setting_writes("sm.clock=3 GHz", "    clock: 3 GHz\n");
    assert_setting_writes("bank.sink.clock=333 MHz", "        clock: 333 MHz\n");
    assert_setting_writes("bank.sink.count=1", "sink:\n        type: sink\n        count: 1\n");
}

static void name_of_the_chip_is_set(void **state)
{
    (void)state;
    assert_setting_writes("name=a chip = two chips", "name: \"a chip = two chips\"\n");
}

static void named_link_of_the_chip_is_set(void **state)
{
    (void)state;
    assert_setting_writes("noc.latency=20 cycles", "sm.pipe -> bank.sink: { latency: 20 cycles, ");
    assert_setting_writes("noc.capacity=4", "{ latency: 8 cycles, capacity: 4, ");
}

static void named_link_of_a_domain_is_set(void **state)
{
    (void)state;
    assert_setting_writes("sm.wire.latency=7 cycles", "source -> pipe: { latency: 7 cycles, ");
}

static void later_setting_wins(void **state)
{
    (void)state;
    const char *settings[] = { "sm.source.gap=4 cycles", "sm.source.gap=5 cycles" };
    char *text = export_with(settings, 2);
    assert_non_null(strstr(text, "gap: 5 cycles\n"));
    assert_null(strstr(text, "gap: 4 cycles\n"));
    free(text);
}

static void type_of_a_unit_is_set_like_a_parameter(void **state)
{
    (void)state;
    struct ogv_error error;
    ogv_arch *arch = arch_from(chip_text);
    assert_good(ogv_arch_set(arch, "sm.pipe.type", "crossbar", &error), error);
    assert_good(ogv_arch_check(arch, &error), error);
    ogv_arch_destroy(arch);
}

static void setting_stands_over_what_a_file_inherits(void **state)
{
    (void)state;
    struct ogv_error error;
    folder_file("base.yaml", chip_text);
    ogv_arch *arch = ogv_arch_load(
        folder_file("over.yaml", "extends: base\ndomains: { sm: { count: 3 } }\n"), &error);
    assert_good(arch, error);
    assert_good(ogv_arch_set(arch, "sm.count", "4", &error), error);
    char *text = ogv_arch_export(arch, &error);
    assert_non_null(strstr(text, "count: 4\n"));
    free(text);
    ogv_arch_destroy(arch);
}

/* ---- By calls ---- */

static ogv_arch *arch_by_calls(void)
{
    struct ogv_error error;
    ogv_arch *arch = ogv_arch_create("pair", &error);
    bool good = ogv_arch_add_domain(arch, "sm", 2, &error) &&
                ogv_arch_add_unit(arch, "sm", "source", "source", 1, &error) &&
                ogv_arch_add_unit(arch, "sm", "pipe", "delay", 1, &error) &&
                ogv_arch_add_domain(arch, "bank", 1, &error) &&
                ogv_arch_add_unit(arch, "bank", "sink", "sink", 1, &error) &&
                ogv_arch_set(arch, "sm.source.messages", "50", &error) &&
                ogv_arch_set(arch, "sm.source.gap", "3 cycles", &error) &&
                ogv_arch_set(arch, "sm.source.span", "4 KiB", &error) &&
                ogv_arch_add_link(arch, "sm.source", "sm.pipe", "{ latency: 2 cycles, map: each }",
                                  &error) &&
                ogv_arch_add_link(arch, "sm.pipe", "bank.sink", "{ latency: 8 cycles }", &error);
    assert_good(good, error);
    return arch;
}

static const char calls_text[] =
    "name: pair\n"
    "domains:\n"
    "  sm:\n"
    "    count: 2\n"
    "    units:\n"
    "      source: { type: source, messages: 50, gap: 3 cycles, span: 4 KiB }\n"
    "      pipe: { type: delay }\n"
    "  bank: { units: { sink: { type: sink } } }\n"
    "links:\n"
    "  - sm.source -> sm.pipe: { latency: 2 cycles, map: each }\n"
    "  - sm.pipe -> bank.sink: { latency: 8 cycles }\n";

static void calls_describe_the_same_chip_as_a_file(void **state)
{
    (void)state;
    struct ogv_error error;
    ogv_arch *arch = arch_by_calls();
    char *called = ogv_arch_export(arch, &error), *written = export_from(calls_text);
    ogv_arch_destroy(arch);
    assert_good(called, error);
    assert_string_equal(called, written);
    free(called);
    free(written);
}

static void calls_and_file_run_to_the_same_digest(void **state)
{
    (void)state;
    struct ogv_error error;
    char digests[2][33];
    ogv_arch *arch = arch_by_calls();
    ogv_system *systems[2] = { ogv_system_create(arch, &error), system_from(calls_text) };
    ogv_arch_destroy(arch);
    assert_good(systems[0], error);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(ogv_system_run(systems[i], OGV_FOREVER, &error), OGV_END_FINISHED);
        ogv_system_digest(systems[i], digests[i]);
        ogv_system_destroy(systems[i]);
    }
    assert_string_equal(digests[0], digests[1]);
}

static void calls_can_go_on_where_a_file_ends(void **state)
{
    (void)state;
    struct ogv_error error;
    ogv_arch *arch = arch_from(chip_text);
    bool good =
        ogv_arch_add_unit(arch, "bank", "extra", "source", 1, &error) &&
        ogv_arch_add_link(arch, "bank.extra", "bank.sink", "{ latency: 1 cycles }", &error) &&
        ogv_arch_check(arch, &error);
    ogv_arch_destroy(arch);
    assert_good(good, error);
}

static void call_that_does_not_fit_says_why(void **state)
{
    (void)state;
    struct ogv_error error;
    ogv_arch *arch = arch_by_calls();
    assert_false(ogv_arch_add_domain(arch, "sm", 1, &error));
    assert_string_equal(error.message, "there is a domain 'sm' already");
    assert_false(ogv_arch_add_unit(arch, "sm", "pipe", "delay", 1, &error));
    assert_string_equal(error.message, "there is a unit 'sm.pipe' already");
    assert_false(ogv_arch_add_unit(arch, "gpc", "pipe", "delay", 1, &error));
    assert_string_equal(error.message, "there is no domain 'gpc'");
    assert_false(ogv_arch_add_link(arch, "sm.pipe", "bank.sink", "{ latency: ", &error));
    assert_string_equal(error.message, "sm.pipe -> bank.sink:2:1: not valid YAML: did not find "
                                       "expected node content");
    ogv_arch_destroy(arch);
}

static void call_on_a_file_of_the_wrong_shape_says_so(void **state)
{
    (void)state;
    struct ogv_error error;
    ogv_arch *arch = arch_from("domains: 3\nlinks: none\n");
    assert_false(ogv_arch_add_domain(arch, "sm", 1, &error));
    assert_string_equal(error.message, "`domains` is not a map, so 'sm' cannot be added");
    assert_false(ogv_arch_add_link(arch, "a.b", "c.d", NULL, &error));
    assert_string_equal(error.message, "a.b -> c.d: cannot be added: `links` is not a list");
    ogv_arch_destroy(arch);
}

/* What calls get wrong is found when the chip is built, and named by its path. */
static void mistake_in_a_call_is_reported_by_path(void **state)
{
    (void)state;
    struct ogv_error error;
    ogv_arch *arch = ogv_arch_create("wrong", &error);
    assert_good(ogv_arch_add_domain(arch, "sm", 1, &error), error);
    assert_good(ogv_arch_add_unit(arch, "sm", "l1", "cash", 1, &error), error);
    assert_false(ogv_arch_check(arch, &error));
    assert_string_equal(error.message,
                        "sm.l1: there is no unit type 'cash'; did you mean 'cache'?");
    ogv_arch_destroy(arch);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parameter_is_set_by_domain_and_unit),
        cmocka_unit_test(parameter_that_the_file_leaves_out_can_be_set),
        cmocka_unit_test(count_and_clock_are_set_at_every_level),
        cmocka_unit_test(name_of_the_chip_is_set),
        cmocka_unit_test(named_link_of_the_chip_is_set),
        cmocka_unit_test(named_link_of_a_domain_is_set),
        cmocka_unit_test(later_setting_wins),
        cmocka_unit_test(type_of_a_unit_is_set_like_a_parameter),
        folder_test(setting_stands_over_what_a_file_inherits),
        cmocka_unit_test(calls_describe_the_same_chip_as_a_file),
        cmocka_unit_test(calls_and_file_run_to_the_same_digest),
        cmocka_unit_test(calls_can_go_on_where_a_file_ends),
        cmocka_unit_test(call_that_does_not_fit_says_why),
        cmocka_unit_test(call_on_a_file_of_the_wrong_shape_says_so),
        cmocka_unit_test(mistake_in_a_call_is_reported_by_path),
    };
    return cmocka_run_group_tests_name("settings", tests, NULL, NULL);
}
