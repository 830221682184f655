/* balance.c - which tiles fall to a part. */
#include "predict/balance.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define TILES  14
#define GROUPS 4

/* The last row is shorter than the others. */
static void tiles_deal(const double *work, u32 last, u32 group[TILES])
{
    u32 numbers[TILES];
    struct aspects aspects[TILES] = { 0 };
    struct tiles tiles = { .count = TILES, .groups = GROUPS, .group = group };
    struct known_tiles known = { numbers, aspects, TILES, last };
    for (u32 i = 0; i < TILES; i++) {
        numbers[i] = i;
        aspects[i].of[ASPECT_NODES] = work[i];
    }
    tiles_balance(&tiles, &known);
}

/* The first group has one of each row, and what it had too much of before is made up for. */
static void sums_stay_near_the_share(void **state)
{
    static const double work[TILES] = { 40, 10, 80, 30, 10, 90, 50, 20, 70, 30, 60, 0, 5, 9 };
    u32 group[TILES];
    double all = 0, own = 0;
    tiles_deal(work, TILES, group);
    for (u32 i = 0; i < TILES; i++) {
        all += work[i];
        own += group[i] == 0 ? work[i] : 0;
        if ((i + 1) % GROUPS == 0)
            assert_true(own - all / GROUPS <= 15 && all / GROUPS - own <= 15);
    }
    assert_int_equal(group[0], 0); /* 40 is the mean of the first row */
    (void)state;
}

/* Behind the second row there is nothing to make up with: what is best for the first row alone, 4,
 * would leave the part with more or less than its 10. */
static void sums_end_at_the_share(void **state)
{
    static const double work[TILES] = { 0, 4, 6, 10, 0, 0, 10, 10 };
    u32 group[TILES];
    double own = 0;
    tiles_deal(work, TILES, group);
    for (u32 i = 0; i < TILES; i++)
        own += group[i] == 0 ? work[i] : 0;
    assert_float_equal(own, 10, 0);
    (void)state;
}

static void each_row_goes_to_all_groups(void **state)
{
    static const double work[TILES] = { 9, 8, 7, 6, 5, 4, 3, 2, 1, 9, 8, 7, 6, 5 };
    u32 group[TILES];
    tiles_deal(work, TILES, group);
    for (u32 first = 0; first < TILES; first += GROUPS) {
        u32 seen = 0, count = TILES - first < GROUPS ? TILES - first : GROUPS;
        for (u32 i = 0; i < count; i++)
            seen |= 1u << group[first + i];
        assert_int_equal(seen, (1u << count) - 1);
    }
    (void)state;
}

/* 0 is what is lacking in the second row; 90 ends last. */
static void the_last_tile_is_the_parts(void **state)
{
    static const double work[TILES] = { 40, 10, 80, 30, 10, 90, 0, 20, 70, 30, 60, 0, 5, 9 };
    u32 group[TILES];
    tiles_deal(work, TILES, group);
    assert_int_not_equal(group[5], 0);
    tiles_deal(work, 5, group);
    assert_int_equal(group[5], 0);
    (void)state;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_stay_near_the_share),
        cmocka_unit_test(the_last_tile_is_the_parts),
        cmocka_unit_test(sums_end_at_the_share),
        cmocka_unit_test(each_row_goes_to_all_groups),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
