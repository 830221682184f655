/* encode.h - puts operands into the fields of a 32-bit instruction: what decode.c takes apart.
 * `code` holds the fixed bits. */
#ifndef ISA_ENCODE_H
#define ISA_ENCODE_H

#include "ogive/isa.h"

static inline u32 encode_r(u32 code, u32 rd, u32 rs1, u32 rs2)
{
    return code | rd << 7 | rs1 << 15 | rs2 << 20;
}

static inline u32 encode_r4(u32 code, u32 rd, u32 rs1, u32 rs2, u32 rs3)
{
    return encode_r(code, rd, rs1, rs2) | rs3 << 27;
}

/* The immediate may also be a shift or a CSR number. */
static inline u32 encode_i(u32 code, u32 rd, u32 rs1, int32_t immediate)
{
    return code | rd << 7 | rs1 << 15 | (u32)immediate << 20;
}

static inline u32 encode_s(u32 code, u32 rs1, u32 rs2, int32_t immediate)
{
    u32 bits = (u32)immediate;
    return code | (bits & 31) << 7 | rs1 << 15 | rs2 << 20 | (bits >> 5 & 127) << 25;
}

static inline u32 encode_b(u32 code, u32 rs1, u32 rs2, int32_t offset)
{
    u32 bits = (u32)offset;
    return code | (bits >> 11 & 1) << 7 | (bits >> 1 & 15) << 8 | rs1 << 15 | rs2 << 20 |
           (bits >> 5 & 63) << 25 | (bits >> 12 & 1) << 31;
}

/* `upper` is what goes into bits 31:12. */
static inline u32 encode_u(u32 code, u32 rd, int32_t upper)
{
    return code | rd << 7 | (u32)upper << 12;
}

static inline u32 encode_j(u32 code, u32 rd, int32_t offset)
{
    u32 bits = (u32)offset;
    return code | rd << 7 | (bits >> 12 & 255) << 12 | (bits >> 11 & 1) << 20 |
           (bits >> 1 & 1023) << 21 | (bits >> 20 & 1) << 31;
}

#endif
