/* reference.c - the recorded runs of the reference simulator come out equal: every column, every
 * request's cycles, every command.
 *
 * A part of the runs lies beside this file. The whole set is found through OGIVE_DRAM_REFERENCE or,
 * without it, in ../shared/dram beside the source tree; if it is not there, only the part runs. */
#include "support.h"

#include <sys/stat.h>
#include <zlib.h>

#include "dram/replay.h"

#define COLUMNS_MAX 64

struct table {
    char *columns[COLUMNS_MAX];
    u32 count;
};

static const char *folder;
static u32 runs, failures;

static void run_fail(const char *config, const char *pattern, const char *what, const char *got,
                     const char *wanted)
{
    print_error("%s %s: %s is %s, recorded %s\n", config, pattern, what, got, wanted);
    failures++;
}

static u32 fields_split(char *line, char **field)
{
    u32 count = 0;
    line[strcspn(line, "\n")] = 0;
    while (line && count < COLUMNS_MAX)
        field[count++] = strsep(&line, ",");
    return count;
}

static void columns_compare(const struct table *table, char **value,
                            const struct dram_replay_result *result)
{
    struct text text = { 0 };
    const char *name;
    for (u32 i = 0; (name = dram_replay_column(result, i, &text)); i++) {
        for (u32 c = 0; c < table->count; c++)
            if (!strcmp(table->columns[c], name) && strcmp(value[c], text_get(&text)))
                run_fail(value[0], value[1], name, text_get(&text), value[c]);
        text_fini(&text);
    }
}

/* Line by line against a recorded file, which may end earlier when `prefix`. */
static void lines_compare(char **value, const char *kind, const char *suffix, FILE *got,
                          bool prefix)
{
    char path[1024], recorded[256], line[256];
    snprintf(path, sizeof path, "%s/%s/%s/%s.%s.gz", folder, kind, value[0], value[1], suffix);
    gzFile file = gzopen(path, "rb");
    assert_non_null(file);
    rewind(got);
    while (gzgets(file, recorded, sizeof recorded)) {
        if (*recorded == '#')
            continue;
        if (!fgets(line, sizeof line, got))
            strcpy(line, "nothing");
        if (!strcmp(line, recorded))
            continue;
        run_fail(value[0], value[1], kind, line, recorded);
        prefix = true;
        break;
    }
    if (!prefix && fgets(line, sizeof line, got))
        run_fail(value[0], value[1], kind, line, "nothing");
    gzclose(file);
}

static void run_compare(const struct table *table, char **value, bool every_cycle)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/traces/%s/%s.trace.gz", folder, value[0], value[1]);
    struct dram_replay_options options = { .trace = path,
                                           .config = value[0],
                                           .commands = tmpfile(),
                                           .requests = tmpfile(),
                                           .every_cycle = every_cycle };
    struct dram_replay_result result;
    struct ogv_error error;
    if (!dram_replay(&options, &result, &error))
        fail_msg("%s %s: %s", value[0], value[1], error.message);
    columns_compare(table, value, &result);
    lines_compare(value, "results/per_request", "req", options.requests, false);
    lines_compare(value, "cmdtrace", "cmd", options.commands, true);
    fclose(options.commands);
    fclose(options.requests);
    runs++;
}

static void folder_compare(const char *where, bool every_cycle)
{
    char path[1024], head[4096], line[4096];
    struct table table = { 0 };
    folder = where;
    runs = failures = 0;
    snprintf(path, sizeof path, "%s/results/results.csv", folder);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    assert_non_null(fgets(head, sizeof head, file));
    table.count = fields_split(head, table.columns);
    while (fgets(line, sizeof line, file)) {
        char *value[COLUMNS_MAX] = { 0 };
        assert_int_equal(fields_split(line, value), table.count);
        run_compare(&table, value, every_cycle);
    }
    fclose(file);
    print_message("# %u runs of %s compared\n", runs, folder);
    assert_true(runs);
    assert_int_equal(failures, 0);
}

static const char *whole_set(void)
{
    const char *given = getenv("OGIVE_DRAM_REFERENCE");
    const char *where = given ? given : SOURCE_ROOT "/../shared/dram";
    struct stat status;
    if (!stat(where, &status))
        return where;
    print_message("# %s is not there: only the runs beside the test are compared\n", where);
    skip();
    return NULL;
}

static void part_is_equal(void **state)
{
    (void)state;
    folder_compare(SOURCE_ROOT "/tests/dram/reference", false);
}

static void part_is_equal_without_skipping(void **state)
{
    (void)state;
    folder_compare(SOURCE_ROOT "/tests/dram/reference", true);
}

static void whole_set_is_equal(void **state)
{
    (void)state;
    folder_compare(whole_set(), false);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(part_is_equal),
        cmocka_unit_test(part_is_equal_without_skipping),
        cmocka_unit_test(whole_set_is_equal),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
