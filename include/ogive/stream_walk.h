/* stream_walk.h - trails: what a ray remembers of its walk when it leaves a treelet without its
 * stack; for RT cores in stream mode and for programs that walk treelets themselves.
 *
 * Three bits for each level, as rt_walk.h has them, but with 7 for the last child of a node, so
 * that the way back never ends at a node that has no child left. */
#ifndef OGIVE_STREAM_WALK_H
#define OGIVE_STREAM_WALK_H

#include "ogive/rt_walk.h"
#include "ogive/stream.h"

#define STREAM_TRAIL_BITS 3
#define STREAM_TRAIL_LAST 7

RT_FUNCTION uint64_t stream_trail_at(uint32_t level, uint64_t taken)
{
    return taken << (level * STREAM_TRAIL_BITS);
}

/* Children that are in progress on the levels above. */
RT_FUNCTION uint64_t stream_trail_above(const struct rt_walk *walk, uint32_t level)
{
    uint64_t trail = 0;
    for (uint32_t i = 0; i < level; i++)
        trail |= stream_trail_at(i, walk->last >> i & 1 ? STREAM_TRAIL_LAST : walk->taken[i]);
    return trail;
}

/* What a walk knows, for a visit of a node on its level. */
RT_FUNCTION uint64_t stream_trail_pack(const struct rt_walk *walk)
{
    uint64_t trail = stream_trail_above(walk, walk->level);
    uint32_t deepest =
        walk->replay > (int32_t)walk->level ? (uint32_t)walk->replay + 1 : walk->level;
    for (uint32_t i = walk->level; i < deepest; i++)
        trail |= stream_trail_at(i, walk->taken[i]);
    return trail;
}

/* The same on the way back to the root: the level whose next child is meant, and those above. */
RT_FUNCTION uint64_t stream_trail_restart(const struct rt_walk *walk)
{
    uint32_t level = (uint32_t)walk->replay;
    return stream_trail_above(walk, level) | stream_trail_at(level, walk->taken[level]);
}

/* Whether a trail can say where a walk is that leaves now. */
RT_FUNCTION int stream_trail_fits(const struct rt_walk *walk)
{
    return walk->level <= STREAM_LEVELS && walk->replay < STREAM_LEVELS;
}

/* The walk, which has just begun, is about to visit the node `root` on that level. */
RT_FUNCTION void stream_trail_unpack(struct rt_walk *walk, uint64_t trail, uint32_t level,
                                     uint32_t root)
{
    for (uint32_t i = 0; i < STREAM_LEVELS; i++) {
        walk->taken[i] = trail >> (i * STREAM_TRAIL_BITS) & STREAM_TRAIL_LAST;
        if (i < level && walk->taken[i] == STREAM_TRAIL_LAST)
            walk->last |= UINT64_C(1) << i;
    }
    walk->replay = STREAM_LEVELS - 1;
    if (!level)
        return;
    struct rt_child entry = { -__builtin_inff(), root };
    if (walk->last >> (level - 1) & 1)
        entry.ref |= RT_REF_LAST;
    walk->begun = walk->fresh = 1;
    walk->level = level - 1;
    rt_walk_push(walk, entry);
}

/* The node visited last has so many children that the ray enters. Those taken are fewer now where
 * a hit was found since; the child in progress is the last one. */
RT_FUNCTION void stream_trail_children(struct rt_walk *walk, uint32_t count)
{
    uint8_t *taken = &walk->taken[walk->level];
    if ((int32_t)walk->level <= walk->replay && *taken == STREAM_TRAIL_LAST)
        *taken = (uint8_t)(count ? count - 1 : 0);
}

#endif
