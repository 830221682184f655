/* filter.h - smooths what few samples per pixel leave behind, without smearing what they show.
 *
 * Passes of a small kernel whose taps lie 1, 2, 4, ... pixels apart (Dammertz et al. 2010,
 * "Edge-avoiding a-trous wavelet transform for fast global illumination filtering"; here of 3 x 3
 * taps, which cost a third of that paper's 5 x 5). A tap counts less the more its surface differs
 * from that in the middle: another normal, off its plane, another brightness. What is smoothed is
 * the light that falls on surfaces; their colours are multiplied in afterwards and stay sharp. The
 * weights are quotients instead of exponentials, so that the picture is the same on every machine
 * (see paths.h). */
#ifndef PROGRAMS_FILTER_H
#define PROGRAMS_FILTER_H

#include <ogive/gate.h>

#include "paths.h"

#define FILTER_PASSES_MAX 8
#define FILTER_TOLERANCE  16.0f /* of brightness in the first pass, relative */
#define FILTER_NARROWER   0.8f  /* by which that changes with every pass */
#define FILTER_DARK       0.1f  /* brightness below which differences do not count as relative */
#define FILTER_PLANE      5.0f  /* how much less a tap counts that is off the plane */
#define FILTER_TINY       1e-6f /* keeps quotients of nothing finite */

/* What a pixel shows. */
struct spot {
    struct vector normal;   /* zero: no surface that light falls on */
    struct vector position; /* of the first such surface on the way from the eye */
    struct vector colour;   /* what it makes of light */
};

/* The picture while it is filtered: the light that falls on each spot, before and after a pass. */
struct film {
    struct spot *spots;
    struct vector *light[2];
    uint32_t width, height;
    struct ogv_gate ready, traced, filtered;
};

/* How alike the surfaces of two pixels are, from 0 to 1. */
static inline float spot_alike(const struct spot *a, const struct spot *b)
{
    struct vector between = vector_sub(b->position, a->position);
    float turn = vector_dot(a->normal, b->normal), off = vector_dot(a->normal, between);
    turn = turn > 0 ? turn * turn : 0;
    return turn * turn /
           (1 + FILTER_PLANE * off * off / (vector_dot(between, between) + FILTER_TINY));
}

/* How much the light of a tap counts beside that of the pixel in the middle. */
static inline float filter_weight(const struct film *film, const struct vector *light,
                                  uint32_t pixel, uint32_t tap, float tolerance)
{
    float bright = vector_bright(light[pixel]);
    float differs = (vector_bright(light[tap]) - bright) / (tolerance * (bright + FILTER_DARK));
    return spot_alike(&film->spots[pixel], &film->spots[tap]) / (1 + differs * differs);
}

/* The light of a pixel after a pass whose taps lie so far apart. */
static inline struct vector filter_pixel(const struct film *film, const struct vector *light,
                                         uint32_t pixel, int32_t apart, float tolerance)
{
    static const float kernel[] = { 0.25f, 0.5f, 0.25f };
    int32_t width = (int32_t)film->width, height = (int32_t)film->height;
    int32_t left = (int32_t)pixel % width - apart, top = (int32_t)pixel / width - apart;
    struct vector sum = { 0, 0, 0 };
    float whole = 0;
    for (int32_t j = 0; j < 3; j++) {
        for (int32_t i = 0; i < 3; i++) {
            int32_t x = left + i * apart, y = top + j * apart;
            if (x < 0 || y < 0 || x >= width || y >= height)
                continue;
            uint32_t tap = (uint32_t)(y * width + x);
            float weight =
                kernel[i] * kernel[j] * filter_weight(film, light, pixel, tap, tolerance);
            sum = vector_add(sum, vector_scale(light[tap], weight));
            whole += weight;
        }
    }
    return whole > 0 ? vector_scale(sum, 1 / whole) : light[pixel];
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

/* All passes, and the picture. */
static inline void film_filter(const struct rt_world *world, struct film *film, uint32_t passes)
{
    uint32_t *pixels = (uint32_t *)rt_world_at(world, world->pixels);
    uint32_t stride = filter_stride(), first = ogv_hart() / stride;
    uint32_t harts = (ogv_harts() + stride - 1) / stride, count = film->width * film->height;
    float tolerance = FILTER_TOLERANCE;
    for (uint32_t pass = 0; pass < passes; pass++, tolerance *= FILTER_NARROWER) {
        const struct vector *from = film->light[pass % 2];
        struct vector *to = film->light[(pass + 1) % 2];
        for (uint32_t i = first; i < count; i += harts)
            to[i] = filter_pixel(film, from, i, INT32_C(1) << pass, tolerance);
        ogv_gate_pass(&film->filtered, harts);
    }
    const struct vector *light = film->light[passes % 2];
    for (uint32_t i = first; i < count; i += harts)
        pixels[i] = colour_pack(vector_tone(world, vector_mul(light[i], film->spots[i].colour)));
}

#endif
