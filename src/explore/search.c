/* search.c - see search.h. */
#include "explore/search.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "arch/energy.h"
#include "base/error.h"
#include "base/text.h"
#include "explore/table.h"

#define SEARCHERS_MAX  4
#define SEARCHER_SHARE 10 /* evaluations that a searcher should have for itself */

_Static_assert(OPTIMISE_AXES_MAX == STUDY_AXES_MAX, "a trial is a point of a study");

struct known_area {
    u32 at[STUDY_AXES_MAX];
    double area_mm2;
};

/* ---- Points ---- */

/* A point of the study in a stage. */
static bool stage_point(struct search *search, const u32 *at, struct point *point,
                        struct ogv_error *error)
{
    struct study *study = search->study;
    u32 where[STUDY_AXES_MAX];
    for (u32 i = 0; i < STUDY_AXES_MAX; i++)
        where[i] = i < study->axis_count ? at[i] : AXIS_NONE;
    if (!study_point(study, where, point, error))
        return false;
    patch_lay(&study->region, &point->patch, &study->search->stages[search->stage].patch);
    return true;
}

/* ---- What is known without a run ---- */

/* Of all units whose area is known; NAN if none is, or if the machine is refused. */
static double area_work_out(struct search *search, const u32 *at)
{
    struct point point;
    struct ogv_error ignored;
    bool lacking;
    double area = NAN;
    if (!stage_point(search, at, &point, &ignored))
        return NAN;
    ogv_arch *arch = ogv_arch_load(point.patch.options[OPTION_MACHINE].text, &ignored);
    bool good = arch;
    for (u32 i = 0; good && i < point.patch.setting_count; i++)
        good = ogv_arch_set(arch, point.patch.settings[i].path, point.patch.settings[i].value.text,
                            &ignored);
    ogv_system *system = good ? ogv_system_create(arch, &ignored) : NULL;
    if (system) {
        struct energy_model *model = energy_create(system);
        area = energy_area(model, &lacking);
        energy_destroy(model);
    }
    ogv_system_destroy(system);
    ogv_arch_destroy(arch);
    return area;
}

static double area_of(struct search *search, const u32 *at)
{
    for (u32 i = 0; i < search->area_count; i++)
        if (!memcmp(search->areas[i].at, at, sizeof search->areas[i].at))
            return search->areas[i].area_mm2;
    search->areas = heap_grow(search->areas, search->area_count + 1, sizeof *search->areas);
    struct known_area *known = &search->areas[search->area_count++];
    memcpy(known->at, at, sizeof known->at);
    known->area_mm2 = area_work_out(search, at);
    return known->area_mm2;
}

static bool limit_is_known(const struct search_limit *limit)
{
    for (u32 i = 0; i < limit->formula->step_count; i++)
        if (limit->formula->steps[i].name && strcmp(limit->formula->steps[i].name, "area_mm2"))
            return false;
    return true;
}

static double area_name(void *context, const char *name)
{
    (void)name;
    return *(const double *)context;
}

/* How far a number is beyond its limit, as a part of it; 0 if it is not. */
static double limit_exceed(const struct search_limit *limit, double number)
{
    double beyond = limit->least ? limit->number - number : number - limit->number;
    if (isnan(number))
        return INFINITY;
    return beyond > 0 ? beyond / fmax(fabs(limit->number), 1e-9) : 0;
}

static double known_violation(void *context, const u32 *at)
{
    struct search *search = context;
    const struct search_plan *plan = search->study->search;
    double violation = study_excludes(search->study, at) ? 1 : 0;
    for (u32 i = 0; i < plan->limit_count && violation <= 0; i++) {
        if (!limit_is_known(&plan->limits[i]))
            continue;
        double area = area_of(search, at);
        if (!isnan(area))
            violation += limit_exceed(&plan->limits[i],
                                      formula_value(plan->limits[i].formula, area_name, &area));
    }
    return violation;
}

/* ---- Evaluating ---- */

static struct manifest *trials_manifest(struct search *search, const struct trial *trials,
                                        u32 count, struct ogv_error *error)
{
    struct point_list points = { heap_array(count, sizeof *points.items), count, 0 };
    bool good = true;
    for (u32 i = 0; i < count && good; i++)
        good = stage_point(search, trials[i].at, &points.items[i], error);
    struct manifest *manifest = good ? manifest_of(search->study, &points, NULL, error) : NULL;
    free(points.items);
    return manifest;
}

