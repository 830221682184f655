/* profile.c - profiles add up exactly, are the same however a run was made, and survive their file.
 */
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

#include "arch/energy.h"
#include "base/file.h"
#include "base/text.h"
#include "profile/tree.h"
#include "run/program.h"
#include "unit/core/core.h"

struct job {
    const char *arch, *program;
    const char *arguments[3];
};

/* Every shipped architecture with cores. */
static const struct job jobs[] = {
    { "tiny", "mandelbrot", { "24", "30" } }, { "tiny", "templates", { "50" } },
    { "tiny", "chase", { "64", "500" } },     { "trax", "triad", { "512", "1" } },
    { "trax", "reduce", { "1000" } },         { "rtx2080-compute", "hello", { NULL } },
    { "rtx2080", "hello", { NULL } },
};

#define JOBS (sizeof jobs / sizeof *jobs)

static ogv_system *job_load(const struct job *job, bool profile)
{
    struct ogv_error error;
    u32 count = 0;
    while (count < 3 && job->arguments[count])
        count++;
    char *file = text_format("%s/%s.elf", getenv("OGIVE_PROGRAMS"), job->program);
    ogv_arch *arch = ogv_arch_load(job->arch, &error);
    ogv_system *system = arch ? ogv_system_create(arch, &error) : NULL;
    struct program_options program = {
        .file = file, .arguments = job->arguments, .argument_count = count, .profile = profile
    };
    if (!system || !program_load(system, &program, &error))
        fail_msg("%s", error.message);
    ogv_arch_destroy(arch);
    free(file);
    return system;
}

static void job_finish(ogv_system *system)
{
    struct ogv_error error;
    if (ogv_system_run(system, OGV_FOREVER, &error) != OGV_END_FINISHED)
        fail_msg("%s", error.message);
}

struct sums {
    u64 reasons[PROFILE_REASONS];
    u64 cycles, halted, private;
};

static void add_core(void *context, struct unit *unit)
{
    const struct core *core = (const struct core *)unit;
    struct sums *sums = context;
    sums->cycles += core->s.cycles;
    sums->halted += core->s.halted;
    sums->private += core->s.loads_private + core->s.stores_private;
    sums->reasons[PROFILE_ISSUED] += core->s.issued;
    sums->reasons[PROFILE_PASSED] += core->s.passed;
    sums->reasons[PROFILE_BUSY] += core->s.busy;
    sums->reasons[PROFILE_FETCH] += core->s.fetch;
    sums->reasons[PROFILE_FENCE] += core->s.fence;
    for (u32 i = 0; i < CLASS_COUNT; i++)
        sums->reasons[PROFILE_HAZARD + i] += core->s.hazard_by[i];
}

/* The profile holds what the statistics hold: all of it, by reason, and nothing else. */
static void check_sums(ogv_system *system, const struct profile *profile)
{
    struct sums sums = { 0 };
    struct profile_counts counts = { 0 };
    host_visit(system, unit_runs_programs, add_core, &sums);
    for (u32 i = 0; i < profile->sample_count; i++)
        counts_add(&counts, &profile->samples[i].counts);
    assert_true(sums.cycles > 0);
    assert_int_equal(profile->thread_cycles, sums.cycles - sums.halted);
    assert_int_equal(profile->halted_cycles, sums.halted);
    assert_int_equal(counts_total(&counts), profile->thread_cycles);
    assert_memory_equal(counts.cycles, sums.reasons, sizeof sums.reasons);
}

/* The energy of the cores, but for what they do with private memory. */
static void check_energy(ogv_system *system, const struct profile *profile)
{
    struct sums sums = { 0 };
    struct profile_counts counts = { 0 };
    struct energy_model *model = energy_create(system);
    double cores = 0, private = 0;
    host_visit(system, unit_runs_programs, add_core, &sums);
    for (u32 i = 0; i < profile->sample_count; i++)
        counts_add(&counts, &profile->samples[i].counts);
    for (u32 i = 0; i < model->group_count; i++) {
        const struct energy_group *group = &model->groups[i];
        u64 counters[256];
        if (strcmp(group->units.unit->type->name, "core"))
            continue;
        energy_sums(system, group, counters);
        cores += energy_group_use(group, counters, 0).events * 1e12;
        for (u32 k = 0; k < group->line_count; k++)
            if (!strcmp(group->lines[k].row->name, "private_load"))
        private = group->lines[k].picojoules * (double)sums.private;
    }
    assert_true(profile->has_energy && counts.picojoules > 0);
    assert_true(fabs(counts.picojoules + private - cores) <= 1e-9 * cores);
    energy_destroy(model);
}

