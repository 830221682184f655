/* paths.h - what programs that draw a scene share: vectors, random numbers, the camera, what a ray
 * has hit, and the picture.
 *
 * A program says what a pixel looks like:
 *
 *     static struct vector pixel_draw(struct paths *paths, uint32_t pixel) { ... }
 *
 *     int main(void)
 *     {
 *         return paths_draw("name", pixel_draw);
 *     }
 *
 * Pixels are pieces of work, in the world's order of places. A pixel depends on the world and on
 * its own number, on nothing else: random numbers start anew for every pixel and sample. Single
 * precision, with additions, multiplications, divisions and square roots only, which IEEE 754
 * defines to the last bit: the picture is the same on every machine. */
#ifndef PROGRAMS_PATHS_H
#define PROGRAMS_PATHS_H

#include <ogive/rt_device.h>

/* ---- Vectors ---- */

struct vector {
    float x, y, z;
};

static inline struct vector vector_of(const float *from)
{
    struct vector v = { from[0], from[1], from[2] };
    return v;
}

static inline struct vector vector_add(struct vector a, struct vector b)
{
    struct vector v = { a.x + b.x, a.y + b.y, a.z + b.z };
    return v;
}

static inline struct vector vector_sub(struct vector a, struct vector b)
{
    struct vector v = { a.x - b.x, a.y - b.y, a.z - b.z };
    return v;
}

static inline struct vector vector_mul(struct vector a, struct vector b)
{
    struct vector v = { a.x * b.x, a.y * b.y, a.z * b.z };
    return v;
}

static inline struct vector vector_scale(struct vector a, float by)
{
    struct vector v = { a.x * by, a.y * by, a.z * by };
    return v;
}

