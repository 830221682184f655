/* isa.h - RV64IMAFDC with custom instructions: decoded once, executed many times.
 *
 * A `struct isa` is an instruction set: the rows of isa_insn.def plus whatever custom instructions
 * were added to it. It turns machine code into an array of `struct insn`, one per halfword of text.
 * From then on a core works with these alone:
 *
 *     const struct insn *insn = isa_fetch(&program, hart->pc);
 *     if (!(busy & (isa_reads(insn) | isa_writes(insn))))        a scoreboard
 *         switch (isa_execute(hart, insn, &environment)) { ... }
 *
 * isa_execute either does the whole instruction (ISA_NEXT) or changes nothing at all and says who
 * has to do it: memory (isa_access, then isa_finish), another unit (isa_operands, then
 * isa_results), or whoever runs the program.
 *
 * Always true of a decoded instruction: registers are numbered 0-31 (x) and 32-63 (f); a source
 * that is not used is register 0, which reads as zero; a destination that is not used or is x0 is
 * REGISTER_NONE, a place that is written and never read. So no instruction needs to ask what it
 * has. */
#ifndef OGIVE_ISA_H
#define OGIVE_ISA_H

#include "ogive/custom.h"
#include "ogive/isa_classes.h"
#include "ogive/ogive.h"
#include "ogive/types.h"

#define REGISTER_F0   32
#define REGISTER_NONE 64
#define ISA_BLOCK_MAX 32 /* registers that a custom instruction may take or give as one operand */

enum isa_op {
    OP_illegal,
#define INSN(op, text, format, class, code, action) OP_##op,
#include "ogive/isa_insn.def"
    OP_custom,
    OP_COUNT
};

enum isa_format {
#define FORMAT(name, mask, operands) FORMAT_##name,
#include "ogive/isa_format.def"
    FORMAT_COUNT
};

/* The rounding modes, as encoded in instructions and in frm. */
enum isa_rounding {
    ROUND_NEAREST_EVEN,
    ROUND_TO_ZERO,
    ROUND_DOWN,
    ROUND_UP,
    ROUND_NEAREST_AWAY,
    ROUND_DYNAMIC = 7
};

/* The accrued exceptions, the lower five bits of fcsr; frm, the mode, is above them. */
#define FCSR_MODE      0xe0u
#define FCSR_MODE_LAST 0x80u /* those above are reserved */
enum isa_flags {
    FLAG_INEXACT = 1,
    FLAG_UNDERFLOW = 2,
    FLAG_OVERFLOW = 4,
    FLAG_DIVIDE_BY_ZERO = 8,
    FLAG_INVALID = 16
};

/* What an atomic does with the old value in memory. */
enum isa_amo {
    AMO_NONE,
    AMO_LR,
    AMO_SC,
    AMO_SWAP,
    AMO_ADD,
    AMO_XOR,
    AMO_AND,
    AMO_OR,
    AMO_MIN,
    AMO_MAX,
    AMO_MINU,
    AMO_MAXU,
    AMO_FADD, /* floating point: to nearest, ties to even; no flag is raised */
    AMO_FMIN,
    AMO_FMAX
};

/* One decoded instruction. */
struct insn {
    u16 op;                 /* enum isa_op */
    u8 class;               /* enum isa_class */
    u8 length;              /* in bytes, 2 or 4 */
    u8 rd, rs1, rs2, rs3;   /* see above */
    u8 mode;                /* rounding mode, or acquire (2) and release (1) */
    u8 rd_count, rs1_count; /* registers in the block that starts there; 1 unless custom */
    u8 custom;              /* which custom instruction, if op is OP_custom */
    int32_t immediate; /* of CSR instructions: number, then immediate << 12; if illegal: bits */
};

_Static_assert(sizeof(struct insn) == 16, "four instructions to a cache line");

/* The architectural state of one hardware thread: plain data. */
struct hart {
    u32 fcsr; /* frm above the five flags */
    u32 path; /* of calls, for whoever profiles it; no instruction sees it */
    u64 pc;
    union {
        struct {
            u64 x[32];
            u64 f[32];
        };
        u64 r[REGISTER_NONE + 1];
    };
    u64 reservation; /* address of the last load-reserved, or NEVER */
    u64 stamp;       /* that memory gave with it, if that keeps reservations (ogive/memory.h) */
};

