/* library.c - what users of libogive do through ogive/ogive.h: it does what `ogive run` does, says
 * what is wrong in errors, and prints nothing. */
#include <fcntl.h>
#include <math.h>
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
#include "base/file.h"
#include "base/text.h"

static ogv_system *system_make(const char *name)
{
    struct ogv_error error;
    ogv_arch *arch = ogv_arch_load(name, &error);
    ogv_system *system = arch ? ogv_system_create(arch, &error) : NULL;
    if (!system)
        fail_msg("%s", error.message);
    ogv_arch_destroy(arch);
    return system;
}

/* A file of this folder; the caller frees. */
static char *data_file(const char *name)
{
    return text_format("%s/%s", getenv("OGIVE_TEST_DATA"), name);
}

static ogv_system *system_load(const char *name, const struct ogv_workload *workload)
{
    struct ogv_error error;
    ogv_system *system = system_make(name);
    if (!ogv_system_load(system, workload, &error))
        fail_msg("%s", error.message);
    return system;
}

static void system_finish(ogv_system *system)
{
    struct ogv_error error;
    if (ogv_system_run(system, OGV_FOREVER, &error) != OGV_END_FINISHED)
        fail_msg("%s", error.message);
}

static void console_is(ogv_system *system, const char *wanted)
{
    size_t length;
    char *console = ogv_system_console(system, &length);
    assert_string_equal(console, wanted);
    assert_int_equal(length, strlen(wanted));
    free(console);
}

static void error_has(const struct ogv_error *error, enum ogv_error_kind kind, const char *words)
{
    assert_int_equal(error->kind, kind);
    if (!strstr(error->message, words))
        fail_msg("no '%s' in: %s", words, error->message);
}

static void load_fails(ogv_system *system, const struct ogv_workload *workload, const char *words)
{
    struct ogv_error error = { 0 };
    assert_false(ogv_system_load(system, workload, &error));
    error_has(&error, OGV_ERROR_USER, words);
}

/* ---- Programs ---- */

static void program_runs_and_says_what_it_says(void **state)
{
    (void)state;
    const struct ogv_workload work = { .program = "hello" };
    ogv_system *system = system_load("tiny", &work);
    u64 code = 77;
    console_is(system, "");
    assert_false(ogv_system_exit_code(system, &code));
    assert_int_equal(code, 77);
    system_finish(system);
    console_is(system, "hello from 8 harts\n");
    assert_true(ogv_system_exit_code(system, &code));
    assert_int_equal(code, 0);
    assert_null(ogv_system_fault(system));
    ogv_system_destroy(system);
}

static void program_draws_with_its_arguments(void **state)
{
    (void)state;
    const char *const arguments[] = { "16", "10" };
    const struct ogv_workload work = { .program = "mandelbrot",
                                       .arguments = arguments,
                                       .argument_count = 2 };
    char *folder = stand_folder(), *path = text_format("%s/image.png", folder);
    ogv_system *system = system_load("tiny", &work);
    struct ogv_image image;
    struct ogv_error error = { 0 };
    assert_true(ogv_system_image(system, &image, &error));
    assert_null(image.pixels);
    assert_false(ogv_system_save_image(system, path, &error));
    error_has(&error, OGV_ERROR_USER, "tiny has drawn no picture");
    assert_false(file_exists(path));
    system_finish(system);
    assert_true(ogv_system_image(system, &image, &error));
    assert_int_equal(image.width, 16);
    assert_int_equal(image.height, 16);
    assert_int_equal(image.pixels[4 * 16 * 16 - 1], 255);
    free(image.pixels);
    assert_true(ogv_system_save_image(system, path, &error));
    assert_true(file_exists(path));
    ogv_system_destroy(system);
    free(path);
    stand_remove(folder);
}

static const char failing[] = "#include <ogive/device.h>\n"
                              "int main(void)\n"
                              "{\n"
                              "    *(volatile uint64_t *)0x7000000000 = 1;\n"
                              "    return 0;\n"
                              "}\n";

