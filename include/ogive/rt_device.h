/* rt_device.h - ray tracing for programs, for C and C++: the scene, and what is hit.
 *
 *     const struct rt_world *world = ogv_world();
 *     struct rt_hit hit = rt_closest(world, &ray);
 *
 * On a chip with RT cores that is one instruction, `trace`; on one without, the core walks the tree
 * itself. Natively the same walk runs on the host, on the file that OGIVE_WORLD names (`ogive
 * world` makes one). The hits are the same to the last bit.
 *
 * ogv_trace and so on are the instructions. A hart goes on after `trace` until it needs the hit;
 * ogv_trace_start and ogv_trace_wait let it have several rays under way and collect them in any
 * order. */
#ifndef OGIVE_RT_DEVICE_H
#define OGIVE_RT_DEVICE_H

#include <ogive/device.h>
#include <ogive/registers_device.h>
#include <ogive/rt_trace.h>
#include <ogive/rt_world.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The scene that the run was given, or NULL. */
const struct rt_world *ogv_world(void);

/* ogv_trace_start says this when the RT core has no room for a ray to be collected later: collect
 * one, or use ogv_trace. */
#define OGV_NO_TICKET UINT64_MAX

#ifdef OGIVE_DEVICE

#define OGV_HIT_REGISTERS                 \
    register float ogv_h0 __asm__("fa0"); \
    register float ogv_h1 __asm__("fa1"); \
    register float ogv_h2 __asm__("fa2"); \
    register float ogv_h3 __asm__("fa3")
#define OGV_HIT_RESULTS "=f"(ogv_h0), "=f"(ogv_h1), "=f"(ogv_h2), "=f"(ogv_h3)

static inline struct rt_hit ogv_hit_of(float t, float u, float v, float triangle)
{
    struct rt_hit hit = { t, u, v, ogv_float_bits(triangle) };
    return hit;
}

#define OGV_TRACE(name, funct7)                                           \
    static inline struct rt_hit name(const struct rt_ray *ray)            \
    {                                                                     \
        OGV_RAY_REGISTERS(ray);                                           \
        OGV_HIT_REGISTERS;                                                \
        __asm__ volatile(".insn r CUSTOM_0, 0, " #funct7 ", fa0, ft0, f0" \
                         : OGV_HIT_RESULTS                                \
                         : OGV_OPERANDS_8);                               \
        return ogv_hit_of(ogv_h0, ogv_h1, ogv_h2, ogv_h3);                \
    }

OGV_TRACE(ogv_trace, 2)
OGV_TRACE(ogv_trace_any, 3)

static inline uint64_t ogv_trace_start(const struct rt_ray *ray)
{
    uint64_t ticket;
    OGV_RAY_REGISTERS(ray);
    __asm__ volatile(".insn r CUSTOM_0, 0, 4, %0, ft0, f0" : "=r"(ticket) : OGV_OPERANDS_8);
    return ticket;
}

static inline struct rt_hit ogv_trace_wait(uint64_t ticket)
{
    OGV_HIT_REGISTERS;
    __asm__ volatile(".insn r CUSTOM_0, 0, 5, fa0, %4, f0" : OGV_HIT_RESULTS : "r"(ticket));
    return ogv_hit_of(ogv_h0, ogv_h1, ogv_h2, ogv_h3);
}

#else

struct rt_hit ogv_trace(const struct rt_ray *ray);
struct rt_hit ogv_trace_any(const struct rt_ray *ray);
uint64_t ogv_trace_start(const struct rt_ray *ray);
struct rt_hit ogv_trace_wait(uint64_t ticket);

#endif

/* Needs the registers of rays and hits. */
#include <ogive/stream_device.h>

/* ---- Walking the tree ----
 *
 * For one pair of formats and size of treelets, which the compiler is told; `ogive` does so for
 * what it runs. */
#ifndef OGIVE_NODES
#define OGIVE_NODES bvh6c
#endif
#ifndef OGIVE_PRIMITIVES
#define OGIVE_PRIMITIVES tri64
#endif
#ifndef OGIVE_TREELETS /* bytes; 0: the tree is in none */
#define OGIVE_TREELETS 0
#endif

#define RT_WALK_STACK 16 /* entries; cores have little private memory */
#if OGIVE_TREELETS
#define RT_WALK_DEFINE(nodes, primitives) \
    RT_TRACE_TREELETS_DEFINE(rt_walk_tree, nodes, primitives, OGIVE_TREELETS)
#else
#define RT_WALK_DEFINE(nodes, primitives) RT_TRACE_DEFINE(rt_walk_tree, nodes, primitives)
#endif
#define RT_WALK_NODES(nodes)              RT_NODES_##nodes
#define RT_WALK_PRIMITIVES(primitives)    RT_PRIMITIVES_##primitives
#define RT_WALK_NODES_OF(nodes)           RT_WALK_NODES(nodes)
#define RT_WALK_PRIMITIVES_OF(primitives) RT_WALK_PRIMITIVES(primitives)

RT_WALK_DEFINE(OGIVE_NODES, OGIVE_PRIMITIVES)

/* Whether the world has the formats that this was compiled for. */
static inline int rt_walk_fits(const struct rt_world *world)
{
    return world->node_format == RT_WORLD_NODES(RT_WALK_NODES_OF(OGIVE_NODES), OGIVE_TREELETS) &&
           world->primitive_format == RT_WALK_PRIMITIVES_OF(OGIVE_PRIMITIVES);
}

__attribute__((noinline, unused)) static struct rt_hit
rt_walk_world(const struct rt_world *world, const struct rt_ray *ray, int any)
{
    struct rt_child stack[RT_WALK_STACK];
    struct rt_tree tree = {
        rt_world_at(world, world->nodes),
        rt_world_at(world, world->blocks),
        world->numbers ? (const uint32_t *)rt_world_at(world, world->numbers) : 0,
    };
    return rt_walk_tree(&tree, ray, stack, RT_WALK_STACK, any, 0);
}

/* The closest hit, by the RT core or by the core itself, as the world says. */
static inline struct rt_hit rt_closest(const struct rt_world *world, const struct rt_ray *ray)
{
    return world->software ? rt_walk_world(world, ray, 0) : ogv_trace(ray);
}

/* Any hit: whether something is in the way. */
static inline int rt_blocked(const struct rt_world *world, const struct rt_ray *ray)
{
    struct rt_hit hit = world->software ? rt_walk_world(world, ray, 1) : ogv_trace_any(ray);
    return hit.triangle != RT_NOTHING;
}

#ifdef __cplusplus
}
#endif

/* Needs the walk above. */
#include <ogive/stream_walk_device.h>

#endif
