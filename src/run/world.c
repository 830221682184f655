/* world.c - imports a scene, builds its tree, makes its rays, and lays all of it out as
 * ogive/rt_world.h describes. */
#include "run/world.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "rt/camera.h"
#include "rt/lamps.h"
#include "rt/prepared.h"
#include "rt/vector.h"
#include "run/world_work.h"

#define PART_ALIGN 4096

/* ---- Layout ---- */

static u64 part(u64 *end, u64 bytes)
{
    u64 at = *end;
    *end = (at + bytes + PART_ALIGN - 1) / PART_ALIGN * PART_ALIGN;
    return at;
}

static void world_lay_out_tree(const struct bvh *bvh, struct rt_world *header, u64 *end)
{
    struct bvh_bytes bytes = bvh_bytes(bvh);
    header->nodes = part(end, bytes.nodes);
    header->blocks = bvh->treelet_bytes ? header->nodes : part(end, bytes.blocks);
    if (bvh->primitives_format->numbers)
        header->numbers = part(end, bytes.numbers);
    if (!bvh->treelet_bytes)
        return;
    header->treelets = header->nodes;
    header->treelet_headers = part(end, bytes.headers);
    header->treelet_count = bvh->treelet_count;
    header->treelet_bytes = bvh->treelet_bytes;
}

static void world_lay_out(const struct world_options *options, struct world *world)
{
    struct rt_world *header = &world->header;
    const struct mesh *mesh = &world->scene.mesh;
    u64 end = 0, pixels = (u64)header->width * header->height;
    part(&end, sizeof *header);
    header->rays = part(&end, header->ray_count * sizeof(struct rt_ray));
    header->hits = part(&end, header->ray_count * sizeof(u32));
    header->pixels = part(&end, pixels * sizeof(u32));
    header->places = part(&end, pixels * sizeof(u32));
    if (options->heatmap)
        header->costs = part(&end, pixels * sizeof(u32));
    world_lay_out_tree(&world->bvh, header, &end);
    header->vertices = part(&end, (u64)mesh->vertex_count * sizeof *mesh->vertices);
    header->triangles = part(&end, (u64)mesh->triangle_count * sizeof *mesh->triangles);
    header->surfaces = part(&end, (u64)mesh->triangle_count * sizeof *mesh->materials);
    header->materials = part(&end, world->scene.material_count * sizeof *world->materials);
    header->lamps = part(&end, (u64)header->lamp_count * sizeof *world->lamps);
    header->bytes = end;
}

bool world_write(const struct world *world, world_put *put, void *context, struct ogv_error *error)
{
    const struct rt_world *header = &world->header;
    const struct mesh *mesh = &world->scene.mesh;
    const struct bvh *bvh = &world->bvh;
    struct bvh_bytes bytes = bvh_bytes(bvh);
    u64 pixels = (u64)header->width * header->height;
    const struct {
        u64 offset;
        const void *bytes;
        u64 length;
    } parts[] = {
        { 0, header, sizeof *header },
        { header->rays, world->rays.rays, header->ray_count * sizeof(struct rt_ray) },
        { header->places, world->rays.pixels, pixels * sizeof(u32) },
        { header->nodes, bvh->nodes, bytes.nodes },
        { header->blocks, bvh->blocks, bytes.blocks },
        { header->numbers, bvh->numbers, bytes.numbers },
        { header->treelet_headers, bvh->treelets, bytes.headers },
        { header->vertices, mesh->vertices, (u64)mesh->vertex_count * sizeof *mesh->vertices },
        { header->triangles, mesh->triangles, (u64)mesh->triangle_count * sizeof *mesh->triangles },
        { header->surfaces, mesh->materials, (u64)mesh->triangle_count * sizeof *mesh->materials },
        { header->materials, world->materials,
          world->scene.material_count * sizeof *world->materials },
        { header->lamps, world->lamps, (u64)header->lamp_count * sizeof *world->lamps },
    };
    for (u32 i = 0; i < sizeof parts / sizeof *parts; i++)
        if (parts[i].bytes && parts[i].length &&
            !put(context, parts[i].offset, parts[i].bytes, parts[i].length, error))
            return false;
    return true;
}

/* As world_lay_out has them, from the first to the last: a part reaches to the next. */
bool world_purposes(const struct world *world, world_mark *mark, void *context,
                    struct ogv_error *error)
{
    const struct rt_world *header = &world->header;
    const struct {
        u64 from, to;
        enum purpose purpose;
    } parts[] = {
        { 0, header->rays, PURPOSE_SCENE },
        { header->rays, header->hits, PURPOSE_RAY },
        { header->hits, header->pixels, PURPOSE_HIT },
        { header->pixels, header->places, PURPOSE_FRAME },
        { header->places, header->costs ? header->costs : header->nodes, PURPOSE_RAY },
        { header->costs ? header->costs : header->nodes, header->nodes, PURPOSE_FRAME },
        { header->nodes, header->bytes, PURPOSE_SCENE },
    };
    for (u32 i = 0; i < sizeof parts / sizeof *parts; i++)
        if (parts[i].to > parts[i].from &&
            !mark(context, parts[i].from, parts[i].to - parts[i].from, parts[i].purpose, error))
            return false;
    return true;
}

/* ---- What programs are told ---- */

static bool view_make(const struct camera *camera, u32 width, u32 height, struct rt_view *view,
                      struct ogv_error *error)
{
    struct camera_frame frame;
    if (!camera_frame(camera, width, height, &frame, error))
        return false;
    for (int i = 0; i < 3; i++) {
        view->eye[i] = frame.eye[i];
        view->right[i] = (float)(2 * frame.right[i]);
        view->down[i] = (float)(-2 * frame.up[i]);
        view->corner[i] = (float)(frame.forward[i] - frame.right[i] + frame.up[i]);
    }
    return true;
}

