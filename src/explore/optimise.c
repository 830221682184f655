/* optimise.c - see optimise.h. NLopt calls back for every point, so each searcher has a thread of
 * its own, which waits while its point is evaluated; one of them runs at a time or all wait. */
#include "explore/optimise.h"

#include <math.h>
#include <nlopt.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

#define SAMPLE_PART  0.3 /* of the evaluations, for the sample */
#define IDLE_STARTS  12  /* in a row that name no new point, after which a searcher goes home */
#define NEAR         0.4 /* of a value: where a searcher stays so close, it has arrived */
#define STEPS        400 /* of one start at most, points that are known among them */
#define WEIGHT_LEAST 0.05
#define VIOLATED     2 /* what violates costs this and more; the sample costs 0 to 1 */

/* Both need no slopes, and little more than the order of values: what they see is steps, as values
 * of an axis lie apart. Neither is the better one everywhere, so searchers take turns. */
static const nlopt_algorithm algorithms[] = { NLOPT_LN_SBPLX, NLOPT_LN_NELDERMEAD };

struct searcher {
    struct course *course;
    pthread_t thread;
    u32 number;
    double weights[OPTIMISE_OBJECTIVES_MAX];
    struct trial wanted;
    bool waits, home;
    bool new; /* it has named a new point since it set out */
    nlopt_opt opt;
    u64 random;
};

struct course {
    const struct optimise *optimise;
    struct trial_list *trials;
    u32 axes[OPTIMISE_AXES_MAX], axis_count; /* those with a choice */
    double low[OPTIMISE_OBJECTIVES_MAX], span[OPTIMISE_OBJECTIVES_MAX];
    u32 most; /* points that there can be */
    u32 round;
    bool over;
    pthread_mutex_t lock;
    pthread_cond_t asked, answered;
    struct searcher *searchers;
};

