/* system.c - a chip from its plan: making it, running it, keeping it in a file. */
#include "arch/system.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "sim/clock.h"
#include "sim/hang.h"
#include "unit/registry.h"
#include "unit/waits.h"

#define WATCHDOG_DEFAULT 10000000 /* cycles without progress */

/* The running program and the unit libraries of the chip, as one fingerprint. An arena refers to
 * types by index, which depends on what else the process has loaded before. */
static void system_build_hash(ogv_system *system)
{
    char digits[HASH_TEXT_BYTES];
    struct hash *hash = hash_create();
    hash_build(digits);
    hash_add_text(hash, digits);
    for (u32 i = 0; i < system->plan->unit_path_count; i++) {
        if (!hash_file(system->plan->unit_paths[i], digits))
            memset(digits, 0, sizeof digits);
        hash_add_text(hash, digits);
    }
    for (u32 i = 0; i < system->plan->domain_count; i++)
        for (u32 u = 0; u < system->plan->domains[i].unit_count; u++)
            hash_add_u64(hash, system->plan->domains[i].units[u].type_index);
    hash_finish(hash, system->build);
}

ogv_system *ogv_system_create(const ogv_arch *arch, struct ogv_error *error)
{
    struct plan *plan = plan_create(arch, error);
    if (!plan)
        return NULL;
    ogv_system *system = heap_array(1, sizeof *system);
    system->plan = plan;
    registry_use();
    system->sim = plan_check_sample(plan, error) ? plan_build(plan, error) : NULL;
    if (!system->sim) {
        ogv_system_destroy(system);
        return NULL;
    }
    system->chip = sim_chip(system->sim);
    plan_export(plan, &system->exported);
    system_build_hash(system);
    system_set_options(system, &(struct sim_options){ .watchdog = WATCHDOG_DEFAULT });
    return system;
}

void ogv_system_destroy(ogv_system *system)
{
    if (!system)
        return;
    if (system->workload)
        system->workload_free(system->workload);
    sim_destroy(system->sim);
    registry_unuse();
    plan_destroy(system->plan);
    text_fini(&system->exported);
    free(system);
}

/* ---- Running ---- */

void system_set_options(ogv_system *system, const struct sim_options *options)
{
    system->options = *options;
    sim_set_options(system->sim, options);
}

void ogv_system_set_threads(ogv_system *system, uint32_t threads)
{
    system->options.threads = threads;
    sim_set_options(system->sim, &system->options);
}

static void system_tell_waits(const struct unit *unit, struct text *words)
{
    const struct unit_type *type = registry_type(unit->type);
    if (type->waits)
        type->waits(unit, &(struct unit_words){ words });
}

void system_report_waits(const ogv_system *system, struct text *report)
{
    hang_report(system->chip, system_tell_waits, report);
}

static void system_explain_hang(ogv_system *system, enum sim_end end, struct ogv_error *error)
{
    struct text report = { 0 };
    unsigned long long now = (unsigned long long)system->chip->now;
    if (end == SIM_DEADLOCK)
        text_add(&report, "deadlock at cycle %llu: work is left, but no unit will ever wake\n",
                 now);
    else
        text_add(&report, "no progress for %llu cycles (livelock?), stopped at cycle %llu\n",
                 (unsigned long long)system->options.watchdog, now);
    system_report_waits(system, &report);
    while (report.length && report.chars[report.length - 1] == '\n')
        report.chars[--report.length] = 0;
    error_hang(error, "%s", text_get(&report));
    text_fini(&report);
}

/* Whoever called, and all others of its domain, which need not be told apart: it is seldom. */
static void system_attend(ogv_system *system)
{
    const struct chip *chip = system->chip;
    for (u32 n = 0; n < chip->unit_count; n++) {
        const struct unit_type *type = registry_type(chip->units[n]->type);
        if (chip->units[n]->domain->called && type->attend)
            type->attend(chip->units[n]);
    }
    for (u32 i = 0; i < chip->domain_count; i++)
        chip->domains[i]->called = false;
}

enum sim_end system_run(ogv_system *system, cycle until, struct sim_poll poll,
                        struct ogv_error *error)
{
    enum sim_end end;
    while ((end = sim_run(system->sim, until, poll)) == SIM_CALLED)
        system_attend(system);
    if (end == SIM_DEADLOCK || end == SIM_LIVELOCK)
        system_explain_hang(system, end, error);
    return end;
}

cycle system_cycles(const ogv_system *system)
{
    return system->chip->ended ? system->chip->ended_at : system->chip->now;
}

uint64_t ogv_system_cycle(const ogv_system *system)
{
    return system_cycles(system);
}

void system_settle(ogv_system *system)
{
    struct running here = { NULL, "report" };
    running = &here;
    for (u32 n = 0; n < system->chip->unit_count; n++) {
        here.unit = system->chip->units[n];
        const struct unit_type *type = registry_type(here.unit->type);
        if (type->report)
            type->report(here.unit, clock_own(here.unit->clock, system->chip->now));
    }
    running = NULL;
}

/* ---- Checkpoints ---- */

void system_arch_hash(const ogv_system *system, char digits[HASH_TEXT_BYTES])
{
    struct hash *hash = hash_create();
    hash_add_text(hash, text_get(&system->exported));
    hash_finish(hash, digits);
}

bool ogv_system_checkpoint(ogv_system *system, const char *file, struct ogv_error *error)
{
    struct checkpoint checkpoint = { .text = system->exported.chars,
                                     .text_length = system->exported.length,
                                     .now = system->chip->now };
    memcpy(checkpoint.build, system->build, sizeof checkpoint.build);
    return checkpoint_write(file, &checkpoint, system->chip->arena, error);
}

static ogv_system *system_rebuild(const char *file, const struct checkpoint *checkpoint,
                                  struct ogv_error *error)
{
    ogv_arch *arch =
        arch_parse(file, checkpoint->text, checkpoint->text_length, ARCH_WITH_FILES, error);
    ogv_system *system = arch ? ogv_system_create(arch, error) : NULL;
    ogv_arch_destroy(arch);
    if (!system)
        return NULL;
    bool good = !strcmp(system->build, checkpoint->build);
    if (!good)
        error_user(error,
                   "%s: was written by another build of the simulator, or with other unit "
                   "libraries; only the same can resume it",
                   file);
    good = good && checkpoint_restore(file, checkpoint, system->chip->arena, error);
    if (!good) {
        ogv_system_destroy(system);
        return NULL;
    }
    return system;
}

ogv_system *ogv_system_resume(const char *file, struct ogv_error *error)
{
    struct checkpoint checkpoint;
    if (!checkpoint_open(file, &checkpoint, error))
        return NULL;
    ogv_system *system = system_rebuild(file, &checkpoint, error);
    free(checkpoint.text);
    return system;
}
