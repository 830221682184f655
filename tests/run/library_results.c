/* library_results.c - folders of runs through ogive/ogive.h: what they say is what `ogive stats`
 * says, and files from anybody are an error at worst. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../report/stand.h"
#include "base/text.h"

#define MUTATIONS 400

static char *folder; /* a run of `exchange` */

static int make_folder(void **state)
{
    (void)state;
    folder = stand_folder();
    stand_run(folder, &(struct stand_job){ .arch = "exchange", .cycles = NEVER });
    return 0;
}

static int remove_folder(void **state)
{
    (void)state;
    stand_remove(folder);
    return 0;
}

static ogv_result *result_open_good(const char *path)
{
    struct ogv_error error;
    ogv_result *result = ogv_result_open(path, &error);
    if (!result)
        fail_msg("%s", error.message);
    return result;
}

static double result_number(const ogv_result *result, const char *name)
{
    struct ogv_error error;
    double value = -1;
    if (!ogv_result_stat(result, name, &value, &error))
        fail_msg("%s", error.message);
    return value;
}

static void stat_fails(const ogv_result *result, const char *name, const char *words)
{
    struct ogv_error error = { 0 };
    double value = -1;
    assert_false(ogv_result_stat(result, name, &value, &error));
    assert_int_equal(error.kind, OGV_ERROR_USER);
    if (!strstr(error.message, words))
        fail_msg("no '%s' in: %s", words, error.message);
    assert_true(value == -1);
}

static void single_numbers_are_read(void **state)
{
    (void)state;
    ogv_result *result = result_open_good(folder);
    assert_true(result_number(result, "cycles") > 0);
    assert_true(result_number(result, "node[*].source.sent") > 0);
    assert_true(result_number(result, "node[0].source.sent") <
                result_number(result, "node[*].source.sent"));
    stat_fails(result, "status", "is 'finished' in");
    stat_fails(result, "node[*].source.snet", "did you mean 'node.source.sent'?");
    stat_fails(result, "node[*].source.*", "statistics of");
    ogv_result_close(result);
}

static void parameter_is(const ogv_result *result, const char *path, const char *wanted)
{
    struct ogv_error error;
    char *value = ogv_result_parameter(result, path, &error);
    if (!value)
        fail_msg("%s", error.message);
    assert_string_equal(value, wanted);
    free(value);
}

static void parameter_fails(const ogv_result *result, const char *path, const char *words)
{
    struct ogv_error error = { 0 };
    assert_null(ogv_result_parameter(result, path, &error));
    if (!strstr(error.message, words))
        fail_msg("no '%s' in: %s", words, error.message);
}

static void what_was_run_is_read(void **state)
{
    (void)state;
    ogv_result *result = result_open_good(folder);
    char *record = ogv_result_record(result);
    assert_non_null(strstr(record, "\"architecture\": \"exchange\""));
    free(record);
    parameter_is(result, "bank.memory.latency", "30 cycles");
    parameter_is(result, "bank[*].memory.type", "memory");
    parameter_fails(result, "bank.memory.latncy", "did you mean 'latency'?");
    parameter_fails(result, "bank.memroy.latency", "did you mean 'bank.memory'?");
    parameter_fails(result, "bank", "DOMAIN.UNIT.NAME");
    ogv_result_close(result);
}

static void rows_are_as_asked(void **state)
{
    (void)state;
    struct ogv_error error;
    ogv_result *result = result_open_good(folder);
    const char *const patterns[] = { "node.source.sent", "cycles", "status" };
    struct ogv_answer *answer = ogv_result_ask(
        result, &(struct ogv_query){ .patterns = patterns, .pattern_count = 3 }, &error);
    assert_non_null(answer);
    assert_int_equal(answer->row_count, 3);
    assert_int_equal(answer->interval_count, 1);
    assert_string_equal(answer->rows[0].name, "status");
    assert_string_equal(answer->rows[0].words, "finished");
    assert_true(isnan(answer->rows[0].values[0]));
    assert_string_equal(answer->rows[1].name, "cycles");
    assert_int_equal(answer->rows[1].units, 0);
    assert_true(answer->rows[1].values[0] == (double)answer->ends[0]);
    assert_string_equal(answer->rows[2].name, "node[*].source.sent");
    double sum = answer->rows[2].values[0], parts = 0;
    u32 units = answer->rows[2].units;
    assert_true(units > 1);
    ogv_answer_free(answer);

    answer =
        ogv_result_ask(result,
                       &(struct ogv_query){
                           .patterns = patterns, .pattern_count = 1, .combine = OGV_COMBINE_NONE },
                       &error);
    assert_non_null(answer);
    assert_int_equal(answer->row_count, units);
    for (u32 i = 0; i < answer->row_count; i++)
        parts += answer->rows[i].values[0];
    assert_true(parts == sum);
    ogv_answer_free(answer);
    ogv_result_close(result);
}

