/* silicon.c - see silicon.h. */
#include "run/silicon.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/csv.h"
#include "base/error.h"
#include "base/file.h"
#include "base/text.h"
#include "run/silicon_table.h"

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

/* What a row's parameter or a number in its name may be. */
struct allowed {
    const char *what;
    u32 low, high;
    bool power; /* of two */
};

static bool number_allowed(const struct silicon_row *row, const char *path, double number,
                           struct allowed of, struct ogv_error *error)
{
    if (number >= of.low && number <= of.high && number == floor(number) &&
        (!of.power || is_power_of_two((u64)number)))
        return true;
    return error_user(error, "%s:%u: '%s' with %s %.10g: this has to be a %s from %u to %u", path,
                      row->line, row->name, of.what, number,
                      of.power ? "power of two" : "whole number", of.low, of.high);
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
    for (u32 i = 0; i < SILICON_HOLES; i++) {
        struct allowed hole = { "the number", found->holes[i].low, found->holes[i].high,
                                found->holes[i].power };
        if (hole.high && !number_allowed(row, path, numbers[i], hole, error))
            return false;
    }
    struct allowed parameter = { "parameter", found->low, found->high, false };
    if (!number_allowed(row, path, row->parameter, parameter, error))
        return false;
    row->benchmark = found;
    row->arguments = arguments_of(found, (u32)row->parameter, numbers);
    return true;
}

/* ---- The file ---- */

bool silicon_number_read(const struct csv *csv, const char *column, const char *text,
                         double *number, struct ogv_error *error)
{
    char *end;
    *number = strtod(text, &end);
    if (end != text && !*end && isfinite(*number))
        return true;
    return error_user(error, "%s:%u: '%.40s' as %s: has to be a number", csv->path, csv->line, text,
                      column);
}

static bool is_number(const char *text)
{
    char *end;
    strtod(text, &end);
    return end != text && !*end;
}

/* The column of the parameter. Names and units that have commas should be quoted, but where they
 * are not, two numbers one behind the other tell as much. */
static u32 parameter_column(const struct csv *csv)
{
    for (u32 i = 2; csv->count > 5 && i + 2 < csv->count; i++)
        if (is_number(csv->fields[i]) && is_number(csv->fields[i + 1]))
            return i;
    return csv->count == 5 ? 2 : 0;
}

/* What stands in columns from one up to another; the reader has taken the spaces around commas. */
static char *columns_join(const struct csv *csv, u32 from, u32 to)
{
    struct text out = { 0 };
    for (u32 i = from; i < to; i++)
        text_add(&out, "%s%s", i > from ? ", " : "", csv->fields[i]);
    text_make_printable(out.chars);
    return out.chars;
}

static bool row_read(const struct csv *csv, struct silicon_row *row, struct ogv_error *error)
{
    struct ogv_error unknown;
    u32 at = parameter_column(csv);
    if (!at)
        return error_user(error, "%s:%u: %u columns instead of 5; values with commas are quoted",
                          csv->path, csv->line, csv->count);
    *row = (struct silicon_row){ .group = columns_join(csv, 0, 1),
                                 .name = columns_join(csv, 1, at),
                                 .unit = columns_join(csv, at + 2, csv->count),
                                 .line = csv->line };
    if (!silicon_number_read(csv, "parameter", csv->fields[at], &row->parameter, error) ||
        !silicon_number_read(csv, "value", csv->fields[at + 1], &row->value, error))
        return false;
    if (!row_place(row, csv->path, &unknown))
        row->reason = heap_copy(unknown.message);
    return true;
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
        if (reference->count == SILICON_ROWS_MAX)
            return error_user(error, "%s: more than %d rows", csv->path, SILICON_ROWS_MAX);
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

bool silicon_read(const char *path, struct silicon_reference *reference, struct ogv_error *error)
{
    struct csv csv;
    *reference = (struct silicon_reference){ 0 };
    if (!csv_open_file(&csv, path, SILICON_FILE_BYTES_MAX, error))
        return false;
    bool good = rows_read(&csv, reference, error);
    csv_close(&csv);
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
        free(row->reason);
    }
    free(reference->rows);
}

/* ---- Running one ---- */

/* Whether an earlier row needs a row's program, too, or the row none. Rows of a program mostly come
 * one after the other. */
static bool program_is_made(const struct silicon_reference *reference, u32 row)
{
    const struct silicon_row *rows = reference->rows;
    if (rows[row].reason)
        return true;
    for (u32 i = row; i-- > 0;)
        if (!rows[i].reason && !strcmp(rows[i].benchmark->program, rows[row].benchmark->program))
            return true;
    return false;
}

bool silicon_compile(const struct silicon_machine *machine,
                     const struct silicon_reference *reference, struct ogv_error *error)
{
    for (u32 i = 0; i < reference->count; i++)
        if (!program_is_made(reference, i) &&
            !silicon_program_make(machine, "programs/silicon",
                                  reference->rows[i].benchmark->program, error))
            return false;
    return true;
}

bool silicon_run(const struct silicon_machine *machine, const struct silicon_row *row,
                 double *value, struct ogv_error *error)
{
    if (row->reason)
        return error_user(error, "%s", row->reason);
    ogv_system *system = silicon_start(machine, row->benchmark->whole, row->benchmark->program,
                                       row->arguments, error);
    if (!system)
        return false;
    enum sim_end end = silicon_continue(system, NEVER, error);
    char *said = silicon_end(system, end, error), *rest = said;
    *value = said ? strtod(said, &rest) : NAN;
    bool good = said && rest != said;
    if (said && !good)
        error_user(error, "its program printed no number: %s", said);
    free(said);
    ogv_system_destroy(system);
    return good;
}

void silicon_score_add(struct silicon_score *score, double measured, double simulated)
{
    double off = fabs(simulated / measured - 1);
    if (measured == 0)
        return; /* there is no ratio to it */
    score->rows++;
    score->within_10 += off <= 0.1;
    score->within_30 += off <= 0.3;
}
