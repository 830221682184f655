/* optimise.h - looks for the best points of a grid with few evaluations.
 *
 * First a sample that is spread over the grid; then searchers of NLopt set out, each from a good
 * point of the sample. A searcher moves in a box of real numbers; what it asks for is the point
 * of the grid next to it. Points that were evaluated are never evaluated again. Where evaluations
 * are as many as points, all are evaluated.
 *
 * With several objectives, each searcher minimises another weighted largest of them (Chebyshev's),
 * so that together they walk along the front.
 *
 * Always true: what is evaluated, and in which order, depends on the grid, the answers and the
 * seed; not on how many evaluations run at once. Searchers go in rounds: each names the point that
 * it needs, and none goes on before all of them have their answers. */
#ifndef EXPLORE_OPTIMISE_H
#define EXPLORE_OPTIMISE_H

#include "ogive/ogive.h"
#include "ogive/types.h"

#define OPTIMISE_AXES_MAX       16
#define OPTIMISE_OBJECTIVES_MAX 4

/* A point, and what came out of it. */
struct trial {
    u32 at[OPTIMISE_AXES_MAX];
    double values[OPTIMISE_OBJECTIVES_MAX]; /* the smaller, the better */
    double violation; /* of constraints: 0 if all hold; INFINITY: there are no values */
    u32 round;        /* from 0, the sample */
};

struct trial_list {
    struct trial *items; /* in the order in which they were evaluated; the caller frees */
    u32 count;
};

struct optimise {
    const u32 *counts; /* values of each axis */
    u32 axis_count, objective_count;
    u32 evaluations; /* at most */
    u32 searchers;   /* at once */
    u64 seed;
    /* By how much a point violates what is known without evaluating it, 0 if it does not: it costs
     * nothing, and a point that does is not evaluated. NULL: nothing is known. */
    double (*known)(void *context, const u32 *at);
    /* Fills in values and violations of some points. False ends the search. */
    bool (*evaluate)(void *context, struct trial *trials, u32 count, struct ogv_error *error);
    void *context;
};

/* False if an evaluation failed; the trials until then are there all the same. */
bool optimise_run(const struct optimise *optimise, struct trial_list *trials,
                  struct ogv_error *error);

/* Whether `a` is at least as good as `b` everywhere and better somewhere. What violates less is
 * better than anything that violates more. */
bool trial_dominates(const struct trial *a, const struct trial *b, u32 objectives);

/* Fills in the rank of each: 0 is dominated by none, 1 only by those of rank 0, and so on. */
void trials_rank(const struct trial_list *trials, u32 objectives, u32 *ranks);

#endif
