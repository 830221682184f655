/* plain.c - the interpreter's short way: instructions that touch registers, and loads and stores of
 * memory that is there. Each has a label and a jump of its own to the next, which the processor of
 * the host learns to guess one by one.
 *
 * It runs over records that are made of the text once (plain.h). There are two for each
 * instruction: while sums are usual, which they stay until an instruction that is not done here,
 * none asks for the rounding mode or the inexact flag. Nor is each counted: how many were done is
 * how far the record is from the first, less what jumps have skipped, and only these look whether
 * the limit is near.
 *
 * Whatever it does not do here is left to interp_run before anything of it has been done. */
#include "isa/plain.h"
#include "base/text.h"
#include "isa/actions.h"
#include "isa/interp.h"
#include "ogive/program.h"

/* ---- Memory ---- */

static void note_add(struct interp_notes *notes, u32 note)
{
    if (notes->count == notes->room) {
        notes->room = notes->room ? 2 * notes->room : 1024;
        notes->at = heap_grow(notes->at, notes->room, sizeof *notes->at);
    }
    notes->at[notes->count++] = note;
}

static void sector_note(struct interp_notes *notes, u32 sector)
{
    u32 *recent = &notes->recent[sector % NOTES_RECENT];
    if (*recent == sector + 1)
        return;
    *recent = sector + 1;
    note_add(notes, sector);
}

void interp_note(struct interp *interp, u64 address, u64 bytes, bool store)
{
    struct interp_notes *notes = &interp->notes;
    u64 from = address - interp->base - notes->offset;
    if (from >= notes->bytes)
        return;
    if (store) {
        note_add(notes, (u32)(from / NOTES_STORED_BYTES) | NOTES_STORED);
        return;
    }
    sector_note(notes, (u32)(from / NOTES_BYTES));
    sector_note(notes, (u32)((from + bytes - 1) / NOTES_BYTES));
}

/* Where an access goes that is not to memory without notes: to memory with them, or to the hart's
 * own; NULL: elsewhere. */
static __attribute__((noinline)) u8 *other_place(struct interp *interp, u64 address, u64 bytes,
                                                 bool store)
{
    u64 offset = address - interp->base, own = address - STACK_WINDOW;
    if (offset < interp->size && bytes <= interp->size - offset) {
        interp_note(interp, address, bytes, store);
        return interp->memory + offset;
    }
    if (own >= interp->own_bytes || bytes > interp->own_bytes - own)
        return NULL;
    if (store)
        interp->own_lowest = min_u64(interp->own_lowest, own);
    return interp->own + own;
}

/* Whether a sector that is loaded, and no other with it, was loaded just before. */
static inline bool load_is_known(const struct interp_notes *notes, u64 from, u64 bytes)
{
    u64 sector = from / NOTES_BYTES;
    return notes->recent[sector % NOTES_RECENT] == sector + 1 &&
           (from + bytes - 1) / NOTES_BYTES == sector;
}

/* Addresses from `base` on, as many as `span`, at which all of every access is in memory that is
 * one piece of the host's. */
struct window {
    u64 base, span;
    u8 *from;
};

#define ACCESS_MOST 8 /* bytes */

static struct window window_of(u64 base, u8 *from, u64 bytes)
{
    return (struct window){ base, bytes >= ACCESS_MOST ? bytes - ACCESS_MOST + 1 : 0, from };
}

/* Memory that comes before what is noted, or all. */
static struct window window_of_memory(const struct interp *interp)
{
    return window_of(interp->base, interp->memory,
                     interp->notes.bytes ? interp->notes.offset : interp->size);
}

/* What is noted. */
static struct window window_of_notes(const struct interp *interp)
{
    const struct interp_notes *notes = &interp->notes;
    return window_of(interp->base + notes->offset, interp->memory + notes->offset, notes->bytes);
}

/* ---- Registers ---- */

