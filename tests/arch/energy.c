/* energy.c - energy and area of chips: how technology scales, what is given and what is derived,
 * sums by hand, and numbers that are missing. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arch/energy.h"
#include "support.h"
#include "unit/registry.h"

#define assert_near(a, b) assert_true(fabs((a) - (b)) <= 1e-12 * fabs(b))

/* ---- Technology ---- */

static struct technology_scale scale_of(double node_nm, double supply_v)
{
    struct technology technology = { node_nm, supply_v };
    return technology_scale(&technology);
}

static void published_node_is_not_scaled(void **state)
{
    (void)state;
    struct technology_scale scale = scale_of(65, technology_supply(65));
    assert_near(scale.energy, 1.0);
    assert_near(scale.area, 1.0);
    assert_near(scale.leakage, 1.0);
}

/* The authors' own example, as corrected by them: from 65 nm at 1.3 V to 32 nm at 0.9 V, an energy
 * becomes 0.4571 / 2.604 = 0.1755 of what it was. */
static void energy_follows_the_published_example(void **state)
{
    (void)state;
    assert_true(fabs(scale_of(32, 0.9).energy / scale_of(65, 1.3).energy - 0.1755) < 0.0001);
}

static void row_of_the_table_is_met(void **state)
{
    (void)state;
    struct technology_scale scale = scale_of(7, 0.7);
    assert_near(technology_supply(7), 0.7);
    assert_near(scale.area, 0.039);
    assert_near(scale.energy, (0.1776 * 0.49 - 0.09097 * 0.7 + 0.02447) / 1.68075);
    assert_near(scale.leakage, 0.039 * 0.7 / 1.1);
}

static void smaller_nodes_need_less(void **state)
{
    (void)state;
    struct technology_scale before = scale_of(130, technology_supply(130));
    for (double node = 129; node >= 5; node -= 1) {
        struct technology_scale now = scale_of(node, technology_supply(node));
        assert_true(now.energy > 0 && now.energy < before.energy && now.area < before.area);
        before = now;
    }
}

/* ---- Costs ---- */

static const char chip_text[] =
    "technology: { node: 65 nm }\n"
    "domains:\n"
    "  a:\n"
    "    count: 2\n"
    "    units:\n"
    "      t: { type: tester, requests: 20, span: 256 B }\n"
    "      c: { type: cache, size: 64 KiB, energy_fill: 2 pJ, leakage: 3 mW }\n"
    "      m: { type: memory, energy_read: 1 nJ, area: unknown }\n"
    "    links:\n"
    "      - t -> c\n"
    "      - c -> m\n";

struct stand {
    ogv_system *system;
    struct energy_model *model;
};

static struct stand stand_open(const char *setting, const char *value)
{
    struct ogv_error error;
    ogv_arch *arch = arch_from(chip_text);
    if (setting)
        assert_good(ogv_arch_set(arch, setting, value, &error), error);
    struct stand stand = { .system = ogv_system_create(arch, &error) };
    assert_good(stand.system, error);
    stand.model = energy_create(stand.system);
    ogv_arch_destroy(arch);
    return stand;
}

static void stand_close(struct stand *stand)
{
    energy_destroy(stand->model);
    ogv_system_destroy(stand->system);
}

enum { TESTER, CACHE, MEMORY }; /* groups of the chip above */
enum { ACCESS, FILL, WRITE_BACK };

static void given_numbers_hold_and_others_are_derived(void **state)
{
    (void)state;
    struct stand stand = stand_open(NULL, NULL);
    const struct energy_group *cache = &stand.model->groups[CACHE];
    assert_int_equal(cache->copies, 2);
    assert_near(cache->lines[ACCESS].picojoules, 251.421); /* the published point of 64 KiB */
    assert_near(cache->lines[FILL].picojoules, 2.0);
    assert_near(cache->lines[WRITE_BACK].picojoules, 251.421 / 2);
    assert_near(cache->area_mm2, 1.016872);
    assert_near(cache->leakage_mw, 3.0);
    assert_near(stand.model->groups[MEMORY].lines[0].picojoules, 1000.0);
    assert_true(isnan(stand.model->groups[MEMORY].area_mm2));
    stand_close(&stand);
}

static void only_derived_numbers_are_scaled(void **state)
{
    (void)state;
    struct stand stand = stand_open("technology.node", "7 nm");
    const struct energy_group *cache = &stand.model->groups[CACHE];
    assert_near(cache->lines[ACCESS].picojoules, 251.421 * stand.model->scale.energy);
    assert_near(cache->lines[FILL].picojoules, 2.0);
    assert_near(cache->area_mm2, 1.016872 * 0.039);
    assert_near(cache->leakage_mw, 3.0);
    stand_close(&stand);
}

