/* command_energy.c - `ogive energy`: what units cost, and what a run made of it. */
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/text.h"
#include "cli/cli.h"
#include "cli/machine_options.h"
#include "cli/values.h"
#include "result/stats_source.h"
#include "run/record_energy.h"

struct energy_view {
    const json_t *energy;
    double seconds; /* of the run; 0: there was none */
    bool events;
};

/* NAN where there is no number. */
static double number_of(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    return json_is_number(value) ? json_number_value(value) : NAN;
}

static const char *words_of(const json_t *object, const char *key)
{
    const char *words = json_string_value(json_object_get(object, key));
    return words ? words : "?";
}

/* Square millimetres read badly with prefixes. */
static void cost_write(char *buffer, size_t size, double value, const char *unit)
{
    if (isnan(value))
        snprintf(buffer, size, "not known");
    else
        snprintf(buffer, size, "%.4g %s", value, unit);
}

/* ---- Groups ---- */

/* Whether its events cost nothing by themselves: somebody else charges for them. */
static bool charged_elsewhere(const json_t *group)
{
    const char *name;
    json_t *event;
    json_t *events = json_object_get(group, "events");
    bool free = json_object_size(events) && !(number_of(group, "energy_j") > 0);
    json_object_foreach(events, name, event) free = free && number_of(event, "pj") <= 0;
    return free;
}

static void group_show(const struct energy_view *view, const char *path, const json_t *group,
                       double whole)
{
    char energy[32], share[32], power[32], leakage[32], area[32];
    double units = number_of(group, "units"), joules = number_of(group, "energy_j");
    si_write(leakage, sizeof leakage, number_of(group, "unit_leakage_mw") * units * 1e-3, "W");
    cost_write(area, sizeof area, number_of(group, "unit_area_mm2") * units, "mm2");
    printf("%-24s %-10s %6.0f", path, words_of(group, "type"), units);
    if (view->seconds > 0) {
        bool elsewhere = charged_elsewhere(group), shown = !isnan(joules) && !elsewhere;
        si_write(energy, sizeof energy, joules, "J");
        si_write(power, sizeof power, joules / view->seconds, "W");
        snprintf(share, sizeof share, "%.1f%%", 100 * joules / whole);
        printf(" %12s %7s %12s", elsewhere ? "elsewhere" : energy, shown ? share : "",
               elsewhere ? "" : power);
    }
    printf(" %12s %12s\n", leakage, area);
}

static double groups_sum(const json_t *groups, const char *key, bool each, bool *lacking)
{
    const char *path;
    json_t *group;
    double sum = NAN;
    *lacking = false;
    json_object_foreach((json_t *)(uintptr_t)groups, path, group)
    {
        double part = number_of(group, key) * (each ? number_of(group, "units") : 1);
        *lacking = *lacking || isnan(part);
        if (!isnan(part))
            sum = (isnan(sum) ? 0 : sum) + part;
    }
    return sum;
}

static void groups_show(const struct energy_view *view)
{
    const json_t *groups = json_object_get(view->energy, "groups");
    const char *path;
    json_t *group;
    bool ignored;
    double whole = groups_sum(groups, "energy_j", false, &ignored);
    printf("\n%-24s %-10s %6s", "unit", "type", "units");
    if (view->seconds > 0)
        printf(" %12s %7s %12s", "energy", "share", "power");
    printf(" %12s %12s\n", "leakage", "area");
    json_object_foreach((json_t *)(uintptr_t)groups, path, group)
        group_show(view, path, group, whole);
}

/* ---- Events ---- */

static void event_show(const struct energy_view *view, const char *path, const char *name,
                       const json_t *event)
{
    char cost[32], energy[32];
    cost_write(cost, sizeof cost, number_of(event, "pj"), "pJ");
    si_write(energy, sizeof energy, number_of(event, "energy_j"), "J");
    char *label = text_format("%s.energy_%s", path, name);
    printf("%-36s %12s", label, cost);
    if (view->seconds > 0)
        printf(" x %14.0f = %12s", number_of(event, "count"), energy);
    printf("  %s\n", words_of(event, "help"));
    free(label);
}

