/* request.c - what becomes of a request.
 *
 * A request is dealt with in the cycle in which it is taken: it is found here and answered after
 * the latency, or joins a miss that is under way, or begins one, or is passed on below.
 * Whatever wants bytes that are on their way waits for them, and requests that wait are executed in
 * the order in which they came: so a read never sees a write that came after it.
 *
 * Requests leave a slice in the order in which they were dealt with. That, and the order that all
 * units keep between requests for the same bytes, is why a write that was passed on needs no memory
 * here: a later read of the same bytes comes after it everywhere. */
#include <string.h>

#include "unit/cache/hit.h"

/* ---- Requests for below ---- */

u32 cache_dirty_pieces(const struct cache *u, u32 line)
{
    u32 count = 0;
    if (!tags_is_dirty(&u->tags, line))
        return 0;
    for (u32 i = 0; i < u->tags.line_pieces; i++)
        count += tags_bytes(&u->tags, line, i)->dirty != 0;
    return count;
}

static void piece_write_back(struct cache *u, u32 slice, u32 line, u32 index, u32 source, cycle now)
{
    struct cache_bytes *bytes = tags_bytes(&u->tags, line, index);
    u32 dirty = bytes->dirty;
    if (!dirty)
        return;
    struct message *message = cache_ask(u, slice, now);
    message->address = (tags_number(&u->tags, line) << u->line_shift) + index * MEMORY_SECTOR;
    message->kind = MEMORY_WRITE;
    message->size_bytes = MEMORY_SECTOR;
    message->mask = dirty;
    message->source = source;
    message->tag = TAG_WRITE_BACK | cache_write_begins(u);
    memcpy(message->data.byte, tags_data(&u->tags, line, index), MEMORY_SECTOR);
    u->s.write_backs++;
    u->s.bytes_sent += (u32)__builtin_popcount(dirty);
    bytes->dirty = 0;
}

void cache_write_back(struct cache *u, u32 slice, u32 line, u32 source, cycle now)
{
    for (u32 i = 0; i < u->tags.line_pieces; i++)
        piece_write_back(u, slice, line, i, source, now);
    tags_clean(&u->tags, line);
}

static void piece_fetch(struct cache *u, u32 slice, u32 mshr, u32 index, u64 address, u32 source,
                        cycle now)
{
    struct message *message = cache_ask(u, slice, now);
    message->address = address;
    message->kind = MEMORY_READ;
    message->size_bytes = MEMORY_SECTOR;
    message->missed = 0;
    message->source = source;
    message->tag = mshr << TAG_PIECE_BITS | index;
    u->mshrs.at[mshr].pending |= UINT32_C(1) << index;
}

/* Passes a request on; its answer goes to the user. */
static void request_pass(struct cache *u, const struct cache_home *home, u32 user,
                         const struct message *request, cycle now)
{
    struct message *message = cache_ask(u, home->slice, now);
    *message = *request;
    message->address = home->local;
    if (is_write(request))
        u->s.bytes_sent += (u32)__builtin_popcount(written_bytes(request));
    if ((request->kind & MEMORY_KIND) == MEMORY_PREFETCH)
        return;
    u32 index = node_take(&u->mshrs);
    struct cache_cargo *cargo = &u->mshrs.cargo[index];
    cargo->message.address = request->address;
    cargo->message.tag = request->tag;
    cargo->epoch = cache_write_begins(u);
    u->mshrs.nodes[index].user = user;
    message->tag = TAG_PASSED | index;
    u->passing++;
    u->inside++;
}

/* ---- Lines ---- */

/* Makes room for a line; what is dirty in the one that leaves goes below. */
void cache_put_line(struct cache *u, const struct cache_home *home, u32 line, u32 source, cycle now)
{
    struct cache_tags *tags = &u->tags;
    if (tags_holds(tags, line)) {
        u->s.evictions++;
        if (tags_is_dirty(tags, line))
            cache_write_back(u, home->slice, line, source, now);
    }
    u->s.prefetch_useless += tags_unmark_fresh(tags, line, UINT32_MAX);
    tags_put(tags, home->set, line, home->number);
}