static u64 random_next(u64 *state)
{
    u64 value = (*state += UINT64_C(0x9e3779b97f4a7c15));
    value = (value ^ value >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    value = (value ^ value >> 27) * UINT64_C(0x94d049bb133111eb);
    return value ^ value >> 31;
}

/* From 0 to 1, without 1. */
static double random_part(u64 *state)
{
    return (double)(random_next(state) >> 11) * 0x1p-53;
}

/* ---- Trials ---- */

bool trial_dominates(const struct trial *a, const struct trial *b, u32 objectives)
{
    bool better = false;
    if (a->violation != b->violation)
        return a->violation < b->violation;
    if (isinf(a->violation))
        return false;
    for (u32 i = 0; i < objectives; i++) {
        if (a->values[i] > b->values[i])
            return false;
        better = better || a->values[i] < b->values[i];
    }
    return better;
}

void trials_rank(const struct trial_list *trials, u32 objectives, u32 *ranks)
{
    u32 left = trials->count;
    memset(ranks, 0xff, trials->count * sizeof *ranks);
    for (u32 rank = 0; left; rank++) {
        for (u32 i = 0; i < trials->count; i++) {
            bool beaten = ranks[i] < rank;
            for (u32 k = 0; k < trials->count && !beaten; k++)
                beaten = ranks[k] >= rank &&
                         trial_dominates(&trials->items[k], &trials->items[i], objectives);
            if (!beaten) {
                ranks[i] = rank;
                left--;
            }
        }
    }
}

static const struct trial *trial_find(const struct trial_list *trials, const u32 *at)
{
    for (u32 i = 0; i < trials->count; i++)
        if (!memcmp(trials->items[i].at, at, sizeof trials->items[i].at))
            return &trials->items[i];
    return NULL;
}

static double known_violation(const struct course *course, const u32 *at)
{
    const struct optimise *optimise = course->optimise;
    return optimise->known ? optimise->known(optimise->context, at) : 0;
}

/* What a searcher minimises: every objective on a scale of its range in the sample. */
static double trial_cost(const struct searcher *searcher, const struct trial *trial)
{
    const struct course *course = searcher->course;
    double largest = -INFINITY, sum = 0;
    if (trial->violation > 0)
        return VIOLATED + fmin(trial->violation, 1e6);
    for (u32 i = 0; i < course->optimise->objective_count; i++) {
        double value = (trial->values[i] - course->low[i]) / course->span[i];
        largest = fmax(largest, searcher->weights[i] * value);
        sum += value;
    }
    return largest + 0.01 * sum;
}

/* ---- A searcher ---- */

/* The point of the grid that is nearest to a place; values of an axis are 1 apart. */
static void place_round(const struct course *course, const double *x, u32 *at)
{
    memset(at, 0, OPTIMISE_AXES_MAX * sizeof *at);
    for (u32 i = 0; i < course->axis_count; i++) {
        u32 axis = course->axes[i], count = course->optimise->counts[axis];
        double place = floor(x[i] + 0.5);
        at[axis] = place < 0 ? 0 : place >= count ? count - 1 : (u32)place;
    }
}

static double searcher_ask(unsigned count, const double *x, double *gradient, void *context)
{
    struct searcher *searcher = context;
    struct course *course = searcher->course;
    (void)count;
    (void)gradient;
    pthread_mutex_lock(&course->lock);
    place_round(course, x, searcher->wanted.at);
    double violation = known_violation(course, searcher->wanted.at);
    const struct trial *known = trial_find(course->trials, searcher->wanted.at);
    if (!known && violation <= 0 && !course->over) {
        searcher->waits = searcher->new = true;
        pthread_cond_signal(&course->asked);
        while (searcher->waits)
            pthread_cond_wait(&course->answered, &course->lock);
        known = trial_find(course->trials, searcher->wanted.at);
    }
    double cost = known ? trial_cost(searcher, known) : VIOLATED + violation;
    if (!known && violation <= 0)
        nlopt_force_stop(searcher->opt);
    pthread_mutex_unlock(&course->lock);
    return cost;
}

/* Of the objectives: at first each searcher has its own share of what lies between them, later any.
 */
static void weights_choose(struct searcher *searcher, u32 start)
{
    const struct optimise *optimise = searcher->course->optimise;
    u32 last = optimise->searchers - 1;
    double sum = 0;
    for (u32 i = 0; i < optimise->objective_count; i++) {
        searcher->weights[i] = WEIGHT_LEAST + random_part(&searcher->random);
        sum += searcher->weights[i];
    }
    for (u32 i = 0; i < optimise->objective_count; i++)
        searcher->weights[i] /= sum;
    if (optimise->objective_count == 2 && !start && last) {
        searcher->weights[0] = WEIGHT_LEAST + (double)searcher->number / last;
        searcher->weights[1] = 1 + 2 * WEIGHT_LEAST - searcher->weights[0];
    }
}

/* The n-th best of all so far, for this searcher. */
static const struct trial *start_best(const struct searcher *searcher, u32 rank)
{
    const struct trial_list *trials = searcher->course->trials;
    const struct trial *best = &trials->items[0];
    double above = -INFINITY;
    for (u32 n = 0; n <= rank; n++) {
        double least = INFINITY;
        for (u32 i = 0; i < trials->count; i++) {
            double cost = trial_cost(searcher, &trials->items[i]);
            if (cost > above && cost < least) {
                least = cost;
                best = &trials->items[i];
            }
        }
        above = least;
    }
    return best;
}

/* The first time from a good place, later from one near the best, or from anywhere. */
static void start_choose(struct searcher *searcher, u32 start, double *x)
{
    const struct course *course = searcher->course;
    const struct trial *from = start_best(searcher, start ? 0 : searcher->number);
    for (u32 i = 0; i < course->axis_count; i++) {
        u32 axis = course->axes[i], count = course->optimise->counts[axis];
        double random = random_part(&searcher->random);
        x[i] = from->at[axis];
        if (start % 3 == 2)
            x[i] = random * (count - 1);
        else if (start)
            x[i] = fmin(count - 1, fmax(0, x[i] + (random - 0.5) * 4));
    }
}

/* Steps as wide as a third of the box at first, then of a value or two. */
static void searcher_set_out(struct searcher *searcher, u32 start)
{
    struct course *course = searcher->course;
    double x[OPTIMISE_AXES_MAX], steps[OPTIMISE_AXES_MAX], ends[OPTIMISE_AXES_MAX], least;
    u32 dimensions = course->axis_count;
    searcher->opt = nlopt_create(algorithms[searcher->number % 2], dimensions);
    nlopt_set_min_objective(searcher->opt, searcher_ask, searcher);
    nlopt_set_lower_bounds1(searcher->opt, 0);
    nlopt_set_maxeval(searcher->opt, STEPS);
    pthread_mutex_lock(&course->lock);
    weights_choose(searcher, start);
    start_choose(searcher, start, x);
    pthread_mutex_unlock(&course->lock);
    for (u32 i = 0; i < dimensions; i++) {
        ends[i] = course->optimise->counts[course->axes[i]] - 1;
        steps[i] = start ? 1 : fmax(1, ends[i] / 4);
    }
    nlopt_set_upper_bounds(searcher->opt, ends);
    nlopt_set_xtol_abs1(searcher->opt, NEAR);
    nlopt_set_initial_step(searcher->opt, steps);
    nlopt_optimize(searcher->opt, x, &least);
    nlopt_destroy(searcher->opt);
}

static void *searcher_work(void *context)
{
    struct searcher *searcher = context;
    struct course *course = searcher->course;
    bool over = false;
    for (u32 start = 0, idle = 0; !over && idle < IDLE_STARTS; start++) {
        searcher->new = false;
        searcher_set_out(searcher, start);
        idle = searcher->new ? 0 : idle + 1;
        pthread_mutex_lock(&course->lock);
        over = course->over;
        pthread_mutex_unlock(&course->lock);
    }
    pthread_mutex_lock(&course->lock);
    searcher->home = true;
    pthread_cond_signal(&course->asked);
    pthread_mutex_unlock(&course->lock);
    return NULL;
}

/* ---- Rounds ---- */

static bool trials_has(const struct trial *trials, u32 count, const u32 *at)
{
    return trial_find(&(struct trial_list){ (struct trial *)(uintptr_t)trials, count }, at);
}

/* Adds them to what is known; false ends the search. */
static bool course_evaluate(struct course *course, struct trial *wanted, u32 count,
                            struct ogv_error *error)
{
    struct trial_list *trials = course->trials;
    for (u32 i = 0; i < count; i++)
        wanted[i].round = course->round;
    if (count && !course->optimise->evaluate(course->optimise->context, wanted, count, error))
        return false;
    memcpy(&trials->items[trials->count], wanted, count * sizeof *wanted);
    trials->count += count;
    course->round++;
    return true;
}

/* The points that searchers wait for, each once, as far as evaluations are left. */
static u32 round_collect(const struct course *course, struct trial *wanted)
{
    u32 count = 0, left = course->most - course->trials->count;
    for (u32 i = 0; i < course->optimise->searchers; i++) {
        const struct searcher *searcher = &course->searchers[i];
        if (searcher->waits && count < left && !trials_has(wanted, count, searcher->wanted.at))
            wanted[count++] = searcher->wanted;
    }
    return count;
}

/* How many wait; UINT32_MAX while one is still on its way. */
static u32 round_waiting(const struct course *course)
{
    u32 waiting = 0;
    for (u32 i = 0; i < course->optimise->searchers; i++) {
        if (!course->searchers[i].waits && !course->searchers[i].home)
            return UINT32_MAX;
        waiting += course->searchers[i].waits;
    }
    return waiting;
}

static bool course_follow(struct course *course, struct ogv_error *error)
{
    struct trial *wanted = heap_array(course->optimise->searchers, sizeof *wanted);
    bool good = true;
    u32 waiting;
    pthread_mutex_lock(&course->lock);
    for (;;) {
        while ((waiting = round_waiting(course)) == UINT32_MAX)
            pthread_cond_wait(&course->asked, &course->lock);
        if (!waiting)
            break;
        u32 count = course->over ? 0 : round_collect(course, wanted);
        good = good && course_evaluate(course, wanted, count, error);
        course->over = course->over || !good || course->trials->count == course->most;
        for (u32 i = 0; i < course->optimise->searchers; i++)
            course->searchers[i].waits = false;
        pthread_cond_broadcast(&course->answered);
    }
    pthread_mutex_unlock(&course->lock);
    free(wanted);
    return good;
}

/* ---- The sample ---- */

/* One value nearer to the first of all axes; false if it is there. */
static bool place_shrink(const struct course *course, u32 *at)
{
    bool moved = false;
    for (u32 i = 0; i < course->axis_count; i++) {
        moved = moved || at[course->axes[i]];
        at[course->axes[i]] -= at[course->axes[i]] > 0;
    }
    return moved;
}

/* Each axis is gone through evenly, in an order of its own (a Latin hypercube); the first point is
 * the middle of all. */
static void sample_choose(const struct course *course, u32 count, struct trial *sample, u32 *chosen)
{
    const struct optimise *optimise = course->optimise;
    u64 random = optimise->seed;
    u32(*order)[OPTIMISE_AXES_MAX] = heap_array(count, sizeof *order);
    for (u32 a = 0; a < course->axis_count; a++) {
        for (u32 i = 0; i < count; i++)
            order[i][a] = i;
        for (u32 i = count - 1; i > 0; i--) {
            u32 other = (u32)(random_next(&random) % (i + 1)), kept = order[i][a];
            order[i][a] = order[other][a];
            order[other][a] = kept;
        }
    }
    *chosen = 0;
    for (u32 i = 0; i < count; i++) {
        struct trial *trial = &sample[*chosen];
        double x[OPTIMISE_AXES_MAX];
        for (u32 a = 0; a < course->axis_count; a++)
            x[a] =
                (i ? (order[i][a] + 0.5) / count : 0.5) * (optimise->counts[course->axes[a]] - 1);
        place_round(course, x, trial->at);
        while (known_violation(course, trial->at) > 0 && place_shrink(course, trial->at))
            ;
        *chosen += !trials_has(sample, *chosen, trial->at);
    }
    free(order);
}

static void range_measure(struct course *course)
{
    for (u32 o = 0; o < course->optimise->objective_count; o++) {
        double low = INFINITY, high = -INFINITY;
        for (u32 i = 0; i < course->trials->count; i++) {
            const struct trial *trial = &course->trials->items[i];
            if (isinf(trial->violation))
                continue;
            low = fmin(low, trial->values[o]);
            high = fmax(high, trial->values[o]);
        }
        course->low[o] = low < high ? low - (high - low) / 4 : 0;
        course->span[o] = low < high ? high - low : 1;
    }
}

static bool course_sample(struct course *course, struct ogv_error *error)
{
    u32 count = (u32)(SAMPLE_PART * course->most), least = 2 * course->axis_count + 1;
    count = count > least ? least : count ? count : 1;
    struct trial *sample = heap_array(count, sizeof *sample);
    u32 chosen;
    sample_choose(course, count, sample, &chosen);
    bool good = course_evaluate(course, sample, chosen, error);
    free(sample);
    range_measure(course);
    return good;
}

/* ---- All of it ---- */

static bool course_search(struct course *course, struct ogv_error *error)
{
    u32 searchers = course->optimise->searchers, started = 0;
    course->searchers = heap_array(searchers, sizeof *course->searchers);
    pthread_mutex_init(&course->lock, NULL);
    pthread_cond_init(&course->asked, NULL);
    pthread_cond_init(&course->answered, NULL);
    for (u32 i = 0; i < searchers; i++) {
        struct searcher *searcher = &course->searchers[i];
        *searcher = (struct searcher){ .course = course, .number = i };
        searcher->random = course->optimise->seed * 1000003 + i + 1;
    }
    for (u32 i = 0; i < searchers; i++) {
        struct searcher *searcher = &course->searchers[i];
        bool made = !pthread_create(&searcher->thread, NULL, searcher_work, searcher);
        searcher->home = !made;
        started += made;
    }
    bool good = course_follow(course, error);
    for (u32 i = 0; i < started; i++)
        pthread_join(course->searchers[i].thread, NULL);
    pthread_cond_destroy(&course->asked);
    pthread_cond_destroy(&course->answered);
    pthread_mutex_destroy(&course->lock);
    free(course->searchers);
    return good;
}

/* Where all points may be evaluated, there is nothing to search. */
static bool course_whole(struct course *course, struct ogv_error *error)
{
    const struct optimise *optimise = course->optimise;
    struct trial *all = heap_array(course->most, sizeof *all), next = { 0 };
    u32 count = 0, axis = 0;
    while (axis < optimise->axis_count || !optimise->axis_count) {
        if (known_violation(course, next.at) <= 0)
            all[count++] = next;
        for (axis = 0; axis < optimise->axis_count; axis++) {
            if (++next.at[axis] < optimise->counts[axis])
                break;
            next.at[axis] = 0;
        }
        if (!optimise->axis_count)
            break;
    }
    bool good = course_evaluate(course, all, count, error);
    free(all);
    return good;
}

bool optimise_run(const struct optimise *optimise, struct trial_list *trials,
                  struct ogv_error *error)
{
    struct course course = { .optimise = optimise, .trials = trials };
    double points = 1;
    for (u32 i = 0; i < optimise->axis_count; i++) {
        points *= optimise->counts[i];
        if (optimise->counts[i] > 1)
            course.axes[course.axis_count++] = i;
    }
    bool whole = points <= optimise->evaluations;
    course.most = whole ? (u32)points : optimise->evaluations;
    *trials = (struct trial_list){ heap_array((size_t)course.most + 1, sizeof *trials->items), 0 };
    if (whole)
        return course_whole(&course, error);
    return course_sample(&course, error) &&
           (trials->count == course.most || course_search(&course, error));
}