static void every_thread_cycle_is_charged_once(void **state)
{
    (void)state;
    for (u32 i = 0; i < JOBS; i++) {
        ogv_system *system = job_load(&jobs[i], true);
        job_finish(system);
        struct profile *profile = program_profile(system);
        check_sums(system, profile);
        check_energy(system, profile);
        profile_destroy(profile);
        ogv_system_destroy(system);
    }
}

/* At any cycle, not only at the end; and looking changes nothing. */
static void sums_are_exact_in_the_middle(void **state)
{
    (void)state;
    struct ogv_error error;
    char looked[33], plain[33];
    ogv_system *system = job_load(&jobs[1], true);
    for (cycle at = 37; at < 6000; at += 611) {
        assert_int_equal(ogv_system_run(system, at, &error), OGV_END_REACHED);
        struct profile *profile = program_profile(system);
        check_sums(system, profile);
        profile_destroy(profile);
    }
    job_finish(system);
    ogv_system_digest(system, looked);
    ogv_system_destroy(system);
    system = job_load(&jobs[1], false);
    job_finish(system);
    ogv_system_digest(system, plain);
    assert_null(program_profile(system));
    ogv_system_destroy(system);
    assert_string_equal(looked, plain);
}

static char *folder_make(void)
{
    char *folder = heap_copy("/tmp/ogive-test-XXXXXX");
    assert_non_null(mkdtemp(folder));
    return folder;
}

static void folder_remove(char *folder)
{
    static const char *const names[] = { "profile.json", "program.elf", "state" };
    for (u32 i = 0; i < 3; i++) {
        char *path = text_format("%s/%s", folder, names[i]);
        unlink(path);
        free(path);
    }
    rmdir(folder);
    free(folder);
}

/* The file as text: two profiles are the same if their files are. */
static char *profile_text(ogv_system *system)
{
    struct ogv_error error;
    size_t length;
    char *folder = folder_make();
    struct profile *profile = program_profile(system);
    assert_true(profile_write(profile, folder, &error));
    char *path = text_format("%s/profile.json", folder);
    char *text = file_read(path, 64 * MiB, &length, &error);
    assert_non_null(text);
    profile_destroy(profile);
    free(path);
    folder_remove(folder);
    return text;
}

static char *job_text(const struct job *job, struct sim_options options)
{
    ogv_system *system = job_load(job, true);
    system_set_options(system, &options);
    job_finish(system);
    char *text = profile_text(system);
    ogv_system_destroy(system);
    return text;
}

static void profile_does_not_depend_on_the_host(void **state)
{
    (void)state;
    static const struct sim_options ways[] = {
        { .threads = 2 },
        { .threads = 1, .window = 1 },
        { .threads = 1, .sleepless = true },
        { .threads = 1, .order = SIM_ORDER_REVERSE },
    };
    static const u32 chosen[] = { 1, 3 };
    for (u32 i = 0; i < 2; i++) {
        char *reference = job_text(&jobs[chosen[i]], (struct sim_options){ .threads = 1 });
        for (u32 w = 0; w < sizeof ways / sizeof *ways; w++) {
            char *text = job_text(&jobs[chosen[i]], ways[w]);
            assert_string_equal(text, reference);
            free(text);
        }
        free(reference);
    }
}

static void checkpoint_keeps_the_profile(void **state)
{
    (void)state;
    struct ogv_error error;
    char *folder = folder_make(), *file = text_format("%s/state", folder);
    char *reference = job_text(&jobs[1], (struct sim_options){ .threads = 1 });
    ogv_system *system = job_load(&jobs[1], true);
    assert_int_equal(ogv_system_run(system, 3456, &error), OGV_END_REACHED);
    assert_true(ogv_system_checkpoint(system, file, &error));
    ogv_system_destroy(system);
    system = ogv_system_resume(file, &error);
    if (!system)
        fail_msg("%s", error.message);
    job_finish(system);
    char *text = profile_text(system);
    assert_string_equal(text, reference);
    ogv_system_destroy(system);
    free(text);
    free(reference);
    free(file);
    folder_remove(folder);
}

