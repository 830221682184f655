/* cache.c - set-associative, sectored cache with miss registers: time and wires.
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
 * here. So caches that are stacked cannot lock each other up.
 *
 * Always true: requests taken = answers given + requests inside; user i stands in wants[b] exactly
 * while its oldest arrived request is for bank b; a bank that is stuck waits for something that
 * wakes the unit: an answer from below, or room in a link. */
#include "unit/cache/address.h"
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

static void cache_derive(struct cache *u, u64 interleave)
{
    u->skip = MEMORY_SKIP(u->p.level);
    u->bank_count = (u32)(u->p.slices * u->p.banks);
    u->sets = (u32)(u->p.size / (u->p.slices * u->p.ways * u->p.line));
    u->line_shift = log_of(u->p.line);
    u->interleave_shift = log_of(interleave);
    u->slice_bits = is_power_of_two(u->p.slices) ? log_of(u->p.slices) : 0;
    u->bank_bits = is_power_of_two(u->p.banks) ? log_of(u->p.banks) : 0;
    u->regular = is_power_of_two(u->p.slices) && is_power_of_two(u->p.banks) &&
                 is_power_of_two(u->sets) && u->p.hash == HASH_linear;
    u->block_shift = log_of(u->p.mshr == MSHR_line ? u->p.line : u->p.sector);
    u->apart =
        u->block_shift <= u->interleave_shift && !u->p.prefetch && u->p.write_miss != MISS_fetch;
    u->sector_count = (u32)(u->p.sector / MEMORY_SECTOR);
    u->sector_pieces = (u32)((UINT64_C(1) << u->sector_count) - 1);
    const struct route *users = &u->w.users.route, *next = &u->w.next.route;
    if (is_power_of_two(users->interleave) && is_power_of_two(users->ways))
        u->users_shift = log_of(users->interleave * users->ways);
    if (is_power_of_two(next->interleave) && is_power_of_two(next->ways))
        u->next_shift = log_of(next->interleave);
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

static bool cache_init(struct unit *unit, struct ogv_error *error)
{
    struct cache *u = (struct cache *)unit;
    u64 interleave = u->p.interleave ? u->p.interleave : u->p.line;
    if (!shape_check(u, interleave, error) || !policies_check(u, error))
        return false;
    cache_derive(u, interleave);
    u64 hits = power_of_two_above(u->p.latency * u->p.ports + u->p.queue);
    u64 nodes = u->p.slices * u->p.mshrs * u->p.merges + u->p.passes + CACHE_FENCES_MAX +
                u->bank_count * hits;
    if (nodes >= UINT32_C(1) << 28)
        return unit_refuse(error, "mshrs x merges is too large");
    u64 below = power_of_two_above(below_most(u));
    u->below_mask = (u32)below - 1;
    u->hits_most = (u32)hits;
    if (!tags_init(&u->tags, unit, error) ||
        !mshrs_init(&u->mshrs, unit, (u32)u->p.slices, (u32)u->p.mshrs, (u32)nodes, error))
        return false;
    u->slices = unit_alloc(unit, u->p.slices, sizeof *u->slices, error);
    u->banks = u->slices ? unit_alloc(unit, u->bank_count, sizeof *u->banks, error) : NULL;
    for (u32 i = 0; u->banks && i < u->p.slices; i++) {
        u->slices[i].below = unit_alloc(unit, below, sizeof *u->slices[i].below, error);
        if (!u->slices[i].below)
            return false;
    }
    for (u32 i = 0; u->banks && i < u->bank_count; i++) {
        struct cache_bank *bank = &u->banks[i];
        bank->stuck = NOBODY;
        bank->due = NEVER;
        bank->hits = bank->filled = (struct cache_list){ NOBODY, NOBODY };
    }
    return u->banks;
}

/* ---- Answers ---- */

void cache_answer_node(struct cache *u, u32 bank, u32 node, cycle now)
{
    cache_due(u, bank, node, now + u->p.fill);
    list_append(&u->mshrs, &u->banks[bank].filled, node);
}

/* When the first answer of a list is ready. */
static cycle list_ready(const struct cache *u, const struct cache_list *list)
{
    return list->first == NOBODY ? NEVER : u->mshrs.nodes[list->first].ready;
}

/* Gives the answer that has been ready for longest; returns when the bank has the next one. */
static cycle bank_answer(struct cache *u, u32 index, cycle now)
{
    struct cache_bank *bank = &u->banks[index];
    for (u64 given = 0;; given++) {
        cycle hit = list_ready(u, &bank->hits), filled = list_ready(u, &bank->filled);
        cycle ready = min_u64(hit, filled);
        if (ready > now)
            return bank->due = ready;
        if (given == u->p.ports)
            return bank->due = now + 1;
        bool is_hit = hit < filled;
        struct cache_list *list = is_hit ? &bank->hits : &bank->filled;
        const struct cache_node *node = &u->mshrs.nodes[list->first];
        struct link *out = u->w.users.at[node->user].out;
        if (!link_can_push(out)) {
            line_refuse(&u->unheard, index, given);
            return NEVER; /* due, but woken when there is room */
        }
        *link_push(out) = u->mshrs.cargo[list->first].message;
        node_give_back(&u->mshrs, list_shift(&u->mshrs, list));
        bank->hit_count -= is_hit;
        u->inside--;
        unit_progress(&u->base);
    }
}

static cycle answers_give(struct cache *u, cycle now)
{
    cycle soonest = NEVER;
    u32 i;
    for (u64 left = u->answering; (i = line_next(&u->unheard, &left)) != NOBODY;) {
        struct cache_bank *bank = &u->banks[i];
        soonest = min_u64(soonest, bank->due > now ? bank->due : bank_answer(u, i, now));
        if (bank->hits.first == NOBODY && bank->filled.first == NOBODY)
            u->answering &= ~(UINT64_C(1) << i);
    }
    line_end(&u->unheard);
    return soonest;
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
        const struct slot *slot = &slice->below[slice->head & u->below_mask];
        if (slot->at > now)
            return slot->at;
        if (sent == u->p.width)
            return now + 1;
        struct link *out = next_link(u, slot->message.address);
        if (!link_can_push(out)) {
            line_refuse(&u->unsent, index, sent);
            return NEVER;
        }
        *link_push(out) = slot->message;
        slice->head++;
        u->inside--;
    }
    return NEVER;
}

