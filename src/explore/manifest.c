/* manifest.c - see manifest.h. It is built as JSON, and read from that: what is written is what is
 * used. */
#include "explore/manifest.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/shipped.h"
#include "base/stop.h"
#include "base/text.h"

#define MANIFEST_MAX (1 * GiB)

/* ---- Making ---- */

static json_t *words_json(const char **words, u32 count)
{
    json_t *list = json_array();
    for (u32 i = 0; i < count; i++)
        json_array_append_new(list, json_string(words[i]));
    return list;
}

static json_t *axes_json(const struct study *study)
{
    json_t *axes = json_array();
    for (u32 i = 0; i < study->axis_count; i++) {
        json_t *labels = json_array();
        for (u32 v = 0; v < study->axes[i].count; v++)
            json_array_append_new(labels, json_string(study->axes[i].values[v].label));
        json_array_append_new(
            axes, json_pack("{s:s, s:o}", "name", study->axes[i].name, "values", labels));
    }
    return axes;
}

static json_t *run_json(const struct study *study, const struct point *point,
                        const struct identity *identity)
{
    json_t *at = json_array();
    for (u32 i = 0; i < study->axis_count; i++)
        json_array_append_new(at,
                              point->at[i] == AXIS_NONE ? json_null() : json_integer(point->at[i]));
    return json_pack("{s:s, s:o, s:f, s:o, s:o}", "key", identity->key, "at", at, "memory_bytes",
                     identity->memory_bytes, "words",
                     words_json(identity->words, identity->word_count), "resumed",
                     words_json(identity->resumed, identity->resumed_count));
}

static json_t *study_json(const struct study *study, const struct point_list *points)
{
    char build[HASH_TEXT_BYTES], *file = realpath(study->path, NULL);
    hash_build(build);
    json_t *object = json_pack("{s:s, s:s, s:s, s:s, s:s, s:s}", "ogive", OGV_VERSION, "study",
                               study->name, "about", study->about, "file",
                               file ? file : study->path, "file_hash", study->hash, "build", build);
    json_object_set_new(object, "time_seconds", json_real(study->time_seconds));
    json_object_set_new(object, "limit_bytes", json_integer((json_int_t)study->memory_bytes));
    json_object_set_new(object, "repeats", json_boolean(study->repeats));
    json_object_set_new(object, "excluded", json_integer(points->excluded));
    json_object_set_new(object, "axes", axes_json(study));
    free(file);
    return object;
}

/* ---- Reading ---- */

static const char **words_read(struct region *region, const json_t *list, u32 *count)
{
    *count = (u32)json_array_size(list);
    const char **words = region_alloc(region, *count + 1, sizeof *words);
    for (u32 i = 0; i < *count; i++) {
        words[i] = json_string_value(json_array_get(list, i));
        if (!words[i])
            return NULL;
    }
    return words;
}

static bool axes_fill(struct manifest *manifest)
{
    const json_t *axes = json_object_get(manifest->object, "axes");
    if (json_array_size(axes) > STUDY_AXES_MAX)
        return false;
    manifest->axis_count = (u32)json_array_size(axes);
    for (u32 i = 0; i < manifest->axis_count; i++) {
        struct manifest_axis *axis = &manifest->axes[i];
        const json_t *row = json_array_get(axes, i);
        axis->name = json_string_value(json_object_get(row, "name"));
        axis->labels = words_read(&manifest->region, json_object_get(row, "values"), &axis->count);
        if (!axis->name || !axis->labels)
            return false;
    }
    return true;
}

static bool run_fill(struct manifest *manifest, struct manifest_run *run, const json_t *row)
{
    const json_t *at = json_object_get(row, "at");
    run->key = json_string_value(json_object_get(row, "key"));
    run->memory_bytes = json_number_value(json_object_get(row, "memory_bytes"));
    run->words = words_read(&manifest->region, json_object_get(row, "words"), &run->word_count);
    run->resumed =
        words_read(&manifest->region, json_object_get(row, "resumed"), &run->resumed_count);
    bool good = run->key && strlen(run->key) == HASH_TEXT_BYTES - 1 &&
                strspn(run->key, "0123456789abcdef") == strlen(run->key) && run->words &&
                run->word_count >= 2 && run->resumed;
    for (u32 i = 0; good && i < manifest->axis_count; i++) {
        const json_t *value = json_array_get(at, i);
        run->at[i] = json_is_integer(value) ? (u32)json_integer_value(value) : AXIS_NONE;
        good = run->at[i] == AXIS_NONE || run->at[i] < manifest->axes[i].count;
    }
    return good;
}

static bool manifest_fill(struct manifest *manifest)
{
    const json_t *object = manifest->object, *runs = json_object_get(object, "runs");
    const struct {
        const char *key, **text;
    } texts[] = { { "study", &manifest->study },
                  { "about", &manifest->about },
                  { "file", &manifest->file },
                  { "file_hash", &manifest->file_hash },
                  { "build", &manifest->build } };
    for (u32 i = 0; i < sizeof texts / sizeof *texts; i++) {
        *texts[i].text = json_string_value(json_object_get(object, texts[i].key));
        if (!*texts[i].text)
            return false;
    }
    manifest->time_seconds = json_number_value(json_object_get(object, "time_seconds"));
    manifest->memory_bytes = (u64)json_integer_value(json_object_get(object, "limit_bytes"));
    manifest->repeats = json_is_true(json_object_get(object, "repeats"));
    manifest->excluded = (u32)json_integer_value(json_object_get(object, "excluded"));
    manifest->count = (u32)json_array_size(runs);
    manifest->runs = region_alloc(&manifest->region, manifest->count + 1, sizeof *manifest->runs);
    bool good = axes_fill(manifest);
    for (u32 i = 0; good && i < manifest->count; i++)
        good = run_fill(manifest, &manifest->runs[i], json_array_get(runs, i));
    return good;
}

