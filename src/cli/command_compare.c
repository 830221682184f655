/* command_compare.c - `ogive compare`. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "cli/cli.h"
#include "result/compare.h"

struct compare_arguments {
    struct text_list rest, names;
    struct compare_options options;
    const char *stats, *fail_above;
};

static void folders_show(const struct text_list *folders)
{
    for (u32 i = 0; i < folders->count; i++)
        printf("%c: %s\n", 'A' + (int)i, folders->items[i]);
}

static int compare_all(const struct compare_arguments *arguments)
{
    struct ogv_error error;
    struct text table = { 0 };
    bool same = false;
    bool good = compare_runs(arguments->rest.items, arguments->rest.count, &arguments->options,
                             &table, &same, &error);
    if (good) {
        folders_show(&arguments->rest);
        fputs(text_get(&table), stdout);
    }
    text_fini(&table);
    return good ? EXIT_GOOD : fail(&error);
}

/* "2", "2%" or "0.5 %". */
static bool percent_read(const char *text, double *fraction)
{
    char *end;
    *fraction = strtod(text, &end) / 100;
    while (*end == ' ')
        end++;
    if (end != text && (!*end || !strcmp(end, "%")) && *fraction >= 0 && *fraction < 1e6)
        return true;
    say_error("compare: --fail-above %s: a percentage is needed, as in 2%%", text);
    return false;
}

static int compare_watched(const struct compare_arguments *arguments)
{
    struct ogv_error error;
    struct text table = { 0 };
    double fraction = 0;
    u32 moved = 0;
    if (arguments->fail_above && !percent_read(arguments->fail_above, &fraction))
        return EXIT_USER;
    bool good = compare_named(arguments->rest.items, arguments->rest.count, arguments->names.items,
                              arguments->names.count, fraction, &table, &moved, &error);
    if (good) {
        folders_show(&arguments->rest);
        fputs(text_get(&table), stdout);
    }
    text_fini(&table);
    if (!good)
        return fail(&error);
    if (!arguments->fail_above)
        return EXIT_GOOD;
    printf("%u of the values moved by more than %s%s\n", moved, arguments->fail_above,
           strchr(arguments->fail_above, '%') ? "" : "%");
    return moved ? EXIT_DIFFERENT : EXIT_GOOD;
}

static int compare_with(const struct command *self, struct compare_arguments *arguments)
{
    if (arguments->rest.count < 2 || arguments->rest.count > COMPARE_RUNS_MAX) {
        say_error("compare: takes 2 to %d folders of runs; usage: ogive compare %s",
                  COMPARE_RUNS_MAX, self->usage);
        return EXIT_USER;
    }
    if (arguments->fail_above && !arguments->stats) {
        say_error("compare: --fail-above needs --stats: which statistics must not move, as in "
                  "--stats cycles,'sm.l1.misses'");
        return EXIT_USER;
    }
    if (!arguments->stats)
        return compare_all(arguments);
    char *copy = heap_copy(arguments->stats), *rest = copy, *name;
    while ((name = strsep(&rest, ",")))
        list_add_text(&arguments->names, name);
    int code = compare_watched(arguments);
    list_fini(&arguments->names);
    free(copy);
    return code;
}

static int compare_main(const struct command *self, int argc, char **argv)
{
    struct compare_arguments arguments = { .stats = NULL };
    const struct option_row rows[] = {
        { 0, "units", NULL, "compare every unit by itself, not only groups", OPTION_FLAG,
          &arguments.options.units },
        { 0, "stats", "NAME,...", "only these: cycles, or patterns like 'sm.l1.*'", OPTION_TEXT,
          &arguments.stats },
        { 0, "fail-above", "PERCENT", "exit code 1 if one of --stats moves by more than this",
          OPTION_TEXT, &arguments.fail_above },
        { 0 },
    };
    int code;
    if (options_parse(self, rows, argc, argv, &arguments.rest, &code))
        code = compare_with(self, &arguments);
    list_fini(&arguments.rest);
    return code;
}

const struct command command_compare = {
    .name = "compare",
    .usage = "DIR DIR...",
    .summary = "Show what differs between runs.",
    .details = "Changes are against the first run. As a check in a script:\n"
               "  ogive compare before after --stats cycles,'sm.l1.misses' --fail-above 2%\n"
               "Exit code: 0, or 1 if one of these moved by more than that.\n",
    .function = compare_main,
};
