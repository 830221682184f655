/* integer.h - what the integer instructions compute where C leaves it open, or takes more than an
 * operator. */
#ifndef ISA_INTEGER_H
#define ISA_INTEGER_H

#include "ogive/types.h"

__extension__ typedef unsigned __int128 u128;
__extension__ typedef __int128 i128;

static inline u64 int_mulh(u64 a, u64 b)
{
    return (u64)((u128)((i128)(i64)a * (i64)b) >> 64);
}

static inline u64 int_mulhsu(u64 a, u64 b)
{
    return (u64)((u128)((i128)(i64)a * (i128)b) >> 64);
}

static inline u64 int_mulhu(u64 a, u64 b)
{
    return (u64)((u128)a * b >> 64);
}

/* Division by zero gives all ones and leaves the dividend; the one overflow wraps. Nothing traps.
 */
static inline u64 int_div(u64 a, u64 b)
{
    if (b == 0)
        return ~UINT64_C(0);
    return b == ~UINT64_C(0) ? -a : (u64)((i64)a / (i64)b);
}

static inline u64 int_rem(u64 a, u64 b)
{
    if (b == 0)
        return a;
    return b == ~UINT64_C(0) ? 0 : (u64)((i64)a % (i64)b);
}

static inline u32 int_divw(u32 a, u32 b)
{
    if (b == 0)
        return ~UINT32_C(0);
    return b == ~UINT32_C(0) ? -a : (u32)((int32_t)a / (int32_t)b);
}

static inline u32 int_remw(u32 a, u32 b)
{
    if (b == 0)
        return a;
    return b == ~UINT32_C(0) ? 0 : (u32)((int32_t)a % (int32_t)b);
}

#endif
