/* plain.h - a program's text as the interpreter's short way has it: of each instruction a record
 * with all that is known beforehand, one behind the other, so that it asks for nothing twice. */
#ifndef ISA_PLAIN_H
#define ISA_PLAIN_H

#include "ogive/isa.h"

/* Branches and jumps have in `operand` how far, in bytes, their target's record is behind the one
 * that follows them; what uses the pc has the sum; floating point has its rounding mode; all others
 * have the immediate. */
struct plain_insn {
    const void *label; /* that does it */
    u64 operand;
    u8 rd, rs1, rs2, rs3;
    u32 place; /* in the text, halfwords */
};

/* Instructions that follow each other in memory have records that do. Where instructions overlap,
 * a record that only leads on to the other's follows. */
struct plain_text {
    struct plain_insn *usual; /* while sums are usual: see sum_is_usual */
    struct plain_insn *careful;
    u32 *of; /* number of the record, by halfword */
    u32 count;
    u32 stretch; /* the most that are done from any of them until a jump or branch has been */
};

/* Where the short way does what: by operation, and what is no operation of its own. */
struct plain_labels {
    const void *usual[OP_COUNT];
    const void *careful[OP_COUNT]; /* NULL: as `usual` */
    const void *own[OP_COUNT];     /* loads and stores that are likely on the stack; else NULL */
    const void *leave;             /* not done here */
    const void *jump;              /* that keeps no address */
    const void *lead;              /* to another record, at no cost */
    struct plain_pair {
        const void *first, *second, *both;
    } pairs[32]; /* that often follow each other, and are done without a jump between them */
};

const struct plain_labels *plain_labels(void);

struct plain_text *plain_text_create(const struct isa_program *program,
                                     const struct plain_labels *labels);
void plain_text_destroy(struct plain_text *text);

#endif
