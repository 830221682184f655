/* estimate.c - from counters of parts to those of the whole: made-up counters, answers by hand. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "ogive/unit.h"
#include "predict/estimate.h"
#include "predict/interval.h"

/* ---- A part with nine counters ---- */

enum { INSTRUCTIONS, GIVEN, MISSES, LARGEST, MEAN_OF, REQUESTS, READS, CLOCKS, WAITS, CELLS };

static struct stat_rule cells[CELLS] = {
    [INSTRUCTIONS] = { .combine = SUM, .scale = WORK, .work = true },
    [GIVEN] = { .combine = SUM, .scale = WORK, .pieces = true },
    [MISSES] = { .combine = SUM, .scale = WORK },
    [LARGEST] = { .combine = MAX, .scale = RATE },
    [MEAN_OF] = { .combine = MEAN, .scale = FIXED },
    [REQUESTS] = { .combine = SUM, .scale = WORK, .shared = true, .demand = 1 },
    [READS] = { .combine = SUM, .scale = WORK, .shared = true },
    [CLOCKS] = { .combine = SUM, .scale = WORK, .shared = true },
    [WAITS] = { .combine = SUM, .scale = WORK, .time = true },
};
static const struct rules rules = { CELLS, cells };

#define POINTS 101

/* 100 pieces of 10 instructions each. The first 20 cycles bring 30 misses besides one for each
 * piece; the last 10 cycles bring no more pieces. A shared cache is asked four times for a piece
 * and reads twice, and 50 times more in the beginning. */
static void sample_make(struct sample *sample, double *times, double *counts)
{
    *sample = (struct sample){ CELLS, POINTS, times, counts, 110, 0, 0 };
    for (u32 i = 0; i < POINTS; i++) {
        double *row = &counts[i * CELLS], done = i;
        times[i] = i < POINTS - 1 ? i + 1 : 110;
        row[INSTRUCTIONS] = 10 * done;
        row[GIVEN] = fmin(100, done + 10);
        row[MISSES] = done + 30 * fmin(1, done / 20);
        row[LARGEST] = 7;
        row[MEAN_OF] = 3;
        row[REQUESTS] = 4 * done;
        row[READS] = 2 * done + 50 * fmin(1, done / 20);
        row[CLOCKS] = 2 * times[i];
        row[WAITS] = 3 * done;
    }
}

static struct part part_of(const struct sample *sample, double machine, double work)
{
    return (struct part){
        .sample = sample, .machine = machine, .frame = 1, .work = work, .pieces = 100, .warm = 0.25
    };
}

static void start_and_end_count_once(void **state)
{
    double times[POINTS], counts[POINTS * CELLS], out[CELLS];
    struct sample sample;
    sample_make(&sample, times, counts);
    struct part part = part_of(&sample, 6, 3);
    struct steady steady = steady_find(&rules, &part);
    assert_true(steady.found && steady.full);
    double cycles = estimate_part(&rules, &part, &steady, NO_BLOCK, out);
    assert_float_equal(cycles, 110 + 200, 1e-6);
    assert_float_equal(out[INSTRUCTIONS], 6 * 3000, 1e-6);
    assert_float_equal(out[MISSES], 6 * (130 + 200), 1e-6);
    assert_float_equal(out[LARGEST], 7, 0);
    assert_float_equal(out[MEAN_OF], 3, 0);
    assert_float_equal(out[REQUESTS], 6 * 1200, 1e-6);
    assert_float_equal(out[READS], 6 * 600 + 50, 1e-6); /* cold once, not six times */
    assert_float_equal(out[CLOCKS], 6 * 2 * 310, 1e-6);
    (void)state;
}

/* A memory that took the requests of all counts as it is, and of a sample of them so many times. */
static void memory_of_all_counts_as_it_is(void **state)
{
    double times[POINTS], counts[POINTS * CELLS], out[CELLS];
    struct sample sample;
    (void)state;
    sample_make(&sample, times, counts);
    struct part part = part_of(&sample, 6, 1.1);
    part.haunted = true;
    struct steady steady = steady_find(&rules, &part);
    estimate_part(&rules, &part, &steady, NO_BLOCK, out);
    assert_float_equal(out[READS], 200 + 50, 1e-6);
    part.frame = 3;
    estimate_part(&rules, &part, &steady, NO_BLOCK, out);
    assert_float_equal(out[READS], 3 * 250, 1e-6);
    steady.found = false;
    estimate_part(&rules, &part, &steady, NO_BLOCK, out);
    assert_float_equal(out[READS], 3 * 250, 1e-6);
}

