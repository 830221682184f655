/* frames.c - traced frames: the hits are Embree's, and everything is the same whatever the host
 * does, wherever the run is cut in two, and however little room the chip has. */
#include <stdio.h>
#include <string.h>

#include "run/frames_stand.h"

/* Large machines have only some of their SMs here. */
static const struct frame_job jobs[] = {
    { "small-rt.yaml", { NULL }, RAYS_PRIMARY, 16, 16, .golden = 10539 },
    { "small-rt.yaml",
      { "sm.rt.policy=oldest", "sm.rt.coalesce=all", "sm.rt.prefetch=true", "sm.rt.accepts=3",
        "sm.rt.answers=2" },
      RAYS_SECONDARY,
      12,
      12,
      .golden = 5371 },
    { "small-rt.yaml",
      { "sm.rt.overflow=spill", "sm.rt.stack=12", "sm.rt.nodes=bvh8",
        "sm.rt.primitives=tristrip128", "sm.rt.policy=grouped", "sm.rt.bypass=true", "sm.rt.warp=4",
        "sm.rt.coalesce=warp" },
      RAYS_TERTIARY,
      12,
      12,
      .golden = 5347 },
    { "rtx2080",
      { "sm.count=2", "chip.barrier.arrivals=2", "partition.dram.size=32 MiB" },
      RAYS_SECONDARY,
      16,
      16,
      .golden = 9638 },
    { "rtx2080ti",
      { "sm.count=2", "chip.barrier.arrivals=2", "partition.dram.size=32 MiB" },
      RAYS_SHADOW,
      16,
      16,
      .golden = 10118 },
    { "mobile",
      { "sm.count=2", "chip.barrier.arrivals=2", "partition.dram.size=32 MiB" },
      RAYS_SECONDARY,
      12,
      12,
      .golden = 15933 },
};

static const struct frame_set set = FRAME_SET(jobs, "46e6c7f1754a55b40e55cb1fa313d7e6");

/* One place in everything; one after the other, and all together. */
static void little_room_is_enough(void **state)
{
    (void)state;
    static const struct {
        const char *arch, *settings[3];
    } tight[] = {
        { "hostile-rt.yaml", { NULL } },
        { "hostile-rt.yaml", { "sm.rt.overflow=spill", "sm.rt.stack=12", "sm.rt.nodes=bvh8" } },
        { "hostile-rt.yaml", { "sm.rt.rays=5", "sm.rt.coalesce=all", "sm.rt.prefetch=true" } },
        { "small-rt.yaml", { "sm.rt.rays=1" } },
        { "small-rt.yaml", { "sm.l1.mshrs=1" } },
        { "small-rt.yaml", { "sm.l1.merges=1", "sm.l1.queue=1" } },
        { "small-rt.yaml", { "partition.l2.mshrs=1" } },
        { "small-rt.yaml", { "partition.l2.queue=1" } },
        { "small-rt.yaml", { "partition.dram.depth=1" } },
        { "small-rt.yaml", { "sm.rt.stack=1" } },
    };
    for (u32 i = 0; i < sizeof tight / sizeof *tight; i++) {
        char reference[33], digest[33];
        struct sim_options options = { .threads = 1, .watchdog = 1000000 };
        struct frame_job job = {
            .arch = tight[i].arch, .rays = RAYS_SECONDARY, .width = 8, .height = 8
        };
        memcpy(job.settings, tight[i].settings, sizeof tight[i].settings);
        frame_run(&job, options, reference);
        options.threads = 2;
        options.sleepless = true;
        frame_run(&job, options, digest);
        assert_string_equal(digest, reference);
    }
}

/* Rays that are started and collected later, with room for all of them, for some and for none. */
static void rays_collected_later_are_the_same(void **state)
{
    (void)state;
    static const char *const rooms[] = { "sm.rt.rays=64", "sm.rt.rays=5", "sm.rt.rays=1" };
    for (u32 i = 0; i < 3; i++) {
        char reference[33], digest[33];
        struct frame_job job = {
            "small-rt.yaml", { rooms[i] }, RAYS_SECONDARY, 12, 12, 0, "tickets"
        };
        frame_run(&job, (struct sim_options){ .threads = 1 }, reference);
        frame_run(&job, (struct sim_options){ .threads = 2, .sleepless = true }, digest);
        assert_string_equal(digest, reference);
    }
}

/* Unless the run says it. */
static void machines_say_how_trees_are_built(void **state)
{
    (void)state;
    struct ogv_error error;
    for (u32 i = 0; bvh_builder_names[i]; i++) {
        char setting[32];
        snprintf(setting, sizeof setting, "sm.rt.builder=%s", bvh_builder_names[i]);
        struct frame_job job = { .arch = "small-rt.yaml", .settings = { setting } };
        ogv_system *system = frame_system(&job);
        struct world_options told = { .builder = BVH_morton, .builder_given = true },
                             silent = { 0 };
        assert_true(workload_formats(system, &told, &error));
        assert_true(workload_formats(system, &silent, &error));
        assert_int_equal(told.builder, BVH_morton);
        assert_int_equal(silent.builder, i);
        ogv_system_destroy(system);
    }
}

static void stacks_without_memory_are_refused(void **state)
{
    (void)state;
    struct ogv_error error;
    struct frame_job job = { "small-rt.yaml",
                             { "sm.rt.overflow=spill", "sm.rt.rays=1024", "sm.count=64",
                               "chip.barrier.arrivals=64", "partition.dram.size=24 MiB" },
                             RAYS_PRIMARY,
                             8,
                             8,
                             0,
                             NULL };
    struct frame frame;
    assert_false(frame_try(&job, &frame, &error));
    if (!strstr(error.message, "small-rt has not that much memory behind the program"))
        fail_msg("%s", error.message);
    ogv_system_destroy(frame.system);
    world_free(&frame.world);
}

/* Addresses are dealt to any number of partitions, powers of two or not. */
static void any_number_of_partitions_will_do(void **state)
{
    (void)state;
    static const char *const counts[] = { "1", "2", "3", "5", "6", "7", "11", "12" };
    for (u32 i = 0; i < sizeof counts / sizeof *counts; i++) {
        char setting[32], digest[33];
        snprintf(setting, sizeof setting, "partition.count=%s", counts[i]);
        struct frame_job job = { "small-rt.yaml", { setting }, RAYS_SECONDARY, 12, 12, 0, NULL };
        frame_run(&job, (struct sim_options){ .threads = 1 }, digest);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        FRAME_SET_TESTS(&set),
        cmocka_unit_test(little_room_is_enough),
        cmocka_unit_test(rays_collected_later_are_the_same),
        cmocka_unit_test(machines_say_how_trees_are_built),
        cmocka_unit_test(stacks_without_memory_are_refused),
        cmocka_unit_test(any_number_of_partitions_will_do),
    };
    return cmocka_run_group_tests_name("frames", tests, frames_scene_write, frames_scene_remove);
}
