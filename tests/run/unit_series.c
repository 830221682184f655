/* unit_series.c - series.units holds what the units counted; queries find it; damage is noticed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/file.h"
#include "base/text.h"
#include "ogive/random.h"
#include "result/stats_query.h"
#include "result/unit_series.h"
#include "run/run.h"

static char *folder;

static void path_remove(const char *name)
{
    char *path = text_format("%s/%s", folder, name);
    unlink(path);
    free(path);
}

static int folder_remove(void **state)
{
    static const char *const names[] = { "run.json", "stats.json", "series.csv", "series.units",
                                         "log.txt" };
    (void)state;
    for (u32 i = 0; i < 5; i++)
        path_remove(names[i]);
    rmdir(folder);
    free(folder);
    return 0;
}

/* One run for all tests: 8 nodes with sources, routers, sinks and testers. */
static int folder_make(void **state)
{
    (void)state;
    char name[] = "/tmp/ogive-test-XXXXXX";
    if (!mkdtemp(name))
        return 1;
    folder = heap_copy(name);
    const char *settings[] = { "node.source.messages=400", "node.tester.requests=200" };
    struct run_options options = { .arch = "exchange",
                                   .settings = settings,
                                   .setting_count = 2,
                                   .out = folder,
                                   .interval = 7,
                                   .every_unit = true,
                                   .sim = { .threads = 1 },
                                   .stop_after = 6000 };
    struct run_listener listener = { 0 };
    struct run_result result;
    struct ogv_error error;
    if (!run_execute(&options, &listener, &result, &error)) {
        printf("# %s\n", error.message);
        return 1;
    }
    free(result.folder);
    free(result.console);
    free(result.image);
    free(result.heatmap);
    return 0;
}

static struct query_answer *ask(struct stats_query query)
{
    struct ogv_error error;
    query.folder = folder;
    struct query_answer *answer = stats_ask(&query, &error);
    if (!answer)
        fail_msg("%s", error.message);
    return answer;
}

static bool is_hash(const struct query_row *row)
{
    return !strcmp(row->measure, "hash");
}

/* ---- Sums ---- */

/* Every counter of every unit, added up over the intervals, is what stats.json says. */
static void intervals_add_up_to_the_whole(void **state)
{
    (void)state;
    struct query_answer *whole = ask((struct stats_query){ .combine = QUERY_EACH });
    struct query_answer *parts =
        ask((struct stats_query){ .combine = QUERY_EACH, .ranged = true, .to = NEVER });
    assert_true(whole->row_count > 100);
    assert_int_equal(parts->row_count, whole->row_count);
    assert_int_equal(parts->ends[0], whole->ends[0]);
    for (u32 i = 0; i < whole->row_count; i++) {
        double a, b;
        assert_string_equal(whole->rows[i].name, parts->rows[i].name);
        assert_int_equal(answer_value(&whole->rows[i], 0, &a),
                         answer_value(&parts->rows[i], 0, &b));
        if (!is_hash(&whole->rows[i]) && (a < b || a > b))
            fail_msg("%s: %f, not %f", whole->rows[i].name, b, a);
    }
    answer_destroy(whole);
    answer_destroy(parts);
}

/* series.csv was written by other code: groups agree interval by interval. */
static void both_series_say_the_same(void **state)
{
    (void)state;
    struct query_answer *units = ask((struct stats_query){ .per_interval = true });
    char *path = text_format("%s/series.units", folder), *aside = text_format("%s/log.txt", folder);
    assert_int_equal(rename(path, aside), 0);
    struct query_answer *groups = ask((struct stats_query){ .per_interval = true });
    assert_int_equal(rename(aside, path), 0);
    assert_int_equal(units->interval_count, groups->interval_count);
    assert_int_equal(units->row_count, groups->row_count);
    assert_true(units->interval_count > 256); /* more than one block */
    for (u32 i = 0; i < units->row_count; i++) {
        for (u32 t = 0; t < units->interval_count && !is_hash(&units->rows[i]); t++) {
            double a = 0, b = 0;
            bool defined = answer_value(&units->rows[i], t, &a);
            assert_int_equal(defined, answer_value(&groups->rows[i], t, &b));
            if (defined && (a < b || a > b))
                fail_msg("%s at %llu: %f, not %f", units->rows[i].name,
                         (unsigned long long)units->ends[t], a, b);
        }
    }
    answer_destroy(units);
    answer_destroy(groups);
    free(path);
    free(aside);
}

static double value_of(struct stats_query query, const char *name)
{
    struct query_answer *answer = ask(query);
    for (u32 i = 0; i < answer->row_count; i++) {
        double value;
        if (strcmp(answer->rows[i].name, name))
            continue;
        assert_true(answer_value(&answer->rows[i], 0, &value));
        answer_destroy(answer);
        return value;
    }
    fail_msg("no row %s", name);
    return 0;
}

