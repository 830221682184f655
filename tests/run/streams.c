/* streams.c - frames on machines that hold rays by treelet: the hits are Embree's, and everything
 * is the same whatever the host does, wherever the run is cut in two, and however odd the sizes
 * are. */
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

static const struct frame_set set = FRAME_SET(jobs, "25f14b2cae3a687ccb14e7284d51d414");

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

static void odd_settings(struct frame_odd *odd)
{
    static const char *const policies[] = { "first", "most", "join" };
    static const char *const orders[] = { "fcfs", "oldest", "grouped" };
    odd_set(odd, "chip.stream.size=%u B", 64 * (1 + odd_number(odd, 100)));
    odd_set(odd, "chip.stream.banks=%u", odd_number(odd, 64));
    odd_set(odd, "chip.stream.latency=%u cycles", odd_number(odd, 200));
    odd_set(odd, "chip.stream.queues=%u", odd_number(odd, 20));
    odd_set(odd, "chip.stream.policy=%s", policies[odd_number(odd, 3) - 1]);
    odd_set(odd, "chip.stream.leave=%u", odd_number(odd, 40));
    odd_set(odd, "chip.stream.share=%u", odd_number(odd, 300));
    odd_set(odd, "sm.rt.rays=%u", odd_number(odd, 20));
    odd_set(odd, "sm.rt.calls=%u", odd_number(odd, 20));
    odd_set(odd, "sm.rt.policy=%s", orders[odd_number(odd, 3) - 1]);
    odd_set(odd, "partition.count=%u", odd_number(odd, 3));
}

/* All rays come to their end on any machine. */
static void odd_sizes_will_do(void **state)
{
    struct frame_odd odd = { .random = 5 };
    (void)state;
    for (u32 i = odd_machines(10); i; i--) {
        odd_begin(&odd, (struct frame_job){ .arch = "small-strata.yaml", .width = 8, .height = 8 });
        odd_settings(&odd);
        assert_true(odd_finishes(&odd, "is never refused"));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        FRAME_SET_TESTS(&set),
        cmocka_unit_test(every_kind_of_tree_will_do),
        cmocka_unit_test(odd_sizes_will_do),
    };
    return cmocka_run_group_tests_name("streams", tests, frames_scene_write, frames_scene_remove);
}
