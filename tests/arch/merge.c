/* merge.c - one file extends another: values replace, maps merge, links are added, null takes away.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support.h"

static const char base_text[] = "name: base\n"
                                "about: what others build on\n"
                                "clock: 2 GHz\n"
                                "domains:\n"
                                "  a:\n"
                                "    count: 2\n"
                                "    units:\n"
                                "      source: { type: source, messages: 5, gap: 3 cycles }\n"
                                "      sink: { type: sink }\n"
                                "    links:\n"
                                "      - source -> sink: { latency: 2 cycles, capacity: 16 }\n";

/* The chip that `over`, which extends base.yaml, describes. */
static char *export_over(const char *over)
{
    struct ogv_error error;
    folder_file("base.yaml", base_text);
    ogv_arch *arch = ogv_arch_load(folder_file("over.yaml", over), &error);
    assert_good(arch, error);
    char *text = ogv_arch_export(arch, &error);
    ogv_arch_destroy(arch);
    assert_good(text, error);
    return text;
}

static void assert_same_chip(const char *over, const char *expected)
{
    char *merged = export_over(over);
    char *other = export_from(expected);
    assert_string_equal(merged, other);
    free(merged);
    free(other);
}

static void file_that_only_extends_is_the_other(void **state)
{
    (void)state;
    assert_same_chip("extends: base\n", base_text);
    assert_same_chip("extends: base.yaml\n", base_text);
    assert_same_chip("extends: [ ./base.yaml ]\n", base_text);
}

static void value_replaces_value(void **state)
{
    (void)state;
    assert_same_chip("extends: base\n"
                     "name: over\n"
                     "domains: { a: { count: 3, units: { source: { gap: 7 cycles } } } }\n",
                     "name: over\n"
                     "about: what others build on\n"
                     "clock: 2 GHz\n"
                     "domains:\n"
                     "  a:\n"
                     "    count: 3\n"
                     "    units:\n"
                     "      source: { type: source, messages: 5, gap: 7 cycles }\n"
                     "      sink: { type: sink }\n"
                     "    links:\n"
                     "      - source -> sink: { latency: 2 cycles, capacity: 16 }\n");
}

static void unit_and_domain_are_added(void **state)
{
    (void)state;
    assert_same_chip(
        "extends: base\n"
        "domains:\n"
        "  a: { units: { more: { type: source } }, links: [ more -> sink ] }\n"
        "  b: { units: { s: { type: source }, k: { type: sink } }, links: [ s -> k ] }\n",
        "name: base\n"
        "about: what others build on\n"
        "clock: 2 GHz\n"
        "domains:\n"
        "  a:\n"
        "    count: 2\n"
        "    units:\n"
        "      source: { type: source, messages: 5, gap: 3 cycles }\n"
        "      sink: { type: sink }\n"
        "      more: { type: source }\n"
        "    links:\n"
        "      - source -> sink: { latency: 2 cycles, capacity: 16 }\n"
        "      - more -> sink\n"
        "  b: { units: { s: { type: source }, k: { type: sink } }, links: [ s -> k ] }\n");
}

static void null_takes_a_parameter_back_to_its_default(void **state)
{
    (void)state;
    char *text = export_over("extends: base\n"
                             "about: null\n"
                             "domains: { a: { count: ~, units: { source: { gap: null } } } }\n");
    assert_non_null(strstr(text, "about: \"\"\n"));
    assert_non_null(strstr(text, "  a:\n    count: 1\n"));
    assert_non_null(strstr(text, "        gap: 1 cycles\n"));
    free(text);
}

static void null_takes_a_unit_and_its_link_away(void **state)
{
    (void)state;
    char *text = export_over("extends: base\n"
                             "domains:\n"
                             "  a:\n"
                             "    units:\n"
                             "      sink: null\n"
                             "      pit: { type: sink }\n"
                             "    links:\n"
                             "      - source -> sink: null\n"
                             "      - source -> pit\n");
    assert_null(strstr(text, "sink:"));
    assert_null(strstr(text, "-> sink"));
    assert_non_null(strstr(text, "- source -> pit: { latency: 1 cycles, capacity: 4"));
    free(text);
}

static void null_takes_a_domain_away(void **state)
{
    (void)state;
    char *text = export_over("extends: base\n"
                             "domains:\n"
                             "  a: null\n"
                             "  b: { units: { s: { type: source }, k: { type: sink } },\n"
                             "       links: [ s -> k ] }\n");
    assert_null(strstr(text, "  a:"));
    assert_non_null(strstr(text, "  b:\n"));
    free(text);
}

static void null_in_quotes_is_a_word(void **state)
{
    (void)state;
    char *text = export_over("extends: base\nname: \"null\"\n");
    assert_ptr_equal(strstr(text, "name: \"null\"\n"), text);
    free(text);
}

static void link_written_alike_is_replaced_whole(void **state)
{
    (void)state;
    char *text =
        export_over("extends: base\n"
                    "domains: { a: { links: [ source -> sink: { latency: 9 cycles } ] } }\n");
    assert_non_null(strstr(text, "- source -> sink: { latency: 9 cycles, capacity: 4, map"));
    assert_null(strstr(text, "latency: 2 cycles"));
    free(text);
}

static void link_written_differently_is_added(void **state)
{
    (void)state;
    char *text =
        export_over("extends: base\n"
                    "domains: { a: { links: [ source.out -> sink: { latency: 9 cycles } ] } }\n");
    assert_non_null(strstr(text, "- source -> sink: { latency: 2 cycles"));
    assert_non_null(strstr(text, "- source.out -> sink: { latency: 9 cycles"));
    free(text);
}

