/* own_core.c - a core outside the tree (plugin/own_core.c) is given programs, and all that the
 * program says about programs it says about this core too. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "../report/stand.h"
#include "arch/stats.h"
#include "base/text.h"
#include "profile/tree.h"
#include "run/program.h"
#include "run/progress.h"

struct job {
    const char *program, *says; /* what the console must hold */
    const char *arguments[2];
};

static const struct job hello = { "hello", "hello from 8 harts\n", { NULL } };
static const struct job mandelbrot = { "mandelbrot", "mandelbrot 24x24", { "24", "30" } };
static const struct job reduce = { "reduce", "1000 numbers", { "1000" } };
static const struct job crowd = { "crowd", "crowd: 8 harts, 0 wrong\n", { NULL } };

static const struct job *const jobs[] = { &hello, &mandelbrot, &reduce, &crowd };

#define JOBS (sizeof jobs / sizeof *jobs)

static char *own_arch(void)
{
    return text_format("%s/own_core.yaml", getenv("OGIVE_TEST_BUILD"));
}

static char *job_file(const struct job *job)
{
    return text_format("%s/%s.elf", getenv("OGIVE_PROGRAMS"), job->program);
}

/* ---- Systems ---- */

static u32 job_arguments(const struct job *job)
{
    u32 count = 0;
    while (count < 2 && job->arguments[count])
        count++;
    return count;
}

static ogv_system *job_load_on(const struct job *job, const char *file, bool profile)
{
    struct ogv_error error;
    char *elf = job_file(job);
    ogv_arch *arch = ogv_arch_load(file, &error);
    ogv_system *system = arch ? ogv_system_create(arch, &error) : NULL;
    struct program_options program = { .file = elf,
                                       .arguments = job->arguments,
                                       .argument_count = job_arguments(job),
                                       .profile = profile };
    if (!system || !program_load(system, &program, &error))
        fail_msg("%s", error.message);
    ogv_arch_destroy(arch);
    free(elf);
    return system;
}

static ogv_system *job_load(const struct job *job)
{
    char *arch = own_arch();
    ogv_system *system = job_load_on(job, arch, true);
    free(arch);
    return system;
}

static void job_finish(const struct job *job, ogv_system *system)
{
    struct ogv_error error;
    struct text console = { 0 };
    if (ogv_system_run(system, OGV_FOREVER, &error) != OGV_END_FINISHED)
        fail_msg("%s: %s", job->program, error.message);
    assert_int_equal(program_exit_code(system), 0);
    program_console(system, &console);
    if (!strstr(text_get(&console), job->says))
        fail_msg("%s says '%s'", job->program, text_get(&console));
    text_fini(&console);
}

static u64 stat_of(ogv_system *system, const char *name)
{
    struct ogv_error error;
    struct stat_value value;
    char *path = text_format("chip.core[*].%s", name);
    system_settle(system);
    if (!stats_find(system, path, &value, &error))
        fail_msg("%s", error.message);
    free(path);
    return value.integer;
}

static void shipped_programs_end_well(void **state)
{
    (void)state;
    for (u32 i = 0; i < JOBS; i++) {
        ogv_system *system = job_load(jobs[i]);
        job_finish(jobs[i], system);
        ogv_system_destroy(system);
    }
}

static void thread_cycles_add_up_and_the_profile_has_them(void **state)
{
    (void)state;
    for (u32 i = 0; i < JOBS; i++) {
        ogv_system *system = job_load(jobs[i]);
        job_finish(jobs[i], system);
        u64 lived = stat_of(system, "lived"), over = stat_of(system, "over");
        u64 waited = stat_of(system, "stood_by") + stat_of(system, "refused");
        assert_int_equal(lived, 8 * ogv_system_cycle(system));
        assert_int_equal(stat_of(system, "retired") + waited + stat_of(system, "awaited") +
                             stat_of(system, "asked") + over,
                         lived);
        struct profile *profile = program_profile(system);
        assert_int_equal(profile->thread_cycles, lived - over);
        assert_int_equal(profile->halted_cycles, over);
        assert_false(profile->has_energy); /* the core does not say what issuing costs */
        profile_destroy(profile);
        ogv_system_destroy(system);
    }
}

