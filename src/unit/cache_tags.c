/* cache_tags.c - see cache_tags.h. */
#include "unit/cache_tags.h"

#include <string.h>

#include "ogive/random.h"
#include "ogive/unit.h"

static void generation_set(struct cache_tags *tags)
{
    tags->generation_key = (tags->generation % CACHE_GENERATIONS + 1) << CACHE_NUMBER_BITS;
}

bool tags_init(struct cache_tags *tags, struct unit *unit, struct ogv_error *error)
{
    u64 lines = (u64)tags->sets * tags->ways;
    generation_set(tags);
    return (tags->keys = unit_alloc(unit, lines, sizeof *tags->keys, error)) &&
           (tags->marks = unit_alloc(unit, lines, sizeof *tags->marks, error)) &&
           (tags->stamps = unit_alloc(unit, lines, sizeof *tags->stamps, error)) &&
           (tags->trees = unit_alloc(unit, tags->sets, sizeof *tags->trees, error)) &&
           (tags->pins = unit_alloc(unit, lines, sizeof *tags->pins, error)) &&
           (tags->fresh = unit_alloc(unit, lines, sizeof *tags->fresh, error)) &&
           (tags->dirty = unit_alloc(unit, (lines + 63) / 64, sizeof *tags->dirty, error)) &&
           (tags->pieces =
                unit_alloc(unit, lines * tags->line_pieces, sizeof *tags->pieces, error));
}

/* The tree over n ways (a power of two) has n - 1 nodes, numbered as a heap from 1. A bit says that
 * the victim is in the right half below the node. */
void tags_turn_tree(struct cache_tags *tags, u32 line)
{
    u64 *tree = &tags->trees[line / tags->ways];
    u32 way = line % tags->ways;
    for (u32 node = 1, half = tags->ways / 2; half; half /= 2) {
        u32 right = way / half & 1;
        if (right)
            *tree &= ~(UINT64_C(1) << node);
        else
            *tree |= UINT64_C(1) << node;
        node = 2 * node + right;
    }
}

static u32 tree_victim(const struct cache_tags *tags, u32 set)
{
    u32 node = 1;
    while (node < tags->ways)
        node = 2 * node + (tags->trees[set] >> node & 1);
    return node - tags->ways;
}

/* The way from which on, in a circle, the first line that is not pinned is the victim. */
static u32 victim_start(const struct cache_tags *tags, u32 set)
{
    if (tags->policy == CACHE_PLRU)
        return tree_victim(tags, set);
    u64 random = tags->random; /* moves on when the line is taken, not when it is looked for */
    return (u32)random_below(&random, tags->ways);
}

static u32 victim_from(const struct cache_tags *tags, u32 set, u32 start)
{
    for (u32 i = 0; i < tags->ways; i++) {
        u32 line = set * tags->ways + (start + i) % tags->ways;
        if (!tags->pins[line])
            return line;
    }
    return NOBODY;
}

u32 tags_victim(const struct cache_tags *tags, u32 set)
{
    u32 first = set * tags->ways, end = first + tags->ways, oldest = NOBODY;
    u64 oldest_stamp = UINT64_MAX;
    for (u32 line = first; line < end; line++) {
        u64 stamp = tags->stamps[line];
        if (stamp <= tags->forgotten)
            return line; /* empty */
        if (stamp < oldest_stamp && !tags->pins[line]) {
            oldest_stamp = stamp;
            oldest = line;
        }
    }
    if (oldest == NOBODY || tags->policy == CACHE_LRU || tags->policy == CACHE_FIFO)
        return oldest;
    return victim_from(tags, set, victim_start(tags, set));
}

void tags_place(struct cache_tags *tags, u32 line, u64 number)
{
    tags->keys[line] = tags_key(tags, number);
    tags->marks[line] = tags_mark(tags->keys[line]);
    tags->stamps[line] = ++tags->stamp;
    tags->pins[line] = 0;
    tags->fresh[line] = 0;
    if (tags->policy == CACHE_PLRU)
        tags_turn_tree(tags, line);
    else if (tags->policy == CACHE_RANDOM)
        random_next(&tags->random);
    for (u32 i = 0; i < tags->line_pieces; i++) {
        struct cache_piece *piece = tags_piece(tags, line, i);
        piece->valid = piece->dirty = 0;
    }
    tags_clean(tags, line);
}

void tags_clean(struct cache_tags *tags, u32 line)
{
    u64 bit = UINT64_C(1) << (line % 64);
    u32 dirty = 0;
    if (!tags_is_dirty(tags, line))
        return;
    for (u32 i = 0; i < tags->line_pieces; i++)
        dirty |= tags_piece(tags, line, i)->dirty;
    if (dirty)
        return;
    tags->dirty[line / 64] &= ~bit;
    tags->dirty_lines--;
}

void tags_forget(struct cache_tags *tags)
{
    tags->forgotten = tags->stamp;
    /* When the generations in the keys have come round, old keys must not come back to life. */
    if (++tags->generation % CACHE_GENERATIONS == 0)
        memset(tags->keys, 0, (size_t)tags->sets * tags->ways * sizeof *tags->keys);
    generation_set(tags);
}
