/* device.h - what a program on a simulated chip can ask of it, for C and C++.
 *
 * The same source builds for the chip and natively (docs/programs.md has the commands). On the chip
 * every hardware thread ("hart") calls main; natively harts are POSIX threads, as many as the
 * environment's OGIVE_HARTS says (default 4).
 *
 *     #include <ogive/device.h>
 *
 *     static float sum[4096], a[4096], b[4096];
 *
 *     int main(void)
 *     {
 *         for (uint64_t i = ogv_next(); i < 4096; i = ogv_next())
 *             sum[i] = a[i] + b[i];
 *         return 0;
 *     }
 *
 * Variables on the stack and thread-local ones are private to a hart, everything else is shared.
 * What a hart wrote is seen by another one after: writer's ogv_fence, an atomic that tells the
 * reader, the reader's ogv_fence. Both barriers include all that. */
#ifndef OGIVE_DEVICE_H
#define OGIVE_DEVICE_H

#include <stddef.h>
#include <stdint.h>

#if defined(OGIVE_DEVICE) && !defined(__riscv)
#error "OGIVE_DEVICE is for the RISC-V compiler; leave it away to build natively"
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Harts ---- */

/* Set by the start code of each hart. */
struct ogv_self {
    uint32_t hart, harts;
    uint32_t warp, lane; /* threads in a warp, and which of them this is (warp.h) */
};
extern __thread struct ogv_self ogv_self;

/* Which thread of which block this is. Set by ogv_launch. */
struct ogv_block_self {
    uint32_t block, blocks, thread, threads;
    void *shared;
    uint64_t place; /* of the block, as the unit `blocks` counts them, in the upper half */
};
extern __thread struct ogv_block_self ogv_block_self;

/* The number of this hart, from 0. */
static inline uint32_t ogv_hart(void)
{
    return ogv_self.hart;
}

/* How many there are in the whole chip. */
static inline uint32_t ogv_harts(void)
{
    return ogv_self.harts;
}

/* 0, 1, 2 ...: each number goes to one hart of the chip. Hands out work; counts on forever, so for
 * a second loop use an atomic counter. Takes a dispatch unit. */
static inline uint64_t ogv_next(void);

/* Comes back when all harts that share a barrier have called it: those of an SM, or of the chip, as
 * the architecture has it. Takes a barrier unit. What they wrote before is seen by them after. */
static inline void ogv_barrier(void);

/* The same for all harts of the chip, by atomics in memory: works everywhere, takes longer. */
void ogv_barrier_all(void);

/* Waits until this hart's memory accesses are done and forgets what caches near it hold. */
static inline void ogv_fence(void);

/* Stands back for a while (on the chip as many cycles as the core's parameter `pause` says): for
 * loops that wait for another hart, which then has the core and the memory to itself. */
static inline void ogv_pause(void);

/* Memory shared by the harts of an SM, if the architecture links a scratchpad; natively 64 KiB
 * shared by all. */
static inline void *ogv_scratch(void);

/* Memory for all harts that is zero and is never given back, or NULL. Any hart may ask at any time;
 * it costs next to nothing, however large, while malloc has one hart at a time clear what it gives.
 */
void *ogv_reserve(size_t bytes);

/* Cycles of this hart's clock, or natively nanoseconds. */
static inline uint64_t ogv_cycles(void);

/* Instructions this hart has executed, or natively 0. */
static inline uint64_t ogv_instructions(void);

/* ---- The host ---- */

/* Prints on the host's console, one call at a time. Knows %d %i %u %x %c %s %p %f %%, the lengths
 * l, ll and z, a width, 0, - and the precision of %f (up to 9). Takes 280 bytes of stack; printf
 * works as well, takes up to 620 and may mix with what other harts print. */