static void slices_are_arrays_of_their_own(void **state)
{
    (void)state;
    struct stand stand = stand_open("a.c.slices", "2");
    const struct energy_group *cache = &stand.model->groups[CACHE];
    assert_near(cache->lines[ACCESS].picojoules, 220.453); /* of 32 KiB */
    assert_near(cache->area_mm2, 2 * 0.775049);
    stand_close(&stand);
}

static void export_keeps_what_was_given(void **state)
{
    (void)state;
    char *text = export_from(chip_text);
    assert_non_null(strstr(text, "energy_fill: 2 pJ\n"));
    assert_non_null(strstr(text, "energy_read: 1000 pJ\n"));
    assert_non_null(strstr(text, "area: unknown\n"));
    assert_null(strstr(text, "energy_access"));
    char *again = export_from(text);
    assert_string_equal(text, again);
    free(text);
    free(again);
}

static const struct energy_group *group_of(const struct energy_model *model, const char *name)
{
    for (u32 i = 0; i < model->group_count; i++)
        if (!strcmp(model->groups[i].units.unit->name, name))
            return &model->groups[i];
    fail_msg("there is no unit %s", name);
    return NULL;
}

static double line_of(const struct energy_group *group, const char *name)
{
    for (u32 i = 0; i < group->line_count; i++)
        if (!strcmp(group->lines[i].row->name, name))
            return group->lines[i].picojoules;
    fail_msg("there is no energy %s", name);
    return NAN;
}

static const char machine_text[] =
    "domains:\n"
    "  a:\n"
    "    units:\n"
    "      core: { type: core, threads: 2, execute: { load: m, fetch: m, fp_div: div,\n"
    "              fp_sqrt: div, int_div: div, custom.trace: rt } }\n"
    "      plain: { type: core, execute: { load: m } }\n"
    "      div: { type: sfu, width: 3, operation: fp_div }\n"
    "      any: { type: sfu }\n"
    "      rt: { type: rtcore, nodes: bvh4, rays: 8, stack: 8, box_width: 4 }\n"
    "      m: { type: memory }\n"
    "    links: [ core -> m, core -> div, core -> rt, rt -> m, plain -> m, plain -> any ]\n";

static void costs_of_parts_are_those_made_by_hand(void **state)
{
    (void)state;
    ogv_system *system = system_from(machine_text);
    struct energy_model *model = energy_create(system);
    const struct energy_group *core = group_of(model, "core"), *rt = group_of(model, "rt");
    assert_near(line_of(core, "registers"), 3 * 7.89613);
    assert_near(line_of(core, "fp_fma"), 14.2 + 7.4);
    assert_true(line_of(core, "fetch") == 0); /* the unit that it asks charges for it */
    assert_near(line_of(group_of(model, "plain"), "fetch"), 13.49);
    /* Adder, logic, branches; multipliers; FP adder, comparator, converter. No divider. */
    assert_near(core->area_mm2, 2 * (0.0147665 + 0.01396329) + 3 * 0.00066 + 0.0117 + 0.0165 +
                                    0.003 + 0.000722 + 0.001814);
    assert_near(group_of(model, "div")->area_mm2, 3 * 0.112);
    assert_true(isnan(group_of(model, "any")->area_mm2));
    assert_near(line_of(rt, "box"), 7 * 7.4 + 6 * 14.2 + 7 * 0.536);
    assert_near(line_of(rt, "triangle"), 22 * 7.4 + 21 * 14.2 + 156.3 + 9 * 0.536);
    double box = 7 * 0.003 + 6 * 0.0165 + 7 * 0.000722;
    double triangle = 22 * 0.003 + 21 * 0.0165 + 0.112 + 9 * 0.000722;
    assert_near(rt->area_mm2, 4 * box + triangle + 8 * (68 + 8 * 8) / 512.0 * 0.0147665);
    energy_destroy(model);
    ogv_system_destroy(system);
}

/* Of LPDDR5 no currents are published, of GDDR6 they are. */
static void dram_without_currents_is_unknown(void **state)
{
    (void)state;
    static const char *const kinds[] = {
        "standard: gddr6, preset: \"14000\", clock: 1750 MHz",
        "standard: lpddr5, preset: \"6400\", clock: 800 MHz",
    };
    for (int unknown = 0; unknown < 2; unknown++) {
        char text[400];
        snprintf(text, sizeof text,
                 "domains: { a: { units: { t: { type: tester }, d: { type: dram, size: 1 MiB, %s } "
                 "}, links: [ t -> d ] } }\n",
                 kinds[unknown]);
        ogv_system *system = system_from(text);
        struct energy_model *model = energy_create(system);
        const struct energy_group *dram = group_of(model, "d");
        assert_int_equal(isnan(line_of(dram, "activate")) != 0, unknown);
        assert_true(isnan(line_of(dram, "io_read")));
        energy_destroy(model);
        ogv_system_destroy(system);
    }
}

