/* rt_compiler.h - what the headers of ray tracing ask of a compiler: GCC and clang for the host,
 * for RISC-V and for C++, and nvcc, so that the same walk runs on a graphics card. */
#ifndef OGIVE_RT_COMPILER_H
#define OGIVE_RT_COMPILER_H

#include <stdint.h>

#ifdef __CUDACC__
#define RT_FUNCTION static inline __host__ __device__
#else
#define RT_FUNCTION static inline
#endif

#define RT_INLINE RT_FUNCTION __attribute__((always_inline))

/* Both take a number that is not 0. */
RT_FUNCTION uint32_t rt_lowest_bit(uint32_t bits)
{
#ifdef __CUDA_ARCH__
    return (uint32_t)__ffs((int)bits) - 1;
#else
    return (uint32_t)__builtin_ctz(bits);
#endif
}

RT_FUNCTION uint32_t rt_highest_bit(uint64_t bits)
{
#ifdef __CUDA_ARCH__
    return 63 - (uint32_t)__clzll((long long)bits);
#else
    return 63 - (uint32_t)__builtin_clzll(bits);
#endif
}

#endif
