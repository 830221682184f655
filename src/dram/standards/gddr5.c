/* gddr5.c - GDDR5 SGRAM (JEDEC JESD212). The reference has none, so all variants are the same.
 *
 * GDDR5_8000: the numbers of DRAMsim3's GDDR5_8Gb_x32 (tCK 0.5 ns, 1.9 us between refreshes), which
 * calls them typical rather than those of one product; a burst of 8 at 4 bits per pin and CK
 * lasts 2. SimTRaX_2000: the memory of SimTRaX (USIMM, 1Gb_x16_amd2GHz.vi with gddr5_8ch.cfg): 64
 * bytes in 4 cycles of 2 GHz, no bank groups (their distances are equal), no per-bank refresh
 * (taken as a sixteenth of the rows in half of tRFC). Use it with 64-bit channels. Currents:
 * DRAMsim3's estimates. */
#include "dram/standards/gddr5.h"

/* clang-format off */
static const struct dram_organisation organisations[] = {
    { "GDDR5_8Gb_x32",   8192, 32, { 1, 1, 4, 4, 16384, 1024 } },
    { "GDDR5_4Gb_x32",   4096, 32, { 1, 1, 4, 4,  8192, 1024 } },
    { "SimTRaX_2Gb_x16", 2048, 16, { 1, 1, 4, 4,  8192, 1024 } },
    { .name = NULL },
};

/* nBL nCL nRCDRD nRCDWR nRP nRAS nRC nWR nRTP nCWL nCCDS nCCDL nRRDS nRRDL nWTRS nWTRL nFAW nRFC nRFCpb nREFI */
static const struct dram_preset presets[] = {
    { "GDDR5_8000",   8000, { 2, 24, 24, 20, 24, 56, 80, 24,  2,  7, 2, 3, 10, 10, 10, 10, 40,  74,  30,  3800 } },
    { "SimTRaX_2000", 8000, { 4, 28, 28, 28, 28, 70, 98, 30, 15, 13, 4, 4, 13, 13, 15, 15, 80, 220, 110, 15600 } },
    { .name = NULL },
};

const struct dram_scope dram_gddr5_scopes[] = {
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

const struct dram_constraint dram_gddr5_constraints[] = {
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

const struct dram_standard dram_gddr5 = {
    .name = "gddr5",
    .title = "GDDR5 SGRAM",
    .source = "DRAMsim3 (GDDR5_8Gb_x32), SimTRaX (USIMM)",
    .prefetch = 8,
    .rate_per_clock = 4,
    .power = { 1500, 0, 75, 45, 55, 211, 198, 286, 0, 0, 0, 0, 0, 0 },
    .organisations = organisations,
    .presets = presets,
    GDDR5_FAMILY,
};
/* clang-format on */
