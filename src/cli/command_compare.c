/* command_compare.c - `ogive compare`. */
#include <stdio.h>

#include "base/text.h"
#include "cli/cli.h"
#include "run/compare.h"

static int compare_two(const char *left, const char *right, const struct compare_options *options)
{
    struct ogv_error error;
    struct text table = { 0 };
    bool same = false;
    bool good = compare_runs(left, right, options, &table, &same, &error);
    if (good)
        printf("A: %s\nB: %s\n%s", left, right, text_get(&table));
    text_fini(&table);
    return good ? EXIT_GOOD : fail(&error);
}

int command_compare(const struct command *self, int argc, char **argv)
{
    struct text_list rest = { 0 };
    struct compare_options options = { 0 };
    const struct option_row rows[] = {
        { 0, "units", NULL, "compare every unit by itself, not only groups", OPTION_FLAG,
          &options.units },
        { 0 },
    };
    int code;
    if (options_parse(self, rows, argc, argv, &rest, &code)) {
        code = EXIT_USER;
        if (rest.count == 2)
            code = compare_two(rest.items[0], rest.items[1], &options);
        else
            say_error("compare: takes two folders of runs; usage: ogive compare %s", self->usage);
    }
    list_fini(&rest);
    return code;
}
