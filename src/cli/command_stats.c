/* command_stats.c - `ogive stats`: the statistics of a run, and the page that names them all. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "cli/cli.h"
#include "result/stats_query.h"
#include "result/summary.h"
#include "unit/registry.h"

/* ---- The page docs/statistics.md ---- */

static void page_stats(const struct unit_type *type)
{
    static const char *const combines[] = { "sum", "mean", "largest" };
    static const char *const scales[] = { "grows with it", "a rate", "stays" };
    printf("\n## %s\n\n%s.\n\n| name | unit | over several units | with the work | meaning |\n"
           "|---|---|---|---|---|\n",
           type->name, type->help);
    for (const struct stat_row *stat = type->stats; stat->name; stat++)
        printf("| `%s` | %s | %s | %s | %s |\n", stat->name, stat->measure, combines[stat->combine],
               scales[stat->scale], stat->help);
    for (const struct ratio_row *ratio = type->ratios; ratio->name; ratio++)
        printf("| `%s` | %s | `%s` / `%s` | a rate | %s |\n", ratio->name, ratio->measure,
               ratio->above, ratio->below, ratio->help);
}

static int page_show(void)
{
    printf(
        "# Statistics\n\n"
        "Printed by `ogive stats --markdown` from the descriptors in `src/unit`. The names are\n"
        "stable: a statistic is renamed only together with a note in `CHANGELOG.md`.\n\n"
        "The full name of a statistic is DOMAIN.UNIT.NAME, where domain and unit are named by the\n"
        "architecture file: `sm[3].l1.hits`. Copies are numbered only where there are several.\n"
        "`ogive stats DIR 'sm[*].l1.*'` shows them; [results](results.md) explains how.\n\n"
        "## Summary\n\n"
        "Figures of a run as a whole, by their name alone: `ogive stats DIR cycles`. A run has "
        "those\n"
        "that mean something for it.\n\n"
        "| name | unit | meaning |\n|---|---|---|\n");
    for (const struct summary_figure *figure = summary_figures; figure->name; figure++)
        printf("| `%s` | %s | %s |\n", figure->name, figure->measure, figure->help);
    for (u32 i = 0; i < registry_count(); i++)
        if (registry_type(i)->stats->name)
            page_stats(registry_type(i));
    return EXIT_GOOD;
}

/* ---- Asking ---- */

struct stats_arguments {
    struct text_list rest;
    const char *group, *cycles, *format;
    bool each, sum, mean, per_interval, markdown, all;
};

static bool cycle_read(const char **text, cycle *value)
{
    char *end;
    *value = strtoull(*text, &end, 10);
    bool good = end != *text && **text != '-';
    *text = end;
    return good;
}

/* "100000:250000", ":250000" or "100000:". */
static bool range_read(const char *text, struct stats_query *query)
{
    const char *at = text;
    query->ranged = true;
    query->from = 0;
    query->to = NEVER;
    bool good = (*at == ':' || cycle_read(&at, &query->from)) && *at++ == ':' &&
                (!*at || cycle_read(&at, &query->to)) && !*at && query->from < query->to;
    if (!good)
        say_error("stats: --cycles %s: write FIRST:LAST, as in 100000:250000", text);
    return good;
}

static bool format_read(const char *text, enum query_format *format)
{
    static const char *const names[] = { "table", "csv", "json" };
    for (u32 i = 0; i < 3; i++) {
        if (strcmp(names[i], text))
            continue;
        *format = (enum query_format)i;
        return true;
    }
    say_error("stats: --format %s: there are table, csv and json", text);
    return false;
}

