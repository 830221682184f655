/* warp.h - what the threads of a warp tell each other, for C and C++; part of device.h.
 *
 * A warp is as many threads as a SIMT machine executes together: 4 to 64, always a power of two. On
 * other machines every thread is a warp of its own. Natively, threads of a block are in warps of
 * 32, or as many as the environment's OGIVE_WARP says; outside of blocks every hart is one. So a
 * program asks ogv_warp_width, and works with any.
 *
 * For T in u32, i32, u64, i64, float, double:
 *
 *     ogv_shuffle_T(value, lane)        the value of that thread; of lane modulo the width
 *     ogv_shuffle_xor_T(value, mask)    of the thread whose lane differs in these bits
 *     ogv_shuffle_up_T(value, delta)    of the one so many lanes below
 *     ogv_shuffle_down_T(value, delta)  of the one so many lanes above
 *     ogv_warp_add_T(value), ogv_warp_min_T(value), ogv_warp_max_T(value)    of all of them
 *
 * A shuffle from a lane that does not exist or whose thread has ended gives the own value. All
 * threads of a warp that have not ended (nor returned from the kernel) make the same call: those
 * that are there first wait for the others. Sums are taken in pairs, 0 with 1, 2 with 3, then these
 * two and so on: in an order that does not depend on time, nor on how the width divides it. */
#ifndef OGIVE_WARP_H
#define OGIVE_WARP_H

#include "ogive/block.h"
#include "ogive/device.h"

