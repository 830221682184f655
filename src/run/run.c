/* run.c - see run.h: what comes before the first cycle, and after the last. */
#include <stdlib.h>
#include <string.h>

#include "arch/stats.h"
#include "base/error.h"
#include "base/text.h"
#include "base/wall.h"
#include "run/compile.h"
#include "run/figures.h"
#include "run/ghosts.h"
#include "run/load.h"
#include "run/pieces.h"
#include "run/program.h"
#include "run/ray_traces.h"
#include "run/run_private.h"
#include "run/workload.h"

const char *run_status_name(enum run_status status)
{
    static const char *const names[] = { "running",  "finished", "stopped", "interrupted",
                                         "deadlock", "livelock", "fault",   "wrong" };
    return names[status];
}

double run_rate(const struct run_result *result, u64 amount)
{
    return result->wall_seconds > 0 ? (double)amount / result->wall_seconds : 0;
}

void run_note(struct run *run, const char *text)
{
    folder_log(&run->folder, "%s", text);
    if (run->listener->note)
        run->listener->note(run->listener->context, text);
}

void run_lose(struct run *run, const struct ogv_error *error)
{
    if (!run->result->unwritten)
        run->result->unwritten = error->kind;
    folder_log(&run->folder, "%s", error->message);
    if (run->listener->failure)
        run->listener->failure(run->listener->context, error->message);
}

/* A checkpoint goes on counting if it has begun to. */
static bool run_can_profile(const struct run *run, struct ogv_error *error)
{
    const struct program *program = run->system->chip->program;
    if (!run->options->profile || (program && program->functions))
        return true;
    if (run->options->resume)
        return error_user(error,
                          "%s: was taken of a run without --profile; profiles count from cycle 0",
                          run->options->resume);
    return error_user(error, "--profile: needs a program (--program)");
}

static const char *run_program(const struct run *run)
{
    return load_program_name(run->options->program, run->has_world ? &run->world_options : NULL);
}

/* A chip that could run a program and gets none, with nothing else to do, was not meant to. */
static bool run_has_work(const struct run *run, struct ogv_error *error)
{
    const struct chip *chip = run->system->chip;
    u64 held = 0;
    for (u32 i = 0; i < chip->domain_count; i++)
        held += chip->domains[i]->held;
    if (run->options->resume || run_program(run) || held ||
        !system_any(run->system, unit_runs_programs))
        return true;
    struct text names = { 0 };
    compile_list_names(&names);
    error_user(error,
               "%s runs programs, and none is given: --program takes a C or C++ source, an ELF "
               "file, or the name of a shipped program (%s)",
               run->system->plan->name, text_get(&names));
    text_fini(&names);
    return false;
}

/* There is no folder yet: a program that is wrong leaves none. */
static bool run_load_program(struct run *run, struct ogv_error *error)
{
    const struct run_options *options = run->options;
    struct load_program program = { .name = run_program(run),
                                    .arguments = options->arguments,
                                    .argument_count = options->argument_count,
                                    .world = run->has_world ? &run->world_options : NULL,
                                    .profile = options->profile };
    if (!program.name && options->pieces)
        return error_user(error, "there is no program, so no pieces of its work can be chosen");
    if (!program.name || options->resume)
        return run_can_profile(run, error);
    folder_log(&run->folder, "program %s", program.name);
    return load_program(run->system, &program, error) &&
           (!options->pieces || pieces_choose(run->system, options->pieces, error));
}

static void world_note(void *context, const char *text)
{
    run_note(context, text);
}

/* Whether there is a scene, and in which formats. */
static bool run_choose_world(struct run *run, struct ogv_error *error)
{
    const struct run_options *options = run->options;
    if (!options->world || (options->resume && !options->same_scene))
        return true;
    if (options->resume && !program_world(run->system))
        return !options->world_given ||
               error_user(error, "%s: was taken of a run without a scene", options->resume);
    run->world_options = *options->world;
    run->world_options.threads = options->sim.threads;
    run->world_options.note = world_note;
    run->world_options.context = run;
    return load_choose_world(run->system, &run->world_options,
                             options->world_given || options->resume, &run->has_world, error);
}

/* Takes time that a run of the whole machine does not, so it counts. */
static bool run_load_ghosts(struct run *run, struct ogv_error *error)
{
    double work = work_clock();
    bool good = ghosts_give(run->system, run->options->ghosts, program_world(run->system), error);
    run->ghosts_seconds = work_clock() - work;
    return good;
}

static bool run_load_world(struct run *run, struct ogv_error *error)
{
    if (run->has_world && run->options->resume)
        return load_world_again(run->system, &run->world_options, &run->world, error);
    if (!run->has_world)
        return true;
    return load_world(run->system, &run->world_options, &run->world, error) &&
           (!run->options->ghosts || run_load_ghosts(run, error));
}

