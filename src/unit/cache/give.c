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

/* The banks that have their turn now. */
static inline u64 banks_due(struct cache *u, cycle now)
{
    u64 *due = &u->due[now & u->due_mask], banks = *due;
    *due = 0;
    return banks;
}

/* When the next one has. */
static inline cycle banks_next(const struct cache *u, cycle now)
{
    if (!u->turns)
        return NEVER;
    while (!u->due[++now & u->due_mask])
        ;
    return now;
}

/* The list whose first answer has been ready for longest: of answers from afar, hits and fills. */
static struct cache_list *bank_first(struct cache *u, u32 index)
{
    struct cache_bank *bank = &u->banks[index];
    cycle hit = list_ready(u, &bank->hits), filled = list_ready(u, &bank->filled);
    cycle late = u->sides.late ? list_ready(u, &u->sides.late[index]) : NEVER;
    if (late <= hit && late <= filled && late != NEVER)
        return &u->sides.late[index];
    return hit < filled ? &bank->hits : &bank->filled;
}

/* Whether one that is behind is overdue. */
static bool bank_is_late(struct cache *u, u32 index, cycle now)
{
    return u->banks[index].behind && list_ready(u, bank_first(u, index)) <= now;
}

/* One of those behind has the bank's next turn, unless another has it already. */
static void bank_next_turn(struct cache *u, u32 index, cycle now)
{
    u->banks[index].behind--;
    bank_due(u, index, now + 1);
}

/* Gives up to `ports` answers of a bank that has one. */
static void bank_answer(struct cache *u, u32 index, cycle now)
{
    struct cache_bank *bank = &u->banks[index];
    for (u64 given = 1;; given++) {
        struct cache_list *list = bank_first(u, index);
        if (!answer_leave(u, list)) {
            line_refuse(&u->unheard, index, given > 1);
            return;
        }
        bank->hit_count -= list != &bank->filled;
        if (!bank_is_late(u, index, now))
            return;
        if (given == u->p.ports) {
            bank_next_turn(u, index, now);
            return;
        }
        bank->behind--;
    }
}

void answers_give(struct cache *u, cycle now)
{
    u32 i;
    u64 due = banks_due(u, now);
    u->turns -= (u32)__builtin_popcountll(due);
    for (u64 late = due & u->unheard.members; late; late &= late - 1)
        u->banks[__builtin_ctzll(late)].behind++;
    for (u64 left = due | u->unheard.members; (i = line_next(&u->unheard, &left)) != NOBODY;)
        bank_answer(u, i, now);
    line_end(&u->unheard);
    u->answers_refused = u->unheard.members;
    u->answer_at = banks_next(u, now);
}

static SELDOM void bank_catch_up(struct cache *u, u32 index, cycle now)
{
    if (bank_is_late(u, index, now))
        bank_next_turn(u, index, now);
}

/* bank_answer of a plain cache. */
static inline void bank_answer_plain(struct cache *u, u32 index, cycle now)
{
    struct cache_bank *bank = &u->banks[index];
    struct cache_list *list = &bank->hits;
    u->turns--;
    if (bank->filled.first != NOBODY && list_ready(u, &bank->filled) <= list_ready(u, list))
        list = &bank->filled;
    if (__builtin_expect(!answer_leave(u, list), 0)) {
        line_refuse(&u->unheard, index, false);
        return;
    }
    bank->hit_count -= list == &bank->hits;
    if (__builtin_expect(bank->behind != 0, 0))
        bank_catch_up(u, index, now);
}

void answers_give_plain(struct cache *u, cycle now)
{
    for (u64 left = banks_due(u, now); left; left &= left - 1)
        bank_answer_plain(u, (u32)__builtin_ctzll(left), now);
    if (__builtin_expect(u->unheard.late != 0, 0)) {
        line_end(&u->unheard);
        u->answers_refused = true;
    }
    u->answer_at = banks_next(u, now);
}
