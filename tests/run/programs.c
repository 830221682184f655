/* programs.c - the shipped programs on shipped machines: they end well, say the right thing, and do
 * the same whatever the host does; their pictures are those of the native builds. */
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
#include "run/program.h"
#include "unit/core/core.h"

struct job {
    const char *arch, *program, *says; /* what the console must hold */
    const char *arguments[3];
};

static const struct job jobs[] = {
    { "tiny", "hello", "hello from 8 harts", { NULL } },
    { "tiny", "vector_add", "500 elements, 0 wrong", { "500" } },
    { "tiny", "reduce", "1000 numbers", { "1000" } },
    { "tiny", "matmul", "12x12, 0 rows wrong", { "12" } },
    { "tiny", "mandelbrot", "mandelbrot 24x24", { "24", "30" } },
    { "tiny", "chase", "0 wrong", { "64", "500" } },
    { "tiny", "triad", "0 wrong", { "512", "1" } },
    { "tiny", "templates", "templates", { "50" } },
    { "trax", "hello", "hello from 128 harts", { NULL } },
    { "trax", "reduce", "1000 numbers", { "1000" } },
    { "trax", "mandelbrot", "mandelbrot 24x24", { "24", "30" } },
    { "trax", "triad", "0 wrong", { "512", "1" } },
    { "trax", "templates", "templates", { "50" } },
    { "trax", "crowd", "128 harts, 0 wrong", { NULL } },
    { "tiny", "blocksum", "256 numbers, sum 130692.305, right", { "256", "32" } },
};

#define JOBS (sizeof jobs / sizeof *jobs)

static ogv_system *job_load(const struct job *job)
{
    struct ogv_error error;
    u32 count = 0;
    while (count < 3 && job->arguments[count])
        count++;
    char *file = text_format("%s/%s.elf", getenv("OGIVE_PROGRAMS"), job->program);
    ogv_arch *arch = ogv_arch_load(job->arch, &error);
    ogv_system *system = arch ? ogv_system_create(arch, &error) : NULL;
    struct program_options program = { .file = file,
                                       .arguments = job->arguments,
                                       .argument_count = count };
    if (!system || !program_load(system, &program, &error))
        fail_msg("%s", error.message);
    ogv_arch_destroy(arch);
    free(file);
    return system;
}

/* To the end, with the checks that every run must pass. */
static void job_finish(const struct job *job, ogv_system *system, char digest[33])
{
    struct ogv_error error;
    struct text console = { 0 };
    if (ogv_system_run(system, OGV_FOREVER, &error) != OGV_END_FINISHED)
        fail_msg("%s on %s: %s", job->program, job->arch, error.message);
    assert_int_equal(program_exit_code(system), 0);
    program_console(system, &console);
    if (!strstr(text_get(&console), job->says))
        fail_msg("%s on %s says '%s'", job->program, job->arch, text_get(&console));
    text_fini(&console);
    ogv_system_digest(system, digest);
}

static void job_run(const struct job *job, struct sim_options options, char digest[33])
{
    ogv_system *system = job_load(job);
    system_set_options(system, &options);
    job_finish(job, system, digest);
    ogv_system_destroy(system);
}

static void programs_end_well_and_do_the_same_each_time(void **state)
{
    (void)state;
    static const struct sim_options ways[] = {
        { .threads = 2 },
        { .threads = 3, .window = 1 },
        { .threads = 1, .sleepless = true },
        { .threads = 1, .order = SIM_ORDER_REVERSE },
    };
    for (u32 i = 0; i < JOBS; i++) {
        char reference[33], digest[33];
        job_run(&jobs[i], (struct sim_options){ .threads = 1 }, reference);
        for (u32 w = 0; w < sizeof ways / sizeof *ways; w++) {
            job_run(&jobs[i], ways[w], digest);
            assert_string_equal(digest, reference);
        }
    }
}

static void add_cycles(void *context, struct unit *unit)
{
    const struct core *core = (const struct core *)unit;
    u64 *sums = context;
    sums[0] += core->s.issued + core->s.passed + core->s.hazard + core->s.busy + core->s.fetch +
               core->s.fence + core->s.halted;
    sums[1] += core->s.cycles;
    sums[2] += core->p.threads;
}

static void every_thread_cycle_is_accounted_for(void **state)
{
    (void)state;
    for (u32 i = 0; i < JOBS; i++) {
        char digest[33];
        u64 sums[3] = { 0 };
        ogv_system *system = job_load(&jobs[i]);
        job_finish(&jobs[i], system, digest);
        host_visit(system, unit_runs_programs, add_cycles, sums);
        assert_true(sums[2] > 0);
        assert_int_equal(sums[0], sums[1]);
        assert_int_equal(sums[1], sums[2] * ogv_system_cycle(system));
        ogv_system_destroy(system);
    }
}

static void a_checkpoint_in_the_middle_changes_nothing(void **state)
{
    (void)state;
    struct ogv_error error;
    char file[] = "/tmp/ogive-test-XXXXXX", reference[33], digest[33];
    int descriptor = mkstemp(file);
    assert_true(descriptor >= 0);
    close(descriptor);
    const struct job *job = &jobs[10];
    job_run(job, (struct sim_options){ .threads = 1 }, reference);
    ogv_system *system = job_load(job);
    assert_int_equal(ogv_system_run(system, 2345, &error), OGV_END_REACHED);
    assert_true(ogv_system_checkpoint(system, file, &error));
    ogv_system_destroy(system);
    system = ogv_system_resume(file, &error);
    unlink(file);
    if (!system)
        fail_msg("%s", error.message);
    job_finish(job, system, digest);
    assert_string_equal(digest, reference);
    ogv_system_destroy(system);
}

/* Width and height of a binary PPM; the pixels follow. */
static const u8 *ppm_open(const char *text, u32 *width, u32 *height)
{
    int used = 0;
    assert_int_equal(sscanf(text, "P6 %u %u 255%n", width, height, &used), 2);
    return (const u8 *)text + used + 1;
}

static void pictures_are_those_of_the_native_build(void **state)
{
    (void)state;
    struct ogv_error error;
    char image[] = "/tmp/ogive-test-XXXXXX", digest[33];
    int descriptor = mkstemp(image);
    assert_true(descriptor >= 0);
    close(descriptor);
    char *command = text_format("OGIVE_IMAGE=%s %s/program_mandelbrot 24 30 >/dev/null", image,
                                getenv("OGIVE_PROGRAMS"));
    assert_int_equal(system(command), 0);
    free(command);
    size_t length;
    char *text = file_read(image, 1 * MiB, &length, &error);
    unlink(image);
    assert_non_null(text);
    u32 width, height;
    const u8 *native = ppm_open(text, &width, &height);
    ogv_system *chip = job_load(&jobs[4]);
    job_finish(&jobs[4], chip, digest);
    struct image drawn;
    assert_true(program_pixels(chip, &drawn, &error));
    assert_int_equal(drawn.width, width);
    assert_int_equal(drawn.height, height);
    for (u32 i = 0; i < width * height; i++)
        assert_memory_equal(&drawn.pixels[4 * i], &native[3 * i], 3);
    free(drawn.pixels);
    free(text);
    ogv_system_destroy(chip);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(programs_end_well_and_do_the_same_each_time),
        cmocka_unit_test(every_thread_cycle_is_accounted_for),
        cmocka_unit_test(a_checkpoint_in_the_middle_changes_nothing),
        cmocka_unit_test(pictures_are_those_of_the_native_build),
    };
    return cmocka_run_group_tests_name("programs", tests, NULL, NULL);
}
