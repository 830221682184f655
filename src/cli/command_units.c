/* command_units.c - `ogive units`: the manual of unit types, printed from their descriptors. */
#include <stdio.h>
#include <stdlib.h>

#include "arch/plan.h"
#include "base/error.h"
#include "base/text.h"
#include "cli/cli.h"
#include "cli/machine_options.h"
#include "unit/explain.h"
#include "unit/quantity.h"
#include "unit/registry.h"

static const char *const port_roles[] = { "sends", "receives", "asks", "serves" };
static const char *const port_many[] = { "one", "at most one", "one or more", "any number" };
static const char *const combines[] = { "sum", "mean", "largest" };

/* A table for the terminal, or one for a page. */
struct manual {
    bool markdown;
};

static void manual_title(const struct manual *manual, const struct unit_type *type)
{
    if (manual->markdown)
        printf("## %s\n\n%s.\n", type->name, type->help);
    else
        printf("%s - %s\n", type->name, type->help);
}

static void manual_head(const struct manual *manual, const char *what, const char *second,
                        const char *third)
{
    if (manual->markdown)
        printf("\n| %s | %s | %s | meaning |\n|---|---|---|---|\n", what, second, third);
    else
        printf("\n%-22s %-14s %-26s meaning\n", what, second, third);
}

static void manual_row(const struct manual *manual, const char *name, const char *second,
                       const char *third, const char *help)
{
    if (manual->markdown)
        printf("| `%s` | %s | %s | %s |\n", name, second, third, help);
    else
        printf("  %-20s %-14s %-26s %s\n", name, second, third, help);
}

static void param_range(const struct param_row *param, const struct manual *manual,
                        struct text *range)
{
    if (param->type == PARAM_CHOICE) {
        char name[64];
        for (u32 i = 0; choice_name(param->choices, i, name, sizeof name); i++)
            text_add(range, "%s%s", i == 0 ? "" : manual->markdown ? ", " : "|", name);
    } else if (param->type == PARAM_FLAG) {
        text_add(range, "true or false");
    } else if (param->type == PARAM_WORDS) {
        text_add(range, "text");
    } else if (param->type == PARAM_TABLE) {
        text_add(range, "a map");
    } else {
        param_write(range, param, param->smallest);
        text_add(range, param->largest.integer == UINT64_MAX ? " or more" : " to ");
        if (param->largest.integer != UINT64_MAX)
            param_write(range, param, param->largest);
    }
}

static void params_show(const struct manual *manual, const struct unit_type *type)
{
    if (type->params->name)
        manual_head(manual, "Parameters", "default", "allowed");
    for (const struct param_row *param = type->params; param->name; param++) {
        struct text default_text = { 0 }, range = { 0 };
        param_write(&default_text, param, param_default(param));
        param_range(param, manual, &range);
        manual_row(manual, param->name, text_get(&default_text), text_get(&range), param->help);
        text_fini(&default_text);
        text_fini(&range);
    }
}

static void ports_show(const struct manual *manual, const struct unit_type *type)
{
    if (type->ports->name)
        manual_head(manual, "Ports", "role", "links");
    for (const struct port_row *port = type->ports; port->name; port++)
        manual_row(manual, port->name, port_roles[port->role], port_many[port->many], port->help);
}

static void stats_show(const struct manual *manual, const struct unit_type *type)
{
    if (type->stats->name)
        manual_head(manual, "Statistics", "unit", "over several units");
    for (const struct stat_row *stat = type->stats; stat->name; stat++)
        manual_row(manual, stat->name, stat->measure, combines[stat->combine], stat->help);
    for (const struct ratio_row *ratio = type->ratios; ratio->name; ratio++) {
        char *quotient = text_format("%s / %s", ratio->above, ratio->below);
        manual_row(manual, ratio->name, ratio->measure, quotient, ratio->help);
        free(quotient);
    }
}

/* What others wait for, by the rows of the type. */
static void resources_show(const struct manual *manual, const struct unit_type *type)
{
    const struct resource_row *row = type->resources;
    if (!row || !row->name)
        return;
    manual_head(manual, "Resources", "kind", "capacity");
    for (; row->name; row++) {
        struct text words = { 0 };
        if (row->used)
            text_add(&words, "used: %s", row->used);
        if (row->held)
            text_add(&words, "%sheld: %s", row->used ? "; " : "", row->held);
        manual_row(manual, row->name, resource_kind_names[row->kind],
                   row->capacity ? row->capacity : "", text_get(&words));
        text_fini(&words);
    }
}

