/* patterns.c - one line of a `links:` list joins exactly these units, in this order. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arch/system.h"
#include "base/text.h"
#include "support.h"

/* All joints of a plan as text: "a[0].s-b[1].k ...". */
static char *pairs_of(const struct plan *plan)
{
    struct text out = { 0 };
    for (u32 i = 0; i < plan->edge_count; i++) {
        char from[256], to[256];
        plan_path(plan, plan->edges[i].from, from, sizeof from);
        plan_path(plan, plan->edges[i].to, to, sizeof to);
        text_add(&out, "%s%s-%s", i ? " " : "", from, to);
    }
    return out.chars ? out.chars : heap_copy("");
}

static void assert_pairs(const char *text, const char *expected)
{
    struct plan *plan = plan_from(text);
    char *pairs = pairs_of(plan);
    plan_destroy(plan);
    assert_string_equal(pairs, expected);
    free(pairs);
}

/* Sources in `a`, sinks in `b`, and what the pattern makes of them. Memories and testers would do
 * as well; sinks take any number of links. */
static void assert_pattern(const char *a, const char *b, const char *pattern, const char *expected)
{
    char *text = text_format("domains:\n"
                             "  a: { count: %s, units: { s: { type: source } } }\n"
                             "  b: { count: %s, units: { k: { type: sink } } }\n"
                             "links:\n"
                             "  - %s\n",
                             a, b, pattern);
    assert_pairs(text, expected);
    free(text);
}

static void one_joins_all(void **state)
{
    (void)state;
    assert_pattern("1", "3", "a.s -> b.k: { latency: 2 cycles }",
                   "a.s-b[0].k a.s-b[1].k a.s-b[2].k");
    assert_pattern("3", "1", "a.s -> b.k: { latency: 2 cycles }",
                   "a[0].s-b.k a[1].s-b.k a[2].s-b.k");
}

static void each_joins_first_to_first(void **state)
{
    (void)state;
    assert_pattern("3", "3", "a.s -> b.k: { latency: 2 cycles, map: each }",
                   "a[0].s-b[0].k a[1].s-b[1].k a[2].s-b[2].k");
}

static void all_joins_everybody(void **state)
{
    (void)state;
    assert_pattern("2", "3", "a.s -> b.k: { latency: 2 cycles, map: all }",
                   "a[0].s-b[0].k a[0].s-b[1].k a[0].s-b[2].k "
                   "a[1].s-b[0].k a[1].s-b[1].k a[1].s-b[2].k");
}

static void by_address_joins_everybody(void **state)
{
    (void)state;
    assert_pattern("2", "2", "a.s -> b.k: { latency: 2 cycles, by: address, interleave: 64 B }",
                   "a[0].s-b[0].k a[0].s-b[1].k a[1].s-b[0].k a[1].s-b[1].k");
}

static void blocks_share_evenly(void **state)
{
    (void)state;
    assert_pattern("6", "2", "a.s -> b.k: { latency: 2 cycles, map: blocks }",
                   "a[0].s-b[0].k a[1].s-b[0].k a[2].s-b[0].k "
                   "a[3].s-b[1].k a[4].s-b[1].k a[5].s-b[1].k");
    assert_pattern("5", "2", "a.s -> b.k: { latency: 2 cycles, map: blocks }",
                   "a[0].s-b[0].k a[1].s-b[0].k a[2].s-b[0].k a[3].s-b[1].k a[4].s-b[1].k");
}

static void ring_joins_each_to_the_next(void **state)
{
    (void)state;
    assert_pattern("3", "3", "a.s -> b.k: { latency: 2 cycles, map: ring }",
                   "a[0].s-b[1].k a[1].s-b[2].k a[2].s-b[0].k");
    assert_pattern("1", "1", "a.s -> b.k: { latency: 2 cycles, map: ring }", "a.s-b.k");
}

