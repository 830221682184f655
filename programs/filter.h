/* filter.h - smooths what few samples per pixel leave behind, without smearing what they show.
 *
 * Passes of a small kernel whose taps lie farther and farther apart (Dammertz et al. 2010,
 * "Edge-avoiding a-trous wavelet transform for fast global illumination filtering"; here of the
 * pixel and four neighbours, in turn beside it and across, a sixth of that paper's 5 x 5). A tap
 * counts less the more its surface differs from that in the middle: another normal, another plane,
 * another brightness. What is smoothed is the light that falls on surfaces; their colours are
 * multiplied in afterwards and stay sharp. The weights are quotients instead of exponentials, so
 * that the picture is the same on every machine (see paths.h). */
#ifndef PROGRAMS_FILTER_H
#define PROGRAMS_FILTER_H

#include <ogive/gate.h>

#include "paths.h"

#define FILTER_PASSES_MAX 12
#define FILTER_TOLERANCE  16.0f /* of brightness in the first pass, relative */
#define FILTER_NARROWER   0.8f  /* by which that changes with every pass */
#define FILTER_DARK       0.1f  /* brightness below which differences do not count as relative */
#define FILTER_PLANE      6.0f  /* how much less a tap counts whose plane is another */

/* What a pixel shows. */
struct spot {
    struct vector normal; /* zero: no surface that light falls on */
    float plane;          /* distance of that surface's plane from the eye */
    struct vector colour; /* what it makes of light */
};

/* The picture while it is filtered: the light that falls on each spot, before and after a pass. */
struct film {
    struct spot *spots;
    struct vector *light[2];
    uint32_t width, height;
    struct ogv_gate ready, traced, filtered;
};

/* How much a tap counts beside the pixel in the middle, from 0 to 1. */
static inline float filter_weight(const struct spot *spot, const struct spot *tap, float bright,
                                  struct vector light, float tolerance)
{
    float turn = vector_dot(spot->normal, tap->normal);
    float off = (tap->plane - spot->plane) / spot->plane;
    float differs = (vector_bright(light) - bright) * tolerance;
    if (!(turn > 0))
        return 0;
    turn *= turn;
    return turn * turn / ((1 + FILTER_PLANE * off * off) * (1 + differs * differs));
}

/* A pass: its taps lie so far to the right and so far down, and in three quarter turns of that. */
struct filter_pass {
    int32_t right, down;
    float tolerance;
};

/* The light of a pixel after a pass. */
static inline struct vector filter_pixel(const struct film *film, const struct vector *light,
                                         int32_t x, int32_t y, const struct filter_pass *pass)
{
    int32_t width = (int32_t)film->width, height = (int32_t)film->height;
    int32_t right = pass->right, down = pass->down, pixel = y * width + x;
    const struct spot *spot = &film->spots[pixel];
    struct vector sum = light[pixel];
    float whole = 1, bright = vector_bright(sum);
    float tolerance = 1 / (pass->tolerance * (bright + FILTER_DARK));
    for (int32_t i = 0; i < 4; i++) {
        int32_t turned = right;
        if (x + right >= 0 && x + right < width && y + down >= 0 && y + down < height) {
            int32_t tap = pixel + down * width + right;
            float weight = filter_weight(spot, &film->spots[tap], bright, light[tap], tolerance);
            sum = vector_add(sum, vector_scale(light[tap], weight));
            whole += weight;
        }
        right = -down;
        down = turned;
    }
    return vector_scale(sum, 1 / whole);
}

/* Some harts of each core do it: the fewer have to wait for each other after each pass. */
#define FILTER_HARTS_MAX 4096

static inline uint32_t filter_stride(void)
{
    return (ogv_harts() + FILTER_HARTS_MAX - 1) / FILTER_HARTS_MAX;
}

/* Whether this hart takes part, once all harts have left their pixels on the film. */
static inline int film_finish(struct film *film)
{
    ogv_gate_arrive(&film->traced, ogv_harts());
    if (ogv_hart() % filter_stride())
        return 0;
    ogv_gate_wait(&film->traced, 1);
    return 1;
}

static inline void film_pass(const struct film *film, uint32_t number, uint32_t first,
                             uint32_t harts, const struct filter_pass *pass)
{
    const struct vector *from = film->light[number % 2];
    struct vector *to = film->light[(number + 1) % 2];
    for (uint32_t i = first; i < film->width * film->height; i += harts)
        to[i] =
            filter_pixel(film, from, (int32_t)(i % film->width), (int32_t)(i / film->width), pass);
}

/* All passes, and the picture. */
static inline void film_filter(const struct rt_world *world, struct film *film, uint32_t passes)
{
    uint32_t *pixels = (uint32_t *)rt_world_at(world, world->pixels);
    uint32_t stride = filter_stride(), first = ogv_hart() / stride;
    uint32_t harts = (ogv_harts() + stride - 1) / stride;
    struct filter_pass pass = { .tolerance = FILTER_TOLERANCE };
    for (uint32_t i = 0; i < passes; i++, pass.tolerance *= FILTER_NARROWER) {
        pass.right = INT32_C(1) << (i / 2);
        pass.down = i % 2 ? pass.right : 0;
        film_pass(film, i, first, harts, &pass);
        ogv_gate_pass(&film->filtered, harts);
    }
    const struct vector *light = film->light[passes % 2];
    for (uint32_t i = first; i < film->width * film->height; i += harts)
        pixels[i] = colour_pack(vector_tone(world, vector_mul(light[i], film->spots[i].colour)));
}

#endif
