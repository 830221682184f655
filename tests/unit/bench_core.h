/* bench_core.h - a core on the bench, with a program given as an array of encoded instructions.
 *
 *     struct core *core = bench_core(sim, domain, 2);
 *     bench_set(&core->base, "stack_latency", 3);
 *     bench_core_ask(sim, core, "mul", multiplier, 1, 8);   a mock server as the unit `mul`
 *     bench_core_execute(core, "int_mul: mul");
 *     bench_core_start(core, bench_program(sim, text, count, 2));
 *
 * The first instruction issues in cycle 0. READ_CYCLE puts the cycle in which it issues into a
 * register: that is how tests see when things happen. */
#ifndef TESTS_UNIT_BENCH_CORE_H
#define TESTS_UNIT_BENCH_CORE_H

#include "isa/encode.h"
#include "unit/bench_unit.h"
#include "unit/core/core.h"

/* ---- Instructions ---- */

/* The fixed bits of every instruction, by enum isa_op. */
extern const u32 bench_codes[OP_COUNT];

#define R(op, rd, rs1, rs2)           encode_r(bench_codes[OP_##op], rd, rs1, rs2)
#define R4(op, rd, rs1, rs2, rs3)     encode_r4(bench_codes[OP_##op], rd, rs1, rs2, rs3)
#define I(op, rd, rs1, immediate)     encode_i(bench_codes[OP_##op], rd, rs1, immediate)
#define S(op, source, base, offset)   encode_s(bench_codes[OP_##op], base, source, offset)
#define B(op, rs1, rs2, instructions) encode_b(bench_codes[OP_##op], rs1, rs2, 4 * (instructions))
#define U(op, rd, upper)              encode_u(bench_codes[OP_##op], rd, upper)
#define J(op, rd, instructions)       encode_j(bench_codes[OP_##op], rd, 4 * (instructions))

#define NOP                           I(addi, 0, 0, 0)
#define SET(rd, value)                I(addi, rd, 0, value)
#define READ_CYCLE(rd)                I(csrrs, rd, 0, 0xc00)
#define FENCE                         I(fence, 0, 0, 0x0ff)
#define CALL(number)                  SET(17, number), I(ecall, 0, 0, 0)

/* With whatever is in a0 as the exit code, or with 0. */
#define EXIT                          CALL(CALL_EXIT)
#define EXIT_WELL                     SET(10, 0), EXIT

/* Custom instructions that come with Ogive. */
#define NEXT(rd)                      encode_r(0x0b, rd, 0, 0)
#define BARRIER(rd)                   encode_r(0x0b | 1u << 25, rd, 0, 0)

/* Where the program lies: at the beginning of a sector, away from the data. */
#define TEXT_BASE                     0x10000
#define MEMORY_BYTES                  0x100000 /* that the program is told of */
#define PC(index)                     (TEXT_BASE + 4 * (u64)(index))

#define LENGTH(array)                 ((u32)(sizeof(array) / sizeof *(array)))

/* ---- The core ---- */

struct core *bench_core(struct sim *sim, struct domain *domain, u32 threads);
void bench_core_execute(struct core *core, const char *table);

/* Decodes a program for `harts` hardware threads in all. */
struct chip_program *bench_program(struct sim *sim, const u32 *text, u32 count, u32 harts);

/* Initialises the core and starts it. */
void bench_core_start(struct core *core, const struct chip_program *program);

/* Before the start: counts where cycles go. */
void bench_core_profile(struct core *core);

/* Thread-cycles charged to an instruction (its halfword) for a reason, on all paths. */
u64 bench_profile(const struct core *core, u32 index, u32 reason);

/* Joins the core to the unit that its table calls `name`. */
void bench_core_ask(struct sim *sim, struct core *core, const char *name, struct mock *mock,
                    u32 latency, u32 capacity);
void bench_core_ask_unit(struct sim *sim, struct core *core, const char *name, struct unit *serving,
                         const char *port, u32 latency, u32 capacity);

/* Register x of a thread, as the program left it. */
u64 bench_x(const struct core *core, u32 thread, u32 number);

u64 bench_core_stat(const struct core *core, const char *stat);

/* Brings the statistics up to `now` and checks that every thread-cycle was charged exactly once,
 * to the thread, to a class where there are classes, and to an address if profiling. */
void bench_core_settle(struct core *core, cycle now);

/* ---- A chip with one core ---- */

struct core_stand {
    struct sim *sim;
    struct domain *domain;
    struct core *core;
};

struct core_stand stand_core(u32 threads);

/* Loads the program and seals the chip; stand_enter_at lets a thread begin elsewhere than at the
 * first instruction. */
void stand_load(struct core_stand *stand, const u32 *text, u32 count);
void stand_enter_at(struct core_stand *stand, u32 thread, u32 index);

/* Runs to the end, which must be as expected, and settles the accounts. */
void stand_finish(struct core_stand *stand, enum sim_end end);

/* Loads the program and runs it to the end of its work. */
void stand_run(struct core_stand *stand, const u32 *text, u32 count);

/* The program's text as the argument list wants it. */
#define TEXT(name) name, LENGTH(name)

/* ---- Mock servers ----
 *
 * A server takes what arrives, notes it, and answers each request `latency` cycles later with what
 * it got, changed by `change` if there is one. From `closed_from` to `closed_to` it takes nothing.
 */
#define SERVED_MAX 512

struct served {
    cycle taken, answered; /* NEVER: not yet */
    cycle due;
    u32 link;
    struct message message;
};

struct server {
    cycle latency;
    cycle closed_from, closed_to;
    void (*change)(struct message *answer, u32 index);
    cycle delays[8]; /* of the first requests, instead of the latency; 0: none */
    u32 count;       /* requests so far */
    struct served served[SERVED_MAX];
    struct mock *mock;
};

#define SERVERS_MAX 4

/* Server number n of the chip; its notes are fresh. */
struct server *bench_server(struct sim *sim, struct domain *domain, u32 n, cycle latency);

#endif
