/* subcore.h - a sub-core of a SIMT machine, as its own files know it.
 *
 * A sub-core runs warps of threads and issues at most one instruction per cycle, for all threads of
 * a warp that stand at the same place: its group (warp.c). A warp is in exactly one state at any
 * time, and every warp-cycle is charged to one counter:
 *
 *   active    an instruction issued in this cycle
 *   passed    it could have been looked at, but another warp issued
 *   hazard    waits for a register that an earlier instruction writes, or still reads, by the class
 *             of that one; or stands back with `pause` (class fence)
 *   busy      the pipeline or the queue that its instruction goes to has no room, by the class of
 *             this one
 *   operands  no collector unit is free, or reads of registers stand in the way (operands.h)
 *   result    the cycle in which its result would be written has no place for it (results.h)
 *   pipe      the stages of the memory pipe have no room (memory_pipe.h)
 *   fence     waits for its own memory accesses
 *   fetch     has no instruction: one is to be fetched, or is being decoded (front.h)
 *   miss      the same, and the line that it lies in is not in the L0 instruction cache
 *   pending   could go on, but is not among the active warps (two_level.c)
 *   barrier   waits for other warps of its thread block
 *   vacant    waits for a thread block
 *   halted    all its threads have ended
 *
 * Always true: their sum is the number of warps times the cycles since the start; when the work is
 * done, times the cycles of the run. Threads executed and threads masked off are together the
 * instructions issued times the width of a warp. */
#ifndef UNIT_SUBCORE_SUBCORE_H
#define UNIT_SUBCORE_SUBCORE_H

#include "isa/lanes.h"
#include "ogive/debug.h"
#include "ogive/explain.h"
#include "ogive/program.h"
#include "unit/parts/executors.h"
#include "unit/subcore/dependences.h"
#include "unit/subcore/front.h"
#include "unit/subcore/memory_pipe.h"
#include "unit/subcore/operands.h"
#include "unit/subcore/pipelines.h"
#include "unit/subcore/quick.h"
#include "unit/subcore/results.h"
#include "unit/subcore/stack.h"
#include "unit/subcore/two_level.h"

#define SUBCORE_WARPS_MAX    64
#define SUBCORE_REQUESTS_MAX 4096

#define SUBCORE_POLICIES(C, with) \
    C(round_robin, with)          \
    C(greedy_oldest, with) C(greedy_youngest, with) C(oldest, with) C(two_level, with)

#define SUBCORE_PARAMS(P)                                                                         \
    P(number, warps, 8, 1, SUBCORE_WARPS_MAX, "warps")                                            \
    P(number, width, 32, 4, LANES_MAX, "threads in a warp, a power of two")                       \
    P(choice, policy, "round_robin", UNIT_CHOICES(SUBCORE_POLICIES), 0,                           \
      "which warp goes next: in turn; the same until it waits, then the oldest or the youngest; " \
      "always the oldest; a few of them in turn until one waits for memory")                      \
    EXECUTE_PARAM(P)                                                                              \
    PIPES_PARAMS(P)                                                                               \
    DEPENDENCES_PARAMS(P)                                                                         \
    OPERANDS_PARAMS(P)                                                                            \
    RESULTS_PARAMS(P)                                                                             \
    P(bytes, stack, 1 * KiB, 64, 1 * MiB, "private memory of each thread")                        \
    P(cycles, stack_latency, 1, 1, 64, "cycles of an access to private memory")                   \
    P(cycles, pause, 128, 1, 100000,                                                              \
      "cycles for which a warp stands back with `pause`; x86 since Skylake: about 140")           \
    P(number, requests, 32, 1, SUBCORE_REQUESTS_MAX,                                              \
      "instructions under way to memory and other units at once")                                 \
    P(number, queue, 5, 1, SUBCORE_REQUESTS_MAX, "of these, not yet wholly sent")                 \
    P(number, sends, 1, 1, 64, "sectors or messages sent per cycle")                              \
    P(cycles, patience, 1024, 16, 1000000,                                                        \
      "cycles after which threads that wait for others of their warp have their turn")            \
    P(cycles, regroup, 0, 0, 1000,                                                                \
      "further cycles before a warp's next instruction when its threads have parted or met")      \
    P(number, predicated, 0, 0, 64,                                                               \
      "a branch over at most so many instructions, none of which branches, takes no `regroup`: "  \
      "compilers for such machines make them conditional instead")                                \
    FRONT_PARAMS(P)                                                                               \
    PIPE_PARAMS(P)                                                                                \
    STACK_PARAMS(P)                                                                               \
    TWO_LEVEL_PARAMS(P)

