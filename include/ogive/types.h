/* types.h - the handful of types that every other header speaks in. */
#ifndef OGIVE_TYPES_H
#define OGIVE_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef int64_t i64;

/* A point in time or a span, counted in clock cycles. */
typedef uint64_t cycle;

/* The cycle that never comes: "wake me only when a link does". */
#define NEVER UINT64_MAX

#define KiB   (UINT64_C(1) << 10)
#define MiB   (UINT64_C(1) << 20)
#define GiB   (UINT64_C(1) << 30)
#define kHz   UINT64_C(1000)
#define MHz   UINT64_C(1000000)
#define GHz   UINT64_C(1000000000)

static inline u64 min_u64(u64 a, u64 b)
{
    return a < b ? a : b;
}

static inline u64 max_u64(u64 a, u64 b)
{
    return a > b ? a : b;
}

static inline bool is_power_of_two(u64 value)
{
    return value && !(value & (value - 1));
}

/* The smallest power of two that is not below the value: the slots of a ring. */
static inline u64 power_of_two_above(u64 value)
{
    u64 power = 1;
    while (power < value)
        power *= 2;
    return power;
}

#define EACH_BYTE UINT64_C(0x0101010101010101)

/* The top bits of the bytes that are zero; the lowest of them is right for certain. */
static inline u64 bytes_zero(u64 bytes)
{
    return (bytes - EACH_BYTE) & ~bytes & EACH_BYTE << 7;
}

#endif
