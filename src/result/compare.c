/* compare.c - see compare.h. The files of the runs are walked side by side (difference.h); leaves
 * that differ become lines of a table. What the host was like says nothing of the chip and comes
 * last. */
#include "result/compare.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "ogive/types.h"
#include "result/difference.h"
#include "result/stats_query.h"
#include "result/stats_source.h"
#include "result/summary.h"

struct table {
    struct text *out;
    const char *title;
    u32 runs, lines;
};

/* "" where there is nothing to divide by. */
static void change_text(double before, double now, char *buffer, size_t size)
{
    buffer[0] = 0;
    if (fabs(before) > 0)
        snprintf(buffer, size, "%+.2f%%", (now - before) / before * 100);
}

static void value_add(struct table *table, const json_t *leaf)
{
    struct text value = { 0 };
    difference_words(leaf, &value);
    text_add(table->out, " %20s", text_get(&value));
    text_fini(&value);
}

static void table_line(void *context, const struct difference *difference)
{
    struct table *table = context;
    const json_t *first = difference->of[0];
    if (!table->lines++)
        text_add(table->out, "\n%s that differ:\n", table->title);
    text_add(table->out, "  %-44s", difference->path);
    value_add(table, first);
    for (u32 i = 1; i < table->runs; i++) {
        const json_t *leaf = difference->of[i];
        char change[32] = "";
        if (json_is_number(first) && json_is_number(leaf))
            change_text(json_number_value(first), json_number_value(leaf), change, sizeof change);
        value_add(table, leaf);
        text_add(table->out, " %10s", change);
    }
    text_add(table->out, "\n");
}

struct runs {
    json_t *run[COMPARE_RUNS_MAX], *stats[COMPARE_RUNS_MAX];
    u32 count;
};

static u32 compare_trees(struct text *out, const char *title, json_t *const *trees, u32 count)
{
    struct table table = { out, title, count, 0 };
    struct difference_visitor visitor = { .visit = table_line, .context = &table };
    difference_walk((const json_t *const *)trees, count, &visitor);
    return table.lines;
}

static u32 compare_part(struct text *out, const char *title, json_t *const *files, u32 count,
                        const char *key)
{
    json_t *parts[COMPARE_RUNS_MAX];
    for (u32 i = 0; i < count; i++)
        parts[i] = json_object_get(files[i], key);
    return compare_trees(out, title, parts, count);
}

/* ---- Tables among the parameters ---- */

/* Whether a run has a table there. */
static bool is_table(const struct runs *runs, const char *unit, const char *param)
{
    for (u32 i = 0; i < runs->count; i++) {
        const json_t *units = json_object_get(runs->run[i], "parameters");
        const json_t *value = json_object_get(json_object_get(units, unit), param);
        json_t *table = json_is_string(value) ? table_split(json_string_value(value)) : NULL;
        json_decref(table);
        if (table)
            return true;
    }
    return false;
}

/* A copy of a unit's parameters in which the text of each table is an entry per line. */
static json_t *unit_open(const struct runs *runs, const char *unit, json_t *params)
{
    json_t *opened = json_object(), *value;
    const char *key;
    json_object_foreach(params, key, value)
    {
        json_t *table = NULL;
        if (json_is_string(value) && is_table(runs, unit, key)) {
            table = table_split(json_string_value(value));
            if (!table && !*json_string_value(value))
                table = json_object();
        }
        json_object_set_new(opened, key, table ? table : json_incref(value));
    }
    return opened;
}

static u32 compare_parameters(struct text *out, const struct runs *runs)
{
    json_t *opened[COMPARE_RUNS_MAX], *params;
    const char *unit;
    for (u32 i = 0; i < runs->count; i++) {
        opened[i] = json_object();
        json_object_foreach(json_object_get(runs->run[i], "parameters"), unit, params)
        {
            json_object_set_new(opened[i], unit,
                                json_is_object(params) ? unit_open(runs, unit, params)
                                                       : json_incref(params));
        }
    }
    u32 lines = compare_trees(out, "Parameters", opened, runs->count);
    for (u32 i = 0; i < runs->count; i++)
        json_decref(opened[i]);
    return lines;
}

