/* render.c - see render.h.
 *
 * Threads take blocks of pixels. Within a block all paths go on together, bounce by bounce: one
 * call finds all hits, one call all shadows. A path's random numbers come from its pixel and
 * sample, and a pixel's samples are added in their order, so nothing depends on which thread does
 * what.
 *
 * At a diffuse hit, light comes from a shadow ray to each sun or point, from a shadow ray to one
 * point of the lamps (emissive triangles, chosen by power), and from the sky where the path itself
 * leaves the scene; a lamp that a path meets after a diffuse hit therefore does not count again.
 * Whether a path is inside of glass is remembered, as triangles have no reliable outside.
 *
 * Exposure follows the mean of the picture's logarithm (Reinhard et al. 2002, "Photographic tone
 * reproduction for digital images"); the curve to the screen is Narkowicz's fit of ACES (2015). */
#include "rt/render.h"

#include <float.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/stop.h"
#include "base/text.h"
#include "ogive/random.h"
#include "rt/camera.h"
#include "rt/lamps.h"
#include "rt/parallel.h"
#include "rt/reference.h"

#define BLOCK_PIXELS 1024
#define BOUNCES      12
#define SURE_BOUNCES 4       /* before a path may be ended by chance */
#define SUN_RADIUS   0.0047f /* half its angle as seen from the earth, in radians */
#define BRIGHT       5.0f /* the most that a path adds after its first hit: keeps fireflies away */

typedef struct {
    float x, y, z;
} vec;

static vec vec_of(const float v[3])
{
    return (vec){ v[0], v[1], v[2] };
}

static vec add(vec a, vec b)
{
    return (vec){ a.x + b.x, a.y + b.y, a.z + b.z };
}

static vec sub(vec a, vec b)
{
    return (vec){ a.x - b.x, a.y - b.y, a.z - b.z };
}

static vec scale(vec a, float s)
{
    return (vec){ a.x * s, a.y * s, a.z * s };
}

static vec times(vec a, vec b)
{
    return (vec){ a.x * b.x, a.y * b.y, a.z * b.z };
}

