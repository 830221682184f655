/* rt_node.h - how inner nodes lie in memory, and the test of a ray against their children.
 *
 * For host and device code. docs/formats.md draws the layouts byte by byte. All numbers are little
 * endian. For each format there are
 *
 *     rt_FORMAT_test    writes those children that the ray enters at a distance of at most `best`,
 *                       in the order of the node, and says how many
 *     rt_FORMAT_enter   the same as a bit per child, and where each is entered
 *     rt_FORMAT_ref     what a child is
 *     rt_FORMAT_ref_in  the same, in a tree in treelets (rt_treelet.h)
 *     rt_FORMAT_test_in rt_FORMAT_test there
 *
 * Where there are vector instructions, children are computed side by side in lanes (the vector
 * types of GCC and clang, which know them on every machine); a device does one after the other, as
 * does everybody with RT_SCALAR defined. Both do the same operations in the same order, so they
 * give the same bits. */
#ifndef OGIVE_RT_NODE_H
#define OGIVE_RT_NODE_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "ogive/rt_box.h"
#include "ogive/rt_formats.h"
#include "ogive/rt_treelet.h"
#include "ogive/rt_walk.h"

#if (defined(__riscv) || defined(__CUDACC__)) && !defined(RT_SCALAR)
#define RT_SCALAR
#endif

/* ---- Lanes ---- */

#ifndef RT_SCALAR

typedef float rt_f4 __attribute__((vector_size(16)));
typedef int32_t rt_i4 __attribute__((vector_size(16)));
typedef uint64_t rt_u2 __attribute__((vector_size(16)));
typedef uint8_t rt_b16 __attribute__((vector_size(16)));

RT_INLINE rt_f4 rt_f4_load(const float *from)
{
    rt_f4 lanes;
    memcpy(&lanes, from, sizeof lanes);
    return lanes;
}

RT_INLINE rt_f4 rt_f4_all(float value)
{
    rt_f4 lanes = { value, value, value, value };
    return lanes;
}

RT_INLINE rt_f4 rt_f4_absolute(rt_f4 a)
{
    rt_i4 bits = (rt_i4)a & INT32_MAX;
    return (rt_f4)bits;
}

/* As rt_greater and rt_less. */
RT_INLINE rt_f4 rt_f4_greater(rt_f4 a, rt_f4 b)
{
    rt_f4 lanes;
    for (int i = 0; i < 4; i++)
        lanes[i] = a[i] > b[i] ? a[i] : b[i];
    return lanes;
}

RT_INLINE rt_f4 rt_f4_less(rt_f4 a, rt_f4 b)
{
    rt_f4 lanes;
    for (int i = 0; i < 4; i++)
        lanes[i] = a[i] < b[i] ? a[i] : b[i];
    return lanes;
}

/* Where the ray is in each child's box, in one or two groups of four children. */
struct rt_lanes {
    rt_f4 near[2], far[2];
};

/* The sign bits of four lanes. */
RT_INLINE uint32_t rt_i4_signs(rt_i4 lanes)
{
#ifdef __SSE__
    return (uint32_t)__builtin_ia32_movmskps((rt_f4)lanes);
#else
    const rt_i4 each = { 1, 2, 4, 8 };
    rt_u2 pairs = (rt_u2)((lanes >> 31) & each);
    uint64_t pair = pairs[0] | pairs[1];
    return (uint32_t)(pair | pair >> 32);
#endif
}

/* A bit per lane that is not empty, and where the ray enters it. */
RT_INLINE uint32_t rt_lanes_mask(const struct rt_lanes *lanes, int groups, float t[RT_CHILDREN_MAX])
{
    uint32_t mask = rt_i4_signs(lanes->near[0] <= lanes->far[0] + rt_f4_all(RT_SLAB_TINY));
    if (groups == 2)
        mask |= rt_i4_signs(lanes->near[1] <= lanes->far[1] + rt_f4_all(RT_SLAB_TINY)) << 4;
    memcpy(t, lanes->near, (size_t)groups * sizeof(rt_f4));
    return mask;
}

