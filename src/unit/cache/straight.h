/* straight.h - the straight way of a plain cache's tick, while no bank is stuck and no answer was
 * refused: each bank takes one request and gives one answer.
 *
 * All of it stands in one function (cache_tick_plain), and once more in another one that is made
 * for usual caches (cache_is_usual): in both, `usual` is a constant. What it shares with the
 * general ways of take.c and give.c is here as well. */
#ifndef UNIT_CACHE_STRAIGHT_H
#define UNIT_CACHE_STRAIGHT_H

#include "unit/cache/hit.h"

/* A link to or from a user: in a usual cache, none comes from another domain. */
static inline struct link *user_link(struct link *link, bool usual)
{
    if (usual)
        link_is_within(link);
    return link;
}

/* ---- take.c ---- */

/* The request that the bank was about to take cannot be dealt with. */
void bank_get_stuck(struct cache *u, u32 index, u32 user, enum cache_stall why, cycle now);

/* The banks that got stuck in this tick are in line. */
void stuck_end(struct cache *u);

/* ---- Requests come ---- */

static inline u32 request_bank(const struct cache *u, const struct message *request)
{
    bool fence = (request->kind & MEMORY_KIND) == MEMORY_FENCE;
    return fence ? 0 : cache_users_bank(u, request->address);
}

/* `bit` is a user's in that word, whose request this is: who wants which bank. */
static inline void user_want(struct cache *u, u32 word, u64 bit, const struct message *request)
{
    u32 index = request_bank(u, request);
    struct cache_bank *bank = &u->banks[index];
    bank->wants[word] |= bit;
    bank->waiting++;
    u->wanted |= UINT64_C(1) << index;
}

/* The users of a word whose requests arrive in a cycle of the chip. */
static inline u64 *users_coming(const struct cache *u, u32 word, cycle at)
{
    return &u->arrivals[(at & u->arrivals_mask) * u->user_words + word];
}

/* Requests that were noted when they were on their way are here. */
static inline void users_arrive(struct cache *u, u32 word, cycle now)
{
    u64 *coming = users_coming(u, word, now);
    for (u64 left = *coming; left; left &= left - 1) {
        const struct port *user = &u->w.users.at[word * 64 + (u32)__builtin_ctzll(left)];
        user_want(u, word, left & -left, link_peeked(user->in));
    }
    *coming = 0;
}

/* Looks at 64 users, of which those in `news`, some, have a request that is not known. From other
 * domains, many are on their way: these are noted by when they arrive, and not looked at before. */
static inline STRAIGHT void users_look_at(struct cache *u, u32 word, u64 news, bool usual)
{
    cycle now = u->base.domain->now;
    do {
        u32 user = word * 64 + (u32)__builtin_ctzll(news);
        u64 bit = news & -news;
        if (usual || ports_arrives(&u->w.users, user) <= now) {
            const struct slot *oldest = link_oldest(user_link(u->w.users.at[user].in, usual));
            if (oldest->at <= now) {
                cache_assume(u, usual);
                user_want(u, word, bit, &oldest->message);
                u->known[word] |= bit;
            }
        } else if (u->arrivals) {
            *users_coming(u, word, ports_arrives(&u->w.users, user)) |= bit;
            u->known[word] |= bit;
        }
        news &= news - 1;
    } while (news);
}

static inline STRAIGHT void users_look_in(struct cache *u, u32 word, bool usual)
{
    if (!usual && u->arrivals)
        users_arrive(u, word, u->base.domain->now);
    u64 news = u->w.users.pending[word] & ~u->known[word];
    if (news)
        users_look_at(u, word, news, usual);
}

static inline STRAIGHT void users_look(struct cache *u, bool usual)
{
    users_look_in(u, 0, usual);
    if (usual && u->user_words == USUAL_WORDS)
        users_look_in(u, 1, true);
    for (u32 word = 1; !usual && word < u->user_words; word++)
        users_look_in(u, word, false);
}

/* The user whose turn it is; there must be one. */
static inline u32 user_next(const struct cache *u, const struct cache_bank *bank)
{
    u32 word = bank->last / 64;
    u64 bits = bank->wants[word] & ~UINT64_C(1) << (bank->last % 64);
    while (!bits) {
        word = word + 1 == u->user_words ? 0 : word + 1;
        bits = bank->wants[word];
    }
    return word * 64 + (u32)__builtin_ctzll(bits);
}

/* The same of users in two words or, if there are fewer, the first of two. */
static inline u32 user_next_few(const struct cache_bank *bank)
{
    u64 low = bank->wants[0], high = bank->wants[1];
    u64 later = ~UINT64_C(1) << (bank->last % 64);
    if (__builtin_expect(bank->last < 64, 1)) {
        if (low & later)
            return (u32)__builtin_ctzll(low & later);
        return __builtin_expect(high != 0, 0) ? 64 + (u32)__builtin_ctzll(high)
                                              : (u32)__builtin_ctzll(low);
    }
    if (high & later || !low)
        return 64 + (u32)__builtin_ctzll(high & later ? high & later : high);
    return (u32)__builtin_ctzll(low);
}