static bool query_read(const struct stats_arguments *arguments, struct stats_query *query)
{
    if (arguments->each + arguments->sum + arguments->mean > 1) {
        say_error("stats: --each, --sum and --mean exclude each other");
        return false;
    }
    if (arguments->each && arguments->group) {
        say_error("stats: --group combines units, --each does not");
        return false;
    }
    query->combine = arguments->each   ? QUERY_EACH
                     : arguments->sum  ? QUERY_SUM
                     : arguments->mean ? QUERY_MEAN
                                       : QUERY_NATURAL;
    return (!arguments->cycles || range_read(arguments->cycles, query)) &&
           (!arguments->format || format_read(arguments->format, &query->format));
}

static int stats_show(const struct command *self, const struct stats_arguments *arguments)
{
    if (!arguments->rest.count) {
        say_error("stats: needs the folder of a run; usage: ogive stats %s", self->usage);
        return EXIT_USER;
    }
    struct stats_query query = { .folder = arguments->rest.items[0],
                                 .patterns = &arguments->rest.items[1],
                                 .pattern_count = arguments->rest.count - 1,
                                 .group = arguments->group,
                                 .per_interval = arguments->per_interval,
                                 .all = arguments->all };
    struct ogv_error error;
    if (!query_read(arguments, &query))
        return EXIT_USER;
    struct query_answer *answer = stats_ask(&query, &error);
    if (!answer)
        return fail(&error);
    struct text out = { 0 };
    answer_write(answer, query.format, &out);
    fputs(text_get(&out), stdout);
    text_fini(&out);
    answer_destroy(answer);
    return EXIT_GOOD;
}

static int stats_main(const struct command *self, int argc, char **argv)
{
    struct stats_arguments arguments = { .group = NULL };
    const struct option_row rows[] = {
        { 0, "each", NULL, "every unit by itself", OPTION_FLAG, &arguments.each },
        { 0, "sum", NULL, "the sum over units", OPTION_FLAG, &arguments.sum },
        { 0, "mean", NULL, "the mean over units", OPTION_FLAG, &arguments.mean },
        { 0, "all", NULL, "tables show what is 0, too", OPTION_FLAG, &arguments.all },
        { 0, "group", "DOMAIN|type", "one result for each copy of a domain, or type of unit",
          OPTION_TEXT, &arguments.group },
        { 0, "per-interval", NULL, "one line per interval (see --series of `ogive run`)",
          OPTION_FLAG, &arguments.per_interval },
        { 0, "cycles", "FIRST:LAST", "only the intervals that touch these cycles", OPTION_TEXT,
          &arguments.cycles },
        { 0, "format", "table|csv|json", "how to print (default: table)", OPTION_TEXT,
          &arguments.format },
        { 0, "markdown", NULL, "print the page that names all statistics", OPTION_FLAG,
          &arguments.markdown },
        { 0 },
    };
    int code;
    if (options_parse(self, rows, argc, argv, &arguments.rest, &code))
        code = arguments.markdown ? page_show() : stats_show(self, &arguments);
    list_fini(&arguments.rest);
    return code;
}

const struct command command_stats = {
    .name = "stats",
    .usage = "DIR [PATTERN...]",
    .summary = "Show statistics of a run: of any units, over any cycles.",
    .details =
        "A pattern is DOMAIN.UNIT.STATISTIC; * and ? stand for letters, [3], [0..7] and [*] for\n"
        "copies, and a name without brackets for all of them. Units are combined as their type "
        "says\n"
        "(`ogive units NAME`): counters as a sum, ratios as the quotient of the sums.\n"
        "A name without dots is a figure of the run's summary, such as cycles or mrays_per_s.\n"
        "Tables leave out what is 0, unless it is named in full or --all is given; csv and json do "
        "not.\n"
        "Intervals of single units need a run with --series all.\n"
        "Examples:\n"
        "  ogive stats results/tiny\n"
        "  ogive stats results/tiny cycles instructions\n"
        "  ogive stats results/tiny 'chip.core[0..1].issued' --each\n"
        "  ogive stats results/big 'sm.l1.hit_rate' --group sm --format csv\n"
        "  ogive stats results/big 'sm[*].l1.*' --per-interval --cycles 100000:250000\n",
    .function = stats_main,
};