static cycle slices_send(struct cache *u, cycle now)
{
    cycle soonest = NEVER;
    u32 i;
    for (u64 left = u->sending; (i = line_next(&u->unsent, &left)) != NOBODY;) {
        soonest = min_u64(soonest, slice_send(u, i, now));
        if (u->slices[i].head == u->slices[i].tail)
            u->sending &= ~(UINT64_C(1) << i);
    }
    line_end(&u->unsent);
    return soonest;
}

/* ---- Answers from below ---- */

/* Whoever is the first that must wait for the next cycle goes first in it. */
static void answers_receive_from(struct cache *u, u32 from, u32 to, cycle now)
{
    const struct ports *next = &u->w.next;
    for (u32 i = ports_pending(next, from); i < to; i = ports_pending(next, i + 1)) {
        struct link *in = next->at[i].in;
        for (const struct message *answer; ports_due(next, i) && (answer = link_peek(in));
             link_pop(in)) {
            if (cache_receive(u, answer, now))
                continue;
            if (!u->filling)
                u->next_turn = i;
            u->filling = true;
            break;
        }
    }
}

static void answers_receive(struct cache *u, cycle now)
{
    u->filling = false;
    if (ports_pending(&u->w.next, 0) == NOBODY)
        return;
    u32 first = u->next_turn;
    for (u32 i = 0; i < u->bank_count; i++)
        u->banks[i].fills = 0;
    answers_receive_from(u, first, u->w.next.count, now);
    answers_receive_from(u, 0, first, now);
    cache_settle_fences(u, now);
}

/* ---- Requests from above ---- */

/* Looks at the users whose oldest request is not known. */
static void users_look(struct cache *u)
{
    const struct ports *users = &u->w.users;
    for (u32 word = 0; word * 64 < users->count; word++) {
        u64 news = users->pending[word] & ~u->known[word];
        for (; news; news &= news - 1) {
            u32 i = word * 64 + (u32)__builtin_ctzll(news);
            const struct message *request = ports_due(users, i) ? link_peek(users->at[i].in) : NULL;
            if (!request)
                continue;
            bool fence = (request->kind & MEMORY_KIND) == MEMORY_FENCE;
            u32 bank = fence ? 0 : cache_bank(u, cache_local(u, request->address));
            u->known[word] |= news & -news;
            bitset_add(&u->banks[bank].wants, i);
            u->banks[bank].waiting++;
            u->wanted |= UINT64_C(1) << bank;
        }
    }
}

static void stall_count(struct cache *u, struct cache_bank *bank, cycle now)
{
    u->s.stalls[bank->why] += now - bank->since;
    bank->since = now;
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
    bool no_mshr = u->mshrs.free[slice] == NOBODY, no_pass = u->passing == u->p.passes;
    switch (bank->why) {
    case STALL_MSHR:
        return no_mshr;
    case STALL_PASS:
        return no_pass;
    case STALL_BELOW: /* unless it would now be for another reason, which is looked for first */
        return !bank->keeps && !no_mshr && !no_pass && !cache_has_room(u, slice, 1);
    default:
        return false;
    }
}

/* The bank's request stays; what it needs more of below is kept for it. */
static bool bank_stop(struct cache *u, u32 index)
{
    if (u->banks[index].why == STALL_BELOW)
        u->claimed |= UINT64_C(1) << (index / u->p.banks);
    return false;
}

