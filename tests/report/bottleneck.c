/* bottleneck.c - what limited a run: sums are exact on every shipped architecture, also those of
 * energy; shares are what made-up counters say, and files that no run writes are refused. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/shipped.h"
#include "base/text.h"
#include "ogive/random.h"
#include "report/bottleneck.h"
#include "report/samples.h"
#include "report/stalls.h"
#include "report/waiting.h"
#include "stand.h"

#define SMALL                                                                 \
    {                                                                         \
        "sm.count=2", "chip.barrier.arrivals=2", "partition.dram.size=32 MiB" \
    }

#define SMALL_STREAMS                                                          \
    {                                                                          \
        "sm.count=2", "chip.barrier.arrivals=2", "partition.dram.size=32 MiB", \
            "chip.scheduler.memory=64 MiB"                                     \
    }

/* Large machines have only some of their SMs here. */
static const struct stand_job jobs[] = {
    { .arch = "exchange", .cycles = 20000 },
    { .arch = "tiny", .program = "mandelbrot", .arguments = { "8", "8" }, .cycles = 8000 },
    { .arch = "tiny-simt", .program = "mandelbrot", .arguments = { "8", "8" }, .cycles = 8000 },
    { .arch = "trax", .program = "mandelbrot", .arguments = { "8", "8" }, .cycles = 20000 },
    { .arch = "rtx2080-compute",
      .settings = { "sm.count=2", "chip.barrier.arrivals=2" },
      .program = "mandelbrot",
      .arguments = { "8", "8" },
      .cycles = 20000 },
    { .arch = "h200",
      .settings = SMALL,
      .program = "mandelbrot",
      .arguments = { "8", "8" },
      .cycles = 20000 },
    { .arch = "rtx2060", .settings = SMALL, .traced = true, .cycles = 20000 },
    { .arch = "rtx2060-simt", .settings = SMALL, .traced = true, .cycles = 20000 },
    { .arch = "rtx2070s", .settings = SMALL, .traced = true, .cycles = 20000 },
    { .arch = "rtx2080", .settings = SMALL, .traced = true, .cycles = 20000 },
    { .arch = "rtx2080-simt", .settings = SMALL, .traced = true, .cycles = 20000 },
    { .arch = "rtx2080ti", .settings = SMALL, .traced = true, .cycles = 20000 },
    { .arch = "rtx3070", .settings = SMALL, .traced = true, .cycles = 20000 },
    { .arch = "rtx4090", .settings = SMALL, .traced = true, .cycles = 20000 },
    { .arch = "mobile", .settings = SMALL, .traced = true, .cycles = 20000 },
    { .arch = "mobile-simt", .settings = SMALL, .traced = true, .cycles = 20000 },
    { .arch = "strata", .settings = SMALL, .traced = true, .cycles = 20000 },
    { .arch = "rtx2080-strata", .settings = SMALL, .traced = true, .cycles = 20000 },
    { .arch = "dual-streaming", .settings = SMALL_STREAMS, .traced = true, .cycles = 20000 },
    { .arch = "rtx2080-dual-streaming",
      .settings = SMALL_STREAMS,
      .traced = true,
      .cycles = 20000 },
    { .arch = "trax-rt", .settings = SMALL, .traced = true, .cycles = 20000 },
    { .arch = "trax-rt-compressed", .settings = SMALL, .traced = true, .cycles = 20000 },
    { .arch = "trax-sw", .settings = SMALL, .traced = true, .cycles = 20000 },
    { .arch = "strata-sw", .settings = SMALL, .traced = true, .cycles = 20000 },
    { .arch = "dual-streaming-sw", .settings = SMALL_STREAMS, .traced = true, .cycles = 20000 },
};

#define JOBS (sizeof jobs / sizeof *jobs)

static void job_is_there(void *context, const char *name, const char *path)
{
    (void)context;
    (void)path;
    for (u32 i = 0; i < JOBS; i++)
        if (!strcmp(jobs[i].arch, name))
            return;
    fail_msg("the architecture %s is not tried here", name);
}