static inline u32 user_pick(const struct cache *u, struct cache_bank *bank, bool usual)
{
    bool few = usual || u->user_words <= USUAL_WORDS;
    u32 user = few ? user_next_few(bank) : user_next(u, bank);
    bank->last = (u16)user;
    return user;
}

static inline void user_forget(struct cache *u, struct cache_bank *bank, u32 user)
{
    u64 others = ~UINT64_C(1) << (user % 64) | ~UINT64_C(1) >> (-user % 64);
    u->known[user / 64] &= others;
    bank->wants[user / 64] &= others;
    bank->waiting--;
}

/* bank_serve of a plain cache, for a bank that is not stuck. */
static inline STRAIGHT void bank_serve_plain(struct cache *u, u32 index, cycle now, bool usual)
{
    struct cache_bank *bank = &u->banks[index];
    u32 user = user_pick(u, bank, usual);
    struct link *in = user_link(u->w.users.at[user].in, usual);
    cache_assume(u, usual);
    enum cache_stall stall = cache_accept(u, index, user, link_peeked(in), now, usual);
    if (__builtin_expect(stall != STALL_NONE, 0)) {
        bank_get_stuck(u, index, user, stall, now);
        line_refuse(&u->stuck, index, false);
        u->stuck_any = true;
        return;
    }
    link_pop_peeked(user_link(in, usual), u->base.domain->now);
    user_forget(u, bank, user);
    if (bank->waiting)
        u->s.bank_conflicts += bank->waiting;
    else
        u->wanted &= ~(UINT64_C(1) << index);
}

static inline STRAIGHT void requests_take_straight(struct cache *u, cycle now, bool usual)
{
    users_look(u, usual);
    for (u64 left = u->wanted; left; left &= left - 1)
        bank_serve_plain(u, (u32)__builtin_ctzll(left), now, usual);
}

/* ---- Answers leave ---- */

/* When the first answer of a list is ready. */
static inline cycle list_ready(const struct cache *u, const struct cache_list *list)
{
    return list->first == NOBODY ? NEVER : u->mshrs.ready[list->first];
}

/* The first answer of a list goes up, if there is room for it. */
static inline STRAIGHT bool answer_leave(struct cache *u, struct cache_list *list, bool usual)
{
    u32 node = list->first;
    struct link *out = u->w.users.at[u->mshrs.nodes[node].user].out;
    struct message *answer = link_try_push(user_link(out, usual));
    if (__builtin_expect(!answer, 0))
        return false;
    *answer = u->mshrs.nodes[node].message;
    list_shift(&u->mshrs, list);
    node_give_back(&u->mshrs, node);
    u->inside--;
    return true;
}

/* Whether any bank has its turn now. */
static inline bool banks_any(const struct cache *u, cycle now)
{
    return u->due[now & u->due_mask];
}

/* Those that have, which is over then. */
static inline u64 banks_due(struct cache *u, cycle now)
{
    u64 *due = &u->due[now & u->due_mask], banks = *due;
    *due = 0;
    return banks;
}

/* Finds out when the next one has, if that is not entered in the calendar. */
static inline void banks_look(struct cache *u, cycle now)
{
    if (__builtin_expect(u->entered, 1))
        return;
    if (u->answer_last <= now) {
        u->answer_at = NEVER;
        return;
    }
    while (!u->due[++now & u->due_mask])
        ;
    u->answer_at = now;
}

/* One of the bank's answers that are behind has its next turn, unless another has it already. */
static inline void bank_next_turn(struct cache *u, u32 index, cycle now)
{
    u->banks[index].behind--;
    bank_due(u, index, now + 1);
}

/* The same if one is overdue, in a plain cache. */
static inline void bank_catch_up(struct cache *u, u32 index, cycle now)
{
    const struct cache_bank *bank = &u->banks[index];
    if (list_ready(u, &bank->hits) <= now || list_ready(u, &bank->filled) <= now)
        bank_next_turn(u, index, now);
}

/* bank_answer of a plain cache. */
static inline STRAIGHT void bank_answer_plain(struct cache *u, u32 index, cycle now, bool usual)
{
    struct cache_bank *bank = &u->banks[index];
    struct cache_list *list = &bank->hits;
    if (bank->filled.first != NOBODY && list_ready(u, &bank->filled) <= list_ready(u, list))
        list = &bank->filled;
    if (__builtin_expect(!answer_leave(u, list, usual), 0)) {
        line_refuse(&u->unheard, index, false);
        u->answers_refused = true;
        return;
    }
    unit_progress(&u->base);
    bank->hit_count -= list == &bank->hits;
    if (__builtin_expect(bank->behind != 0, 0))
        bank_catch_up(u, index, now);
}

static inline STRAIGHT void answers_give_straight(struct cache *u, cycle now, bool usual)
{
    for (u64 left = banks_due(u, now); left; left &= left - 1)
        bank_answer_plain(u, (u32)__builtin_ctzll(left), now, usual);
    banks_look(u, now);
}

#endif
