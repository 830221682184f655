/* rt_compiler.h - what the headers of ray tracing ask of a compiler: GCC and clang for the host,
 * for RISC-V and for C++, and nvcc, so that the same walk runs on a graphics card. */
#ifndef OGIVE_RT_COMPILER_H
#define OGIVE_RT_COMPILER_H

#include <stdint.h>
#include <string.h>

#ifdef __CUDACC__
#define RT_FUNCTION static inline __host__ __device__
#else
#define RT_FUNCTION static inline
#endif

#define RT_INLINE RT_FUNCTION __attribute__((always_inline))

#if defined(__riscv) && !defined(__riscv_zbb)

/* Of the greatest power of two in a number, which is a float then. RV64 without Zbb has no
 * instruction that finds a bit; the compiler's routine searches byte by byte. */
RT_FUNCTION uint32_t rt_exponent(float number)
{
    uint32_t bits;
    memcpy(&bits, &number, sizeof bits);
    return (bits >> 23) - 127;
}

#endif

/* Both take a number that is not 0. */
RT_FUNCTION uint32_t rt_lowest_bit(uint32_t bits)
{
#ifdef __CUDA_ARCH__
    return (uint32_t)__ffs((int)bits) - 1;
#elif defined(__riscv) && !defined(__riscv_zbb)
    return rt_exponent((float)(bits & -bits));
#else
    return (uint32_t)__builtin_ctz(bits);
#endif
}

RT_FUNCTION uint32_t rt_highest_bit(uint64_t bits)
{
#ifdef __CUDA_ARCH__
    return 63 - (uint32_t)__clzll((long long)bits);
#elif defined(__riscv) && !defined(__riscv_zbb)
    return rt_exponent((float)(bits & ~(bits >> 1))); /* cannot be rounded up to the next power */
#else
    return 63 - (uint32_t)__builtin_clzll(bits);
#endif
}

#endif
