/* results.c - places for results, cycle by cycle, in a ring that is longer than any latency.
 *
 * An instruction with several results (custom ones have blocks) takes the place of the first. */
#include "unit/subcore/results.h"

#include "unit/subcore/subcore.h"

#define TAKEN_BITS  8
#define TAKEN_MASK  ((UINT64_C(1) << TAKEN_BITS) - 1)
#define RING_BEYOND 1024 /* what operands and conflicts may add to a latency */

static u32 latency_longest(const struct executors *executors)
{
    u32 longest = 1;
    for (u32 i = 0; i < KIND_COUNT; i++)
        if (executors->classes[i].port == PORT_NONE)
            longest = (u32)max_u64(longest, executors->classes[i].latency);
    for (u32 i = 0; i < isa_custom_count(isa_shared()); i++)
        if (executors->customs[i].port == PORT_NONE)
            longest = (u32)max_u64(longest, executors->customs[i].latency);
    return longest;
}

bool results_init(struct subcore *u, struct ogv_error *error)
{
    struct results *results = &u->results;
    if (u->p.result_bus == RESULTS_free)
        return true;
    u64 ring = power_of_two_above(latency_longest(&u->executors) + RING_BEYOND);
    results->by_bank = u->p.result_bus == RESULTS_banks;
    results->limit = (u32)(results->by_bank ? u->p.result_ports : u->p.result_slots);
    results->mask = (u32)ring - 1;
    u64 banks = results->by_bank ? u->p.register_banks : 1;
    results->places = unit_alloc(&u->base, banks * ring, sizeof *results->places, error);
    return results->places;
}

static u64 *place_of(const struct subcore *u, const struct subcore_warp *warp,
                     const struct insn *insn, cycle at)
{
    const struct results *results = &u->results;
    u64 bank = results->by_bank ? operands_bank(u, warp, insn->rd) : 0;
    return &results->places[bank * (results->mask + 1) + (at & results->mask)];
}

static u64 place_taken(u64 place, cycle at)
{
    return place >> TAKEN_BITS == at ? place & TAKEN_MASK : 0;
}

cycle results_find(const struct subcore *u, const struct subcore_warp *warp,
                   const struct insn *insn, cycle ready)
{
    if (!u->results.places || insn->rd == REGISTER_NONE)
        return ready;
    while (place_taken(*place_of(u, warp, insn, ready), ready) >= u->results.limit)
        ready++;
    return ready;
}

void results_take(struct subcore *u, const struct subcore_warp *warp, const struct insn *insn,
                  cycle ready)
{
    if (!u->results.places || insn->rd == REGISTER_NONE)
        return;
    u64 *place = place_of(u, warp, insn, ready);
    *place = ready << TAKEN_BITS | (place_taken(*place, ready) + 1);
}

cycle results_squeeze(struct subcore *u, const struct subcore_warp *warp, const struct insn *insn,
                      cycle ready)
{
    cycle place = results_find(u, warp, insn, ready);
    results_take(u, warp, insn, place);
    u->s.results_late += place > ready;
    return place;
}
