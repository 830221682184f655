/* split.c - see split.h.
 *
 * Embree looks for the best plane by cutting each triangle at up to 15 of them on every axis. So
 * most calls are for the triangle of the call before, and each thread keeps that one. This saves
 * more than work: between two calls Embree writes the primitive in small pieces and reads it back
 * in large ones, for which a processor waits. What it computes from the primitive waits too; what
 * it computes from the triangle that was kept does not, as it guesses that it is the same again.
 *
 * A plane that passes no corner has one corner alone on its side and crosses the two edges there.
 */
#include "rt/split.h"

#include <math.h>
#include <string.h>

#include "ogive/rt_node.h"

/* x, y, z, and a fourth lane with whatever lies behind them. */
struct part {
    rt_f4 low, high;
};

/* A triangle, ready to be cut. Edge i leads from corner i to the next one. */
struct cut {
    u64 splitter;
    u32 triangle;
    rt_f4 corners[3], edges[3];
    rt_f4 slacks[3]; /* of points of the edges, for rounding */
    rt_f4 at[3];     /* by axis, where the corners are */
    rt_f4 spans[3];  /* by axis, of the edges */
};

/* Of this thread. The model keeps the compiler from calling a function for its address. */
static _Thread_local __attribute__((tls_model("initial-exec"))) struct cut kept;

static inline struct part part_union(struct part a, struct part b)
{
    return (struct part){ rt_f4_less(a.low, b.low), rt_f4_greater(a.high, b.high) };
}

static inline struct part part_corner(const struct cut *cut, u32 corner)
{
    return (struct part){ cut->corners[corner], cut->corners[corner] };
}

/* ---- A triangle ---- */

static void cut_make(struct cut *cut, const struct splitter *splitter, u32 triangle)
{
    const struct mesh *mesh = splitter->mesh; /* which has room behind its last vertex */
    const u32 *corners = mesh->triangles[triangle];
    rt_f4 a = rt_f4_load(mesh->vertices[corners[0]]) * splitter->unit;
    rt_f4 b = rt_f4_load(mesh->vertices[corners[1]]) * splitter->unit;
    rt_f4 c = rt_f4_load(mesh->vertices[corners[2]]) * splitter->unit;
    rt_f4 xy = __builtin_shufflevector(a, b, 0, 4, 1, 5),
          z = __builtin_shufflevector(a, b, 2, 6, 2, 6);
    *cut = (struct cut){
        .splitter = splitter->number,
        .triangle = triangle,
        .corners = { a, b, c },
        .edges = { b - a, c - b, a - c },
        .at = { __builtin_shufflevector(xy, c, 0, 1, 4, 4),
                __builtin_shufflevector(xy, c, 2, 3, 5, 5),
                __builtin_shufflevector(z, c, 0, 1, 6, 6) },
    };
    for (u32 i = 0; i < 3; i++) {
        rt_f4 at = cut->at[i], next = cut->corners[i == 2 ? 0 : i + 1];
        cut->spans[i] = __builtin_shufflevector(at, at, 1, 2, 0, 0) - at;
        cut->slacks[i] = (rt_f4_absolute(cut->corners[i]) + rt_f4_absolute(next)) * 0x1p-21f;
    }
}

/* ---- A plane ---- */

/* Where an edge crosses the plane: a box that surely holds the point. Six roundings lead there,
 * each of at most 2^-24 of the coordinates. */
static inline struct part cut_cross(const struct cut *cut, u32 edge, float t)
{
    rt_f4 at = cut->corners[edge] + t * cut->edges[edge];
    return (struct part){ at - cut->slacks[edge], at + cut->slacks[edge] };
}

/* How far along the edges the plane is. */
static inline rt_f4 cut_along(const struct cut *cut, u32 axis, float plane)
{
    return (plane - cut->at[axis]) / cut->spans[axis];
}

/* Embree reads four lanes at once, so four are stored; what is in the fourth is padding. */
static inline void part_store(struct part part, const struct part *whole, struct RTCBounds *bounds)
{
    rt_f4 low = rt_f4_greater(part.low, whole->low), high = rt_f4_less(part.high, whole->high);
    memcpy(&bounds->lower_x, &low, sizeof low);
    memcpy(&bounds->upper_x, &high, sizeof high);
}

