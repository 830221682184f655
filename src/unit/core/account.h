/* account.h - what a thread of a core does with its cycles: every move from one state to another
 * charges those since the last one. Callers mostly know both states; these functions are in line so
 * that only what the two need is done. */
#ifndef UNIT_CORE_ACCOUNT_H
#define UNIT_CORE_ACCOUNT_H

#include "unit/core/core.h"

static inline void tally_one(u8 *tally, u64 *counter)
{
    if (__builtin_expect(!++*tally, false))
        *counter += UINT64_C(1) << 8;
}

/* Most waiting is for memory and for what the first custom instructions ask: these come first. */
#define WAITS_AT_HAND      7
/* clang-format off */
#define WAITS_ORDER(C) \
    C(LOAD) C(STORE) C(CUSTOM0) C(ATOMIC) C(CUSTOM1) C(CUSTOM2) C(CUSTOM3) \
    C(ILLEGAL) C(INT_ADD) C(INT_LOGIC) C(INT_SHIFT) C(INT_MUL) C(INT_DIV) C(BRANCH) C(JUMP) \
    C(FENCE) C(CSR) C(SYSTEM) C(FP_ADD) C(FP_MUL) C(FP_FMA) C(FP_DIV) C(FP_SQRT) \
    C(FP_COMPARE) C(FP_CONVERT) C(FP_MOVE)
/* clang-format on */
#define WAITS_PLACE(CLASS) WAITS_##CLASS,
enum { WAITS_ORDER(WAITS_PLACE) WAITS_COUNT };

_Static_assert(WAITS_COUNT == (int)CLASS_COUNT, "one place per class");
static inline struct core_waits *tally_waits(struct core *u, u32 class)
{
#define WAITS_OF(CLASS) [CLASS_##CLASS] = WAITS_##CLASS,
    static const u8 places[CLASS_COUNT] = { WAITS_ORDER(WAITS_OF) };
    u32 place = places[class];
    return place < WAITS_OFTEN ? &u->tally.often[place] : &u->tally_seldom[place - WAITS_OFTEN];
}

static inline void tally_wait(u16 *tally, u64 *counter, u64 span)
{
    if (__builtin_expect(span > (u64)UINT16_MAX - *tally, false)) {
        *counter += span + *tally;
        *tally = 0;
    } else {
        *tally = (u16)(*tally + span);
    }
}

static inline void thread_profile(struct core *u, u32 number, u64 span)
{
    static const u8 reasons[] = {
        [STATE_READY] = PROFILE_PASSED, [STATE_HAZARD] = PROFILE_HAZARD,
        [STATE_BUSY] = PROFILE_BUSY,    [STATE_FETCH] = PROFILE_FETCH,
        [STATE_FENCE] = PROFILE_FENCE,
    };
    const struct core_thread *thread = &u->threads[number];
    u32 class = thread->state == STATE_HAZARD ? thread->blamed : 0;
    profile_charge(u->profile, &u->marks[number], reasons[thread->state] + class, span);
}

/* Charges the cycles since the last charge to the state that the thread is in. */
static inline void thread_charge_in(struct core *u, u32 number, u32 state, cycle now)
{
    struct core_thread *thread = &u->threads[number];
    u64 span = now - thread->since;
    if (state == STATE_HALTED)
        return; /* core_report counts these, from `since` */
    if (state == STATE_BUSY) {
        u32 passed = u->passed_over - thread->passed_over;
        thread->passed_over = u->passed_over;
        u->tally.passed += passed;
        span -= passed;
        if (core_profile(u) && passed)
            profile_charge(u->profile, &u->marks[number], PROFILE_PASSED, passed);
    }
    if (state == STATE_HAZARD)
        tally_wait(&tally_waits(u, thread->blamed)->hazard, &u->s.hazard_by[thread->blamed], span);
    else if (state == STATE_BUSY)
        tally_wait(&tally_waits(u, thread->blamed)->busy, &u->s.busy_by[thread->blamed], span);
    else if (state == STATE_READY)
        u->tally.passed += span;
    else
        u->s.spent[state] += span;
    if (core_profile(u) && span)
        thread_profile(u, number, span);
    thread->since = now;
}

/* Moves a thread from the state that it is in into another. A READY one waits for nothing, so that
 * it is in no set but `candidates`. */
static inline void thread_move(struct core *u, u32 number, enum core_state from, enum core_state to,
                               cycle now)
{
    struct core_thread *thread = &u->threads[number];
    u32 bit = UINT32_C(1) << number;
    thread_charge_in(u, number, from, now);
    thread->state = (u8)to;
    thread->passed_over = u->passed_over;
    if (from == STATE_READY) {
        u->candidates &= ~bit;
    } else {
        u->timers &= ~bit;
        u->room &= ~bit;
    }
    if (to == STATE_READY)
        u->candidates |= bit;
    u->awaited = (u16)(u->awaited + (to == STATE_FENCE) - (from == STATE_FENCE));
}

#endif
