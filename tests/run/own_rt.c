/* own_rt.c - an RT core from a shared object is an RT core like any other: it gets scenes, its hits
 * are judged, its rays count and can be followed.
 *
 * The machine has cores of the tree and plugin/own_rt.c, in two domains. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <jansson.h>

#include "../report/stand.h"
#include "arch/host.h"
#include "arch/stats.h"
#include "base/text.h"
#include "ogive/ray_trace.h"
#include "run/record.h"
#include "run/workload.h"

#define SIZE       12
#define EVERY_RAY  512
#define CHECKPOINT "checkpoint.ogv"

/* What was seen of a run while its chip was there. */
struct seen {
    u64 finished, nothing, visited, lane_cycles, fetching, testing, leaving;
    u64 rays, rays_in_all; /* of the progress, at the end */
    u64 looks, rays_before;
    bool between; /* the progress was neither at the beginning nor at the end */
};

static u64 stat_of(const ogv_system *system, const char *name)
{
    struct ogv_error error;
    struct stat_value value;
    char *path = text_format("sm[*].rt.%s", name);
    if (!stats_find(system, path, &value, &error))
        fail_msg("%s", error.message);
    free(path);
    return value.integer;
}

static void look_begun(void *context, const struct run_progress *progress)
{
    (void)context;
    (void)progress;
}

static bool look_calls(void *context)
{
    (void)context;
    return true;
}

static void look_visit(void *context, const struct run_progress *progress,
                       struct run_orders *orders)
{
    struct seen *seen = context;
    (void)orders;
    assert_true(progress->rays >= seen->rays_before);
    seen->rays_before = progress->rays;
    seen->between |= progress->rays > 0 && progress->rays < progress->rays_in_all;
    seen->looks++;
}

static void look_sampled(void *context, cycle end, const u64 *grown)
{
    (void)context;
    (void)end;
    (void)grown;
}

static void look_ended(void *context, const struct run_progress *progress)
{
    struct seen *seen = context;
    const ogv_system *system = progress->record->system;
    seen->rays = progress->rays;
    seen->rays_in_all = progress->rays_in_all;
    seen->finished = stat_of(system, "finished");
    seen->nothing = stat_of(system, "nothing");
    seen->visited = stat_of(system, "visited");
    seen->lane_cycles = stat_of(system, "lane_cycles");
    seen->fetching = stat_of(system, "fetching");
    seen->testing = stat_of(system, "testing");
    seen->leaving = stat_of(system, "leaving");
}

/* ---- Runs ---- */

struct job {
    const char *program; /* NULL: trace */
    u64 trace_rays;
    u32 threads;
    cycle stop_after;   /* 0: to the end */
    const char *resume; /* folder with a checkpoint; NULL: none */
};

static char *built(const char *name)
{
    return text_format("%s/%s", getenv("OGIVE_TEST_BUILD"), name);
}

static struct world_options world_of(const struct job *job)
{
    return (struct world_options){ .scene = "cornell",
                                   .generator = { .triangles = 2000 },
                                   .traced = !job->program,
                                   .rays = RAYS_SECONDARY,
                                   .width = SIZE,
                                   .height = SIZE,
                                   .samples = 1,
                                   .bounces = 2,
                                   .seed = 1,
                                   .threads = 1 };
}

/* A run that must come to an end; its folder is the caller's. */
static char *run(const struct job *job, struct run_result *result, struct seen *seen)
{
    char *folder = stand_folder(), *arch = built("own_rt.yaml");
    char *checkpoint = job->resume ? text_format("%s/%s", job->resume, CHECKPOINT) : NULL;
    struct world_options world = world_of(job);
    struct run_options options = { .arch = job->resume ? NULL : arch,
                                   .resume = checkpoint,
                                   .program = job->program,
                                   .out = folder,
                                   .world = &world,
                                   .trace_rays = job->trace_rays,
                                   .sim = { .threads = job->threads },
                                   .checkpoint_cycles = job->stop_after / 2,
                                   .stop_after = job->stop_after ? job->stop_after : NEVER };
    struct run_watcher watcher = { .begun = look_begun,
                                   .calls = look_calls,
                                   .visit = look_visit,
                                   .sampled = look_sampled,
                                   .ended = look_ended,
                                   .context = seen };
    struct run_listener listener = { .watcher = &watcher };
    struct ogv_error error;
    *seen = (struct seen){ 0 };
    if (!run_execute(&options, &listener, result, &error))
        fail_msg("%s", error.message);
    free(result->folder);
    free(result->console);
    free(result->image);
    free(result->heatmap);
    free(checkpoint);
    free(arch);
    return folder;
}

static void run_away(const struct job *job, struct run_result *result, struct seen *seen)
{
    stand_remove(run(job, result, seen));
}

/* ---- Hits, counts, progress ---- */

static void hits_are_those_of_embree(void **state)
{
    struct run_result result;
    struct seen seen;
    (void)state;
    run_away(&(struct job){ .threads = 1 }, &result, &seen);
    assert_int_equal(result.status, RUN_FINISHED);
    assert_true(result.judged);
    assert_true(result.rays > SIZE * SIZE / 2);
    assert_int_equal(seen.finished, result.rays);
    assert_int_equal(seen.finished + seen.nothing, SIZE * SIZE);
}