static void system_fails(ogv_system *system)
{
    struct ogv_error error = { 0 };
    u64 code;
    assert_non_null(system);
    assert_int_equal(ogv_system_run(system, OGV_FOREVER, &error), OGV_END_FAILED);
    error_has(&error, OGV_ERROR_USER, "access to address 0x7000000000, where there is no memory");
    error_has(&error, OGV_ERROR_USER, "fails.c:4");
    char *fault = ogv_system_fault(system);
    assert_string_equal(fault, error.message);
    free(fault);
    assert_false(ogv_system_exit_code(system, &code));
    ogv_system_destroy(system);
}

/* Also after a checkpoint, which brings the program with it. */
static void failing_program_is_explained(void **state)
{
    (void)state;
    char *folder = stand_folder(), *source = text_format("%s/fails.c", folder);
    char *kept = text_format("%s/kept.ogv", folder);
    stand_write(folder, "fails.c", failing);
    const struct ogv_workload work = { .program = source };
    struct ogv_error error = { 0 };
    ogv_system *system = system_load("tiny", &work);
    assert_true(ogv_system_checkpoint(system, kept, &error));
    system_fails(system);
    system_fails(ogv_system_resume(kept, &error));
    free(source);
    free(kept);
    stand_remove(folder);
}

/* What a call writes to standard output and error, in bytes. */
static u64 load_prints(ogv_system *system, const struct ogv_workload *work, struct ogv_error *error)
{
    char *path = file_create_temporary(error);
    int kept[2] = { dup(1), dup(2) }, file = open(path, O_WRONLY);
    u64 size = 0;
    fflush(stdout);
    for (int i = 0; i < 2; i++)
        dup2(file, i + 1);
    bool loaded = ogv_system_load(system, work, error);
    fflush(stdout);
    for (int i = 0; i < 2; i++) {
        dup2(kept[i], i + 1);
        close(kept[i]);
    }
    close(file);
    assert_false(loaded);
    assert_true(file_size(path, &size));
    unlink(path);
    free(path);
    return size;
}

static void compiler_complains_in_the_error(void **state)
{
    (void)state;
    char *folder = stand_folder(), *source = text_format("%s/wrong.c", folder);
    stand_write(folder, "wrong.c", "int main(void) { return undeclared; }\n");
    const struct ogv_workload work = { .program = source };
    struct ogv_error error = { 0 };
    ogv_system *system = system_make("tiny");
    assert_int_equal(load_prints(system, &work, &error), 0);
    error_has(&error, OGV_ERROR_USER, "could not compile the program:\n");
    error_has(&error, OGV_ERROR_USER, "'undeclared' undeclared");
    ogv_system_destroy(system);
    free(source);
    stand_remove(folder);
}

/* Into the Cornell box, out of it, and none. */
static const struct ogv_ray own_rays[3] = {
    { .origin = { 2, 3, -8 }, .direction = { 0, 0, 1 }, .t_max = INFINITY },
    { .origin = { 2, 3, -8 }, .direction = { 0, 0, -1 }, .t_max = 100 },
    { .direction = { 0, 0, 1 }, .t_min = 1 },
};

