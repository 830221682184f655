/* sides.c - see sides.h. */
#include "unit/cache/sides.h"

#include <string.h>

#include "unit/cache/cache.h"

bool sides_init(struct cache *u, struct ogv_error *error)
{
    struct cache_sides *sides = &u->sides;
    if (!u->p.near)
        return true;
    sides->sets = (u32)(u->p.near / (SIDES_WAYS * u->p.line));
    if (!sides->sets)
        return unit_refuse(error, "near: is less than %d lines", SIDES_WAYS);
    sides->lines = unit_alloc(&u->base, 2 * (u64)sides->sets * SIDES_WAYS, sizeof(u64), error);
    sides->late =
        sides->lines ? unit_alloc(&u->base, u->bank_count, sizeof *sides->late, error) : NULL;
    for (u32 i = 0; sides->late && i < u->bank_count; i++)
        sides->late[i] = (struct cache_list){ NOBODY, NOBODY };
    return sides->late;
}

static u64 *side_set(const struct cache *u, u32 side, u64 number)
{
    u64 set = (number * UINT64_C(0x9e3779b97f4a7c15) >> 32) % u->sides.sets;
    return &u->sides.lines[(side * (u64)u->sides.sets + set) * SIDES_WAYS];
}

/* The way that a line has in a set; SIDES_WAYS: none. */
static u32 way_of(const u64 *set, u64 number)
{
    u32 way = 0;
    while (way < SIDES_WAYS && set[way] != number + 1)
        way++;
    return way;
}

bool sides_touch(struct cache *u, u32 user, u64 number)
{
    u64 *set = side_set(u, user % 2, number);
    u32 way = way_of(set, number);
    bool near = way < SIDES_WAYS;
    memmove(set + 1, set, (near ? way : SIDES_WAYS - 1) * sizeof *set);
    set[0] = number + 1;
    return near;
}

void sides_write(struct cache *u, u32 user, u64 number)
{
    u64 *set = side_set(u, 1 - user % 2, number);
    u32 way = way_of(set, number);
    sides_touch(u, user, number);
    if (way == SIDES_WAYS)
        return;
    memmove(set + way, set + way + 1, (SIDES_WAYS - 1 - way) * sizeof *set);
    set[SIDES_WAYS - 1] = 0;
}

struct message *sides_answer(struct cache *u, u32 bank, u32 user, cycle now)
{
    u32 index = node_take(&u->mshrs);
    u->mshrs.nodes[index].user = user;
    cache_due(u, bank, index, now + u->p.latency + u->p.far);
    list_append(&u->mshrs, &u->sides.late[bank], index);
    u->banks[bank].hit_count++;
    u->inside++;
    u->s.far_hits++;
    return &u->mshrs.nodes[index].message;
}
