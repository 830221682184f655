/* search.h - the best runs of a study, without making all of them.
 *
 *     search:
 *       maximise: mrays_per_s           a figure, a statistic, a formula of them, or a list
 *       minimise: nj_per_ray
 *       at_most: { area_mm2: 120 }      what has to hold besides, formula by formula
 *       at_least: { sm.l1.hit_rate: 0.5 }
 *       evaluations: 40                 of the first stage, at most
 *       seed: 1
 *       stages:                         cheap ones first; the last is the study as it is
 *         - { size: 16x16, keep: 8 }    how many of them go on to the next
 *
 * Evaluations are runs like any other, in the same store: one that is there is taken, so a search
 * that was interrupted goes on when it is started again. The first stage looks for good points
 * (optimise.h); the next ones evaluate what is left of them; at last the best point's neighbours
 * are evaluated, as long as one of them is better. What a constraint says of area_mm2 alone is
 * known without a run. */
#ifndef EXPLORE_SEARCH_H
#define EXPLORE_SEARCH_H

#include "explore/crew.h"
#include "explore/optimise.h"

#define SEARCH_STAGES_MAX 8
#define SEARCH_LIMITS_MAX 16

struct search_goal {
    const char *text; /* a formula */
    bool maximise;
};

struct search_limit {
    const char *text;
    struct formula *formula;
    double number;
    bool least; /* else the most that it may be */
};

struct search_stage {
    struct patch patch;
    u32 keep; /* of its points go on; 0 for the last one */
};

struct search_plan {
    struct search_goal goals[OPTIMISE_OBJECTIVES_MAX];
    struct search_limit limits[SEARCH_LIMITS_MAX];
    struct search_stage stages[SEARCH_STAGES_MAX]; /* the last one changes nothing */
    u32 goal_count, limit_count, stage_count;
    u32 evaluations;
    u64 seed;
};

/* What came out of a stage. Values are as the goals have them, not turned round. */
struct search_found {
    struct trial_list trials;
    u32 *ranks; /* by trial; 0: dominated by none */
};

struct search {
    struct study *study;
    const struct store *store;
    struct crew crew; /* how runs are made; store and manifest are filled in */
    /* A stage begins, or some of its runs have ended. May be NULL. */
    void (*tell)(void *context, u32 stage, const struct search_found *found);
    void *context;

    struct search_found stages[SEARCH_STAGES_MAX];
    struct search_found around; /* the best point's neighbours on each axis */
    u32 best;                   /* of the last stage's trials; UINT32_MAX: none holds all limits */
    struct manifest *manifest;  /* of all runs of the last stage */

    /* While it goes on. */
    u32 stage;
    struct known_area *areas;
    u32 area_count;
};

/* False if it was interrupted or the store fails; what was found until then is there. */
bool search_run(struct search *search, struct ogv_error *error);
void search_fini(struct search *search);

#endif
