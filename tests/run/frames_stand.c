/* frames_stand.c - see frames_stand.h. */
#include "run/frames_stand.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "arch/stats.h"
#include "base/file.h"
#include "base/hash.h"
#include "ogive/random.h"
#include "run/load.h"
#include "run/program.h"
#include "unit/registry.h"
#include "unit/rtcore/rtcore.h"

#define TRIANGLES 1200

/* ---- The scene ---- */

static char scene_file[] = "/tmp/ogive-test-XXXXXX.ply";

static double unit_random(u64 *random)
{
    return (double)random_below(random, 1 << 16) / (1 << 16);
}

int frames_scene_write(void **state)
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

int frames_scene_remove(void **state)
{
    (void)state;
    return unlink(scene_file);
}

/* ---- Frames ---- */

ogv_system *frame_system(const struct frame_job *job)
{
    struct ogv_error error;
    bool shipped = !strchr(job->arch, '.');
    char *file = shipped ? text_format("%s", job->arch)
                         : text_format("%s/%s", getenv("OGIVE_TEST_DATA"), job->arch);
    ogv_arch *arch = ogv_arch_load(file, &error);
    free(file);
    if (!arch)
        fail_msg("%s", error.message);
    for (u32 i = 0; i < FRAME_SETTINGS_MAX && job->settings[i]; i++) {
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
    return text_format("%s/%s.elf", getenv("OGIVE_PROGRAMS"), name);
}

bool frame_try(const struct frame_job *job, struct frame *frame, struct ogv_error *error)
{
    *frame = (struct frame){ .system = frame_system(job) };
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
    if (!workload_formats(frame->system, &options, error))
        return false;
    char *file = program_file(load_program_name(job->program, &options));
    struct program_options program = { .file = file };
    bool good = program_load(frame->system, &program, error) &&
                world_prepare(&options, &frame->world, error) &&
                workload_load(frame->system, &frame->world, error);
    free(file);
    return good;
}

static struct frame frame_load(const struct frame_job *job)
{
    struct ogv_error error;
    struct frame frame;
    if (!frame_try(job, &frame, &error))
        fail_msg("%s: %s", job->arch, error.message);
    return frame;
}

/* To the end, with the checks that every frame must pass. Its cycles. */
static cycle frame_finish(const struct frame_job *job, struct frame *frame, char digest[33])
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

cycle frame_run(const struct frame_job *job, struct sim_options options, char digest[33])
{
    struct frame frame = frame_load(job);
    system_set_options(frame.system, &options);
    return frame_finish(job, &frame, digest);
}

void frames_are_the_same_each_time(void **state)
{
    const struct frame_set *set = *state;
    static const struct sim_options ways[] = {
        { .threads = 2 },
        { .threads = 3, .window = 1 },
        { .threads = 1, .sleepless = true, .order = SIM_ORDER_REVERSE },
    };
    for (u32 i = 0; i < set->count; i++) {
        char reference[33], digest[33];
        frame_run(&set->jobs[i], (struct sim_options){ .threads = 1 }, reference);
        for (u32 w = 0; w < sizeof ways / sizeof *ways; w++) {
            frame_run(&set->jobs[i], ways[w], digest);
            assert_string_equal(digest, reference);
        }
    }
}

static void count_rays(void *context, struct unit *unit)
{
    const struct rtcore *rt = (const struct rtcore *)unit;
    u64 *rays = context;
    bool core = !strcmp(registry_type(unit->type)->name, "rtcore");
    *rays += core ? rt->p.rays - rt->free.count * rt->p.warp : 1; /* cores have them */
}

/* Stops where rays are under way, and goes on from a file. */
static void frame_cut(const struct frame_job *job, cycle at, u32 threads, const char *file,
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

void checkpoints_amid_a_frame_change_nothing(void **state)
{
    const struct frame_set *set = *state;
    char file[] = "/tmp/ogive-test-XXXXXX", reference[33];
    int descriptor = mkstemp(file);
    assert_true(descriptor >= 0);
    close(descriptor);
    for (u32 i = 0; i < set->count; i++) {
        const struct frame_job *job = &set->jobs[i];
        cycle cycles = frame_run(job, (struct sim_options){ .threads = 1 }, reference);
        for (u32 k = 0; k < 2; k++)
            frame_cut(job, cycles * (2 + k) / 8, 1 + k, file, reference);
    }
    unlink(file);
}

/* Which compiler made the program: it says so itself. */
static void hash_compiler(struct hash *hash)
{
    struct ogv_error error;
    size_t length;
    char *file = program_file("trace"), *bytes = file_read(file, 64 * MiB, &length, &error);
    const char *name = bytes ? memmem(bytes, length, "GCC: (", 6) : NULL;
    hash_add_text(hash, name ? name : "another");
    free(bytes);
    free(file);
}

static void hash_world(struct hash *hash, const struct world *world)
{
    const struct bvh *bvh = &world->bvh;
    struct bvh_bytes bytes = bvh_bytes(bvh);
    hash_add(hash, bvh->nodes, bytes.nodes);
    hash_add(hash, bvh->blocks, bytes.blocks);
    hash_add(hash, world->rays.rays, world->header.ray_count * sizeof(struct rt_ray));
}

static void inputs_say(const char *inputs, const cycle *cycles, u32 count)
{
    print_message("# the compiler, the trees or the rays are not those of the golden cycles: "
                  "%s; cycles:",
                  inputs);
    for (u32 i = 0; i < count; i++)
        print_message(" %llu", (unsigned long long)cycles[i]);
    print_message("\n");
}

void golden_cycles(void **state)
{
    const struct frame_set *set = *state;
    const struct frame_job *jobs = set->jobs;
    u32 count = set->count;
    char inputs[HASH_TEXT_BYTES], digest[33];
    struct hash *hash = hash_create();
    hash_compiler(hash);
    cycle cycles[FRAME_JOBS_MAX];
    assert_true(count <= FRAME_JOBS_MAX);
    for (u32 i = 0; i < count; i++) {
        struct frame frame = frame_load(&jobs[i]);
        hash_world(hash, &frame.world);
        cycles[i] = frame_finish(&jobs[i], &frame, digest);
    }
    hash_finish(hash, inputs);
    if (strcmp(inputs, set->golden_inputs) != 0) {
        inputs_say(inputs, cycles, count);
        skip();
    }
    u32 moved = 0;
    for (u32 i = 0; i < count; i++) {
        if (cycles[i] == jobs[i].golden)
            continue;
        moved++;
        print_message("# job %u: %llu cycles, golden %llu\n", i, (unsigned long long)cycles[i],
                      (unsigned long long)jobs[i].golden);
    }
    assert_int_equal(moved, 0);
}

/* ---- Machines of odd sizes ---- */

void odd_begin(struct frame_odd *odd, struct frame_job job)
{
    odd->job = job;
    odd->count = 0;
}

void odd_set(struct frame_odd *odd, const char *format, ...)
{
    va_list arguments;
    assert_true(odd->count < FRAME_SETTINGS_MAX);
    char *setting = odd->settings[odd->count];
    va_start(arguments, format);
    vsnprintf(setting, sizeof odd->settings[0], format, arguments);
    va_end(arguments);
    odd->job.settings[odd->count++] = setting;
}

u32 odd_number(struct frame_odd *odd, u32 most)
{
    return 1 + (u32)random_below(&odd->random, most);
}

bool odd_finishes(struct frame_odd *odd, const char *refusal)
{
    char digest[33];
    struct ogv_error error;
    struct frame frame;
    odd->job.rays = random_below(&odd->random, 2) ? RAYS_PRIMARY : RAYS_SECONDARY;
    bool fits = frame_try(&odd->job, &frame, &error);
    if (!fits && !strstr(error.message, refusal))
        fail_msg("%s", error.message);
    if (fits) {
        system_set_options(frame.system,
                           &(struct sim_options){ .threads = 1, .watchdog = 1000000 });
        frame_finish(&odd->job, &frame, digest);
        return true;
    }
    ogv_system_destroy(frame.system);
    world_free(&frame.world);
    return false;
}

u32 odd_machines(u32 few)
{
    return getenv("OGIVE_LONG") ? 250 : few;
}
