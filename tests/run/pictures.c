/* pictures.c - programs that draw a scene: with RT cores or by walking the tree, on any machine and
 * with any number of threads, each pixel has the bits of the native build. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "arch/arch.h"
#include "base/file.h"
#include "run/program.h"
#include "run/workload.h"

/* The formats that programs are built for by default. */
#define NODES      node_formats[RT_NODES_bvh6c]
#define PRIMITIVES primitive_formats[RT_PRIMITIVES_tri64]

#define WIDTH      13 /* no multiple of a tile's side */
#define HEIGHT     9
#define PIXELS     (WIDTH * HEIGHT)

struct machine {
    const char *arch;
    bool software;
    const char *settings[3];
};

static const struct machine machines[] = {
    { "rtx2080", false, { "sm.count=2", "chip.barrier.arrivals=2" } },
    { "rtx2080", true, { "sm.count=2", "chip.barrier.arrivals=2", "sm.core.stack=2KiB" } },
    { "tiny", true, { NULL } },
    { "trax", true, { NULL } },
};

/* Pictures that are all of one colour would be equal for no good reason. */
struct picture {
    const char *program, *scene;
    u32 colours;          /* at least */
    const char *argument; /* NULL: none */
};

static const struct picture pictures[] = {
    { "pathtrace", "cornell", 20, NULL }, /* lamps, glass, a mirror */
    { "pathtrace", "spheres", 20, NULL }, /* sun and sky */
    { "pathtrace", "cornell", 20, "3" },  { "pathtrace", "spheres", 20, "5" },
    { "occlusion", "cornell", 3, NULL },  { "shadow", "spheres", 20, NULL },
};

static struct world_options options_make(const char *scene, bool software)
{
    return (struct world_options){
        .scene = scene,
        .generator = { .triangles = 2000, .seed = 1 },
        .width = WIDTH,
        .height = HEIGHT,
        .samples = 2,
        .bounces = 5,
        .seed = 7,
        .nodes = NODES,
        .primitives = PRIMITIVES,
        .builder = BVH_spatial,
        .software = software,
        .threads = 1,
    };
}

static void world_make(const struct world_options *options, struct world *world)
{
    struct ogv_error error;
    if (!world_prepare(options, world, &error))
        fail_msg("%s", error.message);
}

static ogv_system *machine_create(const struct machine *machine)
{
    struct ogv_error error;
    u32 count = 0;
    while (count < 3 && machine->settings[count])
        count++;
    ogv_arch *arch = ogv_arch_load(machine->arch, &error);
    ogv_system *system = arch && arch_apply_settings(arch, machine->settings, count, &error)
                             ? ogv_system_create(arch, &error)
                             : NULL;
    if (!system)
        fail_msg("%s: %s", machine->arch, error.message);
    ogv_arch_destroy(arch);
    return system;
}

static ogv_system *machine_load(const struct machine *machine, const struct picture *picture,
                                u32 threads)
{
    struct ogv_error error;
    struct world world;
    struct world_options options = options_make(picture->scene, machine->software);
    ogv_system *system = machine_create(machine);
    char *file = text_format("%s/%s.elf", getenv("OGIVE_PROGRAMS"), picture->program);
    struct program_options program = { .file = file,
                                       .arguments = &picture->argument,
                                       .argument_count = picture->argument ? 1 : 0 };
    system_set_options(system, &(struct sim_options){ .threads = threads });
    world_make(&options, &world);
    if (!program_load(system, &program, &error) || !workload_load(system, &world, &error))
        fail_msg("%s", error.message);
    world_free(&world);
    free(file);
    return system;
}

static void machine_draw(const struct machine *machine, const struct picture *picture, u32 threads,
                         u32 *pixels, char digest[33])
{
    struct ogv_error error;
    struct rt_world header;
    struct text fault = { 0 };
    ogv_system *system = machine_load(machine, picture, threads);
    if (ogv_system_run(system, OGV_FOREVER, &error) != OGV_END_FINISHED) {
        program_fault(system, &fault);
        fail_msg("%s on %s: %s", picture->program, machine->arch, text_get(&fault));
    }
    u64 at = program_world(system);
    assert_int_equal(program_exit_code(system), 0);
    assert_true(host_read(system, at, &header, sizeof header, &error));
    assert_true(host_read(system, at + header.pixels, pixels, PIXELS * sizeof *pixels, &error));
    ogv_system_digest(system, digest);
    ogv_system_destroy(system);
}

/* By the native build, with that many threads. */
static char *native_draw(const char *folder, const struct picture *picture, u32 threads)
{
    struct ogv_error error;
    size_t length;
    char *image = text_format("%s/image.ppm", folder);
    char *command = text_format("OGIVE_HARTS=%u OGIVE_WORLD=%s/world OGIVE_IMAGE=%s "
                                "%s/program_%s %s",
                                threads, folder, image, getenv("OGIVE_PROGRAMS"), picture->program,
                                picture->argument ? picture->argument : "");
    assert_int_equal(system(command), 0);
    char *text = file_read(image, 1 * MiB, &length, &error);
    assert_non_null(text);
    assert_true(length > 3 * PIXELS);
    memmove(text, text + length - 3 * PIXELS, 3 * PIXELS);
    unlink(image);
    free(image);
    free(command);
    return text;
}

static void pictures_compare(const char *name, const struct machine *machine, const u32 *pixels,
                             const char *native)
{
    for (u32 i = 0; i < PIXELS; i++)
        if (memcmp(&pixels[i], native + 3 * i, 3) != 0 || pixels[i] >> 24 != 255)
            fail_msg("%s on %s%s: pixel %u,%u is %08x", name, machine->arch,
                     machine->software ? ", walking" : "", i % WIDTH, i / WIDTH, pixels[i]);
}

