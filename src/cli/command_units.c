/* command_units.c - `ogive units`: the manual of unit types, printed from their descriptors. */
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/text.h"
#include "cli/cli.h"
#include "unit/quantity.h"
#include "unit/registry.h"

static const char *const port_roles[] = { "sends", "receives", "asks", "serves" };
static const char *const port_many[] = { "one", "at most one", "one or more", "any number" };
static const char *const combines[] = { "sum", "mean", "largest" };

static void param_show(const struct param_row *param)
{
    struct text standard = { 0 }, range = { 0 };
    param_write(&standard, param, param_standard(param));
    if (param->type == PARAM_CHOICE) {
        text_add(&range, "%s", param->choices);
    } else if (param->type == PARAM_FLAG) {
        text_add(&range, "true or false");
    } else if (param->type == PARAM_WORDS) {
        text_add(&range, "text");
    } else {
        param_write(&range, param, param->smallest);
        text_add(&range, param->largest.integer == UINT64_MAX ? " or more" : " to ");
        if (param->largest.integer != UINT64_MAX)
            param_write(&range, param, param->largest);
    }
    printf("  %-16s %-14s %-26s %s\n", param->name, text_get(&standard), text_get(&range),
           param->help);
    text_fini(&standard);
    text_fini(&range);
}

static void params_show(const struct unit_type *type)
{
    if (!type->params->name)
        return;
    printf("\nParameters         default        allowed                    meaning\n");
    for (const struct param_row *param = type->params; param->name; param++)
        param_show(param);
}

static void ports_show(const struct unit_type *type)
{
    if (!type->ports->name)
        return;
    printf("\nPorts              role           links                      meaning\n");
    for (const struct port_row *port = type->ports; port->name; port++)
        printf("  %-16s %-14s %-26s %s\n", port->name, port_roles[port->role],
               port_many[port->many], port->help);
}

static void stats_show(const struct unit_type *type)
{
    if (!type->stats->name)
        return;
    printf("\nStatistics         unit           over several units         meaning\n");
    for (const struct stat_row *stat = type->stats; stat->name; stat++)
        printf("  %-16s %-14s %-26s %s\n", stat->name, stat->measure, combines[stat->combine],
               stat->help);
    for (const struct ratio_row *ratio = type->ratios; ratio->name; ratio++) {
        char *quotient = text_format("%s / %s", ratio->above, ratio->below);
        printf("  %-16s %-14s %-26s %s\n", ratio->name, ratio->measure, quotient, ratio->help);
        free(quotient);
    }
}

static int unit_show(const char *name)
{
    int index = registry_find(name);
    if (index >= 0) {
        const struct unit_type *type = registry_type((u32)index);
        printf("%s - %s\n", type->name, type->help);
        params_show(type);
        ports_show(type);
        stats_show(type);
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

static void units_list(void)
{
    for (u32 i = 0; i < registry_count(); i++)
        printf("%-12s %s\n", registry_type(i)->name, registry_type(i)->help);
    printf("\n`ogive units NAME` shows the parameters, ports and statistics of one.\n");
}

int command_units(const struct command *self, int argc, char **argv)
{
    struct text_list rest = { 0 }, libraries = { 0 };
    const struct option_row rows[] = {
        { 0, "load", "FILE.so", "also show the unit types of this shared object", OPTION_LIST,
          &libraries },
        { 0 },
    };
    int code;
    if (options_parse(self, rows, argc, argv, &rest, &code)) {
        struct ogv_error error;
        bool loaded = true;
        code = EXIT_GOOD;
        for (u32 i = 0; i < libraries.count && loaded; i++)
            loaded = registry_load(libraries.items[i], &error);
        if (!loaded)
            code = fail(&error);
        else if (!rest.count)
            units_list();
        for (u32 i = 0; i < rest.count && code == EXIT_GOOD; i++) {
            printf("%s", i ? "\n" : "");
            code = unit_show(rest.items[i]);
        }
    }
    list_fini(&rest);
    list_fini(&libraries);
    return code;
}
