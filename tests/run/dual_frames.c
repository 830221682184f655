/* dual_frames.c - frames on machines that keep rays in buckets in DRAM: the hits are Embree's,
 * and everything is the same whatever the host does, wherever the run is cut in two, and however
 * odd the sizes are. */
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

static const struct frame_set set = FRAME_SET(jobs, "c1e4b4a7876f8b294dd107fa9d54b077");

/* ---- Odd sizes ---- */

static void odd_settings(struct frame_odd *odd)
{
    static const char *const orders[] = { "breadth", "depth" };
    odd_set(odd, "chip.scheduler.banks=%u", odd_number(odd, 4));
    odd_set(odd, "chip.scheduler.entries=%u", odd_number(odd, 3));
    odd_set(odd, "chip.scheduler.memory=%u KiB", 12 * (1 + odd_number(odd, 40)));
    odd_set(odd, "chip.scheduler.candidates=%u", odd_number(odd, 6));
    odd_set(odd, "chip.scheduler.lanes=%u", odd_number(odd, 2));
    odd_set(odd, "chip.scheduler.order=%s", orders[odd_number(odd, 2) - 1]);
    odd_set(odd, "chip.scenebuffer.size=%u KiB", 8 * odd_number(odd, 4));
    odd_set(odd, "sm.staging.early=%u", odd_number(odd, 4) - 1);
    odd_set(odd, "sm.staging.segments=%u", odd_number(odd, 4));
    odd_set(odd, "sm.rt.rays=%u", odd_number(odd, 20));
    odd_set(odd, "partition.hits.size=%u B", 32 * odd_number(odd, 8));
    odd_set(odd, "sm.rt.calls=%u", odd_number(odd, 20));
    odd_set(odd, "sm.staging.buckets=%u", odd_number(odd, 3));
    odd_set(odd, "partition.count=%u", odd_number(odd, 3));
}

/* All rays come to their end, or the machine is refused. */
static void odd_sizes_finish_or_are_refused(void **state)
{
    struct frame_odd odd = { .random = 5 };
    u32 finished = 0, count = odd_machines(10);
    (void)state;
    for (u32 i = 0; i < count; i++) {
        odd_begin(&odd, (struct frame_job){ .arch = "small-dual.yaml", .width = 8, .height = 8 });
        odd_settings(&odd);
        finished += odd_finishes(&odd, "chip.scheduler: memory");
    }
    assert_true(finished > count / 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        FRAME_SET_TESTS(&set),
        cmocka_unit_test(odd_sizes_finish_or_are_refused),
    };
    return cmocka_run_group_tests_name("dual_frames", tests, frames_scene_write,
                                       frames_scene_remove);
}
