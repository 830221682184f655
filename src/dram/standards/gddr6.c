/* gddr6.c - GDDR6 SGRAM (JEDEC JESD250) as the reference has it. Numbers: the reference's tables.
 *
 * The reference holds ACT to PRE and PRE to ACT apart on the whole channel, and lacks several
 * distances (see the correct rows at the end of the constraints). Its derivation replaces the
 * presets' refresh numbers (210, 105 and 3333 cycles of 570 ps: 120 ns, 60 ns, 1.9 us, which is
 * JEDEC JESD250's 16k refreshes in 32 ms) by those of DDR4; the correct variant keeps them.
 * The order of the last columns is the reference's, in which nRFCpb and nREFI are exchanged.
 * Architectures should take gddr6a: this one has a clock of 1 GHz and 64-bit channels. */
#include "dram/standards/gddr6.h"

/* clang-format off */
static const struct dram_organisation organisations[] = {
    { "GDDR6_8Gb_x8",          8192,   8, { 2, 1, 4, 4, 16384, 2048 } },
    { "GDDR6_8Gb_x16",         8192,  16, { 2, 1, 4, 4, 16384, 1024 } },
    { "GDDR6_16Gb_x8",        16384,   8, { 2, 1, 4, 4, 32768, 2048 } },
    { "GDDR6_16Gb_x16",       16384,  16, { 2, 1, 4, 4, 16384, 2048 } },
    { "GDDR6_32Gb_x8",        32768,   8, { 2, 1, 4, 4, 65536, 2048 } },
    { "GDDR6_32Gb_x16",       32768,  16, { 2, 1, 4, 4, 32768, 2048 } },
    { .name = NULL },
};

/* nBL nCL nRCDRD nRCDWD nRP nRAS nRC nWR nRTP nCWL nCCDS nCCDL nRRDS nRRDL nWTRS nWTRL nFAW nRFC nREFI nRREFD nRFCpb */
static const struct dram_preset presets[] = {
    { "GDDR6_2000_1350mV_double",  2000, {  8, 24, 26, 16, 26, 53, 79, 26,  4,  6,  4,  6,  7,  7,  9, 11, 28, 210, 105, 14, 3333 } },
    { "GDDR6_2000_1250mV_double",  2000, {  8, 24, 30, 19, 30, 60, 89, 30,  4,  6,  4,  6, 11, 11,  9, 11, 42, 210, 105, 21, 3333 } },
    { "GDDR6_2000_1350mV_quad",    2000, {  4, 24, 26, 16, 26, 53, 79, 26,  4,  6,  4,  6,  7,  7,  9, 11, 28, 210, 105, 14, 3333 } },
    { "GDDR6_2000_1250mV_quad",    2000, {  4, 24, 30, 19, 30, 60, 89, 30,  4,  6,  4,  6, 11, 11,  9, 11, 42, 210, 105, 21, 3333 } },
    { .name = NULL },
};

static const struct dram_by_rate by_rate[] = {
    { 0, nRRDS, 8, { 4 } },
    { 0, nRRDL, 8, { 5 } },
    { 0, nFAW, 8, { 20 } },
    { 0, nRRDS, 16, { 5 } },
    { 0, nRRDL, 16, { 6 } },
    { 0, nFAW, 16, { 28 } },
    { .timing = DRAM_NO_TIMING },
};

static const struct dram_by_density by_density[] = {
    { RECORDED, nRFC, 0, { 260, 360, 550 } },
    { RECORDED, nREFI, 0, { 7800, 7800, 7800 } },
    GDDR6_CORRECT_REFRESH,
    { .timing = DRAM_NO_TIMING },
};

static const struct dram_scope scopes[] = {
    GDDR6_SCOPES(CHANNEL),
    END_OF_SCOPES,
};

