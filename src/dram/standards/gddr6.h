/* gddr6.h - what the two GDDR6 devices have in common: commands and the distances between them,
 * which are in gddr6.c, and the refresh that JEDEC JESD250 asks for. */
#ifndef DRAM_STANDARDS_GDDR6_H
#define DRAM_STANDARDS_GDDR6_H

#include "dram/standards/table.h"

extern const struct dram_constraint dram_gddr6_constraints[];

/* clang-format off */
/* `refreshed` is the level that one REFab addresses. */
#define GDDR6_SCOPES(refreshed) \
    SCOPE(ACT, ROW),            \
    SCOPE(PREA, BANK),          \
    SCOPE(PRE, BANK),           \
    SCOPE(RD, COLUMN),          \
    SCOPE(WR, COLUMN),          \
    SCOPE(RDA, COLUMN),         \
    SCOPE(WRA, COLUMN),         \
    SCOPE(REFAB, refreshed),    \
    SCOPE(REFPB, BANK),         \
    SCOPE(REFP2B, CHANNEL)

#define GDDR6_CORRECT_REFRESH                         \
    { CORRECT, nRFC, 0, { 120, 120, 120, 120 } },     \
    { CORRECT, nRFCpb, 0, { 60, 60, 60, 60 } },       \
    { CORRECT, nREFI, 0, { 1900, 1900, 1900, 1900 } }

#define GDDR6_FAMILY                                                                                \
    .has_bankgroups = true,                                                                         \
    .density_levels = LEVEL(CHANNEL) | LEVEL(BANKGROUP) | LEVEL(BANK) | LEVEL(ROW) | LEVEL(COLUMN), \
    .rounding = DRAM_ROUND_974,                                                                     \
    .densities_mb = { 4096, 8192, 16384, 32768 },                                                   \
    .constraints = dram_gddr6_constraints
/* clang-format on */

#endif
