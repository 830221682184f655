/* soft.c - see soft.h.
 *
 * A number is taken apart into sign, exponent and a 64-bit significand whose top bit is set: its
 * value is significand / 2^63 * 2^exponent. An operation computes the exact result, or enough of
 * its leading bits with the last one "jammed": set if anything nonzero was cut off. Both formats
 * keep at most 53 bits, so the jammed bit lies well below the rounding position, and rounding such
 * a result once is the same as rounding the exact one. soft_round does that for every operation,
 * and is the only place that knows about rounding modes, overflow and subnormals. */
#include "isa/soft.h"

__extension__ typedef unsigned __int128 u128;

const struct soft_format soft_f32 = { 23, 8 };
const struct soft_format soft_f64 = { 52, 11 };

enum soft_kind { KIND_ZERO, KIND_FINITE, KIND_INFINITE, KIND_NAN };

struct soft {
    enum soft_kind kind;
    bool negative;
    int32_t exponent;
    u64 significand;
};

/* Value: significand / 2^125 * 2^exponent; the top two bits leave room for a sum. */
struct wide {
    bool negative;
    int32_t exponent;
    u128 significand;
};

/* ---- Bit patterns ---- */

static u64 sign_bit(const struct soft_format *format)
{
    return UINT64_C(1) << (format->fraction_bits + format->exponent_bits);
}

static u64 infinity(const struct soft_format *format)
{
    return ((UINT64_C(1) << format->exponent_bits) - 1) << format->fraction_bits;
}

static u64 quiet_bit(const struct soft_format *format)
{
    return UINT64_C(1) << (format->fraction_bits - 1);
}

static u64 canonical_nan(const struct soft_format *format)
{
    return infinity(format) | quiet_bit(format);
}

static int32_t bias(const struct soft_format *format)
{
    return (1 << (format->exponent_bits - 1)) - 1;
}

static u64 with_sign(const struct soft_format *format, bool negative, u64 magnitude)
{
    return negative ? magnitude | sign_bit(format) : magnitude;
}

bool soft_is_nan(const struct soft_format *format, u64 a)
{
    return (a & ~sign_bit(format)) > infinity(format);
}

bool soft_is_signaling(const struct soft_format *format, u64 a)
{
    return soft_is_nan(format, a) && !(a & quiet_bit(format));
}

static u64 invalid(const struct soft_format *format, u32 *flags)
{
    *flags |= FLAG_INVALID;
    return canonical_nan(format);
}

/* The result of an operation of which some operand is a NaN. */
static u64 nan_result(const struct soft_format *format, bool signaling, u32 *flags)
{
    return signaling ? invalid(format, flags) : canonical_nan(format);
}

static struct soft soft_unpack(const struct soft_format *format, u64 a)
{
    struct soft soft = { .negative = a & sign_bit(format) };
    u64 magnitude = a & ~sign_bit(format);
    u64 fraction = magnitude & ((UINT64_C(1) << format->fraction_bits) - 1);
    int32_t field = (int32_t)(magnitude >> format->fraction_bits);
    if (magnitude >= infinity(format)) {
        soft.kind = fraction ? KIND_NAN : KIND_INFINITE;
    } else if (magnitude == 0) {
        soft.kind = KIND_ZERO;
    } else if (field == 0) {
        u32 shift = (u32)__builtin_clzll(fraction);
        soft.kind = KIND_FINITE;
        soft.significand = fraction << shift;
        soft.exponent = 1 - bias(format) + 63 - (int32_t)(shift + format->fraction_bits);
    } else {
        soft.kind = KIND_FINITE;
        soft.significand = UINT64_C(1) << 63 | fraction << (63 - format->fraction_bits);
        soft.exponent = field - bias(format);
    }
    return soft;
}

/* ---- Rounding ---- */

static u64 shift_jam(u64 value, u32 count)
{
    if (count == 0)
        return value;
    if (count > 63)
        return value != 0;
    return value >> count | (value << (64 - count) != 0);
}

static u128 shift_jam_wide(u128 value, u32 count)
{
    if (count == 0)
        return value;
    if (count > 127)
        return value != 0;
    return value >> count | (value << (128 - count) != 0);
}

/* Whether to round away from zero, given what is cut off (`rest`) and half a unit of what stays. */
static bool rounds_up(u32 mode, bool negative, bool odd, u64 rest, u64 half)
{
    switch (mode) {
    case ROUND_NEAREST_EVEN:
        return rest > half || (rest == half && odd);
    case ROUND_TO_ZERO:
        return false;
    case ROUND_DOWN:
        return negative && rest;
    case ROUND_UP:
        return !negative && rest;
    default:
        return rest >= half;
    }
}