/* The last 10 of 110 cycles do the work of one; all before is done at the rate of the frame. */
static void the_end_of_a_sample_comes_once(void **state)
{
    double times[POINTS], counts[POINTS * CELLS], out[CELLS];
    struct sample sample;
    (void)state;
    sample_make(&sample, times, counts);
    struct part part = part_of(&sample, 6, 3);
    part.haunted = true;
    struct steady steady = steady_find(&rules, &part);
    assert_float_equal(estimate_part(&rules, &part, &steady, NO_BLOCK, out), 110 + 2 * 101, 1e-6);
    assert_float_equal(out[MISSES], 6 * (130 + 2 * 130), 1e-6);
    assert_float_equal(out[CLOCKS], 2 * 312, 1e-6); /* of the memory: there is one */
    assert_float_equal(estimate_part(&rules, &part, &steady, 3, out), 110 + 2 * 101, 4);
}

/* Of 1000 instructions threads do 100 before their pieces, which each of all threads does once; the
 * pieces of all do 12345. */
static void what_is_known_is_not_estimated(void **state)
{
    double times[POINTS], counts[POINTS * CELLS], out[CELLS];
    struct sample sample;
    (void)state;
    sample_make(&sample, times, counts);
    struct part part = part_of(&sample, 6, 3);
    part.haunted = true;
    part.known[0] = (struct known){ 900, 12345 };
    part.known[1] = (struct known){ 130, 1000 }; /* which is what `misses` counts */
    struct steady steady = steady_find(&rules, &part);
    double cycles = estimate_part(&rules, &part, &steady, NO_BLOCK, out);
    assert_float_equal(cycles, 110 + 2 * 90, 1e-6); /* 11 cycles less: the first 100 take that */
    assert_float_equal(out[INSTRUCTIONS], 12345 + 6 * 100, 1e-6);
    assert_float_equal(out[MISSES], 1000, 1e-6);
}

/* Misses that are on the whole as many as cycles, but not all the time, are not taken for cycles.
 */
static void what_counts_time_does_so_all_the_time(void **state)
{
    double times[POINTS], counts[POINTS * CELLS], out[CELLS];
    struct sample sample;
    (void)state;
    sample_make(&sample, times, counts);
    struct part part = part_of(&sample, 6, 3);
    part.haunted = true;
    part.frame = 4;
    struct steady steady = steady_find(&rules, &part);
    u32 first = steady.bounds[0], last = steady.bounds[BLOCKS];
    for (u32 i = 0; i < POINTS; i++) {
        double share = i < first ? 0 : i > last ? 1 : (double)(i - first) / (last - first);
        double way = times[first] + share * (times[last] - times[first]);
        bool within = i > first && i < last;
        counts[i * CELLS + READS] = within ? way + 5 * share * (1 - share) : times[i];
    }
    estimate_part(&rules, &part, &steady, NO_BLOCK, out);
    assert_float_equal(out[READS], 4 * 110, 1e-6);
}

/* The first piece of each of ten threads. */
static struct part part_of_ten(const struct sample *sample)
{
    struct part part = part_of(sample, 6, 3);
    part.haunted = true;
    part.threads = 10;
    part.known[0] = (struct known){ 1000, 18000 };
    return part;
}

/* They take 30 cycles instead of 10, 20 more of the 120 in which the part is busy. */
static void a_slow_beginning_comes_once(void **state)
{
    double times[POINTS], counts[POINTS * CELLS], out[CELLS];
    struct sample sample;
    (void)state;
    sample_make(&sample, times, counts);
    sample.cycles = 135;
    for (u32 i = 0; i < POINTS; i++)
        times[i] = i < POINTS - 1 ? i + 2 * fmin(i, 10) : 135;
    struct part part = part_of_ten(&sample);
    struct steady steady = steady_find(&rules, &part);
    assert_float_equal(estimate_part(&rules, &part, &steady, NO_BLOCK, out), 135 + 2 * 100, 1e-6);
    assert_float_equal(out[WAITS], 6 * (300 + 2 * 250), 1e-6);  /* is of time, */
    assert_float_equal(out[MISSES], 6 * (130 + 2 * 130), 1e-6); /* this is not */
}

/* They take 5 cycles instead of 10: the frame is like that there. */
static void a_fast_beginning_is_the_frame_s(void **state)
{
    double times[POINTS], counts[POINTS * CELLS], out[CELLS];
    struct sample sample;
    (void)state;
    sample_make(&sample, times, counts);
    sample.cycles = 105;
    for (u32 i = 0; i < POINTS; i++)
        times[i] = i < POINTS - 1 ? i - fmin(i, 10) / 2 : 105;
    struct part part = part_of_ten(&sample);
    struct steady steady = steady_find(&rules, &part);
    assert_float_equal(estimate_part(&rules, &part, &steady, NO_BLOCK, out), 105 + 2 * 95, 1e-6);
    assert_float_equal(out[WAITS], 6 * 3 * 300, 1e-6);
}