#endif

/* ---- Uncompressed nodes: the six planes of every child as they are ----
 *
 * planes[axis][0] are the low ones, planes[axis][1] the high ones. Children that are not there come
 * last: low +infinity, high -infinity, ref RT_NOTHING. No ray enters them. */

struct rt_bvh2 {
    float planes[3][2][2];
    uint32_t refs[2];
    uint32_t spare[2];
};

struct rt_bvh4 {
    float planes[3][2][4];
    uint32_t refs[4];
    uint32_t spare[4];
};

struct rt_bvh6 {
    float planes[3][2][6];
    uint32_t refs[6];
    uint32_t spare[6];
};

struct rt_bvh8 {
    float planes[3][2][8];
    uint32_t refs[8];
};

#ifdef RT_PIPELINES

/* Which children the ray enters, a bit for each, and where. planes[axis][side][width] */
RT_INLINE uint32_t rt_planes_enter(const float *planes, uint32_t width, const struct rt_slab *ray,
                                   float best, float t[RT_CHILDREN_MAX])
{
    uint32_t mask = 0;
    for (uint32_t i = 0; i < width; i++) {
        const float *at = planes + i;
        const float low[3] = { at[0], at[2 * width], at[4 * width] };
        const float high[3] = { at[width], at[3 * width], at[5 * width] };
        mask |= (uint32_t)rt_slab_enters(ray, best, low, high, &t[i]) << i;
    }
    return mask;
}

#elif defined(RT_SCALAR)

/* Which children the ray enters, a bit for each, and where. planes[axis][side][width] */
RT_INLINE uint32_t rt_planes_enter(const float *planes, uint32_t width, const struct rt_slab *ray,
                                   float best, float t[RT_CHILDREN_MAX])
{
    uint32_t mask = 0;
    const float *x_near = planes + ray->negative[0] * width;
    const float *x_far = planes + (1 - ray->negative[0]) * width;
    const float *y_near = planes + (2 + ray->negative[1]) * width;
    const float *y_far = planes + (3 - ray->negative[1]) * width;
    const float *z_near = planes + (4 + ray->negative[2]) * width;
    const float *z_far = planes + (5 - ray->negative[2]) * width;
    for (uint32_t i = 0; i < width; i++) {
        float near = ray->t_min, far = best;
        near = rt_greater((x_near[i] - ray->origin[0]) * ray->near_inverse[0], near);
        near = rt_greater((y_near[i] - ray->origin[1]) * ray->near_inverse[1], near);
        near = rt_greater((z_near[i] - ray->origin[2]) * ray->near_inverse[2], near);
        far = rt_less((x_far[i] - ray->origin[0]) * ray->far_inverse[0], far);
        far = rt_less((y_far[i] - ray->origin[1]) * ray->far_inverse[1], far);
        far = rt_less((z_far[i] - ray->origin[2]) * ray->far_inverse[2], far);
        t[i] = near;
        mask |= (uint32_t)(near <= far + RT_SLAB_TINY) << i;
    }
    return mask;
}

#else

/* Rows are read 16 bytes at a time, so behind the last one there have to be 8 more. */
RT_INLINE uint32_t rt_planes_enter(const float *planes, uint32_t width, const struct rt_slab *ray,
                                   float best, float t[RT_CHILDREN_MAX])
{
    const uint32_t groups = width > 4 ? 2 : 1;
    struct rt_lanes lanes;
    for (uint32_t group = 0; group < groups; group++) {
        lanes.near[group] = rt_f4_all(ray->t_min);
        lanes.far[group] = rt_f4_all(best);
        for (uint32_t axis = 0; axis < 3; axis++) {
            const float *low = planes + axis * 2 * width + group * 4;
            rt_f4 origin = rt_f4_all(ray->origin[axis]);
            rt_f4 near = rt_f4_load(low + ray->negative[axis] * width) - origin;
            rt_f4 far = rt_f4_load(low + (1 - ray->negative[axis]) * width) - origin;
            near *= rt_f4_all(ray->near_inverse[axis]);
            far *= rt_f4_all(ray->far_inverse[axis]);
            lanes.near[group] = rt_f4_greater(near, lanes.near[group]);
            lanes.far[group] = rt_f4_less(far, lanes.far[group]);
        }
    }
    return rt_lanes_mask(&lanes, (int)groups, t) & ((1u << width) - 1);
}