static u64 overflow(const struct soft_format *format, u32 mode, bool negative, u32 *flags)
{
    bool stays_finite = mode == ROUND_TO_ZERO || (mode == ROUND_DOWN && !negative) ||
                        (mode == ROUND_UP && negative);
    *flags |= FLAG_OVERFLOW | FLAG_INEXACT;
    return with_sign(format, negative, infinity(format) - stays_finite);
}

/* Below the normal range even after rounding to full precision with an unlimited exponent? */
static bool is_tiny(const struct soft_format *format, u32 mode, struct soft value)
{
    u32 drop = 63 - format->fraction_bits;
    int32_t below = 1 - bias(format) - value.exponent;
    u64 rest = value.significand & ((UINT64_C(1) << drop) - 1);
    bool all_ones = ~value.significand >> drop == 0;
    return below > 1 || (below == 1 && !(all_ones && rounds_up(mode, value.negative, true, rest,
                                                               UINT64_C(1) << (drop - 1))));
}

static u64 soft_round(const struct soft_format *format, u32 mode, struct soft value, u32 *flags)
{
    u32 drop = 63 - format->fraction_bits;
    int32_t field = value.exponent + bias(format);
    u64 significand = value.significand;
    bool tiny = is_tiny(format, mode, value);
    if (field > 2 * bias(format))
        return overflow(format, mode, value.negative, flags);
    if (field <= 0) {
        significand = shift_jam(significand, (u32)(1 - field));
        field = 1;
    }
    u64 kept = significand >> drop;
    u64 rest = significand & ((UINT64_C(1) << drop) - 1);
    if (rest)
        *flags |= tiny ? FLAG_INEXACT | FLAG_UNDERFLOW : FLAG_INEXACT;
    kept += rounds_up(mode, value.negative, kept & 1, rest, UINT64_C(1) << (drop - 1));
    /* The leading bit of `kept`, where there is one, adds 1 to the exponent field; so does a carry
     * out of the fraction. */
    u64 bits = ((u64)(field - 1) << format->fraction_bits) + kept;
    if (bits >= infinity(format))
        return overflow(format, mode, value.negative, flags);
    return with_sign(format, value.negative, bits);
}

/* ---- Sums ---- */

static struct wide wide_of(struct soft value)
{
    if (value.kind == KIND_ZERO)
        return (struct wide){ value.negative, INT16_MIN, 0 };
    return (struct wide){ value.negative, value.exponent, (u128)value.significand << 62 };
}

/* Exact: the significands have at most 53 bits each. */
static struct wide wide_product(struct soft a, struct soft b)
{
    bool negative = a.negative != b.negative;
    if (a.kind == KIND_ZERO || b.kind == KIND_ZERO)
        return (struct wide){ negative, INT16_MIN, 0 };
    u128 product = (u128)a.significand * b.significand;
    return (struct wide){ negative, a.exponent + b.exponent + 1, product >> 2 };
}

static u64 wide_round(const struct soft_format *format, u32 mode, struct wide value, u32 *flags)
{
    u64 upper = (u64)(value.significand >> 64);
    int shift = upper ? __builtin_clzll(upper) : 64 + __builtin_clzll((u64)value.significand);
    u128 normal = value.significand << shift;
    struct soft soft = {
        .kind = KIND_FINITE,
        .negative = value.negative,
        .exponent = value.exponent + 2 - shift,
        .significand = (u64)(normal >> 64) | ((u64)normal != 0),
    };
    return soft_round(format, mode, soft, flags);
}

/* If the exponents differ so much that bits are jammed, the difference of the two cannot lose more
 * than one leading bit, and the jammed bit stays far below the rounding position. */
static u64 wide_sum(const struct soft_format *format, u32 mode, struct wide a, struct wide b,
                    u32 *flags)
{
    if (a.exponent < b.exponent) {
        struct wide swap = a;
        a = b;
        b = swap;
    }
    u128 smaller = shift_jam_wide(b.significand, (u32)(a.exponent - b.exponent));
    if (a.negative == b.negative) {
        a.significand += smaller;
    } else if (a.significand >= smaller) {
        a.significand -= smaller;
        if (a.significand == 0)
            a.negative = mode == ROUND_DOWN;
    } else {
        a.significand = smaller - a.significand;
        a.negative = b.negative;
    }
    if (a.significand == 0)
        return with_sign(format, a.negative, 0);
    return wide_round(format, mode, a, flags);
}

