/* bvh.h - acceleration structures as they lie in the simulated memory. */
#ifndef RT_BVH_H
#define RT_BVH_H

#include "ogive/rt_formats.h"
#include "rt/format.h"

/* How a tree is built: BVH_sah, ... */
#define BVH_BUILDER_VALUE(name, unused) BVH_##name,
enum bvh_builder { RT_BUILDERS(BVH_BUILDER_VALUE, ) BVH_BUILDERS };
#undef BVH_BUILDER_VALUE

struct bvh_options {
    const struct node_format *nodes;
    const struct primitive_format *primitives;
    enum bvh_builder builder;
    u32 leaf_triangles; /* at most; 0: the format's best */
    u32 treelet_bytes; /* the tree lies in treelets (ogive/rt_treelet.h) of that size; 0: in none */
    u32 threads;       /* 0: as many as there are processors */
    /* Called now and then with 0 to 1; may be NULL. */
    void (*progress)(void *user, double done);
    void *user;
};

struct bvh_statistics {
    u64 nodes, leaves, blocks, references; /* references: triangles in leaves, copies included */
    u64 depth;                             /* levels of inner nodes */
    u64 bytes;
    double sah_cost;       /* of the wide tree: node 1, triangle 1 */
    double children;       /* used, of a node on average */
    double duplication;    /* references per triangle */
    double treelet_visits; /* treelets that a random ray through the scene is expected to visit */
    double build_seconds, encode_seconds;
};

/* Always true: node 0 is the root, an inner node (with one leaf, or none, for the smallest scenes);
 * depth <= RT_LEVELS. Nodes and blocks are aligned to 128 bytes. With treelets, `nodes` and
 * `blocks` are both the first treelet, and not all numbers up to the highest are in use. */
struct bvh {
    const struct node_format *nodes_format;
    const struct primitive_format *primitives_format;
    void *nodes, *blocks;
    u32 *numbers; /* by block, where the format keeps triangle numbers apart; else NULL */
    u64 node_count, block_count;
    u32 treelet_bytes, treelet_count; /* 0: none */
    struct rt_treelet *treelets;      /* their headers */
    struct box bounds;
    struct bvh_statistics statistics;
};

/* Formats of the RTX 2080 as far as is known: compressed nodes of six children (bvh6c), one
 * triangle in a block of 64 bytes (tri64); the best tree there is: spatial splits. */
struct bvh_options bvh_options_default(void);

extern const char *const bvh_builder_names[]; /* ended by NULL */

/* One line. */
const char *bvh_builder_help(enum bvh_builder builder);

/* By name; false with a message that lists what there is. */
bool bvh_builder_find(const char *name, enum bvh_builder *builder, struct ogv_error *error);

/* The same bytes for any number of threads. A mesh without triangles has a root without children.
 * Children of a node that are nodes are numbered one after the other, and likewise the blocks of
 * those that are leaves, in the order of the children; a child's number is above its parent's. */
bool bvh_build(const struct mesh *mesh, const struct bvh_options *options, struct bvh *bvh,
               struct ogv_error *error);

/* Memory for as many nodes and blocks, or treelets, as the counts say. On failure too, bvh_free
 * frees. */
bool bvh_allocate(struct bvh *bvh, struct ogv_error *error);

/* Bytes of its parts: of nodes or treelets, of blocks that are not in treelets, of the array of
 * numbers, of headers. */
struct bvh_bytes {
    u64 nodes, blocks, numbers, headers;
};
struct bvh_bytes bvh_bytes(const struct bvh *bvh);

/* Lengths of slots as numbers of nodes and blocks have them; the treelet is for the caller to fill
 * in. */
struct rt_inside bvh_inside(const struct bvh *bvh);

/* By number. */
void *bvh_node(const struct bvh *bvh, u32 number);
void *bvh_block(const struct bvh *bvh, u32 number);
void bvh_node_decode(const struct bvh *bvh, u32 number, struct wide_node *node);

void bvh_free(struct bvh *bvh);

/* What a traversal did. */
struct bvh_visits {
    u64 nodes, blocks, triangles, culled, restarts;
};

/* What rays visit, in order: the number of a node, or that of a block with BVH_LIST_BLOCK, and
 * behind each ray BVH_LIST_END. Numbers with BVH_LIST_LOAD are whatever whoever has the list puts
 * between the rays. */
#define BVH_LIST_BLOCK UINT32_C(0x80000000)
#define BVH_LIST_LOAD  UINT32_C(0x40000000)
#define BVH_LIST_STORE (BVH_LIST_BLOCK | BVH_LIST_LOAD) /* likewise */
#define BVH_LIST_END   UINT32_MAX

struct bvh_list {
    u32 *visits;
    u64 count, room;
};

void bvh_list_add(struct bvh_list *list, u32 visit);

/* The closest hit, or with `any` the first found, walking with a stack of `stack` entries; 0: as
 * many as it takes. What was done is added to `visits`, which may be NULL. */
struct rt_hit bvh_trace(const struct bvh *bvh, const struct rt_ray *ray, u32 stack, bool any,
                        struct bvh_visits *visits);

/* The same with as large a stack as it takes, through a tree that is not in treelets; what it
 * visits is added to the list. */
struct rt_hit bvh_trace_listed(const struct bvh *bvh, const struct rt_ray *ray, bool any,
                               struct bvh_visits *visits, struct bvh_list *list);

#endif
