/* ray_traces.c - checks ray_traces.json, which may come from anybody, and chooses the rays that the
 * page shows. */
#include "report/ray_traces.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"

#define FILE_MAX (256 * MiB)

struct ray {
    json_t *object;
    json_int_t length;
    size_t events, place; /* how many; in the file */
    bool ended;
};

struct showing {
    json_t *file;
    json_t *reasons;
    json_int_t *totals; /* by reason */
    struct ray *rays;
    size_t count;
    u64 events;
};

/* ---- Nothing is believed ---- */

static bool number_in(const json_t *object, const char *key, json_int_t least, json_int_t *value)
{
    const json_t *number = json_object_get(object, key);
    *value = json_integer_value(number);
    return json_is_integer(number) && *value >= least;
}

static bool event_check(const struct showing *showing, const json_t *event, json_int_t *at)
{
    size_t size = json_array_size(event);
    if (size != 3 && size != 6)
        return false;
    for (size_t i = 0; i < size; i++) {
        const json_t *number = json_array_get(event, i);
        if (!json_is_integer(number) || json_integer_value(number) < 0)
            return false;
    }
    json_int_t begin = json_integer_value(json_array_get(event, 0));
    json_int_t cycles = json_integer_value(json_array_get(event, 1));
    u64 reason = (u64)json_integer_value(json_array_get(event, 2));
    if (begin != *at || cycles > INT64_MAX - begin || reason >= json_array_size(showing->reasons))
        return false;
    *at += cycles;
    return true;
}

/* Events follow each other, up to the end unless some were lost. */
static bool events_check(const struct showing *showing, const json_t *events, json_int_t begin,
                         json_int_t end, bool whole)
{
    json_int_t at = begin;
    if (!json_is_array(events))
        return false;
    for (size_t i = 0; i < json_array_size(events); i++)
        if (!event_check(showing, json_array_get(events, i), &at))
            return false;
    return whole ? at == end : at <= end;
}

/* Cycles by reason add up to the length. */
static bool cycles_check(struct showing *showing, const json_t *cycles, json_int_t length)
{
    size_t known = 0;
    for (size_t i = 0; i < json_array_size(showing->reasons); i++) {
        const json_t *reason = json_array_get(showing->reasons, i);
        const char *name = json_string_value(json_object_get(reason, "name"));
        json_int_t part;
        if (!name || !json_object_get(cycles, name))
            continue;
        if (!number_in(cycles, name, 0, &part) || part > length)
            return false;
        length -= part;
        showing->totals[i] += part;
        known++;
    }
    return length == 0 && known == json_object_size(cycles);
}

static bool ray_check(struct showing *showing, json_t *object)
{
    const json_t *events = json_object_get(object, "events");
    const json_t *ended = json_object_get(object, "ended");
    json_int_t begin, end, lost, number;
    if (!json_is_string(json_object_get(object, "unit")) || !json_is_boolean(ended) ||
        !json_is_string(json_object_get(object, "kind")) ||
        !number_in(object, "number", 0, &number) || !number_in(object, "lost", 0, &lost) ||
        !number_in(object, "begin", 0, &begin) || !number_in(object, "end", begin, &end) ||
        !events_check(showing, events, begin, end, !lost) ||
        !cycles_check(showing, json_object_get(object, "cycles"), end - begin))
        return false;
    showing->rays[showing->count] = (struct ray){ .object = object,
                                                  .length = end - begin,
                                                  .events = json_array_size(events),
                                                  .place = showing->count,
                                                  .ended = json_is_true(ended) };
    showing->count++;
    showing->events += json_array_size(events);
    return true;
}

