/* bucket.h - buckets of rays, and what the units of Dual Streaming say to each other.
 *
 * A work item is a ray and the segment, a treelet, that it goes through next. Items of one segment
 * are kept together in buckets of 2 KiB: a header of 16 bytes and 36 bytes for each ray, as Arches
 * has them (56 rays). Buckets are written to memory and read from it as they lie here. */
#ifndef UNIT_PARTS_BUCKET_H
#define UNIT_PARTS_BUCKET_H

#include <string.h>

#include "ogive/memory.h"
#include "ogive/rt_ray.h"
#include "ogive/types.h"

#define BUCKET_BYTES        2048
#define BUCKET_HEADER_BYTES 16
#define BUCKET_RAY_BYTES    36
#define BUCKET_RAYS         ((BUCKET_BYTES - BUCKET_HEADER_BYTES) / BUCKET_RAY_BYTES)
#define BUCKET_SECTORS      (BUCKET_BYTES / MEMORY_SECTOR)

/* message.kind between staging buffers, the scheduler of segments and the scene buffer. */
enum bucket_message {
    /* From a staging buffer. */
    BUCKET_ITEM = 1, /* the ray in data, its id in tag, segment and place in the order in `source`
                        (bucket_source); `mask` 1: a new ray, which is answered */
    BUCKET_WANTED,   /* tag: the half of the buffer that is free; address: the segment before;
                        `mask` 1: only while a finished ray is asked for, too */
    BUCKET_DONE,     /* `tag` buckets of the segment `address`, with `source` rays in all, have been
                        walked through */
    BUCKET_NUMBER,   /* a finished ray is asked for; tag: priority, given back */

    /* To a staging buffer. */
    BUCKET_TAKEN,    /* a new ray; dword[0] 1: it was taken; 0: there is no room */
    BUCKET_SECTOR,   /* of the bucket for the half `tag`: its bytes from `address` on; `source` is
                        the segment, `mask` how many rays the bucket has */
    BUCKET_FINISHED, /* dword[0]: the id of a finished ray; UINT64_MAX: none is under way */

    /* To the scene buffer, and its answer. */
    SEGMENT_PREFETCH, /* the segment `tag`, of `address` bytes; answered with dword[0] 1 when all of
                         it is there, with 0 if there is no room */
    SEGMENT_RETIRE,   /* the segment `tag` is not needed any more; not answered */
};

#define BUCKET_SEGMENT_BITS 24

static inline u32 bucket_source(u32 segment, u32 order)
{
    return segment | order << BUCKET_SEGMENT_BITS;
}

static inline u32 bucket_source_segment(u32 source)
{
    return source & ((UINT32_C(1) << BUCKET_SEGMENT_BITS) - 1);
}

static inline u32 bucket_source_order(u32 source)
{
    return source >> BUCKET_SEGMENT_BITS;
}

/* As it lies at a bucket's first byte. */
struct bucket_header {
    u32 segment, rays;
    u32 reserved[2];
};

/* Where the n-th ray lies; of the one behind the last, where the bucket ends. */
static inline u32 bucket_offset(u32 ray)
{
    return BUCKET_HEADER_BYTES + ray * BUCKET_RAY_BYTES;
}

/* Sectors that a bucket of so many rays takes. */
static inline u32 bucket_sectors(u32 rays)
{
    return (bucket_offset(rays) + MEMORY_SECTOR - 1) / MEMORY_SECTOR;
}

static inline void bucket_put(u8 *bucket, u32 place, const void *ray, u32 id)
{
    u8 *at = bucket + bucket_offset(place);
    memcpy(at, ray, sizeof(struct rt_ray));
    memcpy(at + sizeof(struct rt_ray), &id, sizeof id);
}

static inline void bucket_get(const u8 *bucket, u32 place, struct rt_ray *ray, u32 *id)
{
    const u8 *at = bucket + bucket_offset(place);
    memcpy(ray, at, sizeof *ray);
    memcpy(id, at + sizeof *ray, sizeof *id);
}

_Static_assert(sizeof(struct rt_ray) + sizeof(u32) == BUCKET_RAY_BYTES, "a ray and its id");
_Static_assert(sizeof(struct bucket_header) == BUCKET_HEADER_BYTES, "as published");

#endif
