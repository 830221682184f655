/* tiles.c - pictures divided, tiles chosen, costs as colours. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "predict/choice.h"

#define WIDTH  100
#define HEIGHT 37
#define PIXELS (WIDTH * HEIGHT)

/* Pieces are pixels, last row first. */
static u32 pixels[PIXELS];
static const struct picture picture = { pixels, WIDTH, HEIGHT };

static int prepare(void **state)
{
    for (u32 i = 0; i < PIXELS; i++)
        pixels[i] = PIXELS - 1 - i;
    (void)state;
    return 0;
}

static void every_piece_is_in_one_tile(void **state)
{
    for (u32 division = 0; division < DIVISIONS; division++)
        for (u32 groups = 1; groups < 8; groups++) {
            struct tiles tiles;
            struct ogv_error error;
            u8 seen[PIXELS] = { 0 };
            assert_true(
                tiles_make((enum division)division, groups, PIXELS, &picture, &tiles, &error));
            for (u32 t = 0; t < tiles.count; t++) {
                assert_true(tile_size(&tiles, t) > 0 && tile_size(&tiles, t) <= 64);
                assert_true(tiles.group[t] < groups);
                for (u32 p = tiles.starts[t]; p < tiles.starts[t + 1]; p++)
                    seen[tiles.pieces[p]]++;
            }
            for (u32 i = 0; i < PIXELS; i++)
                assert_int_equal(seen[i], 1);
            tiles_fini(&tiles);
        }
    (void)state;
}

static u32 group_at(const struct tiles *tiles, u32 x, u32 y)
{
    for (u32 t = 0; t < tiles->count; t++)
        for (u32 p = tiles->starts[t]; p < tiles->starts[t + 1]; p++)
            if (pixels[tiles->pieces[p]] == y * WIDTH + x)
                return tiles->group[t];
    return UINT32_MAX;
}

/* Tile (x, y) is of the group i with (i + x + y) mod 3 = 0. */
static void fine_goes_along_diagonals(void **state)
{
    struct tiles tiles;
    struct ogv_error error;
    assert_true(tiles_make(DIVISION_FINE, 3, PIXELS, &picture, &tiles, &error));
    assert_int_equal(group_at(&tiles, 0, 0), 0);
    assert_int_equal(group_at(&tiles, 31, 1), 0);
    assert_int_equal(group_at(&tiles, 32, 0), 2);
    assert_int_equal(group_at(&tiles, 0, 2), 2);
    assert_int_equal(group_at(&tiles, 32, 2), 1);
    assert_int_equal(group_at(&tiles, 64, 2), 0);
    tiles_fini(&tiles);
    (void)state;
}

/* Six rectangles are 3 x 2, the longer side along that of the picture. */
static void coarse_is_rectangles(void **state)
{
    struct tiles tiles;
    struct ogv_error error;
    assert_true(tiles_make(DIVISION_COARSE, 6, PIXELS, &picture, &tiles, &error));
    assert_int_equal(group_at(&tiles, 0, 0), 0);
    assert_int_equal(group_at(&tiles, 33, 18), 0);
    assert_int_equal(group_at(&tiles, 34, 0), 1);
    assert_int_equal(group_at(&tiles, 99, 0), 2);
    assert_int_equal(group_at(&tiles, 0, 19), 3);
    assert_int_equal(group_at(&tiles, 99, 36), 5);
    tiles_fini(&tiles);
    (void)state;
}

static void pictures_are_needed_for_rectangles(void **state)
{
    struct tiles tiles;
    struct ogv_error error;
    struct picture none = { NULL, 0, 0 };
    assert_true(tiles_make(DIVISION_BLOCKS, 2, 70, &none, &tiles, &error));
    assert_int_equal(tiles.count, 3);
    tiles_fini(&tiles);
    assert_false(tiles_make(DIVISION_FINE, 2, 70, &none, &tiles, &error));
    assert_non_null(strstr(error.message, "no pixels"));
    (void)state;
}

/* ---- Choosing ---- */

#define TILES 200

struct stand {
    struct tiles tiles;
    double costs[TILES];
};

static void stand_make(struct stand *stand)
{
    struct ogv_error error;
    struct picture none = { NULL, 0, 0 };
    assert_true(tiles_make(DIVISION_BLOCKS, 1, TILES * TILE_BLOCK, &none, &stand->tiles, &error));
    for (u32 i = 0; i < TILES; i++)
        stand->costs[i] = (double)(i * 7919 % TILES);
}

static double costs_mean(const struct stand *stand, const u32 *list, u32 count)
{
    double sum = 0;
    for (u32 i = 0; i < count; i++)
        sum += stand->costs[list[i]];
    return sum / count;
}

/* A tenth of 200 tiles that cost 0 to 199, in stretches of four: one of each ten in the order of
 * what they cost. */
