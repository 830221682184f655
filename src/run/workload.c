/* workload.c - see workload.h.
 *
 * The world lies behind the program and its heap; behind it is room for the stacks that RT cores
 * spill. The heap has 64 MiB, or less where memory is short. */
#include "run/workload.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arch/host.h"
#include "base/error.h"
#include "ogive/memory.h"
#include "ogive/rt_triangle.h"
#include "rt/heat.h"
#include "rt/judge.h"
#include "run/program.h"
#include "run/streams.h"
#include "unit/registry.h"

/* ---- Formats ---- */

/* What the RT cores of a chip want together. */
struct wishes {
    u32 cores;
    struct tree_wanted first;         /* of the first of them, */
    const struct unit_type *type;     /* which is of this type */
    struct tree_wanted odd;           /* of one that wants what there is not, */
    const struct unit_type *odd_type; /* which is of this type; NULL: none does */
    bool formats_differ, builders_differ, treelets_differ;
};

/* Without RT cores: wide nodes that need no decoding. */
static const struct tree_wanted wanted_by_cores = {
    .nodes = RT_NODES_bvh4,
    .primitives = RT_PRIMITIVES_tri48,
    .builder = BVH_spatial,
};

struct tree_wanted workload_wanted(const struct unit *unit)
{
    struct tree_wanted wanted = wanted_by_cores;
    registry_type(unit->type)->rays->wants(unit, &wanted);
    return wanted;
}

#define FORMAT_ONE(name, with) 1 +
enum {
    NODE_FORMATS = RT_NODE_FORMATS(FORMAT_ONE, ) 0,
    PRIMITIVE_FORMATS = RT_PRIMITIVE_FORMATS(FORMAT_ONE, ) 0,
};
#undef FORMAT_ONE

static bool wanted_exists(const struct tree_wanted *wanted)
{
    return wanted->nodes < NODE_FORMATS && wanted->primitives < PRIMITIVE_FORMATS &&
           wanted->builder < BVH_BUILDERS &&
           (!wanted->treelet_bytes || rt_treelet_bytes_fit(wanted->treelet_bytes));
}

static void look_at_core(void *context, struct unit *unit)
{
    struct wishes *wishes = context;
    struct tree_wanted wanted = workload_wanted(unit);
    if (!wanted_exists(&wanted)) {
        wishes->odd = wanted;
        wishes->odd_type = registry_type(unit->type);
    }
    if (!wishes->cores++) {
        wishes->first = wanted;
        wishes->type = registry_type(unit->type);
    }
    wishes->formats_differ |=
        wishes->first.nodes != wanted.nodes || wishes->first.primitives != wanted.primitives;
    wishes->builders_differ |= wishes->first.builder != wanted.builder;
    wishes->treelets_differ |= wishes->first.treelet_bytes != wanted.treelet_bytes;
}

static bool wishes_check(const struct wishes *wishes, const ogv_system *system, bool builder_given,
                         struct ogv_error *error)
{
    const char *name = system->plan->name;
    if (wishes->odd_type)
        return error_user(error,
                          "%s: unit type '%s' wants node format %u, primitive format %u, "
                          "builder %u and treelets of %u bytes; there are 0 to %u, 0 to %u, 0 to "
                          "%u, and powers of two from %u to %u bytes or 0 for none",
                          name, wishes->odd_type->name, wishes->odd.nodes, wishes->odd.primitives,
                          wishes->odd.builder, wishes->odd.treelet_bytes, NODE_FORMATS - 1,
                          PRIMITIVE_FORMATS - 1, BVH_BUILDERS - 1, RT_TREELET_BYTES_MIN,
                          RT_TREELET_BYTES_MAX);
    if (wishes->formats_differ)
        return error_user(error, "%s has RT cores for different formats of nodes or primitives",
                          name);
    if (wishes->treelets_differ)
        return error_user(error, "%s has RT cores for treelets of different sizes", name);
    if (wishes->builders_differ && !builder_given)
        return error_user(error, "%s has RT cores for trees of different builders; choose one",
                          name);
    return true;
}