/* Of a run those that happened; of an architecture all. */
static void events_show(const struct energy_view *view)
{
    const char *path, *name;
    json_t *group, *event;
    printf("\nEnergy per event:\n");
    json_object_foreach((json_t *)(uintptr_t)json_object_get(view->energy, "groups"), path, group)
    {
        json_object_foreach(json_object_get(group, "events"), name, event)
        {
            if (!(view->seconds > 0) || number_of(event, "count") > 0)
                event_show(view, path, name, event);
        }
    }
}

/* ---- What is missing ---- */

/* Rows of the same thing and type, put together. Whether the first of them is at `first`. */
static bool missing_sum(const json_t *list, size_t first, double *units, double *events)
{
    const json_t *row = json_array_get(list, first);
    *units = *events = 0;
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *other = json_array_get(list, i);
        double count = number_of(other, "events");
        if (strcmp(words_of(other, "what"), words_of(row, "what")) != 0 ||
            strcmp(words_of(other, "type"), words_of(row, "type")) != 0)
            continue;
        if (i < first)
            return false;
        *units += number_of(other, "units");
        *events += isnan(count) ? 0 : count;
    }
    return true;
}

/* "leakage of 128 core, 24 sfu" */
static void missing_line(const json_t *list, size_t first)
{
    const char *what = words_of(json_array_get(list, first), "what");
    double units, events;
    printf("  %s of", what);
    for (size_t i = first; i < json_array_size(list); i++) {
        const json_t *row = json_array_get(list, i);
        if (strcmp(words_of(row, "what"), what) != 0 || !missing_sum(list, i, &units, &events))
            continue;
        printf("%s %.0f %s", i == first ? "" : ",", units, words_of(row, "type"));
        if (events > 0)
            printf(" (%.0f times)", events);
    }
    printf("\n");
}

static void missing_show(const json_t *energy)
{
    const json_t *list = json_object_get(energy, "missing");
    const json_t *left_out = json_object_get(energy, "left_out");
    if (json_array_size(list))
        printf("\nNot known, and so not counted:\n");
    for (size_t i = 0; i < json_array_size(list); i++) {
        const char *what = words_of(json_array_get(list, i), "what");
        bool seen = false;
        for (size_t k = 0; k < i; k++)
            seen = seen || !strcmp(words_of(json_array_get(list, k), "what"), what);
        if (!seen)
            missing_line(list, i);
    }
    printf("\nNot modelled:");
    for (size_t i = 0; i < json_array_size(left_out); i++)
        printf("%s %s", i ? "," : "", json_string_value(json_array_get(left_out, i)));
    printf("\n");
}

/* ---- The whole ---- */

static void total_line(const char *name, double value, const char *unit, bool lacking)
{
    char words[32];
    if (!strcmp(unit, "mm2"))
        cost_write(words, sizeof words, value, unit);
    else
        si_write(words, sizeof words, value, unit);
    printf("%-9s %s%s\n", name, lacking && !isnan(value) ? "at least " : "", words);
}

static void energy_show(const struct energy_view *view)
{
    const json_t *technology = json_object_get(view->energy, "technology");
    const json_t *groups = json_object_get(view->energy, "groups");
    bool lacking;
    printf("%g nm, %.3g V: published energies of 65 nm x %.4g, areas x %.4g, leakage x %.4g\n",
           number_of(technology, "node_nm"), number_of(technology, "supply_v"),
           number_of(technology, "energy_scale"), number_of(technology, "area_scale"),
           number_of(technology, "leakage_scale"));
    double area = groups_sum(groups, "unit_area_mm2", true, &lacking);
    total_line("area", area, "mm2", lacking);
    double leakage = groups_sum(groups, "unit_leakage_mw", true, &lacking) * 1e-3;
    total_line("leakage", leakage, "W", lacking);
    groups_show(view);
    if (view->events)
        events_show(view);
    missing_show(view->energy);
}

