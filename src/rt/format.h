/* format.h - how nodes and primitives lie in memory: a table of functions per format.
 *
 * The layouts themselves and their tests are in include/ogive/rt_node.h and rt_primitive.h, shared
 * with device code; the tables here are how the host chooses one by name. */
#ifndef RT_FORMAT_H
#define RT_FORMAT_H

#include "ogive/rt_ray.h"
#include "ogive/rt_treelet.h"
#include "ogive/rt_walk.h"
#include "rt/mesh.h"

/* What a node format encodes: an inner node with its children's true boxes. */
struct wide_child {
    struct box box;
    u32 ref; /* as in rt_walk.h, in the numbering of nodes and blocks in memory */
};

struct wide_node {
    struct wide_child children[RT_CHILDREN_MAX];
    u32 count;
};

/* A ray made ready for box tests: what an RT core keeps beside the ray. */
struct rt_slab;

struct node_format {
    const char *name, *help;
    u32 width;       /* children at most */
    u32 bytes;       /* of a node */
    u32 leaf_blocks; /* in a leaf at most */
    bool grouped;    /* children that are nodes must be numbered one after the other, and likewise
                        the blocks of children that are leaves */
    bool grid;       /* planes are numbers of a grid, to be converted before a test */
    void (*encode)(const struct wide_node *node, void *out);
    /* Moves an encoded node into a treelet, where its children have these numbers, in its order.
     */
    void (*move)(const struct rt_inside *in, const u32 *refs, void *node);
    /* The box of every child as a ray test sees it; true boxes lie within. `in`: the treelet; NULL
     * if the tree is in none. */
    void (*decode)(const void *node, const struct rt_inside *in, struct wide_node *out);
    /* Those children that the ray enters at a distance of at most `best`, in the node's order. */
    u32 (*test)(const void *node, const struct rt_slab *ray, float best, const struct rt_inside *in,
                struct rt_child *children);
};

struct primitive_format {
    const char *name, *help;
    u32 bytes;     /* of a block */
    u32 triangles; /* in a block at most */
    bool numbers;  /* blocks do not hold the number of their triangle: it lies in an array with an
                      entry per block (struct bvh) */
    /* Encodes as many of these triangles as fit into one block, from the first on; says how many.
     */
    u32 (*encode)(const struct mesh *mesh, const u32 *triangles, u32 count, void *out);
    /* Tests all triangles of a block, keeps the closest hit; says how many were tested. `number` is
     * what a hit is known by where blocks do not hold triangle numbers: the block's own, until the
     * walk is over and the array is looked into. */
    u32 (*test)(const void *block, u32 number, const struct rt_ray *ray, struct rt_hit *hit);
};

/* By name; NULL with a message that lists what there is. */
const struct node_format *node_format_find(const char *name, struct ogv_error *error);
const struct primitive_format *primitive_format_find(const char *name, struct ogv_error *error);

/* All of them, ended by NULL. */
extern const struct node_format *const node_formats[];
extern const struct primitive_format *const primitive_formats[];

#endif
