/* export.c - a chip written out says everything and is read back as the same chip. */
#include <stdlib.h>
#include <string.h>

#include "support.h"

static void assert_fixed_point(const char *text)
{
    char *once = export_from(text), *twice = export_from(once);
    assert_string_equal(once, twice);
    free(once);
    free(twice);
}

static void export_shows_defaults(void **state)
{
    (void)state;
    char *text = export_from("domains:\n"
                             "  a:\n"
                             "    units: { s: { type: source }, k: { type: sink } }\n"
                             "    links: [ s -> k ]\n");
    assert_string_equal(text, "name: \"unnamed\"\n"
                              "about: \"\"\n"
                              "clock: 1 GHz\n"
                              "technology: { node: 65 nm, supply: 1.1 V }\n"
                              "domains:\n"
                              "  a:\n"
                              "    count: 1\n"
                              "    units:\n"
                              "      s:\n"
                              "        type: source\n"
                              "        count: 1\n"
                              "        messages: 1000\n"
                              "        gap: 1 cycles\n"
                              "        timing: random\n"
                              "        pattern: random\n"
                              "        span: 1 MiB\n"
                              "        step: 64 B\n"
                              "        seed: 1\n"
                              "      k:\n"
                              "        type: sink\n"
                              "        count: 1\n"
                              "        pause: 0 cycles\n"
                              "        seed: 1\n"
                              "    links:\n"
                              "      - s -> k: { latency: 1 cycles, capacity: 4, map: all }\n");
    free(text);
}

static void export_of_an_export_is_the_same(void **state)
{
    (void)state;
    assert_fixed_point(
        "name: mixed\n"
        "clock: 1515 MHz\n"
        "domains:\n"
        "  a:\n"
        "    count: 4\n"
        "    clock: 1750 MHz\n"
        "    units:\n"
        "      s: { type: source, count: 2, clock: 7 kHz, span: 1000 B, step: 10 B }\n"
        "      d: { type: delay, count: 2 }\n"
        "    links: [ s -> d: { map: each, name: wire } ]\n"
        "  b: { count: 3, units: { k: { type: sink }, t: { type: tester, writes: 0.1 } } }\n"
        "  c: { count: 3, units: { m: { type: memory } } }\n"
        "links:\n"
        "  - a.d -> b.k: { map: blocks, latency: 3 cycles, capacity: 100 }\n"
        "  - a[1..2].s[0] -> b[2].k[*2]: { latency: 255 cycles, name: noc }\n"
        "  - b.t -> c.m: { by: address, interleave: 96 B, latency: 40 cycles }\n");
}

static void odd_characters_in_texts_survive(void **state)
{
    (void)state;
    assert_fixed_point(
        "name: \"\\\"quoted\\\" \\\\ \\t \\n \\x01 \\x7f \\u2028 \\x85 caf\u00e9 #: {}\"\n"
        "about: |\n"
        "  several lines\n"
        "    some indented\n"
        "domains: { a: { units: { s: { type: source }, k: { type: sink } },\n"
        "  links: [ s -> k ] } }\n");
}

/* The reader of YAML hands out such a text in many pieces. */
static void text_of_many_lines_survives(void **state)
{
    (void)state;
    struct text text = { 0 };
    text_add(&text, "about: |\n");
    for (u32 i = 0; i < 500; i++)
        text_add(&text, "  line %u\n", i);
    text_add(&text, "name: '");
    for (u32 i = 0; i < 500; i++)
        text_add(&text, "''%u", i);
    text_add(&text, "'\ndomains: { a: { units: { s: { type: source }, k: { type: sink } },\n"
                    "  links: [ s -> k ] } }\n");
    char *exported = export_from(text_get(&text));
    assert_non_null(strstr(exported, "'498'499\"\n"));
    assert_non_null(strstr(exported, "line 498\\x0aline 499\\x0a\"\n"));
    free(exported);
    assert_fixed_point(text_get(&text));
    text_fini(&text);
}

static void spaces_in_a_link_do_not_matter(void **state)
{
    (void)state;
    static const char text[] =
        "domains: { a: { units: { s: { type: source }, k: { type: sink } },\n"
        "  links: [ \"  s\\t->\\nk \" ] } }\n";
    char *exported = export_from(text);
    assert_non_null(strstr(exported, "- s -> k: {"));
    free(exported);
    assert_fixed_point(text);
}

static void exported_chip_runs_to_the_same_digest(void **state)
{
    (void)state;
    struct ogv_error error;
    char digests[2][33];
    ogv_arch *arch = ogv_arch_load("exchange", &error);
    assert_good(arch, error);
    assert_good(ogv_arch_set(arch, "node.source.messages", "100", &error), error);
    assert_good(ogv_arch_set(arch, "node.tester.requests", "50", &error), error);
    char *text = ogv_arch_export(arch, &error);
    assert_good(text, error);
    ogv_system *systems[2] = { ogv_system_create(arch, &error), system_from(text) };
    assert_good(systems[0], error);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(ogv_system_run(systems[i], OGV_FOREVER, &error), OGV_END_FINISHED);
        ogv_system_digest(systems[i], digests[i]);
        ogv_system_destroy(systems[i]);
    }
    assert_string_equal(digests[0], digests[1]);
    free(text);
    ogv_arch_destroy(arch);
}

struct shipped {
    u32 count;
};

static void shipped_check(void *context, const char *name, const char *path)
{
    struct shipped *shipped = context;
    struct ogv_error error;
    ogv_arch *arch = ogv_arch_load(path, &error);
    assert_good(arch, error);
    assert_good(ogv_arch_check(arch, &error), error);
    char *text = ogv_arch_export(arch, &error);
    assert_good(text, error);
    assert_fixed_point(text);
    free(text);
    ogv_arch_destroy(arch);
    arch = ogv_arch_load(name, &error);
    assert_good(arch, error);
    ogv_arch_destroy(arch);
    shipped->count++;
}

static void every_shipped_architecture_is_good(void **state)
{
    (void)state;
    struct shipped shipped = { 0 };
    arch_list(shipped_check, &shipped);
    assert_true(shipped.count >= 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(export_shows_defaults),
        cmocka_unit_test(export_of_an_export_is_the_same),
        cmocka_unit_test(odd_characters_in_texts_survive),
        cmocka_unit_test(text_of_many_lines_survives),
        cmocka_unit_test(spaces_in_a_link_do_not_matter),
        cmocka_unit_test(exported_chip_runs_to_the_same_digest),
        cmocka_unit_test(every_shipped_architecture_is_good),
    };
    return cmocka_run_group_tests_name("export", tests, NULL, NULL);
}
