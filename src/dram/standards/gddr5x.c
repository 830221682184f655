/* gddr5x.c - GDDR5X SGRAM (JEDEC JESD232). The reference has none, so all variants are the same.
 *
 * Numbers and currents: DRAMsim3's GDDR5X_8Gb_x32, a part of 12 Gb/s in QDR mode: CK 1.5 GHz, a
 * burst of 16 at 8 bits per pin and CK lasts 2. Its refresh interval is that of GDDR5 in cycles of
 * 0.5 ns; here it is 1.9 us in cycles of 0.666 ns. */
#include "dram/standards/gddr5.h"

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

const struct dram_standard dram_gddr5x = {
    .name = "gddr5x",
    .title = "GDDR5X SGRAM",
    .source = "DRAMsim3 (GDDR5X_8Gb_x32)",
    .prefetch = 16,
    .rate_per_clock = 8,
    .power = { 1350, 0, 75, 45, 55, 211, 198, 286, 0, 0, 0, 0, 0, 0 },
    .organisations = organisations,
    .presets = presets,
    GDDR5_FAMILY,
};
/* clang-format on */
