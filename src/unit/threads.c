/* threads.c - hands out consecutive numbers: the ids of the threads of a program.
 *
 * A request asks for one number, or for data.dword[0] of them if it comes from another unit of this
 * kind; the answer is the first, and how many there are: fewer, if the block ends there. Only who
 * asks for one sees the numbers of chosen pieces; all between counts as ever. With a `next` unit,
 * numbers come from there in blocks of `block`; without one, this is where the count is. One
 * request per cycle, users in turn. Always true: no number is given twice; the numbers of one block
 * are given in order. */
#include "ogive/explain.h"
#include "ogive/unit.h"
#include "unit/parts/published.h"
#include "unit/shipped_customs.h"

#define THREADS_PARAMS(P) \
    P(number, block, 32, 1, 1048576, "numbers fetched at a time from the next unit")

#define THREADS_STATS(S)                                 \
    S(given, "numbers", SUM, WORK, "numbers handed out") \
    S(blocks, "requests", SUM, WORK, "blocks fetched from the next unit")

#define THREADS_RATIOS(R)

#define THREADS_ENERGY(E) E(number, given, PJ_INT_ADD, "an integer addition; SimTRaX, 65 nm")

#define THREADS_PORTS(T)                        \
    T(users, SERVES, SOME, "who takes numbers") \
    T(next, ASKS, MAYBE, "where blocks come from")

struct threads {
    struct unit base;
    UNIT_FIELDS(THREADS)
    const struct unit_pieces *chosen; /* NULL: all */
    u64 next, end;                    /* numbers at hand */
    u32 turn;
    bool fetching;
};

static bool threads_init(struct unit *unit, struct ogv_error *error)
{
    struct threads *u = (struct threads *)unit;
    (void)error;
    u->end = u->w.next.count ? 0 : UINT64_MAX;
    return true;
}

static void threads_choose(struct unit *unit, const struct unit_pieces *chosen)
{
    ((struct threads *)unit)->chosen = chosen;
}

static void threads_receive(struct threads *u)
{
    struct link *in = u->w.next.count ? u->w.next.at[0].in : NULL;
    const struct message *answer = in ? link_peek(in) : NULL;
    if (!answer)
        return;
    u->next = answer->data.dword[0];
    u->end = u->next + answer->data.dword[1];
    u->fetching = false;
    link_pop(in);
    unit_release(&u->base, 1);
}

/* True if the block is under way. */
static bool threads_fetch(struct threads *u)
{
    struct link *out = u->w.next.at[0].out;
    if (u->fetching || !link_can_push(out))
        return u->fetching;
    struct message *request = link_push(out);
    request->kind = MESSAGE_NEXT;
    request->size_bytes = 8;
    request->tag = 0;
    request->data.dword[0] = u->p.block;
    u->fetching = true;
    u->s.blocks++;
    unit_hold(&u->base, 1);
    return true;
}

/* Answers one user; false if nobody asks or the answer has no room. */
static bool threads_give(struct threads *u)
{
    u32 user = ports_arrived(&u->w.users, u->turn);
    if (user == NOBODY)
        user = ports_arrived(&u->w.users, 0);
    if (user == NOBODY)
        return false;
    if (u->next == u->end) {
        threads_fetch(u);
        return false;
    }
    struct port *port = &u->w.users.at[user];
    if (!link_can_push(port->out))
        return false;
    const struct message *request = link_peek(port->in);
    bool one = !request->data.dword[0];
    u64 count = min_u64(one ? 1 : request->data.dword[0], u->end - u->next);
    struct message *answer = link_push(port->out);
    *answer = *request;
    answer->data.dword[0] = one ? unit_piece(u->chosen, u->next) : u->next;
    answer->data.dword[1] = count;
    u->next += count;
    u->s.given += count;
    link_pop(port->in);
    u->turn = user + 1;
    return true;
}

static cycle threads_tick(struct unit *unit, cycle now)
{
    struct threads *u = (struct threads *)unit;
    threads_receive(u);
    return threads_give(u) && ports_arrived(&u->w.users, 0) != NOBODY ? now + 1 : NEVER;
}

static const struct resource_row threads_resource_rows[] = {
    { .name = "answers", .kind = RESOURCE_DELAY, .held = "users_room + users_answer" },
    { 0 },
};

UNIT_TYPE(threads, THREADS, "dispenser of thread numbers", .init = threads_init,
          .tick = threads_tick, .pieces = "given", .choose = threads_choose, UNIT_ENERGY(THREADS),
          .resources = threads_resource_rows)
