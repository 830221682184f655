/* blocks_stand.c - see blocks_stand.h. */
#include "unit/blocks_stand.h"

#include <string.h>

#include "unit/registry.h"
#include "unit/subcore/subcore.h"

extern const struct unit_type unit_type_blocks, unit_type_grid;

struct user users[USERS_MAX];
u32 user_count;

static void warp_told(struct user *user, struct warp *warp, const struct message *answer, cycle now)
{
    bool block = answer->kind == MESSAGE_BLOCK_NEXT && answer->data.dword[0] < BLOCKS_REFUSED;
    bool left = answer->kind == MESSAGE_BLOCK_NEXT && !block;
    if (block) {
        warp->place = answer->data.dword[0] >> 32;
        warp->barriers = user->barriers;
    } else if (left) {
        warp->place = 0;
        warp->launches--;
        unit_release(&user->mock->base, 1);
    } else {
        warp->barriers--;
    }
    warp->next = warp->barriers ? DEED_BARRIER : warp->launches ? DEED_NEXT : DEED_NONE;
    warp->due = left ? now : now + user->works;
}

static void user_take(struct user *user, struct mock *mock, cycle now)
{
    for (const struct message *answer; (answer = link_peek(mock->in[0])); link_pop(mock->in[0])) {
        user->told[user->count++ % TOLD_MAX] =
            (struct told){ now, answer->tag, answer->kind, answer->data.dword[0],
                           answer->data.dword[1] };
        warp_told(user, &user->warp[answer->tag], answer, now);
    }
}

static void warp_send(const struct user *user, struct warp *warp, struct mock *mock)
{
    struct message *message = link_push(mock->out[0]);
    *message = (struct message){ .tag = (u32)(warp - user->warp), .size_bytes = 16, .mask = 32 };
    if (warp->next == DEED_NEXT) {
        message->kind = MESSAGE_BLOCK_NEXT;
        message->data.dword[0] = user->grid;
        message->data.dword[1] = user->shared | warp->place << 32;
    } else {
        message->kind = MESSAGE_BLOCK_BARRIER;
        message->data.dword[0] = warp->place << 32;
    }
    warp->next = DEED_NONE;
}

static cycle step_warps(struct mock *mock, cycle now)
{
    struct user *user = &users[mock->value];
    cycle next = NEVER;
    user_take(user, mock, now);
    for (u32 i = 0; i < user->warps; i++) {
        struct warp *warp = &user->warp[i];
        if (warp->next && warp->due <= now && link_can_push(mock->out[0]))
            warp_send(user, warp, mock);
        else if (warp->next)
            next = min_u64(next, max_u64(warp->due, now + 1));
    }
    return next;
}

/* ---- The stand ---- */

struct stand stand_create(void)
{
    struct stand stand = { .sim = bench_create() };
    stand.domain = bench_domain(stand.sim);
    stand.grid = bench_unit(stand.sim, stand.domain, &unit_type_grid, NO_CLOCK);
    memset(users, 0, sizeof users);
    user_count = 0;
    return stand;
}

struct unit *add_blocks(struct stand *stand)
{
    struct unit *unit = bench_unit(stand->sim, stand->domain, &unit_type_blocks, NO_CLOCK);
    bench_ask(stand->sim, unit, "next", stand->grid, "users", 1, 4);
    return unit;
}

struct user *add_narrow_user(struct stand *stand, struct unit *blocks, u32 warps, u64 grid_blocks,
                             u64 threads, u32 capacity)
{
    struct user *user = &users[user_count];
    struct mock *mock = bench_mock(stand->sim, stand->domain, step_warps);
    mock->value = user_count++;
    bench_join(stand->sim, blocks, "users", mock, 1, capacity);
    *user = (struct user){ .mock = mock, .warps = warps, .works = 100, .launches = 1 };
    user->grid = grid_blocks | threads << 32;
    return user;
}

struct user *add_user(struct stand *stand, struct unit *blocks, u32 warps, u64 grid_blocks,
                      u64 threads)
{
    return add_narrow_user(stand, blocks, warps, grid_blocks, threads, 16);
}

void user_needs(struct user *user, u64 registers, u64 shared)
{
    user->grid |= registers << 48;
    user->shared = shared;
}

/* A mock has no threads of programs that the unit could ask for: a sub-core stands in for it. */
void blocks_init_among(struct unit *unit, u32 first)
{
    struct ports *ports = bench_ports(unit, "users");
    static struct subcore stands_in[USERS_MAX];
    struct unit *writers[USERS_MAX];
    for (u32 i = 0; i < ports->count; i++) {
        stands_in[i].base.type = (u16)registry_find("subcore");
        stands_in[i].p.warps = users[first + i].warps;
        stands_in[i].p.width = 32;
        writers[i] = ports->at[i].in->writer;
        ports->at[i].in->writer = &stands_in[i].base;
    }
    bench_init(unit);
    for (u32 i = 0; i < ports->count; i++)
        ports->at[i].in->writer = writers[i];
}

static void user_start(struct user *user)
{
    for (u32 i = 0; i < user->warps; i++)
        user->warp[i] =
            (struct warp){ .next = DEED_NEXT, .due = user->from, .launches = user->launches };
    if (user->mock)
        unit_hold(&user->mock->base, user->warps * user->launches);
}

enum sim_end stand_go(struct stand *stand)
{
    for (u32 i = 0; i < user_count; i++)
        user_start(&users[i]);
    bench_init(stand->grid);
    bench_seal(stand->sim, (struct sim_options){ 0 });
    return bench_finish(stand->sim);
}

struct sm sm_create(u32 warps, u64 grid_blocks, u64 threads)
{
    struct sm sm = { .stand = stand_create() };
    sm.blocks = add_blocks(&sm.stand);
    for (u32 i = 0; i < 4; i++)
        sm.user[i] = add_user(&sm.stand, sm.blocks, warps, grid_blocks, threads);
    return sm;
}

void sm_go(struct sm *sm)
{
    blocks_init_among(sm->blocks, 0);
    assert_int_equal(stand_go(&sm->stand), SIM_FINISHED);
}

void expect_told(const struct user *user, u32 index, cycle at, u64 first, u64 second)
{
    assert_true(index < user->count && user->count <= TOLD_MAX);
    assert_int_equal(user->told[index].at, at);
    assert_int_equal(user->told[index].first, first);
    assert_int_equal(user->told[index].second, second);
}