#endif

#define RT_PLAIN_DEFINE(format, width)                                                     \
    RT_INLINE uint32_t rt_##format##_enter(const struct rt_##format *node,                 \
                                           const struct rt_slab *ray, float best,          \
                                           float t[RT_CHILDREN_MAX])                       \
    {                                                                                      \
        return rt_planes_enter((const float *)(const void *)node, width, ray, best, t);    \
    }                                                                                      \
    RT_INLINE uint32_t rt_##format##_ref(const struct rt_##format *node, uint32_t lane)    \
    {                                                                                      \
        return node->refs[lane];                                                           \
    }                                                                                      \
    RT_INLINE uint32_t rt_##format##_ref_in(const struct rt_##format *node, uint32_t lane, \
                                            const struct rt_inside *in)                    \
    {                                                                                      \
        (void)in;                                                                          \
        return node->refs[lane];                                                           \
    }

RT_PLAIN_DEFINE(bvh2, 2)
RT_PLAIN_DEFINE(bvh4, 4)
RT_PLAIN_DEFINE(bvh6, 6)
RT_PLAIN_DEFINE(bvh8, 8)

#undef RT_PLAIN_DEFINE

/* ---- Quantised nodes: planes are origin + q * 2^exponent, with q of 8 bits ----
 *
 * A distance is q * (scale * inverse) + (node origin - ray origin) * inverse: one multiplication
 * and one addition per plane. Terms that nearly cancel leave an error that is small against them,
 * not against their sum; so it is the terms that say how far the interval is widened, axis by axis.
 * Where a term is not finite (rays along axes) planes are decoded and tested as they are. */

#define RT_GRID_SLACK (2 * RT_SLAB_SLACK)

/* Where the planes lie: `origin` with 4 bytes behind it that can be read, exponents as a float has
 * them (1 to 254), and rows of 8-bit planes, one per axis and side, each with 8 bytes that can be
 * read. */
struct rt_grid {
    const float *origin;
    uint32_t exponents[3];
    const uint8_t *low;
    uint32_t by_axis, by_side; /* from row to row */
#ifndef RT_SCALAR
    rt_i4 scales; /* the bits of 2^exponent; whatever in the fourth lane */
#endif
};

RT_INLINE const uint8_t *rt_grid_row(const struct rt_grid *grid, uint32_t axis, uint32_t side)
{
    return grid->low + axis * grid->by_axis + side * grid->by_side;
}

RT_FUNCTION float rt_grid_scale(const struct rt_grid *grid, uint32_t axis)
{
    uint32_t bits = grid->exponents[axis] << 23;
    float scale;
    memcpy(&scale, &bits, sizeof scale);
    return scale;
}

/* Computed in double precision, where nothing overflows; rounding to single cannot cross what was
 * to be enclosed, which is a single itself. */
RT_FUNCTION float rt_grid_plane(const struct rt_grid *grid, uint32_t axis, uint32_t side,
                                uint32_t lane)
{
    double scale = (double)rt_grid_scale(grid, axis);
    return (float)((double)grid->origin[axis] + scale * rt_grid_row(grid, axis, side)[lane]);
}

