/* index.c - ten thousand runs in a store: how they stand and their table come from the index alone,
 * as there are no folders of runs here at all; and lines that are damaged do not count. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/file.h"
#include "base/text.h"
#include "explore/index.h"
#include "explore/standing.h"
#include "explore/table.h"

#define RUNS   10000
#define COLUMN 100 /* runs with the same value of the first axis */

static char folder[] = "/tmp/ogive-index-XXXXXX";
static struct store store;

static void text_put(const char *name, const struct text *text)
{
    struct ogv_error error;
    char *path = text_format("%s/%s", folder, name);
    if (!file_write(path, text_get(text), text->length, &error))
        fail_msg("%s", error.message);
    free(path);
}

static void key_of(u32 run, char key[HASH_TEXT_BYTES])
{
    snprintf(key, HASH_TEXT_BYTES, "%08x%024x", run * 2654435761u, run);
}

static void line_add(struct text *index, const char *line)
{
    char check[HASH_TEXT_BYTES];
    struct hash *hash = hash_create();
    hash_add(hash, line, strlen(line));
    hash_finish(hash, check);
    text_add(index, "%s\t%.16s\n", line, check);
}

/* Names of two figures, and their fingerprint. */
static void names_put(char digits[HASH_TEXT_BYTES])
{
    struct text names = { 0 };
    text_add(&names, "cycles\tcycles\nsm.l1.hits\trequests\n");
    struct hash *hash = hash_create();
    hash_add(hash, text_get(&names), names.length);
    hash_finish(hash, digits);
    char *name = text_format("figures/%s", digits);
    text_put(name, &names);
    free(name);
    text_fini(&names);
}

static void index_put(const char *digits, const char *behind)
{
    struct text index = { 0 };
    for (u32 i = 0; i < RUNS; i++) {
        char key[HASH_TEXT_BYTES];
        key_of(i, key);
        char *line = text_format("R\t%s\t%s\t0\t1.5\t4096\t1\t%s\t%u\t%u", key,
                                 i % 1000 ? "done" : "fault", digits, 1000 + i, i % COLUMN);
        line_add(&index, line);
        free(line);
    }
    text_add(&index, "%s", behind);
    text_put("index.txt", &index);
    text_fini(&index);
}

static void manifest_put(void)
{
    json_t *runs = json_array(), *first = json_array(), *second = json_array();
    for (u32 i = 0; i < RUNS; i++) {
        char key[HASH_TEXT_BYTES];
        key_of(i, key);
        json_array_append_new(runs,
                              json_pack("{s:s, s:[i, i], s:f, s:[s, s], s:[]}", "key", key, "at",
                                        (int)(i / COLUMN), (int)(i % COLUMN), "memory_bytes", 1.0,
                                        "words", "run", "exchange", "resumed"));
    }
    for (u32 i = 0; i < COLUMN; i++) {
        json_array_append_new(first, json_sprintf("a%u", i));
        json_array_append_new(second, json_sprintf("b%u", i));
    }
    json_t *object =
        json_pack("{s:s, s:s, s:s, s:s, s:s, s:[{s:s, s:o}, {s:s, s:o}], s:o}", "study", "many",
                  "about", "", "file", "many.yaml", "file_hash", "", "build", "", "axes", "name",
                  "first", "values", first, "name", "second", "values", second, "runs", runs);
    char *text = json_dumps(object, JSON_COMPACT);
    struct text file = { 0 };
    text_add(&file, "%s", text);
    text_put("studies/many.json", &file);
    text_fini(&file);
    free(text);
    json_decref(object);
}

static int store_fill(void **state)
{
    struct ogv_error error;
    char digits[HASH_TEXT_BYTES];
    (void)state;
    if (!mkdtemp(folder) || !store_open(&store, folder, STORE_WRITE, &error))
        return -1;
    names_put(digits);
    index_put(digits, "");
    manifest_put();
    return 0;
}

static int store_drop(void **state)
{
    struct ogv_error error;
    (void)state;
    store_close(&store);
    return folder_remove(folder, &error) ? 0 : -1;
}

