/* compare.c - see compare.h. Two JSON trees are walked side by side; leaves that differ become
 * lines of a table. */
#include "run/compare.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "ogive/types.h"

#define COMPARE_DEPTH_MAX 16

struct table {
    struct text *out;
    const char *title;
    u32 lines;
};

static json_t *file_load(const char *folder, const char *name, struct ogv_error *error)
{
    char *path = text_format("%s/%s", folder, name);
    json_error_t why;
    json_t *object = json_load_file(path, JSON_REJECT_DUPLICATES, &why);
    if (!object && why.line > 0)
        error_user(error, "%s:%d:%d: %s", path, why.line, why.column, why.text);
    else if (!object)
        error_user(error, "%s: %s; is this the folder of a run?", path, why.text);
    if (object && !json_is_object(object)) {
        error_user(error, "%s: is not what a run writes", path);
        json_decref(object);
        object = NULL;
    }
    free(path);
    return object;
}

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

static void table_line(struct table *table, const char *path, const json_t *left,
                       const json_t *right)
{
    char a[128], b[128], change[32] = "";
    leaf_text(left, a, sizeof a);
    leaf_text(right, b, sizeof b);
    double x = json_number_value(left), y = json_number_value(right);
    if (json_is_number(left) && json_is_number(right) && fabs(x) > 0)
        snprintf(change, sizeof change, "%+.2f%%", (y - x) / x * 100);
    if (!table->lines++)
        text_add(table->out, "\n%s that differ:\n", table->title);
    text_add(table->out, "  %-44s %20s %20s %10s\n", path, a, b, change);
}

static void walk(struct table *table, const char *path, const json_t *left, const json_t *right,
                 u32 depth);

static void walk_object(struct table *table, const char *path, const json_t *left,
                        const json_t *right, u32 depth)
{
    const char *key;
    json_t *value;
    const json_t *sides[] = { left, right };
    for (u32 side = 0; side < 2; side++) {
        json_object_foreach((json_t *)(uintptr_t)sides[side], key, value)
        {
            const json_t *other = json_object_get(sides[!side], key);
            if (side == 1 && other)
                continue; /* seen from the left */
            char *below = *path ? text_format("%s.%s", path, key) : heap_copy(key);
            walk(table, below, side ? other : value, side ? value : other, depth + 1);
            free(below);
        }
    }
}

static void walk_array(struct table *table, const char *path, const json_t *left,
                       const json_t *right, u32 depth)
{
    size_t count = max_u64(json_array_size(left), json_array_size(right));
    for (size_t i = 0; i < count; i++) {
        char *below = text_format("%s[%zu]", path, i);
        walk(table, below, json_array_get(left, i), json_array_get(right, i), depth + 1);
        free(below);
    }
}

static void walk(struct table *table, const char *path, const json_t *left, const json_t *right,
                 u32 depth)
{
    if (depth > COMPARE_DEPTH_MAX)
        return;
    const json_t *any = left ? left : right;
    if (json_is_object(any) && (!left || !right || json_is_object(right)))
        walk_object(table, path, left, right, depth);
    else if (json_is_array(any) && (!left || !right || json_is_array(right)))
        walk_array(table, path, left, right, depth);
    else if (!left || !right || !json_equal(left, right))
        table_line(table, path, left, right);
}

static u32 compare_part(struct text *out, const char *title, const json_t *left,
                        const json_t *right, const char *key)
{
    struct table table = { out, title, 0 };
    walk(&table, "", json_object_get(left, key), json_object_get(right, key), 0);
    return table.lines;
}

struct pair {
    json_t *left, *right;
};

static bool pair_load(struct pair *pair, const char *left, const char *right, const char *name,
                      struct ogv_error *error)
{
    pair->left = file_load(left, name, error);
    pair->right = pair->left ? file_load(right, name, error) : NULL;
    return pair->right;
}

static void pair_free(struct pair *pair)
{
    json_decref(pair->left);
    json_decref(pair->right);
}

bool compare_runs(const char *left, const char *right, const struct compare_options *options,
                  struct text *out, bool *same, struct ogv_error *error)
{
    struct pair run = { 0 }, stats = { 0 };
    bool good = pair_load(&run, left, right, "run.json", error) &&
                pair_load(&stats, left, right, "stats.json", error);
    if (good) {
        text_add(out, "  %-44s %20s %20s %10s\n", "", "A", "B", "B vs A");
        compare_part(out, "Summary values", stats.left, stats.right, "summary");
        u32 lines = compare_part(out, "Parameters", run.left, run.right, "parameters");
        lines += compare_part(out, "Links", run.left, run.right, "links");
        lines += compare_part(out, "Statistics of groups", stats.left, stats.right, "groups");
        if (options->units)
            lines += compare_part(out, "Statistics of units", stats.left, stats.right, "units");
        *same = lines == 0;
        if (*same)
            text_add(out, "\nAll parameters and statistics are the same.\n");
    }
    pair_free(&run);
    pair_free(&stats);
    return good;
}
