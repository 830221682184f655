/* blocks_stand.h - block schedulers and the chip's grid unit on the bench, with mock sub-cores
 * whose warps take part in grids. */
#ifndef TESTS_UNIT_BLOCKS_STAND_H
#define TESTS_UNIT_BLOCKS_STAND_H

#include "unit/bench_unit.h"
#include "unit/shipped_customs.h"

#define USERS_MAX 8
#define WARPS_MAX 16
#define TOLD_MAX  256

/* ---- Sub-cores ---- */

enum deed { DEED_NONE, DEED_NEXT, DEED_BARRIER };

struct warp {
    enum deed next;
    cycle due;
    u32 launches, barriers; /* that are left */
    u64 place;              /* of its block, as the answer had it */
};

/* What an answer said. */
struct told {
    cycle at;
    u32 warp, kind;
    u64 first, second;
};

/* Each of its warps takes part in `launches` grids; in a block it works for some cycles, and again
 * after each barrier. */
struct user {
    struct mock *mock; /* holds work until its last warp has left its last grid */
    u32 warps;
    cycle from, works;
    u32 barriers, launches;
    u64 grid, shared; /* as messages have them */
    struct warp warp[WARPS_MAX];
    u32 count;
    struct told told[TOLD_MAX];
};

extern struct user users[USERS_MAX];
extern u32 user_count;

/* ---- The stand ---- */

struct stand {
    struct sim *sim;
    struct domain *domain;
    struct unit *grid;
};

struct stand stand_create(void);
/* Joined to the grid unit, which is one cycle away. */
struct unit *add_blocks(struct stand *stand);
/* A sub-core that takes part in a grid of so many blocks, with so many threads each; its links have
 * room for `capacity` messages, or for plenty. */
struct user *add_narrow_user(struct stand *stand, struct unit *blocks, u32 warps, u64 grid_blocks,
                             u64 threads, u32 capacity);
struct user *add_user(struct stand *stand, struct unit *blocks, u32 warps, u64 grid_blocks,
                      u64 threads);
/* A block has so many registers of a thread and bytes that it shares. */
void user_needs(struct user *user, u64 registers, u64 shared);
/* Initialises the unit, whose users are those from `first` on. */
void blocks_init_among(struct unit *unit, u32 first);
/* Initialises the grid unit and runs to the end. */
enum sim_end stand_go(struct stand *stand);

/* One SM with four sub-cores of so many warps. */
struct sm {
    struct stand stand;
    struct unit *blocks;
    struct user *user[4];
};

struct sm sm_create(u32 warps, u64 grid_blocks, u64 threads);
void sm_go(struct sm *sm);
void expect_told(const struct user *user, u32 index, cycle at, u64 first, u64 second);

/* Parts of answers: a block and its place, its first thread there and where its memory begins. */
#define BLOCK(number, place)          ((u64)(number) | (u64)((place) + 1) << 32)
#define PART(first_thread, shared_at) ((u64)(first_thread) | (u64)(shared_at) << 32)

#endif
