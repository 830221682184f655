/* rt_treelet.h - trees in treelets: connected parts of a tree, each in a piece of memory of its
 * own, so that one at a time can be streamed into a chip.
 *
 * For host and device code. Treelet t lies t times the stride of treelets behind the first, and
 * begins with its root node; its other nodes follow, then the blocks of those of their children
 * that are leaves. A child is in another treelet only if it is the root of it.
 *
 * The size of a treelet is a power of two, the stride a sixteenth more. Memory is dealt out to
 * partitions in blocks whose sizes are powers of two as well: without the sixteenth, the first
 * nodes of all treelets, which most rays want, would lie in the same few partitions.
 *
 * Nodes and blocks are numbered by treelet and slot: slot s of a treelet begins s times the length
 * of a node (or of a block) behind the treelet's first byte, and the number is the treelet's
 * shifted by as many bits as the largest slot takes. Numbers that would lie across the end, and
 * those of blocks where nodes lie, are not used. What a number means to whoever holds it, a stack
 * or a walk, is the same with and without treelets: node 0 is the root. */
#ifndef OGIVE_RT_TREELET_H
#define OGIVE_RT_TREELET_H

#include <stdint.h>

#include "ogive/rt_compiler.h"

#define RT_TREELET_BYTES_MIN (UINT32_C(1) << 13)
#define RT_TREELET_BYTES_MAX (UINT32_C(1) << 16)

/* The header of a treelet. They lie one after the other, apart from the treelets. */
struct rt_treelet {
    uint32_t first_child, child_count; /* treelets: one after the other */
    uint32_t bytes;                    /* in use, from its first byte on */
    uint32_t depth;                    /* treelets above it */
    uint32_t subtree;                  /* treelets from this one down, itself included */
    uint32_t parent;                   /* a treelet; its own number for the first */
    uint32_t reserved[2];              /* 0 */
};

RT_FUNCTION int rt_treelet_bytes_fit(uint64_t bytes)
{
    return bytes >= RT_TREELET_BYTES_MIN && bytes <= RT_TREELET_BYTES_MAX && !(bytes & (bytes - 1));
}

/* From the first byte of a treelet to that of the next. */
RT_FUNCTION uint32_t rt_treelet_stride(uint32_t treelet_bytes)
{
    return treelet_bytes + treelet_bytes / 16;
}

/* The treelet of an address, given that of the first treelet's first byte. */
RT_FUNCTION uint32_t rt_treelet_of(uint64_t treelets, uint32_t treelet_bytes, uint64_t address)
{
    return (uint32_t)((address - treelets) / rt_treelet_stride(treelet_bytes));
}

/* Bits of a number that are the slot. */
RT_FUNCTION uint32_t rt_slot_bits(uint32_t treelet_bytes, uint32_t slot_bytes)
{
    return rt_highest_bit(treelet_bytes / slot_bytes - 1) + 1;
}

/* Where a node or block lies, from the first treelet's first byte on. */
RT_FUNCTION uint64_t rt_slot_offset(uint32_t number, uint32_t bits, uint32_t treelet_bytes,
                                    uint32_t slot_bytes)
{
    uint64_t slot = number & ((UINT32_C(1) << bits) - 1);
    return (uint64_t)(number >> bits) * rt_treelet_stride(treelet_bytes) + slot * slot_bytes;
}

/* Where a node or block of that number and length lies behind the first; `treelet_bytes` is 0 for
 * trees that are in none. */
RT_INLINE uint64_t rt_tree_offset(uint32_t number, uint32_t treelet_bytes, uint32_t bytes)
{
    return treelet_bytes
               ? rt_slot_offset(number, rt_slot_bits(treelet_bytes, bytes), treelet_bytes, bytes)
               : (uint64_t)number * bytes;
}

/* The number of the node or block of that length that lies there. */
RT_FUNCTION uint32_t rt_tree_number(uint64_t offset, uint32_t treelet_bytes, uint32_t bytes)
{
    if (!treelet_bytes)
        return (uint32_t)(offset / bytes);
    uint32_t treelet = (uint32_t)(offset / rt_treelet_stride(treelet_bytes));
    return (treelet << rt_slot_bits(treelet_bytes, bytes)) +
           (uint32_t)(offset % rt_treelet_stride(treelet_bytes)) / bytes;
}

/* What a node that is read has to be told to say which its children are. */
struct rt_inside {
    uint32_t treelet;               /* that it lies in */
    uint32_t node_bits, block_bits; /* of slots */
};

/* From the lengths of treelets, nodes and blocks; of no use where there are no treelets. */
RT_INLINE struct rt_inside rt_inside_make(uint32_t treelet_bytes, uint32_t node_bytes,
                                          uint32_t block_bytes)
{
    struct rt_inside in = { 0, 0, 0 };
    if (treelet_bytes) {
        in.node_bits = rt_slot_bits(treelet_bytes, node_bytes);
        in.block_bits = rt_slot_bits(treelet_bytes, block_bytes);
    }
    return in;
}

/* Nodes on a grid number their children from a first one on. In a treelet, what they have for the
 * first node is the first treelet of those children that are roots of others, and what they have
 * for the first block says where the rest lies in their own: */
#define RT_LINKS_SLOT_BITS 12

RT_FUNCTION uint32_t rt_links_make(uint32_t node_slot, uint32_t block_slot, uint32_t others)
{
    return node_slot | block_slot << RT_LINKS_SLOT_BITS | others << 2 * RT_LINKS_SLOT_BITS;
}

RT_FUNCTION uint32_t rt_links_node(uint32_t links)
{
    return links & ((UINT32_C(1) << RT_LINKS_SLOT_BITS) - 1);
}

RT_FUNCTION uint32_t rt_links_block(uint32_t links)
{
    return rt_links_node(links >> RT_LINKS_SLOT_BITS);
}

/* A bit per child that is the root of another treelet. */
RT_FUNCTION uint32_t rt_links_others(uint32_t links)
{
    return links >> 2 * RT_LINKS_SLOT_BITS;
}

/* The number of a child that is a node: the `rank`-th of those in the same treelet, or of those in
 * others. */
RT_FUNCTION uint32_t rt_links_child(const struct rt_inside *in, uint32_t first_treelet,
                                    uint32_t links, int other, uint32_t rank)
{
    if (other)
        return (first_treelet + rank) << in->node_bits;
    return (in->treelet << in->node_bits) + rt_links_node(links) + rank;
}

RT_FUNCTION uint32_t rt_links_first_block(const struct rt_inside *in, uint32_t links)
{
    return (in->treelet << in->block_bits) + rt_links_block(links);
}

#endif
