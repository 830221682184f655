/* gddr6a.c - GDDR6 SGRAM (JEDEC JESD250) as the Arches simulator uses it: one rank level more than
 * the reference's gddr6, 16-bit channels, bursts of 16. Numbers: Arches' device, commit 6d7033e.
 *
 * The reference holds ACT to PRE and PRE to ACT apart on the whole channel, and lacks several
 * distances (see the correct rows at the end of the constraints). Its derivation replaces the
 * presets' refresh numbers (210, 105 and 3333 cycles of 570 ps: 120 ns, 60 ns, 1.9 us, which is
 * JEDEC JESD250's 16k refreshes in 32 ms) by those of DDR4; the correct variant keeps them.
 * The presets mix two clocks: latencies are in CK (data rate / 8), the burst of nBL = 4 is right
 * only in WCK. The correct variant counts everything in CK: a burst of 16 at 8 bits per pin and CK
 * (quad) lasts 2, tCCDS is 2 and tCCDL 4 (Micron MT61K512M32: "4 bank groups for tCCDL = 3 tCK and
 * 4 tCK"). For 21 Gb/s it makes tRC = tRAS + tRP and scales the distances that were left at the
 * cycle counts of slower parts to the nanoseconds of the 14 Gb/s preset.
 * Currents: Arches' energy model. */
#include "dram/standards/gddr6.h"

/* clang-format off */
static const struct dram_organisation organisations[] = {
    { "GDDR6_8Gb_x8",          8192,   8, { 2, 1, 4, 4, 16384, 2048 } },
    { "GDDR6_8Gb_x16",         8192,  16, { 2, 1, 4, 4, 16384, 1024 } },
    { "GDDR6_16Gb_x8",        16384,   8, { 2, 1, 4, 4, 32768, 2048 } },
    { "GDDR6_16Gb_x16",       16384,  16, { 2, 1, 4, 4, 16384, 2048 } },
    { "GDDR6_32Gb_x8",        32768,   8, { 2, 1, 4, 4, 65536, 2048 } },
    { "GDDR6_32Gb_x16",       32768,  16, { 2, 1, 4, 4, 32768, 2048 } },
    { "GDDR6_16Gb_x16_pch",   16384,  16, { 1, 1, 4, 4, 32768, 2048 } },
    { .name = NULL },
};

/* nBL nCL nRCDRD nRCDWD nRP nRAS nRC nWR nRTP nCWL nCCDS nCCDL nRRDS nRRDL nWTRS nWTRL nFAW nRFC nRFCpb nRREFD nREFI */
static const struct dram_preset presets[] = {
    { "GDDR6_16000_1350mV_double", 16000, {  8, 24, 26, 16, 26, 53, 79, 26,  4,  6,  4,  6,  7,  7,  9, 11, 28, 210, 105, 14, 3333 } },
    { "GDDR6_16000_1250mV_double", 16000, {  8, 24, 30, 19, 30, 60, 89, 30,  4,  6,  4,  6, 11, 11,  9, 11, 42, 210, 105, 21, 3333 } },
    { "GDDR6_16000_1350mV_quad",   16000, {  4, 24, 26, 16, 26, 53, 79, 26,  4,  6,  4,  6,  7,  7,  9, 11, 28, 210, 105, 14, 3333 } },
    { "GDDR6_12000_1250mV_quad",   12000, {  4, 24, 24, 20, 24, 54, 78, 16,  3,  6,  3,  4,  9,  9,  7,  7, 32, 210, 105, 21, 3333 } },
    { "GDDR6_14000_1250mV_quad",   14000, {  4, 24, 27, 20, 27, 57, 84, 23,  4,  6,  4,  5, 10, 10,  8,  9, 37, 210, 105, 21, 3333 } },
    { "GDDR6_16000_1250mV_quad",   16000, {  4, 24, 30, 19, 30, 60, 89, 30,  4,  6,  4,  6, 11, 11,  9, 11, 42, 210, 105, 21, 3333 } },
    { "GDDR6x_21000_1350mV_quad",  21000, {  4, 24, 40, 19, 40, 79, 89, 40,  4,  6,  4,  6, 11, 11,  9, 11, 55, 210, 105, 21, 3333 } },
    { .name = NULL },
};

