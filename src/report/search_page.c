/* search_page.c - see search_page.h. Charts are drawn here, as SVG within the page: points with a
 * word for each, and a line through some of them. */
#include "report/search_page.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/svg.h"

#define SCATTER_WIDTH  720
#define SCATTER_HEIGHT 320
#define MARGIN_LEFT    80
#define MARGIN_BOTTOM  40
#define MARGIN         16
#define TICKS          5

#define COLOUR_BROKEN  "#999999"

enum { COLOUR_OTHER, COLOUR_FRONT }; /* of svg_colours */

static const char style[] =
    "body{font:15px/1.5 system-ui,sans-serif;max-width:60em;margin:2em auto;padding:0 1em;"
    "color:#222}h1{font-size:1.5em}h2{font-size:1.15em;margin-top:2em}"
    "table{border-collapse:collapse}td,th{padding:.2em .8em;border-bottom:1px solid #ddd;"
    "text-align:right}td:first-child,th:first-child{text-align:left}svg{max-width:100%}"
    "svg text{font:12px system-ui,sans-serif;fill:#444}@media(prefers-color-scheme:dark)"
    "{body{background:#181818;color:#ddd}svg text{fill:#bbb}td,th{border-color:#444}}";

/* ---- Words ---- */

char *search_point_words(const struct study *study, const u32 *at)
{
    struct text words = { 0 };
    for (u32 i = 0; i < study->axis_count; i++)
        text_add(&words, "%s%s=%s", i ? " " : "", study->axes[i].name,
                 study->axes[i].values[at[i]].label);
    return words.chars ? words.chars : heap_copy("(the only point)");
}

double search_goal_value(const struct search_plan *plan, const struct trial *trial, u32 goal)
{
    if (isinf(trial->violation))
        return NAN;
    return plan->goals[goal].maximise ? -trial->values[goal] : trial->values[goal];
}

/* ---- Charts ---- */

struct dot {
    double x, y;
    const char *colour;
    char *words;
    bool joined; /* the line goes through it */
};

struct scatter {
    struct dot *dots;
    u32 count;
    const char *x_label, *y_label;
    double low[2], high[2];
};

static void scatter_add(struct scatter *scatter, struct dot dot)
{
    scatter->dots = heap_append(scatter->dots, scatter->count, sizeof *scatter->dots);
    scatter->dots[scatter->count++] = dot;
}

static void scatter_range(struct scatter *scatter)
{
    for (u32 k = 0; k < 2; k++) {
        double low = INFINITY, high = -INFINITY;
        for (u32 i = 0; i < scatter->count; i++) {
            double value = k ? scatter->dots[i].y : scatter->dots[i].x;
            low = fmin(low, value);
            high = fmax(high, value);
        }
        double room = high > low ? (high - low) / 20 : fmax(fabs(high) / 20, 1e-9);
        scatter->low[k] = low - room;
        scatter->high[k] = high + room;
    }
}

static double scatter_x(const struct scatter *scatter, double x)
{
    return MARGIN_LEFT + (SCATTER_WIDTH - MARGIN_LEFT - MARGIN) * (x - scatter->low[0]) /
                             (scatter->high[0] - scatter->low[0]);
}

static double scatter_y(const struct scatter *scatter, double y)
{
    return MARGIN + (SCATTER_HEIGHT - MARGIN_BOTTOM - MARGIN) * (scatter->high[1] - y) /
                        (scatter->high[1] - scatter->low[1]);
}

