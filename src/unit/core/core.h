/* core.h - the core as its own files know it.
 *
 * A core runs up to 16 hardware threads and issues at most one instruction per cycle. A thread is
 * in exactly one state at any time, and every thread-cycle is charged to one counter:
 *
 *   issued    an instruction issued in this cycle
 *   passed    it could have been looked at, but another thread issued
 *   hazard    waits for a register that an earlier instruction writes, by the class of that one;
 *             or for its own slow branch or jump, or stands back with `pause` (class fence)
 *   busy      the unit that should execute its instruction has no room, by the class of this one
 *   fetch     waits for its instruction, or for room to ask for it
 *   fence     waits for its own memory accesses
 *   halted    its program has ended
 *
 * Always true: their sum is the number of threads times the cycles since the start; when the work
 * is done, times the cycles of the run. */
#ifndef UNIT_CORE_CORE_H
#define UNIT_CORE_CORE_H

#include "ogive/debug.h"
#include "ogive/explain.h"
#include "ogive/memory.h"
#include "ogive/program.h"
#include "unit/parts/executors.h"

/* What is called seldom does not make the usual way longer, and ways of which one is gone do not
 * share one frame. */
#define SELDOM                 __attribute__((noinline))
#define PART                   __attribute__((noinline))

#define CORE_THREADS_MAX       16

#define CORE_POLICIES(C, with) C(round_robin, with) C(greedy, with)

#define CORE_PARAMS(P)                                                                    \
    P(number, threads, 1, 1, CORE_THREADS_MAX, "hardware threads")                        \
    P(choice, policy, "round_robin", UNIT_CHOICES(CORE_POLICIES), 0,                      \
      "which thread goes next: in turn, or the same until it waits, then the oldest")     \
    EXECUTE_PARAM(P)                                                                      \
    P(bytes, stack, 1 * KiB, 64, 1 * MiB, "private memory of each thread")                \
    P(cycles, stack_latency, 1, 1, 64, "cycles of an access to private memory")           \
    P(cycles, pause, 128, 1, 100000,                                                      \
      "cycles for which a thread stands back with `pause`; x86 since Skylake: about 140") \
    P(number, outstanding, 64, 1, 4096, "memory accesses and messages under way at once")

/* clang-format off */
#define CORE_STATS(S)                                                                         \
    S(issued, "instructions", SUM, WORK, "instructions issued")                               \
    S(active, "cycles", SUM, WORK, "core cycles in which an instruction issued")              \
    S##_ARRAY(spent, CORE_SPENT)                                                              \
    S(cycles, "cycles", SUM, WORK, "threads times cycles: the sum of the above but `active`") \
    S(loads_private, "requests", SUM, WORK, "loads from private memory")                      \
    S(stores_private, "requests", SUM, WORK, "stores to private memory")                      \
    S##_ARRAY(issued_by, CORE_ISSUED)                                                         \
    S##_ARRAY(hazard_by, CORE_HAZARD)                                                         \
    S##_ARRAY(busy_by, CORE_BUSY)
/* clang-format on */

enum core_policy { CORE_POLICIES(UNIT_CHOICE_VALUE, CORE_POLICY_) };

/* What a thread does with its cycles: the states that it can be in. */
#define CORE_SPENT(S) CORE_STATES(CORE_STATE_STAT, S)
#define CORE_STATES(X, S)                                           \
    X(S, passed, READY, "ready while another thread issued")        \
    X(S, hazard, HAZARD, "waited for a register")                   \
    X(S, busy, BUSY, "waited for room in a unit or in memory")      \
    X(S, fetch, FETCH, "waited for an instruction")                 \
    X(S, fence, FENCE, "waited for own memory accesses to be done") \
    X(S, halted, HALTED, "after the end of the program")
#define CORE_STATE_STAT(S, name, STATE, help) S(name, "cycles", SUM, WORK, "thread-cycles " help)

/* By class of instructions. */
#define CORE_ISSUED(S) \
    CORE_ISSUED_BY(S, illegal, "no instruction") ISA_CLASSES_LEGAL(CORE_ISSUED_CLASS, S)
#define CORE_HAZARD(S) \
    CORE_HAZARD_BY(S, illegal, "no instruction") ISA_CLASSES_LEGAL(CORE_HAZARD_CLASS, S)
#define CORE_BUSY(S) \
    CORE_BUSY_BY(S, illegal, "no instruction") ISA_CLASSES_LEGAL(CORE_BUSY_CLASS, S)
