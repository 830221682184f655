/* cache.c - set-associative, sectored cache with miss registers: building and time.
 *
 * Each bank takes one request per cycle from its users in turn and gives one answer per cycle. What
 * a request finds is decided when it is taken (request.c); time passes on the way out: a hit
 * is answered `latency` cycles later, a miss asks below `lookup` cycles later and is answered
 * `fill` cycles after its data came. Answers of a bank leave in the order in which they are ready,
 * requests to below leave a slice in the order in which they were made.
 *
 * A request that cannot be dealt with (all MSHRs in use, queue below full, ...) stops its bank, and
 * the lost cycles are counted under the reason. Banks that are stuck are tried in the order in
 * which they got stuck, before all others, and what they wait for is not given away behind their
 * backs; the same holds for answers that wait for room above and for slices that wait for room
 * below. So a request waits for a bounded number of others, whatever those do. Answers from below
 * are always taken, whatever else is full: for everything that was asked below there is room up
 * here, as nothing is taken that may not find any (cache_is_full). So caches that are stacked
 * cannot lock each other up.
 *
 * Always true: requests taken = answers given + requests inside; user i stands in wants[b] exactly
 * while its oldest arrived request is for bank b; a bank that is stuck waits for something that
 * wakes the unit: an answer from below, or room in a link. */
#include "unit/cache/sector.h"
#include "unit/cache/straight.h"
#include "unit/parts/array.h"
#include "unit/parts/published.h"

/* ---- Building ---- */

static u32 log_of(u64 value)
{
    return (u32)__builtin_ctzll(value);
}

static bool shape_check(const struct cache *u, u64 interleave, struct ogv_error *error)
{
    u64 set_bytes = u->p.slices * u->p.ways * u->p.line;
    if (!is_power_of_two(u->p.line) || !is_power_of_two(u->p.sector) ||
        !is_power_of_two(interleave))
        return unit_refuse(error, "line, sector and interleave must be powers of two");
    if (u->p.sector > u->p.line)
        return unit_refuse(error, "a sector (%llu B) cannot be larger than a line (%llu B)",
                           (unsigned long long)u->p.sector, (unsigned long long)u->p.line);
    if (u->p.size % set_bytes || u->p.size / set_bytes == 0)
        return unit_refuse(error,
                           "size must be a multiple of slices x ways x line, here %llu B; it is "
                           "%llu B",
                           (unsigned long long)set_bytes, (unsigned long long)u->p.size);
    if (u->p.size / 32 > UINT32_MAX / 2)
        return unit_refuse(error, "size is too large");
    if (u->p.slices > 1 && interleave < u->p.line)
        return unit_refuse(error, "slices cannot share a line: interleave must be at least %llu B",
                           (unsigned long long)u->p.line);
    if (interleave < MEMORY_SECTOR)
        return unit_refuse(error, "interleave must be at least %d B", MEMORY_SECTOR);
    if (u->p.slices * u->p.banks > CACHE_BANKS_MAX)
        return unit_refuse(error, "slices x banks must not be more than %d", CACHE_BANKS_MAX);
    return true;
}

static bool policies_check(const struct cache *u, struct ogv_error *error)
{
    if (u->p.hash == HASH_xor && (!is_power_of_two(u->p.slices) || !is_power_of_two(u->p.banks)))
        return unit_refuse(error, "hash: xor needs powers of two of slices and banks");
    if (u->p.replacement == REPLACE_plru &&
        (!is_power_of_two(u->p.ways) || u->p.ways > CACHE_PLRU_WAYS_MAX))
        return unit_refuse(error, "replacement: plru needs a power of two of ways, at most %d",
                           CACHE_PLRU_WAYS_MAX);
    if (u->p.atomics == ATOMICS_here &&
        (u->p.write == WRITE_through || u->p.replacement == REPLACE_none))
        return unit_refuse(error, "atomics: here needs write: back, and lines that are kept");
    if (u->w.next.count > 1 && !u->w.next.route.interleave)
        return unit_refuse(error,
                           "has %u memories behind it, but its links do not say which address goes "
                           "where; add `by: address, interleave: ...` to the link",
                           u->w.next.count);
    if (u->w.users.count > BITSET_MAX)
        return unit_refuse(error, "has %u users; at most %d are possible", u->w.users.count,
                           BITSET_MAX);
    return true;
}

