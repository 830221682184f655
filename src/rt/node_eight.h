/* node_eight.h - the test of a node on a grid with all its children side by side, on hosts that
 * have vectors of eight floats.
 *
 * The same operations in the same order as rt_grid_enter, so the same bits, in half the
 * instructions. Whether this host has such vectors is asked when it runs: a program that is built
 * for all of them uses what it finds.
 *
 * Terms of three axes lie in lanes 0 to 2 and 4 to 6. In constants the fourth lane is something
 * else, as they are then read where they are used instead of being made before. */
#ifndef RT_NODE_EIGHT_H
#define RT_NODE_EIGHT_H

#if defined(__x86_64__)
#define RT_EIGHT

#include <immintrin.h>

#include "ogive/rt_node.h"
#include "ogive/types.h"

#define EIGHT static inline __attribute__((always_inline, target("avx2")))

/* Where planes and exponents lie, as struct rt_grid has it; exponents with four bytes that can be
 * read, and signed. */
struct eight_grid {
    const float *origin;
    const void *exponents;
    const u8 *low;
    u32 by_axis, by_side;
};

static inline bool eight_here(void)
{
    return __builtin_cpu_supports("avx2");
}

/* Eight bytes as eight floats. */
EIGHT __m256 eight_row(const u8 *row)
{
    return _mm256_cvtepi32_ps(_mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i_u *)row)));
}

/* Four floats, twice. */
EIGHT __m256 eight_twice(const float *from)
{
    return _mm256_broadcast_ps((const __m128 *)(const void *)from);
}

EIGHT __m256 eight_thrice(float value)
{
    return _mm256_setr_ps(value, value, value, 0, value, value, value, 0);
}

EIGHT __m256 eight_thrice_bits(int bits)
{
    return _mm256_castsi256_ps(_mm256_setr_epi32(bits, bits, bits, 0, bits, bits, bits, 0));
}

EIGHT __m256 eight_absolute(__m256 lanes)
{
    return _mm256_and_ps(lanes, eight_thrice_bits(INT32_MAX));
}

/* 2 to each of the exponents. */
EIGHT __m256 eight_scales(const void *exponents)
{
    __m128i bytes = _mm_castps_si128(_mm_broadcast_ss(exponents));
    __m256i bits = _mm256_slli_epi32(_mm256_cvtepi8_epi32(bytes), 23);
    return _mm256_castsi256_ps(_mm256_add_epi32(bits, _mm256_castps_si256(eight_thrice(1))));
}

/* One of three axes in all lanes; it is a constant. */
#define EIGHT_ALL(lanes, axis) _mm256_permute_ps(lanes, (axis)*0x55)

/* An axis narrows where the ray is in the children. Rows that are met first begin at 0 or
 * `by_side`. */
#define EIGHT_AXIS(axis)                                                               \
    do {                                                                               \
        const u8 *row = grid->low + (axis)*grid->by_axis;                              \
        size_t first = (size_t)ray->negative[axis] * grid->by_side;                    \
        __m256 by = EIGHT_ALL(step, axis);                                             \
        __m256 ahead = _mm256_mul_ps(eight_row(row + first), by);                      \
        __m256 behind = _mm256_mul_ps(eight_row(row + (first ^ grid->by_side)), by);   \
        near = _mm256_max_ps(_mm256_add_ps(ahead, EIGHT_ALL(start_near, axis)), near); \
        far = _mm256_min_ps(_mm256_add_ps(behind, EIGHT_ALL(start_far, axis)), far);   \
    } while (0)

/* A bit per lane that is entered, and where; false: some term is not finite, and planes have to be
 * tested as they are. */
EIGHT bool eight_enter(const struct eight_grid *grid, const struct rt_slab *ray, float best,
                       __m256 *t, u32 *mask)
{
    __m256 inverse = eight_twice(ray->far_inverse);
    __m256 origin = _mm256_and_ps(eight_twice(grid->origin), eight_thrice_bits(-1));
    __m256 start = _mm256_mul_ps(_mm256_sub_ps(origin, eight_twice(ray->origin)), inverse);
    __m256 step = _mm256_mul_ps(eight_scales(grid->exponents), inverse);
    __m256 error = _mm256_mul_ps(eight_thrice(255), eight_absolute(step));
    error = _mm256_add_ps(eight_absolute(start), error);
    error = _mm256_mul_ps(error, eight_thrice(RT_GRID_SLACK));
    if (__builtin_expect(!(error[0] + error[1] + error[2] < FLT_MAX), 0))
        return false;
    __m256 start_near = _mm256_sub_ps(start, error), start_far = _mm256_add_ps(start, error);
    __m256 near = _mm256_set1_ps(ray->t_min), far = _mm256_set1_ps(best);
    EIGHT_AXIS(0);
    EIGHT_AXIS(1);
    EIGHT_AXIS(2);
    far = _mm256_add_ps(far, _mm256_set1_ps(RT_SLAB_TINY));
    *t = near;
    *mask = (u32)_mm256_movemask_ps(_mm256_cmp_ps(near, far, _CMP_LE_OQ));
    return true;
}

#undef EIGHT_AXIS
#undef EIGHT_ALL

/* A child in one store. Its distance is taken from its lane, without a way through memory. */
EIGHT void eight_child(struct rt_child *child, __m256 t, u32 lane, u32 ref)
{
    __m256i which = _mm256_castsi128_si256(_mm_cvtsi32_si128((int)lane));
    __m256 first = _mm256_permutevar8x32_ps(t, which);
    u32 bits = (u32)_mm_cvtsi128_si32(_mm_castps_si128(_mm256_castps256_ps128(first)));
    u64 both = (u64)ref << 32 | bits;
    memcpy(child, &both, sizeof both);
}

#endif
#endif
