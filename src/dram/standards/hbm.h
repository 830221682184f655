/* hbm.h - what the generations of High Bandwidth Memory have in common: the same speed, commands
 * and distances. What differs: the level that holds the distances of a channel (in pseudochannel
 * mode each of the two has them by itself), the burst, and the commands of refresh management.
 *
 * The reference never refreshes them (it looks for a rank level) and its cycle counts are those of
 * a 500 MHz part at a 1 GHz clock, with tRC < tRAS + tRP; the correct variant refreshes, doubles
 * the counts (they are then those of DRAMsim3's HBM2_4Gb_x128) and makes tRC their sum. */
#ifndef DRAM_STANDARDS_HBM_H
#define DRAM_STANDARDS_HBM_H

#include "dram/standards/table.h"

extern const struct dram_by_density dram_hbm_by_density[];

/* clang-format off */
/* nBL nCL nRCDRD nRCDWR nRP nRAS nRC nWR nRTPS nRTPL nCWL nCCDS nCCDL nRRDS nRRDL nWTRS nWTRL nRTW nFAW nRFC nRFCSB nREFI nREFISB nRREFD */
#define HBM_PRESET(name, burst)                                                                                              \
    { name, 2000, { burst,  7,  7,  7,  7, 17, 19,  8,  2,  3,  2,  1,  2,  2,  3,  3,  4,  3, 15, -1, 160, 3900, -1,  8 } }

#define HBM_CORRECTIONS            \
    { CORRECT, NULL, nCL, 14 },    \
    { CORRECT, NULL, nRCDRD, 14 }, \
    { CORRECT, NULL, nRCDWR, 14 }, \
    { CORRECT, NULL, nRP, 14 },    \
    { CORRECT, NULL, nRAS, 34 },   \
    { CORRECT, NULL, nRC, 48 },    \
    { CORRECT, NULL, nWR, 16 },    \
    { CORRECT, NULL, nRTPS, 4 },   \
    { CORRECT, NULL, nRTPL, 6 },   \
    { CORRECT, NULL, nCWL, 4 },    \
    { CORRECT, NULL, nRRDS, 4 },   \
    { CORRECT, NULL, nRRDL, 6 },   \
    { CORRECT, NULL, nWTRS, 6 },   \
    { CORRECT, NULL, nWTRL, 8 },   \
    { CORRECT, NULL, nFAW, 30 }

#define HBM_SCOPES         \
    SCOPE(ACT, ROW),       \
    SCOPE(PRE, BANK),      \
    SCOPE(PREA, CHANNEL),  \
    SCOPE(RD, COLUMN),     \
    SCOPE(WR, COLUMN),     \
    SCOPE(RDA, COLUMN),    \
    SCOPE(WRA, COLUMN),    \
    SCOPE(REFAB, CHANNEL), \
    SCOPE(REFSB, BANK)

/* `all` and `same` are the commands that refresh all banks and the same bank of every bank group.
 * The last four rows: same-bank refresh in the reference leaves the bank usable at once. */
