/* search_plan.c - reads `search:` of a study. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "arch/plan.h"
#include "base/error.h"
#include "base/text.h"
#include "explore/search.h"

#define EVALUATIONS_DEFAULT 40
#define EVALUATIONS_MAX     10000
#define KEEP_DEFAULT        8

static bool number_read(const struct node *node, double least, double most, double *number,
                        struct ogv_error *error)
{
    char *end = NULL;
    *number = node->kind == NODE_TEXT ? strtod(node->text, &end) : NAN;
    if (end && end != node->text && !*end && *number >= least && *number <= most)
        return true;
    return place_error(error, node->place, "%s: takes a number from %.15g to %.15g", node->key,
                       least, most);
}

static bool whole_read(const struct node *node, double most, double *number,
                       struct ogv_error *error)
{
    return number_read(node, 1, most, number, error) &&
           (*number == floor(*number) ||
            place_error(error, node->place, "%s: takes a whole number", node->key));
}

/* A formula, checked where it stands. */
static struct formula *formula_read(const struct node *node, const char *text,
                                    struct ogv_error *error)
{
    struct ogv_error why;
    struct formula *formula = formula_parse(text, &why);
    if (!formula)
        place_error(error, node->place, "%s", why.message);
    return formula;
}

/* ---- Goals ---- */

static bool goal_add(struct search_plan *plan, const struct node *node, bool maximise,
                     struct ogv_error *error)
{
    if (!node_expect(node, NODE_TEXT, error))
        return false;
    if (plan->goal_count == OPTIMISE_OBJECTIVES_MAX)
        return place_error(error, node->place, "a search has at most %d goals",
                           OPTIMISE_OBJECTIVES_MAX);
    struct formula *formula = formula_read(node, node->text, error);
    plan->goals[plan->goal_count++] = (struct search_goal){ node->text, maximise };
    formula_free(formula);
    return formula;
}

static bool goals_read(struct search_plan *plan, const struct node *node, bool maximise,
                       struct ogv_error *error)
{
    if (node->kind != NODE_LIST)
        return goal_add(plan, node, maximise, error);
    for (u32 i = 0; i < node->count; i++)
        if (!goal_add(plan, node->items[i], maximise, error))
            return false;
    return true;
}

/* ---- Limits ---- */

static bool limits_read(struct search_plan *plan, const struct node *map, bool least,
                        struct ogv_error *error)
{
    if (!node_expect(map, NODE_MAP, error))
        return false;
    for (u32 i = 0; i < map->count; i++) {
        const struct node *item = map->items[i];
        if (plan->limit_count == SEARCH_LIMITS_MAX)
            return place_error(error, item->born, "a search has at most %d limits",
                               SEARCH_LIMITS_MAX);
        struct search_limit *limit = &plan->limits[plan->limit_count];
        *limit = (struct search_limit){ .text = item->key, .least = least };
        if (!number_read(item, -1e18, 1e18, &limit->number, error))
            return false;
        limit->formula = formula_read(item, item->key, error);
        if (!limit->formula)
            return false;
        plan->limit_count++;
    }
    return true;
}

/* ---- Stages ---- */

/* A map of options as under `run:`, and `keep`. */
static bool stage_read(struct study *study, const struct node *map, struct ogv_error *error)
{
    struct search_plan *plan = study->search;
    double keep = KEEP_DEFAULT;
    if (!node_expect(map, NODE_MAP, error))
        return false;
    if (plan->stage_count == SEARCH_STAGES_MAX - 1)
        return place_error(error, map->place, "a search has at most %d stages before the last",
                           SEARCH_STAGES_MAX - 1);
    struct search_stage *stage = &plan->stages[plan->stage_count++];
    struct node *options = node_new(&study->region, NODE_MAP, map->place);
    for (u32 i = 0; i < map->count; i++) {
        if (strcmp(map->items[i]->key, "keep"))
            node_append(&study->region, options, map->items[i]);
        else if (!whole_read(map->items[i], EVALUATIONS_MAX, &keep, error))
            return false;
    }
    stage->keep = (u32)keep;
    return patch_read(&study->region, options, study->path, "a stage, besides `keep`",
                      &stage->patch, error);
}

static bool stages_read(struct study *study, const struct node *list, struct ogv_error *error)
{
    if (!node_expect(list, NODE_LIST, error))
        return false;
    for (u32 i = 0; i < list->count; i++)
        if (!stage_read(study, list->items[i], error))
            return false;
    return true;
}

/* ---- All of it ---- */

static bool item_read(struct study *study, const struct node *item, struct ogv_error *error)
{
    static const char *const known[] = { "maximise",    "minimise", "at_most", "at_least",
                                         "evaluations", "seed",     "stages",  NULL };
    struct search_plan *plan = study->search;
    double number;
    u32 key = 0;
    while (known[key] && strcmp(known[key], item->key))
        key++;
    switch (key) {
    case 0:
    case 1:
        return goals_read(plan, item, key == 0, error);
    case 2:
    case 3:
        return limits_read(plan, item, key == 3, error);
    case 4:
        if (!whole_read(item, EVALUATIONS_MAX, &number, error))
            return false;
        plan->evaluations = (u32)number;
        return true;
    case 5:
        if (!whole_read(item, 9e15, &number, error))
            return false;
        plan->seed = (u64)number;
        return true;
    case 6:
        return stages_read(study, item, error);
    default:
        return key_unknown(item, "search", known, error);
    }
}

bool search_read(struct study *study, const struct node *map, struct ogv_error *error)
{
    if (!node_expect(map, NODE_MAP, error))
        return false;
    study->search = heap_array(1, sizeof *study->search);
    study->search->evaluations = EVALUATIONS_DEFAULT;
    study->search->seed = 1;
    for (u32 i = 0; i < map->count; i++)
        if (!item_read(study, map->items[i], error))
            return false;
    study->search->stage_count++;
    if (study->search->goal_count)
        return true;
    return place_error(error, map->place,
                       "search: nothing is searched for; write `maximise: mrays_per_s` or "
                       "`minimise:` with a figure, a statistic or a formula of them");
}

void search_plan_free(struct search_plan *plan)
{
    if (!plan)
        return;
    for (u32 i = 0; i < plan->limit_count; i++)
        formula_free(plan->limits[i].formula);
    free(plan);
}