static inline float vector_dot(struct vector a, struct vector b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline struct vector vector_cross(struct vector a, struct vector b)
{
    struct vector v = { a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x };
    return v;
}

/* How bright a colour looks: its luminance (ITU-R BT.709). */
static inline float vector_bright(struct vector a)
{
    return 0.2126f * a.x + 0.7152f * a.y + 0.0722f * a.z;
}

/* Of length 1, or `otherwise` if it is too short to have a direction. */
static inline struct vector vector_normalise(struct vector a, struct vector otherwise)
{
    float square = vector_dot(a, a);
    return square > 0 ? vector_scale(a, 1 / __builtin_sqrtf(square)) : otherwise;
}

/* ---- State of a hart ---- */

struct paths {
    const struct rt_world *world;
    const float (*vertices)[3];
    const uint32_t (*triangles)[3];
    const uint16_t *surfaces;
    const struct rt_material *materials;
    uint32_t random;
    uint32_t sample, drawn; /* whose numbers these are, and how many have been taken */
};

/* ---- Random numbers: PCG's 32-bit generator (O'Neill 2014), as a hash for seeding, too ----
 *
 * The first few that a sample takes (the point of the pixel, the first light, the first bounce) are
 * the pixel's, moved on by a fixed step with every sample, so that its samples spread evenly: an
 * additive recurrence in that many dimensions (Roberts 2018, "The unreasonable effectiveness of
 * quasirandom sequences"). */
#define RANDOM_EVEN 6

static inline uint32_t random_output(uint32_t state)
{
    uint32_t word = (state >> ((state >> 28) + 4) ^ state) * UINT32_C(277803737);
    return word >> 22 ^ word;
}

static inline uint32_t random_step(uint32_t state)
{
    return state * UINT32_C(747796405) + UINT32_C(2891336453);
}

static inline uint32_t random_mix(uint32_t a, uint32_t b)
{
    return random_output(random_step(a)) ^ b;
}

/* The numbers that follow are those of this pixel and sample. */
static inline void random_seed(struct paths *paths, uint32_t pixel, uint32_t sample)
{
    uint64_t seed = paths->world->seed;
    uint32_t mixed = random_mix((uint32_t)seed, (uint32_t)(seed >> 32));
    paths->random = random_output(random_mix(mixed, pixel));
    paths->sample = sample;
    paths->drawn = 0;
}

/* From 0 to below 1. */
static inline float random_float(struct paths *paths)
{
    /* 2^32 by powers of 1 / 1.11277568, which is the root of x^7 = x + 1. */
    static const uint32_t steps[RANDOM_EVEN] = { 0xe60e2b72, 0xcebd76d9, 0xb9c9aa3a,
                                                 0xa6f5777f, 0x9609c71e, 0x86d516e5 };
    uint32_t even = paths->drawn < RANDOM_EVEN ? paths->sample * steps[paths->drawn] : 0;
    if (paths->drawn++ == RANDOM_EVEN)
        paths->random = random_mix(paths->random, paths->sample);
    paths->random = random_step(paths->random);
    return (float)((random_output(paths->random) + even) >> 8) * 0x1p-24f;
}

/* A point of the disk of radius 1 from one of the square (Shirley and Chiu 1997), which keeps what
 * is spread evenly so. The angle is at most an eighth of a turn: short series are exact enough. */
static inline void disk_point(float a, float b, float *x, float *y)
{
    float wide = a < 0 ? -a : a, high = b < 0 ? -b : b;
    float radius = wide > high ? a : b, other = wide > high ? b : a;
    float angle = radius != 0 ? 0.785398163f * (other / radius) : 0, square = angle * angle;
    float sine = angle * (1 + square * (-0.166666667f + square * (0.008333333f)));
    float cosine = 1 + square * (-0.5f + square * (0.041666667f + square * -0.001388889f));
    *x = radius * (wide > high ? cosine : sine);
    *y = radius * (wide > high ? sine : cosine);
}

/* A direction by its cosine with the normal: a point of the disk, lifted onto the hemisphere. The
 * frame around the normal is that of Duff et al. 2017. */
static inline struct vector random_cosine(struct paths *paths, struct vector normal)
{
    float x, y, across = 2 * random_float(paths) - 1;
    disk_point(across, 2 * random_float(paths) - 1, &x, &y);
    float square = x * x + y * y < 1 ? x * x + y * y : 1;
    float sign = normal.z < 0 ? -1.0f : 1.0f, a = -1 / (sign + normal.z);
    float b = normal.x * normal.y * a;
    struct vector tangent = { 1 + sign * normal.x * normal.x * a, sign * b, -sign * normal.x };
    struct vector bitangent = { b, sign + normal.y * normal.y * a, -normal.y };
    struct vector out = vector_scale(normal, __builtin_sqrtf(1 - square));
    out = vector_add(out, vector_scale(tangent, x));
    out = vector_add(out, vector_scale(bitangent, y));
    return vector_normalise(out, normal);
}

/* ---- Rays ---- */

static inline struct rt_ray ray_of(struct vector origin, struct vector direction, float t_max)
{
    struct rt_ray ray = {
        { origin.x, origin.y, origin.z }, 0, { direction.x, direction.y, direction.z }, t_max
    };
    return ray;
}

/* Through the pixel at (x, y) of it, both from 0 to 1. */
static inline struct rt_ray ray_camera(const struct rt_world *world, uint32_t pixel, float x,
                                       float y)
{
    const struct rt_view *view = &world->view;
    x = ((float)(pixel % world->width) + x) / (float)world->width;
    y = ((float)(pixel / world->width) + y) / (float)world->height;
    struct vector to =
        vector_add(vector_scale(vector_of(view->right), x), vector_scale(vector_of(view->down), y));
    to = vector_add(vector_of(view->corner), to);
    return ray_of(vector_of(view->eye), vector_normalise(to, to), __builtin_inff());
}

/* ---- What was hit ---- */

struct surface {
    struct vector position; /* on the triangle */
    struct vector normal;   /* of length 1, on the side that the ray came from */
    const struct rt_material *material;
};

struct triangle {
    struct vector corner, first, second; /* the edges to the other two corners */
};

static inline struct triangle triangle_get(const struct paths *paths, uint32_t number)
{
    const uint32_t *corners = paths->triangles[number];
    struct triangle triangle;
    triangle.corner = vector_of(paths->vertices[corners[0]]);
    triangle.first = vector_sub(vector_of(paths->vertices[corners[1]]), triangle.corner);
    triangle.second = vector_sub(vector_of(paths->vertices[corners[2]]), triangle.corner);
    return triangle;
}

static inline struct vector triangle_point(const struct triangle *triangle, float u, float v)
{
    struct vector inside =
        vector_add(vector_scale(triangle->first, u), vector_scale(triangle->second, v));
    return vector_add(triangle->corner, inside);
}

/* Position and normal are computed from the triangle: more exact than from the distance. */
static inline struct surface surface_at(const struct paths *paths, const struct rt_ray *ray,
                                        struct rt_hit hit)
{
    struct triangle triangle = triangle_get(paths, hit.triangle);
    struct vector towards = vector_of(ray->direction), backwards = vector_scale(towards, -1);
    struct surface surface;
    surface.position = triangle_point(&triangle, hit.u, hit.v);
    surface.normal = vector_normalise(vector_cross(triangle.first, triangle.second), backwards);
    if (vector_dot(surface.normal, towards) > 0)
        surface.normal = vector_scale(surface.normal, -1);
    surface.material = &paths->materials[paths->surfaces[hit.triangle]];
    return surface;
}

/* A coordinate moved off the surface (Waechter and Binder 2019): by a fixed number of steps between
 * floating-point numbers, or, where those are too small, by a fixed length. */
static inline float coordinate_leave(float p, float n, float step)
{
    if ((p < 0 ? -p : p) < 2048 * step)
        return p + n * step;
    int32_t steps = (int32_t)(256 * n);
    return ogv_float_of(ogv_float_bits(p) + (uint32_t)(p < 0 ? -steps : steps));
}

/* Where rays begin that leave the surface on the side of `normal`. */
static inline struct vector surface_leave(const struct rt_world *world,
                                          const struct surface *surface, struct vector normal)
{
    struct vector out = {
        coordinate_leave(surface->position.x, normal.x, world->step),
        coordinate_leave(surface->position.y, normal.y, world->step),
        coordinate_leave(surface->position.z, normal.z, world->step),
    };
    return out;
}

/* ---- Light ---- */

#define PATHS_PI 3.14159265f

/* Radiance from the sky: from horizon to zenith by height. */
static inline struct vector sky_light(const struct rt_world *world, const struct rt_ray *ray)
{
    float height = vector_dot(vector_of(ray->direction), vector_of(world->up));
    height = height > 0 ? __builtin_sqrtf(height) : 0;
    return vector_add(vector_scale(vector_of(world->sky_horizon), 1 - height),
                      vector_scale(vector_of(world->sky_zenith), height));
}

/* What part of the light a white surface sends back if nothing is in the way of the ray there; 0:
 * it does not fall on it. */
static inline float light_reaches(const struct rt_light *light, const struct surface *surface,
                                  struct vector origin, struct rt_ray *ray)
{
    struct vector to = vector_of(light->at);
    float t_max = __builtin_inff(), strength = 1 / PATHS_PI;
    if (!light->sun) {
        to = vector_sub(to, origin);
        strength /= vector_dot(to, to);
        t_max = __builtin_sqrtf(vector_dot(to, to)) * 0.9999f;
    }
    to = vector_normalise(to, surface->normal);
    strength *= vector_dot(to, surface->normal);
    *ray = ray_of(origin, to, t_max);
    return strength > 0 && t_max > 0 ? strength : 0;
}

/* What it sends back of one of the lights. */
static inline struct vector light_falls(const struct rt_world *world, const struct rt_light *light,
                                        const struct surface *surface, struct vector origin)
{
    static const struct vector none = { 0, 0, 0 };
    struct rt_ray ray;
    float strength = light_reaches(light, surface, origin, &ray);
    if (!(strength > 0) || rt_blocked(world, &ray))
        return none;
    return vector_scale(vector_of(light->power), strength);
}

/* ---- The picture ---- */

/* Narkowicz's fit of the curve of the Academy Color Encoding System (2015). */
static inline float tone(float light)
{
    float x = 0.8f * light;
    return light > 0 ? x * (2.51f * x + 0.03f) / (x * (2.43f * x + 0.59f) + 0.14f) : 0;
}

static inline struct vector vector_tone(const struct rt_world *world, struct vector light)
{
    light = vector_scale(light, world->exposure);
    struct vector v = { tone(light.x), tone(light.y), tone(light.z) };
    return v;
}

/* 0 to 1 to a byte of sRGB, whose power of 1/2.4 is fitted by three square roots. */
static inline uint32_t colour_byte(float colour)
{
    if (!(colour > 0))
        return 0;
    if (!(colour < 1))
        return 255;
    float half = __builtin_sqrtf(colour), quarter = __builtin_sqrtf(half);
    float code = 0.5851224f * half + 0.7831404f * quarter - 0.3682627f * __builtin_sqrtf(quarter);
    return code > 0 ? (uint32_t)(code * 255 + 0.5f) : 0;
}

static inline uint32_t colour_pack(struct vector colour)
{
    return colour_byte(colour.x) | colour_byte(colour.y) << 8 | colour_byte(colour.z) << 16 |
           UINT32_C(255) << 24;
}

static inline int paths_init(struct paths *paths, const char *name)
{
    const struct rt_world *world = ogv_world();
    if (!world) {
        if (ogv_hart() == 0)
            ogv_print("%s: there is no scene; run it with --scene\n", name);
        return 0;
    }
    paths->world = world;
    paths->vertices = (const float(*)[3])rt_world_at(world, world->vertices);
    paths->triangles = (const uint32_t(*)[3])rt_world_at(world, world->triangles);
    paths->surfaces = (const uint16_t *)rt_world_at(world, world->surfaces);
    paths->materials = (const struct rt_material *)rt_world_at(world, world->materials);
    random_seed(paths, 0, 0);
    return 1;
}

/* Draws every pixel; main's result. With --heatmap the cycles that each took are left, too. */
static inline int paths_draw(const char *name,
                             struct vector (*draw)(struct paths *paths, uint32_t pixel))
{
    struct paths paths;
    if (!paths_init(&paths, name))
        return 1;
    const struct rt_world *world = paths.world;
    const uint32_t *places = (const uint32_t *)rt_world_at(world, world->places);
    uint32_t *pixels = (uint32_t *)rt_world_at(world, world->pixels);
    uint32_t *costs = world->costs ? (uint32_t *)rt_world_at(world, world->costs) : 0;
    uint64_t count = (uint64_t)world->width * world->height;
    if (ogv_hart() == 0)
        ogv_image(pixels, world->width, world->height);
    for (uint64_t i = ogv_next(); i < count; i = ogv_next()) {
        uint32_t pixel = places[i];
        uint64_t begin = costs ? ogv_cycles() : 0;
        pixels[pixel] = colour_pack(draw(&paths, pixel));
        if (costs)
            costs[pixel] = (uint32_t)(ogv_cycles() - begin);
    }
    return 0;
}

#endif
