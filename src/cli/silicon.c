/* silicon.c - see silicon.h. */
#include "cli/silicon.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/jobs.h"
#include "base/shipped.h"
#include "cli/cli.h"
#include "cli/signals.h"
#include "run/launches.h"

/* ---- In common ---- */

void silicon_show(struct silicon_table *table)
{
    progress_clear(&table->task.line);
    fputs(text_get(&table->out) + table->shown, stdout);
    fflush(stdout);
    table->shown = table->out.length;
}

json_t *silicon_json(double number)
{
    return isfinite(number) ? json_real(number) : json_null();
}

char *silicon_failed(struct silicon_table *table, const char *row, const struct ogv_error *error)
{
    if (!table->first.kind) {
        table->first = *error;
        snprintf(table->first.message, sizeof table->first.message, "%s: %.3800s", row,
                 error->message);
    }
    char *line = heap_copy(error->message);
    line[strcspn(line, "\n|")] = '\0';
    text_make_printable(line);
    return line;
}

bool silicon_ready(const struct silicon_table *table, struct ogv_error *error)
{
    const struct silicon_machine *machine = &table->validation->machine;
    return folder_create(machine->folder, error) && silicon_check(machine, error);
}

static void rows_ended(void *context, u32 count)
{
    struct silicon_table *table = *(struct silicon_table **)context;
    progress_task_show(&table->task, (double)count / table->row_count);
}

bool silicon_rows(struct silicon_table *table, u32 count, size_t result_bytes, void *context,
                  bool (*run)(void *context, u32 row, void *result, struct ogv_error *error),
                  void (*take)(void *context, u32 row, const void *result,
                               const struct ogv_error *error),
                  struct ogv_error *error)
{
    struct jobs jobs = { .count = count,
                         .at_once = table->validation->jobs,
                         .result_bytes = result_bytes,
                         .context = context,
                         .run = run,
                         .take = take,
                         .ended = rows_ended };
    table->row_count = count;
    table->task = progress_task("validating", table->validation->style);
    bool good = jobs_run(&jobs, error);
    progress_clear(&table->task.line);
    return good;
}

/* ---- Microbenchmarks ---- */

struct benchmarks {
    struct silicon_table *table;
    struct silicon_reference reference;
    double *values; /* NAN: not there yet, or failed */
    const struct silicon_row *before;
};

static bool benchmark_run(void *context, u32 row, void *result, struct ogv_error *error)
{
    const struct benchmarks *of = context;
    return silicon_run(&of->table->validation->machine, &of->reference.rows[row], result, error);
}

static void group_begin(struct text *out, const struct silicon_row *row)
{
    text_add(out, "\n### %s, %s\n\n", row->group, row->unit);
    text_add(out, "| benchmark | parameter | card | Ogive | ratio |\n");
    text_add(out, "|---|--:|--:|--:|--:|\n");
}

/* A row for the file; without a value there is a reason instead. */
static void row_keep(struct silicon_table *table, const struct silicon_row *row, double value,
                     const char *reason)
{
    double ratio = row->value != 0 ? value / row->value : NAN;
    json_t *kept =
        json_pack("{s:s, s:s, s:f, s:s, s:f, s:o, s:o}", "group", row->group, "name", row->name,
                  "parameter", row->parameter, "unit", row->unit, "reference", row->value, "ogive",
                  silicon_json(value), "ratio", silicon_json(ratio));
    if (reason)
        json_object_set_new(kept, "reason", json_string(reason));
    json_array_append_new(table->rows, kept);
}

static void row_add(struct silicon_table *table, const struct silicon_row *row, double value)
{
    text_add(&table->out, "| %s | %.10g | %.4g | %.4g |", row->name, row->parameter, row->value,
             value);
    if (row->value != 0)
        text_add(&table->out, " %.2f |\n", value / row->value);
    else
        text_add(&table->out, " |\n");
    row_keep(table, row, value, NULL);
}

static void row_add_failed(struct silicon_table *table, const struct silicon_row *row,
                           const struct ogv_error *error)
{
    char *name = text_format("'%s' with parameter %.10g", row->name, row->parameter);
    char *line = silicon_failed(table, name, error);
    text_add(&table->out, "| %s | %.10g | %.4g | did not run: %s | |\n", row->name, row->parameter,
             row->value, line);
    row_keep(table, row, NAN, line);
    free(line);
    free(name);
}

static void benchmark_take(void *context, u32 index, const void *result,
                           const struct ogv_error *error)
{
    struct benchmarks *of = context;
    const struct silicon_row *row = &of->reference.rows[index], *before = of->before;
    if (!before || strcmp(row->group, before->group) || strcmp(row->unit, before->unit))
        group_begin(&of->table->out, row);
    of->before = row;
    of->values[index] = result ? *(const double *)result : NAN;
    if (result)
        row_add(of->table, row, of->values[index]);
    else
        row_add_failed(of->table, row, error);
    silicon_show(of->table);
}