const struct dram_constraint dram_gddr6_constraints[] = {
    MIN(CHANNEL, RD | RDA, RD | RDA, 0, nBL),
    MIN(CHANNEL, WR | WRA, WR | WRA, 0, nBL),
    MIN(CHANNEL, RD | RDA, RD | RDA, 0, nCCDS),
    MIN(CHANNEL, WR | WRA, WR | WRA, 0, nCCDS),
    MIN(CHANNEL, RD | RDA, WR | WRA, 4, nCL, nBL, -nCWL),
    MIN(CHANNEL, WR | WRA, RD | RDA, 0, nCWL, nBL, nWTRS),
    MIN(CHANNEL, RD, PREA, 0, nRTP),
    MIN(CHANNEL, WR, PREA, 0, nCWL, nBL, nWR),
    MIN(CHANNEL, ACT, ACT, 0, nRRDS),
    WINDOW(CHANNEL, ACT, ACT, nFAW),
    MIN_OF(REFERENCE, CHANNEL, ACT, PRE, 0, nRAS),
    MIN_OF(REFERENCE, CHANNEL, PRE, ACT, 0, nRP),
    MIN(CHANNEL, ACT, REFAB, 0, nRC),
    MIN(CHANNEL, PRE, REFAB, 0, nRP),
    MIN(CHANNEL, RDA, REFAB, 0, nRP, nRTP),
    MIN(CHANNEL, WRA, REFAB, 0, nCWL, nBL, nWR, nRP),
    MIN(CHANNEL, REFAB, ACT, 0, nRFC),
    MIN(CHANNEL, ACT, REFP2B, 0, nRRDL),
    MIN(CHANNEL, PRE, REFP2B, 0, nRP),
    MIN(CHANNEL, RDA, REFP2B, 0, nRP, nRTP),
    MIN(CHANNEL, WRA, REFP2B, 0, nCWL, nBL, nWR, nRP),
    MIN(CHANNEL, REFP2B, ACT, 0, nRREFD),
    MIN(CHANNEL, ACT, REFPB, 0, nRRDL),
    MIN_OF(RECORDED, CHANNEL, PRE, REFPB, 0, nRP),
    MIN(CHANNEL, RDA, REFPB, 0, nRP, nRTP),
    MIN(CHANNEL, WRA, REFPB, 0, nCWL, nBL, nWR, nRP),
    MIN(CHANNEL, REFPB, ACT, 0, nRREFD),

    MIN(BANKGROUP, RD | RDA, RD | RDA, 0, nCCDL),
    MIN(BANKGROUP, WR | WRA, WR | WRA, 0, nCCDL),
    MIN(BANKGROUP, WR | WRA, RD | RDA, 0, nCWL, nBL, nWTRL),
    MIN(BANKGROUP, ACT, ACT, 0, nRRDL),

    MIN(BANK, ACT, RD | RDA, 0, nRCDRD),
    MIN(BANK, ACT, WR | WRA, 0, nRCDWD),
    MIN(BANK, ACT, PRE, 0, nRAS),
    MIN(BANK, PRE, ACT, 0, nRP),
    MIN(BANK, RD, PRE, 0, nRTP),
    MIN(BANK, WR, PRE, 0, nCWL, nBL, nWR),
    MIN(BANK, RDA, ACT, 0, nRTP, nRP),
    MIN(BANK, WRA, ACT, 0, nCWL, nBL, nWR, nRP),
    MIN(BANK, ACT, REFPB, 0, nRC),
    MIN(BANK, PRE, REFPB, 0, nRP),
    MIN(BANK, RDA, REFPB, 0, nRP, nRTP),
    MIN(BANK, WRA, REFPB, 0, nCWL, nBL, nWR, nRP),
    MIN(BANK, REFPB, ACT, 0, nRFCpb),

    /* What the reference lacks: PREA and same-bank activates are guarded by nothing. */
    MIN_OF(CORRECT, CHANNEL, ACT, PREA, 0, nRAS),
    MIN_OF(CORRECT, CHANNEL, PREA, ACT | REFAB | REFPB | REFP2B, 0, nRP),
    MIN_OF(CORRECT, CHANNEL, REFAB, REFAB | REFPB | REFP2B | PREA, 0, nRFC),
    MIN_OF(CORRECT, CHANNEL, REFPB, REFPB, 0, nRREFD),
    MIN_OF(CORRECT, CHANNEL, REFPB, REFAB, 0, nRFCpb),
    MIN_OF(CORRECT, BANK, ACT, ACT, 0, nRC),
    MIN_OF(CORRECT, BANK, REFPB, REFPB, 0, nRFCpb),
    END_OF_CONSTRAINTS,
};

const struct dram_standard dram_gddr6 = {
    .name = "gddr6",
    .title = "GDDR6 SGRAM, the reference device",
    .source = REFERENCE_SOURCE ", GDDR6",
    .rank_name = NULL,
    .refresh_variants = CORRECT,
    .prefetch = 8,
    .channel_width = 64,
    .rate_per_clock = 2,
    .rates = { 2000 },
    .timing_columns = { nBL, nCL, nRCDRD, nRCDWD, nRP, nRAS, nRC, nWR, nRTP, nCWL, nCCDS, nCCDL, nRRDS, nRRDL, nWTRS, nWTRL, nFAW, nRFC, nREFI, nRREFD, nRFCpb },
    .organisations = organisations,
    .presets = presets,
    .by_rate = by_rate,
    .by_density = by_density,
    .scopes = scopes,
    GDDR6_FAMILY,
};
/* clang-format on */
