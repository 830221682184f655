/* give.c - answers leave a cache.
 *
 * Answers of a bank leave in the order in which they are ready. One that has no room above waits
 * for it, and with it those behind; banks that were refused come first, in the order in which that
 * happened. While none was, a plain cache takes the straight way: one answer of each bank that is
 * due. */
#include "unit/cache/cache.h"

/* When the first answer of a list is ready. */
static cycle list_ready(const struct cache *u, const struct cache_list *list)
{
    return list->first == NOBODY ? NEVER : u->mshrs.nodes[list->first].ready;
}

/* The same when one has left: the next is brought into the host's caches meanwhile. */
static cycle list_next_ready(const struct cache *u, const struct cache_list *list)
{
    if (list->first != NOBODY)
        __builtin_prefetch(&u->mshrs.cargo[list->first]);
    return list_ready(u, list);
}

/* The answer stays due; the unit is woken when there is room for it. */
static SELDOM cycle bank_refused(struct cache *u, u32 index, bool given)
{
    line_refuse(&u->unheard, index, given);
    return NEVER;
}

/* The first answer of a list goes up, if there is room for it. */
static inline bool answer_leave(struct cache *u, struct cache_list *list)
{
    u32 node = list->first;
    struct message *answer = link_try_push(u->w.users.at[u->mshrs.nodes[node].user].out);
    if (__builtin_expect(!answer, 0))
        return false;
    *answer = u->mshrs.cargo[node].message;
    list_shift(&u->mshrs, list);
    node_give_back(&u->mshrs, node);
    u->inside--;
    unit_progress(&u->base);
    return true;
}

/* Gives the answer that has been ready for longest; returns when the bank has the next one. */
static cycle bank_answer(struct cache *u, u32 index, cycle now)
{
    struct cache_bank *bank = &u->banks[index];
    cycle hit = list_ready(u, &bank->hits), filled = list_ready(u, &bank->filled);
    cycle late = u->sides.late ? list_ready(u, &u->sides.late[index]) : NEVER;
    for (u64 given = 0;; given++) {
        cycle ready = min_u64(min_u64(hit, filled), late);
        if (ready == NEVER)
            u->answering &= ~(UINT64_C(1) << index);
        if (ready > now)
            return u->due[index] = ready;
        if (given == u->p.ports)
            return u->due[index] = now + 1;
        bool is_late = late == ready, is_hit = !is_late && hit < filled;
        struct cache_list *list = is_late  ? &u->sides.late[index]
                                  : is_hit ? &bank->hits
                                           : &bank->filled;
        if (!answer_leave(u, list))
            return bank_refused(u, index, given);
        bank->hit_count -= is_hit || is_late;
        if (is_late)
            late = list_next_ready(u, list);
        else if (is_hit)
            hit = list_next_ready(u, list);
        else
            filled = list_next_ready(u, list);
    }
}

void answers_give(struct cache *u, cycle now)
{
    cycle soonest = NEVER;
    u32 i;
    for (u64 left = u->answering; (i = line_next(&u->unheard, &left)) != NOBODY;) {
        cycle due = u->due[i];
        soonest = min_u64(soonest, due > now ? due : bank_answer(u, i, now));
    }
    line_end(&u->unheard);
    u->answers_refused = u->unheard.members;
    u->answer_at = soonest;
}

/* bank_answer of a plain cache. */
static inline cycle bank_answer_plain(struct cache *u, u32 index, cycle now)
{
    struct cache_bank *bank = &u->banks[index];
    cycle filled = list_ready(u, &bank->filled), others = filled;
    struct cache_list *list = &bank->hits;
    if (filled <= now && filled <= list_ready(u, list)) {
        others = list_ready(u, list);
        list = &bank->filled;
    }
    if (!answer_leave(u, list))
        return bank_refused(u, index, false);
    bank->hit_count -= list == &bank->hits;
    cycle ready = min_u64(others, list_next_ready(u, list));
    if (ready == NEVER)
        u->answering &= ~(UINT64_C(1) << index);
    return u->due[index] = max_u64(ready, now + 1);
}

void answers_give_plain(struct cache *u, cycle now)
{
    cycle soonest = NEVER;
    for (u64 left = u->answering; left; left &= left - 1) {
        u32 i = (u32)__builtin_ctzll(left);
        cycle due = u->due[i];
        soonest = min_u64(soonest, due > now ? due : bank_answer_plain(u, i, now));
    }
    if (__builtin_expect(u->unheard.late != 0, 0)) {
        line_end(&u->unheard);
        u->answers_refused = true;
    }
    u->answer_at = soonest;
}