static inline bool sums_are_usual(const struct hart *hart)
{
    return (hart->fcsr & (FCSR_MODE | FLAG_INEXACT)) == FLAG_INEXACT;
}

/* As f32_unboxed and f32_are_boxed of registers, each half of which is read by itself, so that
 * numbers need not pass through the host's integer registers. */
static inline float f32_number(const u64 *value)
{
    float host;
    memcpy(&host, value, sizeof host);
    return host;
}

static inline double f64_number(const u64 *value)
{
    return f64_unboxed(*value);
}

static inline bool f32_pair_is_boxed(const u64 *a, const u64 *b)
{
    u32 boxes[2];
    memcpy(&boxes[0], (const u8 *)a + 4, sizeof boxes[0]);
    memcpy(&boxes[1], (const u8 *)b + 4, sizeof boxes[1]);
    return (boxes[0] & boxes[1]) == UINT32_MAX;
}

static inline bool f64_pair_is_boxed(const u64 *a, const u64 *b)
{
    return f64_are_boxed(*a, *b);
}

/* ---- What is done how ---- */

/* By class. */
#define WAY_INT_ADD    STEP
#define WAY_INT_LOGIC  STEP
#define WAY_INT_SHIFT  STEP
#define WAY_INT_MUL    STEP
#define WAY_FP_MOVE    STEP
#define WAY_FP_COMPARE STEP
#define WAY_JUMP       APART
#define WAY_BRANCH     FORK
#define WAY_INT_DIV    STEP
#define WAY_FENCE      LEAVE
#define WAY_SYSTEM     LEAVE
#define WAY_CSR        LEAVE
#define WAY_FP_FMA     STEP
#define WAY_FP_DIV     STEP
#define WAY_FP_SQRT    STEP
#define WAY_FP_CONVERT STEP

/* Whether a class rounds, and has a label more for that. */
#define SKIPPED(way, ...)
#define ROUNDED(way, ...)  way(__VA_ARGS__)
#define CAREFUL_INT_ADD    SKIPPED
#define CAREFUL_INT_LOGIC  SKIPPED
#define CAREFUL_INT_SHIFT  SKIPPED
#define CAREFUL_INT_MUL    SKIPPED
#define CAREFUL_FP_MOVE    SKIPPED
#define CAREFUL_FP_COMPARE SKIPPED
#define CAREFUL_JUMP       SKIPPED
#define CAREFUL_BRANCH     SKIPPED
#define CAREFUL_INT_DIV    SKIPPED
#define CAREFUL_FENCE      SKIPPED
#define CAREFUL_SYSTEM     SKIPPED
#define CAREFUL_CSR        SKIPPED
#define CAREFUL_LOAD       SKIPPED
#define CAREFUL_STORE      SKIPPED
#define CAREFUL_ATOMIC     SKIPPED
#define CAREFUL_FP_ADD     ROUNDED
#define CAREFUL_FP_MUL     ROUNDED
#define CAREFUL_FP_FMA     ROUNDED
#define CAREFUL_FP_DIV     ROUNDED
#define CAREFUL_FP_SQRT    ROUNDED
#define CAREFUL_FP_CONVERT ROUNDED

#define R(field)           hart->r[at->field]
#undef IMM
#define IMM  at->operand
#define PC   0 /* the operand has it */
#define FCSR hart->fcsr
#define RAW  raw

#define GO_ON \
    at++;     \
    goto * at->label;

#define STEP(op, action) \
    do_##op:             \
    {                    \
        action;          \
        GO_ON            \
    }
#define LEAVE(op, action) do_##op : goto leave;
#define APART(op, action) /* written below */

/* The record that comes next is so many bytes further; what that skips was not done. */
#define SKIP(bytes)                                           \
    {                                                         \
        u64 skipped = (bytes);                                \
        end += skipped;                                       \
        at = (const void *)((const char *)at + (i64)skipped); \
    }
#define LEAP                       \
    at++;                          \
    if ((u64)(uintptr_t)at >= end) \
        goto leave;                \
    goto * at->label;

