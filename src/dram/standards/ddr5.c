/* ddr5.c - DDR5 SDRAM (JEDEC JESD79-5), one 32-bit subchannel. Numbers: the reference's tables.
 *
 * The reference takes the 5 ns of tRRD_L for 5 cycles, less than tRRD_S; the correct variant has
 * max(8 cycles, 5 ns) = 8 cycles at 3200 Mb/s. It also keeps same-bank refreshes of one rank apart
 * (tRFCsb) and activates of other banks tREFSBRD behind them (JESD79-5, REFsb).
 * nRFM and nDRFM follow from a refresh radius of 2 and a bounded refresh count of 2. */
#include "dram/standards/table.h"

/* clang-format off */
static const struct dram_organisation organisations[] = {
    { "DDR5_8Gb_x4",           8192,   4, { 1, 1, 8, 2, 65536, 2048 } },
    { "DDR5_8Gb_x8",           8192,   8, { 1, 1, 8, 2, 65536, 1024 } },
    { "DDR5_8Gb_x16",          8192,  16, { 1, 1, 4, 2, 65536, 1024 } },
    { "DDR5_16Gb_x4",         16384,   4, { 1, 1, 8, 4, 65536, 2048 } },
    { "DDR5_16Gb_x8",         16384,   8, { 1, 1, 8, 4, 65536, 1024 } },
    { "DDR5_16Gb_x16",        16384,  16, { 1, 1, 4, 4, 65536, 1024 } },
    { "DDR5_32Gb_x4",         32768,   4, { 1, 1, 8, 4, 131072, 2048 } },
    { "DDR5_32Gb_x8",         32768,   8, { 1, 1, 8, 4, 131072, 1024 } },
    { "DDR5_32Gb_x16",        32768,  16, { 1, 1, 4, 4, 131072, 1024 } },
    { .name = NULL },
};

/* nBL nCL nRCD nRP nRAS nRC nWR nRTP nCWL nPPD nCCDS nCCDS_WR nCCDS_WTR nCCDL nCCDL_WR nCCDL_WTR nRRDS nRRDL nFAW nRFC1 nRFC2 nRFCsb nREFI nREFSBRD nRFM1 nRFM2 nRFMsb nDRFMab nDRFMsb nCS */
static const struct dram_preset presets[] = {
    { "DDR5_3200AN",  3200, {  8, 24, 24, 24, 52, 75, 48, 12, 22,  2,  8,  8, 34,  8, 16, 46,  8, -1, -1, -1, -1, -1, -1, 30, -1, -1, -1, -1, -1,  2 } },
    { "DDR5_3200BN",  3200, {  8, 26, 26, 26, 52, 77, 48, 12, 24,  2,  8,  8, 36,  8, 16, 48,  8, -1, -1, -1, -1, -1, -1, 30, -1, -1, -1, -1, -1,  2 } },
    { "DDR5_3200C",   3200, {  8, 28, 28, 28, 52, 79, 48, 12, 26,  2,  8,  8, 38,  8, 16, 50,  8, -1, -1, -1, -1, -1, -1, 30, -1, -1, -1, -1, -1,  2 } },
    { .name = NULL },
};

static const struct dram_by_rate by_rate[] = {
    { RECORDED, nRRDL, 0, { 5 } },
    { CORRECT, nRRDL, 0, { 8 } },
    { 0, nFAW, 4, { 40 } },
    { 0, nFAW, 8, { 32 } },
    { 0, nFAW, 16, { 32 } },
    { 0, nCCDL_WR, 4, { 32 } },
    { .timing = DRAM_NO_TIMING },
};

static const struct dram_by_density by_density[] = {
    { 0, nRFC1, 0, { 195, 295, 410 } },
    { 0, nRFC2, 0, { 130, 160, 220 } },
    { 0, nRFCsb, 0, { 115, 130, 190 } },
    { 0, nREFI, 0, { 3900, 3900, 3900 } },
    { 0, nRFM1, 0, { 195, 295, 410 } },
    { 0, nRFM2, 0, { 130, 160, 220 } },
    { 0, nRFMsb, 2, { 115, 130, 190 } },
    { 0, nDRFMab, 4, { 70, 70, 70 } },
    { 0, nDRFMsb, 4, { 60, 60, 60 } },
    { .timing = DRAM_NO_TIMING },
};

static const struct dram_scope scopes[] = {
    SCOPE(ACT, ROW),
    SCOPE(PRE, BANK),
    SCOPE(PREA, RANK),
    SCOPE(PRESB, BANK),
    SCOPE(RD, COLUMN),
    SCOPE(WR, COLUMN),
    SCOPE(RDA, COLUMN),
    SCOPE(WRA, COLUMN),
    SCOPE(REFAB, RANK),
    SCOPE(REFSB, BANK),
    SCOPE(RFMAB, RANK),
    SCOPE(RFMSB, BANK),
    SCOPE(DRFMAB, RANK),
    SCOPE(DRFMSB, BANK),
    END_OF_SCOPES,
};