/* clang-format off */
#define SUBCORE_STATS(S)                                                                           \
    S(issued, "instructions", SUM, WORK, "instructions issued, each for a group of threads")       \
    S(executed, "instructions", SUM, WORK, "the same, counted for each thread")                    \
    S(masked, "instructions", SUM, WORK, "threads of a warp for which an issued one was not meant")\
    S(split, "instructions", SUM, WORK, "instructions issued for a part of a warp's threads")      \
    S(active, "cycles", SUM, WORK, "cycles in which an instruction issued")                        \
    S##_ARRAY(spent, SUBCORE_SPENT)                                                                \
    S(cycles, "cycles", SUM, WORK, "warps times cycles: active, and the sum of the above")         \
    S(accesses, "instructions", SUM, WORK, "loads, stores and atomics sent to memory")             \
    S(pieces, "requests", SUM, WORK, "requests that these were sent as")                           \
    PIPE_STATS(S)                                                                                  \
    S(loads_private, "requests", SUM, WORK, "loads of threads from private memory")                \
    S(stores_private, "requests", SUM, WORK, "stores of threads to private memory")                \
    FRONT_STATS(S)                                                                                 \
    OPERANDS_STATS(S)                                                                              \
    RESULTS_STATS(S)                                                                               \
    S##_ARRAY(issued_by, SUBCORE_ISSUED)                                                           \
    S##_ARRAY(executed_by, SUBCORE_EXECUTED)                                                         \
    S##_ARRAY(hazard_by, SUBCORE_HAZARD)                                                           \
    S##_ARRAY(busy_by, SUBCORE_BUSY)
/* clang-format on */

enum subcore_policy { SUBCORE_POLICIES(UNIT_CHOICE_VALUE, SUBCORE_POLICY_) };

/* What a warp does with its cycles: the states that it can be in. */
#define SUBCORE_SPENT(S) SUBCORE_STATES(SUBCORE_STATE_STAT, S)
#define SUBCORE_STATES(X, S)                                                   \
    X(S, passed, READY, "ready while another warp issued")                     \
    X(S, hazard, HAZARD, "waited for a register")                              \
    X(S, busy, BUSY, "waited for room in a pipeline or in the queue to units") \
    X(S, operands, OPERANDS, "waited for a collector or a register port")      \
    X(S, result, RESULT, "waited for a place for the result")                  \
    X(S, pipe, PIPE, "waited for room in the memory pipe")                     \
    X(S, fence, FENCE, "waited for own memory accesses to be done")            \
    X(S, fetch, FETCH, "waited for an instruction to be fetched and decoded")  \
    X(S, miss, MISS, "waited for a line of instructions")                      \
    X(S, pending, PENDING, "could go on, but was not among the active warps")  \
    X(S, barrier, BARRIER, "waited at the barrier of a thread block")          \
    X(S, vacant, VACANT, "waited for a thread block")                          \
    X(S, halted, HALTED, "after the end of all its threads")
#define SUBCORE_STATE_STAT(S, name, STATE, help) S(name, "cycles", SUM, WORK, "warp-cycles " help)

enum subcore_state {
#define SUBCORE_STATE_VALUE(S, name, STATE, help) WARP_##STATE,
    SUBCORE_STATES(SUBCORE_STATE_VALUE, )
#undef SUBCORE_STATE_VALUE
};

/* By class of instructions. */
#define SUBCORE_ISSUED(S) \
    SUBCORE_ISSUED_BY(S, illegal, "no instruction") ISA_CLASSES_LEGAL(SUBCORE_ISSUED_CLASS, S)