/* A line of the summary: of a group, or NULL for all. */
static void group_sum(const struct benchmarks *of, const char *group)
{
    struct silicon_score score = { 0 };
    for (u32 i = 0; i < of->reference.count; i++) {
        const struct silicon_row *row = &of->reference.rows[i];
        if (isfinite(of->values[i]) && (!group || !strcmp(row->group, group)))
            silicon_score_add(&score, row->value, of->values[i]);
    }
    if (score.rows)
        text_add(&of->table->out, "| %s | %u | %u | %u | %.0f%% |\n", group ? group : "all",
                 score.rows, score.within_10, score.within_30,
                 100.0 * score.within_10 / score.rows);
}

static bool group_is_first(const struct silicon_reference *reference, u32 row)
{
    for (u32 i = 0; i < row; i++)
        if (!strcmp(reference->rows[i].group, reference->rows[row].group))
            return false;
    return true;
}

static void benchmarks_sum(const struct benchmarks *of)
{
    text_add(&of->table->out, "\n| group | rows | within 10%% | within 30%% | share within 10%% |\n"
                              "|---|--:|--:|--:|--:|\n");
    for (u32 i = 0; i < of->reference.count; i++)
        if (group_is_first(&of->reference, i))
            group_sum(of, of->reference.rows[i].group);
    group_sum(of, NULL);
    silicon_show(of->table);
}

static bool benchmarks_add(struct silicon_table *table, const char *path, struct ogv_error *error)
{
    struct benchmarks of = { .table = table };
    bool good = silicon_read(path, &of.reference, error) && silicon_ready(table, error) &&
                silicon_compile(&table->validation->machine, &of.reference, error);
    if (good) {
        of.values = heap_array(of.reference.count, sizeof *of.values);
        for (u32 i = 0; i < of.reference.count; i++)
            of.values[i] = NAN;
        good = silicon_rows(table, of.reference.count, sizeof *of.values, &of, benchmark_run,
                            benchmark_take, error);
        benchmarks_sum(&of);
        free(of.values);
    }
    silicon_fini(&of.reference);
    return good;
}

/* ---- All of it ---- */

static bool reference_add(struct silicon_table *table, const char *path, struct ogv_error *error)
{
    bool launches;
    return launches_are(path, &launches, error) &&
           (launches ? silicon_launches(table, path, error) : benchmarks_add(table, path, error));
}

static bool shipped_add(struct silicon_table *table, const char *name, struct ogv_error *error)
{
    char *folder = shipped_find("bench/silicon");
    char *path = text_format("%s/%s", folder ? folder : "bench/silicon", name);
    bool good = reference_add(table, path, error);
    free(path);
    free(folder);
    return good;
}

static bool table_write(const struct silicon_table *table, struct ogv_error *error)
{
    char *path = text_format("%s/validation.md", table->validation->machine.folder);
    bool good = file_write(path, text_get(&table->out), table->out.length, error);
    if (good)
        printf("results %s\n", path);
    free(path);
    return good;
}

static bool rows_write(const struct silicon_table *table, struct draft *json,
                       struct ogv_error *error)
{
    char *dump = json_dumps(table->rows, JSON_INDENT(2) | JSON_REAL_PRECISION(8));
    bool good = draft_add(json, dump, strlen(dump), error);
    free(dump);
    return good;
}

/* What was done until it was interrupted is kept. */
static bool table_make(struct silicon_table *table, struct ogv_error *error)
{
    const struct silicon_validation *validation = table->validation;
    struct ogv_error unwritten;
    text_add(&table->out, "%s beside the card that it models.\n", validation->machine.arch);
    bool good = validation->reference ? reference_add(table, validation->reference, error)
                                      : shipped_add(table, "h200-micro.csv", error) &&
                                            shipped_add(table, "h200-kernels.csv", error);
    if (json_array_size(table->rows) && !table_write(table, &unwritten)) {
        *error = unwritten;
        return false;
    }
    if (good && table->first.kind)
        *error = table->first;
    return good && !table->first.kind;
}

/* The file for the rows is opened before they run, which takes long. */
static bool table_keep(struct silicon_table *table, const char *path, struct ogv_error *error)
{
    struct ogv_error unwritten;
    struct draft json;
    if (!draft_open(&json, path, error))
        return false;
    bool good = table_make(table, error);
    bool any = json_array_size(table->rows);
    if (draft_finish(&json, any && rows_write(table, &json, &unwritten), &unwritten) || !any)
        return good;
    *error = unwritten;
    return false;
}

int silicon_validate(const struct silicon_validation *validation)
{
    struct ogv_error error;
    struct silicon_table table = { .validation = validation, .rows = json_array() };
    signals_catch();
    bool good = validation->json ? table_keep(&table, validation->json, &error)
                                 : table_make(&table, &error);
    json_decref(table.rows);
    text_fini(&table.out);
    return good ? EXIT_GOOD : fail(&error);
}
