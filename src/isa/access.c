/* access.c - loads, stores and atomics, cut in two: what to ask of memory, and what to do with the
 * answer. In between may lie hundreds of cycles; the hart does not change unless its core says so.
 */
#include <string.h>

#include "isa/fp.h"
#include "isa/table.h"

const struct isa_access_kind isa_access_kinds[OP_COUNT] = {
#define INSN(op, text, format, class, code, action)
#define LOAD(op, text, format, code, bytes, value)  [OP_##op] = { bytes, AMO_NONE, false },
#define STORE(op, text, format, code, bytes)        [OP_##op] = { bytes, AMO_NONE, true },
#define ATOMIC(op, text, format, code, kind, bytes) [OP_##op] = { bytes, AMO_##kind, false },
#include "ogive/isa_insn.def"
};

static u64 word_extend(u32 bytes, u64 value)
{
    return bytes == 4 ? (u64)(int32_t)value : value;
}

static bool amo_is_real(enum isa_amo amo)
{
    return amo >= AMO_FADD;
}

/* What the register gets of the bytes that were there. */
static u64 amo_result(enum isa_amo amo, u32 bytes, u64 raw)
{
    return amo_is_real(amo) && bytes == 4 ? f32_box((u32)raw) : word_extend(bytes, raw);
}

/* Functions rather than a switch, as in execute.c: most of what comes back is of a few loads. */
static void finish_nothing(u64 *rd, u64 raw)
{
    (void)rd;
    (void)raw;
}

#define RAW        raw
#define BOX(value) f32_box((u32)(value))
#define INSN(op, text, format, class, code, action)
#define LOAD(op, text, format, code, bytes, value) \
    static void finish_##op(u64 *rd, u64 raw)      \
    {                                              \
        *rd = (value);                             \
    }
#define STORE(op, text, format, code, bytes)
#define ATOMIC(op, text, format, code, kind, bytes) \
    static void finish_##op(u64 *rd, u64 raw)       \
    {                                               \
        *rd = amo_result(AMO_##kind, bytes, raw);   \
    }
#include "ogive/isa_insn.def"

isa_finisher *const isa_finishers[OP_COUNT] = {
    [OP_illegal] = finish_nothing,
    [OP_custom] = finish_nothing,
#define INSN(op, text, format, class, code, action) [OP_##op] = finish_nothing,
#define LOAD(op, text, format, code, bytes, value)  [OP_##op] = finish_##op,
#define STORE(op, text, format, code, bytes)        [OP_##op] = finish_nothing,
#define ATOMIC(op, text, format, code, kind, bytes) [OP_##op] = finish_##op,
#include "ogive/isa_insn.def"
};

#define LOAD(op, text, format, code, bytes, value)                            \
    static void move_##op(struct hart *hart, const struct insn *insn, u8 *at) \
    {                                                                         \
        u64 raw = 0;                                                          \
        memcpy(&raw, at, bytes);                                              \
        hart->r[insn->rd] = (value);                                          \
    }
#define STORE(op, text, format, code, bytes)                                  \
    static void move_##op(struct hart *hart, const struct insn *insn, u8 *at) \
    {                                                                         \
        memcpy(at, &hart->r[insn->rs2], bytes);                               \
    }
#define INSN(op, text, format, class, code, action)
#define ATOMIC(op, text, format, code, kind, bytes)
#include "ogive/isa_insn.def"

isa_mover *const isa_movers[OP_COUNT] = {
#define INSN(op, text, format, class, code, action)
#define LOAD(op, text, format, code, bytes, value) [OP_##op] = move_##op,
#define STORE(op, text, format, code, bytes)       [OP_##op] = move_##op,
#define ATOMIC(op, text, format, code, kind, bytes)
#include "ogive/isa_insn.def"
};

static u64 amo_real(enum isa_amo amo, u32 size_bytes, u64 a, u64 b)
{
    u32 flags = FLAG_INEXACT; /* nobody looks at them */
    if (size_bytes == 4) {
        a = f32_box((u32)a);
        b = f32_box((u32)b);
        return amo == AMO_FADD   ? f32_add(ROUND_NEAREST_EVEN, a, b, &flags)
               : amo == AMO_FMIN ? f32_min(a, b, &flags)
                                 : f32_max(a, b, &flags);
    }
    return amo == AMO_FADD   ? f64_add(ROUND_NEAREST_EVEN, a, b, &flags)
           : amo == AMO_FMIN ? f64_min(a, b, &flags)
                             : f64_max(a, b, &flags);
}

/* Words are compared after sign extension, which keeps the order of signed and of unsigned ones. */
u64 isa_amo(enum isa_amo amo, u32 size_bytes, u64 old, u64 operand)
{
    u64 a = word_extend(size_bytes, old), b = word_extend(size_bytes, operand);
    if (amo_is_real(amo))
        return amo_real(amo, size_bytes, old, operand);
    switch (amo) {
    case AMO_SC:
    case AMO_SWAP:
        return b;
    case AMO_ADD:
        return a + b;
    case AMO_XOR:
        return a ^ b;
    case AMO_AND:
        return a & b;
    case AMO_OR:
        return a | b;
    case AMO_MIN:
        return (i64)a < (i64)b ? a : b;
    case AMO_MAX:
        return (i64)a > (i64)b ? a : b;
    case AMO_MINU:
        return min_u64(a, b);
    case AMO_MAXU:
        return max_u64(a, b);
    default:
        return a;
    }
}