#define SUBCORE_EXECUTED(S) \
    SUBCORE_EXECUTED_BY(S, illegal, "no instruction") ISA_CLASSES_LEGAL(SUBCORE_EXECUTED_CLASS, S)
#define SUBCORE_HAZARD(S) \
    SUBCORE_HAZARD_BY(S, illegal, "no instruction") ISA_CLASSES_LEGAL(SUBCORE_HAZARD_CLASS, S)
#define SUBCORE_BUSY(S) \
    SUBCORE_BUSY_BY(S, illegal, "no instruction") ISA_CLASSES_LEGAL(SUBCORE_BUSY_CLASS, S)
#define SUBCORE_ISSUED_CLASS(S, name, NAME, help)   SUBCORE_ISSUED_BY(S, name, #name)
#define SUBCORE_EXECUTED_CLASS(S, name, NAME, help) SUBCORE_EXECUTED_BY(S, name, #name)
#define SUBCORE_HAZARD_CLASS(S, name, NAME, help)   SUBCORE_HAZARD_BY(S, name, #name)
#define SUBCORE_BUSY_CLASS(S, name, NAME, help)     SUBCORE_BUSY_BY(S, name, #name)
#define SUBCORE_ISSUED_BY(S, name, words) \
    S(issued_##name, "instructions", SUM, WORK, "instructions issued, " words)
#define SUBCORE_EXECUTED_BY(S, name, words) \
    S(executed_##name, "instructions", SUM, WORK, "instructions of threads, " words)
#define SUBCORE_HAZARD_BY(S, name, words) \
    S(hazard_##name, "cycles", SUM, WORK, "warp-cycles waited for a register, " words)
#define SUBCORE_BUSY_BY(S, name, words) \
    S(busy_##name, "cycles", SUM, WORK, "warp-cycles waited for room to issue, " words)

#define SUBCORE_RATIOS(R)                                                                   \
    R(utilisation, active, cycles, "fraction", "issues per warp-cycle")                     \
    R(threads_per_issue, executed, issued, "threads", "threads that an instruction is for") \
    R(pieces_per_access, pieces, accesses, "requests", "requests that an access is sent as")

#define SUBCORE_PORTS(T) T(units, ASKS, ANY, "memory and other units that execute instructions")

/* Marks requests for text; what is below it is the front end's. */
#define SUBCORE_TAG_TEXT (UINT32_C(1) << 31)

/* An instruction that memory or another unit executes, while it is under way: a request per piece.
 * Loads and stores have a piece per sector, all others one per thread. */
struct subcore_request {
    u64 lanes;  /* of the warp, that it is for; if it `parts`, those without an answer */
    u64 writes; /* registers */
    u64 reads;  /* registers that it has yet to read, or 0 */
    u32 insn;   /* index in the text */
    u32 next;   /* of the warp's, or free; NOBODY */
    u16 port;
    u8 warp;
    u8 class;
    u8 waits;     /* state of a warp that waits for the answer */
    bool gathers; /* is not answered before others have come or done something: a barrier, a ray */
    bool parts;   /* threads go on as they are answered: what one gets another may wait for */
    u8 pieces, sent, awaited;
    cycle from; /* it is not sent before: its operands are read then */
    struct request_pipe pipe;

    /* Filled in as pieces are added. */
    u64 address[LANES_MAX]; /* of a piece */
    u64 of[LANES_MAX];      /* lanes of a piece */
    u8 offset[LANES_MAX];   /* of a lane's bytes in its sector */
    u64 value[LANES_MAX];   /* of a lane: what it stores, or the operand of its atomic */
};

struct subcore_warp {
    /* What choosing and checking look at. */
    u64 live;  /* threads that have not ended */
    u64 group; /* those that the next instruction is for, at `pc` */
    u64 pc;
    u64 rival;    /* up to this place the group stays what it is: there stands one that waits */
    cycle review; /* and up to this cycle: then one that waits has its turn */
    u32 threads;  /* in the group */
    u64 pending;  /* registers that requests write, for any thread */
    u64 reading;  /* registers that a request will still read */
    u64 timed;    /* registers that are written in a cycle that is known */
    u64 fenced;   /* threads that wait for a fence to be done */
    cycle since;  /* when it came into its state, or when that was last charged */
    cycle due;    /* READY: since when it could issue; waiting: until when, NEVER: not by time */
    u64 issued;
    u32 requests; /* its first request under way; NOBODY */
    u32 under_way;
    u8 state;
    u8 blamed; /* class that HAZARD and BUSY are charged to */
    bool asks; /* waiting: for an answer, which may come before `due` */
    struct isa_lanes lanes;

    /* Only of interest when the threads stand at different places. */
    u64 parked;      /* threads that wait for an answer and let others go on meanwhile */
    u64 gathered;    /* those of them that only wait for others, at an instruction for all */
    u64 told;        /* threads for which that has been computed, and has yet to issue */
    u32 lead;        /* the thread that had to wait too long, and whose group now goes first */
    cycle lead_ends; /* NEVER: none does */
    cycle *waits;    /* [width] since when a thread has not been in the group */
    u64 *left_at;    /* [width] instructions that the warp had issued then */
    u64 *behind;     /* [width] those that a thread did not execute, before */
    struct warp_stack stack;
    struct warp_order order;
    u64 skips; /* the pc where threads meet that took a branch over a few instructions, or 0 */

    u64 *reservation, *stamp;       /* [width] as in struct hart */
    cycle *ready;                   /* [register] of timed ones */
    u8 producer[REGISTER_NONE + 1]; /* class of what writes a timed one */
    struct warp_control control;
    u32 path; /* of calls, of the group's first thread */
    struct profile_mark mark;
    struct front_warp front;
};

struct subcore {
    struct unit base;
    const struct chip_program *program;
    struct subcore_warp *warps;
    struct hart_profile *profile; /* shared by the units of a domain; NULL: not profiling */
    u64 candidates;               /* warps that are READY */
    u64 timers;                   /* warps that wait for a cycle */
    cycle timer_at;               /* none of these is before */
    u64 room;                     /* warps that wait for a place in the queue or for a request */
    u64 quick;                    /* kinds of instructions that can take the short way (quick.h) */
    struct two_level two_level;
    u32 width, last;
    u32 free;             /* first request that is not in use; NOBODY */
    u32 taken, gathering; /* requests in use; of these, those that gather */
    u32 queued;           /* requests that are not wholly sent */
    u64 head;             /* ever taken out of the queue */
    u16 *queue;           /* ring of requests */
    u32 queue_mask;
    bool refused;   /* the link that the oldest of them goes to has no room */
    bool freed;     /* there may be room for those that wait for it */
    bool conflicts; /* not only a scoreboard and pipelines decide when instructions issue */
    bool fetches;   /* instructions take time to come: `front` is in use */
    struct pipes pipes;
    const struct control *control; /* by halfword of the text; NULL: there is a scoreboard */
    struct operands operands;
    struct results results;
    struct subcore_request *requests;
    struct message *kept; /* [requests][width] what pieces carry, if that is read at issue */
    struct subcore_pipe pipe;
    u8 *stacks;
    u32 first_hart;
    struct executors executors;
    struct front front;
    UNIT_FIELDS(SUBCORE)
    struct program_output output;
};

extern const struct unit_type unit_type_subcore;

/* ---- warp.c: which threads of a warp go on ---- */

/* All threads begin together, where the program does. */
void warp_begin(struct subcore_warp *warp, const struct chip_program *program);
/* Moves the group on behind an instruction, or where its threads' pcs say, and chooses anew. Ways
 * from a branch meet at `meets`; 0: not before the end of the function. */
void warp_step(struct subcore_warp *warp, const struct insn *insn, cycle patience, cycle now);
void warp_branch(struct subcore_warp *warp, const struct insn *insn, u64 meets, cycle patience,
                 cycle now);
/* With `pause`: whoever of the others has waited longest goes on. */
void warp_yield(struct subcore_warp *warp, const struct insn *insn, cycle now);
/* Instructions that a thread has executed. */
u64 warp_executed(const struct subcore_warp *warp, u32 lane);
/* Only these of the group; the others stay where they are. */
void warp_narrow(struct subcore_warp *warp, u64 lanes, cycle now);
/* The group waits: others go on meanwhile, if there are any that can and may. False: none. */
bool warp_park(struct subcore_warp *warp, cycle patience, cycle now);
/* The group waits for the others: they go on, if there are any that can. */
bool warp_stand_aside(struct subcore_warp *warp, cycle patience, cycle now);
/* When others of the warp may go on; NEVER: there are none. */
cycle warp_patience_ends(const struct subcore_warp *warp, cycle patience);
/* All of `among` stand where they wait for each other, the others wait for answers. True: the group
 * is the one to go first; else that one has become the group. */
bool warp_leads(struct subcore_warp *warp, u64 among, cycle patience, cycle now);
/* An answer has come: whoever waits is to be looked at again. */
void warp_unpark(struct subcore_warp *warp);
/* They have ended. */
void warp_end(struct subcore_warp *warp, u64 lanes, cycle patience, cycle now);

/* ---- request.c: instructions under way ---- */

/* In the queue, and a request. However many of these wait for other threads, which may be waiting
 * for this one, there are as many for the others as there are warps. */
bool subcore_has_room(const struct subcore *u);
bool subcore_has_room_for(const struct subcore *u, const struct insn *insn);
/* Threads that come to a barrier later than others of their warp join these where requests are
 * scarce. False: there are none that they can join. */
bool request_join(struct subcore *u, struct subcore_warp *warp, u32 index, cycle now);
/* Takes a request for the group of a warp and puts it into the queue; it has no pieces yet. */
struct subcore_request *request_make(struct subcore *u, struct subcore_warp *warp,
                                     const struct insn *insn, u32 index, u32 port);
void request_add_sector(struct subcore_request *request, u32 lane, u64 address);
void request_add_lane(struct subcore_request *request, u32 lane, u64 address);
/* An atomic on `bytes` bytes, which joins others in its sector that are on other words. */
void request_add_atomic(struct subcore_request *request, u32 lane, u64 address, u32 bytes);
/* Words of `word` bytes in which the threads of a piece access `bytes` bytes each: a bit each, from
 * where the piece begins. */
u32 request_words(const struct subcore_request *request, u32 piece, u32 bytes, u64 word);
/* All pieces are there. */
void request_ready(struct subcore *u, struct subcore_warp *warp, struct subcore_request *request,
                   cycle now);
/* The oldest leaves the queue. */
void queue_pop(struct subcore *u);
/* Its registers have been read: others may write them. */
void request_read(struct subcore *u, struct subcore_request *request, cycle now);
/* Up to `most` pieces; false: the link has no room for the next. */
bool request_send(struct subcore *u, u32 number, u64 most);
void request_done(struct subcore *u, u32 number, cycle now);
void subcore_send(struct subcore *u, cycle now);
void subcore_take_answers(struct subcore *u, cycle now);
/* Registers of the group that requests write, and those that they still read. */
struct subcore_hold {
    u64 writes, reads;
} requests_hold(const struct subcore *u, const struct subcore_warp *warp);
/* The request that holds a register for the group. */
const struct subcore_request *request_holding(const struct subcore *u,
                                              const struct subcore_warp *warp, u32 number);

/* ---- whole.c: instructions for whole warps ---- */

bool insn_is_whole(const struct insn *insn);
/* True: the group has to wait, or another one is to be tried. */
bool whole_waits(struct subcore *u, struct subcore_warp *warp, const struct insn *insn, cycle now);
/* It issues, or any other does. True: what it computes was computed before. */
bool whole_is_told(struct subcore_warp *warp);
/* The one piece of such a message. */
void whole_add(struct subcore_request *request, const struct insn *insn);
/* Fills in how many threads it is for. */
void whole_fill(const struct subcore_request *request, u32 piece, struct message *message);

/* ---- issue.c ---- */

/* The group waits for its own accesses, or others of the warp go on meanwhile. Returns false. */
bool fence_wait(struct subcore *u, struct subcore_warp *warp, cycle now);
/* Tries to issue the next instruction of a warp. True if it issued, and which; else the warp has
 * left the state READY, or another group of its threads is to be tried. */
bool subcore_issue(struct subcore *u, struct subcore_warp *warp, u32 *issued, cycle now);

/* ---- subcore.c ---- */

void subcore_enter(struct subcore *u, struct subcore_warp *warp, enum subcore_state state,
                   cycle now);
/* A wait for a cycle, or for an answer if that is NEVER. */
void subcore_wait(struct subcore *u, struct subcore_warp *warp, enum subcore_state state, u8 blamed,
                  cycle due, cycle now);
/* A wait for an answer, but not beyond a cycle. */
void subcore_wait_answer(struct subcore *u, struct subcore_warp *warp, enum subcore_state state,
                         u8 blamed, cycle latest, cycle now);
void subcore_fail(struct subcore *u, struct subcore_warp *warp, u32 lane,
                  enum program_fault_kind kind, u64 pc, u64 address, cycle now);
void subcore_end(struct subcore *u, struct subcore_warp *warp, u64 lanes, cycle now);

static inline bool class_is_memory(u32 class)
{
    return class == CLASS_LOAD || class == CLASS_STORE || class == CLASS_ATOMIC;
}

static inline u32 subcore_number(const struct subcore *u, const struct subcore_warp *warp)
{
    return (u32)(warp - u->warps);
}

/* Where an instruction executes. */
static inline struct executor subcore_executor(const struct subcore *u, const struct insn *insn)
{
    return insn->op == OP_custom ? u->executors.customs[insn->custom]
                                 : u->executors.classes[insn_kind(insn)];
}

/* Registers that an instruction touches or writes and that may stand in its way. */
static inline u64 warp_conflict(const struct subcore_warp *warp, u64 touches, u64 writes)
{
    return (touches & (warp->timed | warp->pending)) | (writes & warp->reading);
}

/* Those registers that are written by now become free. */
static inline void registers_settle(struct subcore_warp *warp, u64 registers, cycle now)
{
    for (u64 left = registers & warp->timed; left; left &= left - 1) {
        if (warp->ready[__builtin_ctzll(left)] <= now)
            warp->timed &= ~(left & -left);
    }
}

/* Of the registers in the way, the one that is free last: one whose cycle is not known, if there
 * is such a one. */
static inline u32 hazards_last(const struct subcore_warp *warp, u64 conflict)
{
    u64 unknown = conflict & ~warp->timed;
    u32 last = (u32)__builtin_ctzll(unknown ? unknown : conflict);
    for (u64 left = unknown ? 0 : conflict; left; left &= left - 1) {
        u32 number = (u32)__builtin_ctzll(left);
        if (warp->ready[number] > warp->ready[last])
            last = number;
    }
    return last;
}

/* Mostly nothing does. */
static inline bool dependences_none(const struct subcore *u, const struct subcore_warp *warp,
                                    const struct insn *insn, u32 index)
{
    return !u->control && !warp_conflict(warp, u->program->hazards[index], isa_writes(insn));
}

static inline u32 subcore_index(const struct subcore *u, u64 pc)
{
    return (u32)((pc - u->program->text.base) >> 1);
}

static inline bool class_moves(u32 class)
{
    return class == CLASS_BRANCH || class == CLASS_JUMP;
}

/* Of a set of warps that is not empty. */
static inline u32 warps_first(u64 warps)
{
    return (u32)__builtin_ctzll(warps);
}

static inline u32 warps_last(u64 warps)
{
    return 63 - (u32)__builtin_clzll(warps);
}

/* In turn: the first behind `last`. */
static inline u32 warps_after(u64 warps, u32 last)
{
    u64 after = last == 63 ? 0 : warps >> (last + 1);
    return after ? last + 1 + warps_first(after) : warps_first(warps);
}

/* In explain.c: where cycles went, and which unit the waiting that a statistic counts was for. */
extern const struct resource_row subcore_resource_rows[];
extern const struct account_row subcore_account_rows[];
extern const struct figure_row subcore_figure_rows[];
const struct unit *subcore_awaits(const struct unit *unit, const char *stat);

/* In debug.c: what a debugger sees. */
extern const struct debug_role subcore_debug;

/* In energy.c: what instructions cost. */
extern const struct energy_row subcore_energy_rows[];
void subcore_costs(const struct unit *unit, struct unit_costs *costs);

#endif
