/* levels.c - what a program has written is read by the host wherever it still is: in caches of a
 * few cores, of a cluster, of the chip, or in memory. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "run/program.h"
#include "stat_of.h"

struct setting {
    const char *path, *value;
};

static ogv_arch *arch_load(const char *file, const struct setting *settings)
{
    struct ogv_error error;
    ogv_arch *arch = ogv_arch_load(file, &error);
    bool good = arch;
    for (u32 i = 0; good && settings[i].path; i++)
        good = ogv_arch_set(arch, settings[i].path, settings[i].value, &error);
    if (!good)
        fail_msg("%s", error.message);
    return arch;
}

/* A chip that has drawn a picture of 24 x 24 pixels. */
static ogv_system *chip_draw(const char *file, const struct setting *settings)
{
    static const char *const arguments[] = { "24", "30" };
    struct ogv_error error;
    ogv_arch *arch = arch_load(file, settings);
    ogv_system *system = ogv_system_create(arch, &error);
    char *elf = text_format("%s/mandelbrot.elf", getenv("OGIVE_PROGRAMS"));
    struct program_options program = { .file = elf, .arguments = arguments, .argument_count = 2 };
    if (!system || !program_load(system, &program, &error) ||
        ogv_system_run(system, OGV_FOREVER, &error) != OGV_END_FINISHED)
        fail_msg("%s", error.message);
    assert_int_equal(program_exit_code(system), 0);
    ogv_arch_destroy(arch);
    free(elf);
    return system;
}

static struct image chip_picture(ogv_system *system)
{
    struct ogv_error error;
    struct image picture;
    if (!program_pixels(system, &picture, &error))
        fail_msg("%s", error.message);
    assert_int_equal(picture.width, 24);
    assert_int_equal(picture.height, 24);
    return picture;
}

/* Most of the picture has not left the clusters, and it is the one of a chip without caches. */
static void assert_picture_is_seen(const struct setting *settings)
{
    static const struct setting none[] = { { 0 } };
    char *file = text_format("%s/levels.yaml", getenv("OGIVE_TEST_DATA"));
    ogv_system *plain = chip_draw("tiny", none), *levels = chip_draw(file, settings);
    struct image right = chip_picture(plain), seen = chip_picture(levels);
    assert_true(stat_of(levels, "cluster[*].l2.writes") > 0);
    assert_true(stat_of(levels, "cluster[*].l2.write_backs") < 24 * 24 * 4 / 32 / 2);
    assert_memory_equal(seen.pixels, right.pixels, 24 * 24 * 4);
    free(right.pixels);
    free(seen.pixels);
    ogv_system_destroy(plain);
    ogv_system_destroy(levels);
    free(file);
}

static void picture_behind_write_through_caches_is_seen(void **state)
{
    static const struct setting settings[] = { { 0 } };
    (void)state;
    assert_picture_is_seen(settings);
}

static void picture_behind_write_back_caches_is_seen(void **state)
{
    static const struct setting settings[] = { { "cluster.l1.write", "back" },
                                               { "cluster.l1.write_miss", "allocate" },
                                               { 0 } };
    (void)state;
    assert_picture_is_seen(settings);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(picture_behind_write_through_caches_is_seen),
        cmocka_unit_test(picture_behind_write_back_caches_is_seen),
    };
    return cmocka_run_group_tests_name("levels", tests, NULL, NULL);
}
