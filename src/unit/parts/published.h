/* published.h - energy and area of the parts that units are made of, as published for 65 nm.
 *
 * [S] SimTRaX (dkoptacs/simtrax): Synopsys synthesis and Cacti, 65 nm. Energies there are for
 *     32-bit operations; wider ones are charged alike.
 * [A] Arches (Haydel et al. 2025), the configuration of dual streaming: Cacti, node not stated,
 *     taken as 65 nm. Only for leakage, which [S] does not have.
 *
 * Picojoules, milliwatts, square millimetres. */
#ifndef UNIT_PARTS_PUBLISHED_H
#define UNIT_PARTS_PUBLISHED_H

/* [S] functional units, one operation */
#define PJ_FP_ADD       7.4
#define PJ_FP_MUL       14.2
#define PJ_FP_COMPARE   0.536
#define PJ_FP_DIV       156.3 /* also square root and integer division */
#define PJ_FP_CONVERT   1.0
#define PJ_INT_ADD      0.572 /* also branches and bitwise operations */
#define PJ_INT_MUL      17.7

#define MM2_FP_ADD      0.003
#define MM2_FP_MUL      0.0165
#define MM2_FP_COMPARE  0.000722
#define MM2_FP_DIV      0.112
#define MM2_FP_CONVERT  0.001814
#define MM2_INT_ADD     0.00066
#define MM2_INT_MUL     0.0117

/* From these: the slab test (ogive/rt_box.h) is 6 differences, 6 products, a sum and 7 comparisons
 * for a box; SimTRaX's box pipe claims as many multipliers and adders. The watertight test
 * (ogive/rt_triangle.h) is 22 sums and differences, 21 products, a reciprocal and 9 comparisons. */
#define PJ_BOX          (7 * PJ_FP_ADD + 6 * PJ_FP_MUL + 7 * PJ_FP_COMPARE)
#define PJ_TRIANGLE     (22 * PJ_FP_ADD + 21 * PJ_FP_MUL + PJ_FP_DIV + 9 * PJ_FP_COMPARE)

/* [S] storage next to a core: a word from the register file and from the local store of a thread,
 * and from an instruction cache of 4 KiB in 16 banks */
#define PJ_REGISTER     7.89613
#define PJ_LOCAL_STORE  6.92867
#define PJ_FETCH        13.490
#define MM2_REGISTERS   0.0147665
#define MM2_LOCAL_STORE 0.01396329
#define MM2_FETCH       0.130596

/* [S] a word from 4 KiB in 32 banks */
#define PJ_BANKED_WORD  15.138

/* [A] 7.19746 mW for a bank of 16 KiB of the L1. A bank of 128 KiB of the scene buffer has 53.7192
 * mW, which is nearly the same for a byte; one of the L2 184.55 mW, three times that. */
#define MW_PER_KIB      (7.19746 / 16)

#endif