static u32 colours_count(const char *native)
{
    u32 count = 0;
    for (u32 i = 0; i < PIXELS; i++) {
        u32 j = 0;
        while (j < i && memcmp(native + 3 * i, native + 3 * j, 3) != 0)
            j++;
        count += j == i;
    }
    return count;
}

static void picture_check(const struct picture *picture, const char *folder)
{
    char *native = native_draw(folder, picture, 1);
    char *threaded = native_draw(folder, picture, 5);
    assert_memory_equal(native, threaded, 3 * PIXELS);
    assert_true(colours_count(native) >= picture->colours);
    for (u32 i = 0; i < sizeof machines / sizeof *machines; i++) {
        u32 pixels[PIXELS];
        char digest[33];
        machine_draw(&machines[i], picture, 1, pixels, digest);
        pictures_compare(picture->program, &machines[i], pixels, native);
    }
    free(native);
    free(threaded);
}

static void pictures_are_those_of_the_native_build(void **state)
{
    (void)state;
    struct ogv_error error;
    char folder[] = "/tmp/ogive-test-XXXXXX";
    assert_non_null(mkdtemp(folder));
    char *path = text_format("%s/world", folder);
    for (u32 i = 0; i < sizeof pictures / sizeof *pictures; i++) {
        struct world world;
        struct world_options options = options_make(pictures[i].scene, false);
        world_make(&options, &world);
        assert_true(world_save(&world, path, &error));
        world_free(&world);
        picture_check(&pictures[i], folder);
    }
    unlink(path);
    rmdir(folder);
    free(path);
}

static void threads_change_nothing(void **state)
{
    (void)state;
    for (u32 m = 0; m < sizeof machines / sizeof *machines; m++) {
        u32 one[PIXELS], two[PIXELS];
        char first[33], second[33];
        machine_draw(&machines[m], &pictures[0], 1, one, first);
        machine_draw(&machines[m], &pictures[0], 2, two, second);
        assert_memory_equal(one, two, sizeof one);
        assert_string_equal(first, second);
    }
}

/* By how much a picture differs from one of many samples: the mean square, by channel. */
static double picture_error(const char *one, const char *other)
{
    double sum = 0;
    for (u32 i = 0; i < 3 * PIXELS; i++) {
        double difference = (double)(u8)one[i] - (double)(u8)other[i];
        sum += difference * difference;
    }
    return sum / (3 * PIXELS);
}

static char *spheres_draw(const char *folder, u32 samples, const char *argument)
{
    struct ogv_error error;
    struct world world;
    struct world_options options = options_make("spheres", false);
    struct picture picture = { .program = "pathtrace", .argument = argument };
    char *path = text_format("%s/world", folder);
    options.samples = samples;
    world_make(&options, &world);
    assert_true(world_save(&world, path, &error));
    world_free(&world);
    char *drawn = native_draw(folder, &picture, 1);
    unlink(path);
    free(path);
    return drawn;
}

static void filtering_comes_closer_to_many_samples(void **state)
{
    (void)state;
    char folder[] = "/tmp/ogive-test-XXXXXX";
    assert_non_null(mkdtemp(folder));
    char *truth = spheres_draw(folder, 256, NULL), *plain = spheres_draw(folder, 1, NULL),
         *filtered = spheres_draw(folder, 1, "2");
    assert_true(picture_error(filtered, truth) < 0.8 * picture_error(plain, truth));
    free(truth);
    free(plain);
    free(filtered);
    rmdir(folder);
}

static void heatmaps_hold_what_pixels_cost(void **state)
{
    (void)state;
    struct ogv_error error;
    struct world world;
    struct rt_world header;
    struct world_options options = options_make("cornell", false);
    options.heatmap = true;
    ogv_system *system = machine_create(&machines[0]);
    char *file = text_format("%s/pathtrace.elf", getenv("OGIVE_PROGRAMS"));
    struct program_options program = { .file = file };
    world_make(&options, &world);
    assert_true(program_load(system, &program, &error));
    assert_true(workload_load(system, &world, &error));
    assert_int_equal(ogv_system_run(system, OGV_FOREVER, &error), OGV_END_FINISHED);
    u32 costs[PIXELS];
    u64 at = program_world(system), cycles = system_cycles(system);
    assert_true(host_read(system, at, &header, sizeof header, &error));
    assert_true(host_read(system, at + header.costs, costs, sizeof costs, &error));
    for (u32 i = 0; i < PIXELS; i++)
        assert_true(costs[i] > 20 && costs[i] <= cycles);
    ogv_system_destroy(system);
    world_free(&world);
    free(file);
}

static void places_are_tiles_of_four_by_eight(void **state)
{
    (void)state;
    struct world world;
    struct world_options options = options_make("cornell", false);
    options.width = 16;
    options.height = 16;
    world_make(&options, &world);
    for (u32 i = 0; i < 256; i++) {
        u32 x = world.rays.pixels[i] % 16, y = world.rays.pixels[i] / 16;
        assert_int_equal(y / 8 * 4 + x / 4, i / 32);
    }
    world_free(&world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pictures_are_those_of_the_native_build),
        cmocka_unit_test(threads_change_nothing),
        cmocka_unit_test(filtering_comes_closer_to_many_samples),
        cmocka_unit_test(heatmaps_hold_what_pixels_cost),
        cmocka_unit_test(places_are_tiles_of_four_by_eight),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
