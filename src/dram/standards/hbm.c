/* hbm.c - High Bandwidth Memory, first generation (JEDEC JESD235). Numbers: the reference's tables.
 *
 * The reference never refreshes it (it looks for a rank level) and its cycle counts are those of a
 * 500 MHz part at a 1 GHz clock, with tRC < tRAS + tRP; the correct variant refreshes, doubles the
 * counts (they are then those of DRAMsim3's HBM2_4Gb_x128) and makes tRC their sum. A burst of 2 on
 * 128 pins lasts one clock, not two. */
#include "dram/standards/table.h"

/* clang-format off */
static const struct dram_organisation organisations[] = {
    { "HBM_1Gb",               1024, 128, { 1, 1, 4, 2, 8192, 128 } },
    { "HBM_2Gb",               2048, 128, { 1, 1, 4, 2, 16384, 128 } },
    { "HBM_4Gb",               4096, 128, { 1, 1, 4, 4, 16384, 128 } },
    { .name = NULL },
};

/* nBL nCL nRCDRD nRCDWR nRP nRAS nRC nWR nRTPS nRTPL nCWL nCCDS nCCDL nRRDS nRRDL nWTRS nWTRL nRTW nFAW nRFC nRFCSB nREFI nREFISB nRREFD */
static const struct dram_preset presets[] = {
    { "HBM_2Gbps",  2000, {  2,  7,  7,  7,  7, 17, 19,  8,  2,  3,  2,  1,  2,  2,  3,  3,  4,  3, 15, -1, 160, 3900, -1,  8 } },
    { .name = NULL },
};

static const struct dram_by_rate by_rate[] = {
    { .timing = DRAM_NO_TIMING },
};

static const struct dram_by_density by_density[] = {
    { 0, nRFC, 0, { 160, 260, 350, 450 } },
    { RECORDED, nREFISB, 0, { 160, 260, 350, 450 } },
    { .timing = DRAM_NO_TIMING },
};

static const struct dram_correction corrections[] = {
    { CORRECT, NULL, nBL, 1 },
    { CORRECT, NULL, nCL, 14 },
    { CORRECT, NULL, nRCDRD, 14 },
    { CORRECT, NULL, nRCDWR, 14 },
    { CORRECT, NULL, nRP, 14 },
    { CORRECT, NULL, nRAS, 34 },
    { CORRECT, NULL, nRC, 48 },
    { CORRECT, NULL, nWR, 16 },
    { CORRECT, NULL, nRTPS, 4 },
    { CORRECT, NULL, nRTPL, 6 },
    { CORRECT, NULL, nCWL, 4 },
    { CORRECT, NULL, nRRDS, 4 },
    { CORRECT, NULL, nRRDL, 6 },
    { CORRECT, NULL, nWTRS, 6 },
    { CORRECT, NULL, nWTRL, 8 },
    { CORRECT, NULL, nFAW, 30 },
    { .timing = DRAM_NO_TIMING },
};

static const struct dram_scope scopes[] = {
    SCOPE(ACT, ROW),
    SCOPE(PRE, BANK),
    SCOPE(PREA, CHANNEL),
    SCOPE(RD, COLUMN),
    SCOPE(WR, COLUMN),
    SCOPE(RDA, COLUMN),
    SCOPE(WRA, COLUMN),
    SCOPE(REFAB, CHANNEL),
    SCOPE(REFSB, BANK),
    END_OF_SCOPES,
};

