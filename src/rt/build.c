/* build.c - binary trees from Embree's builders.
 *
 * Embree calls back from many threads to make nodes; a node's costs are settled as soon as both its
 * children are, while they are still in the cache. Splits are found with minima, maxima and counts,
 * which do not depend on the order in which threads find them. Where a node lies in memory does,
 * but nobody looks at that (layout.c numbers nodes by their place in the tree). The one number that
 * could depend on threads is a sum of areas in Embree's spatial builder: docs/bvh.md.
 *
 * With spatial splits a triangle may have several references, each with the box of a part of it.
 * The parts overlap a little, by more than the rounding of where an edge meets the plane: together
 * they cover the triangle.
 *
 * Embree works in single precision and does not expect products of coordinates to overflow or to
 * vanish. Scenes that are too large or too small for it are built in other units, by a power of
 * two, and their boxes are made larger by more than was lost on the way. */
#include <fenv.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if OGIVE_EMBREE == 4
#include <embree4/rtcore.h>
#else
#include <embree3/rtcore.h>
#endif

#include "base/text.h"
#include "rt/binary.h"
#include "rt/parallel.h"

/* Levels of Embree's recursion. Its last 8 are for lists of triangles that it cannot tell apart;
 * longer lists there make it fail, and the tree is built in Morton order instead. */
#define DEPTH_MAX       128

/* Room for references that splits add, per triangle. Embree shares it out between subtrees by their
 * number of triangles, and goes on without splits where there is none left. Sponza
 * costs 33.3, 31.2, 30.7 and 30.3 with 0.2, 0.5, 0.75 and 1, for 11%, 21%, 27% and 31% more
 * references. */
#define SPLIT_ROOM      0.2

/* Scenes whose greatest coordinate is between these powers of two are built as they are. */
#define COORDINATE_LOW  (-20)
#define COORDINATE_HIGH 40

#define FILL_STEP       65536 /* triangles */

#define BUILD_PART      0.8 /* of all the work, for progress */

struct binary {
    const struct mesh *mesh;
    const struct binary_rules *rules;
    RTCDevice device;
    RTCBVH bvh;
    binary_ref root;
};

struct build {
    struct binary *binary;
    const struct bvh_options *options;
    struct RTCBuildPrimitive *primitives;
    u64 count, capacity;
    float unit, per_unit; /* what 1 is in the numbers that Embree sees, and the inverse */
    float margin;         /* for boxes in those numbers; 0 if the unit is 1 */
};

binary_ref binary_root(const struct binary *binary)
{
    return binary->root;
}

void binary_free(struct binary *binary)
{
    if (!binary)
        return;
    if (binary->bvh)
        rtcReleaseBVH(binary->bvh);
    if (binary->device)
        rtcReleaseDevice(binary->device);
    free(binary);
}

/* ---- What Embree calls ---- */

static void *build_node(RTCThreadLocalAllocator allocator, unsigned children, void *user)
{
    (void)children, (void)user;
    struct binary_node *node = rtcThreadLocalAlloc(allocator, sizeof *node, 16);
    node->children[0] = node->children[1] = 0;
    node->references = 0;
    node->height = 0; /* until its boxes are known */
    return node;
}

static struct box box_from(const struct build *build, const struct RTCBounds *bounds)
{
    const struct box *all = &build->binary->rules->bounds;
    struct box box = { { bounds->lower_x, bounds->lower_y, bounds->lower_z },
                       { bounds->upper_x, bounds->upper_y, bounds->upper_z } };
    if (build->unit == 1)
        return box;
    for (u32 i = 0; i < 3; i++) {
        box.low[i] = fmaxf(nextafterf(box.low[i] * build->per_unit, -INFINITY), all->low[i]);
        box.high[i] = fminf(nextafterf(box.high[i] * build->per_unit, INFINITY), all->high[i]);
    }
    return box;
}

/* The builders differ in whether boxes or children come first. */
static void build_boxes(void *at, const struct RTCBounds **bounds, unsigned children, void *user)
{
    struct binary_node *node = at;
    const struct build *build = user;
    for (u32 i = 0; i < children; i++)
        node->boxes[i] = box_from(build, bounds[i]);
    node->height = 1;
    if (node->children[0])
        binary_settle(build->binary->rules, node);
}

static void build_children(void *at, void **refs, unsigned children, void *user)
{
    struct binary_node *node = at;
    const struct build *build = user;
    for (u32 i = 0; i < children; i++)
        node->children[i] = (binary_ref)refs[i];
    if (node->height)
        binary_settle(build->binary->rules, node);
}

static void *build_leaf(RTCThreadLocalAllocator allocator,
                        const struct RTCBuildPrimitive *primitives, size_t count, void *user)
{
    (void)allocator, (void)user;
    if (count != 1)
        ogv_bug("Embree made a leaf of %zu triangles", count);
    return (void *)binary_ref_triangle(primitives->primID);
}

