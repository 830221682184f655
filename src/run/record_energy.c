/* record_energy.c - see record_energy.h. Numbers that are not known are null; sums leave them out,
 * and `complete` says whether there are any. */
#include "run/record_energy.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

static json_t *json_known(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

static double use_joules(struct energy_use use)
{
    return use.known ? use.events + use.leakage : NAN;
}

static double quotient(double above, double below)
{
    return below > 0 ? above / below : NAN;
}

void energy_summary(const struct record *record, json_t *summary)
{
    const struct energy_total *total = &record->result->energy;
    double joules = use_joules(total->use), rays = (double)record->result->figures.rays;
    json_object_set_new(summary, "energy_j", json_known(joules));
    json_object_set_new(summary, "energy_complete", json_boolean(!total->use.lacking));
    json_object_set_new(summary, "power_w", json_known(quotient(joules, total->seconds)));
    json_object_set_new(summary, "area_mm2", json_known(total->area_mm2));
    json_object_set_new(summary, "area_complete", json_boolean(!total->area_lacking));
    if (rays > 0) {
        json_object_set_new(summary, "mrays_per_j", json_known(quotient(rays * 1e-6, joules)));
        json_object_set_new(summary, "nj_per_ray", json_known(joules * 1e9 / rays));
    }
}

/* ---- Parameters ---- */

/* Six digits: more is not known of any. */
static void cost_set(json_t *unit, const char *name, enum amount amount, double value)
{
    struct text words = { 0 };
    char digits[32];
    snprintf(digits, sizeof digits, "%.6g", value);
    amount_write(&words, amount, isnan(value) ? COST_UNKNOWN : strtod(digits, NULL));
    json_object_set_new(unit, name, json_string(text_get(&words)));
    text_fini(&words);
}

static void group_parameters(const struct energy_group *group, json_t *parameters)
{
    const struct unit_type *type = group->units.unit->type;
    char *path = text_format("%s.%s", group->units.domain->name, group->units.unit->name);
    json_t *unit = json_object_get(parameters, path);
    char name[80];
    enum amount amount;
    for (u32 i = 0; i < group->line_count; i++)
        if (cost_name(type, i, name, sizeof name, &amount))
            cost_set(unit, name, amount, group->lines[i].picojoules);
    cost_set(unit, "leakage", AMOUNT_POWER, group->leakage_mw);
    cost_set(unit, "area", AMOUNT_AREA, group->area_mm2);
    free(path);
}

void energy_parameters(const ogv_system *system, json_t *parameters)
{
    struct energy_model *model = energy_create(system);
    for (u32 i = 0; i < model->group_count; i++)
        group_parameters(&model->groups[i], parameters);
    energy_destroy(model);
}

/* ---- Groups ---- */

/* A group with its counters, while the section is made. */
struct counted {
    const struct energy_group *group;
    u64 *sums;
    struct energy_use use;
};

static json_t *line_record(const struct energy_line *line, const u64 *sums, const char *counter)
{
    json_t *object = json_object();
    json_object_set_new(object, "counter", json_string(counter));
    json_object_set_new(object, "count", json_integer((json_int_t)sums[line->counter]));
    json_object_set_new(object, "pj", json_known(line->picojoules));
    json_object_set_new(object, "energy_j", json_known(energy_line_use(line, sums)));
    json_object_set_new(object, "help", json_string(line->row->help));
    return object;
}

static json_t *group_record(const struct counted *counted)
{
    const struct energy_group *group = counted->group;
    const struct unit_type *type = group->units.unit->type;
    bool leaks = !isnan(group->leakage_mw);
    json_t *object = json_object(), *events = json_object();
    for (u32 i = 0; i < group->line_count; i++) {
        const struct energy_line *line = &group->lines[i];
        json_object_set_new(events, line->row->name,
                            line_record(line, counted->sums, type->stats[line->counter].name));
    }
    json_object_set_new(object, "type", json_string(type->name));
    json_object_set_new(object, "units", json_integer((json_int_t)group->copies));
    json_object_set_new(object, "energy_j", json_known(use_joules(counted->use)));
    json_object_set_new(object, "leakage_j", leaks ? json_real(counted->use.leakage) : json_null());
    json_object_set_new(object, "complete", json_boolean(!counted->use.lacking));
    json_object_set_new(object, "unit_leakage_mw", json_known(group->leakage_mw));
    json_object_set_new(object, "unit_area_mm2", json_known(group->area_mm2));
    json_object_set_new(object, "events", events);
    return object;
}

/* ---- What is missing ---- */

static void missing_add(json_t *list, const struct energy_group *group, const char *path,
                        const char *what, u64 events)
{
    json_t *row =
        json_pack("{s:s, s:s, s:I, s:s}", "group", path, "type", group->units.unit->type->name,
                  "units", (json_int_t)group->copies, "what", what);
    if (events)
        json_object_set_new(row, "events", json_integer((json_int_t)events));
    json_array_append_new(list, row);
}

static void missing_record(json_t *list, const struct counted *counted, const char *path)
{
    const struct energy_group *group = counted->group;
    if (group->silent)
        missing_add(list, group, path, "energy", 0);
    for (u32 i = 0; i < group->line_count; i++) {
        char *what = text_format("energy_%s", group->lines[i].row->name);
        if (isnan(energy_line_use(&group->lines[i], counted->sums)))
            missing_add(list, group, path, what, counted->sums[group->lines[i].counter]);
        free(what);
    }
    if (isnan(group->leakage_mw))
        missing_add(list, group, path, "leakage", 0);
    if (isnan(group->area_mm2))
        missing_add(list, group, path, "area", 0);
}

/* ---- Types ---- */

/* Several groups of a type are one. */
static void type_add(json_t *types, const struct counted *counted)
{
    const struct energy_group *group = counted->group;
    const char *name = group->units.unit->type->name;
    json_t *object = json_object_get(types, name);
    if (!object) {
        object = json_pack("{s:i, s:n, s:n, s:b, s:n, s:b}", "units", 0, "energy_j", "leakage_j",
                           "complete", true, "area_mm2", "area_complete", true);
        json_object_set_new(types, name, object);
    }
    const struct {
        const char *key;
        double part;
    } parts[] = {
        { "energy_j", use_joules(counted->use) },
        { "leakage_j", isnan(group->leakage_mw) ? NAN : counted->use.leakage },
        { "area_mm2", group->area_mm2 * (double)group->copies },
    };
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        double before = json_number_value(json_object_get(object, parts[i].key));
        if (!isnan(parts[i].part))
            json_object_set_new(object, parts[i].key, json_real(before + parts[i].part));
    }
    json_int_t units = json_integer_value(json_object_get(object, "units"));
    json_object_set_new(object, "units", json_integer(units + (json_int_t)group->copies));
    if (counted->use.lacking)
        json_object_set_new(object, "complete", json_false());
    if (isnan(group->area_mm2))
        json_object_set_new(object, "area_complete", json_false());
}