static void every_architecture_is_tried(void **state)
{
    (void)state;
    char *folder = shipped_find("archs");
    assert_non_null(folder);
    folder_list(folder, ".yaml", job_is_there, NULL);
    free(folder);
}

static void check_tree(const struct stall *tree)
{
    double sum = 0;
    assert_string_not_equal(tree->name, "not accounted for");
    for (u32 i = 0; i < tree->part_count; i++) {
        check_tree(&tree->parts[i]);
        sum += tree->parts[i].value;
    }
    if (tree->part_count && sum != tree->value)
        fail_msg("%s is %.0f, its parts are %.0f", tree->name, tree->value, sum);
}

static double counted(const struct result *result, const char *type, const char *stat)
{
    double sum = 0;
    for (u32 i = 0; i < result->group_count; i++)
        if (!strcmp(result->groups[i].type, type))
            sum += result_stat(&result->groups[i], stat);
    return sum;
}

/* Every share of the waiting has arrived somewhere. */
static void check_waiting(const struct result *result)
{
    struct waiting waiting;
    double sum = 0;
    waiting_find(result, &waiting);
    sum += waiting.memory;
    for (u32 g = 0; g < result->group_count; g++) {
        const struct result_group *group = &result->groups[g];
        for (u32 i = 0; group_accounts(group) && i < group->explained->resource_count; i++)
            sum += waiting.groups[g].own[i];
        if (!group_accounts(group))
            sum += waiting.groups[g].room + waiting.groups[g].answer;
    }
    if (waiting.cycles > 0)
        assert_true(fabs(sum - 1) < 1e-9);
    waiting_fini(result, &waiting);
}

/* The group that traces rays is one that others wait for. */
static bool rays_are_awaited(const struct result *result)
{
    struct waiting waiting;
    bool awaited = false;
    waiting_find(result, &waiting);
    for (u32 g = 0; g < result->group_count; g++)
        if (!strcmp(result->groups[g].type, "rtcore"))
            awaited = waiting.groups[g].awaited && waiting.groups[g].answer > 0;
    waiting_fini(result, &waiting);
    return awaited;
}

/* What works at its limit comes first, the busiest of it before the rest; then what is full; then
 * the others, and each of both by its waiting. */
static void check_order(const struct resource *before, const struct resource *after)
{
    bool limit = resource_at_limit(before), next = resource_at_limit(after);
    if (limit && before->kind == RESOURCE_WORK)
        assert_true(!next || after->kind == RESOURCE_ROOM ||
                    before->utilisation >= after->utilisation);
    else if (limit)
        assert_true(!next || (after->kind == RESOURCE_ROOM && before->waiting >= after->waiting));
    else
        assert_true(!next && (isnan(after->waiting) || before->waiting >= after->waiting));
}

static void check_resource(const struct resource *resource)
{
    bool known = !isnan(resource->utilisation);
    assert_true(!known || (resource->utilisation >= 0 && resource->utilisation <= 1));
    assert_true(isnan(resource->waiting) || (resource->waiting >= 0 && resource->waiting < 1.001));
    assert_true(strlen(resource->sentence) > 5);
}

static double json_sum(const json_t *objects, const char *key)
{
    const char *name;
    json_t *object;
    double sum = 0;
    json_object_foreach((json_t *)(uintptr_t)objects, name, object) sum +=
        json_number_value(json_object_get(object, key));
    return sum;
}

/* The energy of all intervals, from their power. */
static double series_energy(const struct result *result, double clock_hz)
{
    struct ogv_error error;
    struct stats_table *table = samples_table(result, &error);
    assert_non_null(table);
    u32 column = table_column(table, "power_w");
    cycle before = 0;
    double sum = 0;
    assert_int_not_equal(column, UINT32_MAX);
    assert_true(table->line_count > 1);
    for (u32 i = 0; i < table->line_count; i++) {
        sum += table_number(table, i, column) * (double)(table->ends[i] - before) / clock_hz;
        before = table->ends[i];
    }
    table_free(table);
    return sum;
}

/* To the rounding of twelve digits in the files. */
#define assert_same_energy(a, b) assert_true(fabs((a) - (b)) <= 1e-10 * fabs(b))

