/* ray_traces.c - see ray_traces.h: who keeps how many. */
#include "run/ray_traces.h"

#include "arch/host.h"
#include "arch/stats.h"
#include "base/error.h"
#include "ogive/ray_trace.h"
#include "ogive/tracer.h"
#include "unit/registry.h"

struct sharing {
    u64 rays, cores;
    u64 number; /* of the core whose turn it is */
    bool good;
    struct ogv_error *error;
};

static bool unit_follows_rays(const struct unit_type *type)
{
    return type->rays && type->rays->follow;
}

static void count_core(void *context, struct unit *unit)
{
    (void)unit;
    ((struct sharing *)context)->cores++;
}

/* One whose share is nothing counts its rays all the same. */
static void share_core(void *context, struct unit *unit)
{
    struct sharing *sharing = context;
    u64 before = sharing->number * sharing->rays / sharing->cores;
    u64 after = ++sharing->number * sharing->rays / sharing->cores;
    if (sharing->good)
        sharing->good =
            registry_type(unit->type)->rays->follow(unit, (u32)(after - before), sharing->error);
}

static bool traces_share(ogv_system *system, u64 rays, struct ogv_error *error)
{
    struct sharing sharing = { .rays = rays, .good = true, .error = error };
    host_visit(system, unit_follows_rays, count_core, &sharing);
    if (!sharing.cores)
        return error_user(error, "--trace-rays: %s has no RT cores whose rays could be traced",
                          system->plan->name);
    host_visit(system, unit_follows_rays, share_core, &sharing);
    return sharing.good;
}

static void add_limit(void *context, struct unit *unit)
{
    const struct ray_traces *all = registry_type(unit->type)->rays->followed(unit);
    *(u64 *)context += all ? all->limit : 0;
}

u64 ray_traces_limit(ogv_system *system)
{
    u64 rays = 0;
    host_visit(system, unit_follows_rays, add_limit, &rays);
    return rays;
}

static bool traces_resume(u64 rays, u64 kept, const char *checkpoint, struct ogv_error *error)
{
    if (!rays || rays == kept)
        return true;
    if (!kept)
        return error_user(
            error, "%s: was taken of a run without --trace-rays; rays are chosen from cycle 0 on",
            checkpoint);
    return error_user(
        error, "%s: was taken of a run with --trace-rays %llu; leave it out to go on with these",
        checkpoint, (unsigned long long)kept);
}

bool ray_traces_follow(ogv_system *system, const struct ray_traces_options *options,
                       struct ogv_error *error)
{
    if (options->resumed)
        return traces_resume(options->rays, ray_traces_limit(system), options->resumed, error);
    if (options->rays && options->software && system_any(system, unit_traces_rays))
        return error_user(error, "--trace-rays: with --software no ray goes to an RT core");
    return !options->rays || traces_share(system, options->rays, error);
}