/* Whether some requests have a bank for longer than others. */
static bool cache_holds(const struct cache *u)
{
    return u->p.atomic_interval || u->p.write_interval || u->p.write_head;
}

static void cache_derive(struct cache *u, u64 interleave)
{
    u->skip = MEMORY_SKIP(u->p.level);
    u->plain_bits = MEMORY_KIND | u->skip;
    u->plain_kind = MEMORY_READ;
    u->bank_count = (u32)(u->p.slices * u->p.banks);
    u->sets = (u32)(u->p.size / (u->p.slices * u->p.ways * u->p.line));
    u->line_shift = log_of(u->p.line);
    u->interleave_shift = log_of(interleave);
    u->slice_bits = is_power_of_two(u->p.slices) ? log_of(u->p.slices) : 0;
    u->bank_bits = is_power_of_two(u->p.banks) ? log_of(u->p.banks) : 0;
    u->regular = is_power_of_two(u->p.slices) && is_power_of_two(u->p.banks) &&
                 is_power_of_two(u->sets) && u->p.hash == HASH_linear &&
                 (u->p.slices == 1 || interleave == u->p.line);
    u->set_shift = u->line_shift + u->slice_bits;
    u->block_shift = log_of(u->p.mshr == MSHR_line ? u->p.line : u->p.sector);
    u->apart =
        u->block_shift <= u->interleave_shift && !u->p.prefetch && u->p.write_miss != MISS_fetch;
    u->sector_count = (u32)(u->p.sector / MEMORY_SECTOR);
    u->sector_pieces = (u32)((UINT64_C(1) << u->sector_count) - 1);
    const struct route *users = &u->w.users.route, *next = &u->w.next.route;
    u->users_regular =
        !users->interleave || (is_power_of_two(users->interleave) && is_power_of_two(users->ways));
    if (users->interleave && u->users_regular) {
        u->users_bits = log_of(users->ways);
        u->users_low = users->interleave - 1;
    }
    u->direct = u->regular && u->users_regular && (u->p.slices == 1 || u->p.banks == 1) &&
                (!users->interleave || users->interleave >= interleave * u->bank_count);
    if (is_power_of_two(next->interleave) && is_power_of_two(next->ways))
        u->next_shift = log_of(next->interleave);
    u->slice_mask = (u32)u->p.slices - 1;
    u->bank_mask = (u32)u->p.banks - 1;
    u->both_mask = u->bank_count - 1;
    u->set_mask = u->sets - 1;
    u->piece_mask = (u32)(u->p.line / MEMORY_SECTOR) - 1;
    u->answer_at = u->send_at = NEVER;
    u->entered = !u->base.clocked && max_u64(u->p.latency + u->p.far, u->p.fill) < WHEEL_CYCLES;
    u->complex = u->p.ports > 1 || u->p.width > 1 || u->p.bursts || cache_holds(u) || u->p.near;
    u->by_line = u->p.allocate == ALLOCATE_miss && u->p.replacement != REPLACE_none;
    u->by_sector = !u->complex && u->regular && u->block_shift == 5 && u->sector_count == 1 &&
                   !u->p.prefetch && u->by_line;
    u->tags.sets = (u32)u->p.slices * u->sets;
    u->tags.ways = (u32)u->p.ways;
    u->tags.line_pieces = (u32)(u->p.line / MEMORY_SECTOR);
    u->tags.policy = (enum cache_policy)u->p.replacement;
    u->tags.random = u->p.seed * UINT64_C(0xa0761d6478bd642f) + u->base.ordinal;
    u->fences = (struct cache_list){ NOBODY, NOBODY };
}

/* The most that can wait to go below: what takes checked for room, beyond `depth` what a single one
 * needs, and what lines that are given up when a fill comes leave behind. */
static u64 below_most(const struct cache *u)
{
    u64 pieces = u->tags.line_pieces, most = u->p.depth + 2 * pieces + 2;
    u64 fills = u->p.mshrs * (u->p.mshr == MSHR_line ? pieces : u->sector_count);
    return u->p.allocate == ALLOCATE_fill && u->p.write == WRITE_back ? most + fills * pieces
                                                                      : most;
}