/* What is left of the parts within the primitive's box, each on its side of the plane. */
static inline void parts_store(struct part below, struct part above, u32 axis, float plane,
                               const struct RTCBuildPrimitive *primitive, struct RTCBounds *left,
                               struct RTCBounds *right, const struct splitter *splitter)
{
    static const rt_i4 axes[3] = { { -1, 0, 0, 0 }, { 0, -1, 0, 0 }, { 0, 0, -1, 0 } };
    const rt_i4 planes = (rt_i4)rt_f4_all(plane) & axes[axis];
    const rt_f4 end = (rt_f4)(planes | ((rt_i4)rt_f4_all(INFINITY) & ~axes[axis]));
    const rt_f4 start = (rt_f4)(planes | ((rt_i4)rt_f4_all(-INFINITY) & ~axes[axis]));
    struct part whole = { rt_f4_load(&primitive->lower_x), rt_f4_load(&primitive->upper_x) };
    below.low -= splitter->margin;
    above.high += splitter->margin;
    below.high = rt_f4_less(below.high + splitter->margin, end);
    above.low = rt_f4_greater(above.low - splitter->margin, start);
    part_store(below, &whole, left);
    part_store(above, &whole, right);
}

/* ---- What Embree calls ---- */

/* Any plane, the kept triangle. */
static __attribute__((noinline)) void split_odd(const struct RTCBuildPrimitive *primitive,
                                                unsigned axis, float plane, struct RTCBounds *left,
                                                struct RTCBounds *right, void *user)
{
    struct part below = { rt_f4_all(INFINITY), rt_f4_all(-INFINITY) }, above = below;
    rt_f4 along = cut_along(&kept, axis, plane);
    for (u32 i = 0; i < 3; i++) {
        float from = kept.at[axis][i], to = kept.at[axis][i == 2 ? 0 : i + 1];
        if (from <= plane)
            below = part_union(below, part_corner(&kept, i));
        if (from >= plane)
            above = part_union(above, part_corner(&kept, i));
        if ((from < plane && plane < to) || (to < plane && plane < from)) {
            struct part cross = cut_cross(&kept, i, along[i]);
            below = part_union(below, cross);
            above = part_union(above, cross);
        }
    }
    parts_store(below, above, axis, plane, primitive, left, right, user);
}

static __attribute__((noinline)) void split_new(const struct RTCBuildPrimitive *primitive,
                                                unsigned axis, float plane, struct RTCBounds *left,
                                                struct RTCBounds *right, void *user)
{
    cut_make(&kept, user, primitive->primID);
    split_primitive(primitive, axis, plane, left, right, user);
}

/* Without branches but for what is rare: that is why the others are functions of their own. */
void split_primitive(const struct RTCBuildPrimitive *primitive, unsigned axis, float plane,
                     struct RTCBounds *left, struct RTCBounds *right, void *user)
{
    /* By the corners below the plane: the one that is alone, those before and after it, and whether
     * it is the one above. */
    static const struct {
        u8 alone, before, after, is_above;
    } orders[8] = { [1] = { 0, 2, 1, 0 }, [2] = { 1, 0, 2, 0 }, [4] = { 2, 1, 0, 0 },
                    [6] = { 0, 2, 1, 1 }, [5] = { 1, 0, 2, 1 }, [3] = { 2, 1, 0, 1 } };
    const struct cut *cut = &kept;
    if (cut->triangle != primitive->primID ||
        cut->splitter != ((const struct splitter *)user)->number) {
        split_new(primitive, axis, plane, left, right, user);
        return;
    }
    u32 under = rt_i4_signs(cut->at[axis] < plane) & 7;
    u32 over = rt_i4_signs(cut->at[axis] > plane) & 7;
    if (under + over != 7 || !under || !over) {
        split_odd(primitive, axis, plane, left, right, user);
        return;
    }
    u32 alone = orders[under].alone, before = orders[under].before;
    rt_f4 along = cut_along(cut, axis, plane);
    struct part cross =
        part_union(cut_cross(cut, alone, along[alone]), cut_cross(cut, before, along[before]));
    struct part one = part_union(part_corner(cut, alone), cross);
    struct part two = part_union(
        part_union(part_corner(cut, orders[under].after), part_corner(cut, before)), cross);
    rt_i4 swap = (rt_i4){ 0, 0, 0, 0 } - orders[under].is_above;
    rt_i4 low = ((rt_i4)one.low ^ (rt_i4)two.low) & swap;
    rt_i4 high = ((rt_i4)one.high ^ (rt_i4)two.high) & swap;
    struct part below = { (rt_f4)((rt_i4)one.low ^ low), (rt_f4)((rt_i4)one.high ^ high) };
    struct part above = { (rt_f4)((rt_i4)two.low ^ low), (rt_f4)((rt_i4)two.high ^ high) };
    parts_store(below, above, axis, plane, primitive, left, right, user);
}

void splitter_init(struct splitter *splitter, const struct mesh *mesh, float unit, float margin)
{
    static u64 count;
    *splitter = (struct splitter){
        .mesh = mesh,
        .number = __atomic_add_fetch(&count, 1, __ATOMIC_RELAXED),
        .unit = unit,
        .margin = margin,
    };
}
