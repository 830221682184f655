/* take.c - requests come into a cache.
 *
 * Who wants which bank is noted when a request has arrived; each bank then takes requests of its
 * users in turn. A bank whose request cannot be dealt with is stuck, and is tried before all others
 * until it can. While none is, a plain cache takes the straight way (straight.h). */
#include "unit/cache/straight.h"

static void stall_count(struct cache *u, struct cache_bank *bank, cycle now)
{
    u->s.stalls[bank->why] += now - bank->since;
    bank->since = now;
}

/* Whether the register that the bank's read waits for still takes no more. */
static bool bank_still_awaits(const struct cache *u, const struct cache_bank *bank)
{
    if (bank->awaits == NOBODY)
        return false;
    const struct cache_mshr *mshr = &u->mshrs.at[bank->awaits];
    const struct message *request = link_peeked(u->w.users.at[bank->stuck].in);
    return mshr->count == u->p.merges && mshr->generation == (u32)u->tags.generation &&
           mshr->block == cache_local(u, request->address) / MEMORY_SECTOR;
}

/* Whether what stopped the bank's request is so still, without looking the request up again. What
 * is checked before it cannot have changed: while a bank is stuck, nobody asks for the same bytes.
 * Only a fence changes it all. A write that is kept here may find a line that can leave without a
 * request for below. */
static bool bank_still_stuck(const struct cache *u, u32 index, const struct cache_bank *bank)
{
    u32 slice = index / (u32)u->p.banks;
    if (u->sweeping || !u->apart)
        return false;
    bool no_mshr = !u->mshrs.free[slice], no_pass = u->passing == u->p.passes;
    switch (bank->why) {
    case STALL_MSHR:
        return no_mshr;
    case STALL_PASS:
        return no_pass;
    case STALL_MERGE:
        return bank_still_awaits(u, bank);
    case STALL_BELOW: /* unless it would now be for another reason, which is looked for first */
        return !bank->keeps && !no_mshr && !no_pass && !cache_has_room(u, slice, 1);
    default:
        return false;
    }
}

/* The bank's request cannot go on; what it needs more of below is kept for it. */
static void bank_stop(struct cache *u, u32 index)
{
    if (u->banks[index].why == STALL_BELOW)
        u->claimed |= UINT64_C(1) << (index / u->p.banks);
}

void bank_get_stuck(struct cache *u, u32 index, u32 user, enum cache_stall why, cycle now)
{
    struct cache_bank *bank = &u->banks[index];
    bank->stuck = user;
    bank->why = (u8)why;
    bank->keeps = cache_keeps(u, link_peeked(u->w.users.at[user].in));
    bank->since = now;
    bank_stop(u, index);
}

/* For how long a write has its bank. */
static u64 write_time(struct cache *u, u32 user, const struct message *request)
{
    u64 time = u->p.write_interval, line = request->address >> u->line_shift;
    if (!u->written)
        return time;
    if (u->written[user] != line && written_bytes(request) != UINT32_MAX)
        time += u->p.write_head;
    u->written[user] = line;
    return time;
}

/* An atomic operation has the bank for its share of a burst's time. */
static SELDOM void bank_hold(struct cache *u, u32 index, u32 user, const struct message *request,
                             cycle now)
{
    u64 time = 0;
    if (is_atomic(request))
        time = u->p.atomic_interval;
    else if (is_write(request))
        time = write_time(u, user, request) * u->p.atomic_burst;
    if (time)
        u->held[index] = max_u64(u->held[index], now * u->p.atomic_burst) + time;
}

/* Whether the bank is held for the whole of this cycle. */
static bool bank_is_held(const struct cache *u, u32 index, cycle now)
{
    return u->held && u->held[index] >= (now + 1) * u->p.atomic_burst;
}

/* One request; false if it cannot be dealt with. */
static bool bank_take(struct cache *u, struct cache_bank *bank, u32 index, cycle now)
{
    u32 user = bank->stuck == NOBODY ? user_pick(u, bank, false) : bank->stuck;
    struct link *in = u->w.users.at[user].in;
    const struct message *request = link_peeked(in);
    enum cache_stall stall = cache_accept(u, index, user, request, now, false);
    if (stall != STALL_NONE) {
        bank_get_stuck(u, index, user, stall, now);
        return false;
    }
    if (u->held)
        bank_hold(u, index, user, request, now);
    u64 address = request->address;
    link_pop(in);
    if (u->ghosts)
        cache_ghosts_go_on(u, address, now);
    bank->stuck = bank->awaits = NOBODY;
    user_forget(u, bank, user);
    u64 more = u->w.users.pending[user / 64] & UINT64_C(1) << (user % 64);
    if (u->p.bursts && more)
        users_look_at(u, user / 64, more, false);
    return true;
}

/* Up to `ports` requests. */
static void bank_serve(struct cache *u, u32 index, cycle now)
{
    struct cache_bank *bank = &u->banks[index];
    u64 taken = 0;
    while (taken < u->p.ports && bank->waiting && !bank_is_held(u, index, now) &&
           bank_take(u, bank, index, now))
        taken++;
    if (bank->stuck != NOBODY)
        line_refuse(&u->stuck, index, taken);
    else
        u->s.bank_conflicts += bank->waiting;
    if (!bank->waiting)
        u->wanted &= ~(UINT64_C(1) << index);
}

void stuck_end(struct cache *u)
{
    line_end(&u->stuck);
    u->stuck_any = u->stuck.members;
    u->claimed = 0;
}

/* Whether the request that stopped the bank is worth another try; if not, it stays in line. */
static bool bank_retries(struct cache *u, u32 index, cycle now)
{
    struct cache_bank *bank = &u->banks[index];
    if (bank_is_held(u, index, now))
        return true; /* which it will find */
    if (bank_still_stuck(u, index, bank)) {
        bank_stop(u, index);
        line_refuse(&u->stuck, index, false);
        return false;
    }
    stall_count(u, bank, now);
    return true;
}

static void banks_serve(struct cache *u, cycle now)
{
    u32 bank;
    for (u64 left = u->wanted; (bank = line_next(&u->stuck, &left)) != NOBODY;)
        if (u->banks[bank].stuck == NOBODY || bank_retries(u, bank, now))
            bank_serve(u, bank, now);
    stuck_end(u);
}

void requests_take(struct cache *u, cycle now)
{
    users_look(u, false);
    if (u->wanted)
        banks_serve(u, now);
}

void cache_count_stalls(struct cache *u, cycle now)
{
    for (u32 i = 0; i < u->bank_count; i++)
        if (u->banks[i].stuck != NOBODY)
            stall_count(u, &u->banks[i], now);
}
