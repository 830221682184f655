/* page.c - the report's page: what is in it is what the folder says, nothing in the folder can get
 * out of the data, and long runs stay small. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <jansson.h>

#include "base/text.h"
#include "report/page.h"
#include "report/samples.h"
#include "stand.h"

#define DATA_OPEN "<script type=\"application/json\" id=\"data\">"

static char *page_make(const char *folder)
{
    char *file = text_format("%s/report.html", folder);
    struct ogv_error error;
    bool charts;
    if (!page_write(&folder, 1, file, &charts, &error))
        fail_msg("%s", error.message);
    free(file);
    return stand_read(folder, "report.html");
}

/* The data of a page; the first run of it. */
static json_t *page_run(const char *page, json_t **data)
{
    const char *open = strstr(page, DATA_OPEN);
    assert_non_null(open);
    open += strlen(DATA_OPEN);
    const char *close = strstr(open, "</script>");
    assert_non_null(close);
    json_error_t why;
    *data = json_loadb(open, (size_t)(close - open), 0, &why);
    if (!*data)
        fail_msg("line %d: %s", why.line, why.text);
    return json_array_get(json_object_get(*data, "runs"), 0);
}

static double at(const json_t *array, size_t index)
{
    return json_number_value(json_array_get(array, index));
}

static void the_page_has_what_the_folder_has(void **state)
{
    (void)state;
    char *folder = stand_made_up();
    char *page = page_make(folder), *json = stand_read(folder, "bottleneck.json");
    json_t *data, *run = page_run(page, &data);
    const json_t *stats = json_object_get(run, "stats");
    assert_true(json_number_value(json_object_get(json_object_get(stats, "sm.l1"), "hits")) == 40);
    const json_t *series = json_object_get(run, "series");
    const json_t *columns = json_object_get(series, "columns");
    assert_true(at(json_object_get(series, "ends"), 1) == 100);
    assert_true(at(json_object_get(columns, "sm.core[*].active"), 0) == 100);
    assert_true(at(json_object_get(columns, "sm.core[*].active"), 1) == 50);
    assert_null(json_object_get(columns, "sm.l1.hit_rate"));
    json_t *found = json_loads(json, 0, NULL);
    assert_non_null(found);
    assert_true(json_equal(found, json_object_get(run, "bottleneck")));
    json_decref(found);
    json_decref(data);
    free(json);
    free(page);
    stand_remove(folder);
}

/* The architecture is called "made <up>". */
static void data_stays_data(void **state)
{
    (void)state;
    char *folder = stand_made_up();
    char *page = page_make(folder);
    json_t *data, *run = page_run(page, &data);
    const json_t *name = json_object_get(json_object_get(run, "run"), "architecture");
    assert_string_equal(json_string_value(name), "made <up>");
    assert_null(strstr(page, "made <up>"));
    assert_non_null(strstr(page, "made \\u003cup>"));
    json_decref(data);
    free(page);
    stand_remove(folder);
}

/* Without the library the page is whole but for the charts, and says so to the caller. */
static void without_the_library(void **state)
{
    (void)state;
    char *folder = stand_made_up(), *file = text_format("%s/report.html", folder);
    struct ogv_error error;
    bool charts = true;
    setenv("OGIVE_D3", "/nowhere/d3.js", 1);
    assert_true(page_write((const char *const *)&folder, 1, file, &charts, &error));
    unsetenv("OGIVE_D3");
    assert_false(charts);
    char *page = stand_read(folder, "report.html");
    json_t *data;
    page_run(page, &data);
    json_decref(data);
    free(page);
    free(file);
    stand_remove(folder);
}

static void damaged_series_are_refused(void **state)
{
    (void)state;
    static const char *const wrong[] = { "cycle,sm.l1.hits\n50,1,2\n",
                                         "cycle,sm.l1.hits\n50,1\n50,2\n",
                                         "cycle,sm.l1.hits\n0,1\n" };
    for (u32 i = 0; i < 3; i++) {
        char *folder = stand_made_up(), *file = text_format("%s/report.html", folder);
        struct ogv_error error;
        bool charts;
        stand_write(folder, "series.csv", wrong[i]);
        assert_false(page_write((const char *const *)&folder, 1, file, &charts, &error));
        assert_non_null(strstr(error.message, "series.csv:"));
        free(file);
        stand_remove(folder);
    }
}

/* A file with two reasons and a ray of two cycles; the test adds another one. */
#define TRACES_HEAD                                                                               \
    "{\"asked\": 2, \"rays_in_all\": 9, \"events_lost\": %s, \"reasons\": ["                      \
    "{\"name\": \"sent\", \"help\": \"a\"}, {\"name\": \"box\", \"help\": \"<b>\"}], \"rays\": [" \
    "{\"unit\": \"rt\", \"kind\": \"trace\", \"number\": 0, \"lost\": 0, \"ended\": true, "       \
    "\"begin\": 5, \"end\": 7, \"cycles\": {\"sent\": 2}, \"events\": [[5, 2, 0]]}, "
