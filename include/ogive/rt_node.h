/* rt_node.h - how inner nodes lie in memory, and the test of a ray against their children.
 *
 * For host and device code. docs/formats.md draws the layouts byte by byte. All numbers are little
 * endian. A test writes those children that the ray enters at a distance of at most `best`, in the
 * order of the node, and says how many. It may write anywhere in `children`, which has
 * RT_CHILDREN_MAX places.
 *
 * Lanes (children side by side) are computed in loops that compilers turn into vector instructions
 * where there are any; a device without them does one lane after the other. Both do the same
 * operations in the same order, so they give the same bits. */
#ifndef OGIVE_RT_NODE_H
#define OGIVE_RT_NODE_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "ogive/rt_box.h"
#include "ogive/rt_walk.h"

#define RT_INLINE static inline __attribute__((always_inline))

/* Where lanes are one interval of the ray each, keeps those that are not empty: t, and the number
 * of the lane for a ref. */
RT_INLINE uint32_t rt_lanes_keep(const float *near, const float *far, uint32_t width,
                                 struct rt_child *children)
{
    uint32_t count = 0;
    for (uint32_t lane = 0; lane < width; lane++) {
        children[count].t = near[lane];
        children[count].ref = lane;
        count += near[lane] <= far[lane];
    }
    return count;
}

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

/* planes[axis][side][width] */
RT_INLINE uint32_t rt_planes_test(const float *planes, uint32_t width, const struct rt_slab *ray,
                                  float best, struct rt_child *children)
{
    float near[RT_CHILDREN_MAX], far[RT_CHILDREN_MAX];
    const float *x = planes, *y = x + 2 * width, *z = y + 2 * width;
    const float *x_near = x + ray->negative[0] * width, *x_far = x + width - (x_near - x);
    const float *y_near = y + ray->negative[1] * width, *y_far = y + width - (y_near - y);
    const float *z_near = z + ray->negative[2] * width, *z_far = z + width - (z_near - z);
    for (uint32_t i = 0; i < width; i++) {
        float a = ray->t_min, b = best;
        a = rt_greater((x_near[i] - ray->origin[0]) * ray->near_inverse[0], a);
        a = rt_greater((y_near[i] - ray->origin[1]) * ray->near_inverse[1], a);
        a = rt_greater((z_near[i] - ray->origin[2]) * ray->near_inverse[2], a);
        b = rt_less((x_far[i] - ray->origin[0]) * ray->far_inverse[0], b);
        b = rt_less((y_far[i] - ray->origin[1]) * ray->far_inverse[1], b);
        b = rt_less((z_far[i] - ray->origin[2]) * ray->far_inverse[2], b);
        near[i] = a;
        far[i] = b + RT_SLAB_TINY;
    }
    return rt_lanes_keep(near, far, width, children);
}

#define RT_NODE_TEST(width)                                                                  \
    RT_INLINE uint32_t rt_bvh##width##_test(const struct rt_bvh##width *node,                \
                                            const struct rt_slab *ray, float best,           \
                                            struct rt_child *children)                       \
    {                                                                                        \
        uint32_t count = rt_planes_test(&node->planes[0][0][0], width, ray, best, children); \
        for (uint32_t i = 0; i < count; i++)                                                 \
            children[i].ref = node->refs[children[i].ref];                                   \
        return count;                                                                        \
    }

RT_NODE_TEST(2)
RT_NODE_TEST(4)
RT_NODE_TEST(6)
RT_NODE_TEST(8)

#undef RT_NODE_TEST

/* ---- Quantised nodes: planes are origin + q * 2^exponent, with q of 8 bits ----
 *
 * A distance is q * (scale * inverse) + (node origin - ray origin) * inverse: one multiplication
 * and one addition per plane. Terms that nearly cancel leave an error that is small against them,
 * not against their sum; so it is the terms that say how far the interval is widened, axis by axis.
 * Where a term is not finite (rays along axes) planes are decoded and tested as they are. */

struct rt_grid {
    float origin[3], scale[3];
};

/* One axis as the ray sees it. */
struct rt_grid_axis {
    float step, near, far, error;
};

/* 2^exponent, for -126 to 127. */
static inline float rt_power_of_2(int exponent)
{
    uint32_t bits = (uint32_t)(exponent + 127) << 23;
    float power;
    memcpy(&power, &bits, sizeof power);
    return power;
}

