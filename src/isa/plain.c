/* plain.c - the interpreter's short way: instructions that touch registers, and loads and stores of
 * memory that is there. Each has a label and a jump of its own to the next, which the processor of
 * the host learns to guess one by one.
 *
 * Whatever it does not do here is left to interp_run before anything of it has been done. */
#include "base/text.h"
#include "isa/actions.h"
#include "isa/interp.h"
#include "ogive/program.h"

/* Where a plain access goes: to memory, or to the hart's own; NULL: elsewhere. */
static inline u8 *access_place(struct interp *interp, u64 address, u64 bytes)
{
    u64 offset = address - interp->base, own = address - STACK_WINDOW;
    if (offset < interp->size && bytes <= interp->size - offset)
        return interp->memory + offset;
    if (own >= interp->own_bytes || bytes > interp->own_bytes - own)
        return NULL;
    interp->own_lowest = min_u64(interp->own_lowest, own);
    return interp->own + own;
}

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

static __attribute__((noinline)) void load_note(struct interp_notes *notes, u64 from, u64 bytes)
{
    sector_note(notes, (u32)(from / NOTES_BYTES));
    sector_note(notes, (u32)((from + bytes - 1) / NOTES_BYTES));
}

static __attribute__((noinline)) void store_note(struct interp_notes *notes, u64 from)
{
    note_add(notes, (u32)(from / NOTES_STORED_BYTES) | NOTES_STORED);
}

static inline const u8 *load_place(struct interp *interp, u64 address, u64 bytes)
{
    u64 from = address - interp->base - interp->notes.offset;
    if (from < interp->notes.bytes)
        load_note(&interp->notes, from, bytes);
    return access_place(interp, address, bytes);
}

static inline u8 *store_place(struct interp *interp, u64 address, u64 bytes)
{
    u64 from = address - interp->base - interp->notes.offset;
    if (from < interp->notes.bytes)
        store_note(&interp->notes, from);
    return access_place(interp, address, bytes);
}

/* By class, what is done how. */
#define WAY_INT_ADD    STEP
#define WAY_INT_LOGIC  STEP
#define WAY_INT_SHIFT  STEP
#define WAY_INT_MUL    STEP
#define WAY_FP_MOVE    STEP
#define WAY_FP_COMPARE STEP
#define WAY_JUMP       LEAP
#define WAY_BRANCH     LEAP
#define WAY_INT_DIV    STEP
#define WAY_FENCE      LEAVE
#define WAY_SYSTEM     LEAVE
#define WAY_CSR        LEAVE
#define WAY_FP_FMA     STEP
#define WAY_FP_DIV     STEP
#define WAY_FP_SQRT    STEP
#define WAY_FP_CONVERT STEP

#define R(field)       hart->r[insn->field]
#define FCSR           hart->fcsr
#define PC             (text->base + 2 * (u64)(insn - text->insns))
#define STOP(why)      goto leave
#define CSR(action, operand)

#define GO_ON       \
    if (!--limit)   \
        goto leave; \
    goto *labels[insn->op]

#define STEP(action)              \
    {                             \
        action;                   \
        insn += insn->length / 2; \
        GO_ON;                    \
    }
#define LEAP(action)                                   \
    {                                                  \
        u64 next = PC + insn->length;                  \
        action;                                        \
        u64 offset = next - text->base;                \
        if (offset & 1 || offset / 2 >= text->count) { \
            hart->pc = next;                           \
            return limit - 1;                          \
        }                                              \
        insn = text->insns + offset / 2;               \
        GO_ON;                                         \
    }
#define LEAVE(action)   goto leave;
#define BY(way, action) way(action)

#define RAW             raw

#undef SETF
#define SETF(value)                       \
    u32 mode = rounding_mode(FCSR, insn); \
    if (mode > ROUND_NEAREST_AWAY)        \
        goto leave;                       \
    SET(value)

/* Instructions that are left of those allowed. */
u64 interp_run_plain(struct interp *interp, u64 limit)
{
    static const void *const labels[OP_COUNT] = {
        [OP_illegal] = &&leave,
        [OP_custom] = &&leave,
#define INSN(op, text, format, class, code, action) [OP_##op] = &&do_##op,
#include "ogive/isa_insn.def"
    };
    struct hart *hart = &interp->hart;
    const struct isa_program *text = &interp->program;
    const struct insn *insn = isa_fetch(text, hart->pc);
    if (!insn || !limit)
        return limit;
    goto *labels[insn->op];

#define INSN(op, text, format, class, code, action) do_##op : BY(WAY_##class, action)
#define SUM(op, text, class, code, F, name, operator)                              \
    do_##op:                                                                       \
    {                                                                              \
        u64 bits = F##_bits(F##_unboxed(A) operator F##_unboxed(B));               \
        if (sum_is_usual(hart, insn) && F##_are_boxed(A, B) && F##_is_plain(bits)) \
            STEP(SET(F##_box(bits)))                                               \
        STEP(SETF(F##_##name(MODE, A, B, FLAGS)))                                  \
    }
#define LOAD(op, text, format, code, bytes, value)            \
    do_##op:                                                  \
    {                                                         \
        const u8 *place = load_place(interp, A + IMM, bytes); \
        u64 raw = 0;                                          \
        if (!place)                                           \
            goto leave;                                       \
        memcpy(&raw, place, bytes);                           \
        STEP(SET(value))                                      \
    }
#define STORE(op, text, format, code, bytes)             \
    do_##op:                                             \
    {                                                    \
        u8 *place = store_place(interp, A + IMM, bytes); \
        if (!place)                                      \
            goto leave;                                  \
        STEP(memcpy(place, &B, bytes))                   \
    }
#define ATOMIC(op, text, format, code, kind, bytes) do_##op : goto leave;
#include "ogive/isa_insn.def"

leave:
    hart->pc = PC;
    return limit;
}
