/* command_check.c - `ogive check`: whether architecture files are good, and what they describe. */
#include <stdio.h>

#include "arch/system.h"
#include "cli/cli.h"
#include "cli/machine_options.h"

static int check_one(const char *name, const struct machine_arguments *machine)
{
    struct ogv_error error;
    ogv_arch *arch = arch_open(name, machine, &error);
    ogv_system *system = arch ? ogv_system_create(arch, &error) : NULL;
    ogv_arch_destroy(arch);
    if (!system)
        return fail(&error);
    const struct chip *chip = system->chip;
    double memory = system->plan->memory_bytes;
    printf("%s: good: %s, %u units in %u domains, %u links, window %llu cycles, %.1f MiB", name,
           system->plan->name, chip->unit_count, chip->domain_count, chip->link_count,
           (unsigned long long)chip->window, ((double)chip->arena->used - memory) / (double)MiB);
    printf(memory > 0 ? " and %.1f MiB of simulated memory\n" : "\n", memory / (double)MiB);
    ogv_system_destroy(system);
    return EXIT_GOOD;
}

static int check_main(const struct command *self, int argc, char **argv)
{
    struct text_list rest = { 0 };
    struct machine_arguments machine = { 0 };
    const struct option_row rows[] = {
        MACHINE_ROWS(machine),
        { 0 },
    };
    int code;
    if (options_parse(self, rows, argc, argv, &rest, &code)) {
        bool applied = machine_arguments_apply(&machine);
        code = rest.count && applied ? EXIT_GOOD : EXIT_USER;
        if (!rest.count)
            say_error("check: needs an architecture file; usage: ogive check %s", self->usage);
        for (u32 i = 0; i < rest.count && applied; i++) {
            int one = check_one(rest.items[i], &machine);
            code = one ? one : code;
        }
    }
    list_fini(&rest);
    machine_arguments_fini(&machine);
    return code;
}

const struct command command_check = {
    .name = "check",
    .usage = "ARCH...",
    .summary = "Check architecture files and say what they describe.",
    .function = check_main,
};
