/* compressed.c - the C extension: every 16-bit instruction stands for one 32-bit instruction.
 *
 * Expanding them before decoding means that nothing else in the simulator knows they exist, except
 * for the length by which the pc moves on. */
#include "isa/encode.h"
#include "isa/table.h"

enum {
#define INSN(op, text, format, class, code, action) BITS_##op = (int)(code),
#include "ogive/isa_insn.def"
};

/* `count` bits of the halfword from bit `from` on, moved to bit `to`. */
static inline u32 field(u16 half, u32 from, u32 count, u32 to)
{
    return (half >> from & ((UINT32_C(1) << count) - 1)) << to;
}

static inline int32_t sign_extend(u32 value, u32 bits)
{
    return (int32_t)(value << (32 - bits)) >> (32 - bits);
}

#define RD    field(half, 7, 5, 0)
#define RS2   field(half, 2, 5, 0)
#define RDP   (8 + field(half, 2, 3, 0))
#define RS1P  (8 + field(half, 7, 3, 0))
#define UIMM6 (int32_t)(field(half, 12, 1, 5) | field(half, 2, 5, 0))
#define IMM6  sign_extend((u32)UIMM6, 6)

#define OFFSET_4SPN                                                                 \
    (int32_t)(field(half, 11, 2, 4) | field(half, 7, 4, 6) | field(half, 6, 1, 2) | \
              field(half, 5, 1, 3))
#define OFFSET_W    (int32_t)(field(half, 10, 3, 3) | field(half, 6, 1, 2) | field(half, 5, 1, 6))
#define OFFSET_D    (int32_t)(field(half, 10, 3, 3) | field(half, 5, 2, 6))
#define OFFSET_WSP  (int32_t)(field(half, 12, 1, 5) | field(half, 4, 3, 2) | field(half, 2, 2, 6))
#define OFFSET_DSP  (int32_t)(field(half, 12, 1, 5) | field(half, 5, 2, 3) | field(half, 2, 3, 6))
#define OFFSET_SWSP (int32_t)(field(half, 9, 4, 2) | field(half, 7, 2, 6))
#define OFFSET_SDSP (int32_t)(field(half, 10, 3, 3) | field(half, 7, 3, 6))
#define OFFSET_16SP                                                                   \
    sign_extend(field(half, 12, 1, 9) | field(half, 6, 1, 4) | field(half, 5, 1, 6) | \
                    field(half, 3, 2, 7) | field(half, 2, 1, 5),                      \
                10)
#define OFFSET_B                                                                       \
    sign_extend(field(half, 12, 1, 8) | field(half, 10, 2, 3) | field(half, 5, 2, 6) | \
                    field(half, 3, 2, 1) | field(half, 2, 1, 5),                       \
                9)
#define OFFSET_J                                                                          \
    sign_extend(field(half, 12, 1, 11) | field(half, 11, 1, 4) | field(half, 9, 2, 8) |   \
                    field(half, 8, 1, 10) | field(half, 7, 1, 6) | field(half, 6, 1, 7) | \
                    field(half, 3, 3, 1) | field(half, 2, 1, 5),                          \
                12)

u32 isa_expand(u16 half)
{
#define COMPRESSED(name, match, mask, legal, expansion) \
    if ((half & (mask)) == (match))                     \
        return (legal) ? (expansion) : 0;
#include "isa/compressed.def"
    return 0;
}