static const struct dram_constraint constraints[] = {
    MIN(CHANNEL, ACT, ACT | PRE | PREA | REFAB | REFSB, 2, 0),
    MIN(CHANNEL, ACT, ACT, 0, nRRDS),
    WINDOW(CHANNEL, ACT, ACT, nFAW),
    MIN(CHANNEL, ACT, REFSB, 1, nRRDS),
    MIN(CHANNEL, REFSB, REFSB, 0, nRREFD),
    MIN(CHANNEL, REFSB, ACT, -1, nRREFD),
    MIN(CHANNEL, RD | RDA, RD | RDA, 0, nBL),
    MIN(CHANNEL, WR | WRA, WR | WRA, 0, nBL),
    MIN(CHANNEL, RD | RDA, RD | RDA, 0, nCCDS),
    MIN(CHANNEL, WR | WRA, WR | WRA, 0, nCCDS),
    MIN(CHANNEL, RD | RDA, WR | WRA, 2, nCL, nBL, -nCWL),
    MIN(CHANNEL, WR | WRA, RD | RDA, 0, nCWL, nBL, nWTRS),
    MIN(CHANNEL, RD, PREA, 0, nRTPS),
    MIN(CHANNEL, WR, PREA, 0, nCWL, nBL, nWR),
    MIN(CHANNEL, ACT, ACT, 0, nRRDS),
    WINDOW(CHANNEL, ACT, ACT, nFAW),
    MIN(CHANNEL, ACT, PREA, 0, nRAS),
    MIN(CHANNEL, PREA, ACT, 0, nRP),
    MIN(CHANNEL, ACT, REFAB, 0, nRC),
    MIN(CHANNEL, PRE | PREA, REFAB, 0, nRP),
    MIN(CHANNEL, RDA, REFAB, 0, nRP, nRTPS),
    MIN(CHANNEL, WRA, REFAB, 0, nCWL, nBL, nWR, nRP),
    MIN(CHANNEL, REFAB, ACT | REFSB, 0, nRFC),

    MIN(BANKGROUP, RD | RDA, RD | RDA, 0, nCCDL),
    MIN(BANKGROUP, WR | WRA, WR | WRA, 0, nCCDL),
    MIN(BANKGROUP, WR | WRA, RD | RDA, 0, nCWL, nBL, nWTRL),
    MIN(BANKGROUP, ACT, ACT, 0, nRRDL),
    MIN(BANKGROUP, ACT, REFSB, 1, nRRDL),
    MIN(BANKGROUP, REFSB, ACT, -1, nRRDL),

    MIN(BANK, RD, PRE, 0, nRTPS),
    MIN(BANK, ACT, ACT, 0, nRC),
    MIN(BANK, ACT, RD | RDA, 0, nRCDRD),
    MIN(BANK, ACT, WR | WRA, 0, nRCDWR),
    MIN(BANK, ACT, PRE, 0, nRAS),
    MIN(BANK, PRE, ACT, 0, nRP),
    MIN(BANK, RD, PRE, 0, nRTPL),
    MIN(BANK, WR, PRE, 0, nCWL, nBL, nWR),
    MIN(BANK, RDA, ACT | REFSB, 0, nRTPL, nRP),
    MIN(BANK, WRA, ACT | REFSB, 0, nCWL, nBL, nWR, nRP),

    /* Same-bank refresh in the reference leaves the bank usable at once. */
    MIN_OF(CORRECT, BANK, REFSB, ACT | REFSB, 0, nRFCSB),
    MIN_OF(CORRECT, BANK, PRE, REFSB, 0, nRP),
    MIN_OF(CORRECT, BANK, ACT, REFSB, 0, nRC),
    MIN_OF(CORRECT, CHANNEL, PREA, REFSB, 0, nRP),
    END_OF_CONSTRAINTS,
};

const struct dram_standard dram_hbm = {
    .name = "hbm",
    .title = "High Bandwidth Memory",
    .source = REFERENCE_SOURCE ", HBM",
    .rank_name = NULL,
    .has_bankgroups = true,
    .refresh_variants = CORRECT,
    .density_levels = LEVEL(BANKGROUP) | LEVEL(BANK) | LEVEL(ROW) | LEVEL(COLUMN),
    .prefetch = 2,
    .channel_width = 128,
    .rate_per_clock = 2,
    .rounding = DRAM_ROUND_974,
    .densities_mb = { 2048, 4096, 8192, 16384 },
    .rates = { 0 },
    /* DRAMsim3, HBM2_4Gb_x128. */
    .power = { 1200, 0, 65, 40, 55, 390, 500, 250, 0, 0, 0, 0, 0, 0 },

    .timing_columns = { nBL, nCL, nRCDRD, nRCDWR, nRP, nRAS, nRC, nWR, nRTPS, nRTPL, nCWL, nCCDS, nCCDL, nRRDS, nRRDL, nWTRS, nWTRL, nRTW, nFAW, nRFC, nRFCSB, nREFI, nREFISB, nRREFD },
    .organisations = organisations,
    .presets = presets,
    .by_rate = by_rate,
    .by_density = by_density,
    .corrections = corrections,
    .scopes = scopes,
    .constraints = constraints,
};
/* clang-format on */