RT_FUNCTION uint32_t rt_grid_enter_exact(const struct rt_grid *grid, uint32_t width,
                                         const struct rt_slab *ray, float best,
                                         float t[RT_CHILDREN_MAX])
{
    uint32_t mask = 0;
    for (uint32_t lane = 0; lane < width; lane++) {
        float low[3], high[3];
        for (uint32_t axis = 0; axis < 3; axis++) {
            low[axis] = rt_grid_plane(grid, axis, 0, lane);
            high[axis] = rt_grid_plane(grid, axis, 1, lane);
        }
        mask |= (uint32_t)rt_slab_enters(ray, best, low, high, &t[lane]) << lane;
    }
    return mask;
}

#ifdef RT_PIPELINES

RT_INLINE uint32_t rt_grid_enter(const struct rt_grid *grid, uint32_t width,
                                 const struct rt_slab *ray, float best, float t[RT_CHILDREN_MAX])
{
    return rt_grid_enter_exact(grid, width, ray, best, t);
}

#elif defined(RT_SCALAR)

/* One axis as the ray sees it. */
struct rt_grid_axis {
    const uint8_t *first, *second; /* rows of the planes that the ray meets first and second */
    float step, near, far, error;
};

RT_INLINE struct rt_grid_axis rt_grid_axis(const struct rt_grid *grid, const struct rt_slab *ray,
                                           uint32_t axis)
{
    struct rt_grid_axis seen;
    float start = (grid->origin[axis] - ray->origin[axis]) * ray->far_inverse[axis];
    seen.step = rt_grid_scale(grid, axis) * ray->far_inverse[axis];
    seen.error = (rt_absolute(start) + 255 * rt_absolute(seen.step)) * RT_GRID_SLACK;
    seen.near = start - seen.error;
    seen.far = start + seen.error;
    seen.first = rt_grid_row(grid, axis, ray->negative[axis]);
    seen.second = rt_grid_row(grid, axis, 1 - ray->negative[axis]);
    return seen;
}

/* Which children the ray enters, a bit for each, and where. */
RT_INLINE uint32_t rt_grid_enter(const struct rt_grid *grid, uint32_t width,
                                 const struct rt_slab *ray, float best, float t[RT_CHILDREN_MAX])
{
    uint32_t mask = 0;
    struct rt_grid_axis x = rt_grid_axis(grid, ray, 0);
    struct rt_grid_axis y = rt_grid_axis(grid, ray, 1);
    struct rt_grid_axis z = rt_grid_axis(grid, ray, 2);
    if (!(x.error + y.error + z.error < FLT_MAX))
        return rt_grid_enter_exact(grid, width, ray, best, t);
    for (uint32_t i = 0; i < width; i++) {
        float near = ray->t_min, far = best;
        near = rt_greater((float)x.first[i] * x.step + x.near, near);
        near = rt_greater((float)y.first[i] * y.step + y.near, near);
        near = rt_greater((float)z.first[i] * z.step + z.near, near);
        far = rt_less((float)x.second[i] * x.step + x.far, far);
        far = rt_less((float)y.second[i] * y.step + y.far, far);
        far = rt_less((float)z.second[i] * z.step + z.far, far);
        t[i] = near;
        mask |= (uint32_t)(near <= far + RT_SLAB_TINY) << i;
    }
    return mask;
}

#else

/* Powers of two from four bytes that are their exponents, plus `bias`. */
RT_INLINE rt_i4 rt_scales_load(const uint8_t *bytes, uint32_t bias)
{
    typedef uint32_t rt_u4 __attribute__((vector_size(16)));
    uint32_t word;
    memcpy(&word, bytes, sizeof word);
    rt_u4 four = { word, 0, 0, 0 };
    const rt_b16 zero = { 0 };
    rt_b16 words = __builtin_shufflevector(zero, (rt_b16)four, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5,
                                           21, 6, 22, 7, 23);
    rt_b16 high = __builtin_shufflevector(zero, words, 0, 1, 16, 17, 2, 3, 18, 19, 4, 5, 20, 21, 6,
                                          7, 22, 23);
    return (rt_i4)(((rt_u4)high + (bias << 24)) >> 1);
}