/* One request; false if it cannot be dealt with. */
static bool bank_take(struct cache *u, u32 index, cycle now)
{
    struct cache_bank *bank = &u->banks[index];
    bool was_stuck = bank->stuck != NOBODY;
    if (was_stuck && bank_still_stuck(u, index, bank))
        return bank_stop(u, index);
    u32 user = was_stuck ? bank->stuck : rr_pick(&bank->turn, &bank->wants);
    struct link *in = u->w.users.at[user].in;
    if (was_stuck)
        stall_count(u, bank, now);
    enum cache_stall stall = cache_accept(u, index, user, link_peeked(in), now);
    if (stall != STALL_NONE) {
        bank->stuck = user;
        bank->why = stall;
        bank->keeps = cache_keeps(u, link_peeked(in));
        bank->since = now;
        return bank_stop(u, index);
    }
    link_pop(in);
    bank->stuck = NOBODY;
    u->known[user / 64] &= ~(UINT64_C(1) << (user % 64));
    bitset_remove(&bank->wants, user);
    bank->waiting--;
    return true;
}

/* Up to `ports` requests. */
static void bank_serve(struct cache *u, u32 index, cycle now)
{
    struct cache_bank *bank = &u->banks[index];
    u64 taken = 0;
    while (taken < u->p.ports && bank->waiting && bank_take(u, index, now))
        taken++;
    if (bank->stuck != NOBODY)
        line_refuse(&u->stuck, index, taken);
    else
        u->s.bank_conflicts += bank->waiting;
    if (!bank->waiting)
        u->wanted &= ~(UINT64_C(1) << index);
}

static void requests_take(struct cache *u, cycle now)
{
    u32 bank;
    users_look(u);
    for (u64 left = u->wanted; (bank = line_next(&u->stuck, &left)) != NOBODY;)
        bank_serve(u, bank, now);
    line_end(&u->stuck);
    u->claimed = 0;
}

/* Whether a bank has a request that it can try in the next cycle. */
static bool banks_wanted(const struct cache *u)
{
    return u->wanted & ~u->stuck.members;
}

/* ---- The unit ---- */

static void cache_hold(struct cache *u)
{
    u32 inside = (u32)u->inside;
    if (inside > u->base.held)
        unit_hold(&u->base, inside - u->base.held);
    else if (inside < u->base.held)
        unit_release(&u->base, u->base.held - inside);
}

/* What frees room comes before what needs it: a stuck bank goes on in the cycle in which it can. */
static cycle cache_tick(struct unit *unit, cycle now)
{
    struct cache *u = (struct cache *)unit;
    u->answered = u->asked = false;
    answers_receive(u, now);
    cycle soonest = answers_give(u, now), below = slices_send(u, now);
    bool sweeping = u->sweeping, swept = sweeping && cache_sweep(u, now);
    u64 fences = u->s.fences;
    requests_take(u, now);
    cache_hold(u);
    bool fenced = u->s.fences != fences && u->stuck.members; /* they may go on */
    if (u->filling || swept || u->sweeping > sweeping || fenced || banks_wanted(u))
        return now + 1;
    if (u->answered)
        soonest = min_u64(soonest, now + u->p.latency);
    if (u->asked)
        below = min_u64(below, now + u->p.lookup);
    return min_u64(soonest, below);
}

static void cache_report(struct unit *unit, cycle now)
{
    struct cache *u = (struct cache *)unit;
    for (u32 i = 0; i < u->bank_count; i++)
        if (u->banks[i].stuck != NOBODY)
            stall_count(u, &u->banks[i], now);
    cache_count_occupancy(u, now);
}

static struct link *cache_toward(struct unit *unit, u64 *address)
{
    const struct cache *u = (const struct cache *)unit;
    *address = cache_local(u, *address);
    return next_link(u, *address);
}

static void cache_newer(struct unit *unit, u64 sector_address, u8 *data)
{
    const struct cache *u = (const struct cache *)unit;
    struct cache_home home;
    home_find(u, cache_local(u, sector_address), &home);
    u32 line = cache_find(u, &home);
    if (line == NOBODY)
        return;
    struct cache_piece piece = tags_piece(&u->tags, line, home.piece);
    for (u32 left = piece.bytes->dirty; left; left &= left - 1)
        data[__builtin_ctz(left)] = piece.data[__builtin_ctz(left)];
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

UNIT_TYPE(
    cache, CACHE, "set-associative cache", .init = cache_init, .tick = cache_tick,
    .report = cache_report, .toward = cache_toward, .newer = cache_newer, UNIT_ENERGY(CACHE),
    .costs = cache_costs, .leakage_help = "0.45 mW for a KiB; Arches, taken as 65 nm",
    .area_help = "by the size of a slice: 0.775 to 68.2 mm2 for 32 KiB to 8 MiB; SimTRaX, 65 nm",
    .resources = cache_resource_rows, .figures = cache_figure_rows, .scales = "size slices")