static void cycles_of_its_states_add_up(void **state)
{
    struct run_result result;
    struct seen seen;
    (void)state;
    run_away(&(struct job){ .threads = 1 }, &result, &seen);
    assert_true(seen.fetching > 0 && seen.testing > 0);
    assert_int_equal(seen.fetching + seen.testing + seen.leaving, seen.lane_cycles);
}

static void progress_counts_its_rays(void **state)
{
    struct run_result result;
    struct seen seen;
    (void)state;
    run_away(&(struct job){ .threads = 1 }, &result, &seen);
    assert_true(seen.looks > 10 && seen.between);
    assert_int_equal(seen.rays, seen.finished);
    assert_int_equal(seen.rays_in_all, seen.finished);
}

/* Also of a program that makes its own rays, of which nobody else knows how many there are. */
static void rates_count_its_rays(void **state)
{
    struct run_result result;
    struct seen seen;
    static const char *const programs[] = { NULL, "pathtrace" };
    (void)state;
    for (u32 i = 0; i < 2; i++) {
        run_away(&(struct job){ .program = programs[i], .threads = 1 }, &result, &seen);
        assert_int_equal(result.status, RUN_FINISHED);
        assert_true(seen.finished > 0);
        assert_int_equal(result.figures.rays, seen.finished);
        assert_true(result.figures.mrays_per_s > 0);
    }
}

static void host_threads_change_nothing(void **state)
{
    struct run_result one, two;
    struct seen seen;
    (void)state;
    run_away(&(struct job){ .threads = 1 }, &one, &seen);
    run_away(&(struct job){ .threads = 2 }, &two, &seen);
    assert_string_equal(one.digest, two.digest);
}

/* ---- Traces ---- */

static json_t *traces_of(const char *folder)
{
    char *text = stand_read(folder, "ray_traces.json");
    json_t *file = json_loads(text, 0, NULL);
    free(text);
    assert_non_null(file);
    return file;
}

static u64 number_of(const json_t *object, const char *key)
{
    return (u64)json_integer_value(json_object_get(object, key));
}

static u64 reason_total(const json_t *file, const char *reason)
{
    const json_t *rays = json_object_get(file, "rays");
    u64 total = 0;
    for (size_t i = 0; i < json_array_size(rays); i++)
        total += number_of(json_object_get(json_array_get(rays, i), "cycles"), reason);
    return total;
}

/* Events follow each other from the request to the hit's return, and are what is summed up. */
static void check_ray(const json_t *ray)
{
    const json_t *events = json_object_get(ray, "events"), *value;
    u64 at = number_of(ray, "begin"), sum = 0;
    const char *reason;
    for (size_t i = 0; i < json_array_size(events); i++) {
        const json_t *event = json_array_get(events, i);
        assert_int_equal(json_integer_value(json_array_get(event, 0)), at);
        at += (u64)json_integer_value(json_array_get(event, 1));
    }
    json_object_foreach((json_t *)json_object_get(ray, "cycles"), reason, value) sum +=
        (u64)json_integer_value(value);
    assert_true(json_is_true(json_object_get(ray, "ended")));
    assert_int_equal(at, number_of(ray, "end"));
    assert_int_equal(sum, at - number_of(ray, "begin"));
    assert_string_equal(json_string_value(json_object_get(ray, "kind")), "trace");
}

static void traces_of_all_rays_add_up_to_the_statistics(void **state)
{
    struct run_result result;
    struct seen seen;
    u64 nodes = 0;
    (void)state;
    char *folder = run(&(struct job){ .threads = 1, .trace_rays = EVERY_RAY }, &result, &seen);
    json_t *file = traces_of(folder);
    const json_t *rays = json_object_get(file, "rays");
    assert_int_equal(number_of(file, "rays_in_all"), SIZE * SIZE);
    assert_int_equal(json_array_size(rays), SIZE * SIZE);
    for (size_t i = 0; i < json_array_size(rays); i++) {
        check_ray(json_array_get(rays, i));
        nodes += number_of(json_array_get(rays, i), "nodes");
    }
    assert_int_equal(nodes, seen.visited);
    assert_int_equal(reason_total(file, "node_port") + reason_total(file, "node_fetch") +
                         reason_total(file, "block_port") + reason_total(file, "block_fetch"),
                     seen.fetching);
    assert_int_equal(reason_total(file, "box") + reason_total(file, "triangle"), seen.testing);
    assert_int_equal(reason_total(file, "answer"), seen.leaving);
    assert_int_equal(number_of(json_object_get(file, "tree"), "node_bytes"), 128);
    assert_int_equal(number_of(json_object_get(file, "tree"), "block_bytes"), 48);
    json_decref(file);
    stand_remove(folder);
}