static void image_is_that_of_the_shipped_machine(void **state)
{
    (void)state;
    struct ogv_error error;
    struct image own, shipped;
    ogv_system *one = job_load(&mandelbrot), *other = job_load_on(&mandelbrot, "tiny", false);
    job_finish(&mandelbrot, one);
    job_finish(&mandelbrot, other);
    assert_true(program_pixels(one, &own, &error) && program_pixels(other, &shipped, &error));
    assert_int_equal(own.width, 24);
    assert_int_equal(own.height, 24);
    assert_memory_equal(own.pixels, shipped.pixels, 24 * 24 * 4);
    free(own.pixels);
    free(shipped.pixels);
    ogv_system_destroy(one);
    ogv_system_destroy(other);
}

static void job_digest(const struct job *job, struct sim_options options, char digest[33])
{
    ogv_system *system = job_load(job);
    system_set_options(system, &options);
    job_finish(job, system);
    ogv_system_digest(system, digest);
    ogv_system_destroy(system);
}

static void runs_are_the_same_each_time(void **state)
{
    (void)state;
    static const struct sim_options ways[] = {
        { .threads = 2 },
        { .threads = 1, .window = 1 },
        { .threads = 1, .sleepless = true },
        { .threads = 1, .order = SIM_ORDER_REVERSE },
    };
    for (u32 i = 0; i < JOBS; i++) {
        char reference[33], digest[33];
        job_digest(jobs[i], (struct sim_options){ .threads = 1 }, reference);
        for (u32 w = 0; w < sizeof ways / sizeof *ways; w++) {
            job_digest(jobs[i], ways[w], digest);
            assert_string_equal(digest, reference);
        }
    }
}

/* The profile too: the host finds it again in what was resumed. */
static void checkpoint_in_the_middle_changes_nothing(void **state)
{
    (void)state;
    struct ogv_error error;
    char *folder = stand_folder(), *file = text_format("%s/state", folder);
    ogv_system *system = job_load(&mandelbrot);
    assert_int_equal(ogv_system_run(system, 2345, &error), OGV_END_REACHED);
    assert_true(ogv_system_checkpoint(system, file, &error));
    job_finish(&mandelbrot, system);
    char straight[33], resumed[33];
    ogv_system_digest(system, straight);
    ogv_system_destroy(system);
    system = ogv_system_resume(file, &error);
    if (!system)
        fail_msg("%s", error.message);
    job_finish(&mandelbrot, system);
    ogv_system_digest(system, resumed);
    assert_string_equal(resumed, straight);
    struct profile *profile = program_profile(system);
    assert_int_equal(profile->thread_cycles, stat_of(system, "lived") - stat_of(system, "over"));
    profile_destroy(profile);
    ogv_system_destroy(system);
    free(file);
    stand_remove(folder);
}

/* Pieces of work: as many as the dispenser has given, less one for each of the eight threads. */
static void progress_counts_its_threads(void **state)
{
    (void)state;
    struct ogv_error error;
    struct run_progress progress;
    struct progress_meter meter;
    struct run_options options = { .stop_after = NEVER };
    struct world_options world_options = { 0 };
    struct world world = { .header = { .width = 100, .height = 50 } };
    struct record record = { .system = job_load(&mandelbrot),
                             .options = &options,
                             .program = "mandelbrot",
                             .world = &world,
                             .world_options = &world_options };
    meter_init(&meter, &record);
    assert_int_equal(meter.threads, 8);
    assert_int_equal(meter.dispenser_count, 1);
    assert_int_equal(ogv_system_run(record.system, 20000, &error), OGV_END_REACHED);
    meter_look(&meter, &progress);
    struct stat_value given;
    system_settle(record.system);
    assert_true(stats_find(record.system, "chip.dispatch.given", &given, &error));
    assert_true(given.integer > 8);
    assert_int_equal(progress.pixels, given.integer - 8);
    assert_int_equal(progress.pixels_in_all, 5000);
    meter_fini(&meter);
    ogv_system_destroy(record.system);
}

/* ---- Runs ---- */

struct run_job {
    const char *program; /* a file */
    const struct job *job;
    cycle stop_after;
    bool profile;
    const struct world_options *world; /* NULL: no scene */
};

/* What the run noted, in one text. */
static void note_add(void *context, const char *text)
{
    text_add(context, "%s\n", text);
}

static bool run_on_own(const struct run_job *job, const char *folder, struct run_result *result,
                       struct text *notes, struct ogv_error *error)
{
    char *arch = own_arch();
    struct run_options options = { .arch = arch,
                                   .out = folder,
                                   .program = job->program,
                                   .arguments = job->job ? job->job->arguments : NULL,
                                   .argument_count = job->job ? job_arguments(job->job) : 0,
                                   .profile = job->profile,
                                   .world = job->world,
                                   .sim = { .threads = 1 },
                                   .stop_after = job->stop_after };
    struct run_listener listener = { .note = note_add, .context = notes };
    bool good = run_execute(&options, &listener, result, error);
    free(arch);
    return good;
}