/* ---- The summary, and the host's part of it ---- */

/* The figures of the chip, or of the host that simulated it; the caller owns it. */
static json_t *summary_part(const json_t *stats, bool of_host)
{
    json_t *part = json_object(), *value;
    const char *key;
    json_object_foreach(json_object_get(stats, "summary"), key, value)
    {
        const struct summary_figure *figure = summary_find(key);
        if ((figure && figure->of_host) == of_host)
            json_object_set(part, key, value);
    }
    return part;
}

static void compare_summaries(struct text *out, const struct runs *runs, const char *title,
                              bool of_host)
{
    json_t *parts[COMPARE_RUNS_MAX];
    for (u32 i = 0; i < runs->count; i++) {
        parts[i] = summary_part(runs->stats[i], of_host);
        if (of_host)
            json_object_set(parts[i], "host", json_object_get(runs->run[i], "host"));
    }
    compare_trees(out, title, parts, runs->count);
    for (u32 i = 0; i < runs->count; i++)
        json_decref(parts[i]);
}

/* ---- Whole runs ---- */

static bool runs_load(struct runs *runs, const char *const *folders, u32 count,
                      struct ogv_error *error)
{
    for (; runs->count < count; runs->count++) {
        u32 i = runs->count;
        runs->run[i] = run_file_load(folders[i], "run.json", error);
        runs->stats[i] = runs->run[i] ? run_file_load(folders[i], "stats.json", error) : NULL;
        if (!runs->stats[i]) {
            json_decref(runs->run[i]);
            return false;
        }
    }
    return true;
}

static void runs_free(struct runs *runs)
{
    for (u32 i = 0; i < runs->count; i++) {
        json_decref(runs->run[i]);
        json_decref(runs->stats[i]);
    }
}

static void heading_add(struct text *out, u32 count)
{
    text_add(out, "  %-44s %20s", "", "A");
    for (u32 i = 1; i < count; i++) {
        char title[16];
        snprintf(title, sizeof title, "%c vs A", 'A' + (int)i);
        text_add(out, " %20c %10s", 'A' + (int)i, title);
    }
    text_add(out, "\n");
}

bool compare_runs(const char *const *folders, u32 count, const struct compare_options *options,
                  struct text *out, bool *same, struct ogv_error *error)
{
    struct runs runs = { .count = 0 };
    bool good = runs_load(&runs, folders, count, error);
    if (good) {
        heading_add(out, count);
        compare_summaries(out, &runs, "Summary values", false);
        u32 lines = compare_parameters(out, &runs);
        lines += compare_part(out, "Links", runs.run, count, "links");
        lines += compare_part(out, "Statistics of groups", runs.stats, count, "groups");
        if (options->units)
            lines += compare_part(out, "Statistics of units", runs.stats, count, "units");
        *same = lines == 0;
        if (*same)
            text_add(out, "\nAll parameters and statistics are the same.\n");
        compare_summaries(out, &runs, "Facts of the host", true);
    }
    runs_free(&runs);
    return good;
}

/* ---- Named statistics ---- */

/* A value in each run. */
struct watched {
    const char *name;
    double value[COMPARE_RUNS_MAX];
    bool defined[COMPARE_RUNS_MAX];
};

struct watch {
    struct text *out;
    u32 runs, moved;
    double fraction;
};

/* From nothing to something is a move; so is losing a value, or getting one. */
static bool watched_moved(const struct watch *watch, const struct watched *watched, u32 run)
{
    double before = watched->value[0], now = watched->value[run];
    if (!watched->defined[0] || !watched->defined[run])
        return watched->defined[0] != watched->defined[run];
    return fabs(now - before) > watch->fraction * fabs(before);
}