/* One ray for two RT cores: that which follows none counts its rays as well. */
static void following_fewer_rays_than_units_counts_all(void **state)
{
    struct run_result result, plain;
    struct seen seen;
    (void)state;
    char *folder = run(&(struct job){ .threads = 2, .trace_rays = 1 }, &result, &seen);
    json_t *file = traces_of(folder);
    assert_int_equal(number_of(file, "asked"), 1);
    assert_int_equal(number_of(file, "rays_in_all"), SIZE * SIZE);
    assert_int_equal(json_array_size(json_object_get(file, "rays")), 1);
    json_decref(file);
    stand_remove(folder);
    run_away(&(struct job){ .threads = 1 }, &plain, &seen);
    assert_string_equal(result.digest, plain.digest);
}

static void checkpoint_goes_on_with_its_rays(void **state)
{
    struct run_result whole, half, rest;
    struct seen seen;
    (void)state;
    char *one = run(&(struct job){ .threads = 1, .trace_rays = 40 }, &whole, &seen);
    char *two = run(&(struct job){ .threads = 1, .trace_rays = 40, .stop_after = whole.cycles / 2 },
                    &half, &seen);
    assert_int_equal(half.status, RUN_STOPPED);
    assert_true(seen.finished > 0);
    char *three = run(&(struct job){ .threads = 2, .resume = two }, &rest, &seen);
    char *expected = stand_read(one, "ray_traces.json");
    char *found = stand_read(three, "ray_traces.json");
    assert_string_equal(rest.digest, whole.digest);
    assert_string_equal(found, expected);
    free(expected);
    free(found);
    stand_remove(one);
    stand_remove(two);
    stand_remove(three);
}

/* ---- Formats ---- */

/* An architecture that is this one with something more. */
static ogv_system *system_with(const char *more)
{
    struct ogv_error error;
    char *folder = stand_folder(), *base = built("own_rt.yaml"), *odd = built("odd_rt.so");
    char *text = text_format("name: with\nextends: %s\nunit_path: %s\n%s", base, odd, more);
    char *path = text_format("%s/with.yaml", folder);
    stand_write(folder, "with.yaml", text);
    ogv_arch *arch = ogv_arch_load(path, &error);
    ogv_system *system = arch ? ogv_system_create(arch, &error) : NULL;
    if (!system)
        fail_msg("%s", error.message);
    ogv_arch_destroy(arch);
    free(path);
    free(text);
    free(odd);
    free(base);
    stand_remove(folder);
    return system;
}

/* With a message that begins like this. */
static void expect_refused(const char *more, struct world_options *options, const char *why)
{
    struct ogv_error error;
    ogv_system *system = system_with(more);
    assert_false(workload_formats(system, options, &error));
    assert_int_equal(error.kind, OGV_ERROR_USER);
    error.message[strnlen(why, sizeof error.message - 1)] = 0;
    assert_string_equal(error.message, why);
    ogv_system_destroy(system);
}

static void formats_that_do_not_fit_are_refused(void **state)
{
    struct ogv_error error;
    struct world_options options = { .nodes = node_format_find("bvh8", &error) };
    (void)state;
    expect_refused("", &options,
                   "the RT cores of with read bvh4 nodes and tri48 primitives; whether they have "
                   "parameters for others, `ogive units own_rt` says");
    options = (struct world_options){ 0 };
    expect_refused("domains: { sm: { units: { rt2: { type: rtcore } },\n"
                   "  links: [ core -> rt2, rt2 -> l1 ] } }\n",
                   &options, "with has RT cores for different formats of nodes or primitives");
    expect_refused("domains: { chip: { units: { odd: { type: tracer } } } }\n", &options,
                   "with: unit type 'tracer' wants node format 4294967295, primitive format 1, "
                   "builder 1 and treelets of 0 bytes; there are 0 to ");
}

static void formats_are_those_it_wants(void **state)
{
    struct ogv_error error;
    struct world_options options = { 0 };
    ogv_system *system = system_with("");
    (void)state;
    assert_true(workload_formats(system, &options, &error));
    assert_string_equal(options.nodes->name, "bvh4");
    assert_string_equal(options.primitives->name, "tri48");
    assert_int_equal(options.builder, BVH_spatial);
    assert_false(options.software);
    ogv_system_destroy(system);
}

static int libraries_allow(void **state)
{
    static const char *const names[] = { "own_rt.so", "odd_rt.so" };
    struct ogv_error error;
    bool good = true;
    (void)state;
    for (u32 i = 0; i < 2; i++) {
        char *path = built(names[i]);
        good = ogv_library_allow(path, &error) && good;
        free(path);
    }
    return good ? 0 : -1;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hits_are_those_of_embree),
        cmocka_unit_test(cycles_of_its_states_add_up),
        cmocka_unit_test(progress_counts_its_rays),
        cmocka_unit_test(rates_count_its_rays),
        cmocka_unit_test(host_threads_change_nothing),
        cmocka_unit_test(traces_of_all_rays_add_up_to_the_statistics),
        cmocka_unit_test(following_fewer_rays_than_units_counts_all),
        cmocka_unit_test(checkpoint_goes_on_with_its_rays),
        cmocka_unit_test(formats_that_do_not_fit_are_refused),
        cmocka_unit_test(formats_are_those_it_wants),
    };
    return cmocka_run_group_tests_name("own_rt", tests, libraries_allow, NULL);
}
