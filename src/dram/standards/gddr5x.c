/* gddr5x.c - GDDR5X SGRAM (JEDEC JESD232). The reference has none, so all variants are the same.
 *
 * Numbers and currents: DRAMsim3's GDDR5X_8Gb_x32, a part of 12 Gb/s in QDR mode: CK 1.5 GHz, a
 * burst of 16 at 8 bits per pin and CK lasts 2. Its refresh interval is that of GDDR5 in cycles of
 * 0.5 ns; here it is 1.9 us in cycles of 0.666 ns. */
#include "dram/standards/table.h"

/* clang-format off */
static const struct dram_organisation organisations[] = {
    { "GDDR5X_8Gb_x32",  8192, 32, { 1, 1, 4, 4, 16384, 1024 } },
    { "GDDR5X_4Gb_x32",  4096, 32, { 1, 1, 4, 4,  8192, 1024 } },
    { .name = NULL },
};

/* nBL nCL nRCDRD nRCDWR nRP nRAS nRC nWR nRTP nCWL nCCDS nCCDL nRRDS nRRDL nWTRS nWTRL nFAW nRFC nRFCpb nREFI */
static const struct dram_preset presets[] = {
    { "GDDR5X_12000", 12000, { 2, 24, 24, 20, 24, 56, 80, 24, 2, 7, 2, 3, 10, 10, 10, 10, 40, 74, 30, 2853 } },
    { .name = NULL },
};

static const struct dram_by_rate by_rate[] = {
    { .timing = DRAM_NO_TIMING },
};

static const struct dram_by_density by_density[] = {
    { .timing = DRAM_NO_TIMING },
};

static const struct dram_correction corrections[] = {
    { .timing = DRAM_NO_TIMING },
};

static const struct dram_scope scopes[] = {
    SCOPE(ACT, ROW),
    SCOPE(PREA, CHANNEL),
    SCOPE(PRE, BANK),
    SCOPE(RD, COLUMN),
    SCOPE(WR, COLUMN),
    SCOPE(RDA, COLUMN),
    SCOPE(WRA, COLUMN),
    SCOPE(REFAB, CHANNEL),
    SCOPE(REFPB, BANK),
    END_OF_SCOPES,
};

static const struct dram_constraint constraints[] = {
    MIN(CHANNEL, RD | RDA, RD | RDA, 0, nBL),
    MIN(CHANNEL, WR | WRA, WR | WRA, 0, nBL),
    MIN(CHANNEL, RD | RDA, RD | RDA, 0, nCCDS),
    MIN(CHANNEL, WR | WRA, WR | WRA, 0, nCCDS),
    MIN(CHANNEL, RD | RDA, WR | WRA, 2, nCL, nBL, -nCWL),
    MIN(CHANNEL, WR | WRA, RD | RDA, 0, nCWL, nBL, nWTRS),
    MIN(CHANNEL, RD, PREA, 0, nRTP),
    MIN(CHANNEL, WR, PREA, 0, nCWL, nBL, nWR),
    MIN(CHANNEL, ACT, ACT, 0, nRRDS),
    WINDOW(CHANNEL, ACT, ACT, nFAW),
    MIN(CHANNEL, ACT, PREA, 0, nRAS),
    MIN(CHANNEL, PREA, ACT | REFAB | REFPB, 0, nRP),
    MIN(CHANNEL, ACT, REFAB, 0, nRC),
    MIN(CHANNEL, PRE, REFAB, 0, nRP),
    MIN(CHANNEL, RDA, REFAB, 0, nRP, nRTP),
    MIN(CHANNEL, WRA, REFAB, 0, nCWL, nBL, nWR, nRP),
    MIN(CHANNEL, REFAB, ACT | REFAB | REFPB | PREA, 0, nRFC),
    MIN(CHANNEL, ACT, REFPB, 0, nRRDS),
    MIN(CHANNEL, REFPB, ACT | REFPB, 0, nRRDS),
    MIN(CHANNEL, REFPB, REFAB, 0, nRFCpb),

    MIN(BANKGROUP, RD | RDA, RD | RDA, 0, nCCDL),
    MIN(BANKGROUP, WR | WRA, WR | WRA, 0, nCCDL),
    MIN(BANKGROUP, WR | WRA, RD | RDA, 0, nCWL, nBL, nWTRL),
    MIN(BANKGROUP, ACT, ACT, 0, nRRDL),

    MIN(BANK, ACT, RD | RDA, 0, nRCDRD),
    MIN(BANK, ACT, WR | WRA, 0, nRCDWR),
    MIN(BANK, ACT, ACT | REFPB, 0, nRC),
    MIN(BANK, ACT, PRE, 0, nRAS),
    MIN(BANK, PRE, ACT | REFPB, 0, nRP),
    MIN(BANK, RD, PRE, 0, nRTP),
    MIN(BANK, WR, PRE, 0, nCWL, nBL, nWR),
    MIN(BANK, RDA, ACT | REFPB, 0, nRTP, nRP),
    MIN(BANK, WRA, ACT | REFPB, 0, nCWL, nBL, nWR, nRP),
    MIN(BANK, REFPB, ACT | REFPB, 0, nRFCpb),
    END_OF_CONSTRAINTS,
};

const struct dram_standard dram_gddr5x = {
    .name = "gddr5x",
    .title = "GDDR5X SGRAM",
    .source = "DRAMsim3 (GDDR5X_8Gb_x32)",
    .rank_name = NULL,
    .has_bankgroups = true,
    .refresh_variants = REFERENCE | BANKFIX | CORRECT,
    .density_levels = LEVEL(BANKGROUP) | LEVEL(BANK) | LEVEL(ROW) | LEVEL(COLUMN),
    .prefetch = 16,
    .channel_width = 32,
    .rate_per_clock = 8,
    .rounding = DRAM_ROUND_974,
    .power = { 1350, 0, 75, 45, 55, 211, 198, 286, 0, 0, 0, 0, 0, 0 },
    .timing_columns = { nBL, nCL, nRCDRD, nRCDWR, nRP, nRAS, nRC, nWR, nRTP, nCWL, nCCDS, nCCDL, nRRDS, nRRDL, nWTRS, nWTRL, nFAW, nRFC, nRFCpb, nREFI },
    .organisations = organisations,
    .presets = presets,
    .by_rate = by_rate,
    .by_density = by_density,
    .corrections = corrections,
    .scopes = scopes,
    .constraints = constraints,
};
/* clang-format on */