static struct manifest *manifest_get(void)
{
    struct ogv_error error;
    struct manifest *manifest = manifest_read(&store, "many", &error);
    if (!manifest)
        fail_msg("%s", error.message);
    assert_int_equal(manifest->count, RUNS);
    return manifest;
}

static void standing_comes_from_the_index(void **state)
{
    struct ogv_error error;
    struct standing standing;
    struct manifest *manifest = manifest_get();
    (void)state;
    assert_true(standing_look(&store, manifest, &standing, &error));
    assert_int_equal(standing.counts[STANDING_DONE], RUNS - RUNS / 1000);
    assert_int_equal(standing.counts[STANDING_FAILED], RUNS / 1000);
    assert_int_equal(standing.outcomes[0].class, CLASS_FAULT);
    standing_fini(&standing);
    manifest_destroy(manifest);
}

static void table_comes_from_the_index(void **state)
{
    static const char *const stats[] = { "cycles", "both = cycles + sm.l1.hits * 2" };
    struct table_options options = { .stats = stats, .stat_count = 2, .columns = "second" };
    struct ogv_error error;
    struct table table;
    struct manifest *manifest = manifest_get();
    (void)state;
    if (!table_make(&store, manifest, &options, &table, &error))
        fail_msg("%s", error.message);
    assert_int_equal(table.row_count, COLUMN);
    assert_int_equal(table.column_count, COLUMN);
    assert_true(table_value(&table, 7, 3, 0) == 1000 + 703);
    assert_true(table_value(&table, 7, 3, 1) == 1000 + 703 + 6);
    assert_true(table_value(&table, 10, 0, 0) != table_value(&table, 10, 0, 0)); /* a fault */
    table_fini(&table);
    manifest_destroy(manifest);
}

static void relative_values_are_those_of_the_runs_alike(void **state)
{
    static const char *const stats[] = { "cycles" };
    struct table_options options = {
        .stats = stats, .stat_count = 1, .columns = "second", .relative = "first=a1"
    };
    struct ogv_error error;
    struct table table;
    struct manifest *manifest = manifest_get();
    (void)state;
    assert_true(table_make(&store, manifest, &options, &table, &error));
    assert_true(table_value(&table, 1, 5, 0) == 1);
    assert_true(table_value(&table, 2, 5, 0) == 1205.0 / 1105.0);
    table_fini(&table);
    manifest_destroy(manifest);
}

/* The last line of a run counts; one without its fingerprint, or of a run that was taken away, does
 * not. */
static void lines_count_as_they_should(void **state)
{
    struct ogv_error error;
    struct index index;
    struct text behind = { 0 };
    char digits[HASH_TEXT_BYTES], key[HASH_TEXT_BYTES], *line;
    (void)state;
    names_put(digits);
    key_of(1, key);
    line = text_format("R\t%s\ttime\t130\t2\t1\t3\t-", key);
    line_add(&behind, line);
    free(line);
    key_of(2, key);
    line = text_format("D\t%s", key);
    line_add(&behind, line);
    free(line);
    key_of(3, key);
    text_add(&behind, "D\t%s\t0123456789abcdef\nR\t%s\tkil", key, key);
    index_put(digits, text_get(&behind));
    text_fini(&behind);
    assert_true(index_load(&store, &index, &error));
    assert_int_equal(index.count, RUNS - 1);
    key_of(1, key);
    assert_int_equal(index_find(&index, key)->outcome.class, CLASS_TIME);
    assert_int_equal(index_find(&index, key)->outcome.tries, 3);
    key_of(2, key);
    assert_null(index_find(&index, key));
    key_of(3, key);
    assert_int_equal(index_find(&index, key)->outcome.class, CLASS_DONE);
    index_fini(&index);
    index_put(digits, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(standing_comes_from_the_index),
        cmocka_unit_test(table_comes_from_the_index),
        cmocka_unit_test(relative_values_are_those_of_the_runs_alike),
        cmocka_unit_test(lines_count_as_they_should),
    };
    return cmocka_run_group_tests(tests, store_fill, store_drop);
}