/* With how much inside nothing but hits is taken: no less than all that can be under way, here and
 * below, so that only answers that do not leave fill it up. `below` is the room of a slice. */
static u64 inside_full(const struct cache *u, u64 hits, u64 below)
{
    u64 waiting = u->p.slices * u->p.mshrs * (u->p.merges + 1);
    return waiting + u->p.passes + CACHE_FENCES_MAX + u->bank_count * hits + u->p.slices * below +
           1;
}

/* How many cycles a ring by the cycles in which what is on its way to these ports arrives needs. */
static u32 ports_reach(const struct ports *ports)
{
    u32 latency = 0;
    for (u32 i = 0; i < ports->count; i++)
        latency = (u32)max_u64(latency, ports->at[i].in->latency);
    return (u32)power_of_two_above(latency + WINDOW_MAX);
}

/* Requests from other domains are noted when they are still on their way, and so are answers from
 * below: by a cache that ticks in each cycle of the chip in which one arrives. */
static bool arrivals_init(struct cache *u, struct ogv_error *error)
{
    u->notes = !u->base.clocked && u->w.next.count <= 64;
    u32 cycles = u->notes ? ports_reach(&u->w.next) : 1;
    u->coming_mask = cycles - 1;
    u->coming = unit_alloc(&u->base, cycles, sizeof *u->coming, error);
    if (u->coming)
        u->coming[0] = !u->notes;
    if (!u->coming || u->base.clocked || ports_are_near(&u->w.users))
        return u->coming;
    cycles = ports_reach(&u->w.users);
    u->arrivals_mask = cycles - 1;
    u->arrivals = unit_alloc(&u->base, cycles * u->user_words, sizeof *u->arrivals, error);
    return u->arrivals;
}

/* Who is known, who wants which bank and which banks are due lies together: with few users it is a
 * few lines. Each has two words at least, so that usual caches can look at both. */
static bool users_init(struct cache *u, struct ogv_error *error)
{
    u->user_words = (u->w.users.count + 63) / 64;
    u32 each = (u32)max_u64(u->user_words, USUAL_WORDS), words = (1 + u->bank_count) * each;
    u32 cycles = (u32)power_of_two_above(max_u64(u->p.latency + u->p.far, u->p.fill) + 1);
    u->known = unit_alloc(&u->base, words + cycles, sizeof *u->known, error);
    u->due = u->known ? u->known + words : NULL;
    u->due_mask = cycles - 1;
    for (u32 i = 0; u->known && i < u->bank_count; i++) {
        struct cache_bank *bank = &u->banks[i];
        bank->wants = u->known + (1 + i) * each;
        bank->stuck = bank->awaits = NOBODY;
        bank->last = (u16)(u->w.users.count - 1);
        bank->hits = bank->filled = (struct cache_list){ NOBODY, NOBODY };
    }
    return u->known && arrivals_init(u, error);
}

static bool holds_init(struct cache *u, struct ogv_error *error)
{
    if (!cache_holds(u))
        return true;
    u->held = unit_alloc(&u->base, u->bank_count, sizeof *u->held, error);
    if (!u->held || !u->p.write_head)
        return u->held;
    u->written = unit_alloc(&u->base, u->w.users.count, sizeof *u->written, error);
    for (u32 i = 0; u->written && i < u->w.users.count; i++)
        u->written[i] = UINT64_MAX;
    return u->written;
}

static bool cache_init(struct unit *unit, struct ogv_error *error)
{
    struct cache *u = (struct cache *)unit;
    u64 interleave = u->p.interleave ? u->p.interleave : u->p.line;
    if (!shape_check(u, interleave, error) || !policies_check(u, error))
        return false;
    cache_derive(u, interleave);
    u64 hits = power_of_two_above((u->p.latency + u->p.far) * u->p.ports + u->p.queue);
    u64 below = power_of_two_above(below_most(u)), inside = inside_full(u, hits, below);
    u64 nodes = inside + NODES_MOST + u->bank_count * hits;
    if (nodes >= UINT32_C(1) << 28)
        return unit_refuse(error, "mshrs x merges is too large");
    u->below_mask = (u32)below - 1;
    u->hits_most = (u32)hits;
    u->inside_most = (u32)inside;
    if (!tags_init(&u->tags, unit, error) ||
        !mshrs_init(&u->mshrs, unit, (u32)u->p.slices, (u32)u->p.mshrs, (u32)nodes, error))
        return false;
    u->slices = unit_alloc(unit, u->p.slices, sizeof *u->slices, error);
    u->banks = u->slices ? unit_alloc(unit, u->bank_count, sizeof *u->banks, error) : NULL;
    for (u32 i = 0; u->banks && i < u->p.slices; i++) {
        struct cache_slice *slice = &u->slices[i];
        if (!(slice->below = unit_alloc(unit, below, sizeof *slice->below, error)) ||
            !(slice->data = unit_alloc(unit, below, sizeof *slice->data, error)))
            return false;
    }
    if (!u->banks || !holds_init(u, error) || !users_init(u, error) || !sides_init(u, error))
        return false;
    u->usual = cache_is_usual(u) && ports_are_near(&u->w.users);
    return true;
}

