/* layer.c - a unit type outside the tree that stands between cores and memory: says of some bytes
 * of each sector that it has newer ones.
 *
 * Its n-th copy has bytes n * span to (n + 1) * span - 1; they are `value` + n. Requests are not
 * passed on: it is for what the host sees. */
#include "ogive/memory.h"
#include "ogive/unit.h"

#define LAYER_PARAMS(P)                                              \
    P(number, span, 1, 0, MEMORY_SECTOR, "bytes that each copy has") \
    P(number, value, 0, 0, 255, "of the bytes of the first copy")

#define LAYER_STATS(S) S(asked, "sectors", SUM, WORK, "sectors that the host asked for")

#define LAYER_RATIOS(R)

#define LAYER_PORTS(T)                     \
    T(users, SERVES, SOME, "who is above") \
    T(memory, ASKS, SOME, "what is behind")

struct layer {
    struct unit base;
    UNIT_FIELDS(LAYER)
};

static cycle layer_tick(struct unit *unit, cycle now)
{
    (void)unit;
    (void)now;
    return NEVER;
}

static struct link *layer_toward(struct unit *unit, u64 *address)
{
    const struct ports *memory = &((struct layer *)unit)->w.memory;
    return memory->at[memory->count > 1 ? route_way(&memory->route, *address) : 0].out;
}

static void layer_newer(struct unit *unit, u64 sector_address, u8 *data)
{
    struct layer *u = (struct layer *)unit;
    (void)sector_address;
    u->s.asked++;
    for (u64 i = 0; i < u->p.span && unit->ordinal * u->p.span + i < MEMORY_SECTOR; i++)
        data[unit->ordinal * u->p.span + i] = (u8)(u->p.value + unit->ordinal);
}

UNIT_TYPE(layer, LAYER, "layer of memory", .tick = layer_tick, .toward = layer_toward,
          .newer = layer_newer)

OGIVE_UNITS(&unit_type_layer)