static void linear_takes_all_for_growing(void **state)
{
    double times[POINTS], counts[POINTS * CELLS], out[CELLS];
    struct sample sample;
    sample_make(&sample, times, counts);
    struct part part = part_of(&sample, 2, 3);
    struct steady never = { .found = false };
    assert_float_equal(estimate_part(&rules, &part, &never, NO_BLOCK, out), 330, 1e-9);
    assert_float_equal(out[MISSES], 2 * 3 * 130, 1e-9);
    assert_float_equal(out[LARGEST], 7, 0);
    (void)state;
}

static void all_of_the_work_is_itself(void **state)
{
    double times[POINTS], counts[POINTS * CELLS], out[CELLS];
    struct sample sample;
    sample_make(&sample, times, counts);
    struct part part = part_of(&sample, 1, 1);
    struct steady steady = steady_find(&rules, &part);
    assert_true(estimate_part(&rules, &part, &steady, NO_BLOCK, out) == 110);
    for (u32 i = 0; i < CELLS; i++)
        assert_true(out[i] == sample_at(&sample, POINTS - 1)[i]);
    (void)state;
}

/* All pieces are given out at once: nothing tells what one more would take. */
static void a_part_that_is_never_full_is_told(void **state)
{
    double times[POINTS], counts[POINTS * CELLS];
    struct sample sample;
    sample_make(&sample, times, counts);
    for (u32 i = 0; i < POINTS; i++)
        counts[i * CELLS + GIVEN] = 100;
    struct part part = part_of(&sample, 1, 3);
    assert_false(steady_find(&rules, &part).full);
    (void)state;
}

static void means_and_largest_of_several(void **state)
{
    double mean[CELLS] = { 0 };
    const double first[CELLS] = { 10, 0, 4, 9, 1, 0, 0, 0, 0 };
    const double second[CELLS] = { 20, 0, 8, 5, 3, 0, 0, 0, 0 };
    estimate_add(&rules, first, 0, mean);
    estimate_add(&rules, second, 1, mean);
    assert_float_equal(mean[INSTRUCTIONS], 15, 1e-12);
    assert_float_equal(mean[MISSES], 6, 1e-12);
    assert_float_equal(mean[LARGEST], 9, 0);
    assert_float_equal(mean[MEAN_OF], 2, 1e-12);
    (void)state;
}

/* 5 + 3 * 2^x, one step a tenth: at 1 it is 8 steps from 0.2. */
static void exponential_goes_through_three(void **state)
{
    const double curve[] = { 5 + 3, 5 + 6, 5 + 12 }, line[] = { 2, 3, 4 }, flat[] = { 4, 4, 4 };
    assert_float_equal(exponential_extend(curve, 0.2, 0.1), 5 + 3 * 256, 1e-6);
    assert_float_equal(exponential_extend(line, 0.2, 0.1), 10, 1e-9);
    assert_float_equal(exponential_extend(flat, 0.2, 0.1), 4, 1e-9);
    (void)state;
}

/* Of a mean, the jackknife gives the standard error itself: of 1, 2, 3, 4 that is sqrt(5/3 / 4). */
static void jackknife_of_a_mean(void **state)
{
    const double values[] = { 1, 2, 3, 4 };
    double left[4];
    for (u32 i = 0; i < 4; i++)
        left[i] = (10 - values[i]) / 3;
    assert_float_equal(jackknife_error(left, 4), sqrt(5.0 / 12), 1e-12);
    assert_float_equal(jackknife_error(left, 1), 0, 0);
    assert_float_equal(student_limit(2), 12.706, 1e-9);
    assert_float_equal(student_limit(11), 2.228, 0.005);
    assert_float_equal(student_limit(100000), 1.96, 0.001);
    (void)state;
}

static void intervals_end_where_figures_do(void **state)
{
    struct interval count = interval_around(5, 8, false), share = interval_around(0.75, 0.5, true);
    struct interval within = interval_around(0.5, 0.25, true);
    assert_true(count.low == 0 && count.high == 13);
    assert_true(share.low == 0.25 && share.high == 1);
    assert_true(within.low == 0.25 && within.high == 0.75);
    (void)state;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(start_and_end_count_once),
        cmocka_unit_test(memory_of_all_counts_as_it_is),
        cmocka_unit_test(the_end_of_a_sample_comes_once),
        cmocka_unit_test(what_is_known_is_not_estimated),
        cmocka_unit_test(what_counts_time_does_so_all_the_time),
        cmocka_unit_test(a_slow_beginning_comes_once),
        cmocka_unit_test(a_fast_beginning_is_the_frame_s),
        cmocka_unit_test(linear_takes_all_for_growing),
        cmocka_unit_test(all_of_the_work_is_itself),
        cmocka_unit_test(a_part_that_is_never_full_is_told),
        cmocka_unit_test(means_and_largest_of_several),
        cmocka_unit_test(exponential_goes_through_three),
        cmocka_unit_test(jackknife_of_a_mean),
        cmocka_unit_test(intervals_end_where_figures_do),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
