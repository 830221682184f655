/* choose.c - which queue an SM takes its rays from.
 *
 * An SM keeps its queue while that has rays, and for a while after: rays that its own RT core sends
 * back may come there again. It gets another one when it has asked for `leave` rays in vain, or
 * has no ray at all, which is so sooner or later. As Arches has it (STRaTA-RT, commit 9b6ce9a; for
 * `join` the older model).
 *
 * An SM that has no ray and asks for none may never ask again: where cores walk rays, its threads
 * may have ended. It loses its queue when another one finds none, lest rays wait there for ever. */
#include "unit/raystream/raystream.h"

static u32 filled_next(const struct raystream *u, u32 from)
{
    u32 words = ((u32)u->p.queues + 63) / 64;
    if (from >= u->p.queues)
        return NOBODY;
    u64 bits = u->filled[from / 64] & ~UINT64_C(0) << (from % 64);
    for (u32 word = from / 64;;) {
        if (bits)
            return word * 64 + (u32)__builtin_ctzll(bits);
        if (++word == words)
            return NOBODY;
        bits = u->filled[word];
    }
}

/* A queue that SMs have already must be worth another one. */
static bool queue_shares(const struct raystream *u, const struct raystream_queue *queue)
{
    return !queue->users || queue->rays.count / queue->users >= u->p.share;
}

static u32 choose_first(const struct raystream *u)
{
    u32 i = filled_next(u, 0);
    while (i != NOBODY && !queue_shares(u, &u->queues[i]))
        i = filled_next(u, i + 1);
    return i;
}

/* By rays for each SM that would have it, the first of several. */
static u32 choose_most(const struct raystream *u)
{
    u32 best = NOBODY, most = 0;
    for (u32 i = filled_next(u, 0); i != NOBODY; i = filled_next(u, i + 1)) {
        const struct raystream_queue *queue = &u->queues[i];
        u32 each = queue->rays.count / (queue->users + 1);
        if (!queue_shares(u, queue) || (best != NOBODY && each <= most))
            continue;
        best = i;
        most = each;
    }
    return best;
}

static u32 choose_join(const struct raystream *u)
{
    u32 best = NOBODY;
    for (u32 i = 0; i < u->w.users.count; i++) {
        const struct raystream_user *user = &u->users[i];
        if (user->has < u->p.full || user->queue == NOBODY || !u->queues[user->queue].rays.count)
            continue;
        if (best == NOBODY || u->queues[user->queue].rays.count > u->queues[best].rays.count)
            best = user->queue;
    }
    if (best != NOBODY)
        return best;
    u32 i = filled_next(u, 0);
    while (i != NOBODY && u->queues[i].users)
        i = filled_next(u, i + 1);
    return i;
}

static void queue_leave(struct raystream *u, struct raystream_user *user)
{
    if (user->queue != NOBODY)
        u->queues[user->queue].users--;
    user->queue = NOBODY;
}

/* Takes queues that have rays from users that have no use for them; whether there was one. */
static bool queues_reclaim(struct raystream *u)
{
    bool found = false;
    for (u32 i = 0; i < u->w.users.count; i++) {
        struct raystream_user *user = &u->users[i];
        if (user->has || user->loads || !raystream_has_queued(u, user))
            continue;
        queue_leave(u, user);
        found = true;
    }
    return found;
}

bool raystream_choose(struct raystream *u, struct raystream_user *user)
{
    static u32 (*const choices[])(const struct raystream *) = {
        [POLICY_first] = choose_first,
        [POLICY_most] = choose_most,
        [POLICY_join] = choose_join,
    };
    u32 queue = choices[u->p.policy](u);
    if (queue == NOBODY && queues_reclaim(u))
        queue = choices[u->p.policy](u);
    if (queue == NOBODY)
        return false;
    queue_leave(u, user);
    u->queues[queue].users++;
    user->queue = queue;
    u->s.choices++;
    return true;
}