static bool build_progress(void *user, double done)
{
    const struct build *build = user;
    if (build->options->progress)
        build->options->progress(build->options->user, BUILD_PART * fmin(fmax(done, 0), 1));
    return true;
}

/* ---- Spatial splits ---- */

/* x, y, z, and a fourth lane that carries whatever lies behind them. */
typedef float lanes __attribute__((vector_size(16)));
typedef int32_t lane_mask __attribute__((vector_size(16)));

struct part {
    lanes low, high;
};

static inline lanes lanes_load(const void *from)
{
    lanes to;
    memcpy(&to, from, sizeof to);
    return to;
}

static inline lanes lanes_choose(lane_mask mask, lanes yes, lanes no)
{
    return (lanes)(((lane_mask)yes & mask) | ((lane_mask)no & ~mask));
}

static inline lanes lanes_min(lanes a, lanes b)
{
#if defined(__SSE__)
    return __builtin_ia32_minps(a, b);
#else
    return lanes_choose(a < b, a, b);
#endif
}

static inline lanes lanes_max(lanes a, lanes b)
{
#if defined(__SSE__)
    return __builtin_ia32_maxps(a, b);
#else
    return lanes_choose(a > b, a, b);
#endif
}

static inline lanes lanes_absolute(lanes a)
{
    return (lanes)((lane_mask)a & INT32_MAX);
}

static inline void part_add(struct part *part, lanes low, lanes high)
{
    part->low = lanes_min(part->low, low);
    part->high = lanes_max(part->high, high);
}

/* Where the edge from a to b crosses the plane: a box that surely holds the point. Six roundings
 * lead there, each of at most 2^-24 of the coordinates. */
static inline struct part edge_cross(lanes a, lanes b, float t)
{
    lanes at = a + t * (b - a), slack = (lanes_absolute(a) + lanes_absolute(b)) * 0x1p-21f;
    return (struct part){ at - slack, at + slack };
}

/* All but the fourth lane, which is Embree's. Whole lanes are stored: Embree reads them back at
 * once. */
static inline void part_store(struct part part, const struct part *whole, struct RTCBounds *bounds)
{
    const lane_mask xyz = { -1, -1, -1, 0 };
    lanes low = lanes_choose(xyz, lanes_max(part.low, whole->low), whole->low);
    lanes high = lanes_choose(xyz, lanes_min(part.high, whole->high), whole->high);
    memcpy(&bounds->lower_x, &low, sizeof low);
    memcpy(&bounds->upper_x, &high, sizeof high);
}

static void build_split(const struct RTCBuildPrimitive *primitive, unsigned axis, float plane,
                        struct RTCBounds *left, struct RTCBounds *right, void *user)
{
    static const lane_mask axes[3] = { { -1, 0, 0, 0 }, { 0, -1, 0, 0 }, { 0, 0, -1, 0 } };
    const struct build *build = user;
    const struct mesh *mesh = build->binary->mesh;
    const u32 *corners = mesh->triangles[primitive->primID];
    const lanes least = { -INFINITY, -INFINITY, -INFINITY, -INFINITY };
    const lanes end = lanes_choose(axes[axis], (lanes){ plane, plane, plane, plane }, -least);
    const lanes start = lanes_choose(axes[axis], (lanes){ plane, plane, plane, plane }, least);
    struct part below = { -least, least }, above = { -least, least };
    for (u32 i = 0; i < 3; i++) { /* the mesh has room behind its last vertex */
        const float *from = mesh->vertices[corners[i]];
        const float *to = mesh->vertices[corners[i == 2 ? 0 : i + 1]];
        float first = from[axis] * build->unit, last = to[axis] * build->unit;
        lanes a = lanes_load(from) * build->unit;
        if (first <= plane)
            part_add(&below, a, a);
        if (first >= plane)
            part_add(&above, a, a);
        if (!((first < plane) & (plane < last)) && !((last < plane) & (plane < first)))
            continue;
        struct part cross =
            edge_cross(a, lanes_load(to) * build->unit, (plane - first) / (last - first));
        part_add(&below, cross.low, cross.high);
        part_add(&above, cross.low, cross.high);
    }
    struct part whole = { lanes_load(&primitive->lower_x), lanes_load(&primitive->upper_x) };
    below.low -= build->margin;
    above.high += build->margin;
    below.high = lanes_min(below.high + build->margin, end);
    above.low = lanes_max(above.low - build->margin, start);
    part_store(below, &whole, left);
    part_store(above, &whole, right);
}

/* ---- Building ---- */

