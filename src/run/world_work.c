/* world_work.c - see world_work.h. */
#include "run/world_work.h"

#include <math.h>
#include <stdlib.h>

#include "base/cache.h"
#include "base/stop.h"
#include "base/text.h"
#include "rt/embree.h"
#include "rt/render.h"

#define KIND            "rays"
#define MEASURE_SIDE    64
#define MEASURE_SAMPLES 4
#define KEPT_RAYS_MAX   (512 * 512) /* 13 MiB; larger pictures take far longer to simulate */

void world_say(const struct world_options *options, const char *text)
{
    if (options->note)
        options->note(options->context, text);
}

/* ---- Making ---- */

static bool rays_get(const struct world_options *options, const struct camera *camera,
                     struct reference *reference, struct world *world, struct ogv_error *error)
{
    struct ray_options rays = {
        .kind = options->rays,
        .width = options->width,
        .height = options->height,
        .seed = options->seed,
        .threads = options->threads,
    };
    if (options->own_rays)
        return rays_take("own_rays", options->own_rays, options->width, options->height,
                         &world->rays, error);
    return rays_make(&world->scene, camera, reference, &rays, &world->rays, error);
}

static bool world_make_rays(const struct world_options *options, const struct camera *camera,
                            struct reference *reference, struct world *world,
                            struct ogv_error *error)
{
    world_say(options, "tracing reference rays");
    if (!rays_get(options, camera, reference, world, error))
        return false;
    world->answers = heap_array(world->rays.count, sizeof *world->answers);
    return reference_closest(reference, world->rays.rays, world->rays.count, world->answers,
                             options->threads) ||
           stop_error(error, "tracing reference rays");
}

/* By what to multiply the light of the picture, from a small one. Rounded to an eighth of a power
 * of two, so that the last bits of the host's mathematical functions do not matter. */
static bool world_measure(const struct world_options *options, const struct camera *camera,
                          struct reference *reference, struct world *world, struct ogv_error *error)
{
    struct render_options small = {
        .camera = camera,
        .width = MEASURE_SIDE,
        .height = MEASURE_SIDE,
        .samples = MEASURE_SAMPLES,
        .threads = options->threads,
    };
    float exposure;
    int exponent;
    world_say(options, "measuring the light");
    if (!render_measure(&world->scene, reference, &small, &exposure, error))
        return false;
    double part = frexp((double)exposure, &exponent);
    world->header.exposure = (float)ldexp(round(part * 16) / 16, exponent);
    return true;
}

/* For programs that make their own rays. */
static bool world_make_order(const struct world_options *options, struct world *world,
                             struct ogv_error *error)
{
    u64 count = (u64)options->width * options->height;
    if (count > RAYS_MAX)
        return error_user(error, "a picture of %u x %u pixels: there must be 1 to %llu pixels",
                          options->width, options->height, (unsigned long long)RAYS_MAX);
    world->rays.pixels = heap_array(count, sizeof *world->rays.pixels);
    rays_order(ORDER_TILE, options->width, options->height, world->rays.pixels);
    return true;
}

static bool work_make(const struct world_options *options, const struct camera *camera,
                      struct world *world, struct ogv_error *error)
{
    struct reference *reference = reference_create(&world->scene.mesh, error);
    if (!reference)
        return false;
    bool good = options->traced ? world_make_rays(options, camera, reference, world, error)
                                : world_make_order(options, world, error) &&
                                      world_measure(options, camera, reference, world, error);
    reference_free(reference);
    return good;
}

/* ---- What it depends on ---- */

static void floats_add(struct hash *key, const float *values, u32 count)
{
    hash_add(key, values, count * sizeof *values);
}

static void mesh_add(struct hash *key, const struct mesh *mesh)
{
    hash_add_u64(key, mesh->vertex_count);
    hash_add_u64(key, mesh->triangle_count);
    hash_add_u64(key, mesh->materials != NULL);
    hash_add(key, mesh->vertices, mesh->vertex_count * sizeof *mesh->vertices);
    hash_add(key, mesh->triangles, mesh->triangle_count * sizeof *mesh->triangles);
    if (mesh->materials)
        hash_add(key, mesh->materials, mesh->triangle_count * sizeof *mesh->materials);
}

static void materials_add(struct hash *key, const struct scene *scene)
{
    hash_add_u64(key, scene->material_count);
    for (u32 i = 0; i < scene->material_count; i++) {
        const struct material *material = &scene->materials[i];
        floats_add(key, material->colour, 3);
        floats_add(key, material->emission, 3);
        hash_add_u64(key, material->surface);
        floats_add(key, &material->index, 1);
    }
}