static void check_energy(const struct result *result)
{
    const json_t *summary = json_object_get(result->stats, "summary");
    const json_t *energy = json_object_get(result->stats, "energy");
    const json_t *all = json_object_get(summary, "energy_j");
    double clock_hz = json_number_value(json_object_get(result->run, "clock_hz"));
    double joules = json_number_value(all);
    bool known = counted(result, "core", "issued") + counted(result, "subcore", "issued") > 0;
    assert_true(known ? joules > 0 : json_is_null(all));
    assert_same_energy(json_sum(json_object_get(energy, "groups"), "energy_j"), joules);
    assert_same_energy(json_sum(json_object_get(energy, "types"), "energy_j"), joules);
    assert_same_energy(series_energy(result, clock_hz), joules);
    assert_true(json_array_size(json_object_get(energy, "missing")) > 0);
    assert_true(json_is_false(json_object_get(summary, "energy_complete")));
}

static void same_figure(const json_t *summary, const char *name, double above, double below)
{
    const json_t *figure = json_object_get(summary, name);
    if (below > 0)
        assert_true(fabs(json_number_value(figure) - above / below) <= 1e-10 * above / below);
    else
        assert_true(!figure || json_is_null(figure));
}

/* The figures of the summary are what the counters say. */
static void check_figures(const struct result *result)
{
    const json_t *summary = json_object_get(result->stats, "summary");
    double issued = counted(result, "core", "issued") + counted(result, "subcore", "executed");
    double cores = 0;
    for (u32 i = 0; i < result->group_count; i++)
        if (!strcmp(result->groups[i].type, "core") || !strcmp(result->groups[i].type, "subcore"))
            cores += result->groups[i].copies / group_chip_cycles(result, &result->groups[i]);
    same_figure(summary, "ipc", issued, issued > 0 ? result->cycles : 0);
    same_figure(summary, "ipc_per_core", issued, cores * result->cycles);
    double rays = counted(result, "rtcore", "rays");
    same_figure(summary, "nodes_per_ray", counted(result, "rtcore", "nodes"), rays);
    same_figure(summary, "triangles_per_ray", counted(result, "rtcore", "triangles"), rays);
}

static double purposes_sum(const struct result_group *group, const char *what)
{
    static const char *const names[] = {
#define PURPOSE_NAME(with, name, NAME, words) #name,
        PURPOSES(PURPOSE_NAME, )
#undef PURPOSE_NAME
    };
    double sum = 0;
    for (u32 i = 0; i < PURPOSE_COUNT; i++) {
        char *stat = text_format("%s_%s", what, names[i]);
        sum += result_stat(group, stat);
        free(stat);
    }
    return sum;
}

/* Every byte of memory is of one purpose, and a picture's rays and scene are among them. */
static void check_purposes(const struct result *result, const struct stand_job *job)
{
    u32 memories = 0;
    double rays = 0, scene = 0;
    for (u32 i = 0; i < result->group_count; i++) {
        const struct result_group *group = &result->groups[i];
        if (!json_object_get(group->rows, "bytes_read_scene"))
            continue;
        memories++;
        assert_true(purposes_sum(group, "bytes_read") == result_stat(group, "bytes_read"));
        assert_true(purposes_sum(group, "bytes_written") == result_stat(group, "bytes_written"));
        rays += result_stat(group, "bytes_read_ray");
        scene += result_stat(group, "bytes_read_scene");
    }
    assert_true(memories > 0);
    assert_int_equal(rays > 0, job->traced);
    assert_int_equal(scene > 0, job->traced);
}