static bool file_check(struct showing *showing)
{
    const json_t *file = showing->file, *rays = json_object_get(file, "rays");
    json_int_t value;
    showing->reasons = json_object_get(file, "reasons");
    showing->rays = heap_array(json_array_size(rays) + 1, sizeof *showing->rays);
    showing->totals = heap_array(json_array_size(showing->reasons) + 1, sizeof *showing->totals);
    if (!json_is_array(rays) || !json_array_size(showing->reasons) ||
        !number_in(file, "asked", 1, &value) || !number_in(file, "rays_in_all", 0, &value) ||
        !number_in(file, "events_lost", 0, &value))
        return false;
    for (size_t i = 0; i < json_array_size(rays); i++)
        if (!ray_check(showing, json_array_get(rays, i)))
            return false;
    return true;
}

/* ---- What goes into the page ---- */

static int longer_first(const void *a, const void *b)
{
    const struct ray *x = a, *y = b;
    if (x->length != y->length)
        return x->length < y->length ? 1 : -1;
    return (x->place > y->place) - (x->place < y->place);
}

/* Of those that ended; the rays stand in the order of their lengths. */
static json_t *median(const struct showing *showing)
{
    size_t ended = 0, place = 0;
    for (size_t i = 0; i < showing->count; i++)
        ended += showing->rays[i].ended;
    for (size_t i = 0; i < showing->count; i++)
        if (showing->rays[i].ended && place++ == ended / 2)
            return json_integer(showing->rays[i].length);
    return json_null();
}

static json_t *totals(const struct showing *showing)
{
    json_t *object = json_object();
    for (size_t i = 0; i < json_array_size(showing->reasons); i++) {
        const json_t *reason = json_array_get(showing->reasons, i);
        const char *name = json_string_value(json_object_get(reason, "name"));
        if (name)
            json_object_set_new(object, name, json_integer(showing->totals[i]));
    }
    return object;
}

/* If not all fit, every so many-th, so that there are long and short ones. */
static json_t *rays_chosen(const struct showing *showing, u64 events_max)
{
    json_t *list = json_array();
    u64 step = showing->events / events_max + 1, left = events_max;
    for (size_t i = 0; i < showing->count; i += step) {
        if (showing->rays[i].events > left)
            continue;
        left -= showing->rays[i].events;
        json_array_append(list, showing->rays[i].object);
    }
    return list;
}

static json_t *showing_json(struct showing *showing, u64 events_max)
{
    static const char *const copied[] = { "asked", "rays_in_all", "events_lost", "tree",
                                          "reasons" };
    json_t *object = json_object();
    qsort(showing->rays, showing->count, sizeof *showing->rays, longer_first);
    for (u32 i = 0; i < sizeof copied / sizeof *copied; i++)
        if (json_object_get(showing->file, copied[i]))
            json_object_set(object, copied[i], json_object_get(showing->file, copied[i]));
    json_object_set_new(object, "kept", json_integer((json_int_t)showing->count));
    json_object_set_new(object, "median", median(showing));
    json_object_set_new(object, "totals", totals(showing));
    json_object_set_new(object, "rays", rays_chosen(showing, events_max));
    return object;
}

static json_t *file_show(const char *path, u64 bytes, u64 events_max)
{
    struct showing showing = { 0 };
    json_t *object;
    if (bytes > FILE_MAX)
        return json_pack("{s:s}", "problem", "ray_traces.json is too large for a page");
    showing.file = json_load_file(path, JSON_REJECT_DUPLICATES, NULL);
    if (showing.file && file_check(&showing))
        object = showing_json(&showing, events_max);
    else
        object = json_pack("{s:s}", "problem",
                           "ray_traces.json is not what `ogive run --trace-rays` wrote");
    free(showing.rays);
    free(showing.totals);
    json_decref(showing.file);
    return object;
}

void ray_traces_show(const struct result *result, u64 events_max, struct text *json)
{
    char *path = text_format("%s/ray_traces.json", result->folder);
    u64 bytes;
    json_t *object = file_size(path, &bytes) ? file_show(path, bytes, events_max) : NULL;
    char *text = object ? json_dumps(object, JSON_COMPACT | JSON_REAL_PRECISION(9)) : NULL;
    text_add(json, "%s", text ? text : "null");
    free(text);
    json_decref(object);
    free(path);
}