u64 soft_add(const struct soft_format *format, u32 mode, u64 a, u64 b, u32 *flags)
{
    struct soft x = soft_unpack(format, a), y = soft_unpack(format, b);
    if (x.kind == KIND_NAN || y.kind == KIND_NAN)
        return nan_result(format, soft_is_signaling(format, a) || soft_is_signaling(format, b),
                          flags);
    if (x.kind == KIND_INFINITE && y.kind == KIND_INFINITE && x.negative != y.negative)
        return invalid(format, flags);
    if (x.kind == KIND_INFINITE)
        return a;
    if (y.kind == KIND_INFINITE)
        return b;
    return wide_sum(format, mode, wide_of(x), wide_of(y), flags);
}

static bool is_infinity_times_zero(struct soft x, struct soft y)
{
    return (x.kind == KIND_INFINITE && y.kind == KIND_ZERO) ||
           (x.kind == KIND_ZERO && y.kind == KIND_INFINITE);
}

u64 soft_fma(const struct soft_format *format, u32 mode, u64 a, u64 b, u64 c, u32 *flags)
{
    struct soft x = soft_unpack(format, a), y = soft_unpack(format, b), z = soft_unpack(format, c);
    if (is_infinity_times_zero(x, y))
        return invalid(format, flags);
    if (x.kind == KIND_NAN || y.kind == KIND_NAN || z.kind == KIND_NAN)
        return nan_result(format,
                          soft_is_signaling(format, a) || soft_is_signaling(format, b) ||
                              soft_is_signaling(format, c),
                          flags);
    bool negative = x.negative != y.negative;
    if (x.kind == KIND_INFINITE || y.kind == KIND_INFINITE) {
        if (z.kind == KIND_INFINITE && z.negative != negative)
            return invalid(format, flags);
        return with_sign(format, negative, infinity(format));
    }
    if (z.kind == KIND_INFINITE)
        return c;
    return wide_sum(format, mode, wide_product(x, y), wide_of(z), flags);
}

/* ---- Products, quotients, roots ---- */

u64 soft_mul(const struct soft_format *format, u32 mode, u64 a, u64 b, u32 *flags)
{
    struct soft x = soft_unpack(format, a), y = soft_unpack(format, b);
    bool negative = x.negative != y.negative;
    if (x.kind == KIND_NAN || y.kind == KIND_NAN)
        return nan_result(format, soft_is_signaling(format, a) || soft_is_signaling(format, b),
                          flags);
    if (is_infinity_times_zero(x, y))
        return invalid(format, flags);
    if (x.kind == KIND_INFINITE || y.kind == KIND_INFINITE)
        return with_sign(format, negative, infinity(format));
    if (x.kind == KIND_ZERO || y.kind == KIND_ZERO)
        return with_sign(format, negative, 0);
    return wide_round(format, mode, wide_product(x, y), flags);
}

static u64 quotient_round(const struct soft_format *format, u32 mode, struct soft x, struct soft y,
                          u32 *flags)
{
    bool less = x.significand < y.significand;
    u128 dividend = (u128)x.significand << (less ? 64 : 63);
    u64 quotient = (u64)(dividend / y.significand);
    u64 rest = (u64)(dividend % y.significand);
    struct soft soft = {
        .kind = KIND_FINITE,
        .negative = x.negative != y.negative,
        .exponent = x.exponent - y.exponent - less,
        .significand = quotient | (rest != 0),
    };
    return soft_round(format, mode, soft, flags);
}

u64 soft_div(const struct soft_format *format, u32 mode, u64 a, u64 b, u32 *flags)
{
    struct soft x = soft_unpack(format, a), y = soft_unpack(format, b);
    bool negative = x.negative != y.negative;
    if (x.kind == KIND_NAN || y.kind == KIND_NAN)
        return nan_result(format, soft_is_signaling(format, a) || soft_is_signaling(format, b),
                          flags);
    if (x.kind == y.kind && x.kind != KIND_FINITE)
        return invalid(format, flags);
    if (x.kind == KIND_INFINITE)
        return with_sign(format, negative, infinity(format));
    if (x.kind == KIND_ZERO || y.kind == KIND_INFINITE)
        return with_sign(format, negative, 0);
    if (y.kind == KIND_ZERO) {
        *flags |= FLAG_DIVIDE_BY_ZERO;
        return with_sign(format, negative, infinity(format));
    }
    return quotient_round(format, mode, x, y, flags);
}

/* The integer square root, one bit at a time from the top; *rest tells whether it is not exact. */
static u64 root_of(u128 square, bool *rest)
{
    u128 root = 0;
    for (u128 bit = (u128)1 << 126; bit; bit >>= 2) {
        u128 trial = root + bit;
        root >>= 1;
        if (square >= trial) {
            square -= trial;
            root += bit;
        }
    }
    *rest = square != 0;
    return (u64)root;
}