static void sums_are_exact(void **state)
{
    const struct stand_job *job = *state;
    struct ogv_error error;
    char *folder = stand_folder();
    stand_run(folder, job);
    struct result *result = result_open(folder, &error);
    if (!result)
        fail_msg("%s", error.message);
    struct bottleneck *found = bottleneck_find(result);
    bool rt = counted(result, "rtcore", "ray_cycles") > 0;
    assert_int_equal(found->tree_count, (job->program || job->traced) + (rt ? 2 : 0));
    if (job->traced && !strstr(job->arch, "-sw"))
        assert_true(rt);
    for (u32 i = 0; i < found->tree_count; i++)
        check_tree(&found->trees[i]);
    if (found->tree_count)
        assert_true(found->trees[0].value ==
                    counted(result, "core", "cycles") + counted(result, "subcore", "cycles"));
    if (rt)
        assert_true(found->trees[1].value == counted(result, "rtcore", "ray_cycles"));
    for (u32 i = 0; i < found->resource_count; i++) {
        check_resource(&found->resources[i]);
        assert_int_not_equal(found->resources[i].kind, RESOURCE_UNEXPLAINED);
        if (i)
            check_order(&found->resources[i - 1], &found->resources[i]);
    }
    check_waiting(result);
    if (rt)
        assert_true(rays_are_awaited(result));
    check_energy(result);
    check_figures(result);
    check_purposes(result, job);
    bottleneck_free(found);
    result_close(result);
    stand_remove(folder);
}

static void near(double value, double wanted)
{
    if (!(fabs(value - wanted) < 1e-12))
        fail_msg("%.15g, not %.15g", value, wanted);
}

/* 800 thread-cycles, 550 of them waiting; the memory's 400 are divided by request-cycles: latency
 * 40 x 20 + 10 x 2 = 820, conflicts 80, MSHRs 100. */
static void shares_are_those_of_the_counters(void **state)
{
    (void)state;
    char *folder = stand_made_up();
    struct ogv_error error;
    struct result *result = result_open(folder, &error);
    if (!result)
        fail_msg("%s", error.message);
    struct bottleneck *found = bottleneck_find(result);
    near(stand_resource(found, "sm.core", "issue slots")->utilisation, 150.0 / 200);
    near(stand_resource(found, "sm.core", "issue slots")->waiting, 50.0 / 550);
    near(stand_resource(found, "sm.core", "own pipelines")->waiting, 100.0 / 550);
    near(stand_resource(found, "sm.l1", "bandwidth")->utilisation, 50.0 / 200);
    near(stand_resource(found, "sm.l1", "bandwidth")->waiting, 400.0 / 550 * 80 / 1000);
    near(stand_resource(found, "sm.l1", "latency")->waiting, 400.0 / 550 * 820 / 1000);
    near(stand_resource(found, "sm.l1", "MSHRs")->utilisation, 100.0 / 400);
    near(stand_resource(found, "sm.l1", "MSHRs")->waiting, 400.0 / 550 * 100 / 1000);
    assert_int_equal(found->tree_count, 1);
    check_tree(&found->trees[0]);
    near(stall_value(&found->trees[0], "hazard_load"), 300);
    bottleneck_free(found);
    result_close(result);
    stand_remove(folder);
}

/* Counters that do not add up make no tree that does not: the rest is named. */
static void a_rest_is_named(void **state)
{
    (void)state;
    char *folder = stand_made_up();
    struct ogv_error error;
    char *stats = stand_read(folder, "stats.json");
    char *at = strstr(stats, "\"cycles\": 800");
    assert_non_null(at);
    memcpy(at, "\"cycles\": 900", 13);
    stand_write(folder, "stats.json", stats);
    struct result *result = result_open(folder, &error);
    assert_non_null(result);
    struct bottleneck *found = bottleneck_find(result);
    near(found->trees[0].value, 900);
    near(stall_value(&found->trees[0], "not accounted for"), 100);
    bottleneck_free(found);
    result_close(result);
    free(stats);
    stand_remove(folder);
}

/* The made-up run with a piece of a file replaced by another. */
static char *changed(char *folder, const char *name, const char *piece, const char *by)
{
    char *text = stand_read(folder, name), *at = strstr(text, piece);
    struct text whole = { 0 };
    assert_non_null(at);
    text_add_bytes(&whole, text, (size_t)(at - text));
    text_add(&whole, "%s%s", by, at + strlen(piece));
    stand_write(folder, name, text_get(&whole));
    text_fini(&whole);
    free(text);
    return folder;
}