static void scatter_axes(const struct scatter *scatter, struct text *out)
{
    double bottom = SCATTER_HEIGHT - MARGIN_BOTTOM;
    for (u32 i = 0; i < TICKS; i++) {
        double part = (i + 0.5) / TICKS;
        double x = scatter->low[0] + part * (scatter->high[0] - scatter->low[0]);
        double y = scatter->low[1] + part * (scatter->high[1] - scatter->low[1]);
        text_add(out,
                 "<line x1='%d' x2='%d' y1='%.1f' y2='%.1f' stroke='#8884'/>"
                 "<text x='%d' y='%.1f' text-anchor='end'>%.4g</text>"
                 "<text x='%.1f' y='%.1f' text-anchor='middle'>%.4g</text>",
                 MARGIN_LEFT, SCATTER_WIDTH - MARGIN, scatter_y(scatter, y), scatter_y(scatter, y),
                 MARGIN_LEFT - 6, scatter_y(scatter, y) + 4, y, scatter_x(scatter, x), bottom + 16,
                 x);
    }
    text_add(out, "<text x='%d' y='%d' text-anchor='middle'>", SCATTER_WIDTH / 2,
             SCATTER_HEIGHT - 6);
    svg_text(out, scatter->x_label);
    text_add(out, "</text><text x='12' y='%d' text-anchor='middle' transform='rotate(-90 12 %d)'>",
             SCATTER_HEIGHT / 2, SCATTER_HEIGHT / 2);
    svg_text(out, scatter->y_label);
    text_add(out, "</text>");
}

static int dot_by_x(const void *a, const void *b)
{
    const struct dot *x = a, *y = b;
    return (x->x > y->x) - (x->x < y->x);
}

/* Frees the scatter. */
static void scatter_draw(struct scatter *scatter, struct text *out)
{
    if (!scatter->count) {
        text_add(out, "<p>There is nothing to draw.</p>\n");
        return;
    }
    scatter_range(scatter);
    qsort(scatter->dots, scatter->count, sizeof *scatter->dots, dot_by_x);
    text_add(out, "<svg viewBox='0 0 %d %d' width='%d' role='img'>", SCATTER_WIDTH, SCATTER_HEIGHT,
             SCATTER_WIDTH);
    scatter_axes(scatter, out);
    text_add(out, "<polyline fill='none' stroke='%s' stroke-width='1.5' points='",
             svg_colours[COLOUR_FRONT]);
    for (u32 i = 0; i < scatter->count; i++)
        if (scatter->dots[i].joined)
            text_add(out, "%.1f,%.1f ", scatter_x(scatter, scatter->dots[i].x),
                     scatter_y(scatter, scatter->dots[i].y));
    text_add(out, "'/>");
    for (u32 i = 0; i < scatter->count; i++) {
        const struct dot *dot = &scatter->dots[i];
        text_add(out, "<circle cx='%.1f' cy='%.1f' r='4' fill='%s'><title>",
                 scatter_x(scatter, dot->x), scatter_y(scatter, dot->y), dot->colour);
        svg_text(out, dot->words);
        text_add(out, "</title></circle>");
        free(dot->words);
    }
    text_add(out, "</svg>\n");
    free(scatter->dots);
}

static struct dot trial_dot(const struct search *search, const struct trial *trial, double x,
                            double y)
{
    char *words = search_point_words(search->study, trial->at);
    struct dot dot = { .x = x,
                       .y = y,
                       .colour = trial->violation > 0 ? COLOUR_BROKEN : svg_colours[COLOUR_OTHER],
                       .words = text_format("%s: %.6g", words, y) };
    free(words);
    return dot;
}

/* ---- Parts of the page ---- */

static const struct search_found *last_stage(const struct search *search)
{
    return &search->stages[search->study->search->stage_count - 1];
}

/* The first two goals against each other; with one goal, there is no front. */
static void front_draw(const struct search *search, struct text *out)
{
    const struct search_plan *plan = search->study->search;
    const struct search_found *found = last_stage(search);
    struct scatter scatter = { .x_label = plan->goals[0].text, .y_label = plan->goals[1].text };
    for (u32 i = 0; i < found->trials.count; i++) {
        const struct trial *trial = &found->trials.items[i];
        if (isinf(trial->violation))
            continue;
        struct dot dot = trial_dot(search, trial, search_goal_value(plan, trial, 0),
                                   search_goal_value(plan, trial, 1));
        dot.joined = !found->ranks[i] && trial->violation <= 0;
        if (dot.joined)
            dot.colour = svg_colours[COLOUR_FRONT];
        scatter_add(&scatter, dot);
    }
    text_add(out, "<h2>Front</h2>\n<p>Orange: no other point is better in all goals. Grey: breaks "
                  "a limit.</p>\n");
    scatter_draw(&scatter, out);
}