static u32 home_valid(const struct cache *u, const struct cache_home *home)
{
    return home->line == NOBODY ? 0 : tags_valid(&u->tags, home->line, home->piece);
}

static u64 home_block(const struct cache *u, const struct cache_home *home)
{
    return home->local >> u->block_shift;
}

/* Whether nothing of the home's block can be on its way: where lines are found on a miss, what is
 * fetched has one, which is pinned. */
static inline bool home_is_quiet(const struct cache *u, const struct cache_home *home)
{
    return u->p.allocate == ALLOCATE_miss && u->tags.policy != REPLACE_none &&
           (home->line == NOBODY || !u->tags.pins[home->line]);
}

/* Looks the home's block up; the register under which its piece is on its way, or NOBODY. */
static u32 home_pending(const struct cache *u, struct cache_home *home)
{
    if (home_is_quiet(u, home))
        return home->mshr = NOBODY;
    u32 mshr = mshrs_find(&u->mshrs, home_block(u, home), (u32)u->tags.generation);
    home->mshr = mshr;
    if (mshr == NOBODY || !(u->mshrs.at[mshr].pending >> home->piece & 1))
        return NOBODY;
    return mshr;
}

/* ---- Waiting for a miss ---- */

static void mshr_queue(struct cache *u, struct cache_mshr *at, u32 user,
                       const struct message *request)
{
    u32 index = node_take(&u->mshrs);
    u->mshrs.cargo[index].message = *request;
    u->mshrs.nodes[index].user = user;
    list_append(&u->mshrs, &at->waiting, index);
}

/* `user` is NOBODY for a write that is answered from below. */
static inline STRAIGHT void mshr_join(struct cache *u, u32 mshr, u32 user,
                                      const struct message *request)
{
    struct cache_mshr *at = &u->mshrs.at[mshr];
    if (!at->count && (request->kind & MEMORY_KIND) == MEMORY_READ)
        at->first = (struct cache_reader){ .address = request->address,
                                           .tag = request->tag,
                                           .source = request->source,
                                           .user = user,
                                           .kind = request->kind,
                                           .size_bytes = request->size_bytes };
    else
        mshr_queue(u, at, user, request);
    at->count++;
    u->s.prefetch_useful += at->prefetch;
    at->prefetch = false;
    if (user == NOBODY)
        return;
    u->inside++;
    u->writes_waiting += (request->kind & MEMORY_KIND) != MEMORY_READ;
}

static enum cache_stall mshr_merge(struct cache *u, u32 mshr, u32 user,
                                   const struct message *request)
{
    if (u->mshrs.at[mshr].count == u->p.merges)
        return STALL_MERGE;
    mshr_join(u, mshr, user, request);
    u->s.half_misses++;
    return STALL_NONE;
}

/* What has to be there for a miss to begin. */
struct miss {
    u32 victim; /* line that leaves, or NOBODY */
    u32 pieces; /* to fetch */
};

/* The pieces of the home's sector that are neither here nor on their way. */
static u32 miss_pieces(const struct cache *u, const struct cache_home *home)
{
    u32 first = home->piece & ~(u->sector_count - 1), wanted = u->sector_pieces << first;
    if (home->mshr != NOBODY)
        wanted &= ~u->mshrs.at[home->mshr].pending;
    return home->line == NOBODY ? wanted : wanted & ~u->tags.lines[home->line].full;
}

/* Where lines are found only when data comes, the one that holds parts of the missing pieces could
 * leave before: its dirty bytes would then be newer than what comes. So they go below first. */
static u32 miss_dirty(const struct cache *u, const struct cache_home *home, u32 pieces)
{
    u32 dirty = 0;
    for (; u->p.allocate == ALLOCATE_fill && home->line != NOBODY && pieces; pieces &= pieces - 1) {
        u32 i = (u32)__builtin_ctz(pieces);
        if (tags_bytes(&u->tags, home->line, i)->dirty)
            dirty |= UINT32_C(1) << i;
    }
    return dirty;
}

