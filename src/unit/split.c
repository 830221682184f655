/* split.c - a fork in the way to memory: reads of the scene's treelets go to the scene buffer,
 * everything else goes on to memory.
 *
 * Moves up to `width` requests and as many answers per cycle, in order; answers of the two ways in
 * turn. Before there are treelets, everything goes on to memory.
 * Always true: nothing stays here; a request that cannot go on waits in its link. */
#include "ogive/explain.h"
#include "ogive/memory.h"
#include "ogive/stream_role.h"

#define SPLIT_PARAMS(P) P(number, width, 4, 1, 64, "requests, and answers, that pass per cycle")

#define SPLIT_STATS(S)                                                        \
    S(scene, "requests", SUM, WORK, "requests that went to the scene buffer") \
    S(others, "requests", SUM, WORK, "requests that went on to memory")       \
    S(answers, "answers", SUM, WORK, "answers given back")

#define SPLIT_RATIOS(R)

#define SPLIT_ENERGY(E) E(message, answers, COST_UNKNOWN, "no number is published")

#define SPLIT_PORTS(T)                                      \
    T(users, SERVES, ONE, "a cache whose misses come here") \
    T(scene, ASKS, ONE, "the scene buffer")                 \
    T(memory, ASKS, SOME, "memory; more than one must be linked `by: address`")

struct split {
    struct unit base;
    UNIT_FIELDS(SPLIT)
    u64 first, end; /* addresses of treelets */
    u32 turn;       /* the way whose answers are looked at first: 0 is the scene buffer */
};

static bool split_init(struct unit *unit, struct ogv_error *error)
{
    const struct split *u = (const struct split *)unit;
    if (u->w.memory.count > 1 && !u->w.memory.route.interleave)
        return unit_refuse(error, "has %u memories; link them `by: address`", u->w.memory.count);
    return true;
}

static bool split_place(struct unit *unit, const struct stream_place *place,
                        struct ogv_error *error)
{
    struct split *u = (struct split *)unit;
    (void)error;
    u->first = place->treelets;
    u->end = place->treelets + (u64)rt_treelet_stride(place->treelet_bytes) * place->treelet_count;
    return true;
}

static struct link *memory_link(const struct split *u, u64 address)
{
    const struct ports *memory = &u->w.memory;
    return memory->at[memory->count > 1 ? route_way(&memory->route, address) : 0].out;
}

static bool is_of_scene(const struct split *u, const struct message *request)
{
    u32 kind = request->kind & MEMORY_KIND;
    return (kind == MEMORY_READ || kind == MEMORY_PREFETCH) && request->address >= u->first &&
           request->address < u->end;
}

static bool request_pass(struct split *u)
{
    struct link *in = u->w.users.at[0].in;
    const struct message *request = link_peek(in);
    bool scene = request && is_of_scene(u, request);
    struct link *out = !request ? NULL
                       : scene  ? u->w.scene.at[0].out
                                : memory_link(u, request->address);
    if (!out || !link_can_push(out))
        return false;
    *link_push(out) = *request;
    link_pop(in);
    u->s.scene += scene;
    u->s.others += !scene;
    return true;
}

/* The link of a way, counted from the scene buffer on, with an answer; NULL: none. */
static struct link *answer_next(struct split *u)
{
    u32 ways = u->w.memory.count + 1;
    for (u32 n = 0; n < ways; n++) {
        u32 way = (u->turn + n) % ways;
        struct link *in = way ? u->w.memory.at[way - 1].in : u->w.scene.at[0].in;
        if (!link_peek(in))
            continue;
        u->turn = (way + 1) % ways;
        return in;
    }
    return NULL;
}

static bool answer_pass(struct split *u)
{
    struct link *out = u->w.users.at[0].out;
    bool any = ports_any(&u->w.scene) || ports_any(&u->w.memory);
    struct link *in = any && link_can_push(out) ? answer_next(u) : NULL;
    if (!in)
        return false;
    *link_push(out) = *link_peek(in);
    link_pop(in);
    u->s.answers++;
    return true;
}

static cycle split_tick(struct unit *unit, cycle now)
{
    struct split *u = (struct split *)unit;
    u64 passed = 0, answered = 0;
    while (passed < u->p.width && request_pass(u))
        passed++;
    while (answered < u->p.width && answer_pass(u))
        answered++;
    return passed == u->p.width || answered == u->p.width ? now + 1 : NEVER;
}

static struct link *split_toward(struct unit *unit, u64 *address)
{
    return memory_link((struct split *)unit, *address);
}

static const struct resource_row split_resource_rows[] = {
    { .name = "passing",
      .kind = RESOURCE_WORK,
      .capacity = "width",
      .used = "scene + others",
      .held = "users_room" },
    { .name = "links", .kind = RESOURCE_LINKS, .used = "scene + others" },
    { 0 },
};

static const struct stream_role split_streams = { .place = split_place };

UNIT_TYPE(split, SPLIT, "fork between scene buffer and memory", .init = split_init,
          .tick = split_tick, .toward = split_toward, UNIT_ENERGY(SPLIT),
          .resources = split_resource_rows, .streams = &split_streams)
