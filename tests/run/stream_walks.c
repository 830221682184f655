/* stream_walks.c - frames on machines that hold rays by treelet and have no RT cores: programs walk
 * treelets. The hits are Embree's, and everything is the same whatever the host does, wherever the
 * run is cut in two, and however odd the sizes are. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ogive/random.h"
#include "run/frames_stand.h"

#define PROGRAM "stream_trace_walking"

static const struct frame_job jobs[] = {
    { "small-strata-sw.yaml",
      { NULL },
      RAYS_SECONDARY,
      12,
      12,
      .golden = 176377,
      .program = PROGRAM },
    { "small-dual-sw.yaml", { NULL }, RAYS_SECONDARY, 12, 12, .golden = 67103, .program = PROGRAM },
};

#define JOBS          (sizeof jobs / sizeof *jobs)

/* What the golden cycles are for: compiler, trees and rays. */
#define GOLDEN_INPUTS "bccb134f1c4d17fca3216b7b6ef01d9a"

static void golden_cycles(void **state)
{
    (void)state;
    frames_golden(jobs, JOBS, GOLDEN_INPUTS);
}

static void frames_are_the_same_each_time(void **state)
{
    (void)state;
    frames_same_each_time(jobs, JOBS);
}

static void checkpoints_amid_a_frame_change_nothing(void **state)
{
    (void)state;
    frames_same_from_checkpoints(jobs, JOBS);
}

/* Most threads have no ray and are told at once that none is under way, whole SMs of them; those
 * that store theirs later do not wait for these. */
static void few_rays_are_walked_by_who_is_left(void **state)
{
    static const u32 sizes[][2] = { { 1, 1 }, { 2, 2 }, { 2, 3 }, { 3, 3 }, { 7, 1 } };
    char digest[33];
    (void)state;
    for (u32 i = 0; i < 2 * sizeof sizes / sizeof *sizes; i++) {
        struct frame_job job = jobs[i % 2];
        job.rays = RAYS_PRIMARY;
        job.width = sizes[i / 2][0];
        job.height = sizes[i / 2][1];
        frame_run(&job, (struct sim_options){ .threads = 1, .watchdog = 1000000 }, digest);
    }
}

/* ---- Odd sizes ---- */

#define ODD_SETTINGS 10
#define ODD(n, ...)  snprintf(settings[n], sizeof settings[n], __VA_ARGS__)

static void odd_cores(u64 *random, char settings[ODD_SETTINGS][48])
{
    ODD(0, "sm.port.width=%u", 1 + (u32)random_below(random, 8));
    ODD(1, "sm.pipes.hold=%u cycles", 1 + (u32)random_below(random, 40));
    ODD(2, "sm.pipes.reconfigure=%u cycles", 1 + (u32)random_below(random, 20));
    ODD(3, "sm.pipes.adders=%u", 1 + (u32)random_below(random, 8));
    ODD(4, "partition.count=%u", 1 + (u32)random_below(random, 3));
}

static void odd_queues(u64 *random, char settings[ODD_SETTINGS][48])
{
    static const char *const policies[] = { "first", "most", "join" };
    ODD(5, "chip.stream.size=%u B", 64 * (2 + (u32)random_below(random, 64)));
    ODD(6, "chip.stream.queues=%u", 1 + (u32)random_below(random, 20));
    ODD(7, "chip.stream.policy=%s", policies[random_below(random, 3)]);
    ODD(8, "chip.stream.leave=%u", 1 + (u32)random_below(random, 40));
    ODD(9, "chip.stream.banks=%u", 1 + (u32)random_below(random, 4));
}

static void odd_buckets(u64 *random, char settings[ODD_SETTINGS][48])
{
    ODD(5, "chip.scheduler.memory=%u KiB", 12 * (2 + (u32)random_below(random, 40)));
    ODD(6, "chip.scheduler.candidates=%u", 1 + (u32)random_below(random, 4));
    ODD(7, "sm.staging.segments=%u", 1 + (u32)random_below(random, 4));
    ODD(8, "sm.staging.buckets=%u", 1 + (u32)random_below(random, 3));
    ODD(9, "chip.scenebuffer.size=%u KiB", 8 * (1 + (u32)random_below(random, 4)));
}

/* Whether it was not refused, for want of memory for buckets. */
static bool odd_run(u64 *random, bool buckets)
{
    char settings[ODD_SETTINGS][48], digest[33];
    struct frame_job job = { .arch = buckets ? "small-dual-sw.yaml" : "small-strata-sw.yaml",
                             .width = 6,
                             .height = 6,
                             .program = PROGRAM };
    struct ogv_error error;
    struct frame frame;
    odd_cores(random, settings);
    if (buckets)
        odd_buckets(random, settings);
    else
        odd_queues(random, settings);
    for (u32 k = 0; k < ODD_SETTINGS; k++)
        job.settings[k] = settings[k];
    job.rays = random_below(random, 2) ? RAYS_PRIMARY : RAYS_SECONDARY;
    bool fits = frame_try(&job, &frame, &error);
    if (!fits && !strstr(error.message, "chip.scheduler: memory"))
        fail_msg("%s", error.message);
    ogv_system_destroy(frame.system);
    world_free(&frame.world);
    if (fits)
        frame_run(&job, (struct sim_options){ .threads = 1, .watchdog = 1000000 }, digest);
    return fits;
}

static void odd_sizes_finish_or_are_refused(void **state)
{
    u64 random = 7;
    u32 finished = 0, count = getenv("OGIVE_LONG") ? 250 : 8;
    (void)state;
    for (u32 i = 0; i < count; i++)
        finished += odd_run(&random, i % 2);
    assert_true(finished > count / 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(golden_cycles),
        cmocka_unit_test(frames_are_the_same_each_time),
        cmocka_unit_test(checkpoints_amid_a_frame_change_nothing),
        cmocka_unit_test(few_rays_are_walked_by_who_is_left),
        cmocka_unit_test(odd_sizes_finish_or_are_refused),
    };
    return cmocka_run_group_tests_name("stream_walks", tests, frames_scene_write,
                                       frames_scene_remove);
}