static void lights_copy(const struct scene *scene, struct rt_world *header)
{
    header->light_count = scene->light_count;
    for (u32 i = 0; i < scene->light_count; i++) {
        struct rt_light *light = &header->lights[i];
        memcpy(light->at, scene->lights[i].at, sizeof light->at);
        memcpy(light->power, scene->lights[i].power, sizeof light->power);
        light->sun = scene->lights[i].kind == LIGHT_SUN;
    }
    double up[3] = { (double)scene->up[0], (double)scene->up[1], (double)scene->up[2] };
    normalise(up);
    for (int i = 0; i < 3; i++)
        header->up[i] = (float)up[i];
    memcpy(header->sky_horizon, scene->sky.horizon, sizeof header->sky_horizon);
    memcpy(header->sky_zenith, scene->sky.zenith, sizeof header->sky_zenith);
}

static void materials_copy(struct world *world)
{
    const struct scene *scene = &world->scene;
    world->materials = heap_array(scene->material_count, sizeof *world->materials);
    for (u32 i = 0; i < scene->material_count; i++) {
        struct rt_material *to = &world->materials[i];
        const struct material *from = &scene->materials[i];
        memcpy(to->colour, from->colour, sizeof to->colour);
        memcpy(to->emission, from->emission, sizeof to->emission);
        to->index = from->index;
        to->surface = from->surface;
    }
}

static void lamps_copy(struct world *world)
{
    struct lamps lamps;
    lamps_find(&world->scene, &lamps);
    world->lamps = heap_array(lamps.count, sizeof *world->lamps);
    world->header.lamp_count = lamps.count;
    for (u32 i = 0; i < lamps.count; i++)
        world->lamps[i] = (struct rt_lamp){ lamps.triangles[i], lamps.sums[i] };
    lamps_free(&lamps);
}

static float scene_reach(const struct mesh *mesh)
{
    struct box box = mesh_bounds(mesh);
    double sum = 0;
    for (int i = 0; i < 3; i++) {
        double side = (double)box.high[i] - (double)box.low[i];
        sum += side * side;
    }
    return (float)(sqrt(sum) / 10);
}

/* The power of two next to the largest coordinate, by 2^16. */
static float scene_step(const struct mesh *mesh)
{
    struct box box = mesh_bounds(mesh);
    double size = 0;
    for (int i = 0; i < 3; i++)
        size = fmax(size, fmax(fabs((double)box.low[i]), fabs((double)box.high[i])));
    return (float)ldexp(1, (size > 0 ? ilogb(size) : 0) - 16);
}

static void header_fill(const struct world_options *options, struct world *world)
{
    struct rt_world *header = &world->header;
    header->magic = RT_WORLD_MAGIC;
    header->seed = options->seed;
    header->software = options->software;
    header->streams = options->streams;
    header->width = options->width;
    header->height = options->height;
    header->samples = options->samples;
    header->bounces = options->bounces;
    header->ray_count = options->traced ? world->rays.count : 0;
    header->reach = scene_reach(&world->scene.mesh);
    header->step = scene_step(&world->scene.mesh);
    while (node_formats[header->node_format] != options->nodes)
        header->node_format++;
    while (primitive_formats[header->primitive_format] != options->primitives)
        header->primitive_format++;
    header->node_format = RT_WORLD_NODES(header->node_format, options->treelet_bytes);
    lights_copy(&world->scene, header);
    materials_copy(world);
    lamps_copy(world);
    world_lay_out(options, world);
}

/* ---- All of it ---- */

static bool world_build(const struct world_options *options, struct world *world,
                        struct ogv_error *error)
{
    struct bvh_options bvh = {
        .nodes = options->nodes,
        .primitives = options->primitives,
        .builder = options->builder,
        .treelet_bytes = options->treelet_bytes,
        .threads = options->threads,
    };
    world_say(options, "building the tree");
    return prepared_bvh(&world->scene.mesh, &bvh, &world->bvh, NULL, error);
}

static void mesh_fingerprint(const struct mesh *mesh, char digits[HASH_TEXT_BYTES])
{
    struct hash *hash = hash_create();
    hash_add_u64(hash, mesh->vertex_count);
    hash_add(hash, mesh->vertices, mesh->vertex_count * sizeof *mesh->vertices);
    hash_add(hash, mesh->triangles, mesh->triangle_count * sizeof *mesh->triangles);
    if (mesh->materials)
        hash_add(hash, mesh->materials, mesh->triangle_count * sizeof *mesh->materials);
    hash_finish(hash, digits);
}

bool world_prepare(const struct world_options *options, struct world *world,
                   struct ogv_error *error)
{
    const char *scene = options->scene ? options->scene : SCENE_DEFAULT;
    *world = (struct world){ 0 };
    world_say(options, "loading the scene");
    if (!scene_load(scene, &options->generator, &world->scene, error))
        return false;
    const struct camera *camera =
        options->view ? options->view : scene_camera(&world->scene, options->camera, error);
    if (!camera ||
        !view_make(camera, options->width, options->height, &world->header.view, error) ||
        !world_make_work(options, camera, world, error) || !world_build(options, world, error)) {
        world_free(world);
        return false;
    }
    world->camera = *camera;
    mesh_fingerprint(&world->scene.mesh, world->mesh_hash);
    header_fill(options, world);
    return true;
}

void world_shrink(struct world *world)
{
    bvh_free(&world->bvh);
    world->bvh = (struct bvh){ 0 };
}

void world_free(struct world *world)
{
    bvh_free(&world->bvh);
    rays_free(&world->rays);
    scene_free(&world->scene);
    free(world->answers);
    free(world->materials);
    free(world->lamps);
    *world = (struct world){ 0 };
}
