/* rays.c - see rays.h.
 *
 * Numbers are seeded by pixel and bounce: random_next (a generator whose state is a counter) starts
 * from a mix of seed, pixel and stream. Everything is computed in double with additions,
 * multiplications, divisions and square roots only, which IEEE 754 defines to the last bit; sine
 * and cosine are polynomials here. From the reference comes only which triangle is hit; where, is
 * computed again from the triangle.
 *
 * The offset from the surface is that of Waechter and Binder 2019 ("A Fast and Robust Method for
 * Avoiding Self-Intersection"): a fixed number of steps between floating-point numbers, and near
 * zero, where those are too small, a fixed length. Their constants are for scenes of about unit
 * size; here they are scaled to the power of two next to the scene's largest coordinate. */
#include "rt/rays.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/stop.h"
#include "base/words.h"
#include "ogive/random.h"
#include "rt/camera.h"
#include "rt/vector.h"

#define TILE_WIDTH  4
#define TILE_HEIGHT 8

const char *const ray_kind_names[RAY_KINDS] = { "primary", "secondary", "tertiary", "shadow",
                                                "occlusion" };
const char *const ray_order_names[RAY_ORDERS] = { "tile", "row", "morton" };

/* Where there are no lights, shadow rays go this way: above the horizon whichever axis is up. */
static const double default_sun[3] = { 1, 3, 2 };

/* Which random numbers of a pixel are for what. */
enum stream { STREAM_PIXEL, STREAM_SECONDARY, STREAM_TERTIARY, STREAM_SHADOW, STREAM_OCCLUSION };

bool ray_kind_find(const char *name, enum ray_kind *kind, struct ogv_error *error)
{
    u32 found;
    bool good = words_find("kind of rays", name, ray_kind_names, RAY_KINDS, &found, error);
    *kind = (enum ray_kind)found;
    return good;
}

bool ray_order_find(const char *name, enum ray_order *order, struct ogv_error *error)
{
    u32 found;
    bool good = words_find("order of rays", name, ray_order_names, RAY_ORDERS, &found, error);
    *order = (enum ray_order)found;
    return good;
}

/* ---- Orders ---- */

static void order_tile(u32 width, u32 height, u32 *pixels)
{
    for (u64 top = 0; top < height; top += TILE_HEIGHT)
        for (u64 left = 0; left < width; left += TILE_WIDTH)
            for (u64 y = top; y < min_u64(top + TILE_HEIGHT, height); y++)
                for (u64 x = left; x < min_u64(left + TILE_WIDTH, width); x++)
                    *pixels++ = (u32)(y * width + x);
}

/* The square of that size, a power of two; parts of it may lie outside the picture. */
static u32 *order_morton(u32 width, u32 height, u64 left, u64 top, u64 size, u32 *pixels)
{
    if (left >= width || top >= height)
        return pixels;
    if (size == 1) {
        *pixels = (u32)(top * width + left);
        return pixels + 1;
    }
    u64 half = size / 2;
    for (u32 i = 0; i < 4; i++)
        pixels = order_morton(width, height, left + (i & 1 ? half : 0), top + (i & 2 ? half : 0),
                              half, pixels);
    return pixels;
}

void rays_order(enum ray_order order, u32 width, u32 height, u32 *pixels)
{
    u64 size = 1;
    switch (order) {
    case ORDER_TILE:
        order_tile(width, height, pixels);
        break;
    case ORDER_ROW:
        for (u32 i = 0; i < width * height; i++)
            pixels[i] = i;
        break;
    case ORDER_MORTON:
        while (size < width || size < height)
            size *= 2;
        order_morton(width, height, 0, 0, size, pixels);
        break;
    }
}

/* ---- Chance ---- */

static u64 random_begin(u64 seed, u32 pixel, enum stream stream)
{
    u64 state = seed;
    state = random_next(&state) ^ ((u64)pixel << 8 | stream);
    return random_next(&state);
}

/* In [0, 1). */
static double random_real(u64 *state)
{
    return (double)(random_next(state) >> 11) * 0x1p-53;
}

/* ---- Primary rays ---- */

struct ray_maker {
    const struct scene *scene;
    struct reference *reference;
    const struct ray_options *options;
    const u32 *pixels;
    double scale; /* a power of two, about the scene's largest coordinate */
    double occlusion_length;
    struct camera_frame frame;
};

static void ray_set(struct rt_ray *ray, const float origin[3], const double direction[3],
                    double t_max)
{
    for (u32 k = 0; k < 3; k++) {
        ray->origin[k] = origin[k];
        ray->direction[k] = (float)direction[k];
    }
    ray->t_min = 0;
    ray->t_max = (float)t_max;
}

static void ray_set_empty(struct rt_ray *ray)
{
    *ray = (struct rt_ray){ .direction = { 0, 0, 1 }, .t_min = 0, .t_max = -1 };
}