/* ---- Requests to below ---- */

static struct link *next_link(const struct cache *u, u64 local)
{
    const struct ports *next = &u->w.next;
    if (next->count == 1)
        return next->at[0].out;
    u64 way =
        u->next_shift ? local >> u->next_shift & (next->count - 1) : route_way(&next->route, local);
    return next->at[way].out;
}

/* Returns when the slice has the next one. */
static cycle slice_send(struct cache *u, u32 index, cycle now)
{
    struct cache_slice *slice = &u->slices[index];
    for (u64 sent = 0; slice->head != slice->tail; sent++) {
        const struct cache_request *request = &slice->below[slice->head & u->below_mask];
        if (request->at > now)
            return request->at;
        if (sent == u->p.width)
            return now + 1;
        struct message *message = link_try_push(next_link(u, request->address));
        if (!message) {
            line_refuse(&u->unsent, index, sent);
            return NEVER;
        }
        request_copy(message, slice, request);
        slice->head++;
        u->inside--;
    }
    return NEVER;
}

/* The straight way, while none was refused: a request of each slice that is due. Usual caches have
 * one, which is if any is. */
static inline STRAIGHT void slices_send_plain(struct cache *u, cycle now, bool usual)
{
    cycle soonest = NEVER;
    for (u64 left = usual ? 1 : u->sending; left; left &= left - 1) {
        struct cache_slice *slice = &u->slices[(u32)__builtin_ctzll(left)];
        const struct cache_request *request = &slice->below[slice->head & u->below_mask];
        if (request->at <= now) {
            struct message *message = link_try_push(next_link(u, request->address));
            if (__builtin_expect(!message, 0)) {
                line_refuse(&u->unsent, (u32)__builtin_ctzll(left), false);
                u->requests_refused = true;
                continue;
            }
            request_copy(message, slice, request);
            u->inside--;
            if (++slice->head == slice->tail) {
                u->sending &= ~(left & -left);
                continue;
            }
            request = &slice->below[slice->head & u->below_mask];
        }
        soonest = min_u64(soonest, max_u64(request->at, now + 1));
    }
    u->send_at = soonest;
}

static PART void slices_send(struct cache *u, cycle now)
{
    cycle soonest = NEVER;
    u32 i;
    for (u64 left = u->sending; (i = line_next(&u->unsent, &left)) != NOBODY;) {
        soonest = min_u64(soonest, slice_send(u, i, now));
        if (u->slices[i].head == u->slices[i].tail)
            u->sending &= ~(UINT64_C(1) << i);
    }
    line_end(&u->unsent);
    u->requests_refused = u->unsent.members;
    u->send_at = soonest;
}

/* ---- Answers from below ---- */

/* When the oldest message of a port that holds something does. */
static inline cycle next_arrives(const struct cache *u, u32 port)
{
    const struct link *in = u->w.next.at[port].in;
    return in->crosses ? ports_arrives(&u->w.next, port) : link_oldest(in)->at;
}

/* Takes what has come on a port, which is something; false: nothing is left. Whoever is the first
 * that must wait for the next cycle goes first in it. */