static void same_link_twice_in_one_file_is_two_links(void **state)
{
    (void)state;
    struct plan *plan = plan_from("domains:\n"
                                  "  a:\n"
                                  "    units: { s: { type: source }, k: { type: sink } }\n"
                                  "    links: [ s -> k, s -> k ]\n");
    assert_int_equal(plan->link_count, 2);
    assert_int_equal(plan->edge_count, 2);
    plan_destroy(plan);
}

static void second_of_two_like_links_replaces_the_second(void **state)
{
    (void)state;
    folder_file("two.yaml", "domains:\n"
                            "  a:\n"
                            "    units: { s: { type: source }, k: { type: sink } }\n"
                            "    links:\n"
                            "      - s -> k: { latency: 2 cycles }\n"
                            "      - s -> k: { latency: 3 cycles }\n");
    char *text = export_over("extends: two\n"
                             "domains:\n"
                             "  a:\n"
                             "    links:\n"
                             "      - s -> k: { latency: 4 cycles }\n"
                             "      - s -> k: { latency: 5 cycles }\n");
    assert_null(strstr(text, "latency: 2 cycles"));
    assert_null(strstr(text, "latency: 3 cycles"));
    assert_non_null(strstr(text, "latency: 4 cycles"));
    assert_non_null(strstr(text, "latency: 5 cycles"));
    free(text);
}

static void later_of_several_files_wins(void **state)
{
    (void)state;
    folder_file("fast.yaml", "clock: 3 GHz\nname: fast\n");
    folder_file("slow.yaml", "clock: 1 GHz\n");
    char *text = export_over("extends: [ base, fast, slow ]\n");
    assert_non_null(strstr(text, "name: \"fast\"\n"));
    assert_non_null(strstr(text, "clock: 1 GHz\n"));
    free(text);
}

static void files_may_extend_in_a_chain_and_meet_again(void **state)
{
    (void)state;
    folder_file("left.yaml", "extends: base\nname: left\n");
    folder_file("right.yaml", "extends: base\nclock: 5 GHz\n");
    char *text = export_over("extends: [ left, right ]\n");
    assert_non_null(strstr(text, "clock: 5 GHz\n"));
    assert_non_null(strstr(text, "name: \"base\"\n"));
    free(text);
}

static void file_is_found_next_to_the_one_that_names_it(void **state)
{
    (void)state;
    struct ogv_error error;
    char inner[512];
    folder_file("base.yaml", base_text);
    snprintf(inner, sizeof inner, "extends: %s\n", folder_path("base.yaml"));
    ogv_arch *arch = ogv_arch_load(folder_file("absolute.yaml", inner), &error);
    assert_good(arch, error);
    ogv_arch_destroy(arch);
}

static void shipped_file_can_be_extended_by_name(void **state)
{
    (void)state;
    struct ogv_error error;
    ogv_arch *arch =
        ogv_arch_load(folder_file("mine.yaml", "extends: exchange\nname: mine\n"), &error);
    assert_good(arch, error);
    assert_good(ogv_arch_check(arch, &error), error);
    ogv_arch_destroy(arch);
}

static void chain_beyond_the_limit_is_refused(void **state)
{
    (void)state;
    struct ogv_error error;
    for (int i = 0; i < 20; i++) {
        char name[32], text[64];
        snprintf(name, sizeof name, "chain%d.yaml", i);
        snprintf(text, sizeof text, "extends: chain%d\n", i + 1);
        folder_file(name, text);
    }
    folder_file("chain20.yaml", base_text);
    assert_null(ogv_arch_load(folder_path("chain0.yaml"), &error));
    assert_non_null(
        strstr(error.message, "chain16.yaml:1:10: more than 16 files extend one another"));
    ogv_arch *arch = ogv_arch_load(folder_path("chain4.yaml"), &error);
    assert_good(arch, error);
    ogv_arch_destroy(arch);
}

/* Nothing in a copy may point into the original. */
static void copy_outlives_the_original(void **state)
{
    (void)state;
    struct ogv_error error;
    ogv_arch *arch = arch_from(base_text);
    ogv_arch *copy = ogv_arch_copy(arch);
    ogv_arch_destroy(arch);
    char *text = ogv_arch_export(copy, &error), *other = export_from(base_text);
    assert_good(text, error);
    assert_string_equal(text, other);
    assert_good(ogv_arch_set(copy, "a.source.gap", "0 cycles", &error), error);
    assert_false(ogv_arch_check(copy, &error));
    ogv_arch_destroy(copy);
    free(text);
    free(other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        folder_test(file_that_only_extends_is_the_other),
        folder_test(value_replaces_value),
        folder_test(unit_and_domain_are_added),
        folder_test(null_takes_a_parameter_back_to_its_default),
        folder_test(null_takes_a_unit_and_its_link_away),
        folder_test(null_takes_a_domain_away),
        folder_test(null_in_quotes_is_a_word),
        folder_test(link_written_alike_is_replaced_whole),
        folder_test(link_written_differently_is_added),
        cmocka_unit_test(same_link_twice_in_one_file_is_two_links),
        folder_test(second_of_two_like_links_replaces_the_second),
        folder_test(later_of_several_files_wins),
        folder_test(files_may_extend_in_a_chain_and_meet_again),
        folder_test(file_is_found_next_to_the_one_that_names_it),
        folder_test(shipped_file_can_be_extended_by_name),
        folder_test(chain_beyond_the_limit_is_refused),
        cmocka_unit_test(copy_outlives_the_original),
    };
    return cmocka_run_group_tests_name("merge", tests, NULL, NULL);
}
