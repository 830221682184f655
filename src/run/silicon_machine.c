/* silicon_machine.c - see silicon_machine.h. */
#include "run/silicon_machine.h"

#include <stdlib.h>
#include <string.h>

#include "arch/arch.h"
#include "base/error.h"
#include "base/shipped.h"
#include "base/stop.h"
#include "base/text.h"
#include "run/compile.h"

#define WATCHDOG  10000000
#define WORDS_MAX 8

static ogv_system *machine_create(const struct silicon_machine *machine, bool whole,
                                  struct ogv_error *error)
{
    static const char *const one_sm[] = { "sm.count=1" };
    ogv_arch *arch = ogv_arch_load(machine->arch, error);
    ogv_system *system = NULL;
    if (arch && (whole || arch_apply_settings(arch, one_sm, 1, error)) &&
        arch_apply_settings(arch, machine->settings, machine->setting_count, error))
        system = ogv_system_create(arch, error);
    ogv_arch_destroy(arch);
    if (system)
        system_set_options(
            system, &(struct sim_options){ .threads = machine->threads, .watchdog = WATCHDOG });
    return system;
}

bool silicon_check(const struct silicon_machine *machine, struct ogv_error *error)
{
    ogv_system *system = machine_create(machine, false, error);
    bool good = system;
    ogv_system_destroy(system);
    return good;
}

/* The caller frees the path. */
static char *program_path(const struct silicon_machine *machine, const char *name)
{
    return text_format("%s/%s.elf", machine->folder, name);
}

bool silicon_program_make(const struct silicon_machine *machine, const char *folder,
                          const char *program, struct ogv_error *error)
{
    char *found = shipped_find(folder);
    char *source = text_format("%s/%s.c", found ? found : folder, program);
    char *out = program_path(machine, program);
    char *made = compile_program_quietly(source, out, (struct compile_formats){ 0 }, error);
    bool good = made;
    free(made);
    free(out);
    free(source);
    free(found);
    return good;
}

static bool program_load(ogv_system *system, const char *program, const char *arguments,
                         struct ogv_error *error)
{
    char *copy = heap_copy(arguments), *rest = copy, *word;
    const char *words[WORDS_MAX];
    u32 count = 0;
    while ((word = strtok_r(rest, " ", &rest)) && count < WORDS_MAX)
        words[count++] = word;
    struct ogv_workload workload = { .program = program,
                                     .arguments = words,
                                     .argument_count = count };
    bool good = ogv_system_load(system, &workload, error);
    free(copy);
    return good;
}

ogv_system *silicon_start(const struct silicon_machine *machine, bool whole, const char *program,
                          const char *arguments, struct ogv_error *error)
{
    char *path = program_path(machine, program);
    ogv_system *system = machine_create(machine, whole, error);
    if (system && !program_load(system, path, arguments, error)) {
        ogv_system_destroy(system);
        system = NULL;
    }
    free(path);
    return system;
}

static bool was_asked(void *context)
{
    (void)context;
    return stop_asked();
}

enum sim_end silicon_continue(ogv_system *system, cycle until, struct ogv_error *error)
{
    return system_run(system, until, (struct sim_poll){ was_asked, NULL }, error);
}

char *silicon_end(ogv_system *system, enum sim_end end, struct ogv_error *error)
{
    if (stop_asked()) {
        stop_error(error, "the validation");
        return NULL;
    }
    u64 code = 0;
    char *said = ogv_system_console(system, NULL), *fault = ogv_system_fault(system);
    bool good = end == SIM_FINISHED && ogv_system_exit_code(system, &code) && !code;
    if (!good && fault)
        error_user(error, "%s", fault);
    else if (!good && end == SIM_FINISHED)
        error_user(error, "its program gave up (exit code %llu): %s", (unsigned long long)code,
                   said);
    free(fault);
    if (good)
        return said;
    free(said);
    return NULL;
}
