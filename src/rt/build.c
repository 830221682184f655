/* build.c - binary trees from Embree's builders.
 *
 * Embree calls back to make nodes; a node's costs are settled as soon as both its children are,
 * while they are still in the cache. It works on one thread (embree.h), so that a tree cannot
 * depend on how many there are.
 *
 * With spatial splits a triangle may have several references, each with the box of a part of it
 * (split.c). Together they cover the triangle.
 *
 * Of an HLBVH, Embree builds the upper part, whose leaves are roots of subtrees (hlbvh.c).
 *
 * Embree works in single precision and does not expect products of coordinates to overflow or to
 * vanish. Scenes that are too large or too small for it are built in other units, by a power of
 * two, and their boxes are made larger by more than was lost on the way. */
#include <fenv.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/stop.h"
#include "base/text.h"
#include "rt/binary.h"
#include "rt/embree.h"
#include "rt/hlbvh.h"
#include "rt/parallel.h"
#include "rt/split.h"

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
    RTCBVH bvh;
    void *subtrees; /* of an HLBVH */
    binary_ref root;
};

struct build {
    struct splitter splitter; /* the first: callbacks get the address of either */
    struct binary *binary;
    const struct bvh_options *options;
    struct RTCBuildPrimitive *primitives;
    u64 count, capacity;
    size_t node_bytes;
    float per_unit;     /* 1 over the splitter's unit */
    struct hlbvh hlbvh; /* instead of triangles, unless it has no clusters */
};

_Static_assert(offsetof(struct build, splitter) == 0, "split_primitive gets a splitter");

/* What the builders do, each named by its row of RT_BUILDERS. */
static const struct method {
    enum RTCBuildQuality quality; /* how Embree builds */
    bool splits;                  /* triangles may be split */
    bool cells;                   /* Embree's part ends at subtrees of hlbvh.c */
    const char *help;
} methods[] = {
    [BVH_sah] = { RTC_BUILD_QUALITY_MEDIUM, false, false, "binned surface area heuristic" },
    [BVH_spatial] = { RTC_BUILD_QUALITY_HIGH, true, false,
                      "the same with spatial splits of triangles (SBVH)" },
    [BVH_morton] = { RTC_BUILD_QUALITY_LOW, false, false,
                     "along a Morton curve: fast to build and slow to trace" },
    [BVH_hlbvh] = { RTC_BUILD_QUALITY_MEDIUM, false, true,
                    "along a Morton curve within the cells of a grid, `sah` above them" },
};

_Static_assert(sizeof methods / sizeof *methods == BVH_BUILDERS, "a row for every builder");

const char *bvh_builder_help(enum bvh_builder builder)
{
    return methods[builder].help;
}

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
    free(binary->subtrees);
    free(binary);
}

/* ---- What Embree calls ---- */

static void *build_node(RTCThreadLocalAllocator allocator, unsigned children, void *user)
{
    const struct build *build = user;
    (void)children;
    struct binary_node *node = rtcThreadLocalAlloc(allocator, build->node_bytes, 16);
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
    if (build->splitter.unit == 1)
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
    const struct build *build = user;
    (void)allocator;
    if (count != 1)
        ogv_bug("Embree made a leaf of %zu triangles", count);
    if (build->hlbvh.count)
        return (void *)build->hlbvh.roots[primitives->primID];
    return (void *)binary_ref_triangle(primitives->primID);
}

static bool build_progress(void *user, double done)
{
    const struct build *build = user;
    if (build->options->progress)
        build->options->progress(build->options->user, BUILD_PART * fmin(fmax(done, 0), 1));
    if (stop_asked())
        embree_cancel();
    return true;
}

/* ---- Building ---- */

static struct RTCBuildPrimitive primitive_of(const struct build *build, const struct box *box,
                                             u32 number)
{
    float unit = build->splitter.unit, margin = build->splitter.margin;
    return (struct RTCBuildPrimitive){
        .lower_x = box->low[0] * unit - margin,
        .lower_y = box->low[1] * unit - margin,
        .lower_z = box->low[2] * unit - margin,
        .upper_x = box->high[0] * unit + margin,
        .upper_y = box->high[1] * unit + margin,
        .upper_z = box->high[2] * unit + margin,
        .primID = number,
    };
}

