/* silicon.c - see silicon.h. */
#include "run/silicon.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "arch/arch.h"
#include "arch/system.h"
#include "base/csv.h"
#include "base/error.h"
#include "base/file.h"
#include "base/shipped.h"
#include "base/stop.h"
#include "base/text.h"
#include "run/compile.h"
#include "run/silicon_table.h"

#define REFERENCE_BYTES_MAX (16 * MiB)
#define REFERENCE_ROWS_MAX  100000
#define WATCHDOG            10000000

/* ---- Which benchmark a row is of ---- */

/* A number where `pattern` has a #. */
static const char *hole_read(const char *name, u32 *number)
{
    u64 value = 0;
    const char *at = name;
    for (; *at >= '0' && *at <= '9' && value < UINT32_MAX / 16; at++)
        value = value * 10 + (u64)(*at - '0');
    *number = (u32)value;
    return at == name ? NULL : at;
}

/* Whether a name is of that pattern, and the numbers in it. */
static bool name_fits(const char *pattern, const char *name, u32 numbers[SILICON_HOLES])
{
    u32 hole = 0;
    for (; *pattern; pattern++) {
        if (*pattern == '#') {
            name = hole_read(name, &numbers[hole++]);
            if (!name)
                return false;
        } else if (*pattern != *name++) {
            return false;
        }
    }
    return !*name;
}

static char *arguments_of(const struct silicon_benchmark *benchmark, u32 parameter,
                          const u32 numbers[SILICON_HOLES])
{
    struct text out = { 0 };
    u32 hole = 0;
    for (const char *at = benchmark->arguments; *at; at++) {
        if (*at == '#')
            text_add(&out, "%u", numbers[hole++]);
        else if (*at == '@')
            text_add(&out, "%u", parameter);
        else
            text_add_bytes(&out, at, 1);
    }
    return out.chars;
}

static bool row_unknown(const struct silicon_row *row, const char *path, struct ogv_error *error)
{
    struct text known = { 0 };
    bool group_known = false;
    for (u32 i = 0; i < silicon_benchmark_count; i++)
        group_known |= !strcmp(silicon_benchmarks[i].group, row->group);
    for (u32 i = 0; i < silicon_benchmark_count; i++) {
        const struct silicon_benchmark *at = &silicon_benchmarks[i];
        bool told = !group_known && i && !strcmp(at->group, at[-1].group);
        if (!told && (!group_known || !strcmp(at->group, row->group)))
            text_add(&known, "%s'%s'", known.length ? ", " : "",
                     group_known ? at->name : at->group);
    }
    error_user(error, "%s:%u: no %s '%s' is known; there is %s", path, row->line,
               group_known ? "benchmark" : "group", group_known ? row->name : row->group,
               text_get(&known));
    text_fini(&known);
    return false;
}

static bool number_allowed(const struct silicon_row *row, const char *path, const char *what,
                           double number, u32 low, u32 high, struct ogv_error *error)
{
    if (number >= low && number <= high && number == floor(number))
        return true;
    return error_user(error, "%s:%u: '%s' with %s %g: this has to be a whole number from %u to %u",
                      path, row->line, row->name, what, number, low, high);
}

static bool row_place(struct silicon_row *row, const char *path, struct ogv_error *error)
{
    u32 numbers[SILICON_HOLES] = { 0 };
    const struct silicon_benchmark *found = NULL;
    for (u32 i = 0; i < silicon_benchmark_count && !found; i++)
        if (!strcmp(silicon_benchmarks[i].group, row->group) &&
            name_fits(silicon_benchmarks[i].name, row->name, numbers))
            found = &silicon_benchmarks[i];
    if (!found)
        return row_unknown(row, path, error);
    for (u32 i = 0; i < SILICON_HOLES; i++)
        if (found->holes[i].high &&
            !number_allowed(row, path, "the number", numbers[i], found->holes[i].low,
                            found->holes[i].high, error))
            return false;
    if (!number_allowed(row, path, "parameter", row->parameter, found->low, found->high, error))
        return false;
    row->benchmark = found;
    row->arguments = arguments_of(found, (u32)row->parameter, numbers);
    return true;
}

/* ---- The file ---- */

static bool number_read(const struct csv *csv, const char *column, const char *text, double *number,
                        struct ogv_error *error)
{
    char *end;
    *number = strtod(text, &end);
    if (end != text && !*end && isfinite(*number))
        return true;
    return error_user(error, "%s:%u: '%.40s' as %s: has to be a number", csv->path, csv->line, text,
                      column);
}

static bool row_read(const struct csv *csv, struct silicon_row *row, struct ogv_error *error)
{
    if (csv->count != 5)
        return error_user(error, "%s:%u: %u columns instead of 5; values with commas are quoted",
                          csv->path, csv->line, csv->count);
    *row = (struct silicon_row){ .group = heap_copy(csv->fields[0]),
                                 .name = heap_copy(csv->fields[1]),
                                 .unit = heap_copy(csv->fields[4]),
                                 .line = csv->line };
    text_make_printable(row->group);
    text_make_printable(row->name);
    text_make_printable(row->unit);
    return number_read(csv, "parameter", csv->fields[2], &row->parameter, error) &&
           number_read(csv, "value", csv->fields[3], &row->value, error) &&
           row_place(row, csv->path, error);
}

