/* tags.c - choosing a victim by the policy, placing a line in its way, and forgetting lines;
 * looking up is in the header, where the cache can inline it. */
#include "unit/cache/tags.h"

#include "ogive/random.h"
#include "ogive/unit.h"

static void generation_set(struct cache_tags *tags)
{
    tags->generation_key = (tags->generation % CACHE_GENERATIONS + 1) << CACHE_NUMBER_BITS;
}

static void ring_init(struct cache_order *order, u32 last)
{
    for (u32 way = 0; way <= last; way++) {
        order[way].older = (u16)(way == 0 ? last : way - 1);
        order[way].newer = (u16)(way == last ? 0 : way + 1);
    }
}

static void ranks_init(u8 *ranks, u32 last, u32 count)
{
    for (u32 way = 0; way < count; way++)
        ranks[way] = way <= last ? (u8)(last - way) : INT8_MAX;
}

static void order_init(struct cache_tags *tags)
{
    u32 last = tags->ways - 1;
    for (u32 set = 0; set < tags->sets; set++) {
        tags_set(tags, set)->newest = (u16)last;
        if (tags->order)
            ring_init(tags->order + (size_t)set * tags->ways, last);
        else
            ranks_init(tags_ranks(tags, set), last, tags->marks);
    }
}

bool tags_init(struct cache_tags *tags, struct unit *unit, struct ogv_error *error)
{
    u64 lines = (u64)tags->sets * tags->ways;
    generation_set(tags);
    /* Whole lines of the host's cache; marks are read MARKS_AT_ONCE at a time. */
    bool ranked = tags->ways <= CACHE_RANKED_WAYS;
    tags->marks = (tags->ways + MARKS_AT_ONCE - 1) / MARKS_AT_ONCE * MARKS_AT_ONCE;
    u32 bytes = (u32)sizeof(struct cache_set) + tags->marks * (ranked ? 2 : 1);
    tags->set_bytes = (bytes + 63) & ~UINT32_C(63);
    if (!(tags->set = unit_alloc(unit, tags->sets, tags->set_bytes, error)) ||
        !(tags->lines = unit_alloc(unit, lines + MARKS_AT_ONCE - 1, sizeof *tags->lines, error)) ||
        (!ranked && !(tags->order = unit_alloc(unit, lines, sizeof *tags->order, error))) ||
        !(tags->part = unit_alloc(unit, lines, sizeof *tags->part, error)) ||
        !(tags->fresh = unit_alloc(unit, lines, sizeof *tags->fresh, error)) ||
        !(tags->dirty = unit_alloc(unit, (lines + 63) / 64, sizeof *tags->dirty, error)) ||
        !(tags->bytes = unit_alloc(unit, lines * tags->line_pieces, sizeof *tags->bytes, error)) ||
        !(tags->data = unit_alloc(unit, lines * tags->line_pieces, MEMORY_SECTOR, error)))
        return false;
    order_init(tags);
    return true;
}

void tags_turn_ring(struct cache_tags *tags, u32 set, u32 way)
{
    struct cache_order *order = tags->order + (size_t)set * tags->ways, *at = &order[way];
    u32 newest = tags_set(tags, set)->newest, oldest = order[newest].newer;
    if (way == oldest)
        return; /* the ring has turned by one */
    order[at->older].newer = at->newer;
    order[at->newer].older = at->older;
    at->older = (u16)newest;
    at->newer = (u16)oldest;
    order[newest].newer = order[oldest].older = (u16)way;
}

/* The tree over n ways (a power of two) has n - 1 nodes, numbered as a heap from 1. A bit says that
 * the victim is in the right half below the node. */
void tags_turn_tree(struct cache_tags *tags, u32 set, u32 line)
{
    u64 *tree = &tags_set(tags, set)->tree;
    u32 way = line - set * tags->ways;
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
        node = 2 * node + (tags_set(tags, set)->tree >> node & 1);
    return node - tags->ways;
}

/* The way from which on, in a circle, the first line that is not pinned is the victim. */
static u32 victim_start(const struct cache_tags *tags, u32 set)
{
    if (tags->policy == REPLACE_plru)
        return tree_victim(tags, set);
    u64 random = tags->random; /* moves on when the line is taken, not when it is looked for */
    return (u32)random_below(&random, tags->ways);
}

