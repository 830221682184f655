/* hlbvh.h - the lower part of trees as builders on GPUs make them (hierarchical linear BVH).
 *
 * Triangles are sorted by the Morton codes of their boxes' centres, ten bits per axis. Those that
 * share the upper bits of their codes, the cell of a coarse grid, form a cluster, and a cluster's
 * subtree follows the lower bits. Above the clusters the caller builds with care.
 *
 * Pantaleoni, Luebke: HLBVH: Hierarchical LBVH Construction for Real-Time Ray Tracing, 2010. The
 * grid has 16 cells along each axis, as in Pharr, Jakob, Humphreys: Physically Based Rendering,
 * third edition, 4.3.3. */
#ifndef RT_HLBVH_H
#define RT_HLBVH_H

#include "rt/binary.h"

struct hlbvh {
    u32 count;         /* of clusters */
    binary_ref *roots; /* [cluster] */
    struct box *boxes; /* [cluster] */
    void *nodes;       /* of all subtrees; they must stay as long as the tree */
    bool complete;     /* false: it was interrupted, and there are no clusters */
};

/* Frees everything but the nodes. */
void hlbvh_free(struct hlbvh *hlbvh);

/* Nodes take `node_bytes` each. The outcome does not depend on the number of threads. */
struct hlbvh hlbvh_build(const struct binary_rules *rules, size_t node_bytes, u32 threads);

#endif
