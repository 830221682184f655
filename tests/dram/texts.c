/* texts.c - what is read and what is written: traces, descriptions, result columns. */
#include "support.h"

#include <unistd.h>

#include "dram/describe.h"
#include "dram/replay.h"
#include "dram/trace.h"

/* A file with this content; the caller removes it. */
static char *file_with(const char *content)
{
    char *path = heap_copy("/tmp/ogive-trace-XXXXXX");
    int file = mkstemp(path);
    assert_true(file >= 0);
    assert_int_equal(write(file, content, strlen(content)), strlen(content));
    close(file);
    return path;
}

static bool trace_of(const char *content, struct dram_trace *trace, struct ogv_error *error)
{
    char *path = file_with(content);
    bool good = dram_trace_read(trace, path, error);
    unlink(path);
    free(path);
    return good;
}

static void traces_are_read(void **state)
{
    (void)state;
    struct dram_trace trace;
    struct ogv_error error;
    assert_true(trace_of("# a comment\n# K=4\n# W=2\n0 R 25cdbe00\n17 W ff\n", &trace, &error));
    assert_int_equal(trace.per_cycle, 4);
    assert_int_equal(trace.outstanding, 2);
    assert_int_equal(trace.count, 2);
    assert_int_equal(trace.reads, 1);
    assert_int_equal(trace.requests[0].address, 0x25cdbe00);
    assert_int_equal(trace.requests[1].arrive, 17);
    assert_true(trace.requests[1].write);
    dram_trace_fini(&trace);
}

static void broken_traces_say_where(void **state)
{
    (void)state;
    const char *broken[] = { "# K=4\n0 X 12\n", "# ok\n0 R\n", "# ok\nR 0 12\n", "# ok\n0 R 12z\n",
                             "# ok\n# K=0\n" };
    for (u32 i = 0; i < sizeof broken / sizeof *broken; i++) {
        struct dram_trace trace;
        struct ogv_error error = { 0 };
        assert_false(trace_of(broken[i], &trace, &error));
        assert_int_equal(error.kind, OGV_ERROR_USER);
        assert_non_null(strstr(error.message, ":2:"));
        dram_trace_fini(&trace);
    }
    struct dram_trace trace;
    assert_false(dram_trace_read(&trace, "/nowhere/x.trace", NULL));
}

static void an_unknown_configuration_is_named(void **state)
{
    (void)state;
    struct dram_replay_options options = { .trace = "/nowhere", .config = "ddr4_320" };
    struct dram_replay_result result;
    struct ogv_error error;
    assert_false(dram_replay(&options, &result, &error));
    assert_non_null(strstr(error.message, "did you mean 'ddr4_3200'"));
}

static void an_empty_trace_is_an_empty_result(void **state)
{
    (void)state;
    char *path = file_with("# nothing\n");
    struct dram_replay_options options = { .trace = path, .config = "ddr4_3200" };
    struct dram_replay_result result;
    assert_true(dram_replay(&options, &result, NULL));
    assert_int_equal(result.total_cycles, 0);
    assert_int_equal(result.n_commands, 0);
    unlink(path);
    free(path);
}

/* The first three lines of the recorded device files, word for word. */
static void descriptions_are_the_recorded_ones(void **state)
{
    (void)state;
    u32 compared = 0;
    const struct dram_config *config;
    for (u32 i = 0; (config = dram_config_at(i)); i++) {
        char path[1024], line[1024];
        struct text text = { 0 };
        assert_true(dram_describe_config(config, &text, NULL));
        snprintf(path, sizeof path, SOURCE_ROOT "/tests/dram/reference/configs/%s.resolved.txt",
                 config->name);
        FILE *file = fopen(path, "r");
        for (u32 n = 0; file && n < 3; n++) {
            assert_non_null(fgets(line, sizeof line, file));
            if (!strstr(text_get(&text), line))
                fail_msg("%s: not described: %s", config->name, line);
            compared++;
        }
        if (file)
            fclose(file);
        text_fini(&text);
    }
    assert_int_equal(compared, 33);
}

static void everything_can_be_listed_and_shown(void **state)
{
    (void)state;
    struct text text = { 0 };
    const struct dram_standard *standard;
    dram_describe_all(&text);
    for (u32 i = 0; (standard = dram_standard_at(i)); i++) {
        struct ogv_error error;
        assert_non_null(strstr(text_get(&text), standard->title));
        for (const struct dram_preset *p = standard->presets; p->name; p++) {
            struct text shown = { 0 };
            if (!dram_describe_preset(standard->name, p->name, NULL, &shown, &error))
                fail_msg("%s %s: %s", standard->name, p->name, error.message);
            assert_non_null(strstr(text_get(&shown), "correct"));
            text_fini(&shown);
        }
    }
    text_fini(&text);
    assert_false(dram_describe_preset("ddr9", "x", NULL, &text, NULL));
    assert_false(dram_describe_preset("ddr4", "x", NULL, &text, NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(traces_are_read),
        cmocka_unit_test(broken_traces_say_where),
        cmocka_unit_test(an_unknown_configuration_is_named),
        cmocka_unit_test(an_empty_trace_is_an_empty_result),
        cmocka_unit_test(descriptions_are_the_recorded_ones),
        cmocka_unit_test(everything_can_be_listed_and_shown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