static void wrong_workloads_are_refused(void **state)
{
    (void)state;
    const struct ogv_view blind = { .fov_degrees = 60 };
    const struct ogv_ray still = { .t_max = 1 };
    const struct {
        struct ogv_workload work;
        const char *words;
    } cases[] = {
        { { 0 }, "no program is given" },
        { { .program = "helo" }, "did you mean 'hello'?" },
        { { .scene = "cornel" }, "did you mean 'cornell'?" },
        { { .rays = "secondry" }, "did you mean 'secondary'?" },
        { { .rays = "primary", .own_rays = own_rays, .own_ray_count = 3 }, "only one of them" },
        { { .scene = "cornell", .own_rays = own_rays }, "there are 0 rays" },
        { { .scene = "cornell", .own_rays = own_rays, .own_ray_count = 3, .width = 2 },
          "there are 3 rays for a picture of 2 x 256 pixels" },
        { { .scene = "cornell", .own_rays = &still, .own_ray_count = 1 },
          "own_rays: ray 0 cannot be traced" },
        { { .scene = "cornell", .camera = "nowhere" }, "nowhere" },
        { { .scene = "cornell", .builder = "sha" }, "did you mean 'sah'?" },
        { { .scene = "cornell", .nodes = "bvh5" }, "bvh5" },
        { { .scene = "cornell", .primitives = "tri49" }, "did you mean 'tri48'?" },
        { { .scene = "cornell", .width = 20000 }, "a picture of 20000 x 256 pixels" },
        { { .scene = "cornell", .samples = 65537 }, "65537 samples: there can be 1 to 65536" },
        { { .scene = "cornell", .bounces = 65 }, "65 bounces: there can be 0 to 64" },
        { { .scene = "cornell", .view = &blind },
          "camera 'view': eye and target are the same point" },
    };
    for (u32 i = 0; i < sizeof cases / sizeof *cases; i++) {
        ogv_system *system = system_make("tiny");
        load_fails(system, &cases[i].work, cases[i].words);
        ogv_system_destroy(system);
    }
    ogv_system *system = system_make("exchange");
    load_fails(system, &(struct ogv_workload){ .program = "hello" }, "no cores");
    ogv_system_destroy(system);
}

static void work_is_loaded_once_and_first(void **state)
{
    (void)state;
    const struct ogv_workload work = { .program = "hello" };
    struct ogv_error error;
    ogv_system *system = system_load("tiny", &work);
    load_fails(system, &work, "tiny has a program already");
    ogv_system_destroy(system);
    system = system_make("exchange");
    assert_int_equal(ogv_system_step(system, 10, &error), OGV_END_REACHED);
    load_fails(system, &work, "exchange has run for 10 cycles");
    ogv_system_destroy(system);
}

/* ---- Scenes ---- */

static const struct ogv_workload traced = {
    .scene = "cornell", .rays = "secondary", .width = 12, .height = 12
};

static void hits_are_judged(void **state)
{
    (void)state;
    char *arch = data_file("small-rt.yaml");
    ogv_system *system = system_load(arch, &traced);
    struct ogv_judgement judgement;
    struct ogv_image image;
    struct ogv_error error = { 0 };
    assert_true(ogv_system_judge(system, &judgement, &error));
    assert_true(judgement.wrong > 0);
    assert_true(judgement.first[0]);
    system_finish(system);
    assert_true(ogv_system_judge(system, &judgement, &error));
    assert_int_equal(judgement.wrong, 0);
    assert_true(judgement.rays > 100);
    assert_int_equal(judgement.rays, judgement.equal + judgement.ties + judgement.edges);
    assert_int_equal(judgement.first[0], 0);
    assert_true(ogv_system_image(system, &image, &error));
    assert_int_equal(image.width * image.height, 144);
    free(image.pixels);
    ogv_system_destroy(system);

    system = system_load("tiny", &(struct ogv_workload){ .program = "hello" });
    assert_false(ogv_system_judge(system, &judgement, &error));
    error_has(&error, OGV_ERROR_USER, "no hits to judge");
    ogv_system_destroy(system);
    free(arch);
}