static inline STRAIGHT bool port_receive(struct cache *u, u32 port, cycle chip_now, cycle now,
                                         bool usual)
{
    const struct port *at = &u->w.next.at[port];
    do {
        const struct message *answer = link_peeked(at->in);
        cache_assume(u, usual);
        bool taken = sector_is_plain(u, answer) ? sector_fill(u, answer, now)
                                                : cache_receive(u, answer, now);
        if (__builtin_expect(!taken, 0)) {
            if (!u->filling)
                u->next_turn = port;
            u->filling = u->again = true;
            break;
        }
        link_pop_peeked(at->in, chip_now);
        if (!(u->w.next.pending[port / 64] >> (port % 64) & 1))
            return false;
    } while (next_arrives(u, port) <= chip_now);
    return true;
}

/* Which links' oldest messages arrive in a cycle, noted when that is known, so that nothing is
 * looked at before: a bit for every eighth link, so that the ring is a few lines of the host's
 * cache. */
static inline u8 *links_coming(const struct cache *u, cycle at)
{
    return &u->coming[at & u->coming_mask];
}

/* Fetches the register that waits for an answer into the host's cache, from which it has mostly
 * gone since it was taken. */
static inline void answer_prefetch(const struct cache *u, const struct message *answer)
{
    if (!(answer->tag & (TAG_PASSED | TAG_WRITE_BACK)))
        __builtin_prefetch(&u->mshrs.at[answer->tag >> TAG_PIECE_BITS], 1);
}

static inline void link_note(struct cache *u, u32 port, cycle soonest)
{
    cycle arrives = next_arrives(u, port);
    *links_coming(u, max_u64(arrives, soonest)) |= (u8)(1u << port % 8);
}

/* The same of what the register says: the line that the answer goes to, and whose it is. */
static inline void fill_prefetch(const struct cache *u, const struct message *answer)
{
    if (answer->tag & (TAG_PASSED | TAG_WRITE_BACK))
        return;
    const struct cache_mshr *mshr = &u->mshrs.at[answer->tag >> TAG_PIECE_BITS];
    if (mshr->line == NOBODY || mshr->first.user == NOBODY)
        return;
    __builtin_prefetch(&u->tags.lines[mshr->line], 1);
    __builtin_prefetch(tags_data(&u->tags, mshr->line, answer->tag % (1 << TAG_PIECE_BITS)), 1);
    link_prefetch(u->w.users.at[mshr->first.user].out);
}

/* Links that held nothing before. Their first answers were sent in an earlier window, and may be
 * looked at before they arrive; of those behind them, only the stamps may. All registers are on
 * their way into the host's cache before the first is looked at. */
static inline void links_note(struct cache *u, u64 links, cycle soonest)
{
    for (u64 left = links; left; left &= left - 1) {
        link_note(u, (u32)__builtin_ctzll(left), soonest);
        answer_prefetch(u, link_peeked(u->w.next.at[__builtin_ctzll(left)].in));
    }
    for (u64 left = links; left; left &= left - 1)
        fill_prefetch(u, link_peeked(u->w.next.at[__builtin_ctzll(left)].in));
}

/* Takes what arrives in this cycle. */
static inline STRAIGHT void links_receive(struct cache *u, cycle now, bool usual)
{
    u8 *coming = links_coming(u, now);
    u64 links = u->w.next.pending[0] & *coming * EACH_BYTE;
    u32 first = u->next_turn;
    *coming = 0;
    for (links = links >> first | links << (-first % 64); links; links &= links - 1) {
        u32 port = ((u32)__builtin_ctzll(links) + first) % 64;
        bool arrived = next_arrives(u, port) <= now;
        if (arrived && port_receive(u, port, now, now, usual))
            link_note(u, port, now + 1);
    }
}

/* The same where links are not noted: all that hold something are looked at in every tick. */
static SELDOM void many_receive(struct cache *u, cycle now)
{
    cycle chip_now = u->base.domain->now;
    u32 count = u->w.next.count, first = u->next_turn;
    for (u32 i = 0; i < count; i++) {
        u32 port = (first + i) % count;
        bool any = u->w.next.pending[port / 64] >> (port % 64) & 1;
        if (any && next_arrives(u, port) <= chip_now)
            port_receive(u, port, chip_now, now, false);
    }
}

/* Whether anything may have come from below. */
static inline bool answers_due(const struct cache *u, cycle now)
{
    return u->w.next.pending[0] != u->expected || *links_coming(u, now);
}

