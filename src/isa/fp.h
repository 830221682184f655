/* fp.h - floating-point instructions: the host's arithmetic where it is sure to be right.
 *
 * In round-to-nearest-even the host computes the same number as the simulated machine: IEEE 754
 * leaves no choice. What the host does not tell cheaply is the exception flags; reading and
 * clearing them costs more than the arithmetic. But if the hart's inexact flag is set already
 * (after the first few instructions of most programs it is), or the result is seen to be exact,
 * and it is a normal number with some distance from the ends of the range, no flag can change: not
 * invalid nor divide-by-zero, which give NaN or infinity; not overflow nor underflow, which give
 * results at the ends. So the fast path looks at the inexact flag, the mode and the exponent of the
 * result, and everything else goes to soft.c. Nothing is ever read from or written to the host's
 * floating-point control registers; they must be in their default state.
 *
 * A single-precision value in a 64-bit register has all upper bits set ("boxed"); one that has not
 * reads as the canonical NaN. */
#ifndef ISA_FP_H
#define ISA_FP_H

#include <math.h>
#include <string.h>

#include "isa/soft.h"

#define F32_BOX UINT64_C(0xffffffff00000000)
#define F32_NAN UINT32_C(0x7fc00000)

static inline u64 f32_box(u64 bits)
{
    return bits | F32_BOX;
}

static inline u64 f32_unbox(u64 value)
{
    return value >= F32_BOX ? (u32)value : F32_NAN;
}

static inline u64 f64_box(u64 bits)
{
    return bits;
}

static inline u64 f64_unbox(u64 value)
{
    return value;
}

/* Whether both are numbers of the format, and the host's number of one that is. */
static inline bool f32_are_boxed(u64 a, u64 b)
{
    return (a & b) >= F32_BOX;
}

static inline bool f64_are_boxed(u64 a, u64 b)
{
    (void)a, (void)b;
    return true;
}

static inline float f32_unboxed(u64 value)
{
    u32 bits = (u32)value;
    float host;
    memcpy(&host, &bits, sizeof host);
    return host;
}

static inline double f64_unboxed(u64 value)
{
    double host;
    memcpy(&host, &value, sizeof host);
    return host;
}

static inline float f32_host(u64 value)
{
    return f32_unboxed(f32_unbox(value));
}

static inline double f64_host(u64 value)
{
    return f64_unboxed(value);
}

static inline u64 f32_bits(float host)
{
    u32 bits;
    memcpy(&bits, &host, sizeof bits);
    return bits;
}

static inline u64 f64_bits(double host)
{
    u64 bits;
    memcpy(&bits, &host, sizeof bits);
    return bits;
}

/* A normal number, and not the smallest: exponent field from 2 to the largest but one. */
static inline bool f32_is_plain(u64 bits)
{
    return (u32)(bits << 1) - (UINT32_C(2) << 24) < UINT32_C(253) << 24;
}

static inline bool f64_is_plain(u64 bits)
{
    return (bits << 1) - (UINT64_C(2) << 53) < UINT64_C(2045) << 53;
}

static inline bool f32_is_zero(u64 value)
{
    return f32_host(value) == 0;
}

static inline bool f64_is_zero(u64 value)
{
    return f64_host(value) == 0;
}

/* ---- Whether a result that is plain or zero is exact; "no" may be wrong ---- */

/* What rounding took from a sum is itself a sum that the host computes exactly (Knuth, TAOCP 2,
 * 4.2.2). */
#define FP_SUM_IS_EXACT(F, type)                             \
    static inline bool F##_sum_is_exact(type a, type b)      \
    {                                                        \
        type sum = a + b, of_b = sum - a, of_a = sum - of_b; \
        return a - of_a == 0 && b - of_b == 0;               \
    }

FP_SUM_IS_EXACT(f32, float)
FP_SUM_IS_EXACT(f64, double)

/* Zeros at the end of a significand of 53 bits. */
static inline u32 f64_zeros(double a)
{
    return (u32)__builtin_ctzll(f64_bits(a) | UINT64_C(1) << 52);
}

static inline bool f64_product_is_exact(double a, double b)
{
    return f64_zeros(a) + f64_zeros(b) >= 53; /* of at most 106 bits */
}

static inline bool f32_product_is_exact(float a, float b)
{
    return (double)(a * b) == (double)a * (double)b;
}

/* ---- Arithmetic: one function per operation and format ---- */

