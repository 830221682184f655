/* choice.c - see choice.h. */
#include "predict/choice.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "ogive/random.h"

const char *const distribution_names[DISTRIBUTIONS + 1] = { "uniform", "linear", "fifth", "strata",
                                                            NULL };

static void tiles_shuffle(u32 *tiles, u32 count, u64 *random)
{
    for (u32 i = count; i > 1; i--) {
        u32 other = (u32)random_below(random, i), kept = tiles[i - 1];
        tiles[i - 1] = tiles[other];
        tiles[other] = kept;
    }
}

/* Those of the group that can be chosen. */
static u32 *tiles_list(const struct choosing *choosing, u32 group, u32 *count)
{
    const struct tiles *tiles = choosing->tiles;
    u32 *list = heap_array((size_t)tiles->count + 1, sizeof *list);
    *count = 0;
    for (u32 i = 0; i < tiles->count; i++)
        if ((group == TILES_ALL || tiles->group[i] == group) && !isnan(choosing->costs[i]))
            list[(*count)++] = i;
    return list;
}

static double unit_random(u64 *random)
{
    return (double)(random_next(random) >> 11) * 0x1p-53;
}

/* ---- Strata ---- */

#define STRETCHES     24 /* of a sample, or more */
#define STRETCH_LEAST 4  /* tiles, where there are so many */
#define STRETCH_MOST  64

/* Tiles in a row, from `first` of a list on. */
struct stretch {
    double cost; /* of a piece */
    u32 first, count;
};

static int stretch_compare(const void *a, const void *b)
{
    const struct stretch *first = a, *second = b;
    if (first->cost != second->cost)
        return first->cost < second->cost ? -1 : 1;
    return (first->first > second->first) - (first->first < second->first);
}

/* Pieces of tiles. */
static u64 pieces_count(const struct tiles *tiles, const u32 *list, u32 count)
{
    u64 pieces = 0;
    for (u32 i = 0; i < count; i++)
        pieces += tile_size(tiles, list[i]);
    return pieces;
}

static struct stretch *stretches_make(const struct choosing *choosing, const u32 *list, u32 count,
                                      u32 *made)
{
    double wanted = choosing->share * count;
    u32 length = (u32)fmin(STRETCH_MOST, fmax(STRETCH_LEAST, wanted / STRETCHES));
    if (wanted < STRETCH_LEAST)
        length = 1;
    struct stretch *stretches = heap_array((size_t)count / length + 1, sizeof *stretches);
    *made = 0;
    for (u32 i = 0; i < count; i += length) {
        struct stretch *stretch = &stretches[(*made)++];
        *stretch = (struct stretch){ 0, i, i + length < count ? length : count - i };
        for (u32 k = 0; k < stretch->count; k++)
            stretch->cost += choosing->costs[list[i + k]];
        stretch->cost /= (double)pieces_count(choosing->tiles, &list[i], stretch->count);
    }
    return stretches;
}

/* From the order of cost to one in which any few that follow each other have all costs: with the
 * bits of their numbers reversed (van der Corput). */
static void stretches_mix(struct stretch *stretches, u32 count)
{
    struct stretch *sorted = heap_array((size_t)count + 1, sizeof *sorted);
    u32 bits = 0, done = 0;
    memcpy(sorted, stretches, count * sizeof *sorted);
    while (UINT64_C(1) << bits < count)
        bits++;
    for (u32 i = 0; i < UINT32_C(1) << bits; i++) {
        u32 number = 0;
        for (u32 bit = 0; bit < bits; bit++)
            number |= (i >> bit & 1) << (bits - 1 - bit);
        if (number < count)
            stretches[done++] = sorted[number];
    }
    free(sorted);
}

/* Every m-th in the order of cost, from a place that moves on by one with each repeat. */
static u32 strata_choose(const struct choosing *choosing, u32 *list, u32 count, u64 *random)
{
    u32 made, chosen = 0, *all = heap_array((size_t)count + 1, sizeof *all);
    struct stretch *stretches = stretches_make(choosing, list, count, &made);
    double wanted = floor(choosing->share * count / stretches[0].count + 0.5);
    wanted = fmin(made, fmax(1, wanted));
    double step = made / wanted;
    qsort(stretches, made, sizeof *stretches, stretch_compare);
    double first = fmod(unit_random(random) * step + choosing->repeat, step);
    for (u32 i = 0; i < (u32)wanted; i++) {
        u32 at = (u32)(first + i * step);
        stretches[i] = stretches[at < made ? at : made - 1];
    }
    stretches_mix(stretches, (u32)wanted);
    memcpy(all, list, count * sizeof *all);
    for (u32 i = 0; i < (u32)wanted; i++)
        for (u32 k = 0; k < stretches[i].count; k++)
            list[chosen++] = all[stretches[i].first + k];
    free(all);
    free(stretches);
    return chosen;
}

