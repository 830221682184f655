/* gddr5.h - what GDDR5 and GDDR5X have in common: all but burst, data rate, voltage and speeds. The
 * tables are in gddr5.c. */
#ifndef DRAM_STANDARDS_GDDR5_H
#define DRAM_STANDARDS_GDDR5_H

#include "dram/standards/table.h"

extern const struct dram_scope dram_gddr5_scopes[];
extern const struct dram_constraint dram_gddr5_constraints[];

/* clang-format off */
#define GDDR5_FAMILY                                                                             \
    .rank_name = NULL,                                                                           \
    .has_bankgroups = true,                                                                      \
    .refresh_variants = REFERENCE | BANKFIX | CORRECT,                                           \
    .density_levels = LEVEL(BANKGROUP) | LEVEL(BANK) | LEVEL(ROW) | LEVEL(COLUMN),               \
    .channel_width = 32,                                                                         \
    .rounding = DRAM_ROUND_974,                                                                  \
    .timing_columns = { nBL, nCL, nRCDRD, nRCDWR, nRP, nRAS, nRC, nWR, nRTP, nCWL, nCCDS, nCCDL, \
                        nRRDS, nRRDL, nWTRS, nWTRL, nFAW, nRFC, nRFCpb, nREFI },                 \
    .scopes = dram_gddr5_scopes,                                                                 \
    .constraints = dram_gddr5_constraints
/* clang-format on */

#endif
