/* node_grid.c - bvh6c, cwbvh8: nodes with their children's boxes on a grid of 256 planes per axis.
 *
 * Always true: a decoded box contains the box that was encoded, whatever finite coordinates it has.
 * The difference of two floats over a power of two is computed in double precision; where that is
 * not exact it is corrected by comparing the plane as it will be decoded. */
#include <math.h>
#include <string.h>

#include "ogive/rt_node.h"
#include "rt/node_eight.h"
#include "rt/nodes.h"

#define SELDOM __attribute__((noinline))

/* ---- The grid ---- */

/* An axis of a node: where its grid begins, and how far apart its planes are. */
struct grid_axis {
    float origin;
    int exponent;          /* -126 to 127 */
    double step, per_step; /* 2 to the exponent, and the inverse */
};

static void axis_set_step(struct grid_axis *grid, int exponent)
{
    grid->exponent = exponent;
    grid->step = ldexp(1, exponent);
    grid->per_step = ldexp(1, -exponent);
}

static double axis_plane(const struct grid_axis *grid, double q)
{
    return (double)grid->origin + q * grid->step;
}

/* In steps from the origin; not negative. */
static double axis_offset(const struct grid_axis *grid, float at)
{
    return ((double)at - (double)grid->origin) * grid->per_step;
}

static bool axis_covers(const struct grid_axis *grid, float high)
{
    return axis_offset(grid, high) <= 255 && axis_plane(grid, 255) >= (double)high;
}

/* The finest grid of 256 planes from the lowest plane of the children on that covers them all. */
static struct grid_axis grid_axis_fit(const struct wide_node *node, u32 axis)
{
    struct grid_axis grid = { .origin = 0 };
    float high = 0;
    for (u32 i = 0; i < node->count; i++) {
        const struct box *box = &node->children[i].box;
        grid.origin = !i || box->low[axis] < grid.origin ? box->low[axis] : grid.origin;
        high = !i || box->high[axis] > high ? box->high[axis] : high;
    }
    double extent = (double)high - (double)grid.origin;
    int exponent = extent > 0 ? ilogb(extent) - 8 : -126;
    axis_set_step(&grid, exponent < -126 ? -126 : exponent);
    while (!axis_covers(&grid, high))
        axis_set_step(&grid, grid.exponent + 1);
    return grid;
}

/* The last plane of the grid not above `low`. */
static u8 grid_axis_low(const struct grid_axis *grid, float low)
{
    int q = (int)axis_offset(grid, low);
    while (q > 0 && axis_plane(grid, q) > (double)low)
        q--;
    return (u8)q;
}

/* The first plane not below `high`. */
static u8 grid_axis_high(const struct grid_axis *grid, float high)
{
    double offset = axis_offset(grid, high);
    int q = (int)offset;
    q += q < offset;
    while (q < 255 && axis_plane(grid, q) < (double)high)
        q++;
    return (u8)q;
}

static void box_decode(const struct rt_grid *grid, u32 lane, struct box *box)
{
    for (u32 axis = 0; axis < 3; axis++) {
        box->low[axis] = rt_grid_plane(grid, axis, 0, lane);
        box->high[axis] = rt_grid_plane(grid, axis, 1, lane);
    }
}

/* Where a format numbers children from a first one on: that of the nodes and that of the blocks of
 * leaves, 0 if there are none. */
static void node_firsts(const struct wide_node *node, u32 *first_node, u32 *first_block)
{
    *first_node = *first_block = 0;
    for (u32 i = node->count; i-- > 0;) {
        u32 ref = node->children[i].ref;
        if (rt_ref_is_leaf(ref))
            *first_block = rt_ref_first(ref);
        else
            *first_node = ref;
    }
}

/* The same in a treelet; see rt_treelet.h. */
static void node_links(const struct rt_inside *in, const u32 *refs, u32 count, u32 *first_node,
                       u32 *first_block)
{
    u32 node = 0, block = 0, others = 0;
    *first_node = 0;
    for (u32 i = count; i-- > 0;) {
        if (rt_ref_is_leaf(refs[i])) {
            block = rt_ref_first(refs[i]) - (in->treelet << in->block_bits);
        } else if (refs[i] >> in->node_bits == in->treelet) {
            node = refs[i] - (in->treelet << in->node_bits);
        } else {
            *first_node = refs[i] >> in->node_bits;
            others |= 1u << i;
        }
    }
    *first_block = rt_links_make(node, block, others);
}