static void ranges_choose_copies(void **state)
{
    (void)state;
    assert_pairs("domains:\n"
                 "  a: { count: 4, units: { s: { type: source } } }\n"
                 "  b: { count: 4, units: { k: { type: sink } } }\n"
                 "links:\n"
                 "  - a[0..1].s -> b[2..3].k: { latency: 2 cycles, map: each }\n"
                 "  - a[3].s -> b[0..1].k: { latency: 2 cycles }\n"
                 "  - a[2].s -> b[1].k: { latency: 2 cycles }\n",
                 "a[0].s-b[2].k a[1].s-b[3].k a[3].s-b[0].k a[3].s-b[1].k a[2].s-b[1].k");
}

static void star_chooses_all_copies(void **state)
{
    (void)state;
    assert_pattern("2", "2", "a[*].s[*] -> b[*].k: { latency: 2 cycles, map: each }",
                   "a[0].s-b[0].k a[1].s-b[1].k");
}

static void number_of_links_multiplies(void **state)
{
    (void)state;
    assert_pattern("2", "2", "a.s[*2] -> b.k: { latency: 2 cycles, map: each }",
                   "a[0].s-b[0].k a[0].s-b[0].k a[1].s-b[1].k a[1].s-b[1].k");
    assert_pattern("1", "1", "a.s[*2] -> b.k[*2]: { latency: 2 cycles }",
                   "a.s-b.k a.s-b.k a.s-b.k a.s-b.k");
}

static void range_and_number_go_together(void **state)
{
    (void)state;
    assert_pairs("domains:\n"
                 "  a:\n"
                 "    units: { s: { type: source, count: 3 }, k: { type: sink } }\n"
                 "    links: [ \"s[0..1][*2] -> k\", \"s[*1][2] -> k\" ]\n",
                 "a.s[0]-a.k a.s[0]-a.k a.s[1]-a.k a.s[1]-a.k a.s[2]-a.k");
}

static void copies_of_units_count_within_those_of_domains(void **state)
{
    (void)state;
    assert_pairs("domains:\n"
                 "  a: { count: 2, units: { s: { type: source, count: 2 } } }\n"
                 "  b: { count: 4, units: { k: { type: sink } } }\n"
                 "links:\n"
                 "  - a.s -> b.k: { latency: 2 cycles, map: each }\n",
                 "a[0].s[0]-b[0].k a[0].s[1]-b[1].k a[1].s[0]-b[2].k a[1].s[1]-b[3].k");
}

static void link_in_a_domain_stays_in_its_copy(void **state)
{
    (void)state;
    assert_pairs("domains:\n"
                 "  a:\n"
                 "    count: 2\n"
                 "    units: { s: { type: source, count: 2 }, k: { type: sink, count: 2 } }\n"
                 "    links:\n"
                 "      - s -> k: { map: ring }\n",
                 "a[0].s[0]-a[0].k[1] a[0].s[1]-a[0].k[0] a[1].s[0]-a[1].k[1] a[1].s[1]-a[1].k[0]");
}

static void link_may_lead_back_into_its_own_domain(void **state)
{
    (void)state;
    assert_pairs("domains:\n"
                 "  a: { count: 3, units: { s: { type: source }, k: { type: sink } } }\n"
                 "links:\n"
                 "  - a.s -> a.k: { latency: 4 cycles, map: ring }\n",
                 "a[0].s-a[1].k a[1].s-a[2].k a[2].s-a[0].k");
}

/* ---- Numbers and paths ---- */

