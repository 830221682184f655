/* node_plain.c - bvh2, bvh4, bvh6, bvh8: nodes with their children's boxes as they are. */
#include <math.h>
#include <string.h>

#include "ogive/rt_node.h"
#include "rt/nodes.h"

/* planes[axis][side][width] and refs[width], which are all there is in a node but for padding. */
static void plain_encode(const struct wide_node *node, u32 width, float *planes, u32 *refs)
{
    for (u32 i = 0; i < width; i++) {
        const struct wide_child *child = i < node->count ? &node->children[i] : NULL;
        for (u32 axis = 0; axis < 3; axis++) {
            planes[2 * axis * width + i] = child ? child->box.low[axis] : INFINITY;
            planes[(2 * axis + 1) * width + i] = child ? child->box.high[axis] : -INFINITY;
        }
        refs[i] = child ? child->ref : RT_NOTHING;
    }
}

static void plain_decode(const float *planes, const u32 *refs, u32 width, struct wide_node *out)
{
    memset(out, 0, sizeof *out);
    for (; out->count < width && refs[out->count] != RT_NOTHING; out->count++) {
        struct wide_child *child = &out->children[out->count];
        for (u32 axis = 0; axis < 3; axis++) {
            child->box.low[axis] = planes[2 * axis * width + out->count];
            child->box.high[axis] = planes[(2 * axis + 1) * width + out->count];
        }
        child->ref = refs[out->count];
    }
}

#define PLAIN(N, size)                                                                  \
    _Static_assert(sizeof(struct rt_bvh##N) == (size), "bvh" #N " is " #size " bytes"); \
    static void bvh##N##_encode(const struct wide_node *node, void *out)                \
    {                                                                                   \
        struct rt_bvh##N *encoded = out;                                                \
        memset(encoded, 0, sizeof *encoded);                                            \
        plain_encode(node, N, &encoded->planes[0][0][0], encoded->refs);                \
    }                                                                                   \
    static void bvh##N##_move(const struct rt_inside *in, const u32 *refs, void *node)  \
    {                                                                                   \
        struct rt_bvh##N *encoded = node;                                               \
        (void)in;                                                                       \
        for (u32 i = 0; i < N && encoded->refs[i] != RT_NOTHING; i++)                   \
            encoded->refs[i] = refs[i];                                                 \
    }                                                                                   \
    static void bvh##N##_decode(const void *node, const struct rt_inside *in,           \
                                struct wide_node *out)                                  \
    {                                                                                   \
        const struct rt_bvh##N *encoded = node;                                         \
        (void)in;                                                                       \
        plain_decode(&encoded->planes[0][0][0], encoded->refs, N, out);                 \
    }                                                                                   \
    static u32 bvh##N##_test(const void *node, const struct rt_slab *ray, float best,   \
                             const struct rt_inside *in, struct rt_child *children)     \
    {                                                                                   \
        (void)in;                                                                       \
        return rt_bvh##N##_test(node, ray, best, children);                             \
    }                                                                                   \
    const struct node_format bvh##N##_format = {                                        \
        .name = "bvh" #N,                                                               \
        .help = #N " children, uncompressed, " #size " bytes",                          \
        .width = N,                                                                     \
        .bytes = size,                                                                  \
        .leaf_blocks = RT_LEAF_MAX,                                                     \
        .encode = bvh##N##_encode,                                                      \
        .move = bvh##N##_move,                                                          \
        .decode = bvh##N##_decode,                                                      \
        .test = bvh##N##_test,                                                          \
    };

PLAIN(2, 64)
PLAIN(4, 128)
PLAIN(6, 192)
PLAIN(8, 224)