/* Goals, then limits. */
static void trial_fill(const struct search_plan *plan, const double *numbers, struct trial *trial)
{
    trial->violation = 0;
    for (u32 i = 0; i < plan->goal_count; i++) {
        trial->values[i] = plan->goals[i].maximise ? -numbers[i] : numbers[i];
        if (isnan(numbers[i]))
            trial->violation = INFINITY;
    }
    for (u32 i = 0; i < plan->limit_count; i++)
        trial->violation += limit_exceed(&plan->limits[i], numbers[plan->goal_count + i]);
}

static bool trials_read(struct search *search, const struct manifest *manifest,
                        struct trial *trials, u32 count, struct ogv_error *error)
{
    const struct search_plan *plan = search->study->search;
    const char *stats[OPTIMISE_OBJECTIVES_MAX + SEARCH_LIMITS_MAX];
    struct table_options options = { .stats = stats };
    struct table table;
    for (u32 i = 0; i < plan->goal_count; i++)
        stats[options.stat_count++] = plan->goals[i].text;
    for (u32 i = 0; i < plan->limit_count; i++)
        stats[options.stat_count++] = plan->limits[i].text;
    bool good = table_make(search->store, manifest, &options, &table, error);
    for (u32 i = 0; i < count && good; i++)
        trial_fill(plan, &table.of_runs[(size_t)i * options.stat_count], &trials[i]);
    table_fini(&table);
    return good;
}

static bool trials_evaluate(void *context, struct trial *trials, u32 count, struct ogv_error *error)
{
    struct search *search = context;
    struct crew crew = search->crew;
    struct crew_state state;
    struct manifest *manifest = trials_manifest(search, trials, count, error);
    crew.store = search->store;
    crew.manifest = manifest;
    bool good = manifest && crew_run(&crew, &state, error) &&
                trials_read(search, manifest, trials, count, error);
    manifest_destroy(manifest);
    if (good && search->tell)
        search->tell(search->context, search->stage,
                     &(struct search_found){ .trials = { trials, count } });
    return good;
}

/* ---- Stages ---- */

static void found_rank(const struct search_plan *plan, struct search_found *found)
{
    found->ranks = heap_array((size_t)found->trials.count + 1, sizeof *found->ranks);
    trials_rank(&found->trials, plan->goal_count, found->ranks);
}

static bool first_stage(struct search *search, struct ogv_error *error)
{
    const struct search_plan *plan = search->study->search;
    u32 counts[STUDY_AXES_MAX];
    u32 searchers = (plan->evaluations + SEARCHER_SHARE - 1) / SEARCHER_SHARE;
    for (u32 i = 0; i < search->study->axis_count; i++)
        counts[i] = search->study->axes[i].count;
    struct optimise optimise = { .counts = counts,
                                 .axis_count = search->study->axis_count,
                                 .objective_count = plan->goal_count,
                                 .evaluations = plan->evaluations,
                                 .searchers = searchers < SEARCHERS_MAX ? searchers : SEARCHERS_MAX,
                                 .seed = plan->seed,
                                 .known = known_violation,
                                 .evaluate = trials_evaluate,
                                 .context = search };
    bool good = optimise_run(&optimise, &search->stages[0].trials, error);
    found_rank(plan, &search->stages[0]);
    return good;
}

/* The best ones of the stage before: whole ranks, the last one in the order of evaluation. */
static bool next_stage(struct search *search, struct ogv_error *error)
{
    const struct search_plan *plan = search->study->search;
    const struct search_found *before = &search->stages[search->stage - 1];
    struct search_found *found = &search->stages[search->stage];
    u32 keep = plan->stages[search->stage - 1].keep, count = before->trials.count;
    found->trials.items = heap_array((size_t)keep + 1, sizeof *found->trials.items);
    for (u32 rank = 0; rank < count && found->trials.count < keep; rank++)
        for (u32 i = 0; i < count && found->trials.count < keep; i++)
            if (before->ranks[i] == rank && before->trials.items[i].violation <= 0)
                found->trials.items[found->trials.count++] = before->trials.items[i];
    count = found->trials.count;
    bool good = !count || trials_evaluate(search, found->trials.items, count, error);
    found_rank(plan, found);
    return good;
}

/* ---- The best ---- */