void ogv_print(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The run ends with an image of these pixels, as they are then: row by row from the top, red in the
 * lowest byte, then green, blue, alpha. Written as PNG on the host; natively as PPM to the file
 * that OGIVE_IMAGE names. */
void ogv_image(const uint32_t *pixels, uint32_t width, uint32_t height);

/* Ends this hart; the run's exit code is the first that is not 0. */
void ogv_exit(int code) __attribute__((noreturn));

/* Argument `index` of the program as a number, or `otherwise` if there are not so many. */
static inline uint64_t ogv_argument(int argc, char **argv, int index, uint64_t otherwise)
{
    uint64_t value = 0;
    if (index >= argc)
        return otherwise;
    for (const char *digit = argv[index]; *digit >= '0' && *digit <= '9'; digit++)
        value = value * 10 + (uint64_t)(*digit - '0');
    return value;
}

/* ---- Custom instructions ----
 *
 * OGV_INSTRUCTION_n(name, space, funct3, funct7) defines uint64_t name(n operands) as the
 * instruction of opcode custom-<space>. Native builds call name_native, to be defined before:
 *
 *     static inline uint64_t popcount_native(uint64_t a)
 *     {
 *         return (uint64_t)__builtin_popcountll(a);
 *     }
 *     OGV_INSTRUCTION_1(popcount, 0, 1, 0)
 *
 * As an expression it may be moved or left out if nothing needs the result. */
#ifdef OGIVE_DEVICE

#define OGV_INSTRUCTION_0(name, space, funct3, funct7)                                         \
    static inline uint64_t name(void)                                                          \
    {                                                                                          \
        uint64_t rd;                                                                           \
        __asm__(".insn r CUSTOM_" #space ", " #funct3 ", " #funct7 ", %0, x0, x0" : "=r"(rd)); \
        return rd;                                                                             \
    }
#define OGV_INSTRUCTION_1(name, space, funct3, funct7)                            \
    static inline uint64_t name(uint64_t a)                                       \
    {                                                                             \
        uint64_t rd;                                                              \
        __asm__(".insn r CUSTOM_" #space ", " #funct3 ", " #funct7 ", %0, %1, x0" \
                : "=r"(rd)                                                        \
                : "r"(a));                                                        \
        return rd;                                                                \
    }
#define OGV_INSTRUCTION_2(name, space, funct3, funct7)                            \
    static inline uint64_t name(uint64_t a, uint64_t b)                           \
    {                                                                             \
        uint64_t rd;                                                              \
        __asm__(".insn r CUSTOM_" #space ", " #funct3 ", " #funct7 ", %0, %1, %2" \
                : "=r"(rd)                                                        \
                : "r"(a), "r"(b));                                                \
        return rd;                                                                \
    }

#else

#define OGV_INSTRUCTION_0(name, space, funct3, funct7) \
    static inline uint64_t name(void)                  \
    {                                                  \
        return name##_native();                        \
    }
#define OGV_INSTRUCTION_1(name, space, funct3, funct7) \
    static inline uint64_t name(uint64_t a)            \
    {                                                  \
        return name##_native(a);                       \
    }
#define OGV_INSTRUCTION_2(name, space, funct3, funct7)  \
    static inline uint64_t name(uint64_t a, uint64_t b) \
    {                                                   \
        return name##_native(a, b);                     \
    }

#endif

/* ---- Special functions ---- */

/* 1 / sqrt(x): the quotient of 1 and the root, each rounded to nearest. On the chip one
 * instruction, of the class `custom2`, as GPUs have it. */
static inline float ogv_rsqrt(float x)
{
#ifdef OGIVE_DEVICE
    float result;
    __asm__(".insn r CUSTOM_2, 0, 0, %0, %1, x0" : "=f"(result) : "f"(x));
    return result;
#else
    return 1.0f / __builtin_sqrtf(x);
#endif
}

/* ---- Atomics ----
 *
 * For T in u32, i32, u64, i64; all but the store give the value that was there before:
 *
 *     ogv_atomic_load_T(p)            ogv_atomic_store_T(p, value)
 *     ogv_atomic_add_T(p, value)      ogv_atomic_exchange_T(p, value)
 *     ogv_atomic_min_T(p, value)      ogv_atomic_max_T(p, value)
 *     ogv_atomic_compare_exchange_T(p, expected, value)    stores only if `expected` is there
 *
 * and for T in float, double:
 *
 *     ogv_atomic_add_T(p, value)      ogv_atomic_min_T(p, value)      ogv_atomic_max_T(p, value)
 *
 * where a number is less and greater than a NaN, and -0 is less than 0. On the chip they execute
 * where the data lives, past the caches near the hart, and order nothing else: that is what
 * ogv_fence is for. Only the compare-exchange is tried there until no other hart comes between. */
#ifdef OGIVE_DEVICE

#define OGV_ATOMIC_ORDER __ATOMIC_RELAXED

/* Plain loads and stores could stay in a cache, so these are atomics, too. */
#define OGV_ATOMIC_ACCESSES(T, type, width)                                       \
    static inline type ogv_atomic_load_##T(type *p)                               \
    {                                                                             \
        type old;                                                                 \
        __asm__ volatile("amoor." width " %0, x0, %1" : "=r"(old), "+A"(*p));     \
        return old;                                                               \
    }                                                                             \
    static inline void ogv_atomic_store_##T(type *p, type value)                  \
    {                                                                             \
        __asm__ volatile("amoswap." width " x0, %1, %0" : "+A"(*p) : "r"(value)); \
    }
#define OGV_ATOMIC_EXTREME(T, type, name, instruction)                                  \
    static inline type ogv_atomic_##name##_##T(type *p, type value)                     \
    {                                                                                   \
        type old;                                                                       \
        __asm__ volatile(instruction " %0, %2, %1" : "=r"(old), "+A"(*p) : "r"(value)); \
        return old;                                                                     \
    }
#define OGV_ATOMIC_EXTREMES(T, type, width, sign)             \
    OGV_ATOMIC_EXTREME(T, type, min, "amomin" sign "." width) \
    OGV_ATOMIC_EXTREME(T, type, max, "amomax" sign "." width)

#else

#define OGV_ATOMIC_ORDER __ATOMIC_SEQ_CST

#define OGV_ATOMIC_ACCESSES(T, type, width)                      \
    static inline type ogv_atomic_load_##T(type *p)              \
    {                                                            \
        return __atomic_load_n(p, OGV_ATOMIC_ORDER);             \
    }                                                            \
    static inline void ogv_atomic_store_##T(type *p, type value) \
    {                                                            \
        __atomic_store_n(p, value, OGV_ATOMIC_ORDER);            \
    }
#define OGV_ATOMIC_EXTREME(T, type, name, before)                                                \
    static inline type ogv_atomic_##name##_##T(type *p, type value)                              \
    {                                                                                            \
        type old = __atomic_load_n(p, OGV_ATOMIC_ORDER);                                         \
        while (value before old && !__atomic_compare_exchange_n(                                 \
                                       p, &old, value, 0, OGV_ATOMIC_ORDER, OGV_ATOMIC_ORDER)) { \
        }                                                                                        \
        return old;                                                                              \
    }
#define OGV_ATOMIC_EXTREMES(T, type, width, sign) \
    OGV_ATOMIC_EXTREME(T, type, min, <)           \
    OGV_ATOMIC_EXTREME(T, type, max, >)

#endif

#define OGV_ATOMICS(T, type, width, sign)                                                        \
    OGV_ATOMIC_ACCESSES(T, type, width)                                                          \
    OGV_ATOMIC_EXTREMES(T, type, width, sign)                                                    \
    static inline type ogv_atomic_add_##T(type *p, type value)                                   \
    {                                                                                            \
        return __atomic_fetch_add(p, value, OGV_ATOMIC_ORDER);                                   \
    }                                                                                            \
    static inline type ogv_atomic_exchange_##T(type *p, type value)                              \
    {                                                                                            \
        return __atomic_exchange_n(p, value, OGV_ATOMIC_ORDER);                                  \
    }                                                                                            \
    static inline type ogv_atomic_compare_exchange_##T(type *p, type expected, type value)       \
    {                                                                                            \
        __atomic_compare_exchange_n(p, &expected, value, 0, OGV_ATOMIC_ORDER, OGV_ATOMIC_ORDER); \
        return expected;                                                                         \
    }

OGV_ATOMICS(u32, uint32_t, "w", "u")
OGV_ATOMICS(i32, int32_t, "w", "")
OGV_ATOMICS(u64, uint64_t, "d", "u")
OGV_ATOMICS(i64, int64_t, "d", "")

static inline uint32_t ogv_float_bits(float value)
{
    uint32_t bits;
    __builtin_memcpy(&bits, &value, sizeof bits);
    return bits;
}

static inline float ogv_float_of(uint32_t bits)
{
    float value;
    __builtin_memcpy(&value, &bits, sizeof value);
    return value;
}

#ifdef OGIVE_DEVICE

#define OGV_ATOMIC_REAL(T, width, name, funct7)                                  \
    static inline T ogv_atomic_##name##_##T(T *p, T value)                       \
    {                                                                            \
        T old;                                                                   \
        __asm__ volatile(".insn r CUSTOM_0, " #width ", " #funct7 ", %0, %2, %3" \
                         : "=f"(old), "+m"(*p)                                   \
                         : "r"(p), "f"(value));                                  \
        return old;                                                              \
    }
#define OGV_ATOMIC_REALS(T, width, word) \
    OGV_ATOMIC_REAL(T, width, add, 0x00) \
    OGV_ATOMIC_REAL(T, width, min, 0x40) \
    OGV_ATOMIC_REAL(T, width, max, 0x50)

#else

#define OGV_ATOMIC_REAL(T, word, name, result)                                                     \
    static inline T ogv_atomic_##name##_##T(T *p, T value)                                         \
    {                                                                                              \
        word seen = __atomic_load_n((word *)(void *)p, OGV_ATOMIC_ORDER), next;                    \
        T old, wanted;                                                                             \
        do {                                                                                       \
            __builtin_memcpy(&old, &seen, sizeof old);                                             \
            wanted = (result);                                                                     \
            __builtin_memcpy(&next, &wanted, sizeof next);                                         \
        } while (!__atomic_compare_exchange_n((word *)(void *)p, &seen, next, 0, OGV_ATOMIC_ORDER, \
                                              OGV_ATOMIC_ORDER));                                  \
        return old;                                                                                \
    }
/* Zeros are told apart by their sign; what is not equal to itself is a NaN. */
#define OGV_ATOMIC_REALS(T, width, word)                                                       \
    OGV_ATOMIC_REAL(T, word, add, old + value)                                                 \
    OGV_ATOMIC_REAL(                                                                           \
        T, word, min,                                                                          \
        value < old || old != old || (value == old && __builtin_signbit(value)) ? value : old) \
    OGV_ATOMIC_REAL(                                                                           \
        T, word, max,                                                                          \
        value > old || old != old || (value == old && !__builtin_signbit(value)) ? value : old)

#endif

OGV_ATOMIC_REALS(float, 2, uint32_t)
OGV_ATOMIC_REALS(double, 3, uint64_t)

/* ---- How the first part is done ---- */

#ifdef OGIVE_DEVICE

static inline uint64_t ogv_next(void)
{
    uint64_t number;
    __asm__ volatile(".insn r CUSTOM_0, 0, 0, %0, x0, x0" : "=r"(number));
    return number;
}

static inline void ogv_fence(void)
{
    __asm__ volatile("fence" ::: "memory");
}

/* When the last hart comes, all have written and all caches have been emptied since. The second
 * instruction waits for the result of the first. */
static inline void ogv_barrier(void)
{
    uint64_t come;
    ogv_fence();
    __asm__ volatile(".insn r CUSTOM_0, 0, 1, %0, x0, x0\n\taddi x0, %0, 0"
                     : "=r"(come)
                     :
                     : "memory");
}

static inline void ogv_pause(void)
{
    __asm__ volatile(".4byte 0x0100000f" ::: "memory");
}

static inline void *ogv_scratch(void)
{
    return (void *)UINT64_C(0x7e0000000000);
}

static inline uint64_t ogv_cycles(void)
{
    uint64_t cycles;
    __asm__ volatile("csrr %0, cycle" : "=r"(cycles)::"memory");
    return cycles;
}

static inline uint64_t ogv_instructions(void)
{
    uint64_t instructions;
    __asm__ volatile("csrr %0, instret" : "=r"(instructions)::"memory");
    return instructions;
}

#else

extern uint64_t ogv_native_next, ogv_native_scratch[8192];
extern uint32_t ogv_native_order;
uint64_t ogv_native_time(void);
void ogv_native_pause(void);

static inline uint64_t ogv_next(void)
{
    return ogv_atomic_add_u64(&ogv_native_next, 1);
}

/* All fences are ordered with each other, which a thread sanitizer understands as well. */
static inline void ogv_fence(void)
{
    ogv_atomic_add_u32(&ogv_native_order, 1);
}

static inline void ogv_barrier(void)
{
    ogv_barrier_all();
}

static inline void ogv_pause(void)
{
    ogv_native_pause();
}

static inline void *ogv_scratch(void)
{
    return ogv_native_scratch;
}

static inline uint64_t ogv_cycles(void)
{
    return ogv_native_time();
}

static inline uint64_t ogv_instructions(void)
{
    return 0;
}

#endif

#ifdef __cplusplus
}
#endif

#include "ogive/block.h"
#include "ogive/warp.h"

#endif