/* What isa_execute found. Only ISA_NEXT changes the hart; after any other the pc still points to
 * the instruction, and hart->pc += insn->length moves on. */
enum isa_outcome {
    ISA_NEXT,    /* done */
    ISA_MEMORY,  /* a load, store or atomic: see isa_access */
    ISA_MESSAGE, /* a custom instruction that another unit executes: see isa_operands */
    ISA_FENCE,   /* wait until earlier memory accesses are done */
    ISA_FENCE_I, /* the same; text never changes, so there is no more to it */
    ISA_PAUSE,   /* stand back for a while, or do nothing */
    ISA_ECALL,
    ISA_EBREAK,
    ISA_ILLEGAL,
};

struct isa;
struct message;

/* What instructions can ask of the world around the hart. */
struct isa_environment {
    const struct isa *isa;
    u64 cycle, time, instret;
};

/* ---- The instruction set ---- */

struct isa *isa_create(void);
void isa_destroy(struct isa *isa);

/* That of this process, which all its chips and programs share: RISC-V, the standard custom
 * instructions, and those that loaded unit libraries brought. */
struct isa *isa_shared(void);

/* Adds a custom instruction; false if the row makes no sense, the encoding is taken, or a chip in
 * use would not know it. */
bool isa_add(struct isa *isa, const struct isa_custom *custom, struct ogv_error *error);

/* A chip is about to be built from it, or is no more. Its cores have one place per instruction, so
 * while it lives there can be no new ones. */
void isa_use(struct isa *isa);
void isa_unuse(struct isa *isa);

const struct isa_custom *isa_custom(const struct isa *isa, const struct insn *insn);

/* How the one that was added last is for warps, if not as any other message. */
void isa_set_warp(struct isa *isa, const struct isa_warp *warp);
struct isa_warp isa_custom_warp(const struct isa *isa, const struct insn *insn);

/* All that were added, in that order; insn.custom counts the same way. */
u32 isa_custom_count(const struct isa *isa);
const struct isa_custom *isa_custom_at(const struct isa *isa, u32 index);

const char *isa_class_name(enum isa_class class);
const char *isa_class_help(enum isa_class class);
/* False if there is no class of that name. */
bool isa_class_find(const char *name, enum isa_class *class);

/* ---- Decoding ---- */

/* The length in bytes of the instruction that starts with this halfword. */
static inline u32 isa_length(u16 halfword)
{
    return (halfword & 3) == 3 ? 4 : 2;
}

/* Decodes one instruction; of a compressed one only the lower half counts. What is not an
 * instruction comes back as OP_illegal with the bits as its immediate. */
struct insn isa_decode(const struct isa *isa, u32 bits);

/* The 32-bit instruction that a compressed one stands for, or 0 if it is illegal. */
u32 isa_expand(u16 compressed);

/* Predecoded text: insns[i] is what a hart finds at base + 2 i. */
struct isa_program {
    u64 base;
    u64 count; /* halfwords */
    const struct insn *insns;
};

/* Of a halfword of text: the ways from there do not meet before the end of the function. */
#define ISA_MEETS_NOWHERE UINT32_MAX

/* Decodes `size` bytes of text into insns[size / 2]. An instruction that runs over the end is
 * illegal. */
void isa_predecode(const struct isa *isa, const u8 *text, u64 size, struct insn *insns);

/* Which of them pc points to; none, if that is not less than their count: it is outside the text or
 * odd. */
static inline u64 isa_place(const struct isa_program *program, u64 pc)
{
    u64 offset = pc - program->base;
    return offset >> 1 | offset << 63; /* odd: far outside */
}

/* NULL if pc is outside the text or odd. */
static inline const struct insn *isa_fetch(const struct isa_program *program, u64 pc)
{
    u64 index = isa_place(program, pc);
    return index < program->count ? &program->insns[index] : NULL;
}

/* Registers read and written, as bits; x0 never counts. */
static inline u64 isa_block(u32 first, u32 count)
{
    return ((UINT64_C(1) << count) - 1) << (first & 63) & ~UINT64_C(1);
}

