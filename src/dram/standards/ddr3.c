/* ddr3.c - DDR3 SDRAM (JEDEC JESD79-3). Numbers: the reference's tables.
 *
 * The reference gives every speed a write latency of 9; the correct variant uses the CWL that
 * JESD79-3F pairs with each rate. */
#include "dram/standards/table.h"

/* clang-format off */
static const struct dram_organisation organisations[] = {
    { "DDR3_1Gb_x4",           1024,   4, { 1, 1, 1, 8, 16384, 2048 } },
    { "DDR3_1Gb_x8",           1024,   8, { 1, 1, 1, 8, 16384, 1024 } },
    { "DDR3_1Gb_x16",          1024,  16, { 1, 1, 1, 8, 8192, 1024 } },
    { "DDR3_2Gb_x4",           2048,   4, { 1, 1, 1, 8, 32768, 2048 } },
    { "DDR3_2Gb_x8",           2048,   8, { 1, 1, 1, 8, 32768, 1024 } },
    { "DDR3_2Gb_x16",          2048,  16, { 1, 1, 1, 8, 16384, 1024 } },
    { "DDR3_4Gb_x4",           4096,   4, { 1, 1, 1, 8, 65536, 2048 } },
    { "DDR3_4Gb_x8",           4096,   8, { 1, 1, 1, 8, 65536, 1024 } },
    { "DDR3_4Gb_x16",          4096,  16, { 1, 1, 1, 8, 32768, 1024 } },
    { "DDR3_8Gb_x4",           8192,   4, { 1, 1, 1, 8, 131072, 2048 } },
    { "DDR3_8Gb_x8",           8192,   8, { 1, 1, 1, 8, 131072, 1024 } },
    { "DDR3_8Gb_x16",          8192,  16, { 1, 1, 1, 8, 65536, 1024 } },
    { .name = NULL },
};

/* nBL nCL nRCD nRP nRAS nRC nWR nRTP nCWL nCCD nRRD nWTR nFAW nRFC nREFI nCS */
static const struct dram_preset presets[] = {
    { "DDR3_800D",    800, {  4,  5,  5,  5, 15, 20,  6,  4,  9,  4, -1,  4, -1, -1, -1,  2 } },
    { "DDR3_800E",    800, {  4,  5,  5,  5, 15, 20,  6,  4,  9,  4, -1,  4, -1, -1, -1,  2 } },
    { "DDR3_1066E",  1066, {  4,  6,  6,  6, 20, 26,  8,  4,  9,  4, -1,  4, -1, -1, -1,  2 } },
    { "DDR3_1066F",  1066, {  4,  7,  7,  7, 20, 27,  8,  4,  9,  4, -1,  4, -1, -1, -1,  2 } },
    { "DDR3_1066G",  1066, {  4,  8,  8,  8, 20, 28,  8,  4,  9,  4, -1,  4, -1, -1, -1,  2 } },
    { "DDR3_1333G",  1333, {  4,  8,  8,  8, 24, 32, 10,  5,  9,  4, -1,  5, -1, -1, -1,  2 } },
    { "DDR3_1333H",  1333, {  4,  9,  9,  9, 24, 33, 10,  5,  9,  4, -1,  5, -1, -1, -1,  2 } },
    { "DDR3_1600H",  1600, {  4,  9,  9,  9, 28, 37, 12,  6,  9,  4, -1,  6, -1, -1, -1,  2 } },
    { "DDR3_1600J",  1600, {  4, 10, 10, 10, 28, 38, 12,  6,  9,  4, -1,  6, -1, -1, -1,  2 } },
    { "DDR3_1600K",  1600, {  4, 11, 11, 11, 28, 39, 12,  6,  9,  4, -1,  6, -1, -1, -1,  2 } },
    { "DDR3_1866K",  1866, {  4, 11, 11, 11, 32, 43, 14,  7,  9,  4, -1,  7, -1, -1, -1,  2 } },
    { "DDR3_1866L",  1866, {  4, 12, 12, 12, 32, 44, 14,  7,  9,  4, -1,  7, -1, -1, -1,  2 } },
    { "DDR3_2133L",  2133, {  4, 12, 12, 12, 36, 48, 16,  8,  9,  4, -1,  8, -1, -1, -1,  2 } },
    { "DDR3_2133M",  2133, {  4, 13, 13, 13, 36, 49, 16,  8,  9,  4, -1,  8, -1, -1, -1,  2 } },
    { .name = NULL },
};

