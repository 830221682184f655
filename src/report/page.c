/* page.c - see page.h.
 *
 * The page is report/page.html with what it needs put in: style, scripts, the library that draws
 * charts, and the data as JSON. Nothing in the data can end the element it stands in: `<` is
 * written as an escape. */
#include "report/page.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "base/shipped.h"
#include "base/text.h"
#include "report/bottleneck.h"
#include "report/calls.h"
#include "report/ray_traces.h"
#include "report/samples.h"
#include "report/traffic.h"

#define EXACT_MAX    (INT64_C(1) << 53)
#define TEMPLATE_MAX (1 * MiB)
#define LIBRARY_MAX  (4 * MiB)
#define PICTURE_MAX  (2 * MiB)
#define NUMBERS_MAX  800000    /* values of series in a page */
#define CELLS_MAX    (2 * MiB) /* bytes of units' cells in a page */
#define EVENTS_MAX   40000     /* of rays, in a page */

/* ---- Data ---- */

static void json_add(struct text *data, json_t *value)
{
    char *text =
        value ? json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY | JSON_REAL_PRECISION(12)) : NULL;
    text_add(data, "%s", text ? text : "null");
    free(text);
}

/* A PNG of the folder as a data address; null if there is none, false if it is too large. */
static void picture_add(struct text *data, const struct result *result, const char *name)
{
    char *path = text_format("%s/%s", result->folder, name);
    u64 bytes = 0;
    size_t length = 0;
    struct ogv_error ignored;
    bool there = file_size(path, &bytes);
    char *picture =
        there && bytes <= PICTURE_MAX ? file_read(path, PICTURE_MAX, &length, &ignored) : NULL;
    if (picture && length > 8 && !memcmp(picture, "\x89PNG\r\n\x1a\n", 8)) {
        text_add(data, "\"data:image/png;base64,");
        text_add_base64(data, (const u8 *)picture, length);
        text_add(data, "\"");
    } else {
        text_add(data, there && bytes > PICTURE_MAX ? "false" : "null");
    }
    free(picture);
    free(path);
}

/* The statistics of all groups. JavaScript's numbers are exact up to 2^53: larger ones are text. */
static json_t *stats_exact(const json_t *groups)
{
    json_t *copy = json_deep_copy(groups), *group, *value;
    const char *path, *name;
    void *next;
    json_object_foreach(copy, path, group)
    {
        json_object_foreach_safe(group, next, name, value)
        {
            if (!json_is_integer(value) || json_integer_value(value) <= EXACT_MAX)
                continue;
            char *digits = text_format("%lld", (long long)json_integer_value(value));
            json_object_set_new(group, name, json_string(digits));
            free(digits);
        }
    }
    return copy;
}

static void groups_add(struct text *data, const struct result *result)
{
    for (u32 i = 0; i < result->group_count; i++) {
        const struct result_group *group = &result->groups[i];
        json_t *row = json_pack("{s:s, s:s, s:s, s:i, s:i}", "name", group->name, "path",
                                group->path, "type", group->type, "copies", (int)group->copies,
                                "domains", (int)group->domain_copies);
        text_add(data, i ? ",\n" : "\n");
        json_add(data, row);
        json_decref(row);
    }
}

/* What is known of a run from its beginning. */
static void run_describe(struct text *data, const struct result *result)
{
    json_t *folder = json_string(result->folder);
    text_add(data, "\"folder\":");
    json_add(data, folder);
    text_add(data, ",\n\"run\":");
    json_add(data, result->run);
    text_add(data, ",\n\"types\":");
    json_add(data, json_object_get(result->stats, "types"));
    text_add(data, ",\n\"groups\":[");
    groups_add(data, result);
    text_add(data, "]");
    json_decref(folder);
}

static bool run_add(struct text *data, const struct result *result,
                    const struct bottleneck *bottleneck, u32 runs, struct ogv_error *error)
{
    json_t *found = bottleneck_json(bottleneck);
    json_t *stats = stats_exact(json_object_get(result->stats, "groups"));
    text_add(data, "{");
    run_describe(data, result);
    text_add(data, ",\n\"summary\":");
    json_add(data, json_object_get(result->stats, "summary"));
    text_add(data, ",\n\"energy\":");
    json_add(data, json_object_get(result->stats, "energy"));
    text_add(data, ",\n\"stats\":");
    json_add(data, stats);
    text_add(data, ",\n\"bottleneck\":");
    json_add(data, found);
    text_add(data, ",\n\"image\":");
    picture_add(data, result, "image.png");
    text_add(data, ",\n\"heatmap\":");
    picture_add(data, result, "heatmap.png");
    json_decref(found);
    json_decref(stats);
    text_add(data, ",\n\"calls\":");
    calls_write(result, data);
    text_add(data, ",\n\"traffic\":");
    traffic_show(result, data);
    text_add(data, ",\n\"traces\":");
    ray_traces_show(result, EVENTS_MAX / runs, data);
    text_add(data, ",\n\"series\":");
    if (!samples_write(result, NUMBERS_MAX / runs, data, error))
        return false;
    text_add(data, ",\n\"cells\":");
    bool good = cells_write(result, bottleneck, CELLS_MAX / runs, data, error);
    text_add(data, "}");
    return good;
}

/* `unwritten` is filled in if bottleneck.json is not what it should be. The run's folder may be on
 * a medium that cannot be written: then it stays as it is. */
