/* bvh_stand.h - meshes that are hard on builders, and what must be true of every tree. */
#ifndef TESTS_RT_BVH_STAND_H
#define TESTS_RT_BVH_STAND_H

#include "rt/bvh.h"

/* Kinds of meshes, each made of `count` triangles (or so) from a seed. */
enum stand_kind {
    STAND_SOUP,       /* small triangles anywhere */
    STAND_NEEDLES,    /* long and thin, in all directions: much to split */
    STAND_GRID,       /* a plane, vertices shared, all boxes flat */
    STAND_SAME,       /* one triangle many times */
    STAND_POINTS,     /* triangles of no extent, several at each place */
    STAND_LINES,      /* triangles of no area, all on one axis */
    STAND_CONCENTRIC, /* all with the same middle, larger and larger */
    STAND_POWERS,     /* each twice as large and as far as the one before, over and over */
    STAND_HUGE,       /* near the greatest numbers there are */
    STAND_TINY,       /* near the least */
    STAND_FAR,        /* small triangles a long way from the origin */
    STAND_KINDS,
};

extern const char *const stand_names[STAND_KINDS];

struct mesh stand_mesh(enum stand_kind kind, u32 count, u64 seed);

/* The numbers of the triangles in a block; says how many. */
u32 stand_block(const struct bvh *bvh, u64 block, u32 *triangles);

/* Fails the test unless the tree is sound:
 *  - every node but the root is the child of exactly one node, every block is in exactly one leaf;
 *  - statistics are what is counted;
 *  - every triangle is found: its corners and points inside it lie in boxes on a path to a leaf
 *    that has it;
 *  - without spatial splits, every box contains all the triangles below it, whole. */
void stand_check(const struct mesh *mesh, const struct bvh *bvh, bool spatial);

#endif
