/* figures.c - see figures.h. */
#include "explore/figures.h"

#include <jansson.h>
#include <string.h>

#include "base/path.h"
#include "result/stats_source.h"
#include "result/summary.h"
#include "unit/quantity.h"

#define NAME_BYTES 512

static void value_add(struct text *values, const json_t *value)
{
    text_add(values, "\t");
    if (json_is_integer(value)) {
        text_add(values, "%lld", (long long)json_integer_value(value));
    } else if (json_is_real(value)) {
        real_write(values, json_real_value(value));
    } else if (json_is_boolean(value)) {
        text_add(values, json_is_true(value) ? "true" : "false");
    } else if (json_is_string(value) && !strpbrk(json_string_value(value), "\t\n")) {
        text_add(values, "%s", json_string_value(value));
    } else {
        text_add(values, "-");
    }
}

static void summary_add(struct figure_lines *lines, const json_t *summary)
{
    const char *name;
    json_t *value;
    json_object_foreach((json_t *)(uintptr_t)summary, name, value)
    {
        const struct summary_figure *figure = summary_find(name);
        if (figure && figure->of_host)
            continue;
        text_add(&lines->names, "%s\t%s\n", name, figure ? figure->measure : "");
        value_add(&lines->values, value);
    }
}

static void group_add(struct figure_lines *lines, const char *path, const json_t *group,
                      const json_t *types)
{
    char plain[NAME_BYTES];
    const char *name, *type = json_string_value(json_object_get(group, "type"));
    const json_t *rows = type ? json_object_get(types, type) : NULL;
    json_t *value;
    path_plain(path, "", plain, sizeof plain);
    json_object_foreach((json_t *)(uintptr_t)group, name, value)
    {
        if (!strcmp(name, "type"))
            continue;
        const char *unit = json_string_value(json_object_get(json_object_get(rows, name), "unit"));
        text_add(&lines->names, "%s.%s\t%s\n", plain, name, unit ? unit : "");
        value_add(&lines->values, value);
    }
}

bool figures_read(const char *folder, struct figure_lines *lines, struct ogv_error *error)
{
    json_t *stats = run_file_load(folder, "stats.json", error);
    const json_t *types = json_object_get(stats, "types");
    const char *path;
    json_t *group;
    *lines = (struct figure_lines){ 0 };
    if (!stats)
        return false;
    summary_add(lines, json_object_get(stats, "summary"));
    json_object_foreach(json_object_get(stats, "groups"), path, group)
        group_add(lines, path, group, types);
    json_decref(stats);
    return true;
}

void figures_fini(struct figure_lines *lines)
{
    text_fini(&lines->names);
    text_fini(&lines->values);
}
