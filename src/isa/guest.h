/* guest.h - a program's hart without a machine around it: the interpreter, and what it leaves to
 * its owner. Private memory and calls to the host are answered here; instructions that a unit of a
 * chip would execute by whoever has the guest. */
#ifndef ISA_GUEST_H
#define ISA_GUEST_H

#include "isa/interp.h"
#include "ogive/link.h"
#include "ogive/program.h"

struct guest;

/* Answers an instruction in place: `message` is the request, and the answer then. False if there is
 * nobody who could. */
typedef bool guest_answer(struct guest *guest, struct message *message);

enum guest_stop {
    GUEST_LIMIT, /* as many instructions as allowed */
    GUEST_WAITS, /* somebody has set `waits` */
    GUEST_ENDED,
    GUEST_FAILED, /* `why` says it */
};

struct guest {
    struct interp *interp; /* memory and text, which several guests may share in turns */
    struct hart hart;
    u8 *stack; /* its own */
    u64 stack_bytes, stack_lowest;
    guest_answer *answer;
    void (*print)(struct guest *guest, char character);
    void *context; /* of the owner */
    u64 world;     /* address of its scene; 0: none */
    u64 instructions;
    u64 exit_code;
    struct program_image image; /* that it named */
    bool ended, waits;
    const char *why;
};

/* Hart `number` of `harts` at the entry, with its private memory; the owner sets the functions and
 * what else it has. `arguments` is where guest_arguments put them. */
void guest_init(struct guest *guest, struct interp *interp, u32 number, u32 harts, u64 arguments,
                u64 stack_bytes);
void guest_fini(struct guest *guest);

/* Up to so many instructions. */
enum guest_stop guest_run(struct guest *guest, u64 limit);

/* argc, argv[], NULL and the strings as a program finds them at `address`; false if they take more
 * than `room` bytes there. */
bool guest_arguments(struct interp *interp, u64 address, u64 room, u32 count,
                     const char *const *values);

#endif