static float dot(vec a, vec b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static vec cross(vec a, vec b)
{
    return (vec){ a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x };
}

static vec unit(vec a)
{
    float length = sqrtf(dot(a, a));
    return length > 0 ? scale(a, 1 / length) : (vec){ 0, 1, 0 };
}

static float brightness(vec a)
{
    return 0.2126f * a.x + 0.7152f * a.y + 0.0722f * a.z;
}

/* ---- What all threads look at ---- */

struct render {
    const struct scene *scene;
    const struct render_options *options;
    struct reference *reference;
    struct lamps lamps;
    vec eye, right, down, forward; /* forward + x right + y down, x and y within -1 to 1 */
    vec up;
    vec *pixels;
    u64 pixel_count, done;
    pthread_mutex_t mutex; /* of `done` and the progress call */
};

static vec vec_from(const double v[3], double by)
{
    return (vec){ (float)(v[0] * by), (float)(v[1] * by), (float)(v[2] * by) };
}

static bool render_aim(struct render *render, struct ogv_error *error)
{
    const struct render_options *options = render->options;
    struct camera_frame frame;
    if (!camera_frame(options->camera, options->width, options->height, &frame, error))
        return false;
    render->eye = vec_of(frame.eye);
    render->forward = vec_from(frame.forward, 1);
    render->right = vec_from(frame.right, 1);
    render->down = vec_from(frame.up, -1);
    render->up = unit(vec_of(render->scene->up));
    return true;
}

static const struct material *triangle_material(const struct scene *scene, u32 triangle)
{
    u32 material = scene->mesh.materials ? scene->mesh.materials[triangle] : 0;
    return &scene->materials[material < scene->material_count ? material : 0];
}

static vec triangle_corner(const struct mesh *mesh, u32 triangle, u32 corner)
{
    return vec_of(mesh->vertices[mesh->triangles[triangle][corner]]);
}

/* Twice the area, along the normal. */
static vec triangle_cross(const struct mesh *mesh, u32 triangle)
{
    vec a = triangle_corner(mesh, triangle, 0);
    return cross(sub(triangle_corner(mesh, triangle, 1), a),
                 sub(triangle_corner(mesh, triangle, 2), a));
}

/* ---- Chance ---- */

static float random_unit(u64 *state)
{
    return (float)(random_next(state) >> 40) / 16777216.0f;
}

/* Samples of one pixel that fill the square evenly: Roberts' R2 sequence, moved by a random amount
 * per pixel. */
static void even_pair(u64 pixel, u32 sample, u32 what, float out[2])
{
    u64 state = pixel * 4 + what;
    random_next(&state);
    double a = random_unit(&state) + (sample + 1) * 0.7548776662466927;
    double b = random_unit(&state) + (sample + 1) * 0.5698402909980532;
    out[0] = (float)(a - floor(a));
    out[1] = (float)(b - floor(b));
}

static vec around(vec n, float a, float b, float spread)
{
    vec helper = fabsf(n.x) > 0.7f ? (vec){ 0, 1, 0 } : (vec){ 1, 0, 0 };
    vec side = unit(cross(n, helper)), other = cross(n, side);
    float radius = spread * sqrtf(a), angle = 2 * (float)M_PI * b;
    float u = radius * cosf(angle), v = radius * sinf(angle);
    float w = spread < 1 ? 1 : sqrtf(a < 1 ? 1 - a : 0);
    return unit(add(add(scale(side, u), scale(other, v)), scale(n, w)));
}

/* ---- Paths ---- */

struct path {
    u32 pixel; /* in the block */
    u32 sample;
    u64 number; /* of the pixel in the picture */
    u64 state;
    vec weight;
    bool seen;   /* a lamp that is met counts: the path comes from the eye or a mirror */
    bool inside; /* of glass */
};

/* What a shadow ray brings if nothing is in its way. */
struct shadow {
    u32 pixel;
    vec light;
};

/* Pixels that are worked on together. */
struct block {
    struct render *render;
    u64 first;
    u32 count; /* pixels */
    u32 alive; /* paths; rays[i] belongs to paths[i] */
    u32 bounce;
    struct path paths[BLOCK_PIXELS];
    struct rt_ray rays[BLOCK_PIXELS];
    struct rt_hit hits[BLOCK_PIXELS];
    u32 shadow_count, shadow_room;
    struct shadow *shadows;
    struct rt_ray *shadow_rays;
    bool *shadowed;
};

static struct rt_ray ray_make(vec from, vec to, float t_min, float t_max)
{
    return (struct rt_ray){ { from.x, from.y, from.z }, t_min, { to.x, to.y, to.z }, t_max };
}

/* How far a ray has to go before it may hit anything: beyond the rounding of where it starts. */
static float leave(vec at)
{
    return 4e-5f * (1e-3f + fabsf(at.x) + fabsf(at.y) + fabsf(at.z));
}

static void block_begin(struct block *block, u32 sample)
{
    const struct render *render = block->render;
    u32 width = render->options->width, height = render->options->height;
    block->alive = block->count;
    block->bounce = 0;
    for (u32 i = 0; i < block->count; i++) {
        u64 pixel = block->first + i;
        float jitter[2];
        even_pair(pixel, sample, 0, jitter);
        float x = 2 * ((float)(pixel % width) + jitter[0]) / (float)width - 1;
        float y = 2 * ((float)(pixel / width) + jitter[1]) / (float)height - 1;
        vec to = add(render->forward, add(scale(render->right, x), scale(render->down, y)));
        block->paths[i] =
            (struct path){ i, sample, pixel, pixel << 20 ^ sample, { 1, 1, 1 }, true, false };
        random_next(&block->paths[i].state);
        block->rays[i] = ray_make(render->eye, unit(to), 0, FLT_MAX);
    }
}

static vec sky_light(const struct render *render, vec to)
{
    const struct sky *sky = &render->scene->sky;
    float height = dot(to, render->up);
    height = height > 0 ? sqrtf(height) : 0;
    return add(scale(vec_of(sky->horizon), 1 - height), scale(vec_of(sky->zenith), height));
}

static void block_add_light(struct block *block, const struct path *path, vec light)
{
    vec *pixel = &block->render->pixels[block->first + path->pixel];
    vec added = times(path->weight, light);
    float bright = brightness(added);
    if (block->bounce && bright > BRIGHT)
        added = scale(added, BRIGHT / bright);
    *pixel = add(*pixel, added);
}

static void block_add_shadow(struct block *block, const struct path *path, vec at, vec to,
                             float t_max, vec light)
{
    if (block->shadow_count == block->shadow_room) {
        u32 room = block->shadow_room ? 2 * block->shadow_room : BLOCK_PIXELS;
        block->shadows = heap_grow(block->shadows, room, sizeof *block->shadows);
        block->shadow_rays = heap_grow(block->shadow_rays, room, sizeof *block->shadow_rays);
        block->shadowed = heap_grow(block->shadowed, room, sizeof *block->shadowed);
        block->shadow_room = room;
    }
    vec added = times(path->weight, light);
    float bright = brightness(added);
    if (block->bounce && bright > BRIGHT)
        added = scale(added, BRIGHT / bright);
    block->shadow_rays[block->shadow_count] = ray_make(at, to, leave(at), t_max);
    block->shadows[block->shadow_count++] = (struct shadow){ path->pixel, added };
}

static void lights_sample(struct block *block, struct path *path, vec at, vec n, vec colour)
{
    const struct scene *scene = block->render->scene;
    for (u32 i = 0; i < scene->light_count; i++) {
        const struct light *light = &scene->lights[i];
        vec to = vec_of(light->at), power = vec_of(light->power);
        float t_max = FLT_MAX, a = random_unit(&path->state), b = random_unit(&path->state);
        if (light->kind == LIGHT_SUN) {
            to = around(unit(to), a, b, SUN_RADIUS);
        } else {
            vec way = sub(to, at);
            float square = dot(way, way);
            to = unit(way);
            t_max = sqrtf(square) * 0.9999f;
            power = square > 0 ? scale(power, 1 / square) : (vec){ 0, 0, 0 };
        }
        float cosine = dot(n, to);
        if (cosine > 0)
            block_add_shadow(block, path, at, to, t_max,
                             times(colour, scale(power, cosine / (float)M_PI)));
    }
}

static u32 lamp_choose(const struct lamps *lamps, float chance)
{
    u32 low = 0, high = lamps->count - 1;
    while (low < high) {
        u32 middle = low + (high - low) / 2;
        if (lamps->sums[middle] > chance * lamps->power)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

static void lamp_sample(struct block *block, struct path *path, vec at, vec n, vec colour)
{
    const struct render *render = block->render;
    const struct lamps *lamps = &render->lamps;
    const struct mesh *mesh = &render->scene->mesh;
    u32 triangle = lamps->triangles[lamp_choose(lamps, random_unit(&path->state))];
    float a = sqrtf(random_unit(&path->state)), b = random_unit(&path->state);
    vec p = triangle_corner(mesh, triangle, 0), q = triangle_corner(mesh, triangle, 1),
        r = triangle_corner(mesh, triangle, 2);
    vec point = add(scale(p, 1 - a), add(scale(q, a * (1 - b)), scale(r, a * b)));
    vec way = sub(point, at),
        emission = vec_of(triangle_material(render->scene, triangle)->emission);
    float square = dot(way, way), glow = brightness(emission);
    vec to = unit(way);
    float cosine = dot(n, to), other = fabsf(dot(unit(triangle_cross(mesh, triangle)), to));
    if (cosine <= 0 || other <= 0 || !(square > 0))
        return;
    /* The chance of this point, per area, is glow / power. */
    float factor = cosine * other * lamps->power / (square * glow * (float)M_PI);
    block_add_shadow(block, path, at, to, sqrtf(square) * 0.9995f,
                     times(colour, scale(emission, factor)));
}

static bool diffuse_go(struct block *block, struct path *path, vec at, vec n,
                       const struct material *material, struct rt_ray *ray)
{
    vec colour = vec_of(material->colour);
    float pair[2] = { 0, 0 };
    lights_sample(block, path, at, n, colour);
    if (block->render->lamps.power > 0)
        lamp_sample(block, path, at, n, colour);
    if (block->bounce == 0) {
        even_pair(path->number, path->sample, 1, pair);
    } else {
        pair[0] = random_unit(&path->state);
        pair[1] = random_unit(&path->state);
    }
    path->weight = times(path->weight, colour);
    path->seen = false;
    *ray = ray_make(at, around(n, pair[0], pair[1], 1), leave(at), FLT_MAX);
    return true;
}

static bool mirror_go(struct path *path, vec at, vec n, vec in, const struct material *material,
                      struct rt_ray *ray)
{
    vec to = sub(in, scale(n, 2 * dot(n, in)));
    path->weight = times(path->weight, vec_of(material->colour));
    path->seen = true;
    *ray = ray_make(at, to, leave(at), FLT_MAX);
    return true;
}

/* The part of light that a smooth surface sends back (Fresnel's equations); 1 if all of it. */
static float reflected_part(float cosine, float ratio, float *other_cosine)
{
    float square = 1 - ratio * ratio * (1 - cosine * cosine);
    if (square <= 0)
        return 1;
    *other_cosine = sqrtf(square);
    float s = (ratio * cosine - *other_cosine) / (ratio * cosine + *other_cosine);
    float p = (cosine - ratio * *other_cosine) / (cosine + ratio * *other_cosine);
    return 0.5f * (s * s + p * p);
}

static bool glass_go(struct path *path, vec at, vec n, vec in, const struct material *material,
                     struct rt_ray *ray)
{
    float ratio = path->inside ? material->index : 1 / material->index;
    float cosine = -dot(n, in), other = 0;
    if (random_unit(&path->state) < reflected_part(cosine, ratio, &other)) {
        path->seen = true;
        *ray = ray_make(at, sub(in, scale(n, 2 * dot(n, in))), leave(at), FLT_MAX);
        return true;
    }
    vec to = unit(add(scale(in, ratio), scale(n, ratio * cosine - other)));
    path->weight = times(path->weight, vec_of(material->colour));
    path->inside = !path->inside;
    path->seen = true;
    *ray = ray_make(at, to, leave(at), FLT_MAX);
    return true;
}

/* Takes a path on from its hit; false if it ends. */
static bool path_go(struct block *block, struct path *path, struct rt_ray *ray,
                    const struct rt_hit *hit)
{
    const struct scene *scene = block->render->scene;
    vec in = vec_of(ray->direction);
    if (hit->triangle == RT_NOTHING) {
        block_add_light(block, path, sky_light(block->render, in));
        return false;
    }
    const struct material *material = triangle_material(scene, hit->triangle);
    vec at = add(vec_of(ray->origin), scale(in, hit->t));
    vec n = unit(triangle_cross(&scene->mesh, hit->triangle));
    if (dot(n, in) > 0)
        n = scale(n, -1);
    if (path->seen)
        block_add_light(block, path, vec_of(material->emission));
    if (material->surface == SURFACE_MIRROR)
        return mirror_go(path, at, n, in, material, ray);
    if (material->surface == SURFACE_GLASS)
        return glass_go(path, at, n, in, material, ray);
    return diffuse_go(block, path, at, n, material, ray);
}

static bool path_survives(struct block *block, struct path *path)
{
    float bright = fmaxf(path->weight.x, fmaxf(path->weight.y, path->weight.z));
    if (!(bright > 0))
        return false;
    if (block->bounce < SURE_BOUNCES)
        return true;
    float chance = bright < 0.95f ? bright : 0.95f;
    if (random_unit(&path->state) >= chance)
        return false;
    path->weight = scale(path->weight, 1 / chance);
    return true;
}

/* False if it was interrupted. */
static bool block_bounce(struct block *block)
{
    struct render *render = block->render;
    u32 left = 0;
    block->shadow_count = 0;
    if (!reference_closest(render->reference, block->rays, block->alive, block->hits, 1))
        return false;
    for (u32 i = 0; i < block->alive; i++) {
        struct path path = block->paths[i];
        struct rt_ray ray = block->rays[i];
        if (!path_go(block, &path, &ray, &block->hits[i]) || !path_survives(block, &path))
            continue;
        block->paths[left] = path;
        block->rays[left++] = ray;
    }
    block->alive = left;
    if (block->shadow_count && !reference_any(render->reference, block->shadow_rays,
                                              block->shadow_count, block->shadowed, 1))
        return false;
    for (u32 i = 0; i < block->shadow_count; i++) {
        vec *pixel = &render->pixels[block->first + block->shadows[i].pixel];
        if (!block->shadowed[i])
            *pixel = add(*pixel, block->shadows[i].light);
    }
    return true;
}

/* ---- Threads ---- */

static void render_report(struct render *render, u32 pixels)
{
    pthread_mutex_lock(&render->mutex);
    render->done += pixels;
    if (render->options->progress)
        render->options->progress(render->options->user,
                                  (double)render->done / (double)render->pixel_count);
    pthread_mutex_unlock(&render->mutex);
}

static void render_block(void *context, u32 index)
{
    struct render *render = context;
    struct block *block = heap_array(1, sizeof *block);
    block->render = render;
    block->first = (u64)index * BLOCK_PIXELS;
    block->count = (u32)min_u64(BLOCK_PIXELS, render->pixel_count - block->first);
    bool good = true;
    for (u32 sample = 0; sample < render->options->samples && good; sample++) {
        block_begin(block, sample);
        for (; block->alive && block->bounce < BOUNCES && good; block->bounce++)
            good = block_bounce(block);
    }
    render_report(render, block->count);
    free(block->shadows);
    free(block->shadow_rays);
    free(block->shadowed);
    free(block);
}

/* ---- The picture ---- */

/* Pixels without any light say nothing of how bright the scene is. */
static float render_exposure(const struct render *render)
{
    double sum = 0;
    u64 lit = 0;
    for (u64 i = 0; i < render->pixel_count; i++) {
        double bright = (double)brightness(render->pixels[i]);
        if (!(bright > 0))
            continue;
        sum += log(bright);
        lit++;
    }
    return lit ? (float)(0.22 / fmax(exp(sum / (double)lit), 1e-6)) : 1;
}

static u8 screen_byte(float light)
{
    float x = light < 0 ? 0 : light * 0.8f;
    float shown = x * (2.51f * x + 0.03f) / (x * (2.43f * x + 0.59f) + 0.14f);
    shown = shown > 1 ? 1 : shown;
    float code = shown < 0.0031308f ? 12.92f * shown : 1.055f * powf(shown, 1 / 2.4f) - 0.055f;
    return (u8)(code * 255 + 0.5f);
}

static u8 *render_develop(const struct render *render)
{
    u8 *bytes = heap_array(render->pixel_count, 4);
    float exposure = render_exposure(render);
    for (u64 i = 0; i < render->pixel_count; i++) {
        vec light = scale(render->pixels[i], exposure);
        const u8 pixel[4] = { screen_byte(light.x), screen_byte(light.y), screen_byte(light.z),
                              255 };
        memcpy(bytes + 4 * i, pixel, sizeof pixel);
    }
    return bytes;
}

/* Fills the pixels. */
static bool render_paths(struct render *render, struct ogv_error *error)
{
    render->pixel_count = (u64)render->options->width * render->options->height;
    render->pixels = heap_array(render->pixel_count, sizeof *render->pixels);
    pthread_mutex_init(&render->mutex, NULL);
    lamps_find(render->scene, &render->lamps);
    parallel_run(render->options->threads,
                 (u32)((render->pixel_count + BLOCK_PIXELS - 1) / BLOCK_PIXELS), render_block,
                 render);
    for (u64 i = 0; i < render->pixel_count; i++)
        render->pixels[i] = scale(render->pixels[i], 1 / (float)render->options->samples);
    pthread_mutex_destroy(&render->mutex);
    lamps_free(&render->lamps);
    return !stop_asked() || stop_error(error, "drawing the scene");
}

u8 *render_scene(const struct scene *scene, const struct render_options *options,
                 struct ogv_error *error)
{
    struct render render = { .scene = scene, .options = options };
    if (!render_aim(&render, error))
        return NULL;
    render.reference = reference_create(&scene->mesh, error);
    if (!render.reference)
        return NULL;
    u8 *bytes = render_paths(&render, error) ? render_develop(&render) : NULL;
    reference_free(render.reference);
    free(render.pixels);
    return bytes;
}

bool render_measure(const struct scene *scene, struct reference *reference,
                    const struct render_options *options, float *exposure, struct ogv_error *error)
{
    struct render render = { .scene = scene, .options = options, .reference = reference };
    if (!render_aim(&render, error))
        return false;
    bool good = render_paths(&render, error);
    *exposure = render_exposure(&render);
    free(render.pixels);
    return good;
}
