/* interp.h - runs a program without a machine around it: one hart, flat memory, no time.
 *
 * The functions that simulated cores use are all there is to it, so what agrees with real hardware
 * here agrees in a simulated chip. For tests, and as a quick functional run. */
#ifndef ISA_INTERP_H
#define ISA_INTERP_H

#include "isa/elf.h"
#include "ogive/isa.h"

enum interp_stop {
    INTERP_LIMIT, /* as many instructions as allowed */
    INTERP_ECALL,
    INTERP_EBREAK,
    INTERP_ILLEGAL,
    INTERP_FETCH,   /* the pc left the text */
    INTERP_ACCESS,  /* outside memory, or a misaligned atomic: see fault_address */
    INTERP_MESSAGE, /* a custom instruction that wants a unit */
};

/* Loads of a range of memory, in order: sectors of it, counted from its beginning. Of the few that
 * were loaded last none is noted again. And stores, with NOTES_STORED: the doubleword. */
#define NOTES_RECENT       16
#define NOTES_BYTES        32
#define NOTES_STORED       UINT32_C(0x80000000)
#define NOTES_STORED_BYTES 8
struct interp_notes {
    u64 offset, bytes; /* of the range, within memory; no bytes: nothing is noted */
    u32 *at;           /* the owner frees them */
    u64 count, room;
    u32 recent[NOTES_RECENT]; /* that were loaded, by its lowest bits: a sector and 1 */
};

struct plain_text;

struct interp {
    struct hart hart;
    struct isa_environment environment;
    struct isa_program program;
    struct insn *insns;       /* owns what `program` shows; NULL in a branch */
    struct plain_text *plain; /* and this, which a branch shows as well; NULL: no short way */
    u8 *memory;               /* [base, base + size) */
    u64 base, size;
    int file; /* that the memory is a map of; -1 in a branch */
    u64 fault_address;
    u8 *own; /* the hart's private memory, at STACK_WINDOW, if its owner has put it there */
    u64 own_bytes, own_lowest; /* of which it has stored to what is from there on */
    struct interp_notes notes;
};

/* Memory spans the image and `extra_bytes` above it; text is the executable segment that holds the
 * entry. */
bool interp_init(struct interp *interp, const struct isa *isa, const struct elf_image *image,
                 u64 extra_bytes, struct ogv_error *error);
void interp_fini(struct interp *interp);

/* Another one that begins with the memory of the first as it is, and from then on writes to its
 * own: what neither writes lies in this machine's memory once. The first must outlive it and not
 * run any more. */
bool interp_branch(const struct interp *from, struct interp *branch, struct ogv_error *error);

/* Runs up to `limit` instructions. The hart stands at the instruction that made it stop: to go on
 * after an ecall, add its length to the pc. */
enum interp_stop interp_run(struct interp *interp, u64 limit);

/* The same for what takes neither another unit nor a look at the clock, until an instruction comes
 * that is not of that kind, or the limit is near; returns what is left of the limit. The clock
 * stands still. */
u64 interp_run_plain(struct interp *interp, u64 limit);

/* Notes a load or store, if it is one of memory that is noted. */
void interp_note(struct interp *interp, u64 address, u64 bytes, bool store);

/* `size` bytes of the program's memory, or NULL if they are not all there. */
u8 *interp_memory(const struct interp *interp, u64 address, u64 size);

#endif