static void result_free(struct run_result *result)
{
    free(result->folder);
    free(result->console);
    free(result->image);
    free(result->heatmap);
}

static void expect_words(const char *text, const char *words)
{
    if (!strstr(text, words))
        fail_msg("no '%s' in '%s'", words, text);
}

static void summary_has_its_instructions_and_words(void **state)
{
    (void)state;
    struct ogv_error error;
    struct run_result result;
    struct text notes = { 0 };
    char *folder = stand_folder(), *file = job_file(&hello);
    ogv_system *system = job_load(&hello);
    job_finish(&hello, system);
    assert_true(run_on_own(&(struct run_job){ file, &hello, NEVER, false, NULL }, folder, &result,
                           &notes, &error));
    assert_int_equal(result.status, RUN_FINISHED);
    assert_true(result.exited && result.exit_code == 0);
    assert_string_equal(result.console, hello.says);
    assert_true(result.instructions > 0);
    assert_int_equal(result.instructions, stat_of(system, "retired"));
    assert_int_equal(result.cycles, ogv_system_cycle(system));
    ogv_system_destroy(system);
    result_free(&result);
    text_fini(&notes);
    free(file);
    stand_remove(folder);
}

/* A source of the test's own, compiled and run, and what came of it. */
struct trial {
    char *folder;
    struct run_result result;
    struct text notes;
    struct ogv_error error;
};

static struct trial trial_run(const char *source, cycle stop_after)
{
    struct trial trial = { .folder = stand_folder() };
    char *path = text_format("%s/astray.c", trial.folder);
    char *out = text_format("%s/run", trial.folder);
    struct run_job job = { .program = path, .stop_after = stop_after };
    stand_write(trial.folder, "astray.c", source);
    if (!run_on_own(&job, out, &trial.result, &trial.notes, &trial.error))
        fail_msg("%s", trial.error.message);
    free(out);
    free(path);
    return trial;
}

static void trial_end(struct trial *trial)
{
    result_free(&trial->result);
    text_fini(&trial->notes);
    stand_remove(trial->folder);
}

static void exit_code_is_the_programs(void **state)
{
    (void)state;
    struct trial trial = trial_run("#include <ogive/device.h>\n"
                                   "int main(void) { return ogv_hart() == 5 ? 7 : 0; }\n",
                                   NEVER);
    assert_int_equal(trial.result.status, RUN_FINISHED);
    assert_int_equal(trial.result.exit_code, 7);
    trial_end(&trial);
}

static void fault_is_explained(void **state)
{
    (void)state;
    struct trial trial = trial_run("#include <ogive/device.h>\n"
                                   "int main(void)\n"
                                   "{\n"
                                   "    if (ogv_hart() == 5)\n"
                                   "        *(volatile uint32_t *)0x123456780 = 1;\n"
                                   "    return 0;\n"
                                   "}\n",
                                   NEVER);
    assert_int_equal(trial.result.status, RUN_FAULT);
    expect_words(trial.error.message, "access to address 0x123456780, where there is no memory");
    expect_words(trial.error.message, "astray.c:5)");
    expect_words(trial.error.message, "\n  in   chip.core[2], thread 1 (hart 5)\n");
    expect_words(trial.error.message, "zero 0000000000000000  ra   0");
    trial_end(&trial);
}

static void stack_overflow_names_its_parameter(void **state)
{
    (void)state;
    struct trial trial = trial_run("#include <ogive/device.h>\n"
                                   "int main(void)\n"
                                   "{\n"
                                   "    volatile char large[8192];\n"
                                   "    large[0] = 1;\n"
                                   "    return large[0] - 1;\n"
                                   "}\n",
                                   NEVER);
    assert_int_equal(trial.result.status, RUN_FAULT);
    expect_words(trial.error.message, "outside the 4096 bytes of private memory; more with "
                                      "--set chip.core.own=8192B");
    trial_end(&trial);
}

static void instruction_without_a_unit_is_explained(void **state)
{
    (void)state;
    struct trial trial = trial_run("#include <ogive/device.h>\n"
                                   "int main(void)\n"
                                   "{\n"
                                   "    __asm__ volatile(\".insn r 0x2b, 0, 0, a0, a0, x0\");\n"
                                   "    return 0;\n"
                                   "}\n",
                                   NEVER);
    assert_int_equal(trial.result.status, RUN_FAULT);
    expect_words(trial.error.message, "an instruction of a class for which the core has no unit\n");
    trial_end(&trial);
}