static void scales_show(const struct unit_type *type)
{
    if (type->scales)
        printf("\nGrow with the chip: %s.\n", type->scales);
}

/* What an event costs where nobody says, at 65 nm. */
static const char *default_cost(const struct energy_row *row, char *buffer, size_t size)
{
    if (row->picojoules == COST_UNKNOWN)
        return "unknown";
    if (row->picojoules == COST_DERIVED)
        return "derived";
    if (row->picojoules == COST_COUNTED)
        return "counted";
    snprintf(buffer, size, "%.4g pJ", row->picojoules);
    return buffer;
}

static void costs_show(const struct manual *manual, const struct unit_type *type)
{
    char name[80], cost[32];
    enum amount amount;
    u32 energies = energies_count(type);
    manual_head(manual, "Energy and area", "at 65 nm", "for each of");
    for (u32 i = 0; i < energies; i++) {
        const struct energy_row *row = &type->energy[i];
        bool parameter = cost_name(type, i, name, sizeof name, &amount);
        manual_row(manual, parameter ? name : row->name, default_cost(row, cost, sizeof cost),
                   row->counter, row->help);
    }
    const char *leakage = type->leakage_help, *area = type->area_help;
    manual_row(manual, "leakage", leakage ? "derived" : "unknown", "mW",
               leakage ? leakage : "no number is published");
    manual_row(manual, "area", area ? "derived" : "unknown", "mm2",
               area ? area : "no number is published");
}

static void type_show(const struct manual *manual, const struct unit_type *type)
{
    manual_title(manual, type);
    params_show(manual, type);
    ports_show(manual, type);
    stats_show(manual, type);
    resources_show(manual, type);
    costs_show(manual, type);
    scales_show(type);
}

static int unit_show(const struct manual *manual, const char *name)
{
    int index = registry_find(name);
    if (index >= 0) {
        type_show(manual, registry_type((u32)index));
        return EXIT_GOOD;
    }
    struct nearest nearest;
    char hint[128];
    nearest_init(&nearest, name);
    for (u32 i = 0; i < registry_count(); i++)
        nearest_offer(&nearest, registry_type(i)->name);
    say_error("there is no unit type '%s'%s (ogive units lists them)", name,
              nearest_hint(&nearest, hint, sizeof hint));
    return EXIT_USER;
}

/* The page docs/units.md. */
static void units_page(const struct manual *manual)
{
    printf("# Unit types\n\nPrinted by `ogive units --markdown` from the descriptors in "
           "`src/unit`.\n");
    for (u32 i = 0; i < registry_count(); i++) {
        printf("\n");
        type_show(manual, registry_type(i));
    }
}

static void units_list(void)
{
    for (u32 i = 0; i < registry_count(); i++)
        printf("%-12s %s\n", registry_type(i)->name, registry_type(i)->help);
    printf("\n`ogive units NAME` shows the parameters, ports and statistics of one.\n");
}

static bool libraries_load(const struct text_list *libraries, struct ogv_error *error)
{
    bool good = libraries_allow(libraries, error);
    for (u32 i = 0; i < libraries->count && good; i++) {
        char *path = registry_load(libraries->items[i], error);
        good = path;
        free(path);
    }
    return good;
}

static int units_main(const struct command *self, int argc, char **argv)
{
    struct text_list rest = { 0 }, libraries = { 0 };
    struct manual manual = { 0 };
    const struct option_row rows[] = {
        { 0, "markdown", NULL, "write the whole manual as a Markdown page", OPTION_FLAG,
          &manual.markdown },
        { 0, "load", "FILE.so", "also show the unit types of this shared object", OPTION_LIST,
          &libraries },
        { 0 },
    };
    int code;
    if (options_parse(self, rows, argc, argv, &rest, &code)) {
        struct ogv_error error;
        code = EXIT_GOOD;
        if (!libraries_load(&libraries, &error))
            code = fail(&error);
        else if (!rest.count && manual.markdown)
            units_page(&manual);
        else if (!rest.count)
            units_list();
        for (u32 i = 0; i < rest.count && code == EXIT_GOOD; i++) {
            printf("%s", i ? "\n" : "");
            code = unit_show(&manual, rest.items[i]);
        }
    }
    list_fini(&rest);
    list_fini(&libraries);
    return code;
}

const struct command command_units = {
    .name = "units",
    .usage = "[NAME]",
    .summary = "The reference manual of unit types: parameters, ports, statistics.",
    .function = units_main,
};