static const struct dram_by_rate by_rate[] = {
    { 0, nRRD, 4, { 4, 4, 4, 5, 5, 6 } },
    { 0, nRRD, 8, { 4, 4, 4, 5, 5, 6 } },
    { 0, nRRD, 16, { 4, 6, 5, 6, 6, 7 } },
    { 0, nFAW, 4, { 16, 20, 20, 24, 26, 27 } },
    { 0, nFAW, 8, { 16, 20, 20, 24, 26, 27 } },
    { 0, nFAW, 16, { 20, 27, 30, 32, 33, 34 } },
    { CORRECT, nCWL, 0, { 5, 6, 7, 8, 9, 10 } },
    { .timing = DRAM_NO_TIMING },
};

static const struct dram_by_density by_density[] = {
    { 0, nRFC, 0, { 110, 160, 260, 350 } },
    { 0, nREFI, 0, { 7800, 7800, 7800, 7800 } },
    { .timing = DRAM_NO_TIMING },
};

static const struct dram_scope scopes[] = {
    SCOPE(ACT, ROW),
    SCOPE(PRE, BANK),
    SCOPE(PREA, RANK),
    SCOPE(RD, COLUMN),
    SCOPE(WR, COLUMN),
    SCOPE(RDA, COLUMN),
    SCOPE(WRA, COLUMN),
    SCOPE(REFAB, RANK),
    END_OF_SCOPES,
};

static const struct dram_constraint constraints[] = {
    MIN(CHANNEL, RD | RDA, RD | RDA, 0, nBL),
    MIN(CHANNEL, WR | WRA, WR | WRA, 0, nBL),

    MIN(RANK, RD | RDA, RD | RDA, 0, nCCD),
    MIN(RANK, WR | WRA, WR | WRA, 0, nCCD),
    MIN(RANK, RD | RDA, WR | WRA, 2, nCL, nBL, -nCWL),
    MIN(RANK, WR | WRA, RD | RDA, 0, nCWL, nBL, nWTR),
    ACROSS(RANK, RD | RDA, RD | RDA | WR | WRA, 0, nBL, nCS),
    ACROSS(RANK, WR | WRA, RD | RDA, 0, nCL, nBL, nCS, -nCWL),
    MIN(RANK, RD, PREA, 0, nRTP),
    MIN(RANK, WR, PREA, 0, nCWL, nBL, nWR),
    MIN(RANK, ACT, ACT, 0, nRRD),
    WINDOW(RANK, ACT, ACT, nFAW),
    MIN(RANK, ACT, PREA, 0, nRAS),
    MIN(RANK, PREA, ACT, 0, nRP),
    MIN(RANK, ACT, REFAB, 0, nRC),
    MIN(RANK, PRE | PREA, REFAB, 0, nRP),
    MIN(RANK, RDA, REFAB, 0, nRP, nRTP),
    MIN(RANK, WRA, REFAB, 0, nCWL, nBL, nWR, nRP),
    MIN(RANK, REFAB, ACT, 0, nRFC),

    MIN(BANK, ACT, ACT, 0, nRC),
    MIN(BANK, ACT, RD | RDA | WR | WRA, 0, nRCD),
    MIN(BANK, ACT, PRE, 0, nRAS),
    MIN(BANK, PRE, ACT, 0, nRP),
    MIN(BANK, RD, PRE, 0, nRTP),
    MIN(BANK, WR, PRE, 0, nCWL, nBL, nWR),
    MIN(BANK, RDA, ACT, 0, nRTP, nRP),
    MIN(BANK, WRA, ACT, 0, nCWL, nBL, nWR, nRP),
    END_OF_CONSTRAINTS,
};

const struct dram_standard dram_ddr3 = {
    .name = "ddr3",
    .title = "DDR3 SDRAM",
    .source = REFERENCE_SOURCE ", DDR3",
    .rank_name = "rank",
    .has_bankgroups = false,
    .refresh_variants = REFERENCE | BANKFIX | CORRECT,
    .density_levels = LEVEL(BANKGROUP) | LEVEL(BANK) | LEVEL(ROW) | LEVEL(COLUMN),
    .prefetch = 8,
    .channel_width = 64,
    .rate_per_clock = 2,
    .rounding = DRAM_ROUND_974,
    .densities_mb = { 1024, 2048, 4096, 8192 },
    .rates = { 800, 1066, 1333, 1600, 1866, 2133 },

    .timing_columns = { nBL, nCL, nRCD, nRP, nRAS, nRC, nWR, nRTP, nCWL, nCCD, nRRD, nWTR, nFAW, nRFC, nREFI, nCS },
    .organisations = organisations,
    .presets = presets,
    .by_rate = by_rate,
    .by_density = by_density,
    .scopes = scopes,
    .constraints = constraints,
};
/* clang-format on */
