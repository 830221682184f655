/* program.h - a unit that runs programs: a core of your own.
 *
 * A type whose descriptor has `.programs = &role` gets programs as the cores of the tree do: the
 * host decodes the text once, numbers the hardware threads of the whole chip, and calls `start`.
 * From then on the unit executes, with isa.h, and leaves behind a struct program_output: what was
 * printed, which image was drawn, the exit code, the first fault. Profiles, the explanation of
 * faults, progress and the summary of a run follow from the role.
 *
 *     struct mine { struct unit base; UNIT_FIELDS(MINE) ... struct program_output output; };
 *
 *     init       program_output_init(&u->output, unit, error)
 *     attend     program_output_attend(&u->output, unit)
 *     start      program_enter(...) for each thread; unit_hold(unit, threads)
 *     an ecall   program_call(...), which says how the thread goes on
 *     a failure  program_fail(...)
 *
 * The descriptor must also have `harts` (how many threads it runs) and `toward` (its way to
 * memory, where the host puts the program). */
#ifndef OGIVE_PROGRAM_H
#define OGIVE_PROGRAM_H

#include "ogive/isa.h"
#include "ogive/profile.h"
#include "ogive/unit.h"

struct debug_role;
struct text;

/* ---- What programs expect ---- */

/* Registers that the calling convention gives a meaning. */
enum { REGISTER_RA = 1, REGISTER_SP = 2, REGISTER_A0 = 10, REGISTER_A7 = 17 };

/* Private memory of a thread: the same addresses for all, each sees its own. */
#define STACK_WINDOW   UINT64_C(0x7f0000000000)
/* Memory shared by the cores that are linked to one scratchpad. */
#define SCRATCH_WINDOW UINT64_C(0x7e0000000000)
#define WINDOW_BYTES   UINT64_C(0x10000000000)

/* What the host lends to programs; the number is in a7 of an ecall. */
enum program_call {
    CALL_EXIT = 93,   /* a0: exit code; ends this thread */
    CALL_PUTC = 1000, /* a0: a character for the host to print */
    CALL_IMAGE =
        1001, /* a0: address of pixels, a1: width, a2: height: an image to write at the end */
    CALL_WORLD = 1002, /* gives in a0 the address of the scene, or 0 */
};

/* A program, shared by all units of a chip that run it and never changed. */
struct chip_program {
    struct isa_program text;
    const u64 *hazards; /* per halfword: registers that the instruction reads or writes, those that
                         * the host sees and changes in a call among them */
    const u32 *meets;   /* and the halfword where all ways from it meet; ISA_MEETS_NOWHERE */
    const u32 *order;   /* and its place in an order of ways: who is behind others comes first */
    const u8 *runs;     /* and how many plain instructions surely come from it on */
    u64 entry, arguments;
    u64 world;           /* address of the scene, or 0 */
    u32 harts;           /* in the whole chip */
    const u32 *ordinals; /* per halfword: instructions before it */
    u64 memory_bytes;    /* of the chip's memory, from address 0 on */
    u64 constants;       /* address of what is neither written nor executed, and */
    u64 constant_bytes;  /* how much that is */
};

/* For the host: fill in `hazards` and `ordinals`. */
void program_hazards(const struct insn *insns, u64 halfwords, u64 *hazards);
void program_count(const struct insn *insns, u64 halfwords, u32 *ordinals);

/* A thread as a program finds it: hart number `number` at the entry, its private memory, if any,
 * below `stack_end`. */
void program_enter(const struct chip_program *program, struct hart *hart, u32 number,
                   u64 stack_end);
/* After that, where threads are in warps: how many make one, and which of them this is. */
void program_enter_warp(struct hart *hart, u32 width, u32 lane);

/* ---- What programs leave ---- */

/* Everything that was printed, without limit.
 *
 * A tick may not allocate, so characters go to a buffer. When that might not last for another
 * window, the unit calls the host, which moves them to a part of their own between two windows. A
 * unit prints at most one character per cycle.
 *
 * Always true: the parts in their order, then the buffer, hold everything that was printed but
 * `lost`, which is 0 unless the state of the chip takes all the room there is for it. */
struct program_console {
    char *bytes; /* [room] */
    u32 length, room;
    u32 call_at; /* length at which the host is called */
    u64 lost;
    struct console_part *first, *last;
};

struct console_part {
    struct console_part *next;
    u64 length;
    char bytes[];
};

struct program_image {
    u64 address; /* 0: none */
    u32 width, height;
};

struct program_fault {
    cycle at; /* NEVER: none */
    u64 pc, address;
    u32 thread; /* of the unit */
    enum program_fault_kind {
        FAULT_NONE,
        FAULT_ILLEGAL,
        FAULT_FETCH,      /* address: where there is no text */
        FAULT_ACCESS,     /* address: where there is no memory */
        FAULT_MISALIGNED, /* address */
        FAULT_STACK,      /* address: outside private memory */
        FAULT_BREAK,
        FAULT_CALL, /* address: the number of an ecall that nobody answers */
        FAULT_NO_UNIT,
    } kind;
};

struct program_output {
    u64 exit_code; /* the first that was not zero */
    struct program_image image;
    struct program_fault fault;
    struct program_console console;
};

/* For init and attend of a unit that has an output. */
bool program_output_init(struct program_output *output, struct unit *unit, struct ogv_error *error);
void program_output_attend(struct program_output *output, struct unit *unit);

/* How a thread goes on after an ecall. */
enum program_next {
    PROGRAM_GOES_ON, /* behind the instruction */
    PROGRAM_ENDS,    /* the thread has ended */
    PROGRAM_FAILS,   /* with FAULT_CALL: there is no such call; nothing was done */
};

/* Does what the ecall that a thread stands at asks the host for. The pc is left to the unit, and so
 * is unit_release for a thread that has ended. */
enum program_next program_call(struct program_output *output, struct unit *unit,
                               const struct chip_program *program, struct hart *hart);

/* Keeps the first fault, and stops the run. Ending the thread is left to the unit. */
void program_fail(struct program_output *output, struct unit *unit, struct program_fault fault);

/* For the host: adds all that was printed. */
void program_console_read(const struct program_console *console, struct text *out);

/* ---- The role ---- */

struct program_role {
    /* Begins all threads of the unit, which are harts `first_hart` and up of the chip. What they do
     * is charged to `profile`, shared by the units of a domain, unless that is NULL. */
    void (*start)(struct unit *unit, const struct chip_program *program, u32 first_hart,
                  struct hart_profile *profile);

    const struct program_output *(*output)(const struct unit *unit);

    /* Copies the registers of a thread as they are now; whether it has yet to end. */
    bool (*hart)(const struct unit *unit, u32 thread, struct hart *hart);

    /* What issuing an instruction of a class costs, in picojoules, from the energies of the
     * descriptor's list in its order; NAN where nothing is known. NULL: that cannot be said. */
    double (*issue_pj)(const double *energy, u32 class);

    /* Names of statistics: instructions executed, and thread-cycles after a thread's end. */
    const char *instructions, *halted;

    /* Its threads are in warps: these take turns, and what is said of a thread's cycles here and in
     * a profile is of a warp's. */
    bool warps;

    /* Names of parameters that a fault may ask the user to change: the bytes of private memory of a
     * thread, and which unit executes what. NULL: there is none. */
    const char *stack, *execute;

    /* What a debugger may ask (debug.h). NULL: registers are all that it sees. */
    const struct debug_role *debug;
};

#endif
