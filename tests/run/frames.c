/* frames.c - traced frames: the hits are Embree's, and everything is the same whatever the host
 * does, wherever the run is cut in two, and however little room the chip has.
 *
 * The scene is made here: triangles at random in a cube. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "arch/stats.h"
#include "base/file.h"
#include "base/hash.h"
#include "ogive/random.h"
#include "run/program.h"
#include "run/workload.h"
#include "unit/rtcore/rtcore.h"

#define TRIANGLES    1200
#define SETTINGS_MAX 8

struct job {
    const char *arch; /* shipped, or a file of this folder */
    const char *settings[SETTINGS_MAX];
    enum ray_kind rays;
    u32 width, height;
    cycle golden;        /* cycles */
    const char *program; /* NULL: trace */
};

/* Large machines have only some of their SMs here. */
static const struct job jobs[] = {
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

#define JOBS          (sizeof jobs / sizeof *jobs)

/* What the golden cycles are for: compiler, trees and rays. */
#define GOLDEN_INPUTS "46e6c7f1754a55b40e55cb1fa313d7e6"

/* ---- The scene ---- */

static char scene_file[] = "/tmp/ogive-test-XXXXXX.ply";

static double unit_random(u64 *random)
{
    return (double)random_below(random, 1 << 16) / (1 << 16);
}

static int scene_write(void **state)
{
    (void)state;
    u64 random = 8;
    int descriptor = mkstemps(scene_file, 4);
    FILE *file = descriptor < 0 ? NULL : fdopen(descriptor, "w");
    if (!file)
        return -1;
    fprintf(file, "ply\nformat ascii 1.0\nelement vertex %d\n", TRIANGLES * 3);
    fprintf(file, "property float x\nproperty float y\nproperty float z\n");
    fprintf(file, "element face %d\nproperty list uchar int vertex_indices\n", TRIANGLES);
    fprintf(file, "end_header\n");
    for (u32 i = 0; i < TRIANGLES; i++) {
        double x = unit_random(&random), y = unit_random(&random), z = unit_random(&random);
        for (u32 corner = 0; corner < 3; corner++) {
            double dx = unit_random(&random), dy = unit_random(&random);
            fprintf(file, "%.8f %.8f %.8f\n", x + dx / 8, y + dy / 8, z + unit_random(&random) / 8);
        }
    }
    for (u32 i = 0; i < TRIANGLES; i++)
        fprintf(file, "3 %u %u %u\n", 3 * i, 3 * i + 1, 3 * i + 2);
    return fclose(file);
}

static int scene_remove(void **state)
{
    (void)state;
    return unlink(scene_file);
}

/* ---- Frames ---- */

struct frame {
    ogv_system *system;
    struct world world;
};

static ogv_system *system_load(const struct job *job)
{
    struct ogv_error error;
    bool shipped = !strchr(job->arch, '.');
    char *file = shipped ? text_format("%s", job->arch)
                         : text_format("%s/%s", getenv("OGIVE_TEST_DATA"), job->arch);
    ogv_arch *arch = ogv_arch_load(file, &error);
    free(file);
    if (!arch)
        fail_msg("%s", error.message);
    for (u32 i = 0; i < SETTINGS_MAX && job->settings[i]; i++) {
        char path[64], *equals;
        snprintf(path, sizeof path, "%s", job->settings[i]);
        equals = strchr(path, '=');
        *equals = 0;
        if (!ogv_arch_set(arch, path, equals + 1, &error))
            fail_msg("%s", error.message);
    }
    ogv_system *system = ogv_system_create(arch, &error);
    if (!system)
        fail_msg("%s", error.message);
    ogv_arch_destroy(arch);
    return system;
}

static char *program_file(const char *name)
{
    return text_format("%s/%s.elf", getenv("OGIVE_PROGRAMS"), name ? name : "trace");
}

static bool frame_try(const struct job *job, struct frame *frame, struct ogv_error *error)
{
    *frame = (struct frame){ .system = system_load(job) };
    struct camera view = { .eye = { 0.5f, 0.6f, -0.6f },
                           .target = { 0.5f, 0.5f, 0.5f },
                           .up = { 0, 1, 0 },
                           .fov_degrees = 70 };
    struct world_options options = { .scene = scene_file,
                                     .view = &view,
                                     .traced = true,
                                     .rays = job->rays,
                                     .width = job->width,
                                     .height = job->height,
                                     .samples = 1,
                                     .bounces = 1,
                                     .seed = 1,
                                     .threads = 1 };
    char *file = program_file(job->program);
    struct program_options program = { .file = file };
    bool good = workload_formats(frame->system, &options, error) &&
                program_load(frame->system, &program, error) &&
                world_prepare(&options, &frame->world, error) &&
                workload_load(frame->system, &frame->world, error);
    free(file);
    return good;
}

static struct frame frame_load(const struct job *job)
{
    struct ogv_error error;
    struct frame frame;
    if (!frame_try(job, &frame, &error))
        fail_msg("%s: %s", job->arch, error.message);
    return frame;
}

/* To the end, with the checks that every frame must pass. Its cycles. */
static cycle frame_finish(const struct job *job, struct frame *frame, char digest[33])
{
    struct ogv_error error;
    struct workload_judgement judgement;
    if (ogv_system_run(frame->system, OGV_FOREVER, &error) != OGV_END_FINISHED)
        fail_msg("%s: %s", job->arch, error.message);
    assert_int_equal(program_exit_code(frame->system), 0);
    assert_true(workload_judge(frame->system, &frame->world, NULL, &judgement, &error));
    if (judgement.wrong || !judgement.rays)
        fail_msg("%s: %llu of %llu rays are wrong: %s", job->arch,
                 (unsigned long long)judgement.wrong, (unsigned long long)judgement.rays,
                 judgement.first);
    ogv_system_digest(frame->system, digest);
    cycle cycles = ogv_system_cycle(frame->system);
    ogv_system_destroy(frame->system);
    world_free(&frame->world);
    return cycles;
}

static cycle frame_run(const struct job *job, struct sim_options options, char digest[33])
{
    struct frame frame = frame_load(job);
    system_set_options(frame.system, &options);
    return frame_finish(job, &frame, digest);
}

/* ---- Tests ---- */

static void frames_are_the_same_each_time(void **state)
{
    (void)state;
    static const struct sim_options ways[] = {
        { .threads = 2 },
        { .threads = 3, .window = 1 },
        { .threads = 1, .sleepless = true, .order = SIM_ORDER_REVERSE },
    };
    for (u32 i = 0; i < JOBS; i++) {
        char reference[33], digest[33];
        frame_run(&jobs[i], (struct sim_options){ .threads = 1 }, reference);
        for (u32 w = 0; w < sizeof ways / sizeof *ways; w++) {
            frame_run(&jobs[i], ways[w], digest);
            assert_string_equal(digest, reference);
        }
    }
}

static void count_rays(void *context, struct unit *unit)
{
    const struct rtcore *rt = (const struct rtcore *)unit;
    u64 *rays = context;
    *rays += rt->p.rays - rt->free.count * rt->p.warp;
}

/* Stops where rays are under way, and goes on from a file. */
static void frame_cut(const struct job *job, cycle at, u32 threads, const char *file,
                      const char *reference)
{
    struct ogv_error error;
    char digest[33];
    struct frame frame = frame_load(job);
    system_set_options(frame.system, &(struct sim_options){ .threads = threads });
    for (u64 rays = 0; !rays; at += 97) {
        assert_int_equal(ogv_system_run(frame.system, at, &error), OGV_END_REACHED);
        host_visit(frame.system, unit_traces_rays, count_rays, &rays);
    }
    assert_true(ogv_system_checkpoint(frame.system, file, &error));
    ogv_system_step(frame.system, 500, &error); /* what comes after is not in the file */
    ogv_system_destroy(frame.system);
    frame.system = ogv_system_resume(file, &error);
    if (!frame.system)
        fail_msg("%s", error.message);
    ogv_system_set_threads(frame.system, 1 + threads % 3);
    frame_finish(job, &frame, digest);
    assert_string_equal(digest, reference);
}

static void checkpoints_amid_a_frame_change_nothing(void **state)
{
    (void)state;
    char file[] = "/tmp/ogive-test-XXXXXX", reference[33];
    int descriptor = mkstemp(file);
    assert_true(descriptor >= 0);
    close(descriptor);
    for (u32 i = 0; i < JOBS; i++) {
        cycle cycles = frame_run(&jobs[i], (struct sim_options){ .threads = 1 }, reference);
        for (u32 k = 0; k < 2; k++)
            frame_cut(&jobs[i], cycles * (2 + k) / 8, 1 + k, file, reference);
    }
    unlink(file);
}

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
        struct job job = { .arch = tight[i].arch, .rays = RAYS_SECONDARY, .width = 8, .height = 8 };
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
        struct job job = { "small-rt.yaml", { rooms[i] }, RAYS_SECONDARY, 12, 12, 0, "tickets" };
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
        struct job job = { .arch = "small-rt.yaml", .settings = { setting } };
        ogv_system *system = system_load(&job);
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
    struct job job = { "small-rt.yaml",
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
        struct job job = { "small-rt.yaml", { setting }, RAYS_SECONDARY, 12, 12, 0, NULL };
        frame_run(&job, (struct sim_options){ .threads = 1 }, digest);
    }
}

