/* stream_walk_device.h - walks through treelets by the core itself, on machines that hold rays and
 * have no RT cores; part of rt_device.h. What an RT core in stream mode does, in C. */
#ifndef OGIVE_STREAM_WALK_DEVICE_H
#define OGIVE_STREAM_WALK_DEVICE_H

#include <ogive/rt_device.h>
#include <ogive/stream_walk.h>

#ifdef __cplusplus
extern "C" {
#endif

#if OGIVE_TREELETS && defined(OGIVE_DEVICE)

/* For the formats that the program is compiled for: which children of a node the ray enters; the
 * first node of a treelet. */
#define RT_STREAM_DEFINE(node_format, block_format)                                            \
    static inline uint32_t rt_stream_node(const struct rt_tree *tree, uint32_t number,         \
                                          const struct rt_slab *slab, float best,              \
                                          struct rt_child *children)                           \
    {                                                                                          \
        struct rt_inside in = rt_inside_make(OGIVE_TREELETS, sizeof(struct rt_##node_format),  \
                                             sizeof(struct rt_##block_format));                \
        const char *node =                                                                     \
            (const char *)tree->nodes +                                                        \
            rt_tree_offset(number, OGIVE_TREELETS, sizeof(struct rt_##node_format));           \
        in.treelet = number >> in.node_bits;                                                   \
        return rt_##node_format##_test_in((const struct rt_##node_format *)(const void *)node, \
                                          slab, best, &in, children);                          \
    }                                                                                          \
    static inline uint32_t rt_stream_bits(void)                                                \
    {                                                                                          \
        return rt_slot_bits(OGIVE_TREELETS, sizeof(struct rt_##node_format));                  \
    }
#define RT_STREAM_DEFINE_OF(nodes, primitives) RT_STREAM_DEFINE(nodes, primitives)
RT_STREAM_DEFINE_OF(OGIVE_NODES, OGIVE_PRIMITIVES)

struct rt_stream_walk {
    struct rt_tree tree;
    struct rt_walk walk;
    struct rt_slab slab;
    struct rt_shear shear;
    struct rt_child stack[RT_WALK_STACK], children[RT_CHILDREN_MAX];
    uint32_t mode; /* enum stream_mode */
};

static inline void rt_stream_begin(struct rt_stream_walk *w, const struct rt_world *world,
                                   const struct ogv_stream_ray *ray)
{
    w->tree.nodes = rt_world_at(world, world->nodes);
    w->tree.blocks = rt_world_at(world, world->blocks);
    w->tree.numbers = world->numbers ? (const uint32_t *)rt_world_at(world, world->numbers) : 0;
    w->mode = world->streams;
    w->slab = rt_slab_make(&ray->ray);
    w->shear = rt_shear_make(&ray->ray);
    rt_walk_begin(&w->walk, w->stack, RT_WALK_STACK);
    if (w->mode == STREAM_MODE_REQUEUE)
        stream_trail_unpack(&w->walk, ray->trail, ray->level, ray->treelet << rt_stream_bits());
}

/* A hit is known by its triangle's number, also where that lies elsewhere (rt_tri36). */
static inline void rt_stream_leaf(struct rt_stream_walk *w, uint32_t ref, struct rt_hit *hit)
{
    struct rt_hit found = *hit;
    if (w->tree.numbers)
        found.triangle = RT_NOTHING;
    rt_walk_tree_leaf(&w->tree, ref, &w->shear, &found);
    if (found.triangle == RT_NOTHING)
        return;
    *hit = found;
    if (w->tree.numbers)
        hit->triangle = w->tree.numbers[found.triangle];
}

/* The ray would visit the root of another treelet. 1: it has gone there; 0: it walks on here; -1: a
 * work item has, and the ray passes it over. */
static inline int rt_stream_cross(struct rt_stream_walk *w, struct ogv_stream_ray *ray,
                                  uint32_t treelet, int restarts)
{
    uint32_t here = ray->treelet;
    if (w->mode == STREAM_MODE_DUPLICATE) {
        ray->treelet = treelet & STREAM_DONE_TREELET;
        ogv_stream_send(ray, STREAM_SEND_MORE);
        ray->treelet = here & STREAM_DONE_TREELET;
        if (ray->level < UINT8_MAX)
            ray->level++;
        return -1;
    }
    if (!stream_trail_fits(&w->walk))
        return 0;
    ray->trail &= STREAM_ANY;
    ray->trail |= restarts ? stream_trail_restart(&w->walk) : stream_trail_pack(&w->walk);
    ray->treelet = treelet & STREAM_DONE_TREELET;
    ray->level = w->walk.level & UINT8_MAX;
    ogv_stream_send(ray, STREAM_SEND_BACK);
    return 1;
}

/* Visits an inner node; whether the ray has gone to another treelet. */
static inline int rt_stream_visit(struct rt_stream_walk *w, struct ogv_stream_ray *ray,
                                  uint32_t number, int restarts)
{
    uint32_t bits = rt_stream_bits();
    if (w->mode == STREAM_MODE_DUPLICATE && !w->walk.level) {
        number = ray->treelet << bits;
    } else if (number >> bits << bits == number && number >> bits != ray->treelet) {
        int crossed = rt_stream_cross(w, ray, number >> bits, restarts);
        if (crossed)
            return crossed > 0;
    }
    uint32_t count = rt_stream_node(&w->tree, number, &w->slab, ray->hit.t, w->children);
    if (w->mode == STREAM_MODE_REQUEUE)
        stream_trail_children(&w->walk, count);
    rt_walk_children(&w->walk, w->children, count);
    return 0;
}

static inline void rt_stream_end(const struct rt_stream_walk *w, struct ogv_stream_ray *ray)
{
    if (w->mode == STREAM_MODE_REQUEUE) {
        ray->treelet = STREAM_DONE_TREELET;
        ogv_stream_send(ray, STREAM_SEND_BACK);
        return;
    }
    if (ray->hit.triangle != RT_NOTHING)
        ogv_stream_send(ray, STREAM_SEND_HIT);
    ogv_stream_send(ray, STREAM_SEND_FINISHED);
}

/* Walks a ray that was loaded through its treelet and sends on what is left of it. */
__attribute__((noinline, unused)) static void rt_stream_walk(const struct rt_world *world,
                                                             struct ogv_stream_ray *ray)
{
    struct rt_stream_walk w;
    struct rt_child entry;
    enum rt_visit visit;
    int any = (ray->trail & STREAM_ANY) != 0;
    rt_stream_begin(&w, world, ray);
    if (w.mode == STREAM_MODE_DUPLICATE)
        ray->level = 0;
    while (!(any && ray->hit.triangle != RT_NOTHING) &&
           (visit = rt_walk_next(&w.walk, ray->hit.t, &entry)) != RT_VISIT_END) {
        if (visit == RT_VISIT_CULLED)
            continue;
        if (rt_ref_is_leaf(entry.ref))
            rt_stream_leaf(&w, entry.ref, &ray->hit);
        else if (rt_stream_visit(&w, ray, rt_ref_node(entry.ref), visit == RT_VISIT_RESTART))
            return;
    }
    rt_stream_end(&w, ray);
}

/* Walks rays until there is a finished one, or none under way. */
__attribute__((noinline, unused)) static struct ogv_stream_hit
rt_stream_work(const struct rt_world *world)
{
    struct ogv_stream_ray ray;
    for (ogv_stream_load(&ray); ray.treelet != STREAM_DONE_TREELET; ogv_stream_load(&ray))
        rt_stream_walk(world, &ray);
    struct ogv_stream_hit found = { ray.hit, ray.id };
    return found;
}

#else

static inline struct ogv_stream_hit rt_stream_work(const struct rt_world *world)
{
    (void)world;
    return ogv_stream_hit_load(STREAM_DRAINING);
}

#endif

/* A finished ray, by whoever walks rays on this machine; its id is STREAM_NO_ID if no ray is under
 * way. */
static inline struct ogv_stream_hit rt_stream_collect(const struct rt_world *world,
                                                      uint64_t priority)
{
    return world->software ? rt_stream_work(world) : ogv_stream_hit_load(priority);
}

#ifdef __cplusplus
}
#endif

#endif