/* ---- By colour ---- */

/* A tile has that of its first pixel. */
static u8 tile_colour(const struct choosing *choosing, u32 tile)
{
    const struct tiles *tiles = choosing->tiles;
    return choosing->colours->of[tiles->pieces[tiles->starts[tile]]];
}

static double colour_weight(const struct choosing *choosing, u32 colour)
{
    double warmth = choosing->colours->warmth[colour];
    return choosing->distribution == CHOICE_LINEAR  ? warmth
           : choosing->distribution == CHOICE_FIFTH ? pow(warmth, 5)
                                                    : 1;
}

/* Pieces of each colour: of the group, or of the whole picture. */
static void colours_count(const struct choosing *choosing, u32 group, double counts[COLOURS])
{
    const struct tiles *tiles = choosing->tiles;
    memset(counts, 0, COLOURS * sizeof *counts);
    for (u32 i = 0; i < tiles->count; i++)
        for (u32 p = tiles->starts[i];
             (group == TILES_ALL || tiles->group[i] == group) && p < tiles->starts[i + 1]; p++)
            counts[choosing->colours->of[tiles->pieces[p]]]++;
}

/* Which part of the chosen tiles each colour gets. The public code weighs colours by warmth alone,
 * lifted so that each gets a tile, and takes a uniform choice from the whole picture. */
static void colours_share(const struct choosing *choosing, u32 group, double wanted,
                          double shares[COLOURS])
{
    bool alone = choosing->public_code && choosing->distribution != CHOICE_UNIFORM;
    double sum = 0, least = fmin(1, 1 / wanted);
    colours_count(choosing, choosing->public_code ? TILES_ALL : group, shares);
    for (u32 c = 0; c < COLOURS; c++) {
        double weight = colour_weight(choosing, c);
        shares[c] = alone ? (1 - least) * weight + least : shares[c] * weight;
        sum += shares[c];
    }
    for (u32 c = 0; c < COLOURS; c++)
        shares[c] = sum > 0 ? shares[c] / sum : 0;
}

/* Chosen ones move to the front of the list, which is in random order. */
static u32 colours_choose(const struct choosing *choosing, u32 group, u32 *list, u32 count)
{
    const struct tiles *tiles = choosing->tiles;
    double shares[COLOURS];
    double size = (double)pieces_count(tiles, list, count) / count;
    double wanted =
        fmin(count, ceil(choosing->share * (double)pieces_count(tiles, list, count) / size));
    u32 chosen = 0, quota[COLOURS];
    colours_share(choosing, group, wanted, shares);
    for (u32 c = 0; c < COLOURS; c++)
        quota[c] = choosing->public_code ? (u32)ceil(shares[c] * wanted) + 1
                                         : (u32)floor(shares[c] * wanted + 0.5);
    for (u32 i = 0; i < count; i++) {
        u32 tile = list[i];
        u8 colour = tile_colour(choosing, tile);
        if (!quota[colour])
            continue;
        quota[colour]--;
        list[i] = list[chosen];
        list[chosen++] = tile;
    }
    return choosing->public_code ? (u32)fmax(chosen, wanted) : (u32)wanted;
}

u32 *tiles_choose(const struct choosing *choosing, u32 group, u32 *count)
{
    u64 random = choosing->seed + 1000003 * (u64)(group == TILES_ALL ? 0 : group + 1);
    u32 listed, *list = tiles_list(choosing, group, &listed);
    *count = listed;
    if (choosing->share >= 1 || listed < 2)
        return list; /* all, in order */
    if (choosing->distribution == CHOICE_STRATA) {
        *count = strata_choose(choosing, list, listed, &random);
        return list;
    }
    random += choosing->repeat * UINT64_C(0x632be59bd9b4e019);
    tiles_shuffle(list, listed, &random);
    *count = colours_choose(choosing, group, list, listed);
    return list;
}

double zatel_share(const struct tiles *tiles, const struct colours *colours, u32 group,
                   bool public_code)
{
    double warmth = 0, pieces = 0;
    for (u32 i = 0; i < tiles->count; i++)
        for (u32 p = tiles->starts[i]; tiles->group[i] == group && p < tiles->starts[i + 1]; p++) {
            warmth += colours->warmth[colours->of[tiles->pieces[p]]];
            pieces++;
        }
    warmth = pieces > 0 ? warmth / pieces : 0;
    return public_code ? fmin(0.6, fmax(0.05, 0.5 * warmth)) : fmin(0.6, fmax(0.3, 1 - warmth));
}
