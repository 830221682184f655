/* balance.c - see balance.h. First row by row, each with what makes up best for the rows before;
 * then again, as long as other choices in single rows bring the sums nearer. */
#include "predict/balance.h"

#include <math.h>
#include <stdlib.h>

#include "base/text.h"

#define NO_TILE    UINT32_MAX
#define PASSES     8   /* over all rows, at most */
#define END_WEIGHT 4.0 /* of the sums at the end, against the mean of those behind each row */

struct balance {
    const struct known_tiles *known;
    double scale[ASPECTS]; /* 1 / that of a mean tile */
    u32 groups, rows;
    u32 *chosen;           /* by row: a tile's place in it */
    struct aspects *ahead; /* behind each row: what was chosen on top of its share, in mean tiles */
};

static void scale_set(struct balance *balance)
{
    const struct known_tiles *known = balance->known;
    double sums[ASPECTS] = { 0 };
    for (u32 i = 0; i < known->count; i++)
        for (u32 a = 0; a < ASPECTS; a++)
            sums[a] += known->aspects[i].of[a];
    for (u32 a = 0; a < ASPECTS; a++)
        balance->scale[a] = 1 / fmax(1, sums[a] / known->count);
}

static u32 row_count(const struct balance *balance, u32 row)
{
    return (u32)min_u64(balance->groups, balance->known->count - row * balance->groups);
}

/* The tile of a row that it must be; NO_TILE: any. */
static u32 row_must(const struct balance *balance, u32 row)
{
    u32 last = balance->known->last, first = row * balance->groups;
    return last >= first && last - first < row_count(balance, row) ? last - first : NO_TILE;
}

static const double *tile_of(const struct balance *balance, u32 row, u32 place)
{
    return balance->known->aspects[row * balance->groups + place].of;
}

/* How far off the sums are behind a row with that tile, which begins that far off. */
static double distance_with(const struct balance *balance, const double *begin, const double *tile)
{
    double sum = 0;
    for (u32 a = 0; a < ASPECTS; a++) {
        double off = begin[a] + tile[a] * balance->scale[a];
        sum += off * off;
    }
    return sum;
}

static void row_choose(struct balance *balance, u32 row)
{
    u32 count = row_count(balance, row), must = row_must(balance, row);
    u32 best = must == NO_TILE ? 0 : must;
    struct aspects off = row ? balance->ahead[row - 1] : (struct aspects){ 0 };
    for (u32 i = 0; i < count; i++)
        for (u32 a = 0; a < ASPECTS; a++)
            off.of[a] -= tile_of(balance, row, i)[a] * balance->scale[a] / balance->groups;
    for (u32 i = 1; i < count && must == NO_TILE; i++)
        if (distance_with(balance, off.of, tile_of(balance, row, i)) <
            distance_with(balance, off.of, tile_of(balance, row, best)))
            best = i;
    for (u32 a = 0; a < ASPECTS; a++)
        off.of[a] += tile_of(balance, row, best)[a] * balance->scale[a];
    balance->chosen[row] = best;
    balance->ahead[row] = off;
}

/* By how much the squares of all sums change with another tile of a row; `behind` are the sums of
 * the rows from this one on, added up. */
static double change_with(const struct balance *balance, u32 row, u32 place,
                          const struct aspects *behind)
{
    const double *was = tile_of(balance, row, balance->chosen[row]);
    const double *is = tile_of(balance, row, place), rows = balance->rows;
    double change = 0;
    for (u32 a = 0; a < ASPECTS; a++) {
        double step = (is[a] - was[a]) * balance->scale[a];
        double end = balance->ahead[balance->rows - 1].of[a];
        change += step * (2 * behind->of[a] + (rows - row) * step) / rows;
        change += END_WEIGHT * step * (2 * end + step);
    }
    return change;
}

static void row_change(struct balance *balance, u32 row, u32 place)
{
    const double *was = tile_of(balance, row, balance->chosen[row]);
    const double *is = tile_of(balance, row, place);
    for (u32 i = row; i < balance->rows; i++)
        for (u32 a = 0; a < ASPECTS; a++)
            balance->ahead[i].of[a] += (is[a] - was[a]) * balance->scale[a];
    balance->chosen[row] = place;
}

/* The tile of a row with which all sums are nearest; true: it is another one. */
static bool row_improve(struct balance *balance, u32 row)
{
    struct aspects behind = { 0 };
    u32 best = balance->chosen[row];
    double least = -1e-9;
    for (u32 i = row; i < balance->rows; i++)
        for (u32 a = 0; a < ASPECTS; a++)
            behind.of[a] += balance->ahead[i].of[a];
    for (u32 i = 0; row_must(balance, row) == NO_TILE && i < row_count(balance, row); i++) {
        double change = change_with(balance, row, i, &behind);
        if (change < least) {
            least = change;
            best = i;
        }
    }
    if (best == balance->chosen[row])
        return false;
    row_change(balance, row, best);
    return true;
}

static void rows_improve(struct balance *balance)
{
    bool better = true;
    for (u32 pass = 0; better && pass < PASSES; pass++) {
        better = false;
        for (u32 row = 0; row < balance->rows; row++)
            better = row_improve(balance, row) || better;
    }
}

void tiles_balance(struct tiles *tiles, const struct known_tiles *known)
{
    u32 groups = tiles->groups, rows = (known->count + groups - 1) / groups;
    struct balance balance = { .known = known,
                               .groups = groups,
                               .rows = rows,
                               .chosen = heap_array((size_t)rows + 1, sizeof *balance.chosen),
                               .ahead = heap_array((size_t)rows + 1, sizeof *balance.ahead) };
    scale_set(&balance);
    for (u32 row = 0; row < rows; row++)
        row_choose(&balance, row);
    rows_improve(&balance);
    for (u32 row = 0; row < rows; row++)
        for (u32 i = 0, count = row_count(&balance, row); i < count; i++)
            tiles->group[known->tiles[row * groups + (balance.chosen[row] + i) % count]] = i;
    free(balance.chosen);
    free(balance.ahead);
}