/* The first goal over evaluations; the line is the best so far. */
static void way_draw(const struct search *search, u32 stage, struct text *out)
{
    const struct search_plan *plan = search->study->search;
    const struct search_found *found = &search->stages[stage];
    struct scatter scatter = { .x_label = "evaluation", .y_label = plan->goals[0].text };
    double best = INFINITY;
    for (u32 i = 0; i < found->trials.count; i++) {
        const struct trial *trial = &found->trials.items[i];
        if (isinf(trial->violation))
            continue;
        struct dot dot = trial_dot(search, trial, i + 1, search_goal_value(plan, trial, 0));
        dot.joined = trial->violation <= 0 && trial->values[0] < best;
        if (dot.joined) {
            best = trial->values[0];
            dot.colour = svg_colours[COLOUR_FRONT];
        }
        scatter_add(&scatter, dot);
    }
    text_add(out, "<h2>Stage %u of %u</h2>\n<p>%u evaluations; the line is the best so far.</p>\n",
             stage + 1, plan->stage_count, found->trials.count);
    scatter_draw(&scatter, out);
}

/* With `best`, also by how much each goal differs from it. */
static void trial_row(const struct search *search, const struct trial *trial,
                      const struct trial *best, struct text *out)
{
    const struct search_plan *plan = search->study->search;
    char *words = search_point_words(search->study, trial->at);
    text_add(out, "<tr><td>");
    svg_text(out, words);
    text_add(out, "</td>");
    for (u32 i = 0; i < plan->goal_count; i++) {
        double value = search_goal_value(plan, trial, i);
        double change = best ? value / search_goal_value(plan, best, i) - 1 : NAN;
        text_add(out, "<td>%.6g", value);
        if (isfinite(change))
            text_add(out, " (%+.2f%%)", 100 * change);
        text_add(out, "</td>");
    }
    text_add(out, "<td>%s</td></tr>\n",
             trial->violation <= 0     ? ""
             : isinf(trial->violation) ? "no result"
                                       : "breaks a limit");
    free(words);
}

static void table_begin(const struct search *search, struct text *out)
{
    const struct search_plan *plan = search->study->search;
    text_add(out, "<table><tr><th>point</th>");
    for (u32 i = 0; i < plan->goal_count; i++) {
        text_add(out, "<th>");
        svg_text(out, plan->goals[i].text);
        text_add(out, "</th>");
    }
    text_add(out, "<th></th></tr>\n");
}

static void best_table(const struct search *search, struct text *out)
{
    const struct search_found *found = last_stage(search);
    text_add(out, "<h2>%s</h2>\n",
             search->study->search->goal_count > 1 ? "Points of the front" : "The best");
    table_begin(search, out);
    for (u32 i = 0; i < found->trials.count; i++)
        if (!found->ranks[i] && found->trials.items[i].violation <= 0)
            trial_row(search, &found->trials.items[i], NULL, out);
    text_add(out, "</table>\n");
}

static void around_table(const struct search *search, struct text *out)
{
    const struct trial_list *around = &search->around.trials;
    if (search->best == UINT32_MAX || !around->count)
        return;
    const struct trial *best = &last_stage(search)->trials.items[search->best];
    text_add(out, "<h2>Around the best point</h2>\n<p>One value less or more on one axis.</p>\n");
    table_begin(search, out);
    trial_row(search, best, NULL, out);
    for (u32 i = 0; i < around->count; i++)
        trial_row(search, &around->items[i], best, out);
    text_add(out, "</table>\n");
}

void search_page(const struct search *search, struct text *page)
{
    const struct study *study = search->study;
    text_add(page, "<!doctype html>\n<html lang='en'><head><meta charset='utf-8'><title>Search ");
    svg_text(page, study->name);
    text_add(page, "</title><style>%s</style></head><body>\n<h1>Search ", style);
    svg_text(page, study->name);
    text_add(page, "</h1>\n<p>");
    svg_text(page, study->about);
    text_add(page, "</p>\n");
    best_table(search, page);
    if (study->search->goal_count > 1)
        front_draw(search, page);
    around_table(search, page);
    for (u32 i = 0; i < study->search->stage_count; i++)
        way_draw(search, i, page);
    text_add(page, "</body></html>\n");
}
