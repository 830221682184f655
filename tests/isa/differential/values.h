/* values.h - operands that find mistakes: ends of ranges, special numbers, ties, near misses. */
#ifndef TESTS_ISA_DIFFERENTIAL_VALUES_H
#define TESTS_ISA_DIFFERENTIAL_VALUES_H

#include "ogive/random.h"
#include "ogive/types.h"

#define BOXED(bits) (UINT64_C(0xffffffff00000000) | UINT64_C(bits))

static const u64 int_values[] = {
    0,
    1,
    2,
    3,
    7,
    UINT64_MAX,
    UINT64_MAX - 1,
    UINT64_C(0x7fffffffffffffff),
    UINT64_C(0x8000000000000000),
    UINT64_C(0x8000000000000001),
    0x7fffffff,
    0x80000000,
    UINT64_C(0xffffffff80000000),
    UINT64_C(0xffffffff7fffffff),
    0xffffffff,
    UINT64_C(0x100000000),
    31,
    32,
    63,
    64,
    UINT64_C(0x123456789abcdef0),
    UINT64_C(0xfedcba9876543210),
    UINT64_C(0xaaaaaaaaaaaaaaaa),
    UINT64_C(0x5555555500000001),
    UINT64_C(0x20000000000001),
    UINT64_C(0x20000000000003),
    0x1000001,
    0x1000003,
    UINT64_C(0x7ffffffffffffc00),
    UINT64_C(0x7ffffffffffffe00),
};

/* The first 20 go into every triple of the fused operations. */
static const u64 f64_values[] = {
    0,                            /* 0 */
    UINT64_C(0x8000000000000000), /* -0 */
    UINT64_C(0x3ff0000000000000), /* 1 */
    UINT64_C(0xbff0000000000000), /* -1 */
    UINT64_C(0x3ff0000000000001), /* 1 + ulp */
    UINT64_C(0xbfefffffffffffff), /* -(1 - ulp) */
    UINT64_C(0x3ff8000000000000), /* 1.5 */
    UINT64_C(0x3ca0000000000000), /* 2^-53: half an ulp of 1 */
    UINT64_C(0xbca0000000000001), /* a little more, negative */
    UINT64_C(0x7ff0000000000000), /* infinity */
    UINT64_C(0xfff0000000000000), /* -infinity */
    UINT64_C(0x7ff8000000000000), /* quiet NaN */
    UINT64_C(0x7ff0000000000001), /* signaling NaN */
    UINT64_C(0x7fefffffffffffff), /* largest */
    UINT64_C(0xffefffffffffffff), /* -largest */
    UINT64_C(0x0010000000000000), /* smallest normal */
    UINT64_C(0x800fffffffffffff), /* -largest subnormal */
    UINT64_C(0x0000000000000001), /* smallest subnormal */
    UINT64_C(0x1ff0000000000000), /* 2^-512: its square underflows nearly */
    UINT64_C(0x3fd5555555555555), /* 1/3 */
    UINT64_C(0xfff8000000000001),
    UINT64_C(0xfff4000000000000),
    UINT64_C(0x000fffffffffffff),
    UINT64_C(0x0008000000000000),
    UINT64_C(0x0010000000000001),
    UINT64_C(0x8010000000000000),
    UINT64_C(0x5ff0000000000000),
    UINT64_C(0x4340000000000000),
    UINT64_C(0x4330000000000001),
    UINT64_C(0x41dfffffffc00000),
    UINT64_C(0x41dfffffffe00000),
    UINT64_C(0x41e0000000000000),
    UINT64_C(0xc1e0000000000000),
    UINT64_C(0xc1e0000000100000),
    UINT64_C(0xc1e0000000200000),
    UINT64_C(0x41efffffffe00000),
    UINT64_C(0x41effffffff00000),
    UINT64_C(0x41f0000000000000),
    UINT64_C(0x43dfffffffffffff),
    UINT64_C(0x43e0000000000000),
    UINT64_C(0xc3e0000000000000),
    UINT64_C(0xc3e0000000000001),
    UINT64_C(0x43efffffffffffff),
    UINT64_C(0x43f0000000000000),
    UINT64_C(0x3fe0000000000000),
    UINT64_C(0xbfe0000000000000),
    UINT64_C(0xbfe0000000000001),
    UINT64_C(0x4004000000000000),
    UINT64_C(0xc00c000000000000),
    UINT64_C(0x4000000000000000),
    UINT64_C(0x4008000000000000),
    UINT64_C(0x400921fb54442d18),
    UINT64_C(0x47efffffe0000000),
    UINT64_C(0x47efffffefffffff),
    UINT64_C(0x47effffff0000000),
    UINT64_C(0x3690000000000000),
    UINT64_C(0x3690000000000001),
    UINT64_C(0x36a8000000000000),
    UINT64_C(0x380fffffffffffff),
    UINT64_C(0x380fffffe0000000),
    UINT64_C(0x380ffffff0000000),
    UINT64_C(0x3810000010000000),
    UINT64_C(0xb80fffffd0000000),
    UINT64_C(0x3ff0000010000000),
    UINT64_C(0x3ff0000030000000),
};