static void miss_write_back(struct cache *u, const struct cache_home *home, u32 pieces, u32 source,
                            cycle now)
{
    for (; pieces; pieces &= pieces - 1) {
        u32 i = (u32)__builtin_ctz(pieces);
        piece_write_back(u, home->slice, home->line, i, source, now);
        tags_set_valid(&u->tags, home->line, i, 0);
        tags_clean(&u->tags, home->line);
    }
}

/* Whether a miss can begin at a home that has been looked up, with `more` further requests for
 * below; changes nothing. */
static inline STRAIGHT enum cache_stall
miss_plan(const struct cache *u, const struct cache_home *home, u32 more, struct miss *miss)
{
    bool on_miss = u->p.allocate == ALLOCATE_miss && u->tags.policy != REPLACE_none;
    u32 mshr = home->mshr;
    *miss = (struct miss){ NOBODY, miss_pieces(u, home) };
    if (mshr != NOBODY && u->mshrs.at[mshr].count == u->p.merges)
        return STALL_MERGE;
    if (mshr == NOBODY && u->mshrs.free[home->slice] == NOBODY)
        return STALL_MSHR;
    u32 dirty = bits_count(miss_dirty(u, home, miss->pieces));
    if (on_miss && home->line == NOBODY) {
        miss->victim = tags_victim(&u->tags, home->set);
        if (miss->victim == NOBODY)
            return STALL_WAY;
        dirty = tags_holds(&u->tags, miss->victim) ? cache_dirty_pieces(u, miss->victim) : 0;
    }
    u32 asks = bits_count(miss->pieces) + dirty + more;
    return cache_has_room(u, home->slice, asks) ? STALL_NONE : STALL_BELOW;
}

/* Begins the miss that was planned and returns its register. */
static inline STRAIGHT u32 miss_begin(struct cache *u, struct cache_home *home,
                                      const struct miss *miss, u32 source, cycle now)
{
    u32 mshr = home->mshr;
    miss_write_back(u, home, miss_dirty(u, home, miss->pieces), source, now);
    if (miss->victim != NOBODY) {
        cache_put_line(u, home, miss->victim, source, now);
        home->line = miss->victim;
    }
    if (mshr == NOBODY) {
        cache_count_occupancy(u, now);
        mshr = mshrs_take(&u->mshrs, home->slice, home_block(u, home), (u32)u->tags.generation);
        if (u->p.allocate == ALLOCATE_miss && home->line != NOBODY) {
            u->mshrs.at[mshr].line = home->line;
            u->tags.pins[home->line]++;
        }
    }
    /* The piece that is waited for first. */
    u64 line_address = home->number << u->line_shift;
    for (u32 left = miss->pieces, i = home->piece; left; left &= ~(UINT32_C(1) << i)) {
        if (!(left >> i & 1))
            i = (u32)__builtin_ctz(left);
        piece_fetch(u, home->slice, mshr, i, line_address + i * MEMORY_SECTOR, source, now);
    }
    return mshr;
}

static void prefetch_begin(struct cache *u, u64 local, u32 source, cycle now)
{
    struct cache_home home;
    home_find(u, local, &home);
    struct miss miss;
    home.line = cache_find(u, &home);
    if (local >= CACHE_ADDRESSES || u->tags.policy == REPLACE_none)
        return;
    bool here = home.line != NOBODY && tags_full(&u->tags, home.line, home.piece);
    if (here || home_pending(u, &home) != NOBODY)
        return;
    if (miss_plan(u, &home, 0, &miss) != STALL_NONE) {
        u->s.prefetch_dropped++;
        return;
    }
    u32 mshr = miss_begin(u, &home, &miss, source, now);
    u->mshrs.at[mshr].prefetch |= home.mshr == NOBODY;
    u->s.prefetches += (u32)__builtin_popcount(miss.pieces);
}

static void prefetch_following(struct cache *u, u64 local, u32 source, cycle now)
{
    for (u64 i = 1; i <= u->p.prefetch; i++)
        prefetch_begin(u, local + i * u->p.sector, source, now);
}

