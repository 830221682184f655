/* silicon.c - see silicon.h. The table is Markdown and grows row by row, group by group. */
#include "cli/silicon.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/text.h"
#include "cli/cli.h"
#include "cli/signals.h"

struct table {
    struct text out;
    size_t shown;
    json_t *rows;
    struct silicon_score all;
};

static void table_show(struct table *table)
{
    fputs(text_get(&table->out) + table->shown, stdout);
    fflush(stdout);
    table->shown = table->out.length;
}

static void row_add(struct table *table, const struct silicon_row *row, double value)
{
    double ratio = row->value != 0 ? value / row->value : NAN;
    text_add(&table->out, "| %s | %g | %.4g | %.4g | %.2f |\n", row->name, row->parameter,
             row->value, value, ratio);
    silicon_score_add(&table->all, row->value, value);
    json_array_append_new(table->rows,
                          json_pack("{s:s, s:s, s:f, s:s, s:f, s:f, s:o}", "group", row->group,
                                    "name", row->name, "parameter", row->parameter, "unit",
                                    row->unit, "reference", row->value, "ogive", value, "ratio",
                                    isfinite(ratio) ? json_real(ratio) : json_null()));
}

static void group_begin(struct table *table, const struct silicon_row *row)
{
    text_add(&table->out, "\n### %s, %s\n\n", row->group, row->unit);
    text_add(&table->out, "| benchmark | parameter | card | Ogive | ratio |\n");
    text_add(&table->out, "|---|--:|--:|--:|--:|\n");
}

static void score_add(struct text *out, const char *name, struct silicon_score score)
{
    text_add(out, "| %s | %u | %u | %u | %.0f%% |\n", name, score.rows, score.within_10,
             score.within_30, 100.0 * score.within_10 / score.rows);
}

/* A group's line, once: where its first row is. */
static void group_sum(struct table *table, const struct silicon_reference *reference,
                      const double *values, u32 first)
{
    struct silicon_score score = { 0 };
    const char *group = reference->rows[first].group;
    for (u32 i = 0; i < reference->count; i++) {
        if (strcmp(reference->rows[i].group, group))
            continue;
        if (i < first)
            return;
        silicon_score_add(&score, reference->rows[i].value, values[i]);
    }
    score_add(&table->out, group, score);
}

static void summary_add(struct table *table, const struct silicon_reference *reference,
                        const double *values)
{
    text_add(&table->out, "\n| group | rows | within 10%% | within 30%% | share within 10%% |\n");
    text_add(&table->out, "|---|--:|--:|--:|--:|\n");
    for (u32 i = 0; i < reference->count; i++)
        group_sum(table, reference, values, i);
    score_add(&table->out, "all", table->all);
}

static bool rows_run(const struct silicon_validation *validation,
                     const struct silicon_reference *reference, struct table *table, double *values,
                     struct ogv_error *error)
{
    struct progress_task task = progress_task("validating", validation->style);
    bool good = true;
    for (u32 i = 0; good && i < reference->count; i++) {
        const struct silicon_row *row = &reference->rows[i], *before = row - 1;
        progress_task_show(&task, (double)i / reference->count);
        good = silicon_run(&validation->machine, row, &values[i], error);
        if (!good)
            break;
        if (!i || strcmp(row->group, before->group) || strcmp(row->unit, before->unit))
            group_begin(table, row);
        row_add(table, row, values[i]);
        progress_clear(&task.line);
        table_show(table);
    }
    progress_clear(&task.line);
    return good;
}

static bool table_write(const struct silicon_validation *validation, const struct table *table,
                        struct ogv_error *error)
{
    char *path = text_format("%s/validation.md", validation->machine.folder);
    bool good = file_write(path, text_get(&table->out), table->out.length, error);
    if (good)
        printf("results %s\n", path);
    free(path);
    if (!good || !validation->json)
        return good;
    char *dump = json_dumps(table->rows, JSON_INDENT(2) | JSON_REAL_PRECISION(8));
    good = file_write(validation->json, dump, strlen(dump), error);
    free(dump);
    return good;
}

static bool table_make(const struct silicon_validation *validation,
                       const struct silicon_reference *reference, struct ogv_error *error)
{
    struct table table = { .rows = json_array() };
    double *values = heap_array(reference->count, sizeof *values);
    text_add(&table.out, "%s beside the card that it models.\n", validation->machine.arch);
    bool good = rows_run(validation, reference, &table, values, error);
    if (good) {
        summary_add(&table, reference, values);
        table_show(&table);
        good = table_write(validation, &table, error);
    }
    free(values);
    json_decref(table.rows);
    text_fini(&table.out);
    return good;
}

int silicon_validate(const struct silicon_validation *validation)
{
    struct silicon_reference reference;
    struct ogv_error error;
    signals_catch();
    bool good = silicon_read(validation->reference, &reference, &error) &&
                folder_create(validation->machine.folder, &error) &&
                silicon_compile(&validation->machine, &reference, &error) &&
                table_make(validation, &reference, &error);
    silicon_fini(&reference);
    return good ? EXIT_GOOD : fail(&error);
}
