/* ddr4.c - DDR4 SDRAM (JEDEC JESD79-4). Numbers: the reference's tables; nothing in them
 * contradicts the standard. Currents: the reference's power preset. */
#include "dram/standards/table.h"

/* clang-format off */
static const struct dram_organisation organisations[] = {
    { "DDR4_2Gb_x4",           2048,   4, { 1, 1, 4, 4, 32768, 1024 } },
    { "DDR4_2Gb_x8",           2048,   8, { 1, 1, 4, 4, 16384, 1024 } },
    { "DDR4_2Gb_x16",          2048,  16, { 1, 1, 2, 4, 16384, 1024 } },
    { "DDR4_4Gb_x4",           4096,   4, { 1, 1, 4, 4, 65536, 1024 } },
    { "DDR4_4Gb_x8",           4096,   8, { 1, 1, 4, 4, 32768, 1024 } },
    { "DDR4_4Gb_x16",          4096,  16, { 1, 1, 2, 4, 32768, 1024 } },
    { "DDR4_8Gb_x4",           8192,   4, { 1, 1, 4, 4, 131072, 1024 } },
    { "DDR4_8Gb_x8",           8192,   8, { 1, 1, 4, 4, 65536, 1024 } },
    { "DDR4_8Gb_x16",          8192,  16, { 1, 1, 2, 4, 65536, 1024 } },
    { "DDR4_16Gb_x4",         16384,   4, { 1, 1, 4, 4, 262144, 1024 } },
    { "DDR4_16Gb_x8",         16384,   8, { 1, 1, 4, 4, 131072, 1024 } },
    { "DDR4_16Gb_x16",        16384,  16, { 1, 1, 2, 4, 131072, 1024 } },
    { .name = NULL },
};

/* nBL nCL nRCD nRP nRAS nRC nWR nRTP nCWL nCCDS nCCDL nRRDS nRRDL nWTRS nWTRL nFAW nRFC nREFI nCS */
static const struct dram_preset presets[] = {
    { "DDR4_1600J",   1600, {  4, 10, 10, 10, 28, 38, 12,  6,  9,  4,  5, -1, -1,  2,  6, -1, -1, -1,  2 } },
    { "DDR4_1600K",   1600, {  4, 11, 11, 11, 28, 39, 12,  6,  9,  4,  5, -1, -1,  2,  6, -1, -1, -1,  2 } },
    { "DDR4_1600L",   1600, {  4, 12, 12, 12, 28, 40, 12,  6,  9,  4,  5, -1, -1,  2,  6, -1, -1, -1,  2 } },
    { "DDR4_1866L",   1866, {  4, 12, 12, 12, 32, 44, 14,  7, 10,  4,  5, -1, -1,  3,  7, -1, -1, -1,  2 } },
    { "DDR4_1866M",   1866, {  4, 13, 13, 13, 32, 45, 14,  7, 10,  4,  5, -1, -1,  3,  7, -1, -1, -1,  2 } },
    { "DDR4_1866N",   1866, {  4, 14, 14, 14, 32, 46, 14,  7, 10,  4,  5, -1, -1,  3,  7, -1, -1, -1,  2 } },
    { "DDR4_2133N",   2133, {  4, 14, 14, 14, 36, 50, 16,  8, 11,  4,  6, -1, -1,  3,  8, -1, -1, -1,  2 } },
    { "DDR4_2133P",   2133, {  4, 15, 15, 15, 36, 51, 16,  8, 11,  4,  6, -1, -1,  3,  8, -1, -1, -1,  2 } },
    { "DDR4_2133R",   2133, {  4, 16, 16, 16, 36, 52, 16,  8, 11,  4,  6, -1, -1,  3,  8, -1, -1, -1,  2 } },
    { "DDR4_2400P",   2400, {  4, 15, 15, 15, 39, 54, 18,  9, 12,  4,  6, -1, -1,  3,  9, -1, -1, -1,  2 } },
    { "DDR4_2400R",   2400, {  4, 16, 16, 16, 39, 55, 18,  9, 12,  4,  6, -1, -1,  3,  9, -1, -1, -1,  2 } },
    { "DDR4_2400U",   2400, {  4, 17, 17, 17, 39, 56, 18,  9, 12,  4,  6, -1, -1,  3,  9, -1, -1, -1,  2 } },
    { "DDR4_2400T",   2400, {  4, 18, 18, 18, 39, 57, 18,  9, 12,  4,  6, -1, -1,  3,  9, -1, -1, -1,  2 } },
    { "DDR4_2666T",   2666, {  4, 17, 17, 17, 43, 60, 20, 10, 14,  4,  7, -1, -1,  4, 10, -1, -1, -1,  2 } },
    { "DDR4_2666U",   2666, {  4, 18, 18, 18, 43, 61, 20, 10, 14,  4,  7, -1, -1,  4, 10, -1, -1, -1,  2 } },
    { "DDR4_2666V",   2666, {  4, 19, 19, 19, 43, 62, 20, 10, 14,  4,  7, -1, -1,  4, 10, -1, -1, -1,  2 } },
    { "DDR4_2666W",   2666, {  4, 20, 20, 20, 43, 63, 20, 10, 14,  4,  7, -1, -1,  4, 10, -1, -1, -1,  2 } },
    { "DDR4_2933V",   2933, {  4, 19, 19, 19, 47, 66, 22, 11, 16,  4,  8, -1, -1,  4, 11, -1, -1, -1,  2 } },
    { "DDR4_2933W",   2933, {  4, 20, 20, 20, 47, 67, 22, 11, 16,  4,  8, -1, -1,  4, 11, -1, -1, -1,  2 } },
    { "DDR4_2933Y",   2933, {  4, 21, 21, 21, 47, 68, 22, 11, 16,  4,  8, -1, -1,  4, 11, -1, -1, -1,  2 } },
    { "DDR4_2933AA",  2933, {  4, 22, 22, 22, 47, 69, 22, 11, 16,  4,  8, -1, -1,  4, 11, -1, -1, -1,  2 } },
    { "DDR4_3200W",   3200, {  4, 20, 20, 20, 52, 72, 24, 12, 16,  4,  8, -1, -1,  4, 12, -1, -1, -1,  2 } },
    { "DDR4_3200AA",  3200, {  4, 22, 22, 22, 52, 74, 24, 12, 16,  4,  8, -1, -1,  4, 12, -1, -1, -1,  2 } },
    { "DDR4_3200AC",  3200, {  4, 24, 24, 24, 52, 76, 24, 12, 16,  4,  8, -1, -1,  4, 12, -1, -1, -1,  2 } },
    { .name = NULL },
};