/* ---- The tree ---- */

struct stand {
    char *folder;
    ogv_system *system;
    struct profile *profile;
    struct profile_measure measure;
    struct profile_tree *tree;
};

static struct stand stand_open(const struct job *job, const char *measure)
{
    struct ogv_error error;
    struct stand stand = { .folder = folder_make(), .system = job_load(job, true) };
    job_finish(stand.system);
    const struct program *program = stand.system->chip->program;
    struct profile *gathered = program_profile(stand.system);
    char *elf = text_format("%s/program.elf", stand.folder);
    assert_true(file_write(elf, program->file, program->file_bytes, &error));
    assert_true(profile_write(gathered, stand.folder, &error));
    free(elf);
    stand.profile = profile_read(stand.folder, &error);
    if (!stand.profile)
        fail_msg("%s", error.message);
    assert_int_equal(stand.profile->sample_count, gathered->sample_count);
    assert_int_equal(stand.profile->path_count, gathered->path_count);
    profile_destroy(gathered);
    assert_true(profile_measure_find(measure, &stand.measure, &error));
    return stand;
}

static void stand_grow(struct stand *stand)
{
    struct ogv_error error;
    stand->tree = tree_create(stand->profile, &stand->measure, &error);
    if (!stand->tree)
        fail_msg("%s", error.message);
}

static void stand_close(struct stand *stand)
{
    tree_destroy(stand->tree);
    profile_destroy(stand->profile);
    ogv_system_destroy(stand->system);
    folder_remove(stand->folder);
}

static const struct tree_node *node_find(const struct profile_tree *tree, const char *function)
{
    for (u32 i = 0; i < tree->node_count; i++)
        if (!strcmp(tree->nodes[i].function, function))
            return &tree->nodes[i];
    fail_msg("there is no function %s", function);
    return NULL;
}

static void tree_adds_up_and_knows_who_calls_whom(void **state)
{
    (void)state;
    struct stand stand = stand_open(&jobs[0], "cycles");
    stand_grow(&stand);
    const struct profile_tree *tree = stand.tree;
    double own = 0;
    for (u32 i = 0; i < tree->node_count; i++) {
        double below = 0;
        own += tree->nodes[i].own;
        for (u32 c = tree->nodes[i].child; c != PATH_NONE; c = tree->nodes[c].next)
            below += tree->nodes[c].inclusive;
        assert_true(tree->nodes[i].inclusive == tree->nodes[i].own + below);
    }
    assert_true(own == (double)stand.profile->thread_cycles);
    assert_true(tree->nodes[0].inclusive == own);
    const struct tree_node *start = node_find(tree, "_start"), *called = node_find(tree, "main");
    assert_int_equal(start->calls, 8); /* harts of tiny */
    assert_int_equal(called->calls, 8);
    assert_ptr_equal(&tree->nodes[called->parent], start);
    const struct tree_node *steps = node_find(tree, "point_steps");
    assert_true(steps->inlined);
    assert_string_equal(tree->nodes[steps->parent].function, "piece_draw");
    assert_true(steps->own > 0.5 * own); /* where a Mandelbrot set spends its time */
    stand_close(&stand);
}

static void folded_stacks_add_up(void **state)
{
    (void)state;
    struct stand stand = stand_open(&jobs[1], "stalled");
    stand_grow(&stand);
    struct text out = { 0 };
    u64 sum = 0, issued = 0;
    view_folded(stand.tree, &out);
    for (const char *line = text_get(&out); *line; line = strchr(line, '\n') + 1) {
        size_t length = strcspn(line, "\n");
        const char *space = memrchr(line, ' ', length);
        assert_non_null(space);
        assert_memory_equal(line, "_start", 6);
        sum += strtoull(space + 1, NULL, 10);
    }
    for (u32 i = 0; i < stand.profile->sample_count; i++)
        issued += stand.profile->samples[i].counts.cycles[PROFILE_ISSUED];
    assert_int_equal(sum, stand.profile->thread_cycles - issued);
    text_fini(&out);
    stand_close(&stand);
}