/* What was traced is right, or the run has failed. */
static bool run_judge(struct run *run, struct ogv_error *error)
{
    struct run_result *result = run->result;
    struct workload_judgement judgement;
    if (!run->world.answers || result->status != RUN_FINISHED)
        return true;
    if (!workload_judge(run->system, &run->world, run->options->pieces, &judgement, error))
        return false;
    result->rays = judgement.rays;
    result->judged = !judgement.wrong;
    result->ties = judgement.ties;
    result->edges = judgement.edges;
    if (!judgement.wrong)
        return true;
    result->status = RUN_WRONG;
    error_user(&run->wrong, "%llu of %llu rays hit the wrong triangle; the first hits %s",
               (unsigned long long)judgement.wrong, (unsigned long long)judgement.rays,
               judgement.first);
    return true;
}

void run_sum_up(struct run *run)
{
    struct run_result *result = run->result;
    result->wall_seconds = wall_clock() - run->started;
    result->work_seconds = work_clock() - run->work_started + run->ghosts_seconds;
    result->cycles = system_cycles(run->system);
    ogv_system_digest(run->system, result->digest);
    result->instructions = program_instructions(run->system);
}

void run_figure_out(struct run *run)
{
    struct run_result *result = run->result;
    struct energy_model *energy = energy_create(run->system);
    result->figures = figures_of(run->system, result->cycles, result->rays);
    result->energy = energy_total(run->system, energy, result->cycles);
    energy_destroy(energy);
}

static void run_tell_watcher(struct run *run, void (*tell)(void *, const struct run_progress *))
{
    struct run_progress progress;
    if (!tell)
        return;
    meter_look(&run->watched, &progress);
    tell(run->listener->watcher->context, &progress);
}

/* What the program printed. */
static void run_collect_console(struct run *run)
{
    struct text console = { 0 };
    u64 lost = program_console_lost(run->system);
    program_console(run->system, &console);
    if (lost) {
        char *words = text_format("%llu characters that the program printed are lost: the state of "
                                  "the chip has no more room",
                                  (unsigned long long)lost);
        text_add(&console, "\n[%s]\n", words);
        run_note(run, words);
        free(words);
    }
    run->result->console = console.chars;
    run->result->console_bytes = console.length;
}

/* What the program left besides files: its words and its exit code. */
static void run_collect(struct run *run)
{
    struct run_result *result = run->result;
    if (!program_present(run->system))
        return;
    result->exited = result->status == RUN_FINISHED || result->status == RUN_WRONG;
    result->exit_code = result->exited ? program_exit_code(run->system) : 0;
    run_collect_console(run);
}

/* Whatever it came from: a source, a file, a checkpoint. */
static bool run_write_program(struct run *run, struct ogv_error *error)
{
    const struct program *program = run->system->chip->program;
    if (!program)
        return true;
    char *path = folder_file(&run->folder, "program.elf");
    bool good = file_write(path, program->file, program->file_bytes, error);
    free(path);
    return good;
}

/* Fewer threads change how long it takes, and nothing else. */
static void run_note_threads(struct run *run)
{
    u32 threads = sim_threads(run->system->sim), wanted = sim_threads_wanted(run->system->sim);
    if (threads == wanted)
        return;
    char *text =
        text_format("the system gives %u of %u threads; the run takes longer", threads, wanted);
    run_note(run, text);
    free(text);
}

static void run_describe(struct run *run)
{
    time_t now = time(NULL);
    struct tm broken;
    gmtime_r(&now, &broken);
    strftime(run->record.started, sizeof run->record.started, "%Y-%m-%dT%H:%M:%SZ", &broken);
    run->record.system = run->system;
    run->record.options = run->options;
    run->record.result = run->result;
    run->record.program = run_program(run);
    run->record.world = run->has_world ? &run->world : NULL;
    run->record.world_options = &run->world_options;
    run->result->status = RUN_RUNNING;
    run->result->folder = heap_copy(run->folder.path);
    run->result->cycles_before = system_cycles(run->system);
    run->result->instructions_before = program_instructions(run->system);
}

/* The folder tells the truth from its first moment: run.json exists before the first cycle. It
 * comes last of what can fail, so that none is left that says `running` of a run that never did. */
static bool run_begin(struct run *run, struct ogv_error *error)
{
    run_describe(run);
    run->series = series_open(run->system, &run->folder, run->options->every_unit, error);
    if (!run->series || !run_write_program(run, error) ||
        !record_run(&run->record, &run->folder, error))
        return false;
    folder_log(&run->folder, "ogive %s: %s, %u units in %u domains, %u links, window %llu cycles",
               OGV_VERSION, run->system->plan->name, run->system->chip->unit_count,
               run->system->chip->domain_count, run->system->chip->link_count,
               (unsigned long long)run->system->chip->window);
    run_note_threads(run);
    if (run->system->chip->now)
        folder_log(&run->folder, "resumed at cycle %llu",
                   (unsigned long long)run->system->chip->now);
    run->started = run->last_checkpoint = wall_clock();
    run->last_progress =
        run->started + run->listener->first_seconds - run->listener->period_seconds;
    run->work_started = work_clock();
    meter_init(&run->shown, &run->record);
    meter_init(&run->watched, &run->record);
    polling_begin(&run->polling);
    run->orders.visit_at = run->visited_at = NEVER;
    run_tell_watcher(run, run->listener->watcher ? run->listener->watcher->begun : NULL);
    return true;
}

