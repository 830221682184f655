/* numbers.c - which rays are finished: what programs ask for when they collect hits.
 *
 * A ray has work items in many segments at once, and none of them knows of the others: rays are
 * finished when no item is left of any. Then all that were under way are handed out, one to a
 * request, `collects` in a cycle. This stands for the loop over all pixels of a program that waits
 * for the whole frame (Arches); it costs a message there and back for each ray. */
#include "unit/scheduler/scheduler.h"

bool numbers_init(struct scheduler *u, struct ogv_error *error)
{
    u64 words = (u->p.ids + 63) / 64;
    u->under_way = unit_alloc_aside(&u->base, words, sizeof *u->under_way, error);
    u->done = u->under_way ? unit_alloc_aside(&u->base, words, sizeof *u->done, error) : NULL;
    u->asked = u->done ? unit_alloc(&u->base, u->w.users.count,
                                    SCHEDULER_PRIORITIES * sizeof *u->asked, error)
                       : NULL;
    return u->asked;
}

void numbers_begin(struct scheduler *u, u32 id)
{
    u64 *word = &u->under_way[id / 64], bit = UINT64_C(1) << (id % 64);
    u->under_way_count += !(*word & bit);
    *word |= bit;
}

void numbers_ask(struct scheduler *u, u32 user, u32 priority)
{
    u->asked[user * SCHEDULER_PRIORITIES + priority % SCHEDULER_PRIORITIES]++;
    u->asked_count++;
}

bool numbers_asks(const struct scheduler *u, u32 user)
{
    const u64 *asked = &u->asked[user * SCHEDULER_PRIORITIES];
    for (u32 priority = 0; priority < SCHEDULER_PRIORITIES; priority++)
        if (asked[priority])
            return true;
    return false;
}

/* The next finished one, of which there must be one. */
static u64 number_take(struct scheduler *u)
{
    u64 words = (u->p.ids + 63) / 64;
    while (!u->done[u->done_at])
        u->done_at = (u->done_at + 1) % words;
    u64 bit = (u64)__builtin_ctzll(u->done[u->done_at]);
    u->done[u->done_at] &= u->done[u->done_at] - 1;
    u->done_count--;
    u->s.collected++;
    return u->done_at * 64 + bit;
}

/* All that were under way are finished. */
static void numbers_turn(struct scheduler *u)
{
    u64 *done = u->done;
    u->done = u->under_way;
    u->under_way = done;
    u->done_count = u->under_way_count;
    u->under_way_count = 0;
    u->done_at = 0;
}

/* The user, and priority, that is answered next: the more urgent first, users in turn. */
static u32 asker_find(const struct scheduler *u)
{
    u32 users = u->w.users.count;
    for (u32 priority = 0; priority < SCHEDULER_PRIORITIES; priority++) {
        for (u32 n = 0; n < users; n++) {
            u32 at = (u->asked_turn + n) % users * SCHEDULER_PRIORITIES + priority;
            if (u->asked[at] && link_can_push(u->w.users.at[at / SCHEDULER_PRIORITIES].out))
                return at;
        }
    }
    return NOBODY;
}

/* A finished ray, or the word that there is none, for whoever is next. */
static bool number_hand_out(struct scheduler *u)
{
    u32 at = u->asked_count ? asker_find(u) : NOBODY;
    if (at == NOBODY)
        return false;
    u32 user = at / SCHEDULER_PRIORITIES;
    struct message *answer = link_push(u->w.users.at[user].out);
    *answer = (struct message){ .kind = BUCKET_FINISHED,
                                .tag = at % SCHEDULER_PRIORITIES,
                                .size_bytes = 8 };
    answer->data.dword[0] = u->done_count ? number_take(u) : UINT64_MAX;
    u->asked[at]--;
    u->asked_count--;
    u->asked_turn = user + 1;
    unit_progress(&u->base);
    return true;
}

bool numbers_step(struct scheduler *u)
{
    if (!u->asked_count)
        return false;
    if (!u->done_count && !u->live && u->under_way_count)
        numbers_turn(u);
    if (!u->done_count && (u->live || u->under_way_count))
        return false;
    bool moved = number_hand_out(u);
    for (u64 n = 1; moved && n < u->p.collects && u->done_count; n++)
        if (!number_hand_out(u))
            break;
    return moved;
}