static void primary_ray(const struct ray_maker *maker, u32 pixel, struct rt_ray *ray)
{
    const struct ray_options *options = maker->options;
    const struct camera_frame *frame = &maker->frame;
    double x = 0.5, y = 0.5, direction[3];
    if (options->jitter) {
        u64 state = random_begin(options->seed, pixel, STREAM_PIXEL);
        x = random_real(&state);
        y = random_real(&state);
    }
    x = 2 * (pixel % options->width + x) / options->width - 1;
    y = 1 - 2 * (pixel / options->width + y) / options->height;
    for (u32 k = 0; k < 3; k++)
        direction[k] = frame->forward[k] + x * frame->right[k] + y * frame->up[k];
    normalise(direction);
    ray_set(ray, frame->eye, direction, INFINITY);
}

/* ---- Rays from hits ---- */

struct surface_point {
    float position[3]; /* off the surface */
    double normal[3];  /* geometric, on the side that the ray came from */
};

static float offset_steps(float p, double n)
{
    int bits, steps = (int)(256 * n);
    memcpy(&bits, &p, sizeof bits);
    bits += p < 0 ? -steps : steps;
    memcpy(&p, &bits, sizeof p);
    return p;
}

static float offset(float p, double n, double scale)
{
    if (fabs((double)p) < scale / 32)
        return (float)((double)p + n * (scale / 65536));
    return offset_steps(p, n);
}

/* Where the ray meets the triangle's plane, but not outside the triangle's box, which a plane seen
 * edge-on would allow. */
static void plane_point(const struct rt_ray *ray, const struct rt_hit *hit, const float *corners[3],
                        const double normal[3], float out[3])
{
    double direction[3], to[3];
    for (u32 k = 0; k < 3; k++)
        direction[k] = (double)ray->direction[k];
    between(ray->origin, corners[0], to);
    double t = dot(normal, to) / dot(normal, direction);
    if (!isfinite(t))
        t = (double)hit->t;
    for (u32 k = 0; k < 3; k++) {
        float low = fminf(corners[0][k], fminf(corners[1][k], corners[2][k]));
        float high = fmaxf(corners[0][k], fmaxf(corners[1][k], corners[2][k]));
        float at = (float)((double)ray->origin[k] + t * direction[k]);
        out[k] = at < low ? low : at > high ? high : at;
    }
}

/* False if nothing is hit. */
static bool surface_find(const struct ray_maker *maker, const struct rt_ray *ray,
                         const struct rt_hit *hit, struct surface_point *point)
{
    if (hit->triangle == RT_NOTHING)
        return false;
    const struct mesh *mesh = &maker->scene->mesh;
    const float *corners[3];
    double first[3], second[3], direction[3];
    for (u32 k = 0; k < 3; k++) {
        corners[k] = mesh->vertices[mesh->triangles[hit->triangle][k]];
        direction[k] = (double)ray->direction[k];
    }
    between(corners[0], corners[1], first);
    between(corners[0], corners[2], second);
    cross(first, second, point->normal);
    if (!normalise(point->normal))
        return false;
    bool behind = dot(point->normal, direction) > 0;
    plane_point(ray, hit, corners, point->normal, point->position);
    for (u32 k = 0; k < 3; k++) {
        if (behind)
            point->normal[k] = -point->normal[k];
        point->position[k] = offset(point->position[k], point->normal[k], maker->scale);
    }
    return true;
}

/* By the cosine with the normal: a point on the disk, lifted onto the hemisphere. The frame around
 * the normal is that of Duff et al. 2017 ("Building an Orthonormal Basis, Revisited"). */
static void sample_cosine(const double normal[3], u64 *state, double out[3])
{
    double square = random_real(state), sine, cosine;
    sine_cosine(random_real(state), &sine, &cosine);
    double radius = sqrt(square), x = radius * cosine, y = radius * sine, z = sqrt(1 - square);
    double sign = normal[2] < 0 ? -1 : 1;
    double a = -1 / (sign + normal[2]), b = normal[0] * normal[1] * a;
    double tangent[3] = { 1 + sign * normal[0] * normal[0] * a, sign * b, -sign * normal[0] };
    double bitangent[3] = { b, sign + normal[1] * normal[1] * a, -normal[1] };
    for (u32 k = 0; k < 3; k++)
        out[k] = x * tangent[k] + y * bitangent[k] + z * normal[k];
    normalise(out);
}

/* The direction to one of the lights, chosen by pixel, and how far it is. False if the surface
 * faces away from it. */
static bool light_find(const struct ray_maker *maker, u32 pixel, const struct surface_point *point,
                       double direction[3], double *distance)
{
    const struct scene *scene = maker->scene;
    *distance = INFINITY;
    memcpy(direction, default_sun, sizeof default_sun);
    if (scene->light_count) {
        u64 state = random_begin(maker->options->seed, pixel, STREAM_SHADOW);
        const struct light *light = &scene->lights[random_below(&state, scene->light_count)];
        static const float zero[3];
        between(light->kind == LIGHT_POINT ? point->position : zero, light->at, direction);
        if (light->kind == LIGHT_POINT)
            *distance = sqrt(dot(direction, direction));
    }
    return normalise(direction) && dot(direction, point->normal) > 0;
}

