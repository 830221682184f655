/* full_disk.c - a run on a disk that is full, or fills up: it goes on, says what is missing, and
 * leaves whole files that tell the truth.
 *
 * The disk is full for files of more than so many bytes: RLIMIT_FSIZE, which a test can set without
 * being root, and in the middle of a run. */
#include <jansson.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/file.h"
#include "base/text.h"
#include "result/stats_source.h"
#include "result/stats_table.h"
#include "result/unit_series.h"
#include "run/run.h"

#define INTERVAL 1000
#define CYCLES   20000
#define FAILURES 16

static char folder[64];
static struct rlimit unlimited;

/* What happens to the disk, and what was told. */
struct disk {
    cycle full_at; /* after this line of the series; 0: never */
    u64 bytes;     /* that still fit into a file */
    bool relieved; /* by the first failure that is told */
    char *told[FAILURES];
    u32 told_count;
};

static void disk_limit(u64 bytes)
{
    struct rlimit limit = { bytes, unlimited.rlim_max };
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

static void disk_told(void *context, const char *text)
{
    struct disk *disk = context;
    assert_true(disk->told_count < FAILURES);
    assert_memory_equal(text, folder, strlen(folder));
    disk->told[disk->told_count++] = heap_copy(text + strlen(folder) + 1);
    if (disk->relieved)
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &unlimited), 0);
}

static void disk_sampled(void *context, cycle end, const u64 *grown)
{
    struct disk *disk = context;
    (void)grown;
    if (disk->full_at && end == disk->full_at)
        disk_limit(disk->bytes);
}

static void nothing_told(void *context, const struct run_progress *progress)
{
    (void)context;
    (void)progress;
}

static bool never_called(void *context)
{
    (void)context;
    return false;
}

/* Runs with all that there is; the limit is lifted afterwards. */
static struct run_result run_with(struct disk *disk, cycle checkpoint_cycles)
{
    struct run_watcher watcher = { .begun = nothing_told,
                                   .calls = never_called,
                                   .sampled = disk_sampled,
                                   .ended = nothing_told,
                                   .context = disk };
    struct run_listener listener = { .failure = disk_told, .context = disk, .watcher = &watcher };
    struct run_options options = { .arch = "exchange",
                                   .out = folder,
                                   .interval = INTERVAL,
                                   .every_unit = true,
                                   .sim = { .threads = 1 },
                                   .checkpoint_cycles = checkpoint_cycles,
                                   .stop_after = CYCLES };
    struct run_result result;
    struct ogv_error error;
    bool good = run_execute(&options, &listener, &result, &error);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &unlimited), 0);
    if (!good)
        fail_msg("%s", error.message);
    assert_int_equal(result.status, RUN_STOPPED);
    assert_int_equal(result.cycles, CYCLES);
    assert_int_equal(result.unwritten, disk->told_count ? OGV_ERROR_SYSTEM : OGV_ERROR_NONE);
    free(result.folder);
    free(result.console);
    return result;
}

static void expect_told(struct disk *disk, const char *const *expected, u32 count)
{
    for (u32 i = 0; i < disk->told_count && i < count; i++)
        assert_string_equal(disk->told[i], expected[i]);
    assert_int_equal(disk->told_count, count);
    for (u32 i = 0; i < disk->told_count; i++)
        free(disk->told[i]);
}

static bool is_there(const char *name)
{
    char *path = text_format("%s/%s", folder, name);
    bool there = file_exists(path);
    free(path);
    return there;
}

static void expect_status(const char *status)
{
    struct ogv_error error;
    json_t *run = run_file_load(folder, "run.json", &error);
    if (!run)
        fail_msg("%s", error.message);
    assert_string_equal(json_string_value(json_object_get(run, "status")), status);
    json_decref(run);
}

static struct stats_table *series_read(void)
{
    struct ogv_error error;
    char *path = text_format("%s/series.csv", folder);
    struct stats_table *table = table_read(path, &error);
    if (!table)
        fail_msg("%s", error.message);
    free(path);
    return table;
}

static int folder_setup(void **state)
{
    (void)state;
    strcpy(folder, "/tmp/ogive-disk-XXXXXX");
    signal(SIGXFSZ, SIG_IGN);
    return getrlimit(RLIMIT_FSIZE, &unlimited) || !mkdtemp(folder);
}

static int folder_teardown(void **state)
{
    static const char *const names[] = { "run.json", "stats.json",   "series.csv",
                                         "log.txt",  "series.units", "checkpoint.ogv" };
    (void)state;
    for (u32 i = 0; i < sizeof names / sizeof *names; i++) {
        char *path = text_format("%s/%s", folder, names[i]);
        unlink(path);
        free(path);
    }
    return rmdir(folder); /* fails if anything else was left */
}

static void with_room_there_is_nothing_to_tell(void **state)
{
    (void)state;
    struct disk disk = { 0 };
    run_with(&disk, 5000);
    expect_told(&disk, NULL, 0);
    expect_status("stopped");
    assert_true(is_there("stats.json") && is_there("checkpoint.ogv"));
}

/* Statistics fit, checkpoints do not: they are told once, and nothing else is touched. */
static void failed_checkpoint_does_not_end_the_run(void **state)
{
    (void)state;
    static const char *const expected[] = { "checkpoint.ogv: cannot write: File too large" };
    struct disk disk = { 0 }, roomy = { 0 };
    disk_limit(100 * KiB);
    struct run_result full = run_with(&disk, 5000);
    expect_told(&disk, expected, 1);
    expect_status("stopped");
    assert_true(is_there("stats.json"));
    assert_false(is_there("checkpoint.ogv"));
    assert_int_equal(folder_teardown(state), 0);
    assert_int_equal(folder_setup(state), 0);
    struct run_result whole = run_with(&roomy, 0);
    assert_string_equal(full.digest, whole.digest);
}

