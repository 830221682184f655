/* filter.h - smooths what few samples per pixel leave behind, without smearing what they show.
 *
 * Passes of a 5 x 5 kernel whose taps lie 1, 2, 4, ... pixels apart (Dammertz et al. 2010,
 * "Edge-avoiding a-trous wavelet transform for fast global illumination filtering"). A tap counts
 * less the more its surface differs from that in the middle: another normal, off its plane, another
 * brightness. What is smoothed is the light that falls on surfaces; their colours are multiplied in
 * afterwards and stay sharp. The weights are quotients instead of that paper's exponentials, so
 * that the picture is the same on every machine (see paths.h). */
#ifndef PROGRAMS_FILTER_H
#define PROGRAMS_FILTER_H

#include "paths.h"

#define FILTER_PASSES_MAX 8
#define FILTER_TOLERANCE                                                                       \
    4.0f                   /* of brightness, relative, in the first pass; then half of it, ... \
                            */
#define FILTER_DARK  0.1f  /* brightness below which differences do not count as relative */
#define FILTER_PLANE 20.0f /* how much less a tap counts that is off the plane */
#define FILTER_TINY  1e-6f /* keeps quotients of nothing finite */

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
    static const float kernel[] = { 0.0625f, 0.25f, 0.375f, 0.25f, 0.0625f };
    int32_t width = (int32_t)film->width, height = (int32_t)film->height;
    int32_t left = (int32_t)pixel % width - 2 * apart, top = (int32_t)pixel / width - 2 * apart;
    struct vector sum = { 0, 0, 0 };
    float whole = 0;
    for (int32_t j = 0; j < 5; j++) {
        for (int32_t i = 0; i < 5; i++) {
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

/* All passes, done by all harts together; says which of film->light holds the result. */
static inline uint32_t film_filter(const struct film *film, uint32_t passes)
{
    uint32_t count = film->width * film->height;
    float tolerance = FILTER_TOLERANCE;
    for (uint32_t pass = 0; pass < passes; pass++, tolerance *= 0.5f) {
        const struct vector *from = film->light[pass % 2];
        struct vector *to = film->light[(pass + 1) % 2];
        ogv_barrier_all();
        for (uint32_t pixel = ogv_hart(); pixel < count; pixel += ogv_harts())
            to[pixel] = filter_pixel(film, from, pixel, INT32_C(1) << pass, tolerance);
    }
    ogv_barrier_all();
    return passes % 2;
}

#endif