static void ranges_and_groups_choose_what_they_say(void **state)
{
    (void)state;
    const char *sent[] = { "node.source.sent" }, *some[] = { "node[2..4].source.sent" };
    struct stats_query all = { .patterns = sent, .pattern_count = 1 };
    struct stats_query early = all, late = all, mean = all, three = all, node = all;
    early.ranged = late.ranged = true;
    early.to = 700; /* a multiple of the interval: no interval touches both */
    late.from = 700;
    late.to = NEVER;
    double whole = value_of(all, "node[*].source.sent");
    double first = value_of(early, "node[*].source.sent");
    assert_true(first > 0 && first < whole);
    assert_true(first + value_of(late, "node[*].source.sent") == whole);
    mean.combine = QUERY_MEAN;
    assert_true(value_of(mean, "node[*].source.sent") == whole / 8);
    three.patterns = some;
    node.group = "node";
    double sum = 0;
    for (u32 i = 2; i <= 4; i++) {
        char name[64];
        snprintf(name, sizeof name, "node[%u].source.sent", i);
        sum += value_of(node, name);
    }
    assert_true(value_of(three, "node[*].source.sent") == sum);
}

/* ---- Names ---- */

static void patterns_fit_names(void **state)
{
    (void)state;
    static const struct {
        const char *pattern, *name;
        bool fits;
    } cases[] = {
        { "sm.l1.hits", "sm[3].l1.hits", true },
        { "sm[*].l1.*", "sm[3].l1.hits", true },
        { "sm[3].l1.hits", "sm[3].l1.hits", true },
        { "sm[2].l1.hits", "sm[3].l1.hits", false },
        { "sm[0..3].l1.hits", "sm[3].l1.hits", true },
        { "sm[0..2].l1.hits", "sm[3].l1.hits", false },
        { "sm[3].l1", "sm[3].l1.hits", true },
        { "sm", "sm[3].l1.hits", false },
        { "*.*.h?ts", "sm[3].l1.hits", true },
        { "*", "sm[3].l1.hits", false },
        { "s*m.l*1.*i*s", "sm[3].l1.hits", true },
        { "sm.l1.hits.more", "sm.l1.hits", false },
        { "sm[x].l1.hits", "sm[3].l1.hits", false },
        { "sm[3.l1.hits", "sm[3].l1.hits", false },
        { "sm.l1[0].hits", "sm.l1.hits", true },
        { "", "sm.l1.hits", false },
    };
    for (u32 i = 0; i < sizeof cases / sizeof *cases; i++)
        if (stat_name_fits(cases[i].pattern, cases[i].name) != cases[i].fits)
            fail_msg("'%s' and '%s'", cases[i].pattern, cases[i].name);
}

static void unknown_names_get_a_hint(void **state)
{
    (void)state;
    struct ogv_error error;
    const char *patterns[] = { "node[1].source.snet" };
    struct stats_query query = { .folder = folder, .patterns = patterns, .pattern_count = 1 };
    assert_null(stats_ask(&query, &error));
    assert_non_null(strstr(error.message, "did you mean 'node.source.sent'?"));
    query = (struct stats_query){ .folder = folder, .group = "bnak" };
    assert_null(stats_ask(&query, &error));
    assert_non_null(strstr(error.message, "did you mean 'bank'?"));
}

/* ---- Damage ---- */

static void visit_nothing(void *context, u32 interval, const u64 *values)
{
    (void)context;
    (void)interval;
    (void)values;
}

static void read_everything(void)
{
    struct ogv_error error;
    struct series_file *file = series_file_open(folder, &error);
    for (u32 c = 0; file && c < file->column_count; c++)
        if (!series_file_visit(file, c, 0, UINT32_MAX, visit_nothing, NULL, &error))
            break;
    series_file_close(file);
}

#define ROUNDS 300

/* Whatever is in the file: an error or an answer, never a crash. */
static void damaged_files_do_no_harm(void **state)
{
    (void)state;
    struct ogv_error error;
    size_t length;
    char *path = text_format("%s/series.units", folder);
    char *good = file_read(path, 64 * MiB, &length, &error);
    assert_non_null(good);
    u64 random = 1;
    for (u32 i = 0; i < ROUNDS; i++) {
        char *bad = heap_array(length, 1);
        memcpy(bad, good, length);
        size_t cut = i % 3 ? length : random_below(&random, length);
        for (u32 n = 0; n < i % 7; n++)
            bad[random_below(&random, length)] = (char)random_below(&random, 256);
        assert_true(file_write(path, bad, cut, &error));
        read_everything();
        free(bad);
    }
    assert_true(file_write(path, good, length, &error));
    free(good);
    free(path);
}

/* What was written before an end without warning is still there. */
static void last_block_may_be_cut_off(void **state)
{
    (void)state;
    struct ogv_error error;
    size_t length;
    char *path = text_format("%s/series.units", folder);
    char *good = file_read(path, 64 * MiB, &length, &error);
    assert_true(file_write(path, good, length - 5, &error));
    struct series_file *file = series_file_open(folder, &error);
    assert_non_null(file);
    assert_true(file->interval_count >= 256);
    assert_int_equal(file->interval_count % 256, 0);
    series_file_close(file);
    assert_true(file_write(path, good, length, &error));
    free(good);
    free(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(intervals_add_up_to_the_whole),
        cmocka_unit_test(both_series_say_the_same),
        cmocka_unit_test(ranges_and_groups_choose_what_they_say),
        cmocka_unit_test(patterns_fit_names),
        cmocka_unit_test(unknown_names_get_a_hint),
        cmocka_unit_test(damaged_files_do_no_harm),
        cmocka_unit_test(last_block_may_be_cut_off),
    };
    return cmocka_run_group_tests_name("unit_series", tests, folder_make, folder_remove);
}