static void next_ray(const struct ray_maker *maker, enum stream stream, u32 pixel,
                     const struct rt_hit *hit, struct rt_ray *ray)
{
    struct surface_point point;
    double direction[3], t_max = stream == STREAM_OCCLUSION ? maker->occlusion_length : INFINITY;
    bool found = surface_find(maker, ray, hit, &point);
    if (found && stream == STREAM_SHADOW) {
        found = light_find(maker, pixel, &point, direction, &t_max);
    } else if (found) {
        u64 state = random_begin(maker->options->seed, pixel, stream);
        sample_cosine(point.normal, &state, direction);
    }
    if (found)
        ray_set(ray, point.position, direction, t_max);
    else
        ray_set_empty(ray);
}

/* ---- All of them ---- */

static void maker_measure(struct ray_maker *maker)
{
    const struct mesh *mesh = &maker->scene->mesh;
    float low[3] = { INFINITY, INFINITY, INFINITY };
    float high[3] = { -INFINITY, -INFINITY, -INFINITY };
    for (u32 i = 0; i < mesh->vertex_count; i++)
        for (u32 k = 0; k < 3; k++) {
            low[k] = fminf(low[k], mesh->vertices[i][k]);
            high[k] = fmaxf(high[k], mesh->vertices[i][k]);
        }
    double size = 0, diagonal[3] = { 0 };
    for (u32 k = 0; k < 3 && mesh->vertex_count; k++) {
        size = fmax(size, fmax(fabs((double)low[k]), fabs((double)high[k])));
        diagonal[k] = (double)high[k] - (double)low[k];
    }
    maker->scale = size > 0 ? ldexp(1, ilogb(size)) : 1;
    maker->occlusion_length = (double)maker->options->occlusion_length;
    if (!(maker->occlusion_length > 0))
        maker->occlusion_length = sqrt(dot(diagonal, diagonal)) / 10;
}

/* Takes every ray of the set on to where it hits, and from there to the next. */
static bool rays_go_on(const struct ray_maker *maker, struct ray_set *set, enum stream stream,
                       struct ogv_error *error)
{
    struct rt_hit *hits = malloc(set->count * sizeof *hits);
    if (!hits)
        return error_system(error, "no memory for the hits of %llu rays",
                            (unsigned long long)set->count);
    bool good =
        reference_closest(maker->reference, set->rays, set->count, hits, maker->options->threads);
    for (u64 i = 0; i < set->count && good; i++)
        next_ray(maker, stream, set->pixels[i], &hits[i], &set->rays[i]);
    free(hits);
    return good || stop_error(error, "tracing reference rays");
}

static bool rays_fill(const struct ray_maker *maker, struct ray_set *set, struct ogv_error *error)
{
    for (u64 i = 0; i < set->count; i++)
        primary_ray(maker, set->pixels[i], &set->rays[i]);
    switch (set->kind) {
    case RAYS_PRIMARY:
        return true;
    case RAYS_SECONDARY:
        return rays_go_on(maker, set, STREAM_SECONDARY, error);
    case RAYS_TERTIARY:
        return rays_go_on(maker, set, STREAM_SECONDARY, error) &&
               rays_go_on(maker, set, STREAM_TERTIARY, error);
    case RAYS_SHADOW:
        return rays_go_on(maker, set, STREAM_SHADOW, error);
    case RAYS_OCCLUSION:
        return rays_go_on(maker, set, STREAM_OCCLUSION, error);
    }
    return true;
}

static bool options_check(const struct ray_options *options, struct ogv_error *error)
{
    u64 count = (u64)options->width * options->height;
    if (!count || count > RAYS_MAX)
        return error_user(error, "a picture of %u x %u pixels: there must be 1 to %llu pixels",
                          options->width, options->height, (unsigned long long)RAYS_MAX);
    if (!(options->occlusion_length >= 0) || isinf(options->occlusion_length))
        return error_user(error,
                          "the length of occlusion rays is %g, but must be finite and not "
                          "negative",
                          (double)options->occlusion_length);
    return true;
}

bool rays_make(const struct scene *scene, const struct camera *camera, struct reference *reference,
               const struct ray_options *options, struct ray_set *set, struct ogv_error *error)
{
    *set = (struct ray_set){ .kind = options->kind, .order = options->order };
    struct ray_maker maker = { .scene = scene, .reference = reference, .options = options };
    if (!options_check(options, error) ||
        !camera_frame(camera, options->width, options->height, &maker.frame, error))
        return false;
    set->width = options->width;
    set->height = options->height;
    set->count = (u64)set->width * set->height;
    set->rays = malloc(set->count * sizeof *set->rays);
    set->pixels = malloc(set->count * sizeof *set->pixels);
    if (!set->rays || !set->pixels) {
        rays_free(set);
        return error_system(error, "no memory for %llu rays", (unsigned long long)set->count);
    }
    rays_order(set->order, set->width, set->height, set->pixels);
    maker_measure(&maker);
    if (!rays_fill(&maker, set, error)) {
        rays_free(set);
        return false;
    }
    for (u64 i = 0; i < set->count; i++)
        set->real += !rt_ray_is_empty(&set->rays[i]);
    return true;
}

void rays_free(struct ray_set *set)
{
    free(set->rays);
    free(set->pixels);
    *set = (struct ray_set){ 0 };
}
