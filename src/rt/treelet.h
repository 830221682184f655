/* treelet.h - a tree cut into connected parts of bounded size, so that one part at a time can be
 * streamed into a chip or kept in a cache.
 *
 * What a treelet holds are nodes and the blocks of those of their children that are leaves. */
#ifndef RT_TREELET_H
#define RT_TREELET_H

#include "rt/bvh.h"

/* A treelet of a tree that is not laid out in them yet. */
struct treelet {
    u32 root;                     /* a node */
    u32 first_node, node_count;   /* in `order` */
    u32 block_count, bytes;       /* of nodes and blocks, and of the gap between them */
    u32 parent;                   /* a treelet; its own number for the first */
    u32 first_child, child_count; /* treelets: one after the other */
    u32 depth;                    /* treelets above it */
    u32 subtree;                  /* treelets from this one down, itself included */
};

/* Always true: every node is in one treelet, and its parent is in the same one unless it is the
 * root of it; no treelet is larger than `size`; treelet 0 has the root, and a treelet comes before
 * its children, which are in the order of their roots' numbers. In `order` the nodes of a treelet
 * follow each other, the root first; then come the children of a node together, by the falling
 * surface area of that node: what is needed most comes first. */
struct treelets {
    u32 size; /* bytes at most */
    struct treelet *items;
    u32 count;
    u32 *of_node; /* treelet, by node */
    u32 *order;   /* nodes, by treelet */
    double cost;  /* treelets that a random ray through the scene is expected to visit */
};

/* Bytes of a treelet of that many nodes and blocks: blocks begin with the next whole slot. */
u64 treelet_bytes_of(const struct bvh *bvh, u64 nodes, u64 blocks);

/* Fails if `size` is not a power of two from RT_TREELET_BYTES_MIN to _MAX, or too small for a node
 * with its blocks. */
bool treelets_build(const struct bvh *bvh, u64 size, struct treelets *treelets,
                    struct ogv_error *error);
void treelets_free(struct treelets *treelets);

/* Moves a tree into treelets of that size. Fails as treelets_build does, and if there would be
 * more than there are numbers for. */
bool treelets_lay_out(struct bvh *bvh, u32 size, struct ogv_error *error);

#endif
