/* lives.c - see lives.h: who keeps how many. */
#include "run/lives.h"

#include "arch/host.h"
#include "arch/stats.h"
#include "base/error.h"
#include "unit/rtcore/life.h"

struct sharing {
    u64 rays, cores;
    u64 number; /* of the core whose turn it is */
    bool good;
    struct ogv_error *error;
};

static void count_core(void *context, struct unit *unit)
{
    (void)unit;
    ((struct sharing *)context)->cores++;
}

static void share_core(void *context, struct unit *unit)
{
    struct sharing *sharing = context;
    u64 before = sharing->number * sharing->rays / sharing->cores;
    u64 after = ++sharing->number * sharing->rays / sharing->cores;
    if (sharing->good && after > before)
        sharing->good = rtcore_keep_lives(unit, (u32)(after - before), sharing->error);
}

static bool lives_keep(ogv_system *system, u64 rays, struct ogv_error *error)
{
    struct sharing sharing = { .rays = rays, .good = true, .error = error };
    host_units(system, "rtcore", count_core, &sharing);
    if (!sharing.cores)
        return error_user(error, "--trace-rays: %s has no RT cores whose rays could be traced",
                          system->plan->name);
    host_units(system, "rtcore", share_core, &sharing);
    return sharing.good;
}

static void add_limit(void *context, struct unit *unit)
{
    const struct rtcore *core = (const struct rtcore *)unit;
    *(u64 *)context += core->lives ? core->lives->limit : 0;
}

u64 lives_kept(ogv_system *system)
{
    u64 rays = 0;
    host_units(system, "rtcore", add_limit, &rays);
    return rays;
}

static bool lives_resume(u64 rays, u64 kept, const char *checkpoint, struct ogv_error *error)
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

bool lives_begin(ogv_system *system, const struct lives_options *options, struct ogv_error *error)
{
    if (options->resumed)
        return lives_resume(options->rays, lives_kept(system), options->resumed, error);
    if (options->rays && options->software && system_has(system, "rtcore"))
        return error_user(error, "--trace-rays: with --software no ray goes to an RT core");
    return !options->rays || lives_keep(system, options->rays, error);
}