/* ---- Sums ---- */

static void sums_are_those_made_by_hand(void **state)
{
    (void)state;
    struct ogv_error error;
    struct stand stand = stand_open("a.t.writes", "0");
    assert_int_equal(ogv_system_run(stand.system, OGV_FOREVER, &error), OGV_END_FINISHED);
    u64 sums[64];
    const double second = 1;
    energy_sums(stand.system, &stand.model->groups[CACHE], sums);
    struct energy_use use = energy_group_use(&stand.model->groups[CACHE], sums, second);
    /* 2 testers of 20 reads; each cache fetches its 8 sectors of 32 bytes once; 2 x 3 mW. */
    double fetched = stat_of(stand.system, "a.c.bytes_fetched");
    assert_true(fetched > 0 && fetched <= 2 * 8 * 32);
    assert_near(use.events, (40 * 251.421 + fetched * 2) * 1e-12);
    assert_near(use.leakage, 2 * 3e-3);
    assert_true(use.known && !use.lacking);
    energy_sums(stand.system, &stand.model->groups[MEMORY], sums);
    use = energy_group_use(&stand.model->groups[MEMORY], sums, second);
    assert_near(use.events, fetched / 32 * 1000e-12);
    assert_true(use.known && use.lacking); /* its leakage */
    struct energy_total total =
        energy_total(stand.system, stand.model, ogv_system_cycle(stand.system));
    assert_near(total.use.events, (40 * 251.421 + fetched * 2 + fetched / 32 * 1000) * 1e-12);
    assert_near(total.use.leakage, 6e-3 * total.seconds);
    assert_near(total.area_mm2, 2 * 1.016872);
    assert_true(total.use.lacking && total.area_lacking);
    stand_close(&stand);
}

static void events_of_unknown_cost_are_missing_only_if_they_happened(void **state)
{
    (void)state;
    struct stand stand = stand_open("a.m.leakage", "0 mW");
    const struct energy_group *memory = &stand.model->groups[MEMORY];
    u64 sums[64] = { 0 };
    struct energy_use use = energy_group_use(memory, sums, 1);
    assert_true(use.known && !use.lacking);
    sums[memory->lines[1].counter] = 1; /* a write: nobody said what it costs */
    assert_true(isnan(energy_line_use(&memory->lines[1], sums)));
    use = energy_group_use(memory, sums, 1);
    assert_true(use.known && use.lacking);
    assert_true(use.events == 0);
    stand_close(&stand);
}

static void chip_without_numbers_has_none(void **state)
{
    (void)state;
    ogv_system *system = system_from("domains: { a: { units: { s: { type: source },\n"
                                     "  k: { type: sink } }, links: [ s -> k ] } }\n");
    struct energy_model *model = energy_create(system);
    struct energy_total total = energy_total(system, model, 1000);
    assert_false(total.use.known);
    assert_true(total.use.lacking && total.area_lacking);
    assert_true(isnan(total.area_mm2));
    energy_destroy(model);
    ogv_system_destroy(system);
}

static void energies_are_of_statistics_and_cite_a_source(void **state)
{
    (void)state;
    for (u32 t = 0; t < registry_count(); t++) {
        const struct unit_type *type = registry_type(t);
        assert_true(energies_count(type) <= UNIT_ENERGIES_MAX);
        for (u32 i = 0; i < energies_count(type); i++) {
            const struct energy_row *row = &type->energy[i];
            assert_string_equal(type->stats[stat_index(type, row->counter)].name, row->counter);
            assert_true(row->picojoules >= 0 || row->picojoules >= COST_COUNTED);
            assert_true(strlen(row->help) > 5);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(published_node_is_not_scaled),
        cmocka_unit_test(energy_follows_the_published_example),
        cmocka_unit_test(row_of_the_table_is_met),
        cmocka_unit_test(smaller_nodes_need_less),
        cmocka_unit_test(given_numbers_hold_and_others_are_derived),
        cmocka_unit_test(only_derived_numbers_are_scaled),
        cmocka_unit_test(slices_are_arrays_of_their_own),
        cmocka_unit_test(export_keeps_what_was_given),
        cmocka_unit_test(costs_of_parts_are_those_made_by_hand),
        cmocka_unit_test(dram_without_currents_is_unknown),
        cmocka_unit_test(sums_are_those_made_by_hand),
        cmocka_unit_test(events_of_unknown_cost_are_missing_only_if_they_happened),
        cmocka_unit_test(chip_without_numbers_has_none),
        cmocka_unit_test(energies_are_of_statistics_and_cite_a_source),
    };
    return cmocka_run_group_tests_name("energy", tests, NULL, NULL);
}
