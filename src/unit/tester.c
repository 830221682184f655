/* tester.c - asks a memory for random reads and writes and checks every answer.
 *
 * Each copy uses words of its own: [ordinal x span, (ordinal + 1) x span). It remembers what it
 * wrote, and never has two requests for the same word under way, so that each answer has one right
 * value. Always true: asked = answered + requests under way; `wrong` stays zero on a memory that
 * works. */
#include "ogive/memory.h"
#include "ogive/random.h"
#include "ogive/unit.h"

#define TESTER_PARAMS(P)                                                         \
    P(number, requests, 1000, 1, UINT64_MAX, "requests to make")                 \
    P(number, outstanding, 8, 1, 4096, "requests that may be under way at once") \
    P(bytes, span, 4 * KiB, 8, 1 * GiB, "memory that one copy uses")             \
    P(real, writes, 0.5, 0.0, 1.0, "share of writes among the requests")         \
    P(number, seed, 1, 0, UINT64_MAX, "of the random numbers; each copy differs")

#define TESTER_STATS(S)                                                                       \
    S(asked, "requests", SUM, WORK, "requests sent")                                          \
    S(answered, "requests", SUM, WORK, "answers received")                                    \
    S(wrong, "requests", SUM, WORK, "answers that were not what had been written, or faults") \
    S(latency, "cycles", SUM, WORK, "chip cycles from request to answer, over all answers")

#define TESTER_RATIOS(R) R(latency_mean, latency, answered, "cycles", "average time to an answer")

#define TESTER_PORTS(T)  T(memory, ASKS, SOME, "memories to test; several must be linked by address")

struct tester_word {
    u64 value;
    cycle asked; /* chip cycle of the request that is under way; NEVER: none is */
};

struct tester {
    struct unit base;
    UNIT_FIELDS(TESTER)
    struct tester_word *words;
    u64 random;
    u64 next; /* word of the next request */
    bool next_writes;
};

static void tester_plan(struct tester *u)
{
    u->next = random_below(&u->random, u->p.span / 8);
    u->next_writes = (double)random_below(&u->random, 1 << 20) < u->p.writes * (1 << 20);
}

static bool tester_init(struct unit *unit, struct ogv_error *error)
{
    struct tester *u = (struct tester *)unit;
    if (u->w.memory.count > 1 && !u->w.memory.route.interleave)
        return unit_refuse(error,
                           "has %u memories, but its links do not say which address goes "
                           "where; add `by: address, interleave: ...` to the link",
                           u->w.memory.count);
    u->words = unit_alloc(unit, u->p.span / 8, sizeof *u->words, error);
    if (!u->words)
        return false;
    for (u64 i = 0; i < u->p.span / 8; i++)
        u->words[i].asked = NEVER;
    u->random = u->p.seed * UINT64_C(0xa0761d6478bd642f) + unit->ordinal;
    tester_plan(u);
    unit_hold(unit, 1);
    return true;
}

static u64 tester_address(const struct tester *u, u64 word)
{
    return u->base.ordinal * u->p.span + word * 8;
}

static void tester_check(struct tester *u, const struct message *answer)
{
    struct tester_word *word = &u->words[answer->tag];
    bool right = answer->kind == MEMORY_WRITE ||
                 (answer->kind == MEMORY_READ && answer->data.dword[0] == word->value);
    u->s.wrong += !right;
    u->s.latency += u->base.domain->now - word->asked;
    u->s.answered++;
    word->asked = NEVER;
    unit_progress(&u->base);
    if (u->s.answered == u->p.requests)
        unit_release(&u->base, 1);
}

/* Sends the planned request if it can be sent now. */
static bool tester_ask(struct tester *u)
{
    u64 address = tester_address(u, u->next);
    u32 way = u->w.memory.count > 1 ? route_way(&u->w.memory.route, address) : 0;
    struct link *out = u->w.memory.at[way].out;
    struct tester_word *word = &u->words[u->next];
    bool allowed = u->s.asked < u->p.requests && u->s.asked - u->s.answered < u->p.outstanding;
    if (!allowed || word->asked != NEVER || !link_can_push(out))
        return false;
    struct message *request = link_push(out);
    request->address = address;
    request->tag = (u32)u->next;
    request->source = u->base.ordinal;
    request->size_bytes = 8;
    request->mask = 0xff;
    request->kind = u->next_writes ? MEMORY_WRITE : MEMORY_READ;
    if (u->next_writes)
        word->value = request->data.dword[0] = random_next(&u->random);
    word->asked = u->base.domain->now;
    u->s.asked++;
    tester_plan(u);
    return true;
}

static cycle tester_tick(struct unit *unit, cycle now)
{
    struct tester *u = (struct tester *)unit;
    const struct ports *memory = &u->w.memory;
    for (u32 i = ports_pending(memory, 0); i != NOBODY; i = ports_pending(memory, i + 1)) {
        struct link *in = u->w.memory.at[i].in;
        const struct message *answer = link_peek(in);
        if (answer) {
            tester_check(u, answer);
            link_pop(in);
        }
    }
    return tester_ask(u) ? now + 1 : NEVER;
}

UNIT_TYPE(tester, TESTER, "memory tester", .init = tester_init, .tick = tester_tick)