/* Cores that walk the tree themselves: the RT cores' formats if there are any. */
bool workload_formats(ogv_system *system, struct world_options *options, struct ogv_error *error)
{
    struct wishes wishes = { .first = wanted_by_cores };
    host_visit(system, unit_traces_rays, look_at_core, &wishes);
    if (!wishes_check(&wishes, system, options->builder_given, error))
        return false;
    const struct node_format *nodes = node_formats[wishes.first.nodes];
    const struct primitive_format *primitives = primitive_formats[wishes.first.primitives];
    bool asked = options->software;
    options->software = options->software || !wishes.cores || wishes.first.software;
    if (!options->software && ((options->nodes && options->nodes != nodes) ||
                               (options->primitives && options->primitives != primitives)))
        return error_user(error,
                          "the RT cores of %s read %s nodes and %s primitives; whether they have "
                          "parameters for others, `ogive units %s` says",
                          system->plan->name, nodes->name, primitives->name, wishes.type->name);
    if (!options->software && options->treelet_bytes &&
        options->treelet_bytes != wishes.first.treelet_bytes)
        return error_user(error,
                          "the RT cores of %s read trees in treelets of %u bytes (0: in none), not "
                          "%u; whether they have a parameter for others, `ogive units %s` says",
                          system->plan->name, wishes.first.treelet_bytes, options->treelet_bytes,
                          wishes.type->name);
    options->nodes = options->nodes ? options->nodes : nodes;
    options->primitives = options->primitives ? options->primitives : primitives;
    options->streams = asked ? STREAM_MODE_NONE : (enum stream_mode)wishes.first.streams;
    options->pipelines = wishes.first.pipelines && !asked;
    options->treelet_bytes =
        options->treelet_bytes ? options->treelet_bytes : wishes.first.treelet_bytes;
    options->builder =
        options->builder_given ? options->builder : (enum bvh_builder)wishes.first.builder;
    return true;
}

/* ---- Loading ---- */

struct placing {
    ogv_system *system;
    u64 address;
};

static bool put_in_memory(void *context, u64 offset, const void *bytes, u64 length,
                          struct ogv_error *error)
{
    struct placing *placing = context;
    return host_write(placing->system, placing->address + offset, bytes, length, error);
}

static bool mark_in_memory(void *context, u64 offset, u64 length, enum purpose purpose,
                           struct ogv_error *error)
{
    struct placing *placing = context;
    return host_mark(placing->system, placing->address + offset, length, purpose, error);
}

/* Of an RT core, in whole sectors. */
static u64 spill_bytes(const struct unit *unit)
{
    u64 bytes = workload_wanted(unit).spill_bytes;
    return (bytes + MEMORY_SECTOR - 1) / MEMORY_SECTOR * MEMORY_SECTOR;
}

static void add_spill(void *context, struct unit *unit)
{
    *(u64 *)context += spill_bytes(unit);
}

#define HEAP_MOST  (64 * MiB)
#define HEAP_LEAST (1 * MiB)

/* Where that many bytes fit, behind as much heap as there can be; 0 if nowhere. */
static u64 find_place(ogv_system *system, u64 bytes)
{
    for (u64 heap = HEAP_MOST; heap >= HEAP_LEAST; heap /= 2) {
        u64 address = program_end(system, heap);
        struct ogv_error ignored;
        u8 last;
        if (host_read(system, address + bytes - 1, &last, sizeof last, &ignored))
            return address;
    }
    return 0;
}

/* Each has its own place to spill behind that of the one before. */
static void tell_core(void *context, struct unit *unit)
{
    struct tree_place *place = context;
    *registry_type(unit->type)->rays->tree(unit) = *place;
    place->spill += spill_bytes(unit);
}

