/* binary.h - the binary tree that Embree builds, and how it becomes a tree of wide nodes.
 *
 * Every leaf of the binary tree is one triangle, or with spatial splits a piece of one: which
 * triangles share a leaf of the wide tree, and which binary nodes disappear in a wide one, is
 * decided when the tree is collapsed, at the least expected cost of a traversal (Ylitie, Karras,
 * Laine: Efficient Incoherent Ray Traversal on GPUs Through Compressed Wide BVHs, 2017, section 3).
 *
 * For every binary node and every i below the width, cost[i - 1] is the least cost of its subtree
 * as a forest of at most i wide trees. The costs of a node follow from those of its two children,
 * so that they are known as soon as its subtree is built. */
#ifndef RT_BINARY_H
#define RT_BINARY_H

#include "rt/bvh.h"

/* A child: a node's address, or a triangle's number shifted up, plus one. 0: nothing. */
typedef uintptr_t binary_ref;

#define BINARY_LEAF_MAX 255 /* triangles that a leaf of the wide tree may hold, in any format */

struct binary_node {
    struct box boxes[2]; /* of the children */
    binary_ref children[2];
    u32 choices;    /* 4 bits each, see collapse.c */
    u32 references; /* leaves below */
    u16 height;     /* levels of nodes from this one down, itself included */
    u16 blocks;     /* of primitives, if its subtree is one leaf; 0: it cannot be */
    float cost[RT_CHILDREN_MAX - 1]; /* the last: in memory there are the width - 1 that are used */
};

/* What collapsing needs to know. */
struct binary_rules {
    const struct mesh *mesh;
    const struct primitive_format *primitives;
    u32 width;          /* children of a wide node at most */
    u32 leaf_triangles; /* of a leaf, at most */
    u32 leaf_blocks;
    struct box bounds; /* of the mesh */
    double scale;      /* of lengths, so that areas are of the order of one */
};

/* A child of a wide node. */
struct binary_child {
    struct box box;
    binary_ref ref;
    bool is_leaf; /* its whole subtree is one leaf */
};

static inline bool binary_is_triangle(binary_ref ref)
{
    return ref & 1;
}

static inline u32 binary_triangle(binary_ref ref)
{
    return (u32)(ref >> 1);
}

static inline binary_ref binary_ref_triangle(u32 triangle)
{
    return (binary_ref)triangle << 1 | 1;
}

static inline struct binary_node *binary_node_at(binary_ref ref)
{
    return (struct binary_node *)ref;
}

static inline struct box binary_triangle_box(const struct mesh *mesh, u32 triangle)
{
    const float *a = mesh->vertices[mesh->triangles[triangle][0]];
    const float *b = mesh->vertices[mesh->triangles[triangle][1]];
    const float *c = mesh->vertices[mesh->triangles[triangle][2]];
    struct box box;
    for (u32 k = 0; k < 3; k++) {
        float low = a[k] < b[k] ? a[k] : b[k], high = a[k] > b[k] ? a[k] : b[k];
        box.low[k] = low < c[k] ? low : c[k];
        box.high[k] = high > c[k] ? high : c[k];
    }
    return box;
}

/* ---- build.c ---- */

struct binary;

/* `rules` must outlive the tree. The height of the result is at most RT_LEVELS. */
struct binary *binary_build(const struct mesh *mesh, const struct bvh_options *options,
                            const struct binary_rules *rules, struct ogv_error *error);
binary_ref binary_root(const struct binary *binary);
void binary_free(struct binary *binary);

/* ---- collapse.c ---- */

struct binary_rules binary_rules_make(const struct mesh *mesh, const struct bvh_options *options,
                                      struct box bounds);

/* Settles what depends on the children of a node, which have been settled before. */
void binary_settle(const struct binary_rules *rules, struct binary_node *node);

/* The children of the wide node that `node` becomes, from left to right; says how many. */
u32 binary_gather(const struct binary_rules *rules, const struct binary_node *node,
                  struct binary_child *children);

/* The triangles of a leaf, each once, in the order of the tree; at most BINARY_LEAF_MAX. */
u32 binary_leaf_triangles(binary_ref leaf, u32 *triangles);

u32 binary_leaf_blocks(binary_ref leaf);

/* Keeps the height of a tree of any height within `levels` (32 or more): subtrees that would reach
 * deeper become balanced ones over the same leaves in the same order. */
void binary_limit_height(const struct binary_rules *rules, binary_ref root, u32 levels);

/* Half of the surface area, in units of the square of the scene's greatest extent. Never 0, so that
 * a tree of points and lines has a cost too. */
double binary_area(const struct binary_rules *rules, const struct box *box);

struct box box_union(const struct box *a, const struct box *b);

#endif