#define CORE_ISSUED_CLASS(S, name, NAME, help) CORE_ISSUED_BY(S, name, #name)
#define CORE_HAZARD_CLASS(S, name, NAME, help) CORE_HAZARD_BY(S, name, #name)
#define CORE_BUSY_CLASS(S, name, NAME, help)   CORE_BUSY_BY(S, name, #name)
#define CORE_ISSUED_BY(S, name, words) \
    S(issued_##name, "instructions", SUM, WORK, "instructions issued, " words)
#define CORE_HAZARD_BY(S, name, words) \
    S(hazard_##name, "cycles", SUM, WORK, "thread-cycles waited for a result, " words)
#define CORE_BUSY_BY(S, name, words) \
    S(busy_##name, "cycles", SUM, WORK, "thread-cycles waited for room to issue, " words)

#define CORE_RATIOS(R) R(utilisation, issued, cycles, "fraction", "issues per thread-cycle")

#define CORE_PORTS(T)  T(units, ASKS, ANY, "memory and other units that execute instructions")

enum core_state {
#define CORE_STATE_VALUE(S, name, STATE, help) STATE_##STATE,
    CORE_STATES(CORE_STATE_VALUE, )
#undef CORE_STATE_VALUE
};

#define MAKERS CLASS_COUNT

struct core_thread {
    /* What choosing, checking and plain instructions look at, but for the registers: one cache
     * line with the hart's first fields. */
    u64 busy;    /* registers that are not yet written */
    u64 loading; /* of these, the ones that a load writes */
    cycle since; /* when it came into its state, or when that was last charged */
    u64 instret;
    u32 passed_over; /* BUSY: the core's count, when that was last charged */
    u32 asks;        /* in the core's `plain_loads`: the address of the load that waits */
    u16 under_way;   /* memory accesses and messages without an answer */
    u8 state;        /* enum core_state */
    u8 blamed;       /* class that HAZARD and BUSY are charged to */
    u8 maker;        /* class of what writes the rest of `busy`; MAKERS: see `makers` */
    bool timing;     /* false: nothing in `timed`, whose line need not be looked at */
    struct hart hart;

    u64 timed;                /* registers of `busy` whose cycle is known */
    u64 fetched;              /* sector of text that it has, + 1 */
    cycle *ready;             /* [register] of timed ones */
    u8 makers[REGISTER_NONE]; /* by register, where instructions of several classes do */
} __attribute__((aligned(64)));

_Static_assert(offsetof(struct core_thread, hart.r) == 64, "one cache line, then the registers");

/* The tag of a memory access or message says whose it is, and of which instruction. */
#define TAG_INSN_BITS 28
#define TAG_INSN      ((UINT32_C(1) << TAG_INSN_BITS) - 1)
#define INSN_FETCH    TAG_INSN /* no instruction of the program: asks for text */

_Static_assert((CORE_THREADS_MAX - 1) <= UINT32_MAX >> TAG_INSN_BITS, "threads fit into a tag");

/* Of the classes that most waiting is for, and of the others (tally_waits). */
#define WAITS_OFTEN  3
#define WAITS_SELDOM (CLASS_COUNT - WAITS_OFTEN)

/* What was counted since the last report, packed into a cache line. What runs over is added to the
 * statistics at once. */
struct core_tally {
    u64 passed;
    u8 issued[CLASS_COUNT]; /* by class */
    u8 moves_private[2];    /* loads, stores */
    struct core_waits {
        u16 hazard, busy; /* thread-cycles */
    } often[WAITS_OFTEN];
};

/* Custom instructions that most programs use come first: their ports are at hand, as bytes. */
#define CUSTOMS_AT_HAND  10
#define CUSTOM_ELSEWHERE UINT8_MAX /* none such, or it executes here: see `customs` */

struct core {
    struct unit base;
    /* What every tick looks at: up to the end of the unit's second cache line. */
    const struct chip_program *program;
    struct core_thread *threads;
    cycle ran_to;    /* what happens before this cycle was done in an earlier tick */
    u32 candidates;  /* threads that are READY */
    u32 timers;      /* threads that wait for a cycle */
    u32 room;        /* threads that wait for room on a port: BUSY, or FETCH */
    u32 refused;     /* threads whose next instruction has found no room before */
    u32 passed_over; /* cycles in which one of `room` went on and the others did not */
    u32 at_once;   /* classes that only touch registers, execute here in one cycle and never stop */
    u16 room_port; /* that all threads in `room` wait for; PORT_NONE: several */
    u16 awaited;   /* of `under_way`, those whose answer a thread may notice; threads that fence */
    u8 last;       /* thread that issued last */
    u8 running;    /* threads that have not halted */
    bool greedy;   /* the policy */
    bool usual; /* in turn, neither profiled nor with text to fetch, on the chip's clock, with all
                 * that it asks in its domain: ticks have a short way */

    /* A third, for up to eight threads. */
    struct core_tally tally __attribute__((aligned(64)));
    u16 waits_port[CORE_THREADS_MAX]; /* by thread: the port that had no room */
    struct core_waits tally_seldom[WAITS_SELDOM];

    /* By thread. READY or BUSY: since when it could issue; HAZARD: when that is over, NEVER: not
     * by time. */
    cycle due[CORE_THREADS_MAX] __attribute__((aligned(64)));

    /* What sending looks at: a line with the wires' first fields. */
    u8 *stacks;
    u32 first_hart;    /* number of its first thread in the whole chip */
    u32 stack_at_once; /* bytes of a thread's stack if an access takes a cycle, else 0 */
    u16 under_way;     /* memory accesses and messages without an answer */
    u16 outstanding;   /* the parameter */
    u16 plain_loads;   /* of `room`, threads with a plain load of a known address: see `asks` */
    u16 scratch;       /* port, or PORT_NONE */
    u16 move_ports[2]; /* of loads and of stores, as in `classes` */
    u16 instructions;  /* port, or PORT_NONE */
    u8 custom_ports[CUSTOMS_AT_HAND];
    UNIT_FIELDS(CORE)
    struct executor classes[CLASS_COUNT];
    struct executor *customs; /* by custom instruction */
    u16 memory;               /* port, or PORT_NONE */
    struct program_output output;
    struct hart_profile *profile; /* shared by the cores of a domain; NULL: not profiling */
    struct profile_mark marks[CORE_THREADS_MAX]; /* if profiling: what threads are charged to */
};

_Static_assert(offsetof(struct core, tally) == 128, "two cache lines");
_Static_assert(offsetof(struct core, waits_port[8]) == 192, "and a third");
_Static_assert(offsetof(struct core, stacks) % 64 == 0, "a line begins");
_Static_assert(offsetof(struct core, w.units.count) - offsetof(struct core, stacks) <= 64,
               "and ends behind which ports hold messages");

extern const struct unit_type unit_type_core;

/* In table.c: reads the parameter `execute`. */
bool core_read_table(struct core *u, struct ogv_error *error);

/* In explain.c: where cycles went, and which unit the waiting that a statistic counts was for. */
extern const struct resource_row core_resource_rows[];
extern const struct account_row core_account_rows[];
extern const struct figure_row core_figure_rows[];
const struct unit *core_awaits(const struct unit *unit, const char *stat);

/* In debug.c: what a debugger sees. */
extern const struct debug_role core_debug;

/* In report.c: brings the statistics up to date. */
void core_report(struct unit *unit, cycle now);

/* In energy.c: what instructions cost. */
extern const struct energy_row core_energy_rows[];
void core_costs(const struct unit *unit, struct unit_costs *costs);

/* Fetching, registers and computing of one instruction, from the energies of core_energy_rows. */
double core_issue_pj(const double *energy, u32 class);

/* In issue.c: tries to issue the next instruction of a thread, `insn` at `index` of the text; NULL:
 * its pc is outside. True if it issued; else the thread has left the state READY. */
bool core_issue(struct core *u, u32 number, const struct insn *insn, u32 index, cycle now);

/* The same for an instruction that is there, has no hazards and is neither profiled nor fetched. */
bool core_issue_free(struct core *u, u32 number, const struct insn *insn, u32 index, cycle now);

/* There is no room on the port: a READY thread begins to wait for it. False. */
bool core_refuse(struct core *u, u32 number, u32 port, const struct insn *insn, cycle now);

/* The same with a plain load or store. */
bool core_refuse_move(struct core *u, u32 number, u32 port, const struct insn *insn, cycle now);

/* Whether a store there can only succeed, so that nobody notices when its answer comes. */
static inline bool core_store_succeeds(const struct core *u, u32 port, u64 address)
{
    return address + MEMORY_SECTOR <= u->program->memory_bytes && port != u->scratch;
}

/* In answer.c: takes an answer of each port that has one. */
void core_take_answers(struct core *u, cycle now);
void core_take_answers_usual(struct core *u, cycle now);

/* In ahead.c: issues cycle after cycle from `now` on, and says before which cycle it has stopped.
 * For cores that await nothing. */
cycle core_run_ahead(struct core *u, cycle now);

/* In core.c: moves a thread into another state and charges the cycles since. */
void core_enter(struct core *u, u32 number, enum core_state state, cycle now);
void core_fail(struct core *u, u32 number, enum program_fault_kind kind, u64 address, cycle now);

/* NULL: not profiling. Usual cores do not: their pointer need not be looked at. */
static inline struct hart_profile *core_profile(const struct core *u)
{
    return __builtin_expect(u->usual, true) ? NULL : u->profile;
}

/* For whoever knows that a core is usual: what follows need not ask. */
static inline void core_is_usual(const struct core *u)
{
    if (!u->usual)
        __builtin_unreachable();
}

static inline struct profile_thread core_profiled(struct core *u, u32 number)
{
    return (struct profile_thread){ &u->threads[number].hart.path, &u->marks[number] };
}

/* Where a custom instruction executes. */
static inline struct executor core_custom(const struct core *u, u32 custom)
{
    u32 port = custom < CUSTOMS_AT_HAND ? u->custom_ports[custom] : CUSTOM_ELSEWHERE;
    return port != CUSTOM_ELSEWHERE ? (struct executor){ (u16)port, 0 } : u->customs[custom];
}

static inline u32 core_index(const struct core *u, u64 pc)
{
    return (u32)((pc - u->program->text.base) >> 1);
}

#endif
