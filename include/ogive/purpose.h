/* purpose.h - what memory is for, so that traffic can be told apart.
 *
 * Whoever lays something out in memory marks its range (host_mark of src/arch/host.h); what nobody
 * marks is `other`. A memory that can be marked (`mark` of a unit type) counts bytes by purpose, in
 * statistics bytes_read_PURPOSE and bytes_written_PURPOSE, which add up to bytes_read and
 * bytes_written. */
#ifndef OGIVE_PURPOSE_H
#define OGIVE_PURPOSE_H

#include "ogive/types.h"

/* X(with, name, NAME, words) */
#define PURPOSES(X, with)                                                                  \
    X(with, scene, SCENE, "the scene: its tree, headers of treelets, vertices, materials") \
    X(with, ray, RAY, "rays")                                                              \
    X(with, hit, HIT, "hits")                                                              \
    X(with, frame, FRAME, "the image")                                                     \
    X(with, stack, STACK, "stacks that RT cores spill")                                    \
    X(with, other, OTHER, "all else: the program and its data")

#define PURPOSE_VALUE(with, name, NAME, words) PURPOSE_##NAME,
enum purpose { PURPOSES(PURPOSE_VALUE, ) PURPOSE_COUNT };
#undef PURPOSE_VALUE

/* For the list of statistics of a unit: S##_ARRAY(read_for, PURPOSE_READS), indexed by purpose. */
#define PURPOSE_READS(S)  PURPOSES(PURPOSE_READ, S)
#define PURPOSE_WRITES(S) PURPOSES(PURPOSE_WRITE, S)
#define PURPOSE_READ(S, name, NAME, words) \
    S(bytes_read_##name, "bytes", SUM, WORK, "of bytes_read: " words)
#define PURPOSE_WRITE(S, name, NAME, words) \
    S(bytes_written_##name, "bytes", SUM, WORK, "of bytes_written: " words)

/* Ranges of a memory, in its own addresses, from the lowest up. */
#define PURPOSE_RANGES_MAX 24

struct purpose_range {
    u64 begin, end;
    u32 purpose;
};

struct purposes {
    struct purpose_range ranges[PURPOSE_RANGES_MAX];
    u32 count;
};

/* Of an address. Looks first where `last` says that the one before was found; at first it is 0. */
static inline enum purpose purposes_find_near(const struct purposes *purposes, u64 address,
                                              u32 *last)
{
    const struct purpose_range *range = &purposes->ranges[*last];
    if (address >= range->begin && address < range->end)
        return (enum purpose)range->purpose;
    u32 i = 0;
    while (i < purposes->count && address >= purposes->ranges[i].end)
        i++;
    if (i == purposes->count || address < purposes->ranges[i].begin)
        return PURPOSE_OTHER;
    *last = i;
    return (enum purpose)purposes->ranges[i].purpose;
}

static inline enum purpose purposes_find(const struct purposes *purposes, u64 address)
{
    u32 last = 0;
    return purposes_find_near(purposes, address, &last);
}

/* False: there is no room for another range, or it overlaps one. */
static inline bool purposes_add(struct purposes *purposes, u64 begin, u64 end, enum purpose purpose)
{
    u32 at = 0;
    while (at < purposes->count && purposes->ranges[at].end <= begin)
        at++;
    if (at && purposes->ranges[at - 1].end == begin &&
        purposes->ranges[at - 1].purpose == purpose &&
        (at == purposes->count || purposes->ranges[at].begin >= end)) {
        purposes->ranges[at - 1].end = end;
        return true;
    }
    if (purposes->count == PURPOSE_RANGES_MAX ||
        (at < purposes->count && purposes->ranges[at].begin < end))
        return false;
    for (u32 i = purposes->count++; i > at; i--)
        purposes->ranges[i] = purposes->ranges[i - 1];
    purposes->ranges[at] = (struct purpose_range){ begin, end, (u32)purpose };
    return true;
}

#endif
