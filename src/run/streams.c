/* streams.c - see streams.h. Rays come first, from a whole MiB on, then hits. */
#include "run/streams.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "arch/host.h"
#include "arch/plan.h"
#include "base/error.h"
#include "base/text.h"
#include "ogive/stream_role.h"
#include "unit/registry.h"

#define RAYS_ALIGNMENT MiB

static bool keeps_rays(const struct unit_type *type)
{
    return type->streams;
}

struct wants {
    u64 rays;
    bool any, hits;
};

static void add_wants(void *context, struct unit *unit)
{
    struct wants *wants = context;
    const struct stream_role *role = registry_type(unit->type)->streams;
    wants->any = true;
    wants->hits |= role->hits;
    wants->rays += role->ray_bytes ? role->ray_bytes(unit) : 0;
}

static struct wants wants_of(ogv_system *system)
{
    struct wants wants = { 0 };
    host_visit(system, keeps_rays, add_wants, &wants);
    return wants;
}

/* Rays that may be under way at once, known by numbers below that: those made beforehand, or one of
 * each pixel. */
static u64 rays_most(const struct world *world)
{
    const struct rt_world *header = &world->header;
    return header->ray_count ? header->ray_count : (u64)header->width * header->height;
}

static u64 hits_bytes(const struct wants *wants, const struct world *world)
{
    return wants->hits ? rays_most(world) * sizeof(struct rt_hit) : 0;
}

u64 streams_bytes(ogv_system *system, const struct world *world)
{
    struct wants wants = wants_of(system);
    return wants.any ? RAYS_ALIGNMENT + wants.rays + hits_bytes(&wants, world) : 0;
}

/* ---- Telling units ---- */

struct telling {
    ogv_system *system;
    struct stream_place place;
    struct ogv_error *error;
    bool refused;
};

static void tell_unit(void *context, struct unit *unit)
{
    struct telling *telling = context;
    struct ogv_error why;
    char path[256];
    const struct stream_role *role = registry_type(unit->type)->streams;
    if (telling->refused || role->place(unit, &telling->place, &why))
        return;
    telling->refused = true;
    plan_path(telling->system->plan, unit->number, path, sizeof path);
    error_user(telling->error, "%s: %s: %s", telling->system->plan->name, path, why.message);
}

#define HITS_AT_ONCE 4096

static bool hits_write(ogv_system *system, u64 address, u64 count, struct ogv_error *error)
{
    struct rt_hit *none = heap_array(HITS_AT_ONCE, sizeof *none);
    bool good = true;
    for (u32 i = 0; i < HITS_AT_ONCE; i++)
        none[i] = (struct rt_hit){ INFINITY, 0, 0, RT_NOTHING };
    for (u64 at = 0; good && at < count; at += HITS_AT_ONCE)
        good = host_write(system, address + at * sizeof *none, none,
                          min_u64(count - at, HITS_AT_ONCE) * sizeof *none, error);
    free(none);
    return good;
}

bool streams_load(ogv_system *system, const struct world *world, u64 world_address, u64 address,
                  struct ogv_error *error)
{
    struct wants wants = wants_of(system);
    const struct rt_world *header = &world->header;
    if (!wants.any)
        return true;
    if (!header->treelet_bytes)
        return error_user(error,
                          "%s keeps rays by treelet, and the scene is in none: its RT cores have "
                          "to ask for them (`treelets`)",
                          system->plan->name);
    u64 rays = (address + RAYS_ALIGNMENT - 1) / RAYS_ALIGNMENT * RAYS_ALIGNMENT;
    struct telling telling = {
        .system = system,
        .error = error,
        .place = { .treelets = world_address + header->treelets,
                   .headers = world_address + header->treelet_headers,
                   .rays = rays,
                   .ray_bytes = wants.rays,
                   .hits = rays + wants.rays,
                   .ray_count = rays_most(world),
                   .treelet_bytes = header->treelet_bytes,
                   .treelet_count = header->treelet_count,
                   .copies = world->bvh.treelets },
    };
    u64 hits = hits_bytes(&wants, world);
    if (!host_mark(system, rays, wants.rays, PURPOSE_RAY, error) ||
        !host_mark(system, telling.place.hits, hits, PURPOSE_HIT, error) ||
        (wants.hits && !hits_write(system, telling.place.hits, rays_most(world), error)))
        return false;
    host_visit(system, keeps_rays, tell_unit, &telling);
    return !telling.refused;
}
