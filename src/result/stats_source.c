/* stats_source.c - reads stats.json into types with their statistics and units with their
 * counters; names point into the JSON tree, which stays open as long. */
#include "result/stats_source.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/text.h"
#include "result/folder.h"

/* What a run has not written: perhaps it is under way, perhaps its process is gone. */
static void file_explain_lack(const char *folder, const struct ogv_error *unread,
                              struct ogv_error *error)
{
    char *run = text_format("%s/run.json", folder);
    const char *why = !file_exists(run) ? "is this the folder of a run?"
                      : folder_is_busy(folder)
                          ? "the run is still under way (SIGUSR1 to its process "
                            "makes it write stats.json as of now)"
                          : "the run ended without writing it: it was killed, or "
                            "did not keep it";
    if (folder_exists(folder))
        error_user(error, "%s; %s", unread->message, why);
    else
        error_user(error,
                   file_exists(folder) ? "'%s' is a file; the folder of a run is needed"
                                       : "there is no folder '%s'; the folder of a run is needed",
                   folder);
    free(run);
}

json_t *run_file_load(const char *folder, const char *name, struct ogv_error *error)
{
    char *path = text_format("%s/%s", folder, name);
    json_error_t why;
    struct ogv_error unread;
    size_t length;
    char *text = file_read(path, SIZE_MAX, &length, &unread);
    json_t *object = text ? json_loadb(text, length, JSON_REJECT_DUPLICATES, &why) : NULL;
    if (!text)
        file_explain_lack(folder, &unread, error);
    else if (!object)
        error_user(error, "%s:%d:%d: %s", path, why.line, why.column, why.text);
    free(text);
    if (object && !json_is_object(object)) {
        error_user(error, "%s: is not what a run writes", path);
        json_decref(object);
        object = NULL;
    }
    free(path);
    return object;
}

static u32 stat_find(const struct source_type *type, const char *name)
{
    for (u32 i = 0; name && i < type->stat_count; i++)
        if (!strcmp(type->stats[i].name, name))
            return i;
    return UINT32_MAX;
}

static const char *text_or(const json_t *value, const char *otherwise)
{
    return json_is_string(value) ? json_string_value(value) : otherwise;
}

static bool combine_read(const json_t *object, enum source_combine *combine)
{
    static const char *const names[] = { "sum", "mean", "max", "ratio" };
    const char *text = text_or(json_object_get(object, "over_units"), "");
    for (u32 i = 0; i < 4; i++) {
        if (strcmp(names[i], text))
            continue;
        *combine = (enum source_combine)i;
        return true;
    }
    return false;
}

/* Ratios stand behind the statistics that they are made of. */
static bool type_read(struct source_type *type, const char *name, json_t *object)
{
    const char *key;
    json_t *row;
    *type = (struct source_type){ .name = name };
    type->stats = heap_array(json_object_size(object) + 1, sizeof *type->stats);
    json_object_foreach(object, key, row)
    {
        struct source_stat stat = { .name = key,
                                    .measure = text_or(json_object_get(row, "unit"), ""),
                                    .help = text_or(json_object_get(row, "help"), "") };
        if (!combine_read(row, &stat.combine))
            return false;
        if (stat.combine == SOURCE_RATIO) {
            stat.above = stat_find(type, json_string_value(json_object_get(row, "above")));
            stat.below = stat_find(type, json_string_value(json_object_get(row, "below")));
            if (stat.above == UINT32_MAX || stat.below == UINT32_MAX)
                return false;
        }
        type->stats[type->stat_count++] = stat;
    }
    return true;
}

static bool types_read(struct stats_source *source, json_t *object)
{
    const char *key;
    json_t *value;
    source->types = heap_array(json_object_size(object) + 1, sizeof *source->types);
    json_object_foreach(object, key, value)
    {
        if (!type_read(&source->types[source->type_count++], key, value))
            return false;
    }
    return json_is_object(object);
}

static const struct source_type *type_find(const struct stats_source *source, const char *name)
{
    for (u32 i = 0; name && i < source->type_count; i++)
        if (!strcmp(source->types[i].name, name))
            return &source->types[i];
    return NULL;
}

static bool units_read(struct stats_source *source, json_t *object)
{
    const char *key;
    json_t *value;
    source->units = heap_array(json_object_size(object) + 1, sizeof *source->units);
    json_object_foreach(object, key, value)
    {
        const char *type = json_string_value(json_object_get(value, "type"));
        struct source_unit unit = { key, type_find(source, type), value };
        if (!unit.type)
            return false;
        source->units[source->unit_count++] = unit;
    }
    return json_is_object(object);
}

struct stats_source *stats_source_open(const char *folder, struct ogv_error *error)
{
    json_t *object = run_file_load(folder, "stats.json", error);
    if (!object)
        return NULL;
    struct stats_source *source = heap_array(1, sizeof *source);
    source->object = object;
    const json_t *cycles = json_object_get(json_object_get(object, "summary"), "cycles");
    source->cycles = json_is_integer(cycles) ? (cycle)json_integer_value(cycles) : 0;
    if (types_read(source, json_object_get(object, "types")) &&
        units_read(source, json_object_get(object, "units")))
        return source;
    stats_source_close(source);
    error_user(error, "%s/stats.json: is not what a run writes", folder);
    return NULL;
}

void stats_source_close(struct stats_source *source)
{
    if (!source)
        return;
    for (u32 i = 0; i < source->type_count; i++)
        free(source->types[i].stats);
    free(source->types);
    free(source->units);
    json_decref(source->object);
    free(source);
}