/* A request for bytes that are neither here nor on their way: fetches them and waits. */
static enum cache_stall miss_fetch(struct cache *u, struct cache_home *home, u32 user,
                                   const struct message *request, cycle now)
{
    struct miss miss;
    enum cache_stall stall = miss_plan(u, home, user == NOBODY, &miss);
    if (stall != STALL_NONE)
        return stall;
    u32 mshr = miss_begin(u, home, &miss, request->source, now);
    mshr_join(u, mshr, user, request);
    u->s.misses++;
    if (u->p.prefetch)
        prefetch_following(u, home->local, request->source, now);
    return STALL_NONE;
}

/* ---- The kinds of request ---- */

/* Whether the request's bytes are here and its piece, which is not full, is not on its way. */
static bool read_finds(const struct cache *u, struct cache_home *home,
                       const struct message *request)
{
    u32 bytes = request_bytes(request);
    return home_pending(u, home) == NOBODY && home->line != NOBODY &&
           (home_valid(u, home) & bytes) == bytes;
}

/* What was not found is on its way, or fetched. */
static enum cache_stall read_wait(struct cache *u, struct cache_home *home, u32 user,
                                  const struct message *request, cycle now)
{
    bool pending = home->mshr != NOBODY && u->mshrs.at[home->mshr].pending >> home->piece & 1;
    if (u->sides.late)
        sides_touch(u, user, home->number);
    return pending ? mshr_merge(u, home->mshr, user, request)
                   : miss_fetch(u, home, user, request, now);
}

enum cache_stall cache_read_irregular(struct cache *u, u32 bank, u32 user,
                                      const struct message *request, cycle now)
{
    struct cache_home home;
    home_find_in(u, cache_local(u, request->address), bank, &home);
    home.line = cache_find(u, &home);
    if (home.line == NOBODY || !tags_full(&u->tags, home.line, home.piece))
        return cache_read_further(u, &home, user, request, now);
    home_use(u, &home);
    read_answer(u, &home, user, request, now);
    return STALL_NONE;
}

enum cache_stall cache_read_further(struct cache *u, const struct cache_home *at, u32 user,
                                    const struct message *request, cycle now)
{
    struct cache_home home = *at;
    if (read_finds(u, &home, request)) {
        home_use(u, &home);
        read_answer(u, &home, user, request, now);
        return STALL_NONE;
    }
    enum cache_stall stall = read_wait(u, &home, user, request, now);
    u->s.lookups += stall == STALL_NONE;
    u->s.reads += stall == STALL_NONE;
    return stall;
}

/* Executes an atomic operation in a piece. */
void cache_apply_atomic(struct cache *u, struct message *message, struct cache_piece piece)
{
    u32 bytes = request_bytes(message);
    u8 *at = piece.data + message->address % MEMORY_SECTOR;
    if (atomic_execute(&u->base, &u->reservations, message, at))
        tags_make_dirty(&u->tags, piece.line, piece.index, bytes);
    u->s.bytes_answered += message->size_bytes;
}

static enum cache_stall atomic_accept(struct cache *u, struct cache_home *home, u32 user,
                                      const struct message *request, cycle now)
{
    u32 bytes = request_bytes(request), pending = home_pending(u, home);
    if (pending != NOBODY)
        return mshr_merge(u, pending, user, request);
    if (home->line == NOBODY || (home_valid(u, home) & bytes) != bytes)
        return miss_fetch(u, home, user, request, now);
    struct message *answer = u->sides.late ? sides_answer(u, home->bank, user, now)
                                           : cache_answer(u, home->bank, user, now);
    *answer = *request;
    cache_apply_atomic(u, answer, tags_piece(&u->tags, home->line, home->piece));
    home_use(u, home);
    u->s.hits++;
    return STALL_NONE;
}

/* What a write finds. */
enum write_case {
    WRITE_PENDING, /* its piece is on its way */
    WRITE_HERE,    /* some of its piece is here */
    WRITE_PLACED,  /* is to be kept, without the rest of its piece */
    WRITE_FETCHED, /* is to be kept, with the rest of its sector */
    WRITE_AROUND,  /* is not to be kept */
};