static inline STRAIGHT void answers_receive(struct cache *u, cycle now, bool usual)
{
    const struct ports *next = &u->w.next;
    u->filling = false;
    if (__builtin_expect(!u->notes, 0)) {
        many_receive(u, now);
    } else {
        links_note(u, next->pending[0] & ~u->expected, now);
        links_receive(u, now, usual);
    }
    u->expected = next->pending[0];
    if (u->fences.first != NOBODY)
        cache_settle_fences(u, now);
}

/* ---- The unit ---- */

static void cache_hold(struct cache *u)
{
    u32 inside = (u32)u->inside;
    if (inside != u->base.held)
        unit_holds(&u->base, inside);
}

/* What frees room comes before what needs it: a stuck bank goes on in the cycle in which it can. */
static SELDOM void cache_work(struct cache *u, cycle now)
{
    if (answers_due(u, now))
        answers_receive(u, now, false);
    if (u->answers_refused || banks_any(u, now))
        answers_give(u, now);
    if (u->requests_refused || u->send_at <= now)
        slices_send(u, now);
    if (u->sweeping && cache_sweep(u, now))
        u->again = true;
    if (u->wanted || ports_any(&u->w.users))
        requests_take(u, now);
    if (u->ghosts && u->ghosts_at <= now)
        cache_ghosts_ask(u, now);
}

/* Whatever was refused in a straight tick, which has marked that, is in line. */
static SELDOM void refusals_end(struct cache *u)
{
    line_end(&u->unheard);
    line_end(&u->unsent);
}

static SELDOM void detours_begin(struct cache *u)
{
    refusals_end(u);
    if (u->stuck_any)
        stuck_end(u);
}

/* The same of a plain cache of which nothing is refused and no fence is under way: every bank gives
 * an answer, every slice sends a request, */
static inline STRAIGHT void cache_send_straight(struct cache *u, cycle now, bool usual)
{
    if (answers_due(u, now))
        answers_receive(u, now, usual);
    if (banks_any(u, now))
        answers_give_straight(u, now, usual);
    if (u->send_at <= now)
        slices_send_plain(u, now, usual);
}

/* and, if no bank is stuck, every one takes a request. */
static inline STRAIGHT void cache_work_straight(struct cache *u, cycle now, bool usual)
{
    cache_send_straight(u, now, usual);
    requests_take_straight(u, now, usual);
    if (__builtin_expect(u->detours != 0, 0))
        detours_begin(u);
}

/* Whether nothing but banks that are stuck keeps a tick from the straight way. */
static inline bool cache_is_only_stuck(const struct cache *u)
{
    return !u->complex && !u->answers_refused && !u->requests_refused && !u->sweeping;
}

/* When to tick again. */
static inline cycle cache_next(struct cache *u, cycle now, bool usual)
{
    u64 wanted = u->wanted;
    bool again = false;
    if (__builtin_expect(u->detours != 0, 0)) {
        wanted &= ~u->stuck.members;
        again = u->again;
        u->again = false;
    }
    cache_hold(u);
    if (wanted || again || banks_any(u, now + 1))
        return now + 1;
    cache_assume(u, usual);
    return __builtin_expect(u->entered, 1) ? u->send_at : min_u64(u->send_at, u->answer_at);
}

/* Each of these has all but its seldom parts in line. */
static PART cycle cache_tick_any(struct cache *u, cycle now)
{
    cache_work(u, now);
    cycle next = cache_next(u, now, false);
    return u->ghosts ? min_u64(next, u->ghosts_at) : next;
}

/* A plain cache of which only banks are stuck. */
static PART cycle cache_tick_stuck(struct cache *u, cycle now)
{
    cache_send_straight(u, now, false);
    requests_take(u, now);
    refusals_end(u);
    return cache_next(u, now, false);
}

static PART cycle cache_tick_plain(struct cache *u, cycle now)
{
    cache_work_straight(u, now, false);
    return cache_next(u, now, false);
}

static PART cycle cache_tick_usual(struct cache *u, cycle now)
{
    cache_work_straight(u, now, true);
    return cache_next(u, now, true);
}

static cycle cache_tick(struct unit *unit, cycle now)
{
    struct cache *u = (struct cache *)unit;
    if (__builtin_expect(u->detours != 0, 0))
        return cache_is_only_stuck(u) ? cache_tick_stuck(u, now) : cache_tick_any(u, now);
    return u->usual ? cache_tick_usual(u, now) : cache_tick_plain(u, now);
}