static void summary_show(const json_t *summary)
{
    bool lacking = !json_is_true(json_object_get(summary, "energy_complete"));
    double rays = number_of(summary, "mrays_per_j"), each = number_of(summary, "nj_per_ray");
    total_line("energy", number_of(summary, "energy_j"), "J", lacking);
    total_line("power", number_of(summary, "power_w"), "W", lacking);
    if (!isnan(rays))
        printf("%-9s %s%.4g Mrays/J, %s%.4g nJ per ray\n", "rays", lacking ? "at most " : "", rays,
               lacking ? "at least " : "", each);
}

static int run_show(const char *folder, struct energy_view *view)
{
    struct ogv_error error;
    json_t *stats = run_file_load(folder, "stats.json", &error);
    const json_t *summary = json_object_get(stats, "summary");
    view->energy = json_object_get(stats, "energy");
    view->seconds = number_of(summary, "simulated_seconds");
    bool good = stats && json_is_object(view->energy) &&
                json_is_object(json_object_get(view->energy, "groups"));
    if (stats && !good)
        error_user(&error, "%s/stats.json: has no energy; it was made by an older version", folder);
    if (good) {
        summary_show(summary);
        energy_show(view);
    }
    json_decref(stats);
    return good ? EXIT_GOOD : fail(&error);
}

static int arch_show(const char *name, const struct machine_arguments *machine,
                     struct energy_view *view)
{
    struct ogv_error error;
    ogv_arch *arch = arch_open(name, machine, &error);
    ogv_system *system = arch ? ogv_system_create(arch, &error) : NULL;
    ogv_arch_destroy(arch);
    if (!system)
        return fail(&error);
    json_t *energy = energy_record(system, 0);
    view->energy = energy;
    printf("%s\n", system->plan->name);
    energy_show(view);
    json_decref(energy);
    ogv_system_destroy(system);
    return EXIT_GOOD;
}

static int energy_of(const char *name, const struct machine_arguments *machine,
                     struct energy_view *view)
{
    char *file = text_format("%s/run.json", name);
    bool run = file_exists(file);
    free(file);
    if (run && machine->settings.count) {
        say_error("energy: --set changes an architecture; '%s' is the folder of a run", name);
        return EXIT_USER;
    }
    return run ? run_show(name, view) : arch_show(name, machine, view);
}

static int energy_main(const struct command *self, int argc, char **argv)
{
    struct text_list rest = { 0 };
    struct machine_arguments machine = { 0 };
    struct energy_view view = { 0 };
    const struct option_row rows[] = {
        { 0, "events", NULL, "show the energy of every event, and where the number comes from",
          OPTION_FLAG, &view.events },
        MACHINE_ROWS(machine),
        { 0 },
    };
    int code;
    if (options_parse(self, rows, argc, argv, &rest, &code))
        code = rest_one(self, &rest, "architecture or folder of a run") &&
                       machine_arguments_apply(&machine)
                   ? energy_of(rest.items[0], &machine, &view)
                   : EXIT_USER;
    list_fini(&rest);
    machine_arguments_fini(&machine);
    return code;
}

const struct command command_energy = {
    .name = "energy",
    .usage = "ARCH | DIR",
    .summary = "Show the area and leakage of a machine's units, and the energy of a run.",
    .details =
        "ARCH is an architecture: area, leakage and, with --events, the energy of every event "
        "with\n"
        "its source, as published for 65 nm and scaled to the machine's `technology:`. DIR is the\n"
        "folder of a run: what its counters make of that. What is not known is named, and sums "
        "that\n"
        "lack it are called `at least`. Every number can be set: see docs/energy.md.\n"
        "Examples:\n"
        "  ogive energy rtx2080\n"
        "  ogive energy rtx2080 --set technology.node=7nm --set sm.l1.energy_access=20pJ\n"
        "  ogive energy results/tiny --events\n",
    .function = energy_main,
};