static const struct dram_by_rate by_rate[] = {
    { 0, nRRDS, 4, { 4, 4, 4, 4, 4, 4, 4 } },
    { 0, nRRDS, 8, { 4, 4, 4, 4, 4, 4, 4 } },
    { 0, nRRDS, 16, { 5, 5, 6, 7, 8, 8, 9 } },
    { 0, nRRDL, 4, { 5, 5, 6, 6, 7, 8, 8 } },
    { 0, nRRDL, 8, { 5, 5, 6, 6, 7, 8, 8 } },
    { 0, nRRDL, 16, { 6, 6, 7, 8, 9, 10, 11 } },
    { 0, nFAW, 4, { 16, 16, 16, 16, 16, 16, 16 } },
    { 0, nFAW, 8, { 20, 22, 23, 26, 28, 31, 34 } },
    { 0, nFAW, 16, { 28, 28, 32, 36, 40, 44, 48 } },
    { .timing = DRAM_NO_TIMING },
};

static const struct dram_by_density by_density[] = {
    { 0, nRFC, 0, { 160, 260, 360, 550 } },
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

    MIN(RANK, RD | RDA, RD | RDA, 0, nCCDS),
    MIN(RANK, WR | WRA, WR | WRA, 0, nCCDS),
    MIN(RANK, RD | RDA, WR | WRA, 2, nCL, nBL, -nCWL),
    MIN(RANK, WR | WRA, RD | RDA, 0, nCWL, nBL, nWTRS),
    ACROSS(RANK, RD | RDA, RD | RDA | WR | WRA, 0, nBL, nCS),
    ACROSS(RANK, WR | WRA, RD | RDA, 0, nCL, nBL, nCS, -nCWL),
    MIN(RANK, RD, PREA, 0, nRTP),
    MIN(RANK, WR, PREA, 0, nCWL, nBL, nWR),
    MIN(RANK, ACT, ACT, 0, nRRDS),
    WINDOW(RANK, ACT, ACT, nFAW),
    MIN(RANK, ACT, PREA, 0, nRAS),
    MIN(RANK, PREA, ACT, 0, nRP),
    MIN(RANK, ACT, REFAB, 0, nRC),
    MIN(RANK, PRE | PREA, REFAB, 0, nRP),
    MIN(RANK, RDA, REFAB, 0, nRP, nRTP),
    MIN(RANK, WRA, REFAB, 0, nCWL, nBL, nWR, nRP),
    MIN(RANK, REFAB, ACT | PREA, 0, nRFC),

    MIN(BANKGROUP, RD | RDA, RD | RDA, 0, nCCDL),
    MIN(BANKGROUP, WR | WRA, WR | WRA, 0, nCCDL),
    MIN(BANKGROUP, WR | WRA, RD | RDA, 0, nCWL, nBL, nWTRL),
    MIN(BANKGROUP, ACT, ACT, 0, nRRDL),

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

const struct dram_standard dram_ddr4 = {
    .name = "ddr4",
    .title = "DDR4 SDRAM",
    .source = REFERENCE_SOURCE ", DDR4",
    .rank_name = "rank",
    .has_bankgroups = true,
    .refresh_variants = REFERENCE | BANKFIX | CORRECT,
    .density_levels = LEVEL(BANKGROUP) | LEVEL(BANK) | LEVEL(ROW) | LEVEL(COLUMN),
    .prefetch = 8,
    .channel_width = 64,
    .rate_per_clock = 2,
    .rounding = DRAM_ROUND_974,
    .densities_mb = { 2048, 4096, 8192, 16384 },
    .rates = { 1600, 1866, 2133, 2400, 2666, 2933, 3200 },
    .power = { 1200, 2500, 60, 50, 55, 145, 145, 362, 3, 3, 3, 3, 3, 48 },
    .timing_columns = { nBL, nCL, nRCD, nRP, nRAS, nRC, nWR, nRTP, nCWL, nCCDS, nCCDL, nRRDS, nRRDL, nWTRS, nWTRL, nFAW, nRFC, nREFI, nCS },
    .organisations = organisations,
    .presets = presets,
    .by_rate = by_rate,
    .by_density = by_density,
    .scopes = scopes,
    .constraints = constraints,
};
/* clang-format on */