static void best_find(struct search *search)
{
    const struct search_found *last = &search->stages[search->study->search->stage_count - 1];
    search->best = UINT32_MAX;
    for (u32 i = 0; i < last->trials.count; i++) {
        const struct trial *trial = &last->trials.items[i];
        bool better = search->best == UINT32_MAX ||
                      trial->values[0] < last->trials.items[search->best].values[0];
        if (!last->ranks[i] && trial->violation <= 0 && better)
            search->best = i;
    }
}

static bool trials_have(const struct trial_list *trials, const u32 *at)
{
    for (u32 i = 0; i < trials->count; i++)
        if (!memcmp(trials->items[i].at, at, sizeof trials->items[i].at))
            return true;
    return false;
}

/* One value less or more on one axis; where `allowed`, only what is not known to break a limit. */
static void neighbours_list(struct search *search, bool allowed, struct trial_list *around)
{
    const struct study *study = search->study;
    const struct trial *best = &search->stages[search->stage].trials.items[search->best];
    around->count = 0;
    for (u32 i = 0; i < study->axis_count; i++) {
        for (int step = -1; step <= 1; step += 2) {
            struct trial trial = *best;
            if ((step < 0 && !trial.at[i]) || (step > 0 && trial.at[i] + 1 == study->axes[i].count))
                continue;
            trial.at[i] = step < 0 ? trial.at[i] - 1 : trial.at[i] + 1;
            if (allowed ? known_violation(search, trial.at) <= 0 : !study_excludes(study, trial.at))
                around->items[around->count++] = trial;
        }
    }
}

/* Adds those that are new to the last stage; says whether one of them is the best now. */
static bool neighbours_take(struct search *search, const struct trial_list *around)
{
    struct search_found *last = &search->stages[search->stage];
    u32 before = search->best;
    for (u32 i = 0; i < around->count; i++) {
        struct trial_list *trials = &last->trials;
        if (trials_have(trials, around->items[i].at))
            continue;
        trials->items = heap_grow(trials->items, trials->count + 1, sizeof *trials->items);
        trials->items[trials->count++] = around->items[i];
    }
    free(last->ranks);
    found_rank(search->study->search, last);
    best_find(search);
    return search->best != before;
}

/* From the best point to a neighbour that is better, as long as there is one, with as many
 * evaluations as the first stage may have. What is left in `around` are all neighbours of the best,
 * those included that break a limit: how steep it is there. */
static bool best_look_around(struct search *search, struct ogv_error *error)
{
    struct trial_list *around = &search->around.trials;
    const struct trial_list *last = &search->stages[search->stage].trials;
    bool good = true, better = search->best != UINT32_MAX;
    u32 most = last->count + search->study->search->evaluations;
    if (!better)
        return true;
    around->items = heap_array(2 * STUDY_AXES_MAX, sizeof *around->items);
    while (good && better && last->count < most) {
        neighbours_list(search, true, around);
        good = !around->count || trials_evaluate(search, around->items, around->count, error);
        better = good && neighbours_take(search, around);
    }
    neighbours_list(search, false, around);
    return good && (!around->count || trials_evaluate(search, around->items, around->count, error));
}

/* All runs of the last stage, so that tables and plots of the study show them. */
static bool search_keep(struct search *search, struct ogv_error *error)
{
    const struct trial_list *last = &search->stages[search->stage].trials;
    const struct trial_list *around = &search->around.trials;
    struct trial *all = heap_array((size_t)last->count + around->count + 1, sizeof *all);
    u32 count = last->count;
    memcpy(all, last->items, count * sizeof *all);
    for (u32 i = 0; i < around->count; i++)
        if (!trials_have(last, around->items[i].at))
            all[count++] = around->items[i];
    search->manifest = trials_manifest(search, all, count, error);
    free(all);
    return search->manifest && manifest_write(search->store, search->manifest, error);
}

bool search_run(struct search *search, struct ogv_error *error)
{
    const struct search_plan *plan = search->study->search;
    search->stage = 0;
    bool good = first_stage(search, error);
    for (u32 i = 1; good && i < plan->stage_count; i++) {
        search->stage = i;
        good = next_stage(search, error);
    }
    best_find(search);
    return good && best_look_around(search, error) && search_keep(search, error);
}

void search_fini(struct search *search)
{
    for (u32 i = 0; i < SEARCH_STAGES_MAX; i++) {
        free(search->stages[i].trials.items);
        free(search->stages[i].ranks);
    }
    free(search->around.trials.items);
    free(search->areas);
    manifest_destroy(search->manifest);
}
