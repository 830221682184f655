/* l0.c - the L0 instruction cache of a sub-core, and the lines that it waits for.
 *
 * A line that is missing is asked for sector by sector, one in a cycle, and is in the cache when
 * the last of them has come. With it the stream buffer begins anew behind that line: it keeps
 * those of the next `stream` lines that the cache does not have, under way or here. A line that is
 * needed and found there moves to the cache, and the stream goes on behind it. Where the stream
 * begins anew, what it held is given up: lines that were asked for still come, and are dropped.
 *
 * Always true: demanded and streamed have no line in common and are parts of used; a line is in at
 * most one place, the cache or one of `lines`, unless it was given up there. */
#include "unit/subcore/l0.h"

#include "ogive/memory.h"
#include "unit/subcore/subcore.h"

#define PLACE(place) (UINT64_C(1) << (place))

/* ---- Tags ---- */

static u32 *set_of(const struct l0 *l0, u32 line)
{
    return l0->tags + (l0->first + line) % l0->sets * l0->ways;
}

/* Puts a line first, where the one at `way` has been. */
static void set_use(u32 *set, u32 way, u32 line)
{
    for (; way; way--)
        set[way] = set[way - 1];
    set[0] = line + 1;
}

static u32 set_find(const u32 *set, u32 ways, u32 line)
{
    for (u32 way = 0; way < ways; way++)
        if (set[way] == line + 1)
            return way;
    return NOBODY;
}

static bool tags_have(const struct l0 *l0, u32 line)
{
    return set_find(set_of(l0, line), l0->ways, line) != NOBODY;
}

static bool tags_look(const struct l0 *l0, u32 line)
{
    u32 *set = set_of(l0, line), way = set_find(set, l0->ways, line);
    if (way != NOBODY)
        set_use(set, way, line);
    return way != NOBODY;
}

static void tags_fill(const struct l0 *l0, u32 line)
{
    set_use(set_of(l0, line), l0->ways - 1, line);
}

/* ---- Lines under way ---- */

static bool line_is_here(const struct l0_line *line)
{
    return line->come == line->wanted;
}

/* Of those that were not given up. */
static u32 line_find(const struct l0 *l0, u32 line)
{
    for (u64 left = l0->demanded | l0->streamed; left; left &= left - 1)
        if (l0->lines[__builtin_ctzll(left)].line == line)
            return (u32)__builtin_ctzll(left);
    return NOBODY;
}

static void line_free(struct l0 *l0, u32 place)
{
    u64 others = ~PLACE(place);
    l0->used &= others;
    l0->demanded &= others;
    l0->streamed &= others;
}

/* There must be a place. */
static u64 line_ask(struct l0 *l0, u32 line)
{
    u32 place = (u32)__builtin_ctzll(~l0->used);
    l0->lines[place] = (struct l0_line){ .line = line, .wanted = (u8)l0->sectors };
    l0->used |= PLACE(place);
    l0->queued |= PLACE(place);
    l0->queue[(l0->head + l0->length++) % L0_UNDER_WAY_MAX] = (u8)place;
    return PLACE(place);
}

/* What was asked for of it is waited for, so that its place is known to be free. */
static void line_give_up(struct l0 *l0, u32 place)
{
    struct l0_line *line = &l0->lines[place];
    line->wanted = line->sent;
    l0->streamed &= ~PLACE(place);
    if (line_is_here(line) && !(l0->queued & PLACE(place)))
        line_free(l0, place);
}

/* ---- The stream ---- */

static u32 count_of(u64 places)
{
    return (u32)__builtin_popcountll(places);
}

/* Lines that were given up take places until they have come. */
static void stream_go_on(struct subcore *u)
{
    struct l0 *l0 = &u->front.l0;
    while (l0->stream_next <= l0->stream_last && count_of(l0->used & ~l0->demanded) < u->p.stream) {
        u32 line = l0->stream_next++;
        if (tags_have(l0, line) || line_find(l0, line) != NOBODY)
            continue;
        l0->streamed |= line_ask(l0, line);
        u->s.stream_lines++;
    }
}

/* The lines behind one that is needed are what is worth fetching ahead. */
static void stream_follow(struct subcore *u, u32 line)
{
    struct l0 *l0 = &u->front.l0;
    for (u64 left = l0->streamed; left; left &= left - 1)
        if (l0->lines[__builtin_ctzll(left)].line < line)
            line_give_up(l0, (u32)__builtin_ctzll(left));
    l0->stream_last = (u32)min_u64(l0->last_line, line + u->p.stream);
    stream_go_on(u);
}

static void stream_begin(struct subcore *u, u32 line)
{
    struct l0 *l0 = &u->front.l0;
    for (u64 left = l0->streamed; left; left &= left - 1)
        line_give_up(l0, (u32)__builtin_ctzll(left));
    l0->stream_next = line + 1;
    stream_follow(u, line);
}

static bool misses_full(const struct subcore *u)
{
    return count_of(u->front.l0.demanded) >= u->p.l0_mshrs;
}

