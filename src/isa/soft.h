/* soft.h - IEEE 754 arithmetic in integers: every rounding mode, every flag, on every host.
 *
 * fp.h uses the host's floating point wherever the outcome is sure to be the same, and this where
 * it is not. Values are bit patterns, single precision in the lower 32 bits; every NaN that comes
 * out is the canonical one; exceptions are ORed into *flags; tininess is detected after rounding.
 */
#ifndef ISA_SOFT_H
#define ISA_SOFT_H

#include "ogive/isa.h"

struct soft_format {
    u32 fraction_bits;
    u32 exponent_bits;
};

extern const struct soft_format soft_f32, soft_f64;

u64 soft_add(const struct soft_format *format, u32 mode, u64 a, u64 b, u32 *flags);
u64 soft_mul(const struct soft_format *format, u32 mode, u64 a, u64 b, u32 *flags);
u64 soft_div(const struct soft_format *format, u32 mode, u64 a, u64 b, u32 *flags);
u64 soft_sqrt(const struct soft_format *format, u32 mode, u64 a, u32 *flags);

/* a * b + c, rounded once. */
u64 soft_fma(const struct soft_format *format, u32 mode, u64 a, u64 b, u64 c, u32 *flags);

u64 soft_convert(const struct soft_format *to, const struct soft_format *from, u32 mode, u64 a,
                 u32 *flags);

/* To an integer of 32 or 64 bits, saturating; the result is not extended. */
u64 soft_to_int(const struct soft_format *format, u32 mode, u64 a, u32 bits, bool is_signed,
                u32 *flags);
u64 soft_from_int(const struct soft_format *format, u32 mode, u64 magnitude, bool negative,
                  u32 *flags);

u64 soft_min_max(const struct soft_format *format, u64 a, u64 b, bool want_max, u32 *flags);
u64 soft_class(const struct soft_format *format, u64 a);
bool soft_is_nan(const struct soft_format *format, u64 a);
bool soft_is_signaling(const struct soft_format *format, u64 a);

#endif