/* False if the hits could not be judged. */
static bool run_end(struct run *run, struct ogv_error *error)
{
    run_sum_up(run);
    bool good = run_judge(run, error);
    run_figure_out(run);
    run_collect(run);
    run_write(run);
    bool keep = run->options->checkpoint_cycles || run->options->checkpoint_seconds > 0;
    if (keep && run->result->status == RUN_INTERRUPTED)
        run_checkpoint(run);
    run_write_log(run);
    run_tell_watcher(run, run->listener->watcher ? run->listener->watcher->ended : NULL);
    return good;
}

static ogv_system *run_build(const struct run_options *options, struct ogv_error *error)
{
    if (options->resume)
        return ogv_system_resume(options->resume, error);
    ogv_arch *arch = ogv_arch_load(options->arch, error);
    if (!arch)
        return NULL;
    ogv_system *system = arch_apply_settings(arch, options->settings, options->setting_count, error)
                             ? ogv_system_create(arch, error)
                             : NULL;
    ogv_arch_destroy(arch);
    return system;
}

/* A checkpoint brings its own architecture; one that is named as well must be the same. Its cycles
 * are done. */
static bool run_agrees(const struct run_options *options, const ogv_system *system,
                       struct ogv_error *error)
{
    if (options->stop_after < system->chip->now)
        return error_user(error, "--stop-after %llu: %s was taken at cycle %llu",
                          (unsigned long long)options->stop_after, options->resume,
                          (unsigned long long)system->chip->now);
    if (!options->resume || !options->arch)
        return true;
    char here[HASH_TEXT_BYTES], there[HASH_TEXT_BYTES];
    ogv_arch *arch = ogv_arch_load(options->arch, error);
    struct plan *plan =
        arch && arch_apply_settings(arch, options->settings, options->setting_count, error)
            ? plan_create(arch, error)
            : NULL;
    ogv_arch_destroy(arch);
    if (!plan)
        return false;
    struct text text = { 0 };
    plan_export(plan, &text);
    plan_destroy(plan);
    struct hash *hash = hash_create();
    hash_add_text(hash, text_get(&text));
    hash_finish(hash, here);
    text_fini(&text);
    system_arch_hash(system, there);
    if (!strcmp(here, there))
        return true;
    return error_user(error,
                      "%s: was taken of another architecture than '%s' is now (hash %s, not "
                      "%s); leave the name out to resume it as it was",
                      options->resume, options->arch, there, here);
}

static void run_explain_fault(struct run *run, struct ogv_error *error)
{
    struct text words = { 0 };
    if (program_fault(run->system, &words))
        error_user(error, "%s", text_get(&words));
    text_fini(&words);
}

static bool run_open_folder(struct run *run, struct ogv_error *error)
{
    char *aside, *text;
    bool good =
        folder_open(&run->folder, run->options->out, run->system->plan->name, &aside, error);
    if (aside) {
        text = text_format("%s held a run already; that one is now %s", run->folder.path, aside);
        run_note(run, text);
        free(text);
    }
    free(aside);
    return good;
}

static bool run_suits_watcher(const struct run *run, struct ogv_error *error)
{
    const struct run_watcher *watcher = run->listener->watcher;
    return !watcher || !watcher->accepts || watcher->accepts(watcher->context, run->system, error);
}

static bool run_all(struct run *run, struct ogv_error *error)
{
    struct ogv_error hang = { 0 };
    if (!run_load_program(run, error) || !run_suits_watcher(run, error) ||
        !run_load_world(run, error) || !run_open_folder(run, error) || !run_begin(run, error))
        return false;
    run_loop(run, &hang);
    if (!run_end(run, error))
        return false;
    if (run->result->status == RUN_FAULT)
        run_explain_fault(run, &hang);
    if (run->result->status == RUN_WRONG)
        hang = run->wrong;
    if (hang.kind) {
        run_note(run, hang.message);
        *error = hang;
    }
    return true;
}

bool run_execute(const struct run_options *options, const struct run_listener *listener,
                 struct run_result *result, struct ogv_error *error)
{
    *result = (struct run_result){ 0 };
    *error = (struct ogv_error){ 0 };
    struct run run = { .options = options, .listener = listener, .result = result };
    if (!folder_check(options->out, error))
        return false;
    run.system = run_build(options, error);
    if (!run.system)
        return false;
    bool good = run_agrees(options, run.system, error) && run_choose_world(&run, error) &&
                run_has_work(&run, error) &&
                ray_traces_follow(
                    run.system,
                    &(struct ray_traces_options){ options->trace_rays, options->resume,
                                                  run.has_world && run.world_options.software },
                    error);
    if (good) {
        system_set_options(run.system, &options->sim);
        good = run_all(&run, error);
    }
    series_close(run.series, NULL);
    meter_fini(&run.shown);
    meter_fini(&run.watched);
    folder_close(&run.folder);
    world_free(&run.world);
    ogv_system_destroy(run.system);
    return good;
}
