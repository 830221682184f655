/* profile.c - follows calls and returns of threads from path to path, and makes paths as they
 * are first taken. */
#include "ogive/profile.h"

#include <stdio.h>

#include "base/arena.h"

#define PATHS_MAX 8192
#define ROWS_MORE 65536 /* beyond four for each halfword of text */

static const struct profile_function *function_at(const struct hart_profile *profile, u32 index)
{
    u32 low = 0, high = profile->function_count;
    while (high - low > 1) {
        u32 middle = low + (high - low) / 2;
        if (profile->functions[middle].first <= index)
            low = middle;
        else
            high = middle;
    }
    return &profile->functions[low];
}

struct hart_profile *profile_create(struct arena *arena, const struct profile_function *functions,
                                    u32 count)
{
    u32 text = functions[count - 1].first + functions[count - 1].count;
    u64 rows = UINT64_C(5) * text + ROWS_MORE;
    struct hart_profile *profile = arena_alloc(arena, sizeof *profile, 64);
    if (!profile || rows > UINT32_MAX)
        return NULL;
    *profile = (struct hart_profile){ .functions = functions, .function_count = count };
    profile->path_limit = PATHS_MAX;
    profile->row_limit = (u32)rows;
    profile->paths = arena_alloc(arena, PATHS_MAX * sizeof *profile->paths, 64);
    profile->rows = arena_alloc(arena, rows * sizeof *profile->rows, 64);
    if (!profile->paths || !profile->rows)
        return NULL;
    profile->paths[PATH_ROOT] = (struct profile_path){
        .parent = PATH_NONE, .site = SITE_NONE, .child = PATH_NONE, .next = PATH_NONE
    };
    profile->paths[PATH_LOST] = profile->paths[PATH_ROOT];
    profile->paths[PATH_LOST].function.count = text;
    profile->path_count = 2;
    profile->row_count = text;
    return profile;
}

static bool path_covers(const struct profile_path *path, u64 index)
{
    return index - path->function.first < path->function.count;
}

/* PATH_NONE if there is no more room. */
static u32 path_create(struct hart_profile *profile, u32 parent, u32 site, u32 index)
{
    const struct profile_function *function = function_at(profile, index);
    if (profile->path_count == profile->path_limit ||
        function->count > profile->row_limit - profile->row_count)
        return PATH_NONE;
    u32 made = profile->path_count++;
    profile->paths[made] = (struct profile_path){ .function = *function,
                                                  .rows = profile->row_count,
                                                  .parent = parent,
                                                  .site = site,
                                                  .child = PATH_NONE,
                                                  .next = profile->paths[parent].child };
    profile->paths[parent].child = made;
    profile->row_count += function->count;
    return made;
}

/* The path of a call from `parent` at `site` to the function at `index`; made if it is new. */
static u32 path_below(struct hart_profile *profile, u32 parent, u32 site, u32 index)
{
    u32 path = profile->paths[parent].child;
    while (path != PATH_NONE &&
           (profile->paths[path].site != site || !path_covers(&profile->paths[path], index)))
        path = profile->paths[path].next;
    return path == PATH_NONE ? path_create(profile, parent, site, index) : path;
}

static void thread_enter(struct hart_profile *profile, struct profile_thread thread, u32 parent,
                         u32 site, u32 index)
{
    u32 path = path_below(profile, parent, site, index);
    if (path == PATH_NONE) {
        thread.mark->lost_from = parent;
        thread.mark->lost_depth = 1;
        path = PATH_LOST;
    }
    *thread.path = path;
    profile->paths[path].calls += function_at(profile, index)->first == index;
}

void profile_start(struct hart_profile *profile, struct profile_thread thread, u32 index)
{
    *thread.mark = (struct profile_mark){ 0 };
    *thread.path = PATH_ROOT;
    profile_look(profile, thread, index);
}

void profile_stray(struct hart_profile *profile, struct profile_thread thread, u32 index)
{
    const struct profile_path *path = &profile->paths[*thread.path];
    u32 parent = *thread.path == PATH_ROOT ? PATH_ROOT : path->parent;
    thread_enter(profile, thread, parent, path->site, index);
}

static void thread_call(struct hart_profile *profile, struct profile_thread thread, u32 site,
                        u64 target)
{
    if (!path_covers(&profile->paths[PATH_LOST], target))
        return; /* it will fail there */
    if (*thread.path == PATH_LOST)
        thread.mark->lost_depth++;
    else
        thread_enter(profile, thread, *thread.path, site, (u32)target);
}

/* To the caller; or, if the target is not in it, to the nearest one further up that it is in. */
static void thread_return(struct hart_profile *profile, struct profile_thread thread, u64 target)
{
    if (*thread.path == PATH_LOST) {
        if (!--thread.mark->lost_depth)
            *thread.path = thread.mark->lost_from;
        return;
    }
    u32 up = *thread.path;
    while (up != PATH_ROOT) {
        up = profile->paths[up].parent;
        if (path_covers(&profile->paths[up], target)) {
            *thread.path = up;
            return;
        }
    }
    if (*thread.path != PATH_ROOT)
        *thread.path = profile->paths[*thread.path].parent;
}

enum { REGISTER_RA = 1, REGISTER_T0 = 5 };

static bool register_links(u32 number)
{
    return number == REGISTER_RA || number == REGISTER_T0;
}

void profile_jump(struct hart_profile *profile, struct profile_thread thread,
                  const struct insn *insn, u32 site, u64 target)
{
    if (register_links(insn->rd))
        thread_call(profile, thread, site, target);
    else if (insn->op == OP_jalr && register_links(insn->rs1))
        thread_return(profile, thread, target);
}

const char *profile_reason_name(u32 reason, char *buffer, size_t size)
{
    static const char *const names[] = { "issued", "passed", "busy", "fetch", "fence" };
    if (reason < PROFILE_HAZARD)
        snprintf(buffer, size, "%s", names[reason]);
    else
        snprintf(buffer, size, "hazard_%s",
                 isa_class_name((enum isa_class)(reason - PROFILE_HAZARD)));
    return buffer;
}