/* ---- bvh6c ---- */

_Static_assert(sizeof(struct rt_bvh6c) == 64, "bvh6c is 64 bytes");

/* Writes the children that are leaves, or those that are not, from `lane` on. */
static u32 bvh6c_add(const struct wide_node *node, bool leaves, const struct grid_axis grid[3],
                     u32 lane, struct rt_bvh6c *out, u64 *kinds)
{
    for (u32 i = 0; i < node->count; i++) {
        const struct wide_child *child = &node->children[i];
        if (rt_ref_is_leaf(child->ref) != leaves)
            continue;
        for (u32 axis = 0; axis < 3; axis++) {
            out->planes[axis][0][lane] = grid_axis_low(&grid[axis], child->box.low[axis]);
            out->planes[axis][1][lane] = grid_axis_high(&grid[axis], child->box.high[axis]);
        }
        if (leaves)
            *kinds |= (u64)rt_ref_count(child->ref) << 6 * lane;
        lane++;
    }
    return lane;
}

static void bvh6c_encode(const struct wide_node *node, void *out)
{
    struct rt_bvh6c *encoded = out;
    struct grid_axis grid[3];
    u64 kinds = 0;
    memset(encoded, 0, sizeof *encoded);
    for (u32 axis = 0; axis < 3; axis++) {
        grid[axis] = grid_axis_fit(node, axis);
        encoded->origin[axis] = grid[axis].origin;
        encoded->exponents[axis] = (int8_t)grid[axis].exponent;
    }
    u32 nodes = bvh6c_add(node, false, grid, 0, encoded, &kinds);
    u32 count = bvh6c_add(node, true, grid, nodes, encoded, &kinds);
    kinds |= (u64)count << 36;
    for (u32 i = 0; i < sizeof encoded->kinds; i++)
        encoded->kinds[i] = (u8)(kinds >> 8 * i);
    node_firsts(node, &encoded->first_node, &encoded->first_block);
}

static void bvh6c_move(const struct rt_inside *in, const u32 *refs, void *node)
{
    struct rt_bvh6c *encoded = node;
    node_links(in, refs, rt_bvh6c_count(rt_bvh6c_kinds(encoded)), &encoded->first_node,
               &encoded->first_block);
}

static void bvh6c_decode(const void *node, const struct rt_inside *in, struct wide_node *out)
{
    const struct rt_bvh6c *encoded = node;
    struct rt_grid grid = rt_bvh6c_grid(encoded);
    memset(out, 0, sizeof *out);
    out->count = rt_bvh6c_count(rt_bvh6c_kinds(encoded));
    for (u32 i = 0; i < out->count; i++) {
        box_decode(&grid, i, &out->children[i].box);
        out->children[i].ref = in ? rt_bvh6c_ref_in(encoded, i, in) : rt_bvh6c_ref(encoded, i);
    }
}

static SELDOM u32 bvh6c_test_any(const void *node, const struct rt_slab *ray, float best,
                                 const struct rt_inside *in, struct rt_child *children)
{
    return in ? rt_bvh6c_test_in(node, ray, best, in, children)
              : rt_bvh6c_test(node, ray, best, children);
}

#ifdef RT_EIGHT

/* rt_bvh6c_test. */
static __attribute__((target("avx2"))) u32 bvh6c_test_eight(const struct rt_bvh6c *node,
                                                            const struct rt_slab *ray, float best,
                                                            struct rt_child *children)
{
    const struct eight_grid grid = { node->origin, node->exponents, node->planes[0][0], 12, 6 };
    __m256 t;
    u32 mask, count = 0;
    if (__builtin_expect(!eight_enter(&grid, ray, best, &t, &mask), false))
        return bvh6c_test_any(node, ray, best, NULL, children);
    u64 kinds = rt_bvh6c_kinds(node);
    mask &= ((1u << rt_bvh6c_count(kinds)) - 1) & 63;
    for (; mask; mask &= mask - 1, count++) {
        u32 lane = rt_lowest_bit(mask);
        bool leaf = kinds >> 6 * lane & 63;
        u32 ref = leaf ? rt_bvh6c_ref(node, lane) : node->first_node + lane;
        eight_child(&children[count], t, lane, ref);
    }
    return count;
}