/* The made-up run with such a change must be refused with these words. */
static void refused(const char *name, const char *piece, const char *by, const char *words)
{
    char *folder = changed(stand_made_up(), name, piece, by);
    struct ogv_error error = { 0 };
    if (result_open(folder, &error))
        fail_msg("%s with %s was taken", name, by);
    if (!strstr(error.message, words))
        fail_msg("'%s' lacks '%s'", error.message, words);
    stand_remove(folder);
}

static void wrong_files_are_refused(void **state)
{
    (void)state;
    refused("stats.json", "\"passed\": 50", "\"passed\": -50", "sm.core[*].passed");
    refused("stats.json", "\"passed\": 50", "\"passed\": \"<b>\"", "sm.core[*].passed");
    refused("stats.json", "\"type\": \"cache\", \"reads\"", "\"type\": \"cash\", \"reads\"",
            "sm.l1");
    refused("stats.json", "\"sm.core[1]\"", "\"sm.other[1]\"", "the list of units");
    refused("stats.json", "\"groups\"", "\"gruops\"", "stats.json");
    refused("stats.json", "\"groups\"", "\"energy\": 5, \"groups\"", "the energy");
    refused("stats.json", "\"groups\"",
            "\"energy\": {\"technology\": {}, \"missing\": [], \"left_out\": [], \"groups\": "
            "{\"a\": {\"events\": {\"b\": null}}}}, \"groups\"",
            "the energy");
    refused("run.json", "\"copies\": 2", "\"copies\": 200000000", "sm.core");
    refused("run.json", "\"copies\": 2", "\"copies\": 3", "the list of units");
    refused("run.json", "\"clock_hz\": 1000", "\"clock_hz\": 0", "run.json");
    refused("run.json", "{", "[", "run.json");
}

static void rows_that_name_nothing_are_refused(void **state)
{
    (void)state;
    refused("stats.json", "\"bank_conflicts\": 80", "\"bank_clonficts\": 80",
            "sm.l1 has no 'bank_conflicts', which 'bandwidth' of the type cache is made of");
    refused("stats.json", "\"halted\": 100", "\"ended\": 100",
            "sm.core has no 'halted', which 'the program had ended' of the type core is made of");
    refused("run.json", "\"mshrs\": 4", "\"mhsrs\": 4", "sm.l1 has no 'mshrs'");
    refused("stats.json", "reads + writes", "reads + (writes", "a ')' is missing at character 16");
    refused("stats.json", "\"charge\": \"own\"", "\"charge\": \"won\"", "explained.core is not");
    refused("stats.json", "\"kind\": \"room\"", "\"kind\": \"loom\"", "explained.cache is not");
    refused("stats.json", "\"at\": \"issue slots\"", "\"at\": \"slots\"", "explained.core is not");
    refused("stats.json", "\"depth\": 1", "\"depth\": 2", "explained.core is not");
    refused("stats.json", "\"resources\": [", "\"resources\": 7, \"r\": [",
            "explained.core is not");
    refused("run.json", "\"links\"",
            "\"awaits\": {\"sm.core\": {\"hazard_int_add\": \"sm.m\"}}, \"links\"",
            "awaits.sm.core is not");
}

static struct bottleneck *found_in(const char *folder, struct result **result)
{
    struct ogv_error error;
    *result = result_open(folder, &error);
    if (!*result)
        fail_msg("%s", error.message);
    return bottleneck_find(*result);
}

static void found_close(char *folder, struct result *result, struct bottleneck *found)
{
    bottleneck_free(found);
    result_close(result);
    stand_remove(folder);
}

static void assert_word(const struct bottleneck *found, const char *words)
{
    for (u32 i = 0; i < found->word_count; i++)
        if (strstr(found->words[i], words))
            return;
    fail_msg("no sentence has '%s'", words);
}

static void older_runs_are_not_explained(void **state)
{
    (void)state;
    char *folder = changed(stand_made_up(), "stats.json", "\"explained\"", "\"forgotten\"");
    struct result *result;
    struct bottleneck *found = found_in(folder, &result);
    assert_int_equal(found->resource_count, 0);
    assert_int_equal(found->tree_count, 0);
    assert_word(found, "What limited it is not known");
    found_close(folder, result, found);
}