#define HBM_CONSTRAINTS(node, all, same)                     \
    MIN(CHANNEL, ACT, ACT | PRE | PREA | all | same, 2, 0),  \
    MIN(node, ACT, ACT, 0, nRRDS),                           \
    WINDOW(node, ACT, ACT, nFAW),                            \
    MIN(node, ACT, same, 1, nRRDS),                          \
    MIN(node, same, same, 0, nRREFD),                        \
    MIN(node, same, ACT, -1, nRREFD),                        \
    MIN(node, RD | RDA, RD | RDA, 0, nBL),                   \
    MIN(node, WR | WRA, WR | WRA, 0, nBL),                   \
    MIN(node, RD | RDA, RD | RDA, 0, nCCDS),                 \
    MIN(node, WR | WRA, WR | WRA, 0, nCCDS),                 \
    MIN(node, RD | RDA, WR | WRA, 2, nCL, nBL, -nCWL),       \
    MIN(node, WR | WRA, RD | RDA, 0, nCWL, nBL, nWTRS),      \
    MIN(node, RD, PREA, 0, nRTPS),                           \
    MIN(node, WR, PREA, 0, nCWL, nBL, nWR),                  \
    MIN(node, ACT, ACT, 0, nRRDS),                           \
    WINDOW(node, ACT, ACT, nFAW),                            \
    MIN(node, ACT, PREA, 0, nRAS),                           \
    MIN(node, PREA, ACT, 0, nRP),                            \
    MIN(node, ACT, all, 0, nRC),                             \
    MIN(node, PRE | PREA, all, 0, nRP),                      \
    MIN(node, RDA, all, 0, nRP, nRTPS),                      \
    MIN(node, WRA, all, 0, nCWL, nBL, nWR, nRP),             \
    MIN(node, all, ACT | same, 0, nRFC),                     \
    MIN(BANKGROUP, RD | RDA, RD | RDA, 0, nCCDL),            \
    MIN(BANKGROUP, WR | WRA, WR | WRA, 0, nCCDL),            \
    MIN(BANKGROUP, WR | WRA, RD | RDA, 0, nCWL, nBL, nWTRL), \
    MIN(BANKGROUP, ACT, ACT, 0, nRRDL),                      \
    MIN(BANKGROUP, ACT, same, 1, nRRDL),                     \
    MIN(BANKGROUP, same, ACT, -1, nRRDL),                    \
    MIN(BANK, RD, PRE, 0, nRTPS),                            \
    MIN(BANK, ACT, ACT, 0, nRC),                             \
    MIN(BANK, ACT, RD | RDA, 0, nRCDRD),                     \
    MIN(BANK, ACT, WR | WRA, 0, nRCDWR),                     \
    MIN(BANK, ACT, PRE, 0, nRAS),                            \
    MIN(BANK, PRE, ACT, 0, nRP),                             \
    MIN(BANK, RD, PRE, 0, nRTPL),                            \
    MIN(BANK, WR, PRE, 0, nCWL, nBL, nWR),                   \
    MIN(BANK, RDA, ACT | same, 0, nRTPL, nRP),               \
    MIN(BANK, WRA, ACT | same, 0, nCWL, nBL, nWR, nRP),      \
    MIN_OF(CORRECT, BANK, REFSB, ACT | REFSB, 0, nRFCSB),    \
    MIN_OF(CORRECT, BANK, PRE, REFSB, 0, nRP),               \
    MIN_OF(CORRECT, BANK, ACT, REFSB, 0, nRC),               \
    MIN_OF(CORRECT, node, PREA, REFSB, 0, nRP)

/* Currents: DRAMsim3, HBM2_4Gb_x128. */
#define HBM_FAMILY                                                                                \
    .has_bankgroups = true,                                                                       \
    .refresh_variants = CORRECT,                                                                  \
    .prefetch = 2,                                                                                \
    .rate_per_clock = 2,                                                                          \
    .rounding = DRAM_ROUND_974,                                                                   \
    .densities_mb = { 2048, 4096, 8192, 16384 },                                                  \
    .power = { 1200, 0, 65, 40, 55, 390, 500, 250, 0, 0, 0, 0, 0, 0 },                            \
    .timing_columns = { nBL, nCL, nRCDRD, nRCDWR, nRP, nRAS, nRC, nWR, nRTPS, nRTPL, nCWL, nCCDS, \
                        nCCDL, nRRDS, nRRDL, nWTRS, nWTRL, nRTW, nFAW, nRFC, nRFCSB, nREFI,       \
                        nREFISB, nRREFD },                                                        \
    .by_density = dram_hbm_by_density

/* In pseudochannel mode a burst is 4 beats of 64 bits, 32 bytes in 2 clocks (the reference moves 16
 * bytes in 4) and tCCDL is 4 (after O'Connor et al., "Fine-Grained DRAM", MICRO 2017); PREA and
 * REFab address one pseudochannel. */
#define HBM_PSEUDOCHANNEL_CORRECTIONS \
    { CORRECT, NULL, nBL, 2 },        \
    { CORRECT, NULL, nCCDS, 2 },      \
    { CORRECT, NULL, nCCDL, 4 },      \
    HBM_CORRECTIONS

#define HBM_PSEUDOCHANNEL_SCOPES   \
    SCOPE_OF(CORRECT, PREA, RANK), \
    SCOPE_OF(CORRECT, REFAB, RANK)

#define HBM_PSEUDOCHANNEL_FAMILY                                                                 \
    .rank_name = "pseudochannel",                                                                \
    .density_levels = LEVEL(BANKGROUP) | LEVEL(BANK) | LEVEL(ROW) | LEVEL(COLUMN) | LEVEL(RANK), \
    .channel_width = 64,                                                                         \
    .correct_prefetch = 4,                                                                       \
    HBM_FAMILY
/* clang-format on */

#endif