bool workload_load(ogv_system *system, const struct world *world, struct ogv_error *error)
{
    u64 bytes = world->header.bytes;
    host_visit(system, unit_traces_rays, add_spill, &bytes);
    u64 before_streams = bytes;
    bytes += streams_bytes(system, world);
    u64 address = find_place(system, bytes);
    if (!address)
        return error_user(error,
                          "the scene takes %llu MiB, and %s has not that much memory behind the "
                          "program; enlarge it, or choose a smaller scene",
                          (unsigned long long)(bytes / MiB + 1), system->plan->name);
    struct placing placing = { system, address };
    struct tree_place tree = {
        .nodes = address + world->header.nodes,
        .blocks = address + world->header.blocks,
        .numbers = address + world->header.numbers,
        .spill = address + world->header.bytes,
        .treelet_headers = address + world->header.treelet_headers,
        .treelet_count = world->header.treelet_count,
        .treelet_bytes = world->header.treelet_bytes,
    };
    if (!world_write(world, put_in_memory, &placing, error) ||
        !world_purposes(world, mark_in_memory, &placing, error) ||
        !host_mark(system, tree.spill, before_streams - world->header.bytes, PURPOSE_STACK, error))
        return false;
    program_set_world(system, address);
    host_visit(system, unit_traces_rays, tell_core, &tree);
    return streams_load(system, world, address, address + before_streams, error);
}

bool workload_recognise(ogv_system *system, const struct world *world, struct ogv_error *error)
{
    u64 address = program_world(system);
    u64 bytes = world->answers ? world->rays.count * sizeof *world->rays.rays : 0;
    struct rt_world *header = heap_array(1, sizeof *header);
    struct rt_ray *rays = heap_array(1, bytes + 1);
    bool good = host_read(system, address, header, sizeof *header, error);
    bool same = good && !memcmp(header, &world->header, sizeof *header);
    good = good && (!same || host_read(system, address + world->header.rays, rays, bytes, error));
    same = same && good && !memcmp(rays, world->rays.rays ? world->rays.rays : rays, bytes);
    free(header);
    free(rays);
    return good && (same || error_user(error, "the checkpoint was taken of another scene, view, "
                                              "size or kind of rays"));
}

/* ---- Judging ---- */

/* The hit on that triangle, computed once more; no triangle if there is none such. */
static struct rt_hit hit_on(const struct mesh *mesh, const struct rt_ray *ray, u32 triangle)
{
    struct rt_hit hit = rt_hit_none(ray);
    if (triangle >= mesh->triangle_count)
        return hit;
    const u32 *corners = mesh->triangles[triangle];
    struct rt_shear shear = rt_shear_make(ray);
    rt_triangle_watertight(&shear, mesh->vertices[corners[0]], mesh->vertices[corners[1]],
                           mesh->vertices[corners[2]], triangle, &hit);
    return hit;
}

static void judge_ray(const struct mesh *mesh, const struct rt_ray *ray, u32 triangle,
                      const struct rt_hit *answer, struct workload_judgement *judgement)
{
    if (rt_ray_is_empty(ray) && triangle == RT_NOTHING)
        return;
    judgement->rays++;
    if (triangle == answer->triangle) {
        judgement->equal++;
        return;
    }
    struct rt_hit ours = hit_on(mesh, ray, triangle);
    enum verdict verdict =
        ours.triangle == triangle ? judge(mesh, ray, &ours, answer) : VERDICT_WRONG;
    judgement->ties += verdict == VERDICT_TIE;
    judgement->edges += verdict == VERDICT_EDGE;
    if (verdict == VERDICT_WRONG && !judgement->wrong++)
        snprintf(judgement->first, sizeof judgement->first,
                 "triangle %d at distance %g, and should hit %d at %g", (int)triangle,
                 (double)ours.t, (int)answer->triangle, (double)answer->t);
}

static u32 *hits_read(ogv_system *system, const struct world *world, struct ogv_error *error)
{
    u64 count = world->header.ray_count;
    u32 *hits = heap_array(count, sizeof *hits);
    if (host_read(system, program_world(system) + world->header.hits, hits, count * sizeof *hits,
                  error))
        return hits;
    free(hits);
    return NULL;
}