/* Own costs in the file add up to its summary, whatever the calls say. */
static void callgrind_file_adds_up(void **state)
{
    (void)state;
    struct stand stand = stand_open(&jobs[1], "cycles");
    stand_grow(&stand);
    struct text out = { 0 };
    u64 sum = 0;
    bool call = false;
    view_callgrind(stand.tree, &out);
    for (const char *line = text_get(&out); *line; line = strchr(line, '\n') + 1) {
        if (*line >= '0' && *line <= '9' && !call)
            sum += strtoull(strchr(line, ' '), NULL, 10);
        call = !strncmp(line, "calls=", 6);
    }
    assert_int_equal(sum, stand.profile->thread_cycles);
    assert_non_null(strstr(text_get(&out), "fn=(1) _start"));
    text_fini(&out);
    stand_close(&stand);
}

/* ---- Wrong files ---- */

static void expect_refused(const char *folder, const char *text, const char *why)
{
    struct ogv_error error;
    char *path = text_format("%s/profile.json", folder);
    assert_true(file_write(path, text, strlen(text), &error));
    assert_null(profile_read(folder, &error));
    if (!strstr(error.message, why))
        fail_msg("'%s' lacks '%s'", error.message, why);
    free(path);
}

#define HEAD                                                                 \
    "{\"format\": 1, \"program_hash\": \"0\", \"halted_thread_cycles\": 0, " \
    "\"reasons\": [\"issued\"], \"thread_cycles\": "

static void wrong_files_are_refused(void **state)
{
    (void)state;
    struct ogv_error error;
    char *folder = folder_make();
    assert_null(profile_read(folder, &error));
    assert_non_null(strstr(error.message, "--profile"));
    expect_refused(folder, "{", "profile.json:1");
    expect_refused(folder, "[]", "is not what a run writes");
    expect_refused(folder, HEAD "5, \"paths\": []}", "do not add up");
    expect_refused(folder,
                   HEAD "0, \"paths\": [{\"parent\": 0, \"function\": 0, \"site\": 0, "
                        "\"calls\": 1, \"instructions\": []}]}",
                   "a path is wrong");
    expect_refused(folder,
                   HEAD "1, \"paths\": [{\"parent\": null, \"function\": 0, \"site\": null, "
                        "\"calls\": 1, \"instructions\": [[4, 1, 1]]}]}",
                   "an instruction of a path is wrong");
    folder_remove(folder);
}

static void another_program_is_refused(void **state)
{
    (void)state;
    struct ogv_error error;
    struct stand stand = stand_open(&jobs[0], "cycles");
    char *elf = text_format("%s/program.elf", stand.folder);
    assert_true(file_write(elf, "something else", 14, &error));
    assert_null(tree_create(stand.profile, &stand.measure, &error));
    assert_non_null(strstr(error.message, "another program"));
    free(elf);
    stand_close(&stand);
}

static void unknown_reason_gets_a_hint(void **state)
{
    (void)state;
    struct ogv_error error;
    struct profile_measure measure;
    assert_false(profile_measure_find("issued,hazard_laod", &measure, &error));
    assert_non_null(strstr(error.message, "'hazard_load'"));
    assert_true(profile_measure_find("issued,fence", &measure, &error));
    assert_int_equal(measure.reasons, 1 << PROFILE_ISSUED | 1 << PROFILE_FENCE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_thread_cycle_is_charged_once),
        cmocka_unit_test(sums_are_exact_in_the_middle),
        cmocka_unit_test(profile_does_not_depend_on_the_host),
        cmocka_unit_test(checkpoint_keeps_the_profile),
        cmocka_unit_test(tree_adds_up_and_knows_who_calls_whom),
        cmocka_unit_test(folded_stacks_add_up),
        cmocka_unit_test(callgrind_file_adds_up),
        cmocka_unit_test(wrong_files_are_refused),
        cmocka_unit_test(another_program_is_refused),
        cmocka_unit_test(unknown_reason_gets_a_hint),
    };
    return cmocka_run_group_tests_name("profile", tests, NULL, NULL);
}