static enum write_case write_decide(const struct cache *u, struct cache_home *home,
                                    const struct message *request, u32 *pending)
{
    u32 valid = home_valid(u, home);
    *pending = valid == ALL_BYTES ? NOBODY : home_pending(u, home);
    if (*pending != NOBODY)
        return WRITE_PENDING;
    if (valid)
        return WRITE_HERE;
    if (u->p.write_miss == MISS_around || u->tags.policy == REPLACE_none)
        return WRITE_AROUND;
    bool whole = written_bytes(request) == ALL_BYTES;
    return u->p.write_miss == MISS_allocate || whole ? WRITE_PLACED : WRITE_FETCHED;
}

/* Finds a line for bytes that nothing is fetched for. */
static enum cache_stall write_find_line(struct cache *u, struct cache_home *home, u32 more,
                                        u32 source, cycle now)
{
    if (home->line != NOBODY)
        return cache_has_room(u, home->slice, more) ? STALL_NONE : STALL_BELOW;
    u32 victim = tags_victim(&u->tags, home->set);
    if (victim == NOBODY)
        return STALL_WAY;
    u32 dirty = tags_holds(&u->tags, victim) ? cache_dirty_pieces(u, victim) : 0;
    if (!cache_has_room(u, home->slice, dirty + more))
        return STALL_BELOW;
    cache_put_line(u, home, victim, source, now);
    home->line = victim;
    return STALL_NONE;
}

static void write_apply(struct cache *u, const struct cache_home *home,
                        const struct message *request, bool dirty)
{
    u32 written = written_bytes(request), valid = home_valid(u, home);
    bytes_write(tags_data(&u->tags, home->line, home->piece), request);
    tags_set_valid(&u->tags, home->line, home->piece, valid | written);
    if (dirty)
        tags_make_dirty(&u->tags, home->line, home->piece, written);
    home_use(u, home);
}

/* Where nothing is kept, bytes that wait for a miss cannot become dirty. */
static bool writes_through(const struct cache *u)
{
    return u->p.write == WRITE_through || u->tags.policy == REPLACE_none;
}

bool cache_keeps(const struct cache *u, const struct message *request)
{
    return is_write(request) && !writes_through(u);
}

/* Below learns of every write, and answers it. There must be room for that. */
static enum cache_stall write_through_accept(struct cache *u, struct cache_home *home, u32 user,
                                             const struct message *request, cycle now)
{
    u32 pending;
    enum cache_stall stall = STALL_NONE;
    switch (write_decide(u, home, request, &pending)) {
    case WRITE_PENDING:
        stall = mshr_merge(u, pending, NOBODY, request);
        break;
    case WRITE_HERE:
        write_apply(u, home, request, false);
        u->s.hits++;
        break;
    case WRITE_PLACED:
        stall = write_find_line(u, home, 1, request->source, now);
        if (stall == STALL_NONE)
            write_apply(u, home, request, false);
        u->s.misses += stall == STALL_NONE;
        break;
    case WRITE_FETCHED:
        stall = miss_fetch(u, home, NOBODY, request, now);
        break;
    case WRITE_AROUND:
        u->s.misses++;
        break;
    }
    if (stall == STALL_NONE)
        request_pass(u, home, user, request, now);
    return stall;
}

/* The write stays here and is answered from here, unless it goes around. */
static enum cache_stall write_back_accept(struct cache *u, struct cache_home *home, u32 user,
                                          const struct message *request, cycle now)
{
    u32 pending;
    enum cache_stall stall;
    enum write_case found = write_decide(u, home, request, &pending);
    switch (found) {
    case WRITE_PENDING:
        return mshr_merge(u, pending, user, request);
    case WRITE_FETCHED:
        return miss_fetch(u, home, user, request, now);
    case WRITE_AROUND:
        if (u->passing == u->p.passes)
            return STALL_PASS;
        if (!cache_has_room(u, home->slice, 1))
            return STALL_BELOW;
        request_pass(u, home, user, request, now);
        u->s.misses++;
        return STALL_NONE;
    case WRITE_HERE:
    case WRITE_PLACED:
        stall = write_find_line(u, home, 0, request->source, now);
        if (stall != STALL_NONE)
            return stall;
        write_apply(u, home, request, true);
        *cache_answer(u, home->bank, user, now) = *request;
        u->s.hits += found == WRITE_HERE;
        u->s.misses += found == WRITE_PLACED;
    }
    return STALL_NONE;
}

