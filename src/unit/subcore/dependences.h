/* dependences.h - when an instruction may issue for the sake of those before it in its warp.
 *
 *   scoreboard      waits until what it reads or writes has been written, and what it writes has
 *                   been read
 *   scoreboard_raw  the same, but what others have yet to read is not looked at, as in GPGPU-Sim;
 *                   here they have got it when they issue, so that values are right
 *   control         nothing is looked up: the program says when, as in NVIDIA's cores since
 *                   Maxwell. Huerta et al., "Dissecting and Modeling the Architecture of Modern GPU
 *                   Cores" (MICRO 2025): for results of fixed latency a stall count, at most 15,
 *                   after which the warp's next instruction may issue; for all others one of six
 *                   counters, raised in the cycle behind the issue, lowered when the result is
 *                   written (or, of what is sent, read), and a mask of counters that an
 *                   instruction waits for to be zero.
 *
 * There is no compiler that writes such control information for RISC-V, so that it is worked out
 * from the text when a program starts (control.c). */
#ifndef UNIT_SUBCORE_DEPENDENCES_H
#define UNIT_SUBCORE_DEPENDENCES_H

#include "unit/parts/executors.h"

#define DEPENDENCES_WAYS(C, with) C(scoreboard, with) C(scoreboard_raw, with) C(control, with)

#define DEPENDENCES_PARAMS(P)                                                                     \
    P(choice, dependences, "scoreboard", UNIT_CHOICES(DEPENDENCES_WAYS), 0,                       \
      "how an instruction waits for those before it: by a scoreboard; by one that lets it write " \
      "what others have yet to read; by stall counts and counters worked out from the program")

enum dependences_way { DEPENDENCES_WAYS(UNIT_CHOICE_VALUE, DEPENDENCES_) };

#define CONTROL_COUNTERS  6
#define CONTROL_ALL       ((1u << CONTROL_COUNTERS) - 1)
#define CONTROL_NONE      7  /* no counter */
#define CONTROL_STALL_MAX 15 /* four bits */

/* What the program says of an instruction. */
struct control {
    u8 stall;     /* cycles to the warp's next instruction, at least 1 */
    u8 blamed;    /* class of what that is for */
    u8 waits;     /* counters that must be zero */
    u8 write : 3; /* counter of its result, */
    u8 read : 3;  /* and of what it reads when it is sent; CONTROL_NONE: neither */
    u8 leads : 1; /* some branch goes here */
};

/* Of a warp. What others execute raises a counter as long as its request is under way; what the
 * sub-core executes does so up to a cycle that is known. */
struct warp_control {
    cycle stalls; /* no instruction before */
    cycle until[CONTROL_COUNTERS];
    u8 blamed[CONTROL_COUNTERS]; /* classes of these */
    u8 stalled_by;
};

enum dependence {
    DEPENDENCE_NONE,
    DEPENDENCE_WAITS,  /* the warp has begun to wait */
    DEPENDENCE_OTHERS, /* other threads of the warp go on meanwhile */
};

struct subcore;
struct subcore_warp;

/* Whether the next instruction of a warp's group may issue, where dependences_none (subcore.h)
 * cannot say so at once. */
enum dependence dependences_look(struct subcore *u, struct subcore_warp *warp,
                                 const struct insn *insn, u32 index, cycle now);
/* The result of an instruction can be read from a cycle on that is known. */
void dependences_delay(struct subcore *u, struct subcore_warp *warp, const struct insn *insn,
                       cycle ready);
/* The group waits for an answer of that class, or others of the warp go on meanwhile. */
enum dependence dependences_await(struct subcore *u, struct subcore_warp *warp, u32 state, u8 class,
                                  cycle now);

/* ---- control.c ---- */

/* Works out the control information of the program that a sub-core is about to start. */
void control_make(struct subcore *u);
enum dependence control_look(struct subcore *u, struct subcore_warp *warp, const struct insn *insn,
                             u32 index, cycle now);
void control_delay(struct subcore *u, struct subcore_warp *warp, const struct insn *insn,
                   cycle ready);
/* The instruction at `index` has issued. */
void control_issued(struct subcore *u, struct subcore_warp *warp, u32 index, cycle now);

#endif
