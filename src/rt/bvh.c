/* bvh.c - a tree's memory, and its nodes and blocks by number. */
#include "rt/bvh.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"

#define ALIGNMENT 128

/* Zero behind the last entry: everything else is written by the encoders. */
static void *array_allocate(u64 bytes)
{
    u64 whole = (max_u64(bytes, 1) + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    u8 *array = aligned_alloc(ALIGNMENT, whole);
    if (array)
        memset(array + bytes, 0, whole - bytes);
    return array;
}

/* Block numbers of treelets have gaps. */
static u64 numbers_count(const struct bvh *bvh)
{
    if (!bvh->primitives_format->numbers)
        return 0;
    return bvh->treelet_bytes ? (u64)bvh->treelet_count << bvh_inside(bvh).block_bits
                              : bvh->block_count;
}

struct bvh_bytes bvh_bytes(const struct bvh *bvh)
{
    struct bvh_bytes bytes = { .numbers = numbers_count(bvh) * sizeof *bvh->numbers };
    if (bvh->treelet_bytes) {
        bytes.nodes = (u64)bvh->treelet_count * rt_treelet_stride(bvh->treelet_bytes);
        bytes.headers = bvh->treelet_count * sizeof *bvh->treelets;
    } else {
        bytes.nodes = bvh->node_count * bvh->nodes_format->bytes;
        bytes.blocks = bvh->block_count * bvh->primitives_format->bytes;
    }
    return bytes;
}

bool bvh_allocate(struct bvh *bvh, struct ogv_error *error)
{
    struct bvh_bytes bytes = bvh_bytes(bvh);
    bvh->nodes = array_allocate(bytes.nodes);
    bvh->blocks = bvh->treelet_bytes ? bvh->nodes : array_allocate(bytes.blocks);
    bool good = bvh->nodes && bvh->blocks;
    if (bytes.numbers || bvh->primitives_format->numbers)
        good = good && (bvh->numbers = array_allocate(bytes.numbers));
    if (bytes.headers)
        good = good && (bvh->treelets = array_allocate(bytes.headers));
    return good ||
           error_system(error, "no memory for a tree of %llu nodes and %llu blocks",
                        (unsigned long long)bvh->node_count, (unsigned long long)bvh->block_count);
}

void bvh_free(struct bvh *bvh)
{
    if (bvh->blocks != bvh->nodes)
        free(bvh->blocks);
    free(bvh->nodes);
    free(bvh->numbers);
    free(bvh->treelets);
    *bvh = (struct bvh){ 0 };
}

struct rt_inside bvh_inside(const struct bvh *bvh)
{
    return rt_inside_make(bvh->treelet_bytes, bvh->nodes_format->bytes,
                          bvh->primitives_format->bytes);
}

void *bvh_node(const struct bvh *bvh, u32 number)
{
    return (u8 *)bvh->nodes + rt_tree_offset(number, bvh->treelet_bytes, bvh->nodes_format->bytes);
}

void *bvh_block(const struct bvh *bvh, u32 number)
{
    return (u8 *)bvh->blocks +
           rt_tree_offset(number, bvh->treelet_bytes, bvh->primitives_format->bytes);
}

void bvh_node_decode(const struct bvh *bvh, u32 number, struct wide_node *node)
{
    struct rt_inside in = bvh_inside(bvh);
    in.treelet = bvh->treelet_bytes ? number >> in.node_bits : 0;
    bvh->nodes_format->decode(bvh_node(bvh, number), bvh->treelet_bytes ? &in : NULL, node);
}