RT_INLINE struct rt_grid_axis rt_grid_axis(const struct rt_grid *grid, const struct rt_slab *ray,
                                           uint32_t axis)
{
    struct rt_grid_axis seen;
    float start = (grid->origin[axis] - ray->origin[axis]) * ray->far_inverse[axis];
    seen.step = grid->scale[axis] * ray->far_inverse[axis];
    seen.error = (rt_absolute(start) + 255 * rt_absolute(seen.step)) * (2 * RT_SLAB_SLACK);
    seen.near = start - seen.error;
    seen.far = start + seen.error;
    return seen;
}

/* In double precision, where nothing overflows; rounding to single cannot cross a plane that is a
 * single itself. */
static inline float rt_grid_plane(const struct rt_grid *grid, uint32_t axis, uint8_t q)
{
    return (float)((double)grid->origin[axis] + (double)grid->scale[axis] * q);
}

/* The rows of 8-bit planes: those of an axis and side begin at low + axis * by_axis + side *
 * by_side.
 */
struct rt_rows {
    const uint8_t *low;
    uint32_t by_axis, by_side;
};

RT_INLINE const uint8_t *rt_rows_find(const struct rt_rows *rows, uint32_t axis, uint32_t side)
{
    return rows->low + axis * rows->by_axis + side * rows->by_side;
}

static inline uint32_t rt_grid_test_exact(const struct rt_grid *grid, const struct rt_rows *rows,
                                          uint32_t width, const struct rt_slab *ray, float best,
                                          struct rt_child *children)
{
    uint32_t count = 0;
    for (uint32_t lane = 0; lane < width; lane++) {
        float low[3], high[3];
        for (uint32_t axis = 0; axis < 3; axis++) {
            low[axis] = rt_grid_plane(grid, axis, rt_rows_find(rows, axis, 0)[lane]);
            high[axis] = rt_grid_plane(grid, axis, rt_rows_find(rows, axis, 1)[lane]);
        }
        children[count].ref = lane;
        count += (uint32_t)rt_slab_enters(ray, best, low, high, &children[count].t);
    }
    return count;
}

/* Computes `lanes` lanes, for which there must be memory, and keeps some of the first `width`. */
RT_INLINE uint32_t rt_grid_test(const struct rt_grid *grid, const struct rt_rows *rows,
                                uint32_t lanes, uint32_t width, const struct rt_slab *ray,
                                float best, struct rt_child *children)
{
    struct rt_grid_axis x = rt_grid_axis(grid, ray, 0);
    struct rt_grid_axis y = rt_grid_axis(grid, ray, 1);
    struct rt_grid_axis z = rt_grid_axis(grid, ray, 2);
    if (!(x.error + y.error + z.error < FLT_MAX))
        return rt_grid_test_exact(grid, rows, width, ray, best, children);
    float near[RT_CHILDREN_MAX], far[RT_CHILDREN_MAX];
    const uint8_t *x_near = rt_rows_find(rows, 0, ray->negative[0]);
    const uint8_t *x_far = rt_rows_find(rows, 0, 1 - ray->negative[0]);
    const uint8_t *y_near = rt_rows_find(rows, 1, ray->negative[1]);
    const uint8_t *y_far = rt_rows_find(rows, 1, 1 - ray->negative[1]);
    const uint8_t *z_near = rt_rows_find(rows, 2, ray->negative[2]);
    const uint8_t *z_far = rt_rows_find(rows, 2, 1 - ray->negative[2]);
    for (uint32_t i = 0; i < lanes; i++) {
        float a = ray->t_min, b = best;
        a = rt_greater((float)x_near[i] * x.step + x.near, a);
        a = rt_greater((float)y_near[i] * y.step + y.near, a);
        a = rt_greater((float)z_near[i] * z.step + z.near, a);
        b = rt_less((float)x_far[i] * x.step + x.far, b);
        b = rt_less((float)y_far[i] * y.step + y.far, b);
        b = rt_less((float)z_far[i] * z.step + z.far, b);
        near[i] = a;
        far[i] = b + RT_SLAB_TINY;
    }
    return rt_lanes_keep(near, far, width, children);
}

/* ---- bvh6c: six children in 64 bytes ----
 *
 * Children that are nodes come first, then those that are leaves. Nodes are numbered from
 * `first_node` on in that order, blocks of leaves from `first_block` on. */
struct rt_bvh6c {
    float origin[3];
    uint8_t planes[3][2][6];
    int8_t exponents[3];
    /* 40 bits: from bit 6 * i on, 6 bits: the blocks of child i if it is a leaf, else 0; in bits 36
     * to 38 the number of children that are nodes. */
    uint8_t kinds[5];
    uint32_t first_node, first_block;
};

#define RT_BVH6C_LEAF_MAX 8

static inline uint64_t rt_bvh6c_kinds(const struct rt_bvh6c *node)
{
    uint64_t bits;
    memcpy(&bits, node->exponents, sizeof bits);
    return bits >> 24;
}

