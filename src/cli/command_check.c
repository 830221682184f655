/* command_check.c - `ogive check`: whether architecture files are good, and what they describe. */
#include <stdio.h>
#include <stdlib.h>

#include "arch/system.h"
#include "base/text.h"
#include "cli/cli.h"
#include "cli/machine_options.h"

/* ---- Sizes ---- */

static void size_print(const char *name, const char *type, u32 copies, const struct plan_size *size)
{
    double one = size->own + size->allocated + size->aside;
    printf("  %-16s %-10s %6u %10.0f %10.0f %10.0f %10.0f %10.1f KiB", name, type, copies,
           size->own, size->allocated, size->aside, one, one * copies / 1024);
    printf(size->memory > 0 ? " + %.1f MiB simulated\n" : "\n",
           size->memory * copies / (double)MiB);
}

static void domain_print(const struct plan *plan, u32 index, const struct plan_size *sizes)
{
    const struct plan_domain *domain = &plan->domains[index];
    struct plan_size links = { .allocated = plan_links_bytes(plan, index) };
    double hot = links.allocated, cold = 0;
    for (u32 i = 0; i < domain->unit_count; i++) {
        hot += domain->units[i].count * (sizes[i].own + sizes[i].allocated);
        cold += domain->units[i].count * sizes[i].aside;
    }
    printf("\none of %u x %s: %.1f KiB, %.1f hot and %.1f cold (aside); in bytes per unit\n",
           domain->count, domain->name, (hot + cold) / 1024, hot / 1024, cold / 1024);
    printf("  %-16s %-10s %6s %10s %10s %10s %10s %14s\n", "unit", "type", "copies", "struct",
           "allocated", "aside", "in all", "all copies");
    for (u32 i = 0; i < domain->unit_count; i++)
        size_print(domain->units[i].name, domain->units[i].type->name, domain->units[i].count,
                   &sizes[i]);
    size_print("links within", "", 1, &links);
}

/* What a copy of each domain takes in the memory of this machine, by unit. */
static bool sizes_print(const struct plan *plan, struct ogv_error *error)
{
    struct plan_size *sizes = heap_array(plan_lines(plan), sizeof *sizes);
    const struct plan_size *of_domain = sizes;
    bool good = plan_sizes(plan, sizes, error);
    for (u32 i = 0; good && i < plan->domain_count; i++) {
        domain_print(plan, i, of_domain);
        of_domain += plan->domains[i].unit_count;
    }
    free(sizes);
    return good;
}

/* ---- Checking ---- */

static int check_one(const char *name, const struct machine_arguments *machine, bool sizes)
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
    bool good = !sizes || sizes_print(system->plan, &error);
    ogv_system_destroy(system);
    return good ? EXIT_GOOD : fail(&error);
}

static int check_main(const struct command *self, int argc, char **argv)
{
    struct text_list rest = { 0 };
    struct machine_arguments machine = { 0 };
    bool sizes = false;
    const struct option_row rows[] = {
        MACHINE_ROWS(machine),
        { 0, "sizes", NULL, "also say how much of this machine's memory each unit takes",
          OPTION_FLAG, &sizes },
        { 0 },
    };
    int code;
    if (options_parse(self, rows, argc, argv, &rest, &code)) {
        bool applied = machine_arguments_apply(&machine);
        code = rest.count && applied ? EXIT_GOOD : EXIT_USER;
        if (!rest.count)
            say_error("check: needs an architecture file; usage: ogive check %s", self->usage);
        for (u32 i = 0; i < rest.count && applied; i++) {
            int one = check_one(rest.items[i], &machine, sizes);
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