/* A line of the stream is needed. */
static enum l0_found stream_take(struct subcore *u, u32 place)
{
    struct l0 *l0 = &u->front.l0;
    const struct l0_line *line = &l0->lines[place];
    enum l0_found found = line_is_here(line) ? L0_HERE : L0_AWAITED;
    if (found == L0_AWAITED && misses_full(u))
        return L0_NO_ROOM;
    l0->streamed &= ~PLACE(place);
    l0->demanded |= PLACE(place);
    u->s.stream_hits++;
    if (found == L0_HERE) {
        tags_fill(l0, line->line);
        line_free(l0, place);
    }
    stream_follow(u, line->line);
    return found;
}

/* ---- Fetches ---- */

static enum l0_found line_demand(struct subcore *u, u32 line)
{
    struct l0 *l0 = &u->front.l0;
    if (misses_full(u))
        return L0_NO_ROOM;
    l0->demanded |= line_ask(l0, line);
    u->s.l0_lines++;
    stream_begin(u, line);
    return L0_AWAITED;
}

enum l0_found l0_look(struct subcore *u, u32 line)
{
    struct l0 *l0 = &u->front.l0;
    if (!l0->tags || tags_look(l0, line)) {
        u->s.l0_hits += l0->tags != NULL;
        return L0_HERE;
    }
    u32 place = line_find(l0, line);
    enum l0_found found = place == NOBODY               ? line_demand(u, line)
                          : l0->demanded & PLACE(place) ? L0_AWAITED
                                                        : stream_take(u, place);
    u->s.l0_misses += found != L0_NO_ROOM;
    return found;
}

/* ---- Wires ---- */

static void sector_send(struct subcore *u, u32 place, struct link *out)
{
    struct l0 *l0 = &u->front.l0;
    struct l0_line *line = &l0->lines[place];
    struct message *message = link_push(out);
    message->address = (l0->first + line->line) * u->p.l0_line + line->sent * MEMORY_SECTOR;
    message->tag = SUBCORE_TAG_TEXT | place;
    message->source = u->first_hart;
    message->kind = MEMORY_READ;
    message->size_bytes = MEMORY_SECTOR;
    message->missed = 0;
    line->sent++;
}

/* Whoever has nothing to send leaves the queue. */
static u32 queue_first(struct l0 *l0)
{
    while (l0->length) {
        u32 place = l0->queue[l0->head];
        struct l0_line *line = &l0->lines[place];
        if (line->sent < line->wanted)
            return place;
        l0->queued &= ~PLACE(place);
        l0->head = (l0->head + 1) % L0_UNDER_WAY_MAX;
        l0->length--;
        if (line_is_here(line)) /* it was given up before anything was sent */
            line_free(l0, place);
    }
    return NOBODY;
}

void l0_send(struct subcore *u)
{
    struct l0 *l0 = &u->front.l0;
    struct link *out = u->w.units.at[u->executors.instructions].out;
    u32 place = queue_first(l0);
    l0->refused = place != NOBODY && !link_can_push(out);
    if (place == NOBODY || l0->refused)
        return;
    sector_send(u, place, out);
    queue_first(l0);
    stream_go_on(u);
}

/* Data that are not there take as long as any: the address was never the program's. */
u32 l0_answer(struct subcore *u, u32 tag)
{
    struct l0 *l0 = &u->front.l0;
    u32 place = tag & ~SUBCORE_TAG_TEXT;
    struct l0_line *line = &l0->lines[place];
    line->come++;
    if (!line_is_here(line) || l0->queued & PLACE(place) || l0->streamed & PLACE(place))
        return NOBODY;
    bool demanded = l0->demanded & PLACE(place);
    if (demanded)
        tags_fill(l0, line->line);
    line_free(l0, place);
    stream_go_on(u);
    return demanded ? line->line : NOBODY;
}

/* ---- Building ---- */

bool l0_init(struct subcore *u, struct ogv_error *error)
{
    struct l0 *l0 = &u->front.l0;
    u64 set_bytes = u->p.l0_ways * u->p.l0_line;
    if (!is_power_of_two(u->p.l0_line))
        return unit_refuse(error, "l0_line must be a power of two");
    if (!u->p.l0_size)
        return true;
    if (u->p.l0_size % set_bytes)
        return unit_refuse(error, "l0_size must be a multiple of l0_ways x l0_line, here %llu B",
                           (unsigned long long)set_bytes);
    if (u->executors.instructions == PORT_NONE)
        return unit_refuse(error, "l0_size needs a unit that lines come from: add `fetch: NAME` to "
                                  "`execute`");
    l0->ways = (u32)u->p.l0_ways;
    l0->sets = (u32)(u->p.l0_size / set_bytes);
    l0->sectors = (u32)u->p.l0_line / MEMORY_SECTOR;
    u64 places = u->p.l0_mshrs + u->p.stream;
    return (l0->tags =
                unit_alloc(&u->base, u->p.l0_size / u->p.l0_line, sizeof *l0->tags, error)) &&
           (l0->lines = unit_alloc(&u->base, places, sizeof *l0->lines, error));
}

void l0_start(struct l0 *l0, u64 line_bytes, u64 begin, u64 end)
{
    l0->first = begin / line_bytes;
    l0->last_line = (u32)((end - 1) / line_bytes - l0->first);
    l0->stream_next = 1;
}