/* In field i the sum of fields 0 to i; none is above 63. */
static inline uint64_t rt_bvh6c_sums(uint64_t kinds)
{
    return (kinds & 0xfffffffff) * UINT64_C(0x41041041);
}

static inline uint32_t rt_bvh6c_ref(const struct rt_bvh6c *node, uint64_t kinds, uint64_t sums,
                                    uint32_t lane)
{
    uint32_t blocks = (uint32_t)(kinds >> 6 * lane) & 63;
    uint32_t end = (uint32_t)(sums >> 6 * lane) & 63;
    return blocks ? rt_ref_leaf(node->first_block + end - blocks, blocks) : node->first_node + lane;
}

static inline uint32_t rt_bvh6c_count(uint64_t kinds)
{
    uint32_t count = (uint32_t)(kinds >> 36) & 7;
    while (count < 6 && (kinds >> 6 * count & 63))
        count++;
    return count;
}

RT_INLINE struct rt_rows rt_bvh6c_rows(const struct rt_bvh6c *node)
{
    struct rt_rows rows = { (const uint8_t *)node + offsetof(struct rt_bvh6c, planes), 12, 6 };
    return rows;
}

RT_INLINE struct rt_grid rt_bvh6c_grid(const struct rt_bvh6c *node)
{
    struct rt_grid grid;
    for (int axis = 0; axis < 3; axis++) {
        grid.origin[axis] = node->origin[axis];
        grid.scale[axis] = rt_power_of_2(node->exponents[axis]);
    }
    return grid;
}

#ifdef __riscv
#define RT_BVH6C_LANES 6
#else
#define RT_BVH6C_LANES 8 /* two are of no use, but cost a vector machine less than a remainder */
#endif

/* Children that are not there are dropped by `kinds`, not by their planes. */
RT_INLINE uint32_t rt_bvh6c_test(const struct rt_bvh6c *node, const struct rt_slab *ray, float best,
                                 struct rt_child *children)
{
    struct rt_grid grid = rt_bvh6c_grid(node);
    uint64_t kinds = rt_bvh6c_kinds(node), sums = rt_bvh6c_sums(kinds);
    uint32_t nodes = (uint32_t)(kinds >> 36) & 7, kept = 0;
    struct rt_rows rows = rt_bvh6c_rows(node);
    uint32_t count = rt_grid_test(&grid, &rows, RT_BVH6C_LANES, 6, ray, best, children);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t lane = children[i].ref;
        children[kept].t = children[i].t;
        children[kept].ref = rt_bvh6c_ref(node, kinds, sums, lane);
        kept += lane < nodes || (kinds >> 6 * lane & 63);
    }
    return kept;
}

/* ---- cwbvh8: Ylitie, Karras, Laine, "Efficient Incoherent Ray Traversal on GPUs Through
 * Compressed Wide BVHs", 2017: eight children in 80 bytes ---- */
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

static inline uint32_t rt_cwbvh8_ref(const struct rt_cwbvh8 *node, uint32_t lane)
{
    uint32_t meta = node->meta[lane];
    if (node->nodes >> lane & 1)
        return node->first_node + (uint32_t)__builtin_popcount(node->nodes & ((1u << lane) - 1));
    return rt_ref_leaf(node->first_block + (meta & 31), (meta >> 7) + (meta >> 6 & 1) + 1);
}

RT_INLINE struct rt_rows rt_cwbvh8_rows(const struct rt_cwbvh8 *node)
{
    struct rt_rows rows = { (const uint8_t *)node + offsetof(struct rt_cwbvh8, low), 8, 24 };
    return rows;
}

RT_INLINE struct rt_grid rt_cwbvh8_grid(const struct rt_cwbvh8 *node)
{
    struct rt_grid grid;
    for (int axis = 0; axis < 3; axis++) {
        grid.origin[axis] = node->origin[axis];
        grid.scale[axis] = rt_power_of_2(node->exponents[axis] - 127);
    }
    return grid;
}

RT_INLINE uint32_t rt_cwbvh8_test(const struct rt_cwbvh8 *node, const struct rt_slab *ray,
                                  float best, struct rt_child *children)
{
    struct rt_grid grid = rt_cwbvh8_grid(node);
    struct rt_rows rows = rt_cwbvh8_rows(node);
    uint32_t kept = 0;
    uint32_t count = rt_grid_test(&grid, &rows, 8, 8, ray, best, children);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t lane = children[i].ref;
        children[kept].t = children[i].t;
        children[kept].ref = rt_cwbvh8_ref(node, lane);
        kept += node->meta[lane] != 0;
    }
    return kept;
}

#endif
