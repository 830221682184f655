/* lpddr5.c - LPDDR5 SDRAM (JEDEC JESD209-5), one channel. Numbers: the reference's tables.
 *
 * The reference cannot run this standard at all (it takes any row but 0 for a conflict and waits
 * for ever), so only the correct variant exists. In it the command clock is 1/8 of the data rate
 * (the preset's own 1.25 ns at 6400 Mb/s; WCK:CK = 4:1), a burst of 16 lasts 2 clocks, bursts to
 * different bank groups follow each other without a gap, tRC is tRAS + tRPpb, and REFpb is a
 * command to one bank. ACT is ACT-1; the row opens with ACT-2. */
#include "dram/standards/table.h"

/* clang-format off */
static const struct dram_organisation organisations[] = {
    { "LPDDR5_2Gb_x16",        2048,  16, { 1, 1, 4, 4, 8192, 1024 } },
    { "LPDDR5_4Gb_x16",        4096,  16, { 1, 1, 4, 4, 16384, 1024 } },
    { "LPDDR5_8Gb_x16",        8192,  16, { 1, 1, 4, 4, 32768, 1024 } },
    { "LPDDR5_16Gb_x16",      16384,  16, { 1, 1, 4, 4, 65536, 1024 } },
    { "LPDDR5_32Gb_x16",      32768,  16, { 1, 1, 4, 4, 131072, 1024 } },
    { .name = NULL },
};

/* nBL16 nCL nRCD nRPab nRPpb nRAS nRC nWR nRTP nCWL nCCD nRRD nWTRS nWTRL nFAW nPPD nRFCab nRFCpb nREFI nPBR2PBR nPBR2ACT nCS */
static const struct dram_preset presets[] = {
    { "LPDDR5_6400",  6400, {  4, 20, 15, 17, 15, 34, 30, 28,  4, 11,  4,  4,  5, 10, 16,  2, -1, -1, -1, -1, -1,  2 } },
    { .name = NULL },
};

static const struct dram_by_density by_density[] = {
    { 0, nRFCab, 0, { 130, 180, 210, 280 } },
    { 0, nRFCpb, 0, { 60, 90, 120, 140 } },
    { 0, nPBR2PBR, 0, { 60, 90, 90, 90 } },
    { 0, nPBR2ACT, 0, { 8, 8, 8, 8 } },
    { 0, nREFI, 0, { 3906, 3906, 3906, 3906 } },
    { .timing = DRAM_NO_TIMING },
};

static const struct dram_correction corrections[] = {
    { CORRECT, NULL, nBL16, 2 },
    { CORRECT, NULL, nRC, 49 },
    { .timing = DRAM_NO_TIMING },
};

static const struct dram_scope scopes[] = {
    SCOPE(ACT, ROW),
    SCOPE(ACT2, ROW),
    SCOPE(PRE, BANK),
    SCOPE(PREA, RANK),
    SCOPE(CASRD, RANK),
    SCOPE(CASWR, RANK),
    SCOPE(RD, COLUMN),
    SCOPE(WR, COLUMN),
    SCOPE(RDA, COLUMN),
    SCOPE(WRA, COLUMN),
    SCOPE(REFAB, RANK),
    SCOPE(REFPB, RANK),
    SCOPE(RFMAB, RANK),
    SCOPE(RFMSB, RANK),
    SCOPE_OF(CORRECT, REFPB, BANK),
    END_OF_SCOPES,
};