#ifdef __cplusplus
extern "C" {
#endif

static inline uint32_t ogv_warp_width(void)
{
    return ogv_self.warp;
}

#ifdef OGIVE_DEVICE

/* The number of this thread in its warp. */
static inline uint32_t ogv_lane(void)
{
    return ogv_self.lane;
}

/* The threads for which `p` is not 0: a bit for each lane. */
static inline uint64_t ogv_ballot(int p)
{
    uint64_t lanes;
    __asm__ volatile(".insn r CUSTOM_3, 0, 8, %0, %1, x0" : "=r"(lanes) : "r"((int64_t)p));
    return lanes;
}

#define OGV_SHUFFLE_ONE(name, T, type, word, letter, funct7)            \
    static inline type ogv_##name##_##T(type value, uint32_t with)      \
    {                                                                   \
        word got, given = (word)value;                                  \
        __asm__ volatile(".insn r CUSTOM_3, 0, " #funct7 ", %0, %1, %2" \
                         : "=" letter(got)                              \
                         : letter(given), "r"((uint64_t)with));         \
        return (type)got;                                               \
    }
#define OGV_SHUFFLE(T, type, word, letter, x, xor_, up, down) \
    OGV_SHUFFLE_ONE(shuffle, T, type, word, letter, x)        \
    OGV_SHUFFLE_ONE(shuffle_xor, T, type, word, letter, xor_) \
    OGV_SHUFFLE_ONE(shuffle_up, T, type, word, letter, up)    \
    OGV_SHUFFLE_ONE(shuffle_down, T, type, word, letter, down)
#define OGV_SHUFFLE_INTEGER(T, type) OGV_SHUFFLE(T, type, int64_t, "r", 0, 1, 2, 3)
#define OGV_SHUFFLE_REAL(T, word)    OGV_SHUFFLE(T, T, T, "f", 4, 5, 6, 7)

#else

/* What each lane of a warp has brought, and which of them have come. */
struct ogv_native_meeting {
    const uint64_t *values;
    uint64_t active;
};
struct ogv_native_meeting ogv_native_meet(uint64_t value);

static inline uint32_t ogv_lane(void)
{
    return ogv_block_self.thread % ogv_self.warp;
}

static inline uint64_t ogv_ballot(int p)
{
    uint64_t lanes = 0;
    struct ogv_native_meeting all = ogv_native_meet(p != 0);
    for (uint32_t i = 0; i < ogv_self.warp; i++)
        if (all.active >> i & 1)
            lanes |= all.values[i] << i;
    return lanes;
}

static inline uint64_t ogv_native_shuffle(uint64_t value, uint32_t lane)
{
    struct ogv_native_meeting all = ogv_native_meet(value);
    return lane < ogv_self.warp && all.active >> lane & 1 ? all.values[lane] : value;
}

#define OGV_SHUFFLE_ONE(name, T, type, from)                       \
    static inline type ogv_##name##_##T(type value, uint32_t with) \
    {                                                              \
        uint32_t lane = ogv_lane(), width = ogv_self.warp;         \
        uint64_t word = 0;                                         \
        (void)lane, (void)width;                                   \
        __builtin_memcpy(&word, &value, sizeof value);             \
        word = ogv_native_shuffle(word, from);                     \
        __builtin_memcpy(&value, &word, sizeof value);             \
        return value;                                              \
    }
#define OGV_SHUFFLE(T, type)                                                \
    OGV_SHUFFLE_ONE(shuffle, T, type, with % width)                         \
    OGV_SHUFFLE_ONE(shuffle_xor, T, type, (lane ^ with) % width)            \
    OGV_SHUFFLE_ONE(shuffle_up, T, type, with <= lane ? lane - with : lane) \
    OGV_SHUFFLE_ONE(shuffle_down, T, type, with < width - lane ? lane + with : lane)
#define OGV_SHUFFLE_INTEGER(T, type) OGV_SHUFFLE(T, type)
#define OGV_SHUFFLE_REAL(T, word)    OGV_SHUFFLE(T, T)

#endif

/* The threads that make this call together: a bit for each lane. */
static inline uint64_t ogv_active(void)
{
    return ogv_ballot(1);
}

static inline int ogv_any(int p)
{
    return ogv_ballot(p) != 0;
}

static inline int ogv_all(int p)
{
    return ogv_ballot(!p) == 0;
}

/* Where the threads are the first ones of their warp, lane 0 has the sum of all in the end; where
 * some between have ended, they are taken one by one. */
#define OGV_WARP_REDUCE(name, T, type, result)                                    \
    static inline type ogv_warp_##name##_##T(type value)                          \
    {                                                                             \
        uint64_t active = ogv_active();                                           \
        uint32_t lane = ogv_lane();                                               \
        type a, b;                                                                \
        if (active & (active + 1)) {                                              \
            a = ogv_shuffle_##T(value, (uint32_t)__builtin_ctzll(active));        \
            for (uint64_t left = active & (active - 1); left; left &= left - 1) { \
                b = ogv_shuffle_##T(value, (uint32_t)__builtin_ctzll(left));      \
                a = (result);                                                     \
            }                                                                     \
            return a;                                                             \
        }                                                                         \
        for (uint32_t bit = 1; bit < ogv_warp_width(); bit *= 2) {                \
            a = value;                                                            \
            b = ogv_shuffle_xor_##T(value, bit);                                  \
            value = active >> (lane ^ bit) & 1 ? (result) : value;                \
        }                                                                         \
        return ogv_shuffle_##T(value, 0);                                         \
    }
#define OGV_WARP_REDUCES(T, type, less, sum)          \
    OGV_WARP_REDUCE(add, T, type, sum)                \
    OGV_WARP_REDUCE(min, T, type, less(a, b) ? a : b) \
    OGV_WARP_REDUCE(max, T, type, less(b, a) ? a : b)

/* As in atomics: a NaN is chosen only if there is nothing else, and -0 is less than 0. */
#define OGV_LESS(a, b) ((a) < (b))
#define OGV_LESS_REAL(a, b) \
    ((a) < (b) || (b) != (b) || ((a) == (b) && __builtin_signbit(a) > __builtin_signbit(b)))

#define OGV_WARP_INTEGERS(T, type, sum) \
    OGV_SHUFFLE_INTEGER(T, type)        \
    OGV_WARP_REDUCES(T, type, OGV_LESS, sum)
#define OGV_WARP_REALS(T, word) \
    OGV_SHUFFLE_REAL(T, word)   \
    OGV_WARP_REDUCES(T, T, OGV_LESS_REAL, a + b)

OGV_WARP_INTEGERS(u32, uint32_t, a + b)
OGV_WARP_INTEGERS(i32, int32_t, (int32_t)((uint32_t)a + (uint32_t)b))
OGV_WARP_INTEGERS(u64, uint64_t, a + b)
OGV_WARP_INTEGERS(i64, int64_t, (int64_t)((uint64_t)a + (uint64_t)b))
OGV_WARP_REALS(float, uint32_t)
OGV_WARP_REALS(double, uint64_t)

#ifdef __cplusplus
}
#endif

#endif
