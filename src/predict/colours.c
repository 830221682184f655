/* colours.c - see colours.h. Costs are told apart in LEVELS steps, far more than colours of 8 bits
 * are, so that k-means has few points however large the picture is. */
#include "predict/colours.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "ogive/random.h"

#define LEVELS     1024
#define STOPS      10
#define BLUR       0.8
#define HUE_TURN   0.14
#define ATTEMPTS   40 /* these three are Zatel's */
#define ROUNDS_MAX 500
#define STILL      0.05

/* ---- The heat map ---- */

static const double stops[STOPS][3] = {
    { 0, 2, 91 },    { 0, 108, 251 }, { 0, 221, 221 }, { 51, 221, 0 }, { 255, 252, 0 },
    { 255, 180, 0 }, { 255, 104, 0 }, { 226, 22, 0 },  { 191, 0, 83 }, { 145, 0, 65 },
};

static double step_smooth(double low, double high, double value)
{
    double t = fmin(1, fmax(0, (value - low) / (high - low)));
    return t * t * (3 - 2 * t);
}

void colour_of(double share, double rgb[3])
{
    double at = fmin(1, fmax(0, share)) * STOPS;
    int here = at >= STOPS ? STOPS - 1 : (int)at;
    int before = here ? here - 1 : 0, after = here < STOPS - 1 ? here + 1 : here;
    double in = step_smooth(here - BLUR, here + BLUR, at);
    double out = step_smooth(here + 1 - BLUR, here + 1 + BLUR, at);
    for (int i = 0; i < 3; i++)
        rgb[i] = fmin(255, (1 - in) * stops[before][i] + in * (1 - out) * stops[here][i] +
                               out * stops[after][i]);
}

double colour_warmth(const double rgb[3])
{
    double most = fmax(rgb[0], fmax(rgb[1], rgb[2])), least = fmin(rgb[0], fmin(rgb[1], rgb[2]));
    double span = most - least, hue = 0;
    if (span > 0 && most == rgb[0])
        hue = (rgb[1] - rgb[2]) / span / 6;
    else if (span > 0 && most == rgb[1])
        hue = (2 + (rgb[2] - rgb[0]) / span) / 6;
    else if (span > 0)
        hue = (4 + (rgb[0] - rgb[1]) / span) / 6;
    hue += 1 + HUE_TURN;
    return 1 - (hue - floor(hue));
}

/* ---- K-means ---- */

struct levels {
    double rgb[LEVELS][3];
    double weight[LEVELS]; /* pieces of that cost */
};

struct clusters {
    double centres[COLOURS][3];
    u8 of[LEVELS];
    double distance; /* of all from their centres, squared */
};

static double distance_square(const double a[3], const double b[3])
{
    double sum = 0;
    for (int i = 0; i < 3; i++)
        sum += (a[i] - b[i]) * (a[i] - b[i]);
    return sum;
}

static void levels_assign(const struct levels *levels, struct clusters *clusters)
{
    clusters->distance = 0;
    for (u32 i = 0; i < LEVELS; i++) {
        double best = INFINITY;
        for (u8 c = 0; c < COLOURS; c++) {
            double distance = distance_square(levels->rgb[i], clusters->centres[c]);
            if (distance < best) {
                best = distance;
                clusters->of[i] = c;
            }
        }
        clusters->distance += best * levels->weight[i];
    }
}

/* How far the centre that moved most has gone. */
static double centres_move(const struct levels *levels, struct clusters *clusters)
{
    double sums[COLOURS][4] = { { 0 } }, most = 0;
    for (u32 i = 0; i < LEVELS; i++) {
        double *sum = sums[clusters->of[i]];
        for (int k = 0; k < 3; k++)
            sum[k] += levels->weight[i] * levels->rgb[i][k];
        sum[3] += levels->weight[i];
    }
    for (u32 c = 0; c < COLOURS; c++) {
        if (!(sums[c][3] > 0))
            continue;
        double centre[3];
        for (int k = 0; k < 3; k++)
            centre[k] = sums[c][k] / sums[c][3];
        most = fmax(most, sqrt(distance_square(centre, clusters->centres[c])));
        memcpy(clusters->centres[c], centre, sizeof centre);
    }
    return most;
}

static struct clusters clusters_try(const struct levels *levels, u64 *random)
{
    struct clusters clusters = { .distance = 0 };
    for (u32 c = 0; c < COLOURS; c++)
        memcpy(clusters.centres[c], levels->rgb[random_below(random, LEVELS)],
               sizeof clusters.centres[c]);
    double moved = INFINITY;
    for (u32 round = 0; round < ROUNDS_MAX && moved > STILL; round++) {
        levels_assign(levels, &clusters);
        moved = centres_move(levels, &clusters);
    }
    levels_assign(levels, &clusters);
    return clusters;
}

static u32 cost_level(double cost, double most)
{
    return most > 0 ? (u32)(cost / most * (LEVELS - 1)) : 0;
}

struct colours colours_make(const double *costs, u32 count, u64 seed)
{
    struct colours colours = { .of = heap_array((size_t)count + 1, sizeof *colours.of) };
    struct levels *levels = heap_array(1, sizeof *levels);
    double most = 0;
    for (u32 i = 0; i < count; i++)
        most = fmax(most, costs[i]);
    for (u32 i = 0; i < LEVELS; i++)
        colour_of((double)i / (LEVELS - 1), levels->rgb[i]);
    for (u32 i = 0; i < count; i++)
        levels->weight[cost_level(costs[i], most)]++;
    struct clusters best = clusters_try(levels, &seed);
    for (u32 i = 1; i < ATTEMPTS; i++) {
        struct clusters other = clusters_try(levels, &seed);
        if (other.distance < best.distance)
            best = other;
    }
    for (u32 c = 0; c < COLOURS; c++)
        colours.warmth[c] = colour_warmth(best.centres[c]);
    for (u32 i = 0; i < count; i++)
        colours.of[i] = best.of[cost_level(costs[i], most)];
    free(levels);
    return colours;
}