#define TRACES_RAY "{\"unit\": \"rt\", \"kind\": \"trace\", \"number\": 4, \"lost\": 0, "

static json_t *page_traces(const char *folder, const char *lost, const char *ray)
{
    char *head = text_format(TRACES_HEAD, lost), *file = text_format("%s%s]}", head, ray);
    stand_write(folder, "ray_traces.json", file);
    char *page = page_make(folder);
    json_t *data, *run = page_run(page, &data), *traces = json_object_get(run, "traces");
    json_incref(traces);
    json_decref(data);
    free(page);
    free(file);
    free(head);
    return traces;
}

static void rays_are_shown_longest_first(void **state)
{
    (void)state;
    char *folder = stand_made_up();
    json_t *traces = page_traces(folder, "0",
                                 TRACES_RAY "\"ended\": true, \"begin\": 1, \"end\": 9, "
                                            "\"cycles\": {\"sent\": 1, \"box\": 7}, "
                                            "\"events\": [[1, 1, 0], [2, 7, 1, 4096, 64, 0]]}");
    const json_t *first = json_array_get(json_object_get(traces, "rays"), 0);
    assert_true(json_number_value(json_object_get(first, "number")) == 4);
    assert_true(json_number_value(json_object_get(traces, "kept")) == 2);
    assert_true(json_number_value(json_object_get(traces, "median")) == 2);
    const json_t *totals = json_object_get(traces, "totals");
    assert_true(json_number_value(json_object_get(totals, "sent")) == 3);
    assert_true(json_number_value(json_object_get(totals, "box")) == 7);
    json_decref(traces);
    stand_remove(folder);
}

static void rays_that_do_not_add_up_are_not_shown(void **state)
{
    static const char *const wrong[] = {
        "1",
        "{}",
        TRACES_RAY "\"ended\": true, \"begin\": 1, \"end\": 9, \"cycles\": {\"sent\": 8}, "
                   "\"events\": [[1, 7, 0]]}",
        TRACES_RAY "\"ended\": true, \"begin\": 1, \"end\": 9, \"cycles\": {\"sent\": 7}, "
                   "\"events\": [[1, 8, 0]]}",
        TRACES_RAY "\"ended\": true, \"begin\": 1, \"end\": 9, \"cycles\": {\"sent\": 8}, "
                   "\"events\": [[1, 8, 2]]}",
        TRACES_RAY "\"ended\": true, \"begin\": 1, \"end\": 9, \"cycles\": {\"none\": 8}, "
                   "\"events\": [[1, 8, 0]]}",
        TRACES_RAY "\"ended\": true, \"begin\": 1, \"end\": 9, \"cycles\": {\"sent\": 8}, "
                   "\"events\": [[1, 8, 0, \"x\", 1, 1]]}",
        TRACES_RAY "\"ended\": true, \"begin\": 9, \"end\": 1, \"cycles\": {}, \"events\": []}",
        TRACES_RAY "\"ended\": true, \"begin\": 1, \"end\": 9, \"cycles\": {\"sent\": 8}, "
                   "\"events\": [[1, 9223372036854775807, 0]]}",
    };
    (void)state;
    char *folder = stand_made_up();
    for (u32 i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        json_t *traces = page_traces(folder, "0", wrong[i]);
        assert_non_null(json_object_get(traces, "problem"));
        assert_null(json_object_get(traces, "rays"));
        json_decref(traces);
    }
    json_t *traces = page_traces(folder, "-1", "");
    assert_non_null(json_object_get(traces, "problem"));
    json_decref(traces);
    stand_remove(folder);
}

/* The picture has no links rather than wrong ones. */
static void links_are_shown_if_they_fit_the_chip(void **state)
{
    static const struct {
        const char *links;
        bool shown;
    } cases[] = {
#define LINE(from, copies)                                                                       \
    "[{\"from\": \"" from "\", \"to\": \"sm.l1\", \"joints\": 2, \"sent\": 5, \"answered\": 4, " \
    "\"from_copies\": " copies ", \"to_copies\": [[5, 4]]}]"
        { LINE("sm.core", "[[5, 4]]"), true },
        { LINE("sm.cor", "[[5, 4]]"), false },
        { LINE("sm.core", "[[5, 4], [0, 0]]"), false },
        { LINE("sm.core", "[[5]]"), false },
        { LINE("sm.core", "[[5, -4]]"), false },
        { "[1]", false },
        { "[]", false },
#undef LINE
    };
    (void)state;
    for (u32 i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *folder = stand_made_up();
        char *stats = stand_read(folder, "stats.json"), *run = stand_read(folder, "run.json");
        char *more = text_format("{\"links\": %s, %s", cases[i].links, strchr(stats, '{') + 1);
        memcpy(strstr(run, "\"links\": []"), "\"links\":[1]", 11);
        stand_write(folder, "stats.json", more);
        stand_write(folder, "run.json", run);
        char *page = page_make(folder);
        json_t *data, *first = page_run(page, &data);
        assert_int_equal(json_is_array(json_object_get(first, "traffic")), cases[i].shown);
        json_decref(data);
        free(page);
        free(more);
        free(run);
        free(stats);
        stand_remove(folder);
    }
}

