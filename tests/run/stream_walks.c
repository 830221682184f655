/* stream_walks.c - frames on machines that hold rays by treelet and have no RT cores: programs walk
 * treelets. The hits are Embree's, and everything is the same whatever the host does, wherever the
 * run is cut in two, and however odd the sizes are. */
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

static const struct frame_set set = FRAME_SET(jobs, "bccb134f1c4d17fca3216b7b6ef01d9a");

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

static void odd_cores(struct frame_odd *odd)
{
    odd_set(odd, "sm.port.width=%u", odd_number(odd, 8));
    odd_set(odd, "sm.pipes.hold=%u cycles", odd_number(odd, 40));
    odd_set(odd, "sm.pipes.reconfigure=%u cycles", odd_number(odd, 20));
    odd_set(odd, "sm.pipes.adders=%u", odd_number(odd, 8));
    odd_set(odd, "partition.count=%u", odd_number(odd, 3));
}

static void odd_queues(struct frame_odd *odd)
{
    static const char *const policies[] = { "first", "most", "join" };
    odd_set(odd, "chip.stream.size=%u B", 64 * (1 + odd_number(odd, 64)));
    odd_set(odd, "chip.stream.queues=%u", odd_number(odd, 20));
    odd_set(odd, "chip.stream.policy=%s", policies[odd_number(odd, 3) - 1]);
    odd_set(odd, "chip.stream.leave=%u", odd_number(odd, 40));
    odd_set(odd, "chip.stream.banks=%u", odd_number(odd, 4));
}

static void odd_buckets(struct frame_odd *odd)
{
    odd_set(odd, "chip.scheduler.memory=%u KiB", 12 * (1 + odd_number(odd, 40)));
    odd_set(odd, "chip.scheduler.candidates=%u", odd_number(odd, 4));
    odd_set(odd, "sm.staging.segments=%u", odd_number(odd, 4));
    odd_set(odd, "sm.staging.buckets=%u", odd_number(odd, 3));
    odd_set(odd, "chip.scenebuffer.size=%u KiB", 8 * odd_number(odd, 4));
}

/* All rays come to their end, or the machine is refused, for want of memory for buckets. */
static void odd_sizes_finish_or_are_refused(void **state)
{
    struct frame_odd odd = { .random = 7 };
    u32 finished = 0, count = odd_machines(8);
    (void)state;
    for (u32 i = 0; i < count; i++) {
        struct frame_job job = { .width = 2 + odd_number(&odd, 4),
                                 .height = 2 + odd_number(&odd, 4) };
        job.arch = jobs[i % 2].arch;
        job.program = PROGRAM;
        odd_begin(&odd, job);
        odd_cores(&odd);
        if (i % 2)
            odd_buckets(&odd);
        else
            odd_queues(&odd);
        finished += odd_finishes(&odd, "chip.scheduler: memory");
    }
    assert_true(finished > count / 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        FRAME_SET_TESTS(&set),
        cmocka_unit_test(few_rays_are_walked_by_who_is_left),
        cmocka_unit_test(odd_sizes_finish_or_are_refused),
    };
    return cmocka_run_group_tests_name("stream_walks", tests, frames_scene_write,
                                       frames_scene_remove);
}