static void watched_add(struct watch *watch, const struct watched *watched)
{
    bool moved = false;
    text_add(watch->out, "  %-44s", watched->name);
    for (u32 i = 0; i < watch->runs; i++) {
        char value[40] = "undefined", change[32] = "";
        if (watched->defined[i])
            snprintf(value, sizeof value, "%.9g", watched->value[i]);
        if (watched->defined[i] && watched->defined[0])
            change_text(watched->value[0], watched->value[i], change, sizeof change);
        text_add(watch->out, " %20s", value);
        if (!i)
            continue;
        bool here = watched_moved(watch, watched, i);
        text_add(watch->out, " %10s", change);
        watch->moved += here;
        moved = moved || here;
    }
    text_add(watch->out, "%s\n", moved ? "  <- moved" : "");
}

static bool summary_unknown(const char *folder, const char *name, json_t *summary,
                            struct ogv_error *error)
{
    struct nearest nearest;
    char hint[128];
    const char *key;
    json_t *value;
    nearest_init(&nearest, name);
    json_object_foreach(summary, key, value) nearest_offer(&nearest, key);
    return error_user(error,
                      "%s: there is no number '%s' in the summary, and statistics of units are "
                      "written DOMAIN.UNIT.STATISTIC%s",
                      folder, name, nearest_hint(&nearest, hint, sizeof hint));
}

static bool compare_summary(struct watch *watch, const struct runs *runs,
                            const char *const *folders, const char *name, struct ogv_error *error)
{
    struct watched watched = { .name = name };
    for (u32 i = 0; i < watch->runs; i++) {
        json_t *summary = json_object_get(runs->stats[i], "summary");
        const json_t *value = json_object_get(summary, name);
        if (!json_is_number(value))
            return summary_unknown(folders[i], name, summary, error);
        watched.value[i] = json_number_value(value);
        watched.defined[i] = true;
    }
    watched_add(watch, &watched);
    return true;
}

static void answers_add(struct watch *watch, struct query_answer *const *answers)
{
    for (u32 row = 0; row < answers[0]->row_count; row++) {
        struct watched watched = { .name = answers[0]->rows[row].name };
        for (u32 i = 0; i < watch->runs; i++)
            for (u32 other = 0; other < answers[i]->row_count; other++)
                if (!strcmp(answers[i]->rows[other].name, watched.name))
                    watched.defined[i] =
                        answer_value(&answers[i]->rows[other], 0, &watched.value[i]);
        watched_add(watch, &watched);
    }
}

static bool compare_pattern(struct watch *watch, const char *const *folders, const char *pattern,
                            struct ogv_error *error)
{
    struct query_answer *answers[COMPARE_RUNS_MAX] = { 0 };
    bool good = true;
    for (u32 i = 0; i < watch->runs && good; i++) {
        struct stats_query query = { .folder = folders[i],
                                     .patterns = &pattern,
                                     .pattern_count = 1 };
        answers[i] = stats_ask(&query, error);
        good = answers[i];
    }
    if (good)
        answers_add(watch, answers);
    for (u32 i = 0; i < watch->runs; i++)
        answer_destroy(answers[i]);
    return good;
}

bool compare_named(const char *const *folders, u32 count, const char *const *names, u32 name_count,
                   double fraction, struct text *out, u32 *moved, struct ogv_error *error)
{
    struct runs runs = { .count = 0 };
    struct watch watch = { out, count, 0, fraction };
    bool good = runs_load(&runs, folders, count, error);
    if (good)
        heading_add(out, count);
    for (u32 i = 0; i < name_count && good; i++)
        good = strchr(names[i], '.') ? compare_pattern(&watch, folders, names[i], error)
                                     : compare_summary(&watch, &runs, folders, names[i], error);
    runs_free(&runs);
    *moved = watch.moved;
    return good;
}
