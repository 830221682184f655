/* streams.c - frames on machines that hold rays by treelet: the hits are Embree's, and everything
 * is the same whatever the host does, wherever the run is cut in two, and however odd the sizes
 * are. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arch/stats.h"
#include "ogive/random.h"
#include "run/frames_stand.h"

/* Large machines have only some of their SMs here. */
static const struct frame_job jobs[] = {
    { "small-strata.yaml", { NULL }, RAYS_SECONDARY, 16, 16, .golden = 24103 },
    { "strata",
      { "sm.count=2", "chip.barrier.arrivals=2", "partition.dram.size=32 MiB",
        "sm.rt.treelets=16 KiB", "chip.stream.policy=most" },
      RAYS_PRIMARY,
      16,
      16,
      .golden = 10393 },
};

#define JOBS          (sizeof jobs / sizeof *jobs)

/* What the golden cycles are for: compiler, trees and rays. */
#define GOLDEN_INPUTS "25f14b2cae3a687ccb14e7284d51d414"

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

/* Formats, tests of any hit, and trees deeper than a trail: a stack of one entry goes back to the
 * root after every node. */
static void every_kind_of_tree_will_do(void **state)
{
    static const struct {
        const char *nodes, *primitives, *treelets, *stack;
    } kinds[] = {
        { "sm.rt.nodes=bvh2", "sm.rt.primitives=tri48", "sm.rt.treelets=8 KiB", "sm.rt.stack=1" },
        { "sm.rt.nodes=bvh4", "sm.rt.primitives=tri36", "sm.rt.treelets=8 KiB", "sm.rt.stack=8" },
        { "sm.rt.nodes=bvh8", "sm.rt.primitives=tristrip128", "sm.rt.treelets=16 KiB",
          "sm.rt.stack=1" },
        { "sm.rt.nodes=bvh6c", "sm.rt.primitives=tri36", "sm.rt.treelets=8 KiB", "sm.rt.stack=2" },
    };
    (void)state;
    for (u32 i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        char digest[33];
        struct frame_job job = { "small-strata.yaml",
                                 { kinds[i].nodes, kinds[i].primitives, kinds[i].treelets,
                                   kinds[i].stack },
                                 RAYS_SECONDARY,
                                 12,
                                 12,
                                 0,
                                 NULL };
        frame_run(&job, (struct sim_options){ .threads = 1 }, digest);
    }
}

/* ---- Odd sizes ---- */

#define ODD_SETTINGS 11

static void odd_settings(u64 *random, char settings[ODD_SETTINGS][48])
{
    static const char *const policies[] = { "first", "most", "join" };
    static const char *const orders[] = { "fcfs", "oldest", "grouped" };
#define ODD(n, ...) snprintf(settings[n], sizeof settings[n], __VA_ARGS__)
    ODD(0, "chip.stream.size=%u B", 64 * (2 + (u32)random_below(random, 100)));
    ODD(1, "chip.stream.banks=%u", 1 + (u32)random_below(random, 64));
    ODD(2, "chip.stream.latency=%u cycles", 1 + (u32)random_below(random, 200));
    ODD(3, "chip.stream.queues=%u", 1 + (u32)random_below(random, 20));
    ODD(4, "chip.stream.policy=%s", policies[random_below(random, 3)]);
    ODD(5, "chip.stream.leave=%u", 1 + (u32)random_below(random, 40));
    ODD(6, "chip.stream.share=%u", 1 + (u32)random_below(random, 300));
    ODD(7, "sm.rt.rays=%u", 1 + (u32)random_below(random, 20));
    ODD(8, "sm.rt.calls=%u", 1 + (u32)random_below(random, 20));
    ODD(9, "sm.rt.policy=%s", orders[random_below(random, 3)]);
    ODD(10, "partition.count=%u", 1 + (u32)random_below(random, 3));
#undef ODD
}

/* All rays come to their end on any machine. */
static void odd_sizes_will_do(void **state)
{
    u64 random = 5;
    (void)state;
    for (u32 i = getenv("OGIVE_LONG") ? 250 : 10; i; i--) {
        char settings[ODD_SETTINGS][48], digest[33];
        struct frame_job job = { .arch = "small-strata.yaml", .width = 8, .height = 8 };
        odd_settings(&random, settings);
        for (u32 k = 0; k < ODD_SETTINGS; k++)
            job.settings[k] = settings[k];
        job.rays = random_below(&random, 2) ? RAYS_PRIMARY : RAYS_SECONDARY;
        frame_run(&job, (struct sim_options){ .threads = 1, .watchdog = 1000000 }, digest);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(golden_cycles),
        cmocka_unit_test(frames_are_the_same_each_time),
        cmocka_unit_test(checkpoints_amid_a_frame_change_nothing),
        cmocka_unit_test(every_kind_of_tree_will_do),
        cmocka_unit_test(odd_sizes_will_do),
    };
    return cmocka_run_group_tests_name("streams", tests, frames_scene_write, frames_scene_remove);
}