static bool header_read(struct csv *csv, struct ogv_error *error)
{
    static const char *const columns[] = { "group", "name", "parameter", "value", "unit" };
    if (!csv_next(csv, error))
        return error->kind ? false : error_user(error, "%s: is empty", csv->path);
    bool same = csv->count == 5;
    for (u32 i = 0; same && i < 5; i++)
        same = !strcmp(csv->fields[i], columns[i]);
    return same ||
           error_user(error, "%s:1: the columns have to be group, name, parameter, value, unit",
                      csv->path);
}

static bool rows_read(struct csv *csv, struct silicon_reference *reference, struct ogv_error *error)
{
    u32 room = 0;
    if (!header_read(csv, error))
        return false;
    while (csv_next(csv, error)) {
        if (reference->count == REFERENCE_ROWS_MAX)
            return error_user(error, "%s: more than %d rows", csv->path, REFERENCE_ROWS_MAX);
        if (reference->count == room) {
            room = room ? 2 * room : 64;
            reference->rows = heap_grow(reference->rows, room, sizeof *reference->rows);
        }
        struct silicon_row *row = &reference->rows[reference->count++];
        *row = (struct silicon_row){ 0 };
        if (!row_read(csv, row, error))
            return false;
    }
    if (error->kind)
        return false;
    return reference->count || error_user(error, "%s: there is no row in it", csv->path);
}

static char *reference_shipped(void)
{
    char *folder = shipped_find("bench/silicon");
    char *path = text_format("%s/h200-micro.csv", folder ? folder : "bench/silicon");
    free(folder);
    return path;
}

bool silicon_read(const char *path, struct silicon_reference *reference, struct ogv_error *error)
{
    char *file = path ? heap_copy(path) : reference_shipped();
    size_t length;
    *reference = (struct silicon_reference){ 0 };
    char *text = file_read(file, REFERENCE_BYTES_MAX, &length, error);
    bool good = false;
    if (text) {
        struct csv csv;
        csv_open(&csv, file, text, length);
        good = rows_read(&csv, reference, error);
        csv_close(&csv);
    }
    free(text);
    free(file);
    return good;
}

void silicon_fini(struct silicon_reference *reference)
{
    for (u32 i = 0; i < reference->count; i++) {
        struct silicon_row *row = &reference->rows[i];
        free(row->group);
        free(row->name);
        free(row->unit);
        free(row->arguments);
    }
    free(reference->rows);
}

/* ---- Running one ---- */

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

/* The caller frees the path. */
static char *program_path(const struct silicon_machine *machine, const char *name)
{
    return text_format("%s/%s.elf", machine->folder, name);
}

static bool program_make(const struct silicon_machine *machine, const char *name,
                         struct ogv_error *error)
{
    char *folder = shipped_find("programs/silicon");
    char *source = text_format("%s/%s.c", folder ? folder : "programs/silicon", name);
    char *out = program_path(machine, name);
    char *made = compile_program_quietly(source, out, (struct compile_formats){ 0 }, error);
    bool good = made;
    free(made);
    free(out);
    free(source);
    free(folder);
    return good;
}

/* Rows of a program mostly come one after the other. */
static bool program_is_made(const struct silicon_reference *reference, u32 row)
{
    const char *program = reference->rows[row].benchmark->program;
    for (u32 i = row; i-- > 0;)
        if (!strcmp(reference->rows[i].benchmark->program, program))
            return true;
    return false;
}

bool silicon_compile(const struct silicon_machine *machine,
                     const struct silicon_reference *reference, struct ogv_error *error)
{
    for (u32 i = 0; i < reference->count; i++)
        if (!program_is_made(reference, i) &&
            !program_make(machine, reference->rows[i].benchmark->program, error))
            return false;
    return true;
}

#define WORDS_MAX 8

static bool program_start(ogv_system *system, const char *program, const char *arguments,
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

static bool was_asked(void *context)
{
    (void)context;
    return stop_asked();
}

/* To its end; then what it printed is a number. */
static bool program_finish(ogv_system *system, const struct silicon_row *row, double *value,
                           struct ogv_error *error)
{
    enum sim_end end = system_run(system, NEVER, (struct sim_poll){ was_asked, NULL }, error);
    if (stop_asked())
        return stop_error(error, "the validation");
    u64 code = 0;
    char *said = ogv_system_console(system, NULL), *rest = said;
    char *fault = ogv_system_fault(system);
    bool ended = end == SIM_FINISHED && ogv_system_exit_code(system, &code) && !code;
    *value = strtod(said, &rest);
    bool good = ended && rest != said;
    if (!good && fault)
        error_user(error, "'%s' with parameter %g: %s", row->name, row->parameter, fault);
    else if (!good && end == SIM_FINISHED)
        error_user(error, "'%s' with parameter %g: its program gave up (exit code %llu): %s",
                   row->name, row->parameter, (unsigned long long)code, said);
    free(fault);
    free(said);
    return good;
}

bool silicon_run(const struct silicon_machine *machine, const struct silicon_row *row,
                 double *value, struct ogv_error *error)
{
    char *program = program_path(machine, row->benchmark->program);
    ogv_system *system = machine_create(machine, row->benchmark->whole, error);
    bool good = system && program_start(system, program, row->arguments, error) &&
                program_finish(system, row, value, error);
    ogv_system_destroy(system);
    free(program);
    return good;
}

void silicon_score_add(struct silicon_score *score, double measured, double simulated)
{
    double off = fabs(simulated / measured - 1);
    score->rows++;
    score->within_10 += off <= 0.1;
    score->within_30 += off <= 0.3;
}