static const struct dram_constraint constraints[] = {
    MIN(CHANNEL, ACT | RD | RDA | WR | WRA, EVERY_COMMAND, 2, 0),
    MIN(CHANNEL, RD | RDA, RD | RDA, 0, nBL),
    MIN(CHANNEL, WR | WRA, WR | WRA, 0, nBL),

    MIN(RANK, RD | RDA, RD | RDA, 0, nCCDS),
    MIN(RANK, WR | WRA, WR | WRA, 0, nCCDS_WR),
    MIN(RANK, RD | RDA, WR | WRA, 4, nCL, nBL, -nCWL),
    MIN(RANK, WR | WRA, RD | RDA, 0, nCCDS_WTR),
    ACROSS(RANK, RD | RDA, RD | RDA | WR | WRA, 0, nBL, nCS),
    ACROSS(RANK, WR | WRA, RD | RDA, 0, nCL, nBL, nCS, -nCWL),
    MIN(RANK, RD, PREA, 0, nRTP),
    MIN(RANK, WR, PREA, 0, nCWL, nBL, nWR),
    MIN(RANK, ACT, ACT, 0, nRRDS),
    WINDOW(RANK, ACT, ACT, nFAW),
    MIN(RANK, ACT, PREA, 0, nRAS),
    MIN(RANK, PREA, ACT, 0, nRP),
    MIN(RANK, ACT, REFAB | RFMAB | DRFMAB, 0, nRC),
    MIN(RANK, PRE | PRESB, REFAB | RFMAB | DRFMAB, 0, nRP),
    MIN(RANK, PREA, REFAB | RFMAB | DRFMAB | REFSB | RFMSB | DRFMSB, 0, nRP),
    MIN(RANK, RDA, REFAB | RFMAB | DRFMAB, 0, nRP, nRTP),
    MIN(RANK, WRA, REFAB | RFMAB | DRFMAB, 0, nCWL, nBL, nWR, nRP),
    MIN(RANK, REFAB, ACT | PREA | REFAB | RFMAB | DRFMAB | REFSB | RFMSB | DRFMSB, 0, nRFC1),
    MIN(RANK, RFMAB, ACT | PREA | REFAB | RFMAB | DRFMAB | REFSB | RFMSB | DRFMSB, 0, nRFM1),
    MIN(RANK, DRFMAB, ACT | PREA | REFAB | RFMAB | DRFMAB | REFSB | RFMSB | DRFMSB, 0, nDRFMab),
    MIN(RANK, REFSB, PREA | REFAB | RFMAB | DRFMAB, 0, nRFCsb),
    MIN(RANK, RFMSB, PREA | REFAB | RFMAB | DRFMAB, 0, nRFMsb),
    MIN(RANK, DRFMSB, PREA | REFAB | RFMAB | DRFMAB, 0, nDRFMsb),

    MIN(BANKGROUP, RD | RDA, RD | RDA, 0, nCCDL),
    MIN(BANKGROUP, WR | WRA, WR | WRA, 0, nCCDL_WR),
    MIN(BANKGROUP, WR | WRA, RD | RDA, 0, nCCDL_WTR),
    MIN(BANKGROUP, ACT, ACT, 0, nRRDL),

    MIN(BANK, ACT, ACT | REFSB | RFMSB | DRFMSB, 0, nRC),
    MIN(BANK, ACT, RD | RDA | WR | WRA, 0, nRCD),
    MIN(BANK, ACT, PRE | PRESB, 0, nRAS),
    MIN(BANK, PRE | PRESB, ACT | REFSB | RFMSB | DRFMSB, 0, nRP),
    MIN(BANK, RD, PRE | PRESB, 0, nRTP),
    MIN(BANK, WR, PRE | PRESB, 0, nCWL, nBL, nWR),
    MIN(BANK, RDA, ACT | REFSB | RFMSB | DRFMSB, 0, nRTP, nRP),
    MIN(BANK, WRA, ACT | REFSB | RFMSB | DRFMSB, 0, nCWL, nBL, nWR, nRP),
    MIN(BANK, WR, RDA, 0, nCWL, nBL, nWR, -nRTP),
    MIN(BANK, REFSB, ACT | REFSB | RFMSB | DRFMSB, 0, nRFCsb),
    MIN(BANK, RFMSB, ACT | REFSB | RFMSB | DRFMSB, 0, nRFMsb),
    MIN(BANK, DRFMSB, ACT | REFSB | RFMSB | DRFMSB, 0, nDRFMsb),

    MIN_OF(CORRECT, RANK, REFSB, REFSB, 0, nRFCsb),
    MIN_OF(CORRECT, RANK, REFSB, ACT, 0, nREFSBRD),
    END_OF_CONSTRAINTS,
};

const struct dram_standard dram_ddr5 = {
    .name = "ddr5",
    .title = "DDR5 SDRAM",
    .source = REFERENCE_SOURCE ", DDR5",
    .rank_name = "rank",
    .has_bankgroups = true,
    .refresh_variants = REFERENCE | BANKFIX | CORRECT,
    .density_levels = LEVEL(BANKGROUP) | LEVEL(BANK) | LEVEL(ROW) | LEVEL(COLUMN),
    .prefetch = 16,
    .channel_width = 32,
    .rate_per_clock = 2,
    .rounding = DRAM_ROUND_DDR5,
    .densities_mb = { 8192, 16384, 32768 },
    .rates = { 3200 },
    .power = { 1100, 1800, 60, 50, 55, 145, 145, 362, 3, 3, 3, 3, 3, 48 },
    .timing_columns = { nBL, nCL, nRCD, nRP, nRAS, nRC, nWR, nRTP, nCWL, nPPD, nCCDS, nCCDS_WR, nCCDS_WTR, nCCDL, nCCDL_WR, nCCDL_WTR, nRRDS, nRRDL, nFAW, nRFC1, nRFC2, nRFCsb, nREFI, nREFSBRD, nRFM1, nRFM2, nRFMsb, nDRFMab, nDRFMsb, nCS },
    .organisations = organisations,
    .presets = presets,
    .by_rate = by_rate,
    .by_density = by_density,
    .scopes = scopes,
    .constraints = constraints,
};
/* clang-format on */