static void number_and_path_follow_from_each_other(void **state)
{
    (void)state;
    struct plan *plan =
        plan_from("domains:\n"
                  "  a:\n"
                  "    count: 3\n"
                  "    units: { s: { type: source, count: 2 }, k: { type: sink } }\n"
                  "    links: [ s -> k ]\n"
                  "  b:\n"
                  "    units: { t: { type: source }, z: { type: sink, count: 2 } }\n"
                  "    links: [ t -> z ]\n");
    static const char *const paths[] = { "a[0].s[0]", "a[0].s[1]", "a[0].k",    "a[1].s[0]",
                                         "a[1].s[1]", "a[1].k",    "a[2].s[0]", "a[2].s[1]",
                                         "a[2].k",    "b.t",       "b.z[0]",    "b.z[1]" };
    assert_int_equal(plan->unit_count, 12);
    for (u32 n = 0; n < plan->unit_count; n++) {
        char path[256];
        plan_path(plan, n, path, sizeof path);
        assert_string_equal(path, paths[n]);
        struct plan_spot spot = plan_locate(plan, n);
        assert_int_equal(plan_number(spot.domain, spot.domain_copy, spot.unit, spot.unit_copy), n);
    }
    plan_destroy(plan);
}

/* A unit sees its links in the order of the file, whichever end they are written from. */
static void ports_stand_in_the_order_of_the_file(void **state)
{
    (void)state;
    ogv_system *system = system_from("domains:\n"
                                     "  a: { count: 2, units: { s: { type: source, count: 2 } } }\n"
                                     "  b: { units: { k: { type: sink } } }\n"
                                     "links:\n"
                                     "  - a[1].s[1] -> b.k: { latency: 2 cycles }\n"
                                     "  - a.s[0] -> b.k: { latency: 2 cycles }\n"
                                     "  - a[0].s[1] -> b.k: { latency: 2 cycles }\n");
    static const u32 writers[] = { 3, 0, 2, 1 };
    const struct unit *sink = system->chip->units[4];
    const struct unit_type *type = plan_locate(system->plan, 4).unit->type;
    const struct ports *in = (const void *)((const char *)sink + type->ports_offset);
    assert_int_equal(in->count, 4);
    for (u32 i = 0; i < 4; i++) {
        assert_ptr_equal(in->at[i].in->reader, sink);
        assert_int_equal(in->at[i].in->writer->number, writers[i]);
        assert_null(in->at[i].out);
    }
    ogv_system_destroy(system);
}

static void asking_port_has_a_way_back(void **state)
{
    (void)state;
    ogv_system *system = system_from("domains:\n"
                                     "  a: { units: { t: { type: tester } } }\n"
                                     "  b: { units: { m: { type: memory } } }\n"
                                     "links: [ a.t -> b.m: { latency: 7 cycles, capacity: 2 } ]\n");
    const struct unit *tester = system->chip->units[0], *memory = system->chip->units[1];
    const struct unit_type *type = plan_locate(system->plan, 0).unit->type;
    const struct ports *ports = (const void *)((const char *)tester + type->ports_offset);
    assert_int_equal(system->chip->link_count, 2);
    assert_ptr_equal(ports->at[0].out->reader, memory);
    assert_ptr_equal(ports->at[0].in->writer, memory);
    assert_int_equal(ports->at[0].in->latency, 7);
    assert_int_equal(system->chip->window, 7);
    ogv_system_destroy(system);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_joins_all),
        cmocka_unit_test(each_joins_first_to_first),
        cmocka_unit_test(all_joins_everybody),
        cmocka_unit_test(by_address_joins_everybody),
        cmocka_unit_test(blocks_share_evenly),
        cmocka_unit_test(ring_joins_each_to_the_next),
        cmocka_unit_test(ranges_choose_copies),
        cmocka_unit_test(star_chooses_all_copies),
        cmocka_unit_test(number_of_links_multiplies),
        cmocka_unit_test(range_and_number_go_together),
        cmocka_unit_test(copies_of_units_count_within_those_of_domains),
        cmocka_unit_test(link_in_a_domain_stays_in_its_copy),
        cmocka_unit_test(link_may_lead_back_into_its_own_domain),
        cmocka_unit_test(number_and_path_follow_from_each_other),
        cmocka_unit_test(ports_stand_in_the_order_of_the_file),
        cmocka_unit_test(asking_port_has_a_way_back),
    };
    return cmocka_run_group_tests_name("patterns", tests, NULL, NULL);
}