u64 soft_sqrt(const struct soft_format *format, u32 mode, u64 a, u32 *flags)
{
    struct soft x = soft_unpack(format, a);
    if (x.kind == KIND_NAN)
        return nan_result(format, soft_is_signaling(format, a), flags);
    if (x.kind == KIND_ZERO)
        return a;
    if (x.negative)
        return invalid(format, flags);
    if (x.kind == KIND_INFINITE)
        return a;
    bool odd = x.exponent & 1, rest;
    u64 root = root_of((u128)x.significand << (odd ? 64 : 63), &rest);
    struct soft soft = {
        .kind = KIND_FINITE,
        .exponent = (x.exponent - odd) / 2,
        .significand = root | rest,
    };
    return soft_round(format, mode, soft, flags);
}

/* ---- Conversions ---- */

u64 soft_convert(const struct soft_format *to, const struct soft_format *from, u32 mode, u64 a,
                 u32 *flags)
{
    struct soft x = soft_unpack(from, a);
    switch (x.kind) {
    case KIND_NAN:
        return nan_result(to, soft_is_signaling(from, a), flags);
    case KIND_INFINITE:
        return with_sign(to, x.negative, infinity(to));
    case KIND_ZERO:
        return with_sign(to, x.negative, 0);
    default:
        return soft_round(to, mode, x, flags);
    }
}

u64 soft_from_int(const struct soft_format *format, u32 mode, u64 magnitude, bool negative,
                  u32 *flags)
{
    if (!magnitude)
        return 0;
    int shift = __builtin_clzll(magnitude);
    struct soft soft = {
        .kind = KIND_FINITE,
        .negative = negative,
        .exponent = 63 - shift,
        .significand = magnitude << shift,
    };
    return soft_round(format, mode, soft, flags);
}

/* The whole part of |x| < 2^64, rounded; *rest is what was cut off, in units of 2^-64. */
static u64 whole_part(struct soft x, u32 mode, u64 *rest)
{
    u64 whole = 0;
    if (x.kind == KIND_ZERO) {
        *rest = 0;
    } else if (x.exponent < 0) {
        *rest = shift_jam(x.significand, (u32)(-1 - x.exponent));
    } else {
        whole = x.significand >> (63 - x.exponent);
        *rest = x.exponent == 63 ? 0 : x.significand << (x.exponent + 1);
    }
    return whole + rounds_up(mode, x.negative, whole & 1, *rest, UINT64_C(1) << 63);
}

u64 soft_to_int(const struct soft_format *format, u32 mode, u64 a, u32 bits, bool is_signed,
                u32 *flags)
{
    struct soft x = soft_unpack(format, a);
    if (x.kind == KIND_NAN)
        x.negative = false;
    u64 largest = ~UINT64_C(0) >> (64 - bits + is_signed);
    u64 limit = !x.negative ? largest : is_signed ? largest + 1 : 0;
    bool too_large = x.kind == KIND_NAN || x.kind == KIND_INFINITE || x.exponent > 63;
    u64 rest = 0;
    u64 whole = too_large ? 0 : whole_part(x, mode, &rest);
    if (too_large || whole > limit) {
        *flags |= FLAG_INVALID;
        whole = limit;
    } else if (rest) {
        *flags |= FLAG_INEXACT;
    }
    return x.negative ? -whole : whole;
}

/* ---- Comparing ---- */

/* Bit patterns of numbers as integers in the same order, -0 before +0. */
static i64 soft_order(const struct soft_format *format, u64 a)
{
    i64 magnitude = (i64)(a & ~sign_bit(format));
    return a & sign_bit(format) ? -magnitude - 1 : magnitude;
}

u64 soft_min_max(const struct soft_format *format, u64 a, u64 b, bool want_max, u32 *flags)
{
    if (soft_is_signaling(format, a) || soft_is_signaling(format, b))
        *flags |= FLAG_INVALID;
    bool a_is_nan = soft_is_nan(format, a), b_is_nan = soft_is_nan(format, b);
    if (a_is_nan && b_is_nan)
        return canonical_nan(format);
    if (a_is_nan || b_is_nan)
        return a_is_nan ? b : a;
    bool a_is_less = soft_order(format, a) < soft_order(format, b);
    return a_is_less != want_max ? a : b;
}

u64 soft_class(const struct soft_format *format, u64 a)
{
    bool negative = a & sign_bit(format);
    u64 magnitude = a & ~sign_bit(format);
    u32 bit;
    if (magnitude > infinity(format))
        return soft_is_signaling(format, a) ? 1 << 8 : 1 << 9;
    if (magnitude == infinity(format))
        bit = 7;
    else if (magnitude >> format->fraction_bits)
        bit = 6;
    else
        bit = magnitude ? 5 : 4;
    return UINT64_C(1) << (negative ? 7 - bit : bit);
}