static void strata_have_all_costs(void **state)
{
    struct stand stand;
    stand_make(&stand);
    u8 seen[TILES] = { 0 };
    for (u32 repeat = 0; repeat < 10; repeat++) {
        struct choosing choosing = { .distribution = CHOICE_STRATA,
                                     .share = 0.1,
                                     .repeat = repeat,
                                     .seed = 5,
                                     .tiles = &stand.tiles,
                                     .costs = stand.costs };
        u32 count, *list = tiles_choose(&choosing, TILES_ALL, &count);
        assert_int_equal(count, 20);
        assert_true(fabs(costs_mean(&stand, list, count) - 99.5) <= 20);
        for (u32 i = 0; i < count; i++) {
            seen[list[i]]++;
            assert_true(i % 4 == 0 || list[i] == list[i - 1] + 1); /* in stretches */
        }
        u32 again, *other = tiles_choose(&choosing, TILES_ALL, &again);
        assert_int_equal(again, count);
        assert_memory_equal(list, other, count * sizeof *list);
        free(list);
        free(other);
    }
    for (u32 i = 0; i < TILES; i++)
        assert_int_equal(seen[i], 1); /* repeats have other tiles, until there are no more */
    tiles_fini(&stand.tiles);
    (void)state;
}

static void what_is_not_known_is_not_chosen(void **state)
{
    struct stand stand;
    stand_make(&stand);
    for (u32 i = 0; i < TILES; i += 2)
        stand.costs[i] = NAN;
    struct choosing choosing = { .distribution = CHOICE_STRATA,
                                 .share = 0.5,
                                 .seed = 1,
                                 .tiles = &stand.tiles,
                                 .costs = stand.costs };
    u32 count, *list = tiles_choose(&choosing, TILES_ALL, &count);
    assert_true(count >= 44 && count <= 52); /* whole stretches */
    for (u32 i = 0; i < count; i++)
        assert_true(list[i] % 2);
    free(list);
    choosing.share = 1;
    list = tiles_choose(&choosing, TILES_ALL, &count);
    assert_int_equal(count, 100);
    for (u32 i = 0; i < count; i++)
        assert_int_equal(list[i], 2 * i + 1); /* all, in order */
    free(list);
    tiles_fini(&stand.tiles);
    (void)state;
}

/* Colours get tiles by how many pixels they have, times how warm they are. */
static void warm_ones_come_more_often(void **state)
{
    struct stand stand;
    stand_make(&stand);
    struct colours colours = { { 0.2, 0.8, 0, 0, 0 }, NULL };
    colours.of = calloc(TILES * TILE_BLOCK, 1);
    for (u32 i = TILES / 2 * TILE_BLOCK; i < TILES * TILE_BLOCK; i++)
        colours.of[i] = 1;
    static const u32 warm[] = { [CHOICE_UNIFORM] = 10, [CHOICE_LINEAR] = 16, [CHOICE_FIFTH] = 20 };
    for (u32 kind = CHOICE_UNIFORM; kind <= CHOICE_FIFTH; kind++) {
        struct choosing choosing = { .distribution = (enum distribution)kind,
                                     .share = 0.1,
                                     .seed = 9,
                                     .tiles = &stand.tiles,
                                     .costs = stand.costs,
                                     .colours = &colours };
        u32 count, found = 0, *list = tiles_choose(&choosing, 0, &count);
        assert_int_equal(count, 20);
        for (u32 i = 0; i < count; i++)
            found += list[i] >= TILES / 2;
        assert_int_equal(found, warm[kind]);
        free(list);
    }
    assert_float_equal(zatel_share(&stand.tiles, &colours, 0, false), 0.5, 1e-9);
    assert_float_equal(zatel_share(&stand.tiles, &colours, 0, true), 0.25, 1e-9);
    free(colours.of);
    tiles_fini(&stand.tiles);
    (void)state;
}

/* Hues of the stops, as published, turned: 0.197 for the coldest, 0.935 for the warmest. */
static void colours_are_those_of_the_heat_map(void **state)
{
    const double cold[] = { 0, 2, 91 }, hot[] = { 145, 0, 65 }, green[] = { 51, 221, 0 };
    assert_float_equal(colour_warmth(cold), 0.197, 0.001);
    assert_float_equal(colour_warmth(green), 0.565, 0.001);
    assert_float_equal(colour_warmth(hot), 0.935, 0.001);
    double costs[1000];
    for (u32 i = 0; i < 1000; i++)
        costs[i] = i < 500 ? 1 : 100;
    struct colours colours = colours_make(costs, 1000, 3), again = colours_make(costs, 1000, 3);
    assert_memory_equal(colours.of, again.of, 1000);
    assert_int_not_equal(colours.of[0], colours.of[999]);
    assert_true(colours.warmth[colours.of[0]] < colours.warmth[colours.of[999]]);
    free(colours.of);
    free(again.of);
    (void)state;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_piece_is_in_one_tile),
        cmocka_unit_test(fine_goes_along_diagonals),
        cmocka_unit_test(coarse_is_rectangles),
        cmocka_unit_test(pictures_are_needed_for_rectangles),
        cmocka_unit_test(strata_have_all_costs),
        cmocka_unit_test(what_is_not_known_is_not_chosen),
        cmocka_unit_test(warm_ones_come_more_often),
        cmocka_unit_test(colours_are_those_of_the_heat_map),
    };
    return cmocka_run_group_tests(tests, prepare, NULL);
}