/* Which compiler made the program: it says so itself. */
static void hash_compiler(struct hash *hash)
{
    struct ogv_error error;
    size_t length;
    char *file = program_file(NULL), *bytes = file_read(file, 64 * MiB, &length, &error);
    const char *name = bytes ? memmem(bytes, length, "GCC: (", 6) : NULL;
    hash_add_text(hash, name ? name : "another");
    free(bytes);
    free(file);
}

static void hash_world(struct hash *hash, const struct world *world)
{
    const struct bvh *bvh = &world->bvh;
    hash_add(hash, bvh->nodes, bvh->node_count * bvh->nodes_format->bytes);
    hash_add(hash, bvh->blocks, bvh->block_count * bvh->primitives_format->bytes);
    hash_add(hash, world->rays.rays, world->header.ray_count * sizeof(struct rt_ray));
}

/* They hold for the trees and rays that Embree made, and for the compiler's code. A commit that
 * moves a number says why. */
static void golden_cycles(void **state)
{
    (void)state;
    char inputs[HASH_TEXT_BYTES], digest[33];
    struct hash *hash = hash_create();
    hash_compiler(hash);
    cycle cycles[JOBS];
    for (u32 i = 0; i < JOBS; i++) {
        struct frame frame = frame_load(&jobs[i]);
        hash_world(hash, &frame.world);
        cycles[i] = frame_finish(&jobs[i], &frame, digest);
    }
    hash_finish(hash, inputs);
    if (strcmp(inputs, GOLDEN_INPUTS) != 0) {
        print_message("# the compiler, the trees or the rays are not those of the golden cycles: "
                      "%s; cycles:",
                      inputs);
        for (u32 i = 0; i < JOBS; i++)
            print_message(" %llu", (unsigned long long)cycles[i]);
        print_message("\n");
        skip();
    }
    u32 moved = 0;
    for (u32 i = 0; i < JOBS; i++) {
        if (cycles[i] == jobs[i].golden)
            continue;
        moved++;
        print_message("# job %u: %llu cycles, golden %llu\n", i, (unsigned long long)cycles[i],
                      (unsigned long long)jobs[i].golden);
    }
    assert_int_equal(moved, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(golden_cycles),
        cmocka_unit_test(frames_are_the_same_each_time),
        cmocka_unit_test(checkpoints_amid_a_frame_change_nothing),
        cmocka_unit_test(little_room_is_enough),
        cmocka_unit_test(rays_collected_later_are_the_same),
        cmocka_unit_test(machines_say_how_trees_are_built),
        cmocka_unit_test(stacks_without_memory_are_refused),
        cmocka_unit_test(any_number_of_partitions_will_do),
    };
    return cmocka_run_group_tests_name("frames", tests, scene_write, scene_remove);
}
