/* library.c - the part of ogive/ogive.h that is about results: folders of runs, opened and asked.
 *
 * run.json and stats.json are read once, when a folder is opened; intervals are read when they are
 * asked for. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/path.h"
#include "base/text.h"
#include "result/stats_query.h"
#include "result/stats_source.h"

#define PATH_BYTES 256

struct ogv_result {
    char *folder;
    json_t *run;
    struct stats_source *stats;
};

ogv_result *ogv_result_open(const char *folder, struct ogv_error *error)
{
    ogv_result *result = heap_array(1, sizeof *result);
    result->folder = heap_copy(folder);
    result->run = run_file_load(folder, "run.json", error);
    result->stats = result->run ? stats_source_open(folder, error) : NULL;
    if (result->stats)
        return result;
    ogv_result_close(result);
    return NULL;
}

void ogv_result_close(ogv_result *result)
{
    if (!result)
        return;
    free(result->folder);
    json_decref(result->run);
    stats_source_close(result->stats);
    free(result);
}

/* ---- What was run ---- */

char *ogv_result_record(const ogv_result *result)
{
    char *text = json_dumps(result->run, JSON_INDENT(1));
    return text ? text : heap_copy("{}");
}

/* The nearest name to one that an object does not have. */
static bool name_unknown(const ogv_result *result, const char *path, const char *what,
                         const char *typed, json_t *object, struct ogv_error *error)
{
    struct nearest nearest;
    char hint[PATH_BYTES];
    const char *known;
    json_t *value;
    nearest_init(&nearest, typed);
    json_object_foreach(object, known, value) nearest_offer(&nearest, known);
    return error_user(error, "%s: %s has no %s '%s'%s", path, result->folder, what, typed,
                      nearest_hint(&nearest, hint, sizeof hint));
}

char *ogv_result_parameter(const ogv_result *result, const char *path, struct ogv_error *error)
{
    char plain[PATH_BYTES];
    json_t *units = json_object_get(result->run, "parameters");
    path_plain(path, "", plain, sizeof plain);
    char *dot = strrchr(plain, '.');
    if (!dot || strlen(path) >= sizeof plain) {
        error_user(error, "%s: a parameter is written DOMAIN.UNIT.NAME, as in sm.l1.size", path);
        return NULL;
    }
    *dot = 0;
    json_t *unit = json_object_get(units, plain), *value = json_object_get(unit, dot + 1);
    if (!unit)
        name_unknown(result, path, "unit", plain, units, error);
    else if (!value)
        name_unknown(result, path, "parameter", dot + 1, unit, error);
    if (!value)
        return NULL;
    return json_is_string(value) ? heap_copy(json_string_value(value))
                                 : json_dumps(value, JSON_ENCODE_ANY);
}

/* ---- What came out ---- */

static struct query_answer *result_query(const ogv_result *result, const struct ogv_query *query,
                                         struct ogv_error *error)
{
    static const enum query_combine combines[] = { QUERY_NATURAL, QUERY_EACH, QUERY_SUM,
                                                   QUERY_MEAN };
    if ((u32)query->combine >= sizeof combines / sizeof *combines) {
        error_user(error, "there is no way %d to combine units", (int)query->combine);
        return NULL;
    }
    const struct stats_query asked = {
        .folder = result->folder,
        .patterns = query->patterns,
        .pattern_count = query->pattern_count,
        .combine = combines[query->combine],
        .group = query->group,
        .per_interval = query->per_interval,
        .ranged = query->from || query->to,
        .from = query->from,
        .to = query->to ? query->to : NEVER,
        .all = true,
    };
    return stats_ask_of(result->stats, &asked, error);
}

static struct ogv_row row_make(const struct query_row *from, u32 intervals)
{
    struct ogv_row row = { .name = heap_copy(from->name),
                           .measure = from->measure,
                           .help = from->help,
                           .words = from->words,
                           .units = from->units,
                           .values = heap_array(intervals, sizeof *row.values) };
    for (u32 i = 0; i < intervals; i++)
        if (from->words || !answer_value(from, i, &row.values[i]))
            row.values[i] = NAN;
    return row;
}

struct ogv_answer *ogv_result_ask(const ogv_result *result, const struct ogv_query *query,
                                  struct ogv_error *error)
{
    struct query_answer *found = result_query(result, query, error);
    if (!found)
        return NULL;
    struct ogv_answer *answer = heap_array(1, sizeof *answer);
    u32 intervals = found->interval_count;
    *answer = (struct ogv_answer){ .row_count = found->row_count,
                                   .interval_count = intervals,
                                   .start = found->start };
    answer->rows = heap_array((size_t)found->row_count + 1, sizeof *answer->rows);
    for (u32 i = 0; i < found->row_count; i++)
        answer->rows[i] = row_make(&found->rows[i], intervals);
    answer->ends = heap_array(intervals, sizeof *answer->ends);
    memcpy(answer->ends, found->ends, intervals * sizeof *answer->ends);
    answer_destroy(found);
    return answer;
}

void ogv_answer_free(struct ogv_answer *answer)
{
    if (!answer)
        return;
    for (u32 i = 0; i < answer->row_count; i++) {
        free((char *)(uintptr_t)answer->rows[i].name);
        free(answer->rows[i].values);
    }
    free(answer->rows);
    free(answer->ends);
    free(answer);
}

bool ogv_result_stat(const ogv_result *result, const char *name, double *value,
                     struct ogv_error *error)
{
    const struct ogv_query query = { .patterns = &name, .pattern_count = 1 };
    struct ogv_answer *answer = ogv_result_ask(result, &query, error);
    bool good = answer;
    if (good && answer->row_count != 1)
        good = error_user(error, "%s: means %u statistics of %s; one is wanted", name,
                          answer->row_count, result->folder);
    else if (good && answer->rows[0].words)
        good = error_user(error, "%s: is '%s' in %s, and no number", name, answer->rows[0].words,
                          result->folder);
    if (good)
        *value = answer->rows[0].values[0];
    ogv_answer_free(answer);
    return good;
}
