/* silicon_launches.c - kernels that were launched on a card, beside the same on its model. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/silicon.h"
#include "run/launches.h"

struct table_launches {
    struct silicon_table *table;
    struct launches launches;
    u32 *runnable; /* numbers of those that can be run */
    u32 runnable_count;
    struct {
        double sum;
        u32 count;
    } errors[LAUNCH_FIGURE_COUNT];
};

static const struct {
    const char *name, *words;
    double goal;
} figure_rows[LAUNCH_FIGURE_COUNT] = {
#define FIGURE_ROW(name, words, goal) { #name, words, goal },
    LAUNCH_FIGURES(FIGURE_ROW)
#undef FIGURE_ROW
};

/* ---- A launch ---- */

static bool row_run(void *context, u32 row, void *result, struct ogv_error *error)
{
    const struct table_launches *of = context;
    return launch_run(&of->table->validation->machine, &of->launches.of[of->runnable[row]], result,
                      error);
}

static void figure_add(struct text *out, enum launch_figure figure, double card, double value)
{
    if (figure == LAUNCH_l1_hit_rate) {
        if (isfinite(card))
            text_add(out, " %.1f%% | %.1f%% |", 100 * card, 100 * value);
        else
            text_add(out, " - | - |");
        return;
    }
    text_add(out, " %.0f | %.0f |", card, value);
    if (card > 0)
        text_add(out, " %.2f |", value / card);
    else
        text_add(out, " - |");
}

static void json_add(struct silicon_table *table, const struct launch *launch,
                     enum launch_figure figure, double value, const char *reason)
{
    double card = launch->figures[figure];
    json_t *row = json_pack(
        "{s:s, s:s, s:s, s:s, s:o, s:o, s:o}", "kernel", launch->kernel, "grid", launch->grid,
        "block", launch->block, "figure", figure_rows[figure].name, "reference", silicon_json(card),
        "ogive", silicon_json(value), "ratio", silicon_json(card > 0 ? value / card : NAN));
    if (reason)
        json_object_set_new(row, "reason", json_string(reason));
    json_array_append_new(table->rows, row);
}

static void launch_name(struct text *out, const struct launch *launch)
{
    text_add(out, "| `%s` | %s | %s |", launch->kernel, launch->grid, launch->block);
}

static void launch_add(struct table_launches *of, const struct launch *launch, const double *values)
{
    launch_name(&of->table->out, launch);
    for (u32 i = 0; i < LAUNCH_FIGURE_COUNT; i++) {
        enum launch_figure figure = (enum launch_figure)i;
        double card = launch->figures[i], off = launch_error(figure, card, values[i]);
        figure_add(&of->table->out, figure, card, values[i]);
        if (isfinite(off)) {
            of->errors[i].sum += off;
            of->errors[i].count++;
        }
        if (isfinite(card))
            json_add(of->table, launch, figure, values[i], NULL);
    }
    text_add(&of->table->out, "\n");
}

static void row_take(void *context, u32 row, const void *result, const struct ogv_error *error)
{
    struct table_launches *of = context;
    const struct launch *launch = &of->launches.of[of->runnable[row]];
    if (result) {
        launch_add(of, launch, result);
    } else {
        char *name = text_format("%s %s %s", launch->kernel, launch->grid, launch->block);
        char *line = silicon_failed(of->table, name, error);
        launch_name(&of->table->out, launch);
        text_add(&of->table->out, " %.0f | did not run: %s |\n", launch->figures[LAUNCH_cycles],
                 line);
        json_add(of->table, launch, LAUNCH_cycles, NAN, line);
        free(line);
        free(name);
    }
    silicon_show(of->table);
}

/* ---- The table ---- */

static void table_begin(struct text *out)
{
    text_add(out, "\n### Kernels\n\n| kernel | grid | block |");
    for (u32 i = 0; i < LAUNCH_FIGURE_COUNT; i++)
        text_add(out, " %s: card | Ogive |%s", figure_rows[i].words,
                 i == LAUNCH_l1_hit_rate ? "" : " ratio |");
    text_add(out, "\n|---|---|---|");
    for (u32 i = 0; i < LAUNCH_FIGURE_COUNT; i++)
        text_add(out, "--:|--:|%s", i == LAUNCH_l1_hit_rate ? "" : "--:|");
    text_add(out, "\n");
}

/* Those that cannot be run, with the reason. */
static void table_refuse(struct table_launches *of)
{
    struct text *out = &of->table->out;
    if (of->runnable_count == of->launches.count)
        return;
    text_add(out, "\nNot run:\n\n| kernel | grid | block | line | why |\n|---|---|---|--:|---|\n");
    for (u32 i = 0; i < of->launches.count; i++) {
        const struct launch *launch = &of->launches.of[i];
        if (launch->arguments)
            continue;
        launch_name(out, launch);
        text_add(out, " %u | %s |\n", launch->line, launch->reason);
        json_add(of->table, launch, LAUNCH_cycles, NAN, launch->reason);
    }
}

static void table_sum(struct table_launches *of)
{
    struct text *out = &of->table->out;
    table_refuse(of);
    text_add(out, "\n| figure | launches | mean absolute error | goal |\n|---|--:|--:|--:|\n");
    for (u32 i = 0; i < LAUNCH_FIGURE_COUNT; i++) {
        if (!of->errors[i].count)
            continue;
        text_add(out, "| %s | %u | %.1f%s |", figure_rows[i].words, of->errors[i].count,
                 100 * of->errors[i].sum / of->errors[i].count,
                 i == LAUNCH_l1_hit_rate ? " points" : "%");
        if (figure_rows[i].goal > 0)
            text_add(out, " %.0f |\n", 100 * figure_rows[i].goal);
        else
            text_add(out, " |\n");
    }
    silicon_show(of->table);
}

static void runnable_find(struct table_launches *of)
{
    of->runnable = heap_array(of->launches.count, sizeof *of->runnable);
    for (u32 i = 0; i < of->launches.count; i++)
        if (of->launches.of[i].arguments)
            of->runnable[of->runnable_count++] = i;
}

bool silicon_launches(struct silicon_table *table, const char *path, struct ogv_error *error)
{
    struct table_launches of = { .table = table };
    bool good = launches_read(path, &of.launches, error) && silicon_ready(table, error) &&
                launches_compile(&table->validation->machine, error);
    if (good) {
        runnable_find(&of);
        table_begin(&table->out);
        good = silicon_rows(table, of.runnable_count, LAUNCH_FIGURE_COUNT * sizeof(double), &of,
                            row_run, row_take, error);
        table_sum(&of);
        free(of.runnable);
    }
    launches_fini(&of.launches);
    return good;
}
