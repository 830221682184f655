/* grid.c - hands the numbers of a grid's thread blocks to the SMs of a chip.
 *
 * Its users are `blocks` units, which ask for as many blocks as they have room for and tell when
 * one has ended. When all of them have asked, numbers are given one per cycle, users in turn. When
 * all blocks have ended, those that still ask are told that the grid is over: not before, so that
 * nobody goes on while a block runs. An ask carries the number of the grid that it belongs to; one
 * that comes late is told the same. Always true: given >= ended; no number is given twice. */
#include "ogive/explain.h"
#include "ogive/unit.h"
#include "unit/parts/published.h"
#include "unit/shipped_customs.h"

#define GRID_PARAMS(P)

#define GRID_STATS(S)                                         \
    S(grids, "grids", SUM, WORK, "grids that came to an end") \
    S(given, "blocks", SUM, WORK, "numbers of blocks handed out")

#define GRID_RATIOS(R)

#define GRID_ENERGY(E) E(number, given, PJ_INT_ADD, "an integer addition; SimTRaX, 65 nm")

#define GRID_PORTS(T)  T(users, SERVES, SOME, "units `blocks` of the SMs")

struct grid_user {
    u32 asks; /* for blocks of the grid that runs */
    u32 late; /* of one that is over */
    bool come;
};

struct grid {
    struct unit base;
    UNIT_FIELDS(GRID)
    struct grid_user *users;
    u64 number; /* of the grid */
    u64 blocks, given, ended;
    u32 come, turn;
};

static bool grid_init(struct unit *unit, struct ogv_error *error)
{
    struct grid *u = (struct grid *)unit;
    u->users = unit_alloc(unit, u->w.users.count, sizeof *u->users, error);
    return u->users;
}

static void grid_take(struct grid *u, struct grid_user *user, const struct message *message)
{
    if (message->kind == MESSAGE_BLOCK_END) {
        u->ended++;
        return;
    }
    unit_hold(&u->base, 1);
    if (message->data.dword[1] != u->number) {
        user->late++;
        return;
    }
    u->blocks = message->data.dword[0];
    u->come += !user->come;
    user->come = true;
    user->asks++;
}

static void grid_receive(struct grid *u)
{
    const struct ports *users = &u->w.users;
    for (u32 i = ports_arrived(users, 0); i != NOBODY; i = ports_arrived(users, i + 1)) {
        grid_take(u, &u->users[i], link_peek(users->at[i].in));
        link_pop(users->at[i].in);
    }
}

static void grid_answer(struct grid *u, u32 user, u64 number)
{
    struct message *answer = link_push(u->w.users.at[user].out);
    *answer = (struct message){ .kind = MESSAGE_BLOCK_ASK, .size_bytes = 8 };
    answer->data.dword[0] = number;
    unit_release(&u->base, 1);
}

/* One block, to the next user that asks and has room for the answer; false: there is none. */
static bool grid_give(struct grid *u)
{
    for (u32 i = 0; i < u->w.users.count; i++) {
        u32 user = (u->turn + i) % u->w.users.count;
        if (!u->users[user].asks || !link_can_push(u->w.users.at[user].out))
            continue;
        u->users[user].asks--;
        u->turn = user + 1;
        u->s.given++;
        grid_answer(u, user, u->given++);
        return true;
    }
    return false;
}

static void grid_end(struct grid *u)
{
    for (u32 i = 0; i < u->w.users.count; i++) {
        struct grid_user *user = &u->users[i];
        *user = (struct grid_user){ .late = user->late + user->asks };
    }
    u->number++;
    u->s.grids++;
    u->given = u->ended = u->come = u->turn = 0;
}

static void grid_answer_late(struct grid *u)
{
    for (u32 i = 0; i < u->w.users.count; i++)
        for (; u->users[i].late && link_can_push(u->w.users.at[i].out); u->users[i].late--)
            grid_answer(u, i, BLOCKS_DONE);
}

static cycle grid_tick(struct unit *unit, cycle now)
{
    struct grid *u = (struct grid *)unit;
    grid_receive(u);
    bool runs = u->come == u->w.users.count, gave = false;
    if (runs && u->given < u->blocks)
        gave = grid_give(u);
    else if (runs && u->ended == u->blocks)
        grid_end(u);
    grid_answer_late(u);
    return gave || ports_arrived(&u->w.users, 0) != NOBODY ? now + 1 : NEVER;
}

static void grid_waits(const struct unit *unit, struct unit_words *words)
{
    const struct grid *u = (const struct grid *)unit;
    if (u->come && u->come < u->w.users.count)
        unit_say(words, "%u of %u SMs have come to a launch", u->come, u->w.users.count);
    else if (u->come)
        unit_say(words, "%llu of %llu blocks have ended", (unsigned long long)u->ended,
                 (unsigned long long)u->blocks);
}

static const struct resource_row grid_resource_rows[] = {
    { .name = "answers", .kind = RESOURCE_DELAY, .held = "users_room + users_answer" },
    { 0 },
};

UNIT_TYPE(grid, GRID, "gives thread blocks of a grid to SMs", .init = grid_init, .tick = grid_tick,
          .waits = grid_waits, .pieces = "given", UNIT_ENERGY(GRID),
          .resources = grid_resource_rows)