static u32 victim_from(const struct cache_tags *tags, u32 set, u32 start)
{
    for (u32 i = 0; i < tags->ways; i++) {
        u32 line = set * tags->ways + (start + i) % tags->ways;
        if (!tags->lines[line].pins)
            return line;
    }
    return NOBODY;
}

static u32 ring_victim(const struct cache_tags *tags, u32 set)
{
    const struct cache_order *order = tags->order + (size_t)set * tags->ways;
    const struct cache_line *lines = tags->lines + (size_t)set * tags->ways;
    u32 newest = tags_set(tags, set)->newest, way = newest;
    do {
        way = order[way].newer;
        if (!lines[way].pins)
            return set * tags->ways + way;
    } while (way != newest);
    return NOBODY;
}

/* The way of a rank, which there is. */
static inline u32 ranks_find(const u8 *ranks, u8 rank)
{
    u64 alike;
    u32 first = 0;
    while (!(alike = marks_alike(ranks + first, rank)))
        first += MARKS_AT_ONCE;
    return first + (u32)__builtin_ctzll(alike) / MARK_BITS;
}

/* The oldest line that is not pinned. */
static u32 victim_oldest(const struct cache_tags *tags, u32 set)
{
    if (tags->order)
        return ring_victim(tags, set);
    for (u32 rank = tags->ways; rank; rank--) {
        u32 line = set * tags->ways + ranks_find(tags_ranks(tags, set), (u8)(rank - 1));
        if (!tags->lines[line].pins)
            return line;
    }
    return NOBODY;
}

static u32 set_filled(const struct cache_tags *tags, u32 set)
{
    const struct cache_set *at = tags_set(tags, set);
    return at->generation == (u32)tags->generation ? at->filled : 0;
}

u32 tags_victim(const struct cache_tags *tags, u32 set)
{
    u32 filled = set_filled(tags, set);
    if (filled < tags->ways)
        return set * tags->ways + filled;
    if (tags->policy == REPLACE_lru || tags->policy == REPLACE_fifo)
        return victim_oldest(tags, set);
    return victim_from(tags, set, victim_start(tags, set));
}

/* A line of a set in which some are empty, or of a generation before, gets a number. */
static SELDOM void set_fill(const struct cache_tags *tags, u32 set, u32 line)
{
    struct cache_set *at = tags_set(tags, set);
    at->filled = (u16)(set_filled(tags, set) + !tags_holds(tags, line));
    at->generation = (u32)tags->generation;
}

/* What only some caches need with a new line. */
static SELDOM void line_begin(struct cache_tags *tags, u32 set, u32 line)
{
    tags_clear_part(tags, set, line);
    if (tags->policy == REPLACE_plru)
        tags_turn_tree(tags, set, line);
    else if (tags->policy == REPLACE_random)
        random_next(&tags->random);
}

void tags_put(struct cache_tags *tags, u32 set, u32 line, u64 number)
{
    struct cache_set *at = tags_set(tags, set);
    u64 key = tags_key(tags, number);
    if (__builtin_expect(set_filled(tags, set) != tags->ways, 0))
        set_fill(tags, set, line);
    at->marks[line - set * tags->ways] = tags_mark(key);
    tags_renew(tags, set, line);
    tags->lines[line] = (struct cache_line){ .key = key };
    at->newest_key = key;
    at->newest_full = 0;
    if (__builtin_expect(tags->part_pieces || tags->policy > REPLACE_fifo, 0))
        line_begin(tags, set, line);
}

void tags_clean(struct cache_tags *tags, u32 line)
{
    u64 bit = UINT64_C(1) << (line % 64);
    u32 dirty = 0;
    if (!tags_is_dirty(tags, line))
        return;
    for (u32 i = 0; i < tags->line_pieces; i++)
        dirty |= tags_bytes(tags, line, i)->dirty;
    if (dirty)
        return;
    tags->dirty[line / 64] &= ~bit;
    tags->dirty_lines--;
}

void tags_forget(struct cache_tags *tags)
{
    /* When the generations in the keys have come round, old keys must not come back to life. */
    if (++tags->generation % CACHE_GENERATIONS == 0) {
        for (u32 line = 0; line < tags->sets * tags->ways; line++)
            tags->lines[line].key = 0;
        for (u32 set = 0; set < tags->sets; set++) {
            tags_set(tags, set)->newest_key = 0;
            tags_set(tags, set)->filled = 0;
        }
    }
    generation_set(tags);
}
