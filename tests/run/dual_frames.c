/* dual_frames.c - frames on machines that keep rays in buckets in DRAM: the hits are Embree's,
 * and everything is the same whatever the host does, wherever the run is cut in two, and however
 * odd the sizes are. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ogive/random.h"
#include "run/frames_stand.h"

/* Large machines have only some of their SMs here. */
static const struct frame_job jobs[] = {
    { "small-dual.yaml", { NULL }, RAYS_SECONDARY, 16, 16, .golden = 10335 },
    { "small-dual.yaml",
      { "chip.scheduler.rays=chip", "chip.scheduler.headers=free", "chip.scheduler.order=breadth",
        "sm.staging.early=4", "partition.hits.on_chip=true", "partition.hits.size=8 KiB" },
      RAYS_PRIMARY,
      12,
      12,
      .golden = 7269 },
    { "dual-streaming",
      { "sm.count=2", "chip.barrier.arrivals=2", "partition.dram.size=32 MiB",
        "sm.rt.treelets=16 KiB", "chip.scheduler.memory=4 MiB" },
      RAYS_PRIMARY,
      16,
      16,
      .golden = 11034 },
};

#define JOBS          (sizeof jobs / sizeof *jobs)

/* What the golden cycles are for: compiler, trees and rays. */
#define GOLDEN_INPUTS "c1e4b4a7876f8b294dd107fa9d54b077"

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

/* ---- Odd sizes ---- */

#define ODD_SETTINGS 14

static void odd_settings(u64 *random, char settings[ODD_SETTINGS][48])
{
    static const char *const orders[] = { "breadth", "depth" };
#define ODD(n, ...) snprintf(settings[n], sizeof settings[n], __VA_ARGS__)
    ODD(0, "chip.scheduler.banks=%u", 1 + (u32)random_below(random, 4));
    ODD(1, "chip.scheduler.entries=%u", 1 + (u32)random_below(random, 3));
    ODD(2, "chip.scheduler.memory=%u KiB", 12 * (2 + (u32)random_below(random, 40)));
    ODD(3, "chip.scheduler.candidates=%u", 1 + (u32)random_below(random, 6));
    ODD(4, "chip.scheduler.lanes=%u", 1 + (u32)random_below(random, 2));
    ODD(5, "chip.scheduler.order=%s", orders[random_below(random, 2)]);
    ODD(6, "chip.scenebuffer.size=%u KiB", 8 * (1 + (u32)random_below(random, 4)));
    ODD(7, "sm.staging.early=%u", (u32)random_below(random, 4));
    ODD(8, "sm.staging.segments=%u", 1 + (u32)random_below(random, 4));
    ODD(9, "sm.rt.rays=%u", 1 + (u32)random_below(random, 20));
    ODD(10, "partition.hits.size=%u B", 32 * (1 + (u32)random_below(random, 8)));
    ODD(11, "sm.rt.calls=%u", 1 + (u32)random_below(random, 20));
    ODD(12, "sm.staging.buckets=%u", 1 + (u32)random_below(random, 3));
    ODD(13, "partition.count=%u", 1 + (u32)random_below(random, 3));
#undef ODD
}

/* All rays come to their end, or the machine is refused. */
static void odd_sizes_finish_or_are_refused(void **state)
{
    u64 random = 5;
    u32 finished = 0, count = getenv("OGIVE_LONG") ? 250 : 10;
    (void)state;
    for (u32 i = 0; i < count; i++) {
        char settings[ODD_SETTINGS][48], digest[33];
        struct frame_job job = { .arch = "small-dual.yaml", .width = 8, .height = 8 };
        struct ogv_error error;
        struct frame frame;
        odd_settings(&random, settings);
        for (u32 k = 0; k < ODD_SETTINGS; k++)
            job.settings[k] = settings[k];
        job.rays = random_below(&random, 2) ? RAYS_PRIMARY : RAYS_SECONDARY;
        bool fits = frame_try(&job, &frame, &error);
        if (!fits && !strstr(error.message, "chip.scheduler: memory"))
            fail_msg("%s", error.message);
        ogv_system_destroy(frame.system);
        world_free(&frame.world);
        if (!fits)
            continue;
        frame_run(&job, (struct sim_options){ .threads = 1, .watchdog = 1000000 }, digest);
        finished++;
    }
    assert_true(finished > count / 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(golden_cycles),
        cmocka_unit_test(frames_are_the_same_each_time),
        cmocka_unit_test(checkpoints_amid_a_frame_change_nothing),
        cmocka_unit_test(odd_sizes_finish_or_are_refused),
    };
    return cmocka_run_group_tests_name("dual_frames", tests, frames_scene_write,
                                       frames_scene_remove);
}
