/* handless.c - a unit type that says it runs programs, and shows nobody the registers of its
 * threads. */
#include "ogive/program.h"

#define HANDLESS_PARAMS(P)
#define HANDLESS_STATS(S)                               \
    S(done, "instructions", SUM, WORK, "of no program") \
    S(ended, "cycles", SUM, WORK, "after no program")
#define HANDLESS_RATIOS(R)
#define HANDLESS_PORTS(T) T(memory, ASKS, ONE, "memory")

struct handless {
    struct unit base;
    UNIT_FIELDS(HANDLESS)
    struct program_output output;
};

static cycle handless_tick(struct unit *unit, cycle now)
{
    (void)unit;
    (void)now;
    return NEVER;
}

static u64 handless_harts(const struct unit *unit)
{
    (void)unit;
    return 1;
}

static struct link *handless_toward(struct unit *unit, u64 *address)
{
    (void)address;
    return ((struct handless *)unit)->w.memory.at[0].out;
}

static void handless_start(struct unit *unit, const struct chip_program *program, u32 first_hart,
                           struct hart_profile *profile)
{
    (void)unit, (void)program, (void)first_hart, (void)profile;
}

static const struct program_output *handless_output(const struct unit *unit)
{
    return &((const struct handless *)unit)->output;
}

static const struct program_role handless_role = {
    .start = handless_start, .output = handless_output, .instructions = "done", .halted = "ended"
};

UNIT_TYPE(handless, HANDLESS, "core without registers", .tick = handless_tick,
          .harts = handless_harts, .toward = handless_toward, .programs = &handless_role)

OGIVE_UNITS(&unit_type_handless)
