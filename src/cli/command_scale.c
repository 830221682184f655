/* command_scale.c - `ogive scale`: a part of a machine, for predictions and quick trials. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arch/scale.h"
#include "base/error.h"
#include "base/file.h"
#include "cli/cli.h"
#include "cli/machine_options.h"

#define FACTOR_MAX 4096

struct scale_arguments {
    struct text_list rest; /* the machine, and the factor if it is given */
    struct machine_arguments machine;
    const char *out;
    bool keep, memory;
};

static bool factor_read(const char *text, u32 *factor, struct ogv_error *error)
{
    char *end;
    unsigned long value = strtoul(text, &end, 10);
    *factor = (u32)value;
    return (*text >= '0' && *text <= '9' && !*end && value >= 1 && value <= FACTOR_MAX) ||
           error_user(error, "scale: '%s' as a factor: this has to be a whole number from 1 to %d",
                      text, FACTOR_MAX);
}

static bool factor_choose(const struct scale_arguments *arguments, const ogv_arch *arch,
                          u32 *factor, struct ogv_error *error)
{
    if (arguments->rest.count == 2)
        return factor_read(arguments->rest.items[1], factor, error);
    *factor = scale_factor_largest(arch, error);
    return *factor;
}

static void change_show(FILE *to, const struct scale_change *change)
{
    fprintf(to, "  %-40s %16s %16s", change->path, change->before, change->after);
    if (change->rounding > 0 && (change->rounding < 0.995 || change->rounding > 1.005))
        fprintf(to, "   rounded: %.3g x its share", change->rounding);
    fprintf(to, "\n");
}

/* To `to`: standard output may be the file itself. */
static void changes_show(FILE *to, const struct scaled *scaled)
{
    fprintf(to, "  %-40s %16s %16s\n", "", "whole", "part");
    for (u32 i = 0; i < scaled->change_count; i++)
        change_show(to, &scaled->changes[i]);
    if (!scaled->change_count) {
        fprintf(to, "Nothing was changed.\n");
        return;
    }
    fprintf(to, "The part is 1/%.4g of the machine", 1 / scaled->share);
    if (scaled->share * scaled->factor < 0.995 || scaled->share * scaled->factor > 1.005)
        fprintf(to, " instead of 1/%u, since counts are whole", scaled->factor);
    fprintf(to, ". Its memory holds %.3g%% of what the whole one does.\n", 100 * scaled->memory);
}

static bool part_write(const struct scaled *scaled, const char *out, struct ogv_error *error)
{
    char *text = ogv_arch_export(scaled->arch, error);
    bool good = text && (!out || file_write(out, text, strlen(text), error));
    if (good && !out)
        fputs(text, stdout);
    if (good)
        changes_show(out ? stdout : stderr, scaled);
    free(text);
    return good;
}

static bool part_make(const struct scale_arguments *arguments, const ogv_arch *arch, u32 factor,
                      struct scaled *scaled, struct ogv_error *error)
{
    return arguments->memory ? arch_scale_working(arch, factor, scaled, error)
                             : arch_scale(arch, factor, scaled, error);
}

static int scale_with(const struct scale_arguments *arguments)
{
    struct ogv_error error;
    struct scaled scaled = { 0 };
    u32 factor;
    ogv_arch *arch = arch_open(arguments->rest.items[0], &arguments->machine, &error);
    bool good = arch && factor_choose(arguments, arch, &factor, &error) &&
                part_make(arguments, arch, factor, &scaled, &error) &&
                (!arguments->keep || scale_keep(arch, 1, &scaled, &error)) &&
                part_write(&scaled, arguments->out, &error);
    scaled_fini(&scaled);
    ogv_arch_destroy(arch);
    return good ? EXIT_GOOD : fail(&error);
}

static bool arguments_check(const struct command *self, const struct scale_arguments *arguments)
{
    if (arguments->rest.count == 1 || arguments->rest.count == 2)
        return true;
    say_error("scale: takes an architecture and perhaps a factor; usage: ogive scale %s",
              self->usage);
    return false;
}

static int scale_main(const struct command *self, int argc, char **argv)
{
    struct scale_arguments arguments = { 0 };
    const struct option_row rows[] = {
        MACHINE_ROWS(arguments.machine),
        { 'o', "out", "FILE", "file for it (default: standard output)", OPTION_TEXT,
          &arguments.out },
        { 0, "keep-capacity", NULL, "caches that all SMs share stay as large as they are",
          OPTION_FLAG, &arguments.keep },
        { 0, "keep-memory", NULL, "all that serves the SMs stays whole; only they become fewer",
          OPTION_FLAG, &arguments.memory },
        { 0 },
    };
    int code;
    if (options_parse(self, rows, argc, argv, &arguments.rest, &code))
        code = arguments_check(self, &arguments) && machine_arguments_apply(&arguments.machine)
                   ? scale_with(&arguments)
                   : EXIT_USER;
    list_fini(&arguments.rest);
    machine_arguments_fini(&arguments.machine);
    return code;
}

const struct command command_scale = {
    .name = "scale",
    .usage = "ARCH [FACTOR]",
    .summary = "Make a part of an architecture: fewer SMs, fewer memory partitions.",
    .details = "FACTOR (1 to 4096) divides what is there several times: domains, or units of a "
               "domain that is\n"
               "there once; what is shared by the whole chip (a last cache, a memory) is divided "
               "by what its\n"
               "unit says grows with the chip. An SM of the part is an SM of the whole. Without "
               "FACTOR, the\n"
               "greatest common divisor of the counts, which leaves nothing over. Where a count "
               "does not divide,\n"
               "it is rounded, and the clocks of domains that follow it make up for it; all that "
               "changed is printed.\n"
               "Examples:\n"
               "  ogive scale rtx2080 -o half.yaml\n"
               "  ogive scale rtx2060 6 -o sixth.yaml\n"
               "  ogive scale rtx2060 6 --keep-capacity -o sixth.yaml\n",
    .function = scale_main,
};
