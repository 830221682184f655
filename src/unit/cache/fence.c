/* fence.c - fences: what was written before has arrived below, what is read after is fresh.
 *
 * A shared cache, which everybody sees, has nothing to do. A private one first writes back what is
 * dirty, and takes nothing else meanwhile; a write-through cache skips that. Then it forgets all it
 * holds, and what is on its way to it, by counting its generation up, and goes on; the fence is
 * answered when the writes that were under way have been acknowledged. For that, writes are counted
 * by epoch, and every fence begins a new one.
 * Always true: under_way[e] is the number of writes of epoch e that are not acknowledged; fences
 * wait in the order of their epochs, of which each has the one after that of the fence before. */
#include "unit/cache/cache.h"

u32 cache_write_begins(struct cache *u)
{
    u->under_way[u->epoch % CACHE_FENCES_MAX]++;
    return u->epoch % CACHE_FENCES_MAX;
}

void cache_write_ends(struct cache *u, u32 epoch)
{
    u->under_way[epoch]--;
}

/* Moves on to the oldest epoch with writes under way. */
static void epochs_settle(struct cache *u)
{
    while (u->epoch_oldest != u->epoch && !u->under_way[u->epoch_oldest % CACHE_FENCES_MAX])
        u->epoch_oldest++;
}

void cache_settle_fences(struct cache *u, cycle now)
{
    epochs_settle(u);
    while (u->fences.first != NOBODY) {
        if (u->fence_epoch - u->epoch_oldest < CACHE_FENCES_MAX)
            return; /* not older than the oldest */
        u->fence_epoch++;
        cache_answer_node(u, 0, list_shift(&u->mshrs, &u->fences), now);
    }
}

static u32 dirty_line(const struct cache_tags *tags)
{
    u32 word = 0;
    while (!tags->dirty[word])
        word++;
    return word * 64 + (u32)__builtin_ctzll(tags->dirty[word]);
}

/* One line per cycle. */
bool cache_sweep(struct cache *u, cycle now)
{
    if (!u->tags.dirty_lines)
        return false;
    u32 line = dirty_line(&u->tags), slice = line / (u->sets * u->tags.ways);
    if (!cache_has_room(u, slice, cache_dirty_pieces(u, line)))
        return false;
    cache_write_back(u, slice, line, 0, now);
    return true;
}

enum cache_stall cache_fence(struct cache *u, u32 bank, u32 user, const struct message *request,
                             cycle now)
{
    bool shared = u->p.fence == FENCE_shared, was_sweeping = u->sweeping;
    u->sweeping = !shared && (u->tags.dirty_lines || u->writes_waiting);
    u->plain_kind = u->sweeping ? UINT32_MAX : MEMORY_READ;
    u->again |= u->sweeping > was_sweeping;
    if (u->sweeping)
        return STALL_FENCE;
    epochs_settle(u);
    bool idle = u->epoch_oldest == u->epoch && !u->under_way[u->epoch % CACHE_FENCES_MAX];
    if (!shared && !idle && u->epoch - u->epoch_oldest == CACHE_FENCES_MAX - 1)
        return STALL_FENCE;
    u->s.fences++;
    u->again = true; /* banks that are stuck may go on */
    if (!shared)
        tags_forget(&u->tags);
    if (shared || idle) {
        *cache_answer(u, bank, user, now) = *request;
        return STALL_NONE;
    }
    u32 node = node_take(&u->mshrs);
    u->mshrs.nodes[node].message = *request;
    u->mshrs.nodes[node].user = user;
    if (u->fences.first == NOBODY)
        u->fence_epoch = u->epoch;
    u->epoch++;
    list_append(&u->mshrs, &u->fences, node);
    u->inside++;
    return STALL_NONE;
}
