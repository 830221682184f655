/* stream.h - rays that wait in queues for the part of the tree they go through next: what units say
 * to each other about them.
 *
 * On such a machine a unit holds rays, by treelet (rt_treelet.h): a ray stream buffer (STRaTA) or
 * what keeps them in DRAM (Dual Streaming). RT cores in stream mode take rays of one treelet from
 * it, walk that treelet, and give back what goes on in others. Programs store new rays and load
 * finished ones through the RT core of their SM (stream_device.h), which has a link to the holder.
 *
 * A ray is 64 bytes and travels as two messages of the same kind, one after the other, with nothing
 * between them on that link: its halves, whose number is the tag. All that are not rays are single
 * messages. No message waits for another one to be answered, and the holder takes whatever comes:
 * what cannot be answered yet, it counts. Those of a kind are answered in the order in which they
 * came, so that no answer has to say whose it is.
 *
 *     from an RT core                          answer
 *     STREAM_STORE, source STREAM_NEW          STREAM_STORE: dword[0] 1: taken; 0: there is no room
 *     STREAM_STORE, source STREAM_BACK         none; `treelet` STREAM_DONE_TREELET: it is finished
 *     STREAM_STORE, source STREAM_MORE         none: one more work item of a ray that goes on
 *     STREAM_LOAD                              STREAM_RAY, when there is one for this RT core
 *     STREAM_LOAD, source STREAM_ANYTHING      STREAM_RAY: one to walk; or the second half alone of
 *                                              one that is finished, which is collected by that; or
 *                                              of one with the id STREAM_NO_ID, if no ray is under
 *                                              way
 *     STREAM_HIT, the halves of a ray          none: keep its hit if it is closer
 *     STREAM_FINISHED, dword[0]: the treelet   none: a work item has been walked through
 *     STREAM_HIT_LOAD, tag: the priority       the same kind and tag: a finished ray as struct
 *                                              ogv_stream_hit, when there is one; its id is
 *                                              STREAM_NO_ID if no ray is under way any more
 *
 * Where cores walk treelets themselves, a port of their SM (unit rayport) speaks for them; it loads
 * anything, and so needs no STREAM_HIT_LOAD.
 *
 * At the end of a run, what RT cores have asked for last is never answered. Rays that RT cores have
 * are the holder's work (unit_hold), until they come back. */
#ifndef OGIVE_STREAM_H
#define OGIVE_STREAM_H

#include <stdint.h>
#include <string.h>

#include "ogive/rt_ray.h"

/* The widest trail: three bits for each of so many levels of the tree. */
#define STREAM_LEVELS       21

#define STREAM_TREELET_BITS 24
#define STREAM_DONE_TREELET ((UINT32_C(1) << STREAM_TREELET_BITS) - 1)
#define STREAM_NO_ID        UINT32_MAX

/* Of the trail: any hit is enough. */
#define STREAM_ANY          (UINT64_C(1) << 63)

/* Of STREAM_HIT_LOAD: whoever would store a new ray goes before those who only collect. */
#define STREAM_PRIORITIES   2
#define STREAM_SPAWNING     0
#define STREAM_DRAINING     1

/* message.source of STREAM_STORE. */
enum stream_store { STREAM_NEW, STREAM_BACK, STREAM_MORE };

/* What whoever walks a ray has to say of it: back to the holder as a whole; a work item for another
 * treelet, after which it goes on; its hit, to be compared; that it has been walked through. */
enum stream_send { STREAM_SEND_BACK, STREAM_SEND_MORE, STREAM_SEND_HIT, STREAM_SEND_FINISHED };

/* message.source of STREAM_LOAD. */
enum stream_load { STREAM_TO_WALK, STREAM_ANYTHING };

/* How rays go on in another treelet: as a whole (STRaTA), or as a work item more (Dual Streaming).
 */
enum stream_mode { STREAM_MODE_NONE, STREAM_MODE_REQUEUE, STREAM_MODE_DUPLICATE };

/* Requeued as a whole (STRaTA): `level` is that of the treelet's root, and the trail has for each
 * level above how many children of the node on the path are finished before the one in progress, 7
 * if that is the last; below, how many are to be skipped. Duplicated (Dual Streaming): `level` is
 * the place in the order in which the ray enters the treelet's siblings, from 0 on, and there is no
 * trail. */
struct ogv_stream_ray {
    struct rt_ray ray;
    struct rt_hit hit; /* the best so far; at first rt_hit_none */
    uint32_t id;       /* the program's */
    uint32_t treelet : STREAM_TREELET_BITS;
    uint32_t level : 8;
    uint64_t trail;
};

/* What a program loads. */
struct ogv_stream_hit {
    struct rt_hit hit;
    uint32_t id;
};

#define STREAM_HALF_BYTES 32

/* Both halves are there with the second. */
RT_FUNCTION void stream_half_read(struct ogv_stream_ray *ray, uint32_t half, const void *data)
{
    memcpy((char *)ray + half * STREAM_HALF_BYTES, data, STREAM_HALF_BYTES);
}

RT_FUNCTION void stream_half_write(const struct ogv_stream_ray *ray, uint32_t half, void *data)
{
    memcpy(data, (const char *)ray + half * STREAM_HALF_BYTES, STREAM_HALF_BYTES);
}

#endif