#endif

static u32 bvh6c_test(const void *node, const struct rt_slab *ray, float best,
                      const struct rt_inside *in, struct rt_child *children)
{
#ifdef RT_EIGHT
    if (__builtin_expect(!in && eight_here(), true))
        return bvh6c_test_eight(node, ray, best, children);
#endif
    return bvh6c_test_any(node, ray, best, in, children);
}

const struct node_format bvh6c_format = {
    .name = "bvh6c",
    .help = "6 children on a grid of 8 bits per plane, 64 bytes",
    .width = 6,
    .bytes = 64,
    .leaf_blocks = RT_BVH6C_LEAF_MAX,
    .grouped = true,
    .grid = true,
    .encode = bvh6c_encode,
    .move = bvh6c_move,
    .decode = bvh6c_decode,
    .test = bvh6c_test,
};

/* ---- cwbvh8 ---- */

_Static_assert(sizeof(struct rt_cwbvh8) == 80, "cwbvh8 is 80 bytes");

static void cwbvh8_encode(const struct wide_node *node, void *out)
{
    struct rt_cwbvh8 *encoded = out;
    memset(encoded, 0, sizeof *encoded);
    node_firsts(node, &encoded->first_node, &encoded->first_block);
    for (u32 axis = 0; axis < 3; axis++) {
        struct grid_axis grid = grid_axis_fit(node, axis);
        encoded->origin[axis] = grid.origin;
        encoded->exponents[axis] = (u8)(grid.exponent + 127);
        for (u32 i = 0; i < node->count; i++) {
            const struct box *box = &node->children[i].box;
            encoded->low[axis][i] = grid_axis_low(&grid, box->low[axis]);
            encoded->high[axis][i] = grid_axis_high(&grid, box->high[axis]);
        }
    }
    for (u32 i = 0; i < node->count; i++) {
        u32 ref = node->children[i].ref;
        if (rt_ref_is_leaf(ref)) {
            u32 ones = (1u << rt_ref_count(ref)) - 1;
            encoded->meta[i] = (u8)(ones << 5 | (rt_ref_first(ref) - encoded->first_block));
        } else {
            encoded->meta[i] = (u8)(1 << 5 | (24 + i));
            encoded->nodes = (u8)(encoded->nodes | 1 << i);
        }
    }
}

static u32 cwbvh8_count(const struct rt_cwbvh8 *node)
{
    u32 count = 0;
    while (count < 8 && node->meta[count])
        count++;
    return count;
}

static void cwbvh8_move(const struct rt_inside *in, const u32 *refs, void *node)
{
    struct rt_cwbvh8 *encoded = node;
    node_links(in, refs, cwbvh8_count(encoded), &encoded->first_node, &encoded->first_block);
}

static void cwbvh8_decode(const void *node, const struct rt_inside *in, struct wide_node *out)
{
    const struct rt_cwbvh8 *encoded = node;
    struct rt_grid grid = rt_cwbvh8_grid(encoded);
    memset(out, 0, sizeof *out);
    out->count = cwbvh8_count(encoded);
    for (u32 i = 0; i < out->count; i++) {
        box_decode(&grid, i, &out->children[i].box);
        out->children[i].ref = in ? rt_cwbvh8_ref_in(encoded, i, in) : rt_cwbvh8_ref(encoded, i);
    }
}

static u32 cwbvh8_test(const void *node, const struct rt_slab *ray, float best,
                       const struct rt_inside *in, struct rt_child *children)
{
    return in ? rt_cwbvh8_test_in(node, ray, best, in, children)
              : rt_cwbvh8_test(node, ray, best, children);
}

const struct node_format cwbvh8_format = {
    .name = "cwbvh8",
    .help = "8 children on a grid of 8 bits per plane, 80 bytes (Ylitie et al. 2017)",
    .width = 8,
    .bytes = 80,
    .leaf_blocks = RT_CWBVH8_LEAF_MAX,
    .grouped = true,
    .grid = true,
    .encode = cwbvh8_encode,
    .move = cwbvh8_move,
    .decode = cwbvh8_decode,
    .test = cwbvh8_test,
};