/* The core's 100 cycles for int_add were for answers of the cache: on the way to memory, so they
 * join the 400 for that. */
static void waiting_is_passed_on(void **state)
{
    (void)state;
    char *folder = changed(stand_made_up(), "run.json", "\"links\"",
                           "\"awaits\": {\"sm.core\": {\"hazard_int_add\": \"sm.l1\"}}, \"links\"");
    struct result *result;
    struct bottleneck *found = found_in(folder, &result);
    near(stand_resource(found, "sm.core", "own pipelines")->waiting, 0);
    near(stand_resource(found, "sm.l1", "latency")->waiting, 500.0 / 550 * 820 / 1000);
    assert_word(found,
                "Threads of sm.core made progress in 18.8% of their cycles, waited in 68.8%, and "
                "had ended in 12.5%.");
    assert_word(found, "They waited for memory (72.7%), sm.l1 (18.2%) and the issue slots of "
                       "sm.core (9.1%).");
    found_close(folder, result, found);
}

/* Nobody is where waiting begins, so no share is known. */
static void waiting_in_a_circle_ends(void **state)
{
    (void)state;
    char *folder =
        changed(stand_made_up(), "run.json", "\"links\"",
                "\"awaits\": {\"sm.core\": {\"hazard_int_add\": \"sm.core\"}}, \"links\"");
    struct result *result;
    struct bottleneck *found = found_in(folder, &result);
    assert_true(isnan(stand_resource(found, "sm.core", "issue slots")->waiting));
    near(stand_resource(found, "sm.core", "issue slots")->utilisation, 150.0 / 200);
    found_close(folder, result, found);
}

/* The cache of `waiting_is_passed_on`, without its rows. */
static void whoever_says_nothing_is_named(void **state)
{
    (void)state;
    char *folder = changed(stand_made_up(), "run.json", "\"links\"",
                           "\"awaits\": {\"sm.core\": {\"hazard_int_add\": \"sm.l1\"}}, \"links\"");
    changed(folder, "stats.json", "\"accounts\": [], \"resources\": [",
            "\"accounts\": [], \"resources\": [], \"others\": [");
    struct result *result;
    struct bottleneck *found = found_in(folder, &result);
    const struct resource *resource = stand_resource(found, "sm.l1", "not explained");
    assert_int_equal(resource->kind, RESOURCE_UNEXPLAINED);
    near(resource->waiting, 100.0 / 550);
    assert_word(found, "sm.l1 is not explained, and 18.2% of the waiting was for it");
    found_close(folder, result, found);
}

/* The MSHRs are full half of the time: of 400 MSHR-cycles, 200; their 100 request-cycles of waiting
 * are 7.3% of all, or with 300 instead 18.2%: 400 / 550 * 300 / 1200. */
static void what_is_full_and_waited_for_is_the_limit(void **state)
{
    (void)state;
    char *folder =
        changed(stand_made_up(), "stats.json", "\"occupancy\": 100", "\"occupancy\": 200");
    struct result *result;
    struct bottleneck *found = found_in(folder, &result);
    assert_false(resource_at_limit(stand_resource(found, "sm.l1", "MSHRs")));
    assert_word(
        found,
        "The limit was latency: the largest share of the waiting, 59.6%, was at the "
        "latency of sm.l1, and nothing was full or worked at its limit (the issue slots of sm.core "
        "came closest, 75.0% busy).");
    bottleneck_free(found);
    result_close(result);
    changed(folder, "stats.json", "\"mshr_stalls\": 100", "\"mshr_stalls\": 300");
    found = found_in(folder, &result);
    assert_ptr_equal(stand_resource(found, "sm.l1", "MSHRs"), &found->resources[0]);
    assert_string_equal(found->words[0],
                        "The limit was latency, with too few MSHRs to hide it: those of "
                        "sm.l1 were 50.0% in use, and 18.2% of the waiting was "
                        "for room in them.");
    assert_string_equal(found->resources[0].sentence,
                        "Others waited for room: on average 2 of 4 in use.");
    found_close(folder, result, found);
}

