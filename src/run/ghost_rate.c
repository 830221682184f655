/* ghost_rate.c - what shared caches miss of requests, and how that changes with their number.
 *
 * Where only some pieces of a frame are counted, what they need is brought by fewer others, and
 * they are spread wider over it: shared caches miss more of their requests than in the whole frame.
 * How much more is told by taking the half of them: the rate of misses changes with the share of
 * the frame as a power of it, nearly. From one doubling to the next the exponent shrinks, as there
 * is less left to share, but for one near 1, where all lines are there and no more come. */
#include <math.h>
#include <stdlib.h>

#include "base/text.h"
#include "ogive/memory.h"
#include "ogive/random.h"
#include "run/ghost_set.h"
#include "run/ghosts.h"

/* By how much the logit of the exponent falls with a doubling: fitted to predictions of eight
 * scenes (docs/prediction.md), the same for all. */
#define EXPONENT_FALL 0.15
#define EXPONENT_MOST 0.999

/* One line of so many is looked at, in one set of so many: what it tells is near enough, in less
 * time. */
#define LINES         4

struct shared {
    const struct ghost_source *source;
    struct ghost_set *sets;
    struct ghost_divisor set_count;
    u32 line_bits, sector_bits; /* of the number of a sector: in its line, and in that of an L1 */
    u64 asked, missed;          /* sectors */
};

static inline void shared_ask(struct shared *shared, u32 sector)
{
    if (!ghost_line_counts(shared->source, sector >> shared->sector_bits))
        return;
    u32 number = sector >> shared->line_bits;
    u32 piece = UINT32_C(1) << (sector - (number << shared->line_bits));
    u32 hash = (u32)(number * UINT64_C(0x9e3779b97f4a7c15) >> 32);
    struct ghost_set *set = &shared->sets[ghost_remainder(&shared->set_count, hash)];
    shared->asked++;
    shared->missed += ghost_set_use(set, shared->source->shape.shared_ways, number, piece) != 0;
}

/* Of a read, in the lines that the source counts. */
static double ghosts_miss_rate(const struct ghosts *ghosts, const struct ghost_source *source)
{
    const struct ghost_shape *shape = &source->shape;
    u32 sets = (shape->shared_sets + LINES - 1) / LINES;
    struct shared shared = { .source = source,
                             .sets = heap_array(sets, sizeof *shared.sets),
                             .set_count = ghost_divisor_of(sets),
                             .line_bits = (u32)__builtin_ctz(shape->shared_line / MEMORY_SECTOR),
                             .sector_bits = (u32)__builtin_ctz(shape->line / MEMORY_SECTOR) };
    for (u32 i = 0; i < sets; i++)
        ghost_set_init(&shared.sets[i], shape->shared_ways);
    for (u64 i = 0; i < ghosts->count; i++) {
        u32 request = ghosts->requests[i], count = unit_ghost_count(request);
        for (u32 k = 0; !(request & UNIT_GHOST_WRITE) && k < count; k++)
            shared_ask(&shared, unit_ghost_sector(request) + k);
    }
    free(shared.sets);
    return shared.asked ? (double)shared.missed / (double)shared.asked : 0;
}

/* Of each two units of the sample one, by chance; the caller frees `of`. */
static struct visit_lists lists_halve(const struct visit_lists *lists, u32 unit)
{
    struct visit_lists half = *lists;
    u64 random = 1, kept = 0;
    half.of = heap_array((size_t)lists->count + 1, sizeof *half.of);
    half.count = 0;
    for (u64 i = 0; i < lists->count; i++) {
        if (i % (2 * unit) == 0)
            kept = random_next(&random) >> 63;
        if (i / unit % 2 == kept)
            half.of[half.count++] = lists->of[i];
    }
    return half;
}

static double missed_by_all(double exponent, double doublings)
{
    double logit = log(exponent / (1 - exponent)), missed = 1;
    for (double left = doublings; left > 0; left--) {
        logit -= EXPONENT_FALL;
        missed *= exp2(-fmin(1, left) / (1 + exp(-logit)));
    }
    return missed;
}

double ghosts_missed_by_all(const struct ghost_source *source, const struct ghosts *ghosts,
                            u32 unit, double counted)
{
    if (counted >= 1 || !source->shape.shared_sets)
        return 1;
    struct visit_lists lists = lists_halve(source->lists, unit);
    struct ghost_source half_source = { &lists, source->block, source->shape, LINES - 1 };
    struct ghosts half = ghosts_make(&half_source);
    double rate = ghosts_miss_rate(ghosts, &half_source);
    double half_rate = ghosts_miss_rate(&half, &half_source);
    ghosts_fini(&half);
    free(lists.of);
    if (!(rate > 0) || !(half_rate > rate))
        return 1;
    return missed_by_all(fmin(log2(half_rate / rate), EXPONENT_MOST), -log2(counted));
}