/* Eight bytes as eight floats. */
RT_INLINE void rt_row_load(const uint8_t *row, rt_f4 lanes[2])
{
    const rt_b16 zero = { 0 };
    uint64_t bytes;
    memcpy(&bytes, row, sizeof bytes);
    rt_u2 pair = { bytes, 0 };
    rt_b16 words = __builtin_shufflevector((rt_b16)pair, zero, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5,
                                           21, 6, 22, 7, 23);
    rt_b16 first = __builtin_shufflevector(words, zero, 0, 1, 16, 17, 2, 3, 18, 19, 4, 5, 20, 21, 6,
                                           7, 22, 23);
    rt_b16 second = __builtin_shufflevector(words, zero, 8, 9, 24, 25, 10, 11, 26, 27, 12, 13, 28,
                                            29, 14, 15, 30, 31);
    lanes[0] = __builtin_convertvector((rt_i4)first, rt_f4);
    lanes[1] = __builtin_convertvector((rt_i4)second, rt_f4);
}

RT_INLINE uint32_t rt_grid_enter(const struct rt_grid *grid, uint32_t width,
                                 const struct rt_slab *ray, float best, float t[RT_CHILDREN_MAX])
{
    const rt_i4 three = { -1, -1, -1, 0 };
    rt_f4 origin = (rt_f4)((rt_i4)rt_f4_load(grid->origin) & three);
    rt_f4 inverse = rt_f4_load(ray->far_inverse);
    rt_f4 start = (origin - rt_f4_load(ray->origin)) * inverse;
    rt_f4 step = (rt_f4)grid->scales * inverse;
    rt_f4 error = (rt_f4_absolute(start) + 255 * rt_f4_absolute(step)) * RT_GRID_SLACK;
    rt_f4 start_near = start - error, start_far = start + error;
    if (__builtin_expect(!(error[0] + error[1] + error[2] < FLT_MAX), 0)) {
        struct rt_grid copy = *grid; /* so that the grid itself can stay in registers */
        return rt_grid_enter_exact(&copy, width, ray, best, t);
    }
    struct rt_lanes lanes;
    lanes.near[0] = lanes.near[1] = rt_f4_all(ray->t_min);
    lanes.far[0] = lanes.far[1] = rt_f4_all(best);
    for (uint32_t axis = 0; axis < 3; axis++) {
        const uint8_t *row = grid->low + axis * grid->by_axis;
        size_t first = (size_t)ray->negative[axis] * grid->by_side;
        rt_f4 near[2], far[2], by = rt_f4_all(step[axis]);
        rt_row_load(row + first, near);
        rt_row_load(row + grid->by_side - first, far);
        for (int i = 0; i < 2; i++) {
            near[i] = near[i] * by + rt_f4_all(start_near[axis]);
            far[i] = far[i] * by + rt_f4_all(start_far[axis]);
            lanes.near[i] = rt_f4_greater(near[i], lanes.near[i]);
            lanes.far[i] = rt_f4_less(far[i], lanes.far[i]);
        }
    }
    return rt_lanes_mask(&lanes, 2, t) & ((1u << width) - 1);
}

#endif

/* ---- bvh6c: six children in 64 bytes ----
 *
 * Children that are nodes come first, then those that are leaves. Nodes are numbered from
 * `first_node` on in that order, blocks of leaves from `first_block` on. */
struct rt_bvh6c {
    float origin[3];
    uint8_t planes[3][2][6];
    int8_t exponents[3];
    /* 40 bits: from bit 6 * i on, 6 bits: the blocks of child i if it is a leaf, 0 if it is a node;
     * from bit 36 on the number of children. */
    uint8_t kinds[5];
    uint32_t first_node, first_block;
};

#define RT_BVH6C_LEAF_MAX 8

RT_FUNCTION uint64_t rt_bvh6c_kinds(const struct rt_bvh6c *node)
{
    uint64_t bits;
    memcpy(&bits, (const uint8_t *)node + offsetof(struct rt_bvh6c, exponents), sizeof bits);
    return bits >> 24;
}