static void own_rays_are_traced(void **state)
{
    (void)state;
    char *arch = data_file("small-rt.yaml");
    const struct ogv_workload work = { .scene = "cornell",
                                       .own_rays = own_rays,
                                       .own_ray_count = 3 };
    ogv_system *system = system_load(arch, &work);
    struct ogv_judgement judgement;
    struct ogv_hits hits;
    struct ogv_image image;
    struct ogv_error error;
    system_finish(system);
    assert_true(ogv_system_judge(system, &judgement, &error));
    assert_int_equal(judgement.rays, 2);
    assert_int_equal(judgement.wrong, 0);
    assert_true(ogv_system_hits(system, &hits, &error));
    assert_int_equal(hits.count, 3);
    assert_true(hits.hits[0].triangle != OGV_NO_TRIANGLE);
    assert_true(hits.hits[0].t > 8 && hits.hits[0].t < 14);
    assert_int_equal(hits.hits[1].triangle, OGV_NO_TRIANGLE);
    assert_true(hits.hits[1].t == 100);
    assert_int_equal(hits.hits[2].triangle, OGV_NO_TRIANGLE);
    free(hits.hits);
    assert_true(ogv_system_image(system, &image, &error));
    assert_int_equal(image.width, 3);
    assert_int_equal(image.height, 1);
    free(image.pixels);
    ogv_system_destroy(system);

    system = system_load("tiny", &(struct ogv_workload){ .program = "hello" });
    assert_false(ogv_system_hits(system, &hits, &error));
    error_has(&error, OGV_ERROR_USER, "no hits to read");
    assert_null(hits.hits);
    ogv_system_destroy(system);
    free(arch);
}

/* In one go, in steps, and as `ogive run` does it. */
static void library_does_what_the_program_does(void **state)
{
    (void)state;
    char *arch = data_file("small-rt.yaml"), *folder = stand_folder(), digests[3][33];
    ogv_system *system = system_load(arch, &traced);
    struct ogv_error error;
    system_finish(system);
    ogv_system_digest(system, digests[0]);
    u64 cycles = ogv_system_cycle(system);
    ogv_system_destroy(system);

    system = system_load(arch, &traced);
    ogv_system_set_threads(system, 2);
    while (ogv_system_step(system, 777, &error) == OGV_END_REACHED)
        ;
    ogv_system_digest(system, digests[1]);
    ogv_system_destroy(system);

    const struct world_options world = { .scene = "cornell",
                                         .generator = { .seed = 1 },
                                         .traced = true,
                                         .rays = RAYS_SECONDARY,
                                         .width = 12,
                                         .height = 12,
                                         .samples = 1,
                                         .bounces = 4,
                                         .seed = 1 };
    const struct run_options options = {
        .arch = arch, .out = folder, .world = &world, .world_given = true, .stop_after = NEVER
    };
    struct run_result result;
    if (!run_execute(&options, &(struct run_listener){ 0 }, &result, &error))
        fail_msg("%s", error.message);
    assert_string_equal(digests[0], digests[1]);
    assert_string_equal(digests[0], result.digest);
    assert_int_equal(cycles, result.cycles);
    free(result.folder);
    free(result.console);
    free(result.image);
    free(result.heatmap);
    free(arch);
    stand_remove(folder);
}

/* The RT cores' rays of a small frame. */
static double frame_draw(const struct ogv_workload *work, const char *heatmap,
                         struct ogv_error *error)
{
    char *arch = data_file("small-rt.yaml");
    ogv_system *system = system_load(arch, work);
    double rays = -1;
    system_finish(system);
    assert_true(ogv_system_stat(system, "sm[*].rt.rays", &rays, error));
    assert_int_equal(ogv_system_save_heatmap(system, heatmap, error), work->heatmap);
    ogv_system_destroy(system);
    free(arch);
    return rays;
}

static void frame_is_drawn_as_asked(void **state)
{
    (void)state;
    char *folder = stand_folder(), *path = text_format("%s/heat.png", folder);
    const struct ogv_view view = { .eye = { 0, 1, 3 }, .target = { 0, 1, 0 } };
    struct ogv_workload work = {
        .scene = "cornell", .width = 8, .height = 8, .bounces = OGV_NO_BOUNCES, .heatmap = true
    };
    struct ogv_error error = { 0 };
    double fewest = frame_draw(&work, path, &error);
    assert_true(fewest >= 64);
    assert_true(file_exists(path));
    unlink(path);
    work.bounces = 0;
    assert_true(frame_draw(&work, path, &error) > fewest);
    unlink(path);
    work.view = &view;
    work.software = true;
    work.heatmap = false;
    assert_true(frame_draw(&work, path, &error) == 0);
    error_has(&error, OGV_ERROR_USER, "no heat map was kept");
    assert_false(file_exists(path));
    free(path);
    stand_remove(folder);
}

