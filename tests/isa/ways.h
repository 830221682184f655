/* ways.h - texts of nothing but ways, for tests of flow.c and order.c; distances are in
 * instructions.
 */
#ifndef TESTS_ISA_WAYS_H
#define TESTS_ISA_WAYS_H

#include "isa/encode.h"
#include "ogive/random.h"

#define NOP       encode_i(0x13, 0, 0, 0)
#define BRANCH(n) encode_b(0x63, 1, 2, 4 * (n))
#define JUMP(n)   encode_j(0x6f, 0, 4 * (n))
#define CALL(n)   encode_j(0x6f, 1, 4 * (n))
#define RETURN    encode_i(0x67, 0, 1, 0)
#define SWITCH    encode_i(0x67, 0, 10, 0)
#define POINTER   encode_i(0x67, 1, 10, 0)

/* An instruction of a random text of `count`, to any place of it or behind its end. */
static inline u32 text_random(u64 *state, u32 at, u32 count)
{
    int32_t to = (int32_t)random_below(state, count + 1) - (int32_t)at;
    switch (random_below(state, 8)) {
    case 0:
        return NOP;
    case 1:
        return JUMP(to);
    case 2:
        return CALL(to);
    case 3:
        return random_below(state, 3) ? NOP : RETURN;
    default:
        return BRANCH(to);
    }
}

#endif
