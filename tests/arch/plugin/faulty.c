/* faulty.c - a unit type with every fault that ends a program, each on request. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ogive/unit.h"

#define FAULTY_PARAMS(P)                                                                       \
    P(choice, fault, "none",                                                                   \
      "none|memory|null|bus|division|instruction|abort|stack|other_stack|push|init|report", 0, \
      "what it does wrong")                                                                    \
    P(cycles, after, 5, 0, 1000, "when, if it is in a tick")

#define FAULTY_STATS(S) S(taken, "messages", SUM, WORK, "messages that came and went nowhere")
#define FAULTY_RATIOS(R)
#define FAULTY_PORTS(T)                              \
    T(in, RECEIVES, ANY, "where messages come from") \
    T(out, SENDS, MAYBE, "where they could go")

struct faulty {
    struct unit base;
    UNIT_FIELDS(FAULTY)
};

enum {
    NONE,
    MEMORY,
    NULL_POINTER,
    BUS,
    DIVISION,
    INSTRUCTION,
    ABORT,
    STACK,
    OTHER_STACK,
    PUSH,
    INIT,
    REPORT
};

static volatile u64 zero, sum;

static void touch(u64 address)
{
    *(volatile u64 *)(uintptr_t)address = 1;
}

/* The array is used after the call, so that it cannot share its place with that of the next. */
static __attribute__((noinline)) u64 descend(u64 depth)
{
    volatile u64 space[512];
    memset((void *)(uintptr_t)space, (int)depth, sizeof space);
    u64 below = zero ? 0 : descend(depth + 1);
    return below + space[depth % 512];
}

static void fault(const struct faulty *u)
{
    switch (u->p.fault) {
    case MEMORY:
        touch(zero + 0x10);
        break;
    case NULL_POINTER:
        touch(zero);
        break;
    case BUS: /* sent, not met */
        raise(SIGBUS);
        break;
    case DIVISION:
        sum = sum / zero;
        break;
    case INSTRUCTION:
        __builtin_trap();
    case ABORT:
        abort();
    case STACK:
        sum = descend(0);
        break;
    case OTHER_STACK: /* that of a thread other than the first */
        while (gettid() == getpid())
            pause();
        sum = descend(0);
        break;
    case PUSH:
        for (;;)
            *link_push(u->w.out.at[0].out) = (struct message){ 0 };
    default:
        break;
    }
}

static bool faulty_init(struct unit *unit, struct ogv_error *error)
{
    (void)error;
    if (((struct faulty *)unit)->p.fault == INIT)
        touch(zero);
    return true;
}

static cycle faulty_tick(struct unit *unit, cycle now)
{
    struct faulty *u = (struct faulty *)unit;
    if (now >= u->p.after)
        fault(u);
    for (u32 i = 0; i < u->w.in.count; i++) {
        if (link_peek(u->w.in.at[i].in)) {
            link_pop(u->w.in.at[i].in);
            u->s.taken++;
        }
    }
    return now < u->p.after ? u->p.after : NEVER;
}

static void faulty_report(struct unit *unit, cycle now)
{
    (void)now;
    if (((struct faulty *)unit)->p.fault == REPORT)
        touch(zero);
}

UNIT_TYPE(faulty, FAULTY, "unit with a fault", .init = faulty_init, .tick = faulty_tick,
          .report = faulty_report)

OGIVE_UNITS(&unit_type_faulty)
