/* command_diff.c - `ogive diff`: what differs between two machines, after defaults. */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arch/plan.h"
#include "cli/cli.h"
#include "cli/machine_options.h"
#include "result/difference.h"
#include "result/machine.h"

#define EXIT_TROUBLE EXIT_USER /* 1 would mean a difference */

struct diff_arguments {
    struct text_list rest;
    struct machine_arguments machine; /* of B; what else it says holds for both */
    struct text_list settings_a;
    bool json;
};

static json_t *machine_load(const char *name, const struct machine_arguments *machine)
{
    struct ogv_error error;
    ogv_arch *arch = arch_open(name, machine, &error);
    struct plan *plan = arch ? plan_create(arch, &error) : NULL;
    json_t *described = plan ? machine_describe(plan) : NULL;
    ogv_arch_destroy(arch);
    if (plan)
        plan_destroy(plan);
    else
        fail(&error);
    return described;
}

/* ---- Paths and values as they are written in files and settings ---- */

/* "sm.l1.size" of "domains.sm.units.l1.size", "sm: core -> l1.latency" of "links.sm: ...". */
static char *path_typed(const char *path)
{
    struct text typed = { 0 };
    bool domain = !strncmp(path, "domains.", strlen("domains."));
    if (!domain)
        return heap_copy(strncmp(path, "links.", strlen("links.")) ? path
                                                                   : path + strlen("links."));
    path += strlen("domains.");
    const char *units = strstr(path, ".units");
    if (units)
        text_add(&typed, "%.*s%s", (int)(units - path), path, units + strlen(".units"));
    else
        text_add(&typed, "%s", path);
    return typed.chars;
}

/* What is there on one side alone in few words: "rtcore x 1", not all of its parameters. */
static void value_words(const json_t *value, struct text *out)
{
    const json_t *type = json_object_get(value, "type");
    const json_t *units = json_object_get(value, "units");
    const json_t *latency = json_object_get(value, "latency"); /* of a link */
    long long count = json_integer_value(json_object_get(value, "count"));
    if (json_is_string(type))
        text_add(out, "%s x %lld", json_string_value(type), count);
    else if (units)
        text_add(out, "%zu lines of units x %lld", json_object_size(units), count);
    else
        difference_words(json_is_string(latency) ? latency : value, out);
}

/* ---- As a table ---- */

static char mark_of(const struct difference *difference)
{
    return !difference->of[0] ? '+' : !difference->of[1] ? '-' : ' ';
}

static void line_show(void *context, const struct difference *difference)
{
    u32 *lines = context;
    struct text values[2] = { { 0 } };
    char *path = path_typed(difference->path);
    for (u32 i = 0; i < 2; i++)
        value_words(difference->of[i], &values[i]);
    if (!(*lines)++)
        printf("\n  %-44s %20s %20s\n", "", "A", "B");
    printf("%c %-44s %20s %20s\n", mark_of(difference), path, text_get(&values[0]),
           text_get(&values[1]));
    for (u32 i = 0; i < 2; i++)
        text_fini(&values[i]);
    free(path);
}

static u32 table_show(const char *const *names, const json_t *const *machines)
{
    u32 lines = 0;
    struct difference_visitor visitor = { line_show, &lines, true };
    printf("A: %s\nB: %s\n", names[0], names[1]);
    difference_walk(machines, 2, &visitor);
    if (!lines)
        printf("\nThe machines are the same, all defaults written out.\n");
    return lines;
}

/* ---- As JSON ---- */

static json_t *side_json(const json_t *value)
{
    return value ? json_incref((json_t *)(uintptr_t)value) : json_null();
}

static void list_add_json(void *context, const struct difference *difference)
{
    const char *change = !difference->of[0] ? "added" : !difference->of[1] ? "removed" : "changed";
    char *path = path_typed(difference->path);
    json_array_append_new(context, json_pack("{ss, ss, so, so}", "path", path, "change", change,
                                             "a", side_json(difference->of[0]), "b",
                                             side_json(difference->of[1])));
    free(path);
}

static u32 json_show(const char *const *names, const json_t *const *machines)
{
    json_t *list = json_array();
    struct difference_visitor visitor = { list_add_json, list, true };
    difference_walk(machines, 2, &visitor);
    u32 count = (u32)json_array_size(list);
    json_t *object = json_pack("{ss, ss, so}", "a", names[0], "b", names[1], "differences", list);
    char *text = object ? json_dumps(object, JSON_INDENT(1)) : NULL;
    printf("%s\n", text ? text : "null");
    free(text);
    json_decref(object);
    return count;
}

/* ---- The command ---- */

static int diff_with(const struct diff_arguments *arguments)
{
    const struct text_list *rest = &arguments->rest;
    const char *names[] = { rest->items[0], rest->items[rest->count - 1] };
    const struct machine_arguments first = { .settings = arguments->settings_a };
    json_t *machines[2] = { machine_load(names[0], &first) };
    machines[1] = machines[0] ? machine_load(names[1], &arguments->machine) : NULL;
    int code = EXIT_TROUBLE;
    if (machines[1]) {
        u32 (*show)(const char *const *, const json_t *const *) =
            arguments->json ? json_show : table_show;
        code = show(names, (const json_t *const *)machines) ? EXIT_DIFFERENT : EXIT_GOOD;
    }
    json_decref(machines[0]);
    json_decref(machines[1]);
    return code;
}

static bool arguments_check(const struct command *self, const struct diff_arguments *arguments)
{
    bool changed = arguments->settings_a.count || arguments->machine.settings.count;
    u32 count = arguments->rest.count;
    if (count == 2 || (count == 1 && changed))
        return true;
    say_error("diff: takes two architectures, or one with --set or --set-a; usage: ogive diff %s",
              self->usage);
    return false;
}

static int diff_main(const struct command *self, int argc, char **argv)
{
    struct diff_arguments arguments = { 0 };
    const struct option_row rows[] = {
        MACHINE_ROWS(arguments.machine),
        { 0, "set-a", "PATH=VALUE", "the same in A; --set is for B", OPTION_LIST,
          &arguments.settings_a },
        { 0, "json", NULL, "print one JSON object", OPTION_FLAG, &arguments.json },
        { 0 },
    };
    int code;
    if (options_parse(self, rows, argc, argv, &arguments.rest, &code))
        code = arguments_check(self, &arguments) && machine_arguments_apply(&arguments.machine)
                   ? diff_with(&arguments)
                   : EXIT_TROUBLE;
    machine_arguments_fini(&arguments.machine);
    list_fini(&arguments.settings_a);
    list_fini(&arguments.rest);
    return code;
}

const struct command command_diff = {
    .name = "diff",
    .usage = "A [B] [--set PATH=VALUE]",
    .summary = "Show what differs between two architectures.",
    .details =
        "A and B are architecture files or names of shipped ones; B is A again if it is left out.\n"
        "Compared is what they mean after defaults: counts, clocks, parameters (tables entry by\n"
        "entry), units and links. + is in B alone, - in A alone. Names and descriptions of the\n"
        "machines are not compared.\n"
        "Examples:\n"
        "  ogive diff rtx2060 rtx2080\n"
        "  ogive diff rtx2080 mine.yaml --json\n"
        "  ogive diff rtx2080 --set sm.l1.size=128KiB\n"
        "Exit code: 0 if they are the same, 1 if not, 2 if something is wrong.\n",
    .function = diff_main,
};