static const u64 f32_values[] = {
    BOXED(0x00000000),
    BOXED(0x80000000),
    BOXED(0x3f800000),
    BOXED(0xbf800000),
    BOXED(0x3f800001),
    BOXED(0xbf7fffff),
    BOXED(0x3fc00000),
    BOXED(0x33800000),
    BOXED(0xb3800001),
    BOXED(0x7f800000),
    BOXED(0xff800000),
    BOXED(0x7fc00000),
    BOXED(0x7f800001),
    BOXED(0x7f7fffff),
    BOXED(0xff7fffff),
    BOXED(0x00800000),
    BOXED(0x807fffff),
    BOXED(0x00000001),
    BOXED(0x1f800000),
    BOXED(0x3eaaaaab),
    UINT64_C(0x000000003f800000), /* not boxed */
    UINT64_C(0xfffffffe3f800000), /* not quite boxed */
    BOXED(0xffc00001),
    BOXED(0xffa00000),
    BOXED(0x007fffff),
    BOXED(0x00400000),
    BOXED(0x00800001),
    BOXED(0x80800000),
    BOXED(0x5f800000),
    BOXED(0x4b800000),
    BOXED(0x4b000001),
    BOXED(0x4effffff),
    BOXED(0x4f000000),
    BOXED(0xcf000000),
    BOXED(0xcf000001),
    BOXED(0x4f7fffff),
    BOXED(0x4f800000),
    BOXED(0x5effffff),
    BOXED(0x5f000000),
    BOXED(0xdf000000),
    BOXED(0xdf000001),
    BOXED(0x5f7fffff),
    BOXED(0x3f000000),
    BOXED(0xbf000000),
    BOXED(0xbf000001),
    BOXED(0x40200000),
    BOXED(0xc0600000),
    BOXED(0x40000000),
    BOXED(0x40400000),
    BOXED(0x40490fdb),
};

#define FUSED_VALUES    20
#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

/* A number with few significant bits or an exponent near 0, so that sums cancel and ties happen. */
static inline u64 random_f64(u64 *random)
{
    u64 bits = random_next(random);
    u64 sign = bits & UINT64_C(1) << 63, fraction = bits & UINT64_C(0xfffffffffffff);
    if (bits >> 60 & 1)
        fraction &= UINT64_C(0xf000000000000) << random_below(random, 4);
    if (bits >> 61 & 1)
        fraction |= fraction >> 30 & 7;
    u64 spread = bits >> 62 & 1 ? 60 : 4;
    return sign | (1023 - spread / 2 + random_below(random, spread)) << 52 | fraction;
}

static inline u64 random_f32(u64 *random)
{
    u64 bits = random_next(random);
    u64 fraction = bits & 0x7fffff;
    if (bits >> 60 & 1)
        fraction &= 0x780000;
    u64 spread = bits >> 61 & 1 ? 60 : 4;
    return BOXED(0) | (bits >> 63) << 31 | (127 - spread / 2 + random_below(random, spread)) << 23 |
           fraction;
}

/* Anything, for a register of unknown use. */
static inline u64 random_value(u64 *random)
{
    switch (random_below(random, 8)) {
    case 0:
    case 1:
        return int_values[random_below(random, COUNT_OF(int_values))];
    case 2:
        return f64_values[random_below(random, COUNT_OF(f64_values))];
    case 3:
        return f32_values[random_below(random, COUNT_OF(f32_values))];
    case 4:
        return random_f64(random);
    case 5:
        return random_f32(random);
    case 6:
        return random_next(random) >> random_below(random, 64);
    default:
        return random_next(random);
    }
}

#endif
