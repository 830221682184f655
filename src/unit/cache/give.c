/* give.c - answers leave a cache.
 *
 * Answers of a bank leave in the order in which they are ready. One that has no room above waits
 * for it, and with it those behind; banks that were refused come first, in the order in which that
 * happened. While none was, a plain cache takes the straight way (straight.h). */
#include "unit/cache/straight.h"

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

/* Gives up to `ports` answers of a bank that has one. */
static void bank_answer(struct cache *u, u32 index, cycle now)
{
    struct cache_bank *bank = &u->banks[index];
    for (u64 given = 1;; given++) {
        struct cache_list *list = bank_first(u, index);
        if (!answer_leave(u, list, false)) {
            line_refuse(&u->unheard, index, given > 1);
            return;
        }
        unit_progress(&u->base);
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
    for (u64 late = due & u->unheard.members; late; late &= late - 1)
        u->banks[__builtin_ctzll(late)].behind++;
    for (u64 left = due | u->unheard.members; (i = line_next(&u->unheard, &left)) != NOBODY;)
        bank_answer(u, i, now);
    line_end(&u->unheard);
    u->answers_refused = u->unheard.members;
    banks_look(u, now);
}
