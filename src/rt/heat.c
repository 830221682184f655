/* heat.c - traces the rays of a picture in tasks of a fixed number, so that sums do not depend
 * on threads, and colours pixels by the nodes that they visited. */
#include "rt/heat.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "rt/parallel.h"

#define TASK_RAYS 4096

/* What one task found. Sums do not depend on who finishes first: they are added in order. */
struct share {
    struct bvh_visits visits;
    u64 rays, hits;
};

struct tracing {
    const struct bvh *bvh;
    const struct ray_set *set;
    struct heat *heat;
    struct share *shares;
};

static void rays_trace(void *context, u32 task)
{
    const struct tracing *tracing = context;
    const struct ray_set *set = tracing->set;
    struct share share = { 0 };
    u64 end = min_u64(((u64)task + 1) * TASK_RAYS, set->count);
    for (u64 i = (u64)task * TASK_RAYS; i < end; i++) {
        u64 before = share.visits.nodes;
        if (rt_ray_is_empty(&set->rays[i]))
            continue;
        struct rt_hit hit = bvh_trace(tracing->bvh, &set->rays[i], 0, false, &share.visits);
        share.rays++;
        share.hits += hit.triangle != RT_NOTHING;
        tracing->heat->nodes[set->pixels[i]] = (u32)(share.visits.nodes - before);
    }
    tracing->shares[task] = share;
}

static void share_add(struct heat *heat, const struct share *share)
{
    heat->rays += share->rays;
    heat->hits += share->hits;
    heat->visits.nodes += share->visits.nodes;
    heat->visits.blocks += share->visits.blocks;
    heat->visits.triangles += share->visits.triangles;
    heat->visits.culled += share->visits.culled;
    heat->visits.restarts += share->visits.restarts;
}

bool heat_trace(const struct bvh *bvh, const struct ray_set *rays, u32 threads, struct heat *heat)
{
    struct tracing tracing = { .bvh = bvh, .set = rays, .heat = heat };
    u32 tasks = (u32)((rays->count + TASK_RAYS - 1) / TASK_RAYS);
    *heat = (struct heat){ .width = rays->width, .height = rays->height };
    heat->nodes = heap_array(rays->count, sizeof *heat->nodes);
    tracing.shares = heap_array(tasks, sizeof *tracing.shares);
    bool good = parallel_run(threads, tasks, rays_trace, &tracing);
    for (u32 i = 0; i < tasks; i++)
        share_add(heat, &tracing.shares[i]);
    free(tracing.shares);
    return good;
}

static int count_order(const void *a, const void *b)
{
    u32 x = *(const u32 *)a, y = *(const u32 *)b;
    return (x > y) - (x < y);
}

u32 heat_scale(const struct heat *heat)
{
    u64 count = (u64)heat->width * heat->height;
    u32 *sorted = heap_array(count, sizeof *sorted);
    memcpy(sorted, heat->nodes, count * sizeof *sorted);
    qsort(sorted, count, sizeof *sorted, count_order);
    u32 scale = sorted[(count - 1) * 99 / 100];
    free(sorted);
    return scale ? scale : 1;
}

static void colour_write(double part, u8 *pixel)
{
    static const u8 stops[][3] = {
        { 0, 0, 0 },      { 30, 20, 120 },  { 160, 30, 110 },
        { 240, 100, 30 }, { 255, 220, 60 }, { 255, 255, 255 },
    };
    u32 last = sizeof stops / sizeof stops[0] - 1;
    double place = part * last;
    u32 stop = place < last ? (u32)place : last - 1;
    for (u32 i = 0; i < 3; i++) {
        double between = place - stop;
        pixel[i] = (u8)(stops[stop][i] * (1 - between) + stops[stop + 1][i] * between + 0.5);
    }
    pixel[3] = 255;
}

u8 *heat_picture(const struct heat *heat, u32 scale)
{
    u64 count = (u64)heat->width * heat->height;
    u8 *pixels = heap_array(count, 4);
    for (u64 i = 0; i < count; i++)
        colour_write(heat->nodes[i] < scale ? (double)heat->nodes[i] / scale : 1, pixels + 4 * i);
    return pixels;
}

void heat_free(struct heat *heat)
{
    free(heat->nodes);
    *heat = (struct heat){ 0 };
}
