/* hbm3.c - High Bandwidth Memory 3, with the numbers of HBM2 plus refresh management, as the
 * reference has it. No reference run exists.
 *
 * The reference never refreshes it (it looks for a rank level) and its cycle counts are those of a
 * 500 MHz part at a 1 GHz clock, with tRC < tRAS + tRP; the correct variant refreshes, doubles the
 * counts (they are then those of DRAMsim3's HBM2_4Gb_x128) and makes tRC their sum. Bursts and
 * pseudochannels as in hbm2.c. */
#include "dram/standards/table.h"

/* clang-format off */
static const struct dram_organisation organisations[] = {
    { "HBM3_2Gb",              2048, 128, { 1, 2, 4, 4, 8192, 64 } },
    { "HBM3_4Gb",              4096, 128, { 1, 2, 4, 4, 16384, 64 } },
    { "HBM3_8Gb",              6144, 128, { 1, 2, 4, 4, 32768, 64 } },
    { .name = NULL },
};

/* nBL nCL nRCDRD nRCDWR nRP nRAS nRC nWR nRTPS nRTPL nCWL nCCDS nCCDL nRRDS nRRDL nWTRS nWTRL nRTW nFAW nRFC nRFCSB nREFI nREFISB nRREFD */
static const struct dram_preset presets[] = {
    { "HBM3_2Gbps",  2000, {  4,  7,  7,  7,  7, 17, 19,  8,  2,  3,  2,  1,  2,  2,  3,  3,  4,  3, 15, -1, 160, 3900, -1,  8 } },
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
    { CORRECT, NULL, nBL, 2 },
    { CORRECT, NULL, nCCDS, 2 },
    { CORRECT, NULL, nCCDL, 4 },
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
    SCOPE(RFMAB, CHANNEL),
    SCOPE(RFMSB, BANK),
    SCOPE_OF(CORRECT, PREA, RANK),
    SCOPE_OF(CORRECT, REFAB, RANK),
    END_OF_SCOPES,
};

static const struct dram_constraint constraints[] = {
    MIN(CHANNEL, ACT, ACT | PRE | PREA | REFAB | REFSB | RFMAB | RFMSB, 2, 0),

    MIN(RANK, ACT, ACT, 0, nRRDS),
    WINDOW(RANK, ACT, ACT, nFAW),
    MIN(RANK, ACT, REFSB | RFMSB, 1, nRRDS),
    MIN(RANK, REFSB | RFMSB, REFSB | RFMSB, 0, nRREFD),
    MIN(RANK, REFSB | RFMSB, ACT, -1, nRREFD),
    MIN(RANK, RD | RDA, RD | RDA, 0, nBL),
    MIN(RANK, WR | WRA, WR | WRA, 0, nBL),
    MIN(RANK, RD | RDA, RD | RDA, 0, nCCDS),
    MIN(RANK, WR | WRA, WR | WRA, 0, nCCDS),
    MIN(RANK, RD | RDA, WR | WRA, 2, nCL, nBL, -nCWL),
    MIN(RANK, WR | WRA, RD | RDA, 0, nCWL, nBL, nWTRS),
    MIN(RANK, RD, PREA, 0, nRTPS),
    MIN(RANK, WR, PREA, 0, nCWL, nBL, nWR),
    MIN(RANK, ACT, ACT, 0, nRRDS),
    WINDOW(RANK, ACT, ACT, nFAW),
    MIN(RANK, ACT, PREA, 0, nRAS),
    MIN(RANK, PREA, ACT, 0, nRP),
    MIN(RANK, ACT, REFAB | RFMAB, 0, nRC),
    MIN(RANK, PRE | PREA, REFAB | RFMAB, 0, nRP),
    MIN(RANK, RDA, REFAB | RFMAB, 0, nRP, nRTPS),
    MIN(RANK, WRA, REFAB | RFMAB, 0, nCWL, nBL, nWR, nRP),
    MIN(RANK, REFAB | RFMAB, ACT | REFSB | RFMSB, 0, nRFC),

    MIN(BANKGROUP, RD | RDA, RD | RDA, 0, nCCDL),
    MIN(BANKGROUP, WR | WRA, WR | WRA, 0, nCCDL),
    MIN(BANKGROUP, WR | WRA, RD | RDA, 0, nCWL, nBL, nWTRL),
    MIN(BANKGROUP, ACT, ACT, 0, nRRDL),
    MIN(BANKGROUP, ACT, REFSB | RFMSB, 1, nRRDL),
    MIN(BANKGROUP, REFSB | RFMSB, ACT, -1, nRRDL),

    MIN(BANK, RD, PRE, 0, nRTPS),
    MIN(BANK, ACT, ACT, 0, nRC),
    MIN(BANK, ACT, RD | RDA, 0, nRCDRD),
    MIN(BANK, ACT, WR | WRA, 0, nRCDWR),
    MIN(BANK, ACT, PRE, 0, nRAS),
    MIN(BANK, PRE, ACT, 0, nRP),
    MIN(BANK, RD, PRE, 0, nRTPL),
    MIN(BANK, WR, PRE, 0, nCWL, nBL, nWR),
    MIN(BANK, RDA, ACT | REFSB | RFMSB, 0, nRTPL, nRP),
    MIN(BANK, WRA, ACT | REFSB | RFMSB, 0, nCWL, nBL, nWR, nRP),

    /* Same-bank refresh in the reference leaves the bank usable at once. */
    MIN_OF(CORRECT, BANK, REFSB, ACT | REFSB, 0, nRFCSB),
    MIN_OF(CORRECT, BANK, PRE, REFSB, 0, nRP),
    MIN_OF(CORRECT, BANK, ACT, REFSB, 0, nRC),
    MIN_OF(CORRECT, RANK, PREA, REFSB, 0, nRP),
    END_OF_CONSTRAINTS,
};

const struct dram_standard dram_hbm3 = {
    .name = "hbm3",
    .title = "High Bandwidth Memory 3",
    .source = REFERENCE_SOURCE ", HBM3",
    .rank_name = "pseudochannel",
    .has_bankgroups = true,
    .refresh_variants = CORRECT,
    .density_levels = LEVEL(BANKGROUP) | LEVEL(BANK) | LEVEL(ROW) | LEVEL(COLUMN) | LEVEL(RANK),
    .prefetch = 2,
    .channel_width = 64,
    .rate_per_clock = 2,
    .rounding = DRAM_ROUND_974,
    .densities_mb = { 2048, 4096, 8192, 16384 },
    .rates = { 0 },
    /* DRAMsim3, HBM2_4Gb_x128. */
    .power = { 1200, 0, 65, 40, 55, 390, 500, 250, 0, 0, 0, 0, 0, 0 },
    .correct_prefetch = 4,
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