/* ---- The section ---- */

static json_t *technology_record(const struct energy_model *model)
{
    return json_pack("{s:f, s:f, s:f, s:f, s:f}", "node_nm", model->technology.node_nm, "supply_v",
                     model->technology.supply_v, "energy_scale", model->scale.energy, "area_scale",
                     model->scale.area, "leakage_scale", model->scale.leakage);
}

json_t *energy_record(const ogv_system *system, double seconds)
{
    struct energy_model *model = energy_create(system);
    json_t *types = json_object(), *groups = json_object(), *missing = json_array();
    char path[256];
    for (u32 i = 0; i < model->group_count; i++) {
        struct counted counted = { .group = &model->groups[i] };
        u32 stats = stats_count(counted.group->units.unit->type);
        counted.sums = heap_array((size_t)stats + 1, sizeof *counted.sums);
        energy_sums(system, counted.group, counted.sums);
        counted.use = energy_group_use(counted.group, counted.sums, seconds);
        stats_group_path(&counted.group->units, path, sizeof path);
        json_object_set_new(groups, path, group_record(&counted));
        missing_record(missing, &counted, path);
        type_add(types, &counted);
        free(counted.sums);
    }
    json_t *object = json_object();
    json_object_set_new(object, "technology", technology_record(model));
    json_object_set_new(object, "types", types);
    json_object_set_new(object, "groups", groups);
    json_object_set_new(object, "missing", missing);
    json_object_set_new(object, "left_out",
                        json_pack("[s, s]", "links between units", "clock distribution"));
    energy_destroy(model);
    return object;
}