bool workload_judge(ogv_system *system, const struct world *world, const struct pieces *pieces,
                    struct workload_judgement *judgement, struct ogv_error *error)
{
    *judgement = (struct workload_judgement){ 0 };
    u32 *hits = hits_read(system, world, error);
    if (!hits)
        return false;
    u64 count = pieces ? pieces->count : world->header.ray_count;
    for (u64 i = 0; i < count; i++) {
        u64 ray = pieces ? pieces->numbers[i] : i;
        if (ray < world->header.ray_count)
            judge_ray(&world->scene.mesh, &world->rays.rays[ray], hits[ray], &world->answers[ray],
                      judgement);
    }
    free(hits);
    return true;
}

struct rt_hit *workload_hits(ogv_system *system, const struct world *world, struct ogv_error *error)
{
    u32 *triangles = hits_read(system, world, error);
    if (!triangles)
        return NULL;
    struct rt_hit *hits = heap_array(world->header.ray_count, sizeof *hits);
    for (u64 i = 0; i < world->header.ray_count; i++)
        hits[world->rays.pixels[i]] =
            hit_on(&world->scene.mesh, &world->rays.rays[i], triangles[i]);
    free(triangles);
    return hits;
}

/* ---- Picture ---- */

static void paint(const struct mesh *mesh, const struct rt_ray *ray, u32 triangle, u8 pixel[4])
{
    float edges[2][3], normal[3];
    const u32 *corners = mesh->triangles[triangle];
    for (int i = 0; i < 3; i++) {
        edges[0][i] = mesh->vertices[corners[1]][i] - mesh->vertices[corners[0]][i];
        edges[1][i] = mesh->vertices[corners[2]][i] - mesh->vertices[corners[0]][i];
    }
    rt_cross(edges[0], edges[1], normal);
    float scale = rt_dot(normal, normal) * rt_dot(ray->direction, ray->direction);
    float slope = scale > 0 ? fabsf(rt_dot(normal, ray->direction)) / sqrtf(scale) : 0;
    u32 mixed = (triangle + 1) * UINT32_C(0x9e3779b1);
    for (int i = 0; i < 3; i++) {
        u32 tint = 192 + (mixed >> (8 * i + 8) & 63);
        pixel[i] = (u8)((0.2f + 0.8f * slope) * (float)tint);
    }
}

bool workload_pixels(ogv_system *system, const struct world *world, struct image *image,
                     struct ogv_error *error)
{
    const struct rt_world *header = &world->header;
    u32 *hits = hits_read(system, world, error);
    *image = (struct image){ 0 };
    if (!hits)
        return false;
    u8(*pixels)[4] = heap_array((u64)header->width * header->height, sizeof *pixels);
    for (u64 i = 0; i < header->ray_count; i++) {
        u8 *pixel = pixels[world->rays.pixels[i]];
        pixel[3] = 255;
        if (hits[i] < world->scene.mesh.triangle_count)
            paint(&world->scene.mesh, &world->rays.rays[i], hits[i], pixel);
    }
    free(hits);
    *image = (struct image){ pixels[0], header->width, header->height };
    return true;
}

bool workload_picture(ogv_system *system, const struct world *world, const char *path,
                      struct ogv_error *error)
{
    struct image image;
    bool good = workload_pixels(system, world, &image, error) &&
                image_write(path, image.pixels, image.width, image.height, error);
    free(image.pixels);
    return good;
}

/* ---- Heat map ---- */

bool workload_heatmap(ogv_system *system, const char *path, bool *written, struct ogv_error *error)
{
    struct rt_world header;
    u64 address = program_world(system);
    *written = false;
    if (!address)
        return true;
    if (!host_read(system, address, &header, sizeof header, error))
        return false;
    if (!header.costs)
        return true;
    if (!header.width || !header.height || (u64)header.width * header.height > RAYS_MAX)
        return error_user(error, "the program has overwritten its scene: there are %u x %u pixels",
                          header.width, header.height);
    u64 bytes = (u64)header.width * header.height * sizeof(u32);
    struct heat heat = { heap_array(bytes, 1), header.width, header.height, 0, 0, { 0 } };
    if (host_read(system, address + header.costs, heat.nodes, bytes, error)) {
        u8 *pixels = heat_picture(&heat, heat_scale(&heat));
        *written = image_write(path, pixels, heat.width, heat.height, error);
        free(pixels);
    }
    heat_free(&heat);
    return *written;
}