/* Returns the host's result if it is sure to be right; zero_is_exact says whether a zero is. */
#define FP_TRY(F, mode, flags, expression, is_exact, zero_is_exact)              \
    if (mode == ROUND_NEAREST_EVEN && ((*(flags)&FLAG_INEXACT) || (is_exact))) { \
        u64 bits = F##_bits(expression);                                         \
        if (F##_is_plain(bits) || ((bits & ~F##_SIGN) == 0 && (zero_is_exact)))  \
            return F##_box(bits);                                                \
    }

#define FP_BINARY(F, name, expression, is_exact, zero_is_exact, soft) \
    static inline u64 F##_##name(u32 mode, u64 a, u64 b, u32 *flags)  \
    {                                                                 \
        FP_TRY(F, mode, flags, expression, is_exact, zero_is_exact)   \
        return F##_box(soft);                                         \
    }

#define FP_FUSED(F, name, host_fma, a_sign, c_sign)                                               \
    static inline u64 F##_##name(u32 mode, u64 a, u64 b, u64 c, u32 *flags)                       \
    {                                                                                             \
        FP_TRY(F, mode, flags, host_fma(a_sign F##_host(a), F##_host(b), c_sign F##_host(c)),     \
               false, F##_is_zero(a) || F##_is_zero(b))                                           \
        u64 x = F##_unbox(a), z = F##_unbox(c);                                                   \
        return F##_box(soft_fma(&soft_##F, mode, (a_sign 1) < 0 ? x ^ F##_SIGN : x, F##_unbox(b), \
                                (c_sign 1) < 0 ? z ^ F##_SIGN : z, flags));                       \
    }

#define f32_SIGN   (UINT64_C(1) << 31)
#define f64_SIGN   (UINT64_C(1) << 63)
#define f32_DIGITS 24
#define f64_DIGITS 53

#define FP_FORMAT(F, host_sqrt, host_fma)                                                          \
    FP_BINARY(F, add, F##_host(a) + F##_host(b), F##_sum_is_exact(F##_host(a), F##_host(b)), true, \
              soft_add(&soft_##F, mode, F##_unbox(a), F##_unbox(b), flags))                        \
    FP_BINARY(F, sub, F##_host(a) - F##_host(b), F##_sum_is_exact(F##_host(a), -F##_host(b)),      \
              true, soft_add(&soft_##F, mode, F##_unbox(a), F##_unbox(b) ^ F##_SIGN, flags))       \
    FP_BINARY(F, mul, F##_host(a) * F##_host(b), F##_product_is_exact(F##_host(a), F##_host(b)),   \
              F##_is_zero(a) || F##_is_zero(b),                                                    \
              soft_mul(&soft_##F, mode, F##_unbox(a), F##_unbox(b), flags))                        \
    FP_BINARY(F, div, F##_host(a) / F##_host(b), false, F##_is_zero(a),                            \
              soft_div(&soft_##F, mode, F##_unbox(a), F##_unbox(b), flags))                        \
    FP_FUSED(F, madd, host_fma, +, +)                                                              \
    FP_FUSED(F, msub, host_fma, +, -)                                                              \
    FP_FUSED(F, nmsub, host_fma, -, +)                                                             \
    FP_FUSED(F, nmadd, host_fma, -, -)                                                             \
    static inline u64 F##_sqrt(u32 mode, u64 a, u32 *flags)                                        \
    {                                                                                              \
        if (F##_host(a) > 0)                                                                       \
            FP_TRY(F, mode, flags, host_sqrt(F##_host(a)), false, false)                           \
        return F##_box(soft_sqrt(&soft_##F, mode, F##_unbox(a), flags));                           \
    }                                                                                              \
    static inline u64 F##_sign_copy(u64 a, u64 b)                                                  \
    {                                                                                              \
        return F##_box((F##_unbox(a) & ~F##_SIGN) | (F##_unbox(b) & F##_SIGN));                    \
    }                                                                                              \
    static inline u64 F##_sign_negate(u64 a, u64 b)                                                \
    {                                                                                              \
        return F##_box((F##_unbox(a) & ~F##_SIGN) | (~F##_unbox(b) & F##_SIGN));                   \
    }                                                                                              \
    static inline u64 F##_sign_xor(u64 a, u64 b)                                                   \
    {                                                                                              \
        return F##_box(F##_unbox(a) ^ (F##_unbox(b) & F##_SIGN));                                  \
    }                                                                                              \
    static inline u64 F##_class(u64 a)                                                             \
    {                                                                                              \
        return soft_class(&soft_##F, F##_unbox(a));                                                \
    }

FP_FORMAT(f32, sqrtf, fmaf)
FP_FORMAT(f64, sqrt, fma)

/* ---- Comparing: the host's comparison, and the flags by hand ---- */

#define FP_COMPARISONS(F)                                                                  \
    static inline bool F##_unordered(u64 a, u64 b)                                         \
    {                                                                                      \
        return __builtin_isunordered(F##_host(a), F##_host(b));                            \
    }                                                                                      \
    static inline u64 F##_equal(u64 a, u64 b, u32 *flags)                                  \
    {                                                                                      \
        if (F##_unordered(a, b) && (soft_is_signaling(&soft_##F, F##_unbox(a)) ||          \
                                    soft_is_signaling(&soft_##F, F##_unbox(b))))           \
            *flags |= FLAG_INVALID;                                                        \
        return F##_host(a) == F##_host(b);                                                 \
    }                                                                                      \
    static inline u64 F##_less(u64 a, u64 b, u32 *flags)                                   \
    {                                                                                      \
        if (F##_unordered(a, b))                                                           \
            *flags |= FLAG_INVALID;                                                        \
        return F##_host(a) < F##_host(b);                                                  \
    }                                                                                      \
    static inline u64 F##_less_equal(u64 a, u64 b, u32 *flags)                             \
    {                                                                                      \
        if (F##_unordered(a, b))                                                           \
            *flags |= FLAG_INVALID;                                                        \
        return F##_host(a) <= F##_host(b);                                                 \
    }                                                                                      \
    static inline u64 F##_min(u64 a, u64 b, u32 *flags)                                    \
    {                                                                                      \
        if (F##_host(a) < F##_host(b))                                                     \
            return a;                                                                      \
        return F##_box(soft_min_max(&soft_##F, F##_unbox(a), F##_unbox(b), false, flags)); \
    }                                                                                      \
    static inline u64 F##_max(u64 a, u64 b, u32 *flags)                                    \
    {                                                                                      \
        if (F##_host(a) > F##_host(b))                                                     \
            return a;                                                                      \
        return F##_box(soft_min_max(&soft_##F, F##_unbox(a), F##_unbox(b), true, flags));  \
    }

FP_COMPARISONS(f32)
FP_COMPARISONS(f64)

/* ---- Conversions ---- */

/* Truncation, which is what C programs ask for, is exact on the host in the middle of the range;
 * whether something was cut off shows when the integer is converted back. */
#define FP_TO_INT(F, name, bits, is_signed, limit, host_type)                           \
    static inline u64 F##_to_##name(u32 mode, u64 a, u32 *flags)                        \
    {                                                                                   \
        if (mode == ROUND_TO_ZERO && fabs((double)F##_host(a)) < (limit)) {             \
            i64 whole = (i64)F##_host(a);                                               \
            if ((is_signed) || whole >= 0) {                                            \
                if ((host_type)whole != F##_host(a))                                    \
                    *flags |= FLAG_INEXACT;                                             \
                return (u64)whole;                                                      \
            }                                                                           \
        }                                                                               \
        u64 whole = soft_to_int(&soft_##F, mode, F##_unbox(a), bits, is_signed, flags); \
        return (bits) == 32 ? (u64)(int32_t)whole : whole;                              \
    }

FP_TO_INT(f32, i32, 32, true, 0x1p31, float)
FP_TO_INT(f32, u32, 32, false, 0x1p31, float)
FP_TO_INT(f32, i64, 64, true, 0x1p63, float)
FP_TO_INT(f32, u64, 64, false, 0x1p63, float)
FP_TO_INT(f64, i32, 32, true, 0x1p31, double)
FP_TO_INT(f64, u32, 32, false, 0x1p31, double)
FP_TO_INT(f64, i64, 64, true, 0x1p63, double)
FP_TO_INT(f64, u64, 64, false, 0x1p63, double)

/* An integer of as many bits as a significand has is exact. */
#define FP_FROM_INT(F, name, type, host_type, is_signed)                               \
    static inline u64 F##_from_##name(u32 mode, u64 a, u32 *flags)                     \
    {                                                                                  \
        bool negative = (is_signed) && (i64)(type)a < 0;                               \
        u64 magnitude = negative ? -(u64)(type)a : (u64)(type)a;                       \
        FP_TRY(F, mode, flags, (host_type)(type)a, magnitude >> F##_DIGITS == 0, true) \
        return F##_box(soft_from_int(&soft_##F, mode, magnitude, negative, flags));    \
    }

FP_FROM_INT(f32, i32, int32_t, float, true)
FP_FROM_INT(f32, u32, u32, float, false)
FP_FROM_INT(f32, i64, i64, float, true)
FP_FROM_INT(f32, u64, u64, float, false)
FP_FROM_INT(f64, i32, int32_t, double, true)
FP_FROM_INT(f64, u32, u32, double, false)
FP_FROM_INT(f64, i64, i64, double, true)
FP_FROM_INT(f64, u64, u64, double, false)

static inline u64 f32_from_f64(u32 mode, u64 a, u32 *flags)
{
    FP_TRY(f32, mode, flags, (float)f64_host(a), (double)(float)f64_host(a) == f64_host(a),
           f64_is_zero(a))
    return f32_box(soft_convert(&soft_f32, &soft_f64, mode, a, flags));
}

/* Exact, so neither mode nor flags stand in the way of the host. */
static inline u64 f64_from_f32(u32 mode, u64 a, u32 *flags)
{
    u64 bits = f64_bits((double)f32_host(a));
    if (f64_is_plain(bits) || f32_is_zero(a))
        return bits;
    return soft_convert(&soft_f64, &soft_f32, mode, f32_unbox(a), flags);
}

#endif