/* The same with settings to try, and with words that a shell would take for something else. */
static void what_if_is_a_command_to_copy(void **state)
{
    (void)state;
    char *folder =
        changed(stand_made_up(), "run.json", "\"settings\": []",
                "\"settings\": [], \"repeat\": [\"my machine\", \"--set\", \"a.b=it's; rm\"],\n"
                "\"tries\": {\"sm.l1\": {\"latency\": {\"more\": null, \"less\": "
                "\"sm.l1.latency=10 cycles\"}}}");
    changed(folder, "run.json", "\"interval_cycles\"",
            "\"arguments\": [\"8\", \"\"], \"interval_cycles\"");
    struct result *result;
    struct bottleneck *found = found_in(folder, &result);
    assert_string_equal(found->what_if.setting, "sm.l1.latency=10 cycles");
    char *command = text_format("ogive run 'my machine' --set 'a.b=it'\\''s; rm' --set "
                                "'sm.l1.latency=10 cycles' --out %s-what-if -- 8 ''",
                                folder);
    assert_string_equal(found->what_if.command, command);
    free(command);
    bottleneck_free(found);
    result_close(result);
    changed(folder, "run.json", "[\"my machine\"", "[7");
    found = found_in(folder, &result);
    assert_string_equal(found->what_if.setting, "sm.l1.latency=10 cycles");
    assert_null(found->what_if.command);
    found_close(folder, result, found);
}

#define DAMAGES 4000

/* Whatever a letter of the rows becomes, the run is refused or reported. */
static void damaged_rows_break_nothing(void **state)
{
    (void)state;
    char *folder = stand_made_up();
    char *stats = stand_read(folder, "stats.json"), *run = stand_read(folder, "run.json");
    char *rows = strstr(stats, "\"explained\"");
    u64 random = 1;
    u32 taken = 0;
    assert_non_null(rows);
    for (u32 i = 0; i < DAMAGES; i++) {
        static const char letters[] = "0129-+*/().,:\"[]{} abnul_";
        char *at = &rows[random_below(&random, strlen(rows))], was = *at;
        *at = letters[random_below(&random, sizeof letters - 1)];
        json_t *damaged = json_loads(stats, 0, NULL);
        struct ogv_error error;
        struct result *result =
            damaged ? result_of(folder, json_loads(run, 0, NULL), damaged, &error) : NULL;
        struct bottleneck *found = result ? bottleneck_find(result) : NULL;
        taken += found != NULL;
        bottleneck_free(found);
        result_close(result);
        *at = was;
    }
    assert_in_range(taken, 1, DAMAGES - 1);
    free(run);
    free(stats);
    stand_remove(folder);
}

#define OTHERS 12

int main(void)
{
    struct CMUnitTest tests[JOBS + OTHERS] = {
        cmocka_unit_test(every_architecture_is_tried),
        cmocka_unit_test(shares_are_those_of_the_counters),
        cmocka_unit_test(a_rest_is_named),
        cmocka_unit_test(wrong_files_are_refused),
        cmocka_unit_test(rows_that_name_nothing_are_refused),
        cmocka_unit_test(older_runs_are_not_explained),
        cmocka_unit_test(waiting_is_passed_on),
        cmocka_unit_test(waiting_in_a_circle_ends),
        cmocka_unit_test(whoever_says_nothing_is_named),
        cmocka_unit_test(what_is_full_and_waited_for_is_the_limit),
        cmocka_unit_test(what_if_is_a_command_to_copy),
        cmocka_unit_test(damaged_rows_break_nothing),
    };
    for (u32 i = 0; i < JOBS; i++)
        tests[OTHERS + i] = (struct CMUnitTest){ text_format("sums are exact on %s", jobs[i].arch),
                                                 sums_are_exact, NULL, NULL, (void *)&jobs[i] };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    for (u32 i = 0; i < JOBS; i++)
        free((void *)tests[OTHERS + i].name);
    return failed;
}
