/* ghost_rate.c - what shared caches miss of requests, and how that changes with their number.
 *
 * Where only some pieces of a frame are counted, what they need is brought by fewer others, and
 * they are spread wider over it: shared caches miss more of their requests than in the whole frame.
 * How much more is told by the halves of the sample, each with the caches for itself: what is
 * missed by a visit of theirs, against one of the whole sample. With the share of the frame it
 * changes as a power of it, nearly. From one doubling to the next the exponent shrinks, as there is
 * less left to share, but for one near 1, where all lines are there and no more come.
 *
 * Only what several pieces read is looked at, and only while all SMs have work: the last pieces
 * have the caches more and more for themselves, those of halves from an earlier one on. Where
 * halves are never full for long, all of their visits have to do, which tell too small an exponent:
 * there it does not shrink. */
#include <math.h>
#include <stdlib.h>

#include "base/text.h"
#include "ogive/memory.h"
#include "ogive/random.h"
#include "run/ghost_set.h"
#include "run/ghosts.h"

/* By how much the logit of the exponent falls with a doubling: fitted to predictions of eleven
 * scenes (docs/prediction.md), the same for all. */
#define EXPONENT_FALL 0.4
#define EXPONENT_MOST 0.999

#define FULL_PIECES   4 /* for each thread: with as many, halves are full for a while */

/* One line of so many is looked at, in one set of so many: what it tells is near enough, in less
 * time. */
#define LINES         4

struct shared {
    const struct ghost_source *source;
    struct ghost_set *sets;
    struct ghost_divisor set_count;
    u32 line_bits, sector_bits; /* of the number of a sector: in its line, and in that of an L1 */
    u32 first;                  /* sector that several pieces read */
};

/* Whether a sector is missed that is looked at. */
static inline bool shared_misses(struct shared *shared, u32 sector)
{
    if (sector < shared->first || !ghost_line_counts(shared->source, sector >> shared->sector_bits))
        return false;
    u32 number = sector >> shared->line_bits;
    u32 piece = UINT32_C(1) << (sector - (number << shared->line_bits));
    u32 hash = (u32)(number * UINT64_C(0x9e3779b97f4a7c15) >> 32);
    struct ghost_set *set = &shared->sets[ghost_remainder(&shared->set_count, hash)];
    return ghost_set_use(set, shared->source->shape.shared_ways, number, piece);
}

/* What reads missed, and in how many visits. */
struct misses {
    u64 sectors, visits;
};

/* Of the lines that the source counts; `full`: until SMs begin to have no more pieces. */
static void ghosts_missed(const struct ghosts *ghosts, const struct ghost_source *source, bool full,
                          struct misses *misses)
{
    u64 end = full ? ghosts->full.count : ghosts->count;
    const struct ghost_shape *shape = &source->shape;
    u32 sets = (shape->shared_sets + LINES - 1) / LINES;
    struct shared shared = { .source = source,
                             .sets = heap_array(sets, sizeof *shared.sets),
                             .set_count = ghost_divisor_of(sets),
                             .line_bits = (u32)__builtin_ctz(shape->shared_line / MEMORY_SECTOR),
                             .sector_bits = (u32)__builtin_ctz(shape->line / MEMORY_SECTOR),
                             .first = ghosts->shared };
    for (u32 i = 0; i < sets; i++)
        ghost_set_init(&shared.sets[i], shape->shared_ways);
    for (u64 i = 0; i < end; i++) {
        u32 request = ghosts->requests[i], count = unit_ghost_count(request);
        for (u32 k = 0; !(request & UNIT_GHOST_WRITE) && k < count; k++)
            misses->sectors += shared_misses(&shared, unit_ghost_sector(request) + k);
    }
    misses->visits += full ? ghosts->full.visits : ghosts->visits;
    free(shared.sets);
}

/* Of each two units of the sample one, by chance, or the other; the caller frees `of`. */
static struct visit_lists lists_halve(const struct visit_lists *lists, u32 unit, bool other)
{
    struct visit_lists half = *lists;
    u64 random = 1, kept = 0;
    half.of = heap_array((size_t)lists->count + 1, sizeof *half.of);
    half.count = 0;
    for (u64 i = 0; i < lists->count; i++) {
        if (i % (2 * unit) == 0)
            kept = random_next(&random) >> 63 ^ other;
        if (i / unit % 2 == kept)
            half.of[half.count++] = lists->of[i];
    }
    return half;
}

static void half_missed(const struct ghost_source *all, u32 unit, bool other, bool full,
                        struct misses *misses)
{
    struct visit_lists lists = lists_halve(all->lists, unit, other);
    struct ghost_source source = *all;
    source.lists = &lists;
    struct ghosts half = ghosts_make(&source);
    ghosts_missed(&half, &source, full, misses);
    ghosts_fini(&half);
    free(lists.of);
}

static double missed_by_all(double exponent, double doublings, double fall)
{
    double logit = log(exponent / (1 - exponent)), missed = 1;
    for (double left = doublings; left > 0; left--) {
        logit -= fall;
        missed *= exp2(-fmin(1, left) / (1 + exp(-logit)));
    }
    return missed;
}

double ghosts_missed_by_all(const struct ghost_source *source, const struct ghosts *ghosts,
                            u32 unit, double counted)
{
    struct misses together = { 0 }, apart = { 0 };
    u64 threads = (u64)source->shape.threads * source->shape.sms;
    struct ghost_source some = { source->lists, source->block, source->shape, LINES - 1 };
    if (counted >= 1 || !source->shape.shared_sets)
        return 1;
    bool full = source->lists->count >= FULL_PIECES * threads;
    ghosts_missed(ghosts, &some, full, &together);
    half_missed(&some, unit, false, full, &apart);
    half_missed(&some, unit, true, full, &apart);
    if (!together.sectors || !apart.visits)
        return 1;
    double exponent = log2((double)apart.sectors / (double)together.sectors *
                           (double)together.visits / (double)apart.visits);
    if (!(exponent > 0))
        return 1;
    return missed_by_all(fmin(exponent, EXPONENT_MOST), -log2(counted), full ? EXPONENT_FALL : 0);
}