#define FORK(op, action) \
    do_##op:             \
    {                    \
        action;          \
        LEAP             \
    }
#undef BRANCH
#define BRANCH(condition) \
    if (condition)        \
    SKIP(IMM)

#define ADDRESS_BEHIND   (program->base + 2 * (u64)at->place + at->rs3)

#define BY(way, op, ...) way(op, __VA_ARGS__)

/* To nearest, and inexact is set: what the host computes is mostly sure to be right. */
#undef SETF
#define SETF(value)                            \
    const u32 mode = ROUND_NEAREST_EVEN;       \
    if ((FCSR & FLAG_INEXACT) != FLAG_INEXACT) \
        __builtin_unreachable();               \
    SET(value)

/* What is done but for the jump to the next; what is not done that shortly goes to where it is. */
#define ADD_UP(op, F, operator)                                                     \
    {                                                                               \
        u64 bits = F##_bits(F##_number(&A) operator F##_number(&B));                \
        if (__builtin_expect(!F##_pair_is_boxed(&A, &B) || !F##_is_plain(bits), 0)) \
            goto careful_##op;                                                      \
        SET(F##_box(bits));                                                         \
    }
#define LOAD_MEMORY(op, bytes, value)                   \
    {                                                   \
        u64 offset = A + IMM - memory.base, raw = 0;    \
        if (__builtin_expect(offset >= memory.span, 0)) \
            goto seek_##op;                             \
        memcpy(&raw, memory.from + offset, bytes);      \
        SET(value);                                     \
    }
#define LOAD_OWN(op, bytes, value)                    \
    {                                                 \
        u64 offset = A + IMM - STACK_WINDOW, raw = 0; \
        if (__builtin_expect(offset >= own.span, 0))  \
            goto seek_##op;                           \
        memcpy(&raw, own.from + offset, bytes);       \
        SET(value);                                   \
    }
#define STORE_OWN(op, bytes)                         \
    {                                                \
        u64 offset = A + IMM - STACK_WINDOW;         \
        if (__builtin_expect(offset >= own.span, 0)) \
            goto seek_##op;                          \
        lowest = min_u64(lowest, offset);            \
        memcpy(own.from + offset, &B, bytes);        \
    }
#define LESS(op, F)                                                                     \
    {                                                                                   \
        if (__builtin_expect(!F##_pair_is_boxed(&A, &B) ||                              \
                                 __builtin_isunordered(F##_number(&A), F##_number(&B)), \
                             0))                                                        \
            goto do_##op;                                                               \
        SET(F##_number(&A) < F##_number(&B));                                           \
    }

/* Those that follow each other most often in compiled programs that trace paths, 0.7 to 7.7% of all
 * instructions each: without a jump between them. */
#define BODY_do_lui     SET(IMM);
#define BODY_do_addiw   SETW((u32)A + (u32)IMM);
#define BODY_do_slli    SET(A << IMM);
#define BODY_do_add     SET(A + B);
#define BODY_do_fmv_w_x SET(BOX(A));
#define BODY_do_flt_s   LESS(flt_s, f32)
#define BODY_do_beq     BRANCH(A == B) LEAP
#define BODY_do_bne     BRANCH(A != B) LEAP
#define BODY_own_fsd    STORE_OWN(fsd, 8)
#define BODY_own_fsw    STORE_OWN(fsw, 4)
#define BODY_own_sd     STORE_OWN(sd, 8)
#define BODY_do_fadd_s  ADD_UP(fadd_s, f32, +)
#define BODY_do_fsub_s  ADD_UP(fsub_s, f32, -)
#define BODY_do_fmul_s  ADD_UP(fmul_s, f32, *)
#define BODY_do_flw     LOAD_MEMORY(flw, 4, BOX(RAW))
#define BODY_own_flw    LOAD_OWN(flw, 4, BOX(RAW))
#define BODY_own_ld     LOAD_OWN(ld, 8, RAW)
#define BODY_own_fld    LOAD_OWN(fld, 8, RAW)
#define PAIRS(P)              \
    P(do_fmul_s, do_fmul_s)   \
    P(do_fadd_s, do_fadd_s)   \
    P(do_fsub_s, do_fsub_s)   \
    P(do_fmul_s, do_fadd_s)   \
    P(do_fadd_s, do_fmul_s)   \
    P(do_lui, do_flw)         \
    P(own_flw, own_flw)       \
    P(own_flw, do_fmul_s)     \
    P(own_ld, own_ld)         \
    P(own_fld, own_fld)       \
    P(own_fsd, own_fsd)       \
    P(own_fsw, own_fsw)       \
    P(own_sd, own_sd)         \
    P(do_lui, do_addiw)       \
    P(do_slli, do_add)        \
    P(do_flt_s, do_beq)       \
    P(do_flt_s, do_bne)       \
    P(do_fmv_w_x, do_flt_s)   \
    P(do_fmv_w_x, do_fmv_w_x) \
    P(do_fmul_s, do_lui)      \
    P(do_fmul_s, do_fsub_s)   \
    P(own_flw, do_lui)        \
    P(own_flw, do_fadd_s)     \
    P(do_flw, do_flw)         \
    P(do_flw, do_fmul_s)      \
    P(do_add, do_add)

#define AT_ONCE UINT32_MAX /* more are done in the next call */

/* ---- Running ---- */

/* Instructions that are left of those allowed; without an interpreter only the labels. */
static u64 plain_run(struct interp *interp, u64 limit, const struct plain_labels **all)
{
    static const struct plain_labels labels = {
        .usual = {
            [OP_illegal] = &&leave,
            [OP_custom] = &&leave,
#define INSN(op, text, format, class, code, action) [OP_##op] = &&do_##op,
#include "ogive/isa_insn.def"
        },
        .careful = {
#define INSN(op, text, format, class, code, action) BY(CAREFUL_##class, LABEL, op)
#define LABEL(op)                                   [OP_##op] = &&careful_##op,
#include "ogive/isa_insn.def"
        },
        .own = {
#define INSN(op, text, format, class, code, action)
#define LOAD(op, text, format, code, bytes, value) [OP_##op] = &&own_##op,
#define STORE(op, text, format, code, bytes)       [OP_##op] = &&own_##op,
#include "ogive/isa_insn.def"
        },
        .leave = &&leave,
        .jump = &&jump,
        .lead = &&lead,
        .pairs = {
#define PAIR(first, second) { &&first, &&second, &&first##_##second },
            PAIRS(PAIR)
#undef PAIR
        },
    };
    if (!interp) {
        *all = &labels;
        return limit;
    }
    struct hart *hart = &interp->hart;
    const struct isa_program *program = &interp->program;
    const struct plain_text *text = interp->plain;
    u64 place = (hart->pc - program->base) / 2, allowed = min_u64(limit, AT_ONCE);
    if (!isa_fetch(program, hart->pc) || allowed <= text->stretch)
        return limit;
    const struct plain_insn *first = sums_are_usual(hart) ? text->usual : text->careful;
    const struct plain_insn *at = first + text->of[place];
    u64 end = (u64)(uintptr_t)(at + (allowed - text->stretch));
    const struct window memory = window_of_memory(interp), noted = window_of_notes(interp);
    const struct window own = window_of(STACK_WINDOW, interp->own, interp->own_bytes);
    u64 lowest = interp->own_lowest;
    goto * at->label;

#define INSN(op, text, format, class, code, action)   BY(WAY_##class, op, action)
#define SUM(op, text, class, code, F, name, operator) do_##op : ADD_UP(op, F, operator) GO_ON
#define LOAD(op, text, format, code, bytes, value)                                      \
    do_##op : LOAD_MEMORY(op, bytes, value) GO_ON own_##op : LOAD_OWN(op, bytes, value) \
                                                                 GO_ON seek_##op:       \
    {                                                                                   \
        u64 address = A + IMM, raw = 0;                                                 \
        const u8 *from;                                                                 \
        if (address - STACK_WINDOW < own.span)                                          \
            from = own.from + (address - STACK_WINDOW);                                 \
        else if (address - memory.base < memory.span)                                   \
            from = memory.from + (address - memory.base);                               \
        else if (address - noted.base < noted.span &&                                   \
                 load_is_known(&interp->notes, address - noted.base, bytes))            \
            from = noted.from + (address - noted.base);                                 \
        else if (!(from = other_place(interp, address, bytes, false)))                  \
            goto leave;                                                                 \
        memcpy(&raw, from, bytes);                                                      \
        SET(value);                                                                     \
        GO_ON                                                                           \
    }
#define STORE(op, text, format, code, bytes)                   \
    do_##op:                                                   \
    {                                                          \
        u64 offset = A + IMM - memory.base;                    \
        if (__builtin_expect(offset >= memory.span, 0))        \
            goto seek_##op;                                    \
        memcpy(memory.from + offset, &B, bytes);               \
        GO_ON                                                  \
    }                                                          \
    own_##op : STORE_OWN(op, bytes) GO_ON seek_##op:           \
    {                                                          \
        u64 address = A + IMM;                                 \
        u8 *to;                                                \
        if (address - STACK_WINDOW < own.span)                 \
            goto own_##op;                                     \
        if (!(to = other_place(interp, address, bytes, true))) \
            goto leave;                                        \
        memcpy(to, &B, bytes);                                 \
        GO_ON                                                  \
    }
#define ATOMIC(op, text, format, code, kind, bytes) do_##op : goto leave;
#include "ogive/isa_insn.def"

/* Once sums are usual, on with the records for that. */
#undef SETF
#define SETF(value)                                                         \
    u32 mode = at->operand == ROUND_DYNAMIC ? FCSR >> 5 : (u32)at->operand; \
    if (mode > ROUND_NEAREST_AWAY)                                          \
        goto leave;                                                         \
    SET(value)
#define CAREFULLY(op, action) \
    careful_##op:             \
    {                         \
        action;               \
        goto rounded;         \
    }
#define INSN(op, text, format, class, code, action) BY(CAREFUL_##class, CAREFULLY, op, action)
#include "ogive/isa_insn.def"

rounded:
    if (first == text->careful && sums_are_usual(hart)) {
        first = text->usual;
        SKIP((u64)(uintptr_t)text->usual - (u64)(uintptr_t)text->careful)
    }
    GO_ON

#define PAIR(first, second)               \
    first##_##second : BODY_##first at++; \
    BODY_##second GO_ON
    PAIRS(PAIR)

do_jal:
    SET(ADDRESS_BEHIND);
jump:
    SKIP(IMM)
    LEAP

        do_jalr:
    {
        u64 to = ((A + IMM) & ~UINT64_C(1)) - program->base;
        if (to / 2 >= program->count)
            goto leave;
        SET(ADDRESS_BEHIND);
        SKIP((u64)(uintptr_t)(first + text->of[to / 2]) - (u64)(uintptr_t)(at + 1))
        LEAP
    }

lead:
    SKIP(IMM)
    goto * at->label;

leave:
    hart->pc = program->base + 2 * (u64)at->place;
    interp->own_lowest = min_u64(interp->own_lowest, lowest);
    i64 left = (i64)(end - (u64)(uintptr_t)at) / (i64)sizeof *at;
    return limit - allowed + text->stretch + (u64)left;
}

const struct plain_labels *plain_labels(void)
{
    const struct plain_labels *labels;
    plain_run(NULL, 0, &labels);
    return labels;
}

u64 interp_run_plain(struct interp *interp, u64 limit)
{
    return interp->plain ? plain_run(interp, limit, NULL) : limit;
}