static void polling_is_noted(void **state)
{
    (void)state;
    struct trial trial = trial_run("#include <ogive/device.h>\n"
                                   "static uint32_t flag;\n"
                                   "static __attribute__((noinline)) void wait_for_nobody(void)\n"
                                   "{\n"
                                   "    while (!ogv_atomic_load_u32(&flag))\n"
                                   "        ogv_pause();\n"
                                   "}\n"
                                   "int main(void)\n"
                                   "{\n"
                                   "    if (ogv_hart() < 6)\n"
                                   "        wait_for_nobody();\n"
                                   "    return 0;\n"
                                   "}\n",
                                   2100000);
    assert_int_equal(trial.result.status, RUN_STOPPED);
    expect_words(text_get(&trial.notes), "of 6 threads 6 are in wait_for_nobody");
    trial_end(&trial);
}

/* What a command prints. */
static void command_read(const char *command, struct text *out)
{
    char part[4096];
    FILE *pipe = popen(command, "r");
    assert_non_null(pipe);
    for (size_t length; (length = fread(part, 1, sizeof part, pipe));)
        text_add_bytes(out, part, length);
    assert_int_equal(pclose(pipe), 0);
}

static void profile_of_a_run_shows_functions(void **state)
{
    (void)state;
    struct ogv_error error;
    struct run_result result;
    struct text notes = { 0 }, shown = { 0 };
    char *folder = stand_folder(), *file = job_file(&mandelbrot);
    if (!run_on_own(&(struct run_job){ file, &mandelbrot, NEVER, true, NULL }, folder, &result,
                    &notes, &error))
        fail_msg("%s", error.message);
    struct profile *profile = profile_read(folder, &error);
    assert_non_null(profile);
    assert_int_equal(profile->thread_cycles + profile->halted_cycles, 8 * result.cycles);
    profile_destroy(profile);
    char *command = text_format("%s profile %s", getenv("OGIVE_PROGRAM"), folder);
    command_read(command, &shown);
    expect_words(text_get(&shown), "piece_draw");
    expect_words(text_get(&shown), "point_steps");
    assert_non_null(result.image);
    free(command);
    text_fini(&shown);
    text_fini(&notes);
    result_free(&result);
    free(file);
    stand_remove(folder);
}

static void rays_are_traced_and_hit_what_they_should(void **state)
{
    (void)state;
    struct ogv_error error;
    struct run_result result;
    struct text notes = { 0 };
    struct world_options world = { .scene = "cornell",
                                   .traced = true,
                                   .rays = RAYS_PRIMARY,
                                   .width = 8,
                                   .height = 8,
                                   .samples = 1,
                                   .bounces = 1 };
    char *folder = stand_folder();
    if (!run_on_own(&(struct run_job){ .stop_after = NEVER, .world = &world }, folder, &result,
                    &notes, &error))
        fail_msg("%s", error.message);
    assert_int_equal(result.status, RUN_FINISHED);
    assert_true(result.judged);
    assert_int_equal(result.rays, 64);
    assert_non_null(result.image);
    result_free(&result);
    text_fini(&notes);
    stand_remove(folder);
}

int main(void)
{
    struct ogv_error error;
    if (!ogv_library_allow(getenv("OGIVE_TEST_BUILD"), &error))
        fail_msg("%s", error.message);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shipped_programs_end_well),
        cmocka_unit_test(thread_cycles_add_up_and_the_profile_has_them),
        cmocka_unit_test(image_is_that_of_the_shipped_machine),
        cmocka_unit_test(runs_are_the_same_each_time),
        cmocka_unit_test(checkpoint_in_the_middle_changes_nothing),
        cmocka_unit_test(progress_counts_its_threads),
        cmocka_unit_test(summary_has_its_instructions_and_words),
        cmocka_unit_test(exit_code_is_the_programs),
        cmocka_unit_test(fault_is_explained),
        cmocka_unit_test(stack_overflow_names_its_parameter),
        cmocka_unit_test(instruction_without_a_unit_is_explained),
        cmocka_unit_test(polling_is_noted),
        cmocka_unit_test(profile_of_a_run_shows_functions),
        cmocka_unit_test(rays_are_traced_and_hit_what_they_should),
    };
    return cmocka_run_group_tests_name("own_core", tests, NULL, NULL);
}