static const struct dram_constraint constraints[] = {
    MIN(CHANNEL, RD | RDA, RD | RDA, 0, nBL16),
    MIN(CHANNEL, WR | WRA, WR | WRA, 0, nBL16),

    MIN_OF(RECORDED, RANK, RD | RDA, RD | RDA, 0, nCCD),
    MIN_OF(RECORDED, RANK, WR | WRA, WR | WRA, 0, nCCD),
    MIN(RANK, RD | RDA, WR | WRA, 2, nCL, nBL16, -nCWL),
    MIN(RANK, WR | WRA, RD | RDA, 0, nCWL, nBL16, nWTRS),
    ACROSS(RANK, RD | RDA, RD | RDA | WR | WRA, 0, nBL16, nCS),
    ACROSS(RANK, WR | WRA, RD | RDA, 0, nCL, nBL16, nCS, -nCWL),
    MIN(RANK, RD, PREA, 0, nRTP),
    MIN(RANK, WR, PREA, 0, nCWL, nBL16, nWR),
    MIN(RANK, ACT, ACT | REFPB, 0, nRRD),
    WINDOW(RANK, ACT, ACT, nFAW),
    MIN(RANK, ACT, PREA, 0, nRAS),
    MIN(RANK, PREA, ACT, 0, nRPab),
    MIN(RANK, ACT, REFAB, 0, nRC),
    MIN(RANK, PRE, REFAB, 0, nRPpb),
    MIN(RANK, PREA, REFAB, 0, nRPab),
    MIN(RANK, RDA, REFAB, 0, nRPpb, nRTP),
    MIN(RANK, WRA, REFAB, 0, nCWL, nBL16, nWR, nRPpb),
    MIN(RANK, REFAB, REFAB | ACT | REFPB, 0, nRFCab),
    MIN_OF(RECORDED, RANK, ACT, REFPB, 0, nPBR2ACT),
    MIN(RANK, REFPB, REFPB, 0, nPBR2PBR),

    MIN(BANKGROUP, RD | RDA, RD | RDA, 0, nCCD),
    MIN(BANKGROUP, WR | WRA, WR | WRA, 0, nCCD),
    MIN(BANKGROUP, WR | WRA, RD | RDA, 0, nCWL, nBL16, nWTRL),
    MIN(BANKGROUP, ACT, ACT, 0, nRRD),

    MIN(BANK, ACT, ACT, 0, nRC),
    MIN(BANK, ACT, RD | RDA | WR | WRA, 0, nRCD),
    MIN(BANK, ACT, PRE, 0, nRAS),
    MIN(BANK, PRE, ACT, 0, nRPpb),
    MIN(BANK, RD, PRE, 0, nRTP),
    MIN(BANK, WR, PRE, 0, nCWL, nBL16, nWR),
    MIN(BANK, RDA, ACT, 0, nRTP, nRPpb),
    MIN(BANK, WRA, ACT, 0, nCWL, nBL16, nWR, nRPpb),

    /* nCCD = 4 clocks is the distance within a bank group; across groups a burst is enough. */
    MIN_OF(CORRECT, RANK, RD | RDA, RD | RDA, 0, nBL16),
    MIN_OF(CORRECT, RANK, WR | WRA, WR | WRA, 0, nBL16),
    /* JESD209-5 per-bank refresh: the bank is away for tRFCpb, its neighbours for tPBR2ACT. */
    MIN_OF(CORRECT, RANK, ACT, REFPB, 0, nRRD),
    MIN_OF(CORRECT, RANK, REFPB, ACT, 0, nPBR2ACT),
    MIN_OF(CORRECT, RANK, REFPB, REFAB, 0, nRFCpb),
    MIN_OF(CORRECT, RANK, PREA, REFPB, 0, nRPab),
    MIN_OF(CORRECT, BANK, ACT, REFPB, 0, nRC),
    MIN_OF(CORRECT, BANK, PRE, REFPB, 0, nRPpb),
    MIN_OF(CORRECT, BANK, REFPB, ACT | REFPB, 0, nRFCpb),
    MIN_OF(CORRECT, BANK, ACT, ACT2, 1, 0),
    END_OF_CONSTRAINTS,
};

const struct dram_standard dram_lpddr5 = {
    .name = "lpddr5",
    .title = "LPDDR5 SDRAM",
    .source = REFERENCE_SOURCE ", LPDDR5",
    .rank_name = "rank",
    .has_bankgroups = true,
    .refresh_variants = CORRECT,
    .density_levels = LEVEL(BANKGROUP) | LEVEL(BANK) | LEVEL(ROW) | LEVEL(COLUMN),
    .prefetch = 8,
    .channel_width = 32,
    .rate_per_clock = 2,
    .rounding = DRAM_ROUND_974,
    .densities_mb = { 2048, 4096, 8192, 16384 },
    .rates = { 0 },
    .activates_twice = true,
    .synchronises_clock = true,
    .unusable_variants = RECORDED,
    .correct_rate_per_clock = 8,
    .correct_prefetch = 16,
    .timing_columns = { nBL16, nCL, nRCD, nRPab, nRPpb, nRAS, nRC, nWR, nRTP, nCWL, nCCD, nRRD, nWTRS, nWTRL, nFAW, nPPD, nRFCab, nRFCpb, nREFI, nPBR2PBR, nPBR2ACT, nCS },
    .organisations = organisations,
    .presets = presets,
    .by_density = by_density,
    .corrections = corrections,
    .scopes = scopes,
    .constraints = constraints,
};
/* clang-format on */
