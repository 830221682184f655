/* balance.c - see balance.h. */
#include "predict/balance.h"

#include <math.h>

struct balance {
    double mean[ASPECTS];  /* of a tile */
    double ahead[ASPECTS]; /* what the first group has on top of its share so far */
};

static void balance_begin(struct balance *balance, const struct aspects *aspects, u32 count)
{
    *balance = (struct balance){ 0 };
    for (u32 i = 0; i < count; i++)
        for (u32 a = 0; a < ASPECTS; a++)
            balance->mean[a] += aspects[i].of[a] / count;
    for (u32 a = 0; a < ASPECTS; a++)
        balance->mean[a] = fmax(1, balance->mean[a]);
}

static double balance_distance(const struct balance *balance, const struct aspects *tile)
{
    double sum = 0;
    for (u32 a = 0; a < ASPECTS; a++) {
        double off = (balance->ahead[a] + tile->of[a]) / balance->mean[a];
        sum += off * off;
    }
    return sum;
}

/* The tile of a row that it is best to take; `must` if that is one of them. */
static u32 row_choose(struct balance *balance, const struct aspects *row, u32 count, u32 groups,
                      u32 must)
{
    u32 best = must < count ? must : 0;
    for (u32 i = 0; i < count; i++)
        for (u32 a = 0; a < ASPECTS; a++)
            balance->ahead[a] -= row[i].of[a] / groups;
    for (u32 i = 1; i < count && must >= count; i++)
        if (balance_distance(balance, &row[i]) < balance_distance(balance, &row[best]))
            best = i;
    for (u32 a = 0; a < ASPECTS; a++)
        balance->ahead[a] += row[best].of[a];
    return best;
}

void tiles_balance(struct tiles *tiles, const struct known_tiles *known)
{
    struct balance balance;
    u32 groups = tiles->groups;
    balance_begin(&balance, known->aspects, known->count);
    for (u32 first = 0; first < known->count; first += groups) {
        u32 count = (u32)min_u64(groups, known->count - first);
        u32 best = row_choose(&balance, &known->aspects[first], count, groups, known->last - first);
        for (u32 i = 0; i < count; i++)
            tiles->group[known->tiles[first + (best + i) % count]] = i;
    }
}