/* ---- Memory, statistics, parameters, lists ---- */

static void memory_is_read_and_written(void **state)
{
    (void)state;
    ogv_system *system = system_make("tiny");
    struct ogv_error error = { 0 };
    char text[64] = "";
    const char words[] = "across more than one sector of thirty-two bytes";
    assert_true(ogv_system_write(system, 0x1013, words, sizeof words, &error));
    assert_true(ogv_system_read(system, 0x1013, text, sizeof words, &error));
    assert_string_equal(text, words);
    assert_false(ogv_system_read(system, UINT64_C(1) << 40, text, 1, &error));
    error_has(&error, OGV_ERROR_USER, "tiny has no memory at address 0x10000000000");
    ogv_system_destroy(system);
}

struct visits {
    ogv_system *system;
    u32 count, undefined;
    bool issued;
};

static void visit_stat(void *context, const struct ogv_stat *stat)
{
    struct visits *visits = context;
    struct ogv_error error;
    double value;
    if (!ogv_system_stat(visits->system, stat->path, &value, &error))
        fail_msg("%s", error.message);
    if (isnan(stat->value))
        visits->undefined++;
    else
        assert_true(stat->value == value);
    assert_true(*stat->measure && *stat->help);
    visits->issued |= !strcmp(stat->path, "sm.core[*].issued") && stat->value > 0;
    visits->count++;
}

static void every_statistic_is_visited(void **state)
{
    (void)state;
    ogv_system *system = system_load("tiny", &(struct ogv_workload){ .program = "hello" });
    struct visits groups = { .system = system }, units = { .system = system };
    system_finish(system);
    ogv_system_stats(system, OGV_EACH_GROUP, visit_stat, &groups);
    ogv_system_stats(system, OGV_EACH_UNIT, visit_stat, &units);
    assert_true(groups.issued);
    assert_false(units.issued);
    u32 core = (units.count - groups.count) / 3; /* four cores, and one of all else */
    assert_true(core > 10);
    assert_int_equal(units.count, groups.count + 3 * core);
    assert_true(units.undefined < units.count / 4);
    ogv_system_destroy(system);
}

static void parameter_is(const ogv_system *system, const char *path, const char *wanted)
{
    struct ogv_error error;
    char *value = ogv_system_parameter(system, path, &error);
    if (!value)
        fail_msg("%s", error.message);
    assert_string_equal(value, wanted);
    free(value);
}

static void parameter_fails(const ogv_system *system, const char *path, const char *words)
{
    struct ogv_error error = { 0 };
    assert_null(ogv_system_parameter(system, path, &error));
    error_has(&error, OGV_ERROR_USER, words);
}

static void parameters_are_read_back(void **state)
{
    (void)state;
    struct ogv_error error;
    ogv_arch *arch = ogv_arch_load("tiny", &error);
    assert_true(ogv_arch_set(arch, "sm.memory.size", "32 MiB", &error));
    ogv_system *system = ogv_system_create(arch, &error);
    ogv_arch_destroy(arch);
    parameter_is(system, "sm.memory.size", "32 MiB");
    parameter_is(system, "sm.memory.width", "4");
    parameter_is(system, "sm.core[2].threads", "2");
    parameter_is(system, "sm[*].core.count", "4");
    parameter_is(system, "sm.count", "1");
    parameter_is(system, "clock", "1 GHz");
    parameter_is(system, "sm.clock", "1 GHz");
    parameter_is(system, "sm.core.clock", "1 GHz");
    parameter_fails(system, "sm.memory.sise", "no parameter 'sise'; did you mean 'size'?");
    parameter_fails(system, "sm.memroy.size", "no unit 'memroy'; did you mean 'memory'?");
    parameter_fails(system, "sn.memory.size", "no domain 'sn'; did you mean 'sm'?");
    parameter_fails(system, "sm.cuont", "no parameter 'cuont'; did you mean 'count'?");
    parameter_fails(system, "clokc", "no parameter 'clokc'; did you mean 'clock'?");
    parameter_fails(system, "sm", "no parameter 'sm'");
    parameter_fails(system, "sm.core", "no parameter 'core'");
    parameter_fails(system, "", "a parameter is written DOMAIN.UNIT.NAME");
    parameter_fails(system, "a.b.c.d", "a parameter is written DOMAIN.UNIT.NAME");
    ogv_system_destroy(system);
}