static void lights_add(struct hash *key, const struct scene *scene)
{
    hash_add_u64(key, scene->light_count);
    for (u32 i = 0; i < scene->light_count; i++) {
        hash_add_u64(key, scene->lights[i].kind);
        floats_add(key, scene->lights[i].at, 3);
        floats_add(key, scene->lights[i].power, 3);
    }
    floats_add(key, scene->sky.horizon, 3);
    floats_add(key, scene->sky.zenith, 3);
    floats_add(key, scene->up, 3);
}

static void camera_add(struct hash *key, const struct camera *camera)
{
    floats_add(key, camera->eye, 3);
    floats_add(key, camera->target, 3);
    floats_add(key, camera->up, 3);
    floats_add(key, &camera->fov_degrees, 1);
}

static void work_name(const struct world_options *options, const struct camera *camera,
                      const struct scene *scene, char name[CACHE_NAME_BYTES])
{
    struct hash *key = cache_key(KIND);
    hash_add_u64(key, embree_version());
    mesh_add(key, &scene->mesh);
    materials_add(key, scene);
    lights_add(key, scene);
    camera_add(key, camera);
    hash_add_u64(key, options->traced);
    hash_add_u64(key, options->rays);
    hash_add_u64(key, options->width);
    hash_add_u64(key, options->height);
    hash_add_u64(key, options->seed);
    cache_name(key, KIND, name);
}

/* ---- Keeping ---- */

#define PARTS 3

/* Of traced rays, all of them; of others, the exposure. */
static u32 parts_of(const struct world_options *options, struct world *world,
                    struct cache_part parts[PARTS])
{
    u64 count = world->rays.count;
    if (!options->traced) {
        parts[0] = (struct cache_part){ &world->header.exposure, sizeof(float) };
        return 1;
    }
    parts[0] = (struct cache_part){ world->rays.rays, count * sizeof *world->rays.rays };
    parts[1] = (struct cache_part){ world->rays.pixels, count * sizeof *world->rays.pixels };
    parts[2] = (struct cache_part){ world->answers, count * sizeof *world->answers };
    return PARTS;
}

/* Room for the rays of a file with so many bytes; false if that is not their number. */
static bool rays_allocate(const struct world_options *options, struct world *world, u64 bytes)
{
    struct ray_set *set = &world->rays;
    u64 count = (u64)options->width * options->height;
    if (bytes != count * (sizeof *set->rays + sizeof *set->pixels + sizeof *world->answers))
        return false;
    *set = (struct ray_set){
        .kind = options->rays, .count = count, .width = options->width, .height = options->height
    };
    set->rays = malloc(count * sizeof *set->rays);
    set->pixels = malloc(count * sizeof *set->pixels);
    world->answers = malloc(count * sizeof *world->answers);
    return set->rays && set->pixels && world->answers;
}

static void rays_drop(struct world *world)
{
    rays_free(&world->rays);
    free(world->answers);
    world->answers = NULL;
}

/* Places in the picture, whatever the file says. */
static bool pixels_fit(const struct ray_set *set)
{
    for (u64 i = 0; i < set->count; i++)
        if (set->pixels[i] >= set->count)
            return false;
    return true;
}

static bool work_take(const struct world_options *options, const char *name, struct world *world)
{
    struct cache_file file;
    struct cache_part parts[PARTS];
    if (!cache_open(&file, name))
        return false;
    bool good = !options->traced || rays_allocate(options, world, file.left);
    u32 count = good ? parts_of(options, world, parts) : 0;
    for (u32 i = 0; i < count && good; i++)
        good = cache_take(&file, parts[i].bytes, parts[i].length);
    good = cache_close(&file) && good && pixels_fit(&world->rays);
    if (!good)
        rays_drop(world);
    for (u64 i = 0; i < world->rays.count; i++)
        world->rays.real += !rt_ray_is_empty(&world->rays.rays[i]);
    return good;
}

static void work_put(const struct world_options *options, const char *name, struct world *world)
{
    struct cache_part parts[PARTS];
    cache_put(name, parts, parts_of(options, world, parts));
}

bool world_make_work(const struct world_options *options, const struct camera *camera,
                     struct world *world, struct ogv_error *error)
{
    char name[CACHE_NAME_BYTES];
    u64 pixels = (u64)options->width * options->height;
    bool kept =
        cache_is_on() && !options->own_rays && (!options->traced || pixels <= KEPT_RAYS_MAX);
    world->header.exposure = 1;
    if (kept)
        work_name(options, camera, &world->scene, name);
    if (kept && work_take(options, name, world))
        return options->traced || world_make_order(options, world, error);
    if (!work_make(options, camera, world, error))
        return false;
    if (kept)
        work_put(options, name, world);
    return true;
}
