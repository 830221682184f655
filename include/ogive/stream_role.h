/* stream_role.h - units that keep rays by treelet: what they ask for and are told before a run.
 *
 * Such a unit names a struct stream_role in its descriptor:
 *
 *     static const struct stream_role mine_streams = { .place = mine_place, ... };
 *     UNIT_TYPE(mine, MINE, "holds rays my way", .tick = mine_tick, .streams = &mine_streams)
 *
 * The run lays the scene out in treelets (rt_treelet.h), reserves memory for rays and for records
 * of hits where a unit wants it, and tells all of them where everything lies. */
#ifndef OGIVE_STREAM_ROLE_H
#define OGIVE_STREAM_ROLE_H

#include "ogive/rt_treelet.h"
#include "ogive/unit.h"

struct stream_place {
    u64 treelets; /* address of the first */
    u64 headers;  /* of struct rt_treelet, by treelet */
    u64 rays;     /* `ray_bytes` of memory for rays that wait; begins with a whole MiB */
    u64 ray_bytes;
    u64 hits;      /* of struct rt_hit by ray, with nothing hit */
    u64 ray_count; /* the number of any ray is below that */
    u32 treelet_bytes, treelet_count;
    const struct rt_treelet *copies; /* of the headers, for as long as the call lasts */
};

struct stream_role {
    /* Memory that the unit wants for rays, known from its parameters; NULL: none. */
    u64 (*ray_bytes)(const struct unit *unit);
    bool hits; /* it wants records of hits in memory */

    /* Before the first cycle. Refuses what it has no room for; may allocate. */
    bool (*place)(struct unit *unit, const struct stream_place *place, struct ogv_error *error);
};

#endif