struct parameter_visits {
    u32 count;
    char *latency;
};

static void visit_parameter(void *context, const struct ogv_parameter *parameter)
{
    struct parameter_visits *visits = context;
    assert_true(*parameter->path && *parameter->help);
    if (!strcmp(parameter->path, "sm.memory.latency"))
        visits->latency = heap_copy(parameter->value);
    visits->count++;
}

/* Of a description, before anything is built; and of a copy, which changes by itself. */
static void parameters_of_descriptions_are_read(void **state)
{
    (void)state;
    struct ogv_error error = { 0 };
    struct parameter_visits visits = { 0 };
    ogv_arch *arch = ogv_arch_load("tiny", &error), *copy = ogv_arch_copy(arch);
    assert_true(ogv_arch_set(copy, "sm.memory.latency", "77 cycles", &error));
    char *first = ogv_arch_parameter(arch, "sm.memory.latency", &error);
    char *second = ogv_arch_parameter(copy, "sm.memory.latency", &error);
    assert_string_not_equal(first, "77 cycles");
    assert_string_equal(second, "77 cycles");
    assert_true(ogv_arch_parameters(copy, visit_parameter, &visits, &error));
    assert_true(visits.count > 20);
    assert_string_equal(visits.latency, "77 cycles");
    assert_null(ogv_arch_parameter(arch, "sm.memory.latncy", &error));
    error_has(&error, OGV_ERROR_USER, "did you mean 'latency'?");
    assert_true(ogv_arch_set(arch, "sm.memory.latncy", "1", &error));
    assert_false(ogv_arch_parameters(arch, visit_parameter, &visits, &error));
    error_has(&error, OGV_ERROR_USER, "latncy");
    ogv_arch_destroy(arch);
    ogv_arch_destroy(copy);
    free(first);
    free(second);
    free(visits.latency);
}

struct wanted {
    const char *name;
    u32 found;
};

static void visit_name(void *context, const char *name, const char *file)
{
    struct wanted *wanted = context;
    wanted->found += !strcmp(name, wanted->name) && file_exists(file);
}

static void shipped_things_are_listed(void **state)
{
    (void)state;
    struct wanted arch = { .name = "tiny" }, scene = { .name = "cornell" };
    struct wanted program = { .name = "templates" };
    ogv_arch_list(visit_name, &arch);
    ogv_scene_list(visit_name, &scene);
    ogv_program_list(visit_name, &program);
    assert_int_equal(arch.found, 1);
    assert_int_equal(scene.found, 1);
    assert_int_equal(program.found, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(program_runs_and_says_what_it_says),
        cmocka_unit_test(program_draws_with_its_arguments),
        cmocka_unit_test(failing_program_is_explained),
        cmocka_unit_test(compiler_complains_in_the_error),
        cmocka_unit_test(wrong_workloads_are_refused),
        cmocka_unit_test(work_is_loaded_once_and_first),
        cmocka_unit_test(hits_are_judged),
        cmocka_unit_test(own_rays_are_traced),
        cmocka_unit_test(library_does_what_the_program_does),
        cmocka_unit_test(frame_is_drawn_as_asked),
        cmocka_unit_test(memory_is_read_and_written),
        cmocka_unit_test(every_statistic_is_visited),
        cmocka_unit_test(parameters_are_read_back),
        cmocka_unit_test(parameters_of_descriptions_are_read),
        cmocka_unit_test(shipped_things_are_listed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