static void cache_report(struct unit *unit, cycle now)
{
    struct cache *u = (struct cache *)unit;
    cache_count_stalls(u, now);
    u->s.occupancy = u->occupied + u->mshrs.active * now; /* those in use as if they ended now */
}

static struct link *cache_toward(struct unit *unit, u64 *address)
{
    const struct cache *u = (const struct cache *)unit;
    *address = cache_local(u, *address);
    return next_link(u, *address);
}

/* Bytes of a sector that are in the queue to what is behind, which counts the address like that. */
static void slice_newer(const struct cache *u, const struct cache_slice *slice, u64 local, u8 *data)
{
    for (u64 n = slice->head; n < slice->tail; n++) {
        const struct cache_request *request = &slice->below[n & u->below_mask];
        const u8 *bytes = cache_ask_data(slice, request);
        u64 offset = request->address - local;
        if ((request->kind & MEMORY_KIND) != MEMORY_WRITE || offset >= MEMORY_SECTOR)
            continue;
        for (u32 left = request->mask; left; left &= left - 1)
            if (offset + (u32)__builtin_ctz(left) < MEMORY_SECTOR)
                data[offset + (u32)__builtin_ctz(left)] = bytes[__builtin_ctz(left)];
    }
}

static void cache_newer(struct unit *unit, u64 sector_address, u8 *data)
{
    const struct cache *u = (const struct cache *)unit;
    struct cache_home home;
    home_find(u, cache_local(u, sector_address), &home);
    for (u32 i = 0; i < u->p.slices; i++)
        slice_newer(u, &u->slices[i], cache_local(u, sector_address), data);
    u32 line = cache_find(u, &home);
    if (line == NOBODY)
        return;
    const u8 *newer = tags_data(&u->tags, line, home.piece);
    for (u32 left = tags_bytes(&u->tags, line, home.piece)->dirty; left; left &= left - 1)
        data[__builtin_ctz(left)] = newer[__builtin_ctz(left)];
}

static void cache_change(struct unit *unit, u64 sector_address, const u8 *data, u32 mask)
{
    const struct cache *u = (const struct cache *)unit;
    struct cache_home home;
    home_find(u, cache_local(u, sector_address), &home);
    u32 line = cache_find(u, &home);
    for (u32 left = line == NOBODY ? 0 : mask; left; left &= left - 1)
        tags_data(&u->tags, line, home.piece)[__builtin_ctz(left)] = data[__builtin_ctz(left)];
}

/* Each slice is an array of its own. An access moves a line of the published table, whatever the
 * sector here is. */
static void cache_costs(const struct unit *unit, struct unit_costs *costs)
{
    enum { ACCESS, FILL, WRITE_BACK };
    const struct cache *u = (const struct cache *)unit;
    u64 slice = u->p.size / u->p.slices;
    double access = array_access_pj(slice);
    costs->energy[ACCESS] = access;
    costs->energy[FILL] = access / ARRAY_LINE_BYTES;
    costs->energy[WRITE_BACK] = access * MEMORY_SECTOR / ARRAY_LINE_BYTES;
    costs->area = (double)u->p.slices * array_area_mm2(slice);
    costs->leakage = MW_PER_KIB * (double)u->p.size / (double)KiB;
}

static u32 cache_served(const struct unit *unit, u64 *executed)
{
    const struct reservations *reservations = &((const struct cache *)unit)->reservations;
    *executed = reservations->executed;
    return reservations->source;
}

UNIT_TYPE(
    cache, CACHE, "set-associative cache", .init = cache_init, .tick = cache_tick,
    .report = cache_report, .toward = cache_toward, .newer = cache_newer, .change = cache_change,
    UNIT_ENERGY(CACHE), .costs = cache_costs,
    .leakage_help = "0.45 mW for a KiB; Arches, taken as 65 nm",
    .area_help = "by the size of a slice: 0.775 to 68.2 mm2 for 32 KiB to 8 MiB; SimTRaX, 65 nm",
    .resources = cache_resource_rows, .figures = cache_figure_rows, .scales = "size slices",
    .keeps = "size", .haunt = cache_haunt, .served = cache_served)