static bool folder_add(struct text *data, const char *folder, u32 runs, struct ogv_error *unwritten,
                       struct ogv_error *error)
{
    struct result *result = result_open(folder, error);
    if (!result)
        return false;
    struct bottleneck *bottleneck = bottleneck_find(result);
    if (access(folder, W_OK) == 0)
        bottleneck_write(result, bottleneck, unwritten);
    bool good = run_add(data, result, bottleneck, runs, error);
    bottleneck_free(bottleneck);
    result_close(result);
    return good;
}

/* ---- The page ---- */

static char *part_read(const char *name, struct ogv_error *error)
{
    char *below = text_format("report/%s", name);
    char *path = shipped_find(below);
    size_t length;
    char *text = NULL;
    if (path)
        text = file_read(path, TEMPLATE_MAX, &length, error);
    else
        error_system(error,
                     "%s was not found; it comes with the program: if that was moved, say where "
                     "the rest is in OGIVE_HOME",
                     below);
    free(path);
    free(below);
    return text;
}

/* Empty if the library is not installed. */
static char *library_read(void)
{
    static const char *const places[] = { "/usr/share/javascript/d3/d3.min.js",
                                          "/usr/local/share/javascript/d3/d3.min.js" };
    const char *given = getenv("OGIVE_D3");
    struct ogv_error ignored;
    size_t length;
    char *text = NULL;
    if (given)
        text = file_read(given, LIBRARY_MAX, &length, &ignored);
    for (u32 i = 0; !given && !text && i < sizeof places / sizeof *places; i++)
        text = file_read(places[i], LIBRARY_MAX, &length, &ignored);
    if (text && !strstr(text, "</script"))
        return text;
    free(text);
    return heap_copy("");
}

/* `<` as an escape of JSON. */
static void data_add(struct text *page, const char *data)
{
    while (*data) {
        size_t plain = strcspn(data, "<");
        text_add_bytes(page, data, plain);
        data += plain;
        if (*data) {
            text_add(page, "\\u003c");
            data++;
        }
    }
}

#define MARK_MAX 32

/* What stands in a mark's place, if it is not a file. */
struct filling {
    const char *data, *library;
    const char *nonce; /* NULL: there is none */
};

static bool mark_add(struct text *page, const char *mark, const struct filling *filling,
                     struct ogv_error *error)
{
    if (!strcmp(mark, "data")) {
        data_add(page, filling->data);
        return true;
    }
    bool library = !strcmp(mark, "library"), nonce = filling->nonce && !strcmp(mark, "nonce");
    char *part = library ? heap_copy(filling->library)
                 : nonce ? heap_copy(filling->nonce)
                         : part_read(mark, error);
    if (part)
        text_add_bytes(page, part, strlen(part));
    free(part);
    return part;
}

/* The template with each {{mark}} replaced. */
static bool page_fill(struct text *page, const char *name, const struct filling *filling,
                      struct ogv_error *error)
{
    char mark[MARK_MAX], *template = part_read(name, error);
    const char *open, *rest = template;
    bool good = template;
    while (good && (open = strstr(rest, "{{"))) {
        const char *close = strstr(open, "}}");
        size_t length = close ? (size_t)(close - open) - 2 : MARK_MAX;
        if (length >= MARK_MAX) {
            good = error_system(error, "report/%s: a mark does not end", name);
            break;
        }
        snprintf(mark, sizeof mark, "%.*s", (int)length, open + 2);
        text_add_bytes(page, rest, (size_t)(open - rest));
        good = mark_add(page, mark, filling, error);
        rest = close + 2;
    }
    if (good)
        text_add_bytes(page, rest, strlen(rest));
    free(template);
    return good;
}

bool page_put_together(const char *template, const char *data, const char *file, bool *charts,
                       struct ogv_error *error)
{
    struct text page = { 0 };
    char *library = library_read();
    struct filling filling = { data, library, NULL };
    *charts = *library;
    bool good = page_fill(&page, template, &filling, error) &&
                file_write(file, text_get(&page), page.length, error);
    text_fini(&page);
    free(library);
    return good;
}

static void data_begin(struct text *data)
{
    text_add(data, "{\"ogive\":\"%s\",\"package\":\"%s\",\"runs\":[", OGV_VERSION,
             PAGE_LIBRARY_PACKAGE);
}

bool page_live(const struct result *result, const char *columns, const char *nonce,
               struct text *page, struct ogv_error *error)
{
    struct text data = { 0 };
    char *library = library_read();
    data_begin(&data);
    text_add(&data, "{");
    run_describe(&data, result);
    text_add(&data, ",\n\"columns\":%s}]}", columns);
    struct filling filling = { text_get(&data), library, nonce };
    bool good = page_fill(page, "live.html", &filling, error);
    text_fini(&data);
    free(library);
    return good;
}

bool page_write(const char *const *folders, u32 folder_count, const char *file, bool *charts,
                struct ogv_error *error)
{
    struct text data = { 0 };
    struct ogv_error unwritten = { 0 };
    bool good =
        folder_count <= PAGE_RUNS_MAX ||
        error_user(error, "a report shows at most %d runs, not %u", PAGE_RUNS_MAX, folder_count);
    data_begin(&data);
    for (u32 i = 0; good && i < folder_count; i++) {
        text_add(&data, i ? ",\n" : "\n");
        good = folder_add(&data, folders[i], folder_count, &unwritten, error);
    }
    text_add(&data, "]}");
    good = good && page_put_together("page.html", text_get(&data), file, charts, error);
    text_fini(&data);
    if (good && unwritten.kind)
        *error = unwritten;
    return good && !unwritten.kind;
}