/* Takes the object. */
static struct manifest *manifest_from(json_t *object, const char *name, struct ogv_error *error)
{
    struct manifest *manifest = heap_array(1, sizeof *manifest);
    manifest->object = object;
    if (manifest_fill(manifest))
        return manifest;
    error_user(error, "%s: is damaged; start the study again", name);
    manifest_destroy(manifest);
    return NULL;
}

void manifest_destroy(struct manifest *manifest)
{
    if (!manifest)
        return;
    region_fini(&manifest->region);
    json_decref(manifest->object);
    free(manifest);
}

/* ---- Of a study ---- */

struct manifest *manifest_of(struct study *study, const struct point_list *points,
                             const struct manifest_listener *listener, struct ogv_error *error)
{
    struct identities *known = identities_create(study);
    json_t *runs = json_array();
    bool good = true;
    for (u32 i = 0; good && i < points->count; i++) {
        struct identity identity;
        good = stop_asked() ? stop_error(error, "the study")
                            : identity_find(known, &points->items[i], &identity, error);
        if (listener)
            listener->progress(listener->context, (double)(i + 1) / points->count);
        if (good)
            json_array_append_new(runs, run_json(study, &points->items[i], &identity));
    }
    identities_destroy(known);
    json_t *object = study_json(study, points);
    json_object_set_new(object, "runs", runs);
    if (good)
        return manifest_from(object, study->path, error);
    json_decref(object);
    return NULL;
}

struct manifest *manifest_make(struct study *study, const struct manifest_listener *listener,
                               struct ogv_error *error)
{
    struct point_list points;
    return study_expand(study, &points, error) ? manifest_of(study, &points, listener, error)
                                               : NULL;
}

/* ---- In the store ---- */

bool manifest_write(const struct store *store, const struct manifest *manifest,
                    struct ogv_error *error)
{
    char *path = text_format("%s/studies/%s.json", store->path, manifest->study);
    char *text = json_dumps(manifest->object, JSON_COMPACT);
    bool good = text && store_put(path, text, strlen(text), error);
    free(text);
    free(path);
    return good;
}

static void study_unknown(const struct store *store, const char *name, struct ogv_error *error)
{
    struct suggestion suggestion = { 0 };
    char hint[300], *folder = text_format("%s/studies", store->path);
    nearest_init(&suggestion.nearest, name);
    folder_list(folder, ".json", suggestion_offer, &suggestion);
    error_user(error, "%s: no study '%s' was started in this store%s", store->path, name,
               nearest_hint(&suggestion.nearest, hint, sizeof hint));
    free(folder);
}

/* The name of a study, given as such or as its file. */
static char *study_name(const char *study)
{
    struct ogv_error ignored;
    struct study *read = file_is_plain(study) ? study_read(study, &ignored) : NULL;
    char *name;
    if (read) {
        name = heap_copy(read->name);
    } else {
        const char *slash = strrchr(study, '/');
        name = heap_copy(slash ? slash + 1 : study);
        size_t length = strlen(name);
        if (length > 5 && !strcmp(name + length - 5, ".yaml"))
            name[length - 5] = 0;
    }
    study_destroy(read);
    return name;
}

struct manifest *manifest_read(const struct store *store, const char *study,
                               struct ogv_error *error)
{
    char *name = study_name(study);
    char *path = text_format("%s/studies/%s.json", store->path, name);
    struct manifest *manifest = NULL;
    size_t length;
    char *text = file_is_plain(path) ? file_read(path, MANIFEST_MAX, &length, error) : NULL;
    json_t *object = text ? json_loadb(text, length, 0, NULL) : NULL;
    if (object)
        manifest = manifest_from(object, path, error);
    else if (text)
        error_user(error, "%s: is damaged; start the study again", path);
    else
        study_unknown(store, name, error);
    free(text);
    free(path);
    free(name);
    return manifest;
}

/* ---- In words ---- */

static void word_quote(struct text *out, const char *word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "_-+=.,:/%@";
    if (*word && strspn(word, plain) == strlen(word)) {
        text_add(out, " %s", word);
        return;
    }
    text_add(out, " '");
    for (; *word; word++)
        text_add_words(out, *word == '\'' ? "'\\''" : (char[]){ *word, 0 });
    text_add(out, "'");
}

char *manifest_command(const struct manifest_run *run)
{
    struct text line = { 0 };
    text_add(&line, "ogive");
    for (u32 i = 0; i < run->word_count; i++)
        word_quote(&line, run->words[i]);
    return line.chars;
}

const char *manifest_label(const struct manifest *manifest, const struct manifest_run *run,
                           u32 axis)
{
    return run->at[axis] == AXIS_NONE ? AXIS_NONE_LABEL
                                      : manifest->axes[axis].labels[run->at[axis]];
}

u32 manifest_run_find(const struct manifest *manifest, const char *key)
{
    for (u32 i = 0; i < manifest->count; i++)
        if (!strncmp(manifest->runs[i].key, key, HASH_TEXT_BYTES - 1))
            return i;
    return UINT32_MAX;
}

u32 manifest_axis_find(const struct manifest *manifest, const char *name)
{
    for (u32 i = 0; i < manifest->axis_count; i++)
        if (!strcmp(manifest->axes[i].name, name))
            return i;
    return UINT32_MAX;
}
