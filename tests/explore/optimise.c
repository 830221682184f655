/* optimise.c - the search over a grid: it finds what the full grid has, evaluates nothing twice,
 * and goes the same way every time. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/error.h"
#include "explore/optimise.h"

#define AXES 3

/* A machine as it might be: rates rise with all three and saturate, area rises with all three. */
struct made_up {
    u32 counts[AXES];
    double best[AXES]; /* where each saturates, from 0 to 1 */
    double area_limit;
    u32 objectives, evaluated, most_at_once, fail_after;
};

static void made_up_value(const struct made_up *made, struct trial *trial)
{
    double rate = 1, area = 0;
    for (u32 i = 0; i < AXES; i++) {
        double x = (double)trial->at[i] / (made->counts[i] - 1);
        rate *= 1 - exp(-(0.3 + 3 * x) / (made->best[i] + 0.1));
        area += (i + 1) * x * x + x;
    }
    trial->values[0] = -rate;
    trial->values[1] = area;
    trial->violation = made->area_limit > 0 ? fmax(0, area - made->area_limit) : 0;
}

static bool made_up_evaluate(void *context, struct trial *trials, u32 count,
                             struct ogv_error *error)
{
    struct made_up *made = context;
    for (u32 i = 0; i < count; i++)
        made_up_value(made, &trials[i]);
    made->evaluated += count;
    made->most_at_once = count > made->most_at_once ? count : made->most_at_once;
    if (made->fail_after && made->evaluated > made->fail_after)
        return error_user(error, "enough");
    return true;
}

static double made_up_known(void *context, const u32 *at)
{
    struct trial trial;
    memcpy(trial.at, at, sizeof trial.at);
    made_up_value(context, &trial);
    return trial.violation;
}

static bool made_up_search(struct made_up *made, u32 evaluations, u64 seed,
                           struct trial_list *trials, struct ogv_error *error)
{
    struct optimise optimise = { .counts = made->counts,
                                 .axis_count = AXES,
                                 .objective_count = made->objectives,
                                 .evaluations = evaluations,
                                 .searchers = 4,
                                 .seed = seed,
                                 .known = made_up_known,
                                 .evaluate = made_up_evaluate,
                                 .context = made };
    return optimise_run(&optimise, trials, error);
}

/* All points of the grid. */
static struct trial_list made_up_grid(const struct made_up *made)
{
    struct trial_list all = { calloc(10000, sizeof *all.items), 0 };
    for (u32 a = 0; a < made->counts[0]; a++)
        for (u32 b = 0; b < made->counts[1]; b++)
            for (u32 c = 0; c < made->counts[2]; c++) {
                struct trial *trial = &all.items[all.count++];
                *trial = (struct trial){ .at = { a, b, c } };
                made_up_value(made, trial);
            }
    return all;
}

static const struct trial *best_of(const struct trial_list *trials)
{
    const struct trial *best = &trials->items[0];
    for (u32 i = 1; i < trials->count; i++)
        if (trial_dominates(&trials->items[i], best, 1))
            best = &trials->items[i];
    return best;
}

static const struct made_up machines[] = {
    { { 8, 8, 6 }, { 0.2, 0.5, 0.4 }, 3.0, 1, 0, 0, 0 },
    { { 8, 8, 6 }, { 0.9, 0.1, 0.4 }, 2.0, 1, 0, 0, 0 },
    { { 10, 5, 8 }, { 0.4, 0.4, 0.1 }, 4.5, 1, 0, 0, 0 },
    { { 12, 6, 6 }, { 0.1, 0.9, 0.9 }, 1.2, 1, 0, 0, 0 },
};

/* A tenth of the grid is enough to come within 5% of the best, whatever the seed, and mostly to
 * find it. */
static void best_is_found_with_a_tenth(void **state)
{
    (void)state;
    struct ogv_error error;
    u32 exact = 0, tried = 0;
    for (u32 m = 0; m < sizeof machines / sizeof *machines; m++) {
        struct trial_list all = made_up_grid(&machines[m]);
        double wanted = best_of(&all)->values[0];
        for (u64 seed = 1; seed <= 8; seed++) {
            struct made_up made = machines[m];
            struct trial_list trials;
            assert_true(made_up_search(&made, all.count / 10, seed, &trials, &error));
            assert_true(trials.count <= all.count / 10);
            const struct trial *best = best_of(&trials);
            assert_true(best->violation == 0);
            if (best->values[0] > wanted * 0.95)
                fail_msg("machine %u, seed %u: %g instead of %g", m, (u32)seed, -best->values[0],
                         -wanted);
            exact += best->values[0] == wanted;
            tried++;
            free(trials.items);
        }
        free(all.items);
    }
    assert_true(exact * 4 > tried * 3);
}

