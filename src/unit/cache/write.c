/* write.c - what becomes of writes and atomic operations.
 *
 * A write goes to bytes that are here, waits for those that are on their way, or finds a place, as
 * `write_miss` says; below learns of it at once or when its line leaves, as `write` says. */
#include "unit/cache/miss.h"

/* Executes an atomic operation in a piece. */
void cache_apply_atomic(struct cache *u, struct message *message, struct cache_piece piece)
{
    u32 bytes = request_bytes(message);
    u8 *at = piece.data + message->address % MEMORY_SECTOR;
    if (atomic_execute(&u->base, &u->reservations, message, at))
        tags_make_dirty(&u->tags, piece.line, piece.index, bytes);
    u->s.bytes_answered += message->size_bytes;
}

enum cache_stall atomic_accept(struct cache *u, struct cache_home *home, u32 user,
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

enum cache_stall write_accept(struct cache *u, struct cache_home *home, u32 user,
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

bool ghost_write(struct cache *u, struct cache_home *home, const struct message *request, cycle now)
{
    u32 pending;
    enum write_case found = write_decide(u, home, request, &pending);
    if (!writes_through(u) && (found == WRITE_HERE || found == WRITE_PLACED)) {
        if (write_find_line(u, home, 0, request->source, now) != STALL_NONE)
            return false;
        write_apply(u, home, request, true);
    }
    u->s.hits += found == WRITE_HERE;
    u->s.half_misses += found == WRITE_PENDING;
    u->s.misses += found != WRITE_HERE && found != WRITE_PENDING;
    return true;
}