static void build_fill(void *context, u32 step)
{
    struct build *build = context;
    const struct mesh *mesh = build->binary->mesh;
    u64 end = min_u64(((u64)step + 1) * FILL_STEP, mesh->triangle_count);
    for (u64 i = (u64)step * FILL_STEP; i < end; i++) {
        const float *a = mesh->vertices[mesh->triangles[i][0]];
        const float *b = mesh->vertices[mesh->triangles[i][1]];
        const float *c = mesh->vertices[mesh->triangles[i][2]];
        build->primitives[i] = (struct RTCBuildPrimitive){
            .lower_x = fminf(fminf(a[0], b[0]), c[0]) * build->unit - build->margin,
            .lower_y = fminf(fminf(a[1], b[1]), c[1]) * build->unit - build->margin,
            .lower_z = fminf(fminf(a[2], b[2]), c[2]) * build->unit - build->margin,
            .upper_x = fmaxf(fmaxf(a[0], b[0]), c[0]) * build->unit + build->margin,
            .upper_y = fmaxf(fmaxf(a[1], b[1]), c[1]) * build->unit + build->margin,
            .upper_z = fmaxf(fmaxf(a[2], b[2]), c[2]) * build->unit + build->margin,
            .primID = (u32)i,
        };
    }
}

static void *build_run(struct build *build, enum bvh_builder builder)
{
    static const enum RTCBuildQuality qualities[] = {
        [BVH_SAH] = RTC_BUILD_QUALITY_MEDIUM,
        [BVH_SPATIAL] = RTC_BUILD_QUALITY_HIGH,
        [BVH_MORTON] = RTC_BUILD_QUALITY_LOW,
    };
    struct RTCBuildArguments arguments = rtcDefaultBuildArguments();
    parallel_run(build->options->threads, (u32)((build->count + FILL_STEP - 1) / FILL_STEP),
                 build_fill, build);
    arguments.buildQuality = qualities[builder];
    arguments.maxDepth = DEPTH_MAX;
    arguments.maxLeafSize = 1;
    arguments.bvh = build->binary->bvh;
    arguments.primitives = build->primitives;
    arguments.primitiveCount = build->count;
    arguments.primitiveArrayCapacity = build->capacity;
    arguments.createNode = build_node;
    arguments.setNodeChildren = build_children;
    arguments.setNodeBounds = build_boxes;
    arguments.createLeaf = build_leaf;
    arguments.splitPrimitive = build_split;
    arguments.buildProgress = build_progress;
    arguments.userPtr = build;
    void *root = rtcBuildBVH(&arguments);
    return root;
}

static void build_choose_unit(struct build *build)
{
    const struct box *bounds = &build->binary->rules->bounds;
    float most = 0;
    for (u32 i = 0; i < 3; i++)
        most = fmaxf(most, fmaxf(fabsf(bounds->low[i]), fabsf(bounds->high[i])));
    int power = most > 0 ? ilogbf(most) : 0;
    build->unit = build->per_unit = 1;
    build->margin = 0;
    if (power >= COORDINATE_LOW && power <= COORDINATE_HIGH)
        return;
    build->unit = ldexpf(1, -power < 126 ? -power : 126);
    build->per_unit = 1 / build->unit;
    build->margin = 0x1p-125f;
}

static bool build_prepare(struct build *build, struct ogv_error *error)
{
    struct binary *binary = build->binary;
    char config[64];
    snprintf(config, sizeof config, "threads=%u,user_threads=0",
             embree_threads(build->options->threads));
    build_choose_unit(build);
    build->count = build->capacity = binary->mesh->triangle_count;
    if (build->options->builder == BVH_SPATIAL)
        build->capacity += (u64)(SPLIT_ROOM * (double)build->count) + 16;
    build->primitives = aligned_alloc(32, build->capacity * sizeof *build->primitives);
    if (!build->primitives)
        return error_system(error, "no memory for %llu references to triangles",
                            (unsigned long long)build->capacity);
    binary->device = rtcNewDevice(config);
    binary->bvh = binary->device ? rtcNewBVH(binary->device) : NULL;
    if (!binary->bvh)
        return error_system(error, "Embree does not start");
    return true;
}

/* Morton order never needs many levels: it is for triangles that the others cannot cut well. */
static bool build_any(struct build *build, struct ogv_error *error)
{
    void *root = build_run(build, build->options->builder);
    if (!root && build->options->builder != BVH_MORTON)
        root = build_run(build, BVH_MORTON);
    if (!root)
        return error_system(error, "Embree cannot build a tree of %llu triangles (error %d)",
                            (unsigned long long)build->count,
                            (int)rtcGetDeviceError(build->binary->device));
    build->binary->root = (binary_ref)root;
    binary_limit_height(build->binary->rules, build->binary->root, RT_LEVELS);
    return true;
}

struct binary *binary_build(const struct mesh *mesh, const struct bvh_options *options,
                            const struct binary_rules *rules, struct ogv_error *error)
{
    struct binary *binary = heap_array(1, sizeof *binary);
    struct build build = { .binary = binary, .options = options };
    fenv_t environment; /* Embree may leave the processor flushing denormal numbers to zero */
    binary->mesh = mesh;
    binary->rules = rules;
    if (!mesh->triangle_count)
        return binary;
    fegetenv(&environment);
    bool good = build_prepare(&build, error) && build_any(&build, error);
    fesetenv(&environment);
    free(build.primitives);
    if (good)
        return binary;
    binary_free(binary);
    return NULL;
}