static void nothing_is_evaluated_twice(void **state)
{
    (void)state;
    struct made_up made = machines[0];
    struct trial_list trials;
    struct ogv_error error;
    assert_true(made_up_search(&made, 60, 3, &trials, &error));
    assert_int_equal(trials.count, made.evaluated);
    for (u32 i = 0; i < trials.count; i++)
        for (u32 k = 0; k < i; k++)
            assert_memory_not_equal(trials.items[i].at, trials.items[k].at,
                                    sizeof trials.items[i].at);
    assert_true(made.most_at_once > 1);
    free(trials.items);
}

static void same_seed_goes_the_same_way(void **state)
{
    (void)state;
    struct ogv_error error;
    struct trial_list trials[3];
    for (u32 i = 0; i < 3; i++) {
        struct made_up made = machines[1];
        assert_true(made_up_search(&made, 38, i < 2 ? 1 : 2, &trials[i], &error));
    }
    assert_int_equal(trials[0].count, trials[1].count);
    assert_memory_equal(trials[0].items, trials[1].items,
                        trials[0].count * sizeof *trials[0].items);
    assert_memory_not_equal(trials[0].items, trials[2].items, 20 * sizeof *trials[0].items);
    for (u32 i = 0; i < 3; i++)
        free(trials[i].items);
}

/* How much of the plane in front of (0, 6) a front covers: what a designer may choose from. */
static double front_area(const struct trial_list *trials)
{
    double covered = 0;
    for (u32 step = 0; step < 200; step++) {
        double area = 6 * (step + 0.5) / 200, best = 0;
        for (u32 i = 0; i < trials->count; i++)
            if (trials->items[i].values[1] <= area)
                best = fmax(best, -trials->items[i].values[0]);
        covered += best;
    }
    return covered / 200;
}

static void front_is_found_with_a_fifth(void **state)
{
    (void)state;
    struct ogv_error error;
    double mean = 0;
    for (u64 seed = 1; seed <= 5; seed++) {
        struct made_up made = machines[0];
        made.area_limit = 0;
        made.objectives = 2;
        struct trial_list all = made_up_grid(&made), trials;
        assert_true(made_up_search(&made, all.count / 5, seed, &trials, &error));
        double found = front_area(&trials), wanted = front_area(&all);
        mean += found / wanted / 5;
        free(trials.items);
        free(all.items);
    }
    if (mean < 0.9)
        fail_msg("only %g of what the front of all points covers", mean);
}

static void small_grids_are_evaluated_whole(void **state)
{
    (void)state;
    struct made_up made = { { 3, 2, 2 }, { 0.5, 0.5, 0.5 }, 2, 1, 0, 0, 0 };
    struct trial_list trials;
    struct ogv_error error;
    assert_true(made_up_search(&made, 100, 1, &trials, &error));
    struct trial_list all = made_up_grid(&made);
    u32 allowed = 0;
    for (u32 i = 0; i < all.count; i++)
        allowed += all.items[i].violation <= 0;
    assert_int_equal(trials.count, allowed);
    assert_true(best_of(&trials)->values[0] == best_of(&all)->values[0]);
    free(all.items);
    free(trials.items);
    struct made_up one = { { 1, 1, 1 }, { 0.5, 0.5, 0.5 }, 0, 1, 0, 0, 0 };
    assert_true(made_up_search(&one, 100, 1, &trials, &error));
    assert_int_equal(trials.count, 1);
    free(trials.items);
}

static void failures_end_it_with_what_there_is(void **state)
{
    (void)state;
    struct made_up made = machines[0];
    struct trial_list trials;
    struct ogv_error error = { 0 };
    made.fail_after = 12;
    assert_false(made_up_search(&made, 38, 1, &trials, &error));
    assert_string_equal(error.message, "enough");
    assert_true(trials.count > 0 && trials.count <= 12);
    free(trials.items);
}

static void ranks_are_layers_of_the_front(void **state)
{
    (void)state;
    struct trial items[] = {
        { .values = { 1, 3 } },
        { .values = { 2, 2 } },
        { .values = { 3, 3 } },
        { .values = { 0, 0 }, .violation = 1 },
        { .values = { 0, 0 }, .violation = INFINITY },
        { .values = { 4, 4 } },
    };
    const u32 wanted[] = { 0, 0, 1, 3, 4, 2 };
    u32 ranks[6];
    trials_rank(&(struct trial_list){ items, 6 }, 2, ranks);
    assert_memory_equal(ranks, wanted, sizeof ranks);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(best_is_found_with_a_tenth),
        cmocka_unit_test(nothing_is_evaluated_twice),
        cmocka_unit_test(same_seed_goes_the_same_way),
        cmocka_unit_test(front_is_found_with_a_fifth),
        cmocka_unit_test(small_grids_are_evaluated_whole),
        cmocka_unit_test(failures_end_it_with_what_there_is),
        cmocka_unit_test(ranks_are_layers_of_the_front),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