static inline u64 isa_reads(const struct insn *insn)
{
    return isa_block(insn->rs1, insn->rs1_count) | isa_block(insn->rs2, 1) |
           isa_block(insn->rs3, 1);
}

static inline u64 isa_writes(const struct insn *insn)
{
    return isa_block(insn->rd, insn->rd_count);
}

/* ---- Executing ---- */

/* A hart that starts at pc with all registers zero. */
void hart_init(struct hart *hart, u64 pc);

typedef enum isa_outcome isa_executor(struct hart *hart, const struct insn *insn,
                                      const struct isa_environment *environment);
extern isa_executor *const isa_executors[OP_COUNT];

static inline enum isa_outcome isa_execute(struct hart *hart, const struct insn *insn,
                                           const struct isa_environment *environment)
{
    return isa_executors[insn->op](hart, insn, environment);
}

/* What a load, store or atomic wants of memory. */
struct isa_access {
    u64 address;
    u64 data; /* to store, or the operand of an atomic; only the lower size_bytes count */
    u8 size_bytes;
    u8 amo; /* enum isa_amo; AMO_NONE: a plain load or store */
    bool store;
    bool misaligned; /* a load or store is still to be done, in pieces; an atomic is a fault */
};

extern const struct isa_access_kind {
    u8 size_bytes, amo;
    bool store;
} isa_access_kinds[OP_COUNT];

static inline struct isa_access isa_access(const struct hart *hart, const struct insn *insn)
{
    const struct isa_access_kind *kind = &isa_access_kinds[insn->op];
    u64 address = hart->r[insn->rs1] + (u64)insn->immediate;
    return (struct isa_access){
        .address = address,
        .data = insn->class == CLASS_LOAD ? 0 : hart->r[insn->rs2],
        .size_bytes = kind->size_bytes,
        .amo = kind->amo,
        .store = kind->store,
        .misaligned = address & (kind->size_bytes - 1u),
    };
}

/* Writes the destination of a load or atomic: `raw` holds the bytes read, lowest address lowest,
 * and of a store-conditional 0 for success, 1 for failure. Bits above the access's size do not
 * matter.
 */
typedef void isa_finisher(u64 *rd, u64 raw);
extern isa_finisher *const isa_finishers[OP_COUNT];

static inline void isa_finish(struct hart *hart, const struct insn *insn, u64 raw)
{
    isa_finishers[insn->op](&hart->r[insn->rd], raw);
}

/* Does all of a load or store but for the pc, where its bytes lie at hand. */
typedef void isa_mover(struct hart *hart, const struct insn *insn, u8 *bytes);
extern isa_mover *const isa_movers[OP_COUNT];

static inline void isa_move(struct hart *hart, const struct insn *insn, u8 *bytes)
{
    isa_movers[insn->op](hart, insn, bytes);
}

/* The new value in memory after an atomic found `old` there. Pure: runs where the data lives. */
u64 isa_amo(enum isa_amo amo, u32 size_bytes, u64 old, u64 operand);

/* Sources of a message, rs1 (its whole block) first, then rs2 and rs3 where the instruction has
 * them; how many there were. */
u32 isa_operands(const struct isa *isa, const struct hart *hart, const struct insn *insn,
                 u64 values[ISA_BLOCK_MAX + 2]);

/* Writes the answer: rd_count values. */
void isa_results(struct hart *hart, const struct insn *insn, const u64 *values);

/* The same with a message between: all of one but its tag and source, and what its answer says. Up
 * to four values fill the data as 64 bits each, more as 32 bits each: eight floats fit. The rest is
 * zero. */
void isa_message(const struct isa *isa, const struct hart *hart, const struct insn *insn,
                 struct message *message);
void isa_answer(struct hart *hart, const struct insn *insn, const struct message *answer);

/* ---- Text ---- */

/* One instruction as the GNU disassembler writes it with -M no-aliases, compressed ones as what
 * they stand for. Returns what snprintf would. */
int isa_disassemble(const struct isa *isa, const struct insn *insn, u64 pc, char *buffer,
                    size_t size);

/* "a0", "ft3": the calling convention's name of a register. */
const char *isa_register_name(u32 number);

#endif