#define UNITS     3000
#define INTERVALS 10000
#define COLUMNS   300

/* A chip of 3,000 units with 300 statistics and 10,000 intervals. */
static void long_run_write(const char *folder)
{
    struct text stats = { 0 }, series = { 0 }, units = { 0 }, rows = { 0 }, values = { 0 };
    for (u32 c = 0; c < COLUMNS; c++) {
        text_add(&rows, "%s\"s%u\": {\"unit\": \"x\", \"help\": \"h\", \"over_units\": \"sum\"}",
                 c ? "," : "", c);
        text_add(&values, ",\"s%u\": %u", c, 1000 * c);
        text_add(&series, ",a[*].u.s%u", c);
    }
    for (u32 u = 0; u < UNITS; u++)
        text_add(&units, "%s\"a[%u].u\": {\"type\": \"t\", \"s1\": %u}", u ? "," : "", u, u);
    text_add(&stats,
             "{\"summary\": {\"cycles\": 1000000}, \"groups\": {\"a[*].u\": {\"type\": \"t\"%s}},"
             "\"units\": {%s}, \"types\": {\"t\": {%s}}}",
             text_get(&values), text_get(&units), text_get(&rows));
    stand_write(folder, "stats.json", text_get(&stats));
    stand_write(
        folder, "run.json",
        "{\"architecture\": \"long\", \"clock_hz\": 1000, \"options\": {\"interval_cycles\": "
        "100}, \"parameters\": {\"a.u\": {\"type\": \"t\", \"copies\": 3000, \"clock_hz\": "
        "1000}}, \"links\": []}");
    struct text lines = { 0 };
    text_add(&lines, "cycle%s\n", text_get(&series));
    for (u32 i = 1; i <= INTERVALS; i++) {
        text_add(&lines, "%u", 100 * i);
        for (u32 c = 0; c < COLUMNS; c++)
            text_add(&lines, ",%u", (i * 7919 + c * 104729) % 1000003);
        text_add(&lines, "\n");
    }
    stand_write(folder, "series.csv", text_get(&lines));
    text_fini(&lines);
    text_fini(&stats);
    text_fini(&series);
    text_fini(&units);
    text_fini(&rows);
    text_fini(&values);
}

/* Nothing is lost by putting intervals together: sums stay. */
static void check_sums(const json_t *columns)
{
    for (u32 c = 0; c < COLUMNS; c += 37) {
        char name[32];
        snprintf(name, sizeof name, "a[*].u.s%u", c);
        const json_t *column = json_object_get(columns, name);
        double in_page = 0, in_file = 0;
        for (size_t b = 0; b < json_array_size(column); b++)
            in_page += at(column, b);
        for (u32 i = 1; i <= INTERVALS; i++)
            in_file += (i * 7919 + c * 104729) % 1000003;
        assert_true(in_page == in_file);
    }
}

static void long_runs_stay_small(void **state)
{
    (void)state;
    char *folder = stand_folder();
    long_run_write(folder);
    char *page = page_make(folder);
    assert_true(strlen(page) < 10000000);
    json_t *data, *run = page_run(page, &data);
    const json_t *series = json_object_get(run, "series");
    size_t bins = json_array_size(json_object_get(series, "ends"));
    assert_true(bins >= 1000 && bins < INTERVALS);
    assert_true(json_number_value(json_object_get(series, "intervals")) == INTERVALS);
    assert_true(at(json_object_get(series, "ends"), bins - 1) == 100 * INTERVALS);
    check_sums(json_object_get(series, "columns"));
    json_decref(data);
    free(page);
    stand_remove(folder);
}

static void base64_is_right(void **state)
{
    (void)state;
    static const char *const wanted[] = { "", "AA==", "AAE=", "AAEC", "AAECAw==", "AAECA/8=" };
    const u8 bytes[] = { 0, 1, 2, 3, 255 };
    for (u32 i = 0; i < 6; i++) {
        struct text text = { 0 };
        text_add_base64(&text, bytes, i);
        assert_string_equal(text_get(&text), wanted[i]);
        text_fini(&text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_page_has_what_the_folder_has),
        cmocka_unit_test(data_stays_data),
        cmocka_unit_test(without_the_library),
        cmocka_unit_test(damaged_series_are_refused),
        cmocka_unit_test(rays_are_shown_longest_first),
        cmocka_unit_test(rays_that_do_not_add_up_are_not_shown),
        cmocka_unit_test(links_are_shown_if_they_fit_the_chip),
        cmocka_unit_test(long_runs_stay_small),
        cmocka_unit_test(base64_is_right),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