static const struct dram_by_density by_density[] = {
    { RECORDED, nRFC, 0, { 260, 360, 550, 750 } },
    { RECORDED, nREFI, 0, { 7800, 7800, 7800, 7800 } },
    GDDR6_CORRECT_REFRESH,
    { .timing = DRAM_NO_TIMING },
};

static const struct dram_correction corrections[] = {
    { CORRECT, "GDDR6_16000_1350mV_double", nBL, 4 },
    { CORRECT, "GDDR6_16000_1350mV_double", nCCDS, 4 },
    { CORRECT, "GDDR6_16000_1250mV_double", nBL, 4 },
    { CORRECT, "GDDR6_16000_1250mV_double", nCCDS, 4 },
    { CORRECT, "GDDR6_16000_1350mV_quad", nBL, 2 },
    { CORRECT, "GDDR6_16000_1350mV_quad", nCCDS, 2 },
    { CORRECT, "GDDR6_12000_1250mV_quad", nBL, 2 },
    { CORRECT, "GDDR6_12000_1250mV_quad", nCCDS, 2 },
    { CORRECT, "GDDR6_14000_1250mV_quad", nBL, 2 },
    { CORRECT, "GDDR6_14000_1250mV_quad", nCCDS, 2 },
    { CORRECT, "GDDR6_16000_1250mV_quad", nBL, 2 },
    { CORRECT, "GDDR6_16000_1250mV_quad", nCCDS, 2 },
    { CORRECT, "GDDR6x_21000_1350mV_quad", nBL, 2 },
    { CORRECT, "GDDR6x_21000_1350mV_quad", nCCDS, 2 },
    { CORRECT, NULL, nCCDL, 4 },
    { CORRECT, "GDDR6x_21000_1350mV_quad", nRC, 119 },
    { CORRECT, "GDDR6x_21000_1350mV_quad", nRCDWD, 30 },
    { CORRECT, "GDDR6x_21000_1350mV_quad", nRRDS, 15 },
    { CORRECT, "GDDR6x_21000_1350mV_quad", nRRDL, 15 },
    { CORRECT, "GDDR6x_21000_1350mV_quad", nWTRS, 12 },
    { CORRECT, "GDDR6x_21000_1350mV_quad", nWTRL, 14 },
    { CORRECT, "GDDR6x_21000_1350mV_quad", nRREFD, 32 },
    { .timing = DRAM_NO_TIMING },
};

static const struct dram_scope scopes[] = {
    GDDR6_SCOPES(RANK),
    END_OF_SCOPES,
};

const struct dram_standard dram_gddr6a = {
    .name = "gddr6a",
    .title = "GDDR6 SGRAM, the Arches device",
    .source = "Arches, commit 6d7033e (GDDR6A)",
    .rank_name = "rank",
    .refresh_variants = REFERENCE | BANKFIX | CORRECT,
    .prefetch = 16,
    .channel_width = 16,
    .rate_per_clock = 8,
    .power = { 1350, 1800, 71, 60, 61, 248, 231, 286, 3, 3, 3, 3, 3, 48 },
    .timing_columns = { nBL, nCL, nRCDRD, nRCDWD, nRP, nRAS, nRC, nWR, nRTP, nCWL, nCCDS, nCCDL, nRRDS, nRRDL, nWTRS, nWTRL, nFAW, nRFC, nRFCpb, nRREFD, nREFI },
    .organisations = organisations,
    .presets = presets,
    .by_density = by_density,
    .corrections = corrections,
    .scopes = scopes,
    GDDR6_FAMILY,
};
/* clang-format on */