static void intervals_add_up(void **state)
{
    (void)state;
    struct ogv_error error;
    ogv_result *result = result_open_good(folder);
    const char *const patterns[] = { "node.source.sent" };
    struct ogv_query query = { .patterns = patterns, .pattern_count = 1, .per_interval = true };
    struct ogv_answer *answer = ogv_result_ask(result, &query, &error);
    assert_non_null(answer);
    double sum = 0;
    for (u32 i = 0; i < answer->interval_count; i++)
        sum += answer->rows[0].values[i];
    assert_true(sum == result_number(result, "node[*].source.sent"));
    u64 end = answer->ends[answer->interval_count - 1];
    ogv_answer_free(answer);
    query.from = 2 * end;
    assert_null(ogv_result_ask(result, &query, &error));
    assert_non_null(strstr(error.message, "has no intervals in cycles"));
    query = (struct ogv_query){ .combine = (enum ogv_combine)9 };
    assert_null(ogv_result_ask(result, &query, &error));
    ogv_result_close(result);
}

static void open_fails(const char *path, const char *words)
{
    struct ogv_error error = { 0 };
    assert_null(ogv_result_open(path, &error));
    if (!strstr(error.message, words))
        fail_msg("no '%s' in: %s", words, error.message);
}

static void wrong_folders_are_refused(void **state)
{
    (void)state;
    char *other = stand_folder(), *file = text_format("%s/run.json", folder);
    open_fails("/nowhere/at/all", "there is no folder '/nowhere/at/all'");
    open_fails(file, "is a file; the folder of a run is needed");
    open_fails(other, "is this the folder of a run?");
    stand_write(other, "run.json", "[1, 2]");
    open_fails(other, "run.json: is not what a run writes");
    stand_write(other, "run.json", "{}");
    open_fails(other, "stats.json");
    stand_write(other, "stats.json", "{ \"types\": {}, \"units\": { \"a.b\": {} } }");
    open_fails(other, "stats.json: is not what a run writes");
    stand_write(other, "stats.json", "{ \"types\": {}, \"units\": {} }");
    ogv_result *result = result_open_good(other);
    stat_fails(result, "cycles", "there is no such statistic");
    parameter_fails(result, "sm.l1.size", "has no unit 'sm.l1'");
    ogv_result_close(result);
    free(file);
    stand_remove(other);
}

/* Asks for everything, of whatever is left of a folder. */
static void result_try(const char *path)
{
    struct ogv_error error;
    ogv_result *result = ogv_result_open(path, &error);
    if (!result) {
        assert_true(error.kind != OGV_ERROR_NONE && *error.message);
        return;
    }
    for (int i = 0; i < 4; i++) {
        const struct ogv_query query = { .combine = (enum ogv_combine)i,
                                         .per_interval = i % 2,
                                         .group = i == 3 ? "type" : NULL };
        ogv_answer_free(ogv_result_ask(result, &query, &error));
    }
    free(ogv_result_parameter(result, "bank.memory.latency", &error));
    free(ogv_result_record(result));
    ogv_result_close(result);
}

/* Bytes changed, cut off and doubled in one file after the other. */
static void damaged_folders_do_no_harm(void **state)
{
    (void)state;
    static const char *const files[] = { "run.json", "stats.json", "series.csv" };
    char *texts[3], *other = stand_folder();
    u64 random = 1;
    for (u32 i = 0; i < 3; i++)
        texts[i] = stand_read(folder, files[i]);
    for (u32 i = 0; i < MUTATIONS; i++) {
        for (u32 k = 0; k < 3; k++)
            stand_write(other, files[k], texts[k]);
        char *text = heap_copy(texts[i % 3]);
        for (u32 k = 0; k <= i % 5; k++) {
            random = random * UINT64_C(6364136223846793005) + 1442695040888963407;
            text[(random >> 20) % strlen(texts[i % 3])] = "\"{}[],:019-e.x \n"[random >> 60];
        }
        if (i % 7 == 0)
            text[(random >> 30) % strlen(texts[i % 3])] = 0;
        stand_write(other, files[i % 3], text);
        free(text);
        result_try(other);
    }
    for (u32 i = 0; i < 3; i++)
        free(texts[i]);
    stand_remove(other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(single_numbers_are_read),   cmocka_unit_test(what_was_run_is_read),
        cmocka_unit_test(rows_are_as_asked),         cmocka_unit_test(intervals_add_up),
        cmocka_unit_test(wrong_folders_are_refused), cmocka_unit_test(damaged_folders_do_no_harm),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