static void build_fill_step(void *context, u32 step)
{
    struct build *build = context;
    const struct mesh *mesh = build->binary->mesh;
    u64 end = min_u64(((u64)step + 1) * FILL_STEP, mesh->triangle_count);
    for (u64 i = (u64)step * FILL_STEP; i < end; i++) {
        struct box box = binary_triangle_box(mesh, (u32)i);
        build->primitives[i] = primitive_of(build, &box, (u32)i);
    }
}

/* What Embree is to build a tree of; false if that was interrupted. */
static bool build_fill(struct build *build, enum bvh_builder builder)
{
    build->hlbvh.count = 0;
    build->count = build->binary->mesh->triangle_count;
    if (!methods[builder].cells)
        return parallel_run(build->options->threads,
                            (u32)((build->count + FILL_STEP - 1) / FILL_STEP), build_fill_step,
                            build);
    build->hlbvh = hlbvh_build(build->binary->rules, build->node_bytes, build->options->threads);
    build->binary->subtrees = build->hlbvh.nodes;
    build->count = build->hlbvh.count;
    if (!build->hlbvh.complete)
        return false;
    for (u32 i = 0; i < build->hlbvh.count; i++)
        build->primitives[i] = primitive_of(build, &build->hlbvh.boxes[i], i);
    return true;
}

static void *build_run(struct build *build, enum bvh_builder builder)
{
    struct RTCBuildArguments arguments = rtcDefaultBuildArguments();
    if (!build_fill(build, builder))
        return NULL;
    arguments.buildQuality = methods[builder].quality;
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
    arguments.splitPrimitive = split_primitive;
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
    bool usual = power >= COORDINATE_LOW && power <= COORDINATE_HIGH;
    float unit = usual ? 1 : ldexpf(1, -power < 126 ? -power : 126);
    build->per_unit = 1 / unit;
    splitter_init(&build->splitter, build->binary->mesh, unit, usual ? 0 : 0x1p-125f);
}

static bool build_prepare(struct build *build, struct ogv_error *error)
{
    struct binary *binary = build->binary;
    build_choose_unit(build);
    build->node_bytes =
        offsetof(struct binary_node, cost) + (binary->rules->width - 1) * sizeof(float);
    build->node_bytes = (build->node_bytes + 7) / 8 * 8; /* also good for an array */
    build->count = build->capacity = binary->mesh->triangle_count;
    if (methods[build->options->builder].splits)
        build->capacity += (u64)(SPLIT_ROOM * (double)build->count) + 16;
    build->primitives = aligned_alloc(32, build->capacity * sizeof *build->primitives);
    if (!build->primitives)
        return error_system(error, "no memory for %llu references to triangles",
                            (unsigned long long)build->capacity);
    RTCDevice device = embree_device();
    rtcGetDeviceError(device); /* forgets what went wrong before */
    binary->bvh = device ? rtcNewBVH(device) : NULL;
    if (!binary->bvh)
        return error_system(error, "Embree does not start");
    return true;
}

/* Morton order never needs many levels: it is for triangles that the others cannot cut well. Not
 * for want of memory, though: a tree must not depend on how much there is. */
static bool build_any(struct build *build, struct ogv_error *error)
{
    void *root = build_run(build, build->options->builder);
    enum RTCError status = rtcGetDeviceError(embree_device());
    bool retry = !root && !stop_asked() && status != RTC_ERROR_OUT_OF_MEMORY;
    if (retry && build->options->builder != BVH_morton) {
        root = build_run(build, BVH_morton);
        status = rtcGetDeviceError(embree_device());
    }
    if (!root && stop_asked())
        return stop_error(error, "building the tree");
    if (!root)
        return error_system(error, "Embree cannot build a tree of %llu triangles%s (error %d)",
                            (unsigned long long)build->binary->mesh->triangle_count,
                            status == RTC_ERROR_OUT_OF_MEMORY ? ": not enough memory" : "",
                            (int)status);
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
    hlbvh_free(&build.hlbvh);
    if (good)
        return binary;
    binary_free(binary);
    return NULL;
}
