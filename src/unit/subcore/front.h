/* front.h - the front end of a sub-core: fetch, decode and I-buffers, where instructions take time
 * to come.
 *
 * Each warp has an I-buffer of instructions that follow each other in the text, from where its
 * group stands. In each cycle (or in turns with other sub-cores) one warp with room in it is
 * fetched for: what lies from where its buffer ends on, in one line, at most `fetch_bytes`. Behind
 * `decode` further cycles that is in the buffer, and issues in the next cycle at the earliest. A
 * fetch sees the buffers as they were before the cycle's issue, so that fetch to issue and back
 * takes three cycles: three entries let a warp issue in each of them, two do not.
 *
 * A group that goes on elsewhere, or another group of the warp, finds nothing of use in the
 * buffer: it is emptied, and fetching begins anew when it is known where. */
#ifndef UNIT_SUBCORE_FRONT_H
#define UNIT_SUBCORE_FRONT_H

#include "unit/subcore/l0.h"

#define FRONT_BUFFER_MAX        16
#define FRONT_STAGES            8 /* a power of two */

#define FETCH_POLICIES(C, with) C(round_robin, with) C(follow, with)

#define FRONT_PARAMS(P)                                                                          \
    P(number, ibuffer, 0, 0, FRONT_BUFFER_MAX,                                                   \
      "instructions that a warp has fetched at most; 0: instructions come without time")         \
    P(choice, fetch_policy, "round_robin", UNIT_CHOICES(FETCH_POLICIES), 0,                      \
      "for which warp to fetch: in turn; the one that issued last, else the youngest with room") \
    P(flag, fetch_empty, 0, 0, 1, "fetch only for warps that have no instruction left")          \
    P(bytes, fetch_bytes, 4, 2, 1024,                                                            \
      "of text that a fetch brings at most, one instruction at "                                 \
      "least")                                                                                   \
    P(cycles, fetch_turn, 1, 1, 64,                                                              \
      "cycles from one fetch to the next: as many as sub-cores "                                 \
      "share the fetch unit")                                                                    \
    P(cycles, decode, 1, 0, FRONT_STAGES - 2, "cycles of decoding, after that of the fetch")     \
    P(bytes, insn_bytes, 0, 0, 32, "of each instruction in the caches; 0: as long as it is")     \
    L0_PARAMS(P)

#define FRONT_STATS(S)                                                                            \
    S(fetches, "fetches", SUM, WORK, "fetches for warps")                                         \
    S(fetched, "instructions", SUM, WORK, "instructions that they brought")                       \
    S(flushed, "instructions", SUM, WORK, "of these, dropped because the warp went on elsewhere") \
    L0_STATS(S)

enum fetch_policy { FETCH_POLICIES(UNIT_CHOICE_VALUE, FETCH_POLICY_) };

struct front_warp {
    u64 pc;     /* of the first instruction held, where the group should stand */
    u64 next;   /* of the next to be fetched */
    cycle from; /* which is known from this cycle on */
    u32 line;   /* that it waits for; NOBODY */
    u8 held;    /* can issue */
    u8 coming;  /* being decoded */
};

/* What a fetch brought, until it is decoded. */
struct front_stage {
    cycle at;
    u8 warp, count;
};

struct front {
    /* Of warps: with room, and nothing else in the way; whose next pc is not yet known; that found
     * no place for the line that they need. */
    u64 wanting, unsettled, blocked;
    u64 code; /* address of the text, where instructions have another length */
    struct front_stage stages[FRONT_STAGES]; /* ring, the oldest first */
    u32 first_stage, stages_used;
    u32 last; /* warp that was fetched for */
    struct l0 l0;
};

struct subcore_warp;

bool front_init(struct subcore *u, struct ogv_error *error);
void front_start(struct subcore *u);
/* Decodes and fetches; before the cycle's issue. */
void front_tick(struct subcore *u, cycle now);
/* The next cycle in which that is needed, apart from answers. */
cycle front_next(const struct subcore *u, cycle now);
/* Whether the next instruction of the group is there; else the warp waits for it. */
bool front_has(struct subcore *u, struct subcore_warp *warp, cycle now);
/* The instruction at `index` has issued, and the warp has gone on. */
void front_issued(struct subcore *u, struct subcore_warp *warp, u32 index, cycle now);
/* The answer to a request for text. */
void front_answer(struct subcore *u, u32 tag, cycle now);

#endif
