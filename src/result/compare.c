/* compare.c - see compare.h. JSON trees are walked side by side; leaves that differ become lines of
 * a table. */
#include "result/compare.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "ogive/types.h"
#include "result/stats_query.h"
#include "result/stats_source.h"

#define COMPARE_DEPTH_MAX 16

struct table {
    struct text *out;
    const char *title;
    u32 runs, lines;
};

/* The same place in each run; NULL where there is none. */
struct leaves {
    const json_t *of[COMPARE_RUNS_MAX];
};

static void leaf_text(const json_t *leaf, char *buffer, size_t size)
{
    if (!leaf)
        snprintf(buffer, size, "-");
    else if (json_is_string(leaf))
        snprintf(buffer, size, "%s", json_string_value(leaf));
    else if (json_is_integer(leaf))
        snprintf(buffer, size, "%lld", (long long)json_integer_value(leaf));
    else if (json_is_real(leaf))
        snprintf(buffer, size, "%.6g", json_real_value(leaf));
    else
        snprintf(buffer, size, "%s",
                 json_is_true(leaf)    ? "true"
                 : json_is_false(leaf) ? "false"
                 : json_is_null(leaf)  ? "undefined"
                                       : "?");
}

/* "" where there is nothing to divide by. */
static void change_text(double before, double now, char *buffer, size_t size)
{
    buffer[0] = 0;
    if (fabs(before) > 0)
        snprintf(buffer, size, "%+.2f%%", (now - before) / before * 100);
}

static void table_line(struct table *table, const char *path, const struct leaves *leaves)
{
    char value[128], change[32];
    const json_t *first = leaves->of[0];
    if (!table->lines++)
        text_add(table->out, "\n%s that differ:\n", table->title);
    leaf_text(first, value, sizeof value);
    text_add(table->out, "  %-44s %20s", path, value);
    for (u32 i = 1; i < table->runs; i++) {
        const json_t *leaf = leaves->of[i];
        leaf_text(leaf, value, sizeof value);
        change[0] = 0;
        if (json_is_number(first) && json_is_number(leaf))
            change_text(json_number_value(first), json_number_value(leaf), change, sizeof change);
        text_add(table->out, " %20s %10s", value, change);
    }
    text_add(table->out, "\n");
}

static void walk(struct table *table, const char *path, const struct leaves *leaves, u32 depth);

/* Whether a run before this one has the key too: it has been seen from there. */
static bool seen_before(const struct leaves *leaves, u32 run, const char *key)
{
    for (u32 i = 0; i < run; i++)
        if (json_object_get(leaves->of[i], key))
            return true;
    return false;
}

static void walk_object(struct table *table, const char *path, const struct leaves *leaves,
                        u32 depth)
{
    const char *key;
    json_t *value;
    for (u32 run = 0; run < table->runs; run++) {
        json_object_foreach((json_t *)(uintptr_t)leaves->of[run], key, value)
        {
            struct leaves below = { 0 };
            if (seen_before(leaves, run, key))
                continue;
            for (u32 i = 0; i < table->runs; i++)
                below.of[i] = json_object_get(leaves->of[i], key);
            char *name = *path ? text_format("%s.%s", path, key) : heap_copy(key);
            walk(table, name, &below, depth + 1);
            free(name);
        }
    }
}

static void walk_array(struct table *table, const char *path, const struct leaves *leaves,
                       u32 depth)
{
    size_t count = 0;
    for (u32 i = 0; i < table->runs; i++)
        count = max_u64(count, json_array_size(leaves->of[i]));
    for (size_t at = 0; at < count; at++) {
        struct leaves below = { 0 };
        for (u32 i = 0; i < table->runs; i++)
            below.of[i] = json_array_get(leaves->of[i], at);
        char *name = text_format("%s[%zu]", path, at);
        walk(table, name, &below, depth + 1);
        free(name);
    }
}

/* All that are there are of this kind. */
static bool all_are(const struct table *table, const struct leaves *leaves, json_type type)
{
    bool any = false;
    for (u32 i = 0; i < table->runs; i++) {
        if (leaves->of[i] && json_typeof(leaves->of[i]) != type)
            return false;
        any = any || leaves->of[i];
    }
    return any;
}

static bool all_equal(const struct table *table, const struct leaves *leaves)
{
    for (u32 i = 1; i < table->runs; i++) {
        const json_t *a = leaves->of[0], *b = leaves->of[i];
        if (!a != !b || (a && !json_equal(a, b)))
            return false;
    }
    return true;
}

static void walk(struct table *table, const char *path, const struct leaves *leaves, u32 depth)
{
    if (depth > COMPARE_DEPTH_MAX)
        return;
    if (all_are(table, leaves, JSON_OBJECT))
        walk_object(table, path, leaves, depth);
    else if (all_are(table, leaves, JSON_ARRAY))
        walk_array(table, path, leaves, depth);
    else if (!all_equal(table, leaves))
        table_line(table, path, leaves);
}

struct runs {
    json_t *run[COMPARE_RUNS_MAX], *stats[COMPARE_RUNS_MAX];
    u32 count;
};

static u32 compare_part(struct text *out, const char *title, json_t *const *files, u32 count,
                        const char *key)
{
    struct table table = { out, title, count, 0 };
    struct leaves leaves = { 0 };
    for (u32 i = 0; i < count; i++)
        leaves.of[i] = json_object_get(files[i], key);
    walk(&table, "", &leaves, 0);
    return table.lines;
}

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
        compare_part(out, "Summary values", runs.stats, count, "summary");
        u32 lines = compare_part(out, "Parameters", runs.run, count, "parameters");
        lines += compare_part(out, "Links", runs.run, count, "links");
        lines += compare_part(out, "Statistics of groups", runs.stats, count, "groups");
        if (options->units)
            lines += compare_part(out, "Statistics of units", runs.stats, count, "units");
        *same = lines == 0;
        if (*same)
            text_add(out, "\nAll parameters and statistics are the same.\n");
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