static enum cache_stall write_accept(struct cache *u, struct cache_home *home, u32 user,
                                     const struct message *request, cycle now)
{
    enum cache_stall stall = writes_through(u) ? write_through_accept(u, home, user, request, now)
                                               : write_back_accept(u, home, user, request, now);
    if (stall != STALL_NONE)
        return stall;
    if (u->sides.late)
        sides_write(u, user, home->number);
    u->s.bytes_taken += (u32)__builtin_popcount(written_bytes(request));
    atomic_written(&u->reservations, request->address);
    return STALL_NONE;
}

/* A request that is not for this cache. What it holds of the same bytes goes below first. */
static enum cache_stall pass_accept(struct cache *u, struct cache_home *home, u32 user,
                                    const struct message *request, cycle now)
{
    if (home_pending(u, home) != NOBODY)
        return STALL_ORDER;
    if (!cache_has_room(u, home->slice, 2))
        return STALL_BELOW;
    if (home->line != NOBODY) {
        piece_write_back(u, home->slice, home->line, home->piece, request->source, now);
        tags_set_valid(&u->tags, home->line, home->piece, 0);
        tags_clean(&u->tags, home->line);
    }
    if (is_write(request)) {
        u->s.bytes_taken += (u32)__builtin_popcount(written_bytes(request));
        atomic_written(&u->reservations, request->address);
    }
    request_pass(u, home, user, request, now);
    u->s.passed++;
    return STALL_NONE;
}

static bool request_passes(const struct cache *u, const struct message *request, u64 local)
{
    bool atomics_below = u->p.atomics == ATOMICS_below || u->tags.policy == REPLACE_none;
    return (request->kind & u->skip) || local >= CACHE_ADDRESSES ||
           (is_atomic(request) && atomics_below);
}

/* What goes below whatever is found here needs room for it, which is seen without looking here. */
static enum cache_stall request_room(const struct cache *u, const struct cache_home *home,
                                     const struct message *request, bool passes)
{
    bool through = is_write(request) && writes_through(u);
    if ((passes || through) && u->passing == u->p.passes)
        return STALL_PASS;
    return through && !passes && !cache_has_room(u, home->slice, 1) ? STALL_BELOW : STALL_NONE;
}

enum cache_stall cache_accept_other(struct cache *u, u32 bank, u32 user,
                                    const struct message *request, cycle now)
{
    u32 kind = request->kind & MEMORY_KIND;
    if (kind == MEMORY_FENCE)
        return cache_fence(u, bank, user, request, now);
    if (u->sweeping)
        return STALL_FENCE;
    if (!request_fits(request)) {
        struct message *answer = cache_answer(u, bank, user, now);
        *answer = *request;
        answer->kind = MEMORY_FAULT;
        return STALL_NONE;
    }
    struct cache_home home;
    home_find_in(u, cache_local(u, request->address), bank, &home);
    bool passes = request_passes(u, request, home.local);
    enum cache_stall stall = request_room(u, &home, request, passes);
    if (stall != STALL_NONE)
        return stall;
    home.line = cache_find(u, &home);
    if (passes) {
        stall = pass_accept(u, &home, user, request, now);
    } else if (kind == MEMORY_PREFETCH) {
        prefetch_begin(u, home.local, request->source, now);
        return STALL_NONE;
    } else {
        stall = kind == MEMORY_WRITE ? write_accept(u, &home, user, request, now)
                                     : atomic_accept(u, &home, user, request, now);
        u->s.lookups += stall == STALL_NONE;
    }
    if (stall != STALL_NONE)
        return stall;
    u->s.reads += kind == MEMORY_READ;
    u->s.writes += kind == MEMORY_WRITE;
    u->s.atomics += kind == MEMORY_AMO;
    return STALL_NONE;
}