RT_FUNCTION uint32_t rt_bvh6c_count(uint64_t kinds)
{
    return (uint32_t)(kinds >> 36) & 7;
}

/* In field i the sum of fields 0 to i; none is above 63. */
RT_FUNCTION uint64_t rt_bvh6c_sums(uint64_t kinds)
{
    return (kinds & UINT64_C(0xfffffffff)) * UINT64_C(0x41041041);
}

RT_INLINE uint32_t rt_bvh6c_ref(const struct rt_bvh6c *node, uint32_t lane)
{
    uint64_t kinds = rt_bvh6c_kinds(node);
    uint32_t blocks = (uint32_t)(kinds >> 6 * lane) & 63;
    uint32_t end = (uint32_t)(rt_bvh6c_sums(kinds) >> 6 * lane) & 63;
    return blocks ? rt_ref_leaf(node->first_block + end - blocks, blocks) : node->first_node + lane;
}

RT_INLINE uint32_t rt_bvh6c_ref_in(const struct rt_bvh6c *node, uint32_t lane,
                                   const struct rt_inside *in)
{
    uint64_t kinds = rt_bvh6c_kinds(node);
    uint32_t blocks = (uint32_t)(kinds >> 6 * lane) & 63;
    uint32_t end = (uint32_t)(rt_bvh6c_sums(kinds) >> 6 * lane) & 63;
    if (blocks)
        return rt_ref_leaf(rt_links_first_block(in, node->first_block) + end - blocks, blocks);
    uint32_t others = rt_links_others(node->first_block), other = others >> lane & 1;
    uint32_t rank = (uint32_t)__builtin_popcount(others & ((1u << lane) - 1));
    return rt_links_child(in, node->first_node, node->first_block, (int)other,
                          other ? rank : lane - rank);
}

RT_INLINE struct rt_grid rt_bvh6c_grid(const struct rt_bvh6c *node)
{
    struct rt_grid grid;
    grid.origin = (const float *)(const void *)node;
    for (int axis = 0; axis < 3; axis++)
        grid.exponents[axis] = (uint32_t)(node->exponents[axis] + 127);
    grid.low = (const uint8_t *)node + offsetof(struct rt_bvh6c, planes);
    grid.by_axis = 12;
    grid.by_side = 6;
#ifndef RT_SCALAR
    grid.scales = rt_scales_load((const uint8_t *)node + offsetof(struct rt_bvh6c, exponents), 127);
#endif
    return grid;
}

RT_INLINE uint32_t rt_bvh6c_enter(const struct rt_bvh6c *node, const struct rt_slab *ray,
                                  float best, float t[RT_CHILDREN_MAX])
{
    struct rt_grid grid = rt_bvh6c_grid(node);
    uint32_t children = (1u << rt_bvh6c_count(rt_bvh6c_kinds(node))) - 1;
    return rt_grid_enter(&grid, 6, ray, best, t) & children;
}

/* ---- cwbvh8: eight children in 80 bytes ----
 *
 * Ylitie, Karras, Laine, "Efficient Incoherent Ray Traversal on GPUs Through Compressed Wide BVHs",
 * 2017. Children that are nodes are numbered from `first_node` on in their order. */
struct rt_cwbvh8 {
    float origin[3];
    uint8_t exponents[3]; /* the exponent bits of a float */
    uint8_t nodes;        /* bit i: child i is a node */
    uint32_t first_node, first_block;
    /* Not there: 0. Node: 001 and 24 + i. Leaf: as many ones from bit 5 on as it has blocks, and in
     * bits 0 to 4 its first block's number from first_block on. */
    uint8_t meta[8];
    uint8_t low[3][8], high[3][8];
};

#define RT_CWBVH8_LEAF_MAX 3