/* The last good one stays when the next does not fit. */
static void checkpoint_before_the_failed_one_is_kept(void **state)
{
    (void)state;
    static const char *const expected[] = { "checkpoint.ogv: cannot write: File too large" };
    struct disk disk = { .full_at = 6000, .bytes = 100 * KiB };
    struct ogv_error error;
    run_with(&disk, 5000);
    expect_told(&disk, expected, 1);
    char *path = text_format("%s/checkpoint.ogv", folder);
    ogv_system *system = ogv_system_resume(path, &error);
    if (!system)
        fail_msg("%s", error.message);
    assert_int_equal(ogv_system_cycle(system), 5000);
    ogv_system_destroy(system);
    free(path);
}

/* Nothing more fits at all: the status, for which there was room from the beginning, is true, and
 * what grew by lines ends in a whole one. */
static void disk_that_fills_up_leaves_the_truth(void **state)
{
    (void)state;
    static const char *const expected[] = {
        "series.csv: cannot write: File too large", "stats.json: cannot write: File too large",
        "series.csv: cannot write: File too large", "series.units: cannot write: File too large",
        "log.txt: not all of it could be written",
    };
    struct disk disk = { .full_at = 7000, .bytes = 130 };
    run_with(&disk, 0);
    expect_told(&disk, expected, 5);
    expect_status("stopped");
    assert_false(is_there("stats.json"));
    struct stats_table *table = series_read();
    assert_int_equal(table->line_count, 7);
    assert_int_equal(table->ends[6], 7000);
    table_free(table);
}

static double column_sum(const struct stats_table *table, const char *name)
{
    double sum = 0;
    u32 column = table_column(table, name);
    assert_int_not_equal(column, UINT32_MAX);
    for (u32 i = 0; i < table->line_count; i++)
        sum += table_number(table, i, column);
    return sum;
}

/* There is room again after one line that did not fit: the next stands for both. */
static void line_that_did_not_fit_counts_with_the_next(void **state)
{
    (void)state;
    static const char *const expected[] = { "series.csv: cannot write: File too large" };
    struct disk disk = { .full_at = 7000, .bytes = 1000, .relieved = true };
    struct disk roomy = { 0 };
    static const char *const columns[] = { "node[*].source.sent", "links[0].sent",
                                           "links[3].answered" };
    double sums[3];
    run_with(&disk, 0);
    expect_told(&disk, expected, 1);
    struct stats_table *table = series_read();
    assert_int_equal(table->line_count, CYCLES / INTERVAL - 1);
    assert_int_equal(table->ends[6], 7000);
    assert_int_equal(table->ends[7], 9000);
    for (u32 i = 0; i < 3; i++)
        sums[i] = column_sum(table, columns[i]);
    table_free(table);
    assert_int_equal(folder_teardown(state), 0);
    assert_int_equal(folder_setup(state), 0);
    run_with(&roomy, 0);
    table = series_read();
    assert_int_equal(table->line_count, CYCLES / INTERVAL);
    for (u32 i = 0; i < 3; i++)
        assert_true(sums[i] > 0 && sums[i] == column_sum(table, columns[i]));
    table_free(table);
}

/* What does not fit of series.units is a whole block. */
static void units_end_with_a_whole_block(void **state)
{
    (void)state;
    static const char *const expected[] = { "stats.json: cannot write: File too large",
                                            "series.units: cannot write: File too large" };
    struct disk disk = { .full_at = 19000, .bytes = 6000 };
    struct ogv_error error;
    run_with(&disk, 0);
    expect_told(&disk, expected, 2);
    struct series_file *file = series_file_open(folder, &error);
    if (!file)
        fail_msg("%s", error.message);
    assert_int_equal(file->interval_count, 0);
    series_file_close(file);
}

/* A run that cannot begin leaves no run.json that says it had. */
static void full_disk_at_the_beginning_is_an_error(void **state)
{
    (void)state;
    struct run_listener listener = { 0 };
    struct run_options options = { .arch = "exchange", .out = folder, .stop_after = CYCLES };
    struct run_result result;
    struct ogv_error error;
    disk_limit(2000);
    bool good = run_execute(&options, &listener, &result, &error);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &unlimited), 0);
    assert_false(good);
    assert_int_equal(error.kind, OGV_ERROR_SYSTEM);
    assert_non_null(strstr(error.message, "run.json: cannot write: File too large"));
    assert_false(is_there("run.json"));
    free(result.folder);
}

#define disk_test(function) cmocka_unit_test_setup_teardown(function, folder_setup, folder_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        disk_test(with_room_there_is_nothing_to_tell),
        disk_test(failed_checkpoint_does_not_end_the_run),
        disk_test(checkpoint_before_the_failed_one_is_kept),
        disk_test(disk_that_fills_up_leaves_the_truth),
        disk_test(line_that_did_not_fit_counts_with_the_next),
        disk_test(units_end_with_a_whole_block),
        disk_test(full_disk_at_the_beginning_is_an_error),
    };
    return cmocka_run_group_tests_name("full_disk", tests, NULL, NULL);
}