RT_INLINE uint32_t rt_cwbvh8_ref(const struct rt_cwbvh8 *node, uint32_t lane)
{
    uint32_t meta = node->meta[lane];
    if (node->nodes >> lane & 1)
        return node->first_node + (uint32_t)__builtin_popcount(node->nodes & ((1u << lane) - 1));
    return rt_ref_leaf(node->first_block + (meta & 31), (meta >> 7) + (meta >> 6 & 1) + 1);
}

RT_INLINE uint32_t rt_cwbvh8_ref_in(const struct rt_cwbvh8 *node, uint32_t lane,
                                    const struct rt_inside *in)
{
    uint32_t meta = node->meta[lane], links = node->first_block, others = rt_links_others(links);
    if (!(node->nodes >> lane & 1))
        return rt_ref_leaf(rt_links_first_block(in, links) + (meta & 31),
                           (meta >> 7) + (meta >> 6 & 1) + 1);
    uint32_t other = others >> lane & 1, alike = other ? others : node->nodes & ~others;
    return rt_links_child(in, node->first_node, links, (int)other,
                          (uint32_t)__builtin_popcount(alike & ((1u << lane) - 1)));
}

/* A bit per child that is there. */
RT_FUNCTION uint32_t rt_cwbvh8_children(const struct rt_cwbvh8 *node)
{
    const uint64_t ones = UINT64_C(0x0101010101010101);
    uint64_t meta;
    memcpy(&meta, node->meta, sizeof meta);
    meta = ((meta & 127 * ones) + 127 * ones) | meta; /* bit 7 of a byte that is not 0 */
    return (uint32_t)(((meta >> 7 & ones) * UINT64_C(0x0102040810204080)) >> 56);
}

RT_INLINE struct rt_grid rt_cwbvh8_grid(const struct rt_cwbvh8 *node)
{
    struct rt_grid grid;
    grid.origin = (const float *)(const void *)node;
    for (int axis = 0; axis < 3; axis++)
        grid.exponents[axis] = node->exponents[axis];
    grid.low = (const uint8_t *)node + offsetof(struct rt_cwbvh8, low);
    grid.by_axis = 8;
    grid.by_side = 24;
#ifndef RT_SCALAR
    grid.scales = rt_scales_load((const uint8_t *)node + offsetof(struct rt_cwbvh8, exponents), 0);
#endif
    return grid;
}

RT_INLINE uint32_t rt_cwbvh8_enter(const struct rt_cwbvh8 *node, const struct rt_slab *ray,
                                   float best, float t[RT_CHILDREN_MAX])
{
    struct rt_grid grid = rt_cwbvh8_grid(node);
    return rt_grid_enter(&grid, 8, ray, best, t) & rt_cwbvh8_children(node);
}

/* ---- All of them ---- */

#define RT_TEST_DEFINE(format, unused)                                              \
    RT_TEST_AS(format, rt_##format##_test, rt_##format##_ref(node, lane),           \
               struct rt_child *children)                                           \
    RT_TEST_AS(format, rt_##format##_test_in, rt_##format##_ref_in(node, lane, in), \
               const struct rt_inside *in, struct rt_child *children)

/* `child_ref` is the child's ref; what follows are the parameters that differ. */
#define RT_TEST_AS(format, name, child_ref, ...)                                                   \
    RT_INLINE uint32_t name(const struct rt_##format *node, const struct rt_slab *ray, float best, \
                            __VA_ARGS__)                                                           \
    {                                                                                              \
        float t[RT_CHILDREN_MAX];                                                                  \
        uint32_t mask = rt_##format##_enter(node, ray, best, t), count = 0;                        \
        for (; mask; mask &= mask - 1, count++) {                                                  \
            uint32_t lane = rt_lowest_bit(mask);                                                   \
            children[count].t = t[lane];                                                           \
            children[count].ref = child_ref;                                                       \
        }                                                                                          \
        return count;                                                                              \
    }

RT_NODE_FORMATS(RT_TEST_DEFINE, )

#undef RT_TEST_DEFINE
#undef RT_TEST_AS

#endif
